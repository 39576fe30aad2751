//! Legs as struts, and steps that follow from an accuracy.

#![allow(clippy::unwrap_used)]

use crate::{DockingRun, Scenario, Summary};
use leg_core::config::{EndStops, MotorMode};
use nalgebra::Vector3;
use softdock_platform::PlatformError;
use softdock_platform::body::momentum;
use softdock_platform::config::{Coupling, Fidelity};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::whole_model::WholeModel;

fn struts() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.fidelity = Fidelity::Strut;
    scenario.platform.solver.threads = 1;
    scenario.docking.duration_s = 0.6;
    scenario
}

fn full() -> Scenario {
    let mut scenario = struts();
    scenario.platform.legs.fidelity = Fidelity::Full;
    scenario
}

fn summary(scenario: &Scenario) -> Summary {
    let mut run = DockingRun::new(scenario, false).unwrap();
    run.run().unwrap();
    run.summary().unwrap()
}

/// Independent values of the bowed platform: 352.0468 N/m across, 11684.739 N/m along, 210.9095
/// N·m/rad tilting, 11.9511 N·m/rad about the axis. The elastica does not stretch: 2e-5 of the leaf's
/// part.
#[test]
fn struts_have_the_stiffness_of_the_bowed_platform() {
    let mut platform = StaticPlatform::nominal(&struts().platform).unwrap();
    let stiffness = platform.stiffness();
    for (index, known) in [(0, 352.0468), (2, 11684.739), (3, 210.9095), (5, 11.9511)] {
        let found = stiffness[(index, index)];
        assert!((found / known - 1.0).abs() < 1e-4, "{index}: {found}");
    }
    assert!(platform.stability().unwrap().stable);
    assert!(platform.residual() < 1e-9);
}

/// A docking with locked motors: peak and impulse within 1e-2, the account closes, stress and torque are
/// told.
#[test]
fn a_docking_with_struts_is_near_the_full_one() {
    let (full, strut) = (summary(&full()), summary(&struts()));
    let near = |a: Option<f64>, b: Option<f64>, share: f64| {
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a / b - 1.0).abs() < share, "{a} {b}");
    };
    near(strut.peak_contact_force_n, full.peak_contact_force_n, 1e-2);
    near(strut.contact_impulse_n_s, full.contact_impulse_n_s, 1e-2);
    near(strut.peak_leaf_stress_pa, full.peak_leaf_stress_pa, 2e-2);
    near(
        Some(strut.max_leg_stroke_m),
        Some(full.max_leg_stroke_m),
        2e-2,
    );
    near(
        Some(strut.peak_motor_torque_nm),
        Some(full.peak_motor_torque_nm),
        0.1,
    );
    assert_eq!(strut.outcome, full.outcome);
    assert!(
        strut.energy_residual_rel < 1e-3,
        "{}",
        strut.energy_residual_rel
    );
    assert!(!strut.soundness.is_suspect(), "{}", strut.soundness);
}

/// On a floating base nothing acts from outside: the bodies, which carry the struts' masses, keep their
/// momentum, and the answer is near that of full legs.
#[test]
fn struts_on_a_floating_base_keep_the_momentum() {
    let mut scenario = struts();
    scenario.platform.base.free_floating = true;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    let total = |run: &DockingRun| {
        let platform = run.platform();
        let bodies = platform.world().bodies().all.iter().zip(platform.bodies());
        bodies.fold([Vector3::zeros(); 2], |[p, l], (body, state)| {
            let (own_p, own_l) = momentum(body, state);
            [p + own_p, l + own_l]
        })
    };
    let start = total(&run);
    run.run().unwrap();
    let end = total(&run);
    for (a, b) in start.iter().zip(&end) {
        // The method's second order: 1e-6 of 25 N·s.
        assert!((a - b).norm() < 5e-5, "{a} {b}");
    }
    let strut = run.summary().unwrap();
    let mut scenario = full();
    scenario.platform.base.free_floating = true;
    let full = summary(&scenario);
    let ratio = strut.peak_contact_force_n.unwrap() / full.peak_contact_force_n.unwrap();
    assert!((ratio - 1.0).abs() < 1e-2, "{ratio}");
    assert!(strut.energy_residual_rel < 1e-3);
}

/// Nothing passes the stops of the tendon units, and the account closes over their impacts.
#[test]
fn struts_meet_their_stops() {
    let mut scenario = struts();
    scenario.docking.closing_speed_m_s = 0.1;
    scenario.platform.tendon.end_stops = EndStops::On;
    scenario.platform.tendon.stroke_m = 0.004;
    let found = summary(&scenario);
    // Stops of 1e6 N/m under some hundred newtons.
    assert!(
        found.max_leg_stroke_m < 0.004 + 1e-3,
        "{}",
        found.max_leg_stroke_m
    );
    assert!(found.max_leg_stroke_m > 0.004);
    assert!(
        found.energy_residual_rel < 2e-3,
        "{}",
        found.energy_residual_rel
    );
}

#[test]
fn struts_refuse_what_was_not_tried() {
    let refused = |change: &dyn Fn(&mut Scenario), words: &str| {
        let mut scenario = struts();
        change(&mut scenario);
        let text = scenario.validate().unwrap_err().to_string();
        assert!(
            text.contains("legs.fidelity") && text.contains(words),
            "{text}"
        );
    };
    refused(&|s| s.platform.coupling = Coupling::Implicit, "coupling");
    refused(&|s| s.platform.motor.mode = MotorMode::Hold, "motor.mode");
    refused(
        &|s| {
            s.platform.base.free_floating = true;
            s.platform.gravity_m_s2 = [0.0, 0.0, -9.81];
        },
        "free_floating",
    );
    refused(&|s| s.platform.leaf.rayleigh_stiffness_s = 1e-4, "rayleigh");
    let equilibrium = StaticPlatform::nominal(&struts().platform).unwrap();
    assert!(matches!(
        WholeModel::at_rest(&equilibrium),
        Err(PlatformError::NotAsStruts { .. })
    ));
}

