//! A leg in equilibrium, its tip and its crank held.

use leg_core::LegError;
use leg_core::spatial::{SpatialChannel, SpatialLeg, SpatialPretensioned, SpatialState};
use multibody::group::Se3;
use multibody::port::{Condensation, Port, balance};
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Vector3};

/// A leg in equilibrium.
#[derive(Debug, Clone)]
pub(super) struct StaticLeg {
    pub(super) leg: SpatialLeg,
    pub(super) rest_length: Option<f64>,
    pub(super) state: SpatialState,
    pub(super) workspace: Workspace<Se3, 6>,
    pub(super) port: Port,
    pub(super) condensation: Condensation<6>,
    /// Largest residual of a node at the last linearisation [N, N·m].
    pub(super) residual: f64,
}

/// Directions of a leg's port: the tip's position, then the crank's angle.
pub(super) const CRANK: usize = 3;

impl StaticLeg {
    pub(super) fn new(bowed: SpatialPretensioned) -> core::result::Result<Self, LegError> {
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

    pub(super) fn set_inputs(&mut self, tip: &Vector3<f64>, motor: f64) {
        let first = SpatialChannel::TipPosition as usize;
        for i in 0..3 {
            self.state.inputs.value[first + i] = tip[i];
        }
        self.state.inputs.value[SpatialChannel::CrankAngle as usize] = motor;
    }

    pub(super) fn linearize(&mut self, iteration: usize) -> multibody::Result<()> {
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
        *residual = balance::linearize(model, state, workspace, port, condensation, iteration)?;
        Ok(())
    }

    pub(super) fn correct(&mut self, delta: &[f64]) -> f64 {
        let Self {
            leg,
            state,
            workspace,
            condensation,
            ..
        } = self;
        balance::correct(&leg.model, state, workspace, condensation, delta, 1.0)
    }

    /// Force on the end effector and its change by the leg's own correction.
    pub(super) fn force(&self) -> (Vector3<f64>, Vector3<f64>) {
        let c = &self.condensation;
        (
            Vector3::from_column_slice(&c.force[..3]),
            Vector3::from_column_slice(&c.force_change[..3]),
        )
    }

    pub(super) fn tip_operator(&self) -> Matrix3<f64> {
        self.condensation.operator.fixed_view::<3, 3>(0, 0).into()
    }
}
