//! The spatial leg: base motor, crank, universal joint, leaf, spherical joint at the tip.
//!
//! Axes of the leg's base: e_c along the crank at q1 = 0, e_u up, e_m = e_c × e_u the motor's
//! axis; a positive q1 turns the crank from e_c toward e_u. The leaf's root frame has e1 along the
//! leaf, e2 normal to its face, e3 across its width. The universal joint lets the root turn about
//! its *first* axis, fixed to its carrier (crank or base), and about its *second* axis, fixed to
//! the root; torsion about the leaf is carried. Seen along e_m the spatial leg is the planar one:
//! it bows outward to −e2.

use super::LegError;
use super::config::{ConfigError, Crank, Leaf, LeafSection, Motor, Side, Solver, Tendon};
use super::planar::LinkDrive;
use super::spatial_parts::{Placement, SpatialParts};
use multibody::group::{Group, Se3};
use multibody::model::{
    Attachment, Axes, BeamId, Body, Force, ForceId, FrameId, InputId, JointId, JointKind,
    ModelBuilder, NodeId, SpatialModel,
};
use multibody::results;
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path, PathPoint, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Matrix6, Rotation3, Unit, Vector3, Vector6};
use serde::{Deserialize, Serialize};
use softdock_settings::{Parameter, Table, table, words};

pub use multibody::state::SpatialState;

table! {
    /// Where the leg stands.
    #[derive(Copy)]
    pub struct Base in "base" {
        motor_position_m: [f64; 3] = [0.150, 0.0, 0.0], "Centre O of the motor's axis" ["m"; -100 to 100];
        crank_direction: [f64; 3] = [1.0, 0.0, 0.0], "Direction of the crank at q1 = 0, of any length but zero" ["-"; -1000 to 1000];
        motor_axis: [f64; 3] = [0.0, -1.0, 0.0], "The motor's axis, at right angles to crank_direction, of any length but zero; a positive q1 turns the crank about it" ["-"; -1000 to 1000];
    }
}

impl Base {
    /// The columns e_c, e_u, e_m.
    pub(super) fn axes(&self) -> Result<Matrix3<f64>, ConfigError> {
        let refuse = |key, value| ConfigError {
            key,
            value,
            allowed: "a direction, not zero",
        };
        let c = Vector3::from(self.crank_direction);
        let m = Vector3::from(self.motor_axis);
        let c = c
            .try_normalize(1e-9)
            .ok_or_else(|| refuse(Self::crank_direction.key, c.norm()))?;
        let m = m
            .try_normalize(1e-9)
            .ok_or_else(|| refuse(Self::motor_axis.key, m.norm()))?;
        if c.dot(&m).abs() > 1e-6 {
            let allowed = "at right angles to base.crank_direction (its cosine is given)";
            return Err(ConfigError {
                key: Self::motor_axis.key,
                value: c.dot(&m),
                allowed,
            });
        }
        let m = (m - c * c.dot(&m)).normalize();
        Ok(Matrix3::from_columns(&[c, m.cross(&c), m]))
    }
}

words! {
    /// What carries the first axis of the universal joint.
    pub enum Carrier {
        /// The crank: the axis turns with it.
        #[default]
        Crank = "crank",
        /// The base, by way of a parallelogram: the axis keeps its direction.
        Base = "base",
    }
}

words! {
    /// The moment that the universal joint carries.
    pub enum CarriedMoment {
        /// About the normal of its two axes: the joint does no work.
        #[default]
        Normal = "normal",
        /// About the base's upward axis, as in a published kinetostatic model; only with a joint
        /// carried by the base.
        Upright = "upright",
    }
}

table! {
    /// The universal joint at A.
    #[derive(Copy)]
    pub struct UniversalJoint in "universal" {
        carried_by: Carrier = Carrier::Crank, "What carries the first axis of the universal joint at A: the crank, or the base by a parallelogram";
        first_axis: [f64; 3] = [0.0, 0.0, 1.0], "First axis in the base's axes: along the crank, up, along the motor; of any length but zero" ["-"; -1000 to 1000];
        second_axis: [f64; 3] = [0.0, 1.0, 0.0], "Second axis in the axes of the leaf's root: along it, normal to its face, across it; of any length but zero" ["-"; -1000 to 1000];
        flipped: bool = false, "Mounts the leaf turned by half a turn about its chord";
        carried_moment: CarriedMoment = CarriedMoment::Normal, "Axis of the moment it carries: normal to both axes, or upright as in a published model";
    }
}

