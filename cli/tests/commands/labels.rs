//! Figures and columns against what was set and against the time series.

use super::folder::{Folder, number};

/// A table: names of the columns, and rows.
fn table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned);
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect());
    (header.collect(), rows.collect())
}

/// Time for which the tensions in these columns were below a threshold, each counted by itself [s].
fn time_below(threshold: f64, columns: &[usize], rows: &[Vec<f64>]) -> f64 {
    let pairs = rows.windows(2);
    pairs
        .map(|pair| {
            let slack = columns.iter().filter(|&&c| pair[1][c] < threshold).count();
            slack as f64 * (pair[1][0] - pair[0][0])
        })
        .sum()
}

/// Sums of some hundred times.
const ROUNDING: f64 = 1e-9;

/// Checks a slack time against a table; the threshold matters in it.
fn check_slack_time(reported: f64, threshold: f64, text: &str) {
    let (header, rows) = table(text);
    let is_tension = |i: &usize| header[*i].starts_with("tendon_tension");
    let columns: Vec<usize> = (0..header.len()).filter(is_tension).collect();
    let expected = time_below(threshold, &columns, &rows);
    assert!(expected > 0.0);
    for other in [1e-6 * threshold, 1e3 * threshold] {
        let wrong = time_below(other, &columns, &rows);
        assert!(
            other < threshold || wrong > expected + ROUNDING,
            "{other} N"
        );
    }
    assert!(
        (reported - expected).abs() < ROUNDING,
        "{reported} s, not {expected} s"
    );
}

#[test]
fn slack_time_is_the_time_below_the_threshold() {
    let folder = Folder::new();
    let coarse = ["--set", "solver.elements=4", "--duration", "0.3"];
    let mut arguments = vec!["leg", "simulate", "--set", "motor.torque_nm=-5"];
    arguments.extend(coarse);
    let report = folder.json(&arguments);
    // A tendon counts as slack below the width of its corner: 0.01 N.
    check_slack_time(
        number(&report, "slack_time_s"),
        0.01,
        &folder.read("leg.csv"),
    );
}

/// Motor angles of the legs [rad].
const MOTORS: [f64; 6] = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06];

#[test]
fn legs_have_their_own_angles_and_slack_times() {
    let folder = Folder::new();
    let motors = format!("legs.q1_rad={MOTORS:?}");
    let push = "wrench.force_z_n={kind=\"sine\",amplitude=600,frequency_hz=15}";
    let mut arguments = vec!["platform", "simulate", "--duration", "0.1"];
    for setting in [motors.as_str(), push, "legs.elements=4"] {
        arguments.extend(["--set", setting]);
    }
    let report = folder.json(&arguments);
    let text = folder.read("platform.csv");
    check_slack_time(number(&report, "slack_time_s"), 0.02, &text);
    let (header, rows) = table(&text);
    for (leg, angle) in (1..).zip(MOTORS) {
        let name = format!("motor_angle_{leg}");
        let column = header.iter().position(|known| *known == name).unwrap();
        // Locked: the angles stay.
        for row in &rows {
            assert!(
                (row[column] - angle).abs() < ROUNDING,
                "{name}: {}",
                row[column]
            );
        }
    }
}
