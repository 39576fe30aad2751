//! `softdock batch rerun`: chosen runs again, in full detail, each with its report.

use super::results::{FORCE, Verdicts};
use super::{figures, report};
use crate::dock;
use crate::dock::execute::{self, Ended, Finished};
use crate::failure::{BadInput, STOPPED};
use crate::output;
use crate::run;
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary as Text, significant};
use anyhow::{Context, Result};
use multibody::results::soundness::Soundness;
use serde::{Deserialize, Serialize};
use softdock_docking::Scenario;
use softdock_report::{Block, Cell, Page, Table};
use softdock_study::ranking::{self, Ranking};
use softdock_study::{Directory, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The folder inside that of the study, where its report looks for reports of runs.
pub const FOLDER: &str = "reruns";

/// Arguments of `softdock batch rerun`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder of a study
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The worst runs by a figure, FIGURE:COUNT or FIGURE:COUNT:smallest (`softdock figures` lists
    /// them); without any choice the ten largest peak contact forces
    #[arg(long, value_name = "FIGURE:COUNT")]
    worst: Option<Ranking>,
    /// A run by its number; repeatable
    #[arg(long = "run", value_name = "NUMBER")]
    runs: Vec<u64>,
    /// Folder for the results; DIR/reruns if there is none, where the report of the study finds them
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// A run that was done again.
#[derive(Debug, Serialize)]
struct Rerun {
    run: u64,
    /// The figure that it was chosen for.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    folder: PathBuf,
    /// Whether every figure is what the study has, to the last bit; none where it has none.
    same_as_study: Option<bool>,
    /// Whether the run can be believed.
    #[serde(flatten)]
    soundness: Soundness,
    /// Why there is no complete result.
    error: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let directory = Directory::open(&arguments.directory)?;
    let chosen = choose(arguments, &directory)?;
    let own = arguments.directory.join(FOLDER);
    let out = arguments.out.clone().unwrap_or_else(|| own.clone());
    output::probe(&out.join("index.html"))?;
    let stored = stored_figures(&directory, &chosen)?;
    let mut reruns = Vec::new();
    let mut stopped = false;
    for (run, value) in chosen {
        let folder = out.join(folder_name(run));
        let done = again(&directory, run, &folder);
        let mut rerun = Rerun {
            run,
            value,
            folder,
            same_as_study: None,
            soundness: Soundness::Failed(Vec::new()),
            error: None,
        };
        match done {
            Ok(finished) => {
                stopped = matches!(finished.ended, Ended::Stopped);
                rerun.error = finished.incomplete();
                rerun.soundness = finished.figures.soundness.clone();
                rerun.same_as_study = same(&directory, &finished, stored.get(&run))?;
            }
            Err(error) => rerun.error = Some(format!("{error:#}")),
        }
        reruns.push(rerun);
        if stopped {
            break;
        }
    }
    write_index(&out, &directory, arguments, &reruns)?;
    if out == own {
        report::write(&directory)?;
    }
    say(arguments, &out, &reruns)?;
    Ok(if stopped {
        ExitCode::from(STOPPED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Name of the folder of a run.
pub fn folder_name(run: u64) -> String {
    format!("run-{run:010}")
}

/// The runs asked for, each with the figure that it was chosen for.
fn choose(arguments: &Arguments, directory: &Directory) -> Result<Vec<(u64, Option<f64>)>> {
    let mut chosen: Vec<(u64, Option<f64>)> = Vec::new();
    let total = directory.plan().runs();
    for &run in &arguments.runs {
        if run >= total {
            let message = format!("--run {run}: the study has the runs 0 to {}", total - 1);
            return Err(BadInput::new(message).into());
        }
        chosen.push((run, None));
    }
    if arguments.worst.is_some() || chosen.is_empty() {
        // A suspect run is no result, however bad it looks.
        let verdicts = Verdicts::of(directory.plan())?;
        let sound = |figures: &[Option<Value>]| verdicts.outcome_if_sound(figures).is_some();
        let worst = ranking::worst(directory, &ranking_of(arguments), sound)?;
        let ranked = worst.iter().map(|ranked| (ranked.run, Some(ranked.value)));
        chosen.extend(ranked);
    }
    let mut seen = std::collections::BTreeSet::new();
    chosen.retain(|(run, _)| seen.insert(*run));
    if chosen.is_empty() {
        let path = directory.path().display();
        return Err(BadInput::new(format!("{path} has no sound run with that figure")).into());
    }
    Ok(chosen)
}

fn ranking_of(arguments: &Arguments) -> Ranking {
    arguments.worst.clone().unwrap_or(Ranking {
        figure: FORCE.key.to_owned(),
        count: 10,
        order: softdock_study::description::Order::Largest,
    })
}

/// Figures of the chosen runs that the study has.
fn stored_figures(
    directory: &Directory,
    chosen: &[(u64, Option<f64>)],
) -> Result<BTreeMap<u64, Vec<Option<Value>>>> {
    let wanted: std::collections::BTreeSet<u64> = chosen.iter().map(|(run, _)| *run).collect();
    let mut stored = BTreeMap::new();
    directory.for_each_row(|row| {
        if let (true, Ok(figures)) = (wanted.contains(&row.run), &row.outcome) {
            stored.insert(row.run, figures.clone());
        }
        Ok(())
    })?;
    Ok(stored)
}

/// Runs a run again and writes its files.
fn again(directory: &Directory, run: u64, folder: &Path) -> Result<Finished> {
    let plan = directory.plan();
    let name = format!("{}, run {run}", plan.study().name);
    let text = toml::to_string(&plan.scenario_of(run)?)?;
    let resolved = Resolved::<Scenario>::with_text(&name, &text, &SettingsArgs::default(), &[])?;
    let config_text = resolved.print()?;
    let finished = execute::prepare(&resolved.config, true, None)
        .and_then(|ready| ready.run(Some(&folder.join("run.csv")), &run::stop_requested))
        .with_context(|| format!("run {run}"))?;
    dock::write_figures(folder, &config_text, &finished)?;
    dock::write_report(folder, &name, &config_text, &finished)?;
    Ok(finished)
}

/// Whether the figures of a complete run are those that the study has.
fn same(
    directory: &Directory,
    finished: &Finished,
    stored: Option<&Vec<Option<Value>>>,
) -> Result<Option<bool>> {
    let (Some(stored), Ended::Complete) = (stored, &finished.ended) else {
        return Ok(None);
    };
    let plan = directory.plan();
    let scenario = Scenario::try_from(plan.scenario().clone())?;
    let requirements = &scenario.docking.requirement;
    let found = figures::values(&finished.run.summary()?, requirements, plan.figures());
    Ok(Some(found == *stored))
}

/// A run that was done again, by this command or an earlier one.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Remembered {
    run: u64,
    /// The figure that it was chosen for; empty if it was named.
    figure: String,
    value: Option<f64>,
    /// What is to be said of it.
    remark: String,
}

impl Remembered {
    fn new(rerun: &Rerun, figure: &str) -> Self {
        let suspect = || {
            let soundness = &rerun.soundness;
            soundness.is_suspect().then(|| soundness.to_string())
        };
        Self {
            run: rerun.run,
            figure: rerun.value.map_or("", |_| figure).to_owned(),
            value: rerun.value,
            remark: rerun.error.clone().or_else(suspect).unwrap_or_default(),
        }
    }

    fn row(&self, out: &Path) -> Vec<Cell> {
        let name = format!("run {}", self.run);
        let page = Path::new(&folder_name(self.run)).join("report.html");
        let first = match out.join(&page).exists() {
            true => Cell::link(name, &page.to_string_lossy()),
            false => Cell::text(name),
        };
        vec![
            first,
            Cell::text(&*self.figure),
            Cell::number(self.value.unwrap_or(f64::NAN), 4),
            Cell::text(&*self.remark),
        ]
    }
}

/// The runs that were done again earlier and are still there, by their numbers.
fn remembered(out: &Path) -> BTreeMap<u64, Remembered> {
    let known = std::fs::read(out.join("index.json")).unwrap_or_default();
    // A file that cannot be read is as none: it only lists what lies in the folders.
    let known: Vec<Remembered> = serde_json::from_slice(&known).unwrap_or_default();
    let there = |one: &Remembered| out.join(folder_name(one.run)).join("report.html").exists();
    known
        .into_iter()
        .filter(there)
        .map(|one| (one.run, one))
        .collect()
}

/// Writes a page that leads to all the reports, earlier ones included.
fn write_index(
    out: &Path,
    directory: &Directory,
    arguments: &Arguments,
    reruns: &[Rerun],
) -> Result<()> {
    let figure = ranking_of(arguments).figure;
    let mut all = remembered(out);
    all.extend(
        reruns
            .iter()
            .map(|rerun| (rerun.run, Remembered::new(rerun, &figure))),
    );
    let all: Vec<Remembered> = all.into_values().collect();
    output::write_json(&out.join("index.json"), &all)?;
    let page = Page {
        title: format!("{}: runs in detail", directory.plan().study().name),
        lead: "Chosen runs of the study, done again with all their time series.".to_owned(),
        blocks: vec![Block::Table(Table {
            title: "Runs".to_owned(),
            sentence: "Each leads to its report.".to_owned(),
            columns: ["run", "chosen for", "value", "remark"]
                .map(str::to_owned)
                .to_vec(),
            rows: all.iter().map(|one| one.row(out)).collect(),
        })],
        ..Page::default()
    };
    output::write_atomic(&out.join("index.html"), page.html()?.as_bytes())?;
    Ok(())
}

fn say(arguments: &Arguments, out: &Path, reruns: &[Rerun]) -> Result<()> {
    if arguments.json {
        return Ok(output::say_json(reruns)?);
    }
    let mut text = Text::new(format!("{} runs in detail", reruns.len()));
    for rerun in reruns {
        let value = rerun.value.map_or_else(String::new, |v| significant(v, 4));
        text.text(&format!("run {}", rerun.run), value, "");
        if let Some(error) = &rerun.error {
            text.note(format!("run {}: {error}", rerun.run));
        }
        if rerun.soundness.is_suspect() {
            text.note(format!("run {} is {}", rerun.run, rerun.soundness));
        }
        if rerun.same_as_study == Some(false) {
            text.note(format!(
                "run {} gives other figures than in the study: made with another version?",
                rerun.run
            ));
        }
    }
    text.note(format!("reports  {}", out.join("index.html").display()));
    Ok(output::tell(&text.to_string())?)
}
