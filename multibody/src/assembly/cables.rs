//! Cables over guides: see `model::cable` for their equations.
//!
//! A point p of a body moves by δx = R B ψ, B = P + X(p), and its velocity w = R B v by
//! δw = R B δv + R X(B v) ψ; the force F on it is g = Bᵀ Rᵀ F on the body, and with δF = F_x δx + F_w δw
//!
//! ```text
//! δg = Bᵀ (Rᵀ δF − X(RᵀF) ψ)                                                    (1)
//! ```

use super::forces::wrench_point_map;
use super::{BodyMotion, Motion, Task, Wanted};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{CableResponse, Dual, MOST_CABLE_POINTS, Model, MountedCable};
use nalgebra::{SMatrix, SVector};

/// The points of a cable at a motion.
struct Points<const N: usize, const D: usize> {
    nodes: [Option<usize>; MOST_CABLE_POINTS],
    rotation: [SMatrix<f64, D, D>; MOST_CABLE_POINTS],
    /// B.
    map: [SMatrix<f64, D, N>; MOST_CABLE_POINTS],
    /// B v.
    body_velocity: [SVector<f64, D>; MOST_CABLE_POINTS],
    place: [[f64; D]; MOST_CABLE_POINTS],
    velocity: [[f64; D]; MOST_CABLE_POINTS],
}

impl<const N: usize, const D: usize> Points<N, D> {
    fn new<G: Group<N, D>>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        mounted: &MountedCable<D>,
        dynamic: bool,
    ) -> Self {
        let mut out = Self {
            nodes: [None; MOST_CABLE_POINTS],
            rotation: [SMatrix::zeros(); MOST_CABLE_POINTS],
            map: [SMatrix::zeros(); MOST_CABLE_POINTS],
            body_velocity: [SVector::zeros(); MOST_CABLE_POINTS],
            place: [[0.0; D]; MOST_CABLE_POINTS],
            velocity: [[0.0; D]; MOST_CABLE_POINTS],
        };
        for (i, point) in mounted.cable.points.iter().enumerate() {
            let body = BodyMotion::of(model, motion, point.body);
            let r = body.pose.rotation();
            let map = wrench_point_map::<G, N, D>(&point.point);
            let own = if dynamic {
                map * body.velocity
            } else {
                SVector::zeros()
            };
            out.nodes[i] = body.node;
            out.rotation[i] = r;
            out.map[i] = map;
            out.body_velocity[i] = own;
            out.place[i] = (body.pose.translation() + r * point.point).into();
            out.velocity[i] = (r * own).into();
        }
        out
    }
}

/// The response of a cable to a motion, at rest if not `dynamic`.
pub(crate) fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    mounted: &MountedCable<D>,
    dynamic: bool,
) -> CableResponse<f64, D> {
    let points = Points::<N, D>::new(model, motion, mounted, dynamic);
    mounted.cable.respond(&points.place, &points.velocity)
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    for mounted in &model.cables {
        let points = Points::<N, D>::new(model, motion, mounted, task.dynamic);
        let count = mounted.cable.points.len();
        let plain = mounted.cable.respond(&points.place, &points.velocity);
        for i in 0..count {
            if let Some(node) = points.nodes[i] {
                let force = points.rotation[i].tr_mul(&SVector::from(plain.forces[i]));
                system.node_rhs[node] += points.map[i].tr_mul(&force);
            }
        }
        if wanted == Wanted::Tangent {
            add_tangent::<G, N, D>(model, motion, task, mounted, &points, system);
        }
    }
}

/// Not inlined: its frame is large, and models without cables must not carry it.
#[inline(never)]
fn add_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    mounted: &MountedCable<D>,
    points: &Points<N, D>,
    system: &mut System<N>,
) {
    let count = mounted.cable.points.len();
    let variable = |list: &[[f64; D]; MOST_CABLE_POINTS], first: usize| {
        core::array::from_fn::<_, MOST_CABLE_POINTS, _>(|p| {
            core::array::from_fn::<_, D, _>(|i| Dual::variable(list[p][i], first + p * D + i))
        })
    };
    let velocities = MOST_CABLE_POINTS * D;
    let response = mounted.cable.respond(
        &variable(&points.place, 0),
        &variable(&points.velocity, velocities),
    );
    let w = &task.weights;
    // −∂g_i/∂ψ_j, eq. (1), weighted.
    let block = |i: usize, j: usize| -> SMatrix<f64, N, N> {
        let slope = |first: usize| {
            SMatrix::<f64, D, D>::from_fn(|a, b| response.forces[i][a].by[first + j * D + b])
        };
        let (by_place, by_velocity) = (slope(0), slope(velocities));
        let (r, map) = (&points.rotation[j], &points.map[j]);
        let mut change = by_place * r * map * w.stiffness;
        if task.dynamic {
            change += by_velocity * r * G::cross(&points.body_velocity[j]) * w.stiffness;
            if let Some(node) = points.nodes[j] {
                change += by_velocity * r * map * motion.maps[node] * w.damping;
            }
        }
        let mut own = points.rotation[i].tr_mul(&change);
        if i == j {
            let force = SVector::<f64, D>::from_fn(|a, _| response.forces[i][a].value);
            own -= G::cross(&points.rotation[i].tr_mul(&force)) * w.stiffness;
        }
        -points.map[i].tr_mul(&own)
    };
    let mut coupling = mounted.couplings.iter();
    for i in 0..count {
        if let Some(node) = points.nodes[i] {
            system.diagonal[node] += block(i, i);
        }
        for j in i + 1..count {
            let between = coupling.next().copied().flatten();
            match (points.nodes[i], points.nodes[j]) {
                (Some(a), Some(b)) if a == b => system.diagonal[a] += block(i, j) + block(j, i),
                _ => {
                    if let Some(between) = between {
                        system.add_coupling(&model.layout, between, &block(i, j), &block(j, i));
                    }
                }
            }
        }
    }
}
