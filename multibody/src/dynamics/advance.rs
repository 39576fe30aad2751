//! Steps to a given time: fixed or error-controlled, halving a step that fails.
//!
//! Time is divided by counting ([`super::grid`]); jumps of inputs that the drive tells of end a step
//! (`super::jumps`). What is left of an interval when it is too short for a step of its own is
//! crossed along the tangent of the motion,
//!
//! ```text
//! H ← H exp(h v + ½ h² v̇),   v ← v + h v̇                                        (1)
//! ```
//!
//! accelerations and multipliers staying: its error is of third order in an h of at most 1e-4 steps.

use super::alpha::{self, StepReport, StepSettings};
use super::grid::{self, TimeGrid};
use super::jumps;
use crate::assembly::hinge;
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::math;
use crate::model::{Drive, Model};
use crate::state::State;
use crate::workspace::Workspace;

/// Choice of the step size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// Steps of equal size; one that fails is repeated in two halves, down to `smallest`.
    Fixed {
        /// Largest step size [s]: an interval is divided evenly into as few steps as it takes.
        step: f64,
        /// Smallest step tried after failures [s].
        smallest: f64,
    },
    /// Steps sized so that the estimated error of each stays below the tolerance.
    Adaptive {
        /// First step [s].
        first: f64,
        /// Allowed error of a step (relative to the model's length; rad).
        tolerance: f64,
        /// Smallest step [s].
        smallest: f64,
        /// Largest step [s].
        largest: f64,
    },
}

impl Control {
    /// Fixed steps of `step` seconds, halved at most ten times on failure.
    pub fn fixed(step: f64) -> Self {
        Self::Fixed {
            step,
            smallest: step / 1024.0,
        }
    }

    /// Checks the ranges.
    pub fn validate(&self) -> Result<()> {
        let positive =
            |quantity, value: f64| require(value > 0.0, "step control", quantity, value, "> 0");
        match *self {
            Self::Fixed { step, smallest } => {
                positive("step", step)?;
                positive("smallest", smallest)
            }
            Self::Adaptive {
                first,
                tolerance,
                smallest,
                largest,
            } => {
                positive("first", first)?;
                positive("tolerance", tolerance)?;
                positive("smallest", smallest)?;
                require(
                    largest >= smallest,
                    "step control",
                    "largest",
                    largest,
                    ">= smallest",
                )
            }
        }
    }
}

/// What an advance did, summed over its steps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Advance {
    /// Accepted steps.
    pub steps: usize,
    /// Steps refused: Newton failed or the error was too large.
    pub rejected: usize,
    /// Newton iterations of accepted steps.
    pub iterations: usize,
    /// Steps of `Control::Fixed` that only succeeded at the smallest size allowed.
    pub at_floor: usize,
    /// Largest estimated error of a step of `Control::Adaptive` that was accepted at the smallest size
    /// allowed although the error was above the tolerance; zero if there was none.
    pub excess_error: f64,
    /// Step size to go on with [s].
    pub next_step: f64,
}

/// Room below the error tolerance that a new step size aims for.
const SAFETY: f64 = 0.8;

/// Advances `state` to `end` [s], hitting it exactly. On an error the state is that of the last
/// accepted step.
pub fn advance<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    end: f64,
    control: &Control,
    settings: &StepSettings,
) -> Result<Advance> {
    let stepping = Stepping { control, settings };
    advance_watched(model, state, workspace, drive, end, &stepping, &mut |_| {})
}

/// How steps are made.
#[derive(Debug, Clone, Copy)]
pub struct Stepping<'a> {
    /// Their size.
    pub control: &'a Control,
    /// The rest.
    pub settings: &'a StepSettings,
}

impl Stepping<'_> {
    /// Length [s] that slivers are measured by: of controlled steps the smallest is no sliver.
    fn scale(&self) -> f64 {
        match *self.control {
            Control::Fixed { step, .. } => step,
            Control::Adaptive { smallest, .. } => smallest / grid::SLIVER,
        }
    }

    /// Size of the first step [s] from `start` to `end` [s], and whether there are more.
    pub fn first_between(&self, start: f64, end: f64) -> (f64, bool) {
        let largest = match *self.control {
            Control::Fixed { step, .. } => step,
            Control::Adaptive { first, .. } => first,
        };
        let grid = TimeGrid::new(start, end, largest);
        (grid.step(), grid.count() > 1.0)
    }
}

/// [`advance`]; `watch` sees the state at the end of every accepted step.
pub fn advance_watched<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    end: f64,
    stepping: &Stepping<'_>,
    watch: &mut dyn FnMut(&State<G, N>),
) -> Result<Advance> {
    stepping.control.validate()?;
    stepping.settings.validate()?;
    require(end.is_finite(), "advance", "end time", end, "finite s")?;
    let next_step = match *stepping.control {
        Control::Fixed { step, .. } => step,
        Control::Adaptive { first, .. } => first,
    };
    let mut out = Advance {
        next_step,
        ..Advance::default()
    };
    let scale = stepping.scale();
    let same = grid::SAME_TIME * scale;
    while state.time < end {
        let jump = drive.next_jump(state.time, end);
        let until = jump.unwrap_or(end);
        let interval = until - state.time;
        if interval <= same {
            state.time = until;
        } else if interval < grid::SLIVER * scale {
            coast(model, state, drive, until);
            watch(state);
        } else {
            let first = stepping.first_between(state.time, until);
            jumps::cross(model, state, workspace, drive, first, stepping.settings)?;
            let mut steps = Steps {
                model,
                workspace,
                drive,
                stepping,
                out: &mut out,
            };
            match *stepping.control {
                Control::Fixed { step, smallest } => {
                    steps.fixed(state, until, step, smallest, watch)?;
                }
                Control::Adaptive {
                    tolerance,
                    smallest,
                    largest,
                    ..
                } => steps.adaptive(state, until, (tolerance, smallest, largest), watch)?,
            }
        }
        if jump.is_some() {
            // What is read at the time of the jump is what it leads to.
            let (first, _) = stepping.first_between(0.0, next_step);
            jumps::cross(
                model,
                state,
                workspace,
                drive,
                (first, true),
                stepping.settings,
            )?;
        }
    }
    Ok(out)
}

