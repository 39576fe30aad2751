//! The state of a simulation: a clonable snapshot.

use crate::assembly::Motion;
use crate::group::Group;
use crate::model::{Inputs, JointId, Model, NodeId};
use crate::results::energy::Ledger;
use nalgebra::{SMatrix, SVector};

/// Time, poses, velocities, accelerations and multipliers. Everything a step needs from the past
/// is here: two equal states and equal inputs give equal bits afterwards.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct State<G, const N: usize> {
    /// Time [s].
    pub time: f64,
    /// Pose of every node.
    pub poses: Vec<G>,
    /// Left-trivialised velocities [m/s, rad/s].
    pub velocities: Vec<SVector<f64, N>>,
    /// Their time derivatives [m/s², rad/s²].
    pub accelerations: Vec<SVector<f64, N>>,
    /// Acceleration-like variable of the generalised-α method.
    pub algorithmic: Vec<SVector<f64, N>>,
    /// Lagrange multipliers, one per constraint row [N or N·m].
    pub multipliers: Vec<f64>,
    /// Angle of every joint that has one, counted over full turns [rad]; zero for the others.
    pub angles: Vec<f64>,
    /// What force laws remember of the last accepted state: speeds at which stops were met, torques
    /// of motors with a limited rate.
    pub memory: Vec<f64>,
    /// Time since then [s]: zero but for states under way.
    pub since_memory: f64,
    /// Inputs at `time`.
    pub inputs: Inputs,
    /// Work done and energy dissipated so far.
    pub ledger: Ledger,
}

impl<G, const N: usize> State<G, N> {
    /// The model at rest in its initial poses at t = 0, inputs zero. Constraints are not solved
    /// for: see [`crate::dynamics::initialize`] and [`crate::statics`].
    pub fn new<const D: usize>(model: &Model<G, N, D>) -> Self
    where
        G: Group<N, D>,
    {
        let zeros = vec![SVector::zeros(); model.node_count()];
        let mut state = Self {
            time: 0.0,
            poses: model.initial_poses.clone(),
            velocities: zeros.clone(),
            accelerations: zeros.clone(),
            algorithmic: zeros,
            multipliers: vec![0.0; model.row_count],
            angles: vec![0.0; model.joints.len()],
            memory: vec![0.0; model.memory_count()],
            since_memory: 0.0,
            inputs: Inputs::zeros(model.input_count()),
            ledger: Ledger::default(),
        };
        crate::assembly::hinge::update_angles(model, &mut state);
        state
    }

    /// A state of nothing, to stand in for one that is moved out for a while.
    pub(crate) fn empty() -> Self {
        Self {
            time: 0.0,
            poses: Vec::new(),
            velocities: Vec::new(),
            accelerations: Vec::new(),
            algorithmic: Vec::new(),
            multipliers: Vec::new(),
            angles: Vec::new(),
            memory: Vec::new(),
            since_memory: 0.0,
            inputs: Inputs::default(),
            ledger: Ledger::default(),
        }
    }

    /// Whether its lists are as long as those of `other`: a state that was read belongs to the model of
    /// a state that is known.
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |state: &Self| {
            [
                state.poses.len(),
                state.velocities.len(),
                state.accelerations.len(),
                state.algorithmic.len(),
                state.multipliers.len(),
                state.angles.len(),
                state.memory.len(),
                state.inputs.value.len(),
                state.inputs.rate.len(),
                state.inputs.acceleration.len(),
            ]
        };
        lengths(self) == lengths(other)
    }

    /// Copies `other` without allocating (the two belong to the same model).
    pub fn copy_from(&mut self, other: &Self)
    where
        G: Copy,
    {
        self.time = other.time;
        self.poses.copy_from_slice(&other.poses);
        self.velocities.copy_from_slice(&other.velocities);
        self.accelerations.copy_from_slice(&other.accelerations);
        self.algorithmic.copy_from_slice(&other.algorithmic);
        self.multipliers.copy_from_slice(&other.multipliers);
        self.angles.copy_from_slice(&other.angles);
        self.memory.copy_from_slice(&other.memory);
        self.since_memory = other.since_memory;
        self.inputs.copy_from(&other.inputs);
        self.ledger = other.ledger;
    }

    pub(crate) fn motion_with<'a>(&'a self, maps: &'a [SMatrix<f64, N, N>]) -> Motion<'a, G, N> {
        Motion {
            time: self.time,
            poses: &self.poses,
            velocities: &self.velocities,
            accelerations: &self.accelerations,
            multipliers: &self.multipliers,
            angles: &self.angles,
            memory: &self.memory,
            since_memory: self.since_memory,
            inputs: &self.inputs,
            maps,
        }
    }

    /// The motion for evaluations that assemble no tangent.
    pub(crate) fn motion(&self) -> Motion<'_, G, N> {
        self.motion_with(&[])
    }

    /// Pose of a node.
    pub fn pose(&self, node: NodeId) -> &G {
        &self.poses[node.index()]
    }

    /// Velocity of a node, in its frame.
    pub fn velocity(&self, node: NodeId) -> &SVector<f64, N> {
        &self.velocities[node.index()]
    }

    /// Angle of a revolute or cylindrical joint, counted over full turns [rad].
    pub fn angle(&self, joint: JointId) -> f64 {
        self.angles[joint.index()]
    }

    /// Sets all velocities and accelerations to zero.
    pub fn stop(&mut self) {
        for list in [
            &mut self.velocities,
            &mut self.accelerations,
            &mut self.algorithmic,
        ] {
            list.fill(SVector::zeros());
        }
    }
}

/// State of a model in the plane.
pub type PlanarState = State<crate::group::Se2, 3>;
/// State of a model in space.
pub type SpatialState = State<crate::group::Se3, 6>;
