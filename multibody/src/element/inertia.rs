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
//! where gravity enters the centres only. The sum over l at a node of a beam has a near part, of
//! its own two vectors, and far parts of its neighbours, turned into its frame by `R = R_kᵀ R_l`:
//!
//! ```text
//! δ(R a_l) = −X(R a_l) ψ_k + R (X(a_l) ψ_l + δa_l)                             (3)
//! ```
//!
//! The near parts of the two elements at a node are added before they are multiplied out; on a
//! node between two elements the coefficients that couple centre and tangent cancel. Sections also
//! turn about their centre: see `rotary.rs`.

#![allow(
    clippy::needless_range_loop,
    reason = "the indices are those of the equations"
)]

use super::{BeamElement, rotary};
use crate::group::{Group, Operator};
use nalgebra::{ArrayStorage, SMatrix, SVector};

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

/// Accelerations of a beam node's two vectors, in the node's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeMotion<const D: usize> {
    /// Acceleration of the mass centre less gravity [m/s²].
    centre: SVector<f64, D>,
    /// Second derivative of the tangent vector [1/s²].
    tangent: SVector<f64, D>,
    /// Velocities `B v` of the two [m/s], [1/s].
    rates: [SVector<f64, D>; 2],
}

impl<const D: usize> NodeMotion<D> {
    /// Motion of a node with twist `v`, its derivative `v_dot` and gravity in its frame.
    #[inline(always)]
    pub fn new<G: Group<N, D>, const N: usize>(
        element: &BeamElement<N, D>,
        v: &SVector<f64, N>,
        v_dot: &SVector<f64, N>,
        gravity: &SVector<f64, D>,
    ) -> Self {
        let t = &element.tangent;
        let linear = |v: &SVector<f64, N>| SVector::<f64, D>::from_fn(|i, _| v[i]);
        let (mut u1, u2) = (linear(v), G::turn(v, t));
        let mut centre = linear(v_dot) - gravity;
        if element.eccentric {
            let c = &element.section.mass_centre;
            u1 += G::turn(v, c);
            centre += G::turn(v_dot, c);
        }
        Self {
            centre: centre + G::turn(v, &u1),
            tangent: G::turn(v_dot, t) + G::turn(v, &u2),
            rates: [u1, u2],
        }
    }
}

/// Weighted derivatives of [`NodeMotion`] by the node's unknown. The linear part of a twist does
/// not move the tangent: the first columns of its derivative are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeTangent<const N: usize, const D: usize> {
    centre: SMatrix<f64, D, N>,
    tangent: SMatrix<f64, D, N>,
    /// The same as a neighbour sees it: `X(a) + δa/δψ` of eq. (3).
    centre_outside: SMatrix<f64, D, N>,
    tangent_outside: SMatrix<f64, D, N>,
}

impl<const N: usize, const D: usize> NodeTangent<N, D> {
    /// Derivatives of `motion`; `map` is T⁻¹ of the step's increment (the identity outside time
    /// stepping).
    #[inline(always)]
    pub fn new<G: Group<N, D>>(
        element: &BeamElement<N, D>,
        motion: &NodeMotion<D>,
        v: &SVector<f64, N>,
        gravity: &SVector<f64, D>,
        weights: &Weights,
        map: &SMatrix<f64, N, N>,
    ) -> Self {
        let Weights {
            stiffness,
            damping,
            inertia,
        } = *weights;
        // ∂a/∂v of a = B v̇ + ω × (B v) is X(B v) + ω̃ B; the first columns of B are I and 0.
        let spun = |b: SVector<f64, D>| b * inertia + G::turn(v, &b) * damping;
        let [x1, x2] = motion.rates.map(|u| G::cross(&(u * damping)));
        let mut centre = SMatrix::<f64, D, N>::zeros();
        let mut tangent = SMatrix::<f64, D, N>::zeros();
        for j in 0..D {
            let mut unit = SVector::<f64, D>::zeros();
            unit[j] = 1.0;
            set_column(&mut centre, j, spun(unit));
        }
        for j in D..N {
            let mut column = column_of(&x1, j);
            if element.eccentric {
                column += spun(column_of(&element.centre_map, j));
            }
            set_column(&mut centre, j, column);
            let column = spun(column_of(&element.tangent_map, j)) + column_of(&x2, j);
            set_column(&mut tangent, j, column);
        }
        let map = G::Operator::of(map);
        let mut centre = map.after(&centre);
        let tangent = map.after_angular(&tangent);
        let mut out = Self {
            centre,
            tangent,
            centre_outside: centre,
            tangent_outside: tangent,
        };
        let x = G::cross(&(gravity * stiffness));
        let xc = G::cross(&((motion.centre + gravity) * stiffness));
        let xt = G::cross(&(motion.tangent * stiffness));
        for j in D..N {
            let column = column_of(&centre, j);
            set_column(&mut centre, j, column + column_of(&x, j));
            set_column(&mut out.centre_outside, j, column + column_of(&xc, j));
            let column = column_of(&tangent, j) + column_of(&xt, j);
            set_column(&mut out.tangent_outside, j, column);
        }
        out.centre = centre;
        out
    }
}

