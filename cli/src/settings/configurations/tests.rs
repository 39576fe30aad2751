//! Every key, and what is said of it.

use super::*;
use softdock_settings::Kind;

mod planar_leg {
    use super::*;
    use crate::settings::flatten;
    #[allow(unused_imports)]
    use crate::settings::key::mismatch;

    /// The configuration with every optional key given, so that all keys are written.
    fn complete() -> LegConfig {
        let mut config = LegConfig::default();
        config.tendon.damping_shortening_n_s_per_m = Some(1.0);
        config.tendon.rest_length_m = Some(0.4);
        config.pretension.chord_m = Some(0.4);
        config.pretension.tension_n = Some(60.0);
        config
    }

    #[test]
    fn every_key_has_a_comment_and_every_comment_a_key() {
        let table = toml::Table::try_from(complete()).unwrap();
        let mut found: Vec<String> = flatten(&table).into_iter().map(|(key, _)| key).collect();
        let mut documented: Vec<String> = LegConfig::keys().map(|k| k.key.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
        for key in LegConfig::keys() {
            assert!(
                !key.meaning.is_empty() && !key.allowed_values().is_empty() && !key.unit.is_empty()
            );
        }
    }

    #[test]
    fn every_default_fits_its_kind_and_optional_keys_are_absent() {
        let table = toml::Table::try_from(LegConfig::default()).unwrap();
        let defaults = flatten(&table);
        for key in LegConfig::keys() {
            let value = defaults
                .iter()
                .find(|(name, _)| name == key.key)
                .map(|(_, v)| v);
            assert_eq!(value.is_none(), key.sample.is_some(), "{}", key.key);
            if let Some(value) = value {
                assert_eq!(mismatch(key, value), None, "{}", key.key);
            }
        }
    }

    #[test]
    fn a_unit_in_the_name_is_the_unit_in_the_comment() {
        let suffixes = [
            ("_nm_per_rad", "N·m/rad"),
            ("_nm_s_per_rad", "N·m·s/rad"),
            ("_n_per_m", "N/m"),
            ("_n_s_per_m", "N·s/m"),
            ("_m_per_s", "m/s"),
            ("_m_s2", "m/s²"),
            ("_kg_m3", "kg/m³"),
            ("_rad", "rad"),
            ("_nm", "N·m"),
            ("_kg", "kg"),
            ("_pa", "Pa"),
        ];
        for key in LegConfig::keys() {
            if let Some((_, unit)) = suffixes.iter().find(|(end, _)| key.key.ends_with(end)) {
                assert_eq!(key.unit, *unit, "{}", key.key);
            }
        }
    }
}

mod spatial_leg {
    use super::*;
    #[allow(unused_imports)]
    use crate::settings::key::mismatch;
    use crate::settings::{Resolved, SettingsArgs, flatten};
    use leg_core::SpatialLegConfig;
    use leg_core::spatial::SectionShape;

    #[test]
    fn every_key_has_a_comment_and_every_comment_a_key() {
        let mut complete = SpatialSettings {
            leg: SpatialLegConfig {
                section: SectionShape::Rod { radius_m: 0.002 },
                ..SpatialLegConfig::default()
            },
            ..SpatialSettings::default()
        };
        complete.leg.tendon.damping_shortening_n_s_per_m = Some(1.0);
        complete.leg.tendon.rest_length_m = Some(0.4);
        complete.leg.motor_middle_rad = Some(0.1);
        complete.leg.stroke_middle_m = Some(0.4);
        let table = toml::Table::try_from(complete).unwrap();
        let given = flatten(&table);
        let mut found: Vec<&str> = given.iter().map(|(key, _)| key.as_str()).collect();
        let mut documented: Vec<&str> = SpatialSettings::keys().map(|k| k.key).collect();
        found.sort_unstable();
        documented.sort_unstable();
        assert_eq!(found, documented);
        for key in SpatialSettings::keys() {
            let (_, value) = given.iter().find(|(name, _)| name == key.key).unwrap();
            assert_eq!(mismatch(key, value), None, "{}", key.key);
        }
    }