/// The section of a flexible member.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SectionShape {
    /// The leaf's own width and thickness.
    #[default]
    Leaf,
    /// A round rod.
    Rod {
        /// Radius [m].
        radius_m: f64,
    },
}

/// Which section; its rows are those of [`SectionShape`], which has a radius only where it is a rod.
mod section_rows {
    use softdock_settings::{table, words};

    words! {
        /// Which section.
        pub enum SectionKind {
            /// The leaf's own.
            #[default]
            Leaf = "leaf",
            /// A round rod.
            Rod = "rod",
        }
    }

    table! {
        /// The rows.
        pub struct SectionRows in "section" {
            kind: SectionKind = SectionKind::Leaf, "Section: the leaf's own width and thickness, or a round rod";
            radius_m: Option<f64> = None, "Radius of the rod; only with kind = \"rod\"" ["m"; 1e-6 to 1] sample "0.002";
        }
    }
}

impl SectionShape {
    /// The radius of a rod.
    pub const RADIUS: Parameter = section_rows::SectionRows::radius_m;
}

impl Table for SectionShape {
    fn collect(out: &mut Vec<&'static Parameter>) {
        section_rows::SectionRows::collect(out);
    }

    fn check_ranges(&self) -> Result<(), ConfigError> {
        match *self {
            Self::Leaf => Ok(()),
            Self::Rod { radius_m } => Self::RADIUS.check(radius_m),
        }
    }
}

table! {
    /// Configuration of a spatial leg.
    pub struct SpatialLegConfig in "" {
        gravity_m_s2: [f64; 3] = [0.0, 0.0, -9.81], "Gravity along x, y and z" ["m/s²"; -1000 to 1000];
        q1_rad: f64 = 0.0, "Crank angle of the pre-tensioned posture" ["rad"; -10 to 10];
        tip_position_m: [f64; 3] = [0.19, 0.0, 0.40], "Tip B of the pre-tensioned posture, not farther from A than the leaf is long" ["m"; -100 to 100];
        #[serde(skip_serializing_if = "Option::is_none")]
        motor_middle_rad: Option<f64> = None, "Crank angle in the middle of motor.range_rad; left out: q1_rad" ["rad"; -10 to 10] sample "0.05";
        #[serde(skip_serializing_if = "Option::is_none")]
        stroke_middle_m: Option<f64> = None, "Distance A to B in the middle of tendon.stroke_m; left out: that of the pre-tensioned posture" ["m"; 1e-6 to 100] sample "0.41";
        side: Side = Side::default(), "Side to which the leaf bows: +x is outward, to the right of A→B seen along the motor's axis" ["-"; "+x or -x"];
        /// Where it stands.
        table base: Base;
        /// The crank, a slender rod.
        table crank: Crank;
        /// The universal joint.
        table universal: UniversalJoint;
        /// The leaf spring.
        table leaf: Leaf;
        /// The leaf's section, if it is not a leaf.
        table section: SectionShape;
        /// The tendon.
        table tendon: Tendon;
        /// The motor.
        table motor: Motor;
        /// Mesh and time stepping.
        table solver: Solver;
    }
}

impl SpatialLegConfig {
    /// Pose of the crank at an angle [rad]: its origin on the motor's axis, e1 along the crank, e3
    /// along the axis.
    pub fn crank_pose(&self, q1: f64) -> Result<Se3, ConfigError> {
        let base = self.base.axes()?;
        let axis = Unit::new_normalize(base.column(2).into());
        let turn = Rotation3::from_axis_angle(&axis, q1);
        let origin = Vector3::from(self.base.motor_position_m);
        Ok(Se3::from_parts(origin, turn.matrix() * base))
    }

    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        self.leaf.validate()?;
        if self.leaf.section == LeafSection::Strip && self.section != SectionShape::Leaf {
            return Err(ConfigError {
                key: Leaf::section.key,
                value: 1.0,
                allowed: "`beam` where section.kind = \"rod\"",
            });
        }
        self.base.axes()?;
        for (key, axis) in [
            (UniversalJoint::first_axis.key, self.universal.first_axis),
            (UniversalJoint::second_axis.key, self.universal.second_axis),
        ] {
            let norm = Vector3::from(axis).norm();
            if norm <= 1e-9 {
                return Err(ConfigError {
                    key,
                    value: norm,
                    allowed: "a direction, not zero",
                });
            }
        }
        if self.universal.carried_moment == CarriedMoment::Upright
            && self.universal.carried_by == Carrier::Crank
        {
            return Err(ConfigError {
                key: UniversalJoint::carried_moment.key,
                value: 1.0,
                allowed: "`upright` only with universal.carried_by = \"base\"",
            });
        }
        self.motor.validate()
    }

    pub(super) fn section(&self) -> multibody::Result<multibody::model::Section<6, 3>> {
        match self.section {
            SectionShape::Leaf => self.leaf.spatial_section(),
            SectionShape::Rod { radius_m } => {
                multibody::model::Section::<6, 3>::circle(&self.leaf.material(), radius_m)
            }
        }
    }
}

