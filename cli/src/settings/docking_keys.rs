//! Every key of a docking scenario that is not one of the platform's.

use super::key::{Key, Kind};
use super::platform_keys::{PLATFORM_KEYS, key_of};
use super::shared_keys::{FLAG, NOT_NEGATIVE, POSITIVE};
use super::{Refused, Settings};
use softdock_docking::{DockingError, Scenario};

const ANGLE: &str = "-45 to 45";
const RATE: &str = "-90 to 90";
const WEIGHT: &str = "0 to 1e12";

/// The keys of a scenario that belong to the encounter.
#[rustfmt::skip]
pub const DOCKING_KEYS: &[Key] = &[
    Key::new("duration_s", Kind::Number, "s", "How long to simulate", "above 0, up to 3600"),
    Key::new("closing_speed_m_s", Kind::Number, "m/s", "Speed of the target toward the end effector", "0 to 2"),
    Key::new("initial_gap_m", Kind::Number, "m", "Smallest gap between the contact surfaces at the start", "0 to 10"),
    Key::new("output_interval_s", Kind::Number, "s", "Interval of the time series", POSITIVE),
    Key::new("misalignment.pitch_deg", Kind::Number, "deg", "Angle of the target about x", ANGLE),
    Key::new("misalignment.yaw_deg", Kind::Number, "deg", "Angle of the target about y", ANGLE),
    Key::new("misalignment.roll_deg", Kind::Number, "deg", "Angle of the target about the docking axis z", "-180 to 180"),
    Key::new("misalignment.lateral_x_m", Kind::Number, "m", "Offset of the target's port along x", "-1 to 1"),
    Key::new("misalignment.lateral_y_m", Kind::Number, "m", "Offset of the target's port along y", "-1 to 1"),
    Key::new("misalignment.pitch_rate_deg_s", Kind::Number, "deg/s", "Rate about x", RATE),
    Key::new("misalignment.yaw_rate_deg_s", Kind::Number, "deg/s", "Rate about y", RATE),
    Key::new("misalignment.roll_rate_deg_s", Kind::Number, "deg/s", "Rate about z", RATE),
    Key::new("misalignment.lateral_rate_x_m_s", Kind::Number, "m/s", "Velocity of the target's port along x", "-2 to 2"),
    Key::new("misalignment.lateral_rate_y_m_s", Kind::Number, "m/s", "Velocity of the target's port along y", "-2 to 2"),
    Key::new("target.mass_kg", Kind::Number, "kg", "Mass of the target, which floats freely", "0.001 to 1e9"),
    Key::new("target.inertia_kg_m2", Kind::Numbers(3), "kg·m²", "Moments of inertia about its centre of mass", "1e-9 to 1e15, none above the sum of the other two"),
    Key::new("target.centre_of_mass_behind_port_m", Kind::Number, "m", "Centre of mass behind the port, along the docking axis", "-100 to 100"),
    Key::new("limits.leg_stroke_m", Kind::Number, "m", "A leg's chord may change by this much; reported, not enforced", POSITIVE),
    Key::new("limits.settled_position_m", Kind::Number, "m", "Settled: the end effector stays this near to where it ends", POSITIVE),
    Key::new("limits.settled_angle_deg", Kind::Number, "deg", "Settled: and this near in angle", POSITIVE),
    Key::new("regulator.active", Kind::Switch, "-", "A linear-quadratic regulator of the end effector's pose sets the torques; needs motor.mode = \"torque\" and a fixed base", FLAG),
    Key::new("regulator.position_weight_per_m2", Kind::Number, "1/m²", "Weight of the end effector's deviation from its pose at rest", WEIGHT),
    Key::new("regulator.rotation_weight_per_rad2", Kind::Number, "1/rad²", "Weight of its rotation", WEIGHT),
    Key::new("regulator.velocity_weight_s2_per_m2", Kind::Number, "s²/m²", "Weight of its velocity", WEIGHT),
    Key::new("regulator.spin_weight_s2_per_rad2", Kind::Number, "s²/rad²", "Weight of its rate of rotation", WEIGHT),
    Key::new("regulator.effort_weight_per_n2_m2", Kind::Number, "1/(N·m)²", "Weight of the torques", "1e-9 to 1e12"),
    Key::new("regulator.cutoff_hz", Kind::Number, "Hz", "Vibration modes below this frequency are regulated", "0.01 to 10000, at most half the sampling rate"),
    Key::new("regulator.period_s", Kind::Number, "s", "Sampling period; torques are held in between", "1e-5 to 1"),
    Key::new("contact.steps_per_half_period", Kind::Number, "-", "Time steps per half period of a contact oscillation", "2 to 10000"),
    Key::new("contact.effector.shape", Kind::Word(&["ring", "petals"]), "-", "What the end effector touches with: a ring of points, or guide petals", "ring or petals"),
    Key::new("contact.effector.tip_radius_m", Kind::Number, "m", "Radius of the sphere at every point", "0 to 10"),
    Key::new("contact.effector.ring.radius_m", Kind::Number, "m", "Radius of the ring; 0 for a single probe tip", "0 to 10"),
    Key::new("contact.effector.ring.count", Kind::Count, "-", "Number of points, the first on the x axis", "1 to 1000"),
    Key::new("contact.effector.ring.height_m", Kind::Number, "m", "Height of the tips' centres above the end effector's centre", "-10 to 10"),
    Key::new("contact.effector.petals.count", Kind::Count, "-", "Number of petals", "1 to 100"),
    Key::new("contact.effector.petals.root_radius_m", Kind::Number, "m", "Distance of the roots from the axis", POSITIVE),
    Key::new("contact.effector.petals.root_height_m", Kind::Number, "m", "Height of the roots", "-10 to 10"),
    Key::new("contact.effector.petals.length_m", Kind::Number, "m", "Length from the first to the last point", "above 0, inward petals must end before the axis"),
    Key::new("contact.effector.petals.inclination_deg", Kind::Number, "deg", "Angle between petal and axis, positive when they open outward", "-89 to 89"),
    Key::new("contact.effector.petals.points_per_petal", Kind::Count, "-", "Points along each petal", "2 to 100"),
    Key::new("contact.target.shape", Kind::Word(&["plane", "cone", "ring"]), "-", "What the target is touched at: a plane, a conical recess or a rim", "plane, cone or ring"),
    Key::new("contact.target.cone.half_angle_deg", Kind::Number, "deg", "Half angle of the cone", "5 to 85"),
    Key::new("contact.target.cone.mouth_radius_m", Kind::Number, "m", "Radius of its mouth", POSITIVE),
    Key::new("contact.target.cone.depth_m", Kind::Number, "m", "Its depth", "above 0, less than the depth of the full cone"),
    Key::new("contact.target.cone.lip_radius_m", Kind::Number, "m", "Radius of its rounded lip", POSITIVE),
    Key::new("contact.target.ring.radius_m", Kind::Number, "m", "Radius of the circle through the middle of the rim's tube", POSITIVE),
    Key::new("contact.target.ring.tube_radius_m", Kind::Number, "m", "Radius of the tube", "above 0, less than the radius"),
    Key::new("contact.normal.law", Kind::Word(&["hertz", "hunt_crossley", "lankarani_nikravesh", "flores", "exact"]), "-", "Law of the normal force; exact delivers the restitution asked for", "hertz, hunt_crossley, lankarani_nikravesh, flores or exact"),
    Key::new("contact.normal.stiffness_n_per_m_n", Kind::Number, "N/m^n", "Stiffness of one point, n being the exponent", "1 to 1e12"),
    Key::new("contact.normal.exponent", Kind::Number, "-", "Exponent: 1.5 for a sphere, 1 for a linear spring", "1 to 3"),
    Key::new("contact.normal.restitution", Kind::Number, "-", "Restitution asked for", "0.01 to 1"),
    Key::new("contact.normal.floor_speed_m_s", Kind::Number, "m/s", "Approach speed below which the damping no longer grows", POSITIVE),
    Key::new("contact.friction.law", Kind::Word(&["none", "coulomb", "brown_mcphee"]), "-", "Law of friction", "none, coulomb or brown_mcphee"),
    Key::new("contact.friction.coefficient", Kind::Number, "-", "Coefficient of sliding friction", "0 to 10"),
    Key::new("contact.friction.static_coefficient", Kind::Number, "-", "Coefficient of static friction; brown_mcphee only", "0 to 10"),
    Key::new("contact.friction.transition_speed_m_s", Kind::Number, "m/s", "Speed below which friction fades; brown_mcphee: at which it peaks", POSITIVE),
    Key::new("contact.friction.viscous_n_s_per_m", Kind::Number, "N·s/m", "Viscous coefficient; brown_mcphee only", NOT_NEGATIVE),
    Key::new("contact.friction.transition_force_n", Kind::Number, "N", "Normal force over which the viscous part sets in; brown_mcphee only", POSITIVE),
    Key::new("contact.latch.enabled", Kind::Switch, "-", "There is a latch", FLAG),
    Key::new("contact.latch.gap_m", Kind::Number, "m", "It closes when the gap is at most this", NOT_NEGATIVE),
    Key::new("contact.latch.angle_deg", Kind::Number, "deg", "and the angle between the axes at most this", "0 to 180"),
    Key::new("contact.latch.speed_m_s", Kind::Number, "m/s", "and the relative speed at most this", NOT_NEGATIVE),
    Key::new("contact.latch.dwell_s", Kind::Number, "s", "for this long", NOT_NEGATIVE),
    Key::new("contact.latch.stiffness_n_per_m", Kind::Numbers(3), "N/m", "Stiffness of the closed latch along the end effector's axes", NOT_NEGATIVE),
    Key::new("contact.latch.stiffness_nm_per_rad", Kind::Numbers(3), "N·m/rad", "Stiffness of the closed latch about them", NOT_NEGATIVE),
    Key::new("contact.latch.damping_n_s_per_m", Kind::Numbers(3), "N·s/m", "Damping of the closed latch along them", NOT_NEGATIVE),
    Key::new("contact.latch.damping_nm_s_per_rad", Kind::Numbers(3), "N·m·s/rad", "Damping of the closed latch about them", NOT_NEGATIVE),
];

