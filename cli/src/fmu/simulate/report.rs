//! What is said about a run.

use super::columns::Value;
use super::{Arguments, Ended, Simulation};
use crate::failure::STOPPED;
use crate::output;
use crate::summary::Summary;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// What `--json` prints and summary.json holds.
#[derive(Debug, Serialize)]
struct Report {
    model: String,
    complete: bool,
    /// The FMU asked to end the simulation before its stop time.
    ended_by_fmu: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_because: Option<String>,
    file: PathBuf,
    rows: usize,
    start_s: f64,
    reached_s: f64,
    step_s: f64,
    tolerance: Option<f64>,
    wall_s: f64,
    variables: Vec<String>,
    last_values: Vec<Value>,
}

/// Closes the table, writes and prints the report; the exit status.
pub fn finish(
    arguments: &Arguments,
    simulation: Simulation,
    model: &str,
    (ended, wall_s): (Ended, f64),
) -> Result<ExitCode> {
    let complete = matches!(ended, Ended::Complete | Ended::ByFmu);
    let file = if complete {
        simulation.csv.finish()?
    } else {
        simulation.csv.keep_partial()?
    };
    let stopped_because = match &ended {
        Ended::Complete => None,
        Ended::ByFmu => Some("the FMU asked to end the simulation".to_owned()),
        Ended::Stopped => Some("stopped by a signal".to_owned()),
        Ended::Failed(error) => Some(format!("{error:#}")),
    };
    let names = simulation.columns.names();
    let report = Report {
        model: model.to_owned(),
        complete,
        ended_by_fmu: matches!(ended, Ended::ByFmu),
        stopped_because,
        file,
        rows: simulation.rows,
        start_s: simulation.times.start,
        reached_s: simulation.reached,
        step_s: simulation.times.step,
        tolerance: simulation.times.tolerance,
        wall_s,
        variables: names.map(str::to_owned).collect(),
        last_values: simulation.last,
    };
    if let Some(folder) = &arguments.output.out {
        output::write_json(&folder.join("summary.json"), &report)?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&summary(&report).to_string())?;
    }
    match ended {
        Ended::Complete | Ended::ByFmu => Ok(ExitCode::SUCCESS),
        Ended::Stopped => Ok(ExitCode::from(STOPPED)),
        Ended::Failed(error) => {
            let kept = report.file.display();
            Err(error).with_context(|| format!("the rows until then are in {kept}"))
        }
    }
}

/// Most values of a summary.
const MOST_SHOWN: usize = 12;

fn summary(report: &Report) -> Summary {
    let state = if report.complete { "" } else { ", INCOMPLETE" };
    let mut summary = Summary::new(format!(
        "{} simulated from {} to {} s{state}",
        report.model, report.start_s, report.reached_s
    ));
    summary
        .text("rows", report.rows.to_string(), "")
        .number("wall time", report.wall_s, "s");
    let last = report.variables.iter().zip(&report.last_values);
    for (name, value) in last.take(MOST_SHOWN) {
        match value {
            Value::Real(value) => summary.number(name, *value, ""),
            other => summary.text(name, other.to_string(), ""),
        };
    }
    if report.variables.len() > MOST_SHOWN {
        let more = report.variables.len() - MOST_SHOWN;
        summary.note(format!("and {more} more at the end of the table"));
    }
    if report.ended_by_fmu {
        let reached = report.reached_s;
        summary.note(format!(
            "the FMU asked to end the simulation at t = {reached} s, before its stop time"
        ));
    }
    summary.note(format!("wrote {}", report.file.display()));
    summary
}
