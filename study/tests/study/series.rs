//! Time series are kept by policy.

use crate::common::*;
use softdock_study::ranking::{Ranking, worst};
use softdock_study::{Completeness, Directory, Plan, Versions, merge};
use std::collections::BTreeSet;
use std::path::Path;

fn plan(keep: &str) -> Plan {
    let text = STUDY.replace(
        "[[vary]]\nkey = \"closing",
        &format!("{keep}\n[[vary]]\nkey = \"closing"),
    );
    plan_of(&text, &Mixed::new())
}

fn kept(directory: &Path) -> BTreeSet<u64> {
    let directory = Directory::open(directory).unwrap();
    directory.kept_runs().unwrap().into_iter().collect()
}

fn expected_worst(directory: &Path, count: usize) -> BTreeSet<u64> {
    let ranking = Ranking {
        figure: "force_n".into(),
        count,
        order: Default::default(),
    };
    let directory = Directory::open(directory).unwrap();
    worst(&directory, &ranking, |_| true)
        .unwrap()
        .iter()
        .map(|ranked| ranked.run)
        .collect()
}

const WORST: &str = "[keep]\nseries = \"worst\"\nfigure = \"force_n\"\ncount = 4";

#[test]
fn each_policy_keeps_what_it_says() {
    for (keep, expected) in [
        ("", BTreeSet::new()),
        // Runs that panic have no series to keep.
        (
            "[keep]\nseries = \"failures\"",
            (0..60).filter(|run| run % 7 == 3).collect(),
        ),
        (
            "[keep]\nseries = \"all\"",
            (0..60)
                .filter(|run| run % 7 == 3 || run % 11 != 5)
                .collect(),
        ),
    ] {
        let folder = Folder::new("keep");
        run_mixed(&plan(keep), &folder.join("out"), &options(2, "0/1"));
        assert_eq!(kept(&folder.join("out")), expected, "{keep}");
    }
    let folder = Folder::new("keep-worst");
    let out = folder.join("out");
    run_mixed(&plan(WORST), &out, &options(2, "0/1"));
    assert_eq!(kept(&out), expected_worst(&out, 4));
    let directory = Directory::open(&out).unwrap();
    for run in kept(&out) {
        let bytes = std::fs::read(directory.series_path(run)).unwrap();
        assert_eq!(bytes, format!("series of run {run}").into_bytes());
    }
}

#[test]
fn merging_keeps_the_worst_of_all_shards() {
    let plan = plan(WORST);
    let folder = Folder::new("merge-worst");
    let parts: Vec<Directory> = (0..3)
        .map(|index| {
            let path = folder.join(&format!("part-{index}"));
            run_mixed(&plan, &path, &options(1, &format!("{index}/3")));
            Directory::open(&path).unwrap()
        })
        .collect();
    let all = folder.join("all");
    merge(&parts, &all, Completeness::Whole, Versions::Same).unwrap();
    assert_eq!(kept(&all), expected_worst(&all, 4));
}

/// Files that a killed process left behind disappear on resuming.
#[test]
fn leftovers_are_removed_on_resuming() {
    let plan = plan(WORST);
    let folder = Folder::new("leftovers");
    let out = folder.join("out");
    run_mixed(&plan, &out, &options(1, "0/1"));
    let before = kept(&out);
    let stray = (0..60).find(|run| !before.contains(run)).unwrap();
    std::fs::write(out.join(format!("series/run-{stray:010}.csv")), b"stray").unwrap();
    let unfinished = out.join("series/.run-0000000001.csv.shard-0-of-1.unfinished");
    std::fs::write(&unfinished, b"half").unwrap();
    let options = softdock_study::RunOptions {
        resume: true,
        ..options(1, "0/1")
    };
    run_mixed(&plan, &out, &options);
    assert_eq!(kept(&out), before);
    assert!(!unfinished.exists());
}
