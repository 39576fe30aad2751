//! Lie groups of rigid motions: SE(2) for the plane, SE(3) for space.
//!
//! A pose `H = (R, x)` takes body coordinates to world coordinates, `X = R a + x`. A twist
//! `v = (u, ω)` has its linear part first and is left-trivialised (seen in the body frame):
//!
//! ```text
//! Ḣ = H v̂                                                                   (1)
//! exp(v + δ) = exp(v) exp(T(v) δ + O(δ²))                                   (2)
//! T(v)   = Σ (−1)^k / (k+1)! ad_v^k                                         (3)
//! T⁻¹(v) = I + ½ ad_v + 1/12 ad_v² − 1/720 ad_v⁴ + …                        (4)
//! [v, w] = ad_v w                                                           (5)
//! ```
//!
//! Sources: Sonneville, Cardona & Brüls 2014 (`sonneville2014`), Iserles et al. 2000
//! (`iserles2000`); keys resolved in REFERENCES.md.

use crate::compiled::Compiled;
use core::fmt::Debug;
use nalgebra::{SMatrix, SVector};

mod coefficients;
mod inverse_tangent;
mod operator;
mod sandwich;
mod se2;
mod se3;
#[cfg(test)]
mod tests;

pub use inverse_tangent::{InverseTangent, PlaneInverseTangent, SpaceInverseTangent};
pub use operator::{Operator, PlaneOperator, SpaceOperator};
pub use se2::Se2;
pub use se3::Se3;

/// The logarithm was asked for at a rotation too close to a half turn to have one answer.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "rotation by {angle_rad} rad is within {margin_rad:e} rad of a half turn: its logarithm is ambiguous"
)]
pub struct LogAmbiguous {
    /// Rotation angle [rad].
    pub angle_rad: f64,
    /// Distance from π inside which the logarithm is refused [rad].
    pub margin_rad: f64,
}

