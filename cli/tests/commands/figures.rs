//! Figures of simulations of leg and platform, computed once more from their rows.

use super::folder::{Folder, number};
use serde_json::Value;

/// The same number, summed or printed in another order.
const SAME: f64 = 1e-12;
/// A tendon of the platform below this is slack [N].
const SLACK: f64 = 0.05;

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values
        .into_iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()))
}

fn range(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    values
        .into_iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(value), high.max(value)]
        })
}

fn agrees(report: &Value, key: &str, computed: f64) {
    let told = number(report, key);
    let allowed = SAME * computed.abs().max(1.0);
    assert!(
        (told - computed).abs() <= allowed,
        "{key}: told {told}, computed {computed}"
    );
}

/// The same numbers, of which JSON is read to within one unit in the last place.
fn same_list<const N: usize>(told: &Value, computed: [f64; N]) {
    let told: Vec<f64> = serde_json::from_value(told.clone()).unwrap();
    assert_eq!(told.len(), N);
    for (told, computed) in told.iter().zip(computed) {
        let allowed = f64::EPSILON * computed.abs();
        assert!((told - computed).abs() <= allowed, "{told} {computed}");
    }
}

/// A platform on the ground, pushed, its motors giving way.
#[test]
fn figures_of_a_pushed_platform_are_those_of_its_rows() {
    let folder = Folder::within(&["platform"]);
    let report = folder.json(&[
        "simulate",
        "--duration",
        "0.2",
        "--output-step",
        "1e-3",
        "--out",
        ".",
        "--set",
        "legs.elements=4",
        "--set",
        "motor.mode=hold",
        "--set",
        "motor.range_rad=0.1",
        // Impacts on stops pass between rows.
        "--set",
        "motor.end_stops=off",
        "--set",
        "tendon.end_stops=off",
        "--set",
        "gravity_m_s2=[0, 0, -9.81]",
        "--set",
        "wrench.force_z_n={ kind = 'step', time_s = 0.01, after = -300.0 }",
        "--set",
        "wrench.moment_x_nm={ kind = 'step', time_s = 0.05, after = 3.0 }",
    ]);
    let column = |name: &str| folder.column("platform.csv", name);
    let rows = column("time_s").len();
    let norms = |names: [&str; 3]| -> Vec<f64> {
        let [x, y, z] = names.map(column);
        let start = if names[0] == "x" {
            [x[0], y[0], z[0]]
        } else {
            [0.0; 3]
        };
        let square = |i: usize| [x[i] - start[0], y[i] - start[1], z[i] - start[2]].map(|v| v * v);
        (0..rows)
            .map(|i| square(i).iter().sum::<f64>().sqrt())
            .collect()
    };
    agrees(
        &report,
        "largest_displacement_m",
        largest(norms(["x", "y", "z"])),
    );
    agrees(
        &report,
        "largest_speed_m_s",
        largest(norms(["vx", "vy", "vz"])),
    );
    let legs = |name: &str| -> Vec<Vec<f64>> {
        (1..=6)
            .map(|leg| column(&format!("{name}_{leg}")))
            .collect()
    };
    let forces = (1..=6).map(|leg| {
        let names = ["x", "y", "z"].map(|axis| format!("f{leg}_{axis}"));
        largest(norms([&names[0], &names[1], &names[2]]))
    });
    agrees(&report, "largest_leg_force_n", largest(forces));
    let tensions = legs("tendon_tension");
    let [low, high] = range(tensions.iter().flatten().copied());
    same_list(&report["tendon_tension_range_n"], [low, high]);
    let slack = tensions
        .iter()
        .flat_map(|leg| &leg[1..])
        .filter(|tension| **tension < SLACK)
        .count();
    assert!((number(&report, "slack_time_s") - 1e-3 * slack as f64).abs() < 1e-9);
    assert!(slack > 10, "no tendon goes slack");
    agrees(
        &report,
        "largest_motor_torque_nm",
        largest(legs("motor_torque").concat()),
    );
    let angles = legs("motor_angle");
    let turns = angles
        .iter()
        .flat_map(|leg| leg.iter().map(|angle| angle - leg[0]));
    agrees(&report, "largest_motor_turn_rad", largest(turns));
    // The default platform is pre-tensioned at a crank angle of zero.
    let used = largest(angles.concat()) / 0.1;
    agrees(&report, "largest_motor_range_use", used);
    assert!(used > 0.0);
    agrees(&report, "largest_joint_gap_m", largest(column("joint_gap")));
    agrees(
        &report,
        "largest_energy_residual_j",
        largest(column("residual")),
    );
    let last = |name: &str| *column(name).last().unwrap();
    agrees(&report, "wrench_work_j", last("wrench_work"));
    agrees(&report, "motor_work_j", last("motor_work"));
    agrees(&report, "dissipated_j", last("dissipated"));
    agrees(&report, "simulated_s", 0.2);
    same_list(
        &report["final_position_m"],
        [last("x"), last("y"), last("z")],
    );
    let attitude = [last("pitch"), last("yaw"), last("roll")];
    same_list(&report["final_attitude_rad"], attitude);
    account(
        &folder,
        "platform.csv",
        &["wrench_work", "actuator_work", "motor_work"],
    );
    // Work of the wrench from the path that it pushes along: the force along z alone, and the small
    // turn about x.
    let (z, t) = (column("z"), column("time_s"));
    let pushed: f64 = (1..rows)
        .filter(|&i| t[i] > 0.01 + 1e-9)
        .map(|i| -300.0 * (z[i] - z[i - 1]))
        .sum();
    let pitch = column("pitch");
    let turned: f64 = (1..rows)
        .filter(|&i| t[i] > 0.05 + 1e-9)
        .map(|i| 3.0 * (pitch[i] - pitch[i - 1]))
        .sum();
    let told = number(&report, "wrench_work_j");
    assert!(
        (told - pushed - turned).abs() < 1e-3 * told,
        "{told} {pushed} {turned}"
    );
}

