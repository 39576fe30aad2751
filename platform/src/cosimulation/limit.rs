//! The macro steps with which explicit co-simulation is stable.
//!
//! The end effector is pushed and turned for a moment and then left alone. Whatever it does next,
//! with dampers and springs only it never gets faster than the push could make it free of all
//! legs; a scheme that lets it get faster than a few times that makes energy of its own. A coarse
//! series of steps is tried, and the largest stable one is refined by bisection.
//!
//! What limits the step are the dampers, and the leaves: at this time scale they cannot shorten,
//! and their inertia moves with their tips. With ρ∞ near 1 there are steps far below the limit that
//! are unstable, too: the accelerations of a leg whose tip is led then alternate from step to step
//! and hardly die out, and each alternation comes back through the force of the next step. Explicit
//! co-simulation wants ρ∞ well below 1. Limits of the platform "pacoma" are in docs/performance.md.

use super::explicit::Explicit;
use crate::error::{PlatformError, Result};
use crate::statics::StaticPlatform;
use crate::unit::{LegUnit, NativeUnit, UnitStart, unit_starts};
use crate::wrench::WrenchHistory;
use multibody::math;
use multibody::model::Signal;
use nalgebra::Vector6;

/// The limit of stability of explicit co-simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StabilityLimit {
    /// Order of extrapolation.
    pub order: usize,
    /// Largest macro step found stable [s].
    pub stable_s: f64,
    /// Smallest macro step above it found unstable [s]; none if all were stable.
    pub unstable_s: Option<f64>,
    /// Smallest and largest macro step below it found unstable [s].
    pub unstable_below_s: Option<[f64; 2]>,
    /// Runs made.
    pub runs: usize,
}

/// How a limit is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Largest macro step tried [s].
    pub largest_s: f64,
    /// Smallest macro step tried [s].
    pub smallest_s: f64,
    /// Bisection ends when the steps on both sides differ by less than this fraction.
    pub precision: f64,
    /// Shortest run [s].
    pub duration_s: f64,
    /// Fewest macro steps of a run.
    pub steps: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            largest_s: 20e-3,
            smallest_s: 10e-6,
            precision: 0.02,
            duration_s: 0.05,
            steps: 200,
        }
    }
}

/// Ratio of neighbours in the series of steps.
const RATIO: f64 = 1.5;
/// Force [N] and moment [N·m] of the push, in directions that no platform is symmetric about.
const PUSH: [f64; 6] = [5.0, 3.0, 4.0, 0.4, -0.3, 0.2];
/// How long it lasts [s].
const PUSH_S: f64 = 5e-3;
/// So many times the velocity that the push gives a free end effector is unstable.
const TOO_FAST: f64 = 3.0;

/// How often a run is looked at.
const PIECES: u32 = 20;

/// Finds the limit for the platform in `equilibrium` with native legs.
pub fn stability_limit(
    equilibrium: &StaticPlatform,
    order: usize,
    search: &Search,
) -> Result<StabilityLimit> {
    let starts = unit_starts(equilibrium)?;
    let unit = |(i, start)| NativeUnit::new(start).map_err(PlatformError::in_leg(i));
    let units = starts.iter().enumerate().map(unit).collect::<Result<_>>()?;
    let legs = (starts, units);
    let mut runs = 0;
    let mut stable = |step: f64| {
        runs += 1;
        is_stable(equilibrium, &legs, order, step, search)
    };
    let count = math::ln(search.largest_s / search.smallest_s) / math::ln(RATIO);
    let series = (0..=count.ceil() as i32).map(|k| search.largest_s * RATIO.powi(-k));
    let tried = series
        .map(|step| Ok((step, stable(step)?)))
        .collect::<Result<Vec<(f64, bool)>>>()?;
    let best = tried.iter().position(|(_, stable)| *stable);
    let below = tried.iter().skip(best.unwrap_or(tried.len()));
    let bad: Vec<f64> = below.filter(|(_, ok)| !ok).map(|(step, _)| *step).collect();
    let (mut stable_s, mut unstable_s) = (best.map_or(0.0, |i| tried[i].0), None);
    if let Some(above) = best.unwrap_or(tried.len()).checked_sub(1) {
        let mut high = tried[above].0;
        while best.is_some() && high / stable_s > 1.0 + search.precision {
            let middle = (stable_s * high).sqrt();
            if stable(middle)? {
                stable_s = middle;
            } else {
                high = middle;
            }
        }
        unstable_s = Some(high);
    }
    Ok(StabilityLimit {
        order,
        stable_s,
        unstable_s,
        unstable_below_s: bad.last().zip(bad.first()).map(|(low, high)| [*low, *high]),
        runs,
    })
}

/// Whether a run with this macro step stays within bounds.
fn is_stable(
    equilibrium: &StaticPlatform,
    (starts, units): &(Vec<UnitStart>, Vec<NativeUnit>),
    order: usize,
    step: f64,
    search: &Search,
) -> Result<bool> {
    let boxed = |unit: &NativeUnit| Box::new(unit.clone()) as Box<dyn LegUnit>;
    let units = units.iter().map(boxed).collect();
    let mut run = Explicit::new(equilibrium, starts, units)?;
    run.set_steps(step, order);
    // A whole number of steps, so that none is shortened to end at the jump.
    let lasting = (PUSH_S / step).round().max(1.0) * step;
    let held = equilibrium.wrench_vector();
    let history = |i: usize| Signal::Step {
        time: lasting,
        before: held[i] + PUSH[i],
        after: held[i],
    };
    let history = WrenchHistory(core::array::from_fn(history));
    run.common.set_wrench(history);
    let push = Vector6::from(PUSH) * lasting;
    let free = run.common.body().inertia.cholesky();
    let free = free.map_or(push, |inertia| inertia.solve(&push));
    let steps = (search.duration_s / step).ceil().max(search.steps as f64);
    let piece = (steps / f64::from(PIECES)).ceil() * step;
    for k in 1..=PIECES {
        if run
            .advance(lasting + piece * f64::from(k), &mut |_| {})
            .is_err()
        {
            return Ok(false);
        }
        let velocity = &run.common.effector().velocity;
        let too_fast = |first: usize| {
            let norm = |v: &Vector6<f64>| v.fixed_rows::<3>(first).norm();
            norm(velocity) > TOO_FAST * norm(&free)
        };
        if !run.common.effector().is_finite() || too_fast(0) || too_fast(3) {
            return Ok(false);
        }
    }
    Ok(true)
}
