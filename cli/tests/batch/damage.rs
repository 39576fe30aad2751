//! A damaged folder: nothing is passed over in silence, and everything can be computed again.

use crate::common::{Folder, sound_study};
use serde_json::Value;
use std::fs;

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn one_flipped_bit_is_said_everywhere_and_healed() {
    let folder = Folder::new("flipped");
    folder.write("study.toml", &sound_study(8));
    let run = ["run", "study.toml", "--out", "out", "--threads", "1"];
    folder.stdout(&run);
    let table = folder.table("out");
    let journal = folder.join("out/rows/block-000000-shard-0-of-1.journal");
    let whole = fs::read(&journal).unwrap();
    let mut bad = whole.clone();
    bad[whole.len() / 2] ^= 0x10;
    fs::write(&journal, &bad).unwrap();

    let status = folder.run(&["status", "out", "--json"]);
    assert_eq!(status.status.code(), Some(3));
    let found = json(&status);
    assert_eq!(
        (&found["finished"], &found["missing"]),
        (&7.into(), &1.into())
    );
    let lost = found["damage"][0]["lost_runs"][0].as_u64().unwrap();
    assert_eq!(found["missing_ranges"][0][0], lost);
    let text = folder.run(&["status", "out"]);
    assert_eq!(text.status.code(), Some(3));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(&format!("run {lost} is lost")), "{text}");
    assert!(text.contains("--resume"), "{text}");

    let report = folder.run(&["report", "out", "--json"]);
    assert_eq!(report.status.code(), Some(3));
    assert_eq!(json(&report)["damage"], found["damage"]);
    let said = String::from_utf8(report.stderr).unwrap();
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    for text in [&said, &page] {
        assert!(text.contains(&format!("1 of 8 runs are missing: {lost}.")));
        assert!(text.contains(&format!("run {lost} is lost")));
    }

    let merge = ["merge", "out", "--out", "merged"];
    let message = folder.refused(1, &merge);
    assert!(
        message.contains(&format!("1 of 8 runs are missing: {lost}")),
        "{message}"
    );
    assert!(
        message.contains(&format!("run {lost} is lost")),
        "{message}"
    );
    assert!(!folder.join("merged").exists());
    let partial = folder.stdout(&[&merge[..], &["--partial"]].concat());
    assert!(partial.contains(&format!("missing: {lost}")), "{partial}");
    assert!(
        partial.contains(&format!("run {lost} is lost")),
        "{partial}"
    );

    let again = folder.json(&[&run[..], &["--resume", "--json"]].concat());
    assert_eq!(
        (&again["finished_before"], &again["finished_now"]),
        (&7.into(), &1.into())
    );
    assert_eq!(again["damage_at_start"], found["damage"]);
    assert!(folder.table("out") == table);
    let text = folder.stdout(&["status", "out"]);
    assert!(!text.contains("damaged"), "{text}");
    assert_eq!(
        fs::read(journal.with_extension("journal.damaged-1")).unwrap(),
        bad
    );
}
