//! Every key of a spatial leg's configuration, in the order in which it is printed.

use super::key::{Key, Kind};
use super::shared_keys::{HISTORY, LEAF, MOTOR, SECTION, SOLVER, TENDON, UNIVERSAL};
use super::{Refused, Settings};
use crate::leg::spatial::config::SpatialSettings;
use leg_core::parameter as allowed;

#[rustfmt::skip]
const POSTURE: &[Key] = &[
    Key::of(&allowed::GRAVITY, Kind::Numbers(3), "Gravity along x, y and z"),
    Key::of(&allowed::Q1, Kind::Number, "Crank angle of the pre-tensioned posture"),
    Key::of(&allowed::TIP_POSITION, Kind::Numbers(3), "Tip B of the pre-tensioned posture, not farther from A than the leaf is long"),
    Key::new("side", Kind::Word(&["+x", "-x", "outward", "inward"]), "-", "Side to which the leaf bows: +x is outward, to the right of A→B seen along the motor's axis", "+x or -x"),
    Key::of(&allowed::MOTOR_POSITION, Kind::Numbers(3), "Centre O of the motor's axis"),
    Key::of(&allowed::CRANK_DIRECTION, Kind::Numbers(3), "Direction of the crank at q1 = 0, of any length but zero"),
    Key::of(&allowed::MOTOR_AXIS, Kind::Numbers(3), "The motor's axis, at right angles to crank_direction, of any length but zero; a positive q1 turns the crank about it"),
    Key::of(&allowed::CRANK_LENGTH, Kind::Number, "Length of the crank OA"),
    Key::of(&allowed::CRANK_MASS, Kind::Number, "Mass of the crank, a slender rod"),
];

#[rustfmt::skip]
const TIP: &[Key] = &[
    Key::new("tip.mode", Kind::Word(&["held", "loaded", "free"]), "-", "The tip: held, free under the force that held it and a load on top, or free under the load alone", "held, loaded or free"),
    Key::new("tip.motion_x_m", Kind::History, "m", "Displacement of a held tip along x; from rest, without jumps", HISTORY),
    Key::new("tip.motion_y_m", Kind::History, "m", "Displacement of a held tip along y", HISTORY),
    Key::new("tip.motion_z_m", Kind::History, "m", "Displacement of a held tip along z", HISTORY),
    Key::new("tip.force_x_n", Kind::History, "N", "Force on a loaded or free tip along x", HISTORY),
    Key::new("tip.force_y_n", Kind::History, "N", "Force on a loaded or free tip along y", HISTORY),
    Key::new("tip.force_z_n", Kind::History, "N", "Force on a loaded or free tip along z", HISTORY),
];

impl Settings for SpatialSettings {
    const TABLES: &'static [&'static [Key]] = &[
        POSTURE, UNIVERSAL, LEAF, SECTION, TENDON, MOTOR, TIP, SOLVER,
    ];

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| Refused {
            key: error.key.to_owned(),
            message: error.to_string(),
        })?;
        self.tip.objection().map_or(Ok(()), |(key, message)| {
            Err(Refused {
                key: key.to_owned(),
                message,
            })
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
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
        let table = toml::Table::try_from(complete).unwrap();
        let given = flatten(&table);
        let mut found: Vec<&str> = given.iter().map(|(key, _)| key.as_str()).collect();
        let mut documented: Vec<&str> = SpatialSettings::keys().map(|k| k.name).collect();
        found.sort_unstable();
        documented.sort_unstable();
        assert_eq!(found, documented);
        for key in SpatialSettings::keys() {
            let (_, value) = given.iter().find(|(name, _)| name == key.name).unwrap();
            assert_eq!(key.mismatch(value), None, "{}", key.name);
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
