//! Moving frames, and the derivative of the residual by the inputs.

use super::forces::{moment_covector, wrench_point_map};
use super::hinge::Hinge;
use super::motor::motor_torque;
use super::{BodyMotion, Geometric, JointKinematics, Motion};
use crate::group::Group;
use crate::linear_solver::System;
use crate::math;
use crate::model::{Axes, Body, Force, Inputs, Model, MovingFrame};
use nalgebra::{SMatrix, SVector};

/// Pose, twist and acceleration of a frame moved by inputs: position x and rotation vector θ give
/// `v = (Rᵀ ẋ, T(θ) θ̇)`.
pub(crate) fn frame_motion<G: Group<N, D>, const N: usize, const D: usize>(
    frame: &MovingFrame<N>,
    inputs: &Inputs,
) -> BodyMotion<G, N> {
    let gather = |list: &[f64]| SVector::<f64, N>::from_fn(|i, _| list[frame.inputs[i]]);
    let (x, x_dot, x_ddot) = (
        gather(&inputs.value),
        gather(&inputs.rate),
        gather(&inputs.acceleration),
    );
    let angular = |v: &SVector<f64, N>| {
        let mut out = *v;
        out.fixed_rows_mut::<D>(0).fill(0.0);
        out
    };
    let (turn, turn_rate, turn_acceleration) = (angular(&x), angular(&x_dot), angular(&x_ddot));
    let linear = G::linear_part();
    let rotation = G::exp(&turn).rotation();
    let pose = G::from_parts(linear * x, rotation);
    let tangent = G::tangent(&turn);
    let body_rate = rotation.tr_mul(&(linear * x_dot));
    let velocity = tangent * turn_rate + linear.tr_mul(&body_rate);
    // d/dt (Rᵀ ẋ) = Rᵀ ẍ − ω × Rᵀ ẋ.
    let body_acceleration = rotation.tr_mul(&(linear * x_ddot)) - G::cross(&body_rate) * velocity;
    let acceleration = tangent * turn_acceleration
        + angular(&(G::tangent_derivative(&turn, &turn_rate) * turn_rate))
        + linear.tr_mul(&body_acceleration);
    BodyMotion {
        pose,
        velocity,
        acceleration,
        node: None,
    }
}

/// Derivative of a moving frame's twist-displacement by its inputs, N × N: `(Rᵀ δx, T(θ) δθ)`.
fn frame_by_inputs<G: Group<N, D>, const N: usize, const D: usize>(
    frame: &MovingFrame<N>,
    inputs: &Inputs,
) -> SMatrix<f64, N, N> {
    let mut turn = SVector::<f64, N>::zeros();
    for i in D..N {
        turn[i] = inputs.value[frame.inputs[i]];
    }
    let mut out = G::tangent(&turn);
    let rotation = G::exp(&turn).rotation();
    for i in 0..D {
        for j in 0..D {
            out[(i, j)] = rotation[(j, i)];
        }
    }
    out
}

/// Writes `−∂r/∂u` and `−s ∂φ/∂u` of input `channel` into the right-hand side of `system`.
pub(crate) fn input_column<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    channel: usize,
    constraint_scale: f64,
    system: &mut System<N>,
) {
    G::input_column(model, motion, channel, constraint_scale, system);
}

