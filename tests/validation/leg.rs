//! The planar leg: bowed by its tendon, released, dropped.
//!
//! Physics expected: a thin leaf pinned at both ends and pushed together buckles into a smooth
//! bow; its axial strain stays near P/EA = 5e-6. Let go with its tendon damped, it hangs on as a
//! closed loop and swings down, losing energy only in the damper.

use leg_core::config::{Posture, Side};
use leg_core::{LegConfig, LegError, Simulation, pretension};
use multibody::group::Group;
use multibody::results;
use softdock_validation::chapter4::{linear_pretension, linear_release};

const SHAPE: &str = include_str!("../reference/pretension_shape_plus_x.csv");
const RELEASE: &str = include_str!("../reference/release_c1500.csv");
const FREE_FALL: &str = include_str!("../reference/free_fall_no_tendon.csv");

/// Force on the leaf at A and B with gravity, both links held at zero [N].
const FORCE_A: [f64; 2] = [-11.001_404_7, 58.039_740_8];
const FORCE_B: [f64; 2] = [11.001_404_7, -55.999_335_3];

fn rows(csv: &str) -> Vec<Vec<f64>> {
    csv.lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect()
}

fn relative(ours: [f64; 2], reference: [f64; 2]) -> f64 {
    let difference = (ours[0] - reference[0]).hypot(ours[1] - reference[1]);
    difference / reference[0].hypot(reference[1])
}

/// q1 of the default leg 6 s after its release [rad], extrapolated from steps of 0.1 and 0.05 ms.
const CRANK_AFTER_SIX_SECONDS: f64 = -2.545_268_1;
/// Error of that angle over the square of the step [rad/s²]: 60 random pairs of step and output step
/// between 0.1 and 1.2 ms had at most 4,320.
const ERROR_PER_SQUARE: f64 = 6e3;

/// A remainder of rounding size taken for a step of its own threw the leg off its way: with 5e-5 s and
/// outputs every 2 s q1 ended at −2.6127, with 5e-4 s and 1 s the run stalled.
#[test]
fn steps_are_counted_whatever_the_times_of_outputs() {
    let pairs = [
        (5e-4, 1.0),
        (5e-4, 2.0),
        (2e-4, 2.0),
        (2e-4, 3.0),
        (1e-3, 0.7e-3),
        (7.3e-4, 0.013),
        (3.1e-4, 1.7),
        (1.2e-3, 1e-3),
        (9e-4, 2.6),
    ];
    for (step, output) in pairs {
        let mut config = LegConfig::default();
        config.solver.step_s = step;
        let mut simulation = Simulation::new(&config).unwrap();
        let (mut steps, mut asked) = (0, 0.0);
        let mut index = 0.0_f64;
        while simulation.state.time < 6.0 {
            index += 1.0;
            let (start, end) = (simulation.state.time, (index * output).min(6.0));
            asked += ((end - start) / step - 1e-6).ceil();
            steps += simulation.advance_to(end).unwrap().steps;
        }
        let q1 = simulation.sample().unwrap().q[0];
        let error = (q1 - CRANK_AFTER_SIX_SECONDS).abs();
        println!("{step} {output}: {steps} steps, error {error:e}");
        assert_eq!(steps as f64, asked, "{step} {output}");
        assert!(
            error < ERROR_PER_SQUARE * step * step,
            "{step} {output}: {error:e}"
        );
    }
}

#[test]
fn bowed_leaf_carries_the_reference_forces() {
    // Demanded 2e-4 at ten elements; the element's own mesh error is 8e-6.
    for (elements, allowed) in [(5, 2e-4), (10, 2e-5), (20, 2e-6)] {
        let mut config = LegConfig::default();
        config.solver.elements = elements;
        let report = pretension(&config).unwrap().report;
        let error = relative(report.force_on_leaf_a_n, FORCE_A)
            .max(relative(report.force_on_leaf_b_n, FORCE_B));
        println!("{elements} elements: {error:e}");
        assert!(error < allowed, "{elements} elements: {error:e}");
        assert!(
            report.max_axial_strain < 1e-5,
            "{:e}",
            report.max_axial_strain
        );
        assert!(report.residual_n < 1e-6, "{:e}", report.residual_n);
    }
}

