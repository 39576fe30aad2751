//! Steps through end stops: they end where a stop is met or left, and are short enough inside.
//!
//! The force of a stop has a corner where the stop is met. A step that reaches over it is of first
//! order there; one that ends there is not, and knows the speed of the touch, which the restitution
//! needs. The coordinate x over a step of h is the cubic through its values and rates at both ends;
//! with s = 1 for a stop that is met and −1 for one that is left, the step is to end at the first zero
//! of
//!
//! ```text
//! f(θ) = min s g(x(θ)),   g the gap                                              (1)
//! ```
//!
//! From the first touch on, the account of energies says whether a step is short enough, as
//! in [`super::pace`]: an impact sends waves into flexible parts that the steps asked for may not
//! resolve, and what numerical damping takes out of them behind the impact is missed as well. With the
//! residual R of the ledger, kinetic energy T, the energy U held by stops and the energy
//! E = max(T + U, |work in|, dissipated) that has moved, a step of h at the time t after the first touch
//! may miss
//!
//! ```text
//! |ΔR| ≤ max(min(φ (B − |R|), σ max(T + U)), B h/(t + T₀), ε H),   B = β E          (2)
//! h ← h · 0.9 (allowed/|ΔR|)^⅓
//! ```
//!
//! (H all energy held, ε rounding; σ counts inside a stop), or it is repeated, down to a 4096th of the
//! step. About forty steps are a half period of a stop, so that an impact misses less than 1e-3 of its
//! own energy, however little that is of E.

use super::alpha::{self, StepReport, StepSettings};
use super::grid;
use super::pace::{Allowance, GROWTH};
use crate::assembly::hinge::Hinge;
use crate::assembly::{motor_torque, stops as terms};
use crate::contact::event::first_zero;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::math;
use crate::model::{Drive, Force, Model, STOP_MEMORY, Stops};
use crate::results::energy;
use crate::state::State;
use crate::workspace::Workspace;

/// Events this near to an end of the step, as a fraction of it, are taken as being there.
const NEAR_AN_END: f64 = 0.05;
/// Most searches for events in one step.
const MOST_CUTS: usize = 3;
/// σ of (2).
const SHARE: f64 = 1e-5;
/// A step is divided at most into so many parts.
const MOST_PARTS: f64 = 4096.0;

/// Takes an accepted state into its own memory: speeds at stops, torques of motors with a limited
/// rate.
pub(crate) fn remember<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
) {
    if state.memory.is_empty() {
        state.since_memory = 0.0;
        return;
    }
    for index in 0..model.forces.len() {
        let place = model.memory_of(index);
        if let Force::Motor { joint, law, .. } = &model.forces[index]
            && law.has_memory()
        {
            let motion = state.motion();
            let (near, joint) = (state.angles[joint.0], &model.joints[joint.0]);
            let hinge = Hinge::new(model, joint, &motion, near);
            let memory = &state.memory[place.clone()];
            let torque = motor_torque(&hinge, law, &motion, memory, true)
                .torque
                .value;
            state.memory[place].fill(torque);
        } else if let Some((stops, x, rate)) = terms::coordinate(model, state, index) {
            stops.remember(x, rate, &mut state.memory[place]);
        }
    }
    if let Some(run) = run_memory(model) {
        let since = state.memory[run];
        if since > 0.0 {
            state.memory[run] = since + state.since_memory;
        } else if touched(model, state) {
            state.memory[run] = f64::MIN_POSITIVE;
        }
    }
    state.since_memory = 0.0;
}

/// Where a state keeps the time since a stop was met first; the length of the step to go on with is
/// the next number.
fn run_memory<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
) -> Option<usize> {
    let first = *model.stopped.first()?;
    Some(model.memory_of(first).start + STOP_MEMORY - 2)
}

/// True once a stop has been met in the course of a motion.
pub fn met<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> bool {
    run_memory(model).is_some_and(|run| state.memory[run] > 0.0)
}

/// Memory of a state from which motion starts: motors have had time to deliver what they are asked
/// for.
pub(crate) fn start<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
) {
    state.memory.fill(0.0);
    state.since_memory = f64::INFINITY;
    remember(model, state);
}

/// True if a stop is touched at `state`, the end of a step.
pub fn touched<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> bool {
    model.stopped.iter().any(|&index| {
        let memory = &state.memory[model.memory_of(index)];
        memory[0] == 1.0 || memory[2] == 1.0
    })
}

