//! What the finished runs of a study say, in a few figures. Suspect runs are counted and left out.

use super::progress::duration;
use super::until;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use serde_json::{Map, Value as Json, json};
use softdock_docking::{Figure, Outcome, Summary as Docking};
use softdock_study::statistics::sequential::look_confidence;
use softdock_study::statistics::{
    Coverage, Dependence, Distribution, Interval, Proportion, QuantileEstimate, Values, proportion,
};
use softdock_study::{Directory, Kind, Plan, StudyError, Value};
use std::collections::HashSet;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// The figure that ranks dockings.
pub const FORCE: Figure = Docking::peak_contact_force_n;

/// Quantiles that are printed.
pub const PROBABILITIES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];
/// Values that quantiles are taken from at most; of more a fair sample is taken.
const MOST_VALUES: usize = 1 << 22;
/// Failed and suspect runs that are listed.
const LISTED: usize = 3;

/// Where the verdicts stand among the figures of a study.
#[derive(Debug, Clone, Copy)]
pub struct Verdicts {
    soundness: usize,
    reasons: usize,
    outcome: usize,
}

impl Verdicts {
    /// Where they are; a study of another version of the program may have none.
    pub fn of(plan: &Plan) -> Result<Self, StudyError> {
        Ok(Self {
            soundness: place(plan, &Docking::soundness)?,
            reasons: place(plan, &Docking::soundness_reasons)?,
            outcome: place(plan, &Docking::outcome)?,
        })
    }

    /// What became of a run that is sound; none of another.
    pub fn outcome_if_sound(&self, figures: &[Option<Value>]) -> Option<Outcome> {
        let sound = text(figures, self.soundness) == Some(Soundness::Sound.key());
        text(figures, self.outcome)
            .filter(|_| sound)
            .and_then(|name| name.parse().ok())
    }

    /// Names of the reasons to doubt a run.
    fn reasons<'a>(&self, figures: &'a [Option<Value>]) -> &'a str {
        text(figures, self.reasons).unwrap_or("")
    }
}

fn place(plan: &Plan, figure: &Figure) -> Result<usize, StudyError> {
    let names = || plan.figures().iter().map(|known| known.name.as_str());
    let found = names().position(|known| known == figure.key);
    found.ok_or_else(|| StudyError::Column {
        name: figure.key.to_owned(),
        wanted: "text",
        available: names().collect::<Vec<_>>().join(", "),
    })
}

