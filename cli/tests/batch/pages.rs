//! The report of a study in a real browser.

use crate::common::{Folder, study};
use softdock_browser::launch_or_skip;
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn the_report_of_a_study_draws_and_leads_to_the_runs() {
    let folder = Folder::new("pages");
    folder.write("study.toml", &study(24));
    folder.stdout(&["run", "study.toml", "--out", "out"]);
    folder.stdout(&["rerun", "out", "--worst", "peak_contact_force_n:1"]);
    let other = study(12).replace("seed = 5", "seed = 6");
    folder.write("other.toml", &other);
    folder.stdout(&["run", "other.toml", "--out", "other"]);
    two_studies_are_compared(&folder);
    let Some(browser) = launch_or_skip("the_report_of_a_study_draws_and_leads_to_the_runs") else {
        return;
    };
    browser.set_viewport(390, 844, true).unwrap();
    browser.open(&folder.join("out/report.html")).unwrap();
    let drawn = "document.querySelectorAll('.plot > svg, .plot > canvas').length > 5";
    browser.wait_until(drawn, PATIENCE).unwrap();
    let root = "document.documentElement";
    let fits = format!("{root}.scrollWidth <= {root}.clientWidth");
    browser.wait_until(&fits, PATIENCE).unwrap();
    browser.set_viewport(1280, 900, false).unwrap();
    browser.wait_until(&fits, PATIENCE).unwrap();
    let probability = "document.querySelector('[data-key=capture_probability]')";
    browser.wait_until(probability, PATIENCE).unwrap();
    assert_eq!(browser.console().unwrap(), []);
    browser.click("td a, th a").unwrap();
    let there = "document.title.startsWith('Docking: cheap, run ')";
    browser.wait_until(there, PATIENCE).unwrap();
}

/// Each side has its own counts, and what differs is listed.
fn two_studies_are_compared(folder: &Folder) {
    let both = folder.json(&["compare", "out", "other", "--out", "both", "--json"]);
    for (side, name) in both["studies"]
        .as_array()
        .unwrap()
        .iter()
        .zip(["out", "other"])
    {
        let alone = folder.json(&["report", name, "--json"]);
        assert_eq!(side["results"], alone["results"], "{name}");
    }
    let page = std::fs::read_to_string(folder.join("both/comparison.html")).unwrap();
    for part in ["What differs", ">seed</th>", "runs above"] {
        assert!(page.contains(part), "{part}");
    }
    let error = folder.refused(2, &["compare", "out"]);
    assert!(error.contains("2 values"), "{error}");
}
