//! A leg in equilibrium, its tip and its crank held: a bowed leaf, or a strut.

use leg_core::LegError;
use leg_core::spatial::{
    SpatialChannel, SpatialLeg, SpatialLegConfig, SpatialPretensioned, SpatialState,
};
use leg_core::strut::{StopMemory, Strut, StrutMotion};
use multibody::group::{Group, Se3};
use multibody::port::{Condensation, Port, equilibrium};
use multibody::results;
use multibody::statics::stability::unstable_directions;
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Vector3};

/// A bowed leaf in equilibrium.
#[derive(Debug, Clone)]
pub(super) struct StaticLeaf {
    pub(super) leg: SpatialLeg,
    pub(super) rest_length: Option<f64>,
    pub(super) state: SpatialState,
    workspace: Workspace<Se3, 6>,
    port: Port,
    condensation: Condensation<6>,
    /// Largest residual of a node at the last linearisation [N, N·m].
    residual: f64,
}

/// A strut, its tip and its crank held.
#[derive(Debug, Clone)]
pub(super) struct StaticStrut {
    strut: Strut,
    tip: Vector3<f64>,
    q1: f64,
    /// Force on the end effector with the leaf's weight there [N], its derivatives by the tip's place
    /// and the crank's angle.
    force: Vector3<f64>,
    by_tip: Matrix3<f64>,
    by_crank: Vector3<f64>,
    /// Torque that holds the crank [N·m], and its derivative by the crank's angle.
    torque: f64,
    torque_by_crank: f64,
}

/// A leg in equilibrium.
#[derive(Debug, Clone)]
pub(super) enum StaticLeg {
    /// With a bowed leaf.
    Leaf(Box<StaticLeaf>),
    /// As a strut.
    Strut(Box<StaticStrut>),
}

/// What changes of a leg.
#[derive(Debug, Clone)]
pub(super) enum LegMemory {
    /// Of a leaf.
    Leaf(Box<SpatialState>),
    /// A strut has none: it follows its ends.
    Strut,
}

/// Directions of a leg's port: the tip's position, then the crank's angle.
const CRANK: usize = 3;

impl StaticLeaf {
    fn new(bowed: SpatialPretensioned) -> core::result::Result<Self, LegError> {
        let SpatialPretensioned {
            leg,
            state,
            rest_length_m,
            ..
        } = bowed;
        let first = SpatialChannel::TipPosition as usize;
        let channels = [
            first,
            first + 1,
            first + 2,
            SpatialChannel::CrankAngle as usize,
        ];
        let inputs: Vec<_> = channels
            .iter()
            .filter_map(|&i| leg.model.input(i))
            .collect();
        let port = Port::new(&leg.model, &inputs, None)?;
        Ok(Self {
            rest_length: rest_length_m,
            workspace: Workspace::new(&leg.model),
            condensation: Condensation::new(&leg.model, &port),
            port,
            state,
            leg,
            residual: 0.0,
        })
    }

    fn set_inputs(&mut self, tip: &Vector3<f64>, motor: f64) {
        let first = SpatialChannel::TipPosition as usize;
        for i in 0..3 {
            self.state.inputs.value[first + i] = tip[i];
        }
        self.state.inputs.value[SpatialChannel::CrankAngle as usize] = motor;
    }

    fn linearize(&mut self, iteration: usize) -> multibody::Result<()> {
        let Self {
            leg,
            state,
            workspace,
            port,
            condensation,
            residual,
            ..
        } = self;
        let model = &leg.model;
        *residual = equilibrium::linearize(model, state, workspace, port, condensation, iteration)?;
        Ok(())
    }

    fn correct(&mut self, delta: &[f64]) -> f64 {
        let Self {
            leg,
            state,
            workspace,
            condensation,
            ..
        } = self;
        equilibrium::correct(&leg.model, state, workspace, condensation, delta, 1.0)
    }
}

impl StaticStrut {
    fn new(strut: Strut) -> Self {
        Self {
            tip: strut.config().tip_position_m.into(),
            q1: strut.config().q1_rad,
            force: Vector3::zeros(),
            by_tip: Matrix3::zeros(),
            by_crank: Vector3::zeros(),
            torque: 0.0,
            torque_by_crank: 0.0,
            strut,
        }
    }

