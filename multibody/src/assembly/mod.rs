//! Residual and tangent of the whole model.
//!
//! The equations of motion, per node in its own frame, and the constraints:
//!
//! ```text
//! r = f_inertia(H, v, v̇) + f_elastic(H, v) − f_applied(H, v, u) + φ_qᵀ λ = 0     (1)
//! φ(H, u) = 0                                                                   (2)
//! ```
//!
//! The unknown of a node is the twist ψ with `H ← H exp(ψ)`. In time stepping velocity and
//! acceleration follow the increment n of the step, `δn = T⁻¹(n) ψ`; the tangent is therefore
//!
//! ```text
//! ∂r/∂ψ w_K + (∂r/∂v w_C + ∂r/∂v̇ w_M) T⁻¹(n)                                     (3)
//! ```
//!
//! Rows and columns of the constraints are multiplied by one number s and the multipliers
//! divided by it: with s of the size of the other entries, the matrix stays well conditioned as
//! the step goes to zero (`bottasso2008`).

mod beams;
pub(crate) mod bushings;
pub(crate) mod cables;
mod forces;
pub mod hinge;
pub(crate) mod inputs;
mod joints;
mod laws;
mod mass_damping;
mod modal_damping;
pub(crate) mod motor;
pub(crate) mod reduced;
pub(crate) mod stops;
pub(crate) mod surfaces;
#[cfg(test)]
mod tests;

pub use crate::element::inertia::Weights;
pub(crate) use beams::{LARGEST_TURN, relative_twist};
pub(crate) use forces::{LineKinematics, moment_covector};
pub(crate) use joints::{Along, Geometric, JointKinematics, Turning};
pub(crate) use laws::Measure;
pub(crate) use mass_damping::power as mass_damping_power;
pub use modal_damping::modal_dampers;
pub(crate) use modal_damping::power as modal_damping_power;
pub(crate) use motor::motor_torque;
pub(crate) use reduced::ReducedScratch;

use crate::error::Result;
use crate::group::{Group, Operator};
use crate::linear_solver::System;
use crate::model::{Body, Inputs, Model};
use nalgebra::{SMatrix, SVector};

/// Everything the residual depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion<'a, G, const N: usize> {
    pub time: f64,
    pub poses: &'a [G],
    pub velocities: &'a [SVector<f64, N>],
    pub accelerations: &'a [SVector<f64, N>],
    pub multipliers: &'a [f64],
    /// Angles of the joints at a nearby state: they say which turn a joint is in.
    pub angles: &'a [f64],
    /// What force laws remember of the last accepted state, and the time since then [s]; infinite
    /// where limits of rates are not to be felt.
    pub memory: &'a [f64],
    pub since_memory: f64,
    pub inputs: &'a Inputs,
    /// T⁻¹ of every node's increment; the identity outside time stepping.
    pub maps: &'a [SMatrix<f64, N, N>],
}

/// At which level constraints enter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConstraintLevel {
    /// φ = 0.
    Position,
    /// φ̇ = 0.
    Velocity,
    /// φ̈ + velocity_gain φ̇ + position_gain φ = 0.
    Acceleration {
        velocity_gain: f64,
        position_gain: f64,
    },
}

/// What to assemble.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub weights: Weights,
    /// Inertia and damping forces are left out in statics.
    pub dynamic: bool,
    pub level: ConstraintLevel,
    /// The number s that multiplies constraint rows and columns.
    pub constraint_scale: f64,
}

impl Task {
    /// Static equilibrium.
    pub(crate) fn statics(constraint_scale: f64) -> Self {
        Self {
            weights: Weights {
                stiffness: 1.0,
                damping: 0.0,
                inertia: 0.0,
            },
            dynamic: false,
            level: ConstraintLevel::Position,
            constraint_scale,
        }
    }
}

/// Pose, velocity and acceleration of a body, and the node if it is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMotion<G, const N: usize> {
    pub pose: G,
    pub velocity: SVector<f64, N>,
    pub acceleration: SVector<f64, N>,
    pub node: Option<usize>,
}

