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

mod distance;
mod sum;
mod turning;

pub(crate) use turning::{Along, Turning};

use super::{BodyMotion, ConstraintLevel, Motion, Task, Wanted};
use crate::group::Group;
use crate::linear_solver::System;
use crate::math;
use crate::model::{ConstraintRow, Inputs, Joint, Model};
use nalgebra::{SMatrix, SVector};

/// One row at the current pose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowKinematics<const N: usize, const D: usize> {
    /// φ.
    pub value: f64,
    /// ∂φ/∂ψ_a and ∂φ/∂ψ_b.
    pub by: [SVector<f64, N>; 2],
    /// ∂φ/∂u of the row's own input.
    pub by_input: f64,
    /// Measuring direction in the axes of body a.
    direction: SVector<f64, D>,
    /// For crossing and angle rows: the vector b of body b, and c = R b.
    crossing: Option<(SVector<f64, D>, SVector<f64, D>)>,
    /// The moment does not follow the row's gradient: its axis in body a.
    upright: Option<SVector<f64, D>>,
}

impl<const N: usize, const D: usize> RowKinematics<N, D> {
    /// Forces on bodies a and b per unit of λ with the sign reversed: the row's gradient, but for
    /// an upright moment.
    #[inline]
    pub(crate) fn force(&self, r: &SMatrix<f64, D, D>) -> [SVector<f64, N>; 2] {
        match &self.upright {
            Some(axis) => [-angular::<N, D>(axis), angular(&r.tr_mul(axis))],
            None => self.by,
        }
    }
}

/// A vector of three as the angular part of a covector.
fn angular<const N: usize, const D: usize>(v: &SVector<f64, D>) -> SVector<f64, N> {
    let mut out = SVector::zeros();
    for i in 0..D.min(N - D) {
        out[D + i] = v[i];
    }
    out
}

/// Time derivatives of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowRates {
    /// φ̇.
    pub rate: f64,
    /// Part of φ̇ that comes from inputs and moving frames.
    pub rate_by_time: f64,
    /// φ̈ less the part of the nodes' accelerations.
    pub acceleration_bias: f64,
}

