//! Paths of equilibria: load stepping and pseudo-arc-length continuation.
//!
//! The inputs move along a line, `u(p) = u_0 + p (u_1 − u_0)`; equilibria form a curve
//! `x(p)`, or where it turns back, `(x(s), p(s))` with the arc length s. One step of length ds
//! along the unit tangent `(t, τ)` solves (`keller1977`)
//!
//! ```text
//! r(x, p) = 0,     t·W Δx + τ Δp = ds                                          (1)
//! ```
//!
//! by two solutions with the same factors: `δx = a + δp b`, `K a = −r`, `K b = −r_p`. W measures
//! node displacements (relative to the model's length; rad) averaged over the nodes.
//!
//! A *limit point* is where τ changes sign; a *bifurcation* where the determinant of K changes
//! sign and τ does not.

use super::newton::{self, StaticSettings};
use crate::assembly::{Task, inputs};
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::model::{Inputs, Model};
use crate::state::State;
use crate::workspace::Workspace;
use core::ops::ControlFlow;
use nalgebra::SVector;

/// Settings of a continuation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContinuationSettings {
    /// First step: fraction of the parameter range (load stepping) or arc length.
    pub first_step: f64,
    /// Smallest step before giving up.
    pub smallest_step: f64,
    /// Largest step.
    pub largest_step: f64,
    /// Most accepted steps.
    pub max_steps: usize,
    /// Newton's settings for each step.
    pub newton: StaticSettings,
}

impl Default for ContinuationSettings {
    fn default() -> Self {
        Self {
            first_step: 0.02,
            smallest_step: 1e-9,
            largest_step: 0.25,
            max_steps: 10_000,
            newton: StaticSettings {
                max_iterations: 15,
                ..StaticSettings::default()
            },
        }
    }
}

impl ContinuationSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<()> {
        let owner = "continuation settings";
        let Self {
            first_step,
            smallest_step,
            largest_step,
            ..
        } = *self;
        require(
            smallest_step > 0.0,
            owner,
            "smallest_step",
            smallest_step,
            "> 0",
        )?;
        require(
            first_step >= smallest_step,
            owner,
            "first_step",
            first_step,
            ">= smallest_step",
        )?;
        let ok = largest_step >= first_step;
        require(ok, owner, "largest_step", largest_step, ">= first_step")?;
        self.newton.validate()
    }
}

/// What was passed between two points of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Nothing special.
    None,
    /// The parameter turned back.
    LimitPoint,
    /// Another branch crosses.
    Bifurcation,
}

/// One equilibrium on a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// Parameter p.
    pub parameter: f64,
    /// Arc length since the start (load stepping: |Δp| summed).
    pub arc_length: f64,
    /// Newton iterations of this step.
    pub iterations: usize,
    /// Largest force residual at this point [N or N·m].
    pub residual: f64,
    /// Sign of the determinant of the tangent.
    pub determinant_sign: f64,
    /// What was passed since the previous point.
    pub event: Event,
}

/// A straight line in the space of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Input values at p = 0.
    pub from: Vec<f64>,
    /// Input values at p = 1.
    pub to: Vec<f64>,
}

impl Path {
    fn set(&self, parameter: f64, inputs: &mut Inputs) {
        for (value, (a, b)) in inputs.value.iter_mut().zip(self.from.iter().zip(&self.to)) {
            *value = a + parameter * (b - a);
        }
        inputs.rate.fill(0.0);
        inputs.acceleration.fill(0.0);
    }

    fn validate(&self, count: usize) -> Result<()> {
        for list in [&self.from, &self.to] {
            let length = list.len() as f64;
            require(
                list.len() == count,
                "path",
                "number of inputs",
                length,
                "the model's",
            )?;
            for &value in list {
                require(value.is_finite(), "path", "input value", value, "finite")?;
            }
        }
        Ok(())
    }
}

