//! Mistakes: each ends with exit status 2 and a message that says what to change, and leaves
//! nothing behind.

use crate::support::{Folder, no_panic};
use std::fs;

/// Runs each mistake in an empty folder: the message has all the words, and nothing is written.
fn all_refused(test: &str, cases: &[(&[&str], &[&str])]) {
    let folder = Folder::new(test);
    for (arguments, words) in cases {
        let message = folder.refused(arguments);
        for word in *words {
            assert!(
                message.contains(word),
                "{arguments:?}: no `{word}` in {message}"
            );
        }
        assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
        assert_eq!(folder.names(), [""; 0], "{arguments:?} wrote something");
    }
}

#[test]
fn wrong_keys_and_values_are_named_with_what_is_allowed() {
    all_refused(
        "keys",
        &[
            (
                &["--set", "misalignment.pich_deg=3"],
                &[
                    "unknown key `misalignment.pich_deg`",
                    "`misalignment.pitch_deg`?",
                ],
            ),
            (
                &["--set", "pitch_deg=3"],
                &["did you mean `misalignment.pitch_deg`?"],
            ),
            // Legs start at rest: what prescribes their motion must, too.
            (
                &[
                    "--set",
                    "regulator.law=none",
                    "--set",
                    "motor.mode=angle",
                    "--set",
                    "motor.angle_rad=0.05",
                ],
                &["motor.angle_rad = 0.05 is not allowed", "0 at t = 0"],
            ),
            (
                &["--set", "docking.duration_s=3"],
                &["did you mean `duration_s`?"],
            ),
            (
                &["--set", "duration_s=long"],
                &["`duration_s` must be a number", "\"long\""],
            ),
            (
                &["--set", "legs.elements=2.5"],
                &["`legs.elements` must be a whole number", "2.5"],
            ),
            (
                &["--set", "contact.target.shape=sphere"],
                &["one of \"plane\", \"cone\", \"ring\"", "\"sphere\""],
            ),
            (&["--set", "contact.latch.enabled=1"], &["true or false"]),
            (
                &["--set", "target.inertia_kg_m2=[1, 2]"],
                &["3 numbers", "2 values"],
            ),
            (&["--set", "contact=5"], &["`contact` must be a table"]),
            (
                &["--set", "duration_s=0"],
                &["duration_s = 0 is not allowed", "above 0"],
            ),
            (
                &["--set", "target.mass_kg=-5"],
                &["target.mass_kg = -5 is not allowed", "[0.001, 1e9] kg"],
            ),
            (
                &["--set", "misalignment.pitch_deg=60"],
                &["misalignment.pitch_deg = 60", "[-45, 45] deg"],
            ),
            (
                &["--set", "legs.elements=1"],
                &[
                    "--set legs.elements=1: legs.elements = 1 is not allowed",
                    "[2, 200]",
                ],
            ),
            (
                &["--set", "leaf.youngs_modulus_pa=1e300"],
                &["leaf.youngs_modulus_pa", "[1e5, 1e13] Pa"],
            ),
            (
                &["--set", "target.inertia_kg_m2=[1, 1, 30]"],
                &["target.inertia_kg_m2 = 30", "sum of the other two"],
            ),
            (
                &["--set", "legs.q1_rad=[0, 0]"],
                &["legs.q1_rad", "as many entries as legs.motor_azimuth_deg"],
            ),
            (
                &["--set", "legs.different=[{leg=9, set={}}]"],
                &["legs.different.leg = 9", "[1, 6]"],
            ),
            (
                &[
                    "--set",
                    "legs.different=[{leg=1, set={\"tendon.colour\"=1}}]",
                ],
                &["leg 1", "tendon.colour"],
            ),
            (
                &["--legs", "nowhere.fmu"],
                &["--legs nowhere.fmu", "native, fmu"],
            ),
            (
                &[
                    "motors-lqr",
                    "--legs",
                    "fmu",
                    "--set",
                    "regulator.state=exact",
                ],
                &["regulator.state", "exact", "monolithic", "estimated"],
            ),
            (
                &["motors-lqr", "--set", "motor.mode=hold"],
                &[
                    "motor.mode=hold",
                    "regulator.law = \"none\" switches it off",
                ],
            ),
            (
                &["motors-lqr", "--set", "motor.mode=hold"],
                &["motor.mode=hold", "regulator.law", "torque"],
            ),
            (
                &["--set", "regulator.law=lqr"],
                &["regulator.law", "motor.mode = \"locked\"", "torque"],
            ),
            (
                &["--set", "regulator.active=true"],
                &["regulator.active", "it is now `regulator.law`"],
            ),
            (
                &[
                    "motors-lqr",
                    "--set",
                    "motor.torque_limit_nm=0.01",
                    "--set",
                    "gravity_m_s2=[0,0,-9.81]",
                ],
                &["motor.torque_limit_nm = 0.01", "N·m to hold"],
            ),
            (
                &["--set", "regulator.periods=1"],
                &["regulator.periods", "regulator.period_s"],
            ),
        ],
    );
}

