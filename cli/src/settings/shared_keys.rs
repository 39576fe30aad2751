//! Keys that legs and platform have in common.

use super::key::{Key, Kind};
use leg_core::leg::parameter as allowed;

pub(super) const POSITIVE: &str = "> 0";
pub(super) const NOT_NEGATIVE: &str = ">= 0";
pub(super) const FLAG: &str = "true or false";
pub(super) const HISTORY: &str =
    "a number, or a history { kind = step | ramp | sine | chirp | table, ... }";

/// The leaf.
#[rustfmt::skip]
pub(super) const LEAF: &[Key] = &[
    Key::of(&allowed::LEAF_LENGTH, Kind::Number, "Length of the leaf spring AB when straight"),
    Key::of(&allowed::LEAF_WIDTH, Kind::Number, "Width, normal to the plane of bending"),
    Key::of(&allowed::LEAF_THICKNESS, Kind::Number, "Thickness, in the plane of bending"),
    Key::of(&allowed::YOUNGS_MODULUS, Kind::Number, "Young's modulus"),
    Key::of(&allowed::SHEAR_MODULUS, Kind::Number, "Shear modulus"),
    Key::of(&allowed::SHEAR_FACTOR, Kind::Number, "Shear correction factor"),
    Key::of(&allowed::DENSITY, Kind::Number, "Density"),
    Key::of(&allowed::CURVATURE, Kind::Number, "Curvature of the unstressed leaf, positive to the left of A→B"),
    Key::of(&allowed::RAYLEIGH_MASS, Kind::Number, "Rayleigh damping, mass coefficient alpha: vibrations of the leaf about a leg at rest in its base decay by alpha/2"),
    Key::of(&allowed::RAYLEIGH_STIFFNESS, Kind::Number, "Rayleigh damping, stiffness coefficient beta: every section answers its strain rate with beta times its stiffness"),
    Key::of(&allowed::MODAL_DAMPING, Kind::Numbers(4), "Damping ratios of the first four modes of the bowed leaf with its ends held, on top of Rayleigh's"),
    Key::new("leaf.kind", Kind::Word(&["linear_strain", "constant_strain"]), "-", "Element: linear_strain is fourth-order accurate, constant_strain second-order", "linear_strain or constant_strain"),
];

/// The tendon.
#[rustfmt::skip]
pub(super) const TENDON: &[Key] = &[
    Key::new("tendon.present", Kind::Switch, "-", "False leaves the tendon out", FLAG),
    Key::of(&allowed::TENDON_STIFFNESS, Kind::Number, "Stiffness"),
    Key::of(&allowed::TENDON_DAMPING, Kind::Number, "Damping; while lengthening only, if damping_shortening_n_s_per_m is given"),
    Key::of(&allowed::TENDON_DAMPING_SHORTENING, Kind::Number, "Damping while shortening; left out: as while lengthening").optional("0.0"),
    Key::of(&allowed::REST_LENGTH, Kind::Number, "Rest length; left out: found by the pre-tension solve").optional("0.3788866560"),
    Key::of(&allowed::TENDON_FRICTION, Kind::Number, "Guide friction"),
    Key::of(&allowed::FRICTION_SPEED, Kind::Number, "Speed over which the friction changes sign"),
    Key::of(&allowed::SLACK_WIDTH, Kind::Number, "Half width of the rounded corner at zero tension"),
    Key::of(&allowed::RATE_WIDTH, Kind::Number, "Half width of the rounded corner between the two dampings"),
];

/// The motor.
#[rustfmt::skip]
pub(super) const MOTOR: &[Key] = &[
    Key::new("motor.mode", Kind::Word(&["torque", "locked", "angle", "hold"]), "-", "What the motor does: torque, locked, follow an angle, or hold it with a PD controller", "torque, locked, angle or hold"),
    Key::new("motor.torque_nm", Kind::History, "N·m", "Torque on the crank: in mode torque what the motor delivers (0 lets go at t = 0), in mode hold added to the controller's and, on the platform, to the torque that holds the equilibrium", HISTORY),
    Key::new("motor.angle_rad", Kind::History, "rad", "Target angle in the modes angle and hold, counted from the pre-tensioned q1", HISTORY),
    Key::of(&allowed::HOLD_STIFFNESS, Kind::Number, "Stiffness of the hold"),
    Key::of(&allowed::HOLD_DAMPING, Kind::Number, "Damping of the hold"),
    Key::of(&allowed::TORQUE_LIMIT, Kind::Number, "Limit of the torque that the motor delivers, whatever asks for it: torque_nm, the hold with the torque that holds the equilibrium, a regulator; motion that is prescribed (locked, angle) has none"),
    Key::of(&allowed::MOTOR_RANGE, Kind::Number, "Working range to either side of the pre-tensioned posture, the zero of motor.angle_rad; its use is reported, nothing stops there"),
];

/// The universal joint at A of a leg in space.
#[rustfmt::skip]
pub(super) const UNIVERSAL: &[Key] = &[
    Key::new("universal.carried_by", Kind::Word(&["crank", "base"]), "-", "What carries the first axis of the universal joint at A: the crank, or the base by a parallelogram", "crank or base"),
    Key::of(&allowed::FIRST_AXIS, Kind::Numbers(3), "First axis in the base's axes: along the crank, up, along the motor; of any length but zero"),
    Key::of(&allowed::SECOND_AXIS, Kind::Numbers(3), "Second axis in the axes of the leaf's root: along it, normal to its face, across it; of any length but zero"),
    Key::new("universal.flipped", Kind::Switch, "-", "Mounts the leaf turned by half a turn about its chord", FLAG),
    Key::new("universal.carried_moment", Kind::Word(&["normal", "upright"]), "-", "Axis of the moment it carries: normal to both axes, or upright as in a published model", "normal or upright"),
];

/// The section of a leaf in space.
#[rustfmt::skip]
pub(super) const SECTION: &[Key] = &[
    Key::new("section.kind", Kind::Word(&["leaf", "rod"]), "-", "Section: the leaf's own width and thickness, or a round rod", "leaf or rod"),
    Key::of(&allowed::SECTION_RADIUS, Kind::Number, "Radius of the rod; only with kind = \"rod\"").optional("0.002"),
];

/// Mesh and time stepping of a leg.
#[rustfmt::skip]
pub(super) const SOLVER: &[Key] = &[
    Key::of(&allowed::ELEMENTS, Kind::Count, "Elements of the leaf"),
    Key::of(&allowed::STEP, Kind::Number, "Step size; the largest step when adaptive"),
    Key::new("solver.adaptive", Kind::Switch, "-", "Adapts the step to the error", FLAG),
    Key::of(&allowed::ERROR_TOLERANCE, Kind::Number, "Allowed error of an adaptive step, relative to the leg's size or in rad"),
    Key::of(&allowed::SPECTRAL_RADIUS, Kind::Number, "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most"),
    Key::of(&allowed::NEWTON_TOLERANCE, Kind::Number, "Newton's tolerance, relative to the leg's size or in rad"),
];
