//! Results that must not be used say so, everywhere, and end with exit status 3; what became of a
//! docking is one of four outcomes.

use crate::support::{COARSE, Folder, no_panic};
use serde_json::{Value, json};

/// A contact so soft that the default docking presses it in deeper than the radius of its tips.
const SOFT: [&str; 4] = [
    "--set",
    "contact.normal.stiffness_n_per_m_n=1e4",
    "--set",
    "duration_s=0.15",
];

/// Runs, expects exit status 3 and a message that says why, and returns what was printed.
fn suspect(folder: &Folder, arguments: &[&str], why: &str) -> String {
    let output = folder.run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {errors}");
    assert!(
        errors.contains("suspect") && errors.contains(why),
        "{errors}"
    );
    no_panic(&errors);
    String::from_utf8(output.stdout).unwrap()
}

fn reasons(summary: &Value) -> Vec<&str> {
    let list = summary["soundness_reasons"].as_array().unwrap();
    list.iter()
        .map(|reason| reason["reason"].as_str().unwrap())
        .collect()
}

#[test]
fn a_suspect_docking_says_why_everywhere_and_ends_with_status_3() {
    let folder = Folder::new("suspect");
    let why = "deeper than the tip's radius of 5.00 mm";
    let said = suspect(
        &folder,
        &[&COARSE[..], &SOFT, &["--out", "a"]].concat(),
        why,
    );
    let lead = said.lines().nth(1).unwrap();
    assert!(lead.contains("SUSPECT: do not use these figures"), "{said}");
    assert!(said.contains(why), "{said}");

    let summary = folder.json("a/summary.json");
    assert_eq!(summary["soundness"], "suspect");
    assert_eq!(reasons(&summary), ["contact_depth"]);
    let reason = &summary["soundness_reasons"][0];
    assert_eq!(reason["value"], summary["max_penetration_m"]);
    assert_eq!(reason["allowed"], 0.005);
    assert_eq!(reason["leg"], Value::Null);
    let time = reason["time_s"].as_f64().unwrap();
    assert!((0.04..=0.15).contains(&time), "{time}");
    let text = reason["text"].as_str().unwrap();
    assert!(text.contains(why), "{text}");

    let page = folder.file("a/report.html");
    assert!(page.contains("role=\"alert\">Suspect: the contact was pressed in by"));
    assert!(page.contains("data-key=\"soundness\" data-value=\"&quot;suspect&quot;\""));

    // Points without a tip have no radius to be pressed in by.
    let bare = ["--set", "contact.effector.tip_radius_m=0", "--no-report"];
    let said = folder.stdout(&[&COARSE[..], &SOFT, &bare, &["--json", "--out", "b"]].concat());
    let summary: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(summary["soundness"], "sound");
    assert_eq!(summary["soundness_reasons"], json!([]));
}

#[test]
fn a_motor_beyond_its_range_makes_a_docking_suspect() {
    let folder = Folder::new("range");
    let narrow = [
        "--set",
        "motor.range_rad=0.001",
        "--set",
        "motor.end_stops=off",
        "--set",
        "duration_s=0.1",
    ];
    let arguments = ["motors-hold", "--no-report", "--json", "--out", "a"];
    let arguments = [&arguments[..], &COARSE, &narrow].concat();
    let said = suspect(&folder, &arguments, "beyond its range of ±0.0573°");
    let summary: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(reasons(&summary), ["motor_range"]);
    let leg = summary["soundness_reasons"][0]["leg"].as_u64().unwrap();
    assert!((1..=6).contains(&leg));
}

