//! Generalised-α on a Lie group for constrained systems (index 3).
//!
//! Brüls, Cardona & Arnold 2012 (`bruls2012`), after Chung & Hulbert 1993 (`chung1993`):
//!
//! ```text
//! H_{k+1} = H_k exp(n),   n = h v_k + h² (½ − β) a_k + h² β a_{k+1}             (1)
//! v_{k+1} = v_k + h (1 − γ) a_k + h γ a_{k+1}                                   (2)
//! (1 − α_m) a_{k+1} + α_m a_k = (1 − α_f) v̇_{k+1} + α_f v̇_k                     (3)
//! r(H, v, v̇, λ)_{k+1} = 0,   φ(H)_{k+1} = 0                                     (4)
//! α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (γ + ½)² (5)
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

use super::projection::{Projection, project_positions, project_velocities};
use crate::assembly::{self, ConstraintLevel, Task, Weights, hinge};
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

/// Coefficients of eqs. (1) to (5) for one step size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// α_m.
    pub alpha_m: f64,
    /// α_f.
    pub alpha_f: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// Step size h [s].
    pub step: f64,
}

impl Coefficients {
    /// Coefficients for ρ∞ and step size h [s].
    pub fn new(spectral_radius: f64, step: f64) -> Self {
        let rho = spectral_radius;
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0); // (5)
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Self {
            alpha_m,
            alpha_f,
            beta: 0.25 * (gamma + 0.5) * (gamma + 0.5),
            gamma,
            step,
        }
    }

    /// How pose, velocity and acceleration follow the increment.
    pub fn weights(&self) -> Weights {
        let h = self.step;
        Weights {
            stiffness: 1.0,
            damping: self.gamma / (h * self.beta),
            inertia: (1.0 - self.alpha_m) / (h * h * self.beta * (1.0 - self.alpha_f)),
        }
    }
}

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
    let coefficients = Coefficients::new(settings.spectral_radius, h);
    workspace.trial.time = end;
    drive.sample_before(end, &mut workspace.trial.inputs);
    predict(state, workspace, &coefficients);
    let task = step_task(model, &coefficients, &settings.constraints);
    let mut solved = iterate(model, state, workspace, &coefficients, &task, settings);
    if solved.is_err() {
        // Accelerations that oscillate from step to step (stiff directions, ρ∞ near 1) make the
        // first guess a bad one: start again from the velocities alone before giving up.
        predict(state, workspace, &coefficients);
        for (n, v) in workspace.increments.iter_mut().zip(&state.velocities) {
            *n = v * h;
        }
        solved = iterate(model, state, workspace, &coefficients, &task, settings);
    }
    let (iterations, correction) = solved?;
    if let ConstraintHandling::Projection(projection) = &settings.constraints {
        project_trial(model, workspace, projection)?;
    }
    let local_error = local_error(model, state, workspace, &coefficients);
    accept(model, state, workspace, h);
    Ok(StepReport {
        iterations,
        correction,
        local_error,
    })
}

/// What a step assembles.
pub(crate) fn step_task<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    coefficients: &Coefficients,
    handling: &ConstraintHandling,
) -> Task {
    let weights = coefficients.weights();
    let level = match *handling {
        ConstraintHandling::Position => ConstraintLevel::Position,
        ConstraintHandling::Baumgarte { ratio, frequency } => {
            let omega = frequency / coefficients.step;
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
    coefficients: &Coefficients,
) {
    let h = coefficients.step;
    let trial = &mut workspace.trial;
    trial.multipliers.copy_from_slice(&state.multipliers);
    trial.angles.copy_from_slice(&state.angles);
    for (i, n) in workspace.increments.iter_mut().enumerate() {
        *n = state.velocities[i] * h + state.algorithmic[i] * (0.5 * h * h); // (1), a_{k+1} = a_k
    }
    workspace.corrections.clear();
}

/// Poses, velocities and accelerations of the trial state from the increments, eqs. (1) to (3).
pub(crate) fn follow_increments<G: Group<N, D>, const N: usize, const D: usize>(
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    coefficients: &Coefficients,
) {
    let Coefficients {
        alpha_m,
        alpha_f,
        beta,
        gamma,
        step: h,
    } = *coefficients;
    let Workspace {
        trial, increments, ..
    } = workspace;
    let per_square = 1.0 / (h * h * beta);
    let by_f = 1.0 / (1.0 - alpha_f);
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
        let a_new = (n - v * h - a * (h * h * (0.5 - beta))) * per_square; // (1)
        *new_a = a_new;
        *new_v = v + a * (h * (1.0 - gamma)) + a_new * (h * gamma); // (2)
        *new_v_dot = (a_new * (1.0 - alpha_m) + a * alpha_m - v_dot * alpha_f) * by_f; // (3)
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
    coefficients: &Coefficients,
    task: &Task,
    settings: &StepSettings,
) -> Result<(usize, f64)> {
    let tolerance = settings.tolerance;
    let mut residual = (0.0, 0);
    let mut correction = f64::INFINITY;
    follow_increments::<G, N, D>(state, workspace, coefficients);
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
        follow_increments::<G, N, D>(state, workspace, coefficients);
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
            follow_increments::<G, N, D>(state, workspace, coefficients);
            return Ok((iteration + 1, last));
        }
    }
    Err(Error::NewtonDiverged {
        time: workspace.trial.time,
        step: coefficients.step,
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
    system.solve(&model.layout);
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
    coefficients: &Coefficients,
) -> f64 {
    let factor = coefficients.step.powi(2) * (coefficients.beta - 1.0 / 6.0).abs();
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
    let power = energy::powers(model, trial);
    let in_lines = energy::beyond_trapezoid(model, state, trial, h);
    trial.ledger.advance(h, power, in_lines);
    state.copy_from(trial);
}
