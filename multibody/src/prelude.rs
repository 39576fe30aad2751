//! What a program that builds and runs models imports: `use multibody::prelude::*;`.
//!
//! The types of the plane and of space have names of their own here, so that nobody has to write
//! `ModelBuilder::<Se3, 6, 3>`. Functions stay behind the names of their modules:
//! [`statics::solve`], [`dynamics::initialize`], [`dynamics::advance`], [`results::reaction`].
//!
//! ```
//! use multibody::prelude::*;
//!
//! // A stone of 2 kg falls for a second.
//! let mut builder = SpatialModelBuilder::new();
//! builder.gravity(Vector3::new(0.0, 0.0, -9.81));
//! let inertia = spatial_inertia(2.0, [0.0; 3], Matrix3::identity());
//! let stone = builder.rigid_body("stone", Se3::identity(), inertia);
//! let model = builder.build()?;
//!
//! let mut run = Simulation::new(&model, SpatialState::new(&model), 0.01);
//! run.initialize(&Held::default())?;
//! run.advance_to(1.0, &Held::default())?;
//! assert!((run.state.pose(stone).translation().z + 9.81 / 2.0).abs() < 1e-9);
//! # Ok::<(), multibody::Error>(())
//! ```

pub use crate::dynamics::{Control, Simulation, StepSettings};
pub use crate::element::Rayleigh;
pub use crate::group::{Group, Se2, Se3};
pub use crate::model::{
    Attachment, Axes, BeamId, BeamSpec, Drive, Force, ForceId, Held, Hold, InputId, Inputs,
    Interpolation, JointId, JointKind, LineLaw, Material, Model, ModelBuilder, NodeId, PlanarModel,
    PlanarModelBuilder, PlanarSection, PointOn, Section, Signal, Signals, SpatialModel,
    SpatialModelBuilder, SpatialSection, planar_inertia, spatial_inertia,
};
pub use crate::state::{PlanarState, SpatialState, State};
pub use crate::statics::{ContinuationSettings, Path, StaticSettings};
pub use crate::workspace::{PlanarWorkspace, SpatialWorkspace, Workspace};
pub use crate::{dynamics, results, statics};
pub use nalgebra::{Matrix3, Vector2, Vector3};
