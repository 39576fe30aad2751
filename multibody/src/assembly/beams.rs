//! Beams: elastic forces, inertia, gravity, Rayleigh damping.

use super::{Motion, Task, mass_damping, modal_damping};
use crate::element::BeamElement;
use crate::element::elastic::{self, NodalElastic, Relative};
use crate::element::inertia::{self, Coefficients, Far, NodeMotion, NodeTangent};
use crate::element::rotary::{self, Neighbours};
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
        if task.dynamic {
            modal_damping::assemble(beam, motion, Some(task), system)?;
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
        if task.dynamic {
            modal_damping::assemble(beam, motion, None, system)?;
        }
    }
    Ok(())
}

/// A node of a beam with what its elements have told it of its neighbours.
#[derive(Clone, Copy)]
struct Station<const N: usize, const D: usize> {
    node: usize,
    motion: NodeMotion<D>,
    far: Far<D>,
    neighbours: Neighbours<N>,
}

/// A node on the way from one element to the next.
#[derive(Clone, Copy)]
struct Visit<const N: usize, const D: usize> {
    station: Station<N, D>,
    motion_by: NodeTangent<N, D>,
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
    #[inline(never)]
    fn forces(&self, beam: &Beam<N, D>, system: &mut System<N>) -> Result<()> {
        let table = &self.element.mass_table;
        let mut near = self.station(beam.first_node).1;
        let (mut share, mut count) = (&table.first, 1.0);
        for e in 0..beam.elements {
            let mut next = self.station(near.node + 1).1;
            let (h_ab, d) = self.relative(beam, e)?;
            let velocities = [self.velocity(near.node), self.velocity(next.node)];
            let [on_a, on_b] =
                elastic::nodal_forces::<G, N, D>(self.element, &h_ab, &d, velocities);
            system.node_rhs[near.node] -= on_a;
            system.node_rhs[next.node] -= on_b;
            if self.with_mass {
                let r = h_ab.rotation();
                self.introduce(&mut near, &mut next, &r, &r.transpose());
                system.node_rhs[near.node] -= self.near_force(&near, share, count);
            }
            near = next;
            (share, count) = (&table.between, 2.0);
        }
        if self.with_mass {
            system.node_rhs[near.node] -= self.near_force(&near, &table.last, 1.0);
        }
        Ok(())
    }

    /// Relative pose of the ends of element `e`, and its logarithm.
    #[inline(always)]
    fn relative(&self, beam: &Beam<N, D>, e: usize) -> Result<(G, SVector<f64, N>)> {
        let a = beam.first_node + e;
        let h_ab = self.motion.poses[a].between(&self.motion.poses[a + 1]);
        let d = relative_twist(beam, e, &h_ab, self.motion.time)?;
        Ok((h_ab, d))
    }

    /// Tells the nodes of an element of each other; `r` turns b's axes into a's, `back` the reverse.
    #[inline(always)]
    fn introduce(
        &self,
        a: &mut Station<N, D>,
        b: &mut Station<N, D>,
        r: &SMatrix<f64, D, D>,
        back: &SMatrix<f64, D, D>,
    ) {
        let (element, table) = (self.element, &self.element.mass_table);
        a.far.add(&table.last_from_first, &b.motion, r);
        b.far.add(&table.first_from_last, &a.motion, back);
        if self.task.dynamic {
            let of = |node: usize| (self.velocity(node), self.acceleration(node));
            let ((va, va_dot), (vb, vb_dot)) = (of(a.node), of(b.node));
            a.neighbours.add(element, vb, vb_dot);
            b.neighbours.add(element, va, va_dot);
        }
    }

    /// Inertia force on a node that has met `count` elements.
    #[inline(always)]
    fn near_force(&self, station: &Station<N, D>, m: &Coefficients, count: f64) -> SVector<f64, N> {
        let Station {
            node,
            motion,
            far,
            neighbours,
        } = station;
        let force = inertia::near_force::<G, N, D>(self.element, m, motion, far);
        if !self.task.dynamic {
            return force;
        }
        let (v, v_dot) = (self.velocity(*node), self.acceleration(*node));
        force + rotary::force::<G, N, D>(self.element, count, v, v_dot, neighbours)
    }

