//! Beams: elastic forces, inertia, gravity, Rayleigh damping.

use super::{Motion, Task, mass_damping};
use crate::element::elastic;
use crate::element::inertia::{self, NodeMotion};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{Beam, Model};
use core::f64::consts::PI;
use nalgebra::SVector;

/// Largest relative rotation of an element's ends [rad]. The element is accurate far below it;
/// above, the logarithm comes near its ambiguity at π.
pub(crate) const LARGEST_TURN: f64 = 0.9 * PI;

/// Relative pose of an element's ends as a twist, refused near half a turn.
#[inline]
pub(crate) fn relative_twist<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    element: usize,
    h_ab: &G,
    time: f64,
) -> Result<SVector<f64, N>> {
    let refuse = |angle_rad: f64| Error::ElementTurnedTooFar {
        beam: beam.name.clone(),
        element,
        angle_rad,
        limit_rad: LARGEST_TURN,
        time,
    };
    let d = h_ab.log().map_err(|error| refuse(error.angle_rad))?;
    let angle = G::angle(&d);
    // A NaN passes here and is caught, with its place, by the check of the right-hand side.
    if angle > LARGEST_TURN {
        Err(refuse(angle))
    } else {
        Ok(d)
    }
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    for beam in &model.beams {
        assemble_beam(model, beam, motion, task, system)?;
        if task.dynamic && beam.element.rayleigh.mass > 0.0 {
            mass_damping::assemble(beam, motion, task, system);
        }
    }
    Ok(())
}

fn assemble_beam<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    let element = &beam.element;
    let zero = SVector::zeros();
    let heavy = model.gravity.iter().any(|&g| g != 0.0);
    let node_motion = |node: usize| {
        let gravity = motion.poses[node].rotation().tr_mul(&model.gravity);
        let (v, v_dot) = if task.dynamic {
            (&motion.velocities[node], &motion.accelerations[node])
        } else {
            (&zero, &zero)
        };
        let map = &motion.maps[node];
        NodeMotion::new::<G>(element, v, v_dot, &gravity, &task.weights, map)
    };
    let with_mass = task.dynamic || heavy;
    let mut motion_a = node_motion(beam.first_node);
    for e in 0..beam.elements {
        let (a, b) = (beam.first_node + e, beam.first_node + e + 1);
        let h_ab = motion.poses[a].between(&motion.poses[b]);
        let d = relative_twist(beam, e, &h_ab, motion.time)?;
        let (va, vb) = if task.dynamic {
            (&motion.velocities[a], &motion.velocities[b])
        } else {
            (&zero, &zero)
        };
        let elastic = elastic::nodal::<G, N, D>(element, &d, va, vb);
        let mut tangent = elastic.stiffness;
        if task.weights.stiffness != 1.0 {
            tangent = tangent.map(|row| row.map(|block| block * task.weights.stiffness));
        }
        if let (Some(damping), true) = (elastic.damping, task.weights.damping != 0.0) {
            for (row, extra) in tangent.iter_mut().zip(&damping) {
                row[0] += extra[0] * motion.maps[a] * task.weights.damping;
                row[1] += extra[1] * motion.maps[b] * task.weights.damping;
            }
        }
        let (mut force_a, mut force_b) = (elastic.force_a, elastic.force_b);
        if with_mass {
            let motion_b = node_motion(b);
            let stiffness = task.weights.stiffness;
            let mut inert = inertia::translational::<G, N, D>(
                element,
                &motion_a,
                &motion_b,
                &h_ab.rotation(),
                stiffness,
            );
            if task.dynamic {
                let accelerations = [&motion.accelerations[a], &motion.accelerations[b]];
                let maps = [&motion.maps[a], &motion.maps[b]];
                inertia::add_rotary::<G, N, D>(
                    element,
                    [va, vb],
                    accelerations,
                    &task.weights,
                    maps,
                    &mut inert,
                );
            }
            force_a += inert.force_a;
            force_b += inert.force_b;
            for (row, extra) in tangent.iter_mut().zip(&inert.tangent) {
                row[0] += extra[0];
                row[1] += extra[1];
            }
            motion_a = motion_b;
        }
        let index = beam.first_element + e;
        system.node_rhs[a] -= force_a;
        system.node_rhs[b] -= force_b;
        system.diagonal[a] += tangent[0][0];
        system.diagonal[b] += tangent[1][1];
        system.upper[index] += tangent[0][1];
        system.lower[index] += tangent[1][0];
    }
    Ok(())
}
