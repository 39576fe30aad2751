//! Merging and status: what is missing, what is double, what does not belong together.

use crate::common::*;
use softdock_study::table::metadata;
use softdock_study::{Completeness, Directory, StudyError, Table, export_table, merge, status};
use std::path::Path;

fn open(path: &Path) -> Directory {
    Directory::open(path).unwrap()
}

#[test]
fn missing_runs_are_reported_and_can_be_made_up() {
    let plan = mixed_plan(60);
    let folder = Folder::new("missing");
    for index in [0, 2] {
        run_mixed(
            &plan,
            &folder.join(&format!("{index}")),
            &options(1, &format!("{index}/3")),
        );
    }
    let parts = [open(&folder.join("0")), open(&folder.join("2"))];
    let found = status(&parts).unwrap();
    assert_eq!(
        (found.runs, found.finished, found.missing_count()),
        (60, 40, 20)
    );
    assert_eq!(found.missing[..2], [(1, 1), (4, 4)]);
    assert!(found.failed > 0 && found.mean_run_s >= 0.0);
    let all = folder.join("all");
    let error = merge(&parts, &all, Completeness::Whole).unwrap_err();
    let expected = "20 of 60 runs are missing: 1, 4, 7, 10, 13, 16, 19, 22 and more";
    assert_eq!(error.to_string(), expected);
    assert!(!all.exists(), "nothing half-merged stays behind");
    assert_eq!(merge(&parts, &all, Completeness::Partial).unwrap(), found);
    let table = Table::open(&all.join("results.parquet")).unwrap();
    assert_eq!(table.metadata(metadata::MISSING).unwrap(), "20");
    let named = table.metadata(metadata::MISSING_RUNS).unwrap();
    assert!(
        named.starts_with("1, 4, 7, ") && named.ends_with(", 58"),
        "{named}"
    );
    // A table of one shard alone holds its runs, and says of how many.
    let path = folder.join("look.parquet");
    export_table(&parts[1], &path).unwrap();
    let table = Table::open(&path).unwrap();
    assert_eq!((table.rows(), table.plan().runs()), (20, 60));
    assert_eq!(table.numbers("run").unwrap()[..2], [2.0, 5.0]);
    // The merged directory goes on like any other, and ends with the same table.
    let options = softdock_study::RunOptions {
        resume: true,
        ..options(2, "0/1")
    };
    let summary = run_mixed(&plan, &all, &options);
    assert_eq!((summary.finished_before, summary.finished_now), (40, 20));
    assert_eq!(
        std::fs::read(summary.table.unwrap()).unwrap(),
        undisturbed(&plan)
    );
}

#[test]
fn equal_duplicates_are_counted_and_different_ones_refused() {
    let plan = mixed_plan(60);
    let folder = Folder::new("duplicates");
    let (a, b) = (folder.join("a"), folder.join("b"));
    run_mixed(&plan, &a, &options(1, "0/1"));
    run_mixed(&plan, &b, &options(1, "1/2"));
    let merged = merge(
        &[open(&a), open(&b)],
        &folder.join("all"),
        Completeness::Whole,
    )
    .unwrap();
    assert_eq!((merged.finished, merged.duplicates), (60, 30));
    assert_eq!(
        std::fs::read(folder.join("all/results.parquet")).unwrap(),
        undisturbed(&plan)
    );

    // The same study run by a job that gives other results.
    let c = folder.join("c");
    let job = Other(Mixed::new());
    quietly(|| softdock_study::run(&plan, &job, &c, &options(1, "0/1"), &|_| {}).unwrap());
    let error = merge(
        &[open(&a), open(&c)],
        &folder.join("conflict"),
        Completeness::Whole,
    )
    .unwrap_err();
    assert!(
        matches!(error, StudyError::Conflict { run: 2, .. }),
        "{error}"
    );
    assert!(
        !folder.join("conflict").exists(),
        "nothing half-merged stays behind"
    );
}

/// Like the mixed job, with another force.
struct Other(Mixed);

impl softdock_study::Job for Other {
    type Scratch = u64;
    fn figures(&self) -> &[softdock_study::FigureSpec] {
        self.0.figures()
    }
    fn scratch(&self) -> u64 {
        0
    }
    fn run(&self, case: &softdock_study::Case<'_>, used: &mut u64) -> softdock_study::Outcome {
        let mut outcome = self.0.run(case, used);
        if let Ok(figures) = &mut outcome.figures
            && let Some(softdock_study::Value::Real(force)) = &mut figures[0]
        {
            *force *= 1.0 + f64::EPSILON;
        }
        outcome
    }
}

#[test]
fn directories_of_different_studies_are_not_merged() {
    let folder = Folder::new("different");
    let (a, b) = (folder.join("a"), folder.join("b"));
    run_mixed(&mixed_plan(60), &a, &options(1, "0/1"));
    run_mixed(&mixed_plan(61), &b, &options(1, "0/1"));
    let error = merge(
        &[open(&a), open(&b)],
        &folder.join("all"),
        Completeness::Whole,
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("study.runs (61 there, 60 here)"), "{error}");
    let error = Directory::open(folder.path()).unwrap_err();
    assert!(matches!(error, StudyError::NoStudy { .. }), "{error}");
}

#[test]
fn a_merge_does_not_write_over_anything() {
    let folder = Folder::new("occupied");
    let a = folder.join("a");
    run_mixed(&mixed_plan(10), &a, &options(1, "0/1"));
    let error = merge(&[open(&a)], &a, Completeness::Whole)
        .unwrap_err()
        .to_string();
    assert!(error.contains("not empty"), "{error}");
}
