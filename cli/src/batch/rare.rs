//! `softdock batch rare`: the probability of an event that plain sampling hardly ever sees.

use super::job::StudyJob;
use super::results::{CONFIDENCE, Verdicts, ends};
use super::stages;
use super::study::{self, Changes, Prepared};
use crate::failure::{BadInput, STOPPED};
use crate::output;
use crate::run;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde_json::json;
use softdock_study::rare::{RareEvent, RareSearch, Settings};
use softdock_study::{Kind, Plan, Shard};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

/// What the help says below the options.
const MORE: &str = "\
First, chains of runs go level by level towards the event, each level about ten times rarer than the one
before, and gather points inside it (subset simulation, several times independently). Then new points are
drawn around those and weighted (importance sampling): their probability has no bias, and its interval
holds. A small part of the event, far from all that the chains come to, is missing from both. The inputs
must be independent of each other. Every stage is a study in a folder of its own below DIR: stopped or
killed, the same command goes on. DIR/measured/results.parquet has the points that the probability is
from, with a column `weight`: the mean of the weights of the runs with the event. Runs that fail or are
suspect count as runs without the event; what is known whatever they would have given is said beside it.";

/// An event: a figure above or below a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of the figure.
    pub key: String,
    /// The number.
    pub limit: f64,
    /// 1 for above, −1 for below.
    pub sign: f64,
}

impl FromStr for Event {
    type Err = String;

    /// Reads `FIGURE>NUMBER` or `FIGURE<NUMBER`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: must be FIGURE>NUMBER or FIGURE<NUMBER");
        let above = text.split_once('>');
        let (key, number) = above.or_else(|| text.split_once('<')).ok_or_else(wrong)?;
        let limit: f64 = number.trim().parse().map_err(|_| wrong())?;
        let sign = if above.is_some() { 1.0 } else { -1.0 };
        let key = key.trim().to_owned();
        let fits = limit.is_finite() && !key.is_empty();
        fits.then_some(Self { key, limit, sign }).ok_or_else(wrong)
    }
}

/// Arguments of `softdock batch rare`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Study: a TOML file, or the name of one that comes with the program; its sampling does not matter
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// The event, such as "peak_contact_force_n>400"
    #[arg(long, value_name = "EVENT")]
    event: Event,
    /// Folder for the stages; made if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Points of a level of a search for the event
    #[arg(long, value_name = "N", default_value_t = 100)]
    points: u32,
    /// Independent searches for the event
    #[arg(long, value_name = "N", default_value_t = 8)]
    repetitions: u32,
    /// Points that the probability is measured with
    #[arg(long, value_name = "N", default_value_t = 1000)]
    measured: u32,
    /// Runs at a time; 0 takes one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Sets one key of the base scenario; repeatable, overrides the study
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    check(arguments)?;
    let changes = Changes {
        set: &arguments.set,
        ..Changes::default()
    };
    let Prepared { plan, job } = study::prepare(&arguments.study, &changes, Shard::WHOLE)?;
    if !plan.has_independent_inputs() {
        let message = "the inputs must be independent and drawn at random: no grid, no design, no \
                       [[correlate]], no [[joint]]";
        return Err(BadInput::new(message).into());
    }
    let place = figure(&plan, &arguments.event.key)?;
    let mut search = RareSearch::new(Settings {
        seed: plan.study().seed,
        inputs: plan.inputs().len(),
        repetitions: arguments.repetitions as usize,
        points: arguments.points as usize,
        measured: arguments.measured as usize,
        limit: arguments.event.sign * arguments.event.limit,
    });
    let mut unknown = 0;
    loop {
        let points = search.points();
        if points.is_empty() {
            break;
        }
        let weights = search.weights();
        let folder = match weights {
            Some(_) => "measured".to_owned(),
            None => format!("stage-{:03}", search.stage()),
        };
        let rows: Vec<_> = points.iter().map(|z| plan.values_at_scores(z)).collect();
        let stage = stages::listed(&plan, &job, &folder, &rows, weights.unwrap_or_default())?;
        let folder = arguments.out.join(folder);
        let Some(figures) = evaluate(&stage, &job, &folder, arguments, place)? else {
            return Ok(ExitCode::from(STOPPED));
        };
        unknown += figures.iter().filter(|g| g.is_nan()).count();
        search.advance(&figures);
    }
    if let Some(found) = search.result(CONFIDENCE) {
        say(arguments, &plan, &found, unknown)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &Arguments) -> Result<()> {
    for (name, value, least, most) in [
        ("points", arguments.points, 50, 100_000),
        ("repetitions", arguments.repetitions, 1, 1000),
        ("measured", arguments.measured, 100, 1_000_000),
    ] {
        if !(least..=most).contains(&value) {
            let message = format!("--{name} {value}: must be {least} to {most}");
            return Err(BadInput::new(message).into());
        }
    }
    Ok(())
}

