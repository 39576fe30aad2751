//! Histories of wrench, motors and winches from a table.

use crate::failure::BadInput;
use crate::input_table::{self, InterpolationArgs};
use anyhow::Result;
use leg_core::config::MotorMode;
use multibody::model::Signal;
use softdock_platform::PlatformConfig;
use std::path::Path;

/// Columns of the wrench.
const WRENCH: [&str; 6] = [
    "force_x_n",
    "force_y_n",
    "force_z_n",
    "moment_x_nm",
    "moment_y_nm",
    "moment_z_nm",
];

/// Histories that a table gives; the others are those of the settings.
#[derive(Debug, Clone, Default)]
pub struct Histories {
    /// Force, then moment.
    pub wrench: [Option<Signal>; 6],
    /// Torque and angle of each motor, relative to the start.
    pub motors: Vec<(Option<Signal>, Option<Signal>)>,
    /// Pull of each tendon's winch.
    pub winches: Vec<Option<Signal>>,
}

impl Histories {
    /// Reads a table with a column `time_s`.
    pub fn read(path: &Path, between: &InterpolationArgs, config: &PlatformConfig) -> Result<Self> {
        let legs = config.leg_count();
        let motor = |leg: usize, what: &str| format!("motor_{leg}_{what}");
        let mut names: Vec<String> = WRENCH.map(str::to_owned).to_vec();
        names.extend((1..=legs).map(|leg| motor(leg, "angle_rad")));
        names.extend((1..=legs).map(|leg| motor(leg, "torque_nm")));
        names.extend((1..=legs).map(|leg| format!("tendon_{leg}_force_n")));
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = input_table::read(path, &known)?;
        let mut out = Self {
            motors: vec![(None, None); legs],
            winches: vec![None; legs],
            ..Self::default()
        };
        for (name, values) in table.columns {
            let signal = Some(Signal::Table {
                times: table.times.clone(),
                values,
                interpolation: between.interpolation(),
            });
            let Some(index) = names.iter().position(|known| *known == name) else {
                continue;
            };
            match index {
                0..6 => out.wrench[index] = signal,
                _ if index < 6 + legs => {
                    if !matches!(config.motor.mode, MotorMode::Angle | MotorMode::Hold) {
                        let message = format!(
                            "{}: {name} needs motors that follow it: add --set motor.mode=angle \
                             or --set motor.mode=hold",
                            path.display()
                        );
                        return Err(BadInput::new(message).into());
                    }
                    if config.motor.mode == MotorMode::Angle {
                        between.check_smooth(&name)?;
                    }
                    out.motors[index - 6].1 = signal;
                }
                _ if index < 6 + 2 * legs => out.motors[index - 6 - legs].0 = signal,
                _ => out.winches[index - 6 - 2 * legs] = signal,
            }
        }
        Ok(out)
    }
}
