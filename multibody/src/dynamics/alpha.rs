//! Generalised-α on a Lie group for constrained systems (index 3).
//!
//! Brüls, Cardona & Arnold 2012 (`bruls2012`), after Chung & Hulbert 1993 (`chung1993`):
//!
//! ```text
//! H_{k+1} = H_k exp(n),   (v, v̇)_{k+1} as in [`super::integrator`]              (1)
//! r(H, v, v̇, λ)_{k+1} = 0,   φ(H)_{k+1} = 0                                     (4)
//! ```
//!
//! Newton's unknown is the twist ψ of every node, `δn = T⁻¹(n) ψ`, `δv = γ/(hβ) δn`,
//! `δv̇ = (1 − α_m)/(h²β(1 − α_f)) δn`. Constraint rows and multipliers are scaled by the mass
//! term of the matrix, so that its conditioning does not depend on h (`bottasso2008`).
//!
//! Close to the solution, at a correction c, the factors at hand are tried on the new right-hand
//! side before the tangent is assembled again. If the correction c' they give is good enough it is
//! the last one, at a fraction of the cost of an iteration; if not, it is forgotten (a simplified
//! Newton correction, `deuflhard2011`).
//!
//! ```text
//! error left by c' ≈ θ c',   θ ≤ 4000 c                                         (6)
//! ```
//!
//! Here θ is the relative change of the tangent over c. That of a thin leaf changes by the ratio of
//! stretching to bending stiffness; θ/c is 1000 to 4000 on the swinging leaf.
//!
//! Deviation from the paper: the prediction keeps a_{k+1} = a_k instead of v̇_{k+1} = 0, which
//! starts Newton closer to the solution and changes nothing else.

use super::integrator::Integrator;
use super::projection::{Projection, project_positions, project_velocities};
use super::stops;
use crate::assembly::{self, ConstraintLevel, Task, hinge};
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::model::{Drive, Model};
use crate::results::energy;
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::SVector;

/// How the constraints are kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ConstraintHandling {
    /// φ = 0 at the end of every step (index 3).
    #[default]
    Position,
    /// φ̈ + 2 ζ ω φ̇ + ω² φ = 0 with ω = κ/h (index 1, `baumgarte1972`).
    Baumgarte {
        /// Damping ratio ζ.
        ratio: f64,
        /// κ = ω h.
        frequency: f64,
    },
    /// φ̈ = 0, then positions and velocities are projected back after every step.
    Projection(Projection),
}

/// Settings of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSettings {
    /// Spectral radius at infinite frequency ρ∞ ∈ [0, 1]: 1 keeps energy, 0 annihilates what the
    /// step cannot resolve.
    pub spectral_radius: f64,
    /// Newton stops after a correction smaller than this (relative to the model's length; rad).
    /// The error left is of the order of its square, or 1e-4 of it where factors are used twice
    /// (never with a tolerance below 1e-10).
    pub tolerance: f64,
    /// Most Newton iterations before the step is refused.
    pub max_iterations: usize,
    /// How the constraints are kept.
    pub constraints: ConstraintHandling,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            spectral_radius: 0.8,
            tolerance: 1e-8,
            max_iterations: 15,
            constraints: ConstraintHandling::Position,
        }
    }
}

impl StepSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<()> {
        let owner = "step settings";
        let rho = self.spectral_radius;
        require(
            (0.0..=1.0).contains(&rho),
            owner,
            "spectral_radius",
            rho,
            "in [0, 1]",
        )?;
        let tolerance = self.tolerance;
        let ok = tolerance > 0.0 && tolerance < 1e-2;
        require(ok, owner, "tolerance", tolerance, "in (0, 0.01)")?;
        let iterations = self.max_iterations as f64;
        require(
            self.max_iterations > 0,
            owner,
            "max_iterations",
            iterations,
            ">= 1",
        )?;
        if let ConstraintHandling::Baumgarte { ratio, frequency } = self.constraints {
            require(ratio > 0.0, owner, "Baumgarte ratio", ratio, "> 0")?;
            require(
                frequency > 0.0,
                owner,
                "Baumgarte frequency",
                frequency,
                "> 0",
            )?;
        }
        Ok(())
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Size of the last correction (relative to the model's length; rad).
    pub correction: f64,
    /// Estimate of the step's own error in positions (relative to the model's length; rad).
    pub local_error: f64,
}

/// θ/c of eq. (6).
pub(crate) const TANGENT_CHANGE: f64 = 4e3;
/// Largest correction after which the factors are tried again; after a larger one they rarely
/// serve.
pub(crate) const NEAR: f64 = 2e-5;
/// Error that used factors may leave, as a fraction of the tolerance.
pub(crate) const SHORT_ACCURACY: f64 = 1e-4;
/// Smallest tolerance at which factors are used again: below, rounding would pass for an error.
pub(crate) const SHORT_TOLERANCE: f64 = 1e-10;

/// Advances `state` by one step of size `h` [s]. On an error the state is as it was.
pub fn step<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    h: f64,
    settings: &StepSettings,
) -> Result<StepReport> {
    let end = state.time + h;
    step_to(model, state, workspace, drive, (h, end), settings)
}

