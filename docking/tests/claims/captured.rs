//! What happens behind a capture: everything comes to rest, and nothing from outside moves it.

use leg_core::config::MotorMode;
use nalgebra::Vector3;
use softdock_docking::{DockingRun, Law, Scenario};
use softdock_platform::audit::total_momentum;

/// Two floating vehicles under a regulator, the latch closing early.
fn captured_early(law: Law) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.base.free_floating = true;
    scenario.platform.motor.mode = MotorMode::Torque;
    scenario.platform.solver.step_s = 2e-4;
    let docking = &mut scenario.docking;
    docking.regulator.law = law;
    docking.misalignment.pitch_deg = 3.0;
    docking.misalignment.yaw_deg = 1.0;
    docking.duration_s = 0.3;
    docking.output_interval_s = 0.01;
    let latch = &mut docking.contact.latch;
    (latch.angle_deg, latch.speed_m_s, latch.dwell_s) = (5.0, 0.1, 0.02);
    scenario
}

/// What a regulator does is between the vehicles: momentum and angular momentum of everything stay
/// within 1e-9 of what the target brings, through touch, capture and the regulator's taking over.
#[test]
fn a_regulated_capture_keeps_the_momentum_of_floating_vehicles() {
    for law in [Law::Lqr, Law::Impedance] {
        let mut run = DockingRun::new(&captured_early(law), true).unwrap();
        let of = |run: &DockingRun| -> (Vector3<f64>, Vector3<f64>) {
            total_momentum(run.platform().monolithic().unwrap()).unwrap()
        };
        let (linear, angular) = of(&run);
        let mut drift = [0.0_f64; 2];
        while !run.finished() {
            run.advance().unwrap();
            let (p, l) = of(&run);
            drift[0] = drift[0].max((p - linear).norm() / linear.norm());
            drift[1] = drift[1].max((l - angular).norm() / linear.norm());
        }
        let summary = run.summary().unwrap();
        println!(
            "{law:?}: captured at {:?} s, drift {drift:?}",
            summary.capture_time_s
        );
        assert!(summary.capture_time_s.is_some_and(|time| time < 0.2));
        assert!(summary.peak_motor_torque_nm > 0.1);
        assert!(
            drift.iter().all(|drift| *drift < 1e-9),
            "{law:?}: {drift:?}"
        );
    }
}

/// Motors whose torque changes by 5 N·m/s at most bring a captured target to rest, too: the regulators
/// know what acts, and what takes over behind the latch asks for no faster changes. (Before they did, the
/// platform swung between its stops.)
#[test]
fn motors_of_limited_rate_bring_a_capture_to_rest() {
    for law in [Law::Lqr, Law::Impedance] {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 3;
        scenario.platform.motor.mode = MotorMode::Torque;
        scenario.platform.motor.torque_limit_nm = 10.0;
        scenario.platform.motor.torque_rate_limit_nm_per_s = 5.0;
        scenario.docking.regulator.law = law;
        scenario.docking.misalignment.pitch_deg = 4.0;
        scenario.docking.closing_speed_m_s = 0.05;
        scenario.docking.duration_s = 9.0;
        let mut run = DockingRun::new(&scenario, false).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        let settled = summary.first_touch_s.unwrap() + summary.settling_time_s.unwrap();
        println!(
            "{law:?}: captured at {:?} s, at rest at {settled} s, range use {:?}",
            summary.capture_time_s, summary.max_motor_range_use
        );
        assert!(summary.capture_time_s.is_some() && !summary.soundness.is_suspect());
        assert!(summary.margins.all_met(), "{law:?}: {:?}", summary.margins);
    }
}
