//! Contacts of points with surfaces: see `contact::pair` for their equations.
//!
//! The plane is that of x and y in space: twists and wrenches of a planar body are entries 0, 1 and 5.

use super::{BodyMotion, Motion, Task, Wanted};
use crate::contact::{Approach, BodyMotion as SpatialMotion, PairResponse};
use crate::group::{Group, Se3};
use crate::linear_solver::System;
use crate::model::{Model, MountedSurface};
use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

/// Where entry `i` of a twist stands in a spatial one.
fn place<const D: usize>(i: usize) -> usize {
    if D == 2 && i == 2 { 5 } else { i }
}

fn spatial<G: Group<N, D>, const N: usize, const D: usize>(
    body: &BodyMotion<G, N>,
    dynamic: bool,
) -> SpatialMotion {
    let (r, x) = (body.pose.rotation(), body.pose.translation());
    let mut rotation = Matrix3::identity();
    let mut position = Vector3::zeros();
    for i in 0..D {
        position[i] = x[i];
        for j in 0..D {
            rotation[(i, j)] = r[(i, j)];
        }
    }
    let mut twist = Vector6::zeros();
    if dynamic {
        for i in 0..N {
            twist[place::<D>(i)] = body.velocity[i];
        }
    }
    SpatialMotion {
        pose: Se3::from_parts(position, rotation),
        twist,
    }
}

fn reduced<const N: usize, const D: usize>(matrix: &Matrix6<f64>) -> SMatrix<f64, N, N> {
    SMatrix::from_fn(|i, j| matrix[(place::<D>(i), place::<D>(j))])
}

/// The response of a contact to a motion, at rest if not `dynamic`.
pub(crate) fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    mounted: &MountedSurface,
    dynamic: bool,
    tangents: bool,
) -> ([Option<usize>; 2], PairResponse) {
    let bodies = (mounted.bodies).map(|body| BodyMotion::of(model, motion, body));
    let [a, b] = [0, 1].map(|i| spatial::<G, N, D>(&bodies[i], dynamic));
    let speed = |contact: usize| motion.inputs.value[mounted.speeds[contact]];
    let response = mounted.pair.respond(&speed, &a, &b, tangents);
    (bodies.map(|body| body.node), response)
}

/// Gap, closing speed and place of contact number `contact`.
pub(crate) fn approach<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    mounted: &MountedSurface,
    contact: usize,
) -> Option<Approach> {
    let bodies = (mounted.bodies).map(|body| BodyMotion::of(model, motion, body));
    let [a, b] = [0, 1].map(|i| spatial::<G, N, D>(&bodies[i], true));
    mounted.pair.approaches(&a, &b).nth(contact)
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    for mounted in &model.surfaces {
        let tangents = wanted == Wanted::Tangent;
        let (nodes, response) = respond(model, motion, mounted, task.dynamic, tangents);
        if !response.touches {
            continue;
        }
        for (node, wrench) in nodes.iter().zip(&response.wrenches) {
            if let Some(node) = *node {
                system.node_rhs[node] += SVector::<f64, N>::from_fn(|i, _| wrench[place::<D>(i)]);
            }
        }
        if !tangents {
            continue;
        }
        let w = &task.weights;
        let (pose, twist) = (&response.by_pose, &response.by_twist);
        let by_pose = [[&pose.a_by_a, &pose.a_by_b], [&pose.b_by_a, &pose.b_by_b]];
        let by_twist = [
            [&twist.a_by_a, &twist.a_by_b],
            [&twist.b_by_a, &twist.b_by_b],
        ];
        let block = |i: usize, j: usize| {
            let mut block = -reduced::<N, D>(by_pose[i][j]) * w.stiffness;
            if let (true, Some(node)) = (task.dynamic, nodes[j]) {
                block -= reduced::<N, D>(by_twist[i][j]) * motion.maps[node] * w.damping;
            }
            block
        };
        for (i, node) in nodes.iter().enumerate() {
            if let Some(node) = *node {
                system.diagonal[node] += block(i, i);
            }
        }
        if let Some(coupling) = mounted.coupling {
            system.add_coupling(&model.layout, coupling, &block(0, 1), &block(1, 0));
        }
    }
}

/// Adds the derivative of the contact forces by the speed v₀ of `channel`. Laws are linear in y = 1/v₀, so
/// a difference in y is exact, and d/dv₀ = −y² d/dy.
pub(super) fn by_input<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    channel: usize,
    system: &mut System<N>,
) {
    for mounted in &model.surfaces {
        let value = motion.inputs.value[channel];
        if value <= 0.0 || !mounted.speeds.contains(&channel) {
            continue;
        }
        let bodies = (mounted.bodies).map(|body| BodyMotion::of(model, motion, body));
        let [a, b] = [0, 1].map(|i| spatial::<G, N, D>(&bodies[i], true));
        let at = |speed_of: &dyn Fn(f64) -> f64| {
            let speed = |contact: usize| {
                let own = mounted.speeds[contact];
                let value = motion.inputs.value[own];
                if own == channel {
                    speed_of(value)
                } else {
                    value
                }
            };
            mounted.pair.respond(&speed, &a, &b, false).wrenches
        };
        let y = 1.0 / value;
        let [low, high] = [1.0 - 1e-4, 1.0 + 1e-4].map(|factor| at(&|v: f64| v / factor));
        for (body, (high, low)) in bodies.iter().zip(high.iter().zip(&low)) {
            if let Some(node) = body.node {
                let slope = (high - low) / (2e-4 * y) * (-y * y);
                system.node_rhs[node] += SVector::<f64, N>::from_fn(|k, _| slope[place::<D>(k)]);
            }
        }
    }
}