/// Energies of the rows add up to the residual that the rows show.
fn account(folder: &Folder, file: &str, works: &[&str]) {
    let column = |name: &str| folder.column(file, name);
    let stored: Vec<Vec<f64>> = ["kinetic", "strain", "tendon", "gravity"]
        .map(column)
        .to_vec();
    let works: Vec<Vec<f64>> = works.iter().map(|name| column(name)).collect();
    let (lost, residual) = (column("dissipated"), column("residual"));
    for i in 0..lost.len() {
        let change: f64 = stored.iter().map(|part| part[i] - part[0]).sum();
        let work: f64 = works.iter().map(|part| part[i]).sum();
        let missing = change - work + lost[i];
        assert!(
            (missing - residual[i]).abs() < 1e-9,
            "row {i}: {missing} {}",
            residual[i]
        );
    }
}

/// A leg released under gravity, its motor holding softly.
#[test]
fn figures_of_a_released_leg_are_those_of_its_rows() {
    let folder = Folder::within(&["leg"]);
    let report = folder.json(&[
        "simulate",
        "--duration",
        "0.5",
        "--output-step",
        "1e-3",
        "--out",
        ".",
        "--set",
        "solver.elements=4",
        "--set",
        "motor.mode=hold",
        "--set",
        "motor.hold_stiffness_nm_per_rad=20",
        "--set",
        "load.force_y_n={ kind = 'step', time_s = 0.1, after = -60.0 }",
    ]);
    let column = |name: &str| folder.column("leg.csv", name);
    let q1 = column("q1");
    agrees(
        &report,
        "largest_crank_turn_rad",
        largest(q1.iter().map(|q| q - q1[0])),
    );
    agrees(
        &report,
        "peak_crank_torque_nm",
        largest(column("crank_torque")),
    );
    agrees(&report, "largest_loop_gap_m", largest(column("loop_gap")));
    agrees(
        &report,
        "largest_energy_residual_j",
        largest(column("residual")),
    );
    agrees(&report, "simulated_s", 0.5);
    let range = range(column("tendon_tension"));
    assert_eq!(report["tendon_tension_range_n"], serde_json::json!(range));
    account(&folder, "leg.csv", &["work_in"]);
}
