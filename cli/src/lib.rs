//! The `softdock` program: its commands ([`main`]), and what they compute for other programs
//! ([`library`]), such as the Python package.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod batch;
mod bench;
mod command;
mod dock;
mod failure;
mod figures;
mod fmu;
mod foreign;
mod init;
mod input_file;
mod input_table;
mod inverse;
mod kind;
mod leg;
mod legs;
pub mod library;
mod mechanism;
mod output;
mod platform;
mod run;
mod schema;
mod settings;
mod shell;
mod ssp;
mod summary;
mod supervise;
mod time_series;
mod verify;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulation of soft docking platforms with flexible legs.
#[derive(Debug, Parser)]
#[command(name = "softdock", version, about, propagate_version = true, after_help = failure::EXIT_STATUS)]
struct Arguments {
    /// Prints no summary and no progress; errors, and what --json prints, remain
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Messages"
    )]
    quiet: bool,
    /// Says on standard error what is done, and how long it takes
    #[arg(long, short, global = true, help_heading = "Messages")]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, made once")]
enum Command {
    /// Let a target dock at a wrong angle, and report what happens.
    Dock(dock::Arguments),
    /// Run thousands of dockings with varied inputs: sample, run, extend, rare, boundary, report, slurm.
    Batch(batch::Arguments),
    /// List the figures of a docking: key, unit and meaning.
    Figures(figures::Arguments),
    /// Run the validation cases and print reference, ours and error of each.
    Verify(verify::Arguments),
    /// Measure speed: simulated time against wall time, in one run on this machine.
    Bench(bench::Arguments),
    /// Bow, move, linearise and control a single leg, planar or spatial.
    Leg(leg::Arguments),
    /// Mechanisms from text files: simulate, statics, modes, inverse, linearize, check, list.
    Mechanism(mechanism::Arguments),
    /// Write the leg as an FMU; look at and simulate FMUs of any origin.
    Fmu(fmu::Arguments),
    /// Write legs and end effector as one system of FMUs (SSP) for other masters.
    Ssp(ssp::Arguments),
    /// Print every setting: as a JSON schema for editors, or as a table to read.
    Schema(schema::Arguments),
    /// Write a commented scenario, study or mechanism to start from.
    Init(init::Arguments),
    /// Print what completes commands and options in a shell.
    Completions(shell::CompletionArguments),
    /// Write the manual: a page for each command.
    Man(shell::ManArguments),
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
            | Self::Mechanism(_)
            | Self::Ssp(_)
            | Self::Init(_)
            | Self::Completions(_)
            | Self::Man(_)
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
            Self::Mechanism(arguments) => mechanism::run(arguments),
            Self::Fmu(arguments) => fmu::run(arguments),
            Self::Ssp(arguments) => ssp::run(arguments),
            Self::Platform(arguments) => platform::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::Init(arguments) => init::run(arguments),
            Self::Completions(arguments) => shell::completions(arguments),
            Self::Man(arguments) => shell::man(arguments),
        };
        done.unwrap_or_else(|error| {
            output::print_error(&error);
            ExitCode::from(TROUBLE)
        })
    }
}

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let Arguments {
        quiet,
        verbose,
        command,
    } = Arguments::parse();
    output::speak(quiet, verbose);
    supervise::run(command.foreign(), || command.run())
}
