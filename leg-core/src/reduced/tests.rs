//! Reduced legs against differences, against the full leg and against independent values.

#![allow(clippy::unwrap_used)]

use super::forces::{Command, Motion};
use super::sweep::{COORDINATES, CRANK, Coordinates, FIELD};
use super::*;
use crate::config::LeafSection;
use crate::spatial::{Carrier, pretension_spatial};
use multibody::model::LastTorque;
use nalgebra::DMatrix;

fn config() -> SpatialLegConfig {
    let mut out = SpatialLegConfig {
        gravity_m_s2: [0.0; 3],
        // The chord of the platform's legs, the tip beside the crank's plane.
        tip_position_m: [0.19, 0.045, 0.40],
        ..SpatialLegConfig::default()
    };
    out.motor.mode = MotorMode::Locked;
    out
}

fn resting(config: &SpatialLegConfig) -> Resting {
    let bowed = pretension_spatial(config).unwrap();
    let rest = bowed.rest_length_m;
    ReducedLeg::at_rest(&bowed.leg, &bowed.state, config.q1_rad, rest).unwrap()
}

fn told(torque: f64) -> Command {
    Command {
        torque,
        target: [0.1, 0.0],
        last: LastTorque {
            torque: 0.0,
            elapsed: f64::INFINITY,
        },
    }
}

/// Coordinates off the equilibrium, bent and twisted.
fn disturbed(resting: &Resting) -> Coordinates {
    resting.place
        + Coordinates::from_fn(|i, _| {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            if i < FIELD {
                0.05 * sign
            } else {
                0.3 * sign / (1.0 + i as f64)
            }
        })
}

fn residual(leg: &ReducedLeg, motion: &Motion, lambda: &Vector3<f64>) -> Coordinates {
    let posture = leg.frame.posture(&leg.shape, &motion.place).unwrap();
    let movement = leg
        .frame
        .movement(&leg.shape, &posture, &motion.rate, &motion.acceleration);
    let memory = StopMemories::default();
    let found = leg.balance(
        (motion, &posture, &movement),
        lambda,
        &told(0.3),
        &memory,
        None,
    );
    found.residual
}

fn jacobians(leg: &ReducedLeg, posture: &Posture) -> Jacobians {
    leg.frame.jacobians(&leg.shape, posture)
}

/// A matrix from its lower triangle.
fn symmetric(lower: &Square) -> SMatrix<f64, COORDINATES, COORDINATES> {
    SMatrix::from_fn(|i, j| lower[i.max(j)][i.min(j)])
}

fn variants() -> Vec<SpatialLegConfig> {
    let mut out = vec![config()];
    for change in 0..3 {
        let mut other = config();
        other.gravity_m_s2 = [1.0, -2.0, -9.0];
        other.motor.mode = MotorMode::Hold;
        match change {
            0 => other.universal.carried_by = Carrier::Base,
            1 => other.leaf.section = LeafSection::Strip,
            _ => other.leaf.rayleigh_stiffness_s = 1e-3,
        }
        out.push(other);
    }
    out
}

/// Where the crank is, the tip and its derivative, the tangent of the equations at rest: central
/// differences, to the square of their step and rounding.
#[test]
fn tangents_equal_differences() {
    for config in variants() {
        let resting = resting(&config);
        let leg = &resting.leg;
        let place = disturbed(&resting);
        let lambda = resting.lambda + Vector3::new(2.0, -3.0, 5.0);
        let posture = leg.frame.posture(&leg.shape, &place).unwrap();
        let motion = Motion::at_rest(place);
        let zero = Coordinates::zeros();
        let movement = leg.frame.movement(&leg.shape, &posture, &zero, &zero);
        let weights = Weights {
            stiffness: 1.0,
            damping: 0.0,
            inertia: 0.0,
        };
        let memory = StopMemories::default();
        let all = (&motion, &posture, &movement);
        let by = jacobians(leg, &posture);
        let found = leg.balance(all, &lambda, &told(0.3), &memory, Some((&weights, &by)));
        let tangent = symmetric(&found.tangent.unwrap());
        let scale = tangent.amax();
        for i in 0..COORDINATES {
            let step = 1e-5;
            let moved = |by: f64| {
                let mut out = motion;
                out.place[i] += by;
                out
            };
            let tip = |by: f64| leg.frame.posture(&leg.shape, &moved(by).place).unwrap().tip;
            let slope = (tip(step) - tip(-step)) / (2.0 * step);
            assert!((slope - by.tip.column(i)).amax() < 1e-9, "tip, {i}");
            let force = |by: f64| residual(leg, &moved(by), &lambda);
            let slope = (force(step) - force(-step)) / (2.0 * step);
            let error = (slope - tangent.column(i)).amax();
            assert!(
                error < 1e-7 * scale,
                "{i}: {error:e} of {scale:e}\n{slope}\n{tangent}"
            );
        }
    }
}

