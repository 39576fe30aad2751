//! `softdock batch boundary`: where an event begins, over two or three inputs.

pub(super) mod contour;
mod page;

use super::job::StudyJob;
use super::rare::{self, Event};
use super::results::{CONFIDENCE, Verdicts, ends, number, percent};
use super::stages;
use super::study::{self, Changes, Prepared};
use crate::failure::{BadInput, STOPPED};
use crate::summary::Summary as Text;
use crate::{output, run};
use anyhow::Result;
use serde_json::json;
use softdock_docking::Outcome;
use softdock_study::boundary::{BoundaryMap, BoundarySearch, Settings, Shares};
use softdock_study::sampling::distribution::Distribution;
use softdock_study::sampling::random::{Generator, Stream};
use softdock_study::statistics::Interval;
use softdock_study::{Kind, Plan, Shard, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

/// What the help says below the options.
const MORE: &str = "\
The inputs that are not mapped stay at their medians; those that are fill their ranges evenly (0.5 to
99.5 % of a distribution without ends). A first set of runs fills the box, further ones go where it is
least known whether the event happens. DIR/report.html shows the boundary with the zone in which it lies
with 95 %, DIR/map.csv has the probability over a grid, DIR/runs.csv the runs. Every stage is a study in
a folder of its own below DIR: stopped or killed, the same command goes on. The zone is that of a
Gaussian process fitted to the runs: it holds as far as the boundary is smooth against its fitted
lengths. A region smaller than the distance of the first runs can be missed.";

/// Places of a map along an input, by the number of inputs.
const LEVELS: [usize; 2] = [41, 21];
/// Points that stand for the distributions of the inputs.
const DRAWN: u64 = 4096;

/// What happens or not.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A capture.
    Captured,
    /// A figure beyond a limit.
    Beyond(Event),
}

impl FromStr for Happening {
    type Err = String;

    /// Reads `captured`, `FIGURE>NUMBER` or `FIGURE<NUMBER`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "captured" => Ok(Self::Captured),
            other => other.parse().map(Self::Beyond),
        }
    }
}

impl std::fmt::Display for Happening {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Captured => formatter.write_str("captured"),
            Self::Beyond(Event { key, limit, sign }) => {
                let word = if *sign > 0.0 { '>' } else { '<' };
                write!(formatter, "{key} {word} {limit}")
            }
        }
    }
}

/// Arguments of `softdock batch boundary`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Study: a TOML file, or the name of one that comes with the program; its sampling does not matter
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// An input of the study that is mapped; two or three of them
    #[arg(long = "over", value_name = "KEY", required = true)]
    over: Vec<String>,
    /// The event: captured, or a figure beyond a limit such as "peak_contact_force_n>300"
    #[arg(long, value_name = "EVENT", default_value = "captured")]
    event: Happening,
    /// Folder for the stages and the map; made if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Runs in all
    #[arg(long, value_name = "N", default_value_t = 120)]
    runs: u32,
    /// Runs of a stage
    #[arg(long, value_name = "N", default_value_t = 10)]
    stage: u32,
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

/// The inputs that are mapped and the box that they fill.
struct Area {
    /// Places of the inputs among those of the study.
    places: Vec<usize>,
    /// Ends of their ranges.
    ends: Vec<[f64; 2]>,
    /// Values of all inputs, those that are not mapped at their medians.
    medians: Vec<Value>,
}

impl Area {
    /// Values of all inputs at a place of the box.
    fn values(&self, x: &[f64]) -> Vec<Value> {
        let mut values = self.medians.clone();
        for ((place, [low, high]), x) in self.places.iter().zip(&self.ends).zip(x) {
            values[*place] = Value::Real(low + x * (high - low));
        }
        values
    }

    /// A coordinate of a place in the unit of its input.
    fn value(&self, input: usize, x: f64) -> f64 {
        let [low, high] = self.ends[input];
        low + x * (high - low)
    }
}