/// What determines the tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TipDrive {
    /// Its position follows inputs.
    Prescribed,
    /// It moves freely under a force.
    Free,
}

/// Input channels of the spatial leg, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SpatialChannel {
    /// Torque on the crank [N·m].
    CrankTorque = 0,
    /// Target of the crank's angle [rad].
    CrankAngle = 1,
    /// Tip position [m], three channels.
    TipPosition = 2,
    /// Force on the tip [N], three channels.
    TipForce = 5,
    /// Force across the middle of the leaf [N].
    Imperfection = 8,
    /// Pull of the tendon's winch, added to what the tendon has by itself [N].
    TendonForce = 9,
    /// Pose of the base, six channels: position [m], rotation vector [rad]; only of a leg on a
    /// moving base.
    BasePose = 10,
}

/// Number of channels of a leg on the ground.
pub const SPATIAL_CHANNELS: usize = 10;

/// What carries the leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foundation {
    /// The ground.
    Ground,
    /// A base moved by inputs, at the ground's frame when they are zero.
    Moving,
}

/// A spatial leg ready for the solvers.
#[derive(Debug, Clone)]
pub struct SpatialLeg {
    /// Its configuration.
    pub config: Box<SpatialLegConfig>,
    /// The model; its initial pose is the unstressed leaf.
    pub model: Box<SpatialModel>,
    /// Motor joint at O.
    pub motor_joint: JointId,
    /// Joint that carries the leaf's root at A.
    pub root_joint: JointId,
    /// Driver of the crank's angle.
    pub crank_driver: Option<JointId>,
    /// Driver of the tip.
    pub tip_driver: Option<JointId>,
    /// The leaf.
    pub leaf: BeamId,
    /// The tendon.
    pub tendon: Option<ForceId>,
    /// The motor.
    pub motor: ForceId,
    /// Its stops; none where its motion is prescribed.
    pub motor_stops: Option<ForceId>,
    /// The crank.
    pub crank: NodeId,
    /// First node of the leaf (A).
    pub node_a: NodeId,
    /// Last node of the leaf (B).
    pub node_b: NodeId,
    /// The moving base and the joint by which it carries the leg.
    pub base: Option<(FrameId, JointId)>,
}

impl SpatialLeg {
    /// Builds the leg, unstressed, its crank at `q1` and its chord toward `tip`.
    pub fn new(
        config: &SpatialLegConfig,
        crank_drive: LinkDrive,
        tip_drive: TipDrive,
        q1: f64,
        tip: Vector3<f64>,
        rest_length: Option<f64>,
    ) -> Result<Self, LegError> {
        let ground = Foundation::Ground;
        Self::founded(config, ground, crank_drive, tip_drive, q1, tip, rest_length)
    }