/// [`input_column`], compiled for a group.
pub(crate) fn input_column_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    channel: usize,
    constraint_scale: f64,
    system: &mut System<N>,
) {
    system.clear_rhs();
    for joint in &model.joints {
        let kinematics = JointKinematics::new(model, joint, motion);
        for (index, row) in joint.rows.iter().enumerate() {
            if row.input() == Some(channel) {
                let by_input = kinematics.row(joint, row, motion.inputs).by_input;
                system.row_rhs[joint.first_row + index] -= constraint_scale * by_input;
                angle_row_force(joint, &kinematics, row, index, motion, system);
            }
        }
        for (side, body) in [joint.a.body, joint.b.body].into_iter().enumerate() {
            let Body::Frame(frame) = body else { continue };
            let frame = &model.frames[frame.0];
            let Some(position) = frame.inputs.iter().position(|&i| i == channel) else {
                continue;
            };
            let twist: SVector<f64, N> = frame_by_inputs::<G, N, D>(frame, motion.inputs)
                .column(position)
                .into();
            let rows: Vec<_> = joint
                .rows
                .iter()
                .map(|row| kinematics.row(joint, row, motion.inputs))
                .collect();
            for (index, row) in rows.iter().enumerate() {
                system.row_rhs[joint.first_row + index] -=
                    constraint_scale * row.by[side].dot(&twist);
            }
            let mut geometric = Geometric::none();
            let multipliers = &motion.multipliers[joint.first_row..];
            for ((kind, row), &lambda) in joint.rows.iter().zip(&rows).zip(multipliers) {
                kinematics.add_geometric(joint, kind, row, lambda, &mut geometric);
            }
            let k = kinematics.geometric_stiffness(joint, geometric);
            if let Some(node) = kinematics.bodies[1 - side].node {
                system.node_rhs[node] -= k[1 - side][side] * twist;
            }
        }
    }
    for force in model.forces.iter().enumerate() {
        force_by_input(model, force, motion, channel, system);
    }
    super::surfaces::by_input(model, motion, channel, system);
}

/// Twist of a moving frame per unit of an input that moves it; none of other bodies and inputs.
fn twist_by_input<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    body: Body,
    channel: usize,
) -> Option<SVector<f64, N>> {
    let Body::Frame(frame) = body else {
        return None;
    };
    let frame = &model.frames[frame.0];
    let position = frame.inputs.iter().position(|&i| i == channel)?;
    let by_inputs = frame_by_inputs::<G, N, D>(frame, motion.inputs);
    Some(by_inputs.column(position).into())
}

/// Writes `−s ∂φ/∂u δ` of joints driven by inputs, or on frames that are moved by them, into the right-hand side of `system`, whose other
/// entries become zero; `changes` are pairs of channel and δ.
pub(crate) fn driven_rows<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    changes: impl Iterator<Item = (usize, f64)>,
    constraint_scale: f64,
    system: &mut System<N>,
) {
    system.clear_rhs();
    for (channel, change) in changes.filter(|(_, change)| *change != 0.0) {
        for joint in &model.joints {
            for (index, row) in joint.rows.iter().enumerate() {
                if row.input() == Some(channel) {
                    let kinematics = JointKinematics::new(model, joint, motion);
                    let by_input = kinematics.row(joint, row, motion.inputs).by_input;
                    let rhs = &mut system.row_rhs[joint.first_row + index];
                    *rhs -= constraint_scale * by_input * change;
                }
            }
            for (side, body) in [joint.a.body, joint.b.body].into_iter().enumerate() {
                let Some(twist) = twist_by_input::<G, N, D>(model, motion, body, channel) else {
                    continue;
                };
                let kinematics = JointKinematics::new(model, joint, motion);
                for (index, row) in joint.rows.iter().enumerate() {
                    let by_frame = kinematics.row(joint, row, motion.inputs).by[side].dot(&twist);
                    let rhs = &mut system.row_rhs[joint.first_row + index];
                    *rhs -= constraint_scale * by_frame * change;
                }
            }
        }
    }
}

/// Writes `−∂r/∂u̇` of input `channel` into the right-hand side of `system`: only holds feel the
/// rate of their target.
pub(crate) fn input_rate_column<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    channel: usize,
    system: &mut System<N>,
) {
    system.clear_rhs();
    for (number, force) in model.forces.iter().enumerate() {
        let Force::Motor { joint, law, .. } = force else {
            continue;
        };
        if law.hold.is_none_or(|hold| hold.target.0 != channel) {
            continue;
        }
        let hinge = Hinge::new(
            model,
            &model.joints[joint.0],
            motion,
            motion.angles[joint.0],
        );
        let memory = &motion.memory[model.memory_of(number)];
        let by_rate = motor_torque(&hinge, law, motion, memory, true).by_target_rate;
        for (node, moment) in hinge.nodes.iter().zip(&hinge.moment) {
            if let Some(node) = *node {
                system.node_rhs[node] += moment * by_rate;
            }
        }
    }
}

