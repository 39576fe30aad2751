//! The mechanical model: immutable, validated, shared by any number of simulations.
//!
//! A [`Model`] is a set of *nodes* (frames that move), beams and inertias on them, joints between
//! them, and forces. [`ModelBuilder`] makes one; nothing changes it afterwards. What changes in
//! time is in [`crate::state::State`]; scratch memory is in [`crate::workspace::Workspace`].

mod builder;
mod bushing;
mod cable;
mod force;
mod friction;
mod input;
mod joint;
mod law;
mod motor;
mod program;
pub(crate) mod reduced;
mod section;
mod stop;
mod strip;
mod surface;
mod table;

pub use builder::{BeamSpec, ModelBuilder, planar_inertia, rigid_inertia, spatial_inertia};
pub(crate) use bushing::MountedBushing;
pub use bushing::{Bushing, BushingResponse};
pub use cable::{Cable, CableResponse, MOST_POINTS as MOST_CABLE_POINTS};
pub(crate) use cable::{Dual, MountedCable};
pub use force::{Axes, Force, LineLaw, PointOn, Response};
pub use friction::{AxisFriction, FrictionCurve};
pub use input::{Drive, Held, Inputs, Signal, Signals};
pub(crate) use joint::ConstraintRow;
pub use joint::{Attachment, Body, Joint, JointKind};
pub use law::{Booking, Coordinate, FIRST_INPUT, LawForce};
pub use motor::{Delivered, Hold, LastTorque, MotorLaw, Rotor, SpeedLine};
pub use program::{Function, Jet, Number, Op, Partial, Program};
pub use reduced::{MOST_QUADRATIC, MOST_SHAPES, Shapes};
pub use section::{Material, Section, rectangle_torsion_constant};
pub use stop::{STOP_MEMORY, StopLaw, StopResponse, StopSide, Stops};
pub use strip::{StripExcess, StripLaw};
pub(crate) use surface::MountedSurface;
pub use table::Interpolation;

use crate::element::BeamElement;
use crate::group::Group;
use crate::linear_solver::{Layout, System};
use core::fmt;
use nalgebra::{SMatrix, SVector};

/// A moving frame of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(pub(crate) usize);

/// A frame whose motion is prescribed by input channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameId(pub(crate) usize);

/// A beam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BeamId(pub(crate) usize);

/// A cable over guides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CableId(pub(crate) usize);

/// A contact of points with surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SurfaceId(pub(crate) usize);

/// A joint or driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JointId(pub(crate) usize);

/// A force element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ForceId(pub(crate) usize);

/// An input channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputId(pub(crate) usize);

/// A reduced body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReducedId(pub(crate) usize);

macro_rules! index_of {
    ($($id:ty),*) => {$(
        impl $id {
            /// Position in the model's list of its kind.
            pub fn index(self) -> usize {
                self.0
            }
        }
    )*};
}
index_of!(
    NodeId, FrameId, BeamId, JointId, ForceId, InputId, ReducedId
);

/// A place in the model, by name, for error messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A rigid body or a node of a beam.
    Body(String),
    /// A joint or driver, with the number of its constraint row, from 0.
    Joint(String, usize),
    /// An input channel.
    Input(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(name) => write!(f, "body {name}"),
            Self::Joint(name, row) => write!(f, "joint {name}, constraint row {row}"),
            Self::Input(name) => write!(f, "input {name}"),
        }
    }
}

/// A beam: consecutive nodes joined by equal elements.
#[derive(Debug, Clone)]
pub struct Beam<const N: usize, const D: usize> {
    /// Name for messages.
    pub name: String,
    /// First node; the others follow without gaps.
    pub first_node: usize,
    /// Index of the first element in the model's element numbering.
    pub first_element: usize,
    /// Number of elements.
    pub elements: usize,
    /// What every element of this beam shares.
    pub element: BeamElement<N, D>,
    /// Damping that couples nodes far apart.
    pub(crate) damping: FarDamping<N>,
}

