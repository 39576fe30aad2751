//! The leg commands as a user runs them.

use super::folder::{Folder, number};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The published working pose: chord 0.407922 m, bowed outward.
#[test]
fn pretension_prints_every_key_of_the_report() {
    let folder = Folder::new();
    let report = folder.json(&["leg", "pretension", "--out", "o", "--path", "path.csv"]);
    for key in [
        "chord_m",
        "tension_n",
        "rest_length_m",
        "sag_m",
        "hold_torque_1_nm",
        "hold_torque_3_nm",
        "max_axial_strain",
        "strain_energy_j",
        "thrust_n",
        "q1_rad",
        "q2_rad",
        "q3_rad",
        "mid_moment_nm",
        "residual_n",
        "iterations",
    ] {
        assert!(number(&report, key).is_finite(), "{key}");
    }
    for key in ["force_on_leaf_a_n", "force_on_leaf_b_n", "mid_point_m"] {
        assert_eq!(report[key].as_array().unwrap().len(), 2, "{key}");
    }
    assert!((number(&report, "chord_m") - 0.407_922).abs() < 1e-6);
    assert!(number(&report, "max_axial_strain") < 1e-4);
    let nodes = report["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 11);
    for key in ["s", "x", "y", "theta"] {
        assert!(nodes[5][key].is_f64(), "{key}");
    }
    // The middle node of an even mesh is the middle of the leaf.
    assert_eq!(nodes[5]["x"], report["mid_point_m"][0]);
    let path = folder.read("path.csv");
    assert!(path.starts_with("chord_m,thrust_n,sag_m,max_axial_strain,residual_n,iterations\n"));
    assert!(path.lines().count() > 5);
    let written = folder.read("o/pretension.json");
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), report);
    assert_eq!(folder.names(), ["o", "path.csv"]);
}

#[test]
fn simulate_writes_the_table_into_the_current_folder() {
    let folder = Folder::new();
    let report = folder.json(&[
        "leg",
        "simulate",
        "--duration",
        "0.05",
        "--step",
        "0.001",
        "--set",
        "tendon.damping_n_s_per_m=15",
    ]);
    assert_eq!(folder.names(), ["leg.csv"]);
    let text = folder.read("leg.csv");
    assert!(text.starts_with(
        "t,q1,q2,q3,q1_dot,q2_dot,q3_dot,tendon_length,tendon_tension,x14,y14,x12,y12,x34,y34,\
         kinetic,gravity,strain,tendon,work_in,dissipated,residual,loop_gap"
    ));
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .map(|entry| entry.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 51);
    assert_eq!((rows[0][0], rows[50][0]), (0.0, 0.05));
    assert!(rows.iter().flatten().all(|value| value.is_finite()));
    assert_eq!(report["complete"], true);
    assert_eq!(report["rows"], 51);
    assert_eq!(number(&report, "step_s"), 0.001);
    assert!(number(&report, "largest_loop_gap_m") < 1e-10);
    assert_eq!(report["final_q_rad"][0].as_f64().unwrap(), rows[50][1]);
}

#[test]
fn output_step_and_input_table_are_followed() {
    let folder = Folder::new();
    folder.write("in.csv", "t,crank_angle_rad\n0,0\n0.1,0.05\n");
    let arguments = [
        "leg",
        "simulate",
        "--duration",
        "0.1",
        "--step",
        // The crank starts at once: steps of a millisecond do not resolve the torque that this takes.
        "0.0005",
        "--output-step",
        "0.03",
        "--input",
        "in.csv",
        "--interpolation",
        "cubic",
        "--out",
        "a/b",
        "--set",
        "motor.mode=angle",
    ];
    folder.stdout(&arguments);
    let text = folder.read("a/b/leg.csv");
    let last = text.lines().last().unwrap();
    let values: Vec<f64> = last
        .split(',')
        .map(|entry| entry.parse().unwrap())
        .collect();
    assert_eq!(text.lines().count(), 6, "header, 0, 0.03, 0.06, 0.09, 0.1");
    assert_eq!(values[0], 0.1);
    assert!((values[1] - 0.05).abs() < 1e-9, "{}", values[1]);
    for name in ["summary.json", "config.toml"] {
        assert!(folder.path.join("a/b").join(name).is_file(), "{name}");
    }
}

