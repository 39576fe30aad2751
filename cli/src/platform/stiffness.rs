//! `softdock platform stiffness`: the 6×6 stiffness of the end effector.

use super::start::{PlaceArgs, WrenchArgs};
use crate::command::{self, CommandArgs};
use anyhow::Result;
use softdock_platform::results::StiffnessResult;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
Motors held; about the end effector's centre, world axes: translations [m] and rotations [rad] to
forces [N] and moments [N·m]. Principal stiffnesses of translation are given with rotations held and
with rotations free, those of rotation with the centre held. The six eigenvalues are those of the
matrix with rotations measured as arc lengths at the spherical joints (length_m), all in N/m; their
condition number and the smallest of them tell how close the pose is to a singular one. The motors'
singular values tell the same of the way from motor angles to the wrench.
With --out, stiffness.json and config.toml are written to the folder.";

/// Arguments of `softdock platform stiffness`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    common: CommandArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::run(&arguments.common, |config| {
        let (mut platform, _) = arguments.place.equilibrium(config, &arguments.wrench)?;
        Ok(StiffnessResult::new(&mut platform)?.into())
    })
}
