//! Legs that regulate by themselves against one regulator for all of them.

use leg_core::config::MotorMode;
use softdock_docking::control::Structure;
use softdock_docking::setup::resting_platform;
use softdock_docking::{DockingRun, Law, Scenario};
use softdock_platform::leg_regulator::LegRegulator;
use softdock_platform::regulator::{Regulator, RegulatorSettings};

fn scenario() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = MotorMode::Torque;
    scenario.platform.motor.torque_limit_nm = 10.0;
    scenario.docking.regulator.law = Law::Lqr;
    scenario
}

/// The motors hold the platform by themselves, and the centre does it at a lower cost.
#[test]
fn legs_that_see_only_their_motors_pay_more_than_the_centre() {
    let equilibrium = resting_platform(&scenario()).unwrap();
    let settings = RegulatorSettings::default();
    let legs = LegRegulator::new(&equilibrium, &settings).unwrap();
    let central = Regulator::new(&equilibrium, &settings).unwrap();
    let least = legs.cost_of(&central, &settings).unwrap();
    println!("{:?}, central {least}", legs.found);
    assert!(least > 0.0 && least < legs.found.cost);
    assert!(legs.found.gains.iter().all(|gain| *gain > 0.0));
}

/// The docking of `motors-lqr` with a regulator in every leg, the weights being the same: the account
/// closes, no torque is beyond its limit, and the contact is harder than under one regulator, softer
/// than with locked motors.
#[test]
fn legs_that_regulate_by_themselves_brake_less_than_the_centre() {
    let peak = |structure: Structure| {
        let mut scenario = scenario();
        scenario.docking.regulator.structure = structure;
        scenario.docking.duration_s = 0.3;
        scenario.docking.output_interval_s = 0.01;
        let mut run = DockingRun::new(&scenario, true).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        assert!(
            summary.energy_residual_rel < 1e-3,
            "{}",
            summary.energy_residual_rel
        );
        let legs = run.samples().iter().flat_map(|sample| &sample.legs);
        let largest = legs
            .map(|leg| leg.view.motor_torque.abs())
            .fold(0.0, f64::max);
        assert!(largest <= 10.0, "{largest}");
        println!(
            "{structure:?}: {:?} {:?}",
            summary.outcome, summary.peak_contact_force_n
        );
        summary.peak_contact_force_n.unwrap()
    };
    let (central, per_leg) = (peak(Structure::Central), peak(Structure::PerLeg));
    assert!(central < per_leg && per_leg < 74.0, "{central} {per_leg}");
}
