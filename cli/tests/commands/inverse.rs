//! What motors must do for a motion: the leg and the platform.

use super::folder::{Folder, number};

/// Held still in the published posture: the holding torques of the reference, as near as ten elements are.
#[test]
fn a_leg_that_stands_still_needs_its_holding_torques() {
    let folder = Folder::new();
    folder.write("still.csv", "time_s,q1_rad,q3_rad\n0,0,0\n0.05,0,0\n");
    let found = folder.json(&["leg", "inverse", "--motion", "still.csv", "--out", "o"]);
    for (motor, expected) in [(0, 0.720313), (1, 1.111082)] {
        let torque = number(&found["motors"][motor], "peak_torque_nm");
        assert!((torque - expected).abs() < 1e-3, "{torque} {expected}");
    }
    let table = folder.read("o/inverse.csv");
    assert!(table.starts_with("time_s,motor_1_angle_rad,motor_2_angle_rad,"));
    // Force of the crank on the leaf, from which the tendon's pull has to be taken: the reference has the leaf alone.
    assert!(table.contains("tendon_tension_n"));
}

/// The energy that the motors give is what the ledger says, and a start elsewhere is refused with the place.
#[test]
fn a_moving_leg_is_led_and_a_wrong_start_refused() {
    let folder = Folder::new();
    folder.write(
        "move.csv",
        "time_s,q1_rad\n0,0\n0.1,0.02\n0.2,0.05\n0.3,0.05\n",
    );
    let found = folder.json(&["leg", "inverse", "--motion", "move.csv"]);
    assert_eq!(found["soundness"], "sound");
    let range = &found["motors"][0]["angle_range_rad"];
    assert!((range[1].as_f64().unwrap() - 0.05).abs() < 5e-3, "{range}");
    folder.write("far.csv", "time_s,q1_rad\n0,0.3\n1,0.4\n");
    let said = folder.refused(2, &["leg", "inverse", "--motion", "far.csv"]);
    assert!(said.contains("begins at 0.3"), "{said}");
    folder.write("late.csv", "time_s,q1_rad\n1,0\n2,0.1\n");
    let said = folder.refused(2, &["leg", "inverse", "--motion", "late.csv"]);
    assert!(said.contains("begins at 0"), "{said}");
}

/// Up and down by 4 mm in 0.4 s: the end effector stays near its path, and the motors' torques near those that
/// hold it at rest under its inertia.
#[test]
fn the_platform_follows_a_path() {
    let folder = Folder::new();
    let mut rows = String::from("time_s,z_m\n");
    for i in 0..=20 {
        let t = 0.02 * f64::from(i);
        let z = 0.4 - 0.002 * (1.0 - (std::f64::consts::TAU * t / 0.4).cos());
        rows.push_str(&format!("{t},{z}\n"));
    }
    folder.write("path.csv", &rows);
    let motion = ["platform", "inverse", "--motion", "path.csv", "--out", "o"];
    let found = folder.json(&[&motion[..], &["--set", "legs.elements=4"]].concat());
    assert_eq!(found["soundness"], "sound");
    let off = number(&found, "largest_position_error_m");
    assert!(off < 3e-4, "{off}");
    assert_eq!(found["motors"].as_array().unwrap().len(), 6);
    let table = folder.read("o/inverse.csv");
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
    let (torque, holding) = (column("motor_1_torque_nm"), column("motor_1_holding_nm"));
    let value = |line: &str, column: usize| -> f64 {
        line.split(',').nth(column).unwrap().parse().unwrap()
    };
    let last = table.lines().last().unwrap();
    assert!(
        (value(last, torque) - value(last, holding)).abs() < 0.05,
        "{last}"
    );
    folder.write("far.csv", "time_s,z_m\n0,0.4\n1,0.9\n");
    let said = folder.refused(2, &["platform", "inverse", "--motion", "far.csv"]);
    assert!(said.contains("t = "), "{said}");
}
