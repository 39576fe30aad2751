//! Dynamics: consistent initial values, time stepping, constraint stabilisation.

pub mod advance;
pub mod alpha;
pub mod grid;
mod initial;
pub mod integrator;
pub mod jumps;
pub mod pace;
pub mod projection;
pub mod sensitivity;
mod simulation;
pub mod stepper;
pub mod stops;
#[cfg(test)]
mod stops_tests;

pub use advance::{Advance, Control, GROWTH, Stepping, advance, advance_watched};
pub use alpha::{ConstraintHandling, StepReport, StepSettings, step};
pub use initial::{balance, initialize, initialize_as_given};
pub use projection::{Held, Projection, ProjectionWeight, project_positions, project_velocities};
pub use simulation::Simulation;
