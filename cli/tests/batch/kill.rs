//! kill -9 at any moment loses nothing, doubles nothing, and leaves no trace in the table.

use crate::common::{Folder, study};
use softdock_study::Directory;
use softdock_study::sampling::random::{Generator, Stream};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const RUNS: u64 = 60;
const KILLS: u64 = 20;

/// Finished runs with the moments they finished at.
fn finished(directory: &Path) -> BTreeMap<u64, u64> {
    let mut runs = BTreeMap::new();
    if let Ok(directory) = Directory::open(directory) {
        let note = |row: &softdock_study::store::record::Row| {
            let twice = runs.insert(row.run, row.finished_unix_ms);
            assert!(twice.is_none(), "run {} is there twice", row.run);
            Ok(())
        };
        directory.for_each_row(note).unwrap();
    }
    runs
}

fn words(out: &str) -> [&str; 7] {
    let study = "study.toml";
    ["run", study, "--out", out, "--resume", "--threads", "2"]
}

#[test]
fn killed_twenty_times_a_study_ends_with_the_same_table() {
    let folder = Folder::new("kill");
    let keep = "[keep]\nseries = \"worst\"\nfigure = \"peak_contact_force_n\"\ncount = 4\n[base]";
    folder.write("study.toml", &study(RUNS).replace("[base]", keep));
    let begin = Instant::now();
    folder.stdout(&words("reference"));
    // A process lives for up to a third of what a whole study takes, so that the kills go through
    // several studies, from the first steps to the table.
    let longest = begin.elapsed() / 3;
    let random = Generator::new(2025);
    let (mut kills, mut attempts, mut studies) = (0, 0, 0);
    let mut out = "study-0".to_owned();
    let check_end = |out: &str| {
        assert_eq!(finished(&folder.join(out)).len() as u64, RUNS);
        assert!(folder.table(out) == folder.table("reference"), "{out}");
        let series = |out: &str| crate::common::names(&folder.join(out).join("series"));
        assert_eq!(series(out), series("reference"));
        assert_eq!(series(out).len(), 4);
    };
    while kills < KILLS {
        let before = finished(&folder.join(&out));
        let mut child = folder.start(&words(&out));
        std::thread::sleep(longest.mul_f64(random.uniform(Stream::Bootstrap, 0, attempts)));
        child.kill().unwrap();
        attempts += 1;
        let ended_by_itself = child.wait().unwrap().success();
        let after = finished(&folder.join(&out));
        for (run, moment) in &before {
            assert_eq!(
                after.get(run),
                Some(moment),
                "run {run} was lost or done again"
            );
        }
        if ended_by_itself {
            check_end(&out);
            studies += 1;
            out = format!("study-{studies}");
        } else {
            kills += 1;
        }
    }
    folder.stdout(&words(&out));
    check_end(&out);
    eprintln!("{kills} processes were killed in {} studies", studies + 1);
}
