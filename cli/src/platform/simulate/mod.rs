//! `softdock platform simulate`: motion of the platform from an equilibrium.

mod input;
mod page;
mod record;
mod report;
mod table;

use super::start::{PlaceArgs, WrenchArgs};
use crate::failure::BadInput;
use crate::foreign::ForeignCode;
use crate::leg::input::InterpolationArgs;
use crate::legs::LegsArgs;
use crate::output::{self, CsvFile, OutputArgs};
use crate::run;
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use input::Histories;
use page::page;
use record::Record;
use softdock_platform::PlatformConfig;
use softdock_platform::config::Coupling;
use softdock_platform::native::torque_history;
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
replaces it; motors follow motor.* (legs.different for single legs) or the table. Writes platform.csv
to the folder of --out, or to the current folder if there is none. With --out, summary.json and
config.toml are written beside it. A run that is stopped or fails leaves its rows in
platform.partial.csv. Columns:
  t                                 time [s]
  x, y, z, pitch, yaw, roll         pose of the end effector [m, rad]
  vx, vy, vz, wx, wy, wz            its rates, world axes [m/s, rad/s]
  base_x ... base_wz                the same of a floating base
  f1_x, f1_y, f1_z ...              force of each leg on the end effector [N]
  tendon_length_1 ...               distance A to B [m]
  tendon_tension_1 ...              tendon tension [N]
  motor_angle_1 ...                 crank angles [rad]
  motor_torque_1 ...                torques of motors, or of what prescribes the angles [N·m]
  kinetic, strain, tendon, gravity  energies [J]
  wrench_work, motor_work           work done since the start [J]
  dissipated, residual              energy lost in dampers; what the account of energy misses [J]
  joint_gap                         largest opening of a spherical joint [m]";

/// Arguments of `softdock platform simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(FILES))]
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
    /// Table of inputs: a column t [s] and any of force_x_n, force_y_n, force_z_n, moment_x_nm,
    /// moment_y_nm, moment_z_nm, motor_1_angle_rad, ..., motor_1_torque_nm, ... (angles counted
    /// from the start, in the motor modes angle and hold; torques are delivered as they are in mode
    /// torque and added to the holding ones in mode hold)
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: InterpolationArgs,
    /// Breaks a leg at a time: LEG:SECONDS, such as 3:0.5; repeatable
    #[arg(long = "break", value_name = "LEG:S")]
    breaks: Vec<String>,
    /// Writes a page with charts; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    legs: LegsArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
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
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = &resolved.config;
    let output_step = arguments.output_step.unwrap_or(usual_step(config));
    run::check_times(arguments.duration, output_step).map_err(BadInput::new)?;
    let breaks = breaks(&arguments.breaks, config.leg_count())?;
    let histories = match &arguments.input {
        Some(path) => Histories::read(path, &arguments.between, config)?,
        None => Histories::default(),
    };
    let folder = arguments.output.out.clone().unwrap_or_default();
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    run::listen_for_stop();
    let platform = started(arguments, config, &histories)?;
    let header = table::header(config.leg_count(), config.base.free_floating);
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let csv = CsvFile::create(&folder.join("platform.csv"), &names)?;
    let times = record::Times {
        duration: arguments.duration,
        output_step,
        breaks,
    };
    let mut record = Record::new(platform, csv, times, arguments.plot.is_some())?;
    let ended = record.run();
    let (report, samples) = record.finish(&ended)?;
    if arguments.output.out.is_some() {
        output::write_json(&folder.join("summary.json"), &report)?;
        output::write_atomic(&folder.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = &arguments.plot {
        let page = page(&report, config, &samples);
        output::write_atomic(plot, page.html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        let mut summary = report.summary();
        summary.note(format!("wrote {}", report.file.display()));
        if let Some(plot) = &arguments.plot {
            summary.note(format!("wrote {}", plot.display()));
        }
        output::say(&summary.to_string())?;
    }
    ended.status(&report.file, &report.soundness)
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
    let more: Vec<_> = step.into_iter().collect();
    let resolved = Resolved::<PlatformConfig>::with(&arguments.settings, &more)?;
    let implied = arguments.legs.implied(resolved.config.coupling);
    if implied.is_empty() {
        return Ok(resolved);
    }
    let more: Vec<_> = more.into_iter().chain(implied).collect();
    Ok(Resolved::<PlatformConfig>::with(
        &arguments.settings,
        &more,
    )?)
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
    Ok(platform)
}

/// Legs (from 0) and the times at which they break, in the order of time.
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
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(out)
}
