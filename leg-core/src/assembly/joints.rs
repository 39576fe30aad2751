//! Constraint rows, their derivatives and the geometric stiffness of the joint forces.
//!
//! For a joint between bodies a and b with `R = R_aᵀ R_b`, the vector z from the origin of a to
//! the point p_b of b in the axes of a, `X(·)` of [`Group::cross`], `P = [I 0]`, `B = P + X(p_b)`:
//!
//! ```text
//! δz = −(P + X(z)) ψ_a + R B ψ_b                                              (1)
//! δc = −X(c) ψ_a + R X(b) ψ_b,        c = R b                                 (2)
//! ```
//!
//! A position row measures `a·(z − p_a)`, a crossing or angle row `a·c`, with `a` fixed in body a.
//! The forces `φ_qᵀ λ` and their derivatives, Λ being the sum of λ a over the position rows:
//!
//! ```text
//! g_a = −(P + X(z))ᵀ Λ − λ X(c)ᵀ a       δg_a = X(Λ)ᵀ δz + λ X(a)ᵀ δc           (3)
//! g_b = Bᵀ RᵀΛ + λ X(b)ᵀ Rᵀa             δ(Rᵀu) = −X(Rᵀu) ψ_b + Rᵀ X(u) ψ_a     (4)
//! ```
//!
//! Second derivatives in time at v̇ = 0:
//!
//! ```text
//! z̈ = −X(ż) v_a + R X(B v_b) v_b − X(R B v_b) v_a                              (5)
//! c̈ = −X(ċ) v_a + R X(X(b) v_b) v_b − X(R X(b) v_b) v_a                        (6)
//! ```

use super::{BodyMotion, ConstraintLevel, Motion, Task, Wanted};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{ConstraintRow, Inputs, Joint, Model};
use nalgebra::{SMatrix, SVector};

/// Largest number of rows of one joint.
const MOST_ROWS: usize = 6;

/// One row at the current motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowKinematics<const N: usize, const D: usize> {
    /// φ.
    pub value: f64,
    /// φ̇.
    pub rate: f64,
    /// Part of φ̇ that comes from inputs and moving frames.
    pub rate_by_time: f64,
    /// φ̈ less the part of the nodes' accelerations.
    pub acceleration_bias: f64,
    /// ∂φ/∂ψ_a and ∂φ/∂ψ_b.
    pub by: [SVector<f64, N>; 2],
    /// ∂φ/∂u of the row's own input.
    pub by_input: f64,
    /// Measuring direction in the axes of body a.
    direction: SVector<f64, D>,
    /// For crossing and angle rows: the vector b of body b, and c = R b.
    crossing: Option<(SVector<f64, D>, SVector<f64, D>)>,
}

/// A joint at the current motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointKinematics<G, const N: usize, const D: usize> {
    pub bodies: [BodyMotion<G, N>; 2],
    /// R = R_aᵀ R_b.
    pub r: SMatrix<f64, D, D>,
    z: SVector<f64, D>,
    z_rate: SVector<f64, D>,
    z_bias: SVector<f64, D>,
    /// P + X(p_b).
    point_map: SMatrix<f64, D, N>,
    /// −(P + X(z)) and R B of eq. (1).
    z_by: [SMatrix<f64, D, N>; 2],
}

impl<G: Group<N, D>, const N: usize, const D: usize> JointKinematics<G, N, D> {
    #[inline]
    pub(crate) fn new(
        model: &Model<G, N, D>,
        joint: &Joint<G, D>,
        motion: &Motion<'_, G, N>,
    ) -> Self {
        let a = BodyMotion::of(model, motion, joint.a.body);
        let b = BodyMotion::of(model, motion, joint.b.body);
        let (ra, rb) = (a.pose.rotation(), b.pose.rotation());
        let r = ra.tr_mul(&rb);
        let z = ra.tr_mul(&(b.pose.translation() - a.pose.translation())) + r * joint.points[1];
        let linear = G::linear_part();
        let point_map = linear + G::cross(&joint.points[1]);
        let z_by = [-(linear + G::cross(&z)), r * point_map]; // (1)
        let point_velocity = z_by[1] * b.velocity;
        let z_rate = z_by[0] * a.velocity + point_velocity;
        let z_bias = -(G::cross(&z_rate) * a.velocity)
            + r * (G::cross(&(point_map * b.velocity)) * b.velocity)
            - G::cross(&point_velocity) * a.velocity; // (5)
        Self {
            bodies: [a, b],
            r,
            z,
            z_rate,
            z_bias,
            point_map,
            z_by,
        }
    }