fn text(figures: &[Option<Value>], place: usize) -> Option<&str> {
    match figures.get(place)? {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// Place and name of the figure that a study is about: the peak force of dockings, the first number
/// of other studies.
pub fn main_figure(plan: &Plan) -> Option<(usize, &str)> {
    let figures = || plan.figures().iter().enumerate();
    let force = figures().find(|(_, figure)| figure.name == FORCE.key);
    let number = || figures().find(|(_, f)| f.kind == Kind::Real && f.name != "captured");
    let (place, figure) = force.or_else(number)?;
    Some((place, &figure.name))
}

/// Sound runs of one outcome.
#[derive(Debug)]
pub struct Group {
    /// What became of them.
    pub outcome: Outcome,
    /// How many there are.
    pub count: u64,
    /// The main figure; none where nothing touched.
    pub main: Option<Distribution>,
}

/// Figures of many runs.
#[derive(Debug)]
pub struct Results {
    /// Finished runs, failed and suspect ones included.
    pub finished: u64,
    /// Failed runs.
    pub failed: u64,
    /// Runs that were computed but must not be used.
    pub suspect: u64,
    /// The sound runs by outcome.
    pub groups: Vec<Group>,
    /// The first failed runs and why.
    pub failures: Vec<(u64, String)>,
    /// The first suspect runs and the names of the reasons.
    pub suspects: Vec<(u64, String)>,
    /// Name of the main figure: the peak contact force of dockings [N].
    pub main_name: String,
    /// Distribution of the main figure over all sound runs that touched.
    pub main: Option<Distribution>,
    /// How many of its values the quantiles are from, if not all.
    pub thinned_to: Option<u64>,
    /// Captures among the sound runs that met; its bounds take failed, suspect and undecided runs
    /// either way.
    pub capture: Proportion,
    /// Whether the study stops by itself, so that the interval of `capture` is made for all looks together.
    pub stops_by_itself: bool,
}

/// What the rows say while they are read.
struct Reading {
    runs: Vec<u64>,
    /// Outcome of each run; none for failed and suspect ones.
    outcomes: Vec<Option<Outcome>>,
    counts: [u64; Outcome::ALL.len()],
    all: Values,
    by_outcome: [Values; Outcome::ALL.len()],
}

impl Results {
    /// Reads the finished runs of one study, which may be spread over several directories.
    pub fn read(directories: &[Directory]) -> Result<Self> {
        let Some(plan) = directories.first().map(Directory::plan) else {
            anyhow::bail!("there is no folder to read");
        };
        let (verdicts, main) = (Verdicts::of(plan)?, main_figure(plan));
        let mut out = Self {
            finished: 0,
            failed: 0,
            suspect: 0,
            groups: Vec::new(),
            failures: Vec::new(),
            suspects: Vec::new(),
            main_name: main.map_or("", |(_, name)| name).to_owned(),
            main: None,
            thinned_to: None,
            capture: proportion(&[], &Dependence::independent(0), CONFIDENCE),
            stops_by_itself: directories.iter().any(|d| until::stops_by_itself(d.path())),
        };
        let mut reading = Reading {
            runs: Vec::new(),
            outcomes: Vec::new(),
            counts: [0; Outcome::ALL.len()],
            all: Values::new(MOST_VALUES),
            by_outcome: std::array::from_fn(|_| Values::new(MOST_VALUES / 4)),
        };
        let mut seen = HashSet::new();
        for directory in directories {
            directory.for_each_row(|row| {
                // A run may be in several directories, but not twice in one.
                if directories.len() > 1 && !seen.insert(row.run) {
                    return Ok(());
                }
                out.finished += 1;
                let mut outcome = None;
                match &row.outcome {
                    Err(reason) => {
                        out.failed += 1;
                        list(&mut out.failures, row.run, reason);
                    }
                    Ok(figures) => {
                        outcome = verdicts.outcome_if_sound(figures);
                        if outcome.is_none() {
                            out.suspect += 1;
                            list(&mut out.suspects, row.run, verdicts.reasons(figures));
                        }
                        let value = main.and_then(|(place, _)| figures.get(place)?.as_ref());
                        reading.take(row.run, outcome, value.and_then(Value::number));
                    }
                }
                reading.runs.push(row.run);
                reading.outcomes.push(outcome);
                Ok(())
            })?;
        }
        out.finish(plan, &reading);
        Ok(out)
    }

    fn finish(&mut self, plan: &Plan, reading: &Reading) {
        self.main = reading.all.distribution(plan, &PROBABILITIES, CONFIDENCE);
        self.thinned_to = reading.all.thinned_to();
        self.capture = match self.stops_by_itself {
            true => looked_at(plan, &reading.runs, &reading.outcomes),
            false => capture(plan, &reading.runs, &reading.outcomes),
        };
        let groups = Outcome::ALL.into_iter().zip(&reading.by_outcome);
        self.groups = groups
            .map(|(outcome, values)| Group {
                outcome,
                count: reading.counts[outcome as usize],
                main: values.distribution(plan, &PROBABILITIES, CONFIDENCE),
            })
            .collect();
    }

    /// Sound runs.
    pub fn sound(&self) -> u64 {
        self.finished - self.failed - self.suspect
    }

    /// Sound runs of an outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        let of_it = self.groups.iter().find(|group| group.outcome == outcome);
        of_it.map_or(0, |group| group.count)
    }

    /// Sound runs in which end effector and target met: those that could end with a capture.
    pub fn met(&self) -> u64 {
        self.capture.trials
    }

    /// Runs of which it is not known whether they would end with a capture: failed, suspect, never
    /// touched, in contact at the end.
    pub fn undecided(&self) -> u64 {
        let open = self.count(Outcome::InContact) + self.count(Outcome::NeverTouched);
        self.failed + self.suspect + open
    }

    /// Runs that ended with a capture, of those in which end effector and target met [-]; none
    /// without such runs.
    pub fn capture_probability(&self) -> Option<f64> {
        (self.met() > 0).then_some(self.capture.estimate)
    }

    /// How many runs there are of each kind, for people.
    pub fn describe_counts(&self, text: &mut Text) {
        text.text("sound", self.sound().to_string(), "");
        for group in &self.groups {
            text.text(&format!("  {}", group.outcome), group.count.to_string(), "");
        }
        text.text(
            "suspect",
            self.suspect.to_string(),
            "left out of all statistics",
        );
    }

    /// For people.
    pub fn describe(&self, text: &mut Text) {
        self.describe_counts(text);
        self.describe_capture(text);
        if let Some(main) = &self.main {
            let force = self.main_name == FORCE.key;
            let (name, unit) = if force {
                ("peak force", "N")
            } else {
                (&*self.main_name, "")
            };
            let first = format!("{name}, 5 %");
            let names = [&*first, "  median", "  95 %", "  99 %"];
            for (name, quantile) in names.iter().zip(&main.quantiles) {
                let known = quantile_words(quantile, main.count);
                let unit = format!("{unit}  {known}");
                text.text(name, significant(quantile.value, 4), unit.trim());
            }
            text.text("  largest", significant(main.max, 4), unit);
            if main.infinite > 0 {
                text.text("  infinite", main.infinite.to_string(), "runs");
            }
        }
        if let Some(kept) = self.thinned_to {
            text.note(format!(
                "quantiles are those of {kept} runs, drawn at random from all; extremes and means are \
                 exact"
            ));
        }
        for (run, reasons) in &self.suspects {
            text.note(format!("run {run} is suspect: {reasons}"));
        }
        for (run, reason) in &self.failures {
            text.note(format!("run {run} failed: {reason}"));
        }
        let listed = (self.failures.len() + self.suspects.len()) as u64;
        if self.failed + self.suspect > listed {
            text.note("… and more; the table has all reasons");
        }
    }

    fn describe_capture(&self, text: &mut Text) {
        let Some(share) = self.capture_probability() else {
            return;
        };
        let (captured, met) = (self.count(Outcome::Captured), self.met());
        let interval = match self.capture.interval {
            Some(interval) => {
                let sure = self.capture.coverage.words();
                let looks = match self.stops_by_itself {
                    true => " for all looks together",
                    false => "",
                };
                format!("{} with {sure}95 %{looks}", percents(interval))
            }
            None => "every point of the grid once: no interval".to_owned(),
        };
        let unit = format!("%  ({interval}; {captured} of the {met} sound runs that met)");
        text.text("probability of capture", percent(share), &unit);
        if let Some(bounds) = self.capture.bounds {
            let unit = format!(
                "%  (whatever became of the {} runs that failed, are suspect or undecided)",
                self.undecided()
            );
            text.text("  what is known", percents(bounds), &unit);
        }
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let group = |group: &Group| {
            let main = group.main.as_ref().map(distribution_json);
            let value = json!({ "count": group.count, (&*self.main_name): main });
            (group.outcome.key().to_owned(), value)
        };
        json!({
            "finished": self.finished,
            "failed": self.failed,
            "suspect": self.suspect,
            "sound": self.sound(),
            "undecided": self.undecided(),
            "outcomes": self.groups.iter().map(group).collect::<Map<String, Json>>(),
            "capture_trials": self.met(),
            "capture_probability": self.capture_probability(),
            "capture_interval_95": self.capture.interval.map(ends),
            "capture_known_95": self.capture.bounds.map(ends),
            "capture_coverage": self.capture.coverage.key(),
            "stops_by_itself": self.stops_by_itself,
            "quantiles_from": self.thinned_to,
            (&*self.main_name): self.main.as_ref().map(distribution_json),
        })
    }
}

impl Reading {
    fn take(&mut self, run: u64, outcome: Option<Outcome>, value: Option<f64>) {
        let Some(outcome) = outcome else { return };
        self.counts[outcome as usize] += 1;
        if let Some(value) = value {
            self.all.push(run, value);
            self.by_outcome[outcome as usize].push(run, value);
        }
    }
}

/// The probability of capture over runs with the given outcomes; none for failed and suspect ones.
pub fn capture(plan: &Plan, runs: &[u64], outcomes: &[Option<Outcome>]) -> Proportion {
    capture_with(plan, runs, outcomes, CONFIDENCE)
}

/// The same of a study that stops by itself: the interval holds for all looks together.
fn looked_at(plan: &Plan, runs: &[u64], outcomes: &[Option<Outcome>]) -> Proportion {
    let found = capture_with(plan, runs, outcomes, look_confidence());
    let coverage = match found.coverage {
        Coverage::Nominal => Coverage::Conservative,
        other => other,
    };
    Proportion { coverage, ..found }
}

fn capture_with(
    plan: &Plan,
    runs: &[u64],
    outcomes: &[Option<Outcome>],
    confidence: f64,
) -> Proportion {
    let dependence = Dependence::of(plan, runs);
    let of = |known: &dyn Fn(Outcome) -> bool| -> Vec<Option<bool>> {
        let captured = |outcome: Outcome| outcome == Outcome::Captured;
        let rows = outcomes.iter();
        rows.map(|outcome| outcome.filter(|o| known(*o)).map(captured))
            .collect()
    };
    let estimate = proportion(&of(&|o| o.met()), &dependence, confidence);
    // A run that is still in contact may be captured later.
    let decided = of(&|o| matches!(o, Outcome::Captured | Outcome::Bounced));
    Proportion {
        bounds: proportion(&decided, &dependence, confidence).bounds,
        ..estimate
    }
}

/// The probability of capture over the finished runs of a folder, with the given confidence.
pub fn capture_of(directory: &Directory, confidence: f64) -> Result<Proportion> {
    let plan = directory.plan();
    let verdicts = Verdicts::of(plan)?;
    let (mut runs, mut outcomes) = (Vec::new(), Vec::new());
    directory.for_each_row(|row| {
        let figures = row.outcome.as_ref().ok();
        runs.push(row.run);
        outcomes.push(figures.and_then(|figures| verdicts.outcome_if_sound(figures)));
        Ok(())
    })?;
    Ok(capture_with(plan, &runs, &outcomes, confidence))
}

/// Keeps the first few.
fn list(kept: &mut Vec<(u64, String)>, run: u64, reason: &str) {
    if kept.len() < LISTED {
        kept.push((run, reason.to_owned()));
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    significant(100.0 * share, 3)
}

/// A share that is a choice and not a result, such as that of a quantile, in percent: 5, 97.5.
pub fn level(share: f64) -> String {
    ((1e6 * share).round() / 1e4).to_string()
}

/// An interval of shares in percent.
pub fn percents(Interval { low, high }: Interval) -> String {
    format!("{} … {}", percent(low), percent(high))
}

/// What is known of a quantile, in words; `count` values it is from.
pub fn quantile_words(quantile: &QuantileEstimate, count: u64) -> String {
    let number = |value: f64| significant(value, 4);
    match (quantile.low, quantile.high, quantile.needed) {
        (Some(low), Some(high), _) => format!("({} … {})", number(low), number(high)),
        (None, Some(high), _) => format!("(at most {})", number(high)),
        (Some(low), None, Some(needed)) if quantile.probability > 0.5 => format!(
            "(at least {}; {count} values do not bound it above, {needed} would)",
            number(low)
        ),
        (Some(low), None, _) => format!("(at least {})", number(low)),
        (None, None, Some(needed)) => format!("({count} values do not bound it, {needed} would)"),
        (None, None, None) => String::new(),
    }
}

/// Both ends, for programs.
pub fn ends(interval: Interval) -> Json {
    json!([number(interval.low), number(interval.high)])
}

/// A number for programs: JSON has no infinite ones, they become words.
pub fn number(value: f64) -> Json {
    match value {
        _ if value.is_finite() => json!(value),
        _ if value.is_nan() => Json::Null,
        _ => json!(if value > 0.0 { "inf" } else { "-inf" }),
    }
}

/// A distribution for programs.
pub fn distribution_json(found: &Distribution) -> Json {
    let quantile = |q: &QuantileEstimate| {
        json!({
            "probability": q.probability,
            "value": number(q.value),
            "interval_95": [q.low.map(number), q.high.map(number)],
            "values_needed": q.needed,
            "coverage": q.coverage.key(),
        })
    };
    json!({
        "count": found.count,
        "missing": found.missing,
        "infinite": found.infinite,
        "mean": number(found.mean),
        "mean_interval_95": found.mean_interval.map(ends),
        "std_dev": number(found.std_dev),
        "min": number(found.min),
        "max": number(found.max),
        "coverage": found.coverage.key(),
        "quantiles": found.quantiles.iter().map(quantile).collect::<Vec<Json>>(),
    })
}

/// Throughput in words: `finished` runs in `seconds`.
pub fn throughput(finished: u64, seconds: f64) -> String {
    format!(
        "{finished} runs in {}, {} per minute",
        duration(seconds),
        significant(60.0 * finished as f64 / seconds.max(1e-9), 3)
    )
}