/// A joint at the current motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointKinematics<G, const N: usize, const D: usize> {
    pub bodies: [BodyMotion<G, N>; 2],
    /// R = R_aᵀ R_b.
    pub r: SMatrix<f64, D, D>,
    z: SVector<f64, D>,
    /// The joint's counted angle at a nearby state.
    near: f64,
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
        Self {
            bodies: [a, b],
            r,
            z,
            near: motion.angles.get(joint.index).copied().unwrap_or(0.0),
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
        match *row {
            ConstraintRow::Position { axis, input } => {
                let direction: SVector<f64, D> = joint.axes[0].column(axis).into();
                let back = self.r.tr_mul(&direction);
                RowKinematics {
                    value: direction.dot(&(self.z - joint.points[0]))
                        - input.map_or(0.0, |i| inputs.value[i]),
                    by: [
                        -at_point::<G, N, D>(&self.z, &direction),
                        at_point::<G, N, D>(&joint.points[1], &back),
                    ], // (1)
                    by_input: -1.0,
                    direction,
                    crossing: None,
                    upright: None,
                }
            }
            ConstraintRow::Crossing { axis_a, axis_b } => {
                let a: SVector<f64, D> = joint.axes[0].column(axis_a).into();
                self.crossing_row(a, joint.axes[1].column(axis_b).into())
            }
            ConstraintRow::Upright {
                axis_a,
                axis_b,
                moment_axis,
            } => {
                let a: SVector<f64, D> = joint.axes[0].column(axis_a).into();
                let mut out = self.crossing_row(a, joint.axes[1].column(axis_b).into());
                out.upright = Some(joint.axes[0].column(moment_axis).into());
                out
            }
            ConstraintRow::Angle { input } => {
                let [a, ..] = turning_axis(joint, inputs, input);
                let mut out = self.crossing_row(a, joint.axes[1].column(0).into());
                let (sin, cos) = math::sin_cos(inputs.value[input]);
                let axes = &joint.axes[0];
                let by_input: SVector<f64, D> = -(axes.column(0) * cos + axes.column(1) * sin);
                out.by_input = by_input.dot(&(self.r * joint.axes[1].column(0)));
                out
            }
            ConstraintRow::Distance { input } => self.distance_row(joint, input, inputs),
            ConstraintRow::Turning(ref turning) => self.turning_row(joint, turning),
            ConstraintRow::Sum { ref weights } => self.sum_row(joint, weights, inputs),
        }
    }

    /// A row a·R b.
    #[inline]
    fn crossing_row(&self, a: SVector<f64, D>, b: SVector<f64, D>) -> RowKinematics<N, D> {
        let c = self.r * b;
        RowKinematics {
            value: a.dot(&c),
            by: [-G::moment(&c, &a), G::moment(&b, &self.r.tr_mul(&a))], // (2)
            by_input: 0.0,
            direction: a,
            crossing: Some((b, c)),
            upright: None,
        }
    }

    /// Time derivatives of a row.
    pub(crate) fn rates(
        &self,
        joint: &Joint<G, D>,
        row: &ConstraintRow,
        inputs: &Inputs,
        at: &RowKinematics<N, D>,
    ) -> RowRates {
        let zero = SVector::zeros();
        let mut out = match *row {
            ConstraintRow::Position { input, .. } => {
                let channel = |list: &[f64]| input.map_or(0.0, |i| list[i]);
                let (z_rate, z_bias) = self.point_rates(joint);
                RowRates {
                    rate: at.direction.dot(&z_rate) - channel(&inputs.rate),
                    rate_by_time: -channel(&inputs.rate),
                    acceleration_bias: at.direction.dot(&z_bias) - channel(&inputs.acceleration),
                }
            }
            ConstraintRow::Crossing { axis_b, .. } | ConstraintRow::Upright { axis_b, .. } => {
                let b = joint.axes[1].column(axis_b).into();
                self.crossing_rates(&[at.direction, zero, zero], &b)
            }
            ConstraintRow::Angle { input } => {
                let axis = turning_axis(joint, inputs, input);
                self.crossing_rates(&axis, &joint.axes[1].column(0).into())
            }
            ConstraintRow::Distance { input } => self.distance_rates(joint, input, inputs, at),
            ConstraintRow::Turning(ref turning) => self.turning_rates(joint, turning),
            ConstraintRow::Sum { ref weights } => return self.sum_rates(joint, weights, inputs),
        };
        for (body, by) in self.bodies.iter().zip(&at.by) {
            if body.node.is_none() {
                out.rate_by_time += by.dot(&body.velocity);
                out.acceleration_bias += by.dot(&body.acceleration);
            }
        }
        out
    }

    /// ż, and z̈ at v̇ = 0.
    fn point_rates(&self, joint: &Joint<G, D>) -> (SVector<f64, D>, SVector<f64, D>) {
        let (va, vb) = (&self.bodies[0].velocity, &self.bodies[1].velocity);
        let linear = G::linear_part();
        let body_velocity = linear * vb + G::turn(vb, &joint.points[1]);
        let point_velocity = self.r * body_velocity;
        let z_rate = point_velocity - linear * va - G::turn(va, &self.z); // (1)
        let z_bias = self.r * G::turn(vb, &body_velocity)
            - G::turn(va, &z_rate)
            - G::turn(va, &point_velocity); // (5)
        (z_rate, z_bias)
    }

    /// Time derivatives of a·R b with `a` and its first two time derivatives.
    fn crossing_rates(&self, a: &[SVector<f64, D>; 3], b: &SVector<f64, D>) -> RowRates {
        let (va, vb) = (&self.bodies[0].velocity, &self.bodies[1].velocity);
        let c = self.r * b;
        let body_rate = G::turn(vb, b);
        let turned = self.r * body_rate;
        let c_rate = turned - G::turn(va, &c); // (2)
        let c_bias = self.r * G::turn(vb, &body_rate) - G::turn(va, &turned) - G::turn(va, &c_rate); // (6)
        let rate_by_time = a[1].dot(&c);
        RowRates {
            rate: rate_by_time + a[0].dot(&c_rate),
            rate_by_time,
            acceleration_bias: a[2].dot(&c) + 2.0 * a[1].dot(&c_rate) + a[0].dot(&c_bias),
        }
    }

    /// Adds the geometric stiffness of a row with its multiplier.
    #[inline]
    pub(crate) fn add_geometric(
        &self,
        joint: &Joint<G, D>,
        row: &ConstraintRow,
        at: &RowKinematics<N, D>,
        lambda: f64,
        geometric: &mut Geometric<N, D>,
    ) {
        geometric.add::<G>(&self.r, at, lambda);
        match row {
            ConstraintRow::Distance { .. } => self.add_distance(joint, at, lambda, geometric),
            ConstraintRow::Turning(turning) => self.add_turning(joint, turning, lambda, geometric),
            ConstraintRow::Sum { weights } => self.add_sum(joint, weights, lambda, geometric),
            _ => {}
        }
    }

    /// Derivatives of the joint forces on bodies a and b by ψ_a and ψ_b, eqs. (3), (4): Λ and the
    /// sum over the crossing rows are collected by [`Geometric::add`].
    #[inline]
    pub(crate) fn geometric_stiffness(
        &self,
        joint: &Joint<G, D>,
        geometric: Geometric<N, D>,
    ) -> [[SMatrix<f64, N, N>; 2]; 2] {
        let Geometric {
            position, mut k, ..
        } = geometric;
        let arm = &joint.points[1];
        let back = self.r.tr_mul(&position);
        let (x, x_z) = (G::cross(&position), G::cross(&self.z));
        let (x_arm, x_back) = (G::cross(arm), G::cross(&back));
        for j in 0..N {
            // Columns of P + X(z) and R B.
            let mut z_by_a: SVector<f64, D> = x_z.column(j).into();
            let mut z_by_b: SVector<f64, D> = x_arm.column(j).into();
            if j < D {
                z_by_a[j] += 1.0;
                z_by_b[j] += 1.0;
            }
            add_column(&mut k[0][0], j, -G::moment(&position, &z_by_a));
            add_column(&mut k[0][1], j, G::moment(&position, &(self.r * z_by_b)));
            if j >= D {
                let turned = self.r.tr_mul(&x.column(j));
                add_column(&mut k[1][0], j, at_point::<G, N, D>(arm, &turned));
                let turned: SVector<f64, D> = x_back.column(j).into();
                add_column(&mut k[1][1], j, -at_point::<G, N, D>(arm, &turned));
            }
        }
        k
    }
}