/// With an accuracy, steps are as long as the motion allows; rows of output are made between them, and
/// neither their interval nor whether they are kept changes anything.
#[test]
fn rows_of_output_do_not_limit_steps() {
    let mut scenario = struts();
    scenario.platform.solver.accuracy = Some(1e-3);
    let run = |interval: f64, keep: bool| {
        let mut scenario = scenario.clone();
        scenario.docking.output_interval_s = interval;
        let mut run = DockingRun::new(&scenario, keep).unwrap();
        run.run().unwrap();
        run
    };
    let (fine, coarse, unkept) = (run(0.5e-3, true), run(0.02, true), run(0.02, false));
    let figures = |run: &DockingRun| {
        let summary = run.summary().unwrap();
        (
            summary.peak_contact_force_n,
            summary.contact_impulse_n_s,
            summary.steps,
            summary.energy_residual_rel,
        )
    };
    assert_eq!(figures(&fine), figures(&coarse));
    assert_eq!(figures(&fine), figures(&unkept));
    assert_eq!(fine.samples().len(), 1201);
    assert_eq!(coarse.samples().len(), 31);
    assert!(figures(&fine).2 < 600, "{:?}", figures(&fine));
    for sample in coarse.samples() {
        let same = fine
            .samples()
            .iter()
            .find(|other| (other.time - sample.time).abs() < 1e-9)
            .unwrap();
        let away = multibody::group::Group::between(&sample.effector, &same.effector);
        assert!(multibody::group::Group::translation(&away).norm() < 1e-12);
    }
    // Between the ends of steps the velocity is the rate of the pose.
    for pair in fine.samples().windows(2) {
        let way = multibody::group::Group::between(&pair[0].effector, &pair[1].effector);
        let way = multibody::group::Group::log(&way).unwrap();
        let mean = (pair[0].effector_twist + pair[1].effector_twist) * 0.5 * 0.5e-3;
        assert!((way - mean).norm() < 2e-6, "{}", pair[0].time);
    }
}

/// Dockings around the default, drawn from a fixed sequence of golden ratios.
fn drawn(index: usize) -> Scenario {
    let mut scenario = full();
    let share = |k: usize| {
        let ratios = [0.7549, 0.5698, 0.4302, 0.3247, 0.8192];
        (0.5 + ratios[k] * (index + 1) as f64).fract()
    };
    let docking = &mut scenario.docking;
    docking.duration_s = 3.0;
    docking.closing_speed_m_s = 0.03 + 0.07 * share(0);
    docking.misalignment.pitch_deg = -8.0 + 16.0 * share(1);
    docking.misalignment.yaw_deg = -8.0 + 16.0 * share(2);
    docking.misalignment.lateral_x_m = -0.03 + 0.06 * share(3);
    docking.target.mass_kg = 250.0 + 750.0 * share(4);
    scenario
}

/// Errors of peak force and impulse of struts, and of an accuracy of 1e-3, against 20 elements and 0.5
/// ms, with the time of a docking; takes a minute.
#[test]
#[ignore = "takes a minute"]
fn survey_of_random_dockings() {
    let mut worst = [[0.0_f64; 2]; 2];
    let mut times = [0.0_f64; 2];
    let count = 10;
    for index in 0..count {
        let mut fine = drawn(index);
        fine.platform.legs.elements = 20;
        fine.platform.solver.step_s = 0.5e-3;
        let fine = summary(&fine);
        let settings = [Fidelity::Full, Fidelity::Strut];
        for (k, fidelity) in settings.into_iter().enumerate() {
            let mut scenario = drawn(index);
            scenario.platform.legs.fidelity = fidelity;
            scenario.platform.solver.accuracy = Some(1e-3);
            let start = std::time::Instant::now();
            let found = summary(&scenario);
            times[k] += start.elapsed().as_secs_f64() / count as f64;
            let off = |a: Option<f64>, b: Option<f64>| (a.unwrap() / b.unwrap() - 1.0).abs();
            let peak = off(found.peak_contact_force_n, fine.peak_contact_force_n);
            let impulse = off(found.contact_impulse_n_s, fine.contact_impulse_n_s);
            println!(
                "{index} {fidelity:?}: peak {peak:.1e}, impulse {impulse:.1e}, {} steps, {} iterations, \
                 {} against {}",
                found.steps, found.iterations, found.outcome, fine.outcome
            );
            worst[k] = [worst[k][0].max(peak), worst[k][1].max(impulse)];
            assert_eq!(found.outcome, fine.outcome);
        }
    }
    println!("{worst:?}, {times:?} s by the wall");
    assert!(worst[0][0] < 3e-3 && worst[1][0] < 1e-2, "{worst:?}");
}

/// Full legs at an accuracy of 1e-3 against ten elements and 1 ms.
#[test]
fn an_accuracy_is_kept_by_full_legs() {
    let fixed = summary(&full());
    let mut scenario = full();
    scenario.platform.solver.accuracy = Some(1e-3);
    let free = summary(&scenario);
    let ratio = free.peak_contact_force_n.unwrap() / fixed.peak_contact_force_n.unwrap();
    println!(
        "{} steps against {}, peak off by {:.1e}",
        free.steps,
        fixed.steps,
        ratio - 1.0
    );
    assert!((ratio - 1.0).abs() < 2e-3, "{ratio}");
    assert!(3 * free.steps < 2 * fixed.steps);
    assert_eq!(free.outcome, fixed.outcome);
}