#[test]
fn bowed_leaf_has_the_reference_shape_at_every_point() {
    let bowed = pretension(&LegConfig::default()).unwrap();
    let mut worst: f64 = 0.0;
    for row in rows(SHAPE) {
        let pose =
            results::pose_at(&bowed.leg.model, &bowed.state, bowed.leg.leaf, row[0]).unwrap();
        let place = pose.translation();
        worst = worst.max((place.x - row[1]).hypot(place.y - row[2]));
    }
    println!("largest distance {worst:e} m");
    assert!(worst < 1e-5, "{worst:e} m"); // demanded 2e-5
    let report = &bowed.report;
    assert!(
        (report.sag_m - 0.128_495_27).abs() < 3e-6,
        "{}",
        report.sag_m
    );
    // The reference's 5.07602 J counts bending only; with axial and shear energy it is 5.07616 J,
    // the value in release_c1500.csv.
    assert!(
        (report.strain_energy_j - 5.076_161).abs() < 2e-4,
        "{}",
        report.strain_energy_j
    );
}

#[test]
fn holding_torques_balance_leaf_tendon_and_weight() {
    let mut config = LegConfig::default();
    config.tendon.rest_length_m = Some(0.378_886_656_0);
    let report = pretension(&config).unwrap().report;
    assert!(
        (report.tension_n - 58.069_810).abs() < 1e-5,
        "{}",
        report.tension_n
    );
    assert!(
        (report.hold_torque_1_nm - 0.720_313).abs() < 1e-4,
        "{}",
        report.hold_torque_1_nm
    );
    assert!(
        (report.hold_torque_3_nm - 1.111_082).abs() < 1e-4,
        "{}",
        report.hold_torque_3_nm
    );
}

#[test]
fn mirror_branch_is_reachable() {
    let mut config = LegConfig::default();
    config.pretension.side = Side::Inward;
    let report = pretension(&config).unwrap().report;
    assert!(relative(report.force_on_leaf_a_n, [-11.718_060_9, 57.599_320_8]) < 2e-5);
    assert!(relative(report.mid_point_m, [0.104_027_6, 0.174_666_9]) < 2e-5);
}

#[test]
fn path_to_a_chord_of_30_cm_is_smooth_and_monotone_in_sag() {
    let mut config = LegConfig {
        gravity_m_s2: [0.0, 0.0],
        ..LegConfig::default()
    };
    config.pretension.hold_q3 = false;
    config.pretension.chord_m = Some(0.30);
    let bowed = pretension(&config).unwrap();
    assert!(bowed.path.first().unwrap().chord_m > 0.4999);
    assert!((bowed.path.last().unwrap().chord_m - 0.30).abs() < 1e-9);
    for pair in bowed.path.windows(2) {
        assert!(pair[1].chord_m <= pair[0].chord_m);
        assert!(pair[1].sag_m >= pair[0].sag_m, "{pair:?}");
        assert!(pair[1].thrust_n >= pair[0].thrust_n - 1e-6, "{pair:?}");
        assert!(pair[1].max_axial_strain < 1e-4);
        assert!(pair[1].residual_n < 1e-6, "{pair:?}");
    }
}

#[test]
fn path_under_gravity_is_monotone_in_sag_to_either_side() {
    for side in [Side::Outward, Side::Inward] {
        for hold_q3 in [false, true] {
            let mut config = LegConfig::default();
            config.pretension.side = side;
            config.pretension.hold_q3 = hold_q3;
            config.pretension.hold_q1 = !hold_q3;
            config.pretension.chord_m = Some(0.30);
            let path = pretension(&config).unwrap().path;
            assert!(path.len() > 20, "{} points", path.len());
            assert!(path.first().unwrap().chord_m > 0.4999);
            assert!((path.last().unwrap().chord_m - 0.30).abs() < 1e-9);
            for pair in path.windows(2) {
                assert!(pair[1].chord_m <= pair[0].chord_m, "{side:?} {pair:?}");
                assert!(pair[1].sag_m >= pair[0].sag_m, "{side:?} {pair:?}");
                // Smooth: no jump to another branch between two points.
                let slope = (pair[1].sag_m - pair[0].sag_m).abs();
                assert!(slope < 0.03, "{side:?} {pair:?}");
                assert!(pair[1].max_axial_strain < 1e-4);
                assert!(pair[1].residual_n < 1e-6, "{side:?} {pair:?}");
            }
        }
    }
}