#[test]
fn numbers_that_are_none_are_refused() {
    all_refused(
        "nan",
        &[
            (
                &["--set", "duration_s=nan"],
                &["`duration_s` = NaN", "finite"],
            ),
            (
                &["--set", "target.mass_kg=inf"],
                &["`target.mass_kg` = inf", "finite"],
            ),
            (
                &["--set", "gravity_m_s2=[0, 0, -inf]"],
                &["gravity_m_s2", "finite"],
            ),
            (&["--set", "target.mass_kg=1e999"], &["target.mass_kg"]),
            (
                &["--sweep", "misalignment.pitch_deg=nan:1:1"],
                &["KEY=FROM:TO:STEP"],
            ),
        ],
    );
}

#[test]
fn what_would_take_all_memory_or_no_end_of_time_is_refused() {
    all_refused(
        "much",
        &[
            (
                &[
                    "--set",
                    "duration_s=3600",
                    "--set",
                    "output_interval_s=1e-9",
                ],
                &[
                    "output_interval_s = 0.000000001",
                    "duration_s = 3600",
                    "3.6e12 rows of output",
                ],
            ),
            (
                &[
                    "--set",
                    "duration_s=1000",
                    "--set",
                    "output_interval_s=0.02",
                    "--set",
                    "legs.elements=100",
                ],
                &["output_interval_s = 0.02", "poses of leaves"],
            ),
            (
                &["--set", "solver.step_s=1e-9"],
                &["solver.step_s = 1e-9", "in [1e-7, 1] s"],
            ),
            (
                &["--set", "duration_s=1e9"],
                &["duration_s = 1000000000", "at most 3600 s"],
            ),
            (
                &["--set", "legs.elements=1000"],
                &["legs.elements = 1000", "[2, 200]"],
            ),
            (
                &["--set", "contact.effector.ring.count=100000"],
                &["contact.effector.ring.count = 100000", "[1, 1000]"],
            ),
            (
                &["--set", "solver.threads=100000"],
                &["solver.threads", "[0, 1024]"],
            ),
            (
                &["--sweep", "misalignment.pitch_deg=0:10:1e-6"],
                &["more than 1000 runs", "softdock batch"],
            ),
        ],
    );
}

#[test]
fn poses_and_shapes_that_cannot_be_say_which_keys_to_change() {
    all_refused(
        "poses",
        &[
            (
                &["--set", "leaf.length_m=0.3"],
                &[
                    "leg 1 cannot be mounted",
                    "0.4119 m",
                    "too far",
                    "leaf.length_m",
                ],
            ),
            (
                &["--set", "legs.sphere_radius_m=5"],
                &["leg 1 cannot be mounted", "legs.sphere_radius_m"],
            ),
            (
                &["--set", "end_effector.attitude_rad=[1.5, 0, 0]"],
                &["cannot be mounted", "end_effector.attitude_rad"],
            ),
            (
                &[
                    "--set",
                    "misalignment.lateral_x_m=1",
                    "--set",
                    "contact.target.shape=ring",
                ],
                &[
                    "never comes that near",
                    "misalignment.lateral_x_m",
                    "initial_gap_m",
                ],
            ),
            (
                &["--set", "contact.target.cone.depth_m=1"],
                &["contact.target.cone.depth_m = 1", "full cone"],
            ),
            (
                &["--set", "contact.effector.ring.radius_m=1e6"],
                &["contact.effector.ring.radius_m", "[0, 10] m"],
            ),
            (
                &["--sweep", "leaf.length_m=0.3:0.2:-0.05"],
                &["leg 1 cannot be mounted", "leaf.length_m"],
            ),
        ],
    );
}

