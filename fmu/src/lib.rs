//! The leg behind the C interface of FMI 2.0 co-simulation, and FMUs packed and loaded.
//!
//! Built as a C library, this crate is the binary of the FMUs `LegPlanar` and `LegSpatial`; the
//! GUID that the caller hands to `fmi2Instantiate` tells which of the two is wanted. The leg knows
//! nothing of FMI, and the C functions know nothing of mechanics:
//!
//! * [`abi`] declares the types of the standard;
//! * `variables` is the one table of each model, from which the model description is written and
//!   through which values are read and set;
//! * [`exports`] holds the exported functions, each of which passes one guard: null check, allowed
//!   in this state, the host's floating-point environment put aside, no panic to the outside,
//!   message, status;
//! * [`import`] loads FMUs of any origin, [`package`] packs our own (feature `tools`).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod abi;
mod description;
pub mod exports;
mod floats;
mod guard;
#[cfg(feature = "tools")]
pub mod import;
mod instance;
pub mod lifecycle;
mod logger;
mod model;
#[cfg(all(
    not(feature = "tools"),
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64"
))]
mod old_glibc;
#[cfg(feature = "tools")]
pub mod package;
mod refusal;
mod slave;
mod variables;

pub use logger::Category;
pub use model::{ModelKind, planar_parameters, spatial_parameters};
pub use variables::Value as ParameterValue;
