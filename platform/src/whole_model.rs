//! The whole platform as one model of the kernel: end effector, base, cranks, leaves, joints and
//! tendons, with nothing condensed.
//!
//! Slower than [`crate::monolithic`], which it must reproduce; and the way to everything that the
//! kernel does with a model: linearisation, vibration modes, regulators.

use crate::body::{Body as RigidBody, BodyState};
use crate::contact::Latch;
use crate::error::{PlatformError, Result};
use crate::monolithic::{Platform, base_body};
use crate::native::{Start, motor_signals};
use crate::statics::StaticPlatform;
use crate::wrench::WrenchHistory;
use leg_core::LegError;
use leg_core::planar::LinkDrive;
use leg_core::spatial::{SpatialLeg, SpatialState};
use leg_core::spatial_parts::{Placement, SpatialParts};
use multibody::dynamics;
use multibody::group::{Group, Se3};
use multibody::model::{
    Attachment, Axes, Body, Force, ForceId, InputId, JointId, JointKind, ModelBuilder, NodeId,
    Signal, Signals, SpatialModel,
};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector3;

/// A leg of the whole model.
#[derive(Debug, Clone, Copy)]
pub struct WholeLeg {
    /// Bodies, joints and motor.
    pub parts: SpatialParts,
    /// Spherical joint at B; its body A is the end effector.
    pub tip: JointId,
    /// The tendon.
    pub tendon: Option<ForceId>,
    /// Channel of the torque on the crank [N·m].
    pub torque: InputId,
    /// Channel of the crank's target angle [rad].
    pub angle: InputId,
    /// Channel of the pull that a winch adds to the tendon [N].
    pub pull: InputId,
}

/// The platform as one model, and its equilibrium.
#[derive(Debug, Clone)]
pub struct WholeModel {
    /// The model.
    pub model: SpatialModel,
    /// The end effector.
    pub effector: NodeId,
    /// The base, if it floats freely.
    pub base: Option<NodeId>,
    /// The legs.
    pub legs: Vec<WholeLeg>,
    /// Channels of the wrench on the end effector's centre, world axes: force [N], moment [N·m].
    pub wrench: [InputId; 6],
    /// At rest in equilibrium, accelerations consistent.
    pub rest: SpatialState,
    /// What keeps it there: motors, and the wrench of the equilibrium.
    pub signals: Signals,
    /// A target that was captured.
    pub target: Option<NodeId>,
    /// What makes the weight of the end effector's node that of the end effector [N].
    weightless: Vector3<f64>,
}

impl WholeModel {
    /// The platform in `equilibrium`, its motors as configured: what they do from t = 0 on need not
    /// hold it there.
    pub fn at_rest(equilibrium: &StaticPlatform) -> Result<Self> {
        let mode = equilibrium.config().motor.mode;
        let mut out = Self::built(equilibrium, LinkDrive::from(mode), None)?;
        out.place(equilibrium, motor_signals)?;
        Ok(out)
    }

    /// The same with all motors driven in another way, and with the torques and angles that hold
    /// the equilibrium.
    pub fn driven(equilibrium: &StaticPlatform, drive: LinkDrive) -> Result<Self> {
        Self::with_target(equilibrium, drive, None)
    }

    /// The same with a target in the latch.
    pub fn with_target(
        equilibrium: &StaticPlatform,
        drive: LinkDrive,
        target: Option<&CapturedTarget>,
    ) -> Result<Self> {
        if drive != LinkDrive::Prescribed {
            within_limits(equilibrium)?;
        }
        let mut out = Self::built(equilibrium, drive, target)?;
        out.place(equilibrium, |_, start| {
            let constant = Signal::Constant;
            (constant(start.holding_torque), constant(start.motor))
        })?;
        Ok(out)
    }

