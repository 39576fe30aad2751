//! How much of their working range the motors use.

use crate::PlatformConfig;
use crate::error::Result;
use leg_core::SpatialLegConfig;
use leg_core::config::EndStops;

/// Working range of a leg's motor.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MotorRange {
    /// Its middle, the crank angle of the pre-tensioned posture unless another is given [rad].
    pub zero: f64,
    /// How far the crank may turn to either side [rad].
    pub reach: f64,
    /// Stops at both ends push it back.
    pub stopped: bool,
}

impl MotorRange {
    /// Those of all legs of a platform.
    pub fn of_legs(config: &PlatformConfig) -> Result<Vec<Self>> {
        let legs = config.leg_configs()?;
        let range = |leg: &SpatialLegConfig| Self {
            zero: leg.motor_middle(),
            reach: leg.motor.range_rad,
            stopped: leg.motor.end_stops != EndStops::Off,
        };
        Ok(legs.iter().map(range).collect())
    }

    /// How far the crank may turn to either side before a result is in doubt [rad]: stops give way, but
    /// one that gives way by a quarter of the range is none.
    pub fn credible(&self) -> f64 {
        if self.stopped {
            1.25 * self.reach
        } else {
            self.reach
        }
    }

    /// Use of the range with the crank at `angle` [rad]: one at its ends [-].
    pub fn used_at(&self, angle: f64) -> f64 {
        (angle - self.zero).abs() / self.reach
    }
}
