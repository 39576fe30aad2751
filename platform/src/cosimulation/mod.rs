//! Co-simulation: every leg a unit of its own, the end effector moved by the master.
//!
//! * [`implicit`] repeats macro steps with rollback until the joints close;
//! * [`explicit`] makes every macro step once, on extrapolated forces;
//! * [`limit`] finds the largest macro step with which the latter is stable.
//!
//! A floating base is one more body between the legs: units that stand on it are told where it moves
//! and answer with wrenches, as they do at their tips.

mod common;
mod cubic;
mod cubic_equations;
pub mod explicit;
pub mod implicit;
mod interface;
pub mod limit;
mod predictor;
mod slot;

pub use explicit::Explicit;
pub use implicit::Implicit;
