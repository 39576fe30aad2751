//! Forces that jump: accelerations and reactions follow at once.

use super::Platform;
use crate::bodies::{EFFECTOR, point_motion};
use crate::body::{BodyStep, point_map};
use crate::error::{PlatformError, Result};
use crate::leg::PlatformLeg;
use crate::wrench::{next_jump, replacing_jumps};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::integrator::Integrator;
use multibody::group::Group;
use multibody::model::Signal;

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

    /// First jump of a history before `end` [s]: of the wrench, of a motor.
    pub(super) fn next_jumps(&self, end: f64, slack: f64) -> [Option<f64>; 2] {
        let wrench = self.world.wrench().next_jump(self.time, end, slack);
        let motors = self.legs.iter().map(L::motor);
        let motors = motors.filter_map(|(a, b)| next_jump([a, b], self.time, end, slack));
        [wrench, motors.reduce(f64::min)]
    }

    /// Goes on behind the jump of a motor: forces jump at once, rates of prescribed angles within small
    /// steps.
    pub(super) fn cross_motor_jump(&mut self) -> Result<()> {
        if self.legs.iter().any(L::is_led) {
            self.restart_small_steps();
        }
        self.rebalance()
    }

    /// Lets accelerations and reactions follow forces of motors that have just jumped, as the matrix
    /// of a step answers them: the torque of a motor then acts from now on, and not from the middle
    /// of the next step.
    pub fn rebalance(&mut self) -> Result<()> {
        let solver = &self.config.solver;
        let integrator = Integrator::new(solver.spectral_radius, solver.step_s);
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
            leg.begin_jump(&integrator, &tip, base, (time, SLIVER * integrator.step()));
        });
        for (i, leg) in legs.iter_mut().enumerate() {
            if let Some(failure) = leg.take_failure() {
                return Err(PlatformError::in_leg(i)(failure));
            }
        }
        world.linearize(&steps, &integrator, self.time)?;
        for (leg, sphere) in legs.iter().zip(spheres.iter()) {
            if let Some(response) = leg.response() {
                world.add_leg(&steps, &integrator, sphere, &response);
            }
        }
        let psi = world.solve(self.time)?;
        let weight = integrator.weights().inertia;
        for (body, psi) in bodies.iter_mut().zip(&psi) {
            body.acceleration += psi * weight;
            body.algorithmic += psi * weight;
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
