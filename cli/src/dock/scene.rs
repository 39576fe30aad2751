//! Platform, target and contact force in space.

mod shapes;

use multibody::group::{Group, Se3};
use multibody::math;
use nalgebra::Vector3;
use shapes::{effector_meshes, target_meshes};
use softdock_docking::{Sample, Scenario, Summary};
use softdock_platform::contact::effector_points;
use softdock_platform::results::scene::{Parts, base_and_cranks, focus, leaves_and_tendons, pose};
use softdock_report::{Anchor, Arrow, Body, Moment, Paint, Pose, Reading, Scene, Strip};

/// About as many frames show the whole run, and as many more the first touch.
const MOST_FRAMES: usize = 160;
/// Most points whose forces are drawn one by one.
const MOST_POINTS: usize = 24;
/// Length of the drawn docking axes [m].
const AXIS_LENGTH: f64 = 0.25;
/// Room above the end effector for the target, which may be far away at first [m].
const ROOM_FOR_TARGET: f64 = 0.2;

/// The scene of a run.
pub fn scene(scenario: &Scenario, summary: &Summary, samples: &[Sample]) -> Scene {
    let frames = frames(summary, samples);
    let reading = |label: &str, unit: &str, digits, value: &dyn Fn(&Sample) -> f64| Reading {
        label: label.to_owned(),
        unit: unit.to_owned(),
        digits,
        values: frames.iter().map(|s| value(s)).collect(),
    };
    let resultant = Arrow::new("contact force", Anchor::Head, &force(&frames)).labelled();
    Scene {
        title: "The docking".to_owned(),
        sentence: "Base, cranks, bowed leaves with their tendons, end effector and target, to \
                   scale; the thick arrow is the contact force on the end effector. The thin lines \
                   are the docking axes, which ought to be one."
            .to_owned(),
        times: frames.iter().map(|s| s.time).collect(),
        bodies: bodies(scenario, &frames),
        strips: strips(scenario, &frames),
        arrows: [vec![resultant], point_forces(scenario, &frames)].concat(),
        readings: vec![
            reading("contact force", "N", 1, &|s| s.contact_force.norm()),
            reading("gap", "mm", 1, &|s| 1e3 * s.gap),
            reading("angle between the axes", "°", 2, &angle_between_axes),
        ],
        moments: moments(summary),
        // However far away the target is.
        focus: focus(&parts(&frames), ROOM_FOR_TARGET),
        ground: None,
    }
}

/// The samples to show: all over the run, more of them around the first touch, and the ones next
/// to the moments that have a name.
fn frames<'a>(summary: &Summary, samples: &'a [Sample]) -> Vec<&'a Sample> {
    let (touch, peak) = (summary.first_touch_s, summary.peak_contact_time_s);
    let begin = touch.map_or(f64::INFINITY, |t| t - 0.02);
    let end = peak.map_or(f64::NEG_INFINITY, |t| t + 0.15);
    let stride = samples.len().div_ceil(MOST_FRAMES).max(1);
    let around = samples.iter().filter(|s| s.time >= begin && s.time <= end);
    let fine = around.count().div_ceil(MOST_FRAMES).max(1);
    let named: Vec<usize> = [touch, peak, summary.capture_time_s]
        .into_iter()
        .flatten()
        .map(|time| samples.partition_point(|s| s.time < time))
        .collect();
    let last = samples.len().saturating_sub(1);
    let shown = |(i, sample): &(usize, &Sample)| {
        let near = sample.time >= begin && sample.time <= end && i % fine == 0;
        i % stride == 0 || near || *i == last || named.contains(i)
    };
    let shown = samples.iter().enumerate().filter(shown);
    shown.map(|(_, sample)| sample).collect()
}

fn axis(h: &Se3) -> Vector3<f64> {
    h.rotation().column(2).into()
}

/// Angle between the docking axes, which face each other [°].
fn angle_between_axes(sample: &Sample) -> f64 {
    let (a, b) = (axis(&sample.effector), axis(&sample.target));
    math::atan2(a.cross(&b).norm(), -a.dot(&b)).to_degrees()
}

