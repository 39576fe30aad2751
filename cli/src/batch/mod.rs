//! `softdock batch`: thousands of dockings with varied inputs, on one machine or on many.
//!
//! The crate `softdock-study` samples, stores, merges and computes statistics; here a run becomes a
//! docking, and results become text, reports and links.

mod boundary;
mod design;
mod extend;
mod figures;
mod job;
mod merge;
mod progress;
mod rare;
pub mod report;
mod rerun;
mod results;
mod sample;
mod samples;
mod screen;
mod slurm;
mod stages;
mod start;
mod status;
pub mod study;
mod until;

pub use job::{Docking, scenario_of};
pub use study::{Changes, prepare};

use crate::failure::settle;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// What the help says below the options.
const STUDIES: &str = "\
A study is a TOML file: a base scenario, what varies and how it is sampled. Studies that come with
the program, by name:
  idss-envelope, misalignment-map, motor-stops, wide-ranges";

/// Arguments of `softdock batch`.
#[derive(Debug, clap::Args)]
#[command(after_help = STUDIES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a study, or one shard of it, or what is left of it.
    Run(start::Arguments),
    /// Says what the points of a study are, and runs nothing.
    Sample(sample::Arguments),
    /// Gives a study more runs; those that it has stay.
    Extend(extend::Arguments),
    /// Finds the probability of a rare event with far fewer runs than plain sampling.
    Rare(rare::Arguments),
    /// Finds where an event begins: a map over two or three inputs.
    Boundary(boundary::Arguments),
    /// Says how far a study is.
    Status(status::Arguments),
    /// Makes one study of several shards.
    Merge(merge::Arguments),
    /// Runs the worst runs again in full detail, each with its report.
    Rerun(rerun::Arguments),
    /// Writes report.html: probabilities, distributions, what drives the results, worst runs.
    Report(report::Arguments),
    /// Writes comparison.html: outcomes, curves and settings of two studies or more, side by side.
    Compare(report::compare::Arguments),
    /// Writes the scripts that run a study as a Slurm job array.
    Slurm(slurm::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    settle(match &arguments.command {
        Command::Run(arguments) => start::run(arguments),
        Command::Sample(arguments) => sample::run(arguments),
        Command::Rare(arguments) => rare::run(arguments),
        Command::Boundary(arguments) => boundary::run(arguments),
        Command::Extend(arguments) => extend::run(arguments),
        Command::Status(arguments) => status::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Rerun(arguments) => rerun::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Compare(arguments) => report::compare::run(arguments),
        Command::Slurm(arguments) => slurm::run(arguments),
    })
}
