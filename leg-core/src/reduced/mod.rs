//! The leg with few coordinates: crank, universal joint, and a leaf whose curvature is a sum of fields.
//!
//! The leaf neither stretches nor shears nor bends about its normal (its stiffness there is thousands of
//! times that about its width); it bends and twists by `shape::FIELDS` fields, exactly in its geometry,
//! and has its whole inertia. [`sweep`] says where it is and how it moves, [`forces`] has its equations
//! of motion. One constraint remains: the tip is where the end effector has it.
//!
//! What this leaves out of the leaf as a chain of beam elements: stretching (5e-6 of its length at rest)
//! and shear, bending about the normal, and what six fields of bending and three of torsion cannot
//! follow: vibrations above the third bending mode.

mod factors;
pub mod forces;
pub mod shape;
pub mod sweep;
mod turn;

use super::LegError;
use super::config::{Leaf, Motor, MotorMode};
use super::spatial::{
    CarriedMoment, SectionShape, SpatialChannel, SpatialLeg, SpatialLegConfig, SpatialState,
    UniversalJoint,
};
use super::spatial_parts::frame_with;
use factors::Factors;
use forces::{Balance, Command, Motion, Square};
use multibody::element::inertia::Weights;
use multibody::group::{Group, Se3};
use multibody::model::{LastTorque, LineLaw, MotorLaw, STOP_MEMORY, Stops, StripLaw};
use multibody::results;
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use serde::{Deserialize, Serialize};
use shape::{BENDING, FIELDS, FieldRow, POINTS, Shape, fields};
use sweep::{
    COORDINATES, CRANK, Columns, Coordinates, FIELD, FIRST, Frame, Jacobians, Posture, SECOND,
};

/// What the stops of tendon unit and motor remember.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StopMemories {
    /// Of the tendon unit.
    pub tendon: [f64; STOP_MEMORY],
    /// Of the motor.
    pub motor: [f64; STOP_MEMORY],
}

/// Places along the leaf where its curvature is looked at for the largest.
const LOOKED_AT: usize = 25;
/// Newton iterations of the equilibrium.
const MOST_ITERATIONS: usize = 30;
/// Correction at which the equilibrium is found [rad]: what is left is the square of it, and rounding.
const CONVERGED: f64 = 1e-9;
/// A correction that will not converge any more [rad].
const LOST: f64 = 1e3;
/// Stiffness of a spring that holds the tip in Newton's system of the equilibrium [N/m].
const TIP_SPRING: f64 = 1e4;
/// Sag of a leaf over its length times its curvature.
const SAG: f64 = 0.125;
/// The leaf must be this many times stiffer about its normal than about its width.
const LEAST_STIFFER: f64 = 100.0;

/// The leg with few coordinates.
#[derive(Debug, Clone)]
pub struct ReducedLeg {
    config: Box<SpatialLegConfig>,
    frame: Frame,
    shape: Box<Shape>,
    /// Values of the fields where curvature is looked at.
    looked_at: Box<[FieldRow; LOOKED_AT]>,
    /// Mass per length [kg/m].
    mass_per_length: f64,
    /// Rotary inertia per length about tangent, normal and width [kg·m].
    rotary: Vector3<f64>,
    /// K of the fields [N·m³].
    stiffness: SMatrix<f64, FIELDS, FIELDS>,
    /// EA [N].
    stretching: f64,
    /// β of proportional damping [s].
    damping: f64,
    strip: Option<StripLaw>,
    gravity: Vector3<f64>,
    /// Crank and rotor about the motor's axis [kg·m²].
    crank_inertia: f64,
    crank_mass: f64,
    tendon: Option<LineLaw>,
    rest_length: Option<f64>,
    tendon_stops: Option<Stops>,
    motor: MotorLaw,
    /// Stiffness and damping of a motor that holds.
    hold: Option<[f64; 2]>,
    motor_stops: Option<Stops>,
}

/// A leg in equilibrium.
#[derive(Debug, Clone)]
pub struct Resting {
    /// The leg.
    pub leg: ReducedLeg,
    /// Where it is.
    pub place: Coordinates,
    /// Force of the joint on its tip [N].
    pub lambda: Vector3<f64>,
    /// Torque that holds the crank [N·m].
    pub holding_torque: f64,
}

