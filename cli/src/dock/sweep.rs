//! One key varied in steps, with the curve of the peak force.

use super::{Arguments, execute, published_force, shipped};
use crate::failure::{BadInput, FAILED, STOPPED, verdict};
use crate::output::{self, CsvFile};
use crate::run::{self, Progress};
use crate::settings::{Kind, MOST_PARTS, Parameter, Resolved, Settings, SettingsArgs};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use rayon::prelude::*;
use serde_json::{Value, json};
use softdock_docking::Scenario;
use softdock_fmi::import::FmuArchive;
use softdock_report::{Axis, SweepPoint, SweepReport};
use std::path::Path;
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
        if key.split('.').count() > MOST_PARTS {
            return Err(refuse("no key has so many parts"));
        }
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

/// What a sweep found.
struct Sweep {
    range: Range,
    /// Name of the scenario.
    scenario: String,
    /// The runs that came to an end, in the order of the values.
    points: Vec<SweepPoint>,
    /// Whether those that did not fail can be believed.
    soundness: Vec<Soundness>,
}

impl Sweep {
    fn known(&self) -> Option<&'static Parameter> {
        Scenario::keys().find(|key| key.key == self.range.key)
    }

    /// Runs that were asked for and not done.
    fn missing(&self) -> usize {
        self.range.values.len() - self.points.len()
    }

    fn failures(&self) -> usize {
        let failed = self.points.iter().filter(|point| point.failure.is_some());
        failed.count()
    }

    /// What is suspect in any of the runs.
    fn soundness(&self) -> Soundness {
        let all = self.soundness.iter().cloned();
        all.reduce(Soundness::and).unwrap_or_default()
    }

    /// For machines.
    fn summary(&self) -> Value {
        let run = |point: &SweepPoint| json!({ "value": point.value, "summary": point.summary, "error": point.failure });
        json!({
            "key": self.range.key,
            "complete": self.missing() == 0,
            "runs": self.points.iter().map(run).collect::<Vec<Value>>(),
        })
    }
}

/// Runs the sweep.
pub fn run(arguments: &Arguments, base: &Resolved<Scenario>, text: &str) -> Result<ExitCode> {
    let range = Range::parse(text)?;
    let fmu = arguments.legs.archive()?;
    let fmu = fmu.as_ref();
    let scenarios = range
        .values
        .iter()
        .map(|&value| scenario_at(arguments, &range.key, value, text))
        .collect::<Result<Vec<Scenario>>>()?;
    // If neither end can even begin, the mistake is in what all runs share.
    let ends = [scenarios.first(), scenarios.last()].map(|scenario| {
        scenario.map_or(Ok(()), |one| execute::prepare(one, false, fmu).map(|_| ()))
    });
    if let [Err(error), Err(_)] = ends {
        return Err(error);
    }
    let folder = arguments.folder();
    for name in ["report.html", "sweep.csv", "summary.json"] {
        output::probe(&folder.join(name))?;
    }
    let (points, soundness): (Vec<_>, Vec<_>) =
        run_all(&scenarios, &range.values, fmu).into_iter().unzip();
    let sweep = Sweep {
        scenario: shipped::name_of(arguments.scenario.as_deref()),
        points,
        soundness,
        range,
    };
    write(arguments, &folder, &sweep, base)?;
    if arguments.output.json {
        output::say_json(&sweep.summary())?;
    } else {
        say(arguments, &sweep, &folder)?;
    }
    if sweep.missing() > 0 {
        return Ok(ExitCode::from(STOPPED));
    }
    if sweep.failures() > 0 {
        let (failed, all) = (sweep.failures(), sweep.points.len());
        eprintln!("softdock: {failed} of {all} runs failed; the others are kept");
        return Ok(ExitCode::from(FAILED));
    }
    Ok(verdict(&sweep.soundness()))
}

/// The scenario with the swept key at `value`.
fn scenario_at(arguments: &Arguments, key: &str, value: f64, text: &str) -> Result<Scenario> {
    let args = SettingsArgs {
        set: arguments.set.clone(),
        ..SettingsArgs::default()
    };
    let known = Scenario::keys().find(|known| known.key == key);
    let counts = known.is_some_and(|known| known.kind == Kind::Count);
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    let given = if counts && whole {
        toml::Value::Integer(value as i64)
    } else {
        toml::Value::Float(value)
    };
    let more = [(format!("--sweep {text}"), key, given)];
    let mut resolved = arguments.resolve_with(arguments.scenario.as_deref(), &args, &more)?;
    // One run per core is faster than one leg per core.
    resolved.config.platform.solver.threads = 1;
    Ok(resolved.config)
}

/// All runs, side by side, in the order of the values; those done before a stop.
fn run_all(
    scenarios: &[Scenario],
    values: &[f64],
    fmu: Option<&FmuArchive>,
) -> Vec<(SweepPoint, Soundness)> {
    let done = AtomicUsize::new(0);
    let progress = Mutex::new(Progress::counting(scenarios.len()));
    let points: Vec<Option<(SweepPoint, Soundness)>> = scenarios
        .par_iter()
        .zip(values)
        .map(|(scenario, &value)| {
            if run::stop_requested() {
                return None;
            }
            let mut point = SweepPoint {
                value,
                ..SweepPoint::default()
            };
            let soundness = match run_one(scenario, fmu) {
                Ok(done) => {
                    let (summary, soundness) = done?;
                    point.summary = summary;
                    soundness
                }
                Err(error) => {
                    point.failure = Some(format!("{error:#}"));
                    Soundness::Failed(Vec::new())
                }
            };
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            let mut bar = progress.lock().unwrap_or_else(PoisonError::into_inner);
            bar.at(count as f64);
            Some((point, soundness))
        })
        .collect();
    progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish();
    points.into_iter().flatten().collect()
}

