//! The platform: legs coupled through the spherical joints of the end effector.

pub mod body;
pub mod config;
pub mod error;
pub mod statics;

pub use config::PlatformConfig;
pub use error::{PlatformError, Result};
