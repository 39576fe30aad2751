//! Mass-proportional Rayleigh damping of a beam.
//!
//! Velocities count against the beam's *reference*: the ground, or a node, which is the base of a
//! leg that moves. With the reference's pose H_0 and twist v_0, `X_i = H_0⁻¹ H_i` and
//! `A_i = Ad_{X_i⁻¹}`, the velocity of node i relative to the rigid motion of the reference is
//! `w_i = v_i − A_i v_0`. The damping force
//!
//! ```text
//! f_i = α (M w)_i,     f_0 ← f_0 − Σ A_iᵀ f_i                                  (1)
//! ```
//!
//! dissipates `α wᵀ M w`. A beam whose ends stand still in the reference has C = α M, so all its
//! vibrations decay with α/2, bent or not; a motion that beam and reference share is not damped,
//! and reference and beam together feel no force and no moment. With `χ_i = ψ_i − A_i ψ_0`,
//!
//! ```text
//! δw_i = δv_i − A_i δv_0 − ad(A_i v_0) χ_i,    δ(A_iᵀ f) = −A_iᵀ coad(f) χ_i   (2)
//! ```
//!
//! Blocks between a node and the reference go into the part of low rank: the unit vectors of the
//! reference times the blocks of its column and of its row.

use super::{Motion, Task, Weights};
use crate::element::BeamElement;
use crate::element::inertia::{self, Far, NodeMotion, NodeTangent};
use crate::element::rotary::{self, Neighbours};
use crate::group::{Group, Operator};
use crate::linear_solver::System;
use crate::model::Beam;
use nalgebra::{SMatrix, SVector};

/// A node's motion relative to the reference.
struct Relative<const N: usize> {
    /// A_i; without meaning if the reference is the ground.
    adjoint: SMatrix<f64, N, N>,
    /// w_i.
    velocity: SVector<f64, N>,
    /// Weighted derivative of w_i by the node's own unknown.
    by_own: SMatrix<f64, N, N>,
    /// Weighted derivative of w_i by the reference's unknown.
    by_root: SMatrix<f64, N, N>,
}

impl<const N: usize> Relative<N> {
    fn new<G: Group<N, D>, const D: usize>(
        motion: &Motion<'_, G, N>,
        weights: &Weights,
        root: Option<usize>,
        node: usize,
    ) -> Self {
        let own = motion.maps[node] * weights.damping;
        let Some(root) = root else {
            return Self {
                adjoint: SMatrix::zeros(),
                velocity: motion.velocities[node],
                by_own: own,
                by_root: SMatrix::zeros(),
            };
        };
        let adjoint = motion.poses[root]
            .between(&motion.poses[node])
            .adjoint_inverse();
        let carried = adjoint * motion.velocities[root];
        let ad = G::ad(&carried) * weights.stiffness;
        Self {
            adjoint,
            velocity: motion.velocities[node] - carried,
            by_own: own - ad, // (2)
            by_root: ad * adjoint - adjoint * motion.maps[root] * weights.damping,
        }
    }
}

/// w_i alone.
fn relative_velocity<G: Group<N, D>, const N: usize, const D: usize>(
    motion: &Motion<'_, G, N>,
    root: Option<usize>,
    node: usize,
) -> SVector<f64, N> {
    let Some(root) = root else {
        return motion.velocities[node];
    };
    let h = motion.poses[root].between(&motion.poses[node]);
    motion.velocities[node] - h.adjoint_inverse_operator().apply(&motion.velocities[root])
}

/// Element mass matrix times a pair of twists, the mass blocks and the derivative by the angle
/// between the nodes.
struct ElementMass<const N: usize> {
    force: [SVector<f64, N>; 2],
    mass: [[SMatrix<f64, N, N>; 2]; 2],
    turning: [[SMatrix<f64, N, N>; 2]; 2],
}

impl<const N: usize> ElementMass<N> {
    fn new<G: Group<N, D>, const D: usize>(
        element: &BeamElement<N, D>,
        twists: [&SVector<f64, N>; 2],
        r: &SMatrix<f64, D, D>,
    ) -> Self {
        let (zero, identity) = (SVector::zeros(), SMatrix::identity());
        let table = &element.mass_table;
        let own = [&table.first, &table.last];
        let seen = [&table.last_from_first, &table.first_from_last];
        let turns = [*r, r.transpose()];
        let still = SVector::zeros();
        let motions = twists.map(|twist| NodeMotion::new::<G, N>(element, &zero, twist, &still));
        let derive = |stiffness: f64, inertia: f64| {
            let weights = Weights {
                stiffness,
                damping: 0.0,
                inertia,
            };
            motions.map(|motion| {
                NodeTangent::new::<G>(element, &motion, &zero, &still, &weights, &identity)
            })
        };
        let (moving, turned) = (derive(0.0, 1.0), derive(1.0, 0.0));
        let mut out = Self {
            force: [zero; 2],
            mass: [[SMatrix::zeros(); 2]; 2],
            turning: [[SMatrix::zeros(); 2]; 2],
        };
        for (i, o) in [(0, 1), (1, 0)] {
            let mut far = Far::none();
            far.add(seen[i], &motions[o], &turns[i]);
            let mut neighbours = Neighbours::none();
            neighbours.add(element, &zero, twists[o]);
            out.force[i] = inertia::near_force::<G, N, D>(element, own[i], &motions[i], &far)
                + rotary::force::<G, N, D>(element, 1.0, &zero, twists[i], &neighbours);
            let near = |by, stiffness, out: &mut SMatrix<f64, N, N>| {
                inertia::add_near_tangent::<G, N, D>(element, own[i], by, &far, stiffness, out);
            };
            let seen_far = |by, out: &mut SMatrix<f64, N, N>| {
                inertia::add_far_tangent::<G, N, D>(element, seen[i], by, &turns[i], out);
            };
            let twisting = element.torsion_axis * element.torsion_axis.transpose();
            out.mass[i][i] = element.rotary_own;
            out.mass[i][o] = twisting * element.torsion_cross;
            near(&moving[i], 0.0, &mut out.mass[i][i]);
            seen_far(&moving[o], &mut out.mass[i][o]);
            near(&turned[i], 1.0, &mut out.turning[i][i]);
            seen_far(&turned[o], &mut out.turning[i][o]);
        }
        out
    }
}