/// Place of a figure of numbers.
pub fn figure(plan: &Plan, key: &str) -> Result<usize> {
    let usable = |kind: Kind| matches!(kind, Kind::Real | Kind::Integer);
    let mut figures = plan.figures().iter();
    let found = figures.position(|figure| figure.name == key && usable(figure.kind));
    found.ok_or_else(|| {
        let names = plan.figures().iter().filter(|f| usable(f.kind));
        let names: Vec<&str> = names.map(|f| f.name.as_str()).collect();
        let message = format!(
            "--event: there is no figure {key} (there are {})",
            names.join(", ")
        );
        BadInput::new(message).into()
    })
}

/// Runs a stage, or what is left of it: the figure of every point, its sign such that larger is
/// closer; NaN for runs that do not count. None if it was stopped.
fn evaluate(
    stage: &Plan,
    job: &StudyJob,
    folder: &Path,
    arguments: &Arguments,
    place: usize,
) -> Result<Option<Vec<f64>>> {
    let Some(directory) = stages::finished(stage, job, folder, arguments.threads)? else {
        return Ok(None);
    };
    let verdicts = Verdicts::of(stage)?;
    let mut figures = vec![f64::NAN; stage.runs() as usize];
    directory.for_each_row(|row| {
        if let Ok(found) = &row.outcome
            && verdicts.outcome_if_sound(found).is_some()
            && let Some(value) = found.get(place).and_then(|value| value.as_ref()?.number())
        {
            figures[row.run as usize] = arguments.event.sign * value;
        }
        Ok(())
    })?;
    Ok(Some(figures))
}

fn say(arguments: &Arguments, plan: &Plan, found: &RareEvent, unknown: usize) -> Result<()> {
    let Event { key, limit, sign } = &arguments.event;
    let word = if *sign > 0.0 { ">" } else { "<" };
    if arguments.json {
        return Ok(output::say_json(&json!({
            "study": plan.study().name,
            "event": format!("{key}{word}{limit}"),
            "probability": found.probability,
            "interval_95": found.interval.map(ends),
            "known_95": found.bounds.map(ends),
            "runs": found.runs,
            "exploration_runs": found.exploration_runs,
            "plain_runs": found.plain_runs.is_finite().then_some(found.plain_runs),
            "without_result": unknown,
            "regions": found.regions,
            "events": found.events,
            "effective_events": found.effective_events,
        }))?);
    }
    let mut text = Text::new(format!("Study {}: {key} {word} {limit}", plan.study().name));
    text.text("probability", format!("{:.3e}", found.probability), "");
    match found.interval {
        Some(i) => text.text(
            "  95 % interval",
            format!("{:.3e} … {:.3e}", i.low, i.high),
            "",
        ),
        None => text.note("no search reached the event: no interval"),
    };
    if let Some(i) = found.bounds {
        let known = format!("{:.3e} … {:.3e}", i.low, i.high);
        text.text(
            "  what is known",
            known,
            "whatever became of runs without a result",
        );
    }
    let looking = format!("{} of them looked for the event", found.exploration_runs);
    text.text("runs", found.runs.to_string(), &looking);
    if found.plain_runs.is_finite() {
        let plain = significant(found.plain_runs, 3);
        let saving = significant(found.plain_runs / found.runs as f64, 3);
        let unit = format!("for the same relative error: {saving} times as many");
        text.text("  by plain sampling", plain, &unit);
    }
    if found.interval.is_some() {
        let worth = format!(
            "worth {} of equal weight",
            significant(found.effective_events, 3)
        );
        text.text("events measured", found.events.to_string(), &worth);
        text.text("regions", found.regions.to_string(), "normal distributions");
    }
    if unknown > 0 {
        text.text(
            "without a result",
            unknown.to_string(),
            "runs; taken as without the event",
        );
    }
    Ok(output::tell(&text.to_string())?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        let event: Event = "peak_contact_force_n>400".parse().unwrap();
        assert_eq!(
            (&*event.key, event.limit, event.sign),
            ("peak_contact_force_n", 400.0, 1.0)
        );
        let event: Event = "gap_m < -0.1".parse().unwrap();
        assert_eq!(
            (&*event.key, event.limit, event.sign),
            ("gap_m", -0.1, -1.0)
        );
        for bad in ["", "y", "y>", ">3", "y>inf"] {
            assert!(bad.parse::<Event>().is_err(), "{bad}");
        }
    }
}