    /// Row `row` of the joint.
    #[inline]
    pub(crate) fn row(
        &self,
        joint: &Joint<G, D>,
        row: &ConstraintRow,
        inputs: &Inputs,
    ) -> RowKinematics<N, D> {
        let mut out = match *row {
            ConstraintRow::Position { axis, input } => {
                let direction: SVector<f64, D> = joint.axes[0].column(axis).into();
                let channel = |list: &[f64]| input.map_or(0.0, |i| list[i]);
                let by = [
                    self.z_by[0].tr_mul(&direction),
                    self.z_by[1].tr_mul(&direction),
                ];
                RowKinematics {
                    value: direction.dot(&(self.z - joint.points[0])) - channel(&inputs.value),
                    rate: direction.dot(&self.z_rate) - channel(&inputs.rate),
                    rate_by_time: -channel(&inputs.rate),
                    acceleration_bias: direction.dot(&self.z_bias) - channel(&inputs.acceleration),
                    by,
                    by_input: -1.0,
                    direction,
                    crossing: None,
                }
            }
            ConstraintRow::Crossing { axis_a, axis_b } => {
                let still = [
                    joint.axes[0].column(axis_a).into(),
                    SVector::zeros(),
                    SVector::zeros(),
                ];
                self.crossing_row(&still, joint.axes[1].column(axis_b).into())
            }
            ConstraintRow::Angle { input } => {
                let (sin, cos) = inputs.value[input].sin_cos();
                let (u_dot, u_ddot) = (inputs.rate[input], inputs.acceleration[input]);
                let axes = &joint.axes[0];
                let vector =
                    |x: f64, y: f64| -> SVector<f64, D> { axes.column(0) * x + axes.column(1) * y };
                let square = u_dot * u_dot;
                let turning = [
                    vector(-sin, cos),
                    vector(-cos * u_dot, -sin * u_dot),
                    vector(square * sin - u_ddot * cos, -square * cos - u_ddot * sin),
                ];
                let mut out = self.crossing_row(&turning, joint.axes[1].column(0).into());
                let c = self.r * joint.axes[1].column(0);
                out.by_input = vector(-cos, -sin).dot(&c);
                out
            }
        };
        for (body, by) in self.bodies.iter().zip(&out.by) {
            if body.node.is_none() {
                out.rate_by_time += by.dot(&body.velocity);
                out.acceleration_bias += by.dot(&body.acceleration);
            }
        }
        out
    }

    /// A row a·R b with `a` and its first two time derivatives.
    #[inline]
    fn crossing_row(&self, a: &[SVector<f64, D>; 3], b: SVector<f64, D>) -> RowKinematics<N, D> {
        let (va, vb) = (&self.bodies[0].velocity, &self.bodies[1].velocity);
        let c = self.r * b;
        let (xb, xc) = (G::cross(&b), G::cross(&c));
        let turned = self.r * (xb * vb);
        let c_rate = turned - xc * va; // (2)
        let c_bias =
            self.r * (G::cross(&(xb * vb)) * vb) - G::cross(&turned) * va - G::cross(&c_rate) * va; // (6)
        let rate_by_time = a[1].dot(&c);
        RowKinematics {
            value: a[0].dot(&c),
            rate: rate_by_time + a[0].dot(&c_rate),
            rate_by_time,
            acceleration_bias: a[2].dot(&c) + 2.0 * a[1].dot(&c_rate) + a[0].dot(&c_bias),
            by: [-xc.tr_mul(&a[0]), xb.tr_mul(&self.r.tr_mul(&a[0]))],
            by_input: 0.0,
            direction: a[0],
            crossing: Some((b, c)),
        }
    }

