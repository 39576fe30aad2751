//! Legs of few coordinates against full ones, over everything that they were tried with.

#![allow(clippy::unwrap_used)]

use crate::{DockingRun, Scenario, Summary};
use leg_core::config::{LeafSection, MotorMode};
use softdock_platform::config::{Coupling, Fidelity};

fn scenario(fidelity: Fidelity) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.fidelity = fidelity;
    scenario.platform.solver.threads = 1;
    scenario.platform.solver.accuracy = Some(1e-3);
    scenario.docking.duration_s = 0.5;
    scenario
}

fn summary(scenario: &Scenario) -> Summary {
    let mut run = DockingRun::new(scenario, false).unwrap();
    run.run().unwrap();
    run.summary().unwrap()
}

/// What differs between two dockings that should be the same.
type Change = fn(&mut Scenario);

/// Largest deviations of peak force, impulse, motor torque and stress from those of full legs: 2.3e-4 where
/// steps are equal; half of what an accuracy of 1e-3 leaves open.
const AGREES: f64 = 5e-4;

/// Motors locked and held, gravity, the strip, an aligned impact under which tendons go slack.
#[test]
fn reduced_legs_dock_like_full_ones() {
    let changes: [Change; 5] = [
        |_| {},
        |scenario| scenario.platform.motor.mode = MotorMode::Hold,
        |scenario| scenario.platform.gravity_m_s2 = [0.0, 0.0, -9.81],
        |scenario| scenario.platform.leaf.section = LeafSection::Strip,
        |scenario| {
            scenario.docking.closing_speed_m_s = 0.1;
            scenario.docking.misalignment.pitch_deg = 0.0;
            scenario.docking.duration_s = 0.2;
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let [full, reduced] = [Fidelity::Full, Fidelity::Reduced].map(|fidelity| {
            let mut scenario = scenario(fidelity);
            change(&mut scenario);
            summary(&scenario)
        });
        let near = |name: &str, a: Option<f64>, b: Option<f64>| {
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!((a / b - 1.0).abs() < AGREES, "{index}: {name} {a} {b}");
        };
        near(
            "peak",
            reduced.peak_contact_force_n,
            full.peak_contact_force_n,
        );
        near(
            "impulse",
            reduced.contact_impulse_n_s,
            full.contact_impulse_n_s,
        );
        near(
            "torque",
            Some(reduced.peak_motor_torque_nm),
            Some(full.peak_motor_torque_nm),
        );
        near(
            "stress",
            reduced.peak_leaf_stress_pa,
            full.peak_leaf_stress_pa,
        );
        assert_eq!(reduced.outcome, full.outcome, "{index}");
        let missing = reduced.energy.residual_j.abs() / reduced.energy.brought_in_j;
        assert!(missing < 5e-4, "{index}: the account misses {missing:e}");
    }
}

/// The same motion for any number of threads, to the bit.
#[test]
fn threads_do_not_matter_to_reduced_legs() {
    let peak = |threads: usize| {
        let mut scenario = scenario(Fidelity::Reduced);
        scenario.docking.duration_s = 0.15;
        scenario.platform.solver.threads = threads;
        let summary = summary(&scenario);
        (
            summary.peak_contact_force_n.map(f64::to_bits),
            summary.steps,
        )
    };
    assert_eq!(peak(1), peak(2));
}

#[test]
fn what_reduced_legs_were_not_tried_with_is_refused() {
    let changes: [(Change, &str); 3] = [
        (
            |scenario| scenario.platform.base.free_floating = true,
            "base.free_floating",
        ),
        (
            |scenario| {
                scenario.platform.coupling = Coupling::Implicit;
                scenario.platform.solver.accuracy = None;
            },
            "coupling",
        ),
        (
            |scenario| scenario.platform.leaf.curvature_per_m = 0.5,
            "leaf.curvature_per_m",
        ),
    ];
    for (change, words) in changes {
        let mut scenario = scenario(Fidelity::Reduced);
        change(&mut scenario);
        let text = match DockingRun::new(&scenario, false) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{words} is not refused"),
        };
        assert!(text.contains("reduced") && text.contains(words), "{text}");
    }
}
