//! The strut against the bowed leaf: forces, torques, energies, shape, stress; and its own tangent.

#![allow(clippy::unwrap_used)]

use super::LegError;
use super::config::{EndStops, MotorMode, Side};
use super::spatial::{SpatialLegConfig, pretension_spatial};
use super::strut::{StopMemory, Strut, StrutMotion};
use multibody::group::Group;
use multibody::results::energy::energies;
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// A leg with a locked motor, its tip off the motor's plane by `aside` [m].
fn config(aside: f64, height: f64, gravity: f64) -> SpatialLegConfig {
    let mut out = SpatialLegConfig {
        gravity_m_s2: [0.0, 0.0, -gravity],
        tip_position_m: [0.19, aside, height],
        ..SpatialLegConfig::default()
    };
    out.motor.mode = MotorMode::Locked;
    out.solver.elements = 20;
    out
}

fn at_rest(strut: &Strut, config: &SpatialLegConfig) -> StrutMotion {
    StrutMotion {
        span: Vector3::from(config.tip_position_m) - strut.crank_end(config.q1_rad),
        rate: Vector3::zeros(),
        first: strut.first_axis(config.q1_rad),
    }
}

/// Without gravity the strut is the bowed leaf: 20 elements are 5e-6 off, stretching is 1.4e-5.
#[test]
fn a_strut_is_the_bowed_leaf_in_equilibrium() {
    for (aside, height, q1) in [(0.0, 0.4, 0.0), (0.08, 0.39, 0.2), (-0.1, 0.3, -0.3)] {
        let mut config = config(aside, height, 0.0);
        config.q1_rad = q1;
        config.tendon.present = false;
        let bowed = pretension_spatial(&config).unwrap();
        let strut = Strut::new(&config).unwrap();
        let motion = at_rest(&strut, &config);
        let force = strut.respond(&motion, &StopMemory::default()).force;
        let error = (force - Vector3::from(bowed.tip_force_n)).norm() / force.norm();
        assert!(error < 3e-5, "{aside}: force {error:e}");
        let torque = strut.holding_torque(q1, &-force);
        let scale = force.norm() * config.crank.length_m;
        assert!((torque - bowed.hold_torque_nm).abs() < 3e-5 * scale);
        let leaf = energies(&bowed.leg.model, &bowed.state).unwrap().strain;
        assert!((strut.energy(&motion).strain / leaf - 1.0).abs() < 3e-5);
        let chord = motion.span.norm();
        let stress = bowed.leg.leaf_stress(&bowed.state).unwrap();
        let error = strut.leaf_stress(chord).von_mises / stress.von_mises - 1.0;
        assert!(error.abs() < 2e-4, "stress {error:e}");
        let strain = bowed.leg.leaf_strain(&bowed.state).unwrap();
        assert!((strut.leaf_strain(chord).surface / strain.surface - 1.0).abs() < 5e-3);
    }
}

/// The drawn leaf is the bowed one, whichever side it bows to and however it is mounted.
#[test]
fn the_shape_is_that_of_the_bowed_leaf() {
    for (side, flipped, aside) in [
        (Side::Outward, false, 0.0),
        (Side::Inward, false, 0.05),
        (Side::Outward, true, -0.08),
        (Side::Outward, false, 0.1),
    ] {
        let mut config = config(aside, 0.4, 0.0);
        (config.side, config.universal.flipped) = (side, flipped);
        let bowed = pretension_spatial(&config).unwrap();
        let strut = Strut::new(&config).unwrap();
        let motion = at_rest(&strut, &config);
        let shape = strut.shape(&strut.crank_end(0.0), &motion, 20);
        for (i, pose) in shape.iter().enumerate() {
            let node = bowed.leg.model.beam_node(bowed.leg.leaf, i);
            let found = bowed.state.pose(node);
            let off = (pose.translation() - found.translation()).norm();
            assert!(
                off < 2e-5,
                "{side:?} {flipped} {aside}: node {i} off by {off:e}"
            );
            let turned = (pose.rotation() - found.rotation()).norm();
            assert!(
                turned < 2e-4,
                "{side:?} {flipped} {aside}: turned {turned:e}"
            );
        }
    }
}

/// With gravity: half of the weight at each end and the bow's own part. The change of the leaf's shape
/// under its weight is 1e-4 of the weight; the lean of its plane, which the bow's part leaves out, 9 % of
/// it where the tip is 80 mm off the motor's plane (that of the platform: 47 mm). Thrust is 28 times
/// the weight.
#[test]
fn the_weight_of_the_leaf_is_split_by_statics() {
    for (aside, allowed) in [(0.0, 1e-3), (0.08, 0.1)] {
        let config = config(aside, 0.4, 9.81);
        let bowed = pretension_spatial(&config).unwrap();
        let strut = Strut::new(&config).unwrap();
        let motion = at_rest(&strut, &config);
        let on_strut = strut.respond(&motion, &StopMemory::default()).force;
        let tip = on_strut + strut.end_weight();
        let weight = strut.mass() * 9.81;
        let error = (tip - Vector3::from(bowed.tip_force_n)).norm() / weight;
        let plain = (tip - on_strut - Vector3::from(bowed.tip_force_n)).norm() / weight;
        println!("{aside}: {error:.4} of the weight (without weight {plain:.3})");
        assert!(error < allowed, "{aside}: {error}");
        if aside != 0.0 {
            continue;
        }
        let rest = strut.rest_length().unwrap() - bowed.rest_length_m.unwrap();
        assert!(rest.abs() < 0.02 * weight / 2000.0, "{rest:e}");
        let torque = strut.holding_torque(0.0, &(strut.end_weight() - on_strut));
        let lever = config.crank.length_m * weight;
        let error = (torque - bowed.hold_torque_nm).abs() / lever;
        assert!(error < 0.02, "torque {error}");
    }
}

