//! Mass-proportional Rayleigh damping on the flexible motion of a beam.
//!
//! With `X_i = H_0⁻¹ H_i` and `A_i = Ad_{X_i⁻¹}`, the velocity of node i relative to the rigid
//! motion of the beam's first node is `w_i = v_i − A_i v_0`. The damping force
//!
//! ```text
//! f_i = α (M w)_i,     f_0 ← f_0 − Σ A_iᵀ f_i                                  (1)
//! ```
//!
//! dissipates `α wᵀ M w` and leaves rigid motion alone. With `χ_i = ψ_i − A_i ψ_0`,
//!
//! ```text
//! δw_i = δv_i − A_i δv_0 − ad(A_i v_0) χ_i,    δ(A_iᵀ f) = −A_iᵀ coad(f) χ_i   (2)
//! ```

use super::{Motion, Task, Weights};
use crate::element::BeamElement;
use crate::element::inertia::{self, Far, NodeMotion, NodeTangent};
use crate::element::rotary::{self, Neighbours};
use crate::group::{Group, Operator};
use crate::linear_solver::System;
use crate::model::Beam;
use nalgebra::{SMatrix, SVector};

/// A node's motion relative to the root.
struct Relative<const N: usize> {
    /// A_i.
    adjoint: SMatrix<f64, N, N>,
    /// w_i.
    velocity: SVector<f64, N>,
    /// Weighted derivative of w_i by the node's own unknown.
    by_own: SMatrix<f64, N, N>,
    /// Weighted derivative of w_i by the root's unknown.
    by_root: SMatrix<f64, N, N>,
}

impl<const N: usize> Relative<N> {
    fn new<G: Group<N, D>, const D: usize>(
        motion: &Motion<'_, G, N>,
        weights: &Weights,
        root: usize,
        node: usize,
    ) -> Self {
        if node == root {
            return Self {
                adjoint: SMatrix::identity(),
                velocity: SVector::zeros(),
                by_own: SMatrix::zeros(),
                by_root: SMatrix::zeros(),
            };
        }
        let adjoint = motion.poses[root]
            .between(&motion.poses[node])
            .adjoint_inverse();
        let carried = adjoint * motion.velocities[root];
        let ad = G::ad(&carried) * weights.stiffness;
        let (own_map, root_map) = (motion.maps[node], motion.maps[root]);
        Self {
            adjoint,
            velocity: motion.velocities[node] - carried,
            by_own: own_map * weights.damping - ad, // (2)
            by_root: ad * adjoint - adjoint * root_map * weights.damping,
        }
    }
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
    let root = beam.first_node;
    let alpha = beam.element.rayleigh.mass;
    let mut near = Relative::new(motion, weights, root, root);
    for e in 0..beam.elements {
        let (a, b) = (root + e, root + e + 1);
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
            let by_a = own(0, &near);
            let by_b = own(1, &far);
            let by_root = (m[0] * near.by_root + m[1] * far.by_root) * alpha;
            system.node_rhs[*node] -= force;
            add(system, beam, *node, a, &by_a);
            add(system, beam, *node, b, &by_b);
            add(system, beam, *node, root, &by_root);
            // The reaction −A_iᵀ f_i on the root.
            let back = -relative.adjoint.transpose();
            system.node_rhs[root] -= back * force;
            add(system, beam, root, a, &(back * by_a));
            add(system, beam, root, b, &(back * by_b));
            add(system, beam, root, root, &(back * by_root));
            if *node != root {
                let turn = back * G::coad(force) * -weights.stiffness;
                add(system, beam, root, *node, &turn);
                add(system, beam, root, root, &(turn * relative.adjoint * -1.0));
            }
        }
        near = far;
    }
}

/// The forces (1) without their derivatives.
#[inline(never)]
pub(super) fn assemble_rhs<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    system: &mut System<N>,
) {
    let root = beam.first_node;
    let alpha = beam.element.rayleigh.mass;
    let relative = |node: usize| {
        let h = motion.poses[root].between(&motion.poses[node]);
        let adjoint = h.adjoint_inverse_operator();
        let velocity = motion.velocities[node] - adjoint.apply(&motion.velocities[root]);
        (velocity, adjoint)
    };
    let mut near = relative(root);
    for e in 0..beam.elements {
        let (a, b) = (root + e, root + e + 1);
        let far = relative(b);
        let r = motion.poses[a].between(&motion.poses[b]).rotation();
        let element = ElementMass::new::<G, D>(&beam.element, [&near.0, &far.0], &r);
        let sides = [(a, &near.1), (b, &far.1)];
        for ((node, adjoint), force) in sides.into_iter().zip(&element.force) {
            let force = force * alpha;
            system.node_rhs[node] -= force;
            system.node_rhs[root] += adjoint.tr_apply(&force);
        }
        near = far;
    }
}

/// Adds a block at (row, column); the two are equal, neighbours, or one of them is the root.
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
    } else if column == row + 1 {
        system.upper[element(row)] += block;
    } else if row == column + 1 {
        system.lower[element(column)] += block;
    } else if column == beam.first_node {
        system.root_column[row] += block;
    } else {
        system.root_row[column] += block;
    }
}

/// Power dissipated, `α wᵀ M w` [W].
pub(crate) fn power<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
) -> f64 {
    let root = beam.first_node;
    let relative = |node: usize| {
        let adjoint = motion.poses[root]
            .between(&motion.poses[node])
            .adjoint_inverse();
        motion.velocities[node] - adjoint * motion.velocities[root]
    };
    let mut near = relative(root);
    let mut total = 0.0;
    for e in 0..beam.elements {
        let far = relative(root + e + 1);
        let r = motion.poses[root + e]
            .between(&motion.poses[root + e + 1])
            .rotation();
        total += 2.0 * inertia::kinetic_energy(&beam.element, &near, &far, &r);
        near = far;
    }
    beam.element.rayleigh.mass * total
}
