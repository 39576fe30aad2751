//! The platform commands as a user runs them.

use super::folder::{Folder, number};
use serde_json::Value;

/// The shipped configuration with round rods.
const RODS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/dfki-rods.toml");
const PACOMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/pacoma.toml");

fn list(value: &Value) -> Vec<f64> {
    let entries = value.as_array().unwrap().iter();
    entries.map(|entry| entry.as_f64().unwrap()).collect()
}

fn text(numbers: &[f64]) -> String {
    let texts: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
    texts.join(",")
}

#[test]
fn inverse_and_forward_keep_their_contract() {
    let folder = Folder::within(&["platform"]);
    // The publication calls the turn about x roll.
    let pitch = format!("{:?},0,0", 10.0_f64.to_radians());
    let wrench = ["--force", "0,0,-2", "--moment", "0.1,-0.05,0"];
    let mut arguments = vec!["inverse", "--config", RODS, "--position", "0,0,0.5"];
    arguments.extend(["--attitude-rad", &pitch]);
    let unloaded = folder.json(&arguments);
    let motors = list(&unloaded["motor_rad"]);
    for (leg, published) in [(0, 0.48785636), (2, 0.42037418), (3, 0.28121390)] {
        assert!((motors[leg] - published).abs() < 2e-6);
    }
    arguments.extend(wrench);
    let inverse = folder.json(&arguments);
    let motors = text(&list(&inverse["motor_rad"]));
    let mut arguments = vec!["forward", "--config", RODS, "--motor-rad", &motors];
    arguments.extend(wrench);
    let forward = folder.json(&arguments);
    for key in ["position_m", "attitude_rad"] {
        let pairs = list(&inverse[key]).into_iter().zip(list(&forward[key]));
        for (a, b) in pairs {
            assert!((a - b).abs() < 1e-9, "{key}: {a} {b}");
        }
    }
    for found in [&inverse, &forward] {
        assert_eq!(found["stable"], true);
        assert!(found["residual"].as_f64().unwrap() < 1e-9);
        let forces = found["leg_forces_n"].as_array().unwrap();
        assert_eq!(forces.len(), 6);
        let sum: f64 = forces.iter().map(|force| list(force)[2]).sum();
        assert!((sum - 2.0).abs() < 1e-9, "{sum}");
    }
}

/// Extremes and the energies' account are those of every step: rows are for people to look at.
#[test]
fn rows_do_not_decide_what_is_seen_of_a_motion() {
    let folder = Folder::within(&["platform"]);
    folder.write(
        "push.csv",
        "time_s,force_z_n\n0,0\n0.02,-40\n0.04,0\n0.3,0\n",
    );
    let run = |output_step: &str| {
        let mut arguments = vec!["simulate", "--set", "legs.elements=4", "--duration", "0.3"];
        arguments.extend(["--input", "push.csv", "--output-step", output_step]);
        folder.json(&arguments)
    };
    let (all, few) = (run("0.001"), run("0.15"));
    assert_eq!(few["rows"], 3);
    for key in [
        "largest_displacement_m",
        "largest_speed_m_s",
        "largest_leg_force_n",
        "largest_motor_torque_nm",
        "largest_energy_residual_j",
        "slack_time_s",
    ] {
        let [a, b] = [&all, &few].map(|found| found[key].as_f64().unwrap());
        assert!((a - b).abs() <= 1e-6 * a.abs() + 1e-12, "{key}: {a} {b}");
    }
    assert!(all["largest_speed_m_s"].as_f64().unwrap() > 1e-3);
}

#[test]
fn negative_numbers_and_gravity_are_understood() {
    let folder = Folder::within(&["platform"]);
    let found = folder.json(&[
        "inverse",
        "--position",
        "-0.05,0.02,0.41",
        "--force",
        "-1,0,-20",
        "--config",
        PACOMA,
        "--set",
        "gravity_m_s2=[0,0,0]",
    ]);
    assert_eq!(list(&found["position_m"]), [-0.05, 0.02, 0.41]);
    let heavy = folder.json(&["forward", "--set", "gravity_m_s2=[0,0,-9.81]"]);
    let light = folder.json(&["forward", "--force", "0,0,0"]);
    assert!(list(&heavy["position_m"])[2] < list(&light["position_m"])[2] - 1e-3);
}

