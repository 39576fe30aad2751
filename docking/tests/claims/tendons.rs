//! Tendons that a controller pulls at, beside the motors.

use leg_core::config::MotorMode;
use nalgebra::DVector;
use softdock_docking::control::RegulatorInputs;

use softdock_docking::{Controller, DockingError, DockingRun, Law, Scenario, Seen};

/// A docking under a regulator that spends its torques more freely than the shipped one.
fn firm(inputs: RegulatorInputs) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = MotorMode::Torque;
    scenario.platform.motor.torque_limit_nm = 10.0;
    let docking = &mut scenario.docking;
    docking.regulator.law = Law::Lqr;
    docking.regulator.inputs = inputs;
    docking.regulator.effort_weight_per_n2_m2 = 0.1;
    docking.regulator.tendon_effort_weight_per_n2 = 1e-4;
    docking.regulator.tendon_force_limit_n = 40.0;
    docking.duration_s = 0.25;
    docking.output_interval_s = 0.01;
    scenario
}

/// What winches buy: a softer first contact under the same weights, tendons that stay taut, a ledger that
/// closes with their work in it. A tendon pulls between crank and end effector; what the leg gives for
/// long is what its motor holds, so the gain is small.
#[test]
fn winches_soften_the_first_contact_a_little() {
    let peak = |inputs| {
        let mut run = DockingRun::new(&firm(inputs), false).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        assert!(!run.soundness().is_suspect());
        assert!(
            summary.energy_residual_rel < 1e-3,
            "{}",
            summary.energy_residual_rel
        );
        let [least, most] = summary.tendon_tension_range_n;
        println!(
            "{inputs:?}: {:?} N, tension {least} to {most} N",
            summary.peak_contact_force_n
        );
        assert!(least > 0.05);
        summary.peak_contact_force_n.unwrap()
    };
    let motors = peak(RegulatorInputs::Motors);
    let both = peak(RegulatorInputs::MotorsAndTendons);
    assert!(
        both < 0.97 * motors && both > 0.85 * motors,
        "{both} {motors}"
    );
}

/// Asks for the same always.
#[derive(Debug)]
struct Always(Vec<f64>);

impl Controller for Always {
    fn period_s(&self) -> f64 {
        1e-3
    }

    fn torques(&mut self, _seen: &Seen<'_>) -> softdock_docking::Result<DVector<f64>> {
        Ok(DVector::from_column_slice(&self.0))
    }
}

/// Tensions of all tendons after 50 ms under a controller from outside, before the target comes.
fn tensions(commands: &[f64]) -> Result<Vec<f64>, DockingError> {
    let mut scenario = firm(RegulatorInputs::Motors);
    scenario.docking.regulator.law = Law::External;
    scenario.docking.initial_gap_m = 1.0;
    scenario.docking.regulator.tendon_force_limit_n = 15.0;
    let mut commands = commands.to_vec();
    // The torques that hold the platform.
    let resting = DockingRun::new(&scenario, false)?;
    for (torque, held) in commands.iter_mut().zip(resting.holding_torques()) {
        *torque = *held;
    }
    let controller = Box::new(Always(commands));
    let mut run = DockingRun::with_controller(&scenario, false, controller)?;
    run.advance_to(0.05)?;
    let legs = 0..run.platform().leg_count();
    Ok(legs
        .map(|leg| run.platform().leg(leg).tendon_tension)
        .collect())
}

/// A controller from outside moves tendons by asking for two numbers a leg, within the limit of the
/// pulls; any other count is refused by name.
#[test]
fn a_controller_from_outside_pulls_within_its_limit() {
    let pulls = |pull: f64| [vec![0.0; 6], vec![pull; 6]].concat();
    let rest = tensions(&[0.0; 6]).unwrap();
    for (asked, given) in [(10.0, 10.0), (1e4, 15.0), (-1e4, -15.0)] {
        let found = tensions(&pulls(asked)).unwrap();
        let limited = tensions(&pulls(given)).unwrap();
        assert_eq!(found, limited, "{asked} N");
        let moved = found
            .iter()
            .zip(&rest)
            .map(|(a, b)| (a - b) * given.signum());
        println!("{asked} N: {found:?} from {rest:?}");
        assert!(moved.into_iter().all(|by| by > 0.0));
    }
    let refused = tensions(&[0.0; 8]).unwrap_err().to_string();
    assert!(
        refused.contains("8 numbers") && refused.contains("6 pulls"),
        "{refused}"
    );
}
