//! Studies of two fidelities, through the real program.

use crate::common::Folder;
use crate::statistics::{report, unit};
use serde_json::Value;
use std::fs;

/// A screened study of 5,000: y = x1 + 2 x2 with the cheap model 0.8 y + 0.3 sin(9 x3) + 1. Exact: P(y <
/// 2.5) = 1 − ∫_½^1 (x − ½)/2 dx = 15/16, mean 1.5, 95 % quantile 3 − √0.2 (the corner above it has the
/// area (3 − q)²/4 = 0.05). The full study of 5,000 gives the same within both intervals.
#[test]
fn a_screened_study_gives_what_the_full_one_gives() {
    let folder = Folder::new("screen");
    let full = unit(
        "monte_carlo",
        5000,
        3,
        "captured = \"(x1 + 2*x2) < 2.5\"\ny = \"x1 + 2*x2 + 0*x3\"",
    );
    let cheap = "[screen]\nfull = 250\n[screen.formula]\ncaptured = \"(x1 + 2*x2 + 0.2*sin(9*x3)) < 2.5\"\n\
                 y = \"0.8*(x1 + 2*x2) + 0.1*sin(9*x3) + 1\"\n";
    let screened = full.replace("sampling =", "fidelity = \"screen\"\nsampling =") + cheap;
    folder.write("study.toml", &screened);
    let found = folder.json(&["run", "study.toml", "--out", "out", "--json"]);
    let whole = report(&Folder::new("screen-full"), &full, &[]);
    let end = |value: &Value, i: usize| value["interval_95"][i].as_f64().unwrap();
    let quantile = 3.0 - 0.2_f64.sqrt();
    for (key, exact, narrow) in [
        ("capture_probability", 15.0 / 16.0, 0.09),
        ("mean", 1.5, 0.06),
        ("quantile_95", quantile, 0.35),
    ] {
        let value = &found[key];
        assert!(
            end(value, 0) <= exact && exact <= end(value, 1),
            "{key}: {value}"
        );
        assert!(end(value, 1) - end(value, 0) < narrow, "{key}: {value}");
    }
    assert!(
        found["mean"]["worth_full_runs"].as_f64().unwrap() > 1500.0,
        "{found}"
    );
    let share = whole["results"]["capture_probability"].as_f64().unwrap();
    let capture = &found["capture_probability"];
    assert!(
        end(capture, 0) <= share && share <= end(capture, 1),
        "{capture} {share}"
    );
    let high = whole["results"]["y"]["quantiles"][2]["value"]
        .as_f64()
        .unwrap();
    let of_screen = &found["quantile_95"];
    assert!(
        end(of_screen, 0) <= high && high <= end(of_screen, 1),
        "{of_screen} {high}"
    );
    // The worst are confirmed in full: cheap = 0.8 full + 1 ± 0.1.
    let worst = found["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 10);
    for run in worst {
        let (cheap, full) = (
            run["screened"].as_f64().unwrap(),
            run["full"].as_f64().unwrap(),
        );
        assert!((cheap - 0.8 * full - 1.0).abs() <= 0.1 + 1e-12, "{run}");
    }
    assert!(folder.join("out/report.html").exists());
    let message = folder.refused(2, &["run", "study.toml", "--out", "out"]);
    assert!(
        message.contains("already holds 5000 finished runs"),
        "{message}"
    );
    folder.write("wrong.toml", &screened.replace("monte_carlo", "saltelli"));
    let message = folder.refused(2, &["run", "wrong.toml", "--out", "no"]);
    assert!(message.contains("fidelity"), "{message}");
}

/// Of full runs of which it is not known how they end, the probability of a screened study says what is known
/// in spite of them: a tenth of the runs is still in contact at the end.
#[test]
fn a_screened_study_says_what_undecided_runs_leave_open() {
    let folder = Folder::new("screen-open");
    let formulas = "captured = \"(x1 < 0.6) - (x1 > 0.9)\"\ny = \"x1 + x2\"";
    let cheap = "[screen]\nfull = 400\n[screen.formula]\ny = \"x1 + 1.1*x2\"\n";
    let study = unit("monte_carlo", 4000, 2, formulas) + cheap;
    let study = study.replace("sampling =", "fidelity = \"screen\"\nsampling =");
    folder.write("study.toml", &study);
    let found = folder.json(&["run", "study.toml", "--out", "out", "--json"]);
    let known = |i: usize| found["capture_known_95"][i].as_f64().unwrap();
    assert!((0.53..0.6).contains(&known(0)), "{found}");
    assert!((0.7..0.77).contains(&known(1)), "{found}");
    let text = folder.stdout(&["run", "study.toml", "--out", "out", "--resume"]);
    assert!(text.contains("what is known"), "{text}");
}

/// Infinite values are the largest ones: half of the runs have one, so that the 95 % quantile is infinite
/// and there is no mean.
#[test]
fn infinite_values_of_a_screened_study_are_kept() {
    let folder = Folder::new("screen-infinite");
    let formulas = "y = \"1/(x1 > 0.5)\"";
    let cheap = "[screen]\nfull = 50\n[screen.formula]\ny = \"2/(x1 > 0.5)\"\n";
    let study = unit("monte_carlo", 400, 2, formulas) + cheap;
    let study = study.replace("sampling =", "fidelity = \"screen\"\nsampling =");
    folder.write("study.toml", &study);
    let found = folder.json(&["run", "study.toml", "--out", "out", "--json"]);
    assert_eq!(found["quantile_95"]["estimate"], "inf", "{found}");
    assert!(found["mean"].is_null(), "{found}");
    assert!((15..=35).contains(&found["infinite_in_full"].as_u64().unwrap()));
    let text = folder.stdout(&["run", "study.toml", "--out", "out", "--resume"]);
    assert!(text.contains("it has no mean"), "{text}");
}

/// A screened docking takes struts, long steps and few rows for its cheap runs by itself, and says why where
/// struts do not fit.
#[test]
fn a_screened_docking_takes_struts_by_itself() {
    let folder = Folder::new("screen-struts");
    let study = "name = \"s\"\nruns = 12\nsampling = \"monte_carlo\"\nfidelity = \"screen\"\n\
        scenario = \"motors-locked\"\n[screen]\nfull = 10\nworst = 1\n\
        [base]\nduration_s = 0.03\ninitial_gap_m = 0.0001\nlegs.elements = 2\n\
        [[vary]]\nkey = \"misalignment.pitch_deg\"\ndistribution = \"uniform\"\nmin = -4\nmax = 4\n";
    folder.write("study.toml", study);
    let found = folder.json(&["run", "study.toml", "--out", "out", "--json"]);
    let mean = &found["mean"];
    // Struts reproduce the peak force to some tenths of a percent.
    assert!(mean["correlation"].as_f64().unwrap() > 0.99, "{mean}");
    let cheap = fs::read_to_string(folder.join("out/screen/study.toml")).unwrap();
    for setting in [
        "fidelity = \"strut\"",
        "accuracy = 0.01",
        "output_interval_s = 0.05",
    ] {
        assert!(cheap.contains(setting), "{setting}: {cheap}");
    }
    let full = fs::read_to_string(folder.join("out/full/study.toml")).unwrap();
    assert!(!full.contains("strut"), "{full}");
    folder.write("moving.toml", &study.replace("motors-locked", "default"));
    let message = folder.refused(2, &["run", "moving.toml", "--out", "no"]);
    assert!(
        message.contains("takes legs as struts") && message.contains("legs.elements = 3"),
        "{message}"
    );
}
