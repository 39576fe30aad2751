//! `softdock platform`: the legs together, in equilibrium, in motion, under control.

mod equilibrium;
mod inverse_motion;
mod linearize;
mod lists;
mod lqr;
mod simulate;
mod start;
mod stiffness;
mod workspace;

use crate::failure::settle;
use crate::foreign::ForeignCode;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Arguments of `softdock platform`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Motor angles and wrench to pose: where the end effector is in equilibrium.
    Forward(equilibrium::ForwardArguments),
    /// Pose and wrench to motor angles; with --motion a path to angles, rates and torques of the motors.
    Inverse(equilibrium::InverseArguments),
    /// Stiffness of the end effector at a pose, its eigenvalues, closeness to singular.
    Stiffness(stiffness::Arguments),
    /// Push, drive and release the platform and write its motion to platform.csv.
    Simulate(simulate::Arguments),
    /// State-space model (A, B, C, D) of the whole platform about an equilibrium.
    Linearize(linearize::Arguments),
    /// Linear-quadratic regulator of the pose, tried on the nonlinear platform.
    Lqr(lqr::Arguments),
    /// Try a grid of poses: reachable or not and why, motor angles, stiffness, strokes.
    Workspace(workspace::Arguments),
}

impl Arguments {
    /// The foreign code that the command loads, if it loads any.
    pub fn foreign(&self) -> Option<ForeignCode> {
        match &self.command {
            Command::Simulate(arguments) => arguments.foreign(),
            _ => None,
        }
    }
}

/// Runs a platform command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Forward(arguments) => equilibrium::forward(arguments),
        Command::Inverse(arguments) => equilibrium::inverse(arguments),
        Command::Stiffness(arguments) => stiffness::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Linearize(arguments) => linearize::run(arguments),
        Command::Lqr(arguments) => lqr::run(arguments),
        Command::Workspace(arguments) => workspace::run(arguments),
    };
    settle(done)
}
