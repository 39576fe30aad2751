//! What a file describes, as types: bodies, beams, joints, forces, all in three dimensions (the plane
//! is z = 0).

use crate::document::Place;
use crate::signal::History;
use multibody::model::Program;
use nalgebra::{Matrix3, Rotation3, Vector3};

/// A pose: rotation and translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin [m].
    pub position: Vector3<f64>,
    /// Axes as columns.
    pub rotation: Matrix3<f64>,
}

impl Pose {
    /// Origin and axes of the world.
    pub fn identity() -> Self {
        Self {
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
        }
    }

    /// From a position and a rotation vector.
    pub fn new(position: [f64; 3], turn: [f64; 3]) -> Self {
        Self {
            position: position.into(),
            rotation: Rotation3::new(Vector3::from(turn)).into_inner(),
        }
    }

    /// `self · other`.
    pub fn compose(&self, other: &Self) -> Self {
        Self {
            position: self.position + self.rotation * other.position,
            rotation: self.rotation * other.rotation,
        }
    }

    /// `self⁻¹ · other`.
    pub fn between(&self, other: &Self) -> Self {
        Self {
            position: self.rotation.tr_mul(&(other.position - self.position)),
            rotation: self.rotation.tr_mul(&other.rotation),
        }
    }
}

/// What a frame is fixed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// The world.
    Ground,
    /// A rigid body, by its number.
    Body(usize),
    /// A node of a beam.
    Beam(usize, usize),
    /// A station of a body that was read from matrices: its interfaces first.
    Flexible(usize, usize),
}

/// A frame on a host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// The host.
    pub host: Host,
    /// Pose in the host's frame.
    pub pose: Pose,
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPart {
    /// Name.
    pub name: String,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the body's frame [m].
    pub centre: [f64; 3],
    /// Inertia about the centre of mass [kg·m²].
    pub inertia: Matrix3<f64>,
    /// Pose at the start.
    pub pose: Pose,
    /// Angle at the start in the plane, as the file gives it [rad].
    pub angle: f64,
    /// Velocity of the origin and angular velocity at the start, world axes, if given.
    pub velocity: Option<([f64; 3], [f64; 3])>,
}

/// Section of a beam.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionPart {
    /// EA, κGA2, κGA3, GJ, EI2, EI3.
    pub stiffness: [f64; 6],
    /// Mass per length [kg/m].
    pub mass: f64,
    /// Rotary inertia about e1, e2, e3 [kg·m].
    pub rotary: [f64; 3],
}

/// A beam.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamPart {
    /// Name.
    pub name: String,
    /// Pose of the first node at the start.
    pub pose: Pose,
    /// Length [m].
    pub length: f64,
    /// Number of elements.
    pub elements: usize,
    /// Curvature when unstressed [1/m].
    pub curvature: [f64; 3],
    /// Curvature of the start [1/m].
    pub start_curvature: Option<[f64; 3]>,
    /// Section.
    pub section: SectionPart,
    /// Rayleigh damping by mass [1/s] and stiffness [s].
    pub damping: [f64; 2],
}

/// Which fixed-interface modes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// The lowest.
    #[default]
    Frequency,
    /// Those that accelerations of the moving frame deflect most.
    Load,
    /// Combinations of all of them: the modes of the body as its joints hold it that gravity deflects most.
    Mounted,
}

/// A body that was read from matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixBody {
    /// Its matrices.
    pub matrices: crate::matrices::Matrices,
    /// Pose of its coordinates at the start.
    pub pose: Pose,
    /// Rayleigh damping by stiffness [s].
    pub stiffness_damping: f64,
}

/// Beams, or a body of matrices, that move together in a few shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedPart {
    /// Name.
    pub name: String,
    /// The body that was read from a file, if it was.
    pub body: Option<std::sync::Arc<MatrixBody>>,
    /// Assumed modes per direction instead of fixed-interface modes.
    pub assumed: Option<usize>,
    /// Which modes are kept.
    pub selection: Selection,
    /// Whether fields of second order carry the geometric stiffness.
    pub geometric_stiffening: bool,
    /// Beams, by their numbers.
    pub beams: Vec<usize>,
    /// Beam and node of each interface; the first carries the moving frame.
    pub interfaces: Vec<(usize, usize)>,
    /// Number of fixed-interface modes.
    pub modes: usize,
    /// Joints between its beams, by their numbers.
    pub joints: Vec<usize>,
    /// Masses on its beams, by their numbers.
    pub masses: Vec<usize>,
    /// What the reduction gave.
    pub result: Option<std::sync::Arc<crate::reduce::Reduced>>,
    /// Where it stands in the file.
    pub place: Place,
}