#[test]
fn a_sweep_and_a_comparison_are_as_sound_as_their_worst_run() {
    let folder = Folder::new("several-suspect");
    let short = ["--set", "duration_s=0.15", COARSE[0], COARSE[1]];
    // Stiffnesses of 1e4 and 1.01e6: the first is too soft.
    let sweep = "contact.normal.stiffness_n_per_m_n=1e4:1.1e6:1e6";
    let arguments = [&["--sweep", sweep, "--out", "sweep"], &short[..]].concat();
    let said = suspect(&folder, &arguments, "deeper than the tip's radius");
    let rows: Vec<&str> = said.lines().skip(2).take(2).collect();
    assert!(rows[0].ends_with("in contact     suspect"), "{said}");
    assert!(rows[1].ends_with("  sound"), "{said}");
    let table = folder.file("sweep/sweep.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].ends_with(",outcome,soundness"), "{table}");
    assert!(lines[1].ends_with(",in_contact,suspect"), "{table}");
    assert!(lines[2].ends_with(",sound"), "{table}");
    let summary = folder.json("sweep/summary.json");
    assert_eq!(summary["runs"][0]["summary"]["soundness"], "suspect");
    let page = folder.file("sweep/report.html");
    assert!(page.contains("One run is suspect and left out of the curves."));
    assert!(page.contains("\"y\":[null,"), "a gap in every curve");

    folder.write("soft.toml", "[contact.normal]\nstiffness_n_per_m_n = 1e4\n");
    let arguments = [
        &["--compare", "soft.toml", "default", "--out", "both"],
        &short[..],
    ]
    .concat();
    suspect(&folder, &arguments, "deeper than the tip's radius");
    let summary = folder.json("both/summary.json");
    assert_eq!(summary["soft"]["soundness"], "suspect");
    assert_eq!(summary["default"]["soundness"], "sound");
    let page = folder.file("both/report.html");
    assert!(page.contains("role=\"alert\">Suspect (soft): the contact was pressed in"));
}

#[test]
fn a_docking_has_one_of_four_outcomes() {
    let folder = Folder::new("outcomes");
    for (scenario, settings, outcome, words) in [
        (
            "aligned",
            ["duration_s=0.14", "target.mass_kg=500"],
            "captured",
            "Captured: the latch closed",
        ),
        (
            "motors-locked",
            ["duration_s=0.15", "target.mass_kg=20"],
            "bounced",
            "Not captured, the target left again with",
        ),
        (
            "default",
            ["duration_s=0.05", "target.mass_kg=500"],
            "in_contact",
            "Not captured, in contact at the end: ",
        ),
        (
            "default",
            ["duration_s=0.01", "target.mass_kg=500"],
            "never_touched",
            "Never touched: the gap is",
        ),
    ] {
        let set = ["--set", settings[0], "--set", settings[1]];
        let arguments = [scenario, "--no-report", "--out", outcome];
        let said = folder.stdout(&[&arguments[..], &set, &COARSE].concat());
        let lead = said.lines().nth(1).unwrap();
        assert!(lead.contains(words), "{outcome}: {said}");
        let summary = folder.json(&format!("{outcome}/summary.json"));
        assert_eq!(summary["outcome"], outcome);
        assert_eq!(summary["soundness"], "sound");
        let touched = outcome != "never_touched";
        for key in [
            "peak_contact_force_n",
            "peak_contact_time_s",
            "contact_impulse_n_s",
        ] {
            assert_eq!(summary[key].is_number(), touched, "{outcome}: {key}");
        }
    }
}

/// A target of 100 t at 2 m/s runs over the platform: leaves of 1.2 mm are stretched as no metal is.
#[test]
fn a_platform_that_is_run_over_is_outside_its_model() {
    let folder = Folder::new("run-over");
    let arguments = [
        "aligned",
        "--no-report",
        "--json",
        "--out",
        "a",
        "--set",
        "closing_speed_m_s=2",
        "--set",
        "tendon.end_stops=off",
        "--set",
        "target.mass_kg=1e5",
        "--set",
        "duration_s=0.5",
    ];
    let why = "% along its axis (its model allows 0.100 %)";
    let said = suspect(&folder, &[&arguments[..], &COARSE].concat(), why);
    let summary: Value = serde_json::from_str(&said).unwrap();
    let found = reasons(&summary);
    for doubt in ["axial_strain", "surface_strain", "contact_depth"] {
        assert!(found.contains(&doubt), "{found:?}");
    }
}

#[test]
fn the_help_lists_the_exit_statuses() {
    let folder = Folder::new("help");
    let help = folder.stdout(&["--help"]);
    for part in [
        "0 sound",
        "1 could not be computed",
        "2 wrong input",
        "3 suspect",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

/// The error that `--errors` tells is found without what it is compared with here: a mesh and steps much
/// finer. With three elements and long steps the peak is visibly off, and in doubt where more is asked for.
#[test]
fn errors_of_figures_are_told_by_a_refined_run() {
    let folder = Folder::new("errors");
    let short = ["aligned", "--no-report", "--set", "duration_s=0.12"];
    let coarse = ["--set", "legs.elements=3", "--set", "solver.step_s=2e-3"];
    let tell = ["--errors", "--out", "own"];
    let text = folder.stdout(&[&short[..], &coarse, &tell].concat());
    assert!(
        text.contains("numerical error: peak contact force"),
        "{text}"
    );
    let own = folder.json("own/summary.json");
    let fine = ["--set", "legs.elements=16", "--set", "solver.step_s=2.5e-4"];
    let steps = ["--set", "solver.step_accuracy=1e-5", "--out", "fine"];
    folder.stdout(&[&short[..], &fine, &steps].concat());
    let fine = folder.json("fine/summary.json");
    for key in [
        "peak_contact_force_n",
        "contact_impulse_n_s",
        "max_leg_stroke_m",
    ] {
        let number = |of: &Value| of[key].as_f64().unwrap();
        let told = number(&own["numerical_errors"]);
        let off = (number(&own) - number(&fine)).abs();
        assert!(off < 1.2 * told, "{key}: {told} told, {off} off");
        assert!(told < 0.05 * number(&own), "{key}: {told} told");
    }
    assert_eq!(own["soundness"], "sound");
    assert!(fine.get("numerical_errors").is_none());
    let message = folder.refused(&["--errors", "--legs", "fmu"]);
    assert!(message.contains("--errors"), "{message}");
    // What would not become finer would tell no error at all.
    for finest in ["legs.elements=150", "solver.accuracy=2e-5"] {
        let message = folder.refused(&["--errors", "--set", finest]);
        let key = finest.split('=').next().unwrap();
        assert!(message.contains(key), "{message}");
    }
}