/// Steps the parameter from 0 to 1, adapting the step to Newton's success. `observe` sees every
/// point. For paths on which the parameter does not turn back.
pub fn load_to<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    settings: &ContinuationSettings,
    mut observe: impl FnMut(&State<G, N>, &PathPoint),
) -> Result<PathPoint> {
    settings.validate()?;
    path.validate(model.input_count())?;
    let mut last_good = state.clone();
    let (mut parameter, mut step, mut steps) = (0.0, settings.first_step, 0);
    path.set(0.0, &mut state.inputs);
    let mut report = newton::solve(model, state, workspace, &settings.newton)?;
    let mut point = PathPoint {
        parameter,
        arc_length: 0.0,
        iterations: report.iterations,
        residual: report.residual,
        determinant_sign: report.determinant_sign,
        event: Event::None,
    };
    observe(state, &point);
    last_good.copy_from(state);
    while parameter < 1.0 {
        let next = if parameter + step > 1.0 - 1e-12 {
            1.0
        } else {
            parameter + step
        };
        predict(model, state, workspace, path, next - parameter)?;
        path.set(next, &mut state.inputs);
        match newton::solve(model, state, workspace, &settings.newton) {
            Ok(new) if steps < settings.max_steps => {
                steps += 1;
                let crossed = new.determinant_sign * report.determinant_sign < 0.0;
                report = new;
                point = PathPoint {
                    parameter: next,
                    arc_length: point.arc_length + (next - parameter),
                    iterations: report.iterations,
                    residual: report.residual,
                    determinant_sign: report.determinant_sign,
                    event: if crossed {
                        Event::Bifurcation
                    } else {
                        Event::None
                    },
                };
                parameter = next;
                observe(state, &point);
                last_good.copy_from(state);
                if report.iterations <= 6 {
                    step = (1.5 * step).min(settings.largest_step);
                }
            }
            result => {
                state.copy_from(&last_good);
                step *= 0.5;
                if step < settings.smallest_step || steps >= settings.max_steps {
                    return Err(stopped(model, parameter, steps, result.err(), state));
                }
            }
        }
    }
    Ok(point)
}

fn stopped<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    reached: f64,
    steps: usize,
    cause: Option<Error>,
    state: &State<G, N>,
) -> Error {
    let cause = cause.unwrap_or(Error::NewtonDiverged {
        time: state.time,
        step: 0.0,
        iterations: steps,
        correction: f64::NAN,
        residual: f64::NAN,
        location: model.node_location(0),
    });
    Error::ContinuationStopped {
        reached,
        target: 1.0,
        steps,
        cause: Box::new(cause),
    }
}

/// Moves `state` along the tangent `dx/dp` by `delta`.
fn predict<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    delta: f64,
) -> Result<()> {
    let task = Task::statics(model.stiffness_scale);
    newton::linearize(model, state, workspace, &task)?;
    if workspace.factor(model, state.time, 0).is_err() {
        return Ok(()); // no tangent here: Newton starts from the last point
    }
    parameter_column(model, state, workspace, path, &task);
    G::solve(&mut workspace.system, &model.layout);
    let size = workspace.correction_norm(model) * delta.abs();
    // A tangent that points far away (near a limit point) is cut short.
    let factor = delta * (0.3 / size.max(0.3));
    newton::apply(model, state, workspace, &task, factor);
    Ok(())
}

/// Right-hand side `−r_p = −Σ r_u du/dp` in the workspace.
fn parameter_column<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    task: &Task,
) {
    let mut nodes = vec![SVector::<f64, N>::zeros(); model.node_count()];
    let mut rows = vec![0.0; model.row_count];
    for (channel, (a, b)) in path.from.iter().zip(&path.to).enumerate() {
        if a == b {
            continue;
        }
        inputs::input_column(
            model,
            &state.motion(),
            channel,
            task.constraint_scale,
            &mut workspace.system,
        );
        for (sum, value) in nodes.iter_mut().zip(&workspace.system.node_rhs) {
            *sum += value * (b - a);
        }
        for (sum, value) in rows.iter_mut().zip(&workspace.system.row_rhs) {
            *sum += value * (b - a);
        }
    }
    workspace.system.node_rhs.copy_from_slice(&nodes);
    workspace.system.row_rhs.copy_from_slice(&rows);
}

