//! The table of figures against what commands write.

use crate::common::{Folder, sound_study};
use serde_json::Value;
use softdock_study::Table;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Entries of a summary that are no figures of the docking, but of its computation, or verdicts on
/// figures.
const CIRCUMSTANCES: [&str; 7] = [
    "coupling",
    "error",
    "legs",
    "margins",
    "requirements",
    "version",
    "wall_s",
];

fn softdock(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_softdock"));
    let output = command.args(arguments).current_dir(folder.join("."));
    let output = output.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What `softdock figures --json` lists: a value per entry.
fn listed(folder: &Folder) -> Vec<Value> {
    serde_json::from_str(&softdock(folder, &["figures", "--json"])).unwrap()
}

/// Keys of the entries of an object, those of objects inside behind a dot.
fn keys(object: &Value, prefix: &str) -> BTreeSet<String> {
    let entries = object.as_object().unwrap().iter();
    let keys = entries.flat_map(|(name, value)| match value {
        Value::Object(_) => keys(value, &format!("{prefix}{name}.")),
        _ => BTreeSet::from([format!("{prefix}{name}")]),
    });
    keys.collect()
}

#[test]
fn every_figure_is_listed_with_unit_and_meaning() {
    let folder = Folder::new("figures-listed");
    let text = softdock(&folder, &["figures"]);
    let all = listed(&folder);
    assert_eq!(text.lines().count(), all.len());
    for (line, figure) in text.lines().zip(&all) {
        let word = |key: &str| figure[key].as_str().unwrap();
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        assert_eq!(words, [word("key"), word("unit")]);
        assert!(!word("label").is_empty() && !word("meaning").is_empty());
        assert!(line.contains(word("meaning")), "{line}");
    }
}

#[test]
fn the_summary_of_a_docking_is_the_table_of_figures() {
    let folder = Folder::new("figures-summary");
    let short = ["--set", "duration_s=0.01", "--set", "legs.elements=2"];
    softdock(&folder, &[&["dock", "--no-report"][..], &short].concat());
    let summary = fs::read(folder.join("out/dock/summary.json")).unwrap();
    let mut written = keys(&serde_json::from_slice(&summary).unwrap(), "");
    for key in CIRCUMSTANCES {
        assert!(written.remove(key), "{key}");
    }
    let all = listed(&folder);
    let wanted = all.iter().map(|figure| figure["key"].as_str().unwrap());
    assert_eq!(written, wanted.map(str::to_owned).collect());
}

#[test]
fn every_figure_is_a_column_of_the_table_of_a_study() {
    let folder = Folder::new("figures-table");
    folder.write("study.toml", &sound_study(1));
    folder.stdout(&["run", "study.toml", "--out", "s"]);
    let table = Table::open(&folder.join("s/results.parquet")).unwrap();
    let mut names: BTreeSet<String> = table.names().into_iter().collect();
    for figure in listed(&folder) {
        for column in figure["columns"].as_array().unwrap() {
            let column = column.as_str().unwrap();
            let legs = if column.starts_with("legN") {
                1..=6
            } else {
                1..=1
            };
            for leg in legs {
                let name = column.replace("legN", &format!("leg{leg}"));
                assert!(names.remove(&name), "no column {name}");
            }
        }
    }
    let inputs = [
        "misalignment.pitch_deg",
        "leaf.length_m",
        "contact.normal.law",
    ];
    names.retain(|name| !inputs.contains(&name.as_str()));
    let rest: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(rest, ["error", "run", "status"]);
}

#[test]
fn a_misspelt_figure_is_refused_with_the_one_meant() {
    let folder = Folder::new("figures-misspelt");
    let keep = "[keep]\nseries = \"worst\"\ncount = 1\nfigure = \"peak_contact_forc_n\"\n";
    folder.write("keep.toml", &format!("{}{keep}", sound_study(1)));
    let message = folder.refused(2, &["run", "keep.toml", "--out", "k"]);
    assert!(
        message.contains("did you mean `peak_contact_force_n`?"),
        "{message}"
    );
    folder.write("study.toml", &sound_study(1));
    folder.stdout(&["run", "study.toml", "--out", "s"]);
    let message = folder.refused(2, &["rerun", "s", "--worst", "energy.residal_j:1"]);
    assert!(
        message.contains("did you mean `energy.residual_j`?"),
        "{message}"
    );
}