/// What --out keeps is enough to do the run again.
#[test]
fn the_kept_configuration_repeats_the_run() {
    let folder = Folder::new();
    let base = ["leg", "simulate", "--duration", "0.02"];
    let first = [
        "--out",
        "one",
        "--step",
        "0.0005",
        "--set",
        "solver.elements=6",
    ];
    folder.stdout(&[&base[..], &first[..]].concat());
    folder.stdout(
        &[
            &base[..],
            &["--out", "two", "--config", "one/config.toml"][..],
        ]
        .concat(),
    );
    let read = |name: &str| fs::read(folder.path.join(name).join("leg.csv")).unwrap();
    assert_eq!(read("one"), read("two"));
}

#[test]
fn the_printed_configuration_is_a_valid_file() {
    let folder = Folder::new();
    let first = folder.stdout(&["leg", "simulate", "--print-config", "--step", "0.002"]);
    assert!(first.contains("step_s = 0.002"));
    folder.write("leg.toml", &first);
    let again = folder.stdout(&[
        "leg",
        "pretension",
        "--config",
        "leg.toml",
        "--print-config",
    ]);
    assert_eq!(first, again);
}

#[test]
fn bad_input_ends_with_status_two_and_a_reason() {
    let folder = Folder::new();
    folder.write("typo.toml", "[tendon]\nstifness_n_per_m = 1.0\n");
    folder.write("broken.toml", "[tendon\n");
    folder.write("in.csv", "t,load_x_n\n0,one\n");
    folder.write("file", "");
    let cases: [(&[&str], &str); 17] = [
        (
            &["--config", "typo.toml"],
            "typo.toml:2: unknown key `tendon.stifness_n_per_m`",
        ),
        (
            &["--config", "broken.toml"],
            "broken.toml:1: not valid TOML",
        ),
        (
            &["--config", "none.toml"],
            "cannot read the settings file none.toml",
        ),
        (&["--set", "solver.elements=ten"], "must be a whole number"),
        (&["--set", "solver.elements=1"], "it must be in [2, 2000]"),
        (&["--set", "leaf.length_m=nan"], "must be a finite number"),
        (
            &["--set", "leaf.length_m=1e300"],
            "leaf.length_m = 1e300 is not allowed: it must be in [0.001, 100] m",
        ),
        (
            &["--set", "leaf.thickness_m=1e-9"],
            "leaf.thickness_m = 1e-9 is not allowed: it must be in [1e-6, 1] m",
        ),
        (&["--step", "-1"], "solver.step_s = -1"),
        (
            &[
                "--set",
                "motor.mode=angle",
                "--set",
                "motor.angle_rad={kind=\"sine\",amplitude=0.1,frequency_hz=3}",
            ],
            "motor.angle_rad = 1.8849555921538759 is not allowed: it must be a motion with a rate of 0",
        ),
        (&["--set", "pretension.q3_rad=3"], "chord"),
        (&["--duration", "0"], "--duration 0 is not allowed"),
        (
            &["--output-step", "nan"],
            "--output-step NaN is not allowed",
        ),
        (&["--input", "in.csv"], "line 2: `load_x_n` is `one`"),
        (&["--input", "none.csv"], "cannot read none.csv"),
        (&["--out", "file"], "cannot write"),
        (&["--plot", "file/a.html"], "cannot write"),
    ];
    for (arguments, expected) in cases {
        let message = folder.refused(2, &[&["leg", "simulate"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert_eq!(
        folder.names(),
        ["broken.toml", "file", "in.csv", "typo.toml"],
        "nothing is written"
    );
}

#[test]
fn plots_are_single_files() {
    let folder = Folder::new();
    folder.stdout(&["leg", "pretension", "--plot", "p.html"]);
    folder.stdout(&["leg", "simulate", "--duration", "0.05", "--plot", "s.html"]);
    folder.stdout(&["leg", "modes", "--plot", "m.html"]);
    folder.stdout(&["leg", "lqr", "--duration", "0.05", "--plot", "l.html"]);
    for name in ["p.html", "s.html", "m.html", "l.html"] {
        let page = folder.read(name);
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
        let page = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains("http"), "{name} names another address");
    }
}

/// With both links locked the leaf vibrates between pinned ends: the bowed equilibrium is a
/// minimum of its energy. With both free under constant torques it is a saddle.
#[test]
fn modes_tell_stable_from_unstable() {
    let folder = Folder::new();
    let free = folder.json(&["leg", "modes", "--count", "4"]);
    assert_eq!(free["unstable_modes"], 1);
    assert_eq!(free["undamped"].as_array().unwrap().len(), 4);
    assert!(free["undamped"][0]["frequency_hz"].is_null());
    let locked = folder.json(&[
        "leg",
        "modes",
        "--set",
        "motor.mode=locked",
        "--set",
        "load.lock_q3=true",
    ]);
    assert_eq!(locked["unstable_modes"], 0);
    assert!(number(&locked["undamped"][0], "frequency_hz") > 1.0);
}

/// Without weight nothing turns the crank back: its swing is neutral, 0 Hz, neither a number that is
/// none nor a growth made of rounding.
#[test]
fn modes_that_nothing_holds_are_neutral() {
    let folder = Folder::new();
    let weightless = ["--count", "6", "--set"];
    let plane = [&["leg", "modes"], &weightless[..], &["gravity_m_s2=[0,0]"]].concat();
    let space = [
        &["leg", "spatial", "modes"],
        &weightless[..],
        &["gravity_m_s2=[0,0,0]", "--set", "tip.mode=free"],
    ];
    for (arguments, neutral) in [(plane, 1), (space.concat(), 3)] {
        let modes = folder.json(&arguments);
        assert_eq!(modes["unstable_modes"], 0);
        for (i, mode) in modes["undamped"].as_array().unwrap().iter().enumerate() {
            assert_eq!(mode["neutral"], i < neutral, "mode {i} of {arguments:?}");
            assert_eq!(number(mode, "frequency_hz") == 0.0, i < neutral);
        }
        for damped in &modes["damped"].as_array().unwrap()[..2 * neutral] {
            assert_eq!(number(damped, "damping_ratio"), 0.0, "{damped}");
        }
    }
}

#[test]
fn linear_model_has_the_shapes_of_its_labels() {
    let folder = Folder::new();
    let model = folder.json(&[
        "leg",
        "linearize",
        "--inputs",
        "crank_torque_nm,load_x_n",
        "--outputs",
        "q1,q3,tendon_tension,xb",
        "--set",
        "solver.elements=4",
    ]);
    let count = |key: &str| model[key].as_array().unwrap().len();
    let (states, inputs, outputs) = (count("states"), count("inputs"), count("outputs"));
    assert_eq!((inputs, outputs), (2, 4));
    assert_eq!(states % 2, 0);
    for (key, rows, columns) in [
        ("a", states, states),
        ("b", states, inputs),
        ("c", outputs, states),
        ("d", outputs, inputs),
    ] {
        assert_eq!(count(key), rows, "{key}");
        assert_eq!(model[key][0].as_array().unwrap().len(), columns, "{key}");
    }
    assert_eq!(model["states"][0]["unit"], "rad");
    assert_eq!(model["inputs"][1]["name"], "load_x_n");
    assert!((number(&model["outputs"][2], "value") - 58.07).abs() < 0.1);
    let message = folder.refused(2, &["leg", "linearize", "--outputs", "q7"]);
    assert!(message.contains("unknown output `q7`"), "{message}");
}

/// The leg falls out of its posture under the constant holding torque; the regulator brings the
/// crank back from 5° to 0.1° within a second with at most 10 N·m.
#[test]
fn the_regulator_brings_the_nonlinear_leg_back() {
    let folder = Folder::new();
    let variants: [&[&str]; 4] = [
        &[],
        &["--disturb-deg", "-5"],
        &["--sampled", "0.005"],
        &["--observer"],
    ];
    for variant in variants {
        let report = folder.json(&[&["leg", "lqr"], variant].concat());
        let closed = &report["closed_loop"];
        assert!(
            number(closed, "crank_settling_time_s") < 1.0,
            "{variant:?}: {closed}"
        );
        assert!(number(closed, "peak_torque_nm") <= 10.0);
        assert!(number(&report, "riccati_residual_rel") <= 1e-10);
        assert!(
            report["open_loop"]["crank_settling_time_s"].is_null(),
            "{variant:?}"
        );
    }
}

/// Ctrl-C: whole rows under a name that says they are not all, and an exit status that says why.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_rows() {
    let folder = Folder::new();
    let arguments = ["leg", "simulate", "--duration", "100000"];
    let more = ["--output-step", "0.01", "--json"];
    let mut run = folder
        .command(&[&arguments[..], &more].concat())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let partial = folder.path.join("leg.partial.csv");
    let some_rows = || fs::metadata(&partial).is_ok_and(|file| file.len() > 0);
    while !some_rows() {
        assert!(run.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let signal = Command::new("kill")
        .args(["-INT", &run.id().to_string()])
        .status()
        .unwrap();
    assert!(signal.success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["complete"], false);
    let text = fs::read_to_string(&partial).unwrap();
    let columns = text.lines().next().unwrap().split(',').count();
    assert!(text.ends_with('\n') && text.lines().all(|line| line.split(',').count() == columns));
    assert_eq!(number(&report, "rows") as usize, text.lines().count() - 1);
    assert_eq!(folder.names(), ["leg.partial.csv"]);
}

/// A leaf that knows only its straight stiffness shortens by a fifth instead of bowing, and pushes
/// back with meganewtons; let go, its joints come apart.
#[test]
fn the_chapter_4_variant_fails_as_published_beside_the_exact_leg() {
    let folder = Folder::new();
    let variant = ["--variant", "chapter-4"];
    let bow = [&["leg", "pretension"][..], &variant].concat();
    let both = folder.json(&bow);
    let (linear, exact) = (&both["chapter_4"], &both["exact"]);
    assert_eq!(linear["crushed_elements"], 10);
    assert!(number(linear, "worst_axial_strain") < -0.15);
    assert!(number(linear, "thrust_n") > 1e6 && number(exact, "thrust_n") < 60.0);
    assert!(number(linear, "sag_m") < 1e-9 && number(exact, "sag_m") > 0.12);
    let text = folder.stdout(&bow);
    assert!(
        text.contains("the linear leaf is crushed: 10 of 10"),
        "{text}"
    );
    let release = [&["leg", "simulate", "--duration", "0.5"][..], &variant].concat();
    let report = folder.json(&release);
    assert!(number(&report, "largest_loop_gap_m") > 1e-2);
    assert!(number(&report, "exact_largest_loop_gap_m") < 1e-10);
    assert_eq!(folder.column("leg.csv", "loop_gap_exact").len(), 501);
    for (command, set) in [
        (&bow, "pretension.hold_q3=false"),
        (&release, "load.lock_q3=true"),
    ] {
        let message = folder.refused(2, &[&command[..], &["--set", set]].concat());
        assert!(message.contains("--variant chapter-4"), "{message}");
    }
}

/// A tension that no equilibrium of the free link has is the input's fault, and the range is told.
#[test]
fn tensions_out_of_reach_are_refused_with_their_range() {
    let folder = Folder::new();
    let free = ["leg", "pretension", "--set", "pretension.hold_q3=false"];
    for tension in ["10", "65", "1e9"] {
        let set = format!("pretension.tension_n={tension}");
        let message = folder.refused(2, &[&free[..], &["--set", &set]].concat());
        assert!(
            message.contains("from 48.0566") && message.contains("to 57.3357"),
            "{message}"
        );
    }
    let rest = [&free[..], &["--set", "tendon.rest_length_m=0.33"]].concat();
    let report = folder.json(&rest);
    assert!((number(&report, "chord_m") - 0.3576).abs() < 1e-4);
}

/// Steps of 10 ms are too long for a released leg: the account of energy misses nearly a percent.
#[test]
fn a_leg_whose_ledger_does_not_close_is_suspect() {
    let folder = Folder::within(&["leg"]);
    let coarse = [
        "simulate",
        "--duration",
        "0.5",
        "--step",
        "0.01",
        "--plot",
        "page.html",
    ];
    let output = folder
        .command(&[&coarse[..], &["--json"]].concat())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("suspect: the energy ledger misses"),
        "{errors}"
    );
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["soundness"], "suspect");
    let reason = &summary["soundness_reasons"][0];
    assert_eq!(reason["reason"], "energy_missing");
    assert_eq!(reason["value"], summary["energy_residual_rel"]);
    assert_eq!(reason["allowed"], 1e-3);
    let page = std::fs::read_to_string(folder.path.join("page.html")).unwrap();
    assert!(page.contains("role=\"alert\">Suspect: the energy ledger misses"));
    let said = folder.command(&coarse).output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("SUSPECT: the energy ledger misses"), "{text}");
    let fine = folder.json(&["simulate", "--duration", "0.5"]);
    assert_eq!(fine["soundness"], "sound");
    assert_eq!(fine["soundness_reasons"], serde_json::json!([]));
}

/// Both loops of a regulator are judged; steps of 20 ms are too long for either.
#[test]
fn a_regulator_tried_in_steps_too_long_is_suspect() {
    let folder = Folder::within(&["leg"]);
    let short = ["lqr", "--duration", "0.2"];
    let sound = folder.json(&short);
    assert_eq!(sound["soundness"], "sound");
    assert_eq!(sound["closed_loop"]["soundness"], "sound");
    let coarse = [
        &short[..],
        &[
            "--set",
            "solver.step_s=0.02",
            "--disturb-deg",
            "20",
            "--json",
        ],
    ];
    let output = folder.command(&coarse.concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["soundness"], "suspect");
    assert_eq!(report["soundness_reasons"][0]["reason"], "energy_missing");
}

/// A torque of 100 N·m moves the crank by more than 1e-12 within the smallest step, 1e-6 of the
/// largest one.
#[test]
fn a_leg_less_accurate_than_asked_for_is_suspect() {
    let folder = Folder::within(&["leg"]);
    let mut arguments = vec![
        "simulate",
        "--duration",
        "1e-4",
        "--output-step",
        "1e-4",
        "--json",
    ];
    for setting in [
        "solver.adaptive=true",
        "solver.error_tolerance=1e-12",
        "solver.step_s=1",
        "solver.elements=4",
        "motor.torque_nm=100",
    ] {
        arguments.extend(["--set", setting]);
    }
    let output = folder.command(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["soundness"], "suspect");
    let reasons = summary["soundness_reasons"].as_array().unwrap();
    let found = reasons
        .iter()
        .find(|reason| reason["reason"] == "error_estimate");
    let reason = found.unwrap_or_else(|| panic!("{summary}"));
    assert_eq!(reason["allowed"], 1e-12);
    let value = reason["value"].as_f64().unwrap();
    assert!((1e-11..1e-9).contains(&value), "{reason}");
}

/// A leaf too thick to bow is crushed along its axis: an equilibrium, but not one of this model.
#[test]
fn a_crushed_leaf_is_suspect() {
    let folder = Folder::new();
    let set = [
        "--set",
        "leaf.thickness_m=0.1",
        "--set",
        "tendon.stiffness_n_per_m=1e9",
    ];
    for command in [
        &["leg", "pretension"][..],
        &["leg", "spatial", "pretension"],
        &["platform", "stiffness"],
        &["platform", "forward"],
    ] {
        let told = folder.refused(3, &[command, &set].concat());
        assert!(
            told.contains("the leaf is strained by"),
            "{command:?}: {told}"
        );
    }
}