    /// The same on a foundation of choice.
    #[inline(never)]
    pub fn founded(
        config: &SpatialLegConfig,
        foundation: Foundation,
        crank_drive: LinkDrive,
        tip_drive: TipDrive,
        q1: f64,
        tip: Vector3<f64>,
        rest_length: Option<f64>,
    ) -> Result<Self, LegError> {
        config.validate()?;
        let mut builder = ModelBuilder::<Se3, 6, 3>::new();
        builder.gravity(config.gravity_m_s2.into());
        let names = [
            "crank torque",
            "crank angle",
            "tip x",
            "tip y",
            "tip z",
            "force x",
            "force y",
            "force z",
            "imperfection",
            "tendon force",
        ];
        let inputs = names.map(|name| builder.input(name));
        let carried = (foundation == Foundation::Moving).then(|| moving_base(&mut builder));
        let placement = Placement {
            name: "",
            body: carried.map_or(Body::Ground, |(_, _, node)| Body::Node(node)),
            crank_drive,
            q1,
            tip,
            torque: inputs[SpatialChannel::CrankTorque as usize],
            angle: inputs[SpatialChannel::CrankAngle as usize],
        };
        let parts = SpatialParts::add(&mut builder, config, &placement)?;
        let SpatialParts { leaf, node_b, .. } = parts;
        let here = Attachment::node(node_b, Se3::identity());
        let tip_driver = (tip_drive == TipDrive::Prescribed).then(|| {
            let first = SpatialChannel::TipPosition as usize;
            let place = [inputs[first], inputs[first + 1], inputs[first + 2]];
            let world = Attachment::ground(Se3::identity());
            builder.joint("tip", JointKind::PrescribedPosition(place), world, here)
        });
        add_forces(&mut builder, config, node_b, leaf, &inputs);
        let winch = inputs[SpatialChannel::TendonForce as usize];
        let tendon = parts.add_tendon(&mut builder, config, rest_length, winch);
        let model = Box::new(builder.build()?);
        Ok(Self {
            config: Box::new(config.clone()),
            model,
            motor_joint: parts.motor_joint,
            root_joint: parts.root_joint,
            crank_driver: parts.crank_driver,
            tip_driver,
            leaf,
            tendon,
            motor: parts.motor,
            motor_stops: parts.motor_stops,
            crank: parts.crank,
            node_a: parts.node_a,
            node_b,
            base: carried.map(|(frame, joint, _)| (frame, joint)),
        })
    }

    /// Force of the leg on whatever holds its tip [N]; zero when the tip is free.
    pub fn tip_force(&self, state: &SpatialState) -> Vector3<f64> {
        self.tip_driver.map_or(Vector3::zeros(), |joint| {
            -results::reaction(&self.model, state, joint).force
        })
    }

    /// Wrench of the leg on a base that moves, world axes, about the base's origin [N, N·m]; zero on
    /// the ground.
    pub fn base_wrench(&self, state: &SpatialState) -> Vector6<f64> {
        self.base.map_or(Vector6::zeros(), |(_, joint)| {
            // The joint sits at the base's origin and pushes the leg.
            let on_leg = results::reaction(&self.model, state, joint);
            let mut out = Vector6::zeros();
            out.fixed_rows_mut::<3>(0).copy_from(&-on_leg.force);
            out.fixed_rows_mut::<3>(3)
                .copy_from(&-Vector3::from(on_leg.moment));
            out
        })
    }
}

/// A massless base that follows its six inputs.
fn moving_base(builder: &mut ModelBuilder<Se3, 6, 3>) -> (FrameId, JointId, NodeId) {
    let names = ["base x", "base y", "base z", "turn x", "turn y", "turn z"];
    let inputs = names.map(|name| builder.input(name));
    let frame = builder.moving_frame("base", inputs);
    let node = builder.rigid_body("base", Se3::identity(), Matrix6::zeros());
    let mover = Attachment {
        body: Body::Frame(frame),
        frame: Se3::identity(),
    };
    let carried = Attachment::node(node, Se3::identity());
    let joint = builder.joint("base", JointKind::Fixed, mover, carried);
    (frame, joint, node)
}

fn add_forces(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    config: &SpatialLegConfig,
    tip: NodeId,
    leaf: BeamId,
    inputs: &[InputId; SPATIAL_CHANNELS],
) {
    let first = SpatialChannel::TipForce as usize;
    builder.wrench(Force::Wrench {
        name: "tip force".into(),
        node: tip,
        point: Vector3::zeros(),
        axes: Axes::World,
        force: [
            Some(inputs[first]),
            Some(inputs[first + 1]),
            Some(inputs[first + 2]),
        ],
        moment: [None; 3],
    });
    let middle = builder.beam_node(leaf, config.solver.elements / 2);
    builder.wrench(Force::Wrench {
        name: "imperfection".into(),
        node: middle,
        point: Vector3::zeros(),
        axes: Axes::Body,
        force: [
            None,
            Some(inputs[SpatialChannel::Imperfection as usize]),
            None,
        ],
        moment: [None; 3],
    });
}

