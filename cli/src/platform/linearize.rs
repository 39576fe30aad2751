//! `softdock platform linearize`: the matrices A, B, C, D of the whole platform.

use super::start::{PlaceArgs, WrenchArgs};
use crate::command::{self, CommandArgs};
use crate::failure::above_zero;
use anyhow::Result;
use clap::ValueEnum;
use leg_core::planar::LinkDrive;
use softdock_platform::linear_model::{Kept, RESPONSE_TOLERANCE, linearize_platform};
use softdock_platform::results::LinearResult;
use std::process::ExitCode;

/// What the motors do while the platform vibrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Motors {
    /// They turn freely under the torques that hold the equilibrium; the torques are inputs
    Free,
    /// They stay where they are
    Locked,
    /// PD controllers hold them, motor.hold_*; torques on top are inputs
    Held,
}

impl From<Motors> for LinkDrive {
    fn from(motors: Motors) -> Self {
        match motors {
            Motors::Free => Self::Free,
            Motors::Locked => Self::Prescribed,
            Motors::Held => Self::Held,
        }
    }
}

/// What the help says below the options.
const HELP: &str = "\
States are the slow vibration modes of the platform about its equilibrium, mass-normalised, and the
shapes that strong dampers need beside them, then the rates of all. The response of this model is
compared with that of the whole platform at frequencies up to half the cutoff, every output to every
input; the largest relative error is printed, and a model beyond --tolerance is refused. With
--modes there are no shapes, the modes left out give way to loads at once, and half the frequency of
the first of them is compared up to. Inputs: motor torques (not with locked
motors), then force and moment on the end effector's centre, world axes. Outputs: position and
rotation of the end effector, then velocity and spin. All are deviations from the equilibrium:
  d/dt x = A x + B u,   y = C x + D u
With --out, linear.json and config.toml are written to the folder.";

/// Arguments of `softdock platform linearize`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// What the motors do
    #[arg(long, value_enum, default_value_t = Motors::Free)]
    motors: Motors,
    /// Makes a model for frequencies below half of this one, of the modes below it [Hz]
    #[arg(long, value_name = "HZ", default_value_t = 50.0)]
    cutoff_hz: f64,
    /// Keeps this many modes instead
    #[arg(long, value_name = "N")]
    modes: Option<usize>,
    /// Largest relative error of the response against the whole platform
    #[arg(long, value_name = "RELATIVE", default_value_t = RESPONSE_TOLERANCE)]
    tolerance: f64,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    common: CommandArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::run(&arguments.common, |config| {
        above_zero("--cutoff-hz", arguments.cutoff_hz)?;
        above_zero("--tolerance", arguments.tolerance)?;
        let (platform, _) = arguments.place.equilibrium(config, &arguments.wrench)?;
        let below = Kept::Below(arguments.cutoff_hz);
        let kept = arguments.modes.map_or(below, Kept::Count);
        let drive = arguments.motors.into();
        let linear = linearize_platform(&platform, drive, kept, arguments.tolerance)?;
        Ok(LinearResult::new(&linear, platform.holding_torques())?.into())
    })
}
