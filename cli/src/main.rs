//! The `softdock` program.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod batch;
mod bench;
mod dock;
mod failure;
mod figures;
mod fmu;
mod foreign;
mod input_file;
mod leg;
mod legs;
mod output;
mod platform;
mod run;
mod schema;
mod settings;
mod summary;
mod supervise;
mod verify;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulation of soft docking platforms with flexible legs.
#[derive(Debug, Parser)]
#[command(name = "softdock", version, about, propagate_version = true, after_help = failure::EXIT_STATUS)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, made once")]
enum Command {
    /// Let a target dock at a wrong angle, and report what happens.
    Dock(dock::Arguments),
    /// Run thousands of dockings with varied inputs: run, status, merge, rerun, report, slurm.
    Batch(batch::Arguments),
    /// List the figures of a docking: key, unit and meaning.
    Figures(figures::Arguments),
    /// Run the validation cases and print reference, ours and error of each.
    Verify(verify::Arguments),
    /// Measure speed: simulated time against wall time, in one run on this machine.
    Bench(bench::Arguments),
    /// Bow, move, linearise and control a single leg, planar or spatial.
    Leg(leg::Arguments),
    /// Write the leg as an FMU; look at and simulate FMUs of any origin.
    Fmu(fmu::Arguments),
    /// Print every setting: as a JSON schema for editors, or as a table to read.
    Schema(schema::Arguments),
    /// The platform: kinetostatics, stiffness, workspace, motion, control.
    Platform(platform::Arguments),
}

/// Exit status when a command could not do its work.
const TROUBLE: u8 = 2;

impl Command {
    /// The foreign code that the command loads, if it loads any.
    fn foreign(&self) -> Option<foreign::ForeignCode> {
        match self {
            Self::Dock(arguments) => arguments.foreign(),
            Self::Fmu(arguments) => arguments.foreign(),
            Self::Platform(arguments) => arguments.foreign(),
            // FMUs that these load are this program's own.
            Self::Batch(_)
            | Self::Figures(_)
            | Self::Verify(_)
            | Self::Bench(_)
            | Self::Leg(_)
            | Self::Schema(_) => None,
        }
    }

    fn run(&self) -> ExitCode {
        let done = match self {
            Self::Dock(arguments) => dock::run(arguments),
            Self::Batch(arguments) => batch::run(arguments),
            Self::Figures(arguments) => figures::run(arguments),
            Self::Verify(arguments) => verify::run(arguments),
            Self::Bench(arguments) => bench::run(arguments),
            Self::Leg(arguments) => leg::run(arguments),
            Self::Fmu(arguments) => fmu::run(arguments),
            Self::Platform(arguments) => platform::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
        };
        done.unwrap_or_else(|error| {
            output::complain(&error);
            ExitCode::from(TROUBLE)
        })
    }
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    supervise::run(command.foreign(), || command.run())
}