#[test]
fn impossible_chords_are_refused_with_the_reason() {
    let mut config = LegConfig::default();
    config.pretension.q3_rad = 0.6;
    let error = pretension(&config).unwrap_err();
    assert!(matches!(error, LegError::ImpossibleChord { .. }), "{error}");
    assert!(
        error.to_string().contains("longer than the leaf"),
        "{error}"
    );
    config.pretension.q3_rad = 0.0;
    config.pretension.hold_q3 = false;
    config.pretension.chord_m = Some(0.9);
    let error = pretension(&config).unwrap_err();
    assert!(error.to_string().contains("0.9"), "{error}");
}

/// Largest error of the three angles over the release, largest gap, largest energy residual
/// relative to the initial energy.
fn release_errors(elements: usize, step: f64, spectral_radius: f64) -> (f64, f64, f64) {
    let mut config = LegConfig::default();
    config.tendon.rest_length_m = Some(0.378_886_656_0);
    config.solver.elements = elements;
    config.solver.step_s = step;
    config.solver.spectral_radius = spectral_radius;
    let mut simulation = Simulation::new(&config).unwrap();
    let (mut angle, mut gap, mut residual) = (0.0_f64, 0.0_f64, 0.0_f64);
    let start = simulation.sample().unwrap().energies;
    let energy = start.strain + start.springs;
    for row in rows(RELEASE) {
        simulation.advance_to(row[0]).unwrap();
        let sample = simulation.sample().unwrap();
        for i in 0..3 {
            angle = angle.max((sample.q[i] - row[1 + i]).abs());
        }
        gap = gap.max(sample.loop_gap);
        residual = residual.max(sample.energy_residual.abs() / energy);
    }
    println!(
        "{elements} el., {step} s, rho {spectral_radius}: {angle:e} rad, {gap:e} m, {residual:e}"
    );
    (angle, gap, residual)
}

#[test]
fn release_follows_the_reference_for_3_s() {
    for spectral_radius in [0.8, 0.9, 1.0] {
        let (angle, gap, residual) = release_errors(10, 1e-3, spectral_radius);
        assert!(angle < 2e-3, "{angle:e}"); // demanded 5e-3
        assert!(gap < 1e-10, "{gap:e}");
        assert!(residual < 1e-4, "{residual:e}");
    }
    let (angle, gap, residual) = release_errors(20, 1e-4, 0.9);
    assert!(angle < 5e-5, "{angle:e}"); // demanded 2e-4
    assert!(gap < 1e-10, "{gap:e}");
    assert!(residual < 1e-6, "{residual:e}");
}

/// Largest energy residual relative to the initial energy, at any step of 3 s after the release.
fn energy_residual(rest: f64, damping: f64, spectral_radius: f64) -> f64 {
    let mut config = LegConfig::default();
    config.tendon.rest_length_m = Some(rest);
    config.tendon.damping_n_s_per_m = damping;
    config.solver.spectral_radius = spectral_radius;
    let mut simulation = Simulation::new(&config).unwrap();
    let start = simulation.sample().unwrap().energies;
    let energy = start.strain + start.springs;
    let mut worst: f64 = 0.0;
    for k in 1..=3000 {
        simulation.advance_to(1e-3 * f64::from(k)).unwrap();
        let residual = simulation.sample().unwrap().energy_residual;
        worst = worst.max(residual.abs() / energy);
    }
    worst
}

#[test]
fn ledger_closes_for_tendons_let_go_under_load() {
    // The links are held by torques until the release; a tendon that is not as taut as the leaf
    // pushes starts to move at once, faster than a step if its damper is strong.
    for rest in [0.36, 0.378_886_656_0, 0.395] {
        for damping in [15.0, 150.0, 1500.0] {
            for spectral_radius in [0.8, 0.9, 1.0] {
                let worst = energy_residual(rest, damping, spectral_radius);
                println!("{rest} m, {damping} N·s/m, rho {spectral_radius}: {worst:e}");
                assert!(worst < 1e-4, "{rest} m, {damping} N·s/m: {worst:e}");
            }
        }
    }
}

