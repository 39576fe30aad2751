//! `softdock platform lqr`: a regulator of the pose, tried on the nonlinear platform.

mod page;
mod report;

use super::lists::three;
use super::start::{PlaceArgs, WrenchArgs};
use crate::failure::{BadInput, verdict};
use crate::output::{self, CsvFile, OutputArgs};
use crate::run::Progress;
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use leg_core::config::MotorMode;
use multibody::group::Group;
use multibody::model::Signal;
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::DVector;
use page::page;
use report::{Outcome, Report};
use softdock_platform::PlatformConfig;
use softdock_platform::audit::{energy_account, note_leaves, note_motors};
use softdock_platform::monolithic::Platform;
use softdock_platform::motor_range::MotorRange;
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The motors turn freely under the torques that hold the equilibrium, to which the regulator adds its
own. It minimises, on the slow vibration modes, the integral of
  position · |δx|² + rotation · |δθ|² + velocity · |δv|² + spin · |δω|² + effort · |δτ|²
with torques held over each period. Torques beyond ± motor.torque_limit_nm are brought within by
allocation: of all torques within their limits, those whose wrench on the end effector is nearest to
the one asked for. The regulator is fed the projection of the platform's true state on its modes.
It is tried on the nonlinear platform, pushed as --push says; beside it the same with the holding
torques alone. With --out, lqr.json, lqr.csv and config.toml are written to the folder.";

/// Arguments of `softdock platform lqr`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(HELP))]
pub struct Arguments {
    /// Weight of the position [1/m²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().position)]
    position_weight: f64,
    /// Weight of the rotation [1/rad²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().rotation)]
    rotation_weight: f64,
    /// Weight of the velocity [s²/m²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().velocity)]
    velocity_weight: f64,
    /// Weight of the spin [s²/rad²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().spin)]
    spin_weight: f64,
    /// Weight of the torques [1/(N·m)²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().effort)]
    effort: f64,
    /// Regulates the modes below this frequency [Hz]
    #[arg(long, value_name = "HZ", default_value_t = RegulatorSettings::default().cutoff_hz)]
    cutoff_hz: f64,
    /// Sampling period [s]
    #[arg(long, value_name = "S", default_value_t = RegulatorSettings::default().period_s)]
    period: f64,
    /// Force that disturbs the end effector at the start [N]
    #[arg(
        long,
        value_name = "FX,FY,FZ",
        default_value = "6,-8,-17.3",
        allow_hyphen_values = true,
        value_parser = three
    )]
    push: [f64; 3],
    /// Moment with it [N·m]
    #[arg(
        long,
        value_name = "MX,MY,MZ",
        default_value = "1.5,0.8,-0.6",
        allow_hyphen_values = true,
        value_parser = three
    )]
    push_moment: [f64; 3],
    /// How long the push lasts [s]
    #[arg(long, value_name = "S", default_value_t = 0.05)]
    push_time: f64,
    /// Simulated time [s]
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    duration: f64,
    /// The end effector has settled when it stays this near [m]
    #[arg(long, value_name = "M", default_value_t = 1e-3)]
    settled_m: f64,
    /// Writes a page with closed and open loop side by side; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The platform at one time.
#[derive(Debug, Clone)]
struct Sample {
    t: f64,
    /// Deviation of the end effector's centre, world axes [m].
    moved: [f64; 3],
    /// Rotation from the equilibrium, world axes [rad].
    turned: [f64; 3],
    torques: DVector<f64>,
    saturated: bool,
}

/// A run with or without the regulator.
struct Run {
    samples: Vec<Sample>,
    /// Whether it can be believed.
    soundness: Soundness,
    /// Why it ended early.
    ended: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    resolved.config.motor.mode = MotorMode::Torque;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    check(arguments, &resolved.config)?;
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    arguments.output.probe("lqr.json")?;
    let (mut equilibrium, _) = arguments
        .place
        .equilibrium(&resolved.config, &arguments.wrench)?;
    equilibrium.hold_motors();
    let regulator = Regulator::new(&equilibrium, &settings(arguments))?;
    let closed = simulate(arguments, &equilibrium, Some(&regulator))?;
    let open = simulate(arguments, &equilibrium, None)?;
    let outcomes = [&closed, &open].map(|run| Outcome::new(arguments, run));
    let report = Report::new(arguments, &regulator, outcomes);
    let (closed, open) = (&closed.samples, &open.samples);
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("lqr.json"), &report)?;
        write_table(&out.join("lqr.csv"), closed, open)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = &arguments.plot {
        output::write_atomic(plot, page(&report, closed, open).html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.summary().to_string())?;
    }
    match &report.closed.ended {
        None => Ok(verdict(&report.soundness)),
        Some(why) => Err(anyhow::anyhow!("the closed loop ended early: {why}")),
    }
}

fn settings(arguments: &Arguments) -> RegulatorSettings {
    RegulatorSettings {
        position: arguments.position_weight,
        rotation: arguments.rotation_weight,
        velocity: arguments.velocity_weight,
        spin: arguments.spin_weight,
        effort: arguments.effort,
        cutoff_hz: arguments.cutoff_hz,
        period_s: arguments.period,
    }
}