    /// Derivatives of the joint forces on bodies a and b by ψ_a and ψ_b, eqs. (3), (4).
    #[inline]
    pub(crate) fn geometric_stiffness(
        &self,
        rows: &[RowKinematics<N, D>],
        multipliers: &[f64],
    ) -> [[SMatrix<f64, N, N>; 2]; 2] {
        let mut position = SVector::<f64, D>::zeros();
        let mut k = [[SMatrix::zeros(); 2]; 2];
        for (row, &lambda) in rows.iter().zip(multipliers) {
            let Some((b, c)) = row.crossing else {
                position += row.direction * lambda;
                continue;
            };
            let a = row.direction * lambda;
            let (xa, xb) = (G::cross(&a), G::cross(&b));
            k[0][0] -= xa.tr_mul(&G::cross(&c));
            k[0][1] += xa.tr_mul(&(self.r * xb));
            k[1][0] += xb.tr_mul(&self.r.tr_mul(&xa));
            k[1][1] -= xb.tr_mul(&G::cross(&self.r.tr_mul(&a)));
        }
        let x = G::cross(&position);
        k[0][0] += x.tr_mul(&self.z_by[0]);
        k[0][1] += x.tr_mul(&self.z_by[1]);
        k[1][0] += self.point_map.tr_mul(&self.r.tr_mul(&x));
        k[1][1] -= self.point_map.tr_mul(&G::cross(&self.r.tr_mul(&position)));
        k
    }
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    for joint in &model.joints {
        assemble_joint(model, joint, motion, task, wanted, system);
    }
}

fn assemble_joint<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    joint: &Joint<G, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    let kinematics = JointKinematics::new(model, joint, motion);
    let scale = task.constraint_scale;
    let first = joint.first_row;
    let multipliers = &motion.multipliers[first..first + joint.rows.len()];
    let mut rows = [kinematics.row(joint, &joint.rows[0], motion.inputs); MOST_ROWS];
    for (index, row) in joint.rows.iter().enumerate() {
        if index > 0 {
            rows[index] = kinematics.row(joint, row, motion.inputs);
        }
        let out = &rows[index];
        system.row_rhs[first + index] = -scale * residual(&kinematics, out, task.level);
        for (body, by) in kinematics.bodies.iter().zip(&out.by) {
            let Some(node) = body.node else { continue };
            system.node_rhs[node] -= by * multipliers[index];
            if wanted == Wanted::Residual {
                continue;
            }
            let column = by * scale;
            let entries = match task.level {
                ConstraintLevel::Position | ConstraintLevel::Velocity => column,
                ConstraintLevel::Acceleration {
                    velocity_gain,
                    position_gain,
                } => {
                    // The change of φ_q v̇ and of the bias with the pose is left out: against
                    // the terms kept it is of the order of the step squared.
                    let w = &task.weights;
                    motion.maps[node].tr_mul(&column) * (w.inertia + velocity_gain * w.damping)
                        + column * (position_gain * w.stiffness)
                }
            };
            system.add_constraint(&model.layout, first + index, node, &entries, &column);
        }
    }
    let weightless = task.weights.stiffness == 0.0 || multipliers.iter().all(|&l| l == 0.0);
    if wanted == Wanted::Residual || weightless {
        return;
    }
    let k = kinematics.geometric_stiffness(&rows[..joint.rows.len()], multipliers);
    let weight = task.weights.stiffness;
    for (body, block) in kinematics.bodies.iter().zip([&k[0][0], &k[1][1]]) {
        if let Some(node) = body.node {
            system.diagonal[node] += block * weight;
        }
    }
    if let Some(coupling) = joint.coupling {
        let (ab, ba) = (k[0][1] * weight, k[1][0] * weight);
        system.add_coupling(&model.layout, coupling, &ab, &ba);
    }
}

/// What a row must bring to zero at the given level.
fn residual<G, const N: usize, const D: usize>(
    kinematics: &JointKinematics<G, N, D>,
    row: &RowKinematics<N, D>,
    level: ConstraintLevel,
) -> f64 {
    match level {
        ConstraintLevel::Position => row.value,
        ConstraintLevel::Velocity => row.rate,
        ConstraintLevel::Acceleration {
            velocity_gain,
            position_gain,
        } => {
            let mut acceleration = row.acceleration_bias;
            for (body, by) in kinematics.bodies.iter().zip(&row.by) {
                if body.node.is_some() {
                    acceleration += by.dot(&body.acceleration);
                }
            }
            acceleration + velocity_gain * row.rate + position_gain * row.value
        }
    }
}
