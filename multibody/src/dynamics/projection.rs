//! Projection of positions and velocities onto the constraints.
//!
//! The correction that moves least, measured by a weight W, with some coordinates held:
//!
//! ```text
//! min ½ ψᵀ W ψ   subject to   φ(H exp ψ) = 0,   ψ_held = 0                      (1)
//! min ½ δᵀ W δ   subject to   φ_q (v + δ) + φ_t = 0,   δ_held = 0               (2)
//! ```

use crate::assembly::{self, ConstraintLevel, Task, Weights, hinge};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::model::{Model, NodeId};
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::SMatrix;

/// What a projection calls near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectionWeight {
    /// The mass matrix: kinetic energy of the correction.
    #[default]
    Mass,
    /// The identity (lengths in units of the model's length).
    Identity,
    /// The identity in metres and radians: one of either counts the same.
    Plain,
}

/// A coordinate a projection must not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The node.
    pub node: NodeId,
    /// Component of its twist, from 0.
    pub component: usize,
}

/// Settings of a projection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// The weight W.
    pub weight: ProjectionWeight,
    /// Coordinates that stay.
    pub held: Vec<Held>,
}

/// Most iterations of the position projection; it converges quadratically or not at all.
const MAX_ITERATIONS: usize = 20;
/// A projection stops after a correction below this (relative to the model's length; rad).
const TOLERANCE: f64 = 1e-12;

/// Moves the poses of `state` onto the constraints, (1). Velocities are left as they are.
pub fn project_positions<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    projection: &Projection,
) -> Result<()> {
    let mut correction = f64::INFINITY;
    for iteration in 1..=MAX_ITERATIONS {
        assemble(
            model,
            state,
            workspace,
            projection,
            ConstraintLevel::Position,
        )?;
        workspace.factor_and_solve(model, state.time, iteration)?;
        correction = workspace.correction_norm(model);
        for (pose, psi) in state.poses.iter_mut().zip(&workspace.system.node_rhs) {
            *pose = pose.compose(&G::exp(psi)).renormalized();
        }
        if correction <= TOLERANCE {
            hinge::update_angles(model, state);
            return Ok(());
        }
    }
    let worst = workspace
        .system
        .row_rhs
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .map_or(0, |(row, _)| row);
    Err(Error::NewtonDiverged {
        time: state.time,
        step: 0.0,
        iterations: MAX_ITERATIONS,
        correction,
        residual: correction,
        location: model.row_location(worst),
    })
}

/// Moves the velocities of `state` onto the constraints, (2).
pub fn project_velocities<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    projection: &Projection,
) -> Result<()> {
    assemble(
        model,
        state,
        workspace,
        projection,
        ConstraintLevel::Velocity,
    )?;
    workspace.factor_and_solve(model, state.time, 1)?;
    for (velocity, delta) in state.velocities.iter_mut().zip(&workspace.system.node_rhs) {
        *velocity += delta;
    }
    Ok(())
}

/// Assembles `[W φ_qᵀ; φ_q 0]` with the right-hand side of the constraints only.
fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    projection: &Projection,
    level: ConstraintLevel,
) -> Result<()> {
    workspace.reset_maps();
    let task = Task {
        weights: Weights {
            stiffness: 0.0,
            damping: 0.0,
            inertia: 1.0,
        },
        dynamic: true,
        level,
        constraint_scale: model.mass_scale,
    };
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    for rhs in &mut system.node_rhs {
        rhs.fill(0.0);
    }
    if projection.weight != ProjectionWeight::Mass {
        let mut unit = SMatrix::<f64, N, N>::identity() * model.mass_scale;
        if projection.weight == ProjectionWeight::Identity {
            for i in D..N {
                unit[(i, i)] *= model.length_scale * model.length_scale;
            }
        }
        system.diagonal.fill(unit);
        system.upper.fill(SMatrix::zeros());
        system.lower.fill(SMatrix::zeros());
    }
    for held in &projection.held {
        let node = held.node.0;
        if node < system.diagonal.len() && held.component < N {
            // A weight this large moves the coordinate by less than rounding.
            system.diagonal[node][(held.component, held.component)] += 1e14 * model.mass_scale;
        }
    }
    Ok(())
}