/// The steps of an interval without jumps.
struct Steps<'a, G: Group<N, D>, R: ?Sized, const N: usize, const D: usize> {
    model: &'a Model<G, N, D>,
    workspace: &'a mut Workspace<G, N>,
    drive: &'a R,
    stepping: &'a Stepping<'a>,
    out: &'a mut Advance,
}

impl<G: Group<N, D>, R: Drive + ?Sized, const N: usize, const D: usize> Steps<'_, G, R, N, D> {
    fn step(&mut self, state: &mut State<G, N>, to: (f64, f64)) -> Result<StepReport> {
        let settings = self.stepping.settings;
        alpha::step_to(self.model, state, self.workspace, self.drive, to, settings)
    }

    /// Equal steps of at most `step` [s]; one that fails is halved.
    fn fixed(
        &mut self,
        state: &mut State<G, N>,
        end: f64,
        step: f64,
        smallest: f64,
        watch: &mut dyn FnMut(&State<G, N>),
    ) -> Result<()> {
        let mut grid = TimeGrid::new(state.time, end, step);
        while !grid.finished() {
            match self.step(state, (grid.next_size(), grid.next_time())) {
                Ok(report) => {
                    // A step half as long would not have been tried.
                    let size = grid.next_size();
                    let shortest = size < grid.step() && size < 2.0 * smallest;
                    self.out.at_floor += usize::from(shortest);
                    grid.accept();
                    self.out.steps += 1;
                    self.out.iterations += report.iterations;
                    watch(state);
                }
                Err(cause) => {
                    let can = grid.halve();
                    self.refuse(state.time, grid.next_size(), smallest, can, cause)?;
                }
            }
        }
        Ok(())
    }

    /// Steps sized by their error.
    fn adaptive(
        &mut self,
        state: &mut State<G, N>,
        end: f64,
        (tolerance, smallest, largest): (f64, f64, f64),
        watch: &mut dyn FnMut(&State<G, N>),
    ) -> Result<()> {
        let mut h = self.out.next_step;
        while state.time < end {
            let left = end - state.time;
            let this = grid::next_part(left, h);
            let last = this >= left;
            let time = if last { end } else { state.time + this };
            self.workspace.backup.copy_from(state);
            match self.step(state, (this, time)) {
                Ok(report) => {
                    h = resize(this, report.local_error, tolerance).clamp(smallest, largest);
                    // Rounding may leave a last step a little longer than the smallest one; refusing
                    // it would repeat it for ever.
                    if report.local_error > tolerance && this > smallest * (1.0 + 1e-6) {
                        state.copy_from(&self.workspace.backup);
                        self.out.rejected += 1;
                        continue;
                    }
                    if report.local_error > tolerance {
                        self.out.excess_error = self.out.excess_error.max(report.local_error);
                    }
                    self.out.steps += 1;
                    self.out.iterations += report.iterations;
                    watch(state);
                }
                Err(cause) => {
                    h = 0.5 * this;
                    self.refuse(state.time, h, smallest, true, cause)?;
                }
            }
        }
        self.out.next_step = h;
        Ok(())
    }

    /// Counts a step that failed; an error if it would have to be repeated with less than
    /// `smallest` [s].
    fn refuse(
        &mut self,
        time: f64,
        next: f64,
        smallest: f64,
        can: bool,
        cause: Error,
    ) -> Result<()> {
        self.out.rejected += 1;
        if can && next >= smallest {
            return Ok(());
        }
        Err(Error::StepTooSmall {
            time,
            step: next,
            minimum: smallest,
            cause: Box::new(cause),
        })
    }
}

/// Goes on along the tangent of the motion to `end` [s], eq. (1).
fn coast<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    drive: &(impl Drive + ?Sized),
    end: f64,
) {
    let h = end - state.time;
    for i in 0..state.poses.len() {
        let (v, v_dot) = (state.velocities[i], state.accelerations[i]);
        let way = v * h + v_dot * (0.5 * h * h);
        state.poses[i] = state.poses[i].compose(&G::exp(&way)).renormalized();
        state.velocities[i] = v + v_dot * h;
    }
    hinge::update_angles(model, state);
    let powers = state.ledger.powers;
    state.ledger.advance(h, powers, 0.0);
    state.time = end;
    drive.sample_before(end, &mut state.inputs);
}

/// Step size whose error, of third order in h, meets the tolerance.
fn resize(step: f64, error: f64, tolerance: f64) -> f64 {
    let factor = SAFETY * math::cbrt(tolerance / error.max(1e-3 * tolerance));
    step * factor.clamp(0.2, 2.0)
}
