//! The FMU commands as a user runs them.

use super::folder::Folder;
use serde_json::Value;
use std::fs;

#[test]
fn one_command_exports_a_model_that_runs() {
    let folder = Folder::new();
    let exported = folder.json(&["fmu", "export", "--model", "LegSpatial", "--out", "a b/c"]);
    assert_eq!(exported[0]["model"], "LegSpatial");
    assert_eq!(folder.names(), ["a b"]);
    let file = "a b/c/LegSpatial.fmu";
    let inspected = folder.json(&["fmu", "inspect", file]);
    assert_eq!(inspected["guid"], exported[0]["guid"]);
    assert_eq!(inspected["problems"], serde_json::json!([]));
    let shown = folder.stdout(&["fmu", "inspect", file, "--variables"]);
    assert!(shown.contains("tip.force[3]") && shown.contains("canGetAndSetFMUstate"));
    let done = folder.json(&[
        "fmu",
        "simulate",
        file,
        "--stop-time",
        "0.05",
        "--step",
        "0.005",
        "--out",
        "r",
    ]);
    assert_eq!(done["rows"], 11);
    assert_eq!(done["complete"], true);
    let table = folder.read("r/LegSpatial.csv");
    assert!(table.starts_with("time_s,motor.angle,"));
    assert_eq!(table.lines().count(), 12);
    folder.stdout(&["fmu", "export"]);
    for name in ["LegPlanar.fmu", "LegSpatial.fmu"] {
        assert!(folder.names().contains(&name.to_owned()), "{name}");
    }
}

/// Inside an FMU are the results of its default experiment, as FMI-LS-REF names and describes them; a run of
/// the FMU in the program gives them.
#[test]
fn an_fmu_brings_results_to_compare_with() {
    let folder = Folder::new();
    for version in ["2", "3"] {
        let export = ["fmu", "export", "--model", "LegSpatial", "--fmi", version];
        folder.stdout(&export);
        let bytes = fs::read(folder.path.join("LegSpatial.fmu")).unwrap();
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut text = |name: &str| {
            let name = format!("extra/org.fmi-standard.fmi-ls-ref/{name}");
            std::io::read_to_string(archive.by_name(&name).unwrap()).unwrap()
        };
        let manifest = text("fmi-ls-manifest.xml");
        assert!(manifest.contains("role=\"result\"") && manifest.contains("results.csv"));
        let table = text("results.csv");
        assert!(table.starts_with("time,") && table.lines().count() > 100);
        folder.write("results.csv", &table);
        let run = ["fmu", "simulate", "LegSpatial.fmu", "--out", "r"];
        let found = folder.json(&[&run[..], &["--compare", "results.csv"]].concat());
        assert_eq!(found["compared"]["largest"], 0.0, "{}", found["compared"]);
        assert_eq!(found["compared"]["rows"], table.lines().count() - 1);
        folder.stdout(&[&export[..], &["--no-reference"]].concat());
        let bytes = fs::read(folder.path.join("LegSpatial.fmu")).unwrap();
        let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        assert!(
            archive
                .file_names()
                .all(|name| !name.unwrap().starts_with("extra/"))
        );
    }
}

/// Crank angle of the default leg after 6 s, converged [rad]; and what the error of a step of 0.5 ms
/// may be, which is 5.7e-4 when steps are counted: remainders of time made the run end at 5 s.
const CRANK_AFTER_SIX_SECONDS: f64 = -2.545_268_1;
const ERROR_OF_HALF_A_MILLISECOND: f64 = 1e-3;

