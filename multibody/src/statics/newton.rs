//! Newton's method for equilibrium, damped by the natural monotonicity test.
//!
//! ```text
//! K δ = −r(x),   x ← x + s δ,   accept s when  ‖K⁻¹ r(x + s δ)‖ ≤ (1 − s/4) ‖δ‖      (1)
//! ```
//!
//! The test (`deuflhard2011`) measures the residual in units of corrections, so it is not misled
//! by the stretching stiffness of a thin beam being a million times its bending stiffness, as a
//! test on the residual itself is. The norm is the largest correction relative to the model's
//! length, or in radians.

use crate::assembly::{self, Task, hinge};
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;

/// Settings of the static solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticSettings {
    /// Stops after a correction smaller than this (relative to the model's length; rad).
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Largest correction applied at once (relative to the model's length; rad).
    pub largest_correction: f64,
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_iterations: 60,
            largest_correction: 0.5,
        }
    }
}

impl StaticSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<()> {
        let owner = "static settings";
        let ok = self.tolerance > 0.0 && self.tolerance < 1e-2;
        require(ok, owner, "tolerance", self.tolerance, "in (0, 0.01)")?;
        let largest = self.largest_correction;
        require(largest > 0.0, owner, "largest_correction", largest, "> 0")
    }
}

/// What a static solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Size of the last correction (relative to the model's length; rad).
    pub correction: f64,
    /// Largest force residual at the solution [N or N·m].
    pub residual: f64,
    /// Sign of the determinant of the tangent at the solution.
    pub determinant_sign: f64,
}

/// Smallest damping factor tried.
const SMALLEST_FACTOR: f64 = 1e-4;

/// Brings `state` to equilibrium under its own inputs, from where it is. Velocities are ignored
/// and set to zero. On an error the state is that of the last iteration.
///
/// The state may come from a model with the same nodes, rows and inputs but other forces, such as a
/// leaf that was bowed before its tendon was there.
pub fn solve<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    settings: &StaticSettings,
) -> Result<StaticReport> {
    settings.validate()?;
    state.stop();
    // What forces remember is of the past motion: nothing at rest.
    state.memory.clear();
    state.memory.resize(model.memory_count(), 0.0);
    workspace.reset_maps();
    workspace.corrections.clear();
    let task = Task::statics(model.stiffness_scale);
    let mut residual = (0.0, 0);
    let mut correction = f64::INFINITY;
    for iteration in 1..=settings.max_iterations {
        linearize(model, state, workspace, &task)?;
        residual = workspace.largest_residual();
        workspace.factor_and_solve(model, state.time, iteration)?;
        correction = workspace.correction_norm(model);
        workspace.remember(correction);
        if correction <= settings.tolerance {
            apply(model, state, workspace, &task, 1.0);
            let determinant_sign = workspace.system.determinant_sign();
            linearize(model, state, workspace, &task)?;
            let residual = workspace.largest_residual().0;
            return Ok(StaticReport {
                iterations: iteration,
                correction,
                residual,
                determinant_sign,
            });
        }
        damped_update(model, state, workspace, &task, settings, correction)?;
    }
    Err(Error::NewtonDiverged {
        time: state.time,
        step: 0.0,
        iterations: settings.max_iterations,
        correction,
        residual: residual.0,
        location: model.node_location(residual.1),
    })
}

/// Assembles the static system at `state`.
pub(super) fn linearize<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    task: &Task,
) -> Result<()> {
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), task, system)
}

/// Applies `factor` times the correction in the workspace to `state`.
#[inline(never)]
pub(super) fn apply<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &Workspace<G, N>,
    task: &Task,
    factor: f64,
) {
    let system = &workspace.system;
    for (pose, psi) in state.poses.iter_mut().zip(&system.node_rhs) {
        *pose = pose.compose(&G::exp(&(psi * factor))).renormalized();
    }
    let scale = factor * task.constraint_scale;
    for (lambda, delta) in state.multipliers.iter_mut().zip(&system.row_rhs) {
        *lambda += scale * delta;
    }
    hinge::update_angles(model, state);
}

/// One damped step along the correction in the workspace, eq. (1).
#[inline(never)]
fn damped_update<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    task: &Task,
    settings: &StaticSettings,
    correction: f64,
) -> Result<()> {
    let mut factor = (settings.largest_correction / correction).min(1.0);
    // The correction is kept aside while the system solves for others.
    let direction_nodes = workspace.system.node_rhs.clone();
    let direction_rows = workspace.system.row_rhs.clone();
    workspace.backup.copy_from(state);
    loop {
        workspace.system.node_rhs.copy_from_slice(&direction_nodes);
        workspace.system.row_rhs.copy_from_slice(&direction_rows);
        apply(model, state, workspace, task, factor);
        let system = &mut workspace.system;
        let evaluated = assembly::assemble_rhs(model, &state.motion(), task, system);
        let next = match evaluated {
            Ok(()) => {
                G::solve(system, &model.layout);
                workspace.correction_norm(model)
            }
            Err(_) => f64::INFINITY,
        };
        // NaN fails the comparison and halves the step.
        if next <= (1.0 - 0.25 * factor) * correction {
            return Ok(());
        }
        if factor < SMALLEST_FACTOR {
            return evaluated;
        }
        factor *= 0.5;
        state.copy_from(&workspace.backup);
    }
}