/// The direction of an angle row turns with its input, and so does the force it transmits.
fn angle_row_force<G: Group<N, D>, const N: usize, const D: usize>(
    joint: &crate::model::Joint<G, D>,
    kinematics: &JointKinematics<G, N, D>,
    row: &crate::model::ConstraintRow,
    index: usize,
    motion: &Motion<'_, G, N>,
    system: &mut System<N>,
) {
    let crate::model::ConstraintRow::Angle { input } = *row else {
        return;
    };
    let lambda = motion.multipliers[joint.first_row + index];
    let (sin, cos) = math::sin_cos(motion.inputs.value[input]);
    let axes = &joint.axes[0];
    let direction: SVector<f64, D> = -(axes.column(0) * cos + axes.column(1) * sin) * lambda;
    let arm: SVector<f64, D> = joint.axes[1].column(0).into();
    let c = kinematics.r * arm;
    let forces = [
        -G::cross(&c).tr_mul(&direction),
        G::cross(&arm).tr_mul(&kinematics.r.tr_mul(&direction)),
    ];
    for (body, force) in kinematics.bodies.iter().zip(forces) {
        if let Some(node) = body.node {
            system.node_rhs[node] -= force;
        }
    }
}

fn force_by_input<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    (number, force): (usize, &Force<D>),
    motion: &Motion<'_, G, N>,
    channel: usize,
    system: &mut System<N>,
) {
    match force {
        Force::Wrench {
            node,
            point,
            axes,
            force,
            moment,
            ..
        } => {
            let rotation = match axes {
                Axes::World => motion.poses[node.0].rotation(),
                Axes::Body => SMatrix::identity(),
            };
            let unit = |input: &Option<crate::model::InputId>| {
                if input.is_some_and(|i| i.0 == channel) {
                    1.0
                } else {
                    0.0
                }
            };
            let f = SVector::<f64, D>::from_fn(|i, _| unit(&force[i]));
            let m = [unit(&moment[0]), unit(&moment[1]), unit(&moment[2])];
            system.node_rhs[node.0] += wrench_point_map::<G, N, D>(point)
                .tr_mul(&rotation.tr_mul(&f))
                + moment_covector::<N, D>(&m, &rotation);
        }
        Force::Motor { joint, law, .. } => {
            let index = joint.0;
            let joint = &model.joints[index];
            let hinge = Hinge::new(model, joint, motion, motion.angles[index]);
            let memory = &motion.memory[model.memory_of(number)];
            let torque = motor_torque(&hinge, law, motion, memory, true);
            let mut by_input = 0.0;
            if law.torque.is_some_and(|i| i.0 == channel) {
                by_input += torque.by_input;
            }
            if law.hold.is_some_and(|hold| hold.target.0 == channel) {
                by_input += torque.by_target;
            }
            for (node, moment) in hinge.nodes.iter().zip(&hinge.moment) {
                if let Some(node) = *node {
                    system.node_rhs[node] += moment * by_input;
                }
            }
        }
        // A line to a moving frame feels the frame's motion, one on a winch its pull.
        Force::Line { a, b, winch, .. } => {
            for (side, body) in [a.body, b.body].into_iter().enumerate() {
                let Body::Frame(frame) = body else { continue };
                let frame = &model.frames[frame.0];
                let Some(position) = frame.inputs.iter().position(|&i| i == channel) else {
                    continue;
                };
                let twist: SVector<f64, N> = frame_by_inputs::<G, N, D>(frame, motion.inputs)
                    .column(position)
                    .into();
                let line = super::forces::LineKinematics::new(model, motion, a, b);
                let memory = &motion.memory[model.memory_of(number)];
                let moved = (side, &twist);
                super::forces::line_by_frame(&line, (force, memory), motion, moved, system);
            }
            if winch.is_some_and(|input| input.0 == channel) {
                super::forces::line_by_pull(model, force, motion, system);
            }
        }
        Force::Torsion { .. } | Force::Stop { .. } => {}
        Force::Law(law) => super::laws::by_input(model, law, motion, channel, system),
    }
}
