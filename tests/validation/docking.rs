//! A target meets the platform: what must hold whatever the scenario, and what must not depend on
//! mesh and step.

use leg_core::group::Group;
use leg_core::results::soundness::Soundness;
use nalgebra::Vector3;
use softdock_platform::audit::total_momentum;
use softdock_platform::config::Coupling;
use softdock_platform::contact::{EffectorShape, TargetShape};
use softdock_platform::docking::{DockingRun, Outcome, Scenario, Summary};
use softdock_platform::hub::EFFECTOR;

/// The energy ledger closes to this part of the energy that moved.
const LEDGER: f64 = 1e-3;
/// The spherical joints stay closed: they are constraints on position level [m].
const JOINT_GAP: f64 = 1e-9;

/// The default scenario, ending at `duration`; contact is over its peak after 0.1 s.
fn scenario(duration: f64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.docking.duration_s = duration;
    scenario
}

fn run(scenario: &Scenario) -> DockingRun {
    let mut run = DockingRun::new(scenario, true).unwrap();
    run.run().unwrap();
    run
}

fn audited(scenario: &Scenario) -> Summary {
    let summary = run(scenario).summary().unwrap();
    assert!(summary.complete);
    let residual = summary.energy_residual_rel;
    assert!(residual <= LEDGER, "the ledger misses {residual:e}");
    let gap = summary.max_joint_gap_m;
    assert!(gap <= JOINT_GAP, "a joint opens by {gap:e} m");
    summary
}

/// Peak contact force of a run that touched [N].
fn peak(summary: &Summary) -> f64 {
    summary.peak_contact_force_n.unwrap()
}

/// The ledger closes and the joints hold for every kind of end effector, port and base.
#[test]
fn energy_and_joints_hold_in_every_kind_of_docking() {
    let coarse = || {
        let mut scenario = scenario(0.3);
        scenario.platform.legs.elements = 5;
        scenario
    };
    let mut lateral = coarse();
    lateral.docking.misalignment.pitch_deg = 0.0;
    lateral.docking.misalignment.lateral_x_m = 0.05;
    lateral.docking.contact.target.shape = TargetShape::Cone;
    lateral.docking.contact.target.cone.mouth_radius_m = 0.26;
    lateral.docking.contact.target.cone.depth_m = 0.1;
    let mut petals = coarse();
    petals.docking.misalignment.lateral_y_m = 0.05;
    petals.docking.contact.effector.shape = EffectorShape::Petals;
    petals.docking.contact.target.shape = TargetShape::Ring;
    let mut floating = coarse();
    floating.platform.base.free_floating = true;
    let mut bench = coarse();
    bench.platform.gravity_m_s2 = [0.0, 0.0, -9.81];
    for (name, scenario) in [
        ("plane", coarse()),
        ("cone", lateral),
        ("petals on a ring", petals),
        ("floating", floating),
        ("gravity", bench),
    ] {
        let summary = audited(&scenario);
        println!(
            "{name}: peak {:.2} N, ledger {:.1e}, joint gap {:.1e} m",
            peak(&summary),
            summary.energy_residual_rel,
            summary.max_joint_gap_m
        );
        assert!(peak(&summary) > 5.0, "{name}: no contact");
        assert_eq!(summary.soundness, Soundness::Sound, "{name}");
    }
}

