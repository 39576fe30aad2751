//! The planar leg as a model of the kernel.
//!
//! Four bars: ground, crank OA (q1), leaf AB, upper link CB (q3). Node frames: the crank at O
//! with e1 toward A; the leaf's nodes with e1 along it, from A to B; the upper link at C with e1
//! toward B. The tendon runs between the leaf's end nodes.

use super::LegError;
use super::config::{LegConfig, MotorMode};
use super::pretension::{Balance, pretension_boxed};
use core::f64::consts::{PI, TAU};
use multibody::assembly::modal_dampers;
use multibody::element::ElementKind;
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Force, ForceId, Hold, InputId, JointId, JointKind,
    ModalDamper, ModelBuilder, MotorLaw, NodeId, PlanarModel, PointOn, planar_inertia,
};
use multibody::workspace::Workspace;
use nalgebra::Vector2;

/// How a link's angle is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDrive {
    /// It turns freely under torques and loads.
    Free,
    /// It follows an input.
    Prescribed,
    /// A PD controller pulls it toward an input (crank only).
    Held,
}

impl From<MotorMode> for LinkDrive {
    fn from(mode: MotorMode) -> Self {
        match mode {
            MotorMode::Torque => Self::Free,
            MotorMode::Locked | MotorMode::Angle => Self::Prescribed,
            MotorMode::Hold => Self::Held,
        }
    }
}

/// Input channels of the leg, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Channel {
    /// Torque on the crank [N·m].
    CrankTorque = 0,
    /// Torque on the upper link [N·m].
    LinkTorque = 1,
    /// Force on the upper link's end along x [N].
    LoadX = 2,
    /// Force on the upper link's end along y [N].
    LoadY = 3,
    /// Target of the crank's angle [rad].
    CrankAngle = 4,
    /// Target of the upper link's angle [rad].
    LinkAngle = 5,
    /// Force across the middle of the leaf, to choose the side it bows to [N].
    Imperfection = 6,
}

/// Number of channels.
pub const CHANNELS: usize = 7;

/// Names of the joints of a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegJoints {
    /// Ground to crank, at O.
    pub o: JointId,
    /// Crank to leaf.
    pub a: JointId,
    /// Leaf to upper link.
    pub b: JointId,
    /// Ground to upper link, at C.
    pub c: JointId,
    /// Driver of the crank's angle.
    pub crank_driver: Option<JointId>,
    /// Driver of the upper link's angle.
    pub link_driver: Option<JointId>,
}

/// A planar leg ready for the solvers.
#[derive(Debug, Clone)]
pub struct PlanarLeg {
    /// Its configuration.
    pub config: Box<LegConfig>,
    /// The model; its initial pose is the straight, unstressed leaf.
    pub model: Box<PlanarModel>,
    /// The joints.
    pub joints: LegJoints,
    /// The leaf.
    pub leaf: BeamId,
    /// The tendon, if there is one.
    pub tendon: Option<ForceId>,
    /// The motor, if it holds.
    pub motor: Option<ForceId>,
    /// First node of the leaf (A).
    pub node_a: NodeId,
    /// Last node of the leaf (B).
    pub node_b: NodeId,
}

/// Geometry of the four-bar.
#[derive(Debug, Clone, Copy)]
pub struct Linkage {
    o: Vector2<f64>,
    c: Vector2<f64>,
    l1: f64,
    l3: f64,
}

impl Linkage {
    /// That of a configuration.
    pub fn new(config: &LegConfig) -> Self {
        Self {
            o: config.geometry.lower_pivot_m.into(),
            c: config.geometry.upper_pivot_m.into(),
            l1: config.crank.length_m,
            l3: config.link.length_m,
        }
    }

    /// A, the tip of the crank [m].
    pub fn point_a(&self, q1: f64) -> Vector2<f64> {
        self.o + Vector2::new(math::cos(q1), math::sin(q1)) * self.l1
    }

    /// B, the end of the upper link [m].
    pub fn point_b(&self, q3: f64) -> Vector2<f64> {
        self.c + Vector2::new(math::cos(q3), math::sin(q3)) * self.l3
    }

    /// Distance A to B [m].
    pub fn chord(&self, q1: f64, q3: f64) -> f64 {
        (self.point_b(q3) - self.point_a(q1)).norm()
    }

    /// Shortest and longest distance A to B at crank angle q1.
    pub fn chord_range(&self, q1: f64) -> (f64, f64) {
        let r = (self.point_a(q1) - self.c).norm();
        ((r - self.l3).abs(), r + self.l3)
    }

    /// Shortest and longest distance A to B with one link free, the other at its angle of `held`
    /// (q1, q3).
    pub(super) fn chord_range_of(&self, free: Balance, held: [f64; 2]) -> (f64, f64) {
        match free {
            Balance::Link => self.chord_range(held[0]),
            Balance::Crank => {
                let r = (self.point_b(held[1]) - self.o).norm();
                ((r - self.l1).abs(), r + self.l1)
            }
        }
    }

