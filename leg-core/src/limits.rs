//! Limits and strength of a leg as laws of the kernel: end stops of motor and tendon unit, what the
//! motor can deliver, the leaf's section as a strip, its stress.

use super::LegError;
use super::config::{EndStops, Leaf, LeafSection, Motor, Tendon};
use super::planar::PlanarLeg;
use super::pretension::PlanarState;
use super::spatial::{Carrier, SectionShape, SpatialLeg, SpatialLegConfig, SpatialState};
use multibody::group::Group;
use multibody::math;
use multibody::model::{
    AxisFriction, FrictionCurve, Hold, InputId, MotorLaw, Rotor, SpeedLine, StopLaw, Stops,
    StripLaw,
};
use multibody::results::stress::{self, Outline, Stress};
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// A limit of this much and more is none.
pub const NO_LIMIT: f64 = 1e9;

/// Slowest impacts that have the restitution asked for: on the crank [rad/s], on the tendon unit
/// [m/s].
const FLOOR_SPEEDS: [f64; 2] = [1e-2, 1e-3];

impl Motor {
    /// Its law: the torque of an input, a hold, all limits.
    pub fn law(&self, torque: InputId, hold: Option<Hold>) -> MotorLaw {
        let (sliding, breakaway) = (self.friction_nm, self.breakaway_friction_nm);
        let transition_speed = self.friction_speed_rad_per_s;
        let curve = if breakaway > sliding {
            FrictionCurve::BrownMcphee {
                sliding,
                breakaway,
                transition_speed,
            }
        } else if sliding > 0.0 {
            FrictionCurve::Coulomb {
                sliding,
                transition_speed,
            }
        } else {
            FrictionCurve::None
        };
        MotorLaw {
            torque: Some(torque),
            hold,
            friction: AxisFriction {
                curve,
                viscous: self.viscous_friction_nm_s_per_rad,
            },
            rotor: (self.rotor_inertia_kg_m2 > 0.0).then_some(Rotor {
                inertia: self.rotor_inertia_kg_m2,
                gear_ratio: self.gear_ratio,
            }),
            ..self.limits()
        }
    }

    /// What it can deliver, whatever asks for it: its law without anything else.
    pub fn limits(&self) -> MotorLaw {
        let rate = self.torque_rate_limit_nm_per_s;
        MotorLaw {
            torque_limit: self.torque_limit_nm,
            torque_rate_limit: if rate < NO_LIMIT { rate } else { f64::INFINITY },
            speed_line: (self.stall_torque_nm < NO_LIMIT).then_some(SpeedLine {
                stall_torque: self.stall_torque_nm,
                no_load_speed: self.no_load_speed_rad_per_s,
            }),
            ..MotorLaw::default()
        }
    }

    /// Stops at both ends of its range about the angle `zero` [rad]; none if they are left out.
    pub fn stops(&self, zero: f64) -> Option<Stops> {
        (self.end_stops != EndStops::Off).then(|| {
            let law = StopLaw {
                stiffness: self.stop_stiffness_nm_per_rad,
                exponent: 1.0,
                restitution: self.stop_restitution,
                floor_speed: FLOOR_SPEEDS[0],
            };
            Stops::new(zero - self.range_rad, zero + self.range_rad, law)
        })
    }
}

impl Tendon {
    /// Stops at both ends of its stroke about the length `middle` [m]; none if they are left out.
    pub fn stops(&self, middle: f64) -> Option<Stops> {
        (self.end_stops != EndStops::Off).then(|| {
            let law = StopLaw {
                stiffness: self.stop_stiffness_n_per_m,
                exponent: 1.0,
                restitution: self.stop_restitution,
                floor_speed: FLOOR_SPEEDS[1],
            };
            Stops::new(middle - self.stroke_m, middle + self.stroke_m, law)
        })
    }
}

impl Leaf {
    /// Bending law of the leaf as a strip, if it is one. Poisson's ratio is that of both moduli.
    pub fn strip(&self) -> Option<StripLaw> {
        (self.section == LeafSection::Strip).then_some(StripLaw {
            width: self.width_m,
            thickness: self.thickness_m,
            youngs_modulus: self.youngs_modulus_pa,
            poisson_ratio: self.poisson_ratio(),
        })
    }

    /// Poisson's ratio [-] of the two moduli, `E/2G − 1`.
    pub fn poisson_ratio(&self) -> f64 {
        0.5 * self.youngs_modulus_pa / self.shear_modulus_pa - 1.0
    }

