//! `softdock fmu`: legs, platform, dockings and mechanisms as FMUs, and FMUs of any origin looked at and simulated.

pub mod export;
mod inspect;
mod merge;
pub mod simulate;

use crate::failure::settle;
use crate::foreign::ForeignCode;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Arguments of `softdock fmu`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a leg, the platform, a docking or a mechanism as a co-simulation FMU.
    Export(export::Arguments),
    /// Combine FMUs of one model that were built on several platforms.
    Merge(merge::Arguments),
    /// Show what is in an FMU of any origin.
    Inspect(inspect::Arguments),
    /// Simulate a co-simulation FMU of any origin, and write its outputs to a table.
    Simulate(simulate::Arguments),
}

impl Arguments {
    /// The foreign code that the command runs, if it runs any: what is only looked at is not loaded.
    pub fn foreign(&self) -> Option<ForeignCode> {
        match &self.command {
            Command::Simulate(arguments) => Some(arguments.foreign()),
            Command::Export(_) | Command::Merge(_) | Command::Inspect(_) => None,
        }
    }
}

/// Runs an FMU command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Export(arguments) => export::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
    };
    settle(done)
}
