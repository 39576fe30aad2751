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
    arguments.push("--json");
    // Pulled so hard the leaf is strained beyond its model: the result is suspect, its labels hold.
    let output = folder.command(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report = serde_json::from_slice(&output.stdout).unwrap();
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

/// Extremes and verdicts are those of the steps, however few rows are asked for.
#[test]
fn what_happens_between_rows_counts() {
    for spatial in [false, true] {
        let folder = Folder::new();
        let run = |rows: &str| {
            let mut arguments = vec!["leg"];
            if spatial {
                arguments.push("spatial");
            }
            arguments.push("simulate");
            arguments.extend(["--set", "solver.elements=4", "--duration", "0.3"]);
            arguments.extend(["--output-step", rows, "--json"]);
            let output = folder.command(&arguments).output().unwrap();
            serde_json::from_slice::<serde_json::Value>(&output.stdout)
                .unwrap_or_else(|_| panic!("{output:?}"))
        };
        let (fine, coarse) = (run("1e-3"), run("0.3"));
        for key in [
            "soundness",
            "largest_crank_turn_rad",
            "tendon_tension_range_n",
            "peak_crank_torque_nm",
            "slack_time_s",
            "energy_residual_rel",
        ] {
            // The steps are the same to rounding of their times.
            let (a, b) = (&fine[key], &coarse[key]);
            let same = match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(1e-3),
                _ if key == "tendon_tension_range_n" => (0..2).all(|i| {
                    let (a, b) = (a[i].as_f64().unwrap(), b[i].as_f64().unwrap());
                    (a - b).abs() <= 1e-6 * a.abs().max(1e-3)
                }),
                _ => a == b,
            };
            assert!(same, "{key}: {a} with many rows, {b} with two");
        }
    }
}
