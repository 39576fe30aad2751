//! The models of softdock that are packaged as FMUs.
//!
//! Built as a C library, this crate is the binary of the FMUs; the GUID that the caller hands to
//! `fmi2Instantiate` tells which model is wanted. The shell around them, the C interface, the
//! importer and the packer are those of `softdock_fmi`; the legs come from `softdock_leg_models`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod clock;
mod docking;
mod documentation;
mod effector;
mod mechanism;
mod model;
mod platform;
mod table;

pub use docking::DockingModel;
pub use effector::EndEffectorModel;
pub use mechanism::{MechanismFiles, MechanismModel};
pub use model::ModelKind;
pub use platform::PlatformModel;
pub use softdock_leg_models::variables::COUPLED_SPECTRAL_RADIUS;
pub use softdock_leg_models::{LegPlanar, LegSpatial, planar_parameters, spatial_parameters};

softdock_fmi::export_models!(&ModelKind::ALL.map(ModelKind::packaged));
