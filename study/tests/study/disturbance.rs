//! Resuming, cancelling, locks, torn journals, a full disk.

use crate::common::*;
use softdock_study::{Directory, RunOptions, StudyError, run, status};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

fn resuming(threads: usize) -> RunOptions<'static> {
    RunOptions {
        resume: true,
        ..options(threads, "0/1")
    }
}

fn journal(directory: &Path) -> PathBuf {
    directory.join("rows/block-000000-shard-0-of-1.journal")
}

#[test]
fn resuming_redoes_nothing_and_starting_again_is_refused() {
    let plan = mixed_plan(60);
    let folder = Folder::new("resume");
    let out = folder.join("out");
    let summary = run_mixed(&plan, &out, &resuming(1));
    assert_eq!((summary.finished_before, summary.finished_now), (0, 60));
    let error = run(&plan, &Mixed::new(), &out, &options(1, "0/1"), &|_| {}).unwrap_err();
    assert!(
        matches!(error, StudyError::AlreadyStarted { rows: 60, .. }),
        "{error}"
    );
    let summary = run_mixed(&plan, &out, &resuming(1));
    assert_eq!(
        (
            summary.finished_before,
            summary.finished_now,
            summary.cancelled
        ),
        (60, 0, false)
    );
    assert_eq!(
        std::fs::read(summary.table.unwrap()).unwrap(),
        undisturbed(&plan)
    );
}

#[test]
fn another_study_is_not_resumed() {
    let folder = Folder::new("other");
    let out = folder.join("out");
    run_mixed(&mixed_plan(10), &out, &options(1, "0/1"));
    let other = plan_of(
        &STUDY.replace("seed = 42", "seed = 43").replace("60", "10"),
        &Mixed::new(),
    );
    let error = run(&other, &Mixed::new(), &out, &resuming(1), &|_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("study.seed (42 there, 43 here)"), "{error}");
    assert!(error.contains(other.digest()), "{error}");
}

#[test]
fn cancelling_finishes_what_is_under_way_and_resuming_the_rest() {
    let plan = mixed_plan(60);
    let folder = Folder::new("cancel");
    let out = folder.join("out");
    let cancel = AtomicBool::new(false);
    let options = RunOptions {
        cancel: Some(&cancel),
        ..options(2, "0/1")
    };
    let summary = quietly(|| {
        run(&plan, &Mixed::new(), &out, &options, &|progress| {
            assert_eq!(progress.total, 60);
            if progress.finished >= 20 {
                cancel.store(true, Ordering::SeqCst);
            }
        })
        .unwrap()
    });
    assert!(summary.cancelled && summary.table.is_none());
    assert!(
        (20..=21).contains(&summary.finished_now),
        "{}",
        summary.finished_now
    );
    let done = status(&[Directory::open(&out).unwrap()]).unwrap();
    assert_eq!(done.finished, summary.finished_now);
    let rest = run_mixed(&plan, &out, &resuming(2));
    assert_eq!(rest.finished_now, 60 - summary.finished_now);
    assert_eq!(
        std::fs::read(rest.table.unwrap()).unwrap(),
        undisturbed(&plan)
    );
}

/// While a shard is written, nobody else may write it; another shard may be.
#[test]
fn two_processes_do_not_write_the_same_shard() {
    let plan = mixed_plan(40);
    let folder = Folder::new("lock");
    let out = folder.join("out");
    let attempt = |shard: &str| {
        let options = RunOptions {
            resume: true,
            ..options(1, shard)
        };
        run(&plan, &Mixed::new(), &out, &options, &|_| {})
    };
    let tried = AtomicBool::new(false);
    quietly(|| {
        run(&plan, &Mixed::new(), &out, &options(1, "0/2"), &|_| {
            if !tried.swap(true, Ordering::SeqCst) {
                let error = attempt("0/2").unwrap_err();
                let holder = format!("process {}", std::process::id());
                assert!(error.to_string().contains(&holder), "{error}");
                assert!(attempt("1/2").is_ok());
            }
        })
        .unwrap()
    });
    assert!(tried.load(Ordering::SeqCst));
    // The lock file stays, the lock does not; nor does that of a process that is gone.
    std::fs::write(out.join("shard-0-of-2.lock"), "process 1 on nowhere\n").unwrap();
    assert!(attempt("0/2").is_ok());
}

