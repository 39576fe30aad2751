//! The variables of the legs: one table for each, and what their parameters stand for.

mod parameters;
pub mod planar;
mod row;
pub mod shared;
pub mod spatial;

pub use parameters::{Choice, Choices, LegParameters};
pub use planar::PlanarParameters;
pub use row::{fmu, unit_of_key, within};
pub use spatial::{COUPLED_SPECTRAL_RADIUS, SpatialParameters};
