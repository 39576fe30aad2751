//! Prescribed motions whose second derivative jumps.
//!
//! Where two pieces of a prescribed motion meet, its acceleration may jump. Constraints are kept at
//! position level: the generalised-α method would learn of the jump from positions only, one step
//! later, and answer with accelerations, velocities and multipliers that oscillate from step to
//! step and die out with ρ∞ only. Dampers and whatever else feels the reactions would feel that.
//! So the accelerations jump too, as the model answers a jump δü of its inputs within a step h:
//!
//! ```text
//! (K + γ/(hβ) C + (1 − α_m)/(h²β(1 − α_f)) M) δ + φ_qᵀ λ_δ = 0, φ_q δ = −φ_u δü (1)
//! v̇ ← v̇ + δ,   a ← a + δ                                                        (2)
//! λ ← λ + h²β(1 − α_f)/(1 − α_m) λ_δ                                            (3)
//! ```
//!
//! (1) is the matrix of the step ([`super::alpha`]): parts too stiff for the step move along as if
//! they were rigid, soft ones stay. A point that is driven itself then follows a parabola without
//! any oscillation. (3) are the reactions right behind the jump, λ_δ being those of (1): steps do
//! not need them, but the account of work does.

use super::alpha::{Coefficients, ConstraintHandling, StepSettings, step_task};
use crate::assembly::{self, Task, inputs};
use crate::error::Result;
use crate::group::Group;
use crate::model::Model;
use crate::results::energy;
use crate::state::State;
use crate::workspace::Workspace;

/// The matrix (1) at a state, factorised in the workspace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joining {
    task: Task,
}

impl Joining {
    /// Factorises for steps of `h` [s] from `state`.
    pub fn new<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        state: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        h: f64,
        settings: &StepSettings,
    ) -> Result<Self> {
        let coefficients = Coefficients::new(settings.spectral_radius, h);
        let task = step_task(model, &coefficients, &ConstraintHandling::Position);
        workspace.reset_maps();
        let Workspace { maps, system, .. } = workspace;
        assembly::assemble(model, &state.motion_with(maps), &task, system)?;
        workspace.factor_assembled(model, state.time, 1)?;
        Ok(Self { task })
    }

    /// Solves (1) for jumps of inputs, given as pairs of channel and δü. The answer is in the
    /// right-hand side of the workspace's system: δ, and the jumps of the multipliers, (3).
    pub fn answer<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        jumps: impl Iterator<Item = (usize, f64)>,
    ) {
        let Workspace { system, .. } = workspace;
        let scale = self.task.constraint_scale;
        inputs::driven_rows(model, &state.motion(), jumps, scale, system);
        system.solve(&model.layout);
        let scale = scale / self.task.weights.inertia;
        system.row_rhs.iter_mut().for_each(|row| *row *= scale); // (3)
    }
}

/// Lets accelerations and reactions of `state` jump with its prescribed inputs, (2) and (3): before
/// steps of `h` [s] in which they have the second derivatives `acceleration(channel)`.
pub(crate) fn join<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    h: f64,
    settings: &StepSettings,
    acceleration: impl Fn(usize) -> f64,
) -> Result<Joining> {
    let joining = Joining::new(model, state, workspace, h, settings)?;
    let before = &state.inputs.acceleration;
    let jumps = (0..before.len()).map(|channel| (channel, acceleration(channel) - before[channel]));
    joining.answer(model, state, workspace, jumps);
    for (i, delta) in workspace.system.node_rhs.iter().enumerate() {
        state.accelerations[i] += delta;
        state.algorithmic[i] += delta;
    }
    for (lambda, delta) in state.multipliers.iter_mut().zip(&workspace.system.row_rhs) {
        *lambda += delta;
    }
    state.ledger.powers = energy::powers(model, state);
    Ok(joining)
}
