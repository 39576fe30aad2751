//! `softdock platform simulate`: motion of the platform from an equilibrium.

mod input;

use super::start::{PlaceArgs, WrenchArgs};
use crate::command::{self, CommandArgs, Computed};
use crate::failure::{BadInput, with_exit_status};
use crate::foreign::ForeignCode;
use crate::input_table::InterpolationArgs;
use crate::legs::LegsArgs;
use crate::output::CsvFile;
use crate::run::{self, Ended};
use crate::settings::Resolved;
use anyhow::Result;
use input::Histories;
use softdock_figures::Columns;
use softdock_platform::PlatformConfig;
use softdock_platform::config::Coupling;
use softdock_platform::native::torque_history;
use softdock_platform::results::{Motion, MotionResult, motion_columns, scene};
use softdock_platform::sample::PlatformSample;
use softdock_platform::scheme::{self, Scheme};
use softdock_platform::unit::LoadedFmu;
use softdock_platform::wrench::WrenchHistory;
use std::path::PathBuf;
use std::process::ExitCode;
use toml::Value;

/// What the help says below the options.
const FILES: &str = "\
The platform starts at rest in equilibrium, unloaded or under --force and --moment. The wrench in
motion is that of the settings wrench.*, numbers or histories, or of the table of --input, which
replaces it; where nothing at all is given the end effector gets a push (20 N down and 5 N sideways at
0.1 s), so that there is something to see; motors follow motor.* (legs.different for single legs) or the table. Writes platform.csv
to the folder of --out, or to the current folder if there is none. With --out, summary.json and
config.toml are written beside it. A run that is stopped or fails leaves its rows in
platform.partial.csv. Columns, for each leg those of the first one (base_* if the base floats):";

fn help() -> String {
    with_exit_status(&format!("{FILES}\n{}", motion_columns(1, true).help()))
}

/// Arguments of `softdock platform simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub struct Arguments {
    /// Simulated time [s]
    #[arg(
        long,
        value_name = "S",
        default_value_t = 2.0,
        allow_negative_numbers = true
    )]
    duration: f64,
    /// Step size [s]; the same as --set solver.step_s=S
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Time between rows [s]; every (macro) step if left out. Macro steps end at rows
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    output_step: Option<f64>,
    /// Table of inputs: a column time_s and any of force_x_n, force_y_n, force_z_n, moment_x_nm,
    /// moment_y_nm, moment_z_nm, motor_1_angle_rad, ..., motor_1_torque_nm, ... (angles counted
    /// from the start, in the motor modes angle and hold; torques are delivered as they are in mode
    /// torque and added to the holding ones in mode hold), tendon_1_force_n, ... (what winches add to
    /// the tension of the tendons, which is never negative; coupling = "monolithic")
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: InterpolationArgs,
    /// Breaks a leg at a time: LEG:SECONDS, such as 3:0.5; repeatable
    #[arg(long = "break", value_name = "LEG:S")]
    breaks: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    legs: LegsArgs,
    #[command(flatten)]
    common: CommandArgs,
}