/// True unless a step of `h` [s] from `state` is sure to stay away from all stops: farther than three
/// times the way at the present rate and a fiftieth of the way between the stops.
pub fn near<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    h: f64,
) -> bool {
    let coordinates = model.stopped.iter();
    coordinates
        .filter_map(|&index| terms::coordinate(model, state, index))
        .any(|(stops, x, rate)| {
            let [low, high] = stops.gaps(x);
            // NaN is near.
            let reach = 3.0 * rate.abs() * h + 0.02 * (low + high).min(1.0);
            low.is_nan() || high.is_nan() || reach.is_nan() || low.min(high) <= reach
        })
}

/// Fraction of a step of `h` [s] from `old` to `new` at which the first stop is met or left, (1); none
/// if that is nowhere or near an end. The angles of `new` need not be up to date.
pub fn crossing<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    old: &State<G, N>,
    new: &State<G, N>,
    h: f64,
) -> Option<f64> {
    let mut first: Option<f64> = None;
    for &index in &model.stopped {
        let at = |state| terms::coordinate(model, state, index);
        let (Some((stops, x_0, r_0)), Some((_, x_1, r_1))) = (at(old), at(new)) else {
            continue;
        };
        let memory = &old.memory[model.memory_of(index)];
        if let Some(share) = first_crossing(stops, memory, [[x_0, r_0], [x_1, r_1]], h) {
            first = Some(first.map_or(share, |known| known.min(share)));
        }
    }
    first.filter(inside)
}

/// The same for one coordinate: value and rate at both ends of the step, and what its stops remember.
pub fn crossing_of(stops: &Stops, memory: &[f64], ends: [[f64; 2]; 2], h: f64) -> Option<f64> {
    first_crossing(stops, memory, ends, h).filter(inside)
}

fn inside(share: &f64) -> bool {
    *share > NEAR_AN_END && *share < 1.0 - NEAR_AN_END
}

fn first_crossing(
    stops: &Stops,
    memory: &[f64],
    [[x_0, r_0], [x_1, r_1]]: [[f64; 2]; 2],
    h: f64,
) -> Option<f64> {
    let mut first: Option<f64> = None;
    let gaps = stops.gaps(x_1);
    for side in 0..2 {
        let (met, meets) = (memory[2 * side] == 1.0, gaps[side] < 0.0);
        if met == meets {
            continue;
        }
        let sense = if meets { 1.0 } else { -1.0 };
        let share = first_zero(|share| {
            let x = hermite([x_0, h * r_0, x_1, h * r_1], share);
            sense * stops.gaps(x)[side]
        });
        first = Some(first.map_or(share, |known| known.min(share)));
    }
    first
}

/// The cubic with values and slopes at 0 and 1.
fn hermite([x_0, d_0, x_1, d_1]: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    u * u * (x_0 * (1.0 + 2.0 * t) + d_0 * t) + t * t * (x_1 * (1.0 + 2.0 * u) - d_1 * u)
}

/// Energies that (2) asks for.
#[derive(Clone, Copy)]
struct Account {
    residual: f64,
    /// T + U.
    moving: f64,
    /// H.
    held: f64,
    /// E.
    moved: f64,
}

impl Account {
    fn of<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        state: &State<G, N>,
    ) -> Result<Self> {
        let energies = energy::energies(model, state)?;
        let stored = model.stopped.iter().map(|&index| {
            terms::coordinate(model, state, index)
                .map_or(0.0, |(stops, x, _)| stops.stored_energy(x))
        });
        let ledger = &state.ledger;
        let moving = energies.kinetic + stored.sum::<f64>();
        Ok(Self {
            residual: ledger.residual(&energies),
            moving,
            moved: moving.max(ledger.work_in.abs()).max(ledger.dissipated),
            held: energies.kinetic + energies.strain + energies.springs + energies.gravity.abs(),
        })
    }

    /// Miss of a step of `h` [s] from `self` to `end` over what it may miss, `since` [s] after the
    /// first touch; inside a stop or not.
    fn used(&self, end: &Self, (h, since): (f64, f64), inside: bool) -> f64 {
        let miss = (end.residual - self.residual).abs();
        let stake = (end.moved, end.held);
        let allowance = Allowance::new(self.residual, stake, (h, since));
        let most = if inside {
            SHARE * self.moving.max(end.moving)
        } else {
            f64::INFINITY
        };
        miss / allowance.at_most(most).max(f64::MIN_POSITIVE) // (2)
    }
}

