//! `softdock fmu simulate`: a small importer for co-simulation FMUs.

pub mod assignment;
mod columns;
mod compare;
mod history;
mod judge;
pub mod reference;
mod report;
mod table;

use crate::command::{self, Computed, ViewArgs};
use crate::failure::{BadInput, NOT_MET};
use crate::foreign::{ForeignArgs, ForeignCode};
use crate::input_table::InterpolationArgs;
use crate::output::{self, CsvFile, printable};
use crate::run::{self, Ended, Progress, grid_time};
use anyhow::{Result, bail};
use assignment::Assignment;
use columns::{Columns, Value};
use history::History;
use judge::Judge;
use report::SimulateResult;
use softdock_figures::column::TIME;
use softdock_fmi::import::{FmuArchive, FmuInstance, ImportError, Options, file_name};
use std::path::PathBuf;
use std::process::ExitCode;
use table::InputTable;

/// What the help says below the options.
const FILES: &str = "\
Writes MODEL.csv to the folder of --out, or to the current folder if there is none: a column `time_s`
and one per output of any type. Truth values are 0 and 1, enumerations the numbers of their items,
texts are quoted where they need it. Characters of the model's name that have a meaning in paths
become `_`. With --out, summary.json is written beside it. A run that fails or is stopped leaves its
rows in MODEL.partial.csv. An FMU that asks to end the simulation ends it; the row at the time that
it reached is the last one. NaN and infinite values are a failure.

FMUs of this program tell whether their result can be believed: the account of energy, the strains of the
leaf and the variable `sound` are looked at where rows are, and the verdict is in `soundness`, with exit
status 3 if the result is suspect. What other FMUs compute is not judged.

The FMU runs in a process of its own: when it crashes, ends that process or does not return from a
call within --timeout, the program says so and ends with exit status 1.

The input table has a column `time_s` (or `time`, or `t`) and one per input, named as in the FMU. Real inputs
follow --interpolation between its rows; an FMU that can interpolate follows their slopes within a
step. Inputs of other types keep their value until the next row: whole numbers, `true` and `false` (or 1
and 0), names or numbers of the items of an enumeration, texts.

FMI 2.0 and 3.0. An array of FMI 3.0 has a column for every element: `x[1]`, `x[2]`, and `a[1,2]` for
matrices. Bytes (`Binary`) are written as hexadecimal digits; integers must fit 32 bits; clocks and
event mode are not used.";

/// Arguments of `softdock fmu simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = FILES)]
pub struct Arguments {
    /// The FMU
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Start time [s]; the FMU's own if left out, else 0
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    start_time: Option<f64>,
    /// Stop time [s]; the FMU's own if left out
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    stop_time: Option<f64>,
    /// Communication step [s]; the FMU's own if left out
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Relative tolerance for the FMU's own solver; the FMU's own if left out
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Table of inputs over time
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: InterpolationArgs,
    /// Sets a parameter, or the start of an input; can be repeated
    #[arg(long, value_name = "VARIABLE=VALUE")]
    set: Vec<String>,
    /// Columns of the table, separated by commas; all outputs if left out
    #[arg(long, value_name = "VARIABLES")]
    variables: Vec<String>,
    /// Compares columns of the same name with those of another table; exit status 4 if they differ by
    /// more than --compare-tolerance
    #[arg(long, value_name = "FILE.csv")]
    compare: Option<PathBuf>,
    /// Largest difference that is allowed, over the largest size of a column
    #[arg(long, value_name = "X", default_value_t = 1e-6, requires = "compare")]
    compare_tolerance: f64,
    /// Prints the FMU's messages to standard error
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    foreign: ForeignArgs,
    #[command(flatten)]
    views: ViewArgs,
}

impl Arguments {
    /// The foreign code that it runs.
    pub fn foreign(&self) -> ForeignCode {
        self.foreign.code(&self.file)
    }
}

/// Start, stop and step [s].
#[derive(Debug, Clone, Copy)]
struct Times {
    start: f64,
    stop: f64,
    step: f64,
    /// Relative tolerance of the FMU's solver, if anybody names one.
    tolerance: Option<f64>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut differs = false;
    let status = command::show(&arguments.views, || {
        let mut computed = compute(arguments)?;
        let result = &mut computed.result;
        if let (Some(other), true) = (&arguments.compare, result.complete) {
            let found = compare::compare(&result.file, other, arguments.compare_tolerance)?;
            differs = !found.same();
            if differs {
                eprintln!("softdock: not met: {}", found.sentence());
            }
            result.compared = Some(found);
        }
        Ok(computed)
    })?;
    Ok(if differs {
        ExitCode::from(NOT_MET)
    } else {
        status
    })
}

