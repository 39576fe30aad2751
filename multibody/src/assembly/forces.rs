//! Lines, torsion springs, motors and wrenches.
//!
//! A line from P (body a) to Q (body b) with `z = x_Q − x_P`, `ℓ = |z|`, `e = z/ℓ` and point maps
//! `B = P + X(point)`:
//!
//! ```text
//! δz = R_b B_b ψ_b − R_a B_a ψ_a,     ż = R_b B_b v_b − R_a B_a v_a              (1)
//! f_b = T B_bᵀ R_bᵀ e,   f_a = −T B_aᵀ R_aᵀ e                                   (2)
//! δ(R_bᵀ e) = R_bᵀ (I − e eᵀ) δz / ℓ − X(R_bᵀ e) ψ_b                            (3)
//! δT = T_ℓ e·δz + T_ℓ̇ (ż·(I − e eᵀ) δz / ℓ + e·δż)                              (4)
//! ```
//!
//! (3) holds the geometric stiffness T/ℓ (I − e eᵀ).

use super::hinge::Hinge;
use super::motor::{self, motor_torque};
use super::{BodyMotion, Motion, Task, Wanted, stops};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{Axes, Coordinate, Force, InputId, JointId, LineLaw, Model, PointOn, Response};
use nalgebra::{SMatrix, SVector};

#[inline(never)]
pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    for (index, force) in model.forces.iter().enumerate() {
        match force {
            Force::Line {
                a,
                b,
                law,
                stops,
                winch,
                ..
            } => {
                let line = LineKinematics::new(model, motion, a, b);
                let mut response = line.response(law, pull(winch, motion), task.dynamic);
                if let Some(stops) = stops {
                    let memory = &motion.memory[model.memory_of(index)];
                    stops::add_to_line(&mut response, stops, &line, memory, task.dynamic);
                }
                let coupling = model.line_couplings[index];
                assemble_line(
                    model, &line, &response, motion, task, wanted, coupling, system,
                );
            }
            Force::Torsion {
                joint,
                stiffness,
                rest_angle,
                damping,
                ..
            } => {
                let hinge = Hinge::new(
                    model,
                    &model.joints[joint.0],
                    motion,
                    motion.angles[joint.0],
                );
                let viscous = if task.dynamic { *damping } else { 0.0 };
                let torque = Torque {
                    value: -stiffness * (hinge.angle - rest_angle) - viscous * hinge.rate,
                    by_angle: -stiffness,
                    by_rate: -viscous,
                };
                assemble_torque(model, *joint, &hinge, &torque, motion, task, wanted, system);
            }
            Force::Motor { joint, law, .. } => {
                let hinge = Hinge::new(
                    model,
                    &model.joints[joint.0],
                    motion,
                    motion.angles[joint.0],
                );
                let memory = &motion.memory[model.memory_of(index)];
                let mut torque = motor_torque(&hinge, law, motion, memory, task.dynamic).torque;
                if task.dynamic {
                    motor::add_friction(&mut torque, law, &hinge);
                    motor::assemble_rotor(model, *joint, law, motion, task, wanted, system);
                }
                assemble_torque(model, *joint, &hinge, &torque, motion, task, wanted, system);
            }
            Force::Stop { joint, stops, .. } => {
                let near = motion.angles[joint.0];
                let hinge = Hinge::new(model, &model.joints[joint.0], motion, near);
                let memory = &motion.memory[model.memory_of(index)];
                let torque = stops::torque(stops, &hinge, memory, task.dynamic);
                if torque.value != 0.0 {
                    assemble_torque(model, *joint, &hinge, &torque, motion, task, wanted, system);
                }
            }
            Force::Wrench {
                node,
                point,
                axes,
                force,
                moment,
                ..
            } => {
                let inputs = motion.inputs;
                let value = |input: &Option<InputId>| input.map_or(0.0, |i| inputs.value[i.0]);
                let f = SVector::<f64, D>::from_fn(|i, _| value(&force[i]));
                let m = [value(&moment[0]), value(&moment[1]), value(&moment[2])];
                assemble_wrench(motion, node.0, point, *axes, &f, &m, task, wanted, system);
            }
            Force::Law(law) => {
                let coupling = match law.coordinate {
                    Coordinate::Angle(joint) => model.joints[joint.0].coupling,
                    _ => model.line_couplings[index],
                };
                super::laws::assemble(model, law, motion, task, wanted, coupling, system);
            }
        }
    }
}

