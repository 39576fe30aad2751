//! The table does not depend on threads, shards or where they ran.

use crate::common::{Folder, study};

#[test]
fn threads_and_merged_shards_give_the_same_table_to_the_last_byte() {
    let folder = Folder::new("invariance");
    folder.write("study.toml", &study(30));
    let run = |out: &str, more: &[&str]| {
        let mut words = vec!["run", "study.toml", "--json", "--out", out];
        words.extend(more);
        folder.json(&words)
    };
    let one = run("one", &["--threads", "1"]);
    let two = run("two", &["--threads", "2"]);
    assert_eq!(one["results"], two["results"]);
    assert!(one["failed"].as_u64() > Some(0) && one["failed"].as_u64() < Some(15));
    assert!(folder.table("one") == folder.table("two"));
    let mut parts = Vec::new();
    for shard in [2, 0, 3, 1] {
        let part = format!("part-{shard}");
        let done = run(&part, &["--shard", &format!("{shard}/4"), "--threads", "2"]);
        assert!(done["table"].is_null());
        parts.push(part);
    }
    let mut words = vec!["merge", "--out", "merged", "--json"];
    words.extend(parts.iter().map(String::as_str));
    let merged = folder.json(&words);
    assert_eq!(
        (&merged["finished"], &merged["missing"]),
        (&30.into(), &0.into())
    );
    assert!(folder.table("merged") == folder.table("one"));
    // Three shards of four are a study that can be finished.
    let three = ["merge", "part-0", "part-1", "part-2", "--out", "three"];
    let message = folder.refused(1, &three);
    assert!(
        message.contains("of 30 runs are missing: ") && message.contains("--partial"),
        "{message}"
    );
    assert!(!folder.join("three").exists());
    let text = folder.stdout(&[&three[..], &["--partial"]].concat());
    assert!(text.contains("missing: "), "{text}");
    let rest = run("three", &["--resume"]);
    // Of 30 runs a shard of four has 7 or 8.
    let (before, now) = (&rest["finished_before"], &rest["finished_now"]);
    let (before, now) = (before.as_u64().unwrap(), now.as_u64().unwrap());
    assert!(
        before + now == 30 && (7..=8).contains(&now),
        "{before} {now}"
    );
    assert!(folder.table("three") == folder.table("one"));
}
