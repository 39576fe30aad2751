//! `softdock verify`: the validation table.
//!
//! Exit status: 0 if every quantity is inside its tolerance, 1 if one is outside, 2 if nothing
//! could be run or written.

use anyhow::{Context, Result, bail};
use clap::Args;
use multibody::math;
use serde::Serialize;
use softdock_validation::{Case, Measure, Outcome, Status};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

/// Options of `softdock verify`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Print JSON instead of the table.
    #[arg(long)]
    json: bool,
    /// Run only cases whose name or source contains this text (case does not matter).
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
}

/// Runs the chosen cases and reports them.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let cases = chosen(arguments.filter.as_deref())?;
    let start = Instant::now();
    let outcomes = if arguments.json {
        let outcomes: Vec<_> = cases.iter().flat_map(Case::run).collect();
        written(write_json(&outcomes, start))?;
        outcomes
    } else {
        let mut outcomes = Vec::new();
        written(write_table(&cases, start, &mut outcomes))?;
        outcomes
    };
    Ok(if outcomes.iter().all(Outcome::holds) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn chosen(filter: Option<&str>) -> Result<Vec<Case>> {
    let wanted = filter.unwrap_or("").to_lowercase();
    let contains = |text: &str| text.to_lowercase().contains(&wanted);
    let cases: Vec<_> = softdock_validation::all()
        .into_iter()
        .filter(|case| contains(case.name) || contains(case.source.short))
        .collect();
    if cases.is_empty() {
        bail!("no validation case contains {wanted:?}");
    }
    Ok(cases)
}

/// A reader that stops reading (`| head`) is no error.
fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the validation table"),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    holds: bool,
    seconds: f64,
    outcomes: &'a [Outcome],
}

fn write_json(outcomes: &[Outcome], start: Instant) -> io::Result<()> {
    let report = Report {
        holds: outcomes.iter().all(Outcome::holds),
        seconds: start.elapsed().as_secs_f64(),
        outcomes,
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &report)?;
    writeln!(out)
}

/// Widths of the columns after the first.
const NUMBER: usize = 15;
const ERROR: usize = 9;
const ALLOWED: usize = 15;

/// Prints each case as soon as it is done.
fn write_table(cases: &[Case], start: Instant, outcomes: &mut Vec<Outcome>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let labels = cases.iter().flat_map(|case| case.quantities);
    let first = labels
        .map(|quantity| label_width(quantity.name, quantity.unit))
        .max()
        .unwrap_or(0);
    let title = "case · source / quantity";
    writeln!(
        out,
        "{title:first$}  {:>NUMBER$}  {:>NUMBER$}  {:>ERROR$}  {:<ALLOWED$}  ok",
        "reference", "ours", "error", "allowed"
    )?;
    let rule = first + 2 * NUMBER + ERROR + ALLOWED + 12;
    writeln!(out, "{}", "─".repeat(rule))?;
    for case in cases {
        writeln!(out, "{} · {}", case.name, case.source.short)?;
        for outcome in case.run() {
            write_row(&mut out, &outcome, first)?;
            outcomes.push(outcome);
        }
    }
    writeln!(out, "{}", "─".repeat(rule))?;
    let inside = outcomes.iter().filter(|outcome| outcome.holds()).count();
    writeln!(
        out,
        "{inside} of {} quantities inside their tolerance, {} cases, {:.1} s",
        outcomes.len(),
        cases.len(),
        start.elapsed().as_secs_f64()
    )
}

/// Room for the longest label a quantity can have: indented, with the worst component and the
/// unit.
fn label_width(name: &str, unit: &str) -> usize {
    let marks = "   #8 []".len();
    name.chars().count() + unit.chars().count() + marks
}

fn write_row(out: &mut impl Write, outcome: &Outcome, first: usize) -> io::Result<()> {
    let worst = match outcome.ours.len() {
        0 | 1 => String::new(),
        _ => format!(" #{}", outcome.worst + 1),
    };
    let unit = match outcome.unit {
        "" => String::new(),
        unit => format!(" [{unit}]"),
    };
    let label = format!("  {}{worst}{unit}", outcome.quantity);
    let at_worst = |list: &[f64]| list.get(outcome.worst).copied();
    let reference = at_worst(outcome.reference).map_or_else(|| "–".into(), value);
    let ours = at_worst(&outcome.ours).map_or_else(|| "–".into(), value);
    let error = outcome.error.map_or_else(|| "–".into(), short);
    let allowed = match outcome.measure {
        Measure::Relative => format!("{} relative", short(outcome.allowed)),
        Measure::Absolute => format!("{} absolute", short(outcome.allowed)),
        Measure::AtMost => format!("at most {}", short(outcome.allowed)),
        Measure::AtLeast => format!("at least {}", short(outcome.allowed)),
    };
    let verdict = match outcome.status {
        Status::Ok => "ok",
        Status::Outside => "OUTSIDE",
        Status::Failed => "FAILED",
    };
    writeln!(
        out,
        "{label:first$}  {reference:>NUMBER$}  {ours:>NUMBER$}  {error:>ERROR$}  {allowed:<ALLOWED$}  {verdict}"
    )?;
    if let Some(failure) = &outcome.failure {
        writeln!(out, "    {failure}")?;
    }
    Ok(())
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
