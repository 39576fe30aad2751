//! Bushings: see `model::bushing` for their equations.

use super::{BodyMotion, Motion, Task, Wanted};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{BushingResponse, Model, MountedBushing};
use nalgebra::SVector;

/// The response of a bushing to a motion, at rest if not `dynamic`.
pub(crate) fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    mounted: &MountedBushing<G, N>,
    dynamic: bool,
) -> Result<([Option<usize>; 2], BushingResponse<N>)> {
    let bodies = mounted
        .bodies
        .map(|body| BodyMotion::of(model, motion, body));
    let still = SVector::zeros();
    let [a, b] = &bodies;
    let velocities = if dynamic {
        [&a.velocity, &b.velocity]
    } else {
        [&still, &still]
    };
    let response = (mounted.bushing).respond([&a.pose, &b.pose], velocities);
    let response = response.map_err(|_| Error::BushingTorn {
        bushing: mounted.name.clone(),
        time: motion.time,
    })?;
    Ok((bodies.map(|body| body.node), response))
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) -> Result<()> {
    for mounted in &model.bushings {
        let (nodes, response) = respond(model, motion, mounted, task.dynamic)?;
        for (node, wrench) in nodes.iter().zip(&response.wrenches) {
            if let Some(node) = *node {
                system.node_rhs[node] += wrench;
            }
        }
        if wanted == Wanted::Residual {
            continue;
        }
        let w = &task.weights;
        let block = |i: usize, j: usize| {
            let mut block = -response.by_pose[i][j] * w.stiffness;
            if let (true, Some(node)) = (task.dynamic, nodes[j]) {
                block -= response.by_velocity[i][j] * motion.maps[node] * w.damping;
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
    Ok(())
}