/// What the geometric stiffness of a joint needs of its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometric<const N: usize, const D: usize> {
    /// Λ.
    position: SVector<f64, D>,
    /// Blocks of the crossing rows.
    k: [[SMatrix<f64, N, N>; 2]; 2],
    loaded: bool,
}

impl<const N: usize, const D: usize> Geometric<N, D> {
    #[inline]
    pub(crate) fn none() -> Self {
        Self {
            position: SVector::zeros(),
            k: [[SMatrix::zeros(); 2]; 2],
            loaded: false,
        }
    }

    /// Adds a row with its multiplier.
    #[inline]
    pub(crate) fn add<G: Group<N, D>>(
        &mut self,
        r: &SMatrix<f64, D, D>,
        row: &RowKinematics<N, D>,
        lambda: f64,
    ) {
        if lambda == 0.0 {
            return;
        }
        self.loaded = true;
        if let Some(axis) = &row.upright {
            // δ(Rᵀ u) of eq. (4), u fixed in body a.
            let u = axis * lambda;
            let (xu, x_back) = (G::cross(&u), G::cross(&r.tr_mul(&u)));
            for j in D..N {
                let column = |x: &SMatrix<f64, D, N>| -> SVector<f64, D> { x.column(j).into() };
                add_column(&mut self.k[1][0], j, angular(&r.tr_mul(&column(&xu))));
                add_column(&mut self.k[1][1], j, -angular::<N, D>(&column(&x_back)));
            }
            return;
        }
        let a = row.direction * lambda;
        let Some((b, c)) = row.crossing else {
            self.position += a;
            return;
        };
        let back = r.tr_mul(&a);
        let (xa, xb, xc, x_back) = (G::cross(&a), G::cross(&b), G::cross(&c), G::cross(&back));
        let k = &mut self.k;
        for j in D..N {
            let column = |x: &SMatrix<f64, D, N>| -> SVector<f64, D> { x.column(j).into() };
            add_column(&mut k[0][0], j, -G::moment(&a, &column(&xc)));
            add_column(&mut k[0][1], j, G::moment(&a, &(r * column(&xb))));
            add_column(&mut k[1][0], j, G::moment(&b, &r.tr_mul(&column(&xa))));
            add_column(&mut k[1][1], j, -G::moment(&b, &column(&x_back)));
        }
    }
}