    #[test]
    fn what_is_printed_reads_back_the_same_and_idle_histories_are_refused() {
        let resolved = |set: &[&str]| {
            Resolved::<SpatialSettings>::new(&SettingsArgs {
                set: set.iter().map(|&s| s.to_owned()).collect(),
                ..SettingsArgs::default()
            })
        };
        let push = "tip.force_y_n={kind=\"ramp\",duration_s=1,to=2}";
        let found = resolved(&["tip.mode=loaded", push, "solver.elements=6", "q1_rad=0"]).unwrap();
        let again: SpatialSettings = toml::from_str(&found.print().unwrap()).unwrap();
        assert_eq!(again, found.config);
        for (set, expected) in [
            (push, "has no effect: the tip is held"),
            ("tip.mode=loose", "\"held\", \"loaded\", \"free\""),
            ("base.motor_axis=[1,0,0]", "at right angles"),
            ("tip.force_n=1", "did you mean"),
        ] {
            let message = resolved(&[set]).err().unwrap().to_string();
            assert!(message.contains(expected), "{set}: {message}");
        }
    }
}

mod platform {
    use super::*;
    #[allow(unused_imports)]
    use crate::settings::key::mismatch;
    use crate::settings::{Resolved, SettingsArgs, flatten};
    use leg_core::spatial::SectionShape;
    use softdock_platform::config::Difference;

    /// The configuration with every optional key given, so that all keys are written.
    fn complete() -> PlatformConfig {
        let mut config = PlatformConfig {
            section: SectionShape::Rod { radius_m: 0.002 },
            ..PlatformConfig::default()
        };
        config.tendon.damping_shortening_n_s_per_m = Some(1.0);
        config.tendon.rest_length_m = Some(0.4);
        config.solver.accuracy = Some(1e-3);
        let set = [("tendon.stiffness_n_per_m".to_owned(), 1500.0.into())];
        config.legs.different.push(Difference {
            leg: 2,
            set: set.into_iter().collect(),
        });
        config
    }