impl Settings for Scenario {
    const TABLES: &'static [&'static [Key]] = &{
        let [platform, universal, leaf, section, tendon, motor, solver] = PLATFORM_KEYS;
        [
            DOCKING_KEYS,
            platform,
            universal,
            leaf,
            section,
            tendon,
            motor,
            solver,
        ]
    };

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| {
            let key = match &error {
                DockingError::TooMuch { key, .. } | DockingError::RegulatorConflict { key, .. } => {
                    key
                }
                DockingError::Platform(error) => key_of(error),
                DockingError::NoRegulator { .. } | DockingError::NoApproach { .. } => "",
            };
            Refused {
                key: key.to_owned(),
                message: error.to_string(),
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::settings::{Resolved, SettingsArgs, SettingsError, flatten};
    use leg_core::spatial::SectionShape;
    use proptest::prelude::*;
    use softdock_platform::config::Difference;

    /// The scenario with every optional key given, so that all keys are written.
    fn complete() -> Scenario {
        let mut scenario = Scenario::default();
        let platform = &mut scenario.platform;
        platform.tendon.damping_shortening_n_s_per_m = Some(1.0);
        platform.tendon.rest_length_m = Some(0.4);
        platform.section = SectionShape::Rod { radius_m: 0.002 };
        let set = [("tendon.present".to_owned(), toml::Value::Boolean(false))];
        platform.legs.different = vec![Difference {
            leg: 1,
            set: set.into_iter().collect(),
        }];
        scenario
    }

    #[test]
    fn every_key_has_a_comment_and_every_comment_a_key() {
        let table = toml::Table::try_from(complete()).unwrap();
        let mut found: Vec<String> = flatten(&table).into_iter().map(|(key, _)| key).collect();
        let mut documented: Vec<String> = Scenario::keys().map(|k| k.name.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
    }

    #[test]
    fn every_default_fits_its_kind_and_optional_keys_are_absent() {
        let table = toml::Table::try_from(Scenario::default()).unwrap();
        let defaults = flatten(&table);
        for key in Scenario::keys() {
            let value = defaults.iter().find(|(name, _)| name == key.name);
            assert_eq!(value.is_none(), key.sample.is_some(), "{}", key.name);
            if let Some((_, value)) = value {
                assert_eq!(key.mismatch(value), None, "{}", key.name);
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
                (key.kind, bounds(key.range))
            else {
                continue;
            };
            checked += 1;
            let text = |value: f64| match key.kind {
                Kind::Count => format!("{}={value}", key.name),
                _ => format!("{}={value:?}", key.name),
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
                assert!(named && error.contains(key.name), "{}: {error}", key.range);
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
                    assert!(shared && blamed, "{}: {error}", key.range);
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
                    let key = Scenario::keys().any(|key| message.contains(key.name));
                    prop_assert!(syntax || key || message.contains("unknown key"), "{message}");
                }
            }
        }
    }
}
