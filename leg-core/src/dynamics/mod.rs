//! Dynamics: consistent initial values, time stepping, constraint stabilisation.

pub mod advance;
pub mod alpha;
mod initial;
pub(crate) mod joining;
pub mod projection;
pub mod sensitivity;

pub(crate) use advance::even_step;
pub use advance::{Advance, Control, advance};
pub use alpha::{ConstraintHandling, StepReport, StepSettings, step};
pub use initial::initialize;
pub use projection::{Held, Projection, ProjectionWeight, project_positions, project_velocities};