/// An inertia added to something.
#[derive(Debug, Clone, PartialEq)]
pub struct MassPart {
    /// Where.
    pub spot: Spot,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about its centre [kg·m²].
    pub inertia: Matrix3<f64>,
}

/// Kinds of joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointPartKind {
    /// One of the kernel's without data.
    Plain(multibody::model::JointKind),
    /// A rod; its length is the channel.
    Distance(usize),
    /// A driver of angle by a channel.
    Angle(usize),
    /// A driver of slide by a channel.
    Slide(usize),
    /// A driver of b's point by channels.
    Position([usize; 3]),
    /// A driver of b's frame in the world by channels: place, then rotation vector.
    Frame([usize; 6]),
}

/// When a joint is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Presence {
    /// From this time on it is there [s].
    pub closes: Option<f64>,
    /// From this time on it is gone [s].
    pub opens: Option<f64>,
    /// Closes where this formula of outputs becomes positive.
    pub closes_when: Option<OutputPart>,
    /// Opens where this formula of outputs becomes positive.
    pub opens_when: Option<OutputPart>,
}

/// A joint or driver.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPart {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: JointPartKind,
    /// Frames A and B.
    pub spots: [Spot; 2],
    /// When it is there.
    pub presence: Presence,
    /// Where it stands in the file.
    pub place: Place,
    /// True for a driver.
    pub driver: bool,
}

/// A point on a host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The host.
    pub host: Host,
    /// The point in the host's frame [m].
    pub point: Vector3<f64>,
}

/// Coordinate of a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CoordinatePart {
    /// Distance of two points.
    Distance(Point, Point),
    /// Angle of a joint, by its number.
    Angle(usize),
    /// Place of the second along a direction of the first.
    Offset(Point, Vector3<f64>, Point),
}

/// A force.
#[derive(Debug, Clone, PartialEq)]
pub enum ForcePart {
    /// Spring and damper, or tendon.
    Line {
        /// Ends.
        ends: [Point; 2],
        /// Law.
        law: multibody::model::LineLaw,
    },
    /// On the angle of a joint.
    Torsion {
        /// The joint.
        joint: usize,
        /// Stiffness, rest angle, damping.
        data: [f64; 3],
    },
    /// A motor.
    Motor {
        /// The joint.
        joint: usize,
        /// Channel of the torque.
        torque: Option<usize>,
        /// Channel of the target, stiffness, damping.
        hold: Option<(usize, f64, f64)>,
        /// Limits, friction and rotor; its channels are those above.
        limits: multibody::model::MotorLaw,
    },
    /// Force and moment.
    Wrench {
        /// Where.
        point: Point,
        /// In the axes of the body.
        follows: bool,
        /// Channels of the force.
        force: [Option<usize>; 3],
        /// Channels of the moment.
        moment: [Option<usize>; 3],
    },
    /// A formula.
    Law {
        /// Coordinate.
        coordinate: CoordinatePart,
        /// Coordinate that it pushes, if another.
        acts_on: Option<CoordinatePart>,
        /// The force; variables 2 + n are channels.
        law: Program,
        /// Where its work is booked.
        booking: multibody::model::Booking,
    },
}

impl CoordinatePart {
    /// What its points are fixed to.
    fn hosts(&self) -> [Option<Host>; 2] {
        match self {
            Self::Distance(a, b) | Self::Offset(a, _, b) => [Some(a.host), Some(b.host)],
            Self::Angle(_) => [None; 2],
        }
    }
}

impl ForcePart {
    /// What it acts on, but for joints.
    pub fn hosts(&self) -> [Option<Host>; 2] {
        match self {
            Self::Line { ends, .. } => ends.map(|end| Some(end.host)),
            Self::Wrench { point, .. } => [Some(point.host), None],
            Self::Law { coordinate, .. } => coordinate.hosts(),
            Self::Torsion { .. } | Self::Motor { .. } => [None; 2],
        }
    }
}

/// A cable over guides.
#[derive(Debug, Clone, PartialEq)]
pub struct CablePart {
    /// Name.
    pub name: String,
    /// First end, guides, last end.
    pub points: Vec<Point>,
    /// Friction of every guide.
    pub friction: Vec<f64>,
    /// Stiffness [N/m], rest length [m], damping [N·s/m].
    pub data: [f64; 3],
    /// Transition speed of the friction [m/s].
    pub transition: f64,
    /// Where it stands in the file.
    pub place: Place,
}