    #[test]
    fn every_key_has_a_comment_and_every_comment_a_key() {
        let table = toml::Table::try_from(complete()).unwrap();
        let mut found: Vec<String> = flatten(&table).into_iter().map(|(key, _)| key).collect();
        let mut documented: Vec<String> =
            PlatformConfig::keys().map(|k| k.key.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
        for key in PlatformConfig::keys() {
            let value = flatten(&table)
                .into_iter()
                .find(|(name, _)| name == key.key);
            assert_eq!(mismatch(key, &value.unwrap().1), None, "{}", key.key);
        }
    }

    fn resolved(set: &[&str]) -> Result<Resolved<PlatformConfig>, String> {
        let args = SettingsArgs {
            set: set.iter().map(|s| (*s).to_owned()).collect(),
            ..SettingsArgs::default()
        };
        Resolved::new(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_and_single_legs_can_be_set() {
        let found = resolved(&[
            "gravity_m_s2=[0,0,-9.81]",
            "legs.q1_rad=[0.1,0,0,0,0,-0.1]",
            "legs.different=[{ leg = 2, set = { tendon.stiffness_n_per_m = 1500 } }]",
        ])
        .unwrap();
        let legs = found.config.leg_configs().unwrap();
        assert_eq!(legs[5].q1_rad, -0.1);
        assert_eq!(legs[1].tendon.stiffness_n_per_m, 1500.0);
        // The rest of the leg's tendon is that of the others.
        assert_eq!(legs[1].tendon.damping_n_s_per_m, 1500.0);
        assert_eq!(legs[0].tendon.stiffness_n_per_m, 2000.0);
        let printed = found.print().unwrap();
        let again: PlatformConfig = toml::from_str(&printed).unwrap();
        assert_eq!(again.leg_configs().unwrap(), legs);
    }

    #[test]
    fn mistakes_are_named() {
        for (set, expected) in [
            ("legs.q1_rad=[0.1]", "as many entries"),
            ("legs.q1_rad=0.1", "a list of numbers"),
            ("legs.different=[{ leg = 7, set = {} }]", "in [1, 6]"),
            (
                "legs.different=[{ leg = 1, set = { tendn.x = 1 } }]",
                "unknown field `tendn`",
            ),
            (
                "legs.different=[{ leg = 1, set = { 'tendn.x' = 1 } }]",
                "no such table",
            ),
            (
                "legs.different=[{ leg = 1, set = { tendon.x = 1 } }]",
                "unknown field",
            ),
            ("legs.elements=1", "legs.elements = 1"),
            (
                "end_effector.inertia_kg_m2=[1,0.1,0.1]",
                "sum of the other two",
            ),
        ] {
            let message = resolved(&[set]).err().unwrap();
            assert!(message.contains(expected), "{set}: {message}");
        }
    }
}

mod docking {
    use super::*;
    #[allow(unused_imports)]
    use crate::settings::key::mismatch;
    use crate::settings::{Resolved, SettingsArgs, SettingsError, flatten};
    use leg_core::spatial::SectionShape;
    use proptest::prelude::*;
    use softdock_docking::Requirement;
    use softdock_platform::config::Difference;

    /// The scenario with every optional key given, so that all keys are written.
    fn complete() -> Scenario {
        let mut scenario = Scenario::default();
        let platform = &mut scenario.platform;
        platform.tendon.damping_shortening_n_s_per_m = Some(1.0);
        platform.tendon.rest_length_m = Some(0.4);
        platform.solver.accuracy = Some(1e-3);
        platform.section = SectionShape::Rod { radius_m: 0.002 };
        let set = [("tendon.present".to_owned(), toml::Value::Boolean(false))];
        platform.legs.different = vec![Difference {
            leg: 1,
            set: set.into_iter().collect(),
        }];
        let panel = "root_m = [1, 0, 0]\ndirection = [1, 0, 0]\nnormal = [0, 0, 1]\nlength_m = 2.0\n\
                     mass_kg = 5.0\nfrequency_hz = 0.5";
        scenario.docking.target.panel = vec![toml::from_str(panel).unwrap()];
        scenario.docking.requirement = vec![Requirement {
            name: "soft".to_owned(),
            figure: "peak_contact_force_n".to_owned(),
            min: None,
            max: Some(45.0),
            word: None,
            source: None,
        }];
        scenario
    }

    #[test]
    fn every_key_has_a_comment_and_every_comment_a_key() {
        let table = toml::Table::try_from(complete()).unwrap();
        let mut found: Vec<String> = flatten(&table).into_iter().map(|(key, _)| key).collect();
        let mut documented: Vec<String> = Scenario::keys().map(|k| k.key.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
    }

    #[test]
    fn every_default_fits_its_kind_and_optional_keys_are_absent() {
        let table = toml::Table::try_from(Scenario::default()).unwrap();
        let defaults = flatten(&table);
        for key in Scenario::keys() {
            let value = defaults.iter().find(|(name, _)| name == key.key);
            assert_eq!(value.is_none(), key.sample.is_some(), "{}", key.key);
            if let Some((_, value)) = value {
                assert_eq!(mismatch(key, value), None, "{}", key.key);
            }
        }
    }

    #[test]
    fn a_printed_scenario_reads_back_the_same() {
        let scenario = complete();
        let text = crate::settings::print::print(&scenario).unwrap();
        let read: Scenario = toml::from_str(&text).unwrap();
        assert_eq!(read, scenario);
    }

    fn resolve(argument: &str) -> Result<Resolved<Scenario>, SettingsError> {
        Resolved::new(&SettingsArgs {
            set: vec![argument.to_owned()],
            ..SettingsArgs::default()
        })
    }

    /// Lower and upper bound that a range in words names, and whether the lower one is allowed.
    fn bounds(range: &str) -> Option<(f64, bool, Option<f64>)> {
        let number = |text: &str| text.trim_end_matches(',').parse::<f64>().ok();
        let words: Vec<&str> = range.split_whitespace().collect();
        match words[..] {
            [">", low] => Some((number(low)?, false, None)),
            [">=", low] => Some((number(low)?, true, None)),
            ["above", low, "up", "to", high] => Some((number(low)?, false, Some(number(high)?))),
            ["above", low, ..] => Some((number(low)?, false, None)),
            [low, "to", high, ..] => Some((number(low)?, true, Some(number(high)?))),
            _ => None,
        }
    }

    /// What the printed configuration says of a range is what is checked: just inside is taken,
    /// just outside is refused with the key, its value and where it was set.
    #[test]
    fn printed_ranges_are_the_ranges_that_are_checked() {
        let mut checked = 0;
        for key in Scenario::keys() {
            let (Kind::Number | Kind::Count, Some((low, low_allowed, high))) =
                (key.kind, bounds(&key.allowed_values()))
            else {
                continue;
            };
            checked += 1;
            let text = |value: f64| match key.kind {
                Kind::Count => format!("{}={value}", key.key),
                _ => format!("{}={value:?}", key.key),
            };
            let step = if key.kind == Kind::Count { 1.0 } else { 1e-6 };
            let below = if low_allowed { low - step } else { low };
            let mut outside = vec![below];
            outside.extend(high.map(|high| high + step.max(1e-9 * high)));
            for value in outside
                .into_iter()
                .filter(|v| key.kind == Kind::Number || *v >= 0.0)
            {
                let argument = text(value);
                let error = resolve(&argument)
                    .map(|_| ())
                    .expect_err(&argument)
                    .to_string();
                let named = error.starts_with(&format!("--set {argument}: "));
                assert!(
                    named && error.contains(key.key),
                    "{}: {error}",
                    key.range.comment
                );
            }
            // Where a bound goes with other settings, the message is about both.
            let inside = [low_allowed.then_some(low), high];
            for value in inside.into_iter().flatten() {
                if let Err(error) = resolve(&text(value)) {
                    let error = error.to_string();
                    let words = [
                        "sum of the other",
                        "allowed for",
                        "opening",
                        "before",
                        "full cone",
                        "no effect with",
                    ];
                    let shared = words.iter().any(|word| error.contains(word));
                    let blamed = error.starts_with(&format!("--set {}: ", text(value)));
                    assert!(shared && blamed, "{}: {error}", key.range.comment);
                }
            }
        }
        assert!(checked > 70, "{checked} keys");
    }

    #[test]
    fn values_that_do_not_go_together_are_blamed_on_one() {
        for (argument, key, problem) in [
            ("section.kind=rod", "section.kind", "radius_m"),
            ("section.radius_m=0.002", "section.radius_m", "no effect"),
            ("legs.different=[{leg=1}]", "legs.different", "set"),
            (
                "legs.different=[{leg=\"a\", set={}}]",
                "legs.different",
                "string",
            ),
        ] {
            let error = resolve(argument).map(|_| ()).unwrap_err().to_string();
            let start = format!("--set {argument}: `{key}` does not fit: ");
            assert!(
                error.starts_with(&start) && error.contains(problem),
                "{error}"
            );
        }
    }

    /// A line of the printed scenario, changed as a careless hand or a cat would.
    fn mutated(line: &str, change: u8, number: f64, junk: &str) -> String {
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        match change % 12 {
            0 => format!("{key} = {number:e}"),
            1 => format!("{key} = {}", number as i64),
            2 => format!("{key} = {junk}"),
            3 => format!("{key} = \"{junk}\""),
            4 => format!("{junk}{line}"),
            5 => format!("{line}{junk}"),
            6 => format!("{line}\n{line}"),
            7 => String::new(),
            8 => format!("{key} = [{value}, {number:e}]"),
            9 => format!("{key} = -{value}"),
            10 => format!("{key} = {{ kind = \"{junk}\", {key} = {value} }}"),
            _ => line.chars().rev().collect(),
        }
    }

    /// A number of any size and sign, often a special one.
    fn any_number() -> impl Strategy<Value = f64> {
        let special = [
            0.0,
            -1.0,
            1.0,
            1e-300,
            1e300,
            f64::NAN,
            f64::INFINITY,
            1e9,
            0.5,
        ];
        prop_oneof![
            any::<f64>(),
            proptest::sample::select(special.to_vec()),
            -1e3..1e3,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

        /// Whatever is done to a scenario file, the answer is a scenario that passes its own
        /// check and prints as one that reads back the same, or a message that names the line, or
        /// the key; never a panic.
        #[test]
        fn any_scenario_file_is_resolved_or_refused(
            changes in prop::collection::vec(
                (any::<proptest::sample::Index>(), any::<u8>(), any_number(), "\\PC{0,6}"), 1..4,
            ),
        ) {
            let text = crate::settings::print::print(&Scenario::default()).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let places: Vec<usize> = (0..lines.len())
                .filter(|&i| !lines[i].starts_with('#') && !lines[i].is_empty())
                .collect();
            for (place, change, number, junk) in &changes {
                let place = places[place.index(places.len())];
                lines[place] = mutated(&lines[place], *change, *number, junk);
            }
            let text = lines.join("\n");
            let none = SettingsArgs::default();
            match Resolved::<Scenario>::with_text("mine.toml", &text, &none, &[]) {
                Ok(resolved) => {
                    prop_assert!(resolved.config.validate().is_ok());
                    let printed = resolved.print().unwrap();
                    let again = Resolved::<Scenario>::with_text("p", &printed, &none, &[]);
                    prop_assert_eq!(again.unwrap().config, resolved.config);
                }
                Err(SettingsError::Mismatch { message }) => {
                    return Err(TestCaseError::fail(format!("names no key: {message}\n{text}")));
                }
                Err(error) => {
                    let message = error.to_string();
                    // Several settings together may be too much: one of them is named.
                    let named = message.starts_with("mine.toml:");
                    prop_assert!(named, "{message}");
                    let syntax = matches!(error, SettingsError::Syntax { .. });
                    let key = Scenario::keys().any(|key| message.contains(key.key));
                    prop_assert!(syntax || key || message.contains("unknown key"), "{message}");
                }
            }
        }
    }
}
