//! One run of a study: a docking.

use super::figures;
use crate::dock::table;
use crate::output::{append_header, append_row};
use anyhow::Result;
use softdock_docking::{DockingRun, Scenario};
use softdock_study::{Case, FigureSpec, Job, Outcome, Plan};

/// Dockings with varied inputs.
#[derive(Debug)]
pub struct Docking {
    figures: Vec<FigureSpec>,
}

impl Docking {
    /// Dockings that vary `base`, which must be able to start: its summary says which figures
    /// there are.
    pub fn new(base: &Scenario) -> Result<Self> {
        let start = DockingRun::new(base, false)?;
        Ok(Self {
            figures: figures::specs(&start.summary()?),
        })
    }

    fn attempt(&self, case: &Case<'_>) -> Result<Outcome> {
        let scenario = scenario_of(case.plan, case.run)?;
        let mut run = DockingRun::new(&scenario, case.wants_series)?;
        let outcome = match run.run() {
            Ok(()) => Outcome::ok(figures::values(&run.summary()?, &self.figures)),
            Err(error) => Outcome::failed(error.to_string()),
        };
        Ok(if case.wants_series {
            outcome.with_series(series(&run))
        } else {
            outcome
        })
    }
}

impl Job for Docking {
    type Scratch = ();

    fn figures(&self) -> &[FigureSpec] {
        &self.figures
    }

    fn scratch(&self) {}

    fn run(&self, case: &Case<'_>, (): &mut ()) -> Outcome {
        self.attempt(case)
            .unwrap_or_else(|error| Outcome::failed(format!("{error:#}")))
    }
}

/// The scenario of a run, not checked.
pub fn scenario_of(plan: &Plan, run: u64) -> Result<Scenario> {
    Ok(Scenario::try_from(plan.scenario_of(run)?)?)
}

/// The time series as CSV: the same bytes as `run.csv` of a docking on its own.
fn series(run: &DockingRun) -> Vec<u8> {
    let header = table::header(run.platform().leg_count());
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut bytes = Vec::new();
    append_header(&mut bytes, &names);
    for sample in run.samples() {
        append_row(&mut bytes, &table::row(sample, run.start()));
    }
    bytes
}