/// Newton's system of a leg, solved for the residual and for the three directions of the tip.
#[derive(Debug, Clone)]
pub struct Solved {
    /// −S⁻¹ r.
    pub free: Coordinates,
    /// S⁻¹ Gᵀ.
    pub by_force: SMatrix<f64, COORDINATES, 3>,
    /// G.
    pub tip_by: Columns,
    /// (G S⁻¹ Gᵀ)⁻¹.
    pub stiffness: Matrix3<f64>,
    factors: Factors,
}

/// Refuses what reduced legs were not tried with, naming the key.
pub fn check(config: &SpatialLegConfig) -> Result<(), LegError> {
    let refuse = |key: &'static str, value: String, reason: &'static str| {
        Err(LegError::NotReduced { key, value, reason })
    };
    let leaf = &config.leaf;
    if let SectionShape::Rod { radius_m } = config.section {
        let reason = "the reduced leaf bends about its width only, a rod about every axis";
        return refuse(SectionShape::RADIUS.key, radius_m.to_string(), reason);
    }
    let ratio = (leaf.width_m / leaf.thickness_m).powi(2);
    if ratio < LEAST_STIFFER {
        let reason =
            "the reduced leaf bends about its width only: it must be ten times wider than thick";
        return refuse(Leaf::width_m.key, leaf.width_m.to_string(), reason);
    }
    if leaf.curvature_per_m != 0.0 {
        let reason = "leaves that are curved when unstressed were not tried";
        return refuse(
            Leaf::curvature_per_m.key,
            leaf.curvature_per_m.to_string(),
            reason,
        );
    }
    if config.universal.carried_moment == CarriedMoment::Upright {
        let reason = "a joint that does work was not tried";
        return refuse(
            UniversalJoint::carried_moment.key,
            "upright".to_owned(),
            reason,
        );
    }
    let damping = [
        (Leaf::rayleigh_mass_per_s.key, leaf.rayleigh_mass_per_s),
        (
            Leaf::modal_damping_ratios.key,
            leaf.modal_damping_ratios.iter().sum(),
        ),
    ];
    for (key, value) in damping {
        if value != 0.0 {
            let reason = "its leaf is damped in proportion to its stiffness only";
            return refuse(key, value.to_string(), reason);
        }
    }
    if config.motor.mode == MotorMode::Angle {
        let reason = "cranks that are led were not tried";
        return refuse(Motor::mode.key, "angle".to_owned(), reason);
    }
    Ok(())
}

impl ReducedLeg {
    /// The leg that `full` is a finer model of, in the same equilibrium: crank and tip where `state` has
    /// them. If the leaf's own thrust decided the tendon's rest length, it does so again.
    pub fn at_rest(
        full: &SpatialLeg,
        state: &SpatialState,
        q1: f64,
        rest_length: Option<f64>,
    ) -> Result<Resting, LegError> {
        let config = &full.config;
        check(config)?;
        let mut leg = Self::of(full, rest_length)?;
        let tip = state.pose(full.node_b).translation();
        let mut place = leg.fitted(full, state, q1)?;
        let lambda = -full.tip_force(state);
        let (mut found, mut torque) = leg.settle(&mut place, &tip, lambda)?;
        if let (Some(rest), None) = (rest_length, config.tendon.rest_length_m) {
            // Thrust of this leaf in place of that of the full one.
            let arm = leg.frame.crank(q1).column(0) * leg.frame.crank_length;
            let e = (tip - leg.frame.origin - arm).normalize();
            let missing = e.dot(&(found - lambda));
            let rest = rest + missing / config.tendon.stiffness_n_per_m;
            leg.rest_length = Some(rest);
            leg.tendon = Some(config.tendon.law(rest));
            found -= e * missing;
            torque += missing * Vector3::from(leg.frame.axes.column(2)).cross(&arm).dot(&e);
        }
        Ok(Resting {
            leg,
            place,
            lambda: found,
            holding_torque: torque,
        })
    }

