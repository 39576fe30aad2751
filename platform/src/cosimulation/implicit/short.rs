//! Steps no longer than those of the legs: the equations of the monolithic scheme.
//!
//! One step of the generalised-α method for the bodies. Where the monolithic scheme has legs
//! linearised within their own iteration, here every leg has solved its step for the tip's motion
//! of the present iterate. Bodies, wrench, contact and latch are linearised exactly
//! ([`crate::world`]); the legs by [`Slope`], kept from step to step as long as it serves.

use super::{Implicit, LARGEST_CORRECTION, MOST_ITERATIONS, SLOW, refusal};
use crate::bodies::{EFFECTOR, PortResponse};
use crate::body::{BodyState, BodyStep};
use crate::cosimulation::common::LegLoad;
use crate::cosimulation::slot::{Before, LegSlot, Question, Request, Slope, Stop};
use crate::error::{PlatformError, Result};
use crate::step_error;
use crate::wrench::SAME_TIME;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::stepper::{Done, Refusal, Strictness};
use nalgebra::SMatrix;

/// Share of the tolerance of the joints that a step may use: its equations are to be solved as
/// sharply as in the monolithic scheme, whose legs close their joints exactly. What is left is felt as a
/// force of the leaf's stiffness, and decides where contact ends steps: with a share of 0.01 peaks of
/// contact were 5e-6 off, with this one 1e-10, for 2 to 7 % more iterations.
const SHARP: f64 = 1.25e-4;
/// Places of joints are not known better [m].
const ROUNDING: f64 = 1e-13;
/// Share that is enough where iterations gain no more: legs at their stops answer with the noise of their
/// own iteration.
const ENOUGH: f64 = 0.01;
/// An iteration that leaves more than this part of the correction before gains no more.
const GAINS_NOTHING: f64 = 0.5;
/// Iterations of a step whose slopes serve well.
const FEW_ITERATIONS: usize = 2;

