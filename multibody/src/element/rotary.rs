//! Rotary inertia of an element.
//!
//! Sections turning about their centre carry, with J the rotary inertia per length in the axes of a
//! section, t its tangent and `J_t = t·J t`, the energy
//!
//! ```text
//! T = ½ L (½ ω_Aᵀ J ω_A + ½ ω_Bᵀ J ω_B − (J_t/12) (t·ω_A − t·ω_B)²)            (1)
//! f_A = ṗ_A + ω_A × p_A,   p_A = L (½ J − (J_t/12) t tᵀ) ω_A + L (J_t/12) t (t·ω_B)  (2)
//! ```
//!
//! The trapezoidal rule of the first two terms is right for bending: by Euler and Maclaurin its
//! error is `L²/12` times the difference of `(ω²)'` between the ends of the beam, and `ω ω'`
//! vanishes where an end is clamped (ω = 0), free or pinned (no curvature, ω' = 0), so that the
//! error is of fourth order. Torsion has a constant twist in every element, whose stiffness is too
//! small by `(kL)²/12` for a wave of number k; the last term, `−(L²/12) J_t ∫ (t·ω')² ds`, takes the
//! same from the inertia and makes torsion waves fourth-order accurate on a straight beam. The
//! angle between the two frames is neglected in it, an error of second order in the angle on a
//! term that is small in itself.

use super::BeamElement;
use super::inertia::{Weights, column_of};
use crate::group::Group;
use nalgebra::{SMatrix, SVector};

/// Momentum of (2), and its derivative, that a node has from the turning of its neighbours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbours<const N: usize> {
    momentum: SVector<f64, N>,
    momentum_rate: SVector<f64, N>,
}

impl<const N: usize> Neighbours<N> {
    /// No neighbour yet.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            momentum: SVector::zeros(),
            momentum_rate: SVector::zeros(),
        }
    }

    /// Adds a neighbour; nothing twists in the plane.
    #[inline(always)]
    pub fn add<const D: usize>(
        &mut self,
        element: &BeamElement<N, D>,
        v: &SVector<f64, N>,
        v_dot: &SVector<f64, N>,
    ) {
        if D == 3 {
            let (axis, cross) = (&element.torsion_axis, element.torsion_cross);
            self.momentum += axis * (cross * angular_dot::<N, D>(axis, v));
            self.momentum_rate += axis * (cross * angular_dot::<N, D>(axis, v_dot));
        }
    }
}

/// Product of the angular parts.
#[inline(always)]
fn angular_dot<const N: usize, const D: usize>(a: &SVector<f64, N>, b: &SVector<f64, N>) -> f64 {
    let mut sum = 0.0;
    for i in D..N {
        sum += a[i] * b[i];
    }
    sum
}

/// `(0, J ω)` of a matrix with an angular block only.
#[inline(always)]
fn angular_product<const N: usize, const D: usize>(
    j: &SMatrix<f64, N, N>,
    v: &SVector<f64, N>,
) -> SVector<f64, N> {
    let mut out = SVector::zeros();
    for i in D..N {
        for k in D..N {
            out[i] += j[(i, k)] * v[k];
        }
    }
    out
}

/// Momentum (2) of a node with `count` elements.
#[inline(always)]
fn momentum<const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    count: f64,
    v: &SVector<f64, N>,
) -> SVector<f64, N> {
    angular_product::<N, D>(&element.rotary_own, v) * count
}

/// Rotary inertia on a node with `count` elements, eq. (2).
#[inline(always)]
pub(crate) fn force<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    count: f64,
    v: &SVector<f64, N>,
    v_dot: &SVector<f64, N>,
    far: &Neighbours<N>,
) -> SVector<f64, N> {
    let rate = momentum(element, count, v_dot) + far.momentum_rate;
    if D == 2 {
        return rate;
    }
    rate + G::spin(v, &(momentum(element, count, v) + far.momentum))
}

/// Adds the weighted derivative of (2) by the node's own unknown.
#[inline(always)]
pub(crate) fn add_near_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    count: f64,
    v: &SVector<f64, N>,
    far: &Neighbours<N>,
    weights: &Weights,
    map: &SMatrix<f64, N, N>,
    out: &mut SMatrix<f64, N, N>,
) {
    if D == 2 {
        out[(N - 1, N - 1)] += element.rotary_own[(N - 1, N - 1)] * (count * weights.inertia);
        return;
    }
    let momentum_now = momentum(element, count, v) + far.momentum;
    for j in D..N {
        let turned = column_of(map, j);
        let carried = momentum(element, count, &turned);
        let by_velocity = G::spin(v, &carried) + G::spin(&turned, &momentum_now);
        for i in D..N {
            out[(i, j)] += carried[i] * weights.inertia + by_velocity[i] * weights.damping;
        }
    }
}

/// Adds the weighted derivative of (2) on a node with twist `v` by the unknown of a neighbour;
/// zero in the plane, where nothing twists.
#[inline(always)]
pub(crate) fn add_far_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    v: &SVector<f64, N>,
    weights: &Weights,
    map: &SMatrix<f64, N, N>,
    out: &mut SMatrix<f64, N, N>,
) {
    if D == 2 {
        return;
    }
    let axis = &element.torsion_axis;
    let by_twist =
        (axis * weights.inertia + G::spin(v, axis) * weights.damping) * element.torsion_cross;
    for j in D..N {
        let twist = angular_dot::<N, D>(axis, &column_of(map, j));
        for i in D..N {
            out[(i, j)] += by_twist[i] * twist;
        }
    }
}

/// Energy (1) [J].
pub(super) fn kinetic_energy<const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    v_a: &SVector<f64, N>,
    v_b: &SVector<f64, N>,
) -> f64 {
    let (own, axis) = (&element.rotary_own, &element.torsion_axis);
    let twists = angular_dot::<N, D>(axis, v_a) * angular_dot::<N, D>(axis, v_b);
    0.5 * (v_a.dot(&(own * v_a)) + v_b.dot(&(own * v_b))) + element.torsion_cross * twists
}
