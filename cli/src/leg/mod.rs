//! `softdock leg`: one planar leg, bowed, moved, linearised, controlled.

mod equilibrium;
pub mod input;
mod linear;
mod linearize;
mod lqr;
mod modes;
mod pretension;
mod regulated;
mod scene;
mod simulate;

use crate::output::OutputError;
use crate::settings::SettingsError;
use anyhow::Result;
use clap::{Args, Subcommand};
use leg_core::leg::LegError;
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
    /// Vibration modes about the bowed equilibrium.
    Modes(modes::Arguments),
    /// State-space model (A, B, C, D) about the bowed equilibrium.
    Linearize(linearize::Arguments),
    /// Linear-quadratic regulator, tried on the nonlinear leg beside the open loop.
    Lqr(lqr::Arguments),
}

/// Exit status when the input was fine but the computation failed.
pub const FAILED: u8 = 1;
/// Exit status when somebody stopped the run.
pub const STOPPED: u8 = 130;

/// Runs a leg command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Pretension(arguments) => pretension::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Modes(arguments) => modes::run(arguments),
        Command::Linearize(arguments) => linearize::run(arguments),
        Command::Lqr(arguments) => lqr::run(arguments),
    };
    done.or_else(|error| {
        if is_input(&error) {
            return Err(error);
        }
        eprintln!("softdock: {error:#}");
        Ok(ExitCode::from(FAILED))
    })
}

/// True if other input would have avoided the error.
fn is_input(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let leg = cause.downcast_ref::<LegError>();
        leg.is_some_and(|leg| !matches!(leg, LegError::Kernel(_) | LegError::Stalled { .. }))
            || cause.is::<SettingsError>()
            || cause.is::<OutputError>()
            || cause.is::<BadInput>()
    })
}

/// Input that is neither settings nor output: a table, a combination of arguments.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(String);

impl BadInput {
    /// A complaint.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
