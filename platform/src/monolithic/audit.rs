//! The account of energies of a step, before it is accepted.

use super::{Platform, STOP_STEP};
use crate::bodies::{EFFECTOR, point_motion};
use crate::body::BodyStep;
use crate::error::PlatformError;
use crate::leg::PlatformLeg;
use crate::stopwatch::timed;
use crate::world::Trial;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::pace::StepError;
use multibody::dynamics::stepper::{Refusal, Strictness};
use nalgebra::Vector6;

/// Part of the accuracy asked for by which a step may falsify the speed of bodies: errors of many steps
/// add up. Chosen by errors of peak forces over random dockings.
const ERROR_SHARE: f64 = 0.15;
/// Steps are not made shorter than this part of the largest one for their error: contact has limits of
/// its own, and behind a jump the acceleration-like variables say little.
const SMALLEST_FOR_ERROR: f64 = 1.0 / 64.0;

impl<L: PlatformLeg> Platform<L> {
    /// Moves the legs to the end of the step, and with a target, or once legs were at their stops
    /// (`stopped`), judges what the account misses in it. On a refusal the legs are as they were.
    pub(super) fn move_legs(
        &mut self,
        steps: &[BodyStep],
        (h, end): (f64, f64),
        trial: &Trial,
        strict: Strictness,
        stopped: bool,
    ) -> core::result::Result<(), Refusal<PlatformError>> {
        let watched = stopped || self.world.encounter().is_some();
        let before = match self.balances {
            None if watched => self.leg_balances()?,
            known => known.unwrap_or(0.0),
        };
        let look = watched && (strict.look || self.balances.is_none());
        let mut miss = trial.miss;
        let Self {
            legs,
            spheres,
            world,
            pool,
            walls,
            ..
        } = self;
        let effector = &steps[EFFECTOR].trial;
        let base = world.bodies().base.map(|i| &steps[i].trial);
        timed(walls.as_mut().map(|walls| &mut walls[0]), || {
            pool.for_each(legs, |i, leg| {
                leg.accept(&point_motion(effector, &spheres[i]), base, h, look);
            });
        });
        // A step may run into a stop so near to its end that no event cuts it short, and the account of
        // what the stop's force does in it is not kept yet: it is from its start on.
        if !watched && strict.account && legs.iter().any(L::touches_stop) {
            legs.iter_mut().for_each(L::undo);
            self.balances = Some(self.leg_balances()?);
            return Err(Refusal::Inaccurate(STOP_STEP));
        }
        let (mut motors, mut lost) = (0.0, world.account().dissipated());
        self.flows.clear();
        for (i, leg) in legs.iter().enumerate() {
            let (mut tip, mut foot) = (self.tips[i], self.feet[i]);
            let velocity = effector.point_velocity(&spheres[i]);
            tip.advance(h, -leg.tip_force().dot(&velocity));
            foot.advance(h, base.map_or(0.0, |base| leg.base_power(base)));
            miss += tip.energy - self.tips[i].energy + foot.energy - self.feet[i].energy;
            motors += leg.work_in() - tip.energy - foot.energy;
            lost += leg.dissipated();
            self.flows.push((tip, foot));
        }
        if look {
            let judged = self.leg_balances().and_then(|balances| {
                let moved = trial.moved.max(lost).max(motors.abs());
                let (watch, miss) = (&mut self.pace.guard, miss + balances - before);
                let stake = (moved, trial.held + balances.abs());
                let judged = watch.judge(miss, stake, (h, end), strict.account);
                judged.map(|()| balances).map_err(Refusal::Inaccurate)
            });
            match judged {
                Ok(balances) => self.balances = Some(balances),
                Err(refusal) => {
                    self.legs.iter_mut().for_each(L::undo);
                    return Err(refusal);
                }
            }
        } else if watched {
            self.pace.guard.postpone(miss, h);
        }
        for (i, (tip, foot)) in self.flows.iter().enumerate() {
            (self.tips[i], self.feet[i]) = (*tip, *foot);
        }
        Ok(())
    }

    /// Where an accuracy is asked for, judges the error of the bodies' increments in a step.
    pub(super) fn judge_error(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        strict: bool,
    ) -> core::result::Result<(), Refusal<PlatformError>> {
        let Some(accuracy) = self.config.solver.accuracy else {
            return Ok(());
        };
        let radius = self.config.legs.sphere_radius_m;
        let size = |twist: &Vector6<f64>| {
            let linear = twist.fixed_rows::<3>(0).norm();
            linear + radius * twist.fixed_rows::<3>(3).norm()
        };
        let (mut error, mut speed) = (0.0_f64, 0.0_f64);
        for (step, state) in steps.iter().zip(&self.bodies) {
            error = error.max(size(&(step.trial.algorithmic - state.algorithmic)));
            speed = speed.max(size(&step.trial.velocity));
        }
        let judged = StepError {
            error: error * integrator.error_by_algorithmic().abs(),
            speed,
            share: ERROR_SHARE * accuracy,
            step: integrator.step(),
            smallest: SMALLEST_FOR_ERROR * self.config.solver.step_s,
        };
        let judged = self.pace.judge_error(&judged, strict);
        judged.map_err(Refusal::Inaccurate)
    }

    /// Sum of the balances of all legs [J].
    pub(super) fn leg_balances(&mut self) -> core::result::Result<f64, Refusal<PlatformError>> {
        let mut sum = 0.0;
        for (i, leg) in self.legs.iter_mut().enumerate() {
            let balance = leg.balance().map_err(PlatformError::in_leg(i));
            sum += balance.map_err(Refusal::Smaller)?;
        }
        Ok(sum)
    }
}