#[inline(always)]
pub(super) fn column_of<const R: usize, const C: usize>(
    m: &SMatrix<f64, R, C>,
    j: usize,
) -> SVector<f64, R> {
    SVector::from_array_storage(ArrayStorage([m.data.0[j]]))
}

#[inline(always)]
fn set_column<const R: usize, const C: usize>(
    m: &mut SMatrix<f64, R, C>,
    j: usize,
    column: SVector<f64, R>,
) {
    m.data.0[j] = column.data.0[0];
}

/// Which end of an element a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Node A.
    First,
    /// Node B.
    Last,
}

/// Hermite coefficients between the two vectors of one node and the two of another (or itself).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients {
    centre_centre: f64,
    centre_tangent: f64,
    tangent_centre: f64,
    tangent_tangent: f64,
}

impl Coefficients {
    fn of(m: &SMatrix<f64, 4, 4>, near: End, far: End) -> Self {
        let first = |end| if end == End::First { 0 } else { 2 };
        let (k, l) = (first(near), first(far));
        Self {
            centre_centre: m[(k, l)],
            centre_tangent: m[(k, l + 1)],
            tangent_centre: m[(k + 1, l)],
            tangent_tangent: m[(k + 1, l + 1)],
        }
    }
}

/// What an element gives to a node that is its first, its last, or between it and another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MassTable {
    /// Node A alone, node B alone, and both.
    pub first: Coefficients,
    pub last: Coefficients,
    pub between: Coefficients,
    /// B seen from A, and A seen from B.
    pub last_from_first: Coefficients,
    pub first_from_last: Coefficients,
}

impl MassTable {
    pub fn new(m: &SMatrix<f64, 4, 4>) -> Self {
        let (first, last) = (
            Coefficients::of(m, End::First, End::First),
            Coefficients::of(m, End::Last, End::Last),
        );
        Self {
            first,
            last,
            between: Coefficients {
                centre_centre: first.centre_centre + last.centre_centre,
                centre_tangent: 0.0,
                tangent_centre: 0.0,
                tangent_tangent: first.tangent_tangent + last.tangent_tangent,
            },
            last_from_first: Coefficients::of(m, End::First, End::Last),
            first_from_last: Coefficients::of(m, End::Last, End::First),
        }
    }
}

/// What the far nodes of the adjoining elements give to a node, in its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Far<const D: usize> {
    /// Forces on centre and tangent.
    centre: SVector<f64, D>,
    tangent: SVector<f64, D>,
}

impl<const D: usize> Far<D> {
    /// No neighbour yet.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            centre: SVector::zeros(),
            tangent: SVector::zeros(),
        }
    }

    /// Adds the neighbour with accelerations `motion`, turned by `r` against the node.
    #[inline(always)]
    pub fn add(&mut self, m: &Coefficients, motion: &NodeMotion<D>, r: &SMatrix<f64, D, D>) {
        let [y0, y1] = m.forces(motion);
        self.centre += r * y0;
        self.tangent += r * y1;
    }
}

