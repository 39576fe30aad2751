//! Every key of a platform's configuration, in the order in which it is printed.

use super::key::{Key, Kind};
use super::shared_keys::{FLAG, HISTORY, MOTOR, POSITIVE, SECTION, TENDON, UNIVERSAL};
use super::{Refused, Settings};
use leg_core::leg::LegError;
use leg_core::leg::parameter as allowed;
use softdock_platform::parameter as narrower;
use softdock_platform::{PlatformConfig, PlatformError};

#[rustfmt::skip]
const PLATFORM: &[Key] = &[
    Key::of(&allowed::GRAVITY, Kind::Numbers(3), "Gravity along x, y and z (z from the base to the target)"),
    Key::new("coupling", Kind::Word(&["monolithic", "implicit", "explicit"]), "-", "How legs and end effector are coupled: one system, or co-simulation", "monolithic, implicit or explicit"),
    Key::new("base.free_floating", Kind::Switch, "-", "The base floats freely; otherwise it is fixed", FLAG),
    Key::new("base.mass_kg", Kind::Number, "kg", "Mass of the chaser without legs and end effector", "0.001 to 1e9"),
    Key::new("base.centre_of_mass_m", Kind::Numbers(3), "m", "Centre of mass from the centre of the motors' circle", "-100 to 100"),
    Key::new("base.inertia_kg_m2", Kind::Numbers(3), "kg·m²", "Moments of inertia about the centre of mass", "1e-9 to 1e15, none above the sum of the other two"),
    Key::new("end_effector.position_m", Kind::Numbers(3), "m", "Centre in the nominal pose, at which the legs are pre-tensioned", "-10 to 10"),
    Key::new("end_effector.attitude_rad", Kind::Numbers(3), "rad", "Pitch (about x), yaw (about y) and roll (about z) there, R = Rz(roll) Ry(yaw) Rx(pitch)", "-10 to 10"),
    Key::new("end_effector.mass_kg", Kind::Number, "kg", "Mass", "0.001 to 1e9"),
    Key::new("end_effector.inertia_kg_m2", Kind::Numbers(3), "kg·m²", "Moments of inertia about the centre", "1e-9 to 1e15, none above the sum of the other two"),
    Key::new("end_effector.feels_gravity", Kind::Switch, "-", "Gravity acts on it; false leaves its weight to the wrench of the user", FLAG),
    Key::new("legs.elements", Kind::Count, "-", "Elements of each leaf", "2 to 200"),
    Key::new("legs.motor_radius_m", Kind::Number, "m", "Radius of the circle of motors", "0.001 to 10"),
    Key::new("legs.motor_azimuth_deg", Kind::List, "deg", "Azimuths of the motors; as many as legs", "3 to 24 numbers, each -360 to 360"),
    Key::new("legs.crank_azimuth_deg", Kind::List, "deg", "Azimuths to which the cranks point at zero; empty: radially outward", "empty, or one per leg, each -360 to 360"),
    Key::new("legs.sphere_radius_m", Kind::Number, "m", "Radius of the circle of spherical joints on the end effector", "0.001 to 10"),
    Key::new("legs.sphere_azimuth_deg", Kind::List, "deg", "Azimuths of the spherical joints", "one per leg, each -360 to 360"),
    Key::new("legs.q1_rad", Kind::List, "rad", "Crank angles of the nominal pose; empty: zero", "empty, or one per leg, each -10 to 10"),
    Key::new("legs.side", Kind::Word(&["+x", "-x", "outward", "inward"]), "-", "Side to which the leaves bow: +x is outward", "+x or -x"),
    Key::new("legs.different", Kind::Tables, "-", "Legs that differ from the others: their number and keys of theirs", "tables { leg = 1, set = { \"tendon.stiffness_n_per_m\" = 1500.0 } }").optional("[{ leg = 1, set = { \"tendon.stiffness_n_per_m\" = 1500.0 } }]"),
    Key::of(&narrower::CRANK_LENGTH, Kind::Number, "Length of the crank OA"),
    Key::of(&allowed::CRANK_MASS, Kind::Number, "Mass of the crank, a slender rod"),
];

