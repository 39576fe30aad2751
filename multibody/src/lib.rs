//! Flexible multibody dynamics on SE(2) and SE(3).
//!
//! Nodes are frames; velocities are left-trivialised; strains come from relative poses, so
//! nothing depends on the overall motion and no rotation parameters can become singular. The
//! plane and space share one code over [`group::Group`].
//!
//! Three types carry the kernel: an immutable [`model::Model`], a clonable [`state::State`] and a
//! preallocated [`workspace::Workspace`]; free functions work on them. [`prelude`] has them all for
//! the plane and for space. There is no I/O, no logging and no thread in this crate.
//!
//! A pendulum that falls from the horizontal begins with 3 g / 2 L:
//!
//! ```
//! use multibody::prelude::*;
//!
//! let (length, mass) = (1.2, 2.0);
//! let mut builder = PlanarModelBuilder::new();
//! builder.gravity([0.0, -9.81].into());
//! let inertia = planar_inertia(mass, [0.5 * length, 0.0], mass * length * length / 12.0);
//! let rod = builder.rigid_body("rod", Se2::identity(), inertia);
//! let here = Se2::identity();
//! builder.joint("pin", JointKind::Revolute, Attachment::ground(here), Attachment::node(rod, here));
//! let model = builder.build()?;
//!
//! let mut state = PlanarState::new(&model);
//! let mut workspace = PlanarWorkspace::new(&model);
//! dynamics::initialize(&model, &mut state, &mut workspace, &Held::default())?;
//! let turning = state.accelerations[rod.index()][2];
//! assert!((turning + 1.5 * 9.81 / length).abs() < 1e-9);
//! # Ok::<(), multibody::Error>(())
//! ```

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
