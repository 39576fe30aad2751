//! Strength of the bowed leaf, the leaf as a strip, stops of motor and tendon unit.

#![allow(clippy::unwrap_used)]

use super::config::{EndStops, LeafSection, MotorMode};
use super::planar::LinkDrive;
use super::spatial::{SpatialChannel, SpatialLeg, SpatialLegConfig, TipDrive, pretension_spatial};
use super::spatial_report::report;
use multibody::dynamics::{self, Control, StepSettings, Stepping, advance_watched};
use multibody::model::{Signal, Signals};
use multibody::results::{self, energy::energies, stress};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector3;

/// A leg without gravity whose chord is `chord` [m].
fn config(chord: f64, elements: usize) -> SpatialLegConfig {
    let mut config = SpatialLegConfig {
        gravity_m_s2: [0.0; 3],
        ..SpatialLegConfig::default()
    };
    config.solver.elements = elements;
    config.tip_position_m = [0.19, 0.0, (chord * chord - 0.08 * 0.08).sqrt()];
    config
}

/// Reference: mid moment of the pinned leaf at chord 0.407921561 m, 7.4432066 N·m (Reissner's beam,
/// solved as a boundary-value problem).
#[test]
fn the_moment_of_the_bowed_leaf_is_exact() {
    let bowed = |elements| pretension_spatial(&config(0.407_921_561, elements)).unwrap();
    let error = |elements| {
        let bowed = bowed(elements);
        let mut largest = 0.0_f64;
        let leg = &bowed.leg;
        stress::visit_sections(&leg.model, &bowed.state, leg.leaf, |_, wrench| {
            largest = largest.max(wrench[5].abs());
        })
        .unwrap();
        largest / 7.443_206_6 - 1.0
    };
    for (elements, allowed) in [(10, 1e-3), (20, 1e-4), (5, 2e-3), (6, 2e-3)] {
        let error = error(elements);
        println!("{elements} elements: {error:+.2e}");
        assert!(error.abs() < allowed, "{elements}: {error:e}");
    }
    let bowed = bowed(10);
    let stress = bowed.leg.leaf_stress(&bowed.state).unwrap();
    println!("{:.2} MPa at {:.3} m", stress.von_mises / 1e6, stress.place);
    assert!((stress.von_mises / 1e6 - 403.0).abs() < 0.7);
    assert!((stress.place - 0.25).abs() < 1e-9);
}

/// What commands report is that moment too, and the stress of bending by it.
#[test]
fn the_reported_moment_is_that_of_the_elements_order() {
    for (elements, allowed) in [(10, 1e-3), (5, 2e-3)] {
        let bowed = pretension_spatial(&config(0.407_921_561, elements)).unwrap();
        let told = report(&bowed).unwrap();
        let moments = told.moments.iter().map(|at| at.soft.abs());
        let error = moments.fold(0.0, f64::max) / 7.443_206_6 - 1.0;
        assert!(error.abs() < allowed, "{elements}: {error:e}");
        let stress = 6.0 * 7.443_206_6 / (0.077 * 1.2e-3 * 1.2e-3);
        let error = told.max_bending_stress_pa / stress - 1.0;
        assert!(error.abs() < allowed, "{elements}: {error:e}");
    }
    let mut strip = config(0.411_875, 20);
    strip.leaf.section = LeafSection::Strip;
    let told = report(&pretension_spatial(&strip).unwrap()).unwrap();
    let stress = told.max_bending_stress_pa / 1e6;
    assert!((stress - 476.0).abs() < 0.5, "{stress}");
}

