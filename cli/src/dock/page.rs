//! The report of a docking.

use super::execute::{Circumstances, Finished};
use super::{requirements, scene};
use leg_core::config::MotorMode;
use multibody::group::{Group, Se3};
use multibody::math;
use serde_json::{Value, json};
use softdock_docking::capture::shares;
use softdock_docking::convergence::FigureError;
use softdock_docking::{EnergySample, EnergySummary, LegSample, Sample, Summary, story};
use softdock_figures::Figures;
use softdock_platform::attitude::Attitude;
use softdock_platform::config::PlatformConfig;
use softdock_platform::contact::PointForce;
use softdock_platform::motor_range::MotorRange;
use softdock_report::{DockingRun, DockingSeries, Figure};

/// What was asked for, in a sentence or two.
pub fn lead(finished: &Finished) -> String {
    let scenario = finished.run.scenario();
    let docking = &scenario.docking;
    let wrong = &docking.misalignment;
    let angles = [
        ("pitch", wrong.pitch_deg),
        ("yaw", wrong.yaw_deg),
        ("roll", wrong.roll_deg),
    ];
    let mut parts: Vec<String> = angles
        .iter()
        .filter(|(_, value)| *value != 0.0)
        .map(|(name, value)| format!("turned by {value}° of {name}"))
        .collect();
    let offset = math::hypot(wrong.lateral_x_m, wrong.lateral_y_m);
    if offset != 0.0 {
        let millimetres = (1e4 * offset).round() / 10.0;
        parts.push(format!("{millimetres} mm beside the axis"));
    }
    if parts.is_empty() {
        parts.push("perfectly aligned".to_owned());
    }
    let base = if scenario.platform.base.free_floating {
        let mass = scenario.platform.base.mass_kg;
        format!("The chaser of {mass} kg floats freely, too.")
    } else {
        "The base is fixed.".to_owned()
    };
    let coupled = finished.coupling().map_or_else(String::new, |coupling| {
        format!(" Co-simulation: {coupling}.")
    });
    format!(
        "A free-floating target of {} kg comes at {} m/s, {}, and meets the end effector on its \
         {} flexible legs. {base}{coupled}",
        docking.target.mass_kg,
        docking.closing_speed_m_s,
        parts.join(", ").replace(", turned by", ","),
        scenario.platform.leg_count(),
    )
}

/// A run for the report.
pub fn run(name: &str, finished: &Finished, config_text: &str) -> DockingRun {
    let samples = finished.run.samples();
    DockingRun {
        name: name.to_owned(),
        story: story::whole(finished.run.scenario(), &finished.figures),
        requirements: requirements::rows(&finished.figures.requirements),
        margins: requirements::rows(&finished.figures.margins),
        limits: requirements::chart_limits(&finished.run.scenario().docking.requirement),
        incomplete: finished.incomplete(),
        doubts: doubts(&finished.figures),
        headlines: headlines(&finished.figures),
        figures: figures(finished),
        series: series(finished, samples),
        scene: Some(scene::scene(
            finished.run.scenario(),
            &finished.figures,
            samples,
        )),
        config_text: config_text.to_owned(),
        files: files(finished),
    }
}

/// The figures on top: those of every docking, and of panels if the target has some.
fn headlines(figures: &Summary) -> Vec<Figure> {
    let mut out = figures.headlines();
    let panels = [
        &Summary::max_panel_deflection_m,
        &Summary::max_panel_root_moment_nm,
    ];
    let there = panels
        .into_iter()
        .filter(|figure| figure.number(figures).is_some());
    out.extend(there.map(|figure| figure.shown(figures)));
    out
}

/// Why the figures are not to be believed.
fn doubts(figures: &Summary) -> Vec<String> {
    let reasons = figures.soundness.reasons().iter();
    reasons.map(ToString::to_string).collect()
}

/// All figures, then what only the program knows.
fn figures(finished: &Finished) -> Vec<Figure> {
    let Circumstances {
        wall_s,
        coupling,
        legs,
        version,
        error,
    } = &finished.circumstances;
    let word = |key: &str, value: Value| {
        let text = value.as_str().unwrap_or("–").to_owned();
        Figure::text(key, text, "").keyed(key, value)
    };
    let all = Summary::figures().into_iter();
    let all = all.map(|figure| figure.shown(&finished.figures));
    let errors = finished.errors.iter().flat_map(|all| &all.figures);
    let errors = errors.map(|FigureError { figure, error }| {
        let label = format!("numerical error of {}", figure.label);
        let key = format!("numerical_errors.{}", figure.key);
        Figure::number(&label, figure.scaled(*error), 2, figure.shown_unit).keyed(&key, *error)
    });
    all.chain(errors)
        .chain([
            Figure::number("wall time", *wall_s, 3, "s").keyed("wall_s", *wall_s),
            word("coupling", json!(coupling)),
            word("legs", json!(legs)),
            word("version", json!(version)),
            word("error", json!(error)),
        ])
        .collect()
}

