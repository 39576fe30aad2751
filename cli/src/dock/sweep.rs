//! One key varied in steps, with the curve of the peak force.

use super::{Arguments, execute, shipped};
use crate::failure::{BadInput, FAILED, STOPPED, verdict_with};
use crate::figures::{axis, title};
use crate::kind;
use crate::output::{self, CsvFile};
use crate::run::{self, Progress};
use crate::settings::{Kind, MOST_PARTS, Resolved, Settings, SettingsArgs};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use rayon::prelude::*;
use serde_json::{Value, json};
use softdock_docking::figures::shown_unit;
use softdock_docking::{Figure, Requirement, Scenario, Summary, Verdicts};
use softdock_figures::Figures;
use softdock_fmi::import::FmuArchive;
use softdock_report::{Axis, Level, SweepCurve, SweepPoint, SweepReport};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most runs of a sweep; a larger study is a batch.
pub(super) const MOST_RUNS: f64 = 1000.0;

/// What `--sweep` says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Range {
    pub(super) key: String,
    pub(super) values: Vec<f64>,
}

impl Range {
    /// Reads `KEY=FROM:TO:STEP`.
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
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

    /// The axis of its key.
    pub(super) fn axis(&self) -> Axis {
        let known = Scenario::keys().find(|key| key.key == self.key);
        Axis::new(&self.key, known.map_or("", |key| shown_unit(key.unit)))
    }
}

/// A run of a sweep.
#[derive(Debug, Clone)]
pub struct Point {
    /// Value of the swept key.
    pub value: f64,
    /// Its figures, or why it failed.
    pub done: Result<Summary, String>,
}

impl Point {
    pub(super) fn soundness(&self) -> Soundness {
        let failed = |_: &String| Soundness::Failed(Vec::new());
        let done = self.done.as_ref();
        done.map_or_else(failed, |summary| summary.soundness.clone())
    }

    /// A figure that is one number; NaN if there is none.
    pub(super) fn number(&self, figure: &Figure) -> f64 {
        let done = self.done.as_ref().ok();
        let number = done.and_then(|summary| figure.number(summary));
        number.unwrap_or(f64::NAN)
    }

    /// What became of it, and whether it can be believed.
    pub(super) fn words(&self) -> [&'static str; 2] {
        match &self.done {
            Ok(summary) => [summary.outcome.key(), summary.soundness.key()],
            Err(_) => ["failed"; 2],
        }
    }

    /// For machines.
    fn summary(&self) -> Value {
        let (summary, error) = (self.done.as_ref().ok(), self.done.as_ref().err());
        json!({ "value": self.value, "summary": summary, "error": error })
    }

    /// For the report.
    pub(super) fn shown(&self) -> SweepPoint {
        let plain = |mut figure: softdock_report::Figure| {
            figure.datum = None;
            figure
        };
        let figures = self
            .done
            .as_ref()
            .map(Figures::headlines)
            .unwrap_or_default();
        SweepPoint {
            value: self.value,
            figures: figures.into_iter().map(plain).collect(),
            failure: self.done.as_ref().err().cloned(),
            link: None,
        }
    }
}

/// What a sweep found.
struct Sweep {
    range: Range,
    /// Name of the scenario.
    scenario: String,
    /// The runs that came to an end, in the order of the values.
    points: Vec<Point>,
}

impl Sweep {
    /// Runs that were asked for and not done.
    fn missing(&self) -> usize {
        self.range.values.len() - self.points.len()
    }

    fn failures(&self) -> usize {
        let failed = self.points.iter().filter(|point| point.done.is_err());
        failed.count()
    }

    /// What every run says about the requirements.
    fn requirements(&self) -> Verdicts {
        let mut out = Verdicts::default();
        for point in &self.points {
            let Ok(summary) = &point.done else { continue };
            let named = summary.requirements.0.iter().cloned().map(|mut verdict| {
                verdict.name = format!("at {}: {}", point.value, verdict.name);
                verdict
            });
            out.0.extend(named);
        }
        out
    }

    /// What is suspect in any of the runs.
    fn soundness(&self) -> Soundness {
        let all = self.points.iter().map(Point::soundness);
        all.reduce(Soundness::and).unwrap_or_default()
    }

