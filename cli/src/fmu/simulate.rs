//! `softdock fmu simulate`: a small importer for co-simulation FMUs.

mod assignment;
mod columns;
mod table;

use crate::failure::{BadInput, STOPPED};
use crate::leg::input::InterpolationArgs;
use crate::output::{self, CsvFile, OutputArgs};
use crate::run::{self, Progress};
use crate::summary::Summary;
use anyhow::{Context, Result};
use assignment::Assignment;
use columns::Columns;
use serde::Serialize;
use softdock_fmu::import::{FmuArchive, FmuInstance, Options};
use std::path::PathBuf;
use std::process::ExitCode;
use table::InputTable;

/// What the help says below the options.
const FILES: &str = "\
Writes MODEL.csv to the folder of --out, or to the current folder if there is none: a column `time`
and one per output. With --out, summary.json is written beside it. A run that fails or is stopped
leaves its rows in MODEL.partial.csv.

The input table has a column `time` (or `t`) and one per input, named as in the FMU. Real inputs
follow --interpolation between its rows; an FMU that can interpolate follows their slopes within a
step. Other inputs keep their value until the next row.";

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
    /// Table of inputs over time
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: InterpolationArgs,
    /// Sets a parameter, or the start of an input; can be repeated
    #[arg(long, value_name = "VARIABLE=VALUE")]
    set: Vec<String>,
    /// Columns of the table, separated by commas; all outputs if left out
    #[arg(long, value_name = "VARIABLES", value_delimiter = ',')]
    variables: Vec<String>,
    /// Prints the FMU's messages to standard error
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// What `--json` prints and summary.json holds.
#[derive(Debug, Serialize)]
struct Report {
    model: String,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_because: Option<String>,
    file: PathBuf,
    rows: usize,
    start_s: f64,
    reached_s: f64,
    step_s: f64,
    wall_s: f64,
    variables: Vec<String>,
    last_values: Vec<f64>,
}

/// Start, stop and step [s].
#[derive(Debug, Clone, Copy)]
struct Times {
    start: f64,
    stop: f64,
    step: f64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let fmu = FmuArchive::open(&arguments.file)?;
    let description = fmu.description();
    let times = times(arguments, &fmu)?;
    let assignments: Result<Vec<_>, _> = arguments
        .set
        .iter()
        .map(|text| Assignment::parse(text, description))
        .collect();
    let assignments = assignments?;
    let table = match &arguments.input {
        Some(path) => Some(InputTable::read(
            path,
            arguments.between.interpolation(),
            description,
        )?),
        None => None,
    };
    let columns = Columns::new(&arguments.variables, description)?;
    let folder = arguments.output.out.clone().unwrap_or_default();
    let file = folder.join(format!("{}.csv", description.model_name));
    output::probe(&file)?;
    let mut instance = fmu.instantiate(
        &description.model_name,
        &Options {
            logging: arguments.log,
        },
    )?;
    if let Err(error) = prepare(&mut instance, &assignments, table.as_ref(), times) {
        tell(&mut instance, arguments.log);
        return Err(error);
    }
    let mut header = vec!["time"];
    header.extend(columns.names());
    let csv = CsvFile::create(&file, &header)?;
    let mut simulation = Simulation {
        table,
        columns,
        csv,
        times,
        rows: 0,
        reached: times.start,
        last: Vec::new(),
        log: arguments.log,
    };
    let progress = Progress::new(times.stop);
    let ended = simulation.run(&mut instance, progress_at(progress));
    finish(arguments, simulation, &description.model_name, ended)
}

/// A progress bar with its wall time at the end.
fn progress_at(mut progress: Progress) -> impl FnMut(Option<f64>) -> f64 {
    move |time| {
        match time {
            Some(time) => progress.at(time),
            None => progress.finish(),
        }
        progress.elapsed()
    }
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
    Ok(Times { start, stop, step })
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
        .setup_experiment(times.start, Some(times.stop), None)
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
            eprintln!("{}: {}", line.category, line.message);
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
    last: Vec<f64>,
    log: bool,
}

/// How a run ended.
enum Ended {
    Complete(f64),
    Stopped(f64),
    Failed(f64, anyhow::Error),
}

