//! `softdock verify`: the validation table.
//!
//! Exit status: 0 if every quantity is inside its tolerance, 1 if one is outside, 2 if nothing
//! could be run or written.

use crate::command::{self, Computed, ViewArgs};
use crate::failure::BadInput;
use crate::run::Ended;
use anyhow::{Result, anyhow};
use clap::Args;
use multibody::math;
use softdock_figures::{Views, figures};
use softdock_validation::{Case, Measure, Outcome, Status};
use std::process::ExitCode;
use std::time::Instant;

/// Options of `softdock verify`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Runs only cases whose name or source contains this text (case does not matter)
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    #[command(flatten)]
    views: ViewArgs,
}

figures! {
    /// What the validation cases gave.
    struct VerifyResult;
    holds: bool as "Whether every quantity is inside its tolerance.";
    seconds: f64 as "Time that the cases took [s].";
    outcomes: Vec<Outcome> as "Reference, result and error of every quantity.";
    /// Name and source of each case, and the number of its quantities.
    #[serde(skip)]
    cases: Vec<(String, usize)> as "";
}

/// Runs the chosen cases and reports them.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || {
        let start = Instant::now();
        let (mut outcomes, mut cases) = (Vec::new(), Vec::new());
        for case in chosen(arguments.filter.as_deref())? {
            let done = case.run();
            cases.push((format!("{} · {}", case.name, case.source.short), done.len()));
            outcomes.extend(done);
        }
        let outside = outcomes.iter().filter(|one| !one.holds()).count();
        let ended = match outside {
            0 => Ended::Complete,
            outside => Ended::Failed(anyhow!("{outside} quantities are outside their tolerance")),
        };
        let result = VerifyResult {
            holds: ended.is_complete(),
            seconds: start.elapsed().as_secs_f64(),
            outcomes,
            cases,
        };
        Ok(Computed {
            result,
            ended,
            written: Vec::new(),
        })
    })
}

impl Views for VerifyResult {
    const FILE: &'static str = "verify.json";

    fn title(&self) -> String {
        "Validation".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let title = "case · source / quantity";
        let header = vec![title, "reference", "ours", "error", "allowed", ""];
        let mut outcomes = self.outcomes.iter();
        let mut rows = Vec::new();
        for (name, count) in &self.cases {
            rows.push(vec![name.clone()]);
            for outcome in outcomes.by_ref().take(*count) {
                rows.push(row(outcome));
                rows.extend(outcome.failure.iter().map(|why| vec![format!("    {why}")]));
            }
        }
        Some((header, rows))
    }

    fn notes(&self) -> Vec<String> {
        let inside = self.outcomes.iter().filter(|one| one.holds()).count();
        let (all, cases, seconds) = (self.outcomes.len(), self.cases.len(), self.seconds);
        vec![format!(
            "{inside} of {all} quantities inside their tolerance, {cases} cases, {seconds:.1} s"
        )]
    }
}

/// Runs the cases whose name or source contains `filter`, all if there is none.
pub fn outcomes(filter: Option<&str>) -> Result<Vec<Outcome>> {
    Ok(chosen(filter)?.iter().flat_map(Case::run).collect())
}

fn chosen(filter: Option<&str>) -> Result<Vec<Case>, BadInput> {
    let wanted = filter.unwrap_or("").to_lowercase();
    let contains = |text: &str| text.to_lowercase().contains(&wanted);
    let cases: Vec<_> = softdock_validation::all()
        .into_iter()
        .filter(|case| contains(case.name) || contains(case.source.short))
        .collect();
    if cases.is_empty() {
        let message = format!("no validation case contains {wanted:?}");
        return Err(BadInput::new(message));
    }
    Ok(cases)
}

/// A quantity: its worst component, if it has several.
fn row(outcome: &Outcome) -> Vec<String> {
    let worst = match outcome.ours.len() {
        0 | 1 => String::new(),
        _ => format!(" #{}", outcome.worst + 1),
    };
    let unit = match outcome.unit {
        "" => String::new(),
        unit => format!(" [{unit}]"),
    };
    let at_worst = |list: &[f64]| list.get(outcome.worst).copied();
    let text = |number: Option<f64>, write: fn(f64) -> String| {
        number.map_or_else(|| "–".to_owned(), write)
    };
    let allowed = short(outcome.allowed);
    let allowed = match outcome.measure {
        Measure::Relative => format!("{allowed} relative"),
        Measure::Absolute => format!("{allowed} absolute"),
        Measure::AtMost => format!("at most {allowed}"),
        Measure::AtLeast => format!("at least {allowed}"),
    };
    let verdict = match outcome.status {
        Status::Ok => "ok",
        Status::Outside => "OUTSIDE",
        Status::Failed => "FAILED",
    };
    vec![
        format!("  {}{worst}{unit}", outcome.quantity),
        text(at_worst(outcome.reference), value),
        text(at_worst(&outcome.ours), value),
        text(outcome.error, short),
        allowed,
        verdict.to_owned(),
    ]
}

/// Ten significant digits, without trailing zeros; powers of ten for very small and large numbers.
fn value(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.2e}");
    }
    let decimals = (9 - math::log10(size).floor() as i32).clamp(0, 12) as usize;
    let text = format!("{x:.decimals$}");
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    trimmed.to_owned()
}

/// Two significant digits.
fn short(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if (0.1..100.0).contains(&x.abs()) {
        let text = format!("{x:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{x:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_digits() {
        assert_eq!(value(57.9257838), "57.9257838");
        assert_eq!(value(-3.0), "-3");
        assert_eq!(value(4.45e-17), "4.45e-17");
        assert_eq!(value(0.0160642), "0.0160642");
        assert_eq!(short(1e-4), "1.0e-4");
        assert_eq!(short(3.938519), "3.939");
        assert_eq!(short(0.0), "0");
    }

    #[test]
    fn a_filter_that_matches_nothing_is_refused() {
        assert!(chosen(Some("HEAVY")).is_ok_and(|cases| cases.len() == 1));
        assert!(chosen(Some("no such case")).is_err());
    }
}
