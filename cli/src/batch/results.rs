//! What the finished runs of a study say, in a few figures. Suspect runs are counted and left out.

use super::progress::duration;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use serde_json::{Map, Value as Json, json};
use softdock_docking::{Figure, Outcome, Summary as Docking};
use softdock_study::statistics::{Interval, Summary, summary, wilson};
use softdock_study::{Directory, Plan, StudyError, Value};
use std::collections::HashSet;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// The figure that ranks dockings.
pub const FORCE: Figure = Docking::peak_contact_force_n;

/// Quantiles that are printed.
const PROBABILITIES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];
/// Values that quantiles are taken from at most; of more runs every second, third … is taken.
const MOST_VALUES: u64 = 1 << 20;
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

/// Sound runs of one outcome.
#[derive(Debug)]
pub struct Group {
    /// What became of them.
    pub outcome: Outcome,
    /// How many there are.
    pub count: u64,
    /// Peak contact force [N]; none where nothing touched.
    pub force: Option<Summary>,
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
    /// Peak contact force of all sound runs that touched [N].
    pub force: Option<Summary>,
}

impl Results {
    /// Reads the finished runs of one study, which may be spread over several directories.
    pub fn read(directories: &[Directory]) -> Result<Self> {
        let mut out = Self {
            finished: 0,
            failed: 0,
            suspect: 0,
            groups: Vec::new(),
            failures: Vec::new(),
            suspects: Vec::new(),
            force: None,
        };
        // Sound runs and forces by outcome.
        let mut found: [(u64, Vec<f64>); Outcome::ALL.len()] = Default::default();
        let mut seen = HashSet::new();
        for directory in directories {
            let plan = directory.plan();
            let (verdicts, force) = (Verdicts::of(plan)?, place(plan, &FORCE)?);
            let stride = plan.runs().div_ceil(MOST_VALUES).max(1);
            directory.for_each_row(|row| {
                // A run may be in several directories, but not twice in one.
                if directories.len() > 1 && !seen.insert(row.run) {
                    return Ok(());
                }
                out.finished += 1;
                let figures = match &row.outcome {
                    Ok(figures) => figures,
                    Err(reason) => {
                        out.failed += 1;
                        list(&mut out.failures, row.run, reason);
                        return Ok(());
                    }
                };
                let Some(outcome) = verdicts.outcome_if_sound(figures) else {
                    out.suspect += 1;
                    list(&mut out.suspects, row.run, verdicts.reasons(figures));
                    return Ok(());
                };
                let (count, forces) = &mut found[outcome as usize];
                *count += 1;
                if row.run % stride == 0 {
                    let value = figures.get(force).and_then(Option::as_ref);
                    forces.extend(value.and_then(Value::number));
                }
                Ok(())
            })?;
        }
        let all: Vec<f64> = found
            .iter()
            .flat_map(|(_, forces)| forces)
            .copied()
            .collect();
        out.force = summary(&all, &PROBABILITIES);
        let groups = Outcome::ALL.into_iter().zip(found);
        out.groups = groups
            .map(|(outcome, (count, forces))| Group {
                outcome,
                count,
                force: summary(&forces, &PROBABILITIES),
            })
            .collect();
        Ok(out)
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
        let met = self.groups.iter().filter(|group| group.outcome.met());
        met.map(|group| group.count).sum()
    }

    /// Runs that ended with a capture, of those in which end effector and target met [-]; none
    /// without such runs.
    pub fn capture_probability(&self) -> Option<f64> {
        let met = self.met();
        (met > 0).then(|| self.count(Outcome::Captured) as f64 / met as f64)
    }

    /// Its interval.
    pub fn capture_interval(&self) -> Interval {
        wilson(self.count(Outcome::Captured), self.met(), CONFIDENCE)
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
        let percent = |share: f64| significant(100.0 * share, 3);
        if let Some(share) = self.capture_probability() {
            let Interval { low, high } = self.capture_interval();
            let (captured, met) = (self.count(Outcome::Captured), self.met());
            let unit = format!(
                "%  ({} … {} with 95 %; {captured} of the {met} sound runs that met)",
                percent(low),
                percent(high)
            );
            text.text("probability of capture", percent(share), &unit);
        }
        if let Some(force) = &self.force {
            let names = ["peak force, 5 %", "  median", "  95 %", "  99 %"];
            for (name, (_, value)) in names.iter().zip(&force.quantiles) {
                text.text(name, significant(*value, 4), "N");
            }
            text.text("  largest", significant(force.max, 4), "N");
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

    /// For programs.
    pub fn json(&self) -> Json {
        let Interval { low, high } = self.capture_interval();
        let group = |group: &Group| {
            let value =
                json!({ "count": group.count, (FORCE.key): force_json(group.force.as_ref()) });
            (group.outcome.key().to_owned(), value)
        };
        json!({
            "finished": self.finished,
            "failed": self.failed,
            "suspect": self.suspect,
            "sound": self.sound(),
            "outcomes": self.groups.iter().map(group).collect::<Map<String, Json>>(),
            "capture_trials": self.met(),
            "capture_probability": self.capture_probability(),
            "capture_interval_95": [low, high],
            (FORCE.key): force_json(self.force.as_ref()),
        })
    }
}

/// Keeps the first few.
fn list(kept: &mut Vec<(u64, String)>, run: u64, reason: &str) {
    if kept.len() < LISTED {
        kept.push((run, reason.to_owned()));
    }
}

fn force_json(force: Option<&Summary>) -> Option<Json> {
    let force = force?;
    let quantile = |(p, value): &(f64, f64)| json!({ "probability": p, "value": value });
    Some(json!({
        "count": force.count,
        "mean": force.mean,
        "min": force.min,
        "max": force.max,
        "quantiles": force.quantiles.iter().map(quantile).collect::<Vec<Json>>(),
    }))
}

/// Throughput in words: `finished` runs in `seconds`.
pub fn throughput(finished: u64, seconds: f64) -> String {
    format!(
        "{finished} runs in {}, {} per minute",
        duration(seconds),
        significant(60.0 * finished as f64 / seconds.max(1e-9), 3)
    )
}
