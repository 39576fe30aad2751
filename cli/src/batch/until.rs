//! `softdock batch run --until`: runs until a probability is known well enough.

use super::job::StudyJob;
use super::results::{capture_of, percent, percents};
use super::start::{self, Execution};
use crate::failure::BadInput;
use crate::output;
use anyhow::Result;
use serde_json::json;
use softdock_study::statistics::sequential::{look_confidence, looks};
use softdock_study::{Directory, Plan, Shard};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

/// A file in the folder of a study that stops by itself. Who looks at the study later must not take its
/// runs for as many as were planned: its interval is made for all looks together.
const FILE: &str = "until.toml";

/// Whether the study of a folder stops by itself.
pub fn stops_by_itself(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// How well the probability of capture is to be known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Half of the width of the interval.
    half_width: f64,
}

impl FromStr for Until {
    type Err = String;

    /// Reads `captured ± 0.02`, also with `+-`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text}: must be \"captured ± WIDTH\" with WIDTH from 0.001 to 0.5, such as 0.02"
            )
        };
        let parts = text.split_once('±').or_else(|| text.split_once("+-"));
        let (name, width) = parts.ok_or_else(wrong)?;
        let half_width: f64 = width.trim().parse().map_err(|_| wrong())?;
        let fits = name.trim() == "captured" && (0.001..=0.5).contains(&half_width);
        fits.then_some(Self { half_width }).ok_or_else(wrong)
    }
}

/// Runs a study look by look until the probability is known.
pub fn execute(plan: &Plan, job: &StudyJob, how: &Execution<'_>, until: Until) -> Result<ExitCode> {
    if how.shard != Shard::WHOLE {
        let message = "--until needs all runs in one folder: it cannot be used with --shard";
        return Err(BadInput::new(message).into());
    }
    let looks = looks(until.half_width, plan.unit());
    let begun = how.out.join("study.toml").exists();
    let mut now = match begun {
        true => Directory::open(how.out)?.plan().clone(),
        false => plan.with_runs(looks[0])?,
    };
    now.require_same(&plan.with_runs(now.runs())?, how.out)?;
    let Some(mut look) = looks.iter().position(|&runs| runs == now.runs()) else {
        let message = format!(
            "{}: it has {} runs, and is looked at after {} runs for ± {}",
            how.out.display(),
            now.runs(),
            looks
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(", "),
            until.half_width
        );
        return Err(BadInput::new(message).into());
    };
    let mut resume = how.resume;
    loop {
        let quiet = Execution { resume, ..*how };
        let done = start::run_only(&now, job, &quiet)?;
        let goal = format!(
            "# This study is looked at {} times at most.\nhalf_width = {}\n",
            looks.len(),
            until.half_width
        );
        output::write_atomic(&how.out.join(FILE), goal.as_bytes())?;
        let mut directory = Directory::open(how.out)?;
        let found = capture_of(&directory, look_confidence())?;
        let narrow = found
            .interval
            .is_some_and(|i| i.high - i.low <= 2.0 * until.half_width);
        if done.cancelled || narrow || look + 1 == looks.len() {
            let stopped = json!({
                "half_width": until.half_width,
                "reached": narrow,
                "look": look + 1,
                "looks": looks.len(),
            });
            let status = start::conclude(how, &done, Some(stopped))?;
            if let (false, Some(interval)) = (done.cancelled || how.json, found.interval) {
                output::tell(&format!(
                    "\nstopped after {} runs, look {} of {}: captured {} %, {} % with 95 % for all \
                     looks together",
                    now.runs(),
                    look + 1,
                    looks.len(),
                    percent(found.estimate),
                    percents(interval),
                ))?;
            }
            return Ok(status);
        }
        look += 1;
        directory.extend(looks[look])?;
        now = directory.plan().clone();
        resume = true;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read() {
        for text in ["captured ± 0.02", "captured+-0.02"] {
            assert_eq!(text.parse::<Until>().unwrap().half_width, 0.02);
        }
        for bad in ["", "captured", "captured ± 0", "force ± 1", "captured ± x"] {
            assert!(bad.parse::<Until>().is_err(), "{bad}");
        }
    }
}
