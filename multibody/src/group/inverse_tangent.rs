//! `T⁻¹(v)` with its derivatives, from one evaluation of the coefficients they share.
//!
//! Plane, with `A` of `se2` eq. (3), `x = w²` and a prime for `d/dw = 2w d/dx`:
//!
//! ```text
//! (wA)' = A + 2x dA/dx,  (1 − xA)' = −2w (A + x dA/dx)                         (1)
//! ```
//!
//! Space: `se3` eqs. (3) to (6) with `g = ±½`.

use super::coefficients::{Jet, cotangent_deficit};
use super::operator::{Operator, PlaneOperator, SpaceOperator};
use super::se3::{derivative, dual, dual_operator, mirrored, split};
use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

/// `T⁻¹(v)` at one `v`.
pub trait InverseTangent<const N: usize>: Copy {
    /// What `T⁻¹` is kept as.
    type Operator: Operator<N>;

    /// `T⁻¹(v)`.
    fn operator(&self) -> &Self::Operator;

    /// `∂(T⁻¹(v) w)/∂v` with `w` held.
    fn derivative(&self, w: &SVector<f64, N>) -> SMatrix<f64, N, N>;

    /// `∂(T⁻ᵀ(v) p)/∂v` with `p` held.
    fn transpose_derivative(&self, p: &SVector<f64, N>) -> SMatrix<f64, N, N>;
}

/// `T⁻¹` of the plane.
#[derive(Debug, Clone, Copy)]
pub struct PlaneInverseTangent {
    operator: PlaneOperator,
    linear: (f64, f64),
    /// `wA`, `(wA)'` and `(1 − xA)'` of (1).
    deficit: f64,
    deficit_slope: f64,
    straight_slope: f64,
}

impl PlaneInverseTangent {
    #[inline(always)]
    pub(super) fn new(v: &Vector3<f64>) -> Self {
        let (a, b, w) = (v.x, v.y, v.z);
        let x = w * w;
        let Jet { value, slope, .. } = cotangent_deficit(x);
        let deficit = w * value;
        let bent = value + x * slope;
        Self {
            operator: PlaneOperator {
                straight: 1.0 - w * deficit,
                turned: 0.5 * w,
                column: (deficit * a + 0.5 * b, deficit * b - 0.5 * a),
                corner: 1.0,
            },
            linear: (a, b),
            deficit,
            deficit_slope: bent + x * slope, // (1)
            straight_slope: -2.0 * w * bent,
        }
    }
}

impl InverseTangent<3> for PlaneInverseTangent {
    type Operator = PlaneOperator;

    #[inline(always)]
    fn operator(&self) -> &PlaneOperator {
        &self.operator
    }

    #[inline(always)]
    fn derivative(&self, w: &Vector3<f64>) -> Matrix3<f64> {
        let bent = self.deficit_slope * w.z;
        let column = (
            self.straight_slope * w.x - 0.5 * w.y + bent * self.linear.0,
            self.straight_slope * w.y + 0.5 * w.x + bent * self.linear.1,
        );
        PlaneOperator {
            straight: self.deficit * w.z,
            turned: -0.5 * w.z,
            column,
            corner: 0.0,
        }
        .matrix()
    }

    #[inline(always)]
    fn transpose_derivative(&self, p: &Vector3<f64>) -> Matrix3<f64> {
        let mut derivative = Matrix3::zeros();
        derivative.m13 = self.straight_slope * p.x + 0.5 * p.y;
        derivative.m23 = self.straight_slope * p.y - 0.5 * p.x;
        derivative.m31 = self.deficit * p.x - 0.5 * p.y;
        derivative.m32 = self.deficit * p.y + 0.5 * p.x;
        derivative.m33 = self.deficit_slope * (self.linear.0 * p.x + self.linear.1 * p.y);
        derivative
    }
}

/// `T⁻¹` of space.
#[derive(Debug, Clone, Copy)]
pub struct SpaceInverseTangent {
    operator: SpaceOperator,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    k: Jet,
}

impl SpaceInverseTangent {
    #[inline(always)]
    pub(super) fn new(v: &Vector6<f64>) -> Self {
        let (linear, angular) = split(v);
        let k = cotangent_deficit(angular.norm_squared());
        Self {
            operator: dual_operator((0.5, 0.0), &k, &angular, &linear),
            linear,
            angular,
            k,
        }
    }
}

impl InverseTangent<6> for SpaceInverseTangent {
    type Operator = SpaceOperator;

    #[inline(always)]
    fn operator(&self) -> &SpaceOperator {
        &self.operator
    }

    #[inline(always)]
    fn derivative(&self, w: &Vector6<f64>) -> Matrix6<f64> {
        let (b, a) = split(w);
        let at = (&self.angular, &self.linear);
        let (f, delta_f) = derivative((0.5, 0.0), &self.k, at, (&a, &b));
        dual(&f, &delta_f) // se3 (5)
    }

    #[inline(always)]
    fn transpose_derivative(&self, p: &Vector6<f64>) -> Matrix6<f64> {
        let (a, b) = split(p);
        let at = (&self.angular, &self.linear);
        let (f, delta_f) = derivative((-0.5, 0.0), &self.k, at, (&a, &b));
        mirrored(&f, &delta_f) // se3 (6)
    }
}