#[test]
fn impossible_requests_say_why() {
    let folder = Folder::within(&["platform"]);
    let high = folder.refused(2, &["inverse", "--position", "0,0,0.8", "--json"]);
    assert!(
        high.contains("% of the way") && high.contains("leg"),
        "{high}"
    );
    let heavy = folder.refused(2, &["forward", "--force", "60,0,0"]);
    assert!(heavy.contains("limit point"), "{heavy}");
    for (arguments, expected) in [
        (vec!["forward", "--motor-rad", "0,0"], "2 motor angles"),
        (vec!["forward", "--force", "1,2"], "three are needed"),
        (vec!["forward", "--force", "1,x,2"], "not a finite number"),
        (vec!["inverse"], "--position"),
        (vec!["forward", "--set", "legs.elemnts=4"], "legs.elements"),
        (vec!["simulate", "--duration", "-1"], "--duration"),
        (vec!["simulate", "--break", "7:0.1"], "1 to 6"),
        (vec!["workspace", "--x", "1:2"], "FROM:TO:COUNT"),
        (vec!["lqr", "--period", "0"], "--period"),
    ] {
        let message = folder.refused(2, &arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn settings_are_printed_and_read_back() {
    let folder = Folder::within(&["platform"]);
    let printed = folder.stdout(&["forward", "--config", RODS, "--print-config"]);
    folder.write("again.toml", &printed);
    let again = folder.stdout(&["forward", "--config", "again.toml", "--print-config"]);
    assert_eq!(printed, again);
    assert!(printed.contains("[wrench]") && printed.contains("kind = \"rod\""));
}

#[test]
fn stiffness_is_symmetric_and_stable_at_the_nominal_pose() {
    let folder = Folder::within(&["platform"]);
    let found = folder.json(&["stiffness", "--out", "out"]);
    let matrix: Vec<Vec<f64>> = found["stiffness"]
        .as_array()
        .unwrap()
        .iter()
        .map(list)
        .collect();
    for (i, row) in matrix.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            assert!((entry - matrix[j][i]).abs() < 1e-6);
        }
    }
    let [low, _, high] = list(&found["translation_n_per_m"])[..] else {
        panic!("three stiffnesses");
    };
    assert!((300.0..400.0).contains(&low) && (1.0e4..1.3e4).contains(&high));
    assert_eq!(found["stable"], true);
    assert!(folder.path.join("out/stiffness.json").exists());
}

#[test]
fn a_load_curve_passes_its_limit_point() {
    let folder = Folder::within(&["platform"]);
    let arguments = ["forward", "--curve", "--force", "60,0,0", "--out", "out"];
    let found = folder.json(&[&arguments[..], &["--set", "legs.elements=4"]].concat());
    let limits = list(&found["limit_fractions"]);
    assert!((0.3..0.5).contains(&limits[0]), "{limits:?}");
    let points = found["points"].as_array().unwrap();
    assert_eq!(points[0]["unstable_directions"], 0);
    let unstable = |point: &Value| point["unstable_directions"].as_u64().unwrap() > 0;
    assert!(points.iter().any(unstable));
    assert!(folder.path.join("out/curve.csv").exists());
}

#[test]
fn the_workspace_is_the_same_for_any_number_of_threads() {
    let folder = Folder::within(&["platform"]);
    let table = |threads: &str| {
        let threads = format!("solver.threads={threads}");
        let arguments = [
            "workspace",
            "--x",
            "-0.3:0.3:7",
            "--y",
            "0",
            "--z",
            "0.35:0.45:2",
        ];
        let more = ["--set", &threads, "--set", "legs.elements=4", "--json"];
        let report: Value =
            serde_json::from_str(&folder.stdout(&[&arguments[..], &more].concat())).unwrap();
        assert_eq!(report["poses"], 14);
        folder.read("workspace.csv")
    };
    let one = table("1");
    assert_eq!(one, table("3"));
    let rows: Vec<&str> = one.lines().skip(1).collect();
    assert_eq!(rows.len(), 14);
    let reachable = |row: &&&str| row.split(',').nth(6) == Some("1");
    let count = rows.iter().filter(reachable).count();
    assert!((2..14).contains(&count), "{count}");
    assert!(one.contains("singular values"), "a reason is given");
}

#[test]
fn a_push_is_simulated_and_recorded() {
    let folder = Folder::within(&["platform"]);
    let step = "wrench.force_x_n={ kind = 'step', time_s = 0.05, before = 12.0, after = 0.0 }";
    let report = folder.json(&[
        "simulate",
        "--duration",
        "0.2",
        "--output-step",
        "0.002",
        "--set",
        step,
        "--out",
        "out",
        "--plot",
        "out/page.html",
    ]);
    assert_eq!(report["complete"], true);
    assert_eq!(report["rows"], 101);
    let residual = report["largest_energy_residual_j"].as_f64().unwrap();
    assert!(residual < 1e-2 * report["dissipated_j"].as_f64().unwrap());
    assert!(report["largest_joint_gap_m"].as_f64().unwrap() < 1e-9);
    let csv = folder.read("out/platform.csv");
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|row| row.split(',').count() == columns));
    let page = folder.read("out/page.html");
    assert!(page.contains("Tendon tensions"));
    for name in ["summary.json", "config.toml"] {
        assert!(folder.path.join("out").join(name).exists(), "{name}");
    }
}

