//! `softdock leg spatial`: the leg of the platform, alone: base motor, crank, universal joint,
//! leaf, and a tip that is held, loaded or free.

pub mod config;
mod equilibrium;
mod linearize;
mod modes;
mod picture;
mod pretension;
mod simulate;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// What the help says below the commands.
const HELP: &str = "\
Axes of the leg's base: the crank at q1 = 0, up, and the motor's axis; by default they are x, z and
-y of the world. Seen along the motor's axis the leg is that of the planar commands. The tip B is
  tip.mode = \"held\"    where it is, or moved along tip.motion_x_m, ...
  tip.mode = \"loaded\"  free under the force that holds it at first, and tip.force_x_n, ... on top
  tip.mode = \"free\"    free under tip.force_x_n, ... alone";

/// Arguments of `softdock leg spatial`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bow the leaf and report shape, tension, reactions and holding torque.
    Pretension(pretension::Arguments),
    /// Hold, load or release the tip, drive the motor, and write the motion to leg.csv.
    Simulate(simulate::Arguments),
    /// Vibration modes about the bowed equilibrium.
    Modes(modes::Arguments),
    /// State-space model (A, B, C, D) about the bowed equilibrium.
    Linearize(linearize::Arguments),
}

/// Runs a command of the spatial leg.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::Pretension(arguments) => pretension::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Modes(arguments) => modes::run(arguments),
        Command::Linearize(arguments) => linearize::run(arguments),
    }
}