/// The journal cut off after every byte of its last record: that run is done again, no other, and
/// the table is the same.
#[test]
fn a_torn_journal_is_made_good_whatever_its_length() {
    let plan = mixed_plan(12);
    let expected = undisturbed(&plan);
    let folder = Folder::new("torn");
    let out = folder.join("out");
    run_mixed(&plan, &out, &options(1, "0/1"));
    let whole = std::fs::read(journal(&out)).unwrap();
    let mut ends = vec![44];
    while let Some(length) = whole
        .get(*ends.last().unwrap()..)
        .and_then(|rest| rest.get(16..20))
    {
        let length = u32::from_le_bytes(length.try_into().unwrap());
        ends.push(ends.last().unwrap() + 32 + length as usize);
    }
    assert_eq!(ends.len(), 13);
    for length in (0..44).chain(ends[11]..whole.len()) {
        std::fs::write(journal(&out), &whole[..length]).unwrap();
        std::fs::remove_file(out.join("results.parquet")).unwrap();
        let summary = run_mixed(&plan, &out, &resuming(1));
        let redone = if length < 44 { 12 } else { 1 };
        assert_eq!(summary.finished_now, redone, "{length} bytes");
        assert_eq!(
            std::fs::read(summary.table.unwrap()).unwrap(),
            expected,
            "{length} bytes"
        );
    }
}

/// A disk of its own, a few pages large; unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).unwrap();
        let options = format!("size={size}");
        let arguments = ["-t", "tmpfs", "-o", &options, "softdock-test"];
        let done = Command::new("mount")
            .args(arguments)
            .arg(path)
            .output()
            .ok()?;
        done.status.success().then(|| Self(path.to_path_buf()))
    }

    fn enlarge(&self, size: &str) {
        let options = format!("remount,size={size}");
        let done = Command::new("mount")
            .args(["-o", &options])
            .arg(&self.0)
            .status()
            .unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Says so past the capture of the test harness.
fn skip_without_disk(test: &str) {
    let reason = "a small disk (tmpfs) cannot be mounted here, which takes root";
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}

/// The runs are all done and the disk is full when the table is written: the same.
#[test]
fn a_disk_that_is_full_at_the_table_is_named_and_survived() {
    let plan = mixed_plan(2000);
    let folder = Folder::new("full-table");
    let Some(disk) = SmallDisk::mount(&folder.join("disk"), "1m") else {
        return skip_without_disk("a_disk_that_is_full_at_the_table_is_named_and_survived");
    };
    let out = disk.0.join("out");
    run_mixed(&plan, &out, &options(2, "0/1"));
    let table = out.join("results.parquet");
    let expected = std::fs::read(&table).unwrap();
    std::fs::remove_file(&table).unwrap();
    let ballast = disk.0.join("ballast");
    let mut file = std::fs::File::create(&ballast).unwrap();
    while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {}
    // Room for the lock and the beginning of the table.
    let length = file.metadata().unwrap().len();
    file.set_len(length - 16 * 1024).unwrap();
    drop(file);
    let error = run(&plan, &Mixed::new(), &out, &resuming(1), &|_| {}).unwrap_err();
    assert!(matches!(error, StudyError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("results.parquet"), "{error}");
    let names: Vec<_> = std::fs::read_dir(&out)
        .unwrap()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("parquet")),
        "{names:?}"
    );
    std::fs::remove_file(ballast).unwrap();
    let summary = run_mixed(&plan, &out, &resuming(1));
    assert_eq!((summary.finished_before, summary.finished_now), (2000, 0));
    assert!(std::fs::read(table).unwrap() == expected);
}

/// On a disk that fills up the study ends with a message that says so; with more space it goes on
/// where it stopped. The disk is filled at a series, then at the journal.
#[test]
fn a_full_disk_is_named_and_survived() {
    let keep = "[keep]\nseries = \"all\"\n[[vary]]\nkey = \"closing";
    let text = STUDY
        .replace("runs = 60", "runs = 200")
        .replace("[[vary]]\nkey = \"closing", keep);
    let plan = plan_of(&text, &Mixed::new());
    let rows_only = mixed_plan(3000);
    let folder = Folder::new("full");
    for (name, plan) in [("series", plan), ("rows", rows_only)] {
        let Some(disk) = SmallDisk::mount(&folder.join(name), "256k") else {
            return skip_without_disk("a_full_disk_is_named_and_survived");
        };
        let out = disk.0.join("out");
        let first = quietly(|| run(&plan, &Mixed::new(), &out, &resuming(2), &|_| {}));
        let error = first.unwrap_err();
        assert!(matches!(error, StudyError::DiskFull { .. }), "{error}");
        assert!(error.to_string().contains("resume"), "{error}");
        assert!(!out.join("results.parquet").exists());
        let done = status(&[Directory::open(&out).unwrap()]).unwrap();
        assert!(done.finished > 0, "{name}: {done:?}");
        disk.enlarge("64m");
        let rest = run_mixed(&plan, &out, &resuming(2));
        assert_eq!(rest.finished_before, done.finished);
        assert_eq!(rest.finished_before + rest.finished_now, plan.runs());
        assert!(std::fs::read(rest.table.unwrap()).unwrap() == undisturbed(&plan));
    }
}
