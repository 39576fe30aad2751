//! Damaged journals: what can be read is, what cannot is named, and computed again.

use crate::common::*;
use softdock_study::{
    Completeness, Directory, RunOptions, Status, StudyError, Versions, export_table, merge, status,
};
use std::path::{Path, PathBuf};

/// Header of a journal, and what a record has around its row [bytes].
const HEADER: usize = 44;
const BEFORE: usize = 24;
const BEHIND: usize = 8;

fn journal(directory: &Path) -> PathBuf {
    directory.join("rows/block-000000-shard-0-of-1.journal")
}

fn open(path: &Path) -> Directory {
    Directory::open(path).unwrap()
}

fn found(path: &Path) -> Status {
    status(&[open(path)]).unwrap()
}

/// The rows of a folder as texts, in which NaN is like itself.
fn rows_of(path: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    let each = |row: &softdock_study::store::record::Row| {
        rows.push(format!("{row:?}"));
        Ok(())
    };
    open(path).for_each_row(each).unwrap();
    rows
}

fn resume(plan: &softdock_study::Plan, out: &Path) -> softdock_study::RunSummary {
    let options = RunOptions {
        resume: true,
        ..options(1, "0/1")
    };
    run_mixed(plan, out, &options)
}

/// Where the records of a whole journal begin, and its end.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![HEADER];
    let mut at = HEADER;
    while let Some(length) = bytes.get(at + 16..at + 20) {
        at += BEFORE + u32::from_le_bytes(length.try_into().unwrap()) as usize + BEHIND;
        starts.push(at);
    }
    starts
}

/// A study of 12 runs, its journal and its table.
fn study(folder: &Folder) -> (softdock_study::Plan, PathBuf, Vec<u8>, Vec<u8>) {
    let plan = mixed_plan(12);
    let out = folder.join("out");
    let table = run_mixed(&plan, &out, &options(1, "0/1")).table.unwrap();
    let whole = std::fs::read(journal(&out)).unwrap();
    assert_eq!(*starts(&whole).last().unwrap(), whole.len());
    assert_eq!(starts(&whole).len(), 13);
    (plan, out, whole, std::fs::read(table).unwrap())
}

/// One flipped bit anywhere in the file: one run is lost and named, the others are there, and no
/// result differs from what was computed.
#[test]
fn one_flipped_bit_costs_one_run_which_is_named() {
    let folder = Folder::new("flipped");
    let (_, out, whole, _) = study(&folder);
    let starts = starts(&whole);
    let rows = rows_of(&out);
    for byte in 0..whole.len() {
        let mut bad = whole.clone();
        bad[byte] ^= 1 << (byte % 8);
        std::fs::write(journal(&out), &bad).unwrap();
        let now = found(&out);
        let lost = starts.iter().rposition(|&start| start <= byte);
        let Some(run) = lost else {
            assert_eq!((now.finished, now.damaged_bytes), (12, 44), "byte {byte}");
            assert!(!now.has_lost_runs());
            continue;
        };
        assert_eq!((now.finished, now.missing_count()), (11, 1), "byte {byte}");
        assert_eq!(now.missing, [(run as u64, run as u64)], "byte {byte}");
        assert_eq!(now.damage.len(), 1, "byte {byte}");
        assert_eq!(now.damage[0].lost, [run as u64], "byte {byte}");
        assert_eq!(now.damage[0].offset, starts[run] as u64, "byte {byte}");
        assert!(now.has_lost_runs());
        let text = now.damage_text();
        assert!(text.ends_with(&format!("; run {run} is lost")), "{text}");
        let mut expected = rows.clone();
        expected.remove(run);
        assert_eq!(rows_of(&out), expected, "byte {byte}");
    }
}