    /// The model, not yet placed.
    fn built(
        equilibrium: &StaticPlatform,
        drive: LinkDrive,
        target: Option<&CapturedTarget>,
    ) -> Result<Self> {
        equilibrium
            .require_leaves("the platform as one model (linearisation, modes, regulators)")?;
        let config = equilibrium.config();
        let mut builder = ModelBuilder::<Se3, 6, 3>::new();
        builder.gravity(config.gravity_m_s2.into());
        let names = ["fx", "fy", "fz", "mx", "my", "mz"];
        let wrench = names.map(|name| builder.input(&format!("end effector {name}")));
        let body = equilibrium.effector();
        let effector = builder.rigid_body("end effector", *equilibrium.pose(), body.inertia);
        let base = config
            .base
            .free_floating
            .then(|| builder.rigid_body("base", Se3::identity(), base_body(config).inertia));
        builder.wrench(Force::Wrench {
            name: "wrench".into(),
            node: effector,
            point: Vector3::zeros(),
            axes: Axes::World,
            force: [Some(wrench[0]), Some(wrench[1]), Some(wrench[2])],
            moment: [Some(wrench[3]), Some(wrench[4]), Some(wrench[5])],
        });
        let gravity = Vector3::from(config.gravity_m_s2);
        let lift = add_lift(&mut builder, effector, body, &gravity);
        let frame = base.map_or(Body::Ground, Body::Node);
        let mut legs = Vec::new();
        for (i, start) in starts(equilibrium).iter().enumerate() {
            let sphere = equilibrium.spheres()[i];
            let leg = add_leg(&mut builder, i, start, drive, frame, (effector, sphere));
            legs.push(leg.map_err(PlatformError::in_leg(i))?);
        }
        let target = target.map(|target| target.add(&mut builder, effector, equilibrium.pose()));
        let model = builder.build()?;
        let mut signals = Signals(vec![Signal::Constant(0.0); model.input_count()]);
        if let Some((_, weight, body)) = &target {
            let lift = (body.gravity - gravity) * body.inertia[(0, 0)];
            for (channel, force) in weight.iter().zip(&lift) {
                signals.0[channel.index()] = Signal::Constant(*force);
            }
        }
        for (channel, g) in lift.iter().flatten().zip(gravity.iter()) {
            signals.0[channel.index()] = Signal::Constant(-g * body.inertia[(0, 0)]);
        }
        Ok(Self {
            rest: State::new(&model),
            signals,
            target: target.map(|(node, ..)| node),
            model,
            effector,
            base,
            legs,
            wrench,
            weightless: match lift {
                Some(_) => body.gravity * body.inertia[(0, 0)],
                None => (body.gravity - gravity) * body.inertia[(0, 0)],
            },
        })
    }

