//! Forces by a formula, on a distance, an angle or an offset.
//!
//! A coordinate q has gradients g_i = ∂q/∂ψ_i by the two bodies, and q̇ = Σ g_i·v_i. A law f(q, q̇)
//! puts f g_i on body i:
//!
//! ```text
//! δ(f g_i) = g_i (f_q g_j + f_q̇ ∂q̇/∂ψ_j)·ψ_j + f_q̇ g_i g_j·δv_j + f ∂g_i/∂ψ_j ψ_j   (1)
//! ```
//!
//! A law may measure one coordinate and push along another (a tyre measured at the axle that touches
//! the road beside it): g_i and ∂g_i are then those of the other one in every first place.
//!
//! An offset is q = u·(z − o) with z the place of the point in the axes of body a, R = R_aᵀ R_b,
//! B = P + X(p), w = B v_b:
//!
//! ```text
//! g_a = −(P + X(z))ᵀ u,   g_b = Bᵀ Rᵀ u                                             (2)
//! ∂q̇/∂ψ_a = −X(R w)ᵀ u − (P + X(z))ᵀ (ω_a × u),   ∂q̇/∂ψ_b = X(w)ᵀ Rᵀ u + Bᵀ Rᵀ (ω_a × u) (3)
//! ∂g_a = X(u)ᵀ δz,   ∂g_b = Bᵀ (Rᵀ X(u) ψ_a − X(Rᵀ u) ψ_b)                          (4)
//! ```

use super::forces::{LineKinematics, wrench_point_map};
use super::hinge::Hinge;
use super::{BodyMotion, Motion, Task, Wanted};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{Body, Coordinate, Inputs, LawForce, Model, Partial, PointOn};
use nalgebra::{SMatrix, SVector};

/// A coordinate at the current motion.
pub(crate) struct Measure<const N: usize, const D: usize> {
    pub value: f64,
    pub rate: f64,
    /// Gradients of the coordinate.
    pub by: [SVector<f64, N>; 2],
    /// Gradients of its rate by the poses.
    rate_by: [SVector<f64, N>; 2],
    /// Covectors of a unit force: the gradients, but for an angle off its axis.
    pub force: [SVector<f64, N>; 2],
    /// Derivatives of these.
    force_by: [[SMatrix<f64, N, N>; 2]; 2],
    pub nodes: [Option<usize>; 2],
    velocities: [SVector<f64, N>; 2],
}

impl<const N: usize, const D: usize> Measure<N, D> {
    pub(crate) fn new<G: Group<N, D>>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        coordinate: &Coordinate<D>,
    ) -> Self {
        match coordinate {
            Coordinate::Distance(a, b) => Self::distance(model, motion, a, b),
            Coordinate::Angle(joint) => {
                let near = motion.angles[joint.0];
                Self::angle(&Hinge::new(model, &model.joints[joint.0], motion, near), {
                    let joint = &model.joints[joint.0];
                    [joint.a.body, joint.b.body]
                        .map(|body| BodyMotion::of(model, motion, body).velocity)
                })
            }
            Coordinate::Offset {
                body,
                origin,
                direction,
                point,
            } => Self::offset(model, motion, *body, (origin, direction), point),
        }
    }

    fn distance<G: Group<N, D>>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        a: &PointOn<D>,
        b: &PointOn<D>,
    ) -> Self {
        let line = LineKinematics::new(model, motion, a, b);
        let by = [0, 1].map(|i| line.z_by[i].tr_mul(&line.direction));
        Self {
            value: line.length,
            rate: line.rate,
            by,
            rate_by: [line.rate_by_pose(0), line.rate_by_pose(1)],
            force: by,
            force_by: [0, 1].map(|i| [0, 1].map(|j| line.geometric(i, j))),
            nodes: line.bodies.map(|body| body.node),
            velocities: line.bodies.map(|body| body.velocity),
        }
    }

    fn angle(hinge: &Hinge<N, D>, velocities: [SVector<f64, N>; 2]) -> Self {
        let zero = [SMatrix::zeros(); 2];
        Self {
            value: hinge.angle,
            rate: hinge.rate,
            by: hinge.by,
            rate_by: hinge.rate_by,
            force: hinge.moment,
            force_by: [zero, hinge.moment_b_by],
            nodes: hinge.nodes,
            velocities,
        }
    }

    fn offset<G: Group<N, D>>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        body: Body,
        (origin, u): (&SVector<f64, D>, &SVector<f64, D>),
        point: &PointOn<D>,
    ) -> Self {
        let a = BodyMotion::of(model, motion, body);
        let b = BodyMotion::of(model, motion, point.body);
        let (ra, rb) = (a.pose.rotation(), b.pose.rotation());
        let r = ra.tr_mul(&rb);
        let z = ra.tr_mul(&(b.pose.translation() - a.pose.translation())) + r * point.point;
        let (map_a, map_b) = (
            wrench_point_map::<G, N, D>(&z),
            wrench_point_map::<G, N, D>(&point.point),
        );
        let back = r.tr_mul(u);
        let by = [-map_a.tr_mul(u), map_b.tr_mul(&back)]; // (2)
        let w = map_b * b.velocity;
        let spun = G::turn(&a.velocity, u);
        let rate_by = [
            -G::cross(&(r * w)).tr_mul(u) - map_a.tr_mul(&spun),
            G::cross(&w).tr_mul(&back) + map_b.tr_mul(&r.tr_mul(&spun)),
        ]; // (3)
        let x = G::cross(u);
        let force_by = [
            [-x.tr_mul(&map_a), x.tr_mul(&(r * map_b))],
            [map_b.tr_mul(&r.tr_mul(&x)), -map_b.tr_mul(&G::cross(&back))],
        ]; // (4)
        Self {
            value: u.dot(&(z - origin)),
            rate: by[0].dot(&a.velocity) + by[1].dot(&b.velocity),
            by,
            rate_by,
            force: by,
            force_by,
            nodes: [a.node, b.node],
            velocities: [a.velocity, b.velocity],
        }
    }

    /// The law's force with its derivatives by coordinate, rate and the input `channel`.
    pub(crate) fn force_of(
        &self,
        law: &LawForce<D>,
        inputs: &Inputs,
        dynamic: bool,
        channel: Option<usize>,
    ) -> Partial {
        let rate = if dynamic { self.rate } else { 0.0 };
        let by_rate = if dynamic { 1.0 } else { 0.0 };
        // No input has this number.
        let channel = channel.unwrap_or(usize::MAX);
        law.law.evaluate(|n| match n {
            0 => Partial {
                value: self.value,
                by: [1.0, 0.0, 0.0],
            },
            1 => Partial {
                value: rate,
                by: [0.0, by_rate, 0.0],
            },
            n => {
                let input = n - crate::model::FIRST_INPUT;
                let own = if channel == input { 1.0 } else { 0.0 };
                Partial {
                    value: inputs.value[input],
                    by: [0.0, 0.0, own],
                }
            }
        })
    }

    /// Power that a force of one puts into what is not a node.
    pub(crate) fn outside_rate(&self) -> f64 {
        (0..2)
            .filter(|&i| self.nodes[i].is_none())
            .map(|i| self.by[i].dot(&self.velocities[i]))
            .sum()
    }
}