impl Arguments {
    /// The foreign code inside its legs, if there is any.
    pub fn foreign(&self) -> Option<ForeignCode> {
        self.legs.foreign()
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = resolve(arguments)?;
    command::run_resolved(&arguments.common, &resolved, |config| {
        let output_step = arguments.output_step.unwrap_or(usual_step(config));
        run::check_times(arguments.duration, output_step).map_err(BadInput::new)?;
        let breaks = breaks(&arguments.breaks, config.leg_count())?;
        let histories = match &arguments.input {
            Some(path) => Histories::read(path, &arguments.between, config)?,
            None => Histories::default(),
        };
        run::listen_for_stop();
        let platform = started(arguments, config, &histories)?;
        let columns = motion_columns(config.leg_count(), config.base.free_floating);
        let csv = arguments.common.views.rows("platform.csv", &columns)?;
        let grid = run::Grid::new(arguments.duration, output_step);
        let motion = Motion::new(platform, breaks)?;
        record(
            motion,
            &grid,
            csv,
            &columns,
            arguments.common.views.plot.is_some(),
        )
    })
}

/// Most samples kept for the charts.
const MOST_SAMPLES: usize = 20_000;

/// Runs to the end, or until it is stopped or fails.
fn record(
    mut motion: Motion,
    grid: &run::Grid,
    mut csv: CsvFile,
    columns: &Columns<PlatformSample>,
    keep_samples: bool,
) -> Result<Computed<MotionResult>> {
    let mut samples = Vec::new();
    let kept = grid.last / MOST_SAMPLES + 1;
    let framed = grid.last / scene::FRAMES + 1;
    let mut progress = run::Progress::new(grid.time(grid.last));
    let mut each_row = || {
        for index in 0..=grid.last {
            if run::stop_requested() {
                return Ok(false);
            }
            let sample = motion.advance_to(grid.time(index))?;
            csv.row(&columns.row(sample).collect::<Vec<_>>())?;
            if keep_samples && (index % kept == 0 || index == grid.last) {
                samples.push(sample.clone());
            }
            if keep_samples && (index % framed == 0 || index == grid.last) {
                motion.keep_frame()?;
            }
            progress.at(grid.time(index));
        }
        Ok(true)
    };
    let ended = Ended::new(each_row());
    progress.finish();
    let result = MotionResult {
        complete: ended.is_complete(),
        soundness: ended.soundness(&motion.watch()),
        stopped_because: ended.reason(),
        file: ended.close(csv)?,
        wall_s: progress.elapsed(),
        ..motion.result(samples)?
    };
    Ok(Computed {
        written: vec![result.file.clone()],
        result,
        ended,
    })
}

/// Every step, and every macro step of co-simulation if that is longer.
fn usual_step(config: &PlatformConfig) -> f64 {
    let solver = &config.solver;
    match config.coupling {
        Coupling::Monolithic => solver.step_s,
        Coupling::Implicit | Coupling::Explicit => solver.step_s.max(solver.macro_step_s),
    }
}

fn resolve(arguments: &Arguments) -> Result<Resolved<PlatformConfig>> {
    let step = arguments.step.map(|step| {
        (
            format!("--step {step}"),
            "solver.step_s",
            Value::Float(step),
        )
    });
    let more: Vec<_> = step.into_iter().chain(usual_push(arguments)).collect();
    let resolved: Resolved<PlatformConfig> = arguments.common.resolve(&more)?;
    let implied = arguments.legs.implied(resolved.config.coupling);
    if implied.is_empty() {
        return Ok(resolved);
    }
    let more: Vec<_> = more.into_iter().chain(implied).collect();
    arguments.common.resolve(&more)
}

/// A push for a platform to which nothing else happens: up and sideways, for a fifth of a second.
/// Without one there would be nothing to see.
fn usual_push(arguments: &Arguments) -> Vec<(String, &'static str, Value)> {
    let CommandArgs { file, settings, .. } = &arguments.common;
    let asked = file.is_some()
        || settings.config.is_some()
        || !settings.set.is_empty()
        || arguments.input.is_some()
        || !arguments.breaks.is_empty()
        || arguments.place.position.is_some()
        || arguments.place.motor_rad.is_some()
        || arguments.wrench.force != [0.0; 3]
        || arguments.wrench.moment != [0.0; 3];
    if asked {
        return Vec::new();
    }
    let pulse = |height: f64| {
        let list = |numbers: [f64; 4]| Value::Array(numbers.map(Value::Float).to_vec());
        let entries = [
            ("kind", Value::String("table".to_owned())),
            ("times_s", list([0.0, 0.1, 0.2, 10.0])),
            ("values", list([0.0, height, 0.0, 0.0])),
        ];
        Value::Table(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .into_iter()
                .collect(),
        )
    };
    vec![
        (
            "the usual push".to_owned(),
            "wrench.force_z_n",
            pulse(-20.0),
        ),
        ("the usual push".to_owned(), "wrench.force_x_n", pulse(5.0)),
    ]
}

/// The platform at rest, its histories set.
fn started(
    arguments: &Arguments,
    config: &PlatformConfig,
    histories: &Histories,
) -> Result<Box<dyn Scheme>> {
    let (equilibrium, _) = arguments.place.equilibrium(config, &arguments.wrench)?;
    let mut signals = config.wrench.signals();
    for (signal, given) in signals.iter_mut().zip(&histories.wrench) {
        if let Some(given) = given {
            *signal = given.clone();
        }
    }
    let wrench = WrenchHistory(signals);
    let mut platform = match arguments.legs.archive()? {
        None => scheme::start(&equilibrium, wrench)?,
        Some(fmu) => {
            let (starts, units) = LoadedFmu::all(&[fmu], &equilibrium)?;
            scheme::couple(&equilibrium, &starts, units, wrench)?
        }
    };
    let modes = equilibrium.motor_modes();
    let held = equilibrium.holding_torques();
    for (i, (mode, (torque, angle))) in modes
        .into_iter()
        .zip(histories.motors.iter().cloned())
        .enumerate()
    {
        let torque = torque.map(|command| torque_history(mode, command, held[i]));
        platform.set_motor(i, torque, angle);
    }
    for (i, pull) in histories.winches.iter().enumerate() {
        if let Some(pull) = pull
            && !platform.set_tendon_force(i, pull.clone())
        {
            return Err(BadInput::new(format!(
                "tendon_{}_force_n: there is no winch: that needs legs.fidelity = \"full\", a tendon and \
                 coupling = \"monolithic\"",
                i + 1
            ))
            .into());
        }
    }
    Ok(platform)
}

/// Legs (from 0) and the times at which they break.
fn breaks(texts: &[String], legs: usize) -> Result<Vec<(f64, usize)>, BadInput> {
    let mut out = Vec::new();
    for text in texts {
        let parsed = text.split_once(':').and_then(|(leg, time)| {
            let leg: usize = leg.trim().parse().ok()?;
            let time: f64 = time.trim().parse().ok()?;
            Some((time, leg))
        });
        match parsed {
            Some((time, leg)) if time >= 0.0 && (1..=legs).contains(&leg) => {
                out.push((time, leg - 1));
            }
            _ => {
                return Err(BadInput::new(format!(
                    "--break {text}: write LEG:SECONDS, a leg from 1 to {legs} and a time >= 0"
                )));
            }
        }
    }
    Ok(out)
}