/// What happens to the journal, which runs that costs, and whether it is damage at all: a torn end
/// is none.
fn accidents(whole: &[u8]) -> Vec<(&'static str, Vec<u8>, Vec<u64>, bool)> {
    let starts = starts(whole);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.to_vec();
        change(&mut bytes);
        bytes
    };
    let flipped = |at: usize| changed(&|bytes| bytes[at] ^= 4);
    let all: Vec<u64> = (0..12).collect();
    vec![
        ("magic", flipped(3), vec![], true),
        ("digest", flipped(20), vec![], true),
        ("checksum of the header", flipped(41), vec![], true),
        ("marker", flipped(starts[3] + 2), vec![3], true),
        ("run", flipped(starts[4] + 8), vec![4], true),
        ("length", flipped(starts[5] + 19), vec![5], true),
        (
            "checksum of the frame",
            flipped(starts[6] + 22),
            vec![6],
            true,
        ),
        ("row", flipped(starts[7] + BEFORE + 20), vec![7], true),
        ("checksum of the row", flipped(starts[9] - 1), vec![8], true),
        ("last record", flipped(whole.len() - 1), vec![11], true),
        (
            "between two records",
            changed(&|bytes| drop(bytes.splice(starts[2]..starts[2], [0xF5, 0, 17]))),
            vec![],
            true,
        ),
        (
            "a missing page",
            changed(&|bytes| bytes[starts[2] + 5..starts[5] + 5].fill(0)),
            vec![2, 3, 4, 5],
            true,
        ),
        (
            "a part taken out",
            changed(&|bytes| drop(bytes.drain(starts[2] + 50..starts[3] + 9))),
            vec![2, 3],
            true,
        ),
        (
            "zeros at the end",
            changed(&|bytes| bytes[starts[9] + 11..].fill(0)),
            vec![9, 10, 11],
            true,
        ),
        (
            "zeros behind the end",
            changed(&|bytes| bytes.resize(whole.len() + 4096, 0)),
            vec![],
            true,
        ),
        ("all zeros", vec![0; whole.len()], all.clone(), true),
        (
            "another file",
            b"GIF89a, not a journal at all".repeat(9),
            all.clone(),
            true,
        ),
        (
            "a torn end",
            whole[..starts[11] + 40].to_vec(),
            vec![11],
            false,
        ),
        ("a torn header", whole[..20].to_vec(), all.clone(), false),
        ("an empty file", Vec::new(), all, false),
    ]
}

/// Whatever happens to a journal, only the runs that it hit are done again, the table ends up the
/// same, and the damaged file is kept beside.
#[test]
fn resuming_computes_lost_runs_again_and_no_others() {
    let folder = Folder::new("heal");
    let (plan, out, whole, table) = study(&folder);
    for (what, bytes, lost, damaged) in accidents(&whole) {
        std::fs::write(journal(&out), &bytes).unwrap();
        let before = found(&out);
        let missing: Vec<u64> = before.missing.iter().flat_map(|&(a, b)| a..=b).collect();
        assert_eq!(missing, lost, "{what}");
        assert_eq!(before.damaged_bytes > 0, damaged, "{what}");
        let named: Vec<u64> = before.damage.iter().flat_map(|d| d.lost.clone()).collect();
        assert!(
            named.iter().all(|run| lost.contains(run)),
            "{what}: {named:?}"
        );
        let done = resume(&plan, &out);
        assert_eq!(done.finished_now, lost.len() as u64, "{what}");
        assert_eq!(done.damage, before.damage, "{what}");
        assert!(
            std::fs::read(done.table.unwrap()).unwrap() == table,
            "{what}"
        );
        let after = found(&out);
        assert_eq!(
            (after.finished, after.damaged_bytes, after.torn_bytes),
            (12, 0, 0),
            "{what}"
        );
        let aside = out.join("rows/block-000000-shard-0-of-1.journal.damaged-1");
        assert_eq!(aside.exists(), damaged, "{what}");
        if damaged {
            assert_eq!(std::fs::read(&aside).unwrap(), bytes, "{what}");
            std::fs::remove_file(aside).unwrap();
        }
        assert_eq!(
            std::fs::read_dir(out.join("rows")).unwrap().count(),
            1,
            "{what}"
        );
    }
}

