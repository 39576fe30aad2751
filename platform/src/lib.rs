//! The platform: legs coupled through the spherical joints of the end effector.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod body;
pub mod config;
pub mod cosimulation;
pub mod error;
pub mod hub;
pub mod loaded_fmu;
pub mod monolithic;
pub mod native;
pub mod native_unit;
pub mod scheme;
pub mod statics;
pub mod threads;
pub mod unit;
pub mod wrench;

pub use config::PlatformConfig;
pub use error::{PlatformError, Result};
pub use scheme::Scheme;
pub use unit::LegUnit;
