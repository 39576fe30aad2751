//! FMI 2.0 and 3.0 co-simulation: the C interfaces, a shell around any model, FMUs packed and loaded.
//!
//! There is no mechanics in this crate. A [`model::Model`] brings its parameters, its variables and
//! a unit that can be stepped; what is here makes an FMU of it:
//!
//! * [`abi`] and [`abi3`] declare the types of the standard, versions 2.0 and 3.0;
//! * [`variables`] is the table of a model, from which the model description is written and through
//!   which values are read and set;
//! * [`exports`] and [`exports3`] hold the exported functions, each of which passes one guard: null check, allowed
//!   in this state, the host's floating-point environment put aside, no panic to the outside,
//!   message, status; [`export_models`] completes them with the models of a library;
//! * [`import`] loads FMUs of any origin, [`package`] packs our own (feature `tools`).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod abi;
pub mod abi3;
mod calls;
mod description;
pub mod exports;
pub mod exports3;
pub mod floats;
mod guard;
#[cfg(feature = "tools")]
pub mod import;
mod instance;
#[cfg(test)]
mod integrator;
pub mod lifecycle;
mod logger;
pub mod model;
pub mod numbers;
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
pub mod resources;
pub mod slave;
pub mod variables;

pub use logger::Category;
pub use refusal::Refusal;