/// Everything that is known in the end.
struct Found<'a> {
    plan: &'a Plan,
    event: &'a Happening,
    area: Area,
    search: BoundarySearch,
    map: BoundaryMap,
    /// Shares of the box.
    of_box: Shares,
    /// Shares under the distributions of the inputs.
    of_inputs: Shares,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let changes = Changes {
        set: &arguments.set,
        ..Changes::default()
    };
    let Prepared { plan, job } = study::prepare(&arguments.study, &changes, Shard::WHOLE)?;
    let area = area(&plan, &arguments.over)?;
    check(arguments, area.places.len())?;
    let mut search = BoundarySearch::new(Settings {
        seed: plan.study().seed,
        inputs: area.places.len(),
        runs: arguments.runs as usize,
        stage: arguments.stage as usize,
    });
    let place = match &arguments.event {
        Happening::Captured => None,
        Happening::Beyond(event) => Some(rare::figure(&plan, &event.key)?),
    };
    while !search.points().is_empty() {
        let rows: Vec<_> = search.points().iter().map(|x| area.values(x)).collect();
        let name = format!("stage-{:03}", search.stage());
        let stage = stages::listed(&plan, &job, &name, &rows, Vec::new())?;
        let folder = arguments.out.join(name);
        let Some(events) = evaluate(&stage, &job, &folder, arguments, place)? else {
            return Ok(ExitCode::from(STOPPED));
        };
        search.advance(&events);
    }
    let map = search.map();
    let found = Found {
        of_box: map.shares(grid(area.places.len()), CONFIDENCE),
        of_inputs: map.shares(drawn(&plan, &area)?, CONFIDENCE),
        plan: &plan,
        event: &arguments.event,
        area,
        search,
        map,
    };
    let page = arguments.out.join("report.html");
    output::write_atomic(&page, page::report(&found).html()?.as_bytes())?;
    for (name, text) in [("map.csv", map_csv(&found)), ("runs.csv", runs_csv(&found))] {
        output::write_atomic(&arguments.out.join(name), text.as_bytes())?;
    }
    say(arguments, &found, &page)?;
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &Arguments, inputs: usize) -> Result<()> {
    for (name, value, least, most) in [
        ("runs", arguments.runs, 10 * inputs as u32, 1000),
        ("stage", arguments.stage, 1, 200),
    ] {
        if !(least..=most).contains(&value) {
            let message = format!("--{name} {value}: must be {least} to {most}");
            return Err(BadInput::new(message).into());
        }
    }
    Ok(())
}

/// The box of the mapped inputs.
fn area(plan: &Plan, over: &[String]) -> Result<Area> {
    let refused = |message: String| BadInput::new(format!("--over {message}"));
    if !plan.has_independent_inputs() {
        let message = "the inputs must be independent and drawn at random: no grid, no design, no \
                       [[correlate]], no [[joint]]";
        return Err(BadInput::new(message).into());
    }
    if !(2..=3).contains(&over.len()) {
        let message = format!("must name two or three inputs, not {}", over.len());
        return Err(refused(message).into());
    }
    let names: Vec<&str> = plan.inputs().iter().map(|i| i.name.as_str()).collect();
    let distributions = plan.study().distributions()?;
    let (mut places, mut ends) = (Vec::new(), Vec::new());
    for key in over {
        let place = names.iter().position(|name| name == key);
        let number = |&place: &usize| plan.inputs()[place].kind == Kind::Real;
        let fits = place.filter(|place| number(place) && !places.contains(place));
        let place = fits.ok_or_else(|| {
            let names = names.join(", ");
            refused(format!(
                "{key}: must be a different real input of each: {names}"
            ))
        })?;
        places.push(place);
        ends.push(
            range(&distributions[place]).ok_or_else(|| {
                refused(format!("{key}: its distribution has levels, not a range"))
            })?,
        );
    }
    Ok(Area {
        places,
        ends,
        medians: plan.values_at_scores(&vec![0.0; names.len()]),
    })
}

/// The range of an input that is mapped; none for levels.
fn range(distribution: &Distribution) -> Option<[f64; 2]> {
    if distribution.levels().is_some() {
        return None;
    }
    let (low, high) = distribution.ends();
    let at = |end: f64, u: f64| match end.is_finite() {
        true => Some(end),
        false => distribution.quantile(u).number(),
    };
    Some([at(low, 0.005)?, at(high, 0.995)?])
}

/// Runs a stage, or what is left of it: whether the event happened in every run. None if it was
/// stopped.
fn evaluate(
    stage: &Plan,
    job: &StudyJob,
    folder: &Path,
    arguments: &Arguments,
    place: Option<usize>,
) -> Result<Option<Vec<Option<bool>>>> {
    let Some(directory) = stages::finished(stage, job, folder, arguments.threads)? else {
        return Ok(None);
    };
    let verdicts = Verdicts::of(stage)?;
    let mut events = vec![None; stage.runs() as usize];
    directory.for_each_row(|row| {
        let figures = row.outcome.as_ref().ok();
        let sound = figures.and_then(|f| Some((f, verdicts.outcome_if_sound(f)?)));
        events[row.run as usize] = sound.and_then(|(figures, outcome)| match &arguments.event {
            Happening::Captured => outcome.met().then_some(outcome == Outcome::Captured),
            Happening::Beyond(event) => {
                let value = figures.get(place?)?.as_ref()?.number()?;
                Some(event.sign * value > event.sign * event.limit)
            }
        });
        Ok(())
    })?;
    Ok(Some(events))
}

