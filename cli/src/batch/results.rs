//! What the finished runs of a directory say, in a few figures.

use super::progress::duration;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_study::statistics::{Interval, Summary, summary, wilson};
use softdock_study::{Directory, Value};

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// The figure that ranks dockings.
pub const FORCE: &str = "peak_contact_force_n";
/// The figure that says whether a docking succeeded.
pub const CAPTURED: &str = "captured";

/// Quantiles that are printed.
const PROBABILITIES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];
/// Values that quantiles are taken from at most; of more runs every second, third … is taken.
const MOST_VALUES: u64 = 1 << 20;
/// Failed runs that are listed.
const LISTED: usize = 3;

/// Figures of many runs.
#[derive(Debug)]
pub struct Results {
    /// Finished runs, the failed ones included.
    pub finished: u64,
    /// Failed runs.
    pub failed: u64,
    /// Runs that ended with a capture.
    pub captured: u64,
    /// The first failed runs and why.
    pub failures: Vec<(u64, String)>,
    /// Peak contact force [N].
    pub force: Option<Summary>,
}

impl Results {
    /// Reads the finished runs of a directory.
    pub fn read(directory: &Directory) -> Result<Self> {
        let plan = directory.plan();
        let place = |name: &str| plan.figures().iter().position(|f| f.name == name);
        let (captured, force) = (place(CAPTURED), place(FORCE));
        let stride = plan.runs().div_ceil(MOST_VALUES).max(1);
        let mut forces = Vec::new();
        let mut out = Self {
            finished: 0,
            failed: 0,
            captured: 0,
            failures: Vec::new(),
            force: None,
        };
        directory.for_each_row(|row| {
            out.finished += 1;
            match &row.outcome {
                Ok(figures) => {
                    let get = |place: Option<usize>| figures.get(place?)?.as_ref();
                    out.captured += u64::from(get(captured) == Some(&Value::Bool(true)));
                    if row.run % stride == 0 {
                        forces.extend(get(force).and_then(Value::number));
                    }
                }
                Err(reason) => {
                    out.failed += 1;
                    if out.failures.len() < LISTED {
                        out.failures.push((row.run, reason.clone()));
                    }
                }
            }
            Ok(())
        })?;
        out.force = summary(&forces, &PROBABILITIES);
        Ok(out)
    }

    /// Interval of the probability of capture among the runs that did not fail.
    pub fn capture_interval(&self) -> Interval {
        wilson(self.captured, self.finished - self.failed, CONFIDENCE)
    }

    /// For people.
    pub fn describe(&self, text: &mut Text) {
        let good = self.finished - self.failed;
        let percent = |share: f64| significant(100.0 * share, 3);
        if good > 0 {
            let Interval { low, high } = self.capture_interval();
            let share = percent(self.captured as f64 / good as f64);
            let interval = format!("%  ({} … {} with 95 %)", percent(low), percent(high));
            text.text("captured", share, &interval);
        }
        if let Some(force) = &self.force {
            let names = ["peak force, 5 %", "  median", "  95 %", "  99 %"];
            for (name, (_, value)) in names.iter().zip(&force.quantiles) {
                text.text(name, significant(*value, 4), "N");
            }
            text.text("  largest", significant(force.max, 4), "N");
        }
        for (run, reason) in &self.failures {
            text.note(format!("run {run} failed: {reason}"));
        }
        if self.failed > self.failures.len() as u64 {
            text.note("… and more; the table has all reasons");
        }
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let Interval { low, high } = self.capture_interval();
        let good = self.finished - self.failed;
        let force = self.force.as_ref().map(|force| {
            let quantiles: Vec<Json> = force
                .quantiles
                .iter()
                .map(|(p, value)| json!({ "probability": p, "value": value }))
                .collect();
            json!({
                "mean": force.mean,
                "min": force.min,
                "max": force.max,
                "quantiles": quantiles,
            })
        });
        json!({
            "finished": self.finished,
            "failed": self.failed,
            "captured": self.captured,
            "capture_probability": (good > 0).then(|| self.captured as f64 / good as f64),
            "capture_interval_95": [low, high],
            FORCE: force,
        })
    }
}

/// Throughput in words: `finished` runs in `seconds`.
pub fn throughput(finished: u64, seconds: f64) -> String {
    format!(
        "{finished} runs in {}, {} per minute",
        duration(seconds),
        significant(60.0 * finished as f64 / seconds.max(1e-9), 3)
    )
}
