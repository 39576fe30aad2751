//! The `softdock` program.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod batch;
mod bench;
mod dock;
mod failure;
mod fmu;
mod input_file;
mod leg;
mod legs;
mod output;
mod platform;
mod run;
mod settings;
mod summary;
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
enum Command {
    /// Let a target dock at a wrong angle, and report what happens.
    Dock(dock::Arguments),
    /// Run thousands of dockings with varied inputs: run, status, merge, rerun, report, slurm.
    Batch(batch::Arguments),
    /// Run the validation cases and print reference, ours and error of each.
    Verify(verify::Arguments),
    /// Measure speed: simulated time against wall time, in one run on this machine.
    Bench(bench::Arguments),
    /// Bow, move, linearise and control a single leg, planar or spatial.
    Leg(leg::Arguments),
    /// Write the leg as an FMU; look at and simulate FMUs of any origin.
    Fmu(fmu::Arguments),
    /// The platform: kinetostatics, stiffness, workspace, motion, control.
    Platform(platform::Arguments),
}

/// Exit status when a command could not do its work.
const TROUBLE: u8 = 2;

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let done = match command {
        Command::Dock(arguments) => dock::run(&arguments),
        Command::Batch(arguments) => batch::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Leg(arguments) => leg::run(&arguments),
        Command::Fmu(arguments) => fmu::run(&arguments),
        Command::Platform(arguments) => platform::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("softdock: {error:#}");
        ExitCode::from(TROUBLE)
    })
}
