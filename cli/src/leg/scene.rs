//! The leg as points in the plane, for pictures.

use anyhow::Result;
use leg_core::PlanarLeg;
use leg_core::pretension::PlanarState;
use leg_core::simulate::LegSample;
use multibody::group::Group;
use multibody::math;
use multibody::results;
use softdock_report::{Animation, Item, Look, Points, Reading};

/// Points of the leaf's curve.
const STATIONS: usize = 41;

/// Where everything is at one time.
#[derive(Debug, Clone)]
pub struct Pose {
    /// Lower and upper ground pivot [m].
    pub ground: [[f64; 2]; 2],
    /// Ends of the leaf [m].
    pub ends: [[f64; 2]; 2],
    /// The leaf's curve from A to B [m].
    pub leaf: Vec<[f64; 2]>,
}

impl Pose {
    /// The leg in `state`.
    pub fn new(leg: &PlanarLeg, state: &PlanarState) -> Result<Self> {
        let geometry = &leg.config.geometry;
        let at = |node| -> [f64; 2] { state.pose(node).translation().into() };
        let mut leaf = Vec::with_capacity(STATIONS);
        for i in 0..STATIONS {
            let s = leg.config.leaf.length_m * i as f64 / (STATIONS - 1) as f64;
            leaf.push(
                results::pose_at(&leg.model, state, leg.leaf, s)?
                    .translation()
                    .into(),
            );
        }
        Ok(Self {
            ground: [geometry.lower_pivot_m, geometry.upper_pivot_m],
            ends: [at(leg.node_a), at(leg.node_b)],
            leaf,
        })
    }

    /// This pose with every point `factor` times as far away as `other` has it.
    pub fn toward(&self, other: &Self, factor: f64) -> Self {
        let blend = |a: [f64; 2], b: [f64; 2]| {
            [a[0] + factor * (b[0] - a[0]), a[1] + factor * (b[1] - a[1])]
        };
        let ends = [
            blend(self.ends[0], other.ends[0]),
            blend(self.ends[1], other.ends[1]),
        ];
        let leaf = self
            .leaf
            .iter()
            .zip(&other.leaf)
            .map(|(&a, &b)| blend(a, b))
            .collect();
        Self {
            ground: self.ground,
            ends,
            leaf,
        }
    }

    /// Largest distance of a point of the leaf from its place in `other` [m].
    pub fn distance(&self, other: &Self) -> f64 {
        let pairs = self.leaf.iter().zip(&other.leaf);
        pairs
            .map(|(a, b)| math::hypot(a[0] - b[0], a[1] - b[1]))
            .fold(0.0, f64::max)
    }
}

/// A leg whose motion is recorded for an animation.
#[derive(Debug, Clone, Default)]
pub struct Film {
    times: Vec<f64>,
    poses: Vec<Pose>,
    tensions: Vec<f64>,
    angles: [Vec<f64>; 2],
    ghost: Option<(String, Pose)>,
}

impl Film {
    /// Adds a frame.
    pub fn add(&mut self, leg: &PlanarLeg, state: &PlanarState, sample: &LegSample) -> Result<()> {
        self.times.push(sample.t);
        self.poses.push(Pose::new(leg, state)?);
        self.tensions.push(sample.tendon_tension);
        self.angles[0].push(sample.q[0].to_degrees());
        self.angles[1].push(sample.q[2].to_degrees());
        Ok(())
    }

    /// Adds a frame without readings.
    pub fn add_pose(&mut self, time: f64, pose: Pose) {
        self.times.push(time);
        self.poses.push(pose);
    }

    /// Shows the leaf of `pose` dotted behind; without it, the leaf of the first frame.
    pub fn set_ghost(&mut self, name: &str, pose: Pose) {
        self.ghost = Some((name.to_owned(), pose));
    }

    /// The animation; `with_tendon` shows the tendon.
    pub fn animation(&self, title: &str, sentence: &str, with_tendon: bool) -> Animation {
        let mut items = vec![self.ghost()];
        if with_tendon {
            items.push(self.item("tendon", Look::Cable, |pose| pose.ends.to_vec()));
        }
        items.extend([
            self.item("crank", Look::Bar, |pose| {
                vec![pose.ground[0], pose.ends[0]]
            }),
            self.item("upper link", Look::Bar, |pose| {
                vec![pose.ground[1], pose.ends[1]]
            }),
            self.item("leaf", Look::Leaf, |pose| pose.leaf.clone()),
            self.ground(),
            self.item("", Look::Joint, |pose| pose.ends.to_vec()),
        ]);
        let reading = |label: &str, unit: &str, digits, values: &Vec<f64>| Reading {
            label: label.to_owned(),
            unit: unit.to_owned(),
            digits,
            values: values.clone(),
        };
        let mut readings = vec![
            reading("crank q1", "°", 2, &self.angles[0]),
            reading("upper link q3", "°", 2, &self.angles[1]),
        ];
        if self.tensions.is_empty() {
            readings.clear();
        } else if with_tendon {
            readings.push(reading("tension", "N", 1, &self.tensions));
        }
        Animation {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            times: self.times.clone(),
            items,
            readings,
            loops: false,
        }
    }

    fn item(&self, name: &str, look: Look, points: impl Fn(&Pose) -> Vec<[f64; 2]>) -> Item {
        let frames = self
            .poses
            .iter()
            .map(|pose| Points::new(&points(pose)))
            .collect();
        Item {
            name: name.to_owned(),
            look,
            frames,
        }
    }

    fn ghost(&self) -> Item {
        let (name, pose) = match &self.ghost {
            Some((name, pose)) => (name.as_str(), Some(pose)),
            None => ("leaf at the start", self.poses.first()),
        };
        let frames = pose
            .map(|pose| Points::new(&pose.leaf))
            .into_iter()
            .collect();
        Item {
            name: name.to_owned(),
            look: Look::Ghost,
            frames,
        }
    }

    fn ground(&self) -> Item {
        let frames = self.poses.first().map(|pose| Points::new(&pose.ground));
        Item {
            name: String::new(),
            look: Look::Ground,
            frames: frames.into_iter().collect(),
        }
    }
}
