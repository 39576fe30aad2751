//! Motors as terms of the residual: torque, friction of the drive, rotor.
//!
//! The rotor's angular velocity is linear in the bodies' twists with covectors that are constant in
//! the bodies' frames while the joint keeps both axes parallel, (4) of `model::motor`:
//!
//! ```text
//! s = c_A·v_A + c_B·v_B,   c_A = (0, −(n − 1) e3),   c_B = (0, n e3)               (1)
//! ```
//!
//! With `T = ½ J s²` and left-trivialised velocities, the inertia force on body i is
//!
//! ```text
//! f_i = J ṡ c_i − ad(v_i)ᵀ (J s c_i)                                               (2)
//! ∂f_i/∂v̇_j = J c_i c_jᵀ,   ∂f_i/∂v_j = −ad(v_i)ᵀ J c_i c_jᵀ − δ_ij coad(J s c_i)    (3)
//! ```
//!
//! (1) equals the true T on all motions that the joint allows; so do the equations of motion, the
//! difference being reactions of the joint. Poses do not enter.

use super::forces::Torque;
use super::hinge::Hinge;
use super::{BodyMotion, Motion, Task, Wanted};
use crate::group::{Group, Operator};
use crate::linear_solver::System;
use crate::model::{JointId, LastTorque, Model, MotorLaw, Rotor};
use crate::state::State;
use nalgebra::SVector;

/// Torque of a motor and its derivatives by its inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotorTorque {
    /// Without friction.
    pub torque: Torque,
    /// By the input torque, by the target of a hold and by the rate of that target; all zero at
    /// a limit.
    pub by_input: f64,
    pub by_target: f64,
    pub by_target_rate: f64,
}

/// What a motor delivers, without friction; `memory` is what it remembers.
pub(crate) fn motor_torque<G, const N: usize, const D: usize>(
    hinge: &Hinge<N, D>,
    law: &MotorLaw,
    motion: &Motion<'_, G, N>,
    memory: &[f64],
    dynamic: bool,
) -> MotorTorque {
    let inputs = motion.inputs;
    let mut wanted = law.torque.map_or(0.0, |i| inputs.value[i.0]);
    let (mut stiffness, mut damping) = (0.0, 0.0);
    if let Some(hold) = &law.hold {
        let target = hold.target.0;
        stiffness = hold.stiffness;
        damping = if dynamic { hold.damping } else { 0.0 };
        wanted += stiffness * (inputs.value[target] - hinge.angle)
            + damping * (inputs.rate[target] - hinge.rate);
    }
    let elapsed = if dynamic {
        motion.since_memory
    } else {
        f64::INFINITY
    };
    let last = LastTorque {
        torque: memory.first().copied().unwrap_or(0.0),
        elapsed,
    };
    let delivered = law.deliver(wanted, if dynamic { hinge.rate } else { 0.0 }, last);
    let slope = delivered.by_wanted;
    MotorTorque {
        torque: Torque {
            value: delivered.torque,
            by_angle: -stiffness * slope,
            by_rate: -damping * slope + if dynamic { delivered.by_rate } else { 0.0 },
        },
        by_input: slope,
        by_target: stiffness * slope,
        by_target_rate: damping * slope,
    }
}

/// Adds the friction of the drive.
#[inline]
pub(super) fn add_friction<const N: usize, const D: usize>(
    torque: &mut Torque,
    law: &MotorLaw,
    hinge: &Hinge<N, D>,
) {
    if law.friction.is_none() {
        return;
    }
    let (friction, slope) = law.friction.at(hinge.rate);
    torque.value -= friction;
    torque.by_rate -= slope;
}

/// Covectors (1), and J s.
struct Spin<G, const N: usize> {
    bodies: [BodyMotion<G, N>; 2],
    by: [SVector<f64, N>; 2],
    momentum: f64,
    inertia: f64,
}

impl<G, const N: usize> Spin<G, N> {
    fn new<const D: usize>(
        model: &Model<G, N, D>,
        joint: JointId,
        rotor: &Rotor,
        motion: &Motion<'_, G, N>,
    ) -> Self
    where
        G: Group<N, D>,
    {
        let joint = &model.joints[joint.0];
        let bodies = [joint.a.body, joint.b.body].map(|body| BodyMotion::of(model, motion, body));
        let axis = |side: usize| G::axis_moment(&joint.axes[side].transpose());
        let n = rotor.gear_ratio;
        let by: [SVector<f64, N>; 2] = [axis(0) * (1.0 - n), axis(1) * n];
        let s = by[0].dot(&bodies[0].velocity) + by[1].dot(&bodies[1].velocity);
        Self {
            bodies,
            by,
            momentum: rotor.inertia * s,
            inertia: rotor.inertia,
        }
    }
}

/// Kinetic energy of a motor's rotor [J].
pub(crate) fn rotor_energy<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    joint: JointId,
    law: &MotorLaw,
) -> f64 {
    law.rotor
        .filter(|rotor| rotor.inertia > 0.0)
        .map_or(0.0, |rotor| {
            let spin = Spin::new(model, joint, &rotor, &state.motion());
            0.5 * spin.momentum * spin.momentum / spin.inertia
        })
}

/// Adds the rotor, (2) and (3).
pub(super) fn assemble_rotor<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    joint: JointId,
    law: &MotorLaw,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    let Some(rotor) = law.rotor else { return };
    let spin = Spin::new(model, joint, &rotor, motion);
    let Spin { bodies, by, .. } = &spin;
    let s_dot = by[0].dot(&bodies[0].acceleration) + by[1].dot(&bodies[1].acceleration);
    let momentum = [by[0] * spin.momentum, by[1] * spin.momentum];
    for (i, body) in bodies.iter().enumerate() {
        if let Some(node) = body.node {
            let gyroscopic = G::ad_operator(&bodies[i].velocity).tr_apply(&momentum[i]);
            system.node_rhs[node] -= by[i] * (spin.inertia * s_dot) - gyroscopic; // (2)
        }
    }
    if wanted == Wanted::Residual {
        return;
    }
    let w = &task.weights;
    let block = |i: usize, j: usize| {
        let Some(node) = bodies[j].node else {
            return nalgebra::SMatrix::zeros();
        };
        let turned = G::ad_operator(&bodies[i].velocity).tr_apply(&by[i]);
        let along = by[i] * w.inertia - turned * w.damping;
        let mut by_increment = along * (by[j] * spin.inertia).transpose(); // (3)
        if i == j {
            by_increment -= G::coad(&momentum[i]) * w.damping;
        }
        by_increment * motion.maps[node]
    };
    for (i, body) in bodies.iter().enumerate() {
        if let Some(node) = body.node {
            system.diagonal[node] += block(i, i);
        }
    }
    if let Some(coupling) = model.joints[joint.0].coupling {
        system.add_coupling(&model.layout, coupling, &block(0, 1), &block(1, 0));
    }
}
