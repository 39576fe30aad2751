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