fn files(finished: &Finished) -> Vec<[String; 3]> {
    let mut out = Vec::new();
    let mut add = |name: &str, what: &str| {
        out.push([name.to_owned(), name.to_owned(), what.to_owned()]);
    };
    let Some(table) = &finished.table else {
        return Vec::new();
    };
    let name = table.file_name().unwrap_or_default();
    add(
        &name.to_string_lossy(),
        "the time series, one row per output time",
    );
    add("summary.json", "the figures for machines");
    add("config.toml", "every setting of this run");
    out
}

fn series(finished: &Finished, samples: &[Sample]) -> DockingSeries {
    let scenario = finished.run.scenario();
    let of = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(value).collect::<Vec<f64>>();
    let legs = finished.run.platform().leg_count();
    let per_leg = |value: &dyn Fn(&LegSample) -> f64| {
        (0..legs)
            .map(|i| samples.iter().map(|s| value(&s.legs[i])).collect())
            .collect::<Vec<Vec<f64>>>()
    };
    let start_lengths: Vec<f64> = samples
        .first()
        .map(|s| s.legs.iter().map(|leg| leg.view.tendon_length).collect())
        .unwrap_or_default();
    let errors: Vec<([f64; 3], [f64; 3])> = samples.iter().map(pose_error).collect();
    let start = finished.run.start();
    // What no leg tells is no curve.
    let told = |value: &dyn Fn(&LegSample) -> Option<f64>| {
        let known = samples.first().and_then(|s| value(s.legs.first()?));
        known.map_or_else(Vec::new, |_| per_leg(&|leg| value(leg).unwrap_or(f64::NAN)))
    };
    let limits = &scenario.docking.limits;
    let limit = limits.leg_stroke_m;
    let friction = |s: &Sample| -> f64 {
        let tangential = |point: &PointForce| {
            let squared = point.force.norm_squared() - point.normal_force.powi(2);
            squared.max(0.0).sqrt()
        };
        s.contacts.iter().map(tangential).sum()
    };
    DockingSeries {
        time_s: of(&|s| s.time),
        contact_force_n: of(&|s| s.contact_force.norm()),
        friction_force_n: of(&friction),
        interface_force_n: [of(&|s| s.interface.axial()), of(&|s| s.interface.shear())],
        interface_moment_nm: [
            of(&|s| s.interface.bending()),
            of(&|s| s.interface.torsion()),
            of(&|s| s.contact_moment.norm()),
        ],
        latch_shares: latch_shares(finished, samples),
        gap_m: of(&|s| s.gap),
        position_error_m: [0, 1, 2].map(|i| errors.iter().map(|e| e.0[i]).collect()),
        angle_error_deg: [0, 1, 2].map(|i| errors.iter().map(|e| e.1[i]).collect()),
        leg_force_n: per_leg(&chord_force),
        leg_stroke_m: (0..legs)
            .map(|i| {
                let start = start_lengths[i];
                samples
                    .iter()
                    .map(|s| s.legs[i].view.tendon_length - start)
                    .collect()
            })
            .collect(),
        tendon_tension_n: per_leg(&|leg| leg.view.tendon_tension),
        crank_angle_deg: per_leg(&|leg| leg.view.motor_angle.to_degrees()),
        motor_torque_nm: per_leg(&|leg| leg.view.motor_torque),
        leaf_stress_pa: told(&|leg| leg.stress_pa),
        joint_turn_deg: [0, 1].map(|k| told(&|leg| Some(leg.joint_turns?[k].to_degrees()))),
        energy_j: energy(samples),
        energy_residual_j: of(&|s| s.energy.residual(start)),
        contacts_s: contacts(samples),
        stroke_limits_m: Some([-limit, limit]),
        torque_limit_nm: Some(scenario.platform.motor.torque_limit_nm),
        crank_limits_deg: crank_limits(&scenario.platform),
        yield_strength_pa: Some(scenario.platform.leaf.yield_strength_pa),
        joint_limits_deg: Some([limits.universal_turn_deg, limits.spherical_turn_deg]),
    }
}

/// Ends of the cranks' range [°]; none if they differ or if nothing turns the cranks.
fn crank_limits(platform: &PlatformConfig) -> Option<[f64; 2]> {
    if platform.motor.mode == MotorMode::Locked {
        return None;
    }
    let ranges = MotorRange::of_legs(platform).ok()?;
    let ends = |range: &MotorRange| {
        [range.zero - range.reach, range.zero + range.reach].map(f64::to_degrees)
    };
    let first = ranges.first().map(ends)?;
    ranges
        .iter()
        .all(|range| ends(range) == first)
        .then_some(first)
}