proptest! {
    /// (2) and (5) against differences, stops and a slack tendon included.
    #[test]
    fn the_tangent_is_exact(
        span in [-0.1..0.1_f64, -0.1..0.1, 0.25..0.47],
        rate in proptest::array::uniform3(-0.3..0.3_f64),
        gravity in 0.0..10.0_f64,
        stroke in 0.01..0.2_f64,
    ) {
        let mut config = config(0.03, 0.4, gravity);
        config.gravity_m_s2[0] = 0.3 * gravity;
        config.tendon.end_stops = EndStops::On;
        config.tendon.stroke_m = stroke;
        let strut = Strut::new(&config).unwrap();
        let memory = [0.0, 0.1, 0.0, 0.2, 0.0, 0.0];
        let motion = StrutMotion {
            span: span.into(),
            rate: rate.into(),
            first: strut.first_axis(0.0),
        };
        let exact = strut.respond(&motion, &memory);
        let h = 1e-7;
        let mut found = [Matrix3::zeros(), Matrix3::zeros()];
        for k in 0..3 {
            for (which, matrix) in found.iter_mut().enumerate() {
                let moved = |by: f64| {
                    let mut motion = motion;
                    let part = if which == 0 { &mut motion.span } else { &mut motion.rate };
                    part[k] += by;
                    strut.respond(&motion, &memory).force
                };
                matrix.set_column(k, &((moved(h) - moved(-h)) / (2.0 * h)));
            }
        }
        for (found, exact) in found.iter().zip([&exact.by_span, &exact.by_rate]) {
            let scale = exact.amax().max(100.0);
            prop_assert!((found - exact).amax() < 2e-5 * scale, "{found} {exact}");
        }
    }

    /// The force of a strut at rest is what its energy loses.
    #[test]
    fn the_force_follows_from_the_energy(
        span in [-0.1..0.1_f64, -0.1..0.1, 0.25..0.47], gravity in 0.0..10.0_f64,
    ) {
        let mut config = config(0.03, 0.4, gravity);
        config.gravity_m_s2[1] = 0.4 * gravity;
        // The corner at zero tension is rounded, the energy is not.
        config.tendon.rest_length_m = Some(0.1);
        let strut = Strut::new(&config).unwrap();
        let motion = |span: Vector3<f64>| StrutMotion {
            span,
            rate: Vector3::zeros(),
            first: strut.first_axis(0.0),
        };
        let held = |span: Vector3<f64>| {
            let energy = strut.energy(&motion(span));
            energy.strain + energy.tendon + energy.bow
        };
        let span = Vector3::from(span);
        let force = strut.respond(&motion(span), &StopMemory::default()).force;
        let h = 1e-5;
        for k in 0..3 {
            let mut by = Vector3::zeros();
            by[k] = h;
            let slope = (held(span + by) - held(span - by)) / (2.0 * h);
            prop_assert!((slope + force[k]).abs() < 1e-5 * force.norm().max(1.0));
        }
    }
}

#[test]
fn what_was_not_tried_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut SpatialLegConfig), key: &str| {
        let mut config = config(0.0, 0.4, 0.0);
        change(&mut config);
        match Strut::new(&config) {
            Err(error @ LegError::NotAsStrut { .. }) => {
                let text = error.to_string();
                assert!(text.contains(key), "{text}");
            }
            other => panic!("{key}: {other:?}"),
        }
    };
    refused(&|c| c.motor.mode = MotorMode::Hold, "motor.mode");
    refused(
        &|c| c.leaf.rayleigh_stiffness_s = 1e-4,
        "leaf.rayleigh_stiffness_s",
    );
    refused(
        &|c| c.leaf.modal_damping_ratios[0] = 0.01,
        "leaf.modal_damping_ratios",
    );
    refused(&|c| c.leaf.curvature_per_m = 0.5, "leaf.curvature_per_m");
    refused(
        &|c| c.leaf.section = super::config::LeafSection::Strip,
        "leaf.section",
    );
    refused(&|c| c.leaf.thickness_m = 0.03, "leaf.thickness_m");
    refused(
        &|c| {
            c.gravity_m_s2 = [0.0, 0.0, -9.81];
            c.universal.first_axis = [1.0, 0.0, 0.0];
        },
        "gravity_m_s2",
    );
    let mut far = config(0.0, 0.4, 0.0);
    far.tip_position_m[2] = 0.6;
    assert!(matches!(
        Strut::new(&far),
        Err(LegError::ImpossibleChord { .. })
    ));
}