fn check(arguments: &Arguments, config: &PlatformConfig) -> Result<(), BadInput> {
    let positive = [
        ("--effort", arguments.effort),
        ("--cutoff-hz", arguments.cutoff_hz),
        ("--period", arguments.period),
        ("--duration", arguments.duration),
        ("--settled-m", arguments.settled_m),
    ];
    let not_negative = [
        ("--position-weight", arguments.position_weight),
        ("--rotation-weight", arguments.rotation_weight),
        ("--velocity-weight", arguments.velocity_weight),
        ("--spin-weight", arguments.spin_weight),
        ("--push-time", arguments.push_time),
    ];
    let wrong = |(name, value): (&str, f64), allowed: &str| {
        BadInput::new(format!(
            "{name} {value} is not allowed: it must be {allowed} and finite"
        ))
    };
    let finite_above = |value: f64, above: bool| value.is_finite() && above;
    for pair in positive {
        if !finite_above(pair.1, pair.1 > 0.0) {
            return Err(wrong(pair, "> 0"));
        }
    }
    for pair in not_negative {
        if !finite_above(pair.1, pair.1 >= 0.0) {
            return Err(wrong(pair, ">= 0"));
        }
    }
    if config.base.free_floating {
        let message = "the regulator holds the pose in the world: leave base.free_floating = false";
        return Err(BadInput::new(message));
    }
    Ok(())
}

/// Pushes the platform.
fn simulate(
    arguments: &Arguments,
    equilibrium: &StaticPlatform,
    regulator: Option<&Regulator>,
) -> Result<Run> {
    let (force, moment) = equilibrium.wrench();
    let wrench = WrenchHistory(core::array::from_fn(|i| {
        let (held, push) = if i < 3 {
            (force[i], arguments.push[i])
        } else {
            (moment[i - 3], arguments.push_moment[i - 3])
        };
        Signal::Step {
            time: arguments.push_time,
            before: held + push,
            after: held,
        }
    }));
    let mut platform = Platform::at_rest_under(equilibrium, wrench)?;
    let count = (arguments.duration / arguments.period).ceil().max(1.0) as usize;
    let mut progress = Progress::new(arguments.duration);
    let mut samples = Vec::with_capacity(count + 1);
    let mut ended = None;
    let mut watch = Watch::default();
    let ranges = MotorRange::of_legs(platform.config())?;
    for k in 0..=count {
        let torques = regulator.map(|regulator| regulator.torques(&platform));
        let torques = torques.transpose()?;
        samples.push(sample(&platform, equilibrium, torques.as_ref()));
        energy_account(&mut platform)?.note(platform.time(), &mut watch);
        note_leaves(&mut platform, &mut watch)?;
        if regulator.is_some() {
            // Without a regulator the motors turn as far as the push takes them.
            note_motors(&platform, &ranges, &mut watch);
        }
        if let (Some(regulator), Some(torques)) = (regulator, &torques) {
            regulator.apply(&mut platform, torques)?;
        }
        if k == count {
            break;
        }
        match platform.advance_to((k + 1) as f64 * arguments.period) {
            Ok(done) => watch.steps_at_floor(platform.time(), done.at_floor),
            Err(error) => {
                // Without a regulator the platform may well fold up.
                ended = Some(error.to_string());
                break;
            }
        }
        progress.at(platform.time());
    }
    progress.finish();
    let soundness = watch.soundness();
    Ok(Run {
        samples,
        soundness: match ended {
            None => soundness,
            Some(_) => soundness.failed(),
        },
        ended,
    })
}

fn sample(
    platform: &Platform,
    equilibrium: &StaticPlatform,
    torques: Option<&softdock_platform::regulator::Torques>,
) -> Sample {
    let (start, now) = (equilibrium.pose(), &platform.effector().pose);
    let turn = start.between(now).log();
    let turned = turn.map(|turn| start.rotation() * turn.fixed_rows::<3>(3));
    let legs = platform.legs().iter().map(|leg| leg.motor_torque());
    Sample {
        t: platform.time(),
        moved: (now.translation() - start.translation()).into(),
        turned: turned.map_or([f64::NAN; 3], Into::into),
        saturated: torques.is_some_and(|t| t.applied != t.demand),
        torques: torques.map_or_else(
            || DVector::from_iterator(platform.legs().len(), legs),
            |t| t.applied.clone(),
        ),
    }
}

fn write_table(path: &Path, closed: &[Sample], open: &[Sample]) -> Result<()> {
    let legs = closed.first().map_or(0, |s| s.torques.len());
    let mut header = vec!["t".to_owned()];
    for suffix in ["", "_open"] {
        let names = ["x", "y", "z", "rotation_x", "rotation_y", "rotation_z"];
        header.extend(names.map(|name| format!("{name}{suffix}")));
        header.extend((1..=legs).map(|leg| format!("torque_{leg}{suffix}")));
    }
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut csv = CsvFile::create(path, &names)?;
    for (i, sample) in closed.iter().enumerate() {
        let mut row = vec![sample.t];
        for sample in [Some(sample), open.get(i)] {
            match sample {
                Some(s) => {
                    row.extend(s.moved.iter().chain(&s.turned).chain(s.torques.iter()));
                }
                None => row.extend(std::iter::repeat_n(f64::NAN, 6 + legs)),
            }
        }
        csv.row(&row)?;
    }
    csv.finish()?;
    Ok(())
}