fn bodies(scenario: &Scenario, frames: &[&Sample]) -> Vec<Body> {
    let poses = |of: &dyn Fn(&Sample) -> Se3| -> Vec<Pose> {
        frames.iter().map(|sample| pose(&of(sample))).collect()
    };
    let mut out = base_and_cranks(&scenario.platform, &parts(frames));
    let (plate, tips) = effector_meshes(scenario);
    let effector = poses(&|s| s.effector);
    out.push(Body::new(
        "end effector",
        Paint::Effector,
        &plate,
        &effector,
    ));
    out.push(Body::new("contact tips", Paint::Link, &tips, &effector));
    let (solid, glass, hull) = target_meshes(scenario);
    let target = poses(&|s| s.target);
    out.push(Body::new("docking port", Paint::Interface, &solid, &target));
    out.push(Body::new("docking port", Paint::Interface, &glass, &target).of_glass());
    out.push(Body::new("target", Paint::Target, &hull, &target));
    out
}

/// What is drawn of the platform itself.
fn parts<'a>(frames: &[&'a Sample]) -> Vec<Parts<'a>> {
    let part = |sample: &&'a Sample| Parts {
        base: &sample.base,
        effector: &sample.effector,
        legs: sample.legs.iter().map(|leg| &leg.shape).collect(),
    };
    frames.iter().map(part).collect()
}

fn strips(scenario: &Scenario, frames: &[&Sample]) -> Vec<Strip> {
    let mut out = leaves_and_tendons(&scenario.platform, &parts(frames));
    // Both lines go from the interface toward the base, where there is nothing in front of them.
    let line = |of: &dyn Fn(&Sample) -> (Se3, f64)| -> Vec<Vec<[f64; 3]>> {
        let ends = |s: &&Sample| {
            let (h, length) = of(s);
            let start = h.translation();
            vec![start.into(), (start + axis(&h) * length).into()]
        };
        frames.iter().map(ends).collect()
    };
    let effector = line(&|s| (s.effector, -AXIS_LENGTH));
    let target = line(&|s| (s.target, AXIS_LENGTH));
    out.push(Strip::cable("docking axes", Paint::Effector, &effector));
    out.push(Strip::cable("docking axes", Paint::Interface, &target));
    out
}

/// Where the contact force acts and what it is, per frame.
fn force(frames: &[&Sample]) -> Vec<([f64; 3], [f64; 3])> {
    let one = |s: &&Sample| {
        let total: f64 = s.contacts.iter().map(|point| point.force.norm()).sum();
        let weighted = s.contacts.iter().map(|p| p.position * p.force.norm());
        let mean: Vector3<f64> = weighted.sum();
        let place = if total > 0.0 {
            mean / total
        } else {
            s.effector.translation()
        };
        (place.into(), s.contact_force.into())
    };
    frames.iter().map(one).collect()
}

/// The forces at the points that touch, if several do at once.
fn point_forces(scenario: &Scenario, frames: &[&Sample]) -> Vec<Arrow> {
    if frames.iter().all(|sample| sample.contacts.len() < 2) {
        return Vec::new();
    }
    let tips = effector_points(&scenario.docking.contact.effector);
    let mut forces = vec![Vec::with_capacity(frames.len()); tips.len()];
    for sample in frames {
        let (rotation, centre) = (sample.effector.rotation(), sample.effector.translation());
        let places: Vec<Vector3<f64>> = tips.iter().map(|tip| centre + rotation * tip).collect();
        let mut now = vec![Vector3::zeros(); tips.len()];
        for point in &sample.contacts {
            let distance = |i: &usize| (places[*i] - point.position).norm();
            let nearest = (0..tips.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
            if let Some(nearest) = nearest {
                now[nearest] += point.force;
            }
        }
        for (track, pair) in forces.iter_mut().zip(places.iter().zip(&now)) {
            track.push(((*pair.0).into(), (*pair.1).into()));
        }
    }
    let largest = |track: &[([f64; 3], [f64; 3])]| {
        let sizes = track.iter().map(|(_, force)| Vector3::from(*force).norm());
        sizes.fold(0.0, f64::max)
    };
    forces.retain(|track| largest(track) > 0.0);
    forces.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    forces.truncate(MOST_POINTS);
    let arrow = |track: &Vec<_>| Arrow::new("forces at the tips", Anchor::Head, track);
    forces.iter().map(arrow).collect()
}

fn moments(summary: &Summary) -> Vec<Moment> {
    let at = |time: Option<f64>, label: &str| time.map(|time| Moment::new(time, label));
    let pressed = summary
        .peak_contact_force_n
        .is_some_and(|force| force > 0.0);
    [
        at(summary.first_touch_s, "first touch"),
        at(
            summary.peak_contact_time_s.filter(|_| pressed),
            "peak force",
        ),
        at(summary.capture_time_s, "capture"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