/// What the damping of a beam needs beyond its elements.
#[derive(Debug, Clone)]
pub(crate) struct FarDamping<const N: usize> {
    /// Node against which mass-proportional damping counts velocities, and the first of its 2N
    /// columns in the part of low rank; none is the ground.
    pub reference: Option<(usize, usize)>,
    /// Dampers of modes.
    pub modes: Vec<ModalDamper<N>>,
    /// Column of the first of them in the part of low rank; the others follow.
    pub first_mode: usize,
}

/// A damper of one mode of a beam; [`crate::assembly::modal_dampers`] makes them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModalDamper<const N: usize> {
    /// Twice the decay rate that it gives its mode, 2 ζ ω [1/s].
    pub coefficient: f64,
    /// Wrench of each element per unit of the modal rate, dual to the rate of its relative pose.
    pub weights: Vec<SVector<f64, N>>,
}

impl<const N: usize> FarDamping<N> {
    /// The reference if it is a node.
    #[inline]
    pub fn root(&self) -> Option<usize> {
        self.reference.map(|(node, _)| node)
    }
}

impl<const N: usize, const D: usize> Beam<N, D> {
    /// Length of the unstressed beam [m].
    pub fn length(&self) -> f64 {
        self.element.length * self.elements as f64
    }
}

/// What an input channel does in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InputRole {
    /// It prescribes a motion: of a driver or of a moving frame.
    pub prescribes: bool,
    /// It is a force, or the target of a hold.
    pub forces: bool,
    /// It is the target of a hold.
    pub aims: bool,
}

/// An immutable mechanical model over the group `G`.
#[derive(Debug, Clone)]
pub struct Model<G: Group<N, D>, const N: usize, const D: usize> {
    pub(crate) node_names: Vec<String>,
    pub(crate) initial_poses: Vec<G>,
    /// Inertia of the rigid bodies and masses on each node, about the node's frame.
    pub(crate) node_inertia: Vec<Option<SMatrix<f64, N, N>>>,
    pub(crate) beams: Vec<Beam<N, D>>,
    pub(crate) element_count: usize,
    pub(crate) frames: Vec<MovingFrame<N>>,
    pub(crate) joints: Vec<Joint<G, D>>,
    pub(crate) row_count: usize,
    pub(crate) forces: Vec<Force<D>>,
    pub(crate) line_couplings: Vec<Option<usize>>,
    pub(crate) bushings: Vec<MountedBushing<G, N>>,
    pub(crate) cables: Vec<MountedCable<D>>,
    pub(crate) surfaces: Vec<MountedSurface>,
    pub(crate) reduced: Vec<reduced::MountedShapes<G, D>>,
    /// Where the memory of each force begins in that of a state, and where the last one ends.
    pub(crate) memory_starts: Vec<usize>,
    /// Forces with stops.
    pub(crate) stopped: Vec<usize>,
    pub(crate) input_names: Vec<String>,
    pub(crate) input_roles: Vec<InputRole>,
    pub(crate) gravity: SVector<f64, D>,
    /// Characteristic length: corrections are measured against it [m].
    pub(crate) length_scale: f64,
    /// Mean mass of a node: scales constraints in dynamics [kg].
    pub(crate) mass_scale: f64,
    /// Typical stiffness: scales constraints in statics [N/m].
    pub(crate) stiffness_scale: f64,
    pub(crate) layout: Layout<N>,
}

/// A frame moved by `N` input channels: position [m], then rotation vector [rad].
#[derive(Debug, Clone, PartialEq)]
pub struct MovingFrame<const N: usize> {
    /// Name for messages.
    pub name: String,
    /// Input channels: position components, then rotation vector components.
    pub inputs: [usize; N],
}

