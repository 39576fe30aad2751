//! The parts of a spatial leg inside a model: a leg by itself, or one of several.

use super::LegError;
use super::planar::LinkDrive;
use super::spatial::{
    CarriedMoment, Carrier, SpatialLegConfig, SpatialPretensioned, pretension_spatial,
};
use multibody::assembly::modal_dampers;
use multibody::element::ElementKind;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::model::{
    Attachment, BeamId, BeamSpec, Body, ForceId, Hold, InputId, JointId, JointKind, ModalDamper,
    ModelBuilder, NodeId, PointOn, spatial_inertia,
};
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

/// How a leg is put into a model.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// In front of the names of its parts.
    pub name: &'a str,
    /// What carries it; its frame is that of the leg's configuration.
    pub body: Body,
    /// What determines the crank's angle.
    pub crank_drive: LinkDrive,
    /// Crank angle [rad].
    pub q1: f64,
    /// Where the unstressed leaf points to [m].
    pub tip: Vector3<f64>,
    /// Channel of the torque on the crank [N·m].
    pub torque: InputId,
    /// Channel of the crank's target angle [rad].
    pub angle: InputId,
}

/// Bodies, joints and forces of a leg, without tendon and without what holds its tip.
#[derive(Debug, Clone, Copy)]
pub struct SpatialParts {
    /// Motor joint at O.
    pub motor_joint: JointId,
    /// Joint that carries the leaf's root at A.
    pub root_joint: JointId,
    /// Driver of the crank's angle.
    pub crank_driver: Option<JointId>,
    /// The leaf.
    pub leaf: BeamId,
    /// The motor.
    pub motor: ForceId,
    /// Its stops.
    pub motor_stops: Option<ForceId>,
    /// The crank.
    pub crank: NodeId,
    /// First node of the leaf (A).
    pub node_a: NodeId,
    /// Last node of the leaf (B).
    pub node_b: NodeId,
}

/// Axes and places of a leg at its crank angle.
struct Layout {
    /// Columns e_c, e_u, e_m of the base.
    base: Matrix3<f64>,
    /// The same turned with the crank.
    crank: Matrix3<f64>,
    o: Vector3<f64>,
    a: Vector3<f64>,
    /// First axis of the universal joint at q1 = 0.
    first: Vector3<f64>,
    /// Rotation of the leaf's root.
    root: Matrix3<f64>,
}

impl Layout {
    fn new(config: &SpatialLegConfig, q1: f64, tip: &Vector3<f64>) -> Result<Self, LegError> {
        let base = config.base.axes()?;
        let turn = Rotation3::from_axis_angle(&Unit::new_normalize(base.column(2).into()), q1);
        let o = Vector3::from(config.base.motor_position_m);
        let crank = turn.matrix() * base;
        let a = o + crank.column(0) * config.crank.length_m;
        let first = base * Vector3::from(config.universal.first_axis).normalize();
        let first_now = match config.universal.carried_by {
            Carrier::Crank => turn * first,
            Carrier::Base => first,
        };
        Ok(Self {
            root: root_rotation(config, &first_now, &(tip - a), &crank)?,
            base,
            crank,
            o,
            a,
            first,
        })
    }
}

impl SpatialParts {
    /// Adds a leg, unstressed, to a model being built; `config` must be valid.
    #[inline(never)]
    pub fn add(
        builder: &mut ModelBuilder<Se3, 6, 3>,
        config: &SpatialLegConfig,
        placement: &Placement<'_>,
    ) -> Result<Self, LegError> {
        // First, with nothing large on the stack: dampers of modes need a leg that is bowed.
        let modal = dampers(config, placement)?;
        Self::add_damped(builder, config, placement, modal)
    }

    /// The same with these dampers of modes.
    #[inline(never)]
    fn add_damped(
        builder: &mut ModelBuilder<Se3, 6, 3>,
        config: &SpatialLegConfig,
        placement: &Placement<'_>,
        modal: Vec<ModalDamper<6>>,
    ) -> Result<Self, LegError> {
        let layout = Layout::new(config, placement.q1, &placement.tip)?;
        let named = |part: &str| format!("{}{part}", placement.name);
        let pose = Se3::from_parts(layout.o, layout.crank);
        let crank = builder.rigid_body(&named("crank"), pose, crank_inertia(config));
        let leaf = add_leaf(builder, config, placement, &layout, modal)?;
        let (node_a, node_b) = (builder.beam_node(leaf, 0), builder.beam_end(leaf));

        let on_base = Attachment {
            body: placement.body,
            frame: Se3::from_parts(layout.o, layout.base),
        };
        let crank_o = Attachment::node(crank, Se3::identity());
        let motor_joint = builder.joint(&named("O"), JointKind::Revolute, on_base, crank_o);
        let crank_driver = (placement.crank_drive == LinkDrive::Prescribed).then(|| {
            let kind = JointKind::PrescribedAngle(placement.angle);
            builder.joint(&named("crank drive"), kind, on_base, crank_o)
        });
        let root_joint = add_root_joint(builder, config, placement, &layout, [crank, node_a]);
        Ok(Self {
            motor: add_motor(builder, config, placement, motor_joint),
            motor_stops: add_motor_stops(builder, config, placement, motor_joint),
            motor_joint,
            root_joint,
            crank_driver,
            leaf,
            crank,
            node_a,
            node_b,
        })
    }