fn compute(arguments: &Arguments) -> Result<Computed<SimulateResult>> {
    run::listen_for_stop();
    let fmu = arguments.foreign.open(&arguments.file)?;
    let description = fmu.description();
    let times = times(arguments, &fmu)?;
    let assignments = arguments.set.iter();
    let assignments = assignments.map(|text| Assignment::parse(text, description));
    let assignments: Vec<Assignment> = assignments.collect::<Result<_, _>>()?;
    let between = arguments.between.interpolation();
    let table = arguments.input.as_ref();
    let table = table.map(|path| InputTable::read(path, between, description));
    let table = table.transpose()?;
    let columns = Columns::new(&arguments.variables, description)?;
    let model = &description.model_name;
    let file = arguments
        .views
        .folder()
        .join(format!("{}.csv", file_name(model)));
    output::probe(&file)?;
    let logging = arguments.log;
    let mut instance = fmu.instantiate(model, &Options { logging })?;
    if let Err(error) = prepare(&mut instance, &assignments, table.as_ref(), times) {
        tell(&mut instance, arguments.log);
        return Err(error);
    }
    let header: Vec<&str> = [TIME].into_iter().chain(columns.names()).collect();
    let csv = CsvFile::create(&file, &header)?;
    let history = match arguments.views.plot {
        Some(_) => History::new(columns.names(), description),
        None => History::default(),
    };
    let mut simulation = Simulation {
        table,
        columns,
        csv,
        times,
        rows: 0,
        reached: times.start,
        last: Vec::new(),
        history,
        log: arguments.log,
        judge: Judge::new(description),
    };
    let mut progress = Progress::new(times.stop);
    let ended = simulation.run_to_end(&mut instance, |time| progress.at(time));
    progress.finish();
    simulation.finish(model, ended, progress.elapsed())
}

fn times(arguments: &Arguments, fmu: &FmuArchive) -> Result<Times, BadInput> {
    let defaults = fmu.description().default_experiment.unwrap_or_default();
    let start = arguments.start_time.or(defaults.start_time).unwrap_or(0.0);
    let stop = arguments.stop_time.or(defaults.stop_time);
    let stop = stop.ok_or_else(|| {
        BadInput::new("the FMU names no stop time of its own: give one with --stop-time")
    })?;
    let step = arguments.step.or(defaults.step_size);
    let step = step.unwrap_or((stop - start) / 1000.0);
    let refuse = |argument, value: f64, allowed: String| {
        Err(BadInput::new(format!(
            "{argument} {value} is not allowed: it must be {allowed}"
        )))
    };
    if !start.is_finite() {
        return refuse("--start-time", start, "a finite number".to_owned());
    }
    if !stop.is_finite() || stop <= start {
        return refuse("--stop-time", stop, format!("finite and after {start}"));
    }
    if !step.is_finite() || step <= 0.0 || (stop - start) / step > 1e8 {
        let allowed = "> 0, with at most 1e8 steps".to_owned();
        return refuse("--step", step, allowed);
    }
    let tolerance = arguments.tolerance.or(defaults.tolerance);
    if let Some(value) = tolerance.filter(|it| !(it.is_finite() && *it > 0.0)) {
        return refuse("--tolerance", value, "finite and > 0".to_owned());
    }
    Ok(Times {
        start,
        stop,
        step,
        tolerance,
    })
}

/// Sets what was asked for and initialises.
fn prepare(
    instance: &mut FmuInstance,
    assignments: &[Assignment],
    table: Option<&InputTable>,
    times: Times,
) -> Result<()> {
    for assignment in assignments {
        assignment
            .apply(instance)
            .map_err(|error| BadInput::new(format!("--set {}: {error}", assignment.text())))?;
    }
    let refused = |error| BadInput::new(format!("the FMU cannot start: {error}"));
    instance
        .setup_experiment(times.start, Some(times.stop), times.tolerance)
        .map_err(refused)?;
    instance.enter_initialization().map_err(refused)?;
    if let Some(table) = table {
        table.apply(instance, times.start, None)?;
    }
    instance.exit_initialization().map_err(refused)?;
    Ok(())
}

fn tell(instance: &mut FmuInstance, log: bool) {
    let lines = instance.take_log();
    if log {
        for line in lines {
            let text = format!("{}: {}", line.category, line.message);
            eprintln!("{}", printable(&text));
        }
    }
}

/// A run and what is kept of it.
struct Simulation {
    table: Option<InputTable>,
    columns: Columns,
    csv: CsvFile,
    times: Times,
    rows: usize,
    reached: f64,
    last: Vec<Value>,
    history: History,
    log: bool,
    judge: Option<Judge>,
}

/// Who ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Its stop time.
    Time,
    /// The FMU asked for it.
    Fmu,
    /// A signal, such as Ctrl-C.
    Signal,
}