#[test]
fn communication_steps_of_thousands_of_steps_leave_no_remainder() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export", "--model", "LegPlanar"]);
    for (start, stop) in [("0", "6"), ("86400", "86406")] {
        let times = ["--start-time", start, "--stop-time", stop, "--step", "1"];
        let settings = ["--set", "solver.step=5e-4", "--variables", "q1"];
        let run = ["fmu", "simulate", "LegPlanar.fmu", "--out", start];
        folder.stdout(&[&run[..], &times, &settings].concat());
    }
    let angles = |name: &str| -> Vec<String> {
        let table = folder.read(name);
        let rows = table.lines().skip(1);
        rows.map(|row| row.split_once(',').unwrap().1.to_owned())
            .collect()
    };
    let from_zero = angles("0/LegPlanar.csv");
    assert_eq!(from_zero, angles("86400/LegPlanar.csv"));
    assert_eq!(from_zero.len(), 7);
    let error = from_zero[6].parse::<f64>().unwrap() - CRANK_AFTER_SIX_SECONDS;
    assert!(error.abs() < ERROR_OF_HALF_A_MILLISECOND, "{error:e}");
}

#[test]
fn inputs_from_a_table_move_the_leg() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export"]);
    folder.write("in.csv", "time,load.force[2]\n0,0\n0.1,10\n");
    let variables = "load.force[2],q3,motor.mode,tendon.present";
    let with = folder.json(&[
        "fmu",
        "simulate",
        "LegPlanar.fmu",
        "--stop-time",
        "0.1",
        "--step",
        "0.02",
        "--input",
        "in.csv",
        "--set",
        "motor.mode=1",
        "--variables",
        variables,
    ]);
    let without = folder.json(&[
        "fmu",
        "simulate",
        "LegPlanar.fmu",
        "--stop-time",
        "0.1",
        "--step",
        "0.02",
        "--set",
        "motor.mode=1",
        "--variables",
        variables,
    ]);
    let last = |report: &Value, k: usize| report["last_values"][k].as_f64().unwrap();
    // The load rises along a straight line within each step.
    assert!((last(&with, 0) - 10.0).abs() < 1e-9);
    assert!((last(&with, 1) - last(&without, 1)).abs() > 1e-4);
    assert_eq!([last(&with, 2), last(&with, 3)], [1.0, 1.0]);
}

#[test]
fn wrong_input_is_named_and_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export", "--model", "LegPlanar"]);
    folder.write("text.fmu", "hello");
    let before = folder.names();
    let simulate = |more: &[&str]| {
        let arguments = [&["fmu", "simulate", "LegPlanar.fmu"], more].concat();
        folder.refused(2, &arguments)
    };
    assert!(simulate(&["--set", "leaf.lenght=1"]).contains("did you mean `leaf.length`?"));
    assert!(simulate(&["--set", "leaf.length=abc"]).contains("must be a number, not `abc`"));
    assert!(simulate(&["--set", "leaf.length"]).contains("write VARIABLE=VALUE"));
    assert!(simulate(&["--set", "leaf.length=-1"]).contains("outside [0.001, 100]"));
    assert!(simulate(&["--set", "motor.mode=9"]).contains("motor.mode"));
    assert!(simulate(&["--set", "q1=0"]).contains("q1 is an output"));
    assert!(simulate(&["--set", "pretension.q3=2"]).contains("cannot start"));
    assert!(simulate(&["--stop-time", "-1"]).contains("--stop-time -1 is not allowed"));
    assert!(simulate(&["--step", "0"]).contains("--step 0 is not allowed"));
    assert!(simulate(&["--input", "absent.csv"]).contains("absent.csv"));
    assert!(simulate(&["--variables", "q4"]).contains("no variable `q4`"));
    for command in ["inspect", "simulate"] {
        assert!(
            folder
                .refused(2, &["fmu", command, "absent.fmu"])
                .contains("absent.fmu")
        );
        assert!(
            folder
                .refused(2, &["fmu", command, "text.fmu"])
                .contains("is no FMU")
        );
    }
    folder.refused(2, &["fmu", "export", "--model", "LegRound"]);
    folder.refused(2, &["fmu", "export", "--out", "text.fmu/below"]);
    folder.refused(2, &["fmu", "merge", "LegPlanar.fmu", "--out", "m"]);
    assert_eq!(folder.names(), before);
}