#[test]
fn histories_come_from_tables_and_legs_break() {
    let folder = Folder::within(&["platform"]);
    folder.write(
        "in.csv",
        "t,force_z_n,motor_2_angle_rad\n0,0,0\n0.05,-10,0.02\n0.1,0,0.05\n",
    );
    let arguments = ["simulate", "--duration", "0.15", "--input", "in.csv"];
    let message = folder.refused(2, &arguments);
    assert!(message.contains("motor.mode=angle"), "{message}");
    let more = [
        "--set",
        "motor.mode=angle",
        "--break",
        "5:0.12",
        "--interpolation",
        "cubic",
    ];
    let report = folder.json(&[&arguments[..], &more].concat());
    let turn = report["largest_motor_turn_rad"].as_f64().unwrap();
    assert!((turn - 0.05).abs() < 1e-9, "{turn}");
    let csv = folder.read("platform.csv");
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = header.iter().position(|name| *name == "f5_z").unwrap();
    let last = csv.lines().last().unwrap().split(',').nth(column).unwrap();
    assert_eq!(last, "0.0");
}

#[test]
fn the_regulator_settles_what_is_pushed() {
    let folder = Folder::within(&["platform"]);
    let report = folder.json(&[
        "lqr",
        "--set",
        "legs.elements=4",
        "--duration",
        "1",
        "--out",
        "o",
    ]);
    assert!(report["closed"]["settled_after_s"].as_f64().unwrap() < 0.8);
    assert!(report["open"]["settled_after_s"].is_null());
    let gain = report["gain"].as_array().unwrap();
    assert_eq!(gain.len(), 6);
    let modes = report["modes"].as_u64().unwrap() as usize;
    assert_eq!(list(&gain[0]).len(), 2 * modes);
    assert!(folder.path.join("o/lqr.csv").exists());
    let error = report["response_error"].as_f64().unwrap();
    assert!(error <= 0.01, "{error}");
}

