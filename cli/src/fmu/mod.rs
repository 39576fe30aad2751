//! `softdock fmu`: the leg as an FMU, and FMUs of any origin looked at and simulated.

mod export;
mod inspect;
mod merge;
mod simulate;

use crate::leg::BadInput;
use crate::output::OutputError;
use anyhow::Result;
use clap::{Args, Subcommand};
use softdock_fmu::import::ImportError;
use softdock_fmu::package::PackageError;
use std::process::ExitCode;

/// Arguments of `softdock fmu`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the leg as an FMU: FMI 2.0 co-simulation, for this platform.
    Export(export::Arguments),
    /// Combine FMUs of one model that were built on several platforms.
    Merge(merge::Arguments),
    /// Show what is in an FMU, whoever made it.
    Inspect(inspect::Arguments),
    /// Simulate a co-simulation FMU, whoever made it, and write its outputs to a table.
    Simulate(simulate::Arguments),
}

/// Exit status when the input was fine but the computation failed.
const FAILED: u8 = 1;

/// Runs an FMU command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Export(arguments) => export::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
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
        let import = cause.downcast_ref::<ImportError>();
        let package = cause.downcast_ref::<PackageError>();
        cause.is::<BadInput>()
            || cause.is::<OutputError>()
            || import.is_some_and(|import| {
                !matches!(
                    import,
                    ImportError::Refused { .. } | ImportError::Discarded { .. }
                )
            })
            || package.is_some_and(|package| {
                !matches!(package, PackageError::Archive(_) | PackageError::Write(_))
            })
    })
}
