//! First-order statics about a state: displacements per unit of an input, forces out of balance.

use crate::assembly::{self, Task, inputs};
use crate::error::Result;
use crate::group::Group;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::SVector;

/// Displacement of every node per unit of input `channel`, linearised about `state`
/// (left-trivialised; [m] and [rad] per unit of the input).
pub fn displacement_per_input<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    channel: usize,
) -> Result<Vec<SVector<f64, N>>> {
    let task = Task::statics(model.stiffness_scale);
    {
        let Workspace { maps, system, .. } = workspace;
        assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    }
    workspace.factor(model, state.time, 1)?;
    let scale = task.constraint_scale;
    let system = &mut workspace.system;
    inputs::input_column(model, &state.motion(), channel, scale, system);
    G::solve(system, &model.layout);
    Ok(system.node_rhs.clone())
}

/// Force on every node that nothing balances at `state`, constraints left out (in the node's own
/// axes; [N] and [N·m]).
pub fn unbalanced_force<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<Vec<SVector<f64, N>>> {
    let Workspace { maps, system, .. } = workspace;
    let task = Task::statics(1.0);
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    Ok(system.node_rhs.clone())
}
