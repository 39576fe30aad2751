//! A study counts suspect runs and runs that never touched apart.

use crate::common::Folder;
use softdock_study::Table;
use softdock_study::table::Column;

/// Twelve dockings of a grid: three speeds, of which the slowest does not touch within 30 ms, and
/// four contact stiffnesses, of which the lowest is so soft that tips are pressed in deeper than their
/// radius.
const STUDY: &str = "name = \"mixed\"\nsampling = \"grid\"\n\
    [keep]\nseries = \"worst\"\nfigure = \"peak_contact_force_n\"\ncount = 12\n\
    [base]\nduration_s = 0.03\noutput_interval_s = 0.005\ninitial_gap_m = 0.0001\n\
    misalignment.pitch_deg = 0\nlegs.elements = 4\n\
    [[vary]]\nkey = \"closing_speed_m_s\"\ndistribution = \"choice\"\n\
    values = [0.001, 0.1, 0.3]\n\
    [[vary]]\nkey = \"contact.normal.stiffness_n_per_m_n\"\ndistribution = \"choice\"\n\
    values = [1e4, 1e6, 2e6, 4e6]\n";

fn words(table: &Table, name: &str) -> Vec<String> {
    let Column::Text(values) = table.column(name).unwrap() else {
        panic!("{name} is no text");
    };
    values.into_iter().map(Option::unwrap).collect()
}

#[test]
fn suspect_runs_and_runs_without_a_touch_are_counted_apart() {
    let folder = Folder::new("sound");
    folder.write("study.toml", STUDY);
    let done = folder.json(&["run", "study.toml", "--out", "out", "--json"]);
    let table = Table::open(&folder.join("out/results.parquet")).unwrap();
    let (soundness, reasons) = (
        words(&table, "soundness"),
        words(&table, "soundness_reasons"),
    );
    let outcomes = words(&table, "outcome");
    let forces = table.numbers("peak_contact_force_n").unwrap();
    let sound = |i: usize| soundness[i] == "sound";
    let met = |i: usize| outcomes[i] != "never_touched";
    for i in 0..12 {
        assert_eq!(sound(i), reasons[i].is_empty(), "run {i}: {}", reasons[i]);
        assert_eq!(met(i), forces[i].is_finite(), "run {i}: {}", forces[i]);
    }
    let count = |accept: &dyn Fn(usize) -> bool| (0..12).filter(|&i| accept(i)).count();
    let (suspect, never) = (count(&|i| !sound(i)), count(&|i| sound(i) && !met(i)));
    assert!(suspect >= 1 && never >= 3, "{soundness:?} {outcomes:?}");
    assert!(
        (0..12).any(|i| reasons[i] == "contact_depth"),
        "{reasons:?}"
    );

    let results = &done["results"];
    let trials = count(&|i| sound(i) && met(i));
    let captured = count(&|i| sound(i) && outcomes[i] == "captured");
    assert_eq!(results["finished"], 12);
    assert_eq!(results["suspect"], suspect);
    assert_eq!(results["sound"], 12 - suspect);
    assert_eq!(results["failed"], 0);
    assert_eq!(results["outcomes"]["never_touched"]["count"], never);
    assert!(results["outcomes"]["never_touched"]["peak_contact_force_n"].is_null());
    assert_eq!(results["outcomes"]["captured"]["count"], captured);
    assert_eq!(results["capture_trials"], trials);
    let share = results["capture_probability"].as_f64().unwrap();
    assert_eq!(share, captured as f64 / trials as f64);
    // The statistics are those of the sound runs that touched, and of no other.
    let counted: Vec<f64> = (0..12)
        .filter(|&i| sound(i) && met(i))
        .map(|i| forces[i])
        .collect();
    let force = &results["peak_contact_force_n"];
    assert_eq!(force["count"], trials);
    assert_eq!(
        force["min"],
        counted.iter().copied().fold(f64::MAX, f64::min)
    );
    assert_eq!(
        force["max"],
        counted.iter().copied().fold(f64::MIN, f64::max)
    );

    let status = folder.stdout(&["status", "out"]);
    for part in ["suspect", "never touched", "left out of all statistics"] {
        assert!(status.contains(part), "{status}");
    }
    assert_eq!(
        folder.json(&["status", "out", "--json"])["results"],
        *results
    );
    let report = folder.json(&["report", "out", "--json"]);
    assert_eq!(report["results"], *results);
    let page = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    for part in [
        format!("Suspect: {suspect} of 12 runs, left out of every statistic"),
        format!("Never touched: {never} of 12 runs"),
        format!("data-key=\"suspect\" data-value=\"{suspect}\""),
        format!("data-key=\"capture_trials\" data-value=\"{trials}\""),
        "<h3>Suspect runs</h3>".to_owned(),
        "<h3>Outcomes</h3>".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}");
    }

    // The worst runs are chosen among the sound ones: those whose series are kept, too.
    let kept = std::fs::read_dir(folder.join("out/series")).unwrap();
    let mut kept: Vec<String> = kept
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    let expected: Vec<String> = (0..12)
        .filter(|&i| sound(i) && met(i))
        .map(|i| format!("run-{i:010}.csv"))
        .collect();
    assert_eq!(kept, expected);
    let again = folder.json(&[
        "rerun",
        "out",
        "--worst",
        "peak_contact_force_n:12",
        "--json",
    ]);
    let again = again.as_array().unwrap();
    assert_eq!(again.len(), trials);
    assert!(again.iter().all(|run| run["soundness"] == "sound"));
    assert!(again.iter().all(|run| run["same_as_study"] == true));
}