#[test]
fn a_run_that_fails_keeps_its_rows_and_says_why() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export", "--model", "LegPlanar"]);
    folder.write("in.csv", "t,load.torque\n0,0\n0.05,0\n0.0501,1e250\n");
    let message = folder.refused(
        1,
        &[
            "fmu",
            "simulate",
            "LegPlanar.fmu",
            "--stop-time",
            "0.1",
            "--step",
            "0.01",
            "--input",
            "in.csv",
        ],
    );
    assert!(
        message.contains("LegPlanar.partial.csv") && message.contains("discarded"),
        "{message}"
    );
    let rows = folder.read("LegPlanar.partial.csv").lines().count();
    assert!((6..9).contains(&rows), "{rows}");
}

#[test]
fn merging_keeps_the_binaries_of_all_platforms() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export", "--model", "LegPlanar", "--out", "a"]);
    // The same model, as if built elsewhere.
    let (name, other) = (
        "binaries/linux64/LegPlanar.so",
        "binaries/win64/LegPlanar.dll",
    );
    let mut archive = zip::ZipWriter::new(fs::File::create(folder.path.join("b.fmu")).unwrap());
    let source = fs::File::open(folder.path.join("a/LegPlanar.fmu")).unwrap();
    let mut source = zip::ZipArchive::new(source).unwrap();
    for index in 0..source.len() {
        let entry = source.by_index_raw(index).unwrap();
        let entry_name = entry.name().unwrap().into_owned();
        if entry_name == name {
            archive.raw_copy_file_rename(entry, other).unwrap();
        } else {
            archive.raw_copy_file(entry).unwrap();
        }
    }
    archive.finish().unwrap();
    let merged = folder.json(&["fmu", "merge", "a/LegPlanar.fmu", "b.fmu", "--out", "m"]);
    assert_eq!(merged["binaries"], serde_json::json!([name, other]));
    folder.stdout(&["fmu", "simulate", "m/LegPlanar.fmu", "--stop-time", "0.01"]);
}

#[test]
fn the_benchmark_finds_the_bits_of_the_native_leg() {
    let folder = Folder::new();
    let lines = folder.json(&["bench", "fmu", "--steps", "50", "--repetitions", "2"]);
    for (line, model) in lines
        .as_array()
        .unwrap()
        .iter()
        .zip(["LegPlanar", "LegSpatial"])
    {
        assert_eq!(line["model"], model);
        assert_eq!(line["same_bits"], true);
    }
}

/// A column of a table.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let place = header
        .split(',')
        .position(|one| one.trim_matches('"') == name);
    let place = place.unwrap_or_else(|| panic!("{name} in {header}"));
    lines
        .map(|line| line.split(',').nth(place).unwrap().parse().unwrap())
        .collect()
}

/// Largest difference of columns of two tables.
fn difference(found: &str, expected: &str, names: &[(&str, &str)]) -> f64 {
    let mut worst = 0.0_f64;
    for (ours, theirs) in names {
        let (a, b) = (column(found, ours), column(expected, theirs));
        assert_eq!(a.len(), b.len(), "{ours}");
        let size = b.iter().fold(1.0, |size: f64, b| size.max(b.abs()));
        for (a, b) in a.iter().zip(&b) {
            worst = worst.max((a - b).abs() / size);
        }
    }
    worst
}

