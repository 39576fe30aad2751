//! Bodies, flexible strips and forces that move in space.
//!
//! World axes are right-handed with z up. Everything is in metres and newtons; the page keeps
//! tenths of a millimetre. Times are those of the frames; between frames the page interpolates.

mod mesh;
mod track;

pub use mesh::Mesh;

use crate::animation::Reading;
use crate::text::rounded;
use mesh::MeshData;
use serde::Serialize;
use track::{Missing, Track};

/// Unit of lengths and of the parts of unit vectors and quaternions on the page.
const FINE: f64 = 1e-4;
/// Unit of the directions across a strip.
const COARSE: f64 = 2e-3;
/// Unit of forces on the page [N].
const FORCE_UNIT_N: f64 = 1e-2;

/// A scene in space that plays, pauses and can be looked at from all sides.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Scene {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    /// Time of each frame [s], growing.
    #[serde(serialize_with = "rounded")]
    pub times: Vec<f64>,
    /// Stiff bodies.
    pub bodies: Vec<Body>,
    /// Flexible members and cables.
    pub strips: Vec<Strip>,
    /// Forces.
    pub arrows: Vec<Arrow>,
    /// Numbers shown below the picture, one per frame each.
    pub readings: Vec<Reading>,
    /// Moments to jump to.
    pub moments: Vec<Moment>,
    /// What the picture shows at first; all bodies if there is none.
    pub focus: Option<Focus>,
    /// A level grid to judge distances by.
    pub ground: Option<Ground>,
}

/// Colour of a thing by what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Paint {
    /// The base that carries the motors.
    Base,
    /// Cranks and other links.
    Link,
    /// Leaf springs.
    Leaf,
    /// Tendons.
    Cable,
    /// The end effector.
    Effector,
    /// The target's body.
    Target,
    /// The part of the target that is touched.
    Interface,
    /// Forces.
    Force,
}

/// Position and orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position in the world [m].
    pub position_m: [f64; 3],
    /// Unit quaternion (w, x, y, z) that takes body axes to world axes.
    pub quaternion: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self::at([0.0; 3])
    }
}

impl Pose {
    /// A pose without rotation.
    pub fn at(position_m: [f64; 3]) -> Self {
        Self {
            position_m,
            quaternion: [1.0, 0.0, 0.0, 0.0],
        }
    }
}

/// A stiff body.
#[derive(Debug, Clone, Serialize)]
pub struct Body {
    /// Name in the legend; bodies of one name are shown and hidden together.
    name: String,
    paint: Paint,
    mesh: MeshData,
    motion: Track,
    /// What is behind it can be seen.
    glass: bool,
}

impl Body {
    /// A body with its pose at each frame; a single pose stands for all.
    pub fn new(name: &str, paint: Paint, mesh: &Mesh, poses: &[Pose]) -> Self {
        // A quaternion and its negative are the same rotation; neighbours must not differ in sign.
        let mut before = [1.0, 0.0, 0.0, 0.0];
        let rows = poses.iter().map(|pose| {
            let product: f64 = (0..4).map(|i| before[i] * pose.quaternion[i]).sum();
            let sign = if product < 0.0 { -1.0 } else { 1.0 };
            let [x, y, z] = pose.position_m;
            let [w, i, j, k] = pose.quaternion.map(|v| sign * v);
            if [w, i, j, k].iter().all(|v| v.is_finite()) {
                before = [w, i, j, k];
            }
            [x, y, z, w, i, j, k]
        });
        Self {
            name: name.to_owned(),
            paint,
            mesh: mesh.data(),
            motion: Track::new(rows, 7, FINE, Missing::Before),
            glass: false,
        }
    }

    /// The same body made of glass.
    pub fn of_glass(mut self) -> Self {
        self.glass = true;
        self
    }
}

/// A flexible member: a ribbon or a cable.
#[derive(Debug, Clone, Serialize)]
pub struct Strip {
    name: String,
    paint: Paint,
    /// Width [m]; zero draws a thin dashed line.
    width: f64,
    points: Track,
    #[serde(skip_serializing_if = "Option::is_none")]
    across: Option<Track>,
}

/// A ribbon at one time, in world axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RibbonFrame {
    /// Points of its middle line [m]. About ten are enough: the page draws a smooth curve.
    pub points_m: Vec<[f64; 3]>,
    /// At each point the unit vector across it.
    pub across: Vec<[f64; 3]>,
}

impl Strip {
    /// A ribbon `width_m` wide, given for each frame. All frames have as many points as the first.
    pub fn ribbon(name: &str, paint: Paint, width_m: f64, frames: &[RibbonFrame]) -> Self {
        let count = frames.first().map_or(0, |frame| frame.points_m.len());
        let points = frames.iter().map(|frame| frame.points_m.as_flattened());
        let across = frames.iter().map(|frame| frame.across.as_flattened());
        Self {
            name: name.to_owned(),
            paint,
            width: width_m,
            points: Track::new(points, 3 * count, FINE, Missing::Before),
            across: Some(Track::new(across, 3 * count, COARSE, Missing::Before)),
        }
    }