    /// Largest stress of bending as a leaf by the moment M [Pa]: 6 |M|/(w t²), or that at the edge of a
    /// strip.
    pub fn bending_stress(&self, moment: f64) -> f64 {
        let beam = 6.0 * moment.abs() / (self.width_m * self.thickness_m * self.thickness_m);
        self.strip()
            .map_or(beam, |law| law.edge_stress(law.curvature(moment)))
    }

    /// Elastic curvature of bending as a leaf by the moment M [1/m].
    pub fn elastic_curvature(&self, moment: f64) -> f64 {
        let beam = moment / self.bending_stiffness();
        self.strip().map_or(beam, |law| law.curvature(moment))
    }

    fn outline(&self) -> Outline {
        Outline::rectangle(self.thickness_m, self.width_m)
    }
}

impl SpatialLegConfig {
    /// Crank angle in the middle of the motor's range [rad].
    pub fn motor_middle(&self) -> f64 {
        self.motor_middle_rad.unwrap_or(self.q1_rad)
    }

    /// Distance A to B in the middle of the tendon unit's stroke [m].
    pub fn stroke_middle(&self) -> Result<f64, super::config::ConfigError> {
        if let Some(middle) = self.stroke_middle_m {
            return Ok(middle);
        }
        let crank = self.crank_pose(self.q1_rad)?;
        let along = Vector3::new(self.crank.length_m, 0.0, 0.0);
        let a = crank.translation() + crank.rotation() * along;
        Ok((Vector3::from(self.tip_position_m) - a).norm())
    }
}

/// How the members of a leg stand in its joints: what the angles of the joints are measured from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointAttitudes {
    /// Rotation of the leaf's root against what carries the universal joint.
    pub universal: Matrix3<f64>,
    /// Direction of the leaf at its tip, the stud of the spherical joint: in the world, or in the axes
    /// of [`Self::seen_from`].
    pub stud: Vector3<f64>,
}

impl JointAttitudes {
    /// The same with the stud in the axes of the body that the spherical joint holds, which has this
    /// attitude.
    pub fn seen_from(&self, body: &Matrix3<f64>) -> Self {
        Self {
            stud: body.tr_mul(&self.stud),
            ..*self
        }
    }

    /// Angles from `self` to `now` [rad]: of the universal joint, about both axes together, and of the
    /// spherical joint's stud; both in the axes of the same body. Turning about the stud is no limit of
    /// a spherical joint.
    pub fn angles_to(&self, now: &Self) -> [f64; 2] {
        let between = self.universal.tr_mul(&now.universal);
        // Of a rotation by θ: twice the sine along its axis in the odd part, 1 + 2 cos θ in the trace.
        let odd = Vector3::new(
            between.m32 - between.m23,
            between.m13 - between.m31,
            between.m21 - between.m12,
        );
        let universal = math::atan2(odd.norm(), between.trace() - 1.0);
        let (before, stud) = (&self.stud, &now.stud);
        let spherical = math::atan2(before.cross(stud).norm(), before.dot(stud));
        [universal, spherical]
    }
}

impl SpatialLeg {
    /// How its members stand in its joints.
    pub fn joint_attitudes(&self, state: &SpatialState) -> JointAttitudes {
        let crank = state.pose(self.crank).rotation();
        let carrier = match self.config.universal.carried_by {
            Carrier::Crank => crank,
            // A parallelogram turns it back by the angle of the crank, about whose e3 that turns.
            Carrier::Base => {
                let (sin, cos) = math::sin_cos(state.angle(self.motor_joint));
                crank * Matrix3::new(cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0)
            }
        };
        let tip = state.pose(self.node_b).rotation();
        JointAttitudes {
            universal: carrier.tr_mul(&state.pose(self.node_a).rotation()),
            stud: tip.column(0).into(),
        }
    }

    /// Largest stress of the leaf in `state`.
    pub fn leaf_stress(&self, state: &SpatialState) -> Result<Stress, LegError> {
        let outline = match self.config.section {
            SectionShape::Leaf => self.config.leaf.outline(),
            SectionShape::Rod { radius_m } => Outline::Circle { radius: radius_m },
        };
        Ok(stress::largest(&self.model, state, self.leaf, &outline)?)
    }
}

impl PlanarLeg {
    /// Largest stress of the leaf in `state`.
    pub fn leaf_stress(&self, state: &PlanarState) -> Result<Stress, LegError> {
        let outline = self.config.leaf.outline();
        Ok(stress::largest(&self.model, state, self.leaf, &outline)?)
    }
}
