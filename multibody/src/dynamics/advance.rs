//! A model stepped to a given time: fixed steps, of which one that fails is halved, or steps sized by
//! their error.
//!
//! [`super::stepper`] makes the steps; jumps of inputs that the drive tells of end a step
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
pub use super::pace::GROWTH;
use super::pace::Pace;
use super::stepper::{
    self, Division, Done, Planned, Progress, Refusal, StepSizes, Stepped, Strictness,
};
use super::stops;
use crate::assembly::hinge;
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::math;
use crate::model::{Drive, Model};
use crate::results::energy::InLines;
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
/// accepted step. [`super::Simulation`] holds what this is given piece by piece.
pub fn advance<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    end: f64,
    control: &Control,
    settings: &StepSettings,
) -> Result<Advance> {
    let stepping = Stepping::new(control, settings);
    advance_watched(model, state, workspace, drive, end, &stepping, &mut |_| {})
}

/// How steps are made.
#[derive(Debug, Clone, Copy)]
pub struct Stepping<'a> {
    /// Their size.
    pub control: &'a Control,
    /// The rest.
    pub settings: &'a StepSettings,
    /// Largest first step of `Control::Fixed` [s]; from there sizes double up to the whole step.
    /// Errors in stiff and constrained directions would be multiplied by a sudden growth of steps.
    pub first: f64,
}

impl<'a> Stepping<'a> {
    /// Steps without a small first one.
    pub fn new(control: &'a Control, settings: &'a StepSettings) -> Self {
        let first = f64::INFINITY;
        Self {
            control,
            settings,
            first,
        }
    }

    /// The steps of `Control::Fixed` between two times, of at most `step` [s].
    pub fn grid(&self, start: f64, end: f64, step: f64) -> TimeGrid {
        TimeGrid::new(start, end, step).beginning_with(self.first)
    }

    /// Length [s] that slivers are measured by: of controlled steps the smallest is no sliver.
    fn scale(&self) -> f64 {
        match *self.control {
            Control::Fixed { step, .. } => step,
            Control::Adaptive { smallest, .. } => smallest / grid::SLIVER,
        }
    }

    /// Size of steps to start with if the interval is long enough [s].
    fn usual(&self) -> f64 {
        match *self.control {
            Control::Fixed { step, .. } => step,
            Control::Adaptive { first, .. } => first,
        }
    }

    /// Size of the first step [s] from `start` to `end` [s], and whether there are more.
    pub fn first_between(&self, start: f64, end: f64) -> (f64, bool) {
        let grid = match *self.control {
            Control::Fixed { step, .. } => self.grid(start, end, step),
            Control::Adaptive { first, .. } => TimeGrid::new(start, end, first),
        };
        let size = grid.next_size();
        (size, grid.count() > 1.0 || size < grid.step())
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
    let next_step = stepping.usual();
    let mut run = Run {
        model,
        state,
        workspace,
        drive,
        stepping: *stepping,
        watch,
        pace: Pace::starting_with(next_step),
        excess_error: 0.0,
    };
    let mut progress = Progress::default();
    stepper::advance(&mut run, end, &mut progress, &mut |_| {})?;
    Ok(Advance {
        steps: progress.steps,
        rejected: progress.rejected + progress.refused,
        iterations: progress.iterations,
        at_floor: progress.at_floor,
        excess_error: run.excess_error,
        next_step: match *stepping.control {
            Control::Fixed { .. } => next_step,
            Control::Adaptive { .. } => run.pace.longest,
        },
    })
}

/// A model on its way.
struct Run<'a, G: Group<N, D>, R: ?Sized, const N: usize, const D: usize> {
    model: &'a Model<G, N, D>,
    state: &'a mut State<G, N>,
    workspace: &'a mut Workspace<G, N>,
    drive: &'a R,
    stepping: Stepping<'a>,
    /// Sees the state at the end of every step, and of every part of one that stops divide.
    watch: &'a mut dyn FnMut(&State<G, N>),
    /// Of error-controlled steps.
    pace: Pace,
    excess_error: f64,
}