/// Places that fill the box evenly.
fn grid(inputs: usize) -> impl Iterator<Item = Vec<f64>> {
    let levels = LEVELS[inputs - 2];
    (0..levels.pow(inputs as u32)).map(move |i| {
        let digit = |j: u32| (i / levels.pow(j)) % levels;
        (0..inputs as u32)
            .map(|j| digit(j) as f64 / (levels - 1) as f64)
            .collect()
    })
}

/// Places that follow the distributions of the inputs.
fn drawn(plan: &Plan, area: &Area) -> Result<impl Iterator<Item = Vec<f64>> + use<>> {
    let distributions = plan.study().distributions()?;
    let generator = Generator::new(plan.study().seed);
    let chosen: Vec<(Distribution, [f64; 2])> = area
        .places
        .iter()
        .zip(&area.ends)
        .map(|(&place, ends)| (distributions[place].clone(), *ends))
        .collect();
    Ok((0..DRAWN).map(move |i| {
        let coordinate = |(j, (distribution, [low, high])): (usize, &(Distribution, [f64; 2]))| {
            let u = generator.uniform(Stream::MonteCarlo, j as u32, i);
            let value = distribution.quantile(u).number().unwrap_or(*low);
            ((value - low) / (high - low)).clamp(0.0, 1.0)
        };
        chosen.iter().enumerate().map(coordinate).collect()
    }))
}

fn names<'a>(found: &Found<'a>) -> Vec<&'a str> {
    let inputs = found.plan.inputs();
    let places = found.area.places.iter();
    places.map(|&place| inputs[place].name.as_str()).collect()
}

fn map_csv(found: &Found<'_>) -> String {
    let mut text = names(found).join(",") + ",probability\n";
    for x in grid(found.area.places.len()) {
        for (input, x) in x.iter().enumerate() {
            text += &format!("{},", found.area.value(input, *x));
        }
        text += &format!("{:.4}\n", found.map.probability(&x));
    }
    text
}

fn runs_csv(found: &Found<'_>) -> String {
    let mut text = names(found).join(",") + ",event\n";
    for (x, event) in found.search.found() {
        for (input, x) in x.iter().enumerate() {
            text += &format!("{},", found.area.value(input, *x));
        }
        text += match event {
            Some(true) => "1\n",
            Some(false) => "0\n",
            None => "\n",
        };
    }
    text
}

fn say(arguments: &Arguments, found: &Found<'_>, page: &Path) -> Result<()> {
    let count = |wanted: Option<bool>| found.search.found().filter(|(_, e)| *e == wanted).count();
    let bounds = |shares: &Shares| Interval {
        low: shares.sure,
        high: shares.possible,
    };
    if arguments.json {
        let shares = |shares: &Shares| json!({ "expected": number(shares.expected), "known_95": ends(bounds(shares)) });
        return Ok(output::say_json(&json!({
            "study": found.plan.study().name,
            "event": found.event.to_string(),
            "over": names(found),
            "runs": found.search.found().count(),
            "with_event": count(Some(true)),
            "without_event": count(Some(false)),
            "without_result": count(None),
            "share_of_box": shares(&found.of_box),
            "probability": shares(&found.of_inputs),
            "report": page,
        }))?);
    }
    let mut text = Text::new(format!(
        "Study {}: {} over {}",
        found.plan.study().name,
        found.event,
        names(found).join(", ")
    ));
    let kinds = format!(
        "{} with the event, {} without, {} without a result",
        count(Some(true)),
        count(Some(false)),
        count(None)
    );
    text.text("runs", found.search.found().count().to_string(), &kinds);
    for (name, shares) in [
        ("share of the box", &found.of_box),
        ("probability", &found.of_inputs),
    ] {
        let known = super::results::percents(bounds(shares));
        let unit = format!("%  (sure … possible: {known})");
        text.text(name, percent(shares.expected), &unit);
    }
    if !found.map.has_boundary() {
        text.note("all runs agree: no boundary in this box");
    }
    text.note("the other inputs stay at their medians; the probability is that of the mapped ones");
    text.note(format!("report  {}", page.display()));
    Ok(output::tell(&text.to_string())?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        assert_eq!(
            "captured".parse::<Happening>().unwrap(),
            Happening::Captured
        );
        let force: Happening = "peak_contact_force_n>300".parse().unwrap();
        assert_eq!(force.to_string(), "peak_contact_force_n > 300");
        assert!("peak".parse::<Happening>().is_err());
    }
}
