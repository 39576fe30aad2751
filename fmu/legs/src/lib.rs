//! The legs as packaged models: the table of their variables, the unit, the documentation.
//!
//! A crate of its own, because the platform needs the map from a leg's settings to the parameters
//! of its FMU, and the platform itself is packaged as an FMU (`softdock-fmu`).

mod displaced;
mod documentation;
pub mod icon;
mod model;
mod unit;
pub mod variables;

pub use displaced::DisplacedLeg;
pub use documentation::LINKED;
pub use model::{
    COUPLED_STEP_S, LEG_PLANAR, LEG_SPATIAL, LegPlanar, LegSpatial, planar_parameters,
    spatial_parameters,
};
pub use unit::PackagedLeg;
