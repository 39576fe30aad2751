//! Runs of a mechanism with rows for a table, in the plane or in space.

use crate::error::Result;
use crate::parts::Description;
use crate::run::Simulation;
use crate::space::Space;
use multibody::group::{Se2, Se3};
use multibody::results::soundness::Soundness;

/// What came out of a run.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Whether it can be believed.
    pub soundness: Soundness,
    /// Share of the energy that moved which the ledger misses.
    pub energy_residual_rel: f64,
    /// Largest violation of a joint at the end [m or 1].
    pub joint_gap: f64,
    /// Accepted steps.
    pub steps: usize,
    /// Steps refused.
    pub rejected: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Degrees of freedom at the end.
    pub degrees_of_freedom: usize,
    /// What happened: time [s] and text.
    pub events: Vec<(f64, String)>,
    /// False if the caller of the rows stopped the run.
    pub complete: bool,
}

/// Takes a row: time [s] and outputs; `false` stops the run.
pub type Rows<'a> = &'a mut dyn FnMut(f64, &[f64]) -> bool;

/// What a page shows of a row.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Time [s].
    pub time: f64,
    /// Points of the lines of [`crate::picture::lines`] [m].
    pub lines: Vec<Vec<[f64; 3]>>,
    /// Kinetic, strain, spring and gravity energy, work done, dissipated, missing [J].
    pub energies: [f64; 7],
}

/// Takes a snapshot with every row.
pub type Snapshots<'a> = Option<&'a mut dyn FnMut(Snapshot)>;

/// Moves the mechanism over its duration.
pub fn simulate(description: &Description, rows: Rows<'_>) -> Result<Outcome> {
    simulate_and_watch(description, rows, None)
}

/// The same, with a snapshot of every row.
pub fn simulate_and_watch(
    description: &Description,
    rows: Rows<'_>,
    snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    if description.dimension == 2 {
        simulate_in::<Se2, 3, 2>(description, rows, snapshots)
    } else {
        simulate_in::<Se3, 6, 3>(description, rows, snapshots)
    }
}

/// Times of the rows: the decimal numbers one expects, the last one the end.
pub fn times(duration: f64, step: f64) -> impl Iterator<Item = f64> {
    let count = (duration / step * (1.0 + 1e-12)).floor();
    let rest = duration - count * step > 1e-9 * step;
    let per_second = (1.0 / step).round();
    let whole = (per_second * step - 1.0).abs() < 1e-12;
    let inner = (1..=count as usize).map(move |i| {
        let time = i as f64;
        if !rest && time == count {
            duration
        } else if whole {
            time / per_second
        } else {
            time * step
        }
    });
    inner.chain(rest.then_some(duration))
}

fn simulate_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    rows: Rows<'_>,
    mut snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    let mut simulation = Simulation::<G, N, D>::new(description)?;
    let analysis = &description.analysis;
    let lines = match snapshots {
        Some(_) => crate::picture::lines(description),
        None => Vec::new(),
    };
    let mut watch = |simulation: &Simulation<G, N, D>| {
        if let Some(take) = snapshots.as_deref_mut() {
            take(simulation.snapshot(&lines));
        }
    };
    let mut complete = rows(0.0, &simulation.row());
    watch(&simulation);
    let between = match analysis.error_tolerance {
        None => analysis.output_step.max(analysis.step),
        Some(_) => analysis.output_step,
    };
    for time in times(analysis.duration, between) {
        if !complete {
            break;
        }
        simulation.advance(time)?;
        complete = rows(time, &simulation.row());
        watch(&simulation);
    }
    let model = &simulation.built.model;
    Ok(Outcome {
        soundness: simulation.soundness(),
        energy_residual_rel: simulation.missing_share(),
        joint_gap: simulation.largest_gap(),
        steps: simulation.totals.steps,
        rejected: simulation.totals.rejected,
        iterations: simulation.totals.iterations,
        degrees_of_freedom: model.degrees_of_freedom(),
        events: simulation.events.clone(),
        complete,
    })
}
