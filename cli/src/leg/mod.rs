//! `softdock leg`: one leg, bowed, moved, linearised, controlled; planar, or spatial.

mod chapter4;
mod equilibrium;
pub mod input;
mod inverse;
mod linear;
mod linearize;
mod lqr;
mod modes;
mod motion;
mod pretension;
mod regulated;
mod scene;
mod simulate;
pub mod spatial;

use crate::failure::{BadInput, settle};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Arguments of `softdock leg`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bow the leaf and report shape, tension, reactions and holding torques.
    Pretension(pretension::Arguments),
    /// Release, hold or drive the leg and write its motion to leg.csv.
    Simulate(simulate::Arguments),
    /// Torques and reactions over a prescribed motion of crank and upper link, for sizing motors.
    Inverse(inverse::Arguments),
    /// Vibration modes about the bowed equilibrium.
    Modes(modes::Arguments),
    /// State-space model (A, B, C, D) about the bowed equilibrium.
    Linearize(linearize::Arguments),
    /// Linear-quadratic regulator, tried on the nonlinear leg beside the open loop.
    Lqr(lqr::Arguments),
    /// The leg in space, R-U-S as on the platform: pretension, simulate, modes, linearize.
    Spatial(spatial::Arguments),
}

/// Runs a leg command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Pretension(arguments) => pretension::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Inverse(arguments) => inverse::run(arguments),
        Command::Modes(arguments) => modes::run(arguments),
        Command::Linearize(arguments) => linearize::run(arguments),
        Command::Lqr(arguments) => lqr::run(arguments),
        Command::Spatial(arguments) => spatial::run(arguments),
    };
    settle(done)
}
