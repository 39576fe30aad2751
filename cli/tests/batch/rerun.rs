//! The worst runs again: the same figures, the same time series, with reports.

use crate::common::{Folder, names, study};
use std::fs;

#[test]
fn the_worst_runs_are_done_again_with_reports_and_links() {
    let folder = Folder::new("rerun");
    let keep = "[keep]\nseries = \"worst\"\nfigure = \"peak_contact_force_n\"\ncount = 2\n[base]";
    folder.write("study.toml", &study(12).replace("[base]", keep));
    folder.stdout(&["run", "study.toml", "--out", "out"]);
    let worst = "peak_contact_force_n:2";
    let done = folder.json(&["rerun", "out", "--worst", worst, "--json"]);
    let runs = done.as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs[0]["value"].as_f64() >= runs[1]["value"].as_f64());
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    let index = fs::read_to_string(folder.join("out/reruns/index.html")).unwrap();
    for run in runs {
        assert_eq!(run["same_as_study"], true, "{run}");
        let name = format!("run-{:010}", run["run"].as_u64().unwrap());
        let own = folder.join("out/reruns").join(&name);
        let files = ["config.toml", "report.html", "run.csv", "summary.json"];
        assert_eq!(names(&own), files);
        // What the study kept of the worst runs is the same time series.
        let kept = fs::read(folder.join("out/series").join(format!("{name}.csv"))).unwrap();
        assert!(kept == fs::read(own.join("run.csv")).unwrap(), "{name}");
        assert!(page.contains(&format!("href=\"reruns/{name}/report.html\"")));
        assert!(page.contains(&format!("href=\"series/{name}.csv\"")));
        assert!(index.contains(&format!("href=\"{name}/report.html\"")));
        let summary = fs::read_to_string(own.join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["peak_contact_force_n"], run["value"]);
    }
    // A run by its number, a failed one among them, somewhere else.
    let failed = (0..12).find(|run| {
        let words = [
            "rerun",
            "out",
            "--run",
            &run.to_string(),
            "--out",
            "more",
            "--json",
        ];
        !folder.json(&words)[0]["error"].is_null()
    });
    assert!(failed.is_some(), "no run failed");
    // The list in its folder remembers the runs of all calls.
    let remembered = fs::read_to_string(folder.join("more/index.json")).unwrap();
    let remembered: serde_json::Value = serde_json::from_str(&remembered).unwrap();
    let whole = remembered.as_array().unwrap();
    let done: Vec<u64> = whole
        .iter()
        .map(|one| one["run"].as_u64().unwrap())
        .collect();
    assert_eq!(done, (0..=failed.unwrap()).collect::<Vec<u64>>());
    let message = folder.refused(2, &["rerun", "out", "--run", "12"]);
    assert!(message.contains("0 to 11"), "{message}");
    let message = folder.refused(2, &["rerun", "out", "--worst", "force:3"]);
    assert!(message.contains("peak_contact_force_n"), "{message}");
}