/// A line at the current motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineKinematics<G, const N: usize, const D: usize> {
    pub bodies: [BodyMotion<G, N>; 2],
    pub length: f64,
    pub rate: f64,
    /// e, in world axes.
    pub direction: SVector<f64, D>,
    z_rate: SVector<f64, D>,
    rotations: [SMatrix<f64, D, D>; 2],
    point_maps: [SMatrix<f64, D, N>; 2],
    /// δz by ψ_a, ψ_b; ż by v.
    pub z_by: [SMatrix<f64, D, N>; 2],
}

impl<G: Group<N, D>, const N: usize, const D: usize> LineKinematics<G, N, D> {
    #[inline]
    pub(crate) fn new(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        a: &PointOn<D>,
        b: &PointOn<D>,
    ) -> Self {
        let bodies = [
            BodyMotion::of(model, motion, a.body),
            BodyMotion::of(model, motion, b.body),
        ];
        let rotations = [bodies[0].pose.rotation(), bodies[1].pose.rotation()];
        let point_maps = [
            wrench_point_map::<G, N, D>(&a.point),
            wrench_point_map::<G, N, D>(&b.point),
        ];
        let z = bodies[1].pose.translation() - bodies[0].pose.translation()
            + rotations[1] * b.point
            - rotations[0] * a.point;
        let length = z.norm();
        let z_by = [
            -(rotations[0] * point_maps[0]),
            rotations[1] * point_maps[1],
        ]; // (1)
        let z_rate = z_by[0] * bodies[0].velocity + z_by[1] * bodies[1].velocity;
        // A line of no length has no direction and pulls nowhere.
        let direction = if length > 0.0 {
            z / length
        } else {
            SVector::zeros()
        };
        let rate = direction.dot(&z_rate);
        Self {
            bodies,
            length,
            rate,
            direction,
            z_rate,
            rotations,
            point_maps,
            z_by,
        }
    }

    /// ∂(unit force on body i)/∂ψ_j without the change of tension, eq. (3).
    pub(super) fn geometric(&self, i: usize, j: usize) -> SMatrix<f64, N, N> {
        let e = &self.direction;
        let inverse = if self.length > 0.0 {
            1.0 / self.length
        } else {
            0.0
        };
        let across = (self.z_by[j] - e * e.tr_mul(&self.z_by[j])) * inverse;
        let mut block = self.z_by[i].tr_mul(&across);
        if i == j {
            let sign = if i == 0 { -1.0 } else { 1.0 };
            let e_body = self.rotations[i].tr_mul(e);
            block -= self.point_maps[i].tr_mul(&G::cross(&e_body)) * sign;
        }
        block
    }

    /// ∂ℓ̇/∂ψ_j.
    pub(super) fn rate_by_pose(&self, j: usize) -> SVector<f64, N> {
        let e = &self.direction;
        let inverse = if self.length > 0.0 {
            1.0 / self.length
        } else {
            0.0
        };
        let across = (self.z_rate - e * e.dot(&self.z_rate)) * inverse;
        let sign = if j == 0 { -1.0 } else { 1.0 };
        let point_velocity = self.point_maps[j] * self.bodies[j].velocity;
        let turned = self.rotations[j] * G::cross(&point_velocity) * sign;
        self.z_by[j].tr_mul(&across) + turned.tr_mul(e)
    }

