//! The equilibrium that a command starts from: motors or pose, and a wrench.

use super::lists::{Numbers, three};
use anyhow::Result;
use multibody::group::{Group, Se3};
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::statics::{Found, StaticPlatform, StaticSettings, Target};

/// A force and a moment on the end effector's centre.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct WrenchArgs {
    /// Force on the end effector's centre, world axes [N]
    #[arg(
        long,
        value_name = "FX,FY,FZ",
        default_value = "0,0,0",
        allow_hyphen_values = true,
        value_parser = three
    )]
    pub force: [f64; 3],
    /// Moment on the end effector, world axes [N·m]
    #[arg(
        long,
        value_name = "MX,MY,MZ",
        default_value = "0,0,0",
        allow_hyphen_values = true,
        value_parser = three
    )]
    pub moment: [f64; 3],
}

/// Where the platform is: given by its motors, or by its pose.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PlaceArgs {
    /// Motor angles [rad]; the nominal ones if left out
    #[arg(
        long,
        value_name = "A,B,...",
        allow_hyphen_values = true,
        value_parser = Numbers::parse,
        conflicts_with_all = ["position", "attitude_rad"]
    )]
    pub motor_rad: Option<Numbers>,
    /// Position of the end effector's centre [m] instead of motor angles
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three)]
    pub position: Option<[f64; 3]>,
    /// Its pitch (about x), yaw (about y) and roll (about z) [rad]; with --position
    #[arg(
        long,
        value_name = "PITCH,YAW,ROLL",
        allow_hyphen_values = true,
        value_parser = attitude,
        requires = "position"
    )]
    pub attitude_rad: Option<Attitude>,
    #[command(flatten)]
    pub renamed: RenamedArgs,
}

/// The attitude of the end effector.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct AttitudeArgs {
    /// Its pitch (about x), yaw (about y) and roll (about z) [rad]
    #[arg(
        long,
        value_name = "PITCH,YAW,ROLL",
        default_value = "0,0,0",
        allow_hyphen_values = true,
        value_parser = attitude
    )]
    pub attitude_rad: Attitude,
    #[command(flatten)]
    renamed: RenamedArgs,
}

/// The name that --attitude-rad had: refused with the new one.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RenamedArgs {
    #[arg(long, hide = true, allow_hyphen_values = true, value_parser = renamed)]
    rpy_rad: Option<String>,
}

fn renamed(_: &str) -> Result<String, String> {
    Err(
        "it is now --attitude-rad PITCH,YAW,ROLL: the same three numbers, about x, y and z, \
         under the names that dockings use"
            .to_owned(),
    )
}

/// Pitch, yaw and roll [rad] from an argument.
pub fn attitude(text: &str) -> Result<Attitude, String> {
    three(text).map(Attitude::from)
}

/// A pose from position [m] and attitude.
pub fn pose(position: [f64; 3], attitude: Attitude) -> Se3 {
    Se3::from_parts(position.into(), attitude.rotation())
}

/// Equilibrium with the motors at `motors` (nominal if none) under a wrench.
pub fn forward(
    config: &PlatformConfig,
    motors: Option<&[f64]>,
    wrench: &WrenchArgs,
) -> Result<(StaticPlatform, Found)> {
    let mut platform = StaticPlatform::nominal(config)?;
    let motors = motors.map_or_else(|| platform.motors().to_vec(), <[f64]>::to_vec);
    let target = Target {
        pose: None,
        motors: Some(motors),
        force: wrench.force.into(),
        moment: wrench.moment.into(),
    };
    let found = platform.follow(&target, &StaticSettings::default())?;
    Ok((platform, found))
}

/// Equilibrium at a pose under a wrench.
pub fn inverse(
    config: &PlatformConfig,
    pose: Se3,
    wrench: &WrenchArgs,
) -> Result<(StaticPlatform, Found)> {
    let mut platform = StaticPlatform::nominal(config)?;
    let target = Target {
        pose: Some(pose),
        motors: None,
        force: wrench.force.into(),
        moment: wrench.moment.into(),
    };
    let found = platform.follow(&target, &StaticSettings::default())?;
    Ok((platform, found))
}

impl PlaceArgs {
    /// The equilibrium described.
    pub fn equilibrium(
        &self,
        config: &PlatformConfig,
        wrench: &WrenchArgs,
    ) -> Result<(StaticPlatform, Found)> {
        match (self.position, &self.motor_rad) {
            (Some(position), _) => {
                let attitude = self.attitude_rad.unwrap_or_default();
                inverse(config, pose(position, attitude), wrench)
            }
            (None, motors) => forward(config, motors.as_ref().map(|m| m.0.as_slice()), wrench),
        }
    }
}