#[inline(never)]
pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    system: &mut System<N>,
) {
    let weights = &task.weights;
    let (first, root) = (beam.first_node, beam.damping.root());
    let alpha = beam.element.rayleigh.mass;
    let mut near = Relative::new(motion, weights, root, first);
    for e in 0..beam.elements {
        let (a, b) = (first + e, first + e + 1);
        let far = Relative::new(motion, weights, root, b);
        let r = motion.poses[a].between(&motion.poses[b]).rotation();
        let twists = [&near.velocity, &far.velocity];
        let ElementMass {
            force,
            mass,
            turning,
        } = ElementMass::new::<G, D>(&beam.element, twists, &r);
        let sides = [(a, &near, force[0] * alpha), (b, &far, force[1] * alpha)];
        for (i, (node, relative, force)) in sides.iter().enumerate() {
            let m = &mass[i];
            let own = |j: usize, other: &Relative<N>| {
                m[j] * other.by_own * alpha + turning[i][j] * (alpha * weights.stiffness)
            };
            let by = [own(0, &near), own(1, &far)];
            system.node_rhs[*node] -= force;
            add(system, beam, *node, a, &by[0]);
            add(system, beam, *node, b, &by[1]);
            if root.is_some() {
                let by_root = (m[0] * near.by_root + m[1] * far.by_root) * alpha;
                let side = Side {
                    node: *node,
                    relative,
                    force,
                };
                react::<G, N, D>(
                    system,
                    beam,
                    &side,
                    [(a, &by[0]), (b, &by[1])],
                    &by_root,
                    weights,
                );
            }
        }
        near = far;
    }
}

/// One of the two nodes of an element and the damping force on it.
struct Side<'a, const N: usize> {
    node: usize,
    relative: &'a Relative<N>,
    force: &'a SVector<f64, N>,
}

/// The reaction `−A_iᵀ f_i` on the reference and all derivatives by its unknown.
fn react<G: Group<N, D>, const N: usize, const D: usize>(
    system: &mut System<N>,
    beam: &Beam<N, D>,
    side: &Side<'_, N>,
    by: [(usize, &SMatrix<f64, N, N>); 2],
    by_root: &SMatrix<f64, N, N>,
    weights: &Weights,
) {
    let Some((root, columns)) = beam.damping.reference else {
        return;
    };
    let Side {
        node,
        relative,
        force,
    } = *side;
    let back = -relative.adjoint.transpose();
    let turn = back * G::coad(force) * -weights.stiffness; // (2)
    system.node_rhs[root] -= back * force;
    system.diagonal[root] += back * by_root - turn * relative.adjoint;
    for k in 0..N {
        *system.update.left(columns + k, node) += by_root.column(k);
        for (other, block) in by {
            *system.update.right(columns + N + k, other) += (back * block).row(k).transpose();
        }
        *system.update.right(columns + N + k, node) += turn.row(k).transpose();
    }
}

/// The forces (1) without their derivatives.
#[inline(never)]
pub(super) fn assemble_rhs<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    system: &mut System<N>,
) {
    let (first, root) = (beam.first_node, beam.damping.root());
    let alpha = beam.element.rayleigh.mass;
    let mut near = relative_velocity(motion, root, first);
    for e in 0..beam.elements {
        let (a, b) = (first + e, first + e + 1);
        let far = relative_velocity(motion, root, b);
        let r = motion.poses[a].between(&motion.poses[b]).rotation();
        let element = ElementMass::new::<G, D>(&beam.element, [&near, &far], &r);
        for (node, force) in [a, b].into_iter().zip(&element.force) {
            let force = force * alpha;
            system.node_rhs[node] -= force;
            if let Some(root) = root {
                let h = motion.poses[root].between(&motion.poses[node]);
                system.node_rhs[root] += h.adjoint_inverse_operator().tr_apply(&force);
            }
        }
        near = far;
    }
}

/// Adds a block at (row, column), which are equal or neighbours.
fn add<const N: usize, const D: usize>(
    system: &mut System<N>,
    beam: &Beam<N, D>,
    row: usize,
    column: usize,
    block: &SMatrix<f64, N, N>,
) {
    let element = |node: usize| beam.first_element + node - beam.first_node;
    if row == column {
        system.diagonal[row] += block;
    } else if column > row {
        system.upper[element(row)] += block;
    } else {
        system.lower[element(column)] += block;
    }
}

/// Power dissipated, `α wᵀ M w` [W].
pub(crate) fn power<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
) -> f64 {
    let (first, root) = (beam.first_node, beam.damping.root());
    let mut near = relative_velocity(motion, root, first);
    let mut total = 0.0;
    for e in 0..beam.elements {
        let far = relative_velocity(motion, root, first + e + 1);
        let r = motion.poses[first + e]
            .between(&motion.poses[first + e + 1])
            .rotation();
        total += 2.0 * inertia::kinetic_energy(&beam.element, &near, &far, &r);
        near = far;
    }
    beam.element.rayleigh.mass * total
}
