//! The platform in space: what pages of motions and of dockings have in common.

use crate::Result;
use crate::bodies::EFFECTOR;
use crate::config::PlatformConfig;
use crate::scheme::Scheme;
use crate::unit::LegShape;
use multibody::group::{Group, Se3};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use softdock_report::{
    Anchor, Arrow, Body, Focus, Mesh, Moment, Paint, Pose, Reading, RibbonFrame, Scene, Strip,
};

/// Facets of round things.
const FACETS: usize = 48;
/// Points of a leaf that are drawn, at most.
const LEAF_POINTS: usize = 11;
/// Half the thickness of the end effector's plate [m].
pub const PLATE: f64 = 0.008;
/// Frames of a motion, about.
pub const FRAMES: usize = 240;

/// The platform at a time.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Time [s].
    pub time: f64,
    /// Pose of the base.
    pub base: Se3,
    /// Pose of the end effector.
    pub effector: Se3,
    /// Cranks and leaves.
    pub legs: Vec<LegShape>,
    /// Force of the outer wrench on the end effector, world axes [N].
    pub force: Vector3<f64>,
}

impl Frame {
    /// The platform as it is now.
    pub fn new(platform: &mut dyn Scheme) -> Result<Self> {
        let legs = platform.leg_shapes()?;
        let (bodies, world) = (platform.bodies(), platform.world());
        let list = world.bodies();
        let time = platform.time();
        Ok(Self {
            time,
            base: list.base.map_or_else(Se3::identity, |i| bodies[i].pose),
            effector: bodies[EFFECTOR].pose,
            legs,
            force: world.wrench().sample(time).0,
        })
    }

    /// What is drawn of it.
    fn parts(&self) -> Parts<'_> {
        Parts {
            base: &self.base,
            effector: &self.effector,
            legs: self.legs.iter().collect(),
        }
    }
}

/// What is drawn of a platform at a time.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    /// Pose of the base.
    pub base: &'a Se3,
    /// Pose of the end effector.
    pub effector: &'a Se3,
    /// Cranks and leaves.
    pub legs: Vec<&'a LegShape>,
}

/// A pose as a scene takes it.
pub fn pose(h: &Se3) -> Pose {
    let rotation = Rotation3::from_matrix_unchecked(h.rotation());
    let q = UnitQuaternion::from_rotation_matrix(&rotation);
    Pose {
        position_m: h.translation().into(),
        quaternion: [q.w, q.i, q.j, q.k],
    }
}

