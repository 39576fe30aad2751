//! Mechanism files: from text to a kernel model, and what is computed from it.
//!
//! [`describe::describe`] reads a TOML text into a [`parts::Description`]; [`build::build`] makes a
//! kernel model of it, [`run::Simulation`] moves it. The table of all keys is in [`table`]. There is no
//! terminal and no file access in this crate.
//!
//! ```
//! let text = r#"
//!     title = "Pendulum"
//!     space = "plane"
//!     gravity_m_per_s2 = [0, -9.81]
//!     outputs = ["angle_rad = pivot.angle_rad"]
//!     [[body]]
//!     name = "bob"
//!     mass_kg = 1
//!     inertia_kg_m2 = 0.001
//!     position_m = [0.5, 0]
//!     [[joint]]
//!     name = "pivot"
//!     kind = "revolute"
//!     a = "ground"
//!     b = "bob"
//!     b_point_m = [-0.5, 0]
//! "#;
//! let pendulum = softdock_mechanism::describe("pendulum.toml", text, &[], &|_| None)?;
//! assert_eq!(pendulum.bodies.len(), 1);
//! # Ok::<(), softdock_mechanism::MechanismError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod analysis;
pub mod build;
pub mod describe;
pub mod document;
pub mod error;
pub mod formula;
pub mod library;
pub mod matrices;
pub mod parts;
pub mod picture;
pub mod prescribed;
pub mod quantity;
pub mod read;
pub mod reduce;
pub mod run;
pub mod signal;
pub mod simulate;
pub mod space;
pub mod spectrum;
pub mod table;

pub use describe::describe;
pub use error::{MechanismError, Result};
pub use parts::Description;
