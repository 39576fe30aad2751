//! How much of their working range the motors use.

use crate::PlatformConfig;
use crate::error::Result;
use leg_core::SpatialLegConfig;

/// Working range of a leg's motor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotorRange {
    /// Its middle, the crank angle of the pre-tensioned posture [rad].
    pub zero: f64,
    /// How far the crank may turn to either side [rad].
    pub reach: f64,
}

impl MotorRange {
    /// Those of all legs of a platform.
    pub fn of_legs(config: &PlatformConfig) -> Result<Vec<Self>> {
        let legs = config.leg_configs()?;
        let range = |leg: &SpatialLegConfig| Self {
            zero: leg.q1_rad,
            reach: leg.motor.range_rad,
        };
        Ok(legs.iter().map(range).collect())
    }

    /// Use of the range with the crank at `angle` [rad]: one at its ends [-].
    pub fn used_at(&self, angle: f64) -> f64 {
        (angle - self.zero).abs() / self.reach
    }
}
