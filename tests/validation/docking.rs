//! A target meets the platform: what must hold whatever the scenario, and what must not depend on
//! mesh and step.

use multibody::group::Group;
use multibody::results::soundness::Soundness;
use nalgebra::Vector3;
use softdock_docking::setup::{approaching_target, resting_platform};
use softdock_docking::{DockingRun, Outcome, Scenario, Summary};
use softdock_platform::audit::total_momentum;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::config::Coupling;
use softdock_platform::contact::{EffectorShape, TargetShape};
use softdock_platform::scheme::{self, Scheme};
use softdock_platform::wrench::WrenchHistory;

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
        (scenario(0.3), Outcome::InContact),
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
        let list = run.platform().world().bodies();
        let target = list.target.unwrap();
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

/// Joints closed so sharply [m] that what a step misses of the energy is the same in both schemes. With the
/// default, 8e-10 m, it differs by 0.2 %; where that falls on a rung of the ladder of step sizes one
/// scheme makes a longer step (377 steps of 380, peaks 6e-6 apart).
const SHARP_JOINTS: f64 = 1e-11;

/// Legs that solve their own steps meet the same target in the same way: contact, latch and all.
#[test]
fn the_peak_force_does_not_depend_on_the_coupling() {
    let mut captured = scenario(0.3);
    captured.docking.misalignment.pitch_deg = 0.0;
    for mut scenario in [scenario(0.3), captured] {
        let wanted = audited(&scenario);
        scenario.platform.coupling = Coupling::Implicit;
        scenario.platform.solver.interface_tolerance_m = SHARP_JOINTS;
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

/// A linear contact of 1e9 N/m against a light target: impacts of 0.1 ms shake the leaves at
/// frequencies that the steps between impacts cannot resolve. Steps that grew at once behind an
/// impact made 6 J of the 17.5 mJ that came in.
#[test]
fn a_hard_linear_contact_makes_no_energy() {
    let mut scenario = scenario(0.1);
    scenario.platform.legs.elements = 4;
    scenario.docking.target.mass_kg = 14.0;
    scenario.docking.contact.normal.exponent = 1.0;
    scenario.docking.contact.normal.stiffness_n_per_m_n = 1e9;
    let mut docking = DockingRun::new(&scenario, false).unwrap();
    docking.run().unwrap();
    let (summary, progress) = (docking.summary().unwrap(), docking.progress());
    let (energy, missed) = (&summary.energy, summary.energy_residual_rel);
    println!("missed {missed:e}, {progress:?}");
    assert!(missed < LEDGER, "{missed:e}");
    let lost = energy.lost_in_legs_j + energy.lost_in_contact_j + energy.lost_in_friction_j;
    assert!(lost < energy.brought_in_j, "{energy:?}");
    assert!(
        progress.refused > 0,
        "the account did not act: {progress:?}"
    );
    assert_eq!(progress.at_floor, 0, "{progress:?}");
}

/// Peak force of a default setting over its converged value (20 elements, 0.1 ms and less).
const PEAK: f64 = 1e-3;

/// The aligned impact at 0.1 m/s, in which the tendons go slack: an independent code has
/// 387.75 ± 0.1 N. Steps that only resolved the bodies' own error gave 390.3 N.
#[test]
fn the_aligned_impact_has_its_converged_peak_at_default_settings() {
    let mut scenario = scenario(0.04);
    scenario.docking.misalignment.pitch_deg = 0.0;
    scenario.docking.closing_speed_m_s = 0.1;
    let summary = run(&scenario).summary().unwrap();
    let peak = summary.peak_contact_force_n.unwrap();
    assert!((peak / 387.75 - 1.0).abs() < PEAK, "{peak}");
}

/// The default and the aligned docking at default settings have the peaks that they have with 20 elements
/// and steps of 0.1 ms, here as `tests/peaks.sh` prints them; it compares all shipped dockings.
#[test]
fn shipped_dockings_have_their_converged_peaks_at_default_settings() {
    for (pitch_deg, converged) in [(7.5, 74.1992), (0.0, 300.2805)] {
        let mut scenario = scenario(0.1);
        scenario.docking.misalignment.pitch_deg = pitch_deg;
        let found = peak(&run(&scenario).summary().unwrap());
        assert!(
            (found / converged - 1.0).abs() < PEAK,
            "{found} {converged}"
        );
    }
}

/// Time of capture and largest force of the latch with a dwell and a step.
fn latched(dwell: f64, step: f64) -> [f64; 2] {
    let mut scenario = scenario(0.12);
    scenario.platform.legs.elements = 3;
    scenario.platform.solver.step_s = step;
    scenario.docking.misalignment.pitch_deg = 0.0;
    scenario.docking.contact.latch.dwell_s = dwell;
    let summary = run(&scenario).summary().unwrap();
    [summary.capture_time_s.unwrap(), summary.peak_latch_force_n]
}

/// The latch closes when its conditions have been met for the dwell, not when a step happens to
/// end: whether or not the dwell is a whole number of steps.
#[test]
fn closing_time_and_force_of_the_latch_do_not_depend_on_the_step() {
    for dwell in [0.05, 0.0503] {
        let finest = latched(dwell, 1e-4);
        for step in [1e-3, 5e-4, 2.5e-4] {
            let found = latched(dwell, step);
            println!("dwell {dwell}, step {step}: {found:?}, finest {finest:?}");
            for (found, finest) in found.iter().zip(finest) {
                assert!(
                    (found / finest - 1.0).abs() < PEAK,
                    "{step}: {found} {finest}"
                );
            }
        }
    }
}

/// A target at rest inside the limits from the start is captured after the dwell, to rounding.
#[test]
fn the_dwell_of_the_latch_counts_from_the_start() {
    for (dwell, step) in [(0.02, 1e-3), (0.0203, 1e-3), (0.02, 7e-4)] {
        let mut scenario = scenario(0.025);
        scenario.platform.legs.elements = 3;
        scenario.platform.solver.step_s = step;
        scenario.docking.closing_speed_m_s = 0.0;
        scenario.docking.misalignment.pitch_deg = 0.0;
        scenario.docking.initial_gap_m = 0.0005;
        scenario.docking.contact.latch.gap_m = 0.001;
        scenario.docking.contact.latch.dwell_s = dwell;
        let capture = run(&scenario).summary().unwrap().capture_time_s.unwrap();
        assert!((capture - dwell).abs() < 1e-12, "{capture} {dwell}");
    }
}

/// Nothing touches for more than a small part of a step before the touch is noticed, and nothing is
/// apart for more before separation is: contacts begin and end at ends of steps.
#[test]
fn contact_begins_and_ends_at_ends_of_steps() {
    let mut scenario = scenario(0.2);
    scenario.platform.legs.elements = 3;
    scenario.docking.target.mass_kg = 20.0;
    let equilibrium = resting_platform(&scenario).unwrap();
    let mut platform = scheme::start(&equilibrium, WrenchHistory::default()).unwrap();
    let target = approaching_target(&scenario.docking, equilibrium.pose()).unwrap();
    platform.add_target(target.body, target.state, target.pair, target.latch);
    let (mut last, mut touched, mut changes) = (0.002, false, 0);
    let observe = &mut |platform: &mut dyn Scheme| {
        let encounter = platform.world().encounter().unwrap();
        let gap = encounter.output().minimum_gap;
        if encounter.touching() != touched {
            // The gap goes through zero near one end of the step: at a twentieth of it at most.
            let nearer = f64::min(gap.abs(), last);
            let whole = gap.abs() + last;
            assert!(nearer <= 0.07 * whole, "{last:e} to {gap:e} m");
            changes += 1;
        }
        (last, touched) = (gap.abs(), encounter.touching());
    };
    let done = platform.advance_observed(0.2, observe).unwrap();
    println!("{changes} changes, {done:?}");
    assert!(changes >= 2 && done.events > 0, "{changes}, {done:?}");
}

/// Where next to nothing moves there is next to nothing to miss: rounding makes no steps smaller.
#[test]
fn a_target_that_stands_still_costs_nothing() {
    let mut scenario = scenario(0.05);
    scenario.platform.legs.elements = 3;
    scenario.docking.closing_speed_m_s = 0.0;
    let mut docking = DockingRun::new(&scenario, false).unwrap();
    docking.run().unwrap();
    let progress = docking.progress();
    assert_eq!((progress.steps, progress.refused), (50, 0), "{progress:?}");
}

/// Draws of the study `wide-ranges` whose ledgers had missed up to 6e-3: closing speed, mass, pitch,
/// yaw, stiffness, exponent, elements, step.
const WIDE: [[f64; 8]; 6] = [
    [0.0202, 10.1, 7.64, -19.9, 9.75e5, 1.24, 4.0, 9.15e-3],
    [0.0106, 12.0, 26.6, -38.9, 5.11e7, 1.31, 5.0, 8.29e-3],
    [0.0371, 10.3, -37.1, 2.66, 1.19e6, 1.18, 10.0, 2.86e-3],
    [0.0858, 12.4, 13.6, -7.23, 4.08e6, 1.14, 10.0, 5.12e-3],
    [0.0119, 64.0, -4.05, -3.07, 1.43e6, 1.26, 10.0, 6.95e-3],
    [0.0854, 10.5, -7.8, 14.7, 1.16e4, 1.01, 6.0, 6.1e-3],
];

#[test]
fn ledgers_close_over_wide_ranges() {
    for case in WIDE {
        let [speed, mass, pitch, yaw, stiffness, exponent, elements, step] = case;
        let mut scenario = scenario(0.5);
        scenario.platform.legs.elements = elements as usize;
        scenario.platform.solver.step_s = step;
        let docking = &mut scenario.docking;
        docking.output_interval_s = 0.01;
        docking.closing_speed_m_s = speed;
        docking.target.mass_kg = mass;
        docking.misalignment.pitch_deg = pitch;
        docking.misalignment.yaw_deg = yaw;
        docking.contact.normal.stiffness_n_per_m_n = stiffness;
        docking.contact.normal.exponent = exponent;
        docking.contact.latch.enabled = false;
        let summary = audited(&scenario);
        println!(
            "{} steps miss {:e}",
            summary.steps, summary.energy_residual_rel
        );
    }
}