/// Motors free, locked and held, cutoffs from 5 to 50 Hz: the error that is printed is within what is
/// allowed, or there is no model.
#[test]
fn reduced_models_say_how_far_they_are_from_the_whole_platform() {
    let folder = Folder::within(&["platform"]);
    let coarse = ["linearize", "--set", "legs.elements=4"];
    for motors in ["free", "locked", "held"] {
        for cutoff in ["5", "10", "20", "50"] {
            let more = ["--motors", motors, "--cutoff-hz", cutoff];
            let linear = folder.json(&[&coarse[..], &more].concat());
            let states = linear["a"].as_array().unwrap().len();
            assert!(states < 2 * linear["degrees_of_freedom"].as_u64().unwrap() as usize);
            let error = linear["response_error"].as_f64().unwrap();
            let below = linear["response_compared_below_hz"].as_f64().unwrap();
            assert!(error <= 0.01, "{motors} {cutoff} Hz: {error}");
            let half = 0.5 * cutoff.parse::<f64>().unwrap();
            assert!((below / half - 1.0).abs() < 1e-12, "{below}");
        }
    }
    // Twelve undamped modes are a poor model beside the tendons' dampers; who wants it says so.
    let few = [&coarse[..], &["--modes", "12", "--motors", "held"]].concat();
    let message = folder.refused(2, &few);
    assert!(message.contains("24 states"), "{message}");
    let linear = folder.json(&[&few[..], &["--tolerance", "inf"]].concat());
    assert_eq!(linear["a"].as_array().unwrap().len(), 24);
    assert_eq!(linear["inputs"].as_array().unwrap().len(), 12);
    assert_eq!(linear["outputs"].as_array().unwrap().len(), 12);
    assert!(linear["response_error"].as_f64().unwrap() > 0.01);
}

/// Under gravity the motors need 1.42 N·m: a limit of 0.2 N·m is all they deliver, and a motor told
/// 0 N·m delivers nothing; either way the platform sinks.
#[test]
fn motors_deliver_no_more_than_their_limit_and_what_they_are_told() {
    let folder = Folder::within(&["platform"]);
    let weight = [
        "simulate",
        "--duration",
        "0.06",
        "--set",
        "gravity_m_s2=[0,0,-9.81]",
    ];
    let sunk = |more: &[&str], most: f64| {
        let arguments = [&weight[..], more, &["--json"]].concat();
        let output = folder.command(&arguments).output().unwrap();
        // The cranks leave their range on the way down.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["complete"], true);
        let torque = report["largest_motor_torque_nm"].as_f64().unwrap();
        assert_eq!(torque, most, "{more:?}");
        let rows = table(&folder, ".");
        rows[0][3] - rows[rows.len() - 1][3]
    };
    let limited = [
        "--set",
        "motor.mode=hold",
        "--set",
        "motor.torque_limit_nm=0.2",
    ];
    let held = sunk(&limited, 0.2);
    let told_nothing = ["--set", "motor.mode=torque", "--set", "motor.torque_nm=0"];
    let let_go = sunk(&told_nothing, 0.0);
    println!("{held} m with 0.2 N·m, {let_go} m with nothing");
    assert!(let_go > held && held > 1e-3, "{held} {let_go}");
    // A rod falls about its end with 1.5 g at its tip. Cranks of 6 kg, leaves of 1.25 kg and an end
    // effector of 3 kg fall together with (3 + 1.25 + 3)/(3 + 1.25 + 2) g = 1.16 g if nothing bends.
    let falls = let_go / (0.5 * 9.81 * 0.06 * 0.06);
    assert!((1.08..1.18).contains(&falls), "{falls}");
}

/// Columns of platform.csv as numbers.
fn table(folder: &Folder, name: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder.path.join(name).join("platform.csv")).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect()
}

/// One push, four ways to couple: the joints cannot tell.
#[test]
fn couplings_give_the_same_motion() {
    let folder = Folder::within(&["platform"]);
    let push = "wrench={force_x_n={kind=\"step\", time_s=0.02, before=20.0, after=0.0}}";
    let simulate = |out: &str, more: &[&str]| {
        let mut arguments = vec![
            "simulate",
            "--duration",
            "0.06",
            "--set",
            push,
            "--out",
            out,
        ];
        arguments.extend(more);
        folder.json(&arguments)
    };
    let whole = simulate("whole", &[]);
    let implicit = simulate("implicit", &["--set", "coupling=implicit"]);
    let loaded = simulate("loaded", &["--legs", "fmu"]);
    assert_eq!(whole["coupling"], "monolithic");
    assert_eq!(implicit["coupling"], "implicit");
    assert_eq!(loaded["coupling"], "implicit");
    let [whole, implicit, loaded] = ["whole", "implicit", "loaded"].map(|out| table(&folder, out));
    assert_eq!(implicit, loaded, "an FMU is not the native leg");
    assert_eq!(whole.len(), 61);
    let mut moved: f64 = 0.0;
    for (a, b) in whole.iter().zip(&implicit) {
        for k in 1..7 {
            moved = moved.max((a[k] - whole[0][k]).abs());
            assert!((a[k] - b[k]).abs() < 1e-8, "{} {}", a[k], b[k]);
        }
    }
    assert!(moved > 1e-3, "nothing moved");
    let steps = [
        "--set",
        "coupling=implicit",
        "--set",
        "solver.macro_step_s=0.01",
    ];
    let long = simulate("long", &steps);
    assert!(long["iterations_per_step"].as_f64().unwrap() <= 3.0);
    for b in table(&folder, "long") {
        let at = whole.iter().find(|a| (a[0] - b[0]).abs() < 1e-9).unwrap();
        assert!((1..4).all(|k| (at[k] - b[k]).abs() < 1e-4), "{}", b[0]);
    }
}