impl Coefficients {
    #[inline(always)]
    fn forces<const D: usize>(&self, motion: &NodeMotion<D>) -> [SVector<f64, D>; 2] {
        [
            motion.centre * self.centre_centre + motion.tangent * self.centre_tangent,
            motion.centre * self.tangent_centre + motion.tangent * self.tangent_tangent,
        ]
    }
}

/// `B1ᵀ centre + B2ᵀ tangent`.
#[inline(always)]
fn pull<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    centre: &SVector<f64, D>,
    tangent: &SVector<f64, D>,
) -> SVector<f64, N> {
    let mut out = G::moment(&element.tangent, tangent);
    if element.eccentric {
        out += G::moment(&element.section.mass_centre, centre);
    }
    for i in 0..D {
        out[i] = centre[i];
    }
    out
}

/// Force of (2) on a node, from its own motion and its neighbours'.
#[inline(always)]
pub(crate) fn near_force<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    m: &Coefficients,
    motion: &NodeMotion<D>,
    far: &Far<D>,
) -> SVector<f64, N> {
    let [y0, y1] = m.forces(motion);
    pull::<G, N, D>(element, &(y0 + far.centre), &(y1 + far.tangent))
}

/// Adds the weighted derivative of (2) by the node's own unknown.
#[inline(always)]
pub(crate) fn add_near_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    m: &Coefficients,
    own: &NodeTangent<N, D>,
    far: &Far<D>,
    stiffness: f64,
    out: &mut SMatrix<f64, N, N>,
) {
    let (x0, x1) = (
        G::cross(&(far.centre * stiffness)),
        G::cross(&(far.tangent * stiffness)),
    );
    for j in 0..N {
        let by = column_of(&own.centre, j);
        let (mut z0, mut z1) = (by * m.centre_centre, by * m.tangent_centre);
        if j >= D {
            let by = column_of(&own.tangent, j);
            z0 += by * m.centre_tangent - column_of(&x0, j);
            z1 += by * m.tangent_tangent - column_of(&x1, j);
        }
        let column = column_of(out, j) + pull::<G, N, D>(element, &z0, &z1);
        set_column(out, j, column);
    }
}

/// Adds the weighted derivative of (2) on a node by the unknown of the neighbour `far`, turned by
/// `r` against it, eq. (3): `Σ_l [B1; B2]ᵀ m_kl R` times the derivative of the neighbour's vectors.
#[inline(always)]
pub(crate) fn add_far_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    m: &Coefficients,
    far: &NodeTangent<N, D>,
    r: &SMatrix<f64, D, D>,
    out: &mut SMatrix<f64, N, N>,
) {
    let mut by_centre = [[0.0; N]; D];
    let mut by_tangent = [[0.0; N]; D];
    for k in 0..D {
        let axis = column_of(r, k);
        let weigh = |centre, tangent| {
            pull::<G, N, D>(element, &(axis * centre), &(axis * tangent))
                .data
                .0[0]
        };
        by_centre[k] = weigh(m.centre_centre, m.tangent_centre);
        by_tangent[k] = weigh(m.centre_tangent, m.tangent_tangent);
    }
    for j in 0..N {
        let mut column = out.data.0[j];
        for k in 0..D {
            let weight = far.centre_outside.data.0[j][k];
            for i in 0..N {
                column[i] += by_centre[k][i] * weight;
            }
        }
        if j >= D {
            for k in 0..D {
                let weight = far.tangent_outside.data.0[j][k];
                for i in 0..N {
                    column[i] += by_tangent[k][i] * weight;
                }
            }
        }
        out.data.0[j] = column;
    }
}

/// Kinetic energy of an element, eq. (1) and that of its turning sections [J].
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
    0.5 * twice + rotary::kinetic_energy(element, v_a, v_b)
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
