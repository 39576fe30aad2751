//! Damping of chosen modes of a beam.
//!
//! A damper j feels one rate, a weighted sum of the strain rates ḋ_e of all elements, and answers
//! with the wrenches that do work on it:
//!
//! ```text
//! q̇_j = Σ_e y_ejᵀ ḋ_e,     g_e = Σ_j c_j y_ej q̇_j,     power = Σ_j c_j q̇_j²     (1)
//! ```
//!
//! It acts inside the beam alone: rigid motion is not damped, whatever carries the beam. The
//! weights are those for which q̇_j is the rate of mode j of the beam, `Φ_jᵀ M v`, for every motion v
//! that the constraints of the state it was made for allow (ψ = Z z, [`crate::modal`]; ḋ = D v):
//!
//! ```text
//! y_j = V D Z x_j,   (Zᵀ Dᵀ V D Z) x_j = Zᵀ M Φ_j                               (2)
//! ```
//!
//! with V the stiffness against strain rates ([`crate::element`]); any positive one would do, this
//! one loads the beam as its own inertia would. Then `Φ_kᵀ C Φ_j = c_j δ_kj`, so mode j decays with
//! c_j/2 and no mode feels the damper of another: `c_j = 2 ζ_j ω_j`.
//!
//! The tangent of (1) is that of nodal forces with g held (eqs. (7) to (9) of `element/elastic.rs`)
//! and one column of low rank per damper.

use super::beams::relative_twist;
use super::{Motion, Task};
use crate::element::viscous;
use crate::error::{Error, Result};
use crate::group::{Group, InverseTangent, Operator};
use crate::linear_solver::System;
use crate::modal::reduce;
use crate::model::{Beam, BeamId, ModalDamper, Model};
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};

/// An element at the current motion.
struct Strained<G: Group<N, D>, const N: usize, const D: usize> {
    twist: SVector<f64, N>,
    inverse: G::InverseTangent,
    /// T⁻¹(d).
    q: G::Operator,
    /// −Ad(H_B⁻¹ H_A).
    minus_a: G::Operator,
    /// −A v_A.
    minus_carried: SVector<f64, N>,
    /// v_B − A v_A.
    relative: SVector<f64, N>,
}

impl<G: Group<N, D>, const N: usize, const D: usize> Strained<G, N, D> {
    fn new(beam: &Beam<N, D>, motion: &Motion<'_, G, N>, element: usize) -> Result<Self> {
        let a = beam.first_node + element;
        let h_ab = motion.poses[a].between(&motion.poses[a + 1]);
        let twist = relative_twist(beam, element, &h_ab, motion.time)?;
        let inverse = G::inverse_tangent(&twist);
        let minus_a = h_ab.adjoint_inverse_operator().negated();
        let minus_carried = minus_a.apply(&motion.velocities[a]);
        Ok(Self {
            twist,
            q: *inverse.operator(),
            inverse,
            minus_a,
            minus_carried,
            relative: motion.velocities[a + 1] + minus_carried,
        })
    }

    /// ḋ.
    fn rate(&self) -> SVector<f64, N> {
        self.q.apply(&self.relative)
    }

    /// What a wrench dual to ḋ does to the nodes.
    fn forces(&self, g: &SVector<f64, N>) -> [SVector<f64, N>; 2] {
        let on_b = self.q.tr_apply(g);
        [self.minus_a.tr_apply(&on_b), on_b]
    }
}

/// q̇_j of eq. (1).
fn rate_of<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    damper: &ModalDamper<N>,
) -> Result<f64> {
    let mut sum = 0.0;
    for (e, weight) in damper.weights.iter().enumerate().take(beam.elements) {
        sum += weight.dot(&Strained::new(beam, motion, e)?.rate());
    }
    Ok(sum)
}

/// Adds the forces (1), and their derivatives if `task` is given.
pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
    task: Option<&Task>,
    system: &mut System<N>,
) -> Result<()> {
    for (j, damper) in beam.damping.modes.iter().enumerate() {
        let rate = rate_of(beam, motion, damper)?;
        for (e, weight) in damper.weights.iter().enumerate().take(beam.elements) {
            let strained = Strained::new(beam, motion, e)?;
            let nodes = [beam.first_node + e, beam.first_node + e + 1];
            let unit = strained.forces(weight);
            let force = damper.coefficient * rate;
            for (node, unit) in nodes.into_iter().zip(&unit) {
                system.node_rhs[node] -= unit * force;
            }
            let Some(task) = task else { continue };
            let column = beam.damping.first_mode + j;
            for (node, unit) in nodes.into_iter().zip(&unit) {
                *system.update.left(column, node) += unit * damper.coefficient;
            }
            let [by_a, by_b] = rate_by(&strained, weight, motion, task, nodes[0]);
            *system.update.right(column, nodes[0]) += by_a;
            *system.update.right(column, nodes[1]) += by_b;
            turn(&strained, &(weight * force), task, beam, e, system);
        }
    }
    Ok(())
}