    /// Angle of the free link, nearest to its own of `near` (q1, q3), at which A and B are `chord`
    /// apart.
    pub(super) fn angle_of(&self, free: Balance, near: [f64; 2], chord: f64) -> Option<f64> {
        match free {
            Balance::Link => self.q3_at(near[0], chord, near[1]),
            Balance::Crank => self.q1_at(near[1], chord, near[0]),
        }
    }

    /// Angle q3 nearest to `near` at which A and B are `chord` apart.
    pub(super) fn q3_at(&self, q1: f64, chord: f64, near: f64) -> Option<f64> {
        angle_at(self.c, self.l3, self.point_a(q1), chord, near)
    }

    /// Angle q1 nearest to `near` at which A and B are `chord` apart.
    pub(super) fn q1_at(&self, q3: f64, chord: f64, near: f64) -> Option<f64> {
        angle_at(self.o, self.l1, self.point_b(q3), chord, near)
    }
}

/// Angle nearest to `near` of a link of `length` on `pivot` whose end is `distance` from `point`.
fn angle_at(
    pivot: Vector2<f64>,
    length: f64,
    point: Vector2<f64>,
    distance: f64,
    near: f64,
) -> Option<f64> {
    let to_point = point - pivot;
    let r = to_point.norm();
    let cosine = (r * r + length * length - distance * distance) / (2.0 * r * length);
    if cosine.is_nan() || cosine.abs() > 1.0 {
        return None;
    }
    let (middle, half) = (math::atan2(to_point.y, to_point.x), math::acos(cosine));
    let nearest = |angle: f64| {
        let turns = ((near - angle) / TAU).round();
        angle + turns * TAU
    };
    let (plus, minus) = (nearest(middle + half), nearest(middle - half));
    Some(if (plus - near).abs() <= (minus - near).abs() {
        plus
    } else {
        minus
    })
}

/// Brings an angle to (−π, π].
pub(super) fn wrap(angle: f64) -> f64 {
    let turned = angle - TAU * (angle / TAU).round();
    if turned <= -PI { turned + TAU } else { turned }
}

impl PlanarLeg {
    /// Builds the leg with the given drives, straight at crank angle `q1`. `rest_length` [m]
    /// adds the tendon.
    #[inline(never)]
    pub fn new(
        config: &LegConfig,
        crank_drive: LinkDrive,
        link_drive: LinkDrive,
        q1: f64,
        rest_length: Option<f64>,
    ) -> Result<Self, LegError> {
        config.validate()?;
        // First, with nothing large on the stack: dampers of modes need a leg that is bowed.
        let modal = dampers(config)?;
        Self::damped(config, [crank_drive, link_drive], q1, rest_length, modal)
    }

    /// The same with these dampers of modes, `config` being valid.
    #[inline(never)]
    fn damped(
        config: &LegConfig,
        [crank_drive, link_drive]: [LinkDrive; 2],
        q1: f64,
        rest_length: Option<f64>,
        modal: Vec<ModalDamper<3>>,
    ) -> Result<Self, LegError> {
        let linkage = Linkage::new(config);
        let length = config.leaf.length_m;
        let q3 = linkage
            .q3_at(q1, length, config.pretension.q3_rad)
            .ok_or_else(|| {
                let (shortest_m, longest_m) = linkage.chord_range(q1);
                LegError::CannotMount {
                    q1_rad: q1,
                    length_m: length,
                    shortest_m,
                    longest_m,
                }
            })?;
        let mut builder = ModelBuilder::<Se2, 3, 2>::new();
        builder.gravity(config.gravity_m_s2.into());
        let inputs = [
            "crank torque",
            "link torque",
            "load x",
            "load y",
            "crank angle",
            "link angle",
            "imperfection",
        ]
        .map(|name| builder.input(name));
        let rod = |length: f64, mass: f64| {
            planar_inertia(mass, [0.5 * length, 0.0], mass * length * length / 12.0)
        };
        let (o, c) = (linkage.o, linkage.c);
        let crank = builder.rigid_body(
            "crank",
            Se2::new(o.x, o.y, q1),
            rod(config.crank.length_m, config.crank.mass_kg),
        );
        let (a, b) = (linkage.point_a(q1), linkage.point_b(q3));
        let direction = math::atan2((b - a).y, (b - a).x);
        let mut spec = BeamSpec::straight(
            length,
            config.solver.elements,
            config.leaf.planar_section()?,
        );
        spec.curvature = [config.leaf.curvature_per_m, 0.0, 0.0];
        spec.rayleigh = config.leaf.rayleigh();
        spec.modal = modal;
        spec.kind = ElementKind::from(config.leaf.kind);
        spec.strip = config.leaf.strip();
        let leaf = builder.beam("leaf", Se2::new(a.x, a.y, direction), &spec);
        let link = builder.rigid_body(
            "upper link",
            Se2::new(c.x, c.y, q3),
            rod(config.link.length_m, config.link.mass_kg),
        );
        let (node_a, node_b) = (builder.beam_node(leaf, 0), builder.beam_end(leaf));
        let joints = add_joints(
            &mut builder,
            config,
            [crank, node_a, node_b, link],
            &inputs,
            [crank_drive, link_drive],
        );
        let motor = add_motor(&mut builder, config, &joints, crank_drive, &inputs);
        add_loads(&mut builder, config, link, leaf, &joints, &inputs);
        let tendon = rest_length
            .filter(|_| config.tendon.present)
            .map(|rest_length| {
                let law = config.tendon.law(rest_length);
                let point = |node| PointOn::node(node, Vector2::zeros());
                builder.line("tendon", point(node_a), point(node_b), law)
            });
        let model = Box::new(builder.build()?);
        let config = Box::new(config.clone());
        Ok(Self {
            config,
            model,
            joints,
            leaf,
            tendon,
            motor,
            node_a,
            node_b,
        })
    }
}

