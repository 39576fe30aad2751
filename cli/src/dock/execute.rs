//! One docking: progress, time series, a clean end.

use super::table;
use crate::output::CsvFile;
use crate::run::{self, Progress};
use anyhow::Result;
use serde_json::{Value, json};
use softdock_platform::PlatformError;
use softdock_platform::docking::{DockingRun, Scenario};
use std::path::{Path, PathBuf};

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The whole duration is simulated.
    Complete,
    /// Somebody stopped it.
    Stopped,
    /// It could not go on.
    Failed(PlatformError),
}

/// A run and its results.
#[derive(Debug)]
pub struct Finished {
    /// The run with its samples.
    pub run: DockingRun,
    /// How it ended.
    pub ended: Ended,
    /// The summary for machines.
    pub summary: Value,
    /// The time series.
    pub table: Option<PathBuf>,
}

impl Finished {
    /// Why the results are incomplete, if they are.
    pub fn incomplete(&self) -> Option<String> {
        let time = self.run.time();
        match &self.ended {
            Ended::Complete => None,
            Ended::Stopped => Some(format!("stopped at t = {time:.4} s.")),
            Ended::Failed(error) => Some(format!("the run ended at t = {time:.4} s: {error}.")),
        }
    }
}

/// Runs `scenario`, its time series going to `file`.
pub fn run(scenario: &Scenario, file: Option<&Path>) -> Result<Finished> {
    let mut progress = Progress::new(scenario.docking.duration_s);
    let mut run = DockingRun::new(scenario, true)?;
    let header = table::header(run.platform().legs().len());
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut csv = file.map(|path| CsvFile::create(path, &names)).transpose()?;
    let mut written = 0;
    let ended = loop {
        if let Some(csv) = &mut csv {
            for sample in &run.samples()[written..] {
                csv.row(&table::row(sample, run.start()))?;
            }
        }
        written = run.samples().len();
        if run.finished() {
            break Ended::Complete;
        }
        if run::stop_requested() {
            break Ended::Stopped;
        }
        if let Err(error) = run.advance() {
            break Ended::Failed(error);
        }
        progress.at(run.time());
    };
    progress.finish();
    let table = match (csv, &ended) {
        (None, _) => None,
        (Some(csv), Ended::Complete) => Some(csv.finish()?),
        (Some(csv), _) => Some(csv.keep_partial()?),
    };
    let summary = machine_summary(&run, &ended, progress.elapsed())?;
    Ok(Finished {
        run,
        ended,
        summary,
        table,
    })
}

/// The summary as JSON, with what only the program knows.
fn machine_summary(run: &DockingRun, ended: &Ended, wall: f64) -> Result<Value> {
    let mut value = serde_json::to_value(run.summary()?)?;
    if let Value::Object(map) = &mut value {
        map.insert("wall_s".to_owned(), json!(wall));
        map.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        let error = match ended {
            Ended::Complete => Value::Null,
            Ended::Stopped => json!("stopped"),
            Ended::Failed(error) => json!(error.to_string()),
        };
        map.insert("error".to_owned(), error);
    }
    Ok(value)
}