#[test]
fn explicit_coupling_says_when_its_steps_are_too_long() {
    let folder = Folder::within(&["platform"]);
    let push = "wrench.force_x_n=5";
    let explicit = [
        "simulate",
        "--duration",
        "1",
        "--set",
        push,
        "--set",
        "coupling=explicit",
    ];
    let message = folder.refused(1, &explicit);
    for wanted in ["unstable", "solver.macro_step_s", "implicit", "partial.csv"] {
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_run_that_breaks_down_has_failed_and_says_what_was_suspect_before() {
    let folder = Folder::within(&["platform"]);
    let arguments = [
        "simulate",
        "--duration",
        "0.06",
        "--set",
        "legs.elements=4",
        "--set",
        "wrench.force_z_n=90000",
        "--out",
        "a",
    ];
    folder.refused(1, &arguments);
    let text = std::fs::read_to_string(folder.path.join("a/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["soundness"], "failed");
    assert_eq!(summary["complete"], false);
    let reasons = summary["soundness_reasons"].as_array().unwrap();
    let strained = |reason: &serde_json::Value| reason["reason"] == "axial_strain";
    assert!(reasons.iter().any(strained), "{summary}");
}

#[test]
fn a_motor_beyond_its_range_makes_a_motion_suspect() {
    let folder = Folder::within(&["platform"]);
    let arguments = [
        "simulate",
        "--duration",
        "0.05",
        "--set",
        "legs.elements=4",
        "--set",
        "motor.mode=hold",
        "--set",
        "motor.range_rad=0.001",
        "--set",
        "motor.end_stops=off",
        "--set",
        "wrench.force_z_n=50",
        "--plot",
        "page.html",
        "--json",
    ];
    let output = folder.command(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["soundness"], "suspect");
    assert_eq!(summary["soundness_reasons"][0]["reason"], "motor_range");
    let page = std::fs::read_to_string(folder.path.join("page.html")).unwrap();
    assert!(page.contains("role=\"alert\">Suspect: leg "), "{page}");
    assert!(page.contains("data-key=\"soundness\" data-value=\"&quot;suspect&quot;\""));
}

/// Pitch, yaw and roll as asked for, in every place that shows them.
#[test]
fn an_attitude_given_is_the_attitude_shown() {
    let folder = Folder::within(&["platform"]);
    let (given, name) = ([0.05, -0.08, 0.11], "0.05,-0.08,0.11");
    let place = ["--position", "0.01,0.005,0.402", "--attitude-rad", name];
    let coarse = ["--set", "legs.elements=4"];
    let shown = |found: &Value, key: &str| {
        for (a, b) in list(&found[key]).into_iter().zip(given) {
            assert!((a - b).abs() < 1e-9, "{key}: {a} {b}");
        }
    };
    let inverse = folder.json(&[&["inverse"][..], &place, &coarse].concat());
    shown(&inverse, "attitude_rad");
    let motors = text(&list(&inverse["motor_rad"]));
    let forward = folder.json(&[&["forward", "--motor-rad", &motors][..], &coarse].concat());
    shown(&forward, "attitude_rad");
    let stiffness = folder.json(&[&["stiffness"][..], &place, &coarse].concat());
    shown(&stiffness, "attitude_rad");
    let times = ["--duration", "0.002", "--out", "."];
    let moved = folder.json(&[&["simulate"][..], &place, &coarse, &times].concat());
    shown(&moved, "final_attitude_rad");
    for (name, given) in ["pitch", "yaw", "roll"].into_iter().zip(given) {
        let first = folder.column("platform.csv", name)[0];
        assert!((first - given).abs() < 1e-9, "{name}: {first} {given}");
    }
    let ranges = ["--x", "0.01", "--y", "0.005", "--z", "0.402", "--out", "."];
    let tried = ["workspace", "--attitude-rad", name];
    folder.stdout(&[&tried[..], &ranges, &coarse].concat());
    for (name, given) in ["pitch", "yaw", "roll"].into_iter().zip(given) {
        assert_eq!(folder.column("workspace.csv", name), [given]);
    }
    // As a nominal pose the same attitude is the one that the legs are mounted in.
    let nominal = format!("end_effector.attitude_rad=[{name}]");
    let mounted = folder.json(&[&["forward", "--set", &nominal][..], &coarse].concat());
    shown(&mounted, "attitude_rad");
}

#[test]
fn names_that_changed_are_refused_with_the_new_ones() {
    let folder = Folder::within(&["platform"]);
    let old = ["inverse", "--position", "0,0,0.4", "--rpy-rad", "0.1,0,0"];
    let message = folder.refused(2, &old);
    assert!(message.contains("--attitude-rad"), "{message}");
    let message = folder.refused(2, &["forward", "--set", "end_effector.rpy_rad=[0.1, 0, 0]"]);
    assert!(message.contains("`end_effector.attitude_rad`"), "{message}");
}

/// Straight lines are the default, and every kind does what it says.
#[test]
fn rows_of_a_table_are_joined_as_asked() {
    let folder = Folder::within(&["platform"]);
    folder.write("push.csv", "time_s,force_z_n\n0,0\n0.01,10\n0.02,10\n");
    let coarse = [
        "--set",
        "legs.elements=4",
        "--duration",
        "0.02",
        "--out",
        ".",
    ];
    let work = |more: &[&str]| {
        let found = folder.json(&[&["simulate"][..], &coarse, more].concat());
        number(&found, "wrench_work_j")
    };
    let by_table = |more: &[&str]| work(&[&["--input", "push.csv"][..], more].concat());
    let linear = by_table(&[]);
    assert_eq!(by_table(&["--interpolation", "linear"]), linear);
    // A cubic pushes less at first and more later: the end effector is found further on its way.
    let cubic = by_table(&["--interpolation", "cubic"]);
    assert!(
        cubic > 1.01 * linear && cubic < 1.1 * linear,
        "{cubic} {linear}"
    );
    // Rows that hold are steps, felt at their times.
    let hold = by_table(&["--interpolation", "hold"]);
    let step = "wrench.force_z_n={ kind = 'step', time_s = 0.01, after = 10.0 }";
    assert_eq!(hold, work(&["--set", step]));
    // The same table as a history, and the same kinds.
    let table = |kind: &str| {
        let rows = "times_s = [0.0, 0.01, 0.02], values = [0.0, 10.0, 10.0]";
        work(&[
            "--set",
            &format!("wrench.force_z_n={{ kind = 'table', {rows}{kind} }}"),
        ])
    };
    assert_eq!(table(""), linear);
    assert_eq!(table(", interpolation = 'cubic'"), cubic);
    assert_eq!(table(", interpolation = 'hold'"), hold);
    let message = folder.refused(
        2,
        &[
            "simulate",
            "--input",
            "push.csv",
            "--interpolation",
            "spline",
        ],
    );
    assert!(message.contains("linear, cubic, hold"), "{message}");
    let angles = "t,motor_1_angle_rad\n0,0\n0.01,0.01\n";
    folder.write("angles.csv", angles);
    let follow = [
        "simulate",
        "--input",
        "angles.csv",
        "--set",
        "motor.mode=angle",
    ];
    let message = folder.refused(2, &follow);
    assert!(message.contains("--interpolation cubic"), "{message}");
}