#[test]
fn sweeps_and_arguments_that_make_no_sense_are_refused() {
    all_refused(
        "arguments",
        &[
            (
                &["--sweep", "misalignment.pitch_deg"],
                &["no `=`", "KEY=FROM:TO:STEP"],
            ),
            (
                &["--sweep", "misalignment.pitch_deg=0:10"],
                &["three numbers"],
            ),
            (
                &["--sweep", "misalignment.pitch_deg=0:10:-1"],
                &["the step does not lead"],
            ),
            (
                &["--sweep", "misalignment.pitch_deg=a:b:c"],
                &["not made of numbers"],
            ),
            (
                &["--sweep", "misalignment.pich_deg=0:1:1"],
                &[
                    "--sweep misalignment.pich_deg=0:1:1: unknown key",
                    "pitch_deg`?",
                ],
            ),
            (
                &["--sweep", "misalignment.pitch_deg=40:50:5"],
                &["--sweep", "misalignment.pitch_deg = 50", "[-45, 45]"],
            ),
            (
                &["--sweep", "contact.target.shape=0:1:1"],
                &["--sweep", "one of \"plane\""],
            ),
            (
                &["--sweep", "legs.elements=2:4:0.5"],
                &["--sweep", "a whole number"],
            ),
            (
                &["--sweep", "duration_s=1:2:1", "--sweep", "duration_s=1:2:1"],
                &["duration_s is given twice"],
            ),
            (
                &[
                    "--sweep",
                    "duration_s=1:2:0.01",
                    "--sweep",
                    "closing_speed_m_s=0.01:0.1:0.001",
                ],
                &["9191 runs", "softdock batch"],
            ),
            (
                &[
                    "--sweep",
                    "duration_s=1:2:1",
                    "--sweep",
                    "legs.elements=2:3:1",
                    "--sweep",
                    "closing_speed_m_s=0.1:0.1:1",
                ],
                &["3 times"],
            ),
            (&["--set", "duration_s"], &["write KEY=VALUE"]),
            (
                &["nosuch"],
                &["no scenario file nosuch", "free-floating-pair"],
            ),
            (&["none.toml"], &["no scenario file none.toml"]),
            (
                &["--compare", "aligned", "nosuch"],
                &["no scenario file nosuch"],
            ),
            (
                &["."],
                &["cannot read the settings file .", "it is a folder"],
            ),
            (&["/dev/zero"], &["/dev/zero", "device"]),
        ],
    );
    // Wrong use of the command itself: the same status, with the help of the argument parser.
    let folder = Folder::new("usage");
    for arguments in [
        &["--compare", "aligned"][..],
        &["--compare", "aligned", "default", "--sweep", "a=0:1:1"],
        &["--compare", "aligned", "default", "--print-config"],
        &["--duration", "3"],
        &["one.toml", "two.toml"],
    ] {
        let message = folder.refused(arguments);
        assert!(
            message.contains("Usage: softdock dock"),
            "{arguments:?}: {message}"
        );
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn files_are_named_with_the_line() {
    let folder = Folder::new("files");
    let deep = format!("a = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    let cases: [(&str, &[&str]); 13] = [
        ("[target]\nmass_kg = = 3\n", &["bad.toml:2: not valid TOML"]),
        ("\n\n[target\n", &["bad.toml:3: not valid TOML"]),
        (
            "duration_s = 1\nduration_s = 2\n",
            &["bad.toml:2: not valid TOML", "duplicate key"],
        ),
        (
            "[target]\nmass_kg = 1\n[target]\nmass_kg = 2\n",
            &["bad.toml:3: not valid TOML", "duplicate key"],
        ),
        (
            "[misalignment]\npitch = 3\n",
            &["bad.toml:2: unknown key `misalignment.pitch`"],
        ),
        (
            "[misalignment]\n\npitch_deg = 99\n",
            &["bad.toml:3: misalignment.pitch_deg = 99"],
        ),
        (
            "[target]\nmass_kg = nan\n",
            &["bad.toml:2: `target.mass_kg` = NaN"],
        ),
        (
            "[target]\nmass_kg = \"heavy\"\n",
            &["bad.toml:2: `target.mass_kg` must be a number"],
        ),
        (
            "duration_s = 2024-01-01\n",
            &["bad.toml:1: `duration_s` must be a number", "the date"],
        ),
        ("\u{0}", &["bad.toml:1: not valid TOML"]),
        ("= 3\n", &["bad.toml:1: not valid TOML"]),
        (
            "[[contact]]\nnormal = 1\n",
            &["bad.toml:1: `contact` must be a table"],
        ),
        (&deep, &["bad.toml:1: not valid TOML"]),
    ];
    for (text, words) in cases {
        folder.write("bad.toml", text);
        let message = folder.refused(&["bad.toml"]);
        for word in words {
            assert!(message.contains(word), "no `{word}` in {message}");
        }
        assert_eq!(folder.names(), ["bad.toml"], "{message}");
    }
    fs::write(folder.0.join("bad.toml"), b"duration_s = 1 # \xff\n").unwrap();
    assert!(folder.refused(&["bad.toml"]).contains("UTF-8"));
}

#[test]
fn places_that_cannot_be_written_are_refused_before_the_work() {
    let folder = Folder::new("unwritable");
    folder.write("file", "");
    let long = "x".repeat(300);
    for out in ["file", "file/below", "/proc/softdock", &long] {
        let message = folder.refused(&["--out", out]);
        assert!(message.contains("cannot write"), "{out}: {message}");
        let message = folder.refused(&["--out", out, "--sweep", "misalignment.pitch_deg=0:1:1"]);
        assert!(message.contains("cannot write"), "{out}: {message}");
        let message = folder.refused(&["--out", out, "--compare", "aligned", "default"]);
        assert!(message.contains("cannot write"), "{out}: {message}");
    }
    assert_eq!(folder.names(), ["file"]);
    // A folder where a file must go.
    fs::create_dir_all(folder.0.join("out/summary.json")).unwrap();
    let message = folder.refused(&["--out", "out"]);
    assert!(
        message.contains("summary.json") && message.contains("it is a folder"),
        "{message}"
    );
    assert_eq!(folder.names(), ["file", "out", "out/summary.json"]);
}

/// A pipe has no end, and to open one waits for a writer: refused at once, wherever a file is read.
#[cfg(unix)]
#[test]
fn pipes_are_refused_instead_of_waited_for() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new("pipes");
    let made = Command::new("mkfifo")
        .arg(folder.0.join("pipe.toml"))
        .status();
    assert!(made.unwrap().success());
    let commands: [&[&str]; 12] = [
        &["dock", "pipe.toml"],
        &["dock", "--compare", "pipe.toml", "default"],
        &["leg", "simulate", "--config", "pipe.toml"],
        &["leg", "simulate", "--input", "pipe.toml"],
        &["platform", "simulate", "--input", "pipe.toml"],
        &["fmu", "simulate", "pipe.toml"],
        &["fmu", "inspect", "pipe.toml"],
        &["mechanism", "simulate", "pipe.toml"],
        &["dock", "--requirements", "pipe.toml"],
        &["batch", "sample", "pipe.toml"],
        &["batch", "run", "pipe.toml", "--out", "study"],
        &[
            "batch",
            "run",
            "wide-ranges",
            "--design",
            "pipe.toml",
            "--out",
            "study",
        ],
    ];
    for arguments in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_softdock"));
        command.args(arguments).current_dir(&folder.0);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
                panic!("{arguments:?} waits");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(
            message.contains("pipe.toml") && message.contains("regular file"),
            "{message}"
        );
    }
    assert_eq!(folder.names(), ["pipe.toml"]);
}