/// Largest error of q1 and q3 over the free fall of 1 s.
fn free_fall_error(spectral_radius: f64, step: f64) -> f64 {
    let mut config = LegConfig::default();
    config.tendon.present = false;
    config.pretension.posture = Posture::Straight;
    config.solver.spectral_radius = spectral_radius;
    config.solver.step_s = step;
    let mut simulation = Simulation::new(&config).unwrap();
    let mut worst: f64 = 0.0;
    for row in rows(FREE_FALL) {
        simulation.advance_to(row[0]).unwrap();
        let sample = simulation.sample().unwrap();
        worst = worst
            .max((sample.q[0] - row[1]).abs())
            .max((sample.q[2] - row[2]).abs());
    }
    println!("rho {spectral_radius}, {step} s: largest error {worst:e} rad");
    worst
}

#[test]
fn free_fall_without_tendon_follows_the_reference() {
    let config = LegConfig::default();
    let default = free_fall_error(config.solver.spectral_radius, config.solver.step_s);
    assert!(default < 2e-3, "{default:e}");
    assert!(free_fall_error(1.0, 1e-3) < 2e-3);
}

#[test]
fn free_fall_error_is_that_of_a_second_order_integrator() {
    // A smooth motion from rest has no jerk at the start, so the accelerations start right, and
    // four times the elements change nothing: what is left is the method's own error, whose
    // coefficient β − (γ − ½)/2 − 1/6 is 0.0833 at ρ∞ = 1 and 0.0864 at ρ∞ = 0.8. There it is
    // 2.02e-3 rad at 1 ms.
    let errors = [1e-3, 5e-4, 2.5e-4].map(|step| free_fall_error(0.8, step));
    assert!(errors[0] < 2.05e-3, "{errors:?}");
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.8..4.2).contains(&ratio), "{errors:?}");
    }
}

#[test]
fn slack_tendon_loses_no_energy_and_does_not_chatter() {
    // A weak tendon with its damper only on lengthening: the shaken leg goes slack and taut.
    let mut config = LegConfig {
        gravity_m_s2: [0.0, 0.0],
        ..LegConfig::default()
    };
    config.tendon.damping_n_s_per_m = 50.0;
    config.tendon.damping_shortening_n_s_per_m = Some(0.0);
    config.pretension.tension_n = Some(10.0);
    config.load.force_y_n = leg_core::config::History::Shape(leg_core::config::Shape::Sine {
        offset: 0.0,
        amplitude: 40.0,
        frequency_hz: 6.0,
        phase_rad: 0.0,
    });
    let mut residuals = Vec::new();
    for step in [4e-4, 2e-4] {
        config.solver.step_s = step;
        let mut simulation = Simulation::new(&config).unwrap();
        let (mut slack, mut changes, mut was) = (0, 0, false);
        for k in 1..=1000 {
            simulation.advance_to(1e-3 * f64::from(k)).unwrap();
            let now = simulation.sample().unwrap().tendon_tension == 0.0;
            slack += usize::from(now);
            changes += usize::from(now != was);
            was = now;
        }
        let end = simulation.sample().unwrap();
        println!(
            "step {step}: slack {slack} ms, {changes} changes, residual {:e} of {:e} J",
            end.energy_residual, end.dissipated
        );
        assert!(
            slack > 10,
            "the tendon must go slack for this test to mean anything"
        );
        assert!(
            changes < 100,
            "{changes} changes between slack and taut in 1 s"
        );
        residuals.push(end.energy_residual.abs() / end.dissipated);
    }
    assert!(
        residuals[1] < 1e-2 && residuals[1] < residuals[0],
        "{residuals:?}"
    );
}

#[test]
fn linear_leaf_with_rigid_closure_fails_as_published() {
    // A leaf that knows only its straight stiffness cannot bow: it is crushed along its axis and
    // pushes back with meganewtons; let go, its joints come apart.
    let config = LegConfig::default();
    let crushed = linear_pretension(&config).unwrap();
    println!(
        "strain {:.1} %, thrust {:.3e} N, gap {:.3} m",
        100.0 * crushed.worst_axial_strain,
        crushed.thrust_n,
        crushed.loop_gap_m
    );
    assert!(crushed.worst_axial_strain < -0.15);
    assert!(crushed.thrust_n > 1e6);
    assert!(crushed.sag_m < 1e-9);
    let fallen = linear_release(&config, 0.5, 1e-3).unwrap();
    let worst = fallen
        .iter()
        .map(|sample| sample.loop_gap_m)
        .fold(0.0, f64::max);
    println!(
        "released: largest gap {worst} m, q1 {} rad",
        fallen.last().unwrap().q1
    );
    assert!(worst > 1e-2, "{worst}");
}