/// Thrust and stress at the platform's chord, as a beam and as a strip.
#[test]
fn a_strip_pushes_harder_and_is_stressed_more() {
    let mut config = config(0.411_875, 20);
    for (section, thrust, stress) in [
        (LeafSection::Beam, 57.669, 393.0),
        (LeafSection::Strip, 63.709, 476.0),
    ] {
        config.leaf.section = section;
        let bowed = pretension_spatial(&config).unwrap();
        let largest = bowed.leg.leaf_stress(&bowed.state).unwrap().von_mises;
        // The references are those of bending alone; the thrust in the middle is 0.7 MPa more.
        let axial = bowed.thrust_n / (config.leaf.width_m * config.leaf.thickness_m);
        let found = (largest - axial) / 1e6;
        println!("{section:?}: {:.4} N, {found:.2} MPa", bowed.thrust_n);
        assert!((bowed.thrust_n - thrust).abs() < 2e-3, "{}", bowed.thrust_n);
        assert!((found - stress).abs() < 0.5, "{found}");
    }
}

#[test]
fn a_strip_that_is_none_is_refused() {
    let strip = || {
        let mut config = SpatialLegConfig::default();
        config.leaf.section = LeafSection::Strip;
        config
    };
    assert!(strip().validate().is_ok());
    let mut curved = strip();
    curved.leaf.curvature_per_m = 0.1;
    assert_eq!(curved.validate().unwrap_err().key, "leaf.curvature_per_m");
    let mut soft = strip();
    soft.leaf.shear_modulus_pa = 20e9;
    assert_eq!(soft.validate().unwrap_err().key, "leaf.shear_modulus_pa");
    let mut planar = super::LegConfig::default();
    planar.motor.end_stops = EndStops::On;
    assert_eq!(planar.validate().unwrap_err().key, "motor.end_stops");
}

/// A free crank under a torque that would turn it round and round stays between its stops, and the
/// tendon unit within its stroke.
#[test]
fn nothing_passes_its_stops() {
    for torque in [3.0, -3.0] {
        let mut config = config(0.407_921_561, 6);
        config.motor.mode = MotorMode::Torque;
        config.motor.end_stops = EndStops::On;
        config.tendon.end_stops = EndStops::On;
        let bowed = pretension_spatial(&config).unwrap();
        let tip = Vector3::from(config.tip_position_m);
        let (free, rest) = (LinkDrive::Free, bowed.rest_length_m);
        let leg = SpatialLeg::new(&config, free, TipDrive::Free, 0.0, tip, rest).unwrap();
        let mut state = State::new(&leg.model);
        state.poses.copy_from_slice(&bowed.state.poses);
        let mut signals = vec![Signal::Constant(0.0); leg.model.input_count()];
        signals[SpatialChannel::CrankTorque as usize] = Signal::Constant(torque);
        let signals = Signals(signals);
        let mut workspace = Workspace::new(&leg.model);
        dynamics::initialize(&leg.model, &mut state, &mut workspace, &signals).unwrap();
        let (control, settings) = (Control::fixed(1e-3), StepSettings::default());
        let stepping = Stepping::new(&control, &settings);
        let (mut deepest, mut met) = ([0.0_f64; 2], 0);
        let stops = [leg.motor_stops.unwrap(), leg.tendon.unwrap()];
        let mut watch = |state: &_| {
            for (stop, deepest) in stops.iter().zip(&mut deepest) {
                let seen = results::stop(&leg.model, state, *stop).unwrap();
                *deepest = deepest.max(-seen.gaps[0]).max(-seen.gaps[1]);
                met += usize::from(seen.force != 0.0);
            }
        };
        advance_watched(
            &leg.model,
            &mut state,
            &mut workspace,
            &signals,
            1.0,
            &stepping,
            &mut watch,
        )
        .unwrap();
        let now = energies(&leg.model, &state).unwrap();
        let miss = state.ledger.residual(&now) / state.ledger.work_in.abs().max(0.1);
        println!("torque {torque}: met {met}, give {deepest:?}, miss {miss:.2e}");
        assert!(met > 10);
        assert!(miss.abs() < 1e-3, "{miss:e}");
        assert!(deepest[0] < 0.03 && deepest[1] < 5e-3, "{deepest:?}");
    }
}
