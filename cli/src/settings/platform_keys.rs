//! Every key of a platform's configuration, in the order in which it is printed.

use super::key::{Key, Kind};
use super::{Refused, Settings};
use softdock_platform::{PlatformConfig, PlatformError};

const POSITIVE: &str = "> 0";
const NOT_NEGATIVE: &str = ">= 0";
const ANY: &str = "any finite number";
const FLAG: &str = "true or false";
const HISTORY: &str = "a number, or a history { kind = step | ramp | sine | chirp | table, ... }";

/// The keys of [`PlatformConfig`].
#[rustfmt::skip]
pub const PLATFORM_KEYS: &[Key] = &[
    Key::new("gravity_m_s2", Kind::Numbers(3), "m/s²", "Gravity along x, y and z (z from the base to the target)", "-1000 to 1000"),
    Key::new("coupling", Kind::Word(&["monolithic", "implicit", "explicit"]), "-", "How legs and end effector are coupled: one system, or co-simulation", "monolithic, implicit or explicit"),
    Key::new("base.free_floating", Kind::Switch, "-", "The base floats freely; otherwise it is fixed", FLAG),
    Key::new("base.mass_kg", Kind::Number, "kg", "Mass of the chaser without legs and end effector", "0.001 to 1e9"),
    Key::new("base.centre_of_mass_m", Kind::Numbers(3), "m", "Centre of mass from the centre of the motors' circle", "-100 to 100"),
    Key::new("base.inertia_kg_m2", Kind::Numbers(3), "kg·m²", "Moments of inertia about the centre of mass", "1e-9 to 1e15, none above the sum of the other two"),
    Key::new("end_effector.position_m", Kind::Numbers(3), "m", "Centre in the nominal pose, at which the legs are pre-tensioned", "-10 to 10"),
    Key::new("end_effector.rpy_rad", Kind::Numbers(3), "rad", "Roll, pitch and yaw there, R = Rz(yaw) Ry(pitch) Rx(roll)", "-10 to 10"),
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
    Key::new("crank.length_m", Kind::Number, "m", "Length of the crank OA", "0.001 to 10"),
    Key::new("crank.mass_kg", Kind::Number, "kg", "Mass of the crank, a slender rod", "1e-6 to 1e6"),
    Key::new("universal.carried_by", Kind::Word(&["crank", "base"]), "-", "What carries the first axis of the universal joint at A: the crank, or the base by a parallelogram", "crank or base"),
    Key::new("universal.first_axis", Kind::Numbers(3), "-", "First axis in the base's axes: along the crank, up, along the motor", "a direction, not zero"),
    Key::new("universal.second_axis", Kind::Numbers(3), "-", "Second axis in the axes of the leaf's root: along it, normal to its face, across it", "a direction, not zero"),
    Key::new("universal.flipped", Kind::Switch, "-", "Mounts the leaf turned by half a turn about its chord", FLAG),
    Key::new("universal.carried_moment", Kind::Word(&["normal", "upright"]), "-", "Axis of the moment it carries: normal to both axes, or upright as in a published model", "normal or upright"),
    Key::new("leaf.length_m", Kind::Number, "m", "Length of the leaf spring AB when straight", "0.01 to 100"),
    Key::new("leaf.width_m", Kind::Number, "m", "Width, normal to the plane of bending", "1e-5 to 10"),
    Key::new("leaf.thickness_m", Kind::Number, "m", "Thickness, in the plane of bending", "1e-5 to 1"),
    Key::new("leaf.youngs_modulus_pa", Kind::Number, "Pa", "Young's modulus", "1e5 to 1e13"),
    Key::new("leaf.shear_modulus_pa", Kind::Number, "Pa", "Shear modulus", "1e5 to 1e13"),
    Key::new("leaf.shear_factor", Kind::Number, "-", "Shear correction factor", POSITIVE),
    Key::new("leaf.density_kg_m3", Kind::Number, "kg/m³", "Density", "0.1 to 1e6"),
    Key::new("leaf.curvature_per_m", Kind::Number, "1/m", "Curvature of the unstressed leaf, positive to the left of A→B", ANY),
    Key::new("leaf.rayleigh_mass_per_s", Kind::Number, "1/s", "Rayleigh damping, mass coefficient", NOT_NEGATIVE),
    Key::new("leaf.rayleigh_stiffness_s", Kind::Number, "s", "Rayleigh damping, stiffness coefficient", NOT_NEGATIVE),
    Key::new("leaf.kind", Kind::Word(&["linear_strain", "constant_strain"]), "-", "Element: linear_strain is fourth-order accurate, constant_strain second-order", "linear_strain or constant_strain"),
    Key::new("section.kind", Kind::Word(&["leaf", "rod"]), "-", "Section: the leaf's own width and thickness, or a round rod", "leaf or rod"),
    Key::new("section.radius_m", Kind::Number, "m", "Radius of the rod; only with kind = \"rod\"", POSITIVE).optional("0.002"),
    Key::new("tendon.present", Kind::Switch, "-", "False leaves the tendons out", FLAG),
    Key::new("tendon.stiffness_n_per_m", Kind::Number, "N/m", "Stiffness", POSITIVE),
    Key::new("tendon.damping_n_s_per_m", Kind::Number, "N·s/m", "Damping; while lengthening only, if damping_shortening_n_s_per_m is given", NOT_NEGATIVE),
    Key::new("tendon.damping_shortening_n_s_per_m", Kind::Number, "N·s/m", "Damping while shortening; left out: as while lengthening", NOT_NEGATIVE).optional("0.0"),
    Key::new("tendon.rest_length_m", Kind::Number, "m", "Rest length; left out: found by the pre-tension solve", NOT_NEGATIVE).optional("0.383"),
    Key::new("tendon.friction_n", Kind::Number, "N", "Guide friction", NOT_NEGATIVE),
    Key::new("tendon.friction_speed_m_per_s", Kind::Number, "m/s", "Speed over which the friction changes sign", POSITIVE),
    Key::new("tendon.slack_width_n", Kind::Number, "N", "Half width of the rounded corner at zero tension", POSITIVE),
    Key::new("tendon.rate_width_m_per_s", Kind::Number, "m/s", "Half width of the rounded corner between the two dampings", POSITIVE),
    Key::new("motor.mode", Kind::Word(&["torque", "locked", "angle", "hold"]), "-", "What the motors do: torque, locked, follow an angle, or hold it with a PD controller", "torque, locked, angle or hold"),
    Key::new("motor.torque_nm", Kind::History, "N·m", "Torque added to the one that holds the crank, in the modes torque and hold", HISTORY),
    Key::new("motor.angle_rad", Kind::History, "rad", "Target angle in the modes angle and hold, counted from where the crank starts", HISTORY),
    Key::new("motor.hold_stiffness_nm_per_rad", Kind::Number, "N·m/rad", "Stiffness of the hold", NOT_NEGATIVE),
    Key::new("motor.hold_damping_nm_s_per_rad", Kind::Number, "N·m·s/rad", "Damping of the hold", NOT_NEGATIVE),
    Key::new("motor.torque_limit_nm", Kind::Number, "N·m", "Torque limit of the hold and of the controllers", POSITIVE),
    Key::new("motor.range_rad", Kind::Number, "rad", "Working range to either side; reported, not enforced", POSITIVE),
    Key::new("solver.step_s", Kind::Number, "s", "Step size of legs and bodies; contact makes it smaller where needed", "above 0, up to 1"),
    Key::new("solver.spectral_radius", Kind::Number, "-", "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most", "0 to 1"),
    Key::new("solver.newton_tolerance", Kind::Number, "-", "Newton's tolerance, relative to the leg's size or in rad", "above 0, below 0.001"),
    Key::new("solver.macro_step_s", Kind::Number, "s", "Macro step of co-simulation", POSITIVE),
    Key::new("solver.interface_tolerance_m", Kind::Number, "m", "Interface iterations stop below this change of the joints", POSITIVE),
    Key::new("solver.extrapolation_order", Kind::Count, "-", "Order of extrapolation in explicit co-simulation", "0, 1 or 2"),
    Key::new("solver.threads", Kind::Count, "-", "Threads inside one run; 0 takes all cores. Results do not depend on it", "0 to 1024"),
];

/// What a platform's own check refuses.
pub(super) fn refused(error: &PlatformError) -> Refused {
    let key = match error {
        PlatformError::Config(config) => config.key,
        PlatformError::TooMuch { key, .. } => key,
        PlatformError::Difference { .. } | PlatformError::NoSuchLeg { .. } => "legs.different",
        PlatformError::Leg {
            cause: leg_core::leg::LegError::Config(config),
            ..
        } => config.key,
        _ => "",
    };
    Refused {
        key: key.to_owned(),
        message: error.to_string(),
    }
}

impl Settings for PlatformConfig {
    const TABLES: &'static [&'static [Key]] = &[PLATFORM_KEYS];

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| refused(&error))
    }
}