/// A direction or displacement in the space of (x, p).
#[derive(Clone)]
struct Direction<const N: usize> {
    nodes: Vec<SVector<f64, N>>,
    parameter: f64,
}

/// Weighted inner product of two node displacements, averaged over the nodes.
fn inner<const N: usize, const D: usize>(
    a: &[SVector<f64, N>],
    b: &[SVector<f64, N>],
    length: f64,
) -> f64 {
    let mut sum = 0.0;
    for (x, y) in a.iter().zip(b) {
        for i in 0..N {
            let weight = if i < D { 1.0 / (length * length) } else { 1.0 };
            sum += weight * x[i] * y[i];
        }
    }
    sum / a.len() as f64
}

/// Follows the path of equilibria by arc length from the state's own equilibrium at p = 0, in the
/// direction of growing p, until `observe` breaks or `max_steps` points were found. Passes limit
/// points.
pub fn follow_path<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    settings: &ContinuationSettings,
    mut observe: impl FnMut(&State<G, N>, &PathPoint) -> ControlFlow<()>,
) -> Result<PathPoint> {
    settings.validate()?;
    path.validate(model.input_count())?;
    let task = Task::statics(model.stiffness_scale);
    path.set(0.0, &mut state.inputs);
    let report = newton::solve(model, state, workspace, &settings.newton)?;
    let mut point = PathPoint {
        parameter: 0.0,
        arc_length: 0.0,
        iterations: report.iterations,
        residual: report.residual,
        determinant_sign: report.determinant_sign,
        event: Event::None,
    };
    let mut tangent = Direction {
        nodes: vec![SVector::zeros(); model.node_count()],
        parameter: 1.0,
    };
    let mut step = settings.first_step;
    let mut steps = 0;
    if observe(state, &point).is_break() {
        return Ok(point);
    }
    while steps < settings.max_steps {
        let previous = state.clone();
        let new_tangent = unit_tangent(model, state, workspace, path, &task, &tangent)?;
        match arc_step(
            model,
            state,
            workspace,
            path,
            &task,
            settings,
            &new_tangent,
            point,
            step,
        ) {
            Ok(next) => {
                let turned = new_tangent.parameter * tangent.parameter < 0.0 && steps > 0;
                let crossed = next.determinant_sign * point.determinant_sign < 0.0;
                let event = match (turned, crossed) {
                    // The determinant changes with the step that passes the turn, the tangent
                    // with the one after it.
                    (true, _) => Event::LimitPoint,
                    (false, true)
                        if !turns_next(model, state, workspace, path, &task, &new_tangent)? =>
                    {
                        Event::Bifurcation
                    }
                    _ => Event::None,
                };
                point = PathPoint { event, ..next };
                tangent = new_tangent;
                steps += 1;
                if observe(state, &point).is_break() {
                    return Ok(point);
                }
                if point.iterations <= 4 {
                    step = (1.5 * step).min(settings.largest_step);
                }
            }
            Err(cause) => {
                *state = previous;
                step *= 0.5;
                if step < settings.smallest_step {
                    return Err(Error::ContinuationStopped {
                        reached: point.parameter,
                        target: f64::INFINITY,
                        steps,
                        cause: Box::new(cause),
                    });
                }
            }
        }
    }
    Ok(point)
}

/// True when the tangent at `state` has the parameter reversed against `tangent`.
fn turns_next<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    task: &Task,
    tangent: &Direction<N>,
) -> Result<bool> {
    let next = unit_tangent(model, state, workspace, path, task, tangent)?;
    Ok(next.parameter * tangent.parameter < 0.0)
}

