//! The platform: legs coupled through the spherical joints of the end effector.
//!
//! ```
//! use softdock_platform::PlatformConfig;
//! use softdock_platform::statics::StaticPlatform;
//!
//! let mut config = PlatformConfig::default();
//! config.legs.elements = 6;
//! let platform = StaticPlatform::nominal(&config)?;
//! // Stiff along the docking axis, where the tendons act, and soft across it.
//! let stiffness = platform.stiffness();
//! assert!(stiffness[(2, 2)] > 30.0 * stiffness[(0, 0)]);
//! # Ok::<(), softdock_platform::PlatformError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod actuation;
pub mod appendage;
pub mod attitude;
pub mod audit;
pub mod bodies;
pub mod body;
pub mod config;
pub mod contact;
pub mod cosimulation;
pub mod encounter;
pub mod error;
pub mod estimator;
pub mod interface;
pub mod leg;
pub mod leg_regulator;
pub mod linear_model;
pub mod monolithic;
pub mod motor_range;
pub mod native;
pub mod reduced;
pub mod regulator;
pub mod results;
pub mod sample;
pub mod scheme;
pub mod statics;
mod step_error;
pub mod stopwatch;
pub mod strut;
pub mod threads;
pub mod unit;
pub mod vehicle;
pub mod whole_model;
pub mod world;
pub mod wrench;

pub use config::PlatformConfig;
pub use error::{PlatformError, Result};