impl<G: Group<N, D>, R: Drive + ?Sized, const N: usize, const D: usize> Run<'_, G, R, N, D> {
    /// A step, and the number of parts into which stops divided it; all but the last are watched.
    fn step(&mut self, to: (f64, f64)) -> Result<(StepReport, usize)> {
        let Self {
            model,
            state,
            workspace,
            drive,
            watch,
            ..
        } = self;
        let settings = self.stepping.settings;
        if model.stopped.is_empty() {
            let report = alpha::step_to(model, state, workspace, *drive, to, settings)?;
            return Ok((report, 1));
        }
        stops::step_resolved(model, state, workspace, *drive, to, settings, watch)
    }

    /// Crosses what jumps now, before a step of `h` [s].
    fn cross(&mut self, first: (f64, bool)) -> Result<()> {
        jumps::cross(
            self.model,
            self.state,
            self.workspace,
            self.drive,
            first,
            self.stepping.settings,
        )
    }
}

impl<G: Group<N, D>, R: Drive + ?Sized, const N: usize, const D: usize> Stepped
    for Run<'_, G, R, N, D>
{
    type Error = Error;

    fn time(&self) -> f64 {
        self.state.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn sizes(&self) -> StepSizes {
        match *self.stepping.control {
            Control::Fixed { step, smallest } => StepSizes {
                largest: step,
                smallest,
                first: self.stepping.first,
                reference: step,
                division: Division::Counted,
            },
            Control::Adaptive {
                smallest, largest, ..
            } => StepSizes {
                largest,
                smallest,
                first: f64::INFINITY,
                reference: largest,
                division: Division::Paced,
            },
        }
    }

    fn next_jump(&mut self, end: f64) -> Option<f64> {
        self.drive.next_jump(self.state.time, end)
    }

    fn skip(&mut self, end: f64) -> Option<bool> {
        let (interval, scale) = (end - self.state.time, self.stepping.scale());
        if interval <= grid::SAME_TIME * scale {
            self.state.time = end;
            Some(false)
        } else if interval < grid::SLIVER * scale {
            coast(self.model, self.state, self.drive, end);
            (self.watch)(self.state);
            Some(true)
        } else {
            None
        }
    }

    fn begin(&mut self, end: f64) -> Result<()> {
        self.cross(self.stepping.first_between(self.state.time, end))
    }

    fn passed_jump(&mut self) -> Result<()> {
        // What is read at the time of the jump is what it leads to.
        let (first, _) = self.stepping.first_between(0.0, self.stepping.usual());
        self.cross((first, true))
    }

    fn attempt(
        &mut self,
        step: &Planned,
        strict: Strictness,
    ) -> core::result::Result<Done, Refusal<Error>> {
        let tolerance = match *self.stepping.control {
            Control::Fixed { .. } => f64::INFINITY,
            Control::Adaptive { tolerance, .. } => {
                self.workspace.backup.copy_from(self.state);
                tolerance
            }
        };
        let (report, parts) = self
            .step((step.length, step.end))
            .map_err(|cause| match cause {
                // Inside a divided step there is no way back.
                Error::StepTooSmall { .. } => Refusal::Never(cause),
                _ => Refusal::Smaller(cause),
            })?;
        if tolerance < f64::INFINITY {
            let factor = resize(report.local_error, tolerance);
            // A step that stops divided is as accurate as its account of energies says.
            if report.local_error > tolerance && parts == 1 {
                if strict.account {
                    self.state.copy_from(&self.workspace.backup);
                    return Err(Refusal::Inaccurate(factor));
                }
                self.excess_error = self.excess_error.max(report.local_error);
            }
            self.pace.longest = step.length * factor;
        }
        Ok(Done {
            iterations: report.iterations,
            further_steps: parts.saturating_sub(1),
            ..Done::default()
        })
    }

    fn accepted(&mut self, step: &Planned, _done: &Done) -> bool {
        (self.watch)(self.state);
        match *self.stepping.control {
            Control::Fixed { .. } => {
                self.stepping.first = GROWTH * step.length;
                step.at_floor
            }
            Control::Adaptive {
                smallest, largest, ..
            } => {
                self.pace.longest = self.pace.longest.clamp(smallest, largest);
                false
            }
        }
    }

    fn stalled(&self, [step, minimum]: [f64; 2], cause: Error) -> Error {
        Error::StepTooSmall {
            time: self.state.time,
            step,
            minimum,
            cause: Box::new(cause),
        }
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
    stops::remember(model, state);
    let powers = state.ledger.powers;
    state.ledger.advance(h, powers, InLines::default());
    state.time = end;
    drive.sample_before(end, &mut state.inputs);
}

/// How many times as long a step may be whose error, of third order in its length, meets the
/// tolerance.
fn resize(error: f64, tolerance: f64) -> f64 {
    let factor = SAFETY * math::cbrt(tolerance / error.max(1e-3 * tolerance));
    factor.clamp(0.2, 2.0)
}
