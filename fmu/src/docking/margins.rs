//! What is left of the limits of platform and contact over a docking so far: one minus the worst value
//! over its limit, negative beyond it.

use leg_core::config::MotorMode;
use softdock_docking::track::LegTrack;
use softdock_docking::{DockingRun, Scenario};

/// Names of the margins with what they are, in the order of [`margins`].
pub const MARGINS: [(&str, &str); 7] = [
    (
        "margin.motor_range",
        "Share left of the motors' working range, worst so far; 1 if they are locked",
    ),
    (
        "margin.motor_torque",
        "Share left of the motors' torque limit, worst so far; 1 if they are locked",
    ),
    (
        "margin.leaf_stress",
        "Share left of the leaves' yield strength, worst so far; 1 for struts",
    ),
    (
        "margin.leg_stroke",
        "Share left of the legs' stroke (limits.leg_stroke_m), worst so far",
    ),
    (
        "margin.universal_turn",
        "Share left of the universal joints' angle, worst so far; 1 for struts",
    ),
    (
        "margin.spherical_turn",
        "Share left of the spherical joints' angle, worst so far; 1 for struts",
    ),
    (
        "margin.contact_depth",
        "Share left until contacts are pressed in by the tip's radius, worst so far; 1 for bare points",
    ),
];

/// The margins of a run.
pub fn margins(run: &DockingRun) -> [f64; MARGINS.len()] {
    let track = run.track();
    let Scenario { platform, docking } = run.scenario();
    let worst = |value: fn(&LegTrack) -> f64| track.legs.iter().map(value).fold(0.0, f64::max);
    let left = |value: f64, limit: f64| {
        if limit > 0.0 {
            1.0 - value / limit
        } else {
            1.0
        }
    };
    let locked = platform.motor.mode == MotorMode::Locked;
    let unless_locked = |margin: f64| if locked { 1.0 } else { margin };
    let limits = &docking.limits;
    [
        unless_locked(1.0 - worst(|leg| leg.range_use)),
        unless_locked(1.0 - worst(LegTrack::torque_use)),
        1.0 - worst(|leg| leg.stress_use().unwrap_or(0.0)),
        left(worst(|leg| leg.stroke()), limits.leg_stroke_m),
        left(
            worst(|leg| leg.joint_turns.map_or(0.0, |turns| turns[0])),
            limits.universal_turn_deg.to_radians(),
        ),
        left(
            worst(|leg| leg.joint_turns.map_or(0.0, |turns| turns[1])),
            limits.spherical_turn_deg.to_radians(),
        ),
        left(track.penetration, docking.contact.effector.tip_radius_m),
    ]
}
