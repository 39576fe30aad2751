//! The configurations that can be read from files and arguments.

use super::{Parameter, Refused, Settings};
use crate::leg::spatial::config::{SpatialSettings, Tip};
use leg_core::{ConfigError, LegConfig, LegError, SpatialLegConfig};
use softdock_docking::{DockingError, Scenario};
use softdock_platform::{PlatformConfig, PlatformError};
use softdock_settings::Table;

fn refused(key: &str, error: impl std::fmt::Display) -> Refused {
    Refused {
        key: key.to_owned(),
        message: error.to_string(),
    }
}

fn outside(error: ConfigError) -> Refused {
    refused(error.key, &error)
}

impl Settings for LegConfig {
    fn rows() -> Vec<&'static Parameter> {
        Self::parameters()
    }

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(outside)
    }
}

impl Settings for SpatialSettings {
    fn rows() -> Vec<&'static Parameter> {
        let mut rows = SpatialLegConfig::parameters();
        Tip::collect(&mut rows);
        rows
    }

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(outside)?;
        match self.tip.objection() {
            Some((key, message)) => Err(refused(key, message)),
            None => Ok(()),
        }
    }
}

/// Names and texts of files in the folder `scenarios`.
macro_rules! shipped {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../scenarios/", $name, ".toml")))),*]
    };
}

impl Settings for PlatformConfig {
    fn shipped() -> &'static [(&'static str, &'static str)] {
        shipped!["pacoma", "dfki-rods"]
    }

    fn rows() -> Vec<&'static Parameter> {
        Self::parameters()
    }

    fn check(&self) -> Result<(), Refused> {
        self.validate()
            .map_err(|error| refused(platform_key(&error), &error))
    }
}

impl Settings for Scenario {
    fn kind_of_file() -> &'static str {
        "scenario"
    }

    fn shipped() -> &'static [(&'static str, &'static str)] {
        shipped![
            "default",
            "aligned",
            "lateral-50mm",
            "idss-corner",
            "gravity-bench",
            "free-floating-pair",
            "motors-locked",
            "motors-hold",
            "motors-lqr",
            "motors-impedance",
            "flexible-target",
            "idss-ring"
        ]
    }

    fn unnamed() -> Option<&'static str> {
        Some("default")
    }

    fn rows() -> Vec<&'static Parameter> {
        Self::parameters()
    }

    fn check(&self) -> Result<(), Refused> {
        self.validate().map_err(|error| {
            let key = match &error {
                DockingError::TooMuch { key, .. } | DockingError::RegulatorConflict { key, .. } => {
                    key
                }
                DockingError::Requirement(_) => "requirement",
                DockingError::Platform(error) => platform_key(error),
                DockingError::NoController => "regulator.law",
                DockingError::NoRegulator { .. }
                | DockingError::Controller { .. }
                | DockingError::NotMonolithic
                | DockingError::NoWinch { .. }
                | DockingError::NoApproach { .. } => "",
            };
            refused(key, &error)
        })
    }
}

/// The key that an error is about.
fn platform_key(error: &PlatformError) -> &str {
    match error {
        PlatformError::Config(error) => error.key,
        PlatformError::Leg {
            cause: LegError::Config(error),
            ..
        } => match error.key {
            "solver.elements" => "legs.elements",
            "q1_rad" => "legs.q1_rad",
            key => key,
        },
        PlatformError::Difference { .. } | PlatformError::NoSuchLeg { .. } => "legs.different",
        _ => "",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
