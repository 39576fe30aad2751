//! Flexible multibody dynamics on SE(2) and SE(3).
//!
//! Nodes are frames; velocities are left-trivialised; strains come from relative poses, so
//! nothing depends on the overall motion and no rotation parameters can become singular. The
//! plane and space share one code over [`group::Group`].
//!
//! Three types carry the kernel: an immutable [`model::Model`], a clonable [`state::State`] and a
//! preallocated [`workspace::Workspace`]; free functions work on them. [`prelude`] has them all for
//! the plane and for space. There is no I/O, no logging and no thread in this crate.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod assembly;
mod compiled;
pub mod contact;
pub mod dynamics;
pub mod element;
pub mod error;
pub mod group;
pub mod linear_solver;
pub mod linearize;
pub mod math;
pub mod modal;
pub mod model;
pub mod port;
pub mod prelude;
pub mod restitution;
pub mod results;
pub mod state;
pub mod statics;
pub mod workspace;

pub use error::{Error, Result};