/// [`step`] of size `h` [s] to the time `end` [s]: the two belong to a grid, whose times are not
/// those that adding up gives.
pub fn step_to<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    (h, end): (f64, f64),
    settings: &StepSettings,
) -> Result<StepReport> {
    let report = solve(model, state, workspace, drive, (h, end), settings)?;
    accept(model, state, workspace, h);
    Ok(report)
}

/// Solves for the end of a step, which [`accept`] makes the state.
pub(crate) fn solve<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    (h, end): (f64, f64),
    settings: &StepSettings,
) -> Result<StepReport> {
    let integrator = Integrator::new(settings.spectral_radius, h);
    workspace.trial.time = end;
    drive.sample_before(end, &mut workspace.trial.inputs);
    predict(state, workspace, &integrator);
    let task = step_task(model, &integrator, &settings.constraints);
    let mut solved = iterate(model, state, workspace, &integrator, &task, settings);
    if solved.is_err() {
        // Accelerations that oscillate from step to step (stiff directions, ρ∞ near 1) make the
        // first guess a bad one: start again from the velocities alone before giving up.
        predict(state, workspace, &integrator);
        predict_calmly(state, workspace, &integrator);
        solved = iterate(model, state, workspace, &integrator, &task, settings);
    }
    let (iterations, correction) = solved?;
    if let ConstraintHandling::Projection(projection) = &settings.constraints {
        project_trial(model, workspace, projection)?;
    }
    Ok(StepReport {
        iterations,
        correction,
        local_error: local_error(model, state, workspace, &integrator),
    })
}

/// What a step assembles.
pub(crate) fn step_task<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    integrator: &Integrator,
    handling: &ConstraintHandling,
) -> Task {
    let weights = integrator.weights();
    let level = match *handling {
        ConstraintHandling::Position => ConstraintLevel::Position,
        ConstraintHandling::Baumgarte { ratio, frequency } => {
            let omega = frequency / integrator.step();
            ConstraintLevel::Acceleration {
                velocity_gain: 2.0 * ratio * omega,
                position_gain: omega * omega,
            }
        }
        ConstraintHandling::Projection(_) => ConstraintLevel::Acceleration {
            velocity_gain: 0.0,
            position_gain: 0.0,
        },
    };
    let constraint_scale = match level {
        ConstraintLevel::Position => weights.inertia * model.mass_scale,
        _ => model.mass_scale,
    };
    Task {
        weights,
        dynamic: true,
        level,
        constraint_scale,
    }
}

/// First guess of the end of the step, whose time and inputs the trial state has already.
pub(crate) fn predict<G: Copy, const N: usize>(
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    integrator: &Integrator,
) {
    let trial = &mut workspace.trial;
    trial.multipliers.copy_from_slice(&state.multipliers);
    trial.angles.copy_from_slice(&state.angles);
    trial.memory.copy_from_slice(&state.memory);
    trial.since_memory = integrator.step();
    for (i, n) in workspace.increments.iter_mut().enumerate() {
        *n = integrator.predict(&state.velocities[i], &state.algorithmic[i]);
    }
    workspace.corrections.clear();
}

/// A calmer guess of the increments, from the velocities alone.
pub(crate) fn predict_calmly<G, const N: usize>(
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    integrator: &Integrator,
) {
    for (n, v) in workspace.increments.iter_mut().zip(&state.velocities) {
        *n = integrator.predict_calmly(v);
    }
}

/// Poses, velocities and accelerations of the trial state from the increments, eqs. (1) to (3).
pub(crate) fn follow_increments<G: Group<N, D>, const N: usize, const D: usize>(
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    integrator: &Integrator,
) {
    let Workspace {
        trial, increments, ..
    } = workspace;
    let before = (state.poses.iter())
        .zip(&state.velocities)
        .zip(&state.accelerations)
        .zip(&state.algorithmic);
    let after = (trial.poses.iter_mut())
        .zip(&mut trial.velocities)
        .zip(&mut trial.accelerations)
        .zip(&mut trial.algorithmic);
    for ((n, before), after) in increments.iter().zip(before).zip(after) {
        let (((pose, v), v_dot), a) = before;
        let (((new_pose, new_v), new_v_dot), new_a) = after;
        let end = integrator.follow([v, v_dot, a], n);
        *new_a = end.algorithmic;
        *new_v = end.velocity;
        *new_v_dot = end.acceleration;
        *new_pose = pose.compose(&G::exp(n));
    }
}

/// T⁻¹ of the increments.
pub(crate) fn update_maps<G: Group<N, D>, const N: usize, const D: usize>(
    workspace: &mut Workspace<G, N>,
) {
    let Workspace {
        increments, maps, ..
    } = workspace;
    for (map, n) in maps.iter_mut().zip(increments.iter()) {
        *map = G::tangent_inverse(n);
    }
}