    fn of(full: &SpatialLeg, rest_length: Option<f64>) -> Result<Self, LegError> {
        let config = &full.config;
        let leaf = &config.leaf;
        let axes = config.base.axes()?;
        let first = Vector3::from(config.universal.first_axis).normalize();
        let second = Vector3::from(config.universal.second_axis).normalize();
        let section = config.section()?;
        let shape = Box::new(Shape::new(leaf.length_m));
        let (bending, twisting) = (section.stiffness[(5, 5)], section.stiffness[(3, 3)]);
        let mut stiffness = SMatrix::zeros();
        for g in 0..POINTS {
            let value = &shape.value[g];
            for a in 0..FIELDS {
                for b in 0..FIELDS {
                    let both = if a < BENDING && b < BENDING {
                        bending
                    } else if a >= BENDING && b >= BENDING {
                        twisting
                    } else {
                        continue;
                    };
                    stiffness[(a, b)] += both * shape.weight[g] * value[a] * value[b];
                }
            }
        }
        let inertia = &section.rotary_inertia;
        let length = config.crank.length_m;
        let torque = full.model.input(SpatialChannel::CrankTorque as usize);
        let torque = torque.ok_or_else(|| multibody::Error::BadReference {
            owner: "leg".to_owned(),
            problem: "it has no channel of the crank's torque",
        })?;
        let motor = config.motor.law(torque, None);
        let rotor = motor.rotor.map_or(0.0, |rotor| {
            rotor.inertia * rotor.gear_ratio * rotor.gear_ratio
        });
        let tendon = rest_length.filter(|_| config.tendon.present);
        Ok(Self {
            frame: Frame {
                origin: config.base.motor_position_m.into(),
                axes,
                crank_length: length,
                on_crank: config.universal.carried_by == super::spatial::Carrier::Crank,
                first: frame_with(first, Vector3::x()),
                second: second_frame(second),
            },
            looked_at: Box::new(core::array::from_fn(|i| {
                fields(-1.0 + 2.0 * i as f64 / (LOOKED_AT - 1) as f64)
            })),
            shape,
            mass_per_length: section.mass_per_length,
            rotary: Vector3::new(inertia[(3, 3)], inertia[(4, 4)], inertia[(5, 5)]),
            stiffness,
            stretching: section.stiffness[(0, 0)],
            damping: leaf.rayleigh_stiffness_s,
            strip: leaf.strip(),
            gravity: config.gravity_m_s2.into(),
            crank_inertia: config.crank.mass_kg * length * length / 3.0 + rotor,
            crank_mass: config.crank.mass_kg,
            tendon: tendon.map(|rest| config.tendon.law(rest)),
            rest_length: tendon,
            tendon_stops: if tendon.is_some() {
                config
                    .stroke_middle()
                    .ok()
                    .and_then(|middle| config.tendon.stops(middle))
            } else {
                None
            },
            hold: (config.motor.mode == MotorMode::Hold).then_some([
                config.motor.hold_stiffness_nm_per_rad,
                config.motor.hold_damping_nm_s_per_rad,
            ]),
            motor,
            motor_stops: config.motor.stops(config.motor_middle()),
            config: config.clone(),
        })
    }

    /// Its configuration.
    pub fn config(&self) -> &SpatialLegConfig {
        &self.config
    }

    /// Its joints.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Its fields.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Rest length of the tendon [m].
    pub fn rest_length(&self) -> Option<f64> {
        self.rest_length
    }

    /// Stops of the tendon unit, and of the motor.
    pub fn stops(&self) -> [Option<&Stops>; 2] {
        let motor = self.motor_stops.as_ref().filter(|_| !self.crank_is_led());
        [self.tendon_stops.as_ref(), motor]
    }

    /// True if the crank does not move by forces.
    pub fn crank_is_led(&self) -> bool {
        self.config.motor.mode == MotorMode::Locked
    }

    /// Coordinates near `state`: angles as they are, fields fitted to the elements' curvatures.
    fn fitted(
        &self,
        full: &SpatialLeg,
        state: &SpatialState,
        q1: f64,
    ) -> Result<Coordinates, LegError> {
        let elements = self.config.solver.elements;
        let mut normal = SMatrix::<f64, FIELDS, FIELDS>::identity() * 1e-9;
        let mut right = FieldRow::zeros();
        for element in 0..elements {
            let section = results::section(&full.model, state, full.leaf, element)?;
            for eta in [-0.6, 0.6] {
                let s = (element as f64 + 0.5 + 0.5 * eta) / elements as f64;
                let value = fields(2.0 * s - 1.0);
                for (component, from, to) in [(5, 0, BENDING), (3, BENDING, FIELDS)] {
                    let strain = section.strain[component] + eta * section.strain_slope[component];
                    for a in from..to {
                        right[a] += value[a] * strain;
                        for b in from..to {
                            normal[(a, b)] += value[a] * value[b];
                        }
                    }
                }
            }
        }
        let singular = || multibody::Error::BadReference {
            owner: "leaf".to_owned(),
            problem: "its curvature cannot be fitted",
        };
        let fitted = normal.cholesky().ok_or_else(singular)?.solve(&right);
        let angles = full.universal_angles(state).angle;
        let mut out = Coordinates::zeros();
        out[CRANK] = q1;
        (out[FIRST], out[SECOND]) = (angles[0], angles[1]);
        out.fixed_rows_mut::<FIELDS>(FIELD).copy_from(&fitted);
        Ok(out)
    }