    /// Puts nodes, motors and wrench where the equilibrium has them.
    fn place(
        &mut self,
        equilibrium: &StaticPlatform,
        motors: impl Fn(&SpatialLeg, &Start<'_>) -> (Signal, Signal),
    ) -> Result<()> {
        for (start, leg) in starts(equilibrium).iter().zip(&self.legs) {
            let first = leg.parts.crank.index();
            let count = start.state.poses.len();
            self.rest.poses[first..first + count].copy_from_slice(&start.state.poses);
            let turns = start.state.angle(start.leg.motor_joint);
            self.rest.angles[leg.parts.motor_joint.index()] = turns;
            let (torque, angle) = motors(start.leg, start);
            self.signals.0[leg.torque.index()] = torque;
            self.signals.0[leg.angle.index()] = angle;
        }
        let (force, moment) = equilibrium.wrench();
        let constant = |i: usize| Signal::Constant(if i < 3 { force[i] } else { moment[i - 3] });
        self.set_wrench(&WrenchHistory(core::array::from_fn(constant)));
        self.restart()
    }

    /// Makes the accelerations of the state of rest those of the present signals.
    pub fn restart(&mut self) -> Result<()> {
        let mut workspace = Workspace::new(&self.model);
        dynamics::initialize(&self.model, &mut self.rest, &mut workspace, &self.signals)?;
        Ok(())
    }

    /// Gives the end effector another wrench history.
    pub fn set_wrench(&mut self, wrench: &WrenchHistory) {
        for (i, (channel, signal)) in self.wrench.iter().zip(&wrench.0).enumerate() {
            let offset = if i < 3 { self.weightless[i] } else { 0.0 };
            self.signals.0[channel.index()] = signal.clone().shifted(offset);
        }
    }
}

/// Channels of a force that lifts the end effector's node in its centre of mass, where that is not its
/// origin: an inertia that holds a captured target, which is no weight. A moment about the origin
/// instead would keep its direction as the node turns, which no weight does.
fn add_lift(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    effector: NodeId,
    body: &RigidBody,
    gravity: &Vector3<f64>,
) -> Option<[InputId; 3]> {
    let centre = centre_of_mass(body);
    if gravity.norm() == 0.0 || centre.norm() == 0.0 {
        return None;
    }
    let lift = ["lift x", "lift y", "lift z"].map(|name| builder.input(name));
    builder.wrench(Force::Wrench {
        name: "lift".into(),
        node: effector,
        point: centre,
        axes: Axes::World,
        force: lift.map(Some),
        moment: [None; 3],
    });
    Some(lift)
}

/// Centre of mass of a body, in its axes [m]: the inertia couples force and turning by −m c×.
fn centre_of_mass(body: &RigidBody) -> Vector3<f64> {
    let m = &body.inertia;
    Vector3::new(m[(1, 5)], -m[(0, 5)], m[(0, 4)]) / m[(0, 0)]
}

impl WholeModel {
    /// The state of `platform`, a running platform of the same configuration, as one of this model:
    /// poses, velocities and angles.
    pub fn state_of(&self, platform: &Platform) -> SpatialState {
        let mut out = self.rest.clone();
        out.time = platform.time();
        let nodes = [Some(self.effector), self.base].into_iter().flatten();
        for (body, node) in platform.bodies().iter().zip(nodes) {
            out.poses[node.index()] = body.pose;
            out.velocities[node.index()] = body.velocity;
        }
        for (leg, own) in platform.legs().iter().zip(&self.legs) {
            let state = leg.state();
            // A leg on a moving base has the base's node in front.
            let extra = leg.leg().crank.index();
            let count = state.poses.len() - extra;
            let first = own.parts.crank.index();
            out.poses[first..first + count].copy_from_slice(&state.poses[extra..]);
            out.velocities[first..first + count].copy_from_slice(&state.velocities[extra..]);
            out.angles[own.parts.motor_joint.index()] = leg.crank_angle();
        }
        out
    }
}

/// A state as it is seen from a moving frame: poses against its pose, velocities against its twist.
pub fn seen_from(frame: &BodyState, mut state: SpatialState) -> SpatialState {
    for (pose, velocity) in state.poses.iter_mut().zip(&mut state.velocities) {
        *pose = frame.pose.between(pose);
        *velocity -= pose.adjoint_inverse() * frame.velocity;
    }
    state
}

/// A target that a latch holds to the end effector.
#[derive(Debug, Clone)]
pub struct CapturedTarget {
    /// The target as a body.
    pub body: crate::body::Body,
    /// Its pose in the equilibrium.
    pub pose: Se3,
    /// The latch, closed or as it closes where the target is.
    pub latch: Latch,
}

impl CapturedTarget {
    /// Adds it to a model: its node, and the channels of a force on its centre of mass [N], which
    /// makes up for a weight that it does not feel.
    fn add(
        &self,
        builder: &mut ModelBuilder<Se3, 6, 3>,
        effector: NodeId,
        pose: &Se3,
    ) -> (NodeId, [InputId; 3], crate::body::Body) {
        let node = builder.rigid_body("target", self.pose, self.body.inertia);
        let hold = self.latch.hold(pose, &self.pose);
        builder.bushing("latch", [Body::Node(effector), Body::Node(node)], hold);
        let weight = ["x", "y", "z"].map(|axis| builder.input(&format!("target weight {axis}")));
        builder.wrench(Force::Wrench {
            name: "target weight".into(),
            node,
            point: self.body.centre_of_mass(),
            axes: Axes::World,
            force: weight.map(Some),
            moment: [None; 3],
        });
        (node, weight, self.body)
    }
}

/// Refuses an equilibrium that motors with limits cannot hold.
fn within_limits(equilibrium: &StaticPlatform) -> Result<()> {
    for (i, start) in starts(equilibrium).iter().enumerate() {
        let limit_nm = start.leg.config.motor.torque_limit_nm;
        if start.holding_torque.abs() >= limit_nm {
            return Err(PlatformError::BeyondTorqueLimit {
                leg: i + 1,
                limit_nm,
                needed_nm: start.holding_torque,
            });
        }
    }
    Ok(())
}

/// What each leg starts from.
pub(crate) fn starts(equilibrium: &StaticPlatform) -> Vec<Start<'_>> {
    let torques = equilibrium.holding_torques();
    equilibrium
        .legs()
        .zip(equilibrium.motors())
        .zip(torques)
        .map(
            |(((leg, state, rest_length), &motor), holding_torque)| Start {
                leg,
                state,
                rest_length,
                motor,
                holding_torque,
            },
        )
        .collect()
}

/// Adds leg `index`, carried by `frame`, its tip on the end effector.
fn add_leg(
    builder: &mut ModelBuilder<Se3, 6, 3>,
    index: usize,
    start: &Start<'_>,
    crank_drive: LinkDrive,
    frame: Body,
    (effector, sphere): (NodeId, Vector3<f64>),
) -> core::result::Result<WholeLeg, LegError> {
    let name = format!("leg {} ", index + 1);
    let config = &start.leg.config;
    let torque = builder.input(&format!("{name}crank torque"));
    let angle = builder.input(&format!("{name}crank angle"));
    let pull = builder.input(&format!("{name}tendon force"));
    let placement = Placement {
        name: &name,
        body: frame,
        crank_drive,
        q1: start.motor,
        tip: start.state.pose(start.leg.node_b).translation(),
        torque,
        angle,
    };
    let parts = SpatialParts::add(builder, config, &placement)?;
    let on_effector = Attachment::node(effector, Se3::from_translation(sphere));
    let on_leaf = Attachment::node(parts.node_b, Se3::identity());
    let kind = JointKind::Spherical;
    Ok(WholeLeg {
        tip: builder.joint(&format!("{name}B"), kind, on_effector, on_leaf),
        tendon: parts.add_tendon(builder, config, start.rest_length, pull),
        parts,
        torque,
        angle,
        pull,
    })
}