    /// Power that the motion of end `side` puts into the line [W].
    pub(crate) fn end_power(&self, side: usize, tension: f64) -> f64 {
        tension
            * self
                .direction
                .dot(&(self.z_by[side] * self.bodies[side].velocity))
    }

    fn response(&self, law: &LineLaw, pull: f64, dynamic: bool) -> Response {
        law.pulled(pull, self.length, if dynamic { self.rate } else { 0.0 })
    }
}

/// Pull of a line's winch [N].
#[inline]
fn pull<G, const N: usize>(winch: &Option<InputId>, motion: &Motion<'_, G, N>) -> f64 {
    winch.map_or(0.0, |input| motion.inputs.value[input.0])
}

/// Force on the ends of a line per pull of its winch.
pub(super) fn line_by_pull<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    force: &Force<D>,
    motion: &Motion<'_, G, N>,
    system: &mut System<N>,
) {
    let Force::Line {
        a, b, law, winch, ..
    } = force
    else {
        return;
    };
    let line = LineKinematics::new(model, motion, a, b);
    let by_pull = law.by_pull(pull(winch, motion), line.length, line.rate);
    for (body, z_by) in line.bodies.iter().zip(&line.z_by) {
        if let Some(node) = body.node {
            system.node_rhs[node] -= z_by.tr_mul(&line.direction) * by_pull;
        }
    }
}

#[inline]
#[allow(clippy::too_many_arguments)] // the line's own data, unpacked by the caller
fn assemble_line<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    line: &LineKinematics<G, N, D>,
    response: &Response,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    coupling: Option<usize>,
    system: &mut System<N>,
) {
    if response.tension == 0.0 && response.by_length == 0.0 && response.by_rate == 0.0 {
        return;
    }
    let gradients = [0, 1].map(|i| line.z_by[i].tr_mul(&line.direction));
    for (body, gradient) in line.bodies.iter().zip(&gradients) {
        if let Some(node) = body.node {
            system.node_rhs[node] -= gradient * response.tension; // (2)
        }
    }
    if wanted == Wanted::Residual {
        return;
    }
    let w = &task.weights;
    let tension_by = [0, 1].map(|j| {
        let mut by = gradients[j] * (response.by_length * w.stiffness);
        if task.dynamic && response.by_rate != 0.0 {
            by += line.rate_by_pose(j) * (response.by_rate * w.stiffness);
            if let Some(node) = line.bodies[j].node {
                by += motion.maps[node].tr_mul(&gradients[j]) * (response.by_rate * w.damping);
            }
        }
        by
    });
    let block = |i: usize, j: usize| {
        gradients[i] * tension_by[j].transpose()
            + line.geometric(i, j) * (response.tension * w.stiffness)
    };
    for (i, body) in line.bodies.iter().enumerate() {
        if let Some(node) = body.node {
            system.diagonal[node] += block(i, i);
        }
    }
    if let Some(coupling) = coupling {
        system.add_coupling(&model.layout, coupling, &block(0, 1), &block(1, 0));
    }
}

/// Force on the free end of a line whose other end (side `side`) is displaced by `twist`.
pub(super) fn line_by_frame<G: Group<N, D>, const N: usize, const D: usize>(
    line: &LineKinematics<G, N, D>,
    (force, memory): (&Force<D>, &[f64]),
    motion: &Motion<'_, G, N>,
    (side, twist): (usize, &SVector<f64, N>),
    system: &mut System<N>,
) {
    let Force::Line {
        law, stops, winch, ..
    } = force
    else {
        return;
    };
    let other = 1 - side;
    let Some(node) = line.bodies[other].node else {
        return;
    };
    let mut response = line.response(law, pull(winch, motion), true);
    if let Some(stops) = stops {
        stops::add_to_line(&mut response, stops, line, memory, true);
    }
    let gradient = |i: usize| line.z_by[i].tr_mul(&line.direction);
    let tension_by =
        gradient(side) * response.by_length + line.rate_by_pose(side) * response.by_rate;
    system.node_rhs[node] -= gradient(other) * tension_by.dot(twist)
        + line.geometric(other, side) * twist * response.tension;
}