/// The pre-tensioned spatial leg.
#[derive(Debug, Clone)]
pub struct SpatialPretensioned {
    /// The leg with crank and tip prescribed.
    pub leg: SpatialLeg,
    /// Its equilibrium.
    pub state: SpatialState,
    /// Distance A to B [m].
    pub chord_m: f64,
    /// Tendon tension [N].
    pub tension_n: f64,
    /// Rest length of the tendon [m].
    pub rest_length_m: Option<f64>,
    /// Thrust of the leaf along AB at its tip [N].
    pub thrust_n: f64,
    /// Force of the leg on what holds its tip [N].
    pub tip_force_n: [f64; 3],
    /// Torque that holds the crank [N·m].
    pub hold_torque_nm: f64,
    /// Largest force that equilibrium misses [N or N·m].
    pub residual_n: f64,
    /// Newton iterations on the way.
    pub iterations: usize,
}

/// Finds the bowed equilibrium with crank and tip held.
#[inline(never)]
pub fn pretension_spatial(config: &SpatialLegConfig) -> Result<SpatialPretensioned, LegError> {
    pretension_by(config, true, |_, _, _| {})
}

/// The same; `visit` sees the equilibria on the way from the straight leaf, still without tendon
/// and no longer pushed to its side.
pub fn pretension_spatial_along(
    config: &SpatialLegConfig,
    visit: impl FnMut(&SpatialLeg, &SpatialState, &PathPoint),
) -> Result<SpatialPretensioned, LegError> {
    pretension_by(config, false, visit)
}

/// The same; `at_once` starts from the elastica where that is known, and sees no way there.
fn pretension_by(
    config: &SpatialLegConfig,
    at_once: bool,
    mut visit: impl FnMut(&SpatialLeg, &SpatialState, &PathPoint),
) -> Result<SpatialPretensioned, LegError> {
    // Modes are those of the leaf once it is bowed; equilibrium does not depend on damping.
    let wanted = config;
    let mut plain = Box::new(config.clone());
    plain.leaf = config.leaf.without_modal_damping();
    let config = &*plain;
    let mut iterations = 0;
    let mut note = |leg: &SpatialLeg, state: &SpatialState, point: &PathPoint| {
        iterations += point.iterations;
        let push = state.inputs.value[SpatialChannel::Imperfection as usize];
        if push == 0.0 && point.parameter > 0.0 {
            visit(leg, state, point);
        }
    };
    let tip = Vector3::from(config.tip_position_m);
    let prescribed = LinkDrive::Prescribed;
    let q1 = config.q1_rad;
    let bare = without_tendon(config, tip)?;
    let mut state = State::new(&bare.model);
    let mut workspace = Box::new(Workspace::new(&bare.model));
    let mut found = None;
    if at_once {
        found = bow_at_once(&bare, &mut state, &mut workspace, tip)?;
    }
    if found.is_none() {
        bow(&bare, &mut state, &mut workspace, tip, &mut note)?;
    }
    iterations += found.unwrap_or(0);
    let a = state.pose(bare.node_a).translation();
    let chord = (tip - a).norm();
    let e = (tip - a) / chord;
    let on_leaf_a = results::reaction(&bare.model, &state, bare.root_joint).force;
    let thrust = 0.5 * (bare.tip_force(&state) + on_leaf_a).dot(&e);
    let rest_length = config.tendon.present.then(|| {
        config
            .tendon
            .rest_length_m
            .unwrap_or(chord - thrust.max(0.0) / config.tendon.stiffness_n_per_m)
    });
    if rest_length.is_some_and(|rest| rest < 0.0) {
        let stiffness_n_per_m = config.tendon.stiffness_n_per_m;
        return Err(LegError::TensionTooHigh {
            tension_n: thrust,
            highest_n: stiffness_n_per_m * chord,
            chord_m: chord,
            stiffness_n_per_m,
        });
    }
    let leg = SpatialLeg::new(
        config,
        prescribed,
        TipDrive::Prescribed,
        q1,
        tip,
        rest_length,
    )?;
    let mut workspace = Box::new(Workspace::new(&leg.model));
    let solved = statics::solve(
        &leg.model,
        &mut state,
        &mut workspace,
        &StaticSettings::default(),
    )?;
    let line = leg
        .tendon
        .and_then(|tendon| results::line(&leg.model, &state, tendon));
    let hold = leg.crank_driver.map(|joint| {
        let moment = Vector3::from(results::reaction(&leg.model, &state, joint).moment);
        Ok::<f64, LegError>(moment.dot(&config.base.axes()?.column(2)))
    });
    Ok(SpatialPretensioned {
        chord_m: chord,
        tension_n: line.map_or(0.0, |line| line.response.tension),
        rest_length_m: rest_length,
        thrust_n: thrust,
        tip_force_n: leg.tip_force(&state).into(),
        hold_torque_nm: hold.transpose()?.unwrap_or(0.0),
        residual_n: solved.residual,
        iterations: iterations + solved.iterations,
        leg: SpatialLeg {
            config: Box::new(wanted.clone()),
            ..leg
        },
        state,
    })
}