    /// A cable through points [m], given for each frame; all frames have as many points as the
    /// first.
    pub fn cable(name: &str, paint: Paint, frames: &[Vec<[f64; 3]>]) -> Self {
        let count = frames.first().map_or(0, Vec::len);
        let points = frames.iter().map(|points| points.as_flattened());
        Self {
            name: name.to_owned(),
            paint,
            width: 0.0,
            points: Track::new(points, 3 * count, FINE, Missing::Before),
            across: None,
        }
    }
}

/// Which end of a force's arrow is where the force acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// The arrow begins there.
    Tail,
    /// The arrow ends there, as for something that pushes.
    #[default]
    Head,
}

/// A force. All arrows of a scene have one scale; where the force is zero there is none.
#[derive(Debug, Clone, Serialize)]
pub struct Arrow {
    name: String,
    /// The magnitude is written beside the arrow.
    labelled: bool,
    anchor: Anchor,
    points: Track,
    forces: Track,
    /// Largest magnitude [N].
    largest: f64,
}

impl Arrow {
    /// A force [N] acting at a point [m], both in world axes, for each frame.
    pub fn new(name: &str, anchor: Anchor, frames: &[([f64; 3], [f64; 3])]) -> Self {
        let points = frames.iter().map(|(point, _)| point);
        let forces = frames.iter().map(|(_, force)| force);
        let forces = Track::new(forces, 3, FORCE_UNIT_N, Missing::Zero);
        Self {
            name: name.to_owned(),
            labelled: false,
            anchor,
            points: Track::new(points, 3, FINE, Missing::Before),
            largest: forces.longest(),
            forces,
        }
    }

    /// The same arrow with its magnitude written beside it.
    pub fn labelled(mut self) -> Self {
        self.labelled = true;
        self
    }
}

/// A moment to jump to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// When [s].
    time: f64,
    /// What happens.
    label: String,
}

impl Moment {
    /// A moment at `time_s`, such as the first contact. One that is not finite is not shown.
    pub fn new(time_s: f64, label: &str) -> Self {
        Self {
            time: time_s,
            label: label.to_owned(),
        }
    }
}

/// A ball that the picture shows at first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Focus {
    /// Its centre [m].
    #[serde(rename = "centre")]
    pub centre_m: [f64; 3],
    /// Its radius [m].
    #[serde(rename = "radius")]
    pub radius_m: f64,
}

/// A level grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ground {
    /// Its height [m].
    #[serde(rename = "height")]
    pub height_m: f64,
    /// Half its side [m].
    #[serde(rename = "half")]
    pub half_m: f64,
    /// Distance of its lines [m].
    #[serde(rename = "step")]
    pub step_m: f64,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_does_not_jump_where_its_quaternion_changes_sign() {
        let turned = |sign: f64| Pose {
            position_m: [0.0; 3],
            quaternion: [0.6 * sign, 0.8 * sign, 0.0, 0.0],
        };
        let mesh = Mesh::slab([0.0; 3], [1.0; 3]);
        let steady = Body::new("a", Paint::Base, &mesh, &[turned(1.0); 3]);
        let poses = [turned(1.0), turned(-1.0), turned(1.0)];
        let jumping = Body::new("a", Paint::Base, &mesh, &poses);
        assert_eq!(steady.motion, jumping.motion);
    }

    #[test]
    fn a_still_body_costs_one_frame() {
        let mesh = Mesh::slab([0.0; 3], [1.0; 3]);
        let one = Body::new("a", Paint::Base, &mesh, &[Pose::default()]);
        let many = Body::new("a", Paint::Base, &mesh, &[Pose::default(); 200]);
        assert_eq!(one.motion, many.motion);
    }

    #[test]
    fn a_scene_of_nonsense_is_still_json() {
        let nan = [f64::NAN; 3];
        let broken = RibbonFrame {
            points_m: vec![nan; 3],
            across: vec![],
        };
        let scene = Scene {
            times: vec![0.0],
            strips: vec![
                Strip::ribbon("a", Paint::Leaf, f64::NAN, &[broken]),
                Strip::cable("b", Paint::Cable, &[]),
            ],
            arrows: vec![Arrow::new("f", Anchor::Head, &[(nan, [f64::INFINITY; 3])])],
            moments: vec![Moment::new(f64::NAN, "never")],
            ..Scene::default()
        };
        let text = serde_json::to_string(&scene).unwrap();
        assert!(text.contains("\"largest\":0.0"));
    }
}
