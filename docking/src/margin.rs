//! Limits that every platform has: what is left until them is always reported.
//!
//! A limit is a row of [`limits`]: a name, a figure, a bound, and the key that sets it. They are
//! judged like requirements, but decide nothing: a stop that is reached is physics, not a failure.

use crate::config::{Limits, Scenario};
use crate::figures::Figure;
use crate::requirement::Requirement;
use crate::summary::Summary;
use crate::track::SLACK_TENSION;
use leg_core::config::{Leaf, Motor, MotorMode};
use softdock_platform::config::{Coupling, Fidelity};
use softdock_platform::contact::EffectorConfig;

/// A limit above which, or with `min` below which, a figure should not come.
fn row(name: &str, figure: &str, [min, max]: [Option<f64>; 2], source: &str) -> Requirement {
    Requirement {
        name: name.to_owned(),
        figure: figure.to_owned(),
        min,
        max,
        word: None,
        source: Some(source.to_owned()),
    }
}

/// The limits of a scenario that play a part in it.
pub fn limits(scenario: &Scenario) -> Vec<Requirement> {
    let most = |figure: &Figure, name: &str, limit: f64, source: &str| {
        row(name, figure.key, [None, Some(limit)], source)
    };
    let (docking, platform) = (&scenario.docking, &scenario.platform);
    let mut out = Vec::new();
    if platform.motor.mode != MotorMode::Locked {
        let figure = &Summary::max_motor_range_use;
        out.push(most(figure, "motor range", 1.0, Motor::range_rad.key));
    }
    if matches!(platform.motor.mode, MotorMode::Torque | MotorMode::Hold) {
        let limit = platform.motor.torque_limit_nm;
        let figure = &Summary::peak_motor_torque_nm;
        out.push(most(
            figure,
            "motor torque",
            limit,
            Motor::torque_limit_nm.key,
        ));
    }
    // Legs that solve their own steps do not tell their stress.
    if platform.coupling == Coupling::Monolithic {
        let limit = platform.leaf.yield_strength_pa;
        let figure = &Summary::peak_leaf_stress_pa;
        let source = Leaf::yield_strength_pa.key;
        out.push(most(figure, "leaf stress", limit, source));
    }
    let stroke = docking.limits.leg_stroke_m;
    let figure = &Summary::max_leg_stroke_m;
    out.push(most(figure, "leg stroke", stroke, Limits::leg_stroke_m.key));
    // Only legs with a leaf tell the angles of their joints.
    if platform.coupling == Coupling::Monolithic && platform.legs.fidelity == Fidelity::Full {
        let limits = &docking.limits;
        let rows = [
            (
                &Summary::max_universal_turn_rad,
                "universal joint",
                limits.universal_turn_deg,
                Limits::universal_turn_deg.key,
            ),
            (
                &Summary::max_spherical_turn_rad,
                "spherical joint",
                limits.spherical_turn_deg,
                Limits::spherical_turn_deg.key,
            ),
        ];
        for (figure, name, limit, source) in rows {
            out.push(most(figure, name, limit.to_radians(), source));
        }
    }
    if platform.tendon.present {
        let source = "tension below which a tendon counts as slack";
        let least = [Some(SLACK_TENSION), None];
        out.push(row("tendon slack", "tendon_tension_min_n", least, source));
    }
    let radius = docking.contact.effector.tip_radius_m;
    let source = EffectorConfig::tip_radius_m.key;
    let figure = &Summary::max_penetration_m;
    out.push(most(figure, "contact depth", radius, source));
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::requirement::validate;

    /// Limits are judged like requirements, so their figures and bounds must be valid ones.
    #[test]
    fn every_limit_can_be_judged_whatever_the_motors_do() {
        for mode in [MotorMode::Locked, MotorMode::Hold, MotorMode::Torque] {
            let mut scenario = Scenario::default();
            scenario.platform.motor.mode = mode;
            let limits = limits(&scenario);
            validate(&limits).unwrap();
            let turns = limits.iter().any(|limit| limit.name == "motor range");
            assert_eq!(turns, mode != MotorMode::Locked);
        }
    }
}
