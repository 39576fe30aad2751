//! Keys that legs and platform have in common.

use super::key::{Key, Kind};

pub(super) const POSITIVE: &str = "> 0";
pub(super) const NOT_NEGATIVE: &str = ">= 0";
pub(super) const ANY: &str = "any finite number";
pub(super) const FLAG: &str = "true or false";
pub(super) const HISTORY: &str =
    "a number, or a history { kind = step | ramp | sine | chirp | table, ... }";

/// The leaf.
#[rustfmt::skip]
pub(super) const LEAF: &[Key] = &[
    Key::new("leaf.length_m", Kind::Number, "m", "Length of the leaf spring AB when straight", "0.001 to 100"),
    Key::new("leaf.width_m", Kind::Number, "m", "Width, normal to the plane of bending", "1e-6 to 10"),
    Key::new("leaf.thickness_m", Kind::Number, "m", "Thickness, in the plane of bending", "1e-6 to 1"),
    Key::new("leaf.youngs_modulus_pa", Kind::Number, "Pa", "Young's modulus", "1e3 to 1e13"),
    Key::new("leaf.shear_modulus_pa", Kind::Number, "Pa", "Shear modulus", "1e3 to 1e13"),
    Key::new("leaf.shear_factor", Kind::Number, "-", "Shear correction factor", POSITIVE),
    Key::new("leaf.density_kg_m3", Kind::Number, "kg/m³", "Density", "0.001 to 1e6"),
    Key::new("leaf.curvature_per_m", Kind::Number, "1/m", "Curvature of the unstressed leaf, positive to the left of A→B", ANY),
    Key::new("leaf.rayleigh_mass_per_s", Kind::Number, "1/s", "Rayleigh damping, mass coefficient alpha: vibrations of the leaf about a leg at rest in its base decay by alpha/2", NOT_NEGATIVE),
    Key::new("leaf.rayleigh_stiffness_s", Kind::Number, "s", "Rayleigh damping, stiffness coefficient beta: every section answers its strain rate with beta times its stiffness", NOT_NEGATIVE),
    Key::new("leaf.modal_damping_ratios", Kind::Numbers(4), "-", "Damping ratios of the first four modes of the bowed leaf with its ends held, on top of Rayleigh's", "0 to 0.999 each"),
    Key::new("leaf.kind", Kind::Word(&["linear_strain", "constant_strain"]), "-", "Element: linear_strain is fourth-order accurate, constant_strain second-order", "linear_strain or constant_strain"),
];

/// The tendon.
#[rustfmt::skip]
pub(super) const TENDON: &[Key] = &[
    Key::new("tendon.present", Kind::Switch, "-", "False leaves the tendon out", FLAG),
    Key::new("tendon.stiffness_n_per_m", Kind::Number, "N/m", "Stiffness", POSITIVE),
    Key::new("tendon.damping_n_s_per_m", Kind::Number, "N·s/m", "Damping; while lengthening only, if damping_shortening_n_s_per_m is given", NOT_NEGATIVE),
    Key::new("tendon.damping_shortening_n_s_per_m", Kind::Number, "N·s/m", "Damping while shortening; left out: as while lengthening", NOT_NEGATIVE).optional("0.0"),
    Key::new("tendon.rest_length_m", Kind::Number, "m", "Rest length; left out: found by the pre-tension solve", NOT_NEGATIVE).optional("0.3788866560"),
    Key::new("tendon.friction_n", Kind::Number, "N", "Guide friction", NOT_NEGATIVE),
    Key::new("tendon.friction_speed_m_per_s", Kind::Number, "m/s", "Speed over which the friction changes sign", POSITIVE),
    Key::new("tendon.slack_width_n", Kind::Number, "N", "Half width of the rounded corner at zero tension", POSITIVE),
    Key::new("tendon.rate_width_m_per_s", Kind::Number, "m/s", "Half width of the rounded corner between the two dampings", POSITIVE),
];

/// The motor.
#[rustfmt::skip]
pub(super) const MOTOR: &[Key] = &[
    Key::new("motor.mode", Kind::Word(&["torque", "locked", "angle", "hold"]), "-", "What the motor does: torque, locked, follow an angle, or hold it with a PD controller", "torque, locked, angle or hold"),
    Key::new("motor.torque_nm", Kind::History, "N·m", "Torque on the crank: in mode torque what the motor delivers (0 lets go at t = 0), in mode hold added to the controller's and, on the platform, to the torque that holds the equilibrium", HISTORY),
    Key::new("motor.angle_rad", Kind::History, "rad", "Target angle in the modes angle and hold, counted from the pre-tensioned q1", HISTORY),
    Key::new("motor.hold_stiffness_nm_per_rad", Kind::Number, "N·m/rad", "Stiffness of the hold", NOT_NEGATIVE),
    Key::new("motor.hold_damping_nm_s_per_rad", Kind::Number, "N·m·s/rad", "Damping of the hold", NOT_NEGATIVE),
    Key::new("motor.torque_limit_nm", Kind::Number, "N·m", "Limit of the torque that the motor delivers, whatever asks for it: torque_nm, the hold with the torque that holds the equilibrium, a regulator; motion that is prescribed (locked, angle) has none", POSITIVE),
    Key::new("motor.range_rad", Kind::Number, "rad", "Working range to either side; reported, not enforced", POSITIVE),
];

/// The universal joint at A of a leg in space.
#[rustfmt::skip]
pub(super) const UNIVERSAL: &[Key] = &[
    Key::new("universal.carried_by", Kind::Word(&["crank", "base"]), "-", "What carries the first axis of the universal joint at A: the crank, or the base by a parallelogram", "crank or base"),
    Key::new("universal.first_axis", Kind::Numbers(3), "-", "First axis in the base's axes: along the crank, up, along the motor", "a direction, not zero"),
    Key::new("universal.second_axis", Kind::Numbers(3), "-", "Second axis in the axes of the leaf's root: along it, normal to its face, across it", "a direction, not zero"),
    Key::new("universal.flipped", Kind::Switch, "-", "Mounts the leaf turned by half a turn about its chord", FLAG),
    Key::new("universal.carried_moment", Kind::Word(&["normal", "upright"]), "-", "Axis of the moment it carries: normal to both axes, or upright as in a published model", "normal or upright"),
];

/// The section of a leaf in space.
#[rustfmt::skip]
pub(super) const SECTION: &[Key] = &[
    Key::new("section.kind", Kind::Word(&["leaf", "rod"]), "-", "Section: the leaf's own width and thickness, or a round rod", "leaf or rod"),
    Key::new("section.radius_m", Kind::Number, "m", "Radius of the rod; only with kind = \"rod\"", POSITIVE).optional("0.002"),
];

/// Mesh and time stepping of a leg.
#[rustfmt::skip]
pub(super) const SOLVER: &[Key] = &[
    Key::new("solver.elements", Kind::Count, "-", "Elements of the leaf", "2 to 2000"),
    Key::new("solver.step_s", Kind::Number, "s", "Step size; the largest step when adaptive", "above 0, up to 1"),
    Key::new("solver.adaptive", Kind::Switch, "-", "Adapts the step to the error", FLAG),
    Key::new("solver.error_tolerance", Kind::Number, "-", "Allowed error of an adaptive step, relative to the leg's size or in rad", POSITIVE),
    Key::new("solver.spectral_radius", Kind::Number, "-", "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most", "0 to 1"),
    Key::new("solver.newton_tolerance", Kind::Number, "-", "Newton's tolerance, relative to the leg's size or in rad", "above 0, below 0.001"),
];