/// Newton's iteration on eq. (4): iterations done and size of the last correction.
fn iterate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    integrator: &Integrator,
    task: &Task,
    settings: &StepSettings,
) -> Result<(usize, f64)> {
    let tolerance = settings.tolerance;
    let mut residual = (0.0, 0);
    let mut correction = f64::INFINITY;
    follow_increments::<G, N, D>(state, workspace, integrator);
    for iteration in 1..=settings.max_iterations {
        match linearize(model, workspace, task) {
            // An iterate that folds an element over is a Newton that went astray.
            Err(Error::ElementTurnedTooFar { .. }) if iteration > 1 => break,
            other => other?,
        }
        residual = workspace.largest_residual();
        workspace.factor_and_solve(model, workspace.trial.time, iteration)?;
        correction = workspace.correction_norm(model);
        workspace.remember(correction);
        correct(workspace, task.constraint_scale);
        follow_increments::<G, N, D>(state, workspace, integrator);
        if correction <= tolerance {
            return Ok((iteration, correction));
        }
        // Nothing physical turns by this much in a step that can still converge.
        if correction > 1e3 {
            break;
        }
        if correction <= NEAR
            && tolerance >= SHORT_TOLERANCE
            && iteration < settings.max_iterations
            && let Some(last) = try_factors(model, workspace, task, tolerance, correction)
        {
            follow_increments::<G, N, D>(state, workspace, integrator);
            return Ok((iteration + 1, last));
        }
    }
    Err(Error::NewtonDiverged {
        time: workspace.trial.time,
        step: integrator.step(),
        iterations: workspace.corrections.len(),
        correction,
        residual: residual.0,
        location: model.node_location(residual.1),
    })
}

/// Tries the factors at hand, of an iteration with the given correction, on the right-hand side of
/// the trial state. Applies what they give and returns its size if that is accurate by eq. (6).
fn try_factors<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    task: &Task,
    tolerance: f64,
    correction: f64,
) -> Option<f64> {
    let Workspace { trial, system, .. } = workspace;
    assembly::assemble_rhs(model, &trial.motion(), task, system).ok()?;
    G::solve(system, &model.layout);
    let last = workspace.correction_norm(model);
    let left = TANGENT_CHANGE * correction * last; // (6)
    let accurate = last <= tolerance && left <= SHORT_ACCURACY * tolerance;
    if !accurate || !workspace.is_finite() {
        return None;
    }
    workspace.remember(last);
    correct(workspace, task.constraint_scale);
    Some(last)
}

/// Assembles Newton's system at the trial state.
pub(crate) fn linearize<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    task: &Task,
) -> Result<()> {
    update_maps::<G, N, D>(workspace);
    let Workspace {
        trial,
        maps,
        system,
        ..
    } = workspace;
    assembly::assemble(model, &trial.motion_with(maps), task, system)
}

/// Applies the solution of Newton's system to increments and multipliers.
pub(crate) fn correct<G, const N: usize>(workspace: &mut Workspace<G, N>, constraint_scale: f64) {
    let Workspace {
        trial,
        increments,
        maps,
        system,
        ..
    } = workspace;
    for ((n, map), psi) in increments.iter_mut().zip(maps.iter()).zip(&system.node_rhs) {
        *n += map * psi;
    }
    for (lambda, delta) in trial.multipliers.iter_mut().zip(&system.row_rhs) {
        *lambda += constraint_scale * delta;
    }
}

/// Error of the step in positions: the difference between (1) and the same with β = 1/6, the
/// value that makes it third-order accurate for the solution's own acceleration.
fn local_error<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &Workspace<G, N>,
    integrator: &Integrator,
) -> f64 {
    let factor = integrator.error_by_algorithmic().abs();
    let scale = 1.0 / model.length_scale;
    let mut worst: f64 = 0.0;
    for (new, old) in workspace.trial.algorithmic.iter().zip(&state.algorithmic) {
        let jump: SVector<f64, N> = new - old;
        for i in 0..N {
            let unit = if i < D { scale } else { 1.0 };
            let size = jump[i].abs() * unit;
            if size > worst {
                worst = size;
            }
        }
    }
    factor * worst
}

/// Projects positions and velocities of the trial state onto the constraints.
fn project_trial<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    projection: &Projection,
) -> Result<()> {
    // Out of the workspace while it is projected; an empty state allocates nothing.
    let mut trial = core::mem::replace(&mut workspace.trial, State::empty());
    let done = project_positions(model, &mut trial, workspace, projection)
        .and_then(|()| project_velocities(model, &mut trial, workspace, projection));
    workspace.trial = trial;
    done
}

/// Makes the trial state the state.
pub(crate) fn accept<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    h: f64,
) {
    let trial = &mut workspace.trial;
    for pose in &mut trial.poses {
        *pose = pose.renormalized();
    }
    trial.angles.copy_from_slice(&state.angles);
    hinge::update_angles(model, trial);
    trial.ledger = state.ledger;
    let in_lines = energy::beyond_trapezoid(model, state, trial, h);
    stops::remember(model, trial);
    let power = energy::powers(model, trial);
    trial.ledger.advance(h, power, in_lines);
    state.copy_from(trial);
}