    /// Gravity in a node's frame, and the node before it has met an element.
    #[inline(always)]
    fn station(&self, node: usize) -> (SVector<f64, D>, Station<N, D>) {
        let gravity = self.motion.poses[node].rotation().tr_mul(&self.gravity);
        let (v, v_dot) = (self.velocity(node), self.acceleration(node));
        let station = Station {
            node,
            motion: NodeMotion::new::<G, N>(self.element, v, v_dot, &gravity),
            far: Far::none(),
            neighbours: Neighbours::none(),
        };
        (gravity, station)
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

    /// Comes to the first node.
    fn visit(&self, node: usize) -> Visit<N, D> {
        let (station, motion_by) = self.node_tangent(node);
        Visit {
            station,
            motion_by,
            force: SVector::zeros(),
            tangent: SMatrix::zeros(),
        }
    }

    /// Uses the place of a visit for another one, whose force and tangent the element writes.
    #[inline(never)]
    fn renew(&self, visit: &mut Visit<N, D>, node: usize) {
        (visit.station, visit.motion_by) = self.node_tangent(node);
    }

    /// Motion of a node and its derivatives.
    #[inline(always)]
    fn node_tangent(&self, node: usize) -> (Station<N, D>, NodeTangent<N, D>) {
        let (gravity, station) = self.station(node);
        let (v, map) = (self.velocity(node), &self.motion.maps[node]);
        let (motion, weights) = (&station.motion, &self.task.weights);
        let motion_by = NodeTangent::new::<G>(self.element, motion, v, &gravity, weights, map);
        (station, motion_by)
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
        let nodes = [a.station.node, b.station.node];
        let maps = nodes.map(|node| &self.motion.maps[node]);
        let [va, vb] = nodes.map(|node| self.velocity(node));
        let relative = Relative {
            pose: h_ab,
            twist: d,
            velocities: [va, vb],
            maps,
        };
        let (upper, lower) = (&mut system.upper[index], &mut system.lower[index]);
        let out = NodalElastic {
            force_a: &mut a.force,
            force_b: &mut b.force,
            aa: &mut a.tangent,
            ab: upper,
            ba: lower,
            bb: &mut b.tangent,
        };
        // Damping has no part in equilibrium, not even in the order of its sums.
        if self.task.dynamic && element.rayleigh.stiffness != 0.0 {
            elastic::nodal_damped::<G, N, D>(element, &relative, weights, out);
        } else {
            elastic::nodal::<G, N, D>(element, &relative, weights, out);
        }
        if self.with_mass {
            let (table, r) = (&element.mass_table, h_ab.rotation());
            let back = r.transpose();
            self.introduce(&mut a.station, &mut b.station, &r, &back);
            let (seen_b, seen_a) = (&table.last_from_first, &table.first_from_last);
            inertia::add_far_tangent::<G, N, D>(element, seen_b, &b.motion_by, &r, upper);
            inertia::add_far_tangent::<G, N, D>(element, seen_a, &a.motion_by, &back, lower);
            if self.task.dynamic {
                rotary::add_far_tangent::<G, N, D>(element, va, weights, maps[1], upper);
                rotary::add_far_tangent::<G, N, D>(element, vb, weights, maps[0], lower);
            }
        }
    }

    /// Leaves a node that has met `count` elements.
    #[inline(never)]
    fn leave(&self, visit: &mut Visit<N, D>, m: &Coefficients, count: f64, system: &mut System<N>) {
        let (node, far) = (visit.station.node, &visit.station.far);
        let (element, weights) = (self.element, &self.task.weights);
        let tangent = &mut visit.tangent;
        if self.with_mass {
            visit.force += self.near_force(&visit.station, m, count);
            let (by, w) = (&visit.motion_by, weights.stiffness);
            inertia::add_near_tangent::<G, N, D>(element, m, by, far, w, tangent);
            if self.task.dynamic {
                let (v, map) = (self.velocity(node), &self.motion.maps[node]);
                let turning = &visit.station.neighbours;
                rotary::add_near_tangent::<G, N, D>(
                    element, count, v, turning, weights, map, tangent,
                );
            }
        }
        system.node_rhs[node] = -visit.force;
        system.diagonal[node] = *tangent;
    }
}

#[inline(never)]
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
    let mut visits = [pass.visit(first); 2];
    for e in 0..beam.elements {
        let [even, odd] = &mut visits;
        let (near, next) = if e % 2 == 0 { (even, odd) } else { (odd, even) };
        pass.renew(next, first + e + 1);
        let (h_ab, d) = pass.relative(beam, e)?;
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