/// Points of one part that touch a surface of another.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePart {
    /// Name.
    pub name: String,
    /// What carries the points, and what carries the surface.
    pub hosts: [Host; 2],
    /// Points, surface and laws.
    pub pair: multibody::contact::ContactPair,
    /// Channels of the speed of every contact's touch.
    pub speeds: Vec<usize>,
    /// Where it stands in the file.
    pub place: Place,
}

/// Friction of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionPart {
    /// Name.
    pub name: String,
    /// The joint.
    pub joint: usize,
    /// The force that it is.
    pub force: usize,
    /// Channel of the load.
    pub load: usize,
    /// The constraint of sticking, for friction by switching.
    pub stick: Option<StickPart>,
    /// Static and dynamic coefficient.
    pub coefficients: [f64; 2],
    /// Sliding way per unit of the coordinate: radius of a pin [m], 1 for slides.
    pub radius: f64,
    /// Speed of the surface [m/s].
    pub surface: f64,
    /// Load besides the joint's force [N].
    pub preload: f64,
}

/// A contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactPart {
    /// Name.
    pub name: String,
    /// What it is in the model.
    pub source: ContactSource,
    /// Channel of the speed of the touch.
    pub speed: usize,
    /// Value of the coordinate below which parts touch [m].
    pub limit: f64,
    /// Step while they touch [s].
    pub step: Option<f64>,
}

/// What a contact is in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactSource {
    /// A force by a formula, by its number.
    Law(usize),
    /// A point on a surface: number of the surface and of its contact.
    Surface(usize, usize),
}

/// A stop whose force jumps where it is met.
#[derive(Debug, Clone, PartialEq)]
pub struct StopPart {
    /// Name.
    pub name: String,
    /// Number of its force.
    pub force: usize,
    /// Where it is met [m or rad].
    pub limit: f64,
    /// 1 if it pushes up from below the limit, -1 if down from above.
    pub sign: f64,
    /// Channel that says whether it is met: 1, 0, or [`StopPart::BY_DEPTH`].
    pub closed: usize,
}

impl StopPart {
    /// The place alone says whether it is met, as wherever nothing runs.
    pub const BY_DEPTH: f64 = 2.0;
}

/// The constraint of sticking.
#[derive(Debug, Clone, PartialEq)]
pub struct StickPart {
    /// Number of the driver.
    pub joint: usize,
    /// Its channel.
    pub channel: usize,
}

/// Two parts that hit each other.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactPart {
    /// Name.
    pub name: String,
    /// What is measured: they touch where it is `limit`.
    pub coordinate: CoordinatePart,
    /// Limit [m].
    pub limit: f64,
    /// Restitution.
    pub restitution: f64,
    /// The constraint of their touching.
    pub kind: JointPartKind,
    /// Its frames.
    pub spots: [Spot; 2],
}

/// A force with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedForce {
    /// Name.
    pub name: String,
    /// The force.
    pub force: ForcePart,
    /// Where it stands in the file.
    pub place: Place,
}

/// A formula of quantities.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputPart {
    /// Name of the column.
    pub name: String,
    /// The formula; variable n is `sources[n]`.
    pub formula: Program,
    /// What it reads.
    pub sources: Vec<Source>,
}

impl OutputPart {
    /// Whether it reads accelerations or reactions.
    pub fn reads_forces(&self) -> bool {
        self.sources.iter().any(|source| {
            matches!(
                source,
                Source::Point(_, 2, _)
                    | Source::Turn(_, 2, _)
                    | Source::Reaction(..)
                    | Source::DriverEffort(_)
                    | Source::Friction(..)
            )
        })
    }
}