    /// Adds the tendon, if the leg has one and its rest length [m] is known; the pull of its winch [N] is
    /// the input `winch`.
    pub fn add_tendon(
        &self,
        builder: &mut ModelBuilder<Se3, 6, 3>,
        config: &SpatialLegConfig,
        rest_length: Option<f64>,
        winch: InputId,
    ) -> Option<ForceId> {
        let rest_length = rest_length.filter(|_| config.tendon.present)?;
        let point = |node| PointOn::node(node, Vector3::zeros());
        let law = config.tendon.law(rest_length);
        // A configuration that has no posture was refused before.
        let middle = config.stroke_middle().ok();
        let stops = middle.and_then(|middle| config.tendon.stops(middle));
        let (a, b) = (point(self.node_a), point(self.node_b));
        Some(builder.stopped_line("tendon", a, b, law, stops, Some(winch)))
    }
}

/// The leaf. It and the joint are functions of their own because of the stack that they need.
#[inline(never)]
fn add_leaf(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
    layout: &Layout,
    modal: Vec<ModalDamper<6>>,
) -> Result<BeamId, LegError> {
    let mut spec = BeamSpec::straight(
        config.leaf.length_m,
        config.solver.elements,
        config.section()?,
    );
    spec.curvature = [0.0, 0.0, config.leaf.curvature_per_m];
    spec.rayleigh = config.leaf.rayleigh();
    spec.reference = placement.body;
    spec.modal = modal;
    spec.kind = ElementKind::from(config.leaf.kind);
    spec.strip = config.leaf.strip();
    let root = Se3::from_parts(layout.a, layout.root);
    Ok(builder.beam(&format!("{}leaf", placement.name), root, &spec))
}

/// The universal joint between crank and root of the leaf.
#[inline(never)]
fn add_root_joint(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
    layout: &Layout,
    [crank, node_a]: [NodeId; 2],
) -> JointId {
    let named = |part: &str| format!("{}{part}", placement.name);
    let tip = Vector3::new(config.crank.length_m, 0.0, 0.0);
    let second = frame_with_second(Vector3::from(config.universal.second_axis).normalize());
    let on_root = Attachment::node(node_a, Se3::from_parts(Vector3::zeros(), second));
    match config.universal.carried_by {
        Carrier::Crank => {
            let first = Vector3::from(config.universal.first_axis).normalize();
            let frame = Se3::from_parts(tip, frame_with(first, Vector3::x()));
            let on_crank = Attachment::node(crank, frame);
            builder.joint(&named("A"), JointKind::Universal, on_crank, on_root)
        }
        Carrier::Base => {
            let on_crank = Attachment::node(crank, Se3::from_translation(tip));
            let joint = builder.joint(&named("A"), JointKind::Spherical, on_crank, on_root);
            let up: Vector3<f64> = layout.base.column(1).into();
            let held = Se3::from_parts(Vector3::zeros(), frame_with(layout.first, up));
            let kind = match config.universal.carried_moment {
                CarriedMoment::Normal => JointKind::Perpendicular,
                CarriedMoment::Upright => JointKind::PerpendicularUpright,
            };
            let on_base = Attachment {
                body: placement.body,
                frame: held,
            };
            builder.joint(&named("A axes"), kind, on_base, on_root);
            joint
        }
    }
}