    /// Newton's iteration to the equilibrium with crank and tip held: the joint's force on the tip [N] and
    /// the torque that holds the crank [N·m].
    fn settle(
        &self,
        place: &mut Coordinates,
        tip: &Vector3<f64>,
        mut lambda: Vector3<f64>,
    ) -> Result<(Vector3<f64>, f64), LegError> {
        let weights = Weights {
            stiffness: 1.0,
            damping: 0.0,
            inertia: 0.0,
        };
        let memory = StopMemories::default();
        for _ in 0..MOST_ITERATIONS {
            let motion = Motion::at_rest(*place);
            let Some(posture) = self.frame.posture(&self.shape, place) else {
                break;
            };
            let jacobians = self.frame.jacobians(&self.shape, &posture);
            let wanted = Some((&weights, &jacobians));
            let mut balance = self.standing(&motion, &posture, &lambda, &memory, wanted);
            let gap = tip - posture.tip;
            balance.hold_tip(&jacobians.tip, &gap, TIP_SPRING);
            let Some(solved) = self.solve(&balance, &jacobians.tip, true) else {
                break;
            };
            let change = solved.stiffness * (gap - jacobians.tip * solved.free);
            let correction = solved.free + solved.by_force * change;
            *place += correction;
            lambda += change;
            let size = self.size(&correction);
            if size <= CONVERGED {
                let Some(posture) = self.frame.posture(&self.shape, place) else {
                    break;
                };
                let motion = Motion::at_rest(*place);
                let balance = self.standing(&motion, &posture, &lambda, &memory, None);
                return Ok((lambda, balance.residual[CRANK] + balance.motor.torque));
            }
            if size.is_nan() || size >= LOST {
                break;
            }
        }
        Err(LegError::Kernel(multibody::Error::BadReference {
            owner: "reduced leg".to_owned(),
            problem: "no equilibrium was found near that of the full leg",
        }))
    }

    /// The balance at rest, nothing asked of the motor.
    fn standing(
        &self,
        motion: &Motion,
        posture: &Posture,
        lambda: &Vector3<f64>,
        memory: &StopMemories,
        tangent: Option<(&Weights, &Jacobians)>,
    ) -> Balance {
        let zero = Coordinates::zeros();
        let movement = self.frame.movement(&self.shape, posture, &zero, &zero);
        let command = Command {
            torque: 0.0,
            target: [motion.place[CRANK], 0.0],
            last: LastTorque {
                torque: 0.0,
                elapsed: f64::INFINITY,
            },
        };
        let all = (motion, posture, &movement);
        self.balance(all, lambda, &command, memory, tangent)
    }

    /// Solves Newton's system for the residual and the directions of the tip, the crank held or not. None
    /// if it is singular.
    pub fn solve(&self, balance: &Balance, tip_by: &Columns, held: bool) -> Option<Solved> {
        let mut tangent = balance.tangent?;
        if held {
            hold_crank(&mut tangent);
        }
        let factors = Factors::new(&tangent)?;
        let mut by_force = SMatrix::<f64, COORDINATES, 3>::zeros();
        for c in 0..3 {
            let mut column: Coordinates = tip_by.row(c).transpose();
            if held {
                column[CRANK] = 0.0;
            }
            factors.solve(&mut column);
            by_force.set_column(c, &column);
        }
        let mut out = Solved {
            free: Coordinates::zeros(),
            by_force,
            tip_by: *tip_by,
            stiffness: (tip_by * by_force).try_inverse()?,
            factors,
        };
        self.solve_again(&mut out, balance, held);
        Some(out)
    }

    /// The same for another residual, with the factors that are there.
    pub fn solve_again(&self, solved: &mut Solved, balance: &Balance, held: bool) {
        let mut right = -balance.residual;
        if held {
            right[CRANK] = 0.0;
        }
        solved.factors.solve(&mut right);
        solved.free = right;
    }

    /// Tension of the tendon at a length [m] and its rate [m/s] [N].
    pub fn tension(&self, length: f64, rate: f64) -> f64 {
        self.tendon
            .map_or(0.0, |tendon| tendon.respond(length, rate).tension)
    }