/// Unit tangent of the path at an equilibrium, pointing the way of `previous`.
fn unit_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    task: &Task,
    previous: &Direction<N>,
) -> Result<Direction<N>> {
    newton::linearize(model, state, workspace, task)?;
    workspace.factor(model, state.time, 0)?;
    parameter_column(model, state, workspace, path, task);
    G::solve(&mut workspace.system, &model.layout);
    let nodes = workspace.system.node_rhs.clone();
    let length = model.length_scale;
    let norm = (1.0 + inner::<N, D>(&nodes, &nodes, length)).sqrt();
    let forward = previous.parameter + inner::<N, D>(&nodes, &previous.nodes, length);
    let scale = 1.0_f64.copysign(forward) / norm;
    Ok(Direction {
        nodes: nodes.iter().map(|n| n * scale).collect(),
        parameter: scale,
    })
}

/// One step of arc length `step`, eq. (1).
#[allow(clippy::too_many_arguments)] // the whole context of a continuation step
fn arc_step<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    path: &Path,
    task: &Task,
    settings: &ContinuationSettings,
    tangent: &Direction<N>,
    start: PathPoint,
    step: f64,
) -> Result<PathPoint> {
    let length = model.length_scale;
    let origin = state.poses.clone();
    let mut parameter = start.parameter + step * tangent.parameter;
    for (pose, direction) in state.poses.iter_mut().zip(&tangent.nodes) {
        *pose = pose.compose(&G::exp(&(direction * step)));
    }
    let mut correction = f64::INFINITY;
    let mut residual = (0.0, 0);
    for iteration in 1..=settings.newton.max_iterations {
        path.set(parameter, &mut state.inputs);
        newton::linearize(model, state, workspace, task)?;
        residual = workspace.largest_residual();
        workspace.factor_and_solve(model, state.time, iteration)?;
        let plain_nodes = workspace.system.node_rhs.clone();
        let plain_rows = workspace.system.row_rhs.clone();
        parameter_column(model, state, workspace, path, task);
        G::solve(&mut workspace.system, &model.layout);
        let moved: Vec<SVector<f64, N>> = origin
            .iter()
            .zip(&state.poses)
            .map(|(a, b)| a.between(b).log().unwrap_or_else(|_| SVector::zeros()))
            .collect();
        let along = inner::<N, D>(&tangent.nodes, &moved, length)
            + tangent.parameter * (parameter - start.parameter);
        let by_plain = inner::<N, D>(&tangent.nodes, &plain_nodes, length);
        let by_parameter = inner::<N, D>(&tangent.nodes, &workspace.system.node_rhs, length);
        let delta = (step - along - by_plain) / (tangent.parameter + by_parameter);
        for (sum, plain) in workspace.system.node_rhs.iter_mut().zip(&plain_nodes) {
            *sum = *sum * delta + plain;
        }
        for (sum, plain) in workspace.system.row_rhs.iter_mut().zip(&plain_rows) {
            *sum = *sum * delta + plain;
        }
        correction = workspace.correction_norm(model);
        parameter += delta;
        if !correction.is_finite() || correction > 10.0 {
            break;
        }
        newton::apply(model, state, workspace, task, 1.0);
        if correction <= settings.newton.tolerance {
            path.set(parameter, &mut state.inputs);
            let determinant_sign = workspace.system.determinant_sign();
            newton::linearize(model, state, workspace, task)?;
            return Ok(PathPoint {
                parameter,
                arc_length: start.arc_length + step,
                iterations: iteration,
                residual: workspace.largest_residual().0,
                determinant_sign,
                event: Event::None,
            });
        }
    }
    Err(Error::NewtonDiverged {
        time: state.time,
        step: 0.0,
        iterations: settings.newton.max_iterations,
        correction,
        residual: residual.0,
        location: model.node_location(residual.1),
    })
}
