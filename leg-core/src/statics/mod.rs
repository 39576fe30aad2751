//! Static equilibrium: Newton's method, load stepping, arc-length continuation, stability.

pub mod continuation;
mod newton;
pub mod stability;

pub use continuation::{ContinuationSettings, Event, Path, PathPoint, follow_path, load_to};
pub use newton::{StaticReport, StaticSettings, solve};
