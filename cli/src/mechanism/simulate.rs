//! `softdock mechanism simulate`, `inverse` and `kinematics`.

use super::MechanismArgs;
use crate::output::{self, CsvFile, OutputArgs};
use crate::run::{self, Ended, Progress};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_mechanism::Description;
use softdock_mechanism::prescribed::{self, MotionOnly};
use softdock_mechanism::read::Parameter;
use softdock_mechanism::simulate::{self, Outcome};
use softdock_mechanism::spectrum::{self, Peak};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const FILES: &str = "\
Writes mechanism.csv (time_s, then the outputs that the file names), summary.json and mechanism.html (the
mechanism moving, outputs, spectra, energies) to the folder of --out, or mechanism.csv alone to the
current folder. A run that is stopped or fails leaves its rows in
mechanism.partial.csv.";

/// Arguments of the commands that write a table over time.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(FILES))]
pub struct Arguments {
    #[command(flatten)]
    mechanism: MechanismArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Writes a page with the mechanism moving, outputs, spectra and energies
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// The rows of a run.
#[derive(Debug, Default)]
pub struct Record {
    /// Times [s].
    pub times: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

impl Record {
    /// The values of an output.
    pub fn column(&self, column: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[column]).collect()
    }
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Motion under forces.
    Dynamics,
    /// Forces of a motion that drivers prescribe.
    Inverse,
    /// That motion alone.
    Kinematics,
}

/// What summary.json says.
#[derive(Debug, Serialize)]
pub struct Summary {
    mechanism: String,
    /// Title of the file.
    pub title: String,
    parameters: BTreeMap<String, serde_json::Value>,
    /// Simulated time [s].
    pub duration_s: f64,
    /// Step [s].
    pub step_s: f64,
    /// Whether it can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// Share of the energy that moved which the ledger misses.
    pub energy_residual_rel: f64,
    /// Largest violation of a joint [m or 1].
    pub joint_gap: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Accepted steps.
    pub steps: usize,
    rejected_steps: usize,
    newton_iterations: usize,
    wall_time_s: f64,
    /// What happened when.
    pub events: Vec<Event>,
    #[serde(rename = "final")]
    last: BTreeMap<String, f64>,
    smallest: BTreeMap<String, f64>,
    largest: BTreeMap<String, f64>,
    /// Peaks of the spectrum of every output that moves.
    spectrum: BTreeMap<String, Vec<Peak>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_because: Option<String>,
    file: PathBuf,
}

/// Something that happened during the run.
#[derive(Debug, Serialize)]
pub struct Event {
    /// When [s].
    pub time_s: f64,
    /// What.
    pub text: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, kind: Kind) -> Result<ExitCode> {
    let read = arguments.mechanism.read()?;
    let motion = (kind == Kind::Kinematics).then(|| MotionOnly::of(&read));
    let description = motion.as_ref().map_or(&read, MotionOnly::description);
    let analysis = &description.analysis;
    run::check_times(analysis.duration, analysis.output_step)
        .map_err(crate::failure::BadInput::new)?;
    let folder = arguments.output.out.clone().unwrap_or_default();
    arguments.output.probe("mechanism.csv")?;
    let mut header = vec!["time_s"];
    header.extend(description.outputs.iter().map(|part| part.name.as_str()));
    run::listen_for_stop();
    let mut csv = CsvFile::create(&folder.join("mechanism.csv"), &header)?;
    let mut progress = Progress::new(analysis.duration);
    let (mut last, mut trouble) = (Vec::new(), None);
    let (mut record, mut snapshots) = (Record::default(), Vec::new());
    let page = (arguments.plot.clone()).or_else(|| {
        let out = arguments.output.out.as_ref();
        out.map(|out| out.join("mechanism.html"))
    });
    let (mut smallest, mut largest) = (Vec::new(), Vec::new());
    let mut rows = |time: f64, values: &[f64]| {
        progress.at(time);
        last = values.to_vec();
        record.times.push(time);
        record.rows.push(values.to_vec());
        if smallest.is_empty() {
            smallest = values.to_vec();
            largest = values.to_vec();
        }
        for (i, value) in values.iter().enumerate() {
            smallest[i] = value.min(smallest[i]);
            largest[i] = value.max(largest[i]);
        }
        let row: Vec<f64> = std::iter::once(time)
            .chain(values.iter().copied())
            .collect();
        trouble = csv.row(&row).err();
        trouble.is_none() && !run::stop_requested()
    };
    let mut take = |snapshot| snapshots.push(snapshot);
    let watched: simulate::Snapshots<'_> = match page {
        Some(_) => Some(&mut take),
        None => None,
    };
    let done = match &motion {
        Some(motion) => prescribed::kinematics(motion, &mut rows, watched),
        None if kind == Kind::Inverse => {
            prescribed::inverse_and_watch(description, &mut rows, watched)
        }
        None => simulate::simulate_and_watch(description, &mut rows, watched),
    };
    if let Some(trouble) = trouble {
        return Err(trouble.into());
    }
    let wall_time_s = progress.elapsed();
    progress.finish();
    let (outcome, ended) = match done {
        Ok(outcome) => {
            let complete = outcome.complete;
            (outcome, Ended::new(Ok(complete)))
        }
        Err(error) => (Outcome::default(), Ended::Failed(error.into())),
    };
    let soundness = match &ended {
        Ended::Failed(_) => outcome.soundness.clone().failed(),
        _ => outcome.soundness.clone(),
    };
    let file = ended.close(csv)?;
    let named = |values: &[f64]| {
        let names = description.outputs.iter().map(|part| part.name.clone());
        names
            .zip(values.iter().copied())
            .collect::<BTreeMap<_, _>>()
    };
    let summary = Summary {
        mechanism: description.file.clone(),
        title: description.title.clone(),
        parameters: (description.parameters.iter())
            .map(|part| {
                let value = match &part.value {
                    Parameter::Number(number) => serde_json::json!(number),
                    Parameter::Text(text) => serde_json::json!(text),
                };
                (part.key.clone(), value)
            })
            .collect(),
        duration_s: analysis.duration,
        step_s: analysis.step,
        soundness: soundness.clone(),
        energy_residual_rel: outcome.energy_residual_rel,
        joint_gap: outcome.joint_gap,
        degrees_of_freedom: outcome.degrees_of_freedom,
        steps: outcome.steps,
        rejected_steps: outcome.rejected,
        newton_iterations: outcome.iterations,
        wall_time_s,
        events: (outcome.events.iter())
            .map(|(time_s, text)| Event {
                time_s: *time_s,
                text: text.clone(),
            })
            .collect(),
        last: named(&last),
        smallest: named(&smallest),
        largest: named(&largest),
        spectrum: peaks(description, &record),
        ended_because: ended.reason(),
        file: file.clone(),
    };
    if let Some(path) = page {
        let page = super::page::page(description, &summary, &record, &snapshots);
        output::write_atomic(&path, page.html()?.as_bytes())?;
    }
    report(arguments, &summary)?;
    ended.status(Some(&file), &soundness)
}

