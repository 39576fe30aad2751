//! Accelerations and reactions that change at once: behind forces that jump, before steps that are far
//! shorter than the last.

use super::Platform;
use crate::bodies::{EFFECTOR, point_motion};
use crate::body::{BodyState, BodyStep, point_map};
use crate::error::{PlatformError, Result};
use crate::leg::{PlatformLeg, TipMotion};
use crate::wrench::{next_jump, replacing_jumps};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::integrator::Integrator;
use multibody::group::Group;
use multibody::model::Signal;

/// How a leg is linearised where it is: [`PlatformLeg::begin_jump`] or one like it.
type Begin<L> = fn(&mut L, &Integrator, &TipMotion, Option<&BodyState>, (f64, f64));

impl<L: PlatformLeg> Platform<L> {
    /// Gives the motor of a leg (from 0) another torque history [N·m] and target history [rad], both
    /// absolute: they act from now on.
    pub fn set_motor(&mut self, leg: usize, torque: Signal, angle: Signal) {
        let Some(leg) = self.legs.get_mut(leg) else {
            return;
        };
        let (old_torque, old_angle) = leg.motor();
        let jumps = replacing_jumps([(old_torque, &torque), (old_angle, &angle)], self.time);
        leg.set_motor(torque, angle);
        self.jumped |= jumps;
    }

    /// Lets the winch of a leg (from 0) add a pull to its tendon [N], from now on; false if the leg has no
    /// winch.
    pub fn set_tendon_force(&mut self, leg: usize, pull: Signal) -> bool {
        let Some(leg) = self.legs.get_mut(leg) else {
            return false;
        };
        let jumps = replacing_jumps([(leg.tendon_force(), &pull)], self.time);
        let done = leg.set_tendon_force(pull);
        self.jumped |= jumps && done;
        done
    }

    /// First jump of a history before `end` [s]: of the wrench; of a motor, a winch or an actuator of base
    /// or target.
    pub(super) fn next_jumps(&self, end: f64, slack: f64) -> [Option<f64>; 2] {
        let wrench = self.world.next_wrench_jump(self.time, end, slack);
        let motors = self.legs.iter().map(L::motor);
        let motors = motors.filter_map(|(a, b)| next_jump([a, b], self.time, end, slack));
        let winches = self.legs.iter().map(L::tendon_force);
        let winches = winches.filter_map(|pull| next_jump([pull], self.time, end, slack));
        let actuators = self.world.next_actuator_jump(self.time, end, slack);
        let inside = motors.chain(winches).chain(actuators);
        [wrench, inside.reduce(f64::min)]
    }

    /// Goes on behind the jump of a motor or an actuator: forces jump at once, rates of prescribed angles within small
    /// steps.
    pub(super) fn cross_motor_jump(&mut self) -> Result<()> {
        self.world.cross_actuator_jumps(&mut self.bodies, self.time);
        if self.legs.iter().any(L::is_led) {
            self.restart_small_steps();
        }
        self.rebalance()
    }

    /// Lets accelerations and reactions follow forces of motors that have just jumped, as the matrix
    /// of a step answers them: the torque of a motor then acts from now on, and not from the middle
    /// of the next step.
    pub fn rebalance(&mut self) -> Result<()> {
        self.balance(self.config.solver.step_s, L::begin_jump)
    }

    /// Makes velocities of the legs and accelerations of all parts fulfil the hidden constraints before
    /// a step of `h` [s] that is far shorter than the last one. Steps at position level leave velocities
    /// that violate them a little; a short step would make up for that within its own length, with
    /// accelerations and reactions far beyond those of the motion. Velocities of the bodies stay.
    pub(super) fn make_consistent(&mut self, h: f64) -> Result<()> {
        self.balance(h, L::begin_consistent)
    }

    /// Balances accelerations and reactions where the platform is, as the matrix of a step of `h` [s]
    /// answers what `begin` finds in each leg.
    fn balance(&mut self, h: f64, begin: Begin<L>) -> Result<()> {
        let solver = &self.config.solver;
        let integrator = Integrator::new(solver.spectral_radius, h);
        let slack = SLIVER * solver.step_s;
        let steps: Vec<BodyStep> = self.bodies.iter().map(BodyStep::standing).collect();
        let time = self.time;
        let Self {
            legs,
            spheres,
            world,
            pool,
            bodies,
            ..
        } = self;
        let base = world.bodies().base.map(|i| &bodies[i]);
        let effector = &bodies[EFFECTOR];
        pool.for_each(legs, |i, leg| {
            let tip = point_motion(effector, &spheres[i]);
            begin(leg, &integrator, &tip, base, (time, slack));
        });
        for (i, leg) in legs.iter_mut().enumerate() {
            if let Some(failure) = leg.take_failure() {
                return Err(PlatformError::in_leg(i)(failure));
            }
        }
        world.stand();
        world.linearize(&steps, &integrator, self.time)?;
        for (leg, sphere) in legs.iter().zip(spheres.iter()) {
            if let Some(response) = leg.response() {
                world.add_leg(&steps, &integrator, sphere, &response);
            }
        }
        let psi = world.solve(self.time)?;
        let weight = integrator.weights().inertia;
        for ((state, body), psi) in bodies.iter_mut().zip(&world.bodies().all).zip(&psi) {
            let jump = psi * weight;
            state.acceleration += jump;
            state.algorithmic += jump;
            body.modes.jump(&mut state.modal, &jump);
        }
        let base = world.bodies().base.map(|i| (&bodies[i], &psi[i]));
        let effector = &bodies[EFFECTOR];
        let rotation = effector.pose.rotation();
        for (i, leg) in legs.iter_mut().enumerate() {
            let way = rotation * (point_map(&spheres[i]) * psi[EFFECTOR]);
            leg.jump(&way, base.map(|(_, psi)| psi));
            let velocity = effector.point_velocity(&spheres[i]);
            self.tips[i].power = -leg.tip_force().dot(&velocity);
            self.feet[i].power = base.map_or(0.0, |(base, _)| leg.base_power(base));
        }
        Ok(())
    }
}