impl<G, const N: usize> BodyMotion<G, N> {
    /// Motion of `body`.
    #[inline]
    pub(crate) fn of<const D: usize>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        body: Body,
    ) -> Self
    where
        G: Group<N, D>,
    {
        match body {
            Body::Node(node) => Self {
                pose: motion.poses[node.0],
                velocity: motion.velocities[node.0],
                acceleration: motion.accelerations[node.0],
                node: Some(node.0),
            },
            Body::Ground => Self {
                pose: G::identity(),
                velocity: SVector::zeros(),
                acceleration: SVector::zeros(),
                node: None,
            },
            Body::Frame(frame) => inputs::frame_motion(&model.frames[frame.0], motion.inputs),
        }
    }
}

/// Assembles matrix and right-hand side (`−r`, `−s φ`) of Newton's system.
pub(crate) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    G::assemble(model, motion, task, system)
}

/// [`assemble`], compiled for a group.
pub(crate) fn assemble_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    system.clear();
    system.clear_rhs();
    model.mark_references(system);
    beams::assemble(model, motion, task, system)?;
    rigid_bodies(model, motion, task, Wanted::Tangent, system);
    joints::assemble(model, motion, task, Wanted::Tangent, system);
    forces::assemble(model, motion, task, Wanted::Tangent, system);
    reduced::assemble(model, motion, task, Wanted::Tangent, system);
    cables::assemble(model, motion, task, Wanted::Tangent, system);
    surfaces::assemble(model, motion, task, Wanted::Tangent, system);
    bushings::assemble(model, motion, task, Wanted::Tangent, system)
}

/// Assembles the right-hand side alone; matrix and factors stay as they are, and the maps of the
/// motion are not read.
pub(crate) fn assemble_rhs<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    G::assemble_rhs(model, motion, task, system)
}

/// [`assemble_rhs`], compiled for a group.
pub(crate) fn assemble_rhs_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    system.clear_rhs();
    beams::assemble_rhs(model, motion, task, system)?;
    rigid_bodies(model, motion, task, Wanted::Residual, system);
    joints::assemble(model, motion, task, Wanted::Residual, system);
    forces::assemble(model, motion, task, Wanted::Residual, system);
    reduced::assemble(model, motion, task, Wanted::Residual, system);
    cables::assemble(model, motion, task, Wanted::Residual, system);
    surfaces::assemble(model, motion, task, Wanted::Residual, system);
    bushings::assemble(model, motion, task, Wanted::Residual, system)
}

/// What an assembly is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The right-hand side alone.
    Residual,
    /// The right-hand side and the matrix.
    Tangent,
}

/// Rigid bodies and masses: `f = M (v̇ − g) − ad_vᵀ M v`.
fn rigid_bodies<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    let linear = G::linear_part();
    for (node, inertia) in model.node_inertia.iter().enumerate() {
        let Some(inertia) = inertia else { continue };
        let gravity = motion.poses[node].rotation().tr_mul(&model.gravity);
        let mut force = -inertia * linear.tr_mul(&gravity);
        if task.dynamic {
            let (v, v_dot) = (&motion.velocities[node], &motion.accelerations[node]);
            force += inertia * v_dot - G::ad_operator(v).tr_apply(&(inertia * v));
        }
        system.node_rhs[node] -= force;
        if wanted == Wanted::Residual {
            continue;
        }
        // δ(Rᵀ g) = −ω × (Rᵀ g).
        let mut tangent = inertia * linear.tr_mul(&G::cross(&gravity)) * task.weights.stiffness;
        if task.dynamic {
            let v = &motion.velocities[node];
            let by_velocity = -(G::ad_operator(v).tr_mul(inertia) + G::coad(&(inertia * v)));
            let by_increment = inertia * task.weights.inertia + by_velocity * task.weights.damping;
            G::Operator::of(&motion.maps[node]).add_after(&by_increment, &mut tangent);
        }
        system.diagonal[node] += tangent;
    }
}