/// Weighted derivatives of `yᵀ ḋ` by the unknowns of an element's nodes, the first of which is `a`.
fn rate_by<G: Group<N, D>, const N: usize, const D: usize>(
    strained: &Strained<G, N, D>,
    weight: &SVector<f64, N>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    a: usize,
) -> [SVector<f64, N>; 2] {
    let Strained {
        inverse,
        q,
        minus_a,
        minus_carried,
        relative,
        ..
    } = strained;
    let by_pose = q.after(&inverse.derivative(relative)) + q.matrix() * G::ad(minus_carried);
    let by_chi = by_pose.tr_mul(weight) * task.weights.stiffness;
    let by_velocity = q.tr_apply(weight) * task.weights.damping;
    let [map_a, map_b] = [a, a + 1].map(|node| &motion.maps[node]);
    [
        minus_a.tr_apply(&by_chi) + map_a.tr_mul(&minus_a.tr_apply(&by_velocity)),
        by_chi + map_b.tr_mul(&by_velocity),
    ]
}

/// How the nodal forces of the wrench `g` turn with their element.
fn turn<G: Group<N, D>, const N: usize, const D: usize>(
    strained: &Strained<G, N, D>,
    g: &SVector<f64, N>,
    task: &Task,
    beam: &Beam<N, D>,
    element: usize,
    system: &mut System<N>,
) {
    let Strained {
        inverse,
        q,
        minus_a,
        ..
    } = strained;
    let w = task.weights.stiffness;
    let bb = q.after(&inverse.transpose_derivative(g)) * w;
    let ba = minus_a.after(&bb);
    let coad = G::coad(&q.tr_apply(g)) * w;
    let (a, index) = (beam.first_node + element, beam.first_element + element);
    system.diagonal[a + 1] += bb;
    system.lower[index] += ba;
    system.upper[index] += minus_a.tr_mul(&(bb - coad));
    system.diagonal[a] += minus_a.tr_mul(&(ba - minus_a.after(&coad)));
}

/// Power dissipated [W].
pub(crate) fn power<G: Group<N, D>, const N: usize, const D: usize>(
    beam: &Beam<N, D>,
    motion: &Motion<'_, G, N>,
) -> f64 {
    let dampers = beam.damping.modes.iter();
    dampers
        .map(|damper| {
            // A beam turned too far ends the step before anybody asks for its power.
            let rate = rate_of(beam, motion, damper).unwrap_or(0.0);
            damper.coefficient * rate * rate
        })
        .sum()
}

/// D and V D of eq. (2).
#[inline(never)]
fn strain_rates<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: &Beam<N, D>,
) -> Result<(DMatrix<f64>, DMatrix<f64>)> {
    let (motion, nodes) = (state.motion(), model.node_count());
    let mut strain_rates = DMatrix::zeros(N * beam.elements, N * nodes);
    let mut weighted = strain_rates.clone();
    for e in 0..beam.elements {
        let strained = Strained::new(beam, &motion, e)?;
        let q = strained.q.matrix();
        let v = viscous::matrix::<G, N, D>(&beam.element, &strained.twist);
        let a = beam.first_node + e;
        let blocks: [SMatrix<f64, N, N>; 2] = [strained.minus_a.after(&q), q];
        for (node, block) in [a, a + 1].into_iter().zip(blocks) {
            let place = (N * e, N * node);
            strain_rates
                .fixed_view_mut::<N, N>(place.0, place.1)
                .copy_from(&block);
            weighted
                .fixed_view_mut::<N, N>(place.0, place.1)
                .copy_from(&(v * block));
        }
    }
    Ok((strain_rates, weighted))
}

/// Dampers that give the first modes of `model` about the equilibrium `state` these damping ratios,
/// eq. (2); a ratio of zero makes none. Only `beam` may be flexible.
pub fn modal_dampers<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    beam: BeamId,
    ratios: &[f64],
) -> Result<Vec<ModalDamper<N>>> {
    let reduction = reduce(model, state, workspace)?;
    let order = reduction.system.order();
    let wanted = ratios.iter().rposition(|&ratio| ratio > 0.0);
    let count = wanted.map_or(0, |last| last + 1);
    let modes = reduction.modes(count)?;
    let beam = &model.beams[beam.0];
    let (strain_rates, weighted) = strain_rates(model, state, beam)?;
    let (rates, weighted) = (strain_rates * &reduction.basis, weighted * &reduction.basis);
    let stiffness = rates.tr_mul(&weighted);
    let factors = stiffness.cholesky().ok_or(Error::Modal {
        problem: "the constraints let the beam move without bending it",
        asked: order,
        available: 0,
    })?;
    let mut out = Vec::new();
    for (mode, &ratio) in modes.modes.iter().zip(ratios) {
        if ratio == 0.0 {
            continue;
        }
        let entries = mode.shape.iter().flat_map(|twist| twist.iter().copied());
        let shape = DVector::from_iterator(N * model.node_count(), entries);
        let load = reduction.basis.tr_mul(&(&reduction.full.mass * shape));
        let y = &weighted * factors.solve(&load);
        let omega = mode.omega_squared.max(0.0).sqrt();
        out.push(ModalDamper {
            coefficient: 2.0 * ratio * omega,
            weights: (0..beam.elements)
                .map(|e| y.fixed_rows::<N>(N * e).into_owned())
                .collect(),
        });
    }
    Ok(out)
}
