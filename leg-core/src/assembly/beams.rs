//! Beams: elastic forces, inertia, gravity, Rayleigh damping.

use super::{Motion, Task, mass_damping};
use crate::element::BeamElement;
use crate::element::elastic::{self, Relative};
use crate::element::inertia::{self, Coefficients, Far, NodeMotion, NodeTangent};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{Beam, Model};
use core::f64::consts::PI;
use nalgebra::{SMatrix, SVector};

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

pub(super) fn assemble_rhs<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    for beam in &model.beams {
        let pass = Pass::new(model, beam, motion, task);
        pass.forces(beam, system)?;
        if task.dynamic && beam.element.rayleigh.mass > 0.0 {
            mass_damping::assemble_rhs(beam, motion, system);
        }
    }
    Ok(())
}

/// A node of a beam on the way from one element to the next.
struct Visit<const N: usize, const D: usize> {
    node: usize,
    motion: NodeMotion<D>,
    motion_by: NodeTangent<N, D>,
    far: Far<N, D>,
    /// Elastic force and tangent so far.
    force: SVector<f64, N>,
    tangent: SMatrix<f64, N, N>,
}

/// What the nodes of one beam share.
struct Pass<'a, G, const N: usize, const D: usize> {
    element: &'a BeamElement<N, D>,
    motion: &'a Motion<'a, G, N>,
    task: &'a Task,
    gravity: SVector<f64, D>,
    with_mass: bool,
    still: SVector<f64, N>,
}

impl<'a, G: Group<N, D>, const N: usize, const D: usize> Pass<'a, G, N, D> {
    fn new(
        model: &Model<G, N, D>,
        beam: &'a Beam<N, D>,
        motion: &'a Motion<'a, G, N>,
        task: &'a Task,
    ) -> Self {
        Self {
            element: &beam.element,
            motion,
            task,
            gravity: model.gravity,
            with_mass: task.dynamic || model.gravity.iter().any(|&g| g != 0.0),
            still: SVector::zeros(),
        }
    }

    /// Forces of all elements, without tangents.
    fn forces(&self, beam: &Beam<N, D>, system: &mut System<N>) -> Result<()> {
        let (element, table) = (self.element, &beam.element.mass_table);
        let mut a = beam.first_node;
        let (mut motion_a, mut far_a) = (self.node_motion(a).1, Far::none());
        let (mut share, mut count) = (&table.first, 1.0);
        for e in 0..beam.elements {
            let b = a + 1;
            let (motion_b, mut far_b) = (self.node_motion(b).1, Far::none());
            let h_ab = self.motion.poses[a].between(&self.motion.poses[b]);
            let d = relative_twist(beam, e, &h_ab, self.motion.time)?;
            let velocities = [self.velocity(a), self.velocity(b)];
            let [on_a, on_b] = elastic::nodal_forces::<G, N, D>(element, &h_ab, &d, velocities);
            system.node_rhs[a] -= on_a;
            system.node_rhs[b] -= on_b;
            if self.with_mass {
                let r = h_ab.rotation();
                far_a.add(&table.last_from_first, &motion_b, &r);
                far_b.add(&table.first_from_last, &motion_a, &r.transpose());
                far_a.add_rotary(element, velocities[1], self.acceleration(b));
                far_b.add_rotary(element, velocities[0], self.acceleration(a));
                system.node_rhs[a] -= self.near_force(a, &motion_a, &far_a, share, count);
            }
            (a, motion_a, far_a) = (b, motion_b, far_b);
            (share, count) = (&table.between, 2.0);
        }
        if self.with_mass {
            system.node_rhs[a] -= self.near_force(a, &motion_a, &far_a, &table.last, 1.0);
        }
        Ok(())
    }

    /// Inertia force on a node that has met `count` elements.
    #[inline(always)]
    fn near_force(
        &self,
        node: usize,
        motion: &NodeMotion<D>,
        far: &Far<N, D>,
        m: &Coefficients,
        count: f64,
    ) -> SVector<f64, N> {
        let force = inertia::near_force::<G, N, D>(self.element, m, motion, far);
        if !self.task.dynamic {
            return force;
        }
        let (v, v_dot) = (self.velocity(node), self.acceleration(node));
        force + inertia::rotary_force::<G, N, D>(self.element, count, v, v_dot, far)
    }

    /// Gravity in a node's frame and the node's motion.
    #[inline(always)]
    fn node_motion(&self, node: usize) -> (SVector<f64, D>, NodeMotion<D>) {
        let gravity = self.motion.poses[node].rotation().tr_mul(&self.gravity);
        let (v, v_dot) = (self.velocity(node), self.acceleration(node));
        let motion = NodeMotion::new::<G, N>(self.element, v, v_dot, &gravity);
        (gravity, motion)
    }

    #[inline(always)]
    fn velocity(&self, node: usize) -> &SVector<f64, N> {
        if self.task.dynamic {
            &self.motion.velocities[node]
        } else {
            &self.still
        }
    }