    /// For machines.
    fn summary(&self) -> Value {
        json!({
            "key": self.range.key,
            "complete": self.missing() == 0,
            "runs": self.points.iter().map(Point::summary).collect::<Vec<Value>>(),
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
        .map(|&value| scenario_at(arguments, &[(&range.key, value, text)]))
        .collect::<Result<Vec<Scenario>>>()?;
    check_ends(&scenarios, fmu)?;
    let folder = arguments.folder();
    kind::check(&folder, "a sweep", arguments.force)?;
    for name in ["report.html", "sweep.csv", "summary.json"] {
        output::probe(&folder.join(name))?;
    }
    let sweep = Sweep {
        scenario: shipped::name_of(arguments.scenario.as_deref()),
        points: run_all(&scenarios, &range.values, fmu, &run::stop_requested),
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
    Ok(verdict_with(&sweep.soundness(), &sweep.requirements()))
}

/// If neither end can even begin, the mistake is in what all runs share.
pub(super) fn check_ends(scenarios: &[Scenario], fmu: Option<&FmuArchive>) -> Result<()> {
    let ends = [scenarios.first(), scenarios.last()].map(|scenario| {
        scenario.map_or(Ok(()), |one| execute::prepare(one, false, fmu).map(|_| ()))
    });
    match ends {
        [Err(error), Err(_)] => Err(error),
        _ => Ok(()),
    }
}

/// The value of a swept key: a whole number where the key takes nothing else.
pub fn swept(key: &str, value: f64) -> toml::Value {
    let known = Scenario::keys().find(|known| known.key == key);
    let counts = known.is_some_and(|known| known.kind == Kind::Count);
    if counts && value.fract() == 0.0 && value.abs() < 1e15 {
        toml::Value::Integer(value as i64)
    } else {
        toml::Value::Float(value)
    }
}

/// The scenario with the swept keys at these values; each comes with the argument that swept it.
pub(super) fn scenario_at(
    arguments: &Arguments,
    swept_keys: &[(&str, f64, &str)],
) -> Result<Scenario> {
    let args = SettingsArgs {
        set: arguments.set.clone(),
        ..SettingsArgs::default()
    };
    let more: Vec<_> = swept_keys
        .iter()
        .map(|&(key, value, text)| (format!("--sweep {text}"), key, swept(key, value)))
        .collect();
    let mut resolved = arguments.resolve_with(arguments.scenario.as_deref(), &args, &more)?;
    // One run per core is faster than one leg per core.
    resolved.config.platform.solver.threads = 1;
    Ok(resolved.config)
}

/// All runs, side by side, in the order of the values; those done before `stop` says so.
pub fn run_all(
    scenarios: &[Scenario],
    values: &[f64],
    fmu: Option<&FmuArchive>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Point> {
    let done = AtomicUsize::new(0);
    let progress = Mutex::new(Progress::counting(scenarios.len()));
    let points: Vec<Option<Point>> = scenarios
        .par_iter()
        .zip(values)
        .map(|(scenario, &value)| {
            if stop() {
                return None;
            }
            // None if somebody stopped it.
            let prepared = execute::prepare(scenario, false, fmu);
            let summary = prepared
                .and_then(|ready| ready.summarize(stop))
                .transpose()?;
            let summary = summary.map_err(|error| format!("{error:#}"));
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            let mut bar = progress.lock().unwrap_or_else(PoisonError::into_inner);
            bar.at(count as f64);
            Some(Point {
                value,
                done: summary,
            })
        })
        .collect();
    progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish();
    points.into_iter().flatten().collect()
}

/// Figures of the table, in order; what became of a run and whether it can be believed stand behind.
pub(super) const COLUMNS: [Figure; 5] = [
    Summary::peak_contact_force_n,
    Summary::contact_impulse_n_s,
    Summary::max_leg_stroke_m,
    Summary::peak_motor_torque_nm,
    Summary::energy_residual_rel,
];

/// Figures that are drawn against the setting.
pub(super) const CURVES: [Figure; 4] = [
    Summary::peak_contact_force_n,
    Summary::contact_impulse_n_s,
    Summary::settling_time_s,
    Summary::max_leg_stroke_m,
];

/// A figure against the setting; a gap where a run failed or is suspect.
fn curve(figure: &Figure, points: &[Point], requirements: &[Requirement]) -> SweepCurve {
    let own = |requirement: &&Requirement| requirement.figure == figure.key;
    let level = requirements.iter().find(own).and_then(|requirement| {
        let limit = requirement.max.or(requirement.min)?;
        Some(Level {
            value: figure.scaled(limit),
            label: requirement.name.clone(),
        })
    });
    let value = |point: &Point| match point.soundness() {
        Soundness::Sound => figure.scaled(point.number(figure)),
        Soundness::Suspect(_) | Soundness::Failed(_) => f64::NAN,
    };
    SweepCurve {
        title: title(figure),
        sentence: format!("{}.", figure.meaning),
        axis: axis(figure),
        values: points.iter().map(value).collect(),
        level,
    }
}

fn write(
    arguments: &Arguments,
    folder: &Path,
    sweep: &Sweep,
    base: &Resolved<Scenario>,
) -> Result<()> {
    let (range, points) = (&sweep.range, &sweep.points);
    let mut header = vec![range.key.as_str()];
    header.extend(COLUMNS.iter().map(|figure| figure.key));
    header.extend([Summary::outcome.key, Summary::soundness.key]);
    let mut csv = CsvFile::create(&folder.join("sweep.csv"), &header)?;
    for point in points {
        let mut row = vec![point.value];
        row.extend(COLUMNS.iter().map(|figure| point.number(figure)));
        csv.row_with_words(&row, &point.words())?;
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
    let report = SweepReport {
        title: format!("Docking against {}", range.key),
        lead: format!(
            "{done} runs of the scenario {}, all alike but for one setting.",
            sweep.scenario
        ),
        warning: warning(sweep, (done < asked).then_some(stopped)),
        parameter: range.axis(),
        points: points.iter().map(Point::shown).collect(),
        curves: CURVES
            .iter()
            .map(|figure| curve(figure, points, &base.config.docking.requirement))
            .collect(),
        config_text: base.print()?,
    };
    output::write_atomic(&folder.join("report.html"), report.html()?.as_bytes())?;
    Ok(())
}

/// What the reader must know first.
fn warning(sweep: &Sweep, stopped: Option<String>) -> Option<String> {
    let all = sweep.points.iter().map(Point::soundness);
    let suspect = match all.filter(Soundness::is_suspect).count() {
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
        // Steps of a tenth do not add up to the digits people type.
        let value = (point.value * 1e9).round() / 1e9;
        lines.push(match &point.done {
            Err(failure) => format!("  {value:>width$}  failed: {failure}"),
            Ok(summary) => format!(
                "  {value:>width$}  {:>14}  {:>11.2}  {:<13}  {}",
                summary
                    .peak_contact_force_n
                    .map_or("-".to_owned(), |force| format!("{force:.2}")),
                Summary::max_leg_stroke_m.scaled(summary.max_leg_stroke_m),
                summary.outcome.key().replace('_', " "),
                summary.soundness.key(),
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
    output::tell(&lines.join("\n"))?;
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
