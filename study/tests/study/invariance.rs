//! Threads, shards and order leave no trace in the table.

use crate::common::*;
use softdock_study::{
    Case, Completeness, Directory, FigureSpec, Job, Outcome, Versions, merge, run,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn threads_do_not_matter() {
    let plan = mixed_plan(300);
    let expected = undisturbed(&plan);
    for threads in [2, 3, 8] {
        let folder = Folder::new("threads");
        let summary = run_mixed(&plan, &folder.join("out"), &options(threads, "0/1"));
        assert_eq!(summary.finished_now, 300);
        assert_eq!(
            std::fs::read(summary.table.unwrap()).unwrap(),
            expected,
            "{threads} threads"
        );
    }
}

#[test]
fn shards_do_not_matter_in_directories_of_their_own() {
    let plan = mixed_plan(61);
    let expected = undisturbed(&plan);
    for count in [2_u64, 4, 7, 100] {
        let folder = Folder::new("shards");
        let mut directories = Vec::new();
        // The last shard first: order does not matter either.
        for index in (0..count).rev() {
            let path = folder.join(&format!("part-{index}"));
            let summary = run_mixed(&plan, &path, &options(2, &format!("{index}/{count}")));
            assert_eq!(summary.table, None);
            directories.push(Directory::open(&path).unwrap());
        }
        let status = merge(
            &directories,
            &folder.join("all"),
            Completeness::Whole,
            Versions::Same,
        )
        .unwrap();
        assert_eq!(
            (status.finished, status.missing_count(), status.duplicates),
            (61, 0, 0)
        );
        let table = std::fs::read(folder.join("all/results.parquet")).unwrap();
        assert_eq!(table, expected, "{count} shards");
    }
}

/// Shards may share a directory; the one that finishes last writes the table.
#[test]
fn shards_do_not_matter_in_a_common_directory() {
    let plan = mixed_plan(61);
    let expected = undisturbed(&plan);
    let folder = Folder::new("common");
    let out = folder.join("out");
    for (shard, last) in [("2/3", false), ("0/3", false), ("1/3", true)] {
        let summary = run_mixed(&plan, &out, &options(1, shard));
        assert_eq!(summary.table.is_some(), last, "{shard}");
    }
    assert_eq!(
        std::fs::read(out.join("results.parquet")).unwrap(),
        expected
    );
    // And a merge of that one directory is the same again.
    merge(
        &[Directory::open(&out).unwrap()],
        &folder.join("merged"),
        Completeness::Whole,
        Versions::Same,
    )
    .unwrap();
    assert_eq!(
        std::fs::read(folder.join("merged/results.parquet")).unwrap(),
        expected
    );
}

/// More runs than a block holds: row groups and journals are many, the table is one.
#[test]
fn blocks_do_not_matter() {
    let runs = 2 * softdock_study::store::BLOCK + 10;
    let plan = mixed_plan(runs);
    let expected = undisturbed(&plan);
    let folder = Folder::new("blocks");
    let mut directories = Vec::new();
    for index in 0..3 {
        let path = folder.join(&format!("part-{index}"));
        run_mixed(&plan, &path, &options(4, &format!("{index}/3")));
        directories.push(Directory::open(&path).unwrap());
    }
    merge(
        &directories,
        &folder.join("all"),
        Completeness::Whole,
        Versions::Same,
    )
    .unwrap();
    assert!(std::fs::read(folder.join("all/results.parquet")).unwrap() == expected);
}

/// Every sampling gives the same table with two threads and shards as with one.
#[test]
fn no_sampling_depends_on_order() {
    for (sampling, runs) in [
        ("monte_carlo", 40),
        ("sobol", 40),
        ("latin_hypercube", 40),
        ("saltelli", 42),
    ] {
        let text = STUDY
            .replace("latin_hypercube", sampling)
            .replace("runs = 60", &format!("runs = {runs}"));
        let plan = plan_of(&text, &Mixed::new());
        let expected = undisturbed(&plan);
        let folder = Folder::new(sampling);
        for shard in ["1/2", "0/2"] {
            run_mixed(&plan, &folder.join("out"), &options(2, shard));
        }
        assert_eq!(
            std::fs::read(folder.join("out/results.parquet")).unwrap(),
            expected
        );
    }
}

/// A job whose runs wait for each other.
struct Meeting {
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Job for Meeting {
    type Scratch = ();
    fn figures(&self) -> &[FigureSpec] {
        &[]
    }
    fn scratch(&self) {}
    fn run(&self, _: &Case<'_>, _: &mut ()) -> Outcome {
        let now = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let patience = Instant::now() + Duration::from_secs(10);
        while self.most.load(Ordering::SeqCst) < 3 && Instant::now() < patience {
            std::thread::yield_now();
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Outcome::ok(Vec::new())
    }
}

/// Three threads are at work at the same time, none holds up another.
#[test]
fn threads_work_side_by_side() {
    let job = Meeting {
        inside: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    };
    let plan = plan_of(&STUDY.replace("runs = 60", "runs = 3"), &job);
    let folder = Folder::new("meeting");
    run(
        &plan,
        &job,
        &folder.join("out"),
        &options(3, "0/1"),
        &|_| {},
    )
    .unwrap();
    assert_eq!(job.most.load(Ordering::SeqCst), 3);
}
