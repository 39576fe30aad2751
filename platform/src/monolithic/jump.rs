//! Forces that jump: accelerations and reactions follow at once.

use super::Platform;
use crate::body::{BodyStep, point_map};
use crate::error::{PlatformError, Result};
use crate::hub::{EFFECTOR, point_motion};
use multibody::dynamics::alpha::Coefficients;
use multibody::group::Group;

impl Platform {
    /// Lets accelerations and reactions follow forces of motors that have just jumped, as the matrix
    /// of a step answers them: the torque of a motor then acts from now on, and not from the middle
    /// of the next step.
    pub fn rebalance(&mut self) -> Result<()> {
        let solver = &self.config.solver;
        let coefficients = Coefficients::new(solver.spectral_radius, solver.step_s);
        let steps: Vec<BodyStep> = self.bodies.iter().map(BodyStep::standing).collect();
        let Self {
            legs,
            spheres,
            world,
            crew,
            bodies,
            ..
        } = self;
        let base = world.hub().base.map(|i| &bodies[i]);
        let effector = &bodies[EFFECTOR];
        crew.for_each(legs, |i, leg| {
            leg.begin_jump(&coefficients, &point_motion(effector, &spheres[i]), base);
        });
        for (i, leg) in legs.iter_mut().enumerate() {
            if let Some(failure) = leg.take_failure() {
                return Err(PlatformError::in_leg(i)(failure));
            }
        }
        world.linearize(&steps, &coefficients, self.time)?;
        for (leg, sphere) in legs.iter().zip(spheres.iter()) {
            if let Some(answer) = leg.answer() {
                world.add_leg(&steps, &coefficients, sphere, &answer);
            }
        }
        let psi = world.solve(self.time)?;
        let weight = coefficients.weights().inertia;
        for (body, psi) in bodies.iter_mut().zip(&psi) {
            body.acceleration += psi * weight;
            body.algorithmic += psi * weight;
        }
        let base = world.hub().base.map(|i| (&bodies[i], &psi[i]));
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
