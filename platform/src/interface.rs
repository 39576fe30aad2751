//! Loads at the mating plane of the end effector.
//!
//! The mating frame stands on the end effector, its z axis along the docking axis toward the target. Of what
//! acts there from outside, with the wrench (f₀, m₀) about the end effector's origin and the frame (R, c)
//! in its axes:
//!
//! ```text
//! F = Rᵀ f₀,     M = Rᵀ (m₀ − c × f₀)                                           (1)
//! axial = F_z (tension > 0, compression < 0),   shear = √(F_x² + F_y²)          (2)
//! bending = √(M_x² + M_y²),                     torsion = M_z                   (3)
//! ```
//!
//! By the balance of the end effector, (f₀, m₀) is its inertia minus legs and weight.
//!
//! With a target that is what contact and latch do, about the centre of the contact points; without one it is
//! the wrench from outside as the steps feel it, at `end_effector.mating_height_m`.

use crate::bodies::EFFECTOR;
use crate::encounter::Encounter;
use crate::scheme::Scheme;
use multibody::group::{Group, Se3};
use multibody::math;
use nalgebra::{Vector3, Vector6};

/// Force and moment on the end effector at the mating plane, in the axes of its port.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct InterfaceLoad {
    /// Force [N].
    pub force: Vector3<f64>,
    /// Moment about the centre of the mating plane [N·m].
    pub moment: Vector3<f64>,
}

impl InterfaceLoad {
    /// From a wrench on the end effector about its origin, in its axes; eq. (1).
    pub fn from_wrench(wrench: &Vector6<f64>, frame: &Se3) -> Self {
        let force: Vector3<f64> = wrench.fixed_rows::<3>(0).into();
        let moment: Vector3<f64> = wrench.fixed_rows::<3>(3).into();
        let rotation = frame.rotation();
        Self {
            force: rotation.tr_mul(&force),
            moment: rotation.tr_mul(&(moment - frame.translation().cross(&force))),
        }
    }

    /// Of the wrench from outside at the last accepted state of a platform without a target.
    pub fn of_wrench(platform: &dyn Scheme) -> Self {
        let pose = &platform.bodies()[EFFECTOR].pose;
        let world = platform.world().felt_wrench();
        let (force, moment) = crate::wrench::split(world);
        let rotation = pose.rotation();
        let mut own = Vector6::zeros();
        own.fixed_rows_mut::<3>(0)
            .copy_from(&rotation.tr_mul(&force));
        own.fixed_rows_mut::<3>(3)
            .copy_from(&rotation.tr_mul(&moment));
        let height = platform.config().end_effector.mating_height_m;
        Self::from_wrench(&own, &Se3::from_translation(Vector3::new(0.0, 0.0, height)))
    }

    /// Of contact and latch at the last accepted state.
    pub fn of(encounter: &Encounter) -> Self {
        Self::from_wrench(
            &encounter.output().wrench_a,
            &encounter.pair().mating_frame(),
        )
    }

    /// Axial force, positive when it pulls target and end effector apart [N].
    pub fn axial(&self) -> f64 {
        self.force.z
    }

    /// Pull along the docking axis, zero under compression [N].
    pub fn tension(&self) -> f64 {
        self.axial().max(0.0)
    }

    /// Push along the docking axis, zero under tension [N].
    pub fn compression(&self) -> f64 {
        (-self.axial()).max(0.0)
    }

    /// Force across the docking axis [N].
    pub fn shear(&self) -> f64 {
        math::hypot(self.force.x, self.force.y)
    }

    /// Moment across the docking axis [N·m].
    pub fn bending(&self) -> f64 {
        math::hypot(self.moment.x, self.moment.y)
    }

    /// Moment about the docking axis [N·m].
    pub fn torsion(&self) -> f64 {
        self.moment.z
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::body::point_map;
    use crate::config::PlatformConfig;
    use crate::scheme;
    use crate::statics::StaticPlatform;
    use crate::wrench::WrenchHistory;
    use multibody::model::Signal;

    /// A platform that is pushed, turned and held against gravity: the load at the mating plane is what
    /// inertia, legs and weight leave over, on a fixed and on a floating base.
    #[test]
    fn the_load_without_a_target_is_what_inertia_legs_and_weight_leave_over() {
        for free_floating in [false, true] {
            let mut config = PlatformConfig::default();
            config.legs.elements = 3;
            config.base.free_floating = free_floating;
            config.solver.newton_tolerance = 1e-12;
            config.gravity_m_s2 = [0.3, 0.0, -2.0];
            config.end_effector.mating_height_m = 0.03;
            let sine = |amplitude: f64, frequency: f64| Signal::Sine {
                offset: 0.5 * amplitude,
                amplitude,
                frequency,
                phase: 0.3,
            };
            let wrench = [
                sine(3.0, 4.0),
                sine(-2.0, 7.0),
                sine(-20.0, 3.0),
                sine(0.5, 5.0),
                Signal::Constant(0.2),
                sine(-0.3, 9.0),
            ];
            let platform = StaticPlatform::nominal(&config).unwrap();
            let mut platform = scheme::start(&platform, WrenchHistory(wrench)).unwrap();
            let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
            for step in 1..=150 {
                platform.advance_to(1e-3 * f64::from(step)).unwrap();
                let body = &platform.world().bodies().all[EFFECTOR];
                let state = &platform.bodies()[EFFECTOR];
                let rotation = state.pose.rotation();
                let v = &state.velocity;
                let inertia =
                    body.inertia * state.acceleration - Se3::ad(v).tr_mul(&(body.inertia * v));
                let mut legs = Vector6::zeros();
                let mut carried = 0.0;
                for (i, sphere) in config.sphere_positions().iter().enumerate() {
                    let force = platform.leg(i).tip_force;
                    carried += force.norm();
                    legs += point_map(sphere).tr_mul(&rotation.tr_mul(&force));
                }
                let mut weight = Vector6::zeros();
                let pull = rotation.tr_mul(&body.gravity) * body.inertia[(0, 0)];
                weight.fixed_rows_mut::<3>(0).copy_from(&pull);
                let expected = inertia - legs - weight;
                let load = InterfaceLoad::of_wrench(platform.as_ref());
                let arm = Vector3::new(0.0, 0.0, 0.03);
                let moment = load.moment + arm.cross(&load.force);
                let off = (load.force - expected.fixed_rows::<3>(0)).amax();
                let off = off.max((moment - expected.fixed_rows::<3>(3)).amax());
                worst = worst.max(off / carried);
                largest = largest.max(load.compression());
            }
            println!("floating {free_floating}: imbalance {worst:.1e}, compression {largest:.1} N");
            assert!(worst < 1e-9, "{worst}");
            assert!(largest > 20.0);
        }
    }
}