#[inline(always)]
fn add_column<const N: usize>(m: &mut SMatrix<f64, N, N>, j: usize, column: SVector<f64, N>) {
    for i in 0..N {
        m[(i, j)] += column[i];
    }
}

/// `(P + X(point))ᵀ force`.
#[inline(always)]
fn at_point<G: Group<N, D>, const N: usize, const D: usize>(
    point: &SVector<f64, D>,
    force: &SVector<f64, D>,
) -> SVector<f64, N> {
    let mut out = G::moment(point, force);
    for i in 0..D {
        out[i] = force[i];
    }
    out
}

/// e2 of frame A turned by the angle `input`, with its first two time derivatives.
fn turning_axis<G, const D: usize>(
    joint: &Joint<G, D>,
    inputs: &Inputs,
    input: usize,
) -> [SVector<f64, D>; 3] {
    let (sin, cos) = math::sin_cos(inputs.value[input]);
    let (u_dot, u_ddot) = (inputs.rate[input], inputs.acceleration[input]);
    let axes = &joint.axes[0];
    let vector = |x: f64, y: f64| -> SVector<f64, D> { axes.column(0) * x + axes.column(1) * y };
    let square = u_dot * u_dot;
    [
        vector(-sin, cos),
        vector(-cos * u_dot, -sin * u_dot),
        vector(square * sin - u_ddot * cos, -square * cos - u_ddot * sin),
    ]
}

#[inline(never)]
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
    let mut geometric = Geometric::none();
    for (index, row) in joint.rows.iter().enumerate() {
        let out = kinematics.row(joint, row, motion.inputs);
        let residual = residual(&kinematics, joint, row, &out, motion.inputs, task.level);
        system.row_rhs[first + index] = -scale * residual;
        if wanted == Wanted::Tangent {
            kinematics.add_geometric(joint, row, &out, multipliers[index], &mut geometric);
        }
        let forces = out.force(&kinematics.r);
        for ((body, by), force) in kinematics.bodies.iter().zip(&out.by).zip(&forces) {
            let Some(node) = body.node else { continue };
            system.node_rhs[node] -= force * multipliers[index];
            if wanted == Wanted::Residual {
                continue;
            }
            let row = by * scale;
            let entries = match task.level {
                ConstraintLevel::Position | ConstraintLevel::Velocity => row,
                ConstraintLevel::Acceleration {
                    velocity_gain,
                    position_gain,
                } => {
                    // The change of φ_q v̇ and of the bias with the pose is left out: against
                    // the terms kept it is of the order of the step squared.
                    let w = &task.weights;
                    motion.maps[node].tr_mul(&row) * (w.inertia + velocity_gain * w.damping)
                        + row * (position_gain * w.stiffness)
                }
            };
            let column = force * scale;
            system.add_constraint(&model.layout, first + index, node, &entries, &column);
        }
    }
    if !geometric.loaded || task.weights.stiffness == 0.0 {
        return;
    }
    let k = kinematics.geometric_stiffness(joint, geometric);
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
#[inline(always)]
fn residual<G: Group<N, D>, const N: usize, const D: usize>(
    kinematics: &JointKinematics<G, N, D>,
    joint: &Joint<G, D>,
    row: &ConstraintRow,
    at: &RowKinematics<N, D>,
    inputs: &Inputs,
    level: ConstraintLevel,
) -> f64 {
    if level == ConstraintLevel::Position {
        return at.value;
    }
    let rates = kinematics.rates(joint, row, inputs, at);
    match level {
        ConstraintLevel::Position => at.value,
        ConstraintLevel::Velocity => rates.rate,
        ConstraintLevel::Acceleration {
            velocity_gain,
            position_gain,
        } => {
            let mut acceleration = rates.acceleration_bias;
            for (body, by) in kinematics.bodies.iter().zip(&at.by) {
                if body.node.is_some() {
                    acceleration += by.dot(&body.acceleration);
                }
            }
            acceleration + velocity_gain * rates.rate + position_gain * at.value
        }
    }
}