impl Implicit {
    pub(super) fn short_step(
        &mut self,
        end: f64,
        strict: Strictness,
    ) -> core::result::Result<Done, Refusal<PlatformError>> {
        let start = self.common.time;
        let h = end - start;
        if self.common.world.encounter().is_some() && self.balance.is_none() {
            // The units are at the start of the step only before they follow.
            let balance = self.common.leg_balance(0.0).map_err(Refusal::Never)?;
            self.balance = Some(balance.sum);
        }
        let integrator = Integrator::new(self.common.config.solver.spectral_radius, h);
        self.common.world.begin(start, end);
        let mut steps = self.predict(&integrator, end);
        for slope in self
            .common
            .slots
            .iter_mut()
            .filter_map(|s| s.slope.as_mut())
        {
            slope.restart();
        }
        let joints = self.common.config.solver.interface_tolerance_m;
        let mut done = Done::default();
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            done.iterations = iteration;
            let stop = Stop {
                time: end,
                state: steps[EFFECTOR].trial,
                base: self.common.world.bodies().base.map(|i| steps[i].trial),
            };
            let fresh = !self.slopes_hold(h);
            self.follow_and_learn(&stop, &integrator, fresh)?;
            done.linearizations += usize::from(fresh);
            let found = self
                .common
                .correct_bodies(&mut steps, &integrator, end, answer);
            let before = core::mem::replace(&mut size, found.map_err(Refusal::Smaller)?);
            if size.is_nan() || size > LARGEST_CORRECTION {
                break;
            }
            let stands = size <= ENOUGH * joints && size > GAINS_NOTHING * before;
            let sharp = size <= (SHARP * joints).max(ROUNDING);
            if (sharp || stands) && !self.displaced {
                self.judge(&steps, (&integrator, end), strict)?;
                let accepted = self.accept_short(&steps, &integrator, end);
                done.closed = accepted.map_err(Refusal::Never)?;
                done.changed = self.common.world.changed();
                self.age_slopes(&done);
                return Ok(done);
            }
            if size > SLOW * before && !fresh {
                self.forget_slopes();
            }
        }
        self.forget_slopes();
        Err(self.diverged(h, &done, size))
    }

    /// First guess: the end effector as its past says, the target as its acceleration says.
    fn predict(&self, integrator: &Integrator, end: f64) -> Vec<BodyStep> {
        let guess = self.predictor.guess(&[end])[0];
        let bodies = self.common.world.bodies().all.iter();
        let known = bodies.zip(&self.common.bodies).enumerate();
        let step = |(i, (body, state))| match i {
            EFFECTOR => BodyStep::guess(body, state, integrator, &guess),
            _ => BodyStep::predict(body, state, integrator, false),
        };
        known.map(step).collect()
    }

    /// True if all slopes are those of steps of `h` [s].
    fn slopes_hold(&self, h: f64) -> bool {
        let attached = self.common.slots.iter().filter(|slot| slot.attached);
        let holds = |slope: Slope| (slope.step - h).abs() <= SAME_TIME * h;
        attached
            .map(|slot| slot.slope)
            .all(|s| s.is_some_and(holds))
    }

    fn forget_slopes(&mut self) {
        for slot in &mut self.common.slots {
            slot.slope = None;
        }
    }

    /// Lets the units follow the end effector to `stop`; finds new slopes or improves the old ones.
    fn follow_and_learn(
        &mut self,
        stop: &Stop,
        integrator: &Integrator,
        fresh: bool,
    ) -> core::result::Result<(), Refusal<PlatformError>> {
        let request = self.request(Question::Force, fresh && self.derivatives);
        self.common.follow(stop, &request).map_err(refusal)?;
        self.displaced = false;
        let rate = integrator.weights().damping;
        if fresh && !self.derivatives {
            let request = Request {
                before: Before::Restore,
                derivatives: false,
                ..request
            };
            let (slots, pool) = (&mut self.common.slots, &self.common.pool);
            pool.for_each(slots, |_, slot| slot.differentiate(stop, rate, &request));
            self.displaced = true;
            self.common.first_failure().map_err(refusal)?;
        }
        for slot in self.common.slots.iter_mut().filter(|slot| slot.attached) {
            let response = &slot.response;
            if fresh {
                let step = integrator.step();
                slot.slope = Some(match slot.slope {
                    Some(found) if !self.derivatives => Slope::new(step, found.matrix),
                    _ => Slope::told(response, stop.base.as_ref(), (step, rate)),
                });
            }
            let answered = slot.answered(stop);
            if let Some(slope) = &mut slot.slope {
                slope.learn(&answered);
            }
        }
        Ok(())
    }

    /// Lets go of slopes that are no longer worth keeping.
    fn age_slopes(&mut self, done: &Done) {
        let slow = done.iterations > FEW_ITERATIONS;
        if done.linearizations > 0 {
            self.always_slow = slow;
        } else if slow && !self.always_slow {
            self.forget_slopes();
        }
    }

    /// Looks for events in the step, and with a target at what the account misses in it.
    fn judge(
        &mut self,
        steps: &[BodyStep],
        (integrator, end): (&Integrator, f64),
        strict: Strictness,
    ) -> core::result::Result<(), Refusal<PlatformError>> {
        let common = &mut self.common;
        let h = integrator.step();
        let trial = common.world.examine(&common.bodies, steps, common.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        if common.world.encounter().is_none() {
            return Ok(());
        }
        let motion = (common.bodies.as_slice(), steps);
        step_error::judge(
            &mut self.pace,
            &common.config,
            motion,
            integrator,
            strict.account,
        )?;
        let Some(before) = self.balance.filter(|_| strict.look) else {
            self.pace.guard.postpone(trial.miss, h);
            return Ok(());
        };
        let after = common.leg_balance(h).map_err(Refusal::Never)?;
        let lost = after.lost + common.world.account().dissipated();
        let moved = trial.moved.max(lost).max(after.motors.abs());
        let miss = trial.miss + after.sum - before;
        let stake = (moved, trial.held + after.sum.abs());
        let judged = self.pace.guard.judge(miss, stake, (h, end), strict.account);
        judged.map_err(Refusal::Inaccurate)?;
        self.balance = Some(after.sum);
        Ok(())
    }

    fn accept_short(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        end: f64,
    ) -> Result<bool> {
        let loads: Vec<LegLoad> = self.common.slots.iter().map(LegLoad::of).collect();
        let load = |leg: usize| loads[leg];
        let closed = self
            .common
            .accept_steps(steps, integrator, end, load, load)?;
        let point = (self.common.time, self.common.effector().algorithmic);
        let lever = self.common.config.legs.sphere_radius_m;
        self.predictor.learn(&[point], lever);
        self.saved = false;
        Ok(closed)
    }
}

/// How a leg answers the motion of its ends, by its slope.
fn answer(_: usize, slot: &LegSlot, base: Option<&BodyState>) -> PortResponse {
    let matrix = slot.slope.map_or_else(SMatrix::zeros, |slope| slope.matrix);
    let mut out = LegLoad::of(slot).held(base);
    out.by_position = matrix.fixed_view::<3, 3>(0, 0).into();
    if let Some(on_base) = &mut out.base {
        on_base.by_position = matrix.fixed_view::<6, 3>(3, 0).into();
        on_base.by_base = matrix.fixed_view::<6, 6>(3, 3).into();
        on_base.tip_by_base = matrix.fixed_view::<3, 6>(0, 3).into();
    }
    out
}
