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
use crate::element::inertia::{self, Coefficients, Far, NodeMotion, NodeTangent};
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
    #[inline(never)]
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

/// An element whose mass matrix M acts on the relative twists of its two nodes. M turns with the
/// angle between the nodes, so `M w` has derivatives by both poses, too.
///
/// Blocks are made one at a time and no function of this file is inlined into its caller: all four
/// at once, of mass and of turning, would need 18 KiB of stack.
struct ElementMass<'a, const N: usize, const D: usize> {
    element: &'a BeamElement<N, D>,
    twists: [&'a SVector<f64, N>; 2],
    /// Axes of the other node in those of each.
    turns: [SMatrix<f64, D, D>; 2],
    /// A motion whose accelerations are the twists.
    motions: [NodeMotion<D>; 2],
}

impl<'a, const N: usize, const D: usize> ElementMass<'a, N, D> {
    fn new<G: Group<N, D>>(
        element: &'a BeamElement<N, D>,
        twists: [&'a SVector<f64, N>; 2],
        r: &SMatrix<f64, D, D>,
    ) -> Self {
        let (zero, still) = (SVector::zeros(), SVector::zeros());
        Self {
            element,
            twists,
            turns: [*r, r.transpose()],
            motions: twists.map(|twist| NodeMotion::new::<G, N>(element, &zero, twist, &still)),
        }
    }

    /// Hermite coefficients of node i with itself and with the other node.
    fn coefficients(&self, i: usize) -> [&Coefficients; 2] {
        let table = &self.element.mass_table;
        if i == 0 {
            [&table.first, &table.last_from_first]
        } else {
            [&table.last, &table.first_from_last]
        }
    }

    /// What the other node gives to node i.
    fn far(&self, i: usize) -> Far<D> {
        let mut far = Far::none();
        let [_, seen] = self.coefficients(i);
        far.add(seen, &self.motions[1 - i], &self.turns[i]);
        far
    }

    /// `(M w)_i`.
    #[inline(never)]
    fn force<G: Group<N, D>>(&self, i: usize) -> SVector<f64, N> {
        let zero = SVector::zeros();
        let mut neighbours = Neighbours::none();
        neighbours.add(self.element, &zero, self.twists[1 - i]);
        let [own, _] = self.coefficients(i);
        inertia::near_force::<G, N, D>(self.element, own, &self.motions[i], &self.far(i))
            + rotary::force::<G, N, D>(self.element, 1.0, &zero, self.twists[i], &neighbours)
    }

    /// `∂(M w)_i` by the motion of node j: `weights.inertia` times that by its twist, the block
    /// `M_ij`, and `weights.stiffness` times that by its pose with the twists held.
    #[inline(never)]
    fn block<G: Group<N, D>>(&self, i: usize, j: usize, weights: &Weights) -> SMatrix<f64, N, N> {
        let (element, zero) = (self.element, SVector::zeros());
        let (still, identity) = (SVector::zeros(), SMatrix::identity());
        let by =
            NodeTangent::new::<G>(element, &self.motions[j], &zero, &still, weights, &identity);
        let [own, seen] = self.coefficients(i);
        let mut out;
        if i == j {
            out = element.rotary_own * weights.inertia;
            let far = self.far(i);
            inertia::add_near_tangent::<G, N, D>(
                element,
                own,
                &by,
                &far,
                weights.stiffness,
                &mut out,
            );
        } else {
            let axis = &element.torsion_axis;
            out = axis * axis.transpose() * (element.torsion_cross * weights.inertia);
            inertia::add_far_tangent::<G, N, D>(element, seen, &by, &self.turns[i], &mut out);
        }
        out
    }

    /// `M_ij X`.
    #[inline(never)]
    fn times<G: Group<N, D>>(
        &self,
        i: usize,
        j: usize,
        x: &SMatrix<f64, N, N>,
    ) -> SMatrix<f64, N, N> {
        let mass = Weights {
            stiffness: 0.0,
            damping: 0.0,
            inertia: 1.0,
        };
        self.block::<G>(i, j, &mass) * x
    }

    /// Weighted derivative of `(M w)_i` by the unknown of node j, whose twist w_j has the weighted
    /// derivative `by_own`.
    #[inline(never)]
    fn by_node<G: Group<N, D>>(
        &self,
        i: usize,
        j: usize,
        by_own: &SMatrix<f64, N, N>,
        stiffness: f64,
    ) -> SMatrix<f64, N, N> {
        let turning = Weights {
            stiffness,
            damping: 0.0,
            inertia: 0.0,
        };
        let mut out = self.times::<G>(i, j, by_own);
        out += self.block::<G>(i, j, &turning);
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
    let mut near = Relative::new(motion, weights, root, first);
    for e in 0..beam.elements {
        let (a, b) = (first + e, first + e + 1);
        let far = Relative::new(motion, weights, root, b);
        let r = motion.poses[a].between(&motion.poses[b]).rotation();
        let twists = [&near.velocity, &far.velocity];
        let mass = ElementMass::new::<G>(&beam.element, twists, &r);
        for i in [0, 1] {
            assemble_side::<G, N, D>(beam, &mass, i, [(a, &near), (b, &far)], weights, system);
        }
        near = far;
    }
}

/// Force on one of the two nodes of an element, its reaction and all their derivatives.
#[inline(never)]
fn assemble_side<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    mass: &ElementMass<'_, N, D>,
    i: usize,
    nodes: [(usize, &Relative<N>); 2],
    weights: &Weights,
    system: &mut System<N>,
) {
    let alpha = beam.element.rayleigh.mass;
    let (node, relative) = nodes[i];
    let force = mass.force::<G>(i) * alpha;
    system.node_rhs[node] -= force;
    let mut by_root = SMatrix::zeros();
    for (j, (other, its)) in nodes.into_iter().enumerate() {
        let by = mass.by_node::<G>(i, j, &its.by_own, weights.stiffness) * alpha;
        add(system, beam, node, other, &by);
        if let Some((_, columns)) = beam.damping.reference {
            by_root += mass.times::<G>(i, j, &its.by_root) * alpha;
            // Row of the reference: the reaction follows the force.
            let back = relative.adjoint.tr_mul(&by);
            for k in 0..N {
                *system.update.right(columns + N + k, other) -= back.row(k).transpose();
            }
        }
    }
    react::<G, N, D>(system, beam, node, relative, &force, &by_root, weights);
}

/// The reaction `−A_iᵀ f_i` on the reference: its turning with the node, and derivatives by the
/// unknown of the reference.
#[inline(never)]
fn react<G: Group<N, D>, const N: usize, const D: usize>(
    system: &mut System<N>,
    beam: &Beam<N, D>,
    node: usize,
    relative: &Relative<N>,
    force: &SVector<f64, N>,
    by_root: &SMatrix<f64, N, N>,
    weights: &Weights,
) {
    let Some((root, columns)) = beam.damping.reference else {
        return;
    };
    let back = -relative.adjoint.transpose();
    let turn = back * G::coad(force) * -weights.stiffness; // (2)
    system.node_rhs[root] -= back * force;
    system.diagonal[root] += back * by_root - turn * relative.adjoint;
    for k in 0..N {
        *system.update.left(columns + k, node) += by_root.column(k);
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
        let mass = ElementMass::new::<G>(&beam.element, [&near, &far], &r);
        for (i, node) in [a, b].into_iter().enumerate() {
            let force = mass.force::<G>(i) * alpha;
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
