//! Platform, target and contact force in space.

use leg_core::group::{Group, Se3};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use serde_json::Value;
use softdock_platform::contact::{EffectorShape, TargetShape};
use softdock_platform::docking::{Sample, Scenario};
use softdock_report::{
    Anchor, Arrow, Body, Focus, Mesh, Moment, Paint, Pose, Reading, RibbonFrame, Scene, Strip,
};

/// Most frames of the animation.
const MOST_FRAMES: usize = 240;
/// Facets of round things.
const FACETS: usize = 48;

/// The scene of a run.
pub fn scene(scenario: &Scenario, summary: &Value, samples: &[Sample]) -> Scene {
    let stride = samples.len().div_ceil(MOST_FRAMES).max(1);
    let mut frames: Vec<&Sample> = samples.iter().step_by(stride).collect();
    if let (Some(last), Some(shown)) = (samples.last(), frames.last())
        && shown.time < last.time
    {
        frames.push(last);
    }
    let reading = |label: &str, unit: &str, digits, value: &dyn Fn(&Sample) -> f64| Reading {
        label: label.to_owned(),
        unit: unit.to_owned(),
        digits,
        values: frames.iter().map(|s| value(s)).collect(),
    };
    let height = scenario.platform.end_effector.position_m[2];
    Scene {
        title: "The docking".to_owned(),
        sentence: "Base, cranks, bowed leaves with their tendons, end effector and target; the \
                   arrow is the contact force on the end effector."
            .to_owned(),
        times: frames.iter().map(|s| s.time).collect(),
        bodies: bodies(scenario, &frames),
        strips: strips(scenario, &frames),
        arrows: vec![Arrow::new("contact force", Anchor::Head, &force(&frames)).labelled()],
        readings: vec![
            reading("contact force", "N", 1, &|s| s.contact_force.norm()),
            reading("gap", "mm", 1, &|s| 1e3 * s.gap),
        ],
        moments: moments(summary),
        focus: Some(Focus {
            centre_m: [0.0, 0.0, 0.6 * height],
            radius_m: 0.9 * height,
        }),
        ground: None,
    }
}

fn pose(h: &Se3) -> Pose {
    let rotation = Rotation3::from_matrix_unchecked(h.rotation());
    let q = UnitQuaternion::from_rotation_matrix(&rotation);
    Pose {
        position_m: h.translation().into(),
        quaternion: [q.w, q.i, q.j, q.k],
    }
}

fn bodies(scenario: &Scenario, frames: &[&Sample]) -> Vec<Body> {
    let platform = &scenario.platform;
    let radius = platform.legs.motor_radius_m;
    let base = Mesh::ring([0.7 * radius, 1.1 * radius], [-0.035, -0.015], FACETS);
    let base_poses: Vec<Pose> = frames.iter().map(|s| pose(&s.base)).collect();
    let mut out = vec![Body::new("base", Paint::Base, &base, &base_poses)];
    let crank = Mesh::rod([0.0; 3], [platform.crank.length_m, 0.0, 0.0], 0.008, 10);
    let motor = Mesh::rod([0.0, 0.0, -0.025], [0.0, 0.0, 0.025], 0.016, 16);
    let legs = frames.first().map_or(0, |s| s.legs.len());
    for leg in 0..legs {
        let poses: Vec<Pose> = frames.iter().map(|s| pose(&s.legs[leg].crank)).collect();
        let mesh = crank.clone().and(motor.clone());
        out.push(Body::new("cranks", Paint::Link, &mesh, &poses));
    }
    let effector: Vec<Pose> = frames.iter().map(|s| pose(&s.effector)).collect();
    out.push(Body::new(
        "end effector",
        Paint::Effector,
        &effector_mesh(scenario),
        &effector,
    ));
    let target: Vec<Pose> = frames.iter().map(|s| pose(&s.target)).collect();
    let (interface, hull) = target_meshes(scenario);
    out.push(Body::new(
        "docking port",
        Paint::Interface,
        &interface,
        &target,
    ));
    out.push(Body::new("target", Paint::Target, &hull, &target));
    out
}

