//! Ctrl-C and SIGTERM end a study between runs; it can be resumed.

use crate::common::{Folder, sound_study};
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn signals_end_a_study_between_runs_with_their_own_status() {
    let folder = Folder::new("signals");
    folder.write("study.toml", &sound_study(2000));
    for (signal, status) in [("INT", 130), ("TERM", 75)] {
        let words = ["run", "study.toml", "--out", signal, "--threads", "2"];
        let mut child = folder.start(&words);
        let begin = Instant::now();
        let finished = || {
            let output = folder.run(&["status", signal, "--json"]);
            let value: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
            value.map_or(0, |value| value["finished"].as_u64().unwrap())
        };
        while finished() < 3 {
            assert!(begin.elapsed() < PATIENCE, "nothing was finished");
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut kill = Command::new("kill");
        kill.args([&format!("-{signal}"), &child.id().to_string()]);
        assert!(kill.status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{signal}");
        let done = folder.json(&["status", signal, "--json"]);
        assert_eq!(done["torn_bytes"], 0, "{done}");
        let count = done["finished"].as_u64().unwrap();
        assert!((3..2000).contains(&count), "{done}");
    }
}