    /// Size of a correction: angles [rad], and how far the leaf's middle moves against its length when it is
    /// bent by so much more.
    pub fn size(&self, correction: &Coordinates) -> f64 {
        let angles = correction.fixed_rows::<FIELD>(0).amax();
        let fields = correction.fixed_rows::<FIELDS>(FIELD).amax();
        angles.max(SAG * self.config.leaf.length_m * fields)
    }

    /// Largest curvature about the width and the largest twist [1/m], with the place of the first [m].
    fn largest_curvatures(&self, place: &Coordinates) -> (f64, f64, f64) {
        let (mut bend, mut twist, mut at) = (0.0_f64, 0.0_f64, 0);
        for (i, value) in self.looked_at.iter().enumerate() {
            let (mut own, mut own_twist) = (0.0, 0.0);
            for k in 0..BENDING {
                own += value[k] * place[FIELD + k];
            }
            for k in BENDING..FIELDS {
                own_twist += value[k] * place[FIELD + k];
            }
            if own.abs() > bend {
                (bend, at) = (own.abs(), i);
            }
            twist = twist.max(own_twist.abs());
        }
        let length = self.config.leaf.length_m;
        (bend, twist, length * at as f64 / (LOOKED_AT - 1) as f64)
    }

    /// Largest strains of the leaf under the force λ on its tip and the pull of its tendon.
    pub fn leaf_strain(&self, place: &Coordinates, thrust: f64) -> LeafStrain {
        let (bend, _, _) = self.largest_curvatures(place);
        let axial = thrust.abs() / self.stretching;
        LeafStrain {
            axial,
            surface: axial + 0.5 * self.config.leaf.thickness_m * bend,
        }
    }

    /// Largest stress of the leaf: bending (at the edges of a strip) with thrust and the shear of torsion.
    pub fn leaf_stress(&self, place: &Coordinates, thrust: f64) -> Stress {
        let (bend, twist, at) = self.largest_curvatures(place);
        let leaf = &self.config.leaf;
        let bent = match &self.strip {
            Some(strip) => strip.edge_stress(bend),
            None => 0.5 * leaf.youngs_modulus_pa * leaf.thickness_m * bend,
        };
        let normal = bent + leaf.youngs_modulus_pa * thrust.abs() / self.stretching;
        let shear = leaf.shear_modulus_pa * leaf.thickness_m * twist;
        Stress {
            von_mises: (normal * normal + 3.0 * shear * shear).sqrt(),
            normal,
            place: at,
        }
    }

    /// Poses of `count` + 1 sections from A to B.
    pub fn centre_line(&self, place: &Coordinates, posture: &Posture, count: usize) -> Vec<Se3> {
        let p: FieldRow = place.fixed_rows::<FIELDS>(FIELD).into();
        let mut pose = Se3::from_parts(posture.a, posture.root);
        let mut out = vec![pose];
        // Two helices for each part: the pictures' own accuracy.
        let cells = 2 * count;
        let length = self.config.leaf.length_m / cells as f64;
        for cell in 0..cells {
            let value = fields((2 * cell + 1) as f64 / cells as f64 - 1.0);
            let curvature =
                |from: usize, to: usize| -> f64 { (from..to).map(|i| value[i] * p[i]).sum() };
            let (bend, twist) = (curvature(0, BENDING), curvature(BENDING, FIELDS));
            let way = SVector::from([length, 0.0, 0.0, length * twist, 0.0, length * bend]);
            pose = pose.compose(&Se3::exp(&way));
            if cell % 2 == 1 {
                out.push(pose);
            }
        }
        out
    }
}

/// Makes the row and the column of the crank those of something that does not move.
fn hold_crank(tangent: &mut Square) {
    tangent[CRANK] = [0.0; COORDINATES];
    for row in tangent.iter_mut() {
        row[CRANK] = 0.0;
    }
    tangent[CRANK][CRANK] = 1.0;
}

/// F_R: the second axis is its second column, the leaf's tangent made normal to it the first.
fn second_frame(second: Vector3<f64>) -> Matrix3<f64> {
    let turned = frame_with(second, Vector3::x());
    let (tangent, across, second) = (turned.column(0), turned.column(1), turned.column(2));
    Matrix3::from_columns(&[tangent.into(), second.into(), -across])
}

#[cfg(test)]
mod tests;
