//! The models of softdock that are packaged as FMUs.
//!
//! Built as a C library, this crate is the binary of the FMUs `LegPlanar` and `LegSpatial`; the
//! GUID that the caller hands to `fmi2Instantiate` tells which of the two is wanted. The shell
//! around them, the C interface, the importer and the packer are those of `softdock_fmi`; here
//! stands what a model brings: `variables`, the one table of each, and `leg`, the unit.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod documentation;
mod icon;
mod leg;
mod model;
mod variables;

pub use model::{LegPlanar, LegSpatial, ModelKind, planar_parameters, spatial_parameters};

softdock_fmi::export_models!(&ModelKind::ALL.map(ModelKind::packaged));
