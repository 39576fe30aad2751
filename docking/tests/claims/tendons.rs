//! Tendons that a controller pulls at, beside the motors.

use leg_core::config::MotorMode;
use nalgebra::DVector;
use softdock_docking::control::RegulatorInputs;

use softdock_docking::{Controller, DockingError, DockingRun, Law, Scenario, Seen};

/// The default encounter, motors locked or free.
fn docking(mode: MotorMode, law: Law) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = mode;
    let docking = &mut scenario.docking;
    docking.regulator.law = law;
    docking.duration_s = 0.3;
    docking.output_interval_s = 0.01;
    scenario
}

/// What winches alone do beside locked motors under a regulator that holds the pose: the platform becomes
/// stiffer, the contact harder (74 to 86 N), and what swings behind it comes to rest sooner. Tendons stay
/// taut, and the ledger closes with the work of the winches in it.
#[test]
fn winches_that_hold_the_pose_stiffen_locked_motors_and_calm_them() {
    let docked = |inputs: Option<RegulatorInputs>| {
        let law = inputs.map_or(Law::None, |_| Law::Lqr);
        let mut scenario = docking(MotorMode::Locked, law);
        scenario.docking.regulator.inputs = inputs.unwrap_or_default();
        scenario.docking.duration_s = 3.0;
        let mut run = DockingRun::new(&scenario, false).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        assert!(!run.soundness().is_suspect());
        assert!(
            summary.energy_residual_rel < 1e-3,
            "{}",
            summary.energy_residual_rel
        );
        let [least, most] = summary.tendon_tension_range_n;
        let work = summary.energy.motor_work_j;
        println!(
            "{inputs:?}: {:?} N, tension {least} to {most} N, work {work} J",
            summary.peak_contact_force_n
        );
        assert!(least >= 0.0 && (work.abs() > 1e-6) == inputs.is_some());
        let settled = summary.settling_time_s.unwrap();
        (summary.peak_contact_force_n.unwrap(), settled)
    };
    let (locked, pulled) = (docked(None), docked(Some(RegulatorInputs::Tendons)));
    println!("{locked:?} {pulled:?}");
    assert!(pulled.0 > 1.05 * locked.0 && pulled.0 < 1.25 * locked.0);
    assert!(pulled.1 < 0.9 * locked.1);
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

/// Lengths of all tendons after 50 ms under a controller from outside, before the target comes.
fn lengths(commands: &[f64]) -> Result<Vec<f64>, DockingError> {
    let mut scenario = docking(MotorMode::Torque, Law::External);
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
        .map(|leg| run.platform().leg(leg).tendon_length)
        .collect())
}

/// A controller from outside moves tendons by asking for two numbers a leg, within the limit of the
/// pulls; any other count is refused by name.
#[test]
fn a_controller_from_outside_pulls_within_its_limit() {
    let pulls = |pull: f64| [vec![0.0; 6], vec![pull; 6]].concat();
    let rest = lengths(&[0.0; 6]).unwrap();
    for (asked, given) in [(10.0, 10.0), (1e4, 15.0), (-1e4, -15.0)] {
        let found = lengths(&pulls(asked)).unwrap();
        let limited = lengths(&pulls(given)).unwrap();
        assert_eq!(found, limited, "{asked} N");
        let moved = found
            .iter()
            .zip(&rest)
            .map(|(a, b)| (b - a) * given.signum());
        println!("{asked} N: {found:?} from {rest:?}");
        // The damper lets 10 N shorten it by 7 mm/s at most.
        assert!(moved.into_iter().all(|by| by > 1e-4));
    }
    let refused = lengths(&[0.0; 8]).unwrap_err().to_string();
    assert!(
        refused.contains("8 numbers") && refused.contains("6 pulls"),
        "{refused}"
    );
}