impl Simulation {
    fn run_to_end(&mut self, instance: &mut FmuInstance, mut at: impl FnMut(f64)) -> Result<End> {
        let Times {
            start, stop, step, ..
        } = self.times;
        let (count, duration) = division(self.times);
        self.record(instance, start)?;
        for k in 0..count {
            if run::stop_requested() {
                return Ok(End::Signal);
            }
            // Lengths are those of a run from zero: the rounding of large times is not in them.
            let offset = |k: usize| match k {
                k if k == count => duration,
                k => grid_time(k, step),
            };
            let length = offset(k + 1) - offset(k);
            let time = start + offset(k);
            let end = if k + 1 == count {
                stop
            } else {
                start + offset(k + 1)
            };
            if let Some(table) = &self.table {
                table.apply(instance, time, Some(length))?;
            }
            // This run never goes back, and says so: FMUs may act on it.
            let done = instance.do_final_step(time, length);
            tell(instance, self.log);
            if let Err(ImportError::Ended { last_time, .. }) = done {
                self.ended_by_fmu(instance, last_time, end)?;
                return Ok(End::Fmu);
            }
            done?;
            self.record(instance, end)?;
            at(end);
        }
        let ended = instance.terminate();
        tell(instance, self.log);
        ended?;
        Ok(End::Time)
    }

    /// Closes the table and sums up.
    fn finish(
        self,
        model: &str,
        end: Result<End>,
        wall_s: f64,
    ) -> Result<Computed<SimulateResult>> {
        let by_fmu = matches!(end, Ok(End::Fmu));
        let ended = Ended::new(end.map(|end| end != End::Signal));
        let why = || "the FMU asked to end the simulation".to_owned();
        let result = SimulateResult {
            model: model.to_owned(),
            soundness: self
                .judge
                .as_ref()
                .map(|judge| ended.soundness(judge.watch())),
            complete: ended.is_complete(),
            ended_by_fmu: by_fmu,
            stopped_because: ended.reason().or_else(|| by_fmu.then(why)),
            file: ended.close(self.csv)?,
            rows: self.rows,
            start_s: self.times.start,
            reached_s: self.reached,
            step_s: self.times.step,
            tolerance: self.times.tolerance,
            wall_s,
            variables: self.columns.names().map(str::to_owned).collect(),
            last_values: self.last,
            compared: None,
            history: self.history,
        };
        Ok(Computed {
            written: vec![result.file.clone()],
            result,
            ended,
        })
    }

    /// Records what an FMU that ended the simulation on the way to `end` [s] has reached.
    fn ended_by_fmu(
        &mut self,
        instance: &mut FmuInstance,
        last_time: Option<f64>,
        end: f64,
    ) -> Result<()> {
        let Some(time) = last_time else {
            bail!(
                "the FMU ended the simulation after t = {} s, but does not tell when",
                self.reached
            );
        };
        if time < self.reached || time > end {
            let reached = self.reached;
            bail!(
                "the FMU ended the simulation at t = {time} s, which is not between {reached} s \
                 and {end} s"
            );
        }
        // No second row for the time of the last one.
        if time > self.reached {
            self.record(instance, time)?;
        }
        // It has ended already; an error of terminate does not matter.
        let _ = instance.terminate();
        tell(instance, self.log);
        Ok(())
    }

    fn record(&mut self, instance: &mut FmuInstance, time: f64) -> Result<()> {
        self.last = self.columns.read(instance)?;
        if let Some(judge) = &mut self.judge {
            judge.look(time, instance)?;
        }
        let row = std::iter::once(format!("{time:?}"));
        self.csv
            .text_row(row.chain(self.last.iter().map(ToString::to_string)))?;
        self.rows += 1;
        self.history.add(time, &self.last);
        self.reached = time;
        Ok(())
    }
}

/// Number of steps, and their sum [s]: that of whole steps if the times differ from it by rounding
/// only. A last step that is nothing but rounding is none.
fn division(times: Times) -> (usize, f64) {
    let duration = times.stop - times.start;
    let whole = (duration / times.step).round() as usize;
    let rounding = 2.0 * f64::EPSILON * times.start.abs().max(times.stop.abs());
    let allowed = rounding.max(1e-9 * duration);
    if whole > 0 && (duration - grid_time(whole, times.step)).abs() <= allowed {
        (whole, grid_time(whole, times.step))
    } else {
        ((duration / times.step).ceil() as usize, duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where rounding of the times, 1.5e-11 s at a day, makes the interval longer than its steps.
    #[test]
    fn the_same_steps_are_made_from_every_start() {
        for (span, step) in [
            (0.2, 1e-3),
            (0.05, 5e-3),
            (1.0, 0.3),
            (6.0, 1.0),
            (0.7, 1e-4),
        ] {
            let from = |start: f64| {
                division(Times {
                    start,
                    stop: start + span,
                    step,
                    tolerance: None,
                })
            };
            let reference = from(0.0);
            for start in [3e4, 86_400.0, 1e7, -7.3] {
                let (count, duration) = from(start);
                assert_eq!(count, reference.0, "{span} s from {start} s");
                let whole = grid_time(count, step) == reference.1;
                let off = (duration - reference.1).abs();
                assert!(
                    if whole { off == 0.0 } else { off < 1e-8 },
                    "{span} s from {start} s: {duration}"
                );
            }
        }
    }
}