/// With rates and accelerations the damping and inertia parts of the tangent are what the residual says,
/// and the equations' power is the rate of the kinetic energy: gyroscopic forces do no work.
#[test]
fn inertia_forces_have_the_power_of_the_kinetic_energy() {
    for mut config in variants() {
        config.tendon.present = false;
        config.gravity_m_s2 = [0.0; 3];
        config.motor.mode = MotorMode::Torque;
        let resting = resting(&config);
        let leg = &resting.leg;
        let place = disturbed(&resting);
        let rate = Coordinates::from_fn(|i, _| if i % 3 == 0 { 0.7 } else { -0.4 });
        let acceleration = Coordinates::from_fn(|i, _| if i % 2 == 0 { 3.0 } else { -5.0 });
        let at = |time: f64| Motion {
            place: place + rate * time + acceleration * (0.5 * time * time),
            rate: rate + acceleration * time,
            acceleration,
        };
        let kinetic = |time: f64| {
            let motion = at(time);
            let posture = leg.frame.posture(&leg.shape, &motion.place).unwrap();
            let movement =
                leg.frame
                    .movement(&leg.shape, &posture, &motion.rate, &motion.acceleration);
            leg.kinetic_energy(&posture, &movement, motion.rate[CRANK])
        };
        let step = 1e-4;
        let slope = (kinetic(step) - kinetic(-step)) / (2.0 * step);
        let moving = residual(leg, &at(0.0), &Vector3::zeros());
        let standing = residual(leg, &Motion::at_rest(place), &Vector3::zeros());
        let mut damping = Coordinates::zeros();
        let p: FieldRow = rate.fixed_rows::<FIELDS>(FIELD).into();
        damping
            .fixed_rows_mut::<FIELDS>(FIELD)
            .copy_from(&(leg.stiffness * p * leg.damping));
        let power = (moving - standing - damping).dot(&rate);
        assert!(
            (power - slope).abs() < 1e-5 * slope.abs().max(1.0),
            "{power} {slope}"
        );
        let posture = leg.frame.posture(&leg.shape, &place).unwrap();
        let mass = symmetric(&leg.mass(&posture, &jacobians(leg, &posture)));
        let energy = 0.5 * rate.dot(&(mass * rate));
        assert!((energy - kinetic(0.0)).abs() < 1e-12 * energy);
    }
}

/// Thrust at the platform's chord: 57.669 N as a beam, 63.709 N as a strip; the moment in the middle and
/// the equilibrium of the full leg.
#[test]
fn the_equilibrium_is_that_of_the_full_leg() {
    for (section, thrust) in [(LeafSection::Beam, 57.669), (LeafSection::Strip, 63.709)] {
        let mut config = config();
        config.solver.elements = 20;
        config.leaf.section = section;
        // A chord of 0.411875 m.
        let across: f64 = 0.411875_f64.powi(2) - 0.08_f64.powi(2) - 0.16;
        config.tip_position_m = [0.19, across.sqrt(), 0.40];
        config.tendon.present = false;
        let bowed = pretension_spatial(&config).unwrap();
        let found = ReducedLeg::at_rest(&bowed.leg, &bowed.state, 0.0, None).unwrap();
        let force = found.lambda.norm();
        // What 20 elements miss is 5e-6, stretching 2e-5.
        assert!((force / thrust - 1.0).abs() < 5e-5, "{force}");
        let full = Vector3::from(bowed.tip_force_n);
        assert!(
            (found.lambda + full).norm() < 1e-4 * thrust,
            "{} {full}",
            found.lambda
        );
        assert!((found.holding_torque - bowed.hold_torque_nm).abs() < 1e-3);
        // With its tendon the leg turns about A without stiffness: found all the same, for every leg of a
        // platform.
        for azimuth in 0..12 {
            let turn = f64::from(azimuth) * 0.55;
            let mut turned = config.clone();
            turned.tendon.present = true;
            turned.solver.elements = 6;
            turned.gravity_m_s2 = [0.0; 3];
            let (s, c) = (multibody::math::sin(turn), multibody::math::cos(turn));
            let [x, y, z] = turned.tip_position_m;
            turned.tip_position_m = [c * x - s * y, s * x + c * y, z];
            turned.base.motor_position_m = [0.15 * c, 0.15 * s, 0.0];
            turned.base.crank_direction = [c, s, 0.0];
            turned.base.motor_axis = [s, -c, 0.0];
            assert!((resting(&turned).lambda.norm()) < 1e-3);
        }
        let stress = found.leg.leaf_stress(&found.place, force);
        let finer = bowed.leg.leaf_stress(&bowed.state).unwrap();
        assert!(
            (stress.von_mises / finer.von_mises - 1.0).abs() < 2e-3,
            "{stress:?} {finer:?}"
        );
    }
}

