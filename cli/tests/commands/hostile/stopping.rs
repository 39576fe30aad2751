//! Ctrl-C and other signals while foreign code runs.

use super::*;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a run of ten minutes and waits for rows.
fn started(folder: &Folder, number: u8) -> Child {
    let partial = folder.path.join("Hostile.partial.csv");
    // Of a run before.
    let _ = fs::remove_file(&partial);
    let number = behaviour(number);
    let long = ["--stop-time", "6000", "--variables", "process", "--json"];
    let mut command = folder.command(&simulate(&number, &long));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_for(|| fs::metadata(&partial).is_ok_and(|file| file.len() > 40));
    assert!(child.try_wait().unwrap().is_none());
    child
}

fn wait_for(mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([name, &pid])
            .status()
            .unwrap()
            .success()
    );
}

fn ended(mut child: Child) -> (Option<i32>, String, String) {
    wait_for(|| child.try_wait().unwrap().is_some());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// True while the process that runs the FMU is there.
fn alive(folder: &Folder) -> bool {
    let table = folder.read("Hostile.partial.csv");
    let process = table.lines().nth(1).unwrap().split(',').nth(1).unwrap();
    // Of a process that has ended, and of which nobody has taken notice, this is empty.
    let memory = fs::read(Path::new("/proc").join(process).join("maps"));
    memory.is_ok_and(|memory| !memory.is_empty())
}

#[test]
fn a_signal_ends_a_supervised_run_as_any_other() {
    for name in ["-INT", "-TERM"] {
        let Some(folder) = folder_with("Hostile") else {
            return;
        };
        let child = started(&folder, SLOW);
        signal(&child, name);
        let (code, said, message) = ended(child);
        assert_eq!(code, Some(130), "{message}");
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["complete"], false);
        assert_eq!(said["stopped_because"], "stopped by a signal");
        assert_eq!(message, "");
    }
}

#[test]
fn two_signals_end_an_fmu_that_does_not_return() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    let child = started(&folder, HANG);
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "-INT");
    let (code, _, message) = ended(child);
    assert_eq!(code, Some(130), "{message}");
    assert_eq!(message, "");
}

#[test]
#[cfg(target_os = "linux")]
fn the_fmu_ends_with_the_program() {
    let Some(folder) = folder_with("Hostile") else {
        return;
    };
    for number in [SLOW, HANG] {
        let child = started(&folder, number);
        assert!(alive(&folder));
        signal(&child, "-KILL");
        ended(child);
        wait_for(|| !alive(&folder));
    }
}
