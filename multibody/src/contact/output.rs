//! What an evaluation of contact and latch gives.

use super::relative::{Interaction, PairTangent, Relative};
use nalgebra::{Vector3, Vector6};

/// Force at one contact point, for results and animation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PointForce {
    /// Where the tip is nearest to body B, in the world [m].
    pub position: Vector3<f64>,
    /// Force on body A in world axes [N].
    pub force: Vector3<f64>,
    /// Normal force [N].
    pub normal_force: f64,
    /// Gap [m], negative when touching.
    pub gap: f64,
}

/// What an evaluation gives; made once by
/// [`ContactPair::output`](super::ContactPair::output), so that evaluations allocate
/// nothing.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ContactOutput {
    /// Wrench on body A, in its axes about its origin (force [N], moment [N·m]).
    pub wrench_a: Vector6<f64>,
    /// Wrench on body B, in its axes about its origin.
    pub wrench_b: Vector6<f64>,
    /// Derivatives of the wrenches by the perturbations ψ of the poses.
    pub by_pose: PairTangent,
    /// Derivatives of the wrenches by the twists.
    pub by_twist: PairTangent,
    /// Every contact, in the order of [`Episodes`](super::Episodes).
    pub points: Vec<PointForce>,
    /// Sum of the normal forces [N].
    pub normal_force: f64,
    /// Smallest gap [m].
    pub minimum_gap: f64,
    /// Energy stored in the contacts [J].
    pub contact_potential: f64,
    /// Energy stored in the closed latch [J].
    pub latch_potential: f64,
    /// Power lost in the damping of the normal forces [W].
    pub damping_power: f64,
    /// Power lost in friction [W].
    pub friction_power: f64,
    /// Power lost in the closed latch [W].
    pub latch_power: f64,
}

impl ContactOutput {
    /// Memory for a number of contacts.
    pub(super) fn new(contacts: usize) -> Self {
        Self {
            wrench_a: Vector6::zeros(),
            wrench_b: Vector6::zeros(),
            by_pose: PairTangent::zero(),
            by_twist: PairTangent::zero(),
            points: vec![PointForce::nowhere(); contacts],
            normal_force: 0.0,
            minimum_gap: f64::INFINITY,
            contact_potential: 0.0,
            latch_potential: 0.0,
            damping_power: 0.0,
            friction_power: 0.0,
            latch_power: 0.0,
        }
    }

    /// Everything zero, every gap infinite.
    pub fn clear(&mut self) {
        let mut points = core::mem::take(&mut self.points);
        points.fill(PointForce::nowhere());
        *self = Self {
            points,
            ..Self::new(0)
        };
    }

    /// Deepest penetration [m], zero when apart.
    pub fn penetration(&self) -> f64 {
        (-self.minimum_gap).max(0.0)
    }

    /// Stored energy, contacts and latch [J].
    pub fn potential(&self) -> f64 {
        self.contact_potential + self.latch_potential
    }

    /// Dissipated power, all causes [W].
    pub fn dissipated_power(&self) -> f64 {
        self.damping_power + self.friction_power + self.latch_power
    }

    /// Adds an interaction of the two bodies to wrenches and, if asked for, tangents.
    pub(super) fn add(&mut self, relative: &Relative, interaction: &Interaction, tangents: bool) {
        let (wrench_a, wrench_b) = relative.wrenches(&interaction.wrench);
        self.wrench_a += wrench_a;
        self.wrench_b += wrench_b;
        if tangents {
            relative.add_tangents(interaction, &mut self.by_pose, &mut self.by_twist);
        }
    }
}

impl PointForce {
    pub(super) fn nowhere() -> Self {
        Self {
            position: Vector3::zeros(),
            force: Vector3::zeros(),
            normal_force: 0.0,
            gap: f64::INFINITY,
        }
    }
}
