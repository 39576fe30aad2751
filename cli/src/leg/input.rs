//! Input histories from a table.

use super::BadInput;
use anyhow::Result;
use leg_core::LegConfig;
use leg_core::config::{History, MotorMode, Shape};
use std::path::Path;

pub use crate::input_table::{InterpolationArgs, read};

/// Columns that a table may have beside the time.
pub const COLUMNS: [&str; 5] = [
    "crank_torque_nm",
    "link_torque_nm",
    "load_x_n",
    "load_y_n",
    "crank_angle_rad",
];

/// Reads a table with the time and any of [`COLUMNS`] and makes them the histories of
/// `config`.
pub fn apply(path: &Path, between: &InterpolationArgs, config: &mut LegConfig) -> Result<()> {
    let interpolation = between.interpolation();
    let table = read(path, &COLUMNS)?;
    for (name, values) in table.columns {
        let times_s = table.times.clone();
        let history = History::Shape(Shape::Table {
            times_s,
            values,
            interpolation,
        });
        let target = match name.as_str() {
            "crank_torque_nm" => &mut config.motor.torque_nm,
            "link_torque_nm" => &mut config.load.torque_nm,
            "load_x_n" => &mut config.load.force_x_n,
            "load_y_n" => &mut config.load.force_y_n,
            _ => {
                if !matches!(config.motor.mode, MotorMode::Angle | MotorMode::Hold) {
                    return Err(BadInput::new(needs_following(path, &name)).into());
                }
                if config.motor.mode == MotorMode::Angle {
                    between.check_smooth(&name)?;
                }
                &mut config.motor.angle_rad
            }
        };
        *target = history;
    }
    Ok(())
}

/// The complaint about a column of angles that no motor follows.
pub fn needs_following(path: &Path, column: &str) -> String {
    format!(
        "{}: {column} needs a motor that follows it: add --set motor.mode=angle or --set \
         motor.mode=hold",
        path.display()
    )
}
