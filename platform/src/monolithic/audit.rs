//! The account of energies of a step, before it is accepted.

use super::{Platform, STOP_STEP};
use crate::bodies::{EFFECTOR, point_motion};
use crate::body::BodyStep;
use crate::error::PlatformError;
use crate::leg::PlatformLeg;
use crate::step_error;
use crate::stopwatch::timed;
use crate::world::Trial;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::stepper::{Refusal, Strictness};

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

    /// With a target, or where an accuracy is asked for, judges the error of a step by the motion of the
    /// bodies.
    pub(super) fn judge_error(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        strict: bool,
    ) -> core::result::Result<(), Refusal<PlatformError>> {
        if self.world.encounter().is_none() && self.config.solver.accuracy.is_none() {
            return Ok(());
        }
        let motion = (self.bodies.as_slice(), steps);
        step_error::judge(&mut self.pace, &self.config, motion, integrator, strict)
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