#[test]
fn the_platform_as_an_fmu_has_its_settings_and_equals_the_program() {
    let folder = Folder::new();
    folder.write(
        "own.toml",
        "gravity_m_s2 = [0.0, 0.0, -1.0]\n[end_effector]\nmass_kg = 4.0\n[wrench]\nforce_z_n = -20.0\n",
    );
    let export = [
        "fmu", "export", "--model", "Platform", "--config", "own.toml",
    ];
    folder.stdout(&[&export[..], &["--set", "wrench.moment_y_nm=0.5"]].concat());
    let step = ["--stop-time", "0.1", "--step", "0.001", "--out", "r"];
    folder.json(&[&["fmu", "simulate", "Platform.fmu"][..], &step].concat());
    let simulate = ["platform", "simulate", "own.toml", "--duration", "0.1"];
    let set = ["--set", "wrench.moment_y_nm=0.5", "--out", "p"];
    folder.stdout(&[&simulate[..], &set].concat());
    let names = [
        ("effector.position[1]", "x"),
        ("effector.position[3]", "z"),
        ("effector.attitude[2]", "yaw"),
        ("effector.velocity[3]", "vz"),
        ("leg[2].force[1]", "f2_x"),
        ("tendon.tension[6]", "tendon_tension_6"),
        ("energy.dissipated", "dissipated"),
    ];
    let worst = difference(
        &folder.read("r/Platform.csv"),
        &folder.read("p/platform.csv"),
        &names,
    );
    assert!(worst <= 1e-9, "{worst:e}");
}

#[test]
fn a_mechanism_file_as_an_fmu_equals_the_program() {
    let folder = Folder::new();
    folder.write(
        "base.toml",
        "extends = \"driven-arm\"\n[parameters]\npayload_kg.value = 0.8\n",
    );
    folder.write(
        "my-arm.toml",
        "extends = \"base\"\n[parameters]\nupper_m.value = 0.6\n",
    );
    let set = [
        "--set",
        "parameters.gravity=3.7",
        "--set",
        "analysis.duration_s=0.2",
    ];
    folder.stdout(&[&["fmu", "export", "--model", "my-arm.toml"][..], &set].concat());
    folder.stdout(
        &[
            &["mechanism", "simulate", "my-arm.toml", "--out", "m"][..],
            &set,
        ]
        .concat(),
    );
    // What the file extends is inside.
    std::fs::remove_file(folder.path.join("base.toml")).unwrap();
    let step = ["--stop-time", "0.2", "--step", "0.001", "--out", "r"];
    folder.json(&[&["fmu", "simulate", "my_arm.fmu"][..], &step].concat());
    let names = ["q1_rad", "q2_rad", "tip.x_m", "elbow.force_y_n"].map(|name| (name, name));
    let worst = difference(
        &folder.read("r/my_arm.csv"),
        &folder.read("m/mechanism.csv"),
        &names,
    );
    assert!(worst <= 1e-9, "{worst:e}");
}

#[test]
fn a_docking_as_an_fmu_has_its_settings_and_equals_the_program() {
    let folder = Folder::new();
    let set = ["--set", "duration_s=0.2", "--set", "legs.elements=4"];
    let export = ["fmu", "export", "--model", "Docking", "--config", "aligned"];
    folder.stdout(&[&export[..], &set].concat());
    let step = ["--stop-time", "0.2", "--step", "0.002", "--out", "r"];
    folder.json(&[&["fmu", "simulate", "Docking.fmu"][..], &step].concat());
    folder.stdout(&[&["dock", "aligned", "--out", "d"][..], &set].concat());
    let summary: Value = serde_json::from_str(&folder.read("d/summary.json")).unwrap();
    let peak = summary["peak_contact_force_n"].as_f64().unwrap();
    let found = column(&folder.read("r/Docking.csv"), "contact.peak_force");
    assert!(peak > 1.0);
    assert!(
        (found[found.len() - 1] - peak).abs() <= 1e-9 * peak,
        "{peak}"
    );
}

#[test]
fn a_run_is_compared_with_the_table_of_another() {
    let folder = Folder::new();
    folder.stdout(&["fmu", "export", "--model", "LegPlanar"]);
    let run = ["fmu", "simulate", "LegPlanar.fmu", "--stop-time", "0.05"];
    folder.json(&[&run[..], &["--out", "a"]].concat());
    let compare = ["--out", "b", "--compare", "a/LegPlanar.csv"];
    let same = folder.json(&[&run[..], &compare].concat());
    assert_eq!(same["compared"]["largest"], 0.0);
    assert_eq!(same["compared"]["rows"], 51);
    let other = [&run[..], &compare, &["--set", "crank.mass=1.01"]].concat();
    folder.refused(4, &other);
    let loose = [&other[..], &["--compare-tolerance", "0.5"]].concat();
    assert!(folder.json(&loose)["compared"]["largest"].as_f64().unwrap() > 1e-6);
    folder.write("other.csv", "time_s,nothing\n0,1\n");
    let refused = [&run[..], &["--out", "c", "--compare", "other.csv"]].concat();
    assert!(folder.refused(2, &refused).contains("other.csv"));
}

