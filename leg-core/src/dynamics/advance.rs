//! Steps to a given time: fixed or error-controlled, halving a step that fails.

use super::alpha::{self, StepSettings};
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
pub(crate) struct Stepping<'a> {
    /// Their size.
    pub control: &'a Control,
    /// The rest.
    pub settings: &'a StepSettings,
}

/// [`advance`]; `watch` sees the state at the end of every accepted step.
pub(crate) fn advance_watched<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    end: f64,
    stepping: &Stepping<'_>,
    watch: &mut dyn FnMut(&State<G, N>),
) -> Result<Advance> {
    let Stepping { control, settings } = *stepping;
    control.validate()?;
    settings.validate()?;
    require(end.is_finite(), "advance", "end time", end, "finite s")?;
    let mut out = Advance::default();
    let (nominal, smallest) = match *control {
        Control::Fixed { step, smallest } => (even_step(end - state.time, step), smallest),
        Control::Adaptive {
            first, smallest, ..
        } => (first, smallest),
    };
    let mut h = nominal;
    // A remainder below rounding of the time is no step.
    let slack = 1e-9 * nominal.min(end.abs().max(nominal));
    while end - state.time > slack {
        let left = end - state.time;
        // The last step absorbs a sliver; two equal steps replace a long one and a sliver.
        let this = if left <= h * (1.0 + 1e-9) {
            left
        } else if matches!(control, Control::Adaptive { .. }) && left < 2.0 * h {
            0.5 * left
        } else {
            h
        };
        if matches!(control, Control::Adaptive { .. }) {
            workspace.backup.copy_from(state);
        }
        match alpha::step(model, state, workspace, drive, this, settings) {
            Ok(report) => {
                if let Control::Adaptive {
                    tolerance, largest, ..
                } = *control
                {
                    h = resize(this, report.local_error, tolerance).clamp(smallest, largest);
                    // Rounding may leave a last step a little longer than the smallest one; refusing
                    // it would repeat it for ever.
                    if report.local_error > tolerance && this > smallest * (1.0 + 1e-6) {
                        state.copy_from(&workspace.backup);
                        out.rejected += 1;
                        continue;
                    }
                    if report.local_error > tolerance {
                        out.excess_error = out.excess_error.max(report.local_error);
                    }
                } else if h < nominal {
                    // A step half as long would not have been tried.
                    out.at_floor += usize::from(this < 2.0 * smallest);
                    h = (2.0 * h).min(nominal);
                }
                out.steps += 1;
                out.iterations += report.iterations;
                if left <= this * (1.0 + 1e-9) {
                    state.time = end;
                }
                watch(state);
            }
            Err(cause) => {
                out.rejected += 1;
                h = 0.5 * this;
                if h < smallest {
                    let (time, step) = (state.time, h);
                    return Err(Error::StepTooSmall {
                        time,
                        step,
                        minimum: smallest,
                        cause: Box::new(cause),
                    });
                }
            }
        }
    }
    out.next_step = h;
    Ok(out)
}

/// The largest step up to `step` that divides `interval` evenly (to rounding).
pub(crate) fn even_step(interval: f64, step: f64) -> f64 {
    let count = (interval / step * (1.0 - 1e-9)).ceil().max(1.0);
    if interval > 0.0 {
        interval / count
    } else {
        step
    }
}

/// Step size whose error, of third order in h, meets the tolerance.
fn resize(step: f64, error: f64, tolerance: f64) -> f64 {
    let factor = SAFETY * math::cbrt(tolerance / error.max(1e-3 * tolerance));
    step * factor.clamp(0.2, 2.0)
}
