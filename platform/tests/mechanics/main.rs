//! The platform's mechanics: statics, the coupling schemes, their limits.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod conservation;
mod control;
mod cosimulation;
mod intervals;
mod limits;
mod maps;
mod saved;
mod statics;
mod whole;
mod winches;

use multibody::model::Signal;
use softdock_platform::PlatformConfig;
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::wrench::WrenchHistory;

/// The platform in equilibrium with its motors at their nominal angles and no wrench.
pub fn free_equilibrium(config: &PlatformConfig) -> StaticPlatform {
    let mut platform = StaticPlatform::nominal(config).unwrap();
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: Default::default(),
        moment: Default::default(),
    };
    platform
        .follow(&target, &StaticSettings::default())
        .unwrap();
    platform
}

/// The shipped configuration with round rods.
pub fn dfki_rods() -> PlatformConfig {
    toml::from_str(include_str!("../../../scenarios/dfki-rods.toml")).unwrap()
}

/// A wrench from the start to `duration` [s].
pub fn push(wrench: [f64; 6], duration: f64) -> WrenchHistory {
    let signal = |before: f64| Signal::Step {
        time: duration,
        before,
        after: 0.0,
    };
    WrenchHistory(wrench.map(signal))
}

/// 20 N off-axis: askew, its line of action beside the centre.
pub const PUSH: [f64; 6] = [6.0, -8.0, -17.320508, 1.5, 0.8, -0.6];
/// How long it lasts [s].
pub const PUSH_TIME: f64 = 0.05;