/// A group of rigid motions of `D`-dimensional space with `N` degrees of freedom.
///
/// `N` is 3 for the plane and 6 for space; `D` is 2 or 3. Twists are `(linear, angular)`; in the
/// plane the angular part is the one rate about the normal `e3`, in space the vector of three.
/// The last component of a twist is, in both, the rate about `e3`.
///
/// Only groups of this crate can implement it: the kernel is compiled here for each of them.
#[allow(private_bounds)] // that no other crate can name the bound is its purpose
pub trait Group<const N: usize, const D: usize>:
    Compiled<N, D> + Copy + Clone + Debug + PartialEq + Send + Sync + 'static
{
    /// The shape of `Ad`, `ad`, `T` and `T⁻¹`.
    type Operator: Operator<N>;

    /// `T⁻¹` with its derivatives.
    type InverseTangent: InverseTangent<N, Operator = Self::Operator>;

    /// The neutral element.
    fn identity() -> Self;

    /// Pose from translation [m] and rotation matrix (taken as it is, not checked).
    fn from_parts(translation: SVector<f64, D>, rotation: SMatrix<f64, D, D>) -> Self;

    /// Rotation matrix, body to world.
    fn rotation(&self) -> SMatrix<f64, D, D>;

    /// Origin of the body frame in world coordinates [m].
    fn translation(&self) -> SVector<f64, D>;

    /// `self · other`.
    fn compose(&self, other: &Self) -> Self;

    /// `self⁻¹`.
    fn inverse(&self) -> Self;

    /// Relative pose `self⁻¹ · other`, computed from the difference of the origins.
    fn between(&self, other: &Self) -> Self;

    /// The same pose with the rounding drift of its rotation removed (third-order accurate step
    /// to the nearest orthogonal matrix; the identity up to rounding on a true rotation).
    fn renormalized(&self) -> Self;

    /// Exponential map, eq. (2).
    fn exp(v: &SVector<f64, N>) -> Self;

    /// Logarithm: the shortest `v` with `exp(v) = self`.
    fn log(&self) -> Result<SVector<f64, N>, LogAmbiguous>;

    /// `Ad_H`: takes a twist seen in the body frame to the frame the pose is given in.
    fn adjoint(&self) -> SMatrix<f64, N, N>;

    /// `Ad_{H⁻¹}` as an operator.
    fn adjoint_inverse_operator(&self) -> Self::Operator;

    /// `Ad_{H⁻¹}`.
    #[inline]
    fn adjoint_inverse(&self) -> SMatrix<f64, N, N> {
        self.adjoint_inverse_operator().matrix()
    }

    /// `ad_v`, eq. (5), as an operator.
    fn ad_operator(v: &SVector<f64, N>) -> Self::Operator;

    /// `ad_v`, eq. (5).
    #[inline]
    fn ad(v: &SVector<f64, N>) -> SMatrix<f64, N, N> {
        Self::ad_operator(v).matrix()
    }

    /// The antisymmetric matrix with `coad(p) v = ad_vᵀ p`.
    fn coad(p: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// Tangent operator `T(v)`, eq. (3).
    fn tangent(v: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// Inverse tangent operator `T⁻¹(v)`, eq. (4), ready to be differentiated.
    fn inverse_tangent(v: &SVector<f64, N>) -> Self::InverseTangent;

    /// Inverse tangent operator `T⁻¹(v)`, eq. (4).
    #[inline]
    fn tangent_inverse(v: &SVector<f64, N>) -> SMatrix<f64, N, N> {
        Self::inverse_tangent(v).operator().matrix()
    }

    /// `∂(T(v) w)/∂v` with `w` held.
    fn tangent_derivative(v: &SVector<f64, N>, w: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// `∂(T⁻¹(v) w)/∂v` with `w` held.
    #[inline]
    fn tangent_inverse_derivative(v: &SVector<f64, N>, w: &SVector<f64, N>) -> SMatrix<f64, N, N> {
        Self::inverse_tangent(v).derivative(w)
    }

    /// `∂(T⁻ᵀ(v) p)/∂v` with `p` held.
    #[inline]
    fn tangent_inverse_transpose_derivative(
        v: &SVector<f64, N>,
        p: &SVector<f64, N>,
    ) -> SMatrix<f64, N, N> {
        Self::inverse_tangent(v).transpose_derivative(p)
    }

    /// `ad_v diag(c) ad_vᵀ`.
    fn ad_sandwich(v: &SVector<f64, N>, c: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// `coad(p) diag(c) coad(p)`.
    fn coad_sandwich(p: &SVector<f64, N>, c: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// `coad(p) diag(c) ad_vᵀ + ad_rᵀ`.
    fn coad_ad_sandwich(
        p: &SVector<f64, N>,
        c: &SVector<f64, N>,
        v: &SVector<f64, N>,
        r: &SVector<f64, N>,
    ) -> SMatrix<f64, N, N>;

    /// `X(u)` with `X(u) v = ω × u` for the twist `v = (·, ω)`; shape `D × N`, linear in `u`.
    fn cross(u: &SVector<f64, D>) -> SMatrix<f64, D, N>;

    /// `[I 0]`: takes a twist to its linear part.
    fn linear_part() -> SMatrix<f64, D, N>;

    /// `ω × u` for the twist `v = (·, ω)`: the product `X(u) v`.
    fn turn(v: &SVector<f64, N>, u: &SVector<f64, D>) -> SVector<f64, D>;

    /// The moment `(0, arm × force)` of a force, the product `X(arm)ᵀ force`.
    fn moment(arm: &SVector<f64, D>, force: &SVector<f64, D>) -> SVector<f64, N>;

    /// `(0, ω × m)` for the twist `v = (·, ω)` and the moment `p = (·, m)`; zero in the plane.
    fn spin(v: &SVector<f64, N>, p: &SVector<f64, N>) -> SVector<f64, N>;

    /// Rotation angle of a twist seen as a rotation vector, `|ω|` [rad].
    fn angle(v: &SVector<f64, N>) -> f64;

    /// The unit moment about `e3` of frame A, as a covector in frame B turned by `r_ab` against
    /// A: `(0, r_abᵀ e3)` in space, `(0, 0, 1)` in the plane.
    fn axis_moment(r_ab: &SMatrix<f64, D, D>) -> SVector<f64, N>;

    /// Derivatives of [`Group::axis_moment`] with respect to the twists of frames A and B.
    fn axis_moment_derivative(
        r_ab: &SMatrix<f64, D, D>,
    ) -> (SMatrix<f64, N, N>, SMatrix<f64, N, N>);
}
