//! `softdock platform forward` and `inverse`: kinetostatics.

use super::inverse_motion;
use super::lists::{Numbers, three};
use super::start::{self, AttitudeArgs, WrenchArgs};
use crate::command::{self, CommandArgs};
use anyhow::Result;
use softdock_platform::PlatformConfig;
use softdock_platform::results::{EquilibriumResult, LoadCurveResult};
use softdock_platform::statics::{CurveSettings, Target};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The wrench acts at the end effector's centre, in world axes; R = Rz(roll)·Ry(yaw)·Rx(pitch). The
equilibrium is followed on a straight path from the nominal pose (end_effector.position_m, motors at
legs.q1_rad) to what is asked for; if the path ends before, the message says where and why, and the
exit status is 2. `stable`: with the motors held the equilibrium is a minimum of the energy.
With --out, equilibrium.json and config.toml are written to the folder.";

/// The same of `inverse`.
const INVERSE_HELP: &str = "\
The wrench acts at the end effector's centre, in world axes; R = Rz(roll)·Ry(yaw)·Rx(pitch). The
equilibrium is followed on a straight path from the nominal pose (end_effector.position_m, motors at
legs.q1_rad) to what is asked for; if the path ends before, the message says where and why, and the
exit status is 2. `stable`: with the motors held the equilibrium is a minimum of the energy.
With --out, equilibrium.json and config.toml are written to the folder.

With --motion the rows of the table are joined by a cubic spline that is at rest at both ends. The motors'
angles hold the end effector under its inertia and the wrench all along it; then the platform moves with these
angles prescribed (steps solver.step_s), and torques, rates and powers are those of that run, legs, dampers and
all. How far the end effector strays from the path is told. With --out, inverse.json and inverse.csv are
written: for each motor motor_1_angle_rad, motor_1_rate_rad_per_s, motor_1_torque_nm, and motor_1_holding_nm,
which would hold it at rest under the same loads.";

/// Arguments of `softdock platform forward`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct ForwardArguments {
    /// Motor angles [rad]; the nominal ones if left out
    #[arg(
        long,
        value_name = "A,B,...",
        allow_hyphen_values = true,
        value_parser = Numbers::parse
    )]
    motor_rad: Option<Numbers>,
    #[command(flatten)]
    wrench: WrenchArgs,
    /// Follows the load curve from the unloaded equilibrium toward the wrench, past limit points,
    /// instead of stopping there; with --out, curve.csv is written
    #[arg(long)]
    curve: bool,
    #[command(flatten)]
    common: CommandArgs,
}

/// Arguments of `softdock platform inverse`.
#[derive(Debug, clap::Args)]
#[command(after_help = INVERSE_HELP)]
pub struct InverseArguments {
    /// Position of the end effector's centre [m]
    #[arg(
        long,
        value_name = "X,Y,Z",
        allow_hyphen_values = true,
        value_parser = three,
        required_unless_present = "motion"
    )]
    position: Option<[f64; 3]>,
    /// Table of a motion: a column time_s and any of x_m, y_m, z_m, pitch_rad, yaw_rad, roll_rad of the end
    /// effector (those left out stay nominal), and force_x_n, ..., moment_z_nm on it
    #[arg(
        long,
        value_name = "FILE.csv",
        conflicts_with_all = ["position", "attitude_rad", "force", "moment"]
    )]
    motion: Option<PathBuf>,
    #[command(flatten)]
    attitude: AttitudeArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    common: CommandArgs,
}

/// Runs `forward`.
pub fn forward(arguments: &ForwardArguments) -> Result<ExitCode> {
    if arguments.curve {
        return command::run(&arguments.common, |config| {
            Ok(curve(arguments, config)?.into())
        });
    }
    command::run(&arguments.common, |config| {
        let motors = arguments.motor_rad.as_ref().map(|m| m.0.as_slice());
        let (mut platform, found) = start::forward(config, motors, &arguments.wrench)?;
        Ok(EquilibriumResult::new("Pose of the platform", &mut platform, &found)?.into())
    })
}

/// Runs `inverse`.
pub fn inverse(arguments: &InverseArguments) -> Result<ExitCode> {
    if let Some(motion) = &arguments.motion {
        return command::run(&arguments.common, |config| {
            Ok(inverse_motion::compute(config, motion)?.into())
        });
    }
    command::run(&arguments.common, |config| {
        let position = arguments.position.unwrap_or_default();
        let pose = start::pose(position, arguments.attitude.attitude_rad);
        let (mut platform, found) = start::inverse(config, pose, &arguments.wrench)?;
        let title = "Motor angles of the platform";
        Ok(EquilibriumResult::new(title, &mut platform, &found)?.into())
    })
}

fn curve(arguments: &ForwardArguments, config: &PlatformConfig) -> Result<LoadCurveResult> {
    let motors = arguments.motor_rad.as_ref().map(|m| m.0.as_slice());
    let (mut platform, _) = start::forward(config, motors, &WrenchArgs::default())?;
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: arguments.wrench.force.into(),
        moment: arguments.wrench.moment.into(),
    };
    let curve = platform.load_curve(&target, &CurveSettings::default())?;
    Ok(LoadCurveResult::from(&curve))
}