/// A step of `h` [s] to the time `end` [s], divided where stops ask for it: what it did, and in how
/// many parts. `watch` sees the state at the end of every part but the last. On an error the state is
/// that of the last part; [`Error::StepTooSmall`] says that there was one.
pub(crate) fn step_resolved<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    (h, end): (f64, f64),
    settings: &StepSettings,
    watch: &mut dyn FnMut(&State<G, N>),
) -> Result<(StepReport, usize)> {
    if met(model, state) {
        return divide(model, state, workspace, drive, (h, end), settings, watch);
    }
    let report = alpha::solve(model, state, workspace, drive, (h, end), settings)?;
    let inside = |state: &State<G, N>| {
        let coordinates = model.stopped.iter();
        coordinates
            .filter_map(|&index| terms::coordinate(model, state, index))
            .any(|(stops, x, _)| stops.depth(x).is_some())
    };
    if !inside(&workspace.trial) {
        alpha::accept(model, state, workspace, h);
        return Ok((report, 1));
    }
    divide(model, state, workspace, drive, (h, end), settings, watch)
}

/// The parts of a step of `whole` [s] to `end` [s].
fn divide<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    (whole, end): (f64, f64),
    settings: &StepSettings,
    watch: &mut dyn FnMut(&State<G, N>),
) -> Result<(StepReport, usize)> {
    let mut parts = 0;
    let smallest = whole / MOST_PARTS;
    let mut out = StepReport {
        iterations: 0,
        correction: 0.0,
        local_error: 0.0,
    };
    let run = run_memory(model).unwrap_or_default();
    // What the steps before have found to be short enough.
    let known = state.memory.get(run + 1).copied().unwrap_or(0.0);
    let start = if known > 0.0 { known.min(whole) } else { whole };
    let (mut wanted, mut cut, mut cuts) = (start.max(smallest), None, 0);
    let mut account = Account::of(model, state)?;
    // Time is counted from the start of the step, so that its parts do not depend on when it is.
    let (begin, mut done) = (state.time, 0.0);
    while done < whole {
        let left = whole - done;
        let h = cut.take().unwrap_or_else(|| grid::next_part(left, wanted));
        let last = h >= left;
        let time = if last { end } else { begin + (done + h) };
        let solved = alpha::solve(model, state, workspace, drive, (h, time), settings);
        let report = match solved {
            Ok(report) => report,
            Err(_) if 0.5 * h >= smallest => {
                (wanted, cuts) = (0.5 * h, MOST_CUTS);
                continue;
            }
            Err(error) if parts == 0 => return Err(error),
            Err(error) => {
                return Err(Error::StepTooSmall {
                    time: state.time,
                    step: h,
                    minimum: smallest,
                    cause: Box::new(error),
                });
            }
        };
        if cuts < MOST_CUTS
            && let Some(share) = crossing(model, state, &workspace.trial, h)
        {
            cuts += 1;
            cut = Some(share * h);
            continue;
        }
        workspace.before.copy_from(state);
        alpha::accept(model, state, workspace, h);
        let now = Account::of(model, state)?;
        let inside = touched(model, state) || touched(model, &workspace.before);
        let since = state.memory.get(run).copied().unwrap_or(0.0);
        let used = account.used(&now, (h, since), inside);
        let factor = 0.9 / math::cbrt(used.max(1e-3));
        // NaN is not within the allowance.
        if (used.is_nan() || used > 1.0) && h > smallest {
            state.copy_from(&workspace.before);
            wanted = (h * factor.clamp(0.25, 0.7)).max(smallest);
            cuts = 0;
            continue;
        }
        (account, cuts) = (now, 0);
        parts += 1;
        if !last {
            watch(state);
        }
        done = if last { whole } else { done + h };
        wanted = (wanted.min(h.max(smallest)) * factor.clamp(0.5, GROWTH)).clamp(smallest, whole);
        if let Some(next) = state.memory.get_mut(run + 1) {
            *next = wanted;
        }
        out.iterations += report.iterations;
        out.correction = report.correction;
        out.local_error = out.local_error.max(report.local_error);
    }
    Ok((out, parts))
}
