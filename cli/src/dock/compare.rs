//! Several dockings side by side.

use super::execute::{self, Ended, Finished};
use super::{Arguments, end, page, published_force, shipped, stamped, summary};
use crate::output;
use anyhow::Result;
use serde_json::{Map, Value};
use softdock_report::DockingReport;
use std::process::ExitCode;

/// Runs the scenarios of `--compare`.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = arguments.folder();
    output::probe(&folder.join("report.html"))?;
    let mut scenarios = Vec::new();
    for path in &arguments.compare {
        let resolved = arguments.resolve(Some(path))?;
        scenarios.push((shipped::name_of(Some(path)), resolved));
    }
    let mut runs: Vec<(String, String, Finished)> = Vec::new();
    for (name, resolved) in &scenarios {
        let own = folder.join(name);
        let config_text = resolved.print()?;
        let finished = execute::run(&resolved.config, Some(&own.join("run.csv")))?;
        output::write_atomic(&own.join("config.toml"), stamped(&config_text).as_bytes())?;
        output::write_json(&own.join("summary.json"), &finished.summary)?;
        let stopped = matches!(finished.ended, Ended::Stopped);
        runs.push((name.clone(), config_text, finished));
        if stopped {
            break;
        }
    }
    let report = DockingReport {
        title: "Dockings compared".to_owned(),
        lead: format!("{} scenarios side by side.", runs.len()),
        runs: runs
            .iter()
            .map(|(name, text, finished)| page::run(name, finished, text))
            .collect(),
        reference_force: Some(published_force()),
    };
    output::write_atomic(&folder.join("report.html"), report.html()?.as_bytes())?;
    let all: Map<String, Value> = runs
        .iter()
        .map(|(name, _, finished)| (name.clone(), finished.summary.clone()))
        .collect();
    output::write_json(&folder.join("summary.json"), &all)?;
    if arguments.output.json {
        output::say_json(&all)?;
    } else {
        for (name, _, finished) in &runs {
            output::say(&summary::for_people(name, finished).to_string())?;
        }
        output::say(&format!("report: {}", folder.join("report.html").display()))?;
    }
    let last = runs.into_iter().map(|(_, _, finished)| finished.ended);
    last.filter(|ended| !matches!(ended, Ended::Complete))
        .last()
        .map_or(Ok(ExitCode::SUCCESS), end)
}