    fn motion(&self) -> StrutMotion {
        StrutMotion {
            span: self.tip - self.strut.crank_end(self.q1),
            rate: Vector3::zeros(),
            first: self.strut.first_axis(self.q1),
        }
    }

    /// Force and torque where it is. The torque is τ = −a′·q with a the crank's end and q what acts on it,
    /// so that τ′ = −a″·q − a′·S a′, S the derivative of the strut's force by its span.
    fn linearize(&mut self) {
        let strut = &self.strut;
        let found = strut.respond(&self.motion(), &StopMemory::default());
        let way = strut.crank_end_by_angle(self.q1);
        let on_crank = strut.end_weight() - found.force;
        let crank_weight = strut.gravity() * (0.5 * strut.config().crank.mass_kg);
        // a″ points from A to the motor's axis.
        let bend = Vector3::from(strut.config().base.motor_position_m) - strut.crank_end(self.q1);
        self.force = found.force + strut.end_weight();
        self.by_tip = found.by_span;
        self.by_crank = -(found.by_span * way);
        self.torque = strut.holding_torque(self.q1, &on_crank);
        let pull = on_crank + crank_weight;
        self.torque_by_crank = -bend.dot(&pull) - way.dot(&(found.by_span * way));
    }
}

impl StaticLeg {
    /// A bowed leaf.
    pub(super) fn leaf(bowed: SpatialPretensioned) -> core::result::Result<Self, LegError> {
        Ok(Self::Leaf(Box::new(StaticLeaf::new(bowed)?)))
    }

    /// A strut.
    pub(super) fn strut(config: &SpatialLegConfig) -> core::result::Result<Self, LegError> {
        Ok(Self::Strut(Box::new(StaticStrut::new(Strut::new(config)?))))
    }

    pub(super) fn as_leaf(&self) -> Option<&StaticLeaf> {
        match self {
            Self::Leaf(leaf) => Some(leaf),
            Self::Strut(_) => None,
        }
    }

    pub(super) fn as_strut(&self) -> Option<&Strut> {
        match self {
            Self::Leaf(_) => None,
            Self::Strut(strut) => Some(&strut.strut),
        }
    }

    pub(super) fn config(&self) -> &SpatialLegConfig {
        match self {
            Self::Leaf(leaf) => &leaf.leg.config,
            Self::Strut(strut) => strut.strut.config(),
        }
    }

    /// The configuration of a leaf, to change; a strut's motor is locked.
    pub(super) fn config_mut(&mut self) -> Option<&mut SpatialLegConfig> {
        match self {
            Self::Leaf(leaf) => Some(&mut leaf.leg.config),
            Self::Strut(_) => None,
        }
    }

    pub(super) fn set_inputs(&mut self, tip: &Vector3<f64>, motor: f64) {
        match self {
            Self::Leaf(leaf) => leaf.set_inputs(tip, motor),
            Self::Strut(strut) => (strut.tip, strut.q1) = (*tip, motor),
        }
    }

    pub(super) fn linearize(&mut self, iteration: usize) -> multibody::Result<()> {
        match self {
            Self::Leaf(leaf) => leaf.linearize(iteration),
            Self::Strut(strut) => {
                strut.linearize();
                Ok(())
            }
        }
    }

    pub(super) fn correct(&mut self, delta: &[f64]) -> f64 {
        match self {
            Self::Leaf(leaf) => leaf.correct(delta),
            Self::Strut(_) => 0.0,
        }
    }

    /// Force on the end effector and its change by the leg's own correction.
    pub(super) fn force(&self) -> (Vector3<f64>, Vector3<f64>) {
        match self {
            Self::Leaf(leaf) => {
                let c = &leaf.condensation;
                (
                    Vector3::from_column_slice(&c.force[..3]),
                    Vector3::from_column_slice(&c.force_change[..3]),
                )
            }
            Self::Strut(strut) => (strut.force, Vector3::zeros()),
        }
    }

    /// Derivative of that force by the tip's place.
    pub(super) fn tip_operator(&self) -> Matrix3<f64> {
        match self {
            Self::Leaf(leaf) => leaf.condensation.operator.fixed_view::<3, 3>(0, 0).into(),
            Self::Strut(strut) => strut.by_tip,
        }
    }