#[test]
fn a_merge_without_all_runs_is_refused_unless_it_may_be_partial() {
    let folder = Folder::new("partial");
    let (plan, out, whole, table) = study(&folder);
    let starts = starts(&whole);
    let mut bad = whole.clone();
    bad[starts[3] + BEFORE + 2] ^= 1;
    bad[starts[7] + 9] ^= 1;
    std::fs::write(journal(&out), &bad).unwrap();
    let all = folder.join("all");
    let error = merge(&[open(&out)], &all, Completeness::Whole, Versions::Same).unwrap_err();
    assert!(
        matches!(error, StudyError::Incomplete { missing: 2, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.starts_with("2 of 12 runs are missing: 3, 7\n"),
        "{text}"
    );
    assert!(
        text.contains("; run 3 is lost\n") && text.ends_with("; run 7 is lost"),
        "{text}"
    );
    assert!(!all.exists());
    let done = merge(&[open(&out)], &all, Completeness::Partial, Versions::Same).unwrap();
    assert_eq!((done.finished, done.damage.len()), (10, 2));
    // What is merged is sound, and can be made whole.
    assert_eq!(found(&all).damaged_bytes, 0);
    assert_eq!(resume(&plan, &all).finished_now, 2);
    assert!(std::fs::read(all.join("results.parquet")).unwrap() == table);
    // A damaged run that is there a second time is not missing.
    let both = folder.join("both");
    let done = merge(
        &[open(&out), open(&all)],
        &both,
        Completeness::Whole,
        Versions::Same,
    )
    .unwrap();
    assert_eq!((done.finished, done.damage.len()), (12, 2));
    assert!(done.damage.iter().all(|damage| damage.lost.is_empty()));
    assert!(std::fs::read(both.join("results.parquet")).unwrap() == table);
}

/// The journal as earlier versions wrote it: records without marker and run.
fn as_before(whole: &[u8]) -> Vec<u8> {
    let mut old = whole[..HEADER].to_vec();
    old[7] = b'1';
    let checksum = crc32fast::hash(&old[..40]).to_le_bytes();
    old[40..].copy_from_slice(&checksum);
    for record in starts(whole).windows(2) {
        let row = &whole[record[0] + BEFORE..record[1] - BEHIND];
        let length = (row.len() as u32).to_le_bytes();
        old.extend(length);
        old.extend(crc32fast::hash(&[&length, row].concat()).to_le_bytes());
        old.extend(row);
    }
    old
}

#[test]
fn journals_of_earlier_versions_are_read_healed_and_gone_on_with() {
    let folder = Folder::new("before");
    let (plan, out, whole, table) = study(&folder);
    let old = as_before(&whole);
    std::fs::write(journal(&out), &old).unwrap();
    let now = found(&out);
    assert_eq!(
        (now.finished, now.damaged_bytes, now.torn_bytes),
        (12, 0, 0)
    );
    let path = folder.join("export.parquet");
    export_table(&open(&out), &path).unwrap();
    assert!(std::fs::read(&path).unwrap() == table);
    // The last record torn, the header and the fourth record damaged.
    let mut bad = old[..old.len() - 5].to_vec();
    let fourth = starts(&whole)[3] - 3 * (BEFORE + BEHIND - 8);
    bad[10] ^= 1;
    bad[fourth + 60] ^= 1;
    for (bytes, lost) in [(&old[..old.len() - 5], vec![11]), (&bad[..], vec![3, 11])] {
        std::fs::write(journal(&out), bytes).unwrap();
        let now = found(&out);
        let missing: Vec<u64> = now.missing.iter().flat_map(|&(a, b)| a..=b).collect();
        assert_eq!(missing, lost);
        let done = resume(&plan, &out);
        assert_eq!(done.finished_now, lost.len() as u64);
        assert!(std::fs::read(done.table.unwrap()).unwrap() == table);
    }
}
