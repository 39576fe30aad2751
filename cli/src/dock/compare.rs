//! Several dockings side by side.

use super::execute::{self, Ended, Finished};
use super::{Arguments, FILE_NAMES, end, page, shipped, summary, write_figures};
use crate::failure::verdict_with;
use crate::kind;
use crate::output;
use crate::run;
use anyhow::Result;
use multibody::results::soundness::Soundness;
use serde_json::{Map, Value};
use softdock_docking::Verdicts;
use softdock_report::DockingReport;
use std::path::Path;
use std::process::ExitCode;

/// A run with its name and settings.
type Named = (String, String, Finished);

/// Runs the scenarios of `--compare`.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = arguments.folder();
    let fmu = arguments.legs.archive()?;
    let mut ready = Vec::new();
    for path in &arguments.compare {
        let resolved = arguments.resolve(Some(path))?;
        let known: Vec<&str> = ready
            .iter()
            .map(|(name, ..): &(String, _, _)| name.as_str())
            .collect();
        let name = unlike(&known, &shipped::name_of(Some(path)));
        let prepared = execute::prepare(&resolved.config, true, fmu.as_ref())?;
        ready.push((name, resolved.print()?, prepared));
    }
    kind::check(&folder, "a comparison of dockings", arguments.force)?;
    for name in ["report.html", "summary.json"] {
        output::probe(&folder.join(name))?;
    }
    for (name, ..) in &ready {
        let own = folder.join(name);
        FILE_NAMES
            .iter()
            .try_for_each(|file| output::probe(&own.join(file)))?;
    }
    let asked = ready.len();
    let mut runs: Vec<Named> = Vec::new();
    for (name, config_text, prepared) in ready {
        let own = folder.join(&name);
        let finished = prepared.run(Some(&own.join("run.csv")), &run::stop_requested)?;
        write_figures(&own, &config_text, &finished)?;
        let stopped = matches!(finished.ended, Ended::Stopped);
        runs.push((name, config_text, finished));
        if stopped {
            break;
        }
    }
    write(arguments, &folder, &runs, asked)?;
    close(runs)
}

/// How the program ends after several runs: as the last one that did not come to its end, or as all
/// of them together.
fn close(runs: Vec<Named>) -> Result<ExitCode> {
    let complete = |(_, _, finished): &Named| matches!(finished.ended, Ended::Complete);
    if runs.iter().all(complete) {
        let mut requirements = Verdicts::default();
        let mut all = Soundness::default();
        for (name, _, run) in runs {
            all = all.and(run.figures.soundness);
            let named = run.figures.requirements.0.into_iter().map(|mut verdict| {
                verdict.name = format!("{name}: {}", verdict.name);
                verdict
            });
            requirements.0.extend(named);
        }
        return Ok(verdict_with(&all, &requirements));
    }
    let last = runs.into_iter().rfind(|run| !complete(run));
    last.map_or(Ok(ExitCode::SUCCESS), |(_, _, finished)| end(finished))
}

/// `name`, with a number if it is known already.
fn unlike(known: &[&str], name: &str) -> String {
    let numbered = (2..).map(|k| format!("{name}-{k}"));
    let mut candidates = [name.to_owned()].into_iter().chain(numbered);
    candidates
        .find(|candidate| !known.contains(&candidate.as_str()))
        .unwrap_or_default()
}

fn write(arguments: &Arguments, folder: &Path, runs: &[Named], asked: usize) -> Result<()> {
    let report = folder.join("report.html");
    if arguments.no_report {
        output::remove_stale(folder, &["report.html"])?;
    } else {
        let count = runs.len();
        let lead = if count < asked {
            format!("{count} of {asked} scenarios side by side; the others were not run.")
        } else {
            format!("{count} scenarios side by side.")
        };
        let page = DockingReport {
            title: "Dockings compared".to_owned(),
            lead,
            runs: runs
                .iter()
                .map(|(name, text, finished)| page::run(name, finished, text))
                .collect(),
        };
        output::write_atomic(&report, page.html()?.as_bytes())?;
    }
    let all: Map<String, Value> = runs
        .iter()
        .map(|(name, _, finished)| Ok((name.clone(), finished.summary()?)))
        .collect::<Result<_>>()?;
    output::write_json(&folder.join("summary.json"), &all)?;
    if arguments.output.json {
        return Ok(output::say_json(&all)?);
    }
    for (name, _, finished) in runs {
        output::tell(&format!("{}\n ", summary::for_people(name, finished)))?;
    }
    if !arguments.no_report {
        output::tell(&format!("report: {}", report.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_of_one_name_get_folders_of_their_own() {
        assert_eq!(unlike(&[], "a"), "a");
        assert_eq!(unlike(&["a", "a-2"], "a"), "a-3");
    }
}
