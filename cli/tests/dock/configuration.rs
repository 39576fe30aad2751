//! The printed configuration: a file that explains itself and says the same when read back.

use crate::support::Folder;
use toml::{Table, Value};

fn printed(folder: &Folder, arguments: &[&str]) -> String {
    folder.stdout(&[arguments, &["--print-config"]].concat())
}

/// What is printed is TOML, has a comment with meaning, unit and range above every key, and reads
/// back as the same scenario.
#[test]
fn printed_scenarios_explain_themselves_and_read_back() {
    let folder = Folder::new("printed");
    for name in [
        "default",
        "aligned",
        "lateral-50mm",
        "idss-corner",
        "gravity-bench",
        "free-floating-pair",
        "motors-locked",
        "motors-hold",
        "motors-lqr",
    ] {
        let text = printed(&folder, &[name]);
        let table: Table = text.parse().unwrap();
        assert!(table["duration_s"].is_float(), "{name}");
        let lines: Vec<&str> = text.lines().collect();
        let mut keys = 0;
        for (above, line) in lines.iter().zip(&lines[1..]) {
            let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
                continue;
            };
            keys += 1;
            // `# Meaning [unit]; range`
            let comment = above.strip_prefix("# ").unwrap_or_default();
            let (meaning, range) = comment.split_once("; ").unwrap_or_default();
            assert!(!meaning.is_empty() && !range.is_empty(), "{key}: {above}");
            let unit = [
                "_m", "_s", "_kg", "_deg", "_rad", "_nm", "_n", "_pa", "_m2", "_m3", "_s2",
            ]
            .iter()
            .any(|end| key.ends_with(end));
            let named = comment.contains('[') && comment.contains(']');
            assert!(named || !unit, "{key} has no unit: {comment}");
        }
        assert!(keys > 100, "{name}: {keys} keys");
        folder.write("again.toml", &text);
        assert_eq!(printed(&folder, &["again.toml"]), text, "{name}");
    }
}

/// A file of a run is enough to do the run again, to the last bit.
#[test]
fn a_printed_scenario_runs_to_the_same_bits() {
    let folder = Folder::new("reprint");
    let short = ["--set", "duration_s=0.2", "--no-report"];
    folder.stdout(&[&short[..], &["--out", "plain"]].concat());
    folder.write("mine.toml", &printed(&folder, &["--set", "duration_s=0.2"]));
    folder.stdout(&["mine.toml", "--out", "mine", "--no-report"]);
    folder.stdout(&["plain/config.toml", "--out", "kept", "--no-report"]);
    let plain = folder.file("plain/run.csv");
    assert_eq!(plain, folder.file("mine/run.csv"));
    assert_eq!(plain, folder.file("kept/run.csv"));
    let config = folder.file("plain/config.toml");
    assert_eq!(config, folder.file("kept/config.toml"));
    let version = env!("CARGO_PKG_VERSION");
    assert!(config.starts_with(&format!("# softdock {version}\n")));
}

/// Later settings win, and every layer can be seen in what is printed.
#[test]
fn files_are_overridden_by_arguments() {
    let folder = Folder::new("layers");
    folder.write(
        "mine.toml",
        "closing_speed_m_s = 0.07\n[target]\nmass_kg = 700\n",
    );
    let arguments = [
        "mine.toml",
        "--set",
        "target.mass_kg=800",
        "--set",
        "target.mass_kg=900",
    ];
    let table: Table = printed(&folder, &arguments).parse().unwrap();
    assert_eq!(table["closing_speed_m_s"], Value::Float(0.07));
    assert_eq!(table["target"]["mass_kg"], Value::Float(900.0));
    assert_eq!(table["misalignment"]["pitch_deg"], Value::Float(7.5));
}
