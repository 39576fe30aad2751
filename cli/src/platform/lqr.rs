//! `softdock platform lqr`: a regulator of the pose, tried on the nonlinear platform.

use super::lists::three;
use super::start::{PlaceArgs, WrenchArgs};
use crate::command::{self, CommandArgs, Computed};
use crate::failure::{BadInput, not_negative, positive};
use crate::run::{Ended, Progress};
use anyhow::Result;
use leg_core::config::MotorMode;
use softdock_platform::PlatformConfig;
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_platform::results::{Push, PushedMotion, RegulationResult};
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
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    common: CommandArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut resolved = arguments.common.resolve::<PlatformConfig>(&[])?;
    resolved.config.motor.mode = MotorMode::Torque;
    command::run_resolved(&arguments.common, &resolved, |config| {
        check(arguments, config)?;
        let (mut equilibrium, _) = arguments.place.equilibrium(config, &arguments.wrench)?;
        equilibrium.hold_motors();
        let regulator = Regulator::new(&equilibrium, &settings(arguments))?;
        let push = Push {
            force: arguments.push,
            moment: arguments.push_moment,
            time: arguments.push_time,
            duration: arguments.duration,
            period: arguments.period,
            settled: arguments.settled_m,
        };
        let motion = |regulator| {
            let mut progress = Progress::new(push.duration);
            let motion = PushedMotion::new(&push, &equilibrium, regulator, |t| progress.at(t));
            progress.finish();
            motion
        };
        let motions = [motion(Some(&regulator))?, motion(None)?];
        let result = RegulationResult::new(&push, &regulator, motions);
        let early = |why| anyhow::anyhow!("the closed loop ended early: {why}");
        Ok(Computed {
            ended: result
                .closed
                .ended
                .as_ref()
                .map_or(Ended::Complete, |why| Ended::Failed(early(why))),
            result,
            written: Vec::new(),
        })
    })
}

fn settings(arguments: &Arguments) -> RegulatorSettings {
    RegulatorSettings {
        winches: None,
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
    positive("--effort", arguments.effort)?;
    positive("--cutoff-hz", arguments.cutoff_hz)?;
    positive("--period", arguments.period)?;
    positive("--duration", arguments.duration)?;
    positive("--settled-m", arguments.settled_m)?;
    not_negative("--position-weight", arguments.position_weight)?;
    not_negative("--rotation-weight", arguments.rotation_weight)?;
    not_negative("--velocity-weight", arguments.velocity_weight)?;
    not_negative("--spin-weight", arguments.spin_weight)?;
    not_negative("--push-time", arguments.push_time)?;
    if config.base.free_floating {
        let message = "the regulator holds the pose in the world: leave base.free_floating = false";
        return Err(BadInput::new(message));
    }
    Ok(())
}
