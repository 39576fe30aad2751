//! What an FMU does while it runs.

use super::*;
use std::io::Read;
use std::time::{Duration, Instant};

/// The times in a table of `Hostile`.
fn times(folder: &Folder, table: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.path.join(table)).unwrap();
    let rows = reader.records().map(|row| row.unwrap()[0].to_owned());
    rows.collect()
}

/// Runs a behaviour that must fail with exit status 1, and checks that four rows are kept under the
/// name that says so.
fn fails(number: u8, more: &[&str]) -> Option<String> {
    let folder = folder_with("Hostile")?;
    let message = folder.refused(1, &simulate(&behaviour(number), more));
    assert!(message.contains("Hostile.partial.csv"), "{message}");
    assert_eq!(
        times(&folder, "Hostile.partial.csv"),
        ["0.0", "0.1", "0.2", "0.3"],
        "{message}"
    );
    assert!(!folder.path.join("Hostile.csv").exists());
    Some(message)
}

#[test]
fn a_crash_is_reported_with_its_signal_and_the_rows_are_kept() {
    for (number, signal) in [(ABORT, "SIGABRT"), (SEGFAULT, "SIGSEGV")] {
        let Some(message) = fails(number, &[]) else {
            return;
        };
        assert!(message.contains(signal), "{message}");
        assert!(message.contains("fmi2DoStep from t = 0.3 s"), "{message}");
    }
}

#[test]
fn an_fmu_that_ends_the_process_is_no_success() {
    let Some(message) = fails(EXIT, &[]) else {
        return;
    };
    let expected = "ended its process with exit status 0 during or after fmi2DoStep from t = 0.3 s";
    assert!(message.contains(expected), "{message}");
    let message = fails(EXIT_IN_GETTER, &[]).unwrap();
    assert!(message.contains("exit status 0"), "{message}");
}

#[test]
fn an_fmu_that_does_not_return_is_ended_after_the_time_allowed() {
    let begin = Instant::now();
    let Some(message) = fails(HANG, &["--timeout", "0.5"]) else {
        return;
    };
    let expected = "it has not returned from fmi2DoStep from t = 0.3 s by 0.1";
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("--timeout"), "{message}");
    let message = fails(HANG_IN_GETTER, &["--timeout", "0.5"]).unwrap();
    assert!(message.contains("from fmi2GetReal within"), "{message}");
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn time_is_counted_per_call_and_not_for_the_whole_run() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    // 100 steps of 10 ms each.
    let slow = behaviour(SLOW);
    let arguments = simulate(&slow, &["--timeout", "0.5", "--step", "0.01"]);
    assert_eq!(folder.json(&arguments)["rows"], 101);
    for wrong in ["0", "-1", "nan", "x"] {
        let message = folder.refused(2, &simulate(&slow, &["--timeout", wrong]));
        assert!(message.contains("--timeout"), "{message}");
    }
}

#[test]
fn numbers_that_are_none_are_named_with_their_time() {
    for (number, word) in [(NOT_A_NUMBER, "NaN"), (INFINITE, "-inf")] {
        let Some(message) = fails(number, &[]) else {
            return;
        };
        let expected = format!("gives {word} for `y[1,1]` at t = 0.4 s");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn an_fmu_that_asks_to_end_is_obeyed() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let asks = behaviour(ASK_TO_END);
    let said = folder.stdout(&simulate(&asks, &[]));
    assert!(
        said.contains("asked to end the simulation at t = 0.35 s"),
        "{said}"
    );
    let reached = ["0.0", "0.1", "0.2", "0.3", "0.35"];
    assert_eq!(times(&folder, "Hostile.csv"), reached);
    let report = folder.json(&simulate(&asks, &[]));
    assert_eq!(report["ended_by_fmu"], true);
    assert_eq!(report["complete"], true);
    assert_eq!(report["reached_s"], 0.35);
    // At a row: no second one for the same time.
    let report = folder.json(&simulate(&asks, &["--set", "at=0.3"]));
    assert_eq!(
        (&report["reached_s"], &report["rows"]),
        (&0.3.into(), &4.into())
    );
    assert_eq!(folder.names(), ["Hostile.csv", "model.fmu"]);
    // One that does not say where it is, or only that a step was too much.
    let message = fails(END_SILENTLY, &[]).unwrap();
    assert!(message.contains("does not tell when"), "{message}");
    let message = fails(DISCARD, &[]).unwrap();
    assert!(message.contains("was discarded"), "{message}");
}

#[test]
fn a_run_that_never_goes_back_says_so() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let report = folder.json(&simulate(&behaviour(STAND_STILL), &[]));
    let values = &report["last_values"];
    assert_eq!(values[0], 1.0, "the FMU stands still");
    assert_eq!(values[4], 1, "noSetFMUStatePriorToCurrentPoint");
}

#[test]
fn variables_of_every_type_are_recorded() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let good = behaviour(0);
    let report = folder.json(&simulate(&good, &["--stop-time", "0.1"]));
    let expected = serde_json::json!([0.1, 1e-4, -2147483647, 2, 1, "a, \"b\"\nc"]);
    assert_eq!(report["last_values"], expected);
    let table = "time_s,\"y[1,1]\",tolerance,n,colour,final,text\n\
                 0.0,0.0,0.0001,-2147483647,2,0,\"a, \"\"b\"\"\nc\"\n\
                 0.1,0.1,0.0001,-2147483647,2,1,\"a, \"\"b\"\"\nc\"\n";
    assert_eq!(folder.read("Hostile.csv"), table);
    let chosen = ["--variables", "text,y[1,1]", "--stop-time", "0.1"];
    let report = folder.json(&simulate(&good, &chosen));
    assert_eq!(report["variables"], serde_json::json!(["text", "y[1,1]"]));
    // Texts do not act on the terminal.
    let said = folder.stdout(&simulate(&behaviour(TERMINAL), &[]));
    assert!(
        said.contains("\\u{1b}[2J") && !said.contains('\u{1b}'),
        "{said}"
    );
}

