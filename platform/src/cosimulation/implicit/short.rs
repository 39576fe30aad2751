//! Steps no longer than those of the legs: the equations of the monolithic scheme.
//!
//! One step of the generalised-α method for the bodies. Where the monolithic scheme has legs
//! linearised within their own iteration, here every leg has solved its step for the tip's motion
//! of the present iterate. Bodies, wrench, contact and latch are linearised exactly
//! ([`crate::world`]); the legs by [`Slope`], kept from step to step as long as it serves.

use super::{Implicit, LARGEST_CORRECTION, MOST_ITERATIONS, SLOW, refusal};
use crate::body::BodyStep;
use crate::cosimulation::seat::{Before, Question, Request, Slope, Stop};
use crate::error::Result;
use crate::hub::EFFECTOR;
use crate::pace::{Done, Refusal, Strictness};
use crate::wrench::SAME_TIME;
use multibody::dynamics::alpha::Coefficients;
use nalgebra::{Matrix3, Vector3};

/// Share of the tolerance of the joints that a step may use: its equations are to be solved as
/// sharply as in the monolithic scheme.
const SHARP: f64 = 0.01;
/// Iterations of a step whose slopes serve well.
const FEW_ITERATIONS: usize = 2;

impl Implicit {
    pub(super) fn short_step(
        &mut self,
        end: f64,
        strict: Strictness,
    ) -> core::result::Result<Done, Refusal> {
        let start = self.rig.time;
        let h = end - start;
        if self.rig.world.encounter().is_some() && self.balance.is_none() {
            // The units are at the start of the step only before they follow.
            let balance = self.rig.leg_balance(0.0).map_err(Refusal::Never)?;
            self.balance = Some(balance.sum);
        }
        let coefficients = Coefficients::new(self.rig.config.solver.spectral_radius, h);
        self.rig.world.begin(start, end);
        let mut steps = self.predict(&coefficients, end);
        for slope in self.rig.seats.iter_mut().filter_map(|s| s.slope.as_mut()) {
            slope.restart();
        }
        let tolerance = SHARP * self.rig.config.solver.interface_tolerance_m;
        let mut done = Done::default();
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            done.iterations = iteration;
            let stop = Stop {
                time: end,
                state: steps[EFFECTOR].trial,
            };
            let fresh = !self.slopes_hold(h);
            self.answer(&stop, &coefficients, fresh)?;
            done.linearizations += usize::from(fresh);
            let found = self
                .rig
                .correct_bodies(&mut steps, &coefficients, end, |_, seat| {
                    let slope = seat.slope.map_or_else(Matrix3::zeros, |slope| slope.matrix);
                    (seat.answer.force, slope)
                });
            let before = core::mem::replace(&mut size, found.map_err(Refusal::Smaller)?);
            if size.is_nan() || size > LARGEST_CORRECTION {
                break;
            }
            if size <= tolerance && !self.displaced {
                self.judge(&steps, (h, end), strict)?;
                let accepted = self.accept_short(&steps, &coefficients, end);
                done.closed = accepted.map_err(Refusal::Never)?;
                done.changed = self.rig.world.changed();
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
    fn predict(&self, coefficients: &Coefficients, end: f64) -> Vec<BodyStep> {
        let guess = self.predictor.guess(&[end])[0];
        let step = |(i, state)| match i {
            EFFECTOR => BodyStep::guess(state, coefficients, &guess),
            _ => BodyStep::predict(state, coefficients, false),
        };
        self.rig.bodies.iter().enumerate().map(step).collect()
    }

    /// True if all slopes are those of steps of `h` [s].
    fn slopes_hold(&self, h: f64) -> bool {
        let attached = self.rig.seats.iter().filter(|seat| seat.attached);
        let holds = |slope: Slope| (slope.step - h).abs() <= SAME_TIME * h;
        attached
            .map(|seat| seat.slope)
            .all(|s| s.is_some_and(holds))
    }

    fn forget_slopes(&mut self) {
        for seat in &mut self.rig.seats {
            seat.slope = None;
        }
    }

    /// Lets the units follow the end effector to `stop`; finds new slopes or improves the old ones.
    fn answer(
        &mut self,
        stop: &Stop,
        coefficients: &Coefficients,
        fresh: bool,
    ) -> core::result::Result<(), Refusal> {
        let request = self.request(Question::Force, fresh && self.derivatives);
        self.rig.follow(stop, &request).map_err(refusal)?;
        self.displaced = false;
        let rate = coefficients.weights().damping;
        if fresh && !self.derivatives {
            let request = Request {
                before: Before::Restore,
                derivatives: false,
                ..request
            };
            let (seats, crew) = (&mut self.rig.seats, &self.rig.crew);
            crew.for_each(seats, |_, seat| seat.differentiate(stop, rate, &request));
            self.displaced = true;
            self.rig.first_failure().map_err(refusal)?;
        }
        for seat in self.rig.seats.iter_mut().filter(|seat| seat.attached) {
            let answer = &seat.answer;
            if fresh {
                let told = &answer.derivatives;
                let matrix = match seat.slope {
                    Some(found) if !self.derivatives => found.matrix,
                    _ => told.by_position + told.by_velocity * rate,
                };
                seat.slope = Some(Slope::new(coefficients.step, matrix));
            }
            if let Some(slope) = &mut seat.slope {
                slope.learn(&stop.state.point(&seat.sphere), &answer.force);
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
        (h, end): (f64, f64),
        strict: Strictness,
    ) -> core::result::Result<(), Refusal> {
        let rig = &mut self.rig;
        let trial = rig.world.examine(&rig.bodies, steps, rig.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        if rig.world.encounter().is_none() {
            return Ok(());
        }
        let Some(before) = self.balance.filter(|_| strict.look) else {
            self.pace.watch.postpone(trial.miss, h);
            return Ok(());
        };
        let after = rig.leg_balance(h).map_err(Refusal::Never)?;
        let lost = after.lost + rig.world.account().dissipated();
        let moved = trial.moved.max(lost).max(after.motors.abs());
        let miss = trial.miss + after.sum - before;
        let stake = (moved, trial.held + after.sum.abs());
        let judged = self.pace.watch.judge(miss, stake, (h, end), strict.account);
        judged.map_err(Refusal::Account)?;
        self.balance = Some(after.sum);
        Ok(())
    }

    fn accept_short(
        &mut self,
        steps: &[BodyStep],
        coefficients: &Coefficients,
        end: f64,
    ) -> Result<bool> {
        let forces: Vec<Vector3<f64>> = self
            .rig
            .seats
            .iter()
            .map(|seat| seat.answer.force)
            .collect();
        let force = |leg: usize| forces[leg];
        let closed = self
            .rig
            .accept_steps(steps, coefficients, end, force, force)?;
        let point = (self.rig.time, self.rig.effector().algorithmic);
        let lever = self.rig.config.legs.sphere_radius_m;
        self.predictor.learn(&[point], lever);
        self.saved = false;
        Ok(closed)
    }
}
