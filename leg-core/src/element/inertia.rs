//! Inertia of an element.
//!
//! The line of mass centres is interpolated by Hermite's cubic through the mass centres and the
//! tangents of the two nodes, `x(ξ) = N1 x_A + N2 L t_A + N3 x_B + N4 L t_B`, all vectors of the
//! inertial frame. Rigid motion of the element, bent or not, is reproduced exactly, and the
//! cubic matches the accuracy of the elastic part. With the four vectors `z = (x_A, t_A, x_B, t_B)`
//! of which node l owns two, `ż_l = R_l B_l v_l` and
//!
//! ```text
//! T = ½ Σ m_kl (R_k B_k v_k)·(R_l B_l v_l),   m_kl = ρA L ∫ N_k N_l dξ         (1)
//! f_k = B_kᵀ R_kᵀ Σ_l m_kl R_l a_l,   a_l = B_l v̇_l + ω_l × (B_l v_l) − R_lᵀ g  (2)
//! ```
//!
//! where gravity enters the centres only. Sections turning about their centre carry the energy
//!
//! ```text
//! T = ½ L (5/12 ω_Aᵀ J ω_A + 1/6 ω_Aᵀ J ω_B + 5/12 ω_Bᵀ J ω_B)                 (3)
//! ```
//!
//! in components of the nodes' own frames. The coefficients (the mean of lumped and consistent
//! mass) make torsion waves fourth-order accurate on a straight beam; the angle between the two
//! frames is neglected in the cross term, an error of second order in it on a term that is small
//! in itself.

use super::BeamElement;
use crate::group::Group;
use nalgebra::{SMatrix, SVector};

/// Hermite mass coefficients of eq. (1).
pub(crate) fn hermite_mass(mass_per_length: f64, length: f64) -> SMatrix<f64, 4, 4> {
    let l = length;
    #[rustfmt::skip]
    let m = SMatrix::<f64, 4, 4>::new(
        156.0,       22.0 * l,     54.0,       -13.0 * l,
        22.0 * l,    4.0 * l * l,  13.0 * l,   -3.0 * l * l,
        54.0,        13.0 * l,     156.0,      -22.0 * l,
        -13.0 * l,  -3.0 * l * l, -22.0 * l,    4.0 * l * l,
    );
    m * (mass_per_length * l / 420.0)
}

/// How derivatives by pose, velocity and acceleration combine into one matrix:
/// `stiffness ∂/∂ψ + (damping ∂/∂v + inertia ∂/∂v̇) T⁻¹`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of ∂/∂ψ.
    pub stiffness: f64,
    /// Weight of ∂/∂v.
    pub damping: f64,
    /// Weight of ∂/∂v̇.
    pub inertia: f64,
}

/// Accelerations of a beam node's two vectors and their weighted derivatives.
#[derive(Debug, Clone, Copy)]
pub struct NodeMotion<const N: usize, const D: usize> {
    /// Acceleration of the mass centre less gravity, in the node's frame [m/s²].
    pub centre: SVector<f64, D>,
    /// Second derivative of the tangent vector, in the node's frame [1/s²].
    pub tangent: SVector<f64, D>,
    /// Weighted derivative of `centre` by the node's unknown.
    pub centre_by: SMatrix<f64, D, N>,
    /// Weighted derivative of `tangent`.
    pub tangent_by: SMatrix<f64, D, N>,
}