/// Dampers of the modes of the leaf bowed between crank and tip, which are held. The tendon between
/// the two does not matter.
#[inline(never)]
fn dampers(
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
) -> Result<Vec<ModalDamper<6>>, LegError> {
    if !config.leaf.has_modal_damping() {
        return Ok(Vec::new());
    }
    let bowed = bowed_undamped(config, placement)?;
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

/// The leg of [`dampers`] in equilibrium, without damping: it needs the least of the stack.
#[inline(never)]
fn bowed_undamped(
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
) -> Result<Box<SpatialPretensioned>, LegError> {
    let mut posture = Box::new(config.clone());
    posture.leaf = config.leaf.undamped();
    posture.q1_rad = placement.q1;
    posture.tip_position_m = placement.tip.into();
    Ok(Box::new(pretension_spatial(&posture)?))
}

/// A slender rod from the motor's axis outward.
fn crank_inertia(config: &SpatialLegConfig) -> nalgebra::Matrix6<f64> {
    let (length, mass) = (config.crank.length_m, config.crank.mass_kg);
    let across = mass * length * length / 12.0;
    let tensor = Matrix3::from_diagonal(&Vector3::new(0.0, across, across));
    spatial_inertia(mass, [0.5 * length, 0.0, 0.0], tensor)
}

fn add_motor(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
    joint: JointId,
) -> ForceId {
    let hold = (placement.crank_drive == LinkDrive::Held).then_some(Hold {
        target: placement.angle,
        stiffness: config.motor.hold_stiffness_nm_per_rad,
        damping: config.motor.hold_damping_nm_s_per_rad,
    });
    builder.motor("motor", joint, config.motor.law(placement.torque, hold))
}

/// Stops of the motor, unless its motion is prescribed.
fn add_motor_stops(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    config: &SpatialLegConfig,
    placement: &Placement<'_>,
    joint: JointId,
) -> Option<ForceId> {
    let stops = config.motor.stops(config.motor_middle())?;
    (placement.crank_drive != LinkDrive::Prescribed)
        .then(|| builder.stop(&format!("{}motor stops", placement.name), joint, stops))
}

/// A frame whose third column is `third` and whose first is as near to `fallback` as can be.
pub(super) fn frame_with(third: Vector3<f64>, fallback: Vector3<f64>) -> Matrix3<f64> {
    let e3 = third.normalize();
    let mut e1 = fallback - e3 * e3.dot(&fallback);
    if e1.norm() < 1e-9 {
        e1 = if e3.x.abs() < 0.9 {
            Vector3::x()
        } else {
            Vector3::y()
        };
        e1 -= e3 * e3.dot(&e1);
    }
    let e1 = e1.normalize();
    Matrix3::from_columns(&[e1, e3.cross(&e1), e3])
}

/// A frame whose second column is `second`.
fn frame_with_second(second: Vector3<f64>) -> Matrix3<f64> {
    let turned = frame_with(second, Vector3::x());
    // Columns (e1, e2, e3) → (e2, e3, e1) keeps the handedness and makes e3 the second.
    Matrix3::from_columns(&[turned.column(1), turned.column(2), turned.column(0)])
}

/// Chord of the unstressed leaf in its root frame: from its first to its last node [m].
fn natural_chord(config: &SpatialLegConfig) -> Vector3<f64> {
    let mut strain = nalgebra::Vector6::zeros();
    strain[0] = config.leaf.length_m;
    strain[5] = config.leaf.curvature_per_m * config.leaf.length_m;
    Se3::exp(&strain).translation()
}

/// Rotation of the root that points the unstressed chord along `toward` and keeps the second axis
/// at right angles to the first: of the two, the one whose e3 is nearer to the motor's axis.
fn root_rotation(
    config: &SpatialLegConfig,
    first: &Vector3<f64>,
    toward: &Vector3<f64>,
    crank_axes: &Matrix3<f64>,
) -> Result<Matrix3<f64>, LegError> {
    let refuse = |reason| LegError::ImpossibleChord {
        chord_m: toward.norm(),
        shortest_m: 0.0,
        longest_m: config.leaf.length_m,
        reason,
    };
    let chord = natural_chord(config);
    let u = toward
        .try_normalize(1e-9)
        .ok_or_else(|| refuse("the tip lies in the joint A"))?;
    let start = Rotation3::rotation_between(&chord, &u)
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::z_axis(), core::f64::consts::PI));
    let second = start * Vector3::from(config.universal.second_axis).normalize();
    // first · (turn by φ about u of second) = along + across cos(φ − φ0) = 0.
    let along = first.dot(&u) * u.dot(&second);
    let (cos_part, sin_part) = (first.dot(&second) - along, first.dot(&u.cross(&second)));
    let across = math::hypot(cos_part, sin_part);
    if along.is_nan() || along.abs() >= across {
        return Err(refuse(
            "the leaf would point along the universal joint's first axis",
        ));
    }
    let phase = math::atan2(sin_part, cos_part);
    let half = math::acos(-along / across);
    let axis = Unit::new_normalize(u);
    let turned = |angle: f64| (Rotation3::from_axis_angle(&axis, angle) * start).into_inner();
    let (x, y) = (turned(phase + half), turned(phase - half));
    let motor = crank_axes.column(2);
    let near = |r: &Matrix3<f64>| r.column(2).dot(&motor);
    let x_is_nearer = near(&x) >= near(&y);
    Ok(if x_is_nearer != config.universal.flipped {
        x
    } else {
        y
    })
}
