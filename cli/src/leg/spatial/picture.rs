//! The spatial leg in motion, to be looked at from all sides.

use anyhow::Result;
use leg_core::SpatialLeg;
use leg_core::spatial::SpatialState;
use multibody::group::{Group, Se3};
use multibody::results;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use softdock_report::{Anchor, Arrow, Body, Mesh, Paint, Pose, Reading, RibbonFrame, Scene, Strip};

/// Points of the leaf's curve.
const STATIONS: usize = 11;
/// Radius of the drawn crank [m].
const CRANK_RADIUS: f64 = 0.008;

/// Frames of a motion.
#[derive(Debug, Clone, Default)]
pub struct Film {
    times: Vec<f64>,
    cranks: Vec<Pose>,
    leaves: Vec<RibbonFrame>,
    tendons: Vec<Vec<[f64; 3]>>,
    forces: Vec<([f64; 3], [f64; 3])>,
    readings: [Vec<f64>; 3],
    crank_length: f64,
    leaf_width: f64,
    has_tendon: bool,
}

fn pose(h: &Se3) -> Pose {
    let rotation: Matrix3<f64> = h.rotation();
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Pose {
        position_m: h.translation().into(),
        quaternion: [q.w, q.i, q.j, q.k],
    }
}

impl Film {
    /// Adds a frame.
    pub fn add(&mut self, leg: &SpatialLeg, time: f64, state: &SpatialState) -> Result<()> {
        self.crank_length = leg.config.crank.length_m;
        self.leaf_width = leg.config.leaf.width_m;
        self.has_tendon = leg.tendon.is_some();
        let mut leaf = RibbonFrame::default();
        for i in 0..STATIONS {
            let s = leg.config.leaf.length_m * i as f64 / (STATIONS - 1) as f64;
            let section = results::pose_at(&leg.model, state, leg.leaf, s)?;
            leaf.points_m.push(section.translation().into());
            let across: Vector3<f64> = section.rotation().column(2).into();
            leaf.across.push(across.into());
        }
        let ends = [leg.node_a, leg.node_b].map(|node| state.pose(node).translation().into());
        self.times.push(time);
        self.cranks.push(pose(state.pose(leg.crank)));
        self.leaves.push(leaf);
        self.tendons.push(ends.to_vec());
        Ok(())
    }

    /// Adds what the last frame shows beside its shape: the force of the leg at its tip [N], the
    /// crank's angle [rad], how far the root leans [rad], the tendon's tension [N].
    pub fn read(&mut self, force: [f64; 3], [q1, lean, tension]: [f64; 3]) {
        let tip = self.tendons.last().and_then(|ends| ends.last().copied());
        self.forces.push((tip.unwrap_or_default(), force));
        let values = [q1.to_degrees(), lean.to_degrees(), tension];
        for (list, value) in self.readings.iter_mut().zip(values) {
            list.push(value);
        }
    }

    /// The scene.
    pub fn scene(&self, title: &str, sentence: &str) -> Scene {
        let rod = Mesh::rod([0.0; 3], [self.crank_length, 0.0, 0.0], CRANK_RADIUS, 10);
        let motor = Mesh::rod(
            [0.0, 0.0, -0.025],
            [0.0, 0.0, 0.025],
            2.0 * CRANK_RADIUS,
            16,
        );
        let mesh = rod.and(motor);
        let mut strips = vec![Strip::ribbon(
            "leaf",
            Paint::Leaf,
            self.leaf_width,
            &self.leaves,
        )];
        if self.has_tendon {
            strips.push(Strip::cable("tendon", Paint::Cable, &self.tendons));
        }
        let names = [
            ("crank q1", "°"),
            ("lean of the root", "°"),
            ("tension", "N"),
        ];
        let read = names.into_iter().zip(&self.readings);
        let read = read.filter(|(_, values)| !values.is_empty());
        let force = Arrow::new("force of the leg at its tip", Anchor::Tail, &self.forces);
        Scene {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            times: self.times.clone(),
            bodies: vec![Body::new("crank", Paint::Link, &mesh, &self.cranks)],
            strips,
            arrows: if self.forces.is_empty() {
                Vec::new()
            } else {
                vec![force.labelled()]
            },
            readings: read
                .map(|((label, unit), values)| Reading::new(label, unit, 2, values.clone()))
                .collect(),
            ..Scene::default()
        }
    }
}
