//! Requirements: met, not met, wrong; in a scenario, a file and several runs.

use crate::support::Folder;
use serde_json::json;

const SHORT: [&str; 8] = [
    "aligned",
    "--no-report",
    "--out",
    "a",
    "--set",
    "legs.elements=4",
    "--set",
    "duration_s=0.14",
];

#[test]
fn requirements_decide_the_exit_status_and_stand_in_the_summary() {
    let folder = Folder::new("requirements");
    folder.write(
        "met.toml",
        "[[requirement]]\nname = \"soft\"\nfigure = \"peak_contact_force_n\"\nmax = 1e4\n\
         source = \"here\"\n[[requirement]]\nname = \"held\"\nfigure = \"outcome\"\nis = \"captured\"\n",
    );
    folder.write(
        "hard.toml",
        "[[requirement]]\nname = \"soft\"\nfigure = \"peak_contact_force_n\"\nmax = 45\n",
    );
    let with = |file: &str| {
        let arguments = [&SHORT[..], &["--requirements", file]].concat();
        folder.run(&arguments)
    };
    let met = with("met.toml");
    assert_eq!(met.status.code(), Some(0), "{met:?}");
    let summary = folder.json("a/summary.json");
    let first = &summary["requirements"][0];
    assert_eq!(first["name"], "soft");
    assert_eq!(first["figure"], "peak_contact_force_n");
    assert_eq!(first["limit"], 1e4);
    assert_eq!(first["value"], summary["peak_contact_force_n"]);
    let left = 1e4 - first["value"].as_f64().unwrap();
    assert!((first["margin"].as_f64().unwrap() - left).abs() < 1e-9);
    assert_eq!(
        (&first["met"], &first["source"]),
        (&json!(true), &json!("here"))
    );
    assert_eq!(summary["requirements"][1]["value"], "captured");
    let names = summary["margins"].as_array().unwrap().iter();
    let names: Vec<&str> = names
        .map(|margin| margin["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"leg stroke") && names.contains(&"tendon slack"),
        "{names:?}"
    );

    let hard = with("hard.toml");
    assert_eq!(hard.status.code(), Some(4), "{hard:?}");
    let said = String::from_utf8(hard.stdout).unwrap();
    assert!(
        said.contains("NOT MET: 1 of 1 requirements: soft ("),
        "{said}"
    );
    assert!(
        folder.json("a/summary.json")["requirements"][0]["margin"]
            .as_f64()
            .unwrap()
            < 0.0
    );

    // The same in the scenario itself; what is printed is read again.
    folder.write(
        "own.toml",
        "[misalignment]\npitch_deg = 0.0\n[[requirement]]\nname = \"soft\"\n\
         figure = \"peak_contact_force_n\"\nmax = 45\n",
    );
    let own = folder.run(&[&["own.toml"][..], &SHORT[1..]].concat());
    assert_eq!(own.status.code(), Some(4), "{own:?}");
    let again = folder.run(&[&["a/config.toml"][..], &SHORT[1..]].concat());
    assert_eq!(again.status.code(), Some(4), "{again:?}");
}

#[test]
fn requirements_that_cannot_be_judged_are_refused() {
    let folder = Folder::new("wrong-requirements");
    for (line, words) in [
        (
            "figure = \"peek_contact_force_n\"\nmax = 1",
            "did you mean `peak_contact_force_n`",
        ),
        (
            "figure = \"peak_contact_force_kn\"\nmax = 1",
            "`peak_contact_force_n` is in N",
        ),
        ("figure = \"peak_contact_force_n\"\nmax = nan", "finite"),
        ("figure = \"peak_contact_force_n\"", "give `min` or `max`"),
        ("figure = \"outcome\"\nis = \"caught\"", "one of captured"),
        ("figure = \"steps\"\nmaximum = 3", "maximum"),
    ] {
        let text = format!("[[requirement]]\nname = \"r\"\n{line}\n");
        folder.write("wrong.toml", &text);
        for arguments in [
            [&SHORT[..], &["--requirements", "wrong.toml"]].concat(),
            [&["wrong.toml"][..], &SHORT[1..]].concat(),
        ] {
            let refused = folder.run(&arguments);
            let said = String::from_utf8(refused.stderr).unwrap();
            assert_eq!(refused.status.code(), Some(2), "{said}");
            assert!(said.contains(words), "{line}: {said}");
        }
    }
}

/// The limits that come with the program can be judged, and say of each number where it is from.
#[test]
fn the_soft_capture_limits_say_that_they_are_not_confirmed() {
    let folder = Folder::new("soft-capture");
    let arguments = [&SHORT[..], &["--requirements", "soft-capture-limits"]].concat();
    folder.stdout(&arguments);
    let summary = folder.json("a/summary.json");
    let all = summary["requirements"].as_array().unwrap();
    assert_eq!(all.len(), 5);
    for one in all {
        let source = one["source"].as_str().unwrap();
        assert!(
            source.contains("secondary") || source.contains("unconfirmed"),
            "{source}"
        );
        assert_eq!(one["met"], true);
    }
}
