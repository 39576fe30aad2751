//! Static equilibrium: Newton's method, load stepping, arc-length continuation, stability.

pub mod continuation;
mod newton;
mod response;
pub mod stability;

pub use continuation::{ContinuationSettings, Event, Path, PathPoint, follow_path, load_to};
pub use newton::{StaticReport, StaticSettings, solve};
pub use response::{displacement_per_input, unbalanced_force};