/// Peaks of the spectra of the outputs.
fn peaks(description: &Description, record: &Record) -> BTreeMap<String, Vec<Peak>> {
    let mut out = BTreeMap::new();
    for (column, part) in description.outputs.iter().enumerate() {
        let found = spectrum::spectrum(&record.times, &record.column(column));
        let peaks = found.map_or_else(Vec::new, |found| found.peaks(5, 0.02));
        if !peaks.is_empty() {
            out.insert(part.name.clone(), peaks);
        }
    }
    out
}

fn report(arguments: &Arguments, summary: &Summary) -> Result<()> {
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("summary.json"), summary)?;
    }
    if arguments.output.json {
        output::say_json(summary)?;
        return Ok(());
    }
    let mut text = format!("{}\n", summary.title);
    text.push_str(&format!(
        "  {} s in {:.3} s, {} steps, soundness {}, energy missing {:.1e}\n",
        summary.duration_s,
        summary.wall_time_s,
        summary.steps,
        summary.soundness.key(),
        summary.energy_residual_rel
    ));
    for event in summary.events.iter().take(20) {
        text.push_str(&format!("  t = {:.6} s: {}\n", event.time_s, event.text));
    }
    if summary.events.len() > 20 {
        text.push_str(&format!("  … and {} more\n", summary.events.len() - 20));
    }
    text.push_str(&format!(
        "  {:32} {:>16} {:>16} {:>16}\n",
        "output", "at the end", "smallest", "largest"
    ));
    for (name, last) in &summary.last {
        let (low, high) = (summary.smallest[name], summary.largest[name]);
        text.push_str(&format!("  {name:32} {last:16.9} {low:16.9} {high:16.9}\n"));
    }
    text.push_str(&format!("  rows: {}\n", summary.file.display()));
    output::tell(&text)?;
    Ok(())
}