/// Gap, angle and speed over the latch's limits until it closes; nothing without a latch. What is far
/// outside is cut, so that the curves stay small numbers.
fn latch_shares(finished: &Finished, samples: &[Sample]) -> [Vec<f64>; 3] {
    const FAR: f64 = 1e3;
    let latch = &finished.run.scenario().docking.contact.latch;
    if !latch.enabled {
        return Default::default();
    }
    let open: Vec<[f64; 3]> = samples
        .iter()
        .map(|sample| match sample.captured {
            true => [f64::NAN; 3],
            false => shares(&sample.alignment, latch).map(|share| share.min(FAR)),
        })
        .collect();
    core::array::from_fn(|i| open.iter().map(|shares| shares[i]).collect())
}

/// Force of a leg along its chord, positive when it pushes the end effector away from the base.
fn chord_force(leg: &LegSample) -> f64 {
    let ends = (leg.shape.leaf.first(), leg.shape.leaf.last());
    let (Some(a), Some(b)) = ends else { return 0.0 };
    let chord = Se3::translation(b) - Se3::translation(a);
    leg.view.tip_force.dot(&chord) / chord.norm()
}

/// The target's interface seen from the end effector's: position [m]; pitch, yaw and roll [°].
fn pose_error(sample: &Sample) -> ([f64; 3], [f64; 3]) {
    let relative = sample.effector.between(&sample.target);
    let wrong = Attitude::of_target_against(&sample.effector, &sample.target);
    // Rounding errors of a perfect approach are no curve to look at.
    let clean = |value: f64, unit: f64| (value / unit).round() * unit;
    (
        relative.translation().map(|x| clean(x, 1e-9)).into(),
        wrong.degrees().map(|angle| clean(angle, 1e-9)),
    )
}

fn energy(samples: &[Sample]) -> Vec<(String, Vec<f64>)> {
    let Some(first) = samples.first() else {
        return Vec::new();
    };
    let legs = |e: &EnergySample| e.legs_kinetic + e.leaves + e.tendons + e.legs_gravity;
    let start = legs(&first.energy);
    let part = |name: &str, value: &dyn Fn(&EnergySample) -> f64| {
        let values = samples.iter().map(|s| value(&s.energy)).collect();
        (name.to_owned(), values)
    };
    let mut out = vec![
        part("bodies", &|e| e.bodies),
        part("legs (change)", &|e| legs(e) - start),
        part("contact and latch", &|e| e.contact),
        part(EnergySummary::lost_in_legs_j.label, &|e| e.leg_loss),
        part(EnergySummary::lost_in_contact_j.label, &|e| e.contact_loss),
        part(EnergySummary::lost_in_friction_j.label, &|e| {
            e.friction_loss
        }),
        part(EnergySummary::lost_in_latch_j.label, &|e| e.latch_loss),
        part(EnergySummary::motor_work_j.label, &|e| e.motor_work),
    ];
    if samples.iter().any(|sample| sample.energy.panel_loss > 0.0) {
        out.push(part(EnergySummary::lost_in_panels_j.label, &|e| {
            e.panel_loss
        }));
    }
    out
}

/// Beginning and end of each contact [s].
fn contacts(samples: &[Sample]) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    let mut touching = false;
    for sample in samples {
        let now = !sample.contacts.is_empty();
        match (touching, now, out.last_mut()) {
            (false, true, _) => out.push([sample.time; 2]),
            (true, true, Some(last)) => last[1] = sample.time,
            _ => {}
        }
        touching = now;
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_docking::{DockingRun, Scenario};

    /// What is given of the target is what the page shows at the start.
    #[test]
    fn curves_begin_with_the_misalignment_given() {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 4;
        let wrong = &mut scenario.docking.misalignment;
        (wrong.pitch_deg, wrong.yaw_deg, wrong.roll_deg) = (4.0, -3.0, 25.0);
        (wrong.lateral_x_m, wrong.lateral_y_m) = (0.02, -0.01);
        let run = DockingRun::new(&scenario, true).unwrap();
        let (place, angles) = pose_error(&run.samples()[0]);
        for (shown, given) in angles.into_iter().zip([4.0, -3.0, 25.0]) {
            assert!((shown - given).abs() < 1e-9, "{shown} {given}");
        }
        assert!((place[0] - 0.02).abs() < 1e-9 && (place[1] + 0.01).abs() < 1e-9);
        assert!(place[2] > 0.0);
    }
}