impl<const N: usize, const D: usize> NodeMotion<N, D> {
    /// Motion of a node with twist `v`, its derivative `v_dot` and gravity in its frame.
    /// `map` is T⁻¹ of the step's increment (the identity outside time stepping).
    #[inline]
    pub fn new<G: Group<N, D>>(
        element: &BeamElement<N, D>,
        v: &SVector<f64, N>,
        v_dot: &SVector<f64, N>,
        gravity: &SVector<f64, D>,
        weights: &Weights,
        map: &SMatrix<f64, N, N>,
    ) -> Self {
        let (b1, b2) = (&element.centre_map, &element.tangent_map);
        let (u1, u2) = (b1 * v, b2 * v);
        let (x1, x2) = (G::cross(&u1), G::cross(&u2));
        let spin = spin_matrix::<G, N, D>(v);
        // ∂a/∂v of a = B v̇ + ω × (B v) is X(B v) + ω̃ B.
        let by = |b: &SMatrix<f64, D, N>, x: &SMatrix<f64, D, N>| {
            (b * weights.inertia + (x + spin * b) * weights.damping) * map
        };
        Self {
            centre: b1 * v_dot + x1 * v - gravity,
            tangent: b2 * v_dot + x2 * v,
            centre_by: by(b1, &x1) + G::cross(gravity) * weights.stiffness,
            tangent_by: by(b2, &x2),
        }
    }
}

/// The matrix ω̃ with `ω̃ u = ω × u`.
#[inline]
fn spin_matrix<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
) -> SMatrix<f64, D, D> {
    let mut spin = SMatrix::<f64, D, D>::zeros();
    for i in 0..D {
        let mut unit = SVector::zeros();
        unit[i] = 1.0;
        spin.set_column(i, &(G::cross(&unit) * v));
    }
    spin
}

/// Inertia force on the two nodes and the weighted tangent blocks.
#[derive(Debug, Clone, Copy)]
pub struct NodalInertia<const N: usize> {
    /// Force on node A.
    pub force_a: SVector<f64, N>,
    /// Force on node B.
    pub force_b: SVector<f64, N>,
    /// Weighted derivative of force i by unknown j.
    pub tangent: [[SMatrix<f64, N, N>; 2]; 2],
}

/// Translational inertia and gravity, eq. (2), of the element between nodes with motions `a` and
/// `b`, turned by `r = R_Aᵀ R_B` against each other. `stiffness` weighs ∂/∂ψ.
#[inline]
pub fn translational<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    a: &NodeMotion<N, D>,
    b: &NodeMotion<N, D>,
    r: &SMatrix<f64, D, D>,
    stiffness: f64,
) -> NodalInertia<N> {
    let m = &element.hermite_mass;
    let (b1, b2) = (&element.centre_map, &element.tangent_map);
    // What the far node contributes to vector k of the near one, seen from either side.
    let far_b = |k: usize| b.centre * m[(k, 2)] + b.tangent * m[(k, 3)];
    let far_a = |k: usize| a.centre * m[(k, 0)] + a.tangent * m[(k, 1)];
    let (yb0, yb1) = (far_b(0), far_b(1));
    let (ya2, ya3) = (far_a(2), far_a(3));
    let (yb0_a, yb1_a) = (r * yb0, r * yb1);
    let (ya2_b, ya3_b) = (r.tr_mul(&ya2), r.tr_mul(&ya3));
    let near = |k: usize, motion: &NodeMotion<N, D>, c: usize| {
        motion.centre * m[(k, c)] + motion.tangent * m[(k, c + 1)]
    };
    let force_a = b1.tr_mul(&(near(0, a, 0) + yb0_a)) + b2.tr_mul(&(near(1, a, 0) + yb1_a));
    let force_b = b1.tr_mul(&(near(2, b, 2) + ya2_b)) + b2.tr_mul(&(near(3, b, 2) + ya3_b));

    let by = |k: usize, motion: &NodeMotion<N, D>, c: usize| {
        motion.centre_by * m[(k, c)] + motion.tangent_by * m[(k, c + 1)]
    };
    // δ(R y) = −X(R y) ψ_A + R X(y) ψ_B and δ(Rᵀ y) = −X(Rᵀ y) ψ_B + Rᵀ X(y) ψ_A.
    let x = |u: &SVector<f64, D>| G::cross(u) * stiffness;
    let aa = b1.tr_mul(&(by(0, a, 0) - x(&yb0_a))) + b2.tr_mul(&(by(1, a, 0) - x(&yb1_a)));
    let bb = b1.tr_mul(&(by(2, b, 2) - x(&ya2_b))) + b2.tr_mul(&(by(3, b, 2) - x(&ya3_b)));
    let ab = b1.tr_mul(&(r * (by(0, b, 2) + x(&yb0)))) + b2.tr_mul(&(r * (by(1, b, 2) + x(&yb1))));
    let ba = b1.tr_mul(&r.tr_mul(&(by(2, a, 0) + x(&ya2))))
        + b2.tr_mul(&r.tr_mul(&(by(3, a, 0) + x(&ya3))));
    NodalInertia {
        force_a,
        force_b,
        tangent: [[aa, ab], [ba, bb]],
    }
}