    #[inline(always)]
    fn acceleration(&self, node: usize) -> &SVector<f64, N> {
        if self.task.dynamic {
            &self.motion.accelerations[node]
        } else {
            &self.still
        }
    }

    /// Comes to a node.
    #[inline(always)]
    fn visit(&self, node: usize) -> Visit<N, D> {
        let element = self.element;
        let (gravity, motion) = self.node_motion(node);
        let v = self.velocity(node);
        let (weights, map) = (&self.task.weights, &self.motion.maps[node]);
        Visit {
            node,
            motion,
            motion_by: NodeTangent::new::<G>(element, &motion, v, &gravity, weights, map),
            far: Far::none(),
            force: SVector::zeros(),
            tangent: SMatrix::zeros(),
        }
    }

    /// Uses the place of a visit for another one.
    #[inline(never)]
    fn renew(&self, visit: &mut Visit<N, D>, node: usize) {
        *visit = self.visit(node);
    }

    /// The element between `a` and `b`, which is number `index` of the model.
    #[inline(never)]
    fn element(
        &self,
        a: &mut Visit<N, D>,
        b: &mut Visit<N, D>,
        h_ab: &G,
        d: &SVector<f64, N>,
        index: usize,
        system: &mut System<N>,
    ) {
        let (element, weights) = (self.element, &self.task.weights);
        let maps = [&self.motion.maps[a.node], &self.motion.maps[b.node]];
        let [va, vb] = [self.velocity(a.node), self.velocity(b.node)];
        let relative = Relative {
            pose: h_ab,
            twist: d,
            velocities: [va, vb],
            maps,
        };
        let mut elastic = elastic::nodal::<G, N, D>(element, &relative, weights);
        a.force += elastic.force[0];
        b.force = elastic.force[1];
        a.tangent += elastic.aa;
        b.tangent = elastic.bb;
        if self.with_mass {
            let (upper, lower) = (&mut elastic.ab, &mut elastic.ba);
            let (table, r) = (&element.mass_table, h_ab.rotation());
            let back = r.transpose();
            let (seen_b, seen_a) = (&table.last_from_first, &table.first_from_last);
            a.far.add(seen_b, &b.motion, &r);
            b.far.add(seen_a, &a.motion, &back);
            inertia::add_far_tangent::<G, N, D>(element, seen_b, &b.motion_by, &r, upper);
            inertia::add_far_tangent::<G, N, D>(element, seen_a, &a.motion_by, &back, lower);
            if self.task.dynamic {
                a.far.add_rotary(element, vb, self.acceleration(b.node));
                b.far.add_rotary(element, va, self.acceleration(a.node));
                inertia::add_rotary_far::<G, N, D>(element, va, weights, maps[1], upper);
                inertia::add_rotary_far::<G, N, D>(element, vb, weights, maps[0], lower);
            }
        }
        system.upper[index] = elastic.ab;
        system.lower[index] = elastic.ba;
    }

    /// Leaves a node that has met `count` elements.
    #[inline(never)]
    fn leave(&self, visit: &mut Visit<N, D>, m: &Coefficients, count: f64, system: &mut System<N>) {
        let Visit {
            node,
            motion,
            motion_by,
            far,
            force,
            tangent,
        } = visit;
        let (element, weights) = (self.element, &self.task.weights);
        if self.with_mass {
            *force += self.near_force(*node, motion, far, m, count);
            let w = weights.stiffness;
            inertia::add_near_tangent::<G, N, D>(element, m, motion_by, far, w, tangent);
            if self.task.dynamic {
                let (v, map) = (self.velocity(*node), &self.motion.maps[*node]);
                inertia::add_rotary_near::<G, N, D>(element, count, v, far, weights, map, tangent);
            }
        }
        system.node_rhs[*node] = -*force;
        system.diagonal[*node] = *tangent;
    }
}

fn assemble_beam<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) -> Result<()> {
    let pass = Pass::new(model, beam, motion, task);
    let table = &beam.element.mass_table;
    // Two visits, used in turn: the near node of an element is the far node of the one before.
    let first = beam.first_node;
    let mut visits = [pass.visit(first), pass.visit(first)];
    for e in 0..beam.elements {
        let [even, odd] = &mut visits;
        let (near, next) = if e % 2 == 0 { (even, odd) } else { (odd, even) };
        pass.renew(next, near.node + 1);
        let h_ab = motion.poses[near.node].between(&motion.poses[next.node]);
        let d = relative_twist(beam, e, &h_ab, motion.time)?;
        pass.element(near, next, &h_ab, &d, beam.first_element + e, system);
        let (share, count) = if e == 0 {
            (&table.first, 1.0)
        } else {
            (&table.between, 2.0)
        };
        pass.leave(near, share, count, system);
    }
    pass.leave(&mut visits[beam.elements % 2], &table.last, 1.0, system);
    Ok(())
}
