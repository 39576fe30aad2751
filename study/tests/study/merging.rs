//! Merging and status: what is missing, what is double, what does not belong together.

use crate::common::*;
use softdock_study::table::metadata;
use softdock_study::{
    Completeness, Directory, Shard, StudyError, Table, Versions, export_table, merge, status,
};
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
    let missing = Shard::new(1, 3).unwrap();
    let missing: Vec<u64> = (0..20).map(|i| plan.shard_run(missing, i)).collect();
    assert_eq!(found.missing[0].0, missing[0]);
    assert!(found.failed > 0 && found.mean_run_s >= 0.0);
    let all = folder.join("all");
    let error = merge(&parts, &all, Completeness::Whole, Versions::Same).unwrap_err();
    let expected = format!("20 of 60 runs are missing: {}", missing[0]);
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(!all.exists(), "nothing half-merged stays behind");
    assert_eq!(
        merge(&parts, &all, Completeness::Partial, Versions::Same).unwrap(),
        found
    );
    let table = Table::open(&all.join("results.parquet")).unwrap();
    assert_eq!(table.metadata(metadata::MISSING).unwrap(), "20");
    let named = table.metadata(metadata::MISSING_RUNS).unwrap();
    let last = missing[19].to_string();
    assert!(
        named.starts_with(&missing[0].to_string()) && named.ends_with(&last),
        "{named}"
    );
    // A table of one shard alone holds its runs, and says of how many.
    let path = folder.join("look.parquet");
    export_table(&parts[1], &path).unwrap();
    let table = Table::open(&path).unwrap();
    assert_eq!((table.rows(), table.plan().runs()), (20, 60));
    let own = Shard::new(2, 3).unwrap();
    let first = [0, 1].map(|i| plan.shard_run(own, i) as f64);
    assert_eq!(table.numbers("run").unwrap()[..2], first);
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
        Versions::Same,
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
        Versions::Same,
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
        Versions::Same,
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
    let error = merge(&[open(&a)], &a, Completeness::Whole, Versions::Same)
        .unwrap_err()
        .to_string();
    assert!(error.contains("not empty"), "{error}");
}

/// Runs of two versions are refused by name and, if told to, merged: the table then names both, and the
/// settings and inputs that it is from.
#[test]
fn versions_that_differ_go_together_only_if_told() {
    let folder = Folder::new("versions");
    let plan = mixed_plan(60);
    let other = plan.with_version("0.0.0+abc").unwrap();
    run_mixed(&plan, &folder.join("a"), &options(1, "0/2"));
    run_mixed(&other, &folder.join("b"), &options(1, "1/2"));
    let parts = [open(&folder.join("a")), open(&folder.join("b"))];
    let all = folder.join("all");
    let refused = merge(&parts, &all, Completeness::Whole, Versions::Same).unwrap_err();
    assert!(refused.to_string().contains("version"), "{refused}");
    assert!(refused.to_string().contains("0.0.0+abc"), "{refused}");
    merge(&parts, &all, Completeness::Whole, Versions::Any).unwrap();
    let table = Table::open(&all.join("results.parquet")).unwrap();
    assert_eq!(table.rows(), 60);
    let versions = table.metadata(metadata::VERSIONS).unwrap();
    assert_eq!(versions, "0.0.0+abc\n0.0.0-test");
    let settings = table.metadata(metadata::SETTINGS_DIGEST).unwrap();
    assert_eq!((settings.len(), settings), (64, plan.settings_digest()));
    let inputs = table.metadata(metadata::INPUTS).unwrap();
    assert!(inputs.contains("closing.speed_m_per_s"), "{inputs}");
    // The merged folder is a study like any other, also for a further merge.
    let again = folder.join("again");
    merge(&[open(&all)], &again, Completeness::Whole, Versions::Same).unwrap();
    let bytes = |path: &Path| std::fs::read(path.join("results.parquet")).unwrap();
    assert!(bytes(&all) == bytes(&again));
    // Studies that differ in anything else stay apart.
    let stranger = mixed_plan(61).with_version("0.0.0+abc").unwrap();
    run_mixed(&stranger, &folder.join("c"), &options(1, "1/2"));
    let parts = [open(&folder.join("a")), open(&folder.join("c"))];
    let refused = merge(
        &parts,
        &folder.join("no"),
        Completeness::Partial,
        Versions::Any,
    );
    assert!(matches!(refused, Err(StudyError::OtherStudy { .. })));
}