/// Own and cross coefficient of eq. (3).
const ROTARY: (f64, f64) = (5.0 / 12.0, 1.0 / 12.0);

/// Rotary inertia, eq. (3): `f_A = ṗ_A − ad_vᵀ p_A` with `p_A = L J (5/12 v_A + 1/12 v_B)`.
#[inline]
#[allow(clippy::too_many_arguments)] // two nodes with three quantities each
pub fn add_rotary<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    velocities: [&SVector<f64, N>; 2],
    accelerations: [&SVector<f64, N>; 2],
    weights: &Weights,
    maps: [&SMatrix<f64, N, N>; 2],
    out: &mut NodalInertia<N>,
) {
    let j = &element.rotary;
    let (own, cross) = ROTARY;
    for (i, o) in [(0, 1), (1, 0)] {
        let mut force = j * (accelerations[i] * own + accelerations[o] * cross);
        let mut by_own = j * (own * weights.inertia);
        let mut by_other = j * (cross * weights.inertia);
        if D == 3 {
            let momentum = j * (velocities[i] * own + velocities[o] * cross);
            let ad = G::ad(velocities[i]);
            force -= ad.tr_mul(&momentum);
            let ad_j = ad.tr_mul(j) * weights.damping;
            by_own -= G::coad(&momentum) * weights.damping + ad_j * own;
            by_other -= ad_j * cross;
        }
        out.tangent[i][i] += by_own * maps[i];
        out.tangent[i][o] += by_other * maps[o];
        if i == 0 {
            out.force_a += force;
        } else {
            out.force_b += force;
        }
    }
}

/// Kinetic energy of an element, eqs. (1) and (3) [J].
pub fn kinetic_energy<const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    v_a: &SVector<f64, N>,
    v_b: &SVector<f64, N>,
    r: &SMatrix<f64, D, D>,
) -> f64 {
    let (b1, b2) = (&element.centre_map, &element.tangent_map);
    // All four vectors in the frame of node A.
    let z = [b1 * v_a, b2 * v_a, r * (b1 * v_b), r * (b2 * v_b)];
    let mut twice = 0.0;
    for k in 0..4 {
        for l in 0..4 {
            twice += element.hermite_mass[(k, l)] * z[k].dot(&z[l]);
        }
    }
    let j = &element.rotary;
    let (own, cross) = ROTARY;
    twice += own * (v_a.dot(&(j * v_a)) + v_b.dot(&(j * v_b))) + 2.0 * cross * v_a.dot(&(j * v_b));
    0.5 * twice
}

/// Potential of gravity of an element [J], given the nodes' mass centres and tangents in world
/// axes: `−m g · ∫ x dξ` with Hermite's cubic.
pub fn gravity_energy<const D: usize>(
    mass: f64,
    length: f64,
    centres: [&SVector<f64, D>; 2],
    tangents: [&SVector<f64, D>; 2],
    gravity: &SVector<f64, D>,
) -> f64 {
    let mean = (centres[0] + centres[1]) * 0.5 + (tangents[0] - tangents[1]) * (length / 12.0);
    -mass * gravity.dot(&mean)
}