/// Adds a law's force, and its tangent if wanted.
pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    law: &LawForce<D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    coupling: Option<usize>,
    system: &mut System<N>,
) {
    let measure = Measure::new(model, motion, &law.coordinate);
    let other = (law.acts_on.as_ref()).map(|acts_on| Measure::new(model, motion, acts_on));
    let acts_on = other.as_ref().unwrap_or(&measure);
    let f = measure.force_of(law, motion.inputs, task.dynamic, None);
    for (node, force) in acts_on.nodes.iter().zip(&acts_on.force) {
        if let Some(node) = *node {
            system.node_rhs[node] += force * f.value;
        }
    }
    if wanted == Wanted::Residual || (f.value == 0.0 && f.by == [0.0; 3]) {
        return;
    }
    let w = &task.weights;
    let f_by = [0, 1].map(|j| {
        let mut by = (measure.by[j] * f.by[0] + measure.rate_by[j] * f.by[1]) * w.stiffness;
        if let Some(node) = measure.nodes[j].filter(|_| f.by[1] != 0.0) {
            by += motion.maps[node].tr_mul(&measure.by[j]) * (f.by[1] * w.damping);
        }
        by
    });
    // An applied force enters the residual with a minus sign, (1).
    let block = |i: usize, j: usize| {
        -acts_on.force[i] * f_by[j].transpose() - acts_on.force_by[i][j] * (f.value * w.stiffness)
    };
    for i in 0..2 {
        if let Some(node) = measure.nodes[i] {
            system.diagonal[node] += block(i, i);
        }
    }
    if let Some(coupling) = coupling {
        system.add_coupling(&model.layout, coupling, &block(0, 1), &block(1, 0));
    }
}

/// Adds `∂f/∂u` of input `channel` to the right-hand side.
pub(super) fn by_input<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    law: &LawForce<D>,
    motion: &Motion<'_, G, N>,
    channel: usize,
    system: &mut System<N>,
) {
    if !law.inputs().any(|input| input == channel) {
        return;
    }
    let measure = Measure::new(model, motion, &law.coordinate);
    let slope = measure.force_of(law, motion.inputs, true, Some(channel)).by[2];
    let other = (law.acts_on.as_ref()).map(|acts_on| Measure::new(model, motion, acts_on));
    let acts_on = other.as_ref().unwrap_or(&measure);
    for (node, force) in acts_on.nodes.iter().zip(&acts_on.force) {
        if let Some(node) = *node {
            system.node_rhs[node] += force * slope;
        }
    }
}
