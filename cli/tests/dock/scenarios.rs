//! Every scenario that comes with the program says in its file what to expect of it, in lines
//! `# expect KEY = WORD` and `# expect KEY = LOW to HIGH`; here they are held to it.

use crate::support::Folder;
use serde_json::Value;

/// The shipped scenarios with their texts.
const SCENARIOS: [(&str, &str); 12] = [
    ("default", include_str!("../../../scenarios/default.toml")),
    ("aligned", include_str!("../../../scenarios/aligned.toml")),
    (
        "lateral-50mm",
        include_str!("../../../scenarios/lateral-50mm.toml"),
    ),
    (
        "idss-corner",
        include_str!("../../../scenarios/idss-corner.toml"),
    ),
    (
        "gravity-bench",
        include_str!("../../../scenarios/gravity-bench.toml"),
    ),
    (
        "free-floating-pair",
        include_str!("../../../scenarios/free-floating-pair.toml"),
    ),
    (
        "motors-locked",
        include_str!("../../../scenarios/motors-locked.toml"),
    ),
    (
        "motors-hold",
        include_str!("../../../scenarios/motors-hold.toml"),
    ),
    (
        "motors-lqr",
        include_str!("../../../scenarios/motors-lqr.toml"),
    ),
    (
        "motors-impedance",
        include_str!("../../../scenarios/motors-impedance.toml"),
    ),
    (
        "flexible-target",
        include_str!("../../../scenarios/flexible-target.toml"),
    ),
    (
        "idss-ring",
        include_str!("../../../scenarios/idss-ring.toml"),
    ),
];

fn value<'a>(summary: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(summary, |value, part| &value[part])
}

#[test]
fn shipped_scenarios_do_what_their_files_say() {
    let folder = Folder::new("expectations");
    for (name, text) in SCENARIOS {
        folder.stdout(&[name, "--no-report", "--out", name]);
        let summary = folder.json(&format!("{name}/summary.json"));
        assert_eq!(summary["soundness"], "sound", "{name}");
        let mut expected = 0;
        for line in text
            .lines()
            .filter_map(|line| line.strip_prefix("# expect "))
        {
            let (key, wanted) = line.split_once(" = ").unwrap();
            let found = value(&summary, key);
            match wanted.split_once(" to ") {
                Some((low, high)) => {
                    let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
                    let found = found
                        .as_f64()
                        .unwrap_or_else(|| panic!("{name}: {key} {found}"));
                    assert!(
                        (low..=high).contains(&found),
                        "{name}: {key} is {found}, {line}"
                    );
                }
                None => assert_eq!(found, wanted, "{name}: {key}"),
            }
            expected += 1;
        }
        assert!(expected > 0, "{name} says nothing");
    }
}
