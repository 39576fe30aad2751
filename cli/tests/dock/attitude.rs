//! A rotation given is the rotation shown, and so are rates and offsets.

use crate::support::{Folder, table};
use proptest::prelude::*;

/// Products of rotations and arc tangents, and numbers printed to the last digit.
const ROUNDING: f64 = 1e-12;
/// What a millisecond of free flight changes is computed by steps.
const ONE_STEP: f64 = 1e-9;

/// What a docking was told of its target.
#[derive(Debug, Clone)]
struct Given {
    /// Pitch, yaw, roll [deg].
    angles: [f64; 3],
    /// Their rates [deg/s].
    rates: [f64; 3],
    /// Offset along x and y [m].
    offset: [f64; 2],
    /// Velocity along x and y [m/s].
    drift: [f64; 2],
}

fn any_target() -> impl Strategy<Value = Given> {
    (
        (-45.0..45.0_f64, -45.0..45.0_f64, -180.0..180.0_f64),
        proptest::array::uniform3(-60.0..60.0_f64),
        proptest::array::uniform2(-0.3..0.3_f64),
        proptest::array::uniform2(-0.1..0.1_f64),
    )
        .prop_map(|((pitch, yaw, roll), rates, offset, drift)| Given {
            angles: [pitch, yaw, roll],
            rates,
            offset,
            drift,
        })
}

impl Given {
    fn arguments(&self) -> Vec<String> {
        let [pitch, yaw, roll] = self.angles;
        let [pitch_rate, yaw_rate, roll_rate] = self.rates;
        let keys = [
            ("pitch_deg", pitch),
            ("yaw_deg", yaw),
            ("roll_deg", roll),
            ("pitch_rate_deg_s", pitch_rate),
            ("yaw_rate_deg_s", yaw_rate),
            ("roll_rate_deg_s", roll_rate),
            ("lateral_x_m", self.offset[0]),
            ("lateral_y_m", self.offset[1]),
            ("lateral_rate_x_m_s", self.drift[0]),
            ("lateral_rate_y_m_s", self.drift[1]),
        ];
        let texts = keys.map(|(key, value)| format!("misalignment.{key}={value:?}"));
        texts
            .iter()
            .flat_map(|text| ["--set".to_owned(), text.clone()])
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_first_row_shows_what_was_given(given in any_target()) {
        let folder = Folder::new("attitude");
        let mut arguments: Vec<String> = [
            "--no-report", "--out", "a", "--set", "duration_s=1e-3", "--set", "initial_gap_m=0.3",
            "--set", "closing_speed_m_s=0.07", "--set", "legs.elements=4",
        ].map(str::to_owned).to_vec();
        arguments.extend(given.arguments());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        folder.stdout(&arguments);
        let (header, rows) = table(&folder.file("a/run.csv"));
        let at = |row: &[f64], name: &str| {
            row[header.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}"))]
        };
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        for (i, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
            let shown = at(first, &format!("target_{name}_rad"));
            prop_assert!((shown - given.angles[i].to_radians()).abs() < ROUNDING, "{name} {shown}");
            for body in ["effector", "base"] {
                let still = at(first, &format!("{body}_{name}_rad"));
                prop_assert!(still.abs() < ROUNDING, "{body} {name} {still}");
            }
        }
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let rate = at(first, &format!("target_rate_{axis}_rad_s"));
            prop_assert!((rate - given.rates[i].to_radians()).abs() < ROUNDING, "{axis} {rate}");
            let speed = at(first, &format!("target_velocity_{axis}_m_s"));
            let wanted = [given.drift[0], given.drift[1], -0.07][i];
            prop_assert!((speed - wanted).abs() < ROUNDING, "{axis} {speed}");
        }
        for (i, axis) in ["x", "y"].into_iter().enumerate() {
            let name = |body: &str| format!("{body}_{axis}_m");
            let offset = at(first, &name("target")) - at(first, &name("effector"));
            prop_assert!((offset - given.offset[i]).abs() < ROUNDING, "{axis} {offset}");
        }
        // The summary speaks of the end: a body of equal moments of inertia keeps its rates, and
        // the angle between the axes is that of the last row.
        let summary = folder.json("a/summary.json");
        let figure = |key: &str| summary[key].as_f64().unwrap();
        let squares: f64 = given.rates.iter().map(|rate| rate * rate).sum();
        prop_assert!((figure("final_relative_rate_deg_s") - squares.sqrt()).abs() < ONE_STEP);
        let (pitch, yaw) = (at(last, "target_pitch_rad"), at(last, "target_yaw_rad"));
        // The cosine of the angle between two nearly parallel axes says little about it.
        let sine = (yaw.sin().powi(2) + (yaw.cos() * pitch.sin()).powi(2)).sqrt();
        let angle = sine.atan2(yaw.cos() * pitch.cos()).to_degrees();
        prop_assert!((figure("final_angle_deg") - angle).abs() < ONE_STEP);
        prop_assert_eq!(&summary["first_touch_s"], &serde_json::Value::Null);
    }
}

#[test]
fn the_default_pitch_shows_as_pitch() {
    let folder = Folder::new("pitch");
    folder.stdout(&[
        "--no-report",
        "--out",
        "a",
        "--set",
        "duration_s=1e-3",
        "--set",
        "legs.elements=4",
    ]);
    let (header, rows) = table(&folder.file("a/run.csv"));
    let at = |name: &str| rows[0][header.iter().position(|known| known == name).unwrap()];
    assert!((at("target_pitch_rad") - 7.5_f64.to_radians()).abs() < ROUNDING);
    assert!(at("target_yaw_rad").abs() < ROUNDING && at("target_roll_rad").abs() < ROUNDING);
}