fn effector_mesh(scenario: &Scenario) -> Mesh {
    let spheres = scenario.platform.legs.sphere_radius_m;
    let plate = Mesh::ring([0.45 * spheres, 1.05 * spheres], [-0.008, 0.008], FACETS);
    let effector = &scenario.docking.contact.effector;
    match effector.shape {
        EffectorShape::Ring => {
            let (radius, height) = (effector.ring.radius_m, effector.ring.height_m);
            let tip = effector.tip_radius_m.max(0.003);
            let inner = (radius - tip).max(0.0);
            plate.and(Mesh::ring(
                [inner, radius + tip],
                [0.008, height + tip],
                FACETS,
            ))
        }
        EffectorShape::Petals => {
            let petals = &effector.petals;
            let angle = petals.inclination_deg.to_radians();
            let root = petals.root_radius_m;
            let end = root + petals.length_m * angle.sin();
            let low = petals.root_height_m;
            let high = low + petals.length_m * angle.cos();
            let width = 180.0 / petals.count as f64;
            plate.and(Mesh::petals(
                petals.count,
                0.0,
                width,
                [root, end],
                [low, high],
            ))
        }
    }
}

/// The port, and the hull behind it; their frame is the port, z toward the end effector.
fn target_meshes(scenario: &Scenario) -> (Mesh, Mesh) {
    let target = &scenario.docking.contact.target;
    let size = scenario.platform.legs.sphere_radius_m;
    let port = match target.shape {
        TargetShape::Plane => Mesh::frustum([1.25 * size, 1.25 * size], [-0.015, 0.0], FACETS),
        TargetShape::Cone => {
            let cone = &target.cone;
            let (mouth, seat) = (cone.mouth_radius_m, cone.seat_radius_m());
            let outline = [
                [seat, -cone.depth_m],
                [mouth + 0.03, -cone.depth_m],
                [mouth + 0.03, 0.0],
                [mouth, 0.0],
            ];
            Mesh::turned(&outline, FACETS)
        }
        TargetShape::Ring => {
            let ring = &target.ring;
            let (r, t) = (ring.radius_m, ring.tube_radius_m);
            Mesh::ring([r - t, r + t], [-t, t], FACETS)
        }
    };
    let depth = match target.shape {
        TargetShape::Plane => 0.015,
        TargetShape::Cone => target.cone.depth_m,
        TargetShape::Ring => target.ring.tube_radius_m,
    };
    let hull = Mesh::prism(8, 1.6 * size, [-depth - 0.3, -depth], 3);
    (port, hull)
}

fn strips(scenario: &Scenario, frames: &[&Sample]) -> Vec<Strip> {
    let width = scenario.platform.leaf.width_m;
    let legs = frames.first().map_or(0, |s| s.legs.len());
    let mut out = Vec::new();
    for leg in 0..legs {
        let ribbon: Vec<RibbonFrame> = frames
            .iter()
            .map(|s| {
                let nodes = &s.legs[leg].leaf;
                let every = (nodes.len() - 1).div_ceil(10).max(1);
                let shown = nodes.iter().step_by(every);
                RibbonFrame {
                    points_m: shown.clone().map(|h| h.translation().into()).collect(),
                    across: shown
                        .map(|h| h.rotation().column(2).into_owned().into())
                        .collect(),
                }
            })
            .collect();
        out.push(Strip::ribbon("leaves", Paint::Leaf, width, &ribbon));
        if scenario.platform.tendon.present {
            let cable: Vec<Vec<[f64; 3]>> = frames
                .iter()
                .map(|s| {
                    let nodes = &s.legs[leg].leaf;
                    let ends = [nodes.first(), nodes.last()];
                    ends.into_iter()
                        .flatten()
                        .map(|h| h.translation().into())
                        .collect()
                })
                .collect();
            out.push(Strip::cable("tendons", Paint::Cable, &cable));
        }
    }
    out
}

/// Where the contact force acts and what it is, per frame.
fn force(frames: &[&Sample]) -> Vec<([f64; 3], [f64; 3])> {
    let one = |s: &&Sample| {
        let total: f64 = s.contacts.iter().map(|point| point.force.norm()).sum();
        let mean: Vector3<f64> = s
            .contacts
            .iter()
            .map(|point| point.position * point.force.norm())
            .sum();
        let place = if total > 0.0 {
            mean / total
        } else {
            s.effector.translation()
        };
        (place.into(), s.contact_force.into())
    };
    frames.iter().map(one).collect()
}

fn moments(summary: &Value) -> Vec<Moment> {
    let at = |key: &str, label: &str| {
        let time = summary.get(key).and_then(Value::as_f64);
        time.map(|time| Moment::new(time, label))
    };
    let peak = summary["peak_contact_force_n"].as_f64().unwrap_or(0.0) > 0.0;
    [
        at("first_touch_s", "first touch"),
        at("peak_contact_time_s", "peak force").filter(|_| peak),
        at("capture_time_s", "capture"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
