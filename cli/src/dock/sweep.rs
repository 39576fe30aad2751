//! One key varied in steps, with the curve of the peak force.

use super::{Arguments, published_force, shipped};
use crate::failure::{BadInput, STOPPED};
use crate::output::{self, CsvFile};
use crate::run::{self, Progress};
use crate::settings::{Resolved, Settings, SettingsArgs};
use anyhow::Result;
use rayon::prelude::*;
use serde_json::{Value, json};
use softdock_platform::docking::{DockingRun, Scenario};
use softdock_report::{Axis, SweepPoint, SweepReport};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most runs of a sweep; a larger study is a batch.
const MOST_RUNS: f64 = 1000.0;

/// What `--sweep` says.
#[derive(Debug, Clone, PartialEq)]
struct Range {
    key: String,
    values: Vec<f64>,
}

impl Range {
    /// Reads `KEY=FROM:TO:STEP`.
    fn parse(text: &str) -> Result<Self, BadInput> {
        let refuse = |problem: &str| {
            BadInput::new(format!(
                "--sweep {text}: {problem}; write --sweep KEY=FROM:TO:STEP, such as \
                 misalignment.pitch_deg=0:10:0.5"
            ))
        };
        let (key, range) = text.split_once('=').ok_or_else(|| refuse("no `=`"))?;
        let numbers: Vec<f64> = range
            .split(':')
            .map(|part| part.trim().parse::<f64>())
            .collect::<Result<_, _>>()
            .map_err(|_| refuse("the range is not made of numbers"))?;
        let [from, to, step] = numbers[..] else {
            return Err(refuse("three numbers are needed"));
        };
        let count = (to - from) / step;
        if !count.is_finite() || count < 0.0 {
            return Err(refuse(
                "the step does not lead from the first number to the last",
            ));
        }
        if count > MOST_RUNS {
            return Err(refuse("that is more than 1000 runs; use `softdock batch`"));
        }
        let last = (count * (1.0 + 1e-12) + 1e-9).floor() as usize;
        Ok(Self {
            key: key.trim().to_owned(),
            values: (0..=last).map(|i| from + step * i as f64).collect(),
        })
    }
}

/// Runs the sweep.
pub fn run(arguments: &Arguments, base: &Resolved<Scenario>, text: &str) -> Result<ExitCode> {
    let range = Range::parse(text)?;
    let folder = arguments.folder();
    for name in ["report.html", "sweep.csv", "summary.json"] {
        output::probe(&folder.join(name))?;
    }
    let scenarios = range
        .values
        .iter()
        .map(|value| {
            let mut set = arguments.set.clone();
            set.push(format!("{}={value:?}", range.key));
            let args = SettingsArgs {
                set,
                ..SettingsArgs::default()
            };
            let mut resolved = shipped::resolve(arguments.scenario.as_deref(), &args)?;
            // One run per core is faster than one leg per core.
            resolved.config.platform.solver.threads = 1;
            Ok(resolved.config)
        })
        .collect::<Result<Vec<Scenario>>>()?;
    let points = run_all(&scenarios, &range.values);
    let stopped = points.len() < scenarios.len();
    write(&folder, &range, base, &points)?;
    if arguments.output.json {
        let rows: Vec<Value> = points
            .iter()
            .map(|point| json!({ "value": point.value, "summary": point.summary, "error": point.failure }))
            .collect();
        output::say_json(&json!({ "key": range.key, "runs": rows }))?;
    } else {
        say(&range, &points, &folder)?;
    }
    Ok(if stopped {
        ExitCode::from(STOPPED)
    } else {
        ExitCode::SUCCESS
    })
}

/// All runs, side by side, in the order of the values; those done before a stop.
fn run_all(scenarios: &[Scenario], values: &[f64]) -> Vec<SweepPoint> {
    let done = AtomicUsize::new(0);
    let progress = Mutex::new(Progress::counting(scenarios.len()));
    let points: Vec<Option<SweepPoint>> = scenarios
        .par_iter()
        .zip(values)
        .map(|(scenario, &value)| {
            if run::stop_requested() {
                return None;
            }
            let point = match run_one(scenario) {
                Ok(summary) => SweepPoint {
                    value,
                    summary,
                    ..SweepPoint::default()
                },
                Err(error) => SweepPoint {
                    value,
                    failure: Some(format!("{error:#}")),
                    ..SweepPoint::default()
                },
            };
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            let mut bar = progress.lock().unwrap_or_else(PoisonError::into_inner);
            bar.at(count as f64);
            Some(point)
        })
        .collect();
    progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish();
    points.into_iter().flatten().collect()
}

