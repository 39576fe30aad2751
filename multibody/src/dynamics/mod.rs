//! Dynamics: consistent initial values, time stepping, constraint stabilisation.

pub mod advance;
pub mod alpha;
pub mod grid;
mod initial;
pub mod jumps;
pub mod projection;
pub mod sensitivity;

pub use advance::{Advance, Control, Stepping, advance, advance_watched};
pub use alpha::{ConstraintHandling, StepReport, StepSettings, step};
pub use initial::initialize;
pub use projection::{Held, Projection, ProjectionWeight, project_positions, project_velocities};