#[test]
fn the_tolerance_reaches_the_fmu() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let good = behaviour(0);
    for (more, expected) in [(&[][..], 1e-4), (&["--tolerance", "1e-7"], 1e-7)] {
        let report = folder.json(&simulate(&good, more));
        assert_eq!(report["last_values"][1], expected);
        assert_eq!(report["tolerance"], expected);
    }
    for wrong in ["0", "-1", "inf"] {
        let message = folder.refused(2, &simulate(&good, &["--tolerance", wrong]));
        assert!(
            message.contains(&format!("--tolerance {wrong}")),
            "{message}"
        );
    }
}

#[test]
fn failures_before_and_behind_the_steps_are_reported_too() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    for (when, place) in [
        ("load", "during or after loading the library"),
        ("instantiate", "during or after fmi2Instantiate"),
        ("step", "during or after fmi2DoStep from t = 0 s"),
    ] {
        let mut command = folder.command(&["fmu", "simulate", "model.fmu"]);
        let output = command.env("HOSTILE", when).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains("SIGABRT") && message.contains(place),
            "{message}"
        );
    }
    let message = folder.refused(1, &simulate(&behaviour(ABORT_IN_TERMINATE), &[]));
    assert!(message.contains("after fmi2Terminate"), "{message}");
    assert_eq!(times(&folder, "Hostile.partial.csv").len(), 11);
    let quick = ["--timeout", "0.5"];
    let message = folder.refused(1, &simulate(&behaviour(HANG_IN_UNLOADING), &quick));
    let expected = "not returned from unloading the library within 0.5 s";
    assert!(message.contains(expected), "{message}");
    let message = folder.refused(1, &simulate(&behaviour(CRASH_AT_EXIT), &[]));
    assert!(
        message.contains("SIGSEGV") && message.contains("after its work was done"),
        "{message}"
    );
}

/// A folder with `evil.fmu`, which looks like this program's LegSpatial.fmu; `rewrite` may change its
/// description.
fn folder_with_leg(rewrite: impl FnOnce(String) -> String) -> Option<Folder> {
    let (library, folder) = (library()?, Folder::new());
    folder.stdout(&["fmu", "export", "--model", "LegSpatial"]);
    let exported = File::open(folder.path.join("LegSpatial.fmu")).unwrap();
    let mut exported = zip::ZipArchive::new(exported).unwrap();
    let mut xml = String::new();
    let mut entry = exported.by_name("modelDescription.xml").unwrap();
    entry.read_to_string(&mut xml).unwrap();
    let (xml, binary) = (
        rewrite(xml),
        TargetSystem::HERE.binary(FmiVersion::Two, "LegSpatial"),
    );
    pack(
        &folder.path.join("evil.fmu"),
        &[("modelDescription.xml", xml.as_bytes()), (&binary, library)],
    );
    Some(folder)
}

#[test]
fn legs_inside_a_foreign_fmu_are_supervised() {
    let Some(folder) = folder_with_leg(|xml| xml) else {
        return;
    };
    for command in [
        &["dock", "--set", "duration_s=0.1"][..],
        &["platform", "simulate"],
    ] {
        let out = command[0];
        for when in ["instantiate", "step"] {
            let arguments = [command, &["--legs", "evil.fmu", "--out", out]].concat();
            let mut command = folder.command(&arguments);
            let output = command.env("HOSTILE", when).output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
            assert!(
                message.contains("evil.fmu failed: its process died of SIGABRT"),
                "{message}"
            );
        }
    }
}

#[test]
fn legs_that_cannot_go_back_are_told_that_they_need_not() {
    let able = "canGetAndSetFMUstate=\"true\"";
    let unable = |xml: String| {
        assert!(xml.contains(able));
        xml.replace(able, "canGetAndSetFMUstate=\"false\"")
            .replace("canSerializeFMUstate=\"true\"", "")
    };
    let Some(folder) = folder_with_leg(unable) else {
        return;
    };
    let arguments = [
        "platform",
        "simulate",
        "--duration",
        "0.002",
        "--legs",
        "evil.fmu",
    ];
    let explicit = [&arguments[..], &["--set", "coupling=explicit"]].concat();
    let crashes = |when: &str| {
        let mut command = folder.command(&explicit);
        let output = command.env("HOSTILE", when).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        message.contains("SIGABRT")
    };
    assert!(crashes("final step") && !crashes("step to go back from"));
}

#[test]
fn nothing_stays_unpacked_behind_an_fmu_that_brought_its_process_down() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let temporary = folder.path.join("tmp");
    fs::create_dir(&temporary).unwrap();
    for number in [ABORT, EXIT, HANG, 0] {
        let number = behaviour(number);
        let mut command = folder.command(&simulate(&number, &["--timeout", "0.3"]));
        command.env("TMPDIR", &temporary).output().unwrap();
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}