/// A tendon too soft to balance the bowed leaf: the message has the key, its value and the least
/// stiffness, which is then accepted.
#[test]
fn a_tendon_that_is_too_soft_is_refused_by_its_key() {
    let folder = Folder::new("soft");
    let message = folder.refused(&["--set", "tendon.stiffness_n_per_m=100"]);
    for word in ["tendon.stiffness_n_per_m = 100", "57.66", "at least 140.0"] {
        assert!(message.contains(word), "no `{word}` in {message}");
    }
    assert_eq!(folder.names(), [""; 0]);
    let soft = [
        "--set",
        "tendon.stiffness_n_per_m=140.1",
        "--set",
        "duration_s=0.01",
    ];
    folder.stdout(&[&soft[..], &["--set", "legs.elements=4", "--no-report"]].concat());
}

/// What is strange but possible runs: the same program neither refuses nor breaks.
#[test]
fn odd_but_possible_scenarios_run() {
    let folder = Folder::new("odd");
    let short = [
        "--set",
        "duration_s=0.06",
        "--set",
        "legs.elements=3",
        "--json",
    ];
    let odd: [&[&str]; 10] = [
        &["misalignment.lateral_x_m=1", "contact.target.shape=cone"],
        &["closing_speed_m_s=0"],
        &["initial_gap_m=10"],
        &["initial_gap_m=0"],
        &[
            "contact.effector.ring.count=1",
            "contact.effector.ring.radius_m=0",
        ],
        &["contact.effector.ring.count=1000"],
        &["solver.threads=1024"],
        &["output_interval_s=100"],
        &["target.mass_kg=1e9"],
        &["contact.latch.enabled=false", "contact.friction.law=none"],
    ];
    for settings in odd {
        let mut arguments = short.to_vec();
        for setting in settings {
            arguments.extend(["--set", setting]);
        }
        let output = folder.run(&arguments);
        no_panic(&String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{settings:?}");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["complete"], true, "{settings:?}");
    }
    // A target that has not arrived: the story says what to do.
    let said = folder.stdout(&["--set", "initial_gap_m=1", "--set", "duration_s=0.02"]);
    assert!(
        said.contains("Never touched") && said.contains("lengthen duration_s"),
        "{said}"
    );
}