/// The summary of one run, and whether it can be believed; none if somebody stopped it.
fn run_one(scenario: &Scenario, fmu: Option<&FmuArchive>) -> Result<Option<(Value, Soundness)>> {
    let Some(figures) = execute::prepare(scenario, false, fmu)?.summarize()? else {
        return Ok(None);
    };
    Ok(Some((serde_json::to_value(&figures)?, figures.soundness)))
}

/// Figures of the table, in order.
const COLUMNS: [&str; 5] = [
    "peak_contact_force_n",
    "contact_impulse_n_s",
    "max_leg_stroke_m",
    "peak_motor_torque_nm",
    "energy_residual_rel",
];

/// Entries of the table that are words, behind the numbers; `failed` for runs that failed.
const WORDS: [&str; 2] = ["outcome", "soundness"];

/// An entry of a run's summary that is a word.
fn word<'a>(point: &'a SweepPoint, key: &str) -> &'a str {
    let word = point.summary.get(key).and_then(Value::as_str);
    word.unwrap_or("failed")
}

fn write(
    arguments: &Arguments,
    folder: &Path,
    sweep: &Sweep,
    base: &Resolved<Scenario>,
) -> Result<()> {
    let (range, points) = (&sweep.range, &sweep.points);
    let mut header = vec![range.key.as_str()];
    header.extend(COLUMNS);
    header.extend(WORDS);
    let mut csv = CsvFile::create(&folder.join("sweep.csv"), &header)?;
    for point in points {
        let figure = |key: &str| point.summary.get(key).and_then(Value::as_f64);
        let mut row = vec![point.value];
        row.extend(COLUMNS.map(|key| figure(key).unwrap_or(f64::NAN)));
        csv.row_with_words(&row, &WORDS.map(|key| word(point, key)))?;
    }
    if sweep.missing() == 0 {
        csv.finish()?;
    } else {
        csv.keep_partial()?;
        output::remove_stale(folder, &["sweep.csv"])?;
    }
    output::write_json(&folder.join("summary.json"), &sweep.summary())?;
    // A single run that was here before: its summary is gone.
    output::remove_stale(folder, &["run.csv", "run.partial.csv", "config.toml"])?;
    if arguments.no_report {
        output::remove_stale(folder, &["report.html"])?;
        return Ok(());
    }
    let (done, asked) = (points.len(), range.values.len());
    let stopped = format!("Incomplete: stopped after {done} of {asked} runs.");
    let unit = sweep.known().map_or("-", |key| key.unit);
    let report = SweepReport {
        title: format!("Docking against {}", range.key),
        lead: format!(
            "{done} runs of the scenario {}, all alike but for one setting.",
            sweep.scenario
        ),
        warning: warning(sweep, (done < asked).then_some(stopped)),
        parameter: Axis::new(&range.key, if unit == "-" { "" } else { unit }),
        points: points.clone(),
        reference_force: Some(published_force()),
        config_text: base.print()?,
    };
    output::write_atomic(&folder.join("report.html"), report.html()?.as_bytes())?;
    Ok(())
}

/// What the reader must know first.
fn warning(sweep: &Sweep, stopped: Option<String>) -> Option<String> {
    let all = sweep.soundness.iter();
    let suspect = match all.filter(|soundness| soundness.is_suspect()).count() {
        0 => None,
        1 => Some("One run is suspect and left out of the curves.".to_owned()),
        count => Some(format!(
            "{count} runs are suspect and left out of the curves."
        )),
    };
    let parts: Vec<String> = stopped.into_iter().chain(suspect).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn say(arguments: &Arguments, sweep: &Sweep, folder: &Path) -> Result<()> {
    let key = &sweep.range.key;
    let name = key.rsplit('.').next().unwrap_or(key);
    let width = name.len().max(12);
    let (scenario, done) = (&sweep.scenario, sweep.points.len());
    let mut lines = vec![
        format!("Docking: {scenario}, {done} runs over {key}"),
        format!("  {name:>width$}  peak force [N]  stroke [mm]  outcome        soundness"),
    ];
    for point in &sweep.points {
        let number = |key: &str| point.summary.get(key).and_then(Value::as_f64);
        // Steps of a tenth do not add up to the digits people type.
        let value = (point.value * 1e9).round() / 1e9;
        lines.push(match &point.failure {
            Some(failure) => format!("  {value:>width$}  failed: {failure}"),
            None => format!(
                "  {value:>width$}  {:>14}  {:>11.2}  {:<13}  {}",
                number("peak_contact_force_n").map_or("-".to_owned(), |n| format!("{n:.2}")),
                1e3 * number("max_leg_stroke_m").unwrap_or(f64::NAN),
                word(point, "outcome").replace('_', " "),
                word(point, "soundness"),
            ),
        });
    }
    if sweep.missing() > 0 {
        let all = sweep.range.values.len();
        lines.push(format!(
            "  Stopped after {done} of {all} runs: the sweep is incomplete."
        ));
    }
    if !arguments.no_report {
        lines.push(format!(
            "\n  report  {}",
            folder.join("report.html").display()
        ));
    }
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