/// Largest change of linear and angular momentum (about the origin, per metre) of a floating pair,
/// over what the target brings.
fn momentum_drift(step: f64) -> (f64, f64) {
    let mut scenario = scenario(0.3);
    scenario.platform.legs.elements = 5;
    scenario.platform.solver.step_s = step;
    scenario.docking.contact.steps_per_half_period *= 1e-3 / step;
    scenario.platform.base.free_floating = true;
    scenario.docking.target.mass_kg = 1500.0;
    scenario.docking.target.inertia_kg_m2 = [400.0; 3];
    let brought = 1500.0 * scenario.docking.closing_speed_m_s;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    let (linear, angular) = total_momentum(run.platform().monolithic().unwrap()).unwrap();
    assert!((linear - Vector3::new(0.0, 0.0, -brought)).norm() < 1e-12 * brought);
    let (mut drift, mut turn): (f64, f64) = (0.0, 0.0);
    while !run.finished() {
        run.advance().unwrap();
        let (p, l) = total_momentum(run.platform().monolithic().unwrap()).unwrap();
        drift = drift.max((p - linear).norm() / brought);
        turn = turn.max((l - angular).norm() / brought);
    }
    assert!(peak(&run.summary().unwrap()) > 10.0);
    (drift, turn)
}

/// Chaser, legs, end effector and target float together: nothing from outside acts on them, so
/// their momentum stays. What is left is the error of the time integration, which evaluates the
/// inertia of turning bodies between the ends of a step: it falls with the square of the step and
/// does not depend on Newton's tolerance or on the mesh. A step of 0.1 ms keeps it to 1e-10; at the
/// default step of 1 ms a few 1e-9 are lost.
#[test]
fn a_free_floating_pair_keeps_its_momentum() {
    let (coarse, fine) = (momentum_drift(2e-4), momentum_drift(1e-4));
    println!("linear and angular at 0.2 ms {coarse:?}, at 0.1 ms {fine:?}");
    assert!(coarse.0 < 5e-10 && coarse.1 < 5e-10, "{coarse:?}");
    assert!(fine.0 < 1e-10 && fine.1 < 1e-10, "{fine:?}");
    let orders = [coarse.0 / fine.0, coarse.1 / fine.1].map(f64::log2);
    assert!(orders.iter().all(|order| *order > 1.8), "{orders:?}");
}

/// What contact and latch do to the platform they do to the target: impulse and change of momentum
/// are two ways to the same number, before capture and after.
#[test]
fn the_impulse_is_what_the_target_loses() {
    let mut aligned = scenario(0.14);
    aligned.docking.misalignment.pitch_deg = 0.0;
    for (mut scenario, outcome) in [
        (scenario(0.3), Outcome::Bounced),
        (aligned, Outcome::Captured),
    ] {
        scenario.platform.legs.elements = 5;
        compare_impulse(&scenario, outcome);
    }
}

fn compare_impulse(scenario: &Scenario, outcome: Outcome) {
    let start = DockingRun::new(scenario, false).unwrap();
    let run = run(scenario);
    assert_eq!(run.summary().unwrap().outcome, outcome);
    let momentum = |run: &DockingRun| {
        let hub = run.platform().world().hub();
        let target = hub.target.unwrap();
        let state = &run.platform().bodies()[target];
        let behind = scenario.docking.target.centre_of_mass_behind_port_m;
        state.point_velocity(&Vector3::new(0.0, 0.0, -behind)) * scenario.docking.target.mass_kg
    };
    let lost = (momentum(&run) - momentum(&start)).norm();
    let impulse = run.summary().unwrap().contact_impulse_n_s.unwrap();
    println!("lost {lost} N·s, impulse {impulse} N·s");
    // Trapezoidal rule over steps that resolve the contact.
    assert!((lost / impulse - 1.0).abs() < 1e-4, "{lost} {impulse}");
}

/// Legs that solve their own steps meet the same target in the same way: contact, latch and all.
#[test]
fn the_peak_force_does_not_depend_on_the_coupling() {
    let mut captured = scenario(0.3);
    captured.docking.misalignment.pitch_deg = 0.0;
    for mut scenario in [scenario(0.3), captured] {
        let wanted = audited(&scenario);
        scenario.platform.coupling = Coupling::Implicit;
        let found = audited(&scenario);
        let change = peak(&found) / peak(&wanted) - 1.0;
        println!("{} N, {change:e}", peak(&wanted));
        assert!(change.abs() < 1e-6, "{change:e}");
        assert_eq!(found.outcome, wanted.outcome);
        assert_eq!(found.steps, wanted.steps);
        assert!(found.iterations <= 3 * found.steps);
        let strokes = found.leg_strokes_m.iter().zip(&wanted.leg_strokes_m);
        for (found, wanted) in strokes {
            assert!((found - wanted).abs() < 1e-8, "{found} {wanted}");
        }
    }
}

