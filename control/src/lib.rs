//! Control: Riccati equations, observers, sampling, reference models, stations that see their own
//! outputs only, torques shared out among motors.
//!
//! There is no mechanics in this crate: matrices come in, gains go out.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::unwrap_used))]

pub mod error;
pub mod model_following;
pub mod output_feedback;
pub mod riccati;
pub mod torque_allocation;

pub use error::{Error, Result};