impl Simulation {
    fn run(
        &mut self,
        instance: &mut FmuInstance,
        mut progress: impl FnMut(Option<f64>) -> f64,
    ) -> Ended {
        let done = self.run_to_end(instance, &mut progress);
        let wall = progress(None);
        match done {
            Ok(true) => Ended::Complete(wall),
            Ok(false) => Ended::Stopped(wall),
            Err(error) => Ended::Failed(wall, error),
        }
    }

    /// False if somebody stopped the run.
    fn run_to_end(
        &mut self,
        instance: &mut FmuInstance,
        progress: &mut impl FnMut(Option<f64>) -> f64,
    ) -> Result<bool> {
        let Times { start, stop, step } = self.times;
        // A last step that is nothing but rounding is none.
        let count = ((stop - start) / step * (1.0 - 1e-9)).ceil() as usize;
        self.record(instance, start)?;
        for k in 0..count {
            if run::stop_requested() {
                return Ok(false);
            }
            let at = |k: usize| {
                if k == count {
                    stop
                } else {
                    grid_time(start, step, k)
                }
            };
            let (time, end) = (at(k), at(k + 1));
            if let Some(table) = &self.table {
                table.apply(instance, time, Some(end - time))?;
            }
            let done = instance.do_step(time, end - time);
            tell(instance, self.log);
            done?;
            self.record(instance, end)?;
            progress(Some(end));
        }
        let ended = instance.terminate();
        tell(instance, self.log);
        ended?;
        Ok(true)
    }

    fn record(&mut self, instance: &mut FmuInstance, time: f64) -> Result<()> {
        self.columns.read(instance, &mut self.last)?;
        let mut row = vec![time];
        row.extend(&self.last);
        self.csv.row(&row)?;
        self.rows += 1;
        self.reached = time;
        Ok(())
    }
}

/// The time of row `index`; a step of 1 ms gives 0.009 rather than 0.009000000000000001.
fn grid_time(start: f64, step: f64, index: usize) -> f64 {
    let per_second = (1.0 / step).round();
    if (per_second * step - 1.0).abs() < 1e-12 {
        start + index as f64 / per_second
    } else {
        start + index as f64 * step
    }
}

fn finish(
    arguments: &Arguments,
    simulation: Simulation,
    model: &str,
    ended: Ended,
) -> Result<ExitCode> {
    let complete = matches!(ended, Ended::Complete(_));
    let file = if complete {
        simulation.csv.finish()?
    } else {
        simulation.csv.keep_partial()?
    };
    let (wall_s, stopped_because) = match &ended {
        Ended::Complete(wall) => (*wall, None),
        Ended::Stopped(wall) => (*wall, Some("stopped by a signal".to_owned())),
        Ended::Failed(wall, error) => (*wall, Some(format!("{error:#}"))),
    };
    let names = simulation.columns.names();
    let report = Report {
        model: model.to_owned(),
        complete,
        stopped_because,
        file,
        rows: simulation.rows,
        start_s: simulation.times.start,
        reached_s: simulation.reached,
        step_s: simulation.times.step,
        wall_s,
        variables: names.map(str::to_owned).collect(),
        last_values: simulation.last,
    };
    if let Some(folder) = &arguments.output.out {
        output::write_json(&folder.join("summary.json"), &report)?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&summary(&report).to_string())?;
    }
    match ended {
        Ended::Complete(_) => Ok(ExitCode::SUCCESS),
        Ended::Stopped(_) => Ok(ExitCode::from(STOPPED)),
        Ended::Failed(_, error) => {
            let kept = report.file.display();
            Err(error).with_context(|| format!("the rows until then are in {kept}"))
        }
    }
}

/// Most values of a summary.
const MOST_SHOWN: usize = 12;

fn summary(report: &Report) -> Summary {
    let state = if report.complete { "" } else { ", INCOMPLETE" };
    let mut summary = Summary::new(format!(
        "{} simulated from {} to {} s{state}",
        report.model, report.start_s, report.reached_s
    ));
    summary
        .text("rows", report.rows.to_string(), "")
        .number("wall time", report.wall_s, "s");
    let last = report.variables.iter().zip(&report.last_values);
    for (name, &value) in last.take(MOST_SHOWN) {
        summary.number(name, value, "");
    }
    if report.variables.len() > MOST_SHOWN {
        let more = report.variables.len() - MOST_SHOWN;
        summary.note(format!("and {more} more at the end of the table"));
    }
    summary.note(format!("wrote {}", report.file.display()));
    summary
}