    /// Derivative of that force by the crank's angle.
    pub(super) fn crank_operator(&self) -> Vector3<f64> {
        match self {
            Self::Leaf(leaf) => leaf
                .condensation
                .operator
                .fixed_view::<3, 1>(0, CRANK)
                .into(),
            Self::Strut(strut) => strut.by_crank,
        }
    }

    /// Torque that holds the crank [N·m]. The force of a leaf on its driver is the opposite of the
    /// driver's torque on the crank.
    pub(super) fn holding_torque(&self) -> f64 {
        match self {
            Self::Leaf(leaf) => -leaf.condensation.force[CRANK],
            Self::Strut(strut) => strut.torque,
        }
    }

    /// Stiffness of the crank, tip held [N·m/rad].
    pub(super) fn crank_stiffness(&self) -> f64 {
        match self {
            Self::Leaf(leaf) => -leaf.condensation.operator[(CRANK, CRANK)],
            Self::Strut(strut) => strut.torque_by_crank,
        }
    }

    /// Largest residual inside the leg [N, N·m].
    pub(super) fn residual(&self) -> f64 {
        self.as_leaf().map_or(0.0, |leaf| leaf.residual)
    }

    /// Tendon tension [N].
    pub(super) fn tension(&self) -> f64 {
        match self {
            Self::Leaf(leaf) => leaf
                .leg
                .tendon
                .and_then(|tendon| results::line(&leaf.leg.model, &leaf.state, tendon))
                .map_or(0.0, |line| line.response.tension),
            Self::Strut(strut) => strut.strut.tension(&strut.motion()),
        }
    }

    /// From A to B [m].
    pub(super) fn span(&self) -> Vector3<f64> {
        match self {
            Self::Leaf(leaf) => {
                let place = |node| leaf.state.pose(node).translation();
                place(leaf.leg.node_b) - place(leaf.leg.node_a)
            }
            Self::Strut(strut) => strut.motion().span,
        }
    }

    /// Direction in which the crank moves its end.
    pub(super) fn crank_motion(&self) -> Vector3<f64> {
        let rotation = match self {
            Self::Leaf(leaf) => leaf.state.pose(leaf.leg.crank).rotation(),
            Self::Strut(strut) => strut.strut.crank_pose(strut.q1).rotation(),
        };
        rotation.column(1).into_owned()
    }

    /// Centre line of the leaf from A to B [m].
    pub(super) fn centre_line(&self) -> Vec<Vector3<f64>> {
        let elements = self.config().solver.elements;
        match self {
            Self::Leaf(leaf) => (0..=elements)
                .map(|i| leaf.leg.model.beam_node(leaf.leg.leaf, i))
                .map(|node| leaf.state.pose(node).translation())
                .collect(),
            Self::Strut(strut) => {
                let a = strut.strut.crank_end(strut.q1);
                let poses = strut.strut.shape(&a, &strut.motion(), elements);
                poses.iter().map(Se3::translation).collect()
            }
        }
    }

    /// Unstable directions of the leaf with its ends held; a strut has no unknowns.
    pub(super) fn unstable_directions(&mut self) -> multibody::Result<usize> {
        match self {
            Self::Leaf(leaf) => {
                let StaticLeaf {
                    leg,
                    state,
                    workspace,
                    ..
                } = leaf.as_mut();
                unstable_directions(&leg.model, state, workspace)
            }
            Self::Strut(_) => Ok(0),
        }
    }

    pub(super) fn save(&self) -> LegMemory {
        match self {
            Self::Leaf(leaf) => LegMemory::Leaf(Box::new(leaf.state.clone())),
            Self::Strut(_) => LegMemory::Strut,
        }
    }

    /// Keeps what changes in memory made by [`Self::save`].
    pub(super) fn save_into(&self, memory: &mut LegMemory) {
        if let (Self::Leaf(leaf), LegMemory::Leaf(state)) = (self, memory) {
            state.copy_from(&leaf.state);
        }
    }

    pub(super) fn put_back(&mut self, memory: &LegMemory) {
        if let (Self::Leaf(leaf), LegMemory::Leaf(state)) = (self, memory) {
            leaf.state.copy_from(state);
        }
    }
}