#[test]
fn a_platform_is_written_as_a_system_of_fmus() {
    let folder = Folder::new();
    let written = folder.json(&["ssp", "export", "--out", "s"]);
    assert_eq!(written["step_size_s"], 2e-4);
    assert_eq!(written["connections"], 54);
    assert_eq!(written["components"].as_array().unwrap().len(), 7);
    assert!(folder.names().contains(&"s".to_owned()));
    for (set, key) in [
        ("gravity_m_s2=[0.0,0.0,-9.81]", "gravity_m_s2"),
        ("base.free_floating=true", "base.free_floating"),
    ] {
        let message = folder.refused(2, &["ssp", "export", "--set", set]);
        assert!(message.contains(key), "{message}");
    }
}

#[test]
fn a_library_of_another_system_is_packed_and_what_is_none_refused() {
    let folder = Folder::new();
    let mut dll = vec![0; 256];
    dll[..2].copy_from_slice(b"MZ");
    dll[0x3c] = 0x80;
    dll[0x80..0x86].copy_from_slice(&[b'P', b'E', 0, 0, 0x64, 0x86]);
    fs::write(folder.path.join("other.dll"), dll).unwrap();
    folder.write("text.dll", "no library");
    let export = ["fmu", "export", "--model", "LegPlanar", "--library"];
    let written = folder.json(&[&export[..], &["other.dll", "--out", "w"]].concat());
    assert_eq!(written[0]["platform"], "win64");
    folder.json(&[&export[..4], &["--out", "l"]].concat());
    let merge = [
        "fmu",
        "merge",
        "l/LegPlanar.fmu",
        "w/LegPlanar.fmu",
        "--out",
        "m",
    ];
    let merged = folder.json(&merge);
    let binaries = [
        "binaries/linux64/LegPlanar.so",
        "binaries/win64/LegPlanar.dll",
    ];
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert_eq!(merged["binaries"], serde_json::json!(binaries));
    }
    let refused = [&export[..], &["text.dll"]].concat();
    assert!(folder.refused(2, &refused).contains("text.dll"));
}

#[test]
fn models_are_listed_and_wrong_ones_refused() {
    let folder = Folder::new();
    let list = folder.json(&["fmu", "export", "--list"]);
    let names: Vec<&str> = (list.as_array().unwrap().iter())
        .map(|one| one["model"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "LegPlanar",
            "LegSpatial",
            "EndEffector",
            "Platform",
            "Docking",
            "Mechanism"
        ]
    );
    assert!(!folder.names().iter().any(|name| name.ends_with(".fmu")));
    let refused = |more: &[&str], reason: &str| {
        let message = folder.refused(2, &[&["fmu", "export"], more].concat());
        assert!(message.contains(reason), "{message}");
    };
    refused(&["--model", "LegPlana"], "LegPlana");
    refused(&["--set", "crank.mass_kg=2"], "--model");
    refused(
        &["--model", "LegPlanar", "--set", "crank.mass_kg=-2"],
        "crank.mass_kg",
    );
    refused(
        &["--model", "LegPlanar", "--set", "motor.torque_nm=2"],
        "motor.torque_nm",
    );
    refused(
        &["--model", "Platform", "--set", "coupling=implicit"],
        "monolithic",
    );
    refused(
        &["--model", "driven-arm", "--set", "parameters.mass=2"],
        "mass",
    );
}