impl<G: Group<N, D>, const N: usize, const D: usize> Model<G, N, D> {
    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.initial_poses.len()
    }

    /// Number of beam elements.
    pub fn element_count(&self) -> usize {
        self.element_count
    }

    /// Number of scalar constraints.
    pub fn constraint_count(&self) -> usize {
        self.row_count
    }

    /// Coordinates of nodes that do not take part in any motion: those of the modal nodes of reduced
    /// bodies that carry no mode.
    pub fn idle_count(&self) -> usize {
        self.reduced.iter().map(|body| body.idle::<N>()).sum()
    }

    /// Degrees of freedom.
    pub fn degrees_of_freedom(&self) -> usize {
        (N * self.node_count()).saturating_sub(self.row_count + self.idle_count())
    }

    /// Number of unknowns: `N` per node and one multiplier per constraint.
    pub fn unknown_count(&self) -> usize {
        N * self.node_count() + self.row_count
    }

    /// Number of input channels.
    pub fn input_count(&self) -> usize {
        self.input_names.len()
    }

    /// Names of the input channels, in order.
    pub fn input_names(&self) -> &[String] {
        &self.input_names
    }

    /// Input channel by its position.
    pub fn input(&self, index: usize) -> Option<InputId> {
        (index < self.input_names.len()).then_some(InputId(index))
    }

    /// The beams.
    pub fn beams(&self) -> &[Beam<N, D>] {
        &self.beams
    }

    /// The joints and drivers.
    pub fn joints(&self) -> &[Joint<G, D>] {
        &self.joints
    }

    /// The force elements.
    pub fn forces(&self) -> &[Force<D>] {
        &self.forces
    }

    /// How many numbers the forces remember of the last accepted state.
    pub fn memory_count(&self) -> usize {
        self.memory_starts.last().copied().unwrap_or(0)
    }

    /// What force `index` remembers.
    pub(crate) fn memory_of(&self, index: usize) -> core::ops::Range<usize> {
        self.memory_starts[index]..self.memory_starts[index + 1]
    }

    /// Gravity [m/s²].
    pub fn gravity(&self) -> SVector<f64, D> {
        self.gravity
    }

    /// Characteristic length of the model [m].
    pub fn length_scale(&self) -> f64 {
        self.length_scale
    }

    /// Name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        &self.node_names[node.0]
    }

    /// Node `index` of a beam, counted from its root.
    pub fn beam_node(&self, beam: BeamId, index: usize) -> NodeId {
        let beam = &self.beams[beam.0];
        NodeId(beam.first_node + index.min(beam.elements))
    }

    /// The same model with another law on a line force (a tendon's rest length, say).
    pub fn with_line_law(&self, force: ForceId, law: LineLaw) -> crate::error::Result<Self> {
        let mut model = self.clone();
        match model.forces.get_mut(force.0) {
            Some(Force::Line { name, law: old, .. }) => {
                law.validate(name)?;
                *old = law;
                Ok(model)
            }
            _ => Err(crate::error::Error::BadReference {
                owner: format!("force {}", force.0),
                problem: "only a line force has a line law",
            }),
        }
    }

    /// What input `channel` does.
    pub fn input_role(&self, channel: usize) -> InputRole {
        self.input_roles[channel]
    }

    /// Writes the unit vectors of nodes that mass-proportional damping refers to: the other factors
    /// of the blocks in their columns and rows.
    pub(crate) fn mark_references(&self, system: &mut System<N>) {
        for (root, columns) in self.beams.iter().filter_map(|beam| beam.damping.reference) {
            for k in 0..N {
                system.update.right(columns + k, root)[k] = 1.0;
                system.update.left(columns + N + k, root)[k] = 1.0;
            }
        }
    }

    /// Where constraint row `row` comes from.
    pub(crate) fn row_location(&self, row: usize) -> Location {
        let joint = self
            .joints
            .iter()
            .rev()
            .find(|joint| joint.first_row <= row);
        joint.map_or(Location::Body("ground".into()), |joint| {
            Location::Joint(joint.name.clone(), row - joint.first_row)
        })
    }

    /// Where node `node` is.
    pub(crate) fn node_location(&self, node: usize) -> Location {
        Location::Body(self.node_names[node].clone())
    }
}

/// A model in the plane.
pub type PlanarModel = Model<crate::group::Se2, 3, 2>;
/// A model in space.
pub type SpatialModel = Model<crate::group::Se3, 6, 3>;
/// Builds a model in the plane.
pub type PlanarModelBuilder = ModelBuilder<crate::group::Se2, 3, 2>;
/// Builds a model in space.
pub type SpatialModelBuilder = ModelBuilder<crate::group::Se3, 6, 3>;
/// Section of a beam in the plane.
pub type PlanarSection = Section<3, 2>;
/// Section of a beam in space.
pub type SpatialSection = Section<6, 3>;
