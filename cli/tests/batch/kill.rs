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

/// Every way to run that came later, killed several times, ends with the bytes of an undisturbed one:
/// extending, running until enough is known, points from a file, a rare event, a boundary, a screened
/// study. Formulas take no time, so that kills hit the bookkeeping, not the runs.
#[test]
fn killed_in_any_mode_a_study_ends_the_same() {
    let folder = Folder::new("kill-modes");
    let mut text = "name = \"k\"\nseed = 4\nruns = 3000\nsampling = \"monte_carlo\"\n".to_owned();
    for key in ["x1", "x2"] {
        text +=
            &format!("[[vary]]\nkey = \"{key}\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n");
    }
    text += "[formula]\ncaptured = \"x1 + x2 < 0.9\"\ny = \"x1 + x2\"\n";
    folder.write("study.toml", &text);
    let cheap = "[screen]\n[screen.formula]\ny = \"x1 + 1.1*x2\"\n";
    let screened = text.replace("sampling", "fidelity = \"screen\"\nsampling") + cheap;
    folder.write("screened.toml", &screened);
    folder.stdout(&["sample", "study.toml", "--csv", "points.csv"]);
    let modes: [(&str, Vec<&str>, &str); 6] = [
        (
            "extend",
            vec!["extend", "OUT", "--runs", "9000"],
            "results.parquet",
        ),
        (
            "until",
            vec![
                "run",
                "study.toml",
                "--out",
                "OUT",
                "--until",
                "captured ± 0.01",
                "--resume",
            ],
            "results.parquet",
        ),
        (
            "design",
            vec![
                "run",
                "study.toml",
                "--out",
                "OUT",
                "--design",
                "points.csv",
                "--resume",
            ],
            "results.parquet",
        ),
        (
            "rare",
            vec![
                "rare",
                "study.toml",
                "--out",
                "OUT",
                "--event",
                "y>1.97",
                "--points",
                "400",
            ],
            "measured/results.parquet",
        ),
        (
            "boundary",
            vec![
                "boundary",
                "study.toml",
                "--out",
                "OUT",
                "--over",
                "x1",
                "--over",
                "x2",
            ],
            "map.csv",
        ),
        (
            "screen",
            vec!["run", "screened.toml", "--out", "OUT", "--resume"],
            "full/results.parquet",
        ),
    ];
    let random = Generator::new(77);
    for (number, (name, words, result)) in modes.iter().enumerate() {
        let with = |out: &str| -> Vec<String> {
            let word = |word: &&str| word.replace("OUT", out);
            words.iter().map(word).collect()
        };
        let begun = |out: &str| {
            if *name == "extend" {
                folder.stdout(&["run", "study.toml", "--out", out]);
            }
        };
        let (calm, killed) = (format!("{name}-calm"), format!("{name}-killed"));
        begun(&calm);
        begun(&killed);
        let begin = Instant::now();
        let words = with(&calm);
        folder.stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let longest = begin.elapsed();
        let words = with(&killed);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for attempt in 0..6 {
            let mut child = folder.start(&words);
            let share = random.uniform(Stream::Bootstrap, number as u32, attempt);
            std::thread::sleep(longest.mul_f64(0.6 * share));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        folder.stdout(&words);
        let bytes = |out: &str| std::fs::read(folder.join(out).join(result)).unwrap();
        assert!(bytes(&calm) == bytes(&killed), "{name}");
    }
}