fn run_one(scenario: &Scenario) -> Result<Value> {
    let mut run = DockingRun::new(scenario, false)?;
    run.run()?;
    Ok(serde_json::to_value(run.summary()?)?)
}

/// Figures of the table, in order.
const COLUMNS: [&str; 5] = [
    "peak_contact_force_n",
    "contact_impulse_n_s",
    "max_leg_stroke_m",
    "peak_motor_torque_nm",
    "energy_residual_rel",
];

fn write(
    folder: &std::path::Path,
    range: &Range,
    base: &Resolved<Scenario>,
    points: &[SweepPoint],
) -> Result<()> {
    let mut header = vec![range.key.as_str()];
    header.extend(COLUMNS);
    let mut csv = CsvFile::create(&folder.join("sweep.csv"), &header)?;
    for point in points {
        let figure = |key: &str| point.summary.get(key).and_then(Value::as_f64);
        let mut row = vec![point.value];
        row.extend(COLUMNS.map(|key| figure(key).unwrap_or(f64::NAN)));
        csv.row(&row)?;
    }
    csv.finish()?;
    let unit = Scenario::keys()
        .find(|key| key.name == range.key)
        .map_or("", |key| if key.unit == "-" { "" } else { key.unit });
    let report = SweepReport {
        title: format!("Docking against {}", range.key),
        lead: format!("{} runs of the same scenario.", points.len()),
        warning: None,
        parameter: Axis::new(&range.key, unit),
        points: points.to_vec(),
        reference_force: Some(published_force()),
        config_text: base.print()?,
    };
    output::write_atomic(&folder.join("report.html"), report.html()?.as_bytes())?;
    let all: Vec<Value> = points
        .iter()
        .map(|p| json!({ "value": p.value, "summary": p.summary, "error": p.failure }))
        .collect();
    output::write_json(&folder.join("summary.json"), &all)?;
    Ok(())
}

fn say(range: &Range, points: &[SweepPoint], folder: &std::path::Path) -> Result<()> {
    let mut lines = vec![format!(
        "{:>14}  {:>14}  {:>10}  {:>9}",
        range.key.rsplit('.').next().unwrap_or(&range.key),
        "peak force [N]",
        "stroke [mm]",
        "captured"
    )];
    for point in points {
        let number = |key: &str| point.summary.get(key).and_then(Value::as_f64);
        let line = match &point.failure {
            Some(failure) => format!("{:>14}  {failure}", point.value),
            None => format!(
                "{:>14.6}  {:>14.2}  {:>11.2}  {:>8}",
                point.value,
                number("peak_contact_force_n").unwrap_or(f64::NAN),
                1e3 * number("max_leg_stroke_m").unwrap_or(f64::NAN),
                point.summary["captured"]
                    .as_bool()
                    .map_or("-", |c| if c { "yes" } else { "no" }),
            ),
        };
        lines.push(line);
    }
    lines.push(format!("report: {}", folder.join("report.html").display()));
    output::say(&lines.join("\n"))?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_range_includes_both_ends() {
        let range = Range::parse("misalignment.pitch_deg=0:10:0.5").unwrap();
        assert_eq!(range.values.len(), 21);
        assert_eq!(range.values[20], 10.0);
        let down = Range::parse("closing_speed_m_s = 0.1:0.05:-0.01").unwrap();
        assert_eq!(down.values.len(), 6);
        assert_eq!(Range::parse("a=3:3:1").unwrap().values, [3.0]);
    }

    #[test]
    fn a_range_that_makes_no_sense_is_refused_with_advice() {
        for text in [
            "a",
            "a=1",
            "a=1:2",
            "a=1:2:x",
            "a=1:2:-1",
            "a=1:2:0",
            "a=0:1:1e-9",
            "a=nan:1:1",
        ] {
            let message = Range::parse(text).unwrap_err().to_string();
            assert!(message.contains("KEY=FROM:TO:STEP"), "{message}");
        }
    }
}
