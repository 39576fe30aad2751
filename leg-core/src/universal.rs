//! Angles of the spatial leg's universal joint.
//!
//! Seen from its carrier C (crank, or base by way of a parallelogram) the leaf's root R turns by
//! u1 about the first axis f and then by u2 about the second axis s, which stay at right angles:
//!
//! ```text
//! F_Cᵀ R_Cᵀ R_R F_R = R_3(u1) R_2(u2)                                          (1)
//! u̇1 = f · (ω_R − ω_C),   u̇2 = s · (ω_R − ω_C)                                 (2)
//! ```
//!
//! F_C has f as its third axis and the crank's direction (of q1 = 0 when the base carries the
//! joint), made normal to f, as its first; F_R has s as its second axis and the leaf's root
//! tangent, made normal to s, as its first. With the default axes u1 is therefore the angle of the
//! leaf's root against the crank in the leg's plane, and u2 is how far the root leans out of it.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | u1, u2 | angles about the first and the second axis | rad |
//! | f, s | the axes, in world axes | 1 |
//! | R_C, R_R | rotations of carrier and root to world axes | 1 |
//! | ω_C, ω_R | their angular velocities, in world axes | rad/s |

use super::spatial::{Carrier, SpatialLeg, SpatialState};
use super::spatial_parts::frame_with;
use multibody::group::Group;
use multibody::math;
use multibody::model::NodeId;
use multibody::results;
use nalgebra::{Matrix3, Rotation3, Vector3};

/// Angles of a universal joint and their rates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UniversalAngles {
    /// About the first and the second axis [rad].
    pub angle: [f64; 2],
    /// Their rates [rad/s].
    pub rate: [f64; 2],
}

impl SpatialLeg {
    /// Angles of the universal joint at A in `state`.
    pub fn universal_angles(&self, state: &SpatialState) -> UniversalAngles {
        let universal = &self.config.universal;
        let (mut carrier, mut carrier_spin) = turning(state, self.crank);
        if universal.carried_by == Carrier::Base {
            // The crank's frame is the base's turned by q1 about its third axis.
            let axis: Vector3<f64> = carrier.column(2).into();
            let back =
                Rotation3::from_axis_angle(&Vector3::z_axis(), -state.angle(self.motor_joint));
            carrier *= back.matrix();
            carrier_spin -= axis * results::angle_rate(&self.model, state, self.motor_joint);
        }
        let (root, root_spin) = turning(state, self.node_a);
        let from = carrier * frame_with(Vector3::from(universal.first_axis), Vector3::x());
        let turned = frame_with(Vector3::from(universal.second_axis), Vector3::x());
        let (tangent, across, second) = (turned.column(0), turned.column(1), turned.column(2));
        let to = root * Matrix3::from_columns(&[tangent.into(), second.into(), -across]);
        let relative = from.transpose() * to;
        let spin = root_spin - carrier_spin;
        UniversalAngles {
            angle: [
                math::atan2(-relative[(0, 1)], relative[(1, 1)]), // (1)
                math::atan2(-relative[(2, 0)], relative[(2, 2)]),
            ],
            rate: [from.column(2).dot(&spin), to.column(1).dot(&spin)], // (2)
        }
    }
}

/// Rotation of a node to world axes and its angular velocity there [rad/s].
fn turning(state: &SpatialState, node: NodeId) -> (Matrix3<f64>, Vector3<f64>) {
    let rotation = state.pose(node).rotation();
    let spin = state.velocities[node.index()]
        .fixed_rows::<3>(3)
        .into_owned();
    (rotation, rotation * spin)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::config::MotorMode;
    use crate::spatial::{SpatialChannel, TipDrive};
    use crate::{SpatialLegConfig, SpatialSimulation};
    use multibody::assembly::hinge::update_angles;
    use multibody::group::Se3;
    use multibody::model::Signal;

    /// A leg pushed out of its plane with a free crank.
    fn pushed(carried_by: Carrier) -> SpatialSimulation {
        let mut config = SpatialLegConfig::default();
        config.universal.carried_by = carried_by;
        config.motor.mode = MotorMode::Torque;
        config.solver.elements = 4;
        config.solver.step_s = 1e-4;
        let mut leg = SpatialSimulation::new(&config, TipDrive::Free).unwrap();
        leg.set_signal(SpatialChannel::TipForce, 1, Signal::Constant(3.0));
        leg.advance_to(0.05).unwrap();
        leg
    }

    /// The root leans from the plane as its tangent says, and in the plane the first angle adds to
    /// the crank's (or, carried by the base, stands alone).
    #[test]
    fn angles_place_the_root_tangent() {
        for carried_by in [Carrier::Crank, Carrier::Base] {
            let leg = pushed(carried_by);
            let found = leg.leg.universal_angles(&leg.state);
            let tangent = leg
                .state
                .pose(leg.leg.node_a)
                .rotation()
                .column(0)
                .into_owned();
            let q1 = match carried_by {
                Carrier::Crank => leg.state.angle(leg.leg.motor_joint),
                Carrier::Base => 0.0,
            };
            // Base axes of the default leg: e_c = x, e_u = z, e_m = −y.
            let (turn, lean) = (q1 + found.angle[0], found.angle[1]);
            let expected = Vector3::new(
                math::cos(lean) * math::cos(turn),
                math::sin(lean),
                math::cos(lean) * math::sin(turn),
            );
            assert!(lean.abs() > 1e-3, "{carried_by:?}: it must lean: {lean}");
            assert!((tangent - expected).norm() < 1e-9, "{tangent} {expected}");
        }
    }

    /// Rates are the slopes of the angles along the velocities.
    #[test]
    fn rates_are_slopes() {
        for carried_by in [Carrier::Crank, Carrier::Base] {
            let leg = pushed(carried_by);
            let h = 1e-6;
            let angles = |h: f64| {
                let mut moved = leg.state.clone();
                for (pose, velocity) in moved.poses.iter_mut().zip(&leg.state.velocities) {
                    *pose = pose.compose(&Se3::exp(&(velocity * h)));
                }
                update_angles(&leg.leg.model, &mut moved);
                leg.leg.universal_angles(&moved).angle
            };
            let (before, after) = (angles(-h), angles(h));
            let found = leg.leg.universal_angles(&leg.state).rate;
            for i in 0..2 {
                let slope = (after[i] - before[i]) / (2.0 * h);
                // Central differences lose a part in 1e-10 / h to rounding.
                let error = (slope - found[i]).abs();
                assert!(error < 1e-7 * (1.0 + slope.abs()), "{i}: {slope} {found:?}");
            }
        }
    }
}
