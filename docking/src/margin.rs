//! Limits that every platform has: what is left until them is always reported.
//!
//! A limit is a row of [`limits`]: a name, a figure, a bound, and the key that sets it. They are
//! judged like requirements, but decide nothing: a stop that is reached is physics, not a failure.

use crate::config::{Limits, Scenario};
use crate::figures::Figure;
use crate::requirement::Requirement;
use crate::summary::Summary;
use crate::track::{LegLimits, SLACK_TENSION};
use leg_core::config::{Leaf, Motor, MotorMode, Tendon};
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
    // Where legs differ in a limit, each is held to its own: what counts is the part of it that is used.
    let legs = LegLimits::of_legs(platform).unwrap_or_default();
    let shared = |limit: fn(&LegLimits) -> f64| {
        let first = limit(legs.first()?);
        legs.iter().all(|leg| limit(leg) == first).then_some(first)
    };
    if matches!(platform.motor.mode, MotorMode::Torque | MotorMode::Hold) {
        let (name, source) = ("motor torque", Motor::torque_limit_nm.key);
        out.push(match shared(|leg| leg.torque) {
            Some(limit) => most(&Summary::peak_motor_torque_nm, name, limit, source),
            None => most(&Summary::max_motor_torque_use, name, 1.0, source),
        });
    }
    // Legs that solve their own steps do not tell their stress.
    if platform.coupling == Coupling::Monolithic {
        let (name, source) = ("leaf stress", Leaf::yield_strength_pa.key);
        out.push(match shared(|leg| leg.yield_strength) {
            Some(limit) => most(&Summary::peak_leaf_stress_pa, name, limit, source),
            None => most(&Summary::max_leaf_stress_use, name, 1.0, source),
        });
    }
    let stroke = docking.limits.leg_stroke_m;
    let figure = &Summary::max_leg_stroke_m;
    out.push(most(figure, "leg stroke", stroke, Limits::leg_stroke_m.key));
    if legs.iter().any(|leg| leg.stroke.is_some()) {
        let (figure, source) = (&Summary::max_tendon_stroke_use, Tendon::stroke_m.key);
        out.push(most(figure, "tendon stroke", 1.0, source));
    }
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

    /// Legs that differ are held to their own limits: what a leg of weaker material or of a shorter stroke
    /// has left decides.
    #[test]
    fn every_leg_is_held_to_its_own_limits() {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 3;
        scenario.docking.duration_s = 0.15;
        let of_leg =
            "leg = 2\nset = { \"leaf.yield_strength_pa\" = 3e8, \"tendon.stroke_m\" = 1e-3 }";
        scenario.platform.legs.different = vec![toml::from_str(of_leg).unwrap()];
        let mut run = crate::DockingRun::new(&scenario, true).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        let lengths = run.samples().iter().map(|s| s.legs[1].view.tendon_length);
        let start = run.samples()[0].legs[1].view.tendon_length;
        let way = lengths.map(|l| (l - start).abs()).fold(0.0, f64::max);
        let used = summary.max_tendon_stroke_use.unwrap();
        assert!((used / (way / 1e-3) - 1.0).abs() < 1e-2, "{used} {way}");
        let stress = summary.max_leaf_stress_use.unwrap();
        // 393 MPa at rest, of 300 MPa, three elements being 0.5 % off.
        assert!(stress > 1.29, "{stress}");
        let margins = &summary.margins.0;
        let of = |name: &str| margins.iter().find(|margin| margin.name == name).unwrap();
        assert!(!of("leaf stress").met && of("leg stroke").met);
        assert_eq!(of("tendon stroke").met, used <= 1.0);
    }
}