/// Base and cranks.
pub fn base_and_cranks(config: &PlatformConfig, frames: &[Parts<'_>]) -> Vec<Body> {
    let radius = config.legs.motor_radius_m;
    let poses = |of: &dyn Fn(&Parts<'_>) -> Pose| -> Vec<Pose> { frames.iter().map(of).collect() };
    let base = Mesh::ring([0.7 * radius, 1.1 * radius], [-0.035, -0.015], FACETS);
    let standing = poses(&|frame| pose(frame.base));
    let mut out = vec![Body::new("base", Paint::Base, &base, &standing)];
    let crank = Mesh::rod([0.0; 3], [config.crank.length_m, 0.0, 0.0], 0.008, 10);
    let motor = Mesh::rod([0.0, 0.0, -0.025], [0.0, 0.0, 0.025], 0.016, 16);
    let mesh = crank.and(motor);
    for leg in 0..frames.first().map_or(0, |frame| frame.legs.len()) {
        let crank = poses(&|frame| pose(&frame.legs[leg].crank));
        out.push(Body::new("cranks", Paint::Link, &mesh, &crank));
    }
    out
}

/// The plate of the end effector.
pub fn plate(config: &PlatformConfig) -> Mesh {
    let spheres = config.legs.sphere_radius_m;
    Mesh::ring([0.45 * spheres, 1.05 * spheres], [-PLATE, PLATE], FACETS)
}

/// Leaves, and tendons if there are any.
pub fn leaves_and_tendons(config: &PlatformConfig, frames: &[Parts<'_>]) -> Vec<Strip> {
    let width = config.leaf.width_m;
    let mut out = Vec::new();
    for leg in 0..frames.first().map_or(0, |frame| frame.legs.len()) {
        let ribbon = |frame: &Parts<'_>| {
            let nodes = leaf_points(&frame.legs[leg].leaf);
            let across = |h: &&Se3| h.rotation().column(2).into_owned().into();
            RibbonFrame {
                points_m: nodes.iter().map(|h| h.translation().into()).collect(),
                across: nodes.iter().map(across).collect(),
            }
        };
        let ribbon: Vec<RibbonFrame> = frames.iter().map(ribbon).collect();
        out.push(Strip::ribbon("leaves", Paint::Leaf, width, &ribbon));
        if config.tendon.present {
            let ends = |frame: &Parts<'_>| -> Vec<[f64; 3]> {
                let nodes = &frame.legs[leg].leaf;
                let ends = [nodes.first(), nodes.last()].into_iter().flatten();
                ends.map(|h| h.translation().into()).collect()
            };
            let cable: Vec<_> = frames.iter().map(ends).collect();
            out.push(Strip::cable("tendons", Paint::Cable, &cable));
        }
    }
    out
}

/// Nodes of a leaf to draw, both ends among them.
fn leaf_points(nodes: &[Se3]) -> Vec<&Se3> {
    let last = nodes.len().saturating_sub(1);
    let count = last.clamp(1, LEAF_POINTS - 1);
    (0..=count).map(|i| &nodes[i * last / count]).collect()
}

/// The ball around the platform, with some room above the end effector [m], in these frames.
pub fn focus(frames: &[Parts<'_>], room_m: f64) -> Option<Focus> {
    let mut points: Vec<Vector3<f64>> = Vec::new();
    for frame in [frames.first()?, frames.last()?] {
        let up: Vector3<f64> = frame.effector.rotation().column(2).into();
        points.push(frame.base.translation());
        points.push(frame.effector.translation() + up * room_m);
        let leaves = frame.legs.iter().flat_map(|leg| &leg.leaf);
        points.extend(leaves.map(|h| h.translation()));
    }
    let first = points[0];
    let low = points.iter().fold(first, |low, point| low.inf(point));
    let high = points.iter().fold(first, |high, point| high.sup(point));
    Some(Focus {
        centre_m: (0.5 * (low + high)).into(),
        radius_m: 0.6 * (high - low).max(),
    })
}

/// A motion of the platform; nothing without frames.
pub fn scene(config: &PlatformConfig, frames: &[Frame], sentence: &str) -> Option<Scene> {
    let first = frames.first()?;
    let parts: Vec<Parts<'_>> = frames.iter().map(Frame::parts).collect();
    let mut bodies = base_and_cranks(config, &parts);
    let effector: Vec<Pose> = frames.iter().map(|frame| pose(&frame.effector)).collect();
    bodies.push(Body::new(
        "end effector",
        Paint::Effector,
        &plate(config),
        &effector,
    ));
    let pushed = |frame: &Frame| (frame.effector.translation().into(), frame.force.into());
    let force: Vec<_> = frames.iter().map(pushed).collect();
    let start = first.effector.translation();
    let moved = |frame: &Frame| 1e3 * (frame.effector.translation() - start).norm();
    let farthest = frames
        .iter()
        .max_by(|a, b| moved(a).total_cmp(&moved(b)))
        .filter(|frame| moved(frame) > 0.0);
    Some(Scene {
        title: "The motion".to_owned(),
        sentence: format!(
            "Base, cranks, bowed leaves with their tendons and end effector, to scale; the arrow is \
             the force on the end effector. {sentence}"
        )
        .trim_end()
        .to_owned(),
        times: frames.iter().map(|frame| frame.time).collect(),
        bodies,
        strips: leaves_and_tendons(config, &parts),
        arrows: vec![Arrow::new("force", Anchor::Head, &force).labelled()],
        readings: vec![Reading {
            label: "displacement".to_owned(),
            unit: "mm".to_owned(),
            digits: 2,
            values: frames.iter().map(moved).collect(),
        }],
        // The picture opens there.
        moments: (farthest.iter())
            .map(|frame| Moment::new(frame.time, "peak displacement"))
            .collect(),
        focus: focus(&parts, 0.1),
        ground: None,
    })
}