#[test]
fn settings_of_a_leg_become_start_values() {
    let folder = Folder::new();
    let export = ["fmu", "export", "--model", "LegSpatial", "--set"];
    folder.stdout(&[&export[..], &["crank.mass_kg=1.5"]].concat());
    let value = |name: &str| {
        let step = ["--stop-time", "0.01", "--variables", name];
        let done = folder.json(&[&["fmu", "simulate", "LegSpatial.fmu"][..], &step].concat());
        done["last_values"][0].clone()
    };
    assert_eq!(value("crank.mass"), 1.5);
    // What is not given is the FMU's default, not that of a leg by itself.
    assert_eq!(value("solver.spectral_radius"), 0.0);
    folder.stdout(&[&export[..], &["solver.spectral_radius=0.9"]].concat());
    assert_eq!(value("solver.spectral_radius"), 0.9);
}

/// What a native leg refuses is no FMU: the same settings, the same message.
#[test]
fn settings_that_no_native_leg_accepts_make_no_fmu() {
    let folder = Folder::new();
    let legs: [(&str, &[&str]); 2] = [
        (
            "LegSpatial",
            &["leg", "spatial", "simulate", "--duration", "0.01"],
        ),
        ("LegPlanar", &["leg", "simulate", "--duration", "0.01"]),
    ];
    for (model, native) in legs {
        for set in [
            "tendon.stiffness_n_per_m=10",
            "leaf.density_kg_m3=2e6",
            "solver.step_s=5e-8",
            "tendon.stiffness_n_per_m=5e12",
            "leaf.thickness_m=0.1",
        ] {
            let export = ["fmu", "export", "--model", model, "--set", set];
            let told = folder.refused(2, &export);
            let by_leg = folder.refused(2, &[native, &["--set", set]].concat());
            let cause = told.trim().trim_start_matches("softdock: ");
            assert!(by_leg.contains(cause), "{set}: {told} is not {by_leg}");
        }
    }
    assert!(folder.names().iter().all(|name| !name.ends_with(".fmu")));
    folder.refused(
        2,
        &[
            "fmu",
            "export",
            "--model",
            "Docking",
            "--set",
            "tendon.stiffness_n_per_m=10",
        ],
    );
}

/// What is suspect as a native leg is suspect as an FMU, in `fmu simulate` and for any master.
#[test]
fn fmus_tell_whether_their_results_are_sound() {
    let folder = Folder::new();
    for model in ["LegSpatial", "LegPlanar", "EndEffector"] {
        folder.stdout(&["fmu", "export", "--model", model]);
    }
    let simulate = |file: &str, step: &str| {
        [
            "fmu",
            "simulate",
            file,
            "--stop-time",
            "0.1",
            "--step",
            step,
        ]
        .map(str::to_owned)
    };
    let last = |name: &str| {
        let table = folder.read(name);
        let (head, row) = (table.lines().next().unwrap(), table.lines().last().unwrap());
        let place = head.split(',').position(|name| name == "sound").unwrap();
        row.split(',').nth(place).unwrap().to_owned()
    };
    for model in ["LegSpatial", "LegPlanar"] {
        let file = format!("{model}.fmu");
        let fine = simulate(&file, "0.001");
        let fine: Vec<&str> = fine.iter().map(String::as_str).collect();
        let told = folder.json(&fine);
        assert_eq!(told["soundness"], "sound", "{told}");
        assert_eq!(last(&format!("{model}.csv")), "1.0");
        // Steps that damp a swinging leaf as strongly as they can.
        let coarse = simulate(&file, "0.01");
        let coarse: Vec<&str> = coarse.iter().map(String::as_str).collect();
        let set = [
            "--set",
            "solver.step=0.01",
            "--set",
            "solver.spectral_radius=0",
        ];
        let told = folder.refused(3, &[&coarse[..], &set].concat());
        assert!(told.contains("the energy ledger misses"), "{told}");
        assert_eq!(last(&format!("{model}.csv")), "0.0");
    }
    // What tells nothing is not judged.
    let silent = folder.json(&["fmu", "simulate", "EndEffector.fmu", "--stop-time", "0.01"]);
    assert!(silent.get("soundness").is_none(), "{silent}");
}
