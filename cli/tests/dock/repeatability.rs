//! The same scenario gives the same bits, however often and on however many threads.

use crate::support::{COARSE, Folder, table, timeless};

/// A run with contact, sliding and six legs of their own.
const SCENARIO: [&str; 7] = [
    "free-floating-pair",
    "--set",
    "duration_s=0.25",
    "--set",
    "legs.elements=5",
    "--no-report",
    "--json",
];

#[test]
fn results_do_not_depend_on_threads_or_on_the_hour() {
    let folder = Folder::new("threads");
    let run = |name: &str, threads: usize| {
        let threads = format!("solver.threads={threads}");
        folder.stdout(&[&SCENARIO[..], &["--out", name, "--set", &threads]].concat());
        let summary = timeless(folder.json(&format!("{name}/summary.json")));
        (folder.file(&format!("{name}/run.csv")), summary)
    };
    let first = run("one", 1);
    assert!(first.1["peak_contact_force_n"].as_f64().unwrap() > 10.0);
    for threads in [1, 2, 3, 6] {
        assert!(
            run(&format!("threads-{threads}"), threads) == first,
            "{threads} threads"
        );
    }
}

/// `--json` prints what `summary.json` holds; the table has the columns it names, one row per
/// output time, and agrees with the summary.
#[test]
fn table_and_summary_tell_the_same() {
    let folder = Folder::new("table");
    let said = folder.stdout(&[&SCENARIO[..], &["--out", "a"]].concat());
    let summary = folder.json("a/summary.json");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&said).unwrap(),
        summary
    );
    assert_eq!(
        folder.names(),
        ["a", "a/config.toml", "a/run.csv", "a/summary.json"]
    );
    for key in [
        "peak_contact_force_n",
        "peak_contact_time_s",
        "contact_impulse_n_s",
        "outcome",
        "soundness",
        "soundness_reasons",
        "settling_time_s",
        "max_leg_stroke_m",
        "tendon_tension_range_n",
        "peak_motor_torque_nm",
        "energy",
        "energy_residual_rel",
        "max_joint_gap_m",
        "simulated_s",
        "wall_s",
    ] {
        assert!(summary.get(key).is_some(), "{key}");
    }
    let (header, rows) = table(&folder.file("a/run.csv"));
    let column = |name: &str| {
        let index = header.iter().position(|known| known == name).unwrap();
        rows.iter().map(|row| row[index]).collect::<Vec<f64>>()
    };
    assert_eq!(rows.len(), 126);
    assert!(rows.iter().flatten().all(|value| value.is_finite()));
    for (i, time) in column("time_s").iter().enumerate() {
        assert!((time - 0.002 * i as f64).abs() < 1e-12);
    }
    // The peak of the rows is that of the steps between them, or just below.
    let largest = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let peak = summary["peak_contact_force_n"].as_f64().unwrap();
    let shown = largest(column("contact_force_n"));
    assert!(shown <= peak && shown > 0.99 * peak, "{shown} of {peak}");
    let tension = (1..=6).map(|leg| largest(column(&format!("leg{leg}_tendon_tension_n"))));
    let tension = largest(tension.collect());
    let most = summary["tendon_tension_range_n"][1].as_f64().unwrap();
    assert!(
        tension <= most && tension > 0.99 * most,
        "{tension} of {most}"
    );
    let residual = column("energy_residual_j");
    let last = summary["energy"]["residual_j"].as_f64().unwrap();
    assert_eq!(*residual.last().unwrap(), last);
}

/// Six loaded FMUs and native legs, each solving its own steps: the same bits, and the figures of
/// the monolithic scheme.
#[test]
fn legs_inside_fmus_dock_like_native_ones() {
    let folder = Folder::new("fmus");
    let run = |out: &str, more: &[&str]| {
        let mut arguments = vec!["--set", "duration_s=0.15", "--out", out];
        arguments.extend(COARSE);
        arguments.extend(more);
        folder.stdout(&arguments);
        let summary = folder.json(&format!("{out}/summary.json"));
        let peak = summary["peak_contact_force_n"].as_f64().unwrap();
        (folder.file(&format!("{out}/run.csv")), peak, summary)
    };
    let (_, wanted, _) = run("whole", &["--no-report"]);
    let (native, ..) = run("native", &["--no-report", "--set", "coupling=implicit"]);
    let (loaded, peak, summary) = run("loaded", &["--legs", "fmu"]);
    assert!(native == loaded, "FMUs do not give the bits of native legs");
    assert!((peak / wanted - 1.0).abs() < 1e-6, "{peak} {wanted}");
    assert_eq!(summary["legs"], "fmu");
    assert_eq!(summary["coupling"], "implicit");
    assert!(folder.file("loaded/report.html").contains("leaves"));
}
