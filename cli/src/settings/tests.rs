#![allow(clippy::unwrap_used)]

use super::*;
use leg_core::LegConfig;
use leg_core::config::{History, MotorMode, Shape, Side};
use proptest::prelude::*;
use std::path::Path;

fn from_file(text: &str) -> Result<Resolved<LegConfig>, SettingsError> {
    Resolved::from_layers(&[Layer::parse(Path::new("leg.toml"), text)?])
}

fn from_set(arguments: &[&str]) -> Result<Resolved<LegConfig>, SettingsError> {
    let set = arguments.iter().map(|&a| a.to_owned()).collect();
    Resolved::new(&SettingsArgs {
        set,
        ..Default::default()
    })
}

fn message(result: Result<Resolved<LegConfig>, SettingsError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn nothing_given_is_the_default() {
    assert_eq!(from_set(&[]).unwrap().config, LegConfig::default());
    assert_eq!(from_file("").unwrap().config, LegConfig::default());
}

#[test]
fn file_overrides_default_and_argument_overrides_file() {
    let file = Layer::parse(
        Path::new("leg.toml"),
        "[tendon]\nstiffness_n_per_m = 1\ndamping_n_s_per_m = 2.5\n",
    );
    let set = Layer::argument("tendon.damping_n_s_per_m=15");
    let again = Layer::argument("tendon.damping_n_s_per_m=16");
    let layers = [file.unwrap(), set.unwrap(), again.unwrap()];
    let tendon = Resolved::<LegConfig>::from_layers(&layers)
        .unwrap()
        .config
        .tendon;
    assert_eq!(tendon.stiffness_n_per_m, 1.0);
    assert_eq!(tendon.damping_n_s_per_m, 16.0);
    assert_eq!(
        tendon.slack_width_n,
        LegConfig::default().tendon.slack_width_n
    );
}

#[test]
fn values_may_be_words_arrays_tables_and_loose_numbers() {
    let config = from_set(&[
        "pretension.side=-x",
        "motor.mode=hold",
        "gravity_m_s2=[0, 0]",
        "motor.torque_nm={kind=\"sine\",amplitude=1,frequency_hz=2}",
        "motor.torque_nm.amplitude=.5",
        "solver.elements = 20",
        "tendon.rest_length_m=0.3788866560",
    ])
    .unwrap()
    .config;
    assert_eq!(config.pretension.side, Side::Inward);
    assert_eq!(config.motor.mode, MotorMode::Hold);
    assert_eq!(config.gravity_m_s2, [0.0, 0.0]);
    assert_eq!(config.solver.elements, 20);
    assert_eq!(config.tendon.rest_length_m, Some(0.378_886_656_0));
    let History::Shape(Shape::Sine {
        amplitude,
        frequency_hz,
        ..
    }) = config.motor.torque_nm
    else {
        panic!("not a sine: {:?}", config.motor.torque_nm);
    };
    assert_eq!((amplitude, frequency_hz), (0.5, 2.0));
}

#[test]
fn a_history_of_another_kind_replaces_the_first() {
    let config = from_set(&[
        "load.force_x_n={kind=\"sine\",amplitude=1,frequency_hz=2}",
        "load.force_x_n={kind=\"step\",time_s=1,after=2}",
    ])
    .unwrap()
    .config;
    assert!(matches!(
        config.load.force_x_n,
        History::Shape(Shape::Step { .. })
    ));
    let constant = from_set(&[
        "load.force_x_n={kind=\"step\",time_s=1,after=2}",
        "load.force_x_n=3",
    ]);
    assert_eq!(
        constant.unwrap().config.load.force_x_n,
        History::Constant(3.0)
    );
}

#[test]
fn unknown_keys_name_line_and_suggestion() {
    let text = "# leg\n[tendon]\n\ndampng_n_s_per_m = 15\n";
    assert_eq!(
        message(from_file(text)),
        "leg.toml:4: unknown key `tendon.dampng_n_s_per_m`; did you mean \
         `tendon.damping_n_s_per_m`?"
    );
    let cases = [
        ("elements=20", "did you mean `solver.elements`?"),
        (
            "tendon.stiffness=20",
            "did you mean `tendon.stiffness_n_per_m`?",
        ),
        ("tendn.stiffness_n_per_m=20", "did you mean `tendon`?"),
        ("solver.colour=1", "`solver` has the keys elements, step_s"),
        ("xyzzy=1", "there are gravity_m_s2, geometry"),
    ];
    for (argument, expected) in cases {
        let message = message(from_set(&[argument]));
        assert!(
            message.starts_with(&format!("--set {argument}: unknown key")),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn wrong_kinds_say_what_is_expected_and_found() {
    let cases = [
        (
            "solver.elements=many",
            "a whole number, zero or more; found the text \"many\"",
        ),
        (
            "solver.elements=10.5",
            "a whole number, zero or more; found the number 10.5",
        ),
        (
            "tendon.present=1",
            "true or false; found the whole number 1",
        ),
        (
            "motor.mode=\"fast\"",
            "one of \"torque\", \"locked\", \"angle\", \"hold\"",
        ),
        (
            "gravity_m_s2=[0,0,0]",
            "2 numbers, such as [0.0, 0.0]; found a list of 3 values",
        ),
        ("tendon=5", "a table"),
        (
            "load.force_x_n={kind=\"sine\",amplitude=1}",
            "missing field `frequency_hz`",
        ),
        ("load.force_x_n.amplitude=1", "missing field `kind`"),
    ];
    for (argument, expected) in cases {
        let message = message(from_set(&[argument]));
        assert!(message.contains(expected), "{message}");
    }
    let message = message(from_file("\n\nsolver.elements = true"));
    assert!(
        message.starts_with("leg.toml:3: `solver.elements` must be"),
        "{message}"
    );
}

#[test]
fn ranges_are_checked_with_the_place() {
    assert_eq!(
        message(from_file("[tendon]\nstiffness_n_per_m = -5")),
        "leg.toml:2: tendon.stiffness_n_per_m = -5 is not allowed: it must be in [0.001, 1e12] N/m"
    );
    let message = message(from_set(&["solver.elements=1"]));
    assert_eq!(
        message,
        "--set solver.elements=1: solver.elements = 1 is not allowed: it must be in [2, 2000]"
    );
}

#[test]
fn nan_and_infinity_are_refused_everywhere() {
    for argument in [
        "tendon.stiffness_n_per_m=nan",
        "solver.error_tolerance=inf",
        "gravity_m_s2=[0,-inf]",
        "load.force_x_n={kind=\"sine\",amplitude=nan,frequency_hz=1}",
        "motor.range_rad=NaN",
    ] {
        let message = message(from_set(&[argument]));
        assert!(message.contains("must be a finite number"), "{message}");
    }
}

#[test]
fn bad_arguments_and_bad_toml_are_explained() {
    assert!(message(from_set(&["solver.elements"])).contains("write KEY=VALUE"));
    assert!(message(from_set(&["=3"])).contains("key is empty"));
    assert!(message(from_set(&["solver.elements="])).contains("value is empty"));
    assert!(message(from_set(&["gravity_m_s2=[0,"])).contains("not valid TOML"));
    let message = message(from_file("[tendon]\nstiffness_n_per_m = = 3"));
    assert!(
        message.starts_with("leg.toml:2: not valid TOML"),
        "{message}"
    );
}

#[test]
fn a_missing_file_is_named() {
    let config = Some("/no/such/leg.toml".into());
    let args = SettingsArgs {
        config,
        ..Default::default()
    };
    let message = message(Resolved::new(&args));
    assert!(message.contains("/no/such/leg.toml"), "{message}");
}

#[test]
fn what_is_printed_reads_back_the_same() {
    let resolved = from_set(&[
        "tendon.rest_length_m=0.3788866560",
        "motor.torque_nm={kind=\"sine\",amplitude=1,frequency_hz=2}",
        "load.force_y_n={kind=\"table\",times_s=[0,1],values=[0,1e-9]}",
        "pretension.side=-x",
    ])
    .unwrap();
    let text = resolved.print().unwrap();
    assert_eq!(from_file(&text).unwrap().config, resolved.config, "{text}");
    let default = from_set(&[]).unwrap().print().unwrap();
    for key in LegConfig::keys() {
        assert!(default.contains(&key.comment()), "{}", key.key);
    }
    assert!(default.contains("# rest_length_m = 0.3788866560"));
}

/// A value as somebody might type it: numbers, words, brackets, quotes, nonsense.
fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<f64>().prop_map(|x| format!("{x:e}")),
        any::<i64>().prop_map(|x| x.to_string()),
        "[a-z+-]{0,8}",
        "\\PC{0,20}",
        r#"[\[\]{}",= 0-9a-z.]{0,30}"#,
        prop::collection::vec(-1e3..1e3, 0..4).prop_map(|list| format!("{list:?}")),
    ]
}

fn any_key() -> impl Strategy<Value = String> {
    let names: Vec<String> = LegConfig::keys().map(|key| key.key.to_owned()).collect();
    let known = proptest::sample::select(names);
    prop_oneof![4 => known, 1 => "[a-z_.]{0,20}", 1 => "\\PC{0,20}"]
}

proptest! {
    /// Whatever is given, the answer is a configuration that passes its own check, or an error
    /// with a message; never a panic.
    #[test]
    fn any_arguments_are_resolved_or_refused(
        pairs in prop::collection::vec((any_key(), any_value()), 0..4),
    ) {
        let arguments: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match from_set(&arguments) {
            Ok(resolved) => prop_assert!(resolved.config.validate().is_ok()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn any_file_is_resolved_or_refused(
        lines in prop::collection::vec((any_key(), any_value()), 0..6),
        junk in "\\PC{0,30}",
    ) {
        let lines: Vec<String> = lines.iter().map(|(k, v)| format!("{k} = {v}")).collect();
        let text = format!("{}\n{junk}", lines.join("\n"));
        match from_file(&text) {
            Ok(resolved) => {
                prop_assert!(resolved.config.validate().is_ok());
                let again = from_file(&resolved.print().unwrap()).unwrap();
                prop_assert_eq!(again.config, resolved.config);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
