//! Equilibrium of a model whose port belongs to a larger system.

use super::{Condensation, Port};
use crate::assembly::{self, Task, hinge};
use crate::error::Result;
use crate::group::Group;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;

/// Linearises the equilibrium of `state` under its inputs and condenses it to the port. The
/// largest residual of a node [N, N·m].
pub fn linearize<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    port: &Port,
    condensation: &mut Condensation<N>,
    iteration: usize,
) -> Result<f64> {
    workspace.reset_maps();
    let task = Task::statics(model.stiffness_scale);
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    let residual = workspace.largest_residual().0;
    workspace.factor_assembled(model, state.time, iteration)?;
    let Workspace { maps, system, .. } = workspace;
    condensation.condense(model, &state.motion_with(maps), &task, system, port);
    Ok(residual)
}

/// Moves `state` by `factor` times the correction for the changes `delta` of the port's inputs,
/// which the caller applies to `state.inputs`. The size of the whole correction (relative to the
/// model's length; rad).
pub fn correct<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    condensation: &Condensation<N>,
    delta: &[f64],
    factor: f64,
) -> f64 {
    condensation.expand(model, &mut workspace.system, delta);
    let size = workspace.correction_norm(model);
    let system = &workspace.system;
    for (pose, psi) in state.poses.iter_mut().zip(&system.node_rhs) {
        *pose = pose.compose(&G::exp(&(psi * factor))).renormalized();
    }
    let scale = factor * condensation.constraint_scale;
    for (lambda, delta) in state.multipliers.iter_mut().zip(&system.row_rhs) {
        *lambda += scale * delta;
    }
    hinge::update_angles(model, state);
    size
}