/// Half the elements' length, half the step, twice the steps per contact oscillation: the peak
/// force of the default scenario hardly moves.
#[test]
fn the_peak_force_does_not_depend_on_mesh_and_step() {
    let refined = |refinement: usize| {
        let mut scenario = scenario(0.12);
        scenario.platform.legs.elements *= refinement;
        scenario.platform.solver.step_s /= refinement as f64;
        scenario.docking.contact.steps_per_half_period *= refinement as f64;
        peak(&audited(&scenario))
    };
    let (coarse, fine) = (refined(1), refined(2));
    let change = (coarse / fine - 1.0).abs();
    println!("peak {coarse} N and {fine} N: {change:e}");
    assert!(change < 0.02, "{coarse} N, {fine} N");
}

/// A perfect approach with a slow, lossy contact stays within the latch's limits: it closes, and
/// everything keeps the symmetry that it came with.
#[test]
fn a_perfect_approach_is_captured() {
    let mut scenario = scenario(0.14);
    scenario.platform.legs.elements = 5;
    scenario.docking.misalignment.pitch_deg = 0.0;
    let run = run(&scenario);
    let summary = run.summary().unwrap();
    let (touch, capture) = (
        summary.first_touch_s.unwrap(),
        summary.capture_time_s.unwrap(),
    );
    println!(
        "touch {touch} s, capture {capture} s, peak {} N",
        peak(&summary)
    );
    assert_eq!(summary.outcome, Outcome::Captured);
    assert!(capture > touch + scenario.docking.contact.latch.dwell_s - 1e-9);
    // 2 mm at 0.05 m/s, within the steps around the touch.
    assert!((touch - 0.04).abs() < 1.5e-3, "{touch}");
    let strokes = &summary.leg_strokes_m;
    let spread = strokes
        .iter()
        .map(|stroke| (stroke / strokes[0] - 1.0).abs());
    assert!(spread.fold(0.0, f64::max) < 1e-6, "{strokes:?}");
}

/// A target that has not arrived exerts nothing: the platform rests where it was.
#[test]
fn nothing_happens_before_the_touch() {
    let mut scenario = scenario(0.1);
    scenario.platform.legs.elements = 4;
    scenario.docking.initial_gap_m = 0.1;
    let start = DockingRun::new(&scenario, false).unwrap();
    let run = run(&scenario);
    let summary = run.summary().unwrap();
    assert_eq!(summary.outcome, Outcome::NeverTouched);
    assert_eq!(summary.soundness, Soundness::Sound);
    // No force rather than one of 0 N: nothing was measured.
    assert_eq!(summary.peak_contact_force_n, None);
    assert_eq!(summary.peak_contact_time_s, None);
    assert_eq!(summary.contact_impulse_n_s, None);
    assert_eq!(summary.contact_episodes, 0);
    assert_eq!(
        (summary.first_touch_s, summary.settling_time_s),
        (None, None)
    );
    let place = |run: &DockingRun| run.platform().bodies()[EFFECTOR].pose.translation();
    let moved = (place(&run) - place(&start)).norm();
    assert!(moved < 1e-9, "the end effector moves by {moved:e} m");
    // The target comes nearer as fast as it was sent.
    let gap = run.samples().last().unwrap().gap;
    // The gap is measured along the normal of the tilted plane.
    let tilt = scenario.docking.misalignment.pitch_deg.to_radians();
    let expected = 0.1 - 0.1 * scenario.docking.closing_speed_m_s * tilt.cos();
    assert!((gap - expected).abs() < 1e-9, "{gap}");
}
