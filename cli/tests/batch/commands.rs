//! What a user sees: messages, files, refusals.

use crate::common::{Folder, names, sound_study, study};
use softdock_study::{Table, table::Column};

#[test]
fn a_study_runs_and_says_what_came_out() {
    let folder = Folder::new("says");
    folder.write("study.toml", &study(12));
    let text = folder.stdout(&["run", "study.toml", "--out", "out"]);
    for part in [
        "shard 0/1: 0 runs before, 12 now",
        "probability of capture",
        "suspect",
        "never touched",
        "median",
        "per minute",
        "failed",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = folder.run(&["run", "study.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2));
    let again = folder.json(&["run", "study.toml", "--out", "out", "--resume", "--json"]);
    assert_eq!(
        (&again["finished_before"], &again["finished_now"]),
        (&12.into(), &0.into())
    );
    let status = folder.stdout(&["status", "out"]);
    assert!(status.contains("of 12 runs"), "{status}");
    // A docking that cannot be built is a row with its reason, not the end.
    let table = Table::open(&folder.join("out/results.parquet")).unwrap();
    let Column::Text(errors) = table.column("error").unwrap() else {
        panic!("errors are texts");
    };
    let reasons: Vec<&String> = errors.iter().flatten().collect();
    assert!(!reasons.is_empty());
    for reason in reasons {
        assert!(
            reason.contains("longer than the leaf") && reason.contains("0.4 m"),
            "{reason}"
        );
    }
    let columns = table.names();
    for column in [
        "misalignment.pitch_deg",
        "peak_contact_force_n",
        "leg6_stroke_m",
        "tendon_tension_min_n",
        "energy.lost_in_contact_j",
        "soundness",
        "soundness_reasons",
        "outcome",
    ] {
        assert!(columns.iter().any(|name| name == column), "{columns:?}");
    }
}

#[test]
fn the_number_of_runs_can_be_given() {
    let folder = Folder::new("runs");
    let text = sound_study(1000).replace("runs = 1000\n", "");
    folder.write("study.toml", &text);
    let message = folder.refused(2, &["run", "study.toml", "--out", "out"]);
    assert!(message.contains("study.toml: runs"), "{message}");
    let done = folder.json(&["run", "study.toml", "--out", "out", "--runs", "3", "--json"]);
    assert_eq!(done["runs"], 3);
    // Another number is another study.
    let other = [
        "run",
        "study.toml",
        "--out",
        "out",
        "--runs",
        "4",
        "--resume",
    ];
    let message = folder.refused(2, &other);
    assert!(
        message.contains("study.runs (3 there, 4 here)"),
        "{message}"
    );
}

#[test]
fn what_cannot_be_run_is_refused_before_the_first_run() {
    let folder = Folder::new("refused");
    let cases = [
        (
            sound_study(4).replace("misalignment.pitch_deg", "misalignment.pich_deg"),
            "study.toml:12: unknown key `misalignment.pich_deg`; did you mean \
             `misalignment.pitch_deg`?",
        ),
        (
            sound_study(4).replace("legs.elements = 2", "legs.elements = 0"),
            "elements",
        ),
        (
            sound_study(4).replace("[base]", "scenario = \"nowhere.toml\"\n[base]"),
            "there is no scenario file nowhere.toml",
        ),
        (
            sound_study(4).replace("max = 4", "max = 50"),
            "study.toml:12: the study varies `misalignment.pitch_deg` beyond what is allowed: \
             misalignment.pitch_deg = 4",
        ),
        (
            sound_study(4).replace("max = 4", "max = -5"),
            "must be above min = -4",
        ),
        (
            sound_study(4).replace("sampling =", "samplin ="),
            "study.toml",
        ),
    ];
    for (text, expected) in cases {
        folder.write("study.toml", &text);
        let message = folder.refused(2, &["run", "study.toml", "--out", "out"]);
        assert!(message.contains(expected), "{message}");
        assert_eq!(names(&folder.join("")), ["study.toml"]);
    }
    let message = folder.refused(2, &["run", "nosuch", "--out", "out"]);
    assert!(message.contains("idss-envelope"), "{message}");
    let message = folder.refused(
        2,
        &["run", "misalignment-map", "--runs", "7", "--out", "out"],
    );
    assert!(
        message.contains("this grid has 189 combinations"),
        "{message}"
    );
    folder.refused(2, &["status", "nosuch"]);
    folder.refused(2, &["run", "study.toml", "--out", "out", "--shard", "4/4"]);
}

#[test]
fn the_scenario_of_a_study_is_found_from_its_file() {
    let folder = Folder::new("relative");
    std::fs::create_dir_all(folder.join("deep/scenarios")).unwrap();
    folder.write("deep/scenarios/heavy.toml", "[target]\nmass_kg = 4321.0\n");
    let named = |scenario: &str| {
        let line = format!("scenario = \"{scenario}\"\n[base]");
        folder.write("deep/study.toml", &sound_study(1).replace("[base]", &line));
    };
    named("scenarios/heavy.toml");
    folder.stdout(&["run", "deep/study.toml", "--out", "out"]);
    let plan = std::fs::read_to_string(folder.join("out/study.toml")).unwrap();
    assert!(plan.contains("mass_kg = 4321.0"), "{plan}");
    named("gravity-bench");
    folder.stdout(&["run", "deep/study.toml", "--out", "shipped"]);
}

#[test]
fn scripts_for_a_cluster_name_the_program_and_the_study() {
    let folder = Folder::new("scripts");
    folder.write("study.toml", &sound_study(8));
    let words = [
        "slurm",
        "study.toml",
        "--shards",
        "4",
        "--out",
        "out",
        "--runs",
        "6",
    ];
    let text = folder.stdout(&words);
    assert!(text.contains("6 runs in 4 shards"), "{text}");
    assert_eq!(
        names(&folder.join("out/scripts")),
        ["array.sh", "merge.sh", "submit.sh"]
    );
    let array = std::fs::read_to_string(folder.join("out/scripts/array.sh")).unwrap();
    let study = folder.join("study.toml");
    let expected = format!("'batch' 'run' '{}' '--runs' '6' --out", study.display());
    assert!(array.contains(&expected), "{array}");
    assert!(array.contains("#SBATCH --array=0-3"), "{array}");
}

#[test]
fn more_threads_than_the_machine_can_use_are_refused_before_anything_happens() {
    let folder = Folder::new("threads");
    folder.write("study.toml", &sound_study(3));
    let words = ["run", "study.toml", "--out", "out", "--threads", "100000"];
    let message = folder.refused(2, &words);
    assert!(
        message.contains("threads = 100000: must be 0 to "),
        "{message}"
    );
    assert!(!folder.join("out").exists());
    let scripts = ["slurm", "study.toml", "--shards", "2", "--out", "out"];
    let message = folder.refused(2, &[&scripts[..], &["--threads", "100000"]].concat());
    assert!(
        message.contains("threads = 100000: must be 1 to 1024"),
        "{message}"
    );
}

#[test]
fn the_base_scenario_can_be_changed_from_the_command_line() {
    let folder = Folder::new("set");
    folder.write("study.toml", &sound_study(2));
    let run = ["run", "study.toml", "--json", "--out"];
    let force = |out: &str, more: &[&str]| {
        let done = folder.json(&[&run[..], &[out], more].concat());
        let report = folder.json(&["report", out, "--json"]);
        assert_eq!(report["results"], done["results"]);
        assert!(folder.join(out).join("report.html").exists());
        done["digest"].clone()
    };
    let plain = force("plain", &[]);
    let changed = force("changed", &["--set", "contact.friction.coefficient=0.05"]);
    assert_ne!(plain, changed);
    let varied = ["--set", "misalignment.pitch_deg=3"];
    let message = folder.refused(2, &[&run[..], &["no"], &varied].concat());
    assert!(
        message.contains("the study varies `misalignment.pitch_deg`"),
        "{message}"
    );
    let message = folder.refused(
        2,
        &[&run[..], &["no"], &["--set", "legs.elemnts=3"]].concat(),
    );
    assert!(message.contains("legs.elements"), "{message}");
}