#[rustfmt::skip]
const PLATFORM_LEAF: &[Key] = &[
    Key::of(&narrower::LEAF_LENGTH, Kind::Number, "Length of the leaf spring AB when straight"),
    Key::of(&narrower::LEAF_WIDTH, Kind::Number, "Width, normal to the plane of bending"),
    Key::of(&narrower::LEAF_THICKNESS, Kind::Number, "Thickness, in the plane of bending"),
    Key::of(&narrower::YOUNGS_MODULUS, Kind::Number, "Young's modulus"),
    Key::of(&narrower::SHEAR_MODULUS, Kind::Number, "Shear modulus"),
    Key::of(&allowed::SHEAR_FACTOR, Kind::Number, "Shear correction factor"),
    Key::of(&narrower::DENSITY, Kind::Number, "Density"),
    Key::of(&allowed::CURVATURE, Kind::Number, "Curvature of the unstressed leaf, positive to the left of A→B"),
    Key::of(&allowed::RAYLEIGH_MASS, Kind::Number, "Rayleigh damping, mass coefficient alpha: vibrations of the leaf about a leg at rest in its base decay by alpha/2"),
    Key::of(&allowed::RAYLEIGH_STIFFNESS, Kind::Number, "Rayleigh damping, stiffness coefficient beta: every section answers its strain rate with beta times its stiffness"),
    Key::of(&allowed::MODAL_DAMPING, Kind::Numbers(4), "Damping ratios of the first four modes of the bowed leaf with its ends held, on top of Rayleigh's"),
    Key::new("leaf.kind", Kind::Word(&["linear_strain", "constant_strain"]), "-", "Element: linear_strain is fourth-order accurate, constant_strain second-order", "linear_strain or constant_strain"),
];

#[rustfmt::skip]
const WRENCH_AND_SOLVER: &[Key] = &[
    Key::new("wrench.force_x_n", Kind::History, "N", "Force on the end effector's centre along x in simulations", HISTORY),
    Key::new("wrench.force_y_n", Kind::History, "N", "Force along y", HISTORY),
    Key::new("wrench.force_z_n", Kind::History, "N", "Force along z", HISTORY),
    Key::new("wrench.moment_x_nm", Kind::History, "N·m", "Moment about x", HISTORY),
    Key::new("wrench.moment_y_nm", Kind::History, "N·m", "Moment about y", HISTORY),
    Key::new("wrench.moment_z_nm", Kind::History, "N·m", "Moment about z", HISTORY),
    Key::of(&allowed::STEP, Kind::Number, "Step size of legs and bodies; contact makes it smaller where needed"),
    Key::of(&allowed::SPECTRAL_RADIUS, Kind::Number, "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most"),
    Key::of(&allowed::NEWTON_TOLERANCE, Kind::Number, "Newton's tolerance, relative to the leg's size or in rad"),
    Key::new("solver.macro_step_s", Kind::Number, "s", "Macro step of co-simulation", POSITIVE),
    Key::new("solver.interface_tolerance_m", Kind::Number, "m", "Interface iterations stop below this change of the joints", POSITIVE),
    Key::new("solver.extrapolation_order", Kind::Count, "-", "Order of extrapolation in explicit co-simulation", "0, 1 or 2"),
    Key::new("solver.threads", Kind::Count, "-", "Threads inside one run; 0 takes all cores", "0 to 1024"),
];

/// The keys of [`PlatformConfig`].
pub const PLATFORM_KEYS: [&[Key]; 7] = [
    PLATFORM,
    UNIVERSAL,
    PLATFORM_LEAF,
    SECTION,
    TENDON,
    MOTOR,
    WRENCH_AND_SOLVER,
];

impl Settings for PlatformConfig {
    const TABLES: &'static [&'static [Key]] = &PLATFORM_KEYS;

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| refused(&error))
    }
}

/// What a platform's own check refuses.
pub(super) fn refused(error: &PlatformError) -> Refused {
    Refused {
        key: key_of(error).to_owned(),
        message: error.to_string(),
    }
}

/// The key that a complaint is about.
fn key_of(error: &PlatformError) -> &str {
    match error {
        PlatformError::Config(error) => error.key,
        PlatformError::TooMuch { key, .. } | PlatformError::RegulatorConflict { key, .. } => key,
        PlatformError::Leg {
            cause: LegError::Config(error),
            ..
        } => match error.key {
            "solver.elements" => "legs.elements",
            "q1_rad" => "legs.q1_rad",
            key => key,
        },
        PlatformError::Difference { .. } | PlatformError::NoSuchLeg { .. } => "legs.different",
        _ => "",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::settings::{Resolved, SettingsArgs, flatten};
    use leg_core::leg::spatial::SectionShape;
    use softdock_platform::config::Difference;

    /// The configuration with every optional key given, so that all keys are written.
    fn complete() -> PlatformConfig {
        let mut config = PlatformConfig {
            section: SectionShape::Rod { radius_m: 0.002 },
            ..PlatformConfig::default()
        };
        config.tendon.damping_shortening_n_s_per_m = Some(1.0);
        config.tendon.rest_length_m = Some(0.4);
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
            PlatformConfig::keys().map(|k| k.name.to_owned()).collect();
        found.sort();
        documented.sort();
        assert_eq!(found, documented);
        for key in PlatformConfig::keys() {
            let value = flatten(&table)
                .into_iter()
                .find(|(name, _)| name == key.name);
            assert_eq!(key.mismatch(&value.unwrap().1), None, "{}", key.name);
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
