//! Every key of a planar leg's configuration, in the order in which it is printed.

use super::key::{Key, Kind};
use super::shared_keys::{FLAG, HISTORY, LEAF, MOTOR, SOLVER, TENDON};
use super::{Refused, Settings};
use leg_core::LegConfig;
use leg_core::parameter as allowed;

#[rustfmt::skip]
const GEOMETRY: &[Key] = &[
    Key::of(&allowed::GRAVITY, Kind::Numbers(2), "Gravity along x and y"),
    Key::of(&allowed::LOWER_PIVOT, Kind::Numbers(2), "Lower ground pivot O, where the motor is"),
    Key::of(&allowed::UPPER_PIVOT, Kind::Numbers(2), "Upper ground pivot C"),
    Key::of(&allowed::CRANK_LENGTH, Kind::Number, "Length of the crank OA"),
    Key::of(&allowed::CRANK_MASS, Kind::Number, "Mass of the crank, a slender rod"),
    Key::of(&allowed::LINK_LENGTH, Kind::Number, "Length of the upper link CB, which stands for the end effector"),
    Key::of(&allowed::LINK_MASS, Kind::Number, "Mass of the upper link, a slender rod"),
];

#[rustfmt::skip]
const PRETENSION: &[Key] = &[
    Key::new("pretension.posture", Kind::Word(&["bowed", "straight"]), "-", "How simulations start: bowed in equilibrium, or straight and unstressed", "bowed or straight"),
    Key::of(&allowed::PRETENSION_Q1, Kind::Number, "Crank angle: held here, or where the search starts when free"),
    Key::of(&allowed::PRETENSION_Q3, Kind::Number, "Angle of the upper link: held here, or where the search starts when free"),
    Key::new("pretension.hold_q1", Kind::Switch, "-", "Holds the crank at q1", FLAG),
    Key::new("pretension.hold_q3", Kind::Switch, "-", "Holds the upper link at q3", FLAG),
    Key::of(&allowed::CHORD, Kind::Number, "Distance A to B asked for; needs a free link").optional("0.40"),
    Key::of(&allowed::TENSION, Kind::Number, "Tendon tension asked for; left out: the leaf's own thrust; with a free link, of two chords the longer").optional("60.0"),
    Key::new("pretension.side", Kind::Word(&["+x", "-x", "outward", "inward"]), "-", "Side to which the leaf bows: +x is outward, to the right of A→B", "+x or -x"),
];

#[rustfmt::skip]
const LOAD: &[Key] = &[
    Key::new("load.lock_q3", Kind::Switch, "-", "Keeps the upper link where it is", FLAG),
    Key::new("load.torque_nm", Kind::History, "N·m", "Torque on the upper link about C", HISTORY),
    Key::new("load.force_x_n", Kind::History, "N", "Force on the upper link's end B along x", HISTORY),
    Key::new("load.force_y_n", Kind::History, "N", "Force on the upper link's end B along y", HISTORY),
];

impl Settings for LegConfig {
    const TABLES: &'static [&'static [Key]] =
        &[GEOMETRY, LEAF, TENDON, PRETENSION, MOTOR, LOAD, SOLVER];

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| Refused {
            key: error.key.to_owned(),
            message: error.to_string(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::settings::flatten;

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
        let mut documented: Vec<String> = LegConfig::keys().map(|k| k.name.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
        for key in LegConfig::keys() {
            assert!(!key.meaning.is_empty() && !key.range.is_empty() && !key.unit.is_empty());
        }
    }

    #[test]
    fn every_default_fits_its_kind_and_optional_keys_are_absent() {
        let table = toml::Table::try_from(LegConfig::default()).unwrap();
        let defaults = flatten(&table);
        for key in LegConfig::keys() {
            let value = defaults
                .iter()
                .find(|(name, _)| name == key.name)
                .map(|(_, v)| v);
            assert_eq!(value.is_none(), key.sample.is_some(), "{}", key.name);
            if let Some(value) = value {
                assert_eq!(key.mismatch(value), None, "{}", key.name);
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
            if let Some((_, unit)) = suffixes.iter().find(|(end, _)| key.name.ends_with(end)) {
                assert_eq!(key.unit, *unit, "{}", key.name);
            }
        }
    }
}
