//! kill -9 at any moment loses nothing, doubles nothing, and leaves no trace in the table.

use crate::common::*;
use softdock_study::sampling::random::{Generator, Stream};
use softdock_study::{Case, Directory, FigureSpec, Job, Outcome, RunOptions, run};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DIRECTORY: &str = "SOFTDOCK_STUDY_TEST_DIRECTORY";
const RUNS: u64 = 240;
const KILLS: u64 = 20;

/// The mixed job, slowed down, that notes every run it starts.
struct Slow {
    mixed: Mixed,
    log: PathBuf,
}

impl Job for Slow {
    type Scratch = u64;

    fn figures(&self) -> &[FigureSpec] {
        self.mixed.figures()
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn run(&self, case: &Case<'_>, used: &mut u64) -> Outcome {
        let mut log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .unwrap();
        writeln!(log, "{}", case.run).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        self.mixed.run(case, used)
    }
}

fn study() -> String {
    let keep =
        "[keep]\nseries = \"worst\"\nfigure = \"force_n\"\ncount = 6\n[[vary]]\nkey = \"closing";
    STUDY
        .replace("runs = 60", &format!("runs = {RUNS}"))
        .replace("[[vary]]\nkey = \"closing", keep)
}

/// Not a test of its own: what the killed process does.
#[test]
fn worker() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let directory = PathBuf::from(directory);
    let job = Slow {
        mixed: Mixed::new(),
        log: directory.with_extension("log"),
    };
    let plan = plan_of(&study(), &job);
    let options = RunOptions {
        resume: true,
        // Often, so that kills hit it too.
        sync_interval: Duration::from_millis(5),
        ..options(2, "0/1")
    };
    quietly(|| run(&plan, &job, &directory, &options, &|_| {}).unwrap());
}

fn start(directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["kill::worker", "--exact", "--quiet"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn finished(directory: &Path) -> BTreeSet<u64> {
    let mut runs = BTreeSet::new();
    if let Ok(directory) = Directory::open(directory) {
        directory
            .for_each_row(|row| {
                assert!(runs.insert(row.run), "run {} is there twice", row.run);
                Ok(())
            })
            .unwrap();
    }
    runs
}

fn started(directory: &Path) -> Vec<u64> {
    let log = std::fs::read_to_string(directory.with_extension("log")).unwrap_or_default();
    log.lines().filter_map(|line| line.parse().ok()).collect()
}

fn series(directory: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory.join("series")).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Every study here ends like the undisturbed one.
fn check_end(directory: &Path, reference: &Path) {
    assert_eq!(finished(directory), (0..RUNS).collect());
    let table = |path: &Path| std::fs::read(path.join("results.parquet")).unwrap();
    assert!(table(directory) == table(reference), "the tables differ");
    assert_eq!(series(directory), series(reference));
}

#[test]
fn killed_twenty_times_a_study_ends_with_the_same_table() {
    let plan = plan_of(&study(), &Mixed::new());
    let folder = Folder::new("kill");
    let reference = folder.join("reference");
    run_mixed(&plan, &reference, &options(1, "0/1"));
    // A whole study takes this long here; a process lives for up to a third of it, so that the kills
    // go through several studies, from the first steps to the table.
    let begin = Instant::now();
    assert!(start(&folder.join("timing")).wait().unwrap().success());
    let longest = begin.elapsed() / 3;
    let random = Generator::new(2024);
    let (mut kills, mut attempts, mut studies) = (0, 0, 0);
    let mut directory = folder.join("study-0");
    while kills < KILLS {
        let before = finished(&directory);
        let starts = started(&directory).len();
        let mut child = start(&directory);
        std::thread::sleep(longest.mul_f64(random.uniform(Stream::Bootstrap, 0, attempts)));
        child.kill().unwrap();
        attempts += 1;
        let ended_by_itself = child.wait().unwrap().success();
        let after = finished(&directory);
        assert!(
            after.is_superset(&before),
            "attempt {attempts}: a finished run was lost"
        );
        for run in &started(&directory)[starts..] {
            assert!(
                !before.contains(run),
                "attempt {attempts}: run {run} was done again"
            );
        }
        if ended_by_itself {
            check_end(&directory, &reference);
            studies += 1;
            directory = folder.join(&format!("study-{studies}"));
        } else {
            kills += 1;
        }
    }
    assert!(start(&directory).wait().unwrap().success());
    check_end(&directory, &reference);
    eprintln!("{kills} processes were killed in {} studies", studies + 1);
}