/// A torque about a joint's axis and its derivatives.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Torque {
    pub value: f64,
    pub by_angle: f64,
    pub by_rate: f64,
}

#[allow(clippy::too_many_arguments)] // the torque's own data, unpacked by the caller
fn assemble_torque<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    joint: JointId,
    hinge: &Hinge<N, D>,
    torque: &Torque,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    for (node, moment) in hinge.nodes.iter().zip(&hinge.moment) {
        if let Some(node) = *node {
            system.node_rhs[node] += moment * torque.value;
        }
    }
    if wanted == Wanted::Residual {
        return;
    }
    let w = &task.weights;
    let torque_by = [0, 1].map(|j| {
        let mut by = hinge.by[j] * (torque.by_angle * w.stiffness);
        if torque.by_rate != 0.0 {
            by += hinge.rate_by[j] * (torque.by_rate * w.stiffness);
            if let Some(node) = hinge.nodes[j] {
                by += motion.maps[node].tr_mul(&hinge.by[j]) * (torque.by_rate * w.damping);
            }
        }
        by
    });
    // An applied torque enters the residual with a minus sign.
    let block = |i: usize, j: usize| {
        let mut block = -hinge.moment[i] * torque_by[j].transpose();
        if i == 1 {
            block -= hinge.moment_b_by[j] * (torque.value * w.stiffness);
        }
        block
    };
    for i in 0..2 {
        if let Some(node) = hinge.nodes[i] {
            system.diagonal[node] += block(i, i);
        }
    }
    if let Some(coupling) = model.joints[joint.0].coupling {
        system.add_coupling(&model.layout, coupling, &block(0, 1), &block(1, 0));
    }
}

/// `P + X(point)`: twist of a body to velocity of a point, in the body's axes.
pub(crate) fn wrench_point_map<G: Group<N, D>, const N: usize, const D: usize>(
    point: &SVector<f64, D>,
) -> SMatrix<f64, D, N> {
    G::linear_part() + G::cross(point)
}

/// A moment given in axes turned by `rotation` against the body's, as a covector of the body.
pub(crate) fn moment_covector<const N: usize, const D: usize>(
    moment: &[f64; 3],
    rotation: &SMatrix<f64, D, D>,
) -> SVector<f64, N> {
    let mut out = SVector::zeros();
    if D == 2 {
        out[N - 1] = moment[2];
        return out;
    }
    for i in 0..D {
        for j in 0..D {
            out[D + i] += rotation[(j, i)] * moment[j];
        }
    }
    out
}

#[allow(clippy::too_many_arguments)] // the wrench's own data, unpacked by the caller
fn assemble_wrench<G: Group<N, D>, const N: usize, const D: usize>(
    motion: &Motion<'_, G, N>,
    node: usize,
    point: &SVector<f64, D>,
    axes: Axes,
    force: &SVector<f64, D>,
    moment: &[f64; 3],
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    let map = wrench_point_map::<G, N, D>(point);
    let rotation = match axes {
        Axes::World => motion.poses[node].rotation(),
        Axes::Body => SMatrix::identity(),
    };
    let body_force = rotation.tr_mul(force);
    let covector = moment_covector::<N, D>(moment, &rotation);
    system.node_rhs[node] += map.tr_mul(&body_force) + covector;
    if axes == Axes::World && wanted == Wanted::Tangent {
        // δ(Rᵀ F) = −X(Rᵀ F) ψ, and the same for a moment in space.
        let mut tangent = map.tr_mul(&G::cross(&body_force));
        if D == 3 {
            let arm = SVector::<f64, D>::from_fn(|i, _| covector[D + i]);
            let turn = G::cross(&arm);
            for i in 0..D {
                let row = tangent.row(D + i) + turn.row(i);
                tangent.row_mut(D + i).copy_from(&row);
            }
        }
        system.diagonal[node] += tangent * task.weights.stiffness;
    }
}