/// Dampers of the modes of the leaf in the configuration's pre-tensioned posture, both links held.
#[inline(never)]
fn dampers(config: &LegConfig) -> Result<Vec<ModalDamper<3>>, LegError> {
    if !config.leaf.has_modal_damping() {
        return Ok(Vec::new());
    }
    let mut posture = Box::new(config.clone());
    posture.leaf = config.leaf.undamped();
    let bowed = pretension_boxed(&posture)?;
    let (model, ratios) = (&bowed.leg.model, &config.leaf.modal_damping_ratios);
    let mut workspace = Box::new(Workspace::new(model));
    let leaf = bowed.leg.leaf;
    Ok(modal_dampers(
        model,
        &bowed.state,
        &mut workspace,
        leaf,
        ratios,
    )?)
}

fn add_joints(
    builder: &mut ModelBuilder<Se2, 3, 2>,
    config: &LegConfig,
    [crank, node_a, node_b, link]: [NodeId; 4],
    inputs: &[InputId; CHANNELS],
    drives: [LinkDrive; 2],
) -> LegJoints {
    let at = |x: f64, y: f64| Se2::new(x, y, 0.0);
    let [ox, oy] = config.geometry.lower_pivot_m;
    let [cx, cy] = config.geometry.upper_pivot_m;
    let here = Se2::identity();
    let (ground_o, ground_c) = (
        Attachment::ground(at(ox, oy)),
        Attachment::ground(at(cx, cy)),
    );
    let (crank_o, link_c) = (Attachment::node(crank, here), Attachment::node(link, here));
    let revolute = JointKind::Revolute;
    let o = builder.joint("O", revolute, ground_o, crank_o);
    let crank_tip = Attachment::node(crank, at(config.crank.length_m, 0.0));
    let a = builder.joint("A", revolute, crank_tip, Attachment::node(node_a, here));
    let link_tip = Attachment::node(link, at(config.link.length_m, 0.0));
    let b = builder.joint("B", revolute, Attachment::node(node_b, here), link_tip);
    let c = builder.joint("C", revolute, ground_c, link_c);
    let mut driver = |name, drive, channel: Channel, ground, body| {
        (drive == LinkDrive::Prescribed).then(|| {
            let kind = JointKind::PrescribedAngle(inputs[channel as usize]);
            builder.joint(name, kind, ground, body)
        })
    };
    let crank_driver = driver(
        "crank drive",
        drives[0],
        Channel::CrankAngle,
        ground_o,
        crank_o,
    );
    let link_driver = driver(
        "link drive",
        drives[1],
        Channel::LinkAngle,
        ground_c,
        link_c,
    );
    LegJoints {
        o,
        a,
        b,
        c,
        crank_driver,
        link_driver,
    }
}

fn add_motor(
    builder: &mut ModelBuilder<Se2, 3, 2>,
    config: &LegConfig,
    joints: &LegJoints,
    crank_drive: LinkDrive,
    inputs: &[InputId; CHANNELS],
) -> Option<ForceId> {
    let hold = (crank_drive == LinkDrive::Held).then(|| Hold {
        target: inputs[Channel::CrankAngle as usize],
        stiffness: config.motor.hold_stiffness_nm_per_rad,
        damping: config.motor.hold_damping_nm_s_per_rad,
    });
    let law = (config.motor).law(inputs[Channel::CrankTorque as usize], hold);
    Some(builder.motor("motor", joints.o, law))
}

fn add_loads(
    builder: &mut ModelBuilder<Se2, 3, 2>,
    config: &LegConfig,
    link: NodeId,
    leaf: BeamId,
    joints: &LegJoints,
    inputs: &[InputId; CHANNELS],
) {
    let input = |channel: Channel| Some(inputs[channel as usize]);
    let load = MotorLaw::torque(inputs[Channel::LinkTorque as usize]);
    builder.motor("link torque", joints.c, load);
    builder.wrench(Force::Wrench {
        name: "load".into(),
        node: link,
        point: Vector2::new(config.link.length_m, 0.0),
        axes: Axes::World,
        force: [input(Channel::LoadX), input(Channel::LoadY)],
        moment: [None; 3],
    });
    let middle = builder.beam_node(leaf, config.solver.elements / 2);
    builder.wrench(Force::Wrench {
        name: "imperfection".into(),
        node: middle,
        point: Vector2::zeros(),
        axes: Axes::Body,
        force: [None, input(Channel::Imperfection)],
        moment: [None; 3],
    });
}