/// The leg without its tendon, crank and tip led. On the heap, and built in a frame of its own: hosts
/// call with little stack.
#[inline(never)]
fn without_tendon(
    config: &SpatialLegConfig,
    tip: Vector3<f64>,
) -> Result<Box<SpatialLeg>, LegError> {
    let (prescribed, q1) = (LinkDrive::Prescribed, config.q1_rad);
    let leg = SpatialLeg::new(config, prescribed, TipDrive::Prescribed, q1, tip, None)?;
    Ok(Box::new(leg))
}

/// A leaf whose middle moves by more than this part of its length from where the elastica has it is
/// not that elastica bent by its weight, but perhaps another equilibrium.
const SAME_BOW: f64 = 0.05;

/// Newton's method from the elastica between crank and tip; iterations if that led to an equilibrium
/// next to it. Otherwise the state is as it was.
#[inline(never)]
fn bow_at_once(
    leg: &SpatialLeg,
    state: &mut SpatialState,
    workspace: &mut Workspace<Se3, 6>,
    tip: Vector3<f64>,
) -> Result<Option<usize>, LegError> {
    let config = &leg.config;
    let Some(poses) = super::strut::bowed_poses(config)? else {
        return Ok(None);
    };
    let first = leg.node_a.index();
    state.poses[first..first + poses.len()].copy_from_slice(&poses);
    state.inputs.value[SpatialChannel::CrankAngle as usize] = config.q1_rad;
    for i in 0..3 {
        state.inputs.value[SpatialChannel::TipPosition as usize + i] = tip[i];
    }
    let solved = statics::solve(&leg.model, state, workspace, &StaticSettings::default());
    let middle = config.solver.elements / 2;
    let moved = state.poses[first + middle].translation() - poses[middle].translation();
    let near = moved.norm() <= SAME_BOW * config.leaf.length_m;
    match solved {
        Ok(solved) if near => Ok(Some(solved.iterations)),
        _ => {
            *state = State::new(&leg.model);
            Ok(None)
        }
    }
}

/// Moves the tip from where the unstressed leaf has it to `tip`; `note` sees every point of the way.
#[inline(never)]
fn bow(
    leg: &SpatialLeg,
    state: &mut SpatialState,
    workspace: &mut Workspace<Se3, 6>,
    tip: Vector3<f64>,
    note: &mut impl FnMut(&SpatialLeg, &SpatialState, &PathPoint),
) -> Result<(), LegError> {
    let config = &leg.config;
    let a = state.pose(leg.node_a).translation();
    let from = state.pose(leg.node_b).translation();
    let (chord, natural) = ((tip - a).norm(), (from - a).norm());
    let straight = config.leaf.curvature_per_m == 0.0;
    if straight && chord > natural {
        return Err(LegError::ImpossibleChord {
            chord_m: chord,
            shortest_m: 0.02 * natural,
            longest_m: natural,
            reason: "it is longer than the leaf, which does not stretch",
        });
    }
    let inputs = |place: Vector3<f64>, push: f64| {
        let mut list = vec![0.0; SPATIAL_CHANNELS];
        list[SpatialChannel::CrankAngle as usize] = config.q1_rad;
        for i in 0..3 {
            list[SpatialChannel::TipPosition as usize + i] = place[i];
        }
        list[SpatialChannel::Imperfection as usize] = push;
        list
    };
    let settings = ContinuationSettings {
        largest_step: 0.1,
        ..Default::default()
    };
    let mut load = |from: Vec<f64>, to: Vec<f64>| {
        let path = Path { from, to };
        statics::load_to(
            &leg.model,
            state,
            workspace,
            &path,
            &settings,
            |state, point| note(leg, state, point),
        )
    };
    let push = if straight {
        0.1 * config.leaf.euler_load() * config.side.sign()
    } else {
        0.0
    };
    let early = a + (from - a) * (chord / natural).max(0.98);
    load(inputs(from, push), inputs(early, 0.0))?;
    load(inputs(early, 0.0), inputs(tip, 0.0))?;
    Ok(())
}
