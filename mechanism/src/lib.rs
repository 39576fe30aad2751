//! Mechanism files: from text to a kernel model, and what is computed from it.
//!
//! [`describe::describe`] reads a TOML text into a [`parts::Description`]; [`build::build`] makes a
//! kernel model of it, [`run::Simulation`] moves it. The table of all keys is in [`table`]. There is no
//! terminal and no file access in this crate.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod analysis;
pub mod build;
pub mod describe;
pub mod document;
pub mod error;
pub mod formula;
pub mod library;
pub mod matrices;
pub mod parts;
pub mod picture;
pub mod prescribed;
pub mod quantity;
pub mod read;
pub mod reduce;
pub mod run;
pub mod signal;
pub mod simulate;
pub mod space;
pub mod spectrum;
pub mod table;

pub use describe::describe;
pub use error::{MechanismError, Result};
pub use parts::Description;
