//! Motors under a regulator while a target docks.
//!
//! The regulator ([`crate::regulator`]) samples the platform's true state at the times k h, h its
//! period, and holds its torques in between; every sample time is the end of a time step. It is
//! designed about the platform at rest with nothing touching it, and knows of contact and captured
//! target only by what they do to the platform.

use super::config::{Scenario, within};
use crate::config::{Coupling, PlatformConfig};
use crate::error::{PlatformError, Result};
use crate::monolithic::{Advance, Platform};
use crate::regulator::{Regulator, RegulatorSettings};
use crate::statics::StaticPlatform;
use leg_core::leg::ConfigError;
use leg_core::leg::config::{History, MotorMode};
use serde::{Deserialize, Serialize};

/// The regulator of the end effector's pose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegulatorConfig {
    /// It sets the torques of the motors.
    pub active: bool,
    /// Weight of the position [1/m²].
    pub position_weight_per_m2: f64,
    /// Weight of the rotation [1/rad²].
    pub rotation_weight_per_rad2: f64,
    /// Weight of the velocity [s²/m²].
    pub velocity_weight_s2_per_m2: f64,
    /// Weight of the spin [s²/rad²].
    pub spin_weight_s2_per_rad2: f64,
    /// Weight of the torques [1/(N·m)²].
    pub effort_weight_per_n2_m2: f64,
    /// Modes below this frequency are regulated [Hz].
    pub cutoff_hz: f64,
    /// Sampling period [s].
    pub period_s: f64,
}

impl Default for RegulatorConfig {
    fn default() -> Self {
        let settings = RegulatorSettings::default();
        Self {
            active: false,
            position_weight_per_m2: settings.position,
            rotation_weight_per_rad2: settings.rotation,
            velocity_weight_s2_per_m2: settings.velocity,
            spin_weight_s2_per_rad2: settings.spin,
            effort_weight_per_n2_m2: settings.effort,
            cutoff_hz: settings.cutoff_hz,
            period_s: settings.period_s,
        }
    }
}

impl RegulatorConfig {
    /// Checks every value, whether the regulator is active or not.
    pub fn validate(&self) -> core::result::Result<(), ConfigError> {
        let weights = [
            (
                "regulator.position_weight_per_m2",
                self.position_weight_per_m2,
            ),
            (
                "regulator.rotation_weight_per_rad2",
                self.rotation_weight_per_rad2,
            ),
            (
                "regulator.velocity_weight_s2_per_m2",
                self.velocity_weight_s2_per_m2,
            ),
            (
                "regulator.spin_weight_s2_per_rad2",
                self.spin_weight_s2_per_rad2,
            ),
        ];
        for (key, value) in weights {
            within(key, value, (0.0, 1e12), "in [0, 1e12]")?;
        }
        let effort = self.effort_weight_per_n2_m2;
        let key = "regulator.effort_weight_per_n2_m2";
        within(key, effort, (1e-9, 1e12), "in [1e-9, 1e12] 1/(N·m)²")?;
        let cutoff = self.cutoff_hz;
        let allowed = "in [0.01, 10000] Hz";
        within("regulator.cutoff_hz", cutoff, (1e-2, 1e4), allowed)?;
        let period = self.period_s;
        within("regulator.period_s", period, (1e-5, 1.0), "in [1e-5, 1] s")
    }

    /// Refuses a platform that an active regulator cannot work with.
    pub(super) fn check_platform(&self, platform: &PlatformConfig) -> Result<()> {
        if !self.active {
            return Ok(());
        }
        if platform.coupling != Coupling::Monolithic {
            return conflict(
                "coupling",
                word(platform.coupling),
                "it reads the inner state of the legs, which only coupling = \"monolithic\" knows",
            );
        }
        if platform.base.free_floating {
            return conflict(
                "base.free_floating",
                word(true),
                "it holds the pose in the world, where nothing holds a floating base",
            );
        }
        let motor = &platform.motor;
        if motor.mode != MotorMode::Torque {
            return conflict(
                "motor.mode",
                word(motor.mode),
                "it sets the torques of motors that turn freely (motor.mode = \"torque\")",
            );
        }
        if motor.torque_nm != History::Constant(0.0) {
            let given = word(&motor.torque_nm);
            return conflict("motor.torque_nm", given, "it sets the torques itself");
        }
        let other = platform
            .leg_configs()?
            .iter()
            .position(|leg| leg.motor != *motor);
        other.map_or(Ok(()), |leg| {
            let given = format!("(motor of leg {})", leg + 1);
            conflict("legs.different", given, "its motors must all be alike")
        })
    }

    fn settings(&self) -> RegulatorSettings {
        RegulatorSettings {
            position: self.position_weight_per_m2,
            rotation: self.rotation_weight_per_rad2,
            velocity: self.velocity_weight_s2_per_m2,
            spin: self.spin_weight_s2_per_rad2,
            effort: self.effort_weight_per_n2_m2,
            cutoff_hz: self.cutoff_hz,
            period_s: self.period_s,
        }
    }
}

fn conflict(key: &'static str, value: String, problem: impl Into<String>) -> Result<()> {
    Err(PlatformError::RegulatorConflict {
        key,
        value,
        problem: problem.into(),
    })
}

/// A value as a configuration file has it.
fn word(value: impl Serialize) -> String {
    toml::Value::try_from(value).map_or_else(|_| String::new(), |value| value.to_string())
}

/// Times that differ by less than this part of a period are the same.
const SAME_TIME: f64 = 1e-6;

/// A regulator at work on a docking platform.
#[derive(Debug)]
pub(super) struct Control {
    regulator: Regulator,
    period: f64,
    /// Samples taken.
    samples: u64,
}

impl Control {
    /// The regulator of a scenario about `equilibrium`, if it is active.
    pub fn new(scenario: &Scenario, equilibrium: &StaticPlatform) -> Result<Option<Self>> {
        let config = &scenario.docking.regulator;
        if !config.active {
            return Ok(None);
        }
        let regulator =
            Regulator::new(equilibrium, &config.settings()).map_err(|error| match error {
                PlatformError::Kernel(cause) => PlatformError::NoRegulator { cause },
                other => other,
            })?;
        let (needed, limit) = (regulator.holding.amax(), regulator.limit);
        if needed > limit {
            let problem = format!("the motors need {needed:.3} N·m to hold the platform at rest");
            conflict("motor.torque_limit_nm", word(limit), problem)?;
        }
        Ok(Some(Self {
            regulator,
            period: config.period_s,
            samples: 0,
        }))
    }

    /// When the next sample is due [s].
    fn due(&self) -> f64 {
        self.samples as f64 * self.period
    }

    /// [`Platform::advance_observed`] with new torques at every sample time before `end`.
    pub fn advance(
        &mut self,
        platform: &mut Platform,
        end: f64,
        mut observe: impl FnMut(&Platform) + Send,
    ) -> Result<Advance> {
        let same = SAME_TIME * self.period;
        let mut out = Advance::default();
        loop {
            if platform.time() >= self.due() - same {
                let torques = self.regulator.torques(platform)?;
                self.regulator.apply(platform, &torques);
                self.samples += 1;
            }
            let last = self.due() >= end - same;
            let stop = if last { end } else { self.due() };
            let done = platform.advance_observed(stop, &mut observe)?;
            out.steps += done.steps;
            out.rejected += done.rejected;
            out.iterations += done.iterations;
            if last {
                return Ok(out);
            }
        }
    }
}