/// Frequencies of the bowed leg, tip held: 7.472627, 31.388825, 88.737125, 89.905039 Hz (Cosserat rod by
/// collocation).
#[test]
fn frequencies_are_those_of_the_bowed_leg() {
    let config = SpatialLegConfig {
        tip_position_m: [0.19, 0.0, 0.40],
        ..config()
    };
    let resting = resting(&config);
    let leg = &resting.leg;
    let posture = leg.frame.posture(&leg.shape, &resting.place).unwrap();
    let motion = Motion::at_rest(resting.place);
    let weights = Weights {
        stiffness: 1.0,
        damping: 0.0,
        inertia: 0.0,
    };
    let memory = StopMemories::default();
    let by = jacobians(leg, &posture);
    let wanted = Some((&weights, &by));
    let balance = leg.standing(&motion, &posture, &resting.lambda, &memory, wanted);
    let stiffness = symmetric(&balance.tangent.unwrap());
    let mass = symmetric(&leg.mass(&posture, &by));
    // Motions that hold crank and tip: the null space of the constraint's rows.
    let mut rows = DMatrix::zeros(4, COORDINATES);
    rows[(0, CRANK)] = 1.0;
    rows.view_mut((1, 0), (3, COORDINATES)).copy_from(&by.tip);
    let projector = rows.transpose() * &rows;
    let eigen = projector.symmetric_eigen();
    let free: Vec<usize> = (0..COORDINATES)
        .filter(|&i| eigen.eigenvalues[i] < 1e-9)
        .collect();
    assert_eq!(free.len(), COORDINATES - 4);
    let basis = DMatrix::from_fn(COORDINATES, free.len(), |i, j| {
        eigen.eigenvectors[(i, free[j])]
    });
    let k = basis.transpose()
        * DMatrix::from_fn(COORDINATES, COORDINATES, |i, j| stiffness[(i, j)])
        * &basis;
    let m = basis.transpose()
        * DMatrix::from_fn(COORDINATES, COORDINATES, |i, j| mass[(i, j)])
        * &basis;
    let root = m.cholesky().unwrap().l();
    let inverse = root.try_inverse().unwrap();
    let mut squares: Vec<f64> = (&inverse * k * inverse.transpose())
        .symmetric_eigen()
        .eigenvalues
        .iter()
        .copied()
        .collect();
    squares.sort_by(f64::total_cmp);
    let known = [7.472627, 31.388825, 88.737125, 89.905039];
    // The leaf that does not bend about its normal is 2.5e-4 too stiff against swinging, eight points and six
    // fields leave 4e-4 in the plane; the fourth is the second mode of torsion.
    let allowed = [4e-4, 5e-4, 6e-4, 3e-2];
    for ((square, known), allowed) in squares.iter().zip(known).zip(allowed) {
        let found = square.sqrt() / (2.0 * core::f64::consts::PI);
        assert!(
            (found / known - 1.0).abs() < allowed,
            "{found} {known}: {squares:?}"
        );
    }
}

#[test]
fn what_was_not_tried_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut SpatialLegConfig), key: &str| {
        let mut config = config();
        change(&mut config);
        let text = check(&config).unwrap_err().to_string();
        assert!(text.contains(key), "{text}");
    };
    refused(&|c| c.motor.mode = MotorMode::Angle, "motor.mode");
    refused(
        &|c| c.section = SectionShape::Rod { radius_m: 0.002 },
        "section.radius_m",
    );
    refused(&|c| c.leaf.width_m = 5e-3, "leaf.width_m");
    refused(&|c| c.leaf.curvature_per_m = 1.0, "leaf.curvature_per_m");
    refused(
        &|c| c.leaf.rayleigh_mass_per_s = 1.0,
        "leaf.rayleigh_mass_per_s",
    );
    refused(
        &|c| c.universal.carried_moment = CarriedMoment::Upright,
        "universal.carried_moment",
    );
}