/// A quantity of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// Time [s].
    Time,
    /// Of a place: 0 position, 1 velocity, 2 acceleration; component.
    Point(Spot, usize, usize),
    /// Of a place: 0 attitude (rotation about an axis), 1 rate, 2 its rate; component.
    Turn(Spot, usize, usize),
    /// Angle of a joint, or its rate.
    JointAngle(usize, usize),
    /// Way of b along e1 of a.
    JointSlide(usize),
    /// Force (0) or moment (1) on b; component; in the axes of b?
    Reaction(usize, usize, usize, bool),
    /// What a driver delivers [N or N·m].
    DriverEffort(usize),
    /// Length, rate or tension of a line.
    Line(usize, usize),
    /// Torque of a motor or torsion spring.
    Torque(usize),
    /// Coordinate, rate or force of a law.
    Law(usize, usize),
    /// Value of an input channel.
    Channel(usize),
    /// kinetic, strain, springs, gravity, work, dissipated, residual [J].
    Energy(usize),
    /// Friction on b: of a law, and of the driver that makes it stick.
    Friction(usize, Option<usize>),
    /// Length, rate, tension of the first or of the last segment of a cable.
    Cable(usize, usize),
    /// Normal force, force on b along x, y, z, or smallest gap of points with a surface.
    Surface(usize, usize),
}

/// Start of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InitialPart {
    /// From an equilibrium.
    pub equilibrium: bool,
    /// Velocity, angular velocity, and the point they belong to.
    pub velocity: ([f64; 3], [f64; 3], [f64; 3]),
    /// Corrections weighted by mass.
    pub by_mass: bool,
    /// Bodies that stay.
    pub held: Vec<Host>,
    /// Drivers start with a blow.
    pub impulsive: bool,
    /// The row at t = 0 is that of places and velocities as given.
    pub as_given: bool,
}

/// How it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisPart {
    /// Simulated time [s].
    pub duration: f64,
    /// Step [s].
    pub step: f64,
    /// Time between rows [s].
    pub output_step: f64,
    /// ρ∞.
    pub spectral_radius: f64,
    /// Newton's tolerance.
    pub tolerance: f64,
    /// Error per step of controlled steps.
    pub error_tolerance: Option<f64>,
    /// Modes listed.
    pub modes: usize,
}

/// A parameter with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterPart {
    /// Key.
    pub key: String,
    /// Value in use.
    pub value: crate::read::Parameter,
    /// Lowest and highest value, infinite if the file names none.
    pub range: [f64; 2],
    /// What it is.
    pub meaning: String,
}

/// An input: a signal that somebody outside sets.
#[derive(Debug, Clone, PartialEq)]
pub struct InputPart {
    /// Name.
    pub name: String,
    /// Value until it is set.
    pub value: f64,
    /// Unit, as keys end with it; empty for none.
    pub unit: String,
    /// What it is.
    pub meaning: String,
}

/// A mechanism as its file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Name of the file.
    pub file: String,
    /// One line.
    pub title: String,
    /// What it is.
    pub text: String,
    /// Where its data come from.
    pub source: String,
    /// 2 or 3.
    pub dimension: usize,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Parameters.
    pub parameters: Vec<ParameterPart>,
    /// Rigid bodies.
    pub bodies: Vec<BodyPart>,
    /// Beams.
    pub beams: Vec<BeamPart>,
    /// Reduced bodies.
    pub reduced: Vec<ReducedPart>,
    /// Added inertias.
    pub masses: Vec<MassPart>,
    /// Joints and drivers.
    pub joints: Vec<JointPart>,
    /// Forces.
    pub forces: Vec<NamedForce>,
    /// Cables over guides.
    pub cables: Vec<CablePart>,
    /// Points on surfaces.
    pub surfaces: Vec<SurfacePart>,
    /// Frictions of joints.
    pub frictions: Vec<FrictionPart>,
    /// Contacts.
    pub contacts: Vec<ContactPart>,
    /// Stops whose force jumps.
    pub stops: Vec<StopPart>,
    /// Parts that hit each other.
    pub impacts: Vec<ImpactPart>,
    /// Input channels.
    pub channels: Vec<(String, History)>,
    /// Inputs, in the order of the file.
    pub inputs: Vec<InputPart>,
    /// Columns.
    pub outputs: Vec<OutputPart>,
    /// Start.
    pub initial: InitialPart,
    /// How it is computed.
    pub analysis: AnalysisPart,
}

impl Description {
    /// Gives the inputs other values from the start on.
    pub fn set_inputs(&mut self, values: &[f64]) {
        for (input, value) in self.inputs.iter_mut().zip(values) {
            input.value = *value;
        }
        for (_, history) in &mut self.channels {
            if let History::Input { number, value } = history
                && let Some(new) = values.get(*number)
            {
                *value = *new;
            }
        }
    }

    /// The reduced body that a beam belongs to, by its number.
    pub fn reduced_with(&self, beam: usize) -> Option<usize> {
        self.reduced
            .iter()
            .position(|part| part.beams.contains(&beam))
    }
}
