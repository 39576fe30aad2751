//! Runs that are stopped or killed: what was computed can be read and says that it is not all.

use crate::support::{Folder, no_panic, table};
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Far more than a test waits for.
const LONG: [&str; 6] = [
    "--set",
    "duration_s=600",
    "--set",
    "output_interval_s=0.01",
    "--set",
    "legs.elements=3",
];

/// Starts a run and waits until it has put rows on the disk.
fn started(folder: &Folder, arguments: &[&str]) -> Child {
    let partial = folder.0.join("o/run.partial.csv");
    // One that was killed may have left its own.
    let written = || fs::metadata(&partial).and_then(|file| file.modified()).ok();
    let before = written();
    let mut command = folder.command(&[&LONG[..], arguments, &["--out", "o"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    while written() == before || fs::metadata(&partial).map_or(0, |file| file.len()) < 1000 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended by itself"
        );
        assert!(begin.elapsed() < PATIENCE, "no rows");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(status.success());
}

fn stopped(mut child: Child, name: &str) -> Output {
    signal(&child, name);
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{name} does not end it");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    no_panic(&String::from_utf8_lossy(&output.stderr));
    output
}

/// Ctrl-C and a polite end by the system: whole rows, a summary and a report that say that they
/// are not all, and the status that says why.
#[test]
fn a_stopped_run_keeps_what_it_has() {
    for name in ["-INT", "-TERM"] {
        let folder = Folder::new(&format!("stopped{name}"));
        let output = stopped(started(&folder, &["--json"]), name);
        assert_eq!(output.status.code(), Some(130), "{name}");
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let summary = folder.json("o/summary.json");
        assert_eq!(said, summary);
        assert_eq!(summary["complete"], false);
        let reason = summary["error"].as_str().unwrap();
        assert!(reason.starts_with("stopped at t = "), "{reason}");
        let (header, rows) = table(&folder.file("o/run.partial.csv"));
        assert_eq!(header[0], "time_s");
        let last = rows.last().unwrap()[0];
        let simulated = summary["simulated_s"].as_f64().unwrap();
        assert!(
            last > 0.0 && (simulated - last).abs() < 1e-9,
            "{last} {simulated}"
        );
        let page = folder.file("o/report.html");
        assert!(page.contains("Incomplete: stopped at t = ") && page.contains("run.partial.csv"));
        let names = [
            "config.toml",
            "report.html",
            "run.partial.csv",
            "summary.json",
        ];
        let names: Vec<String> = names.iter().map(|name| format!("o/{name}")).collect();
        assert_eq!(folder.names()[1..], names[..], "{name}");
    }
}

/// Ctrl-C is heard within an output interval that never ends.
#[test]
fn a_long_output_interval_does_not_make_it_deaf() {
    let folder = Folder::new("deaf");
    let arguments = ["--set", "output_interval_s=600", "--no-report"];
    let mut command = folder.command(&[&LONG[..], &arguments, &["--out", "o"]].concat());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let partial = folder.0.join("o/run.partial.csv");
    let begin = Instant::now();
    while !partial.exists() {
        assert!(child.try_wait().unwrap().is_none() && begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let output = stopped(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("the results are incomplete"), "{said}");
    let (_, rows) = table(&folder.file("o/run.partial.csv"));
    assert_eq!(rows.len(), 1);
    assert!(
        folder.json("o/summary.json")["simulated_s"]
            .as_f64()
            .unwrap()
            > 0.0
    );
}

/// A kill leaves whole rows under the name that says that there are more, and nothing else; the
/// next run in the same folder ends as if nothing had been there.
#[test]
fn a_killed_run_leaves_whole_rows_and_is_replaced_by_the_next() {
    let folder = Folder::new("killed");
    let output = stopped(started(&folder, &[]), "-KILL");
    assert_eq!(output.status.code(), None);
    assert_eq!(folder.names(), ["o", "o/run.partial.csv"]);
    let (_, rows) = table(&folder.file("o/run.partial.csv"));
    assert!(!rows.is_empty());

    let short = [
        "--out",
        "o",
        "--set",
        "duration_s=0.1",
        "--set",
        "legs.elements=3",
    ];
    folder.stdout(&short);
    let complete = [
        "o",
        "o/config.toml",
        "o/report.html",
        "o/run.csv",
        "o/summary.json",
    ];
    assert_eq!(folder.names(), complete);
    assert_eq!(folder.json("o/summary.json")["complete"], true);
    let finished = folder.file("o/run.csv");

    // A kill beside complete results leaves these as they are.
    stopped(started(&folder, &[]), "-KILL");
    assert_eq!(folder.file("o/run.csv"), finished);
    assert_eq!(folder.json("o/summary.json")["complete"], true);
    table(&folder.file("o/run.partial.csv"));

    // A stopped run replaces them all: no table stays that the summary is not about.
    let output = stopped(started(&folder, &["--no-report"]), "-INT");
    assert_eq!(output.status.code(), Some(130));
    let partial = ["o", "o/config.toml", "o/run.partial.csv", "o/summary.json"];
    assert_eq!(folder.names(), partial);
    assert_eq!(folder.json("o/summary.json")["complete"], false);
    folder.stdout(&short);
    assert_eq!(folder.names(), complete);
    assert_eq!(folder.file("o/run.csv"), finished);
}

/// A sweep that is stopped keeps the runs that came to an end.
#[test]
fn a_stopped_sweep_keeps_its_runs() {
    let folder = Folder::new("sweep-stopped");
    let arguments = [
        "--sweep",
        "misalignment.pitch_deg=0:10:0.01",
        "--out",
        "o",
        "--json",
        "--set",
        "legs.elements=2",
        "--set",
        "duration_s=0.1",
    ];
    let mut command = folder.command(&arguments);
    // To a file: what many runs say does not fit into a pipe that nobody reads.
    let said = folder.0.join("said.json");
    let child = command
        .stdout(fs::File::create(&said).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let output = stopped(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    let said: serde_json::Value = serde_json::from_slice(&fs::read(said).unwrap()).unwrap();
    assert_eq!(said, folder.json("o/summary.json"));
    assert_eq!(said["complete"], false);
    let runs = said["runs"].as_array().unwrap();
    assert!(runs.len() < 1001);
    assert!(runs.iter().all(|run| run["summary"]["complete"] == true));
    let text = folder.file("o/sweep.partial.csv");
    assert!(text.ends_with('\n'), "the last row is cut");
    let cells: Vec<usize> = text.lines().map(|row| row.split(',').count()).collect();
    assert_eq!(cells.len(), 1 + runs.len());
    assert!(cells.iter().all(|count| *count == cells[0]), "{cells:?}");
    assert!(!folder.0.join("o/sweep.csv").exists());
    assert!(
        folder
            .file("o/report.html")
            .contains("Incomplete: stopped after")
    );
}
