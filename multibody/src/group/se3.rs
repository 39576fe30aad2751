//! SE(3): rigid motions of space, as rotations over dual numbers.
//!
//! A twist `v = (u, ω)` acts on twists as the dual vector `ω + εu`, `ε² = 0`, acts on vectors:
//!
//! ```text
//! ad_v = [ω̃, ũ; 0, ω̃]  ≅  (ω + εu)~                                            (1)
//! ```
//!
//! So an operator `M(ω)` of SO(3) becomes one of SE(3) by taking its derivative along `u`:
//!
//! ```text
//! M(v) = [M(ω), D_u M(ω); 0, M(ω)]                                             (2)
//! ```
//!
//! Every operator here has the form, with `x = ω·ω` and the coefficients of `series`,
//!
//! ```text
//! M(ω) = I + g(x) ω̃ + k(x) ω̃²                                                  (3)
//! T:   g = −(1 − cos θ)/θ²,  k = (θ − sin θ)/θ³
//! T⁻¹: g = ½,                k = (1 − (θ/2) cot(θ/2))/θ²
//! T⁻ᵀ: g = −½,               k as for T⁻¹
//! ```
//!
//! Its derivative applied to `a`, with `σ = ω·a` and `c = ω × a`, is
//!
//! ```text
//! F(ω; a) = ∂(M(ω) a)/∂ω = −g ã + 2g' c ωᵀ + k (ω aᵀ + σ I) + p ωᵀ             (4)
//! p = 2 (k' (σω − x a) − k a)
//! ```
//!
//! and (2) again, with `a + εb`, gives the derivatives on SE(3) from `F` and its derivative
//! `δF` along `ω → u`, `a → b`:
//!
//! ```text
//! ∂(M(v) w)/∂v  = [F, δF; 0, F],  w = (b, a)                                   (5)
//! ∂(Mᵀ(v) p)/∂v = [0, F; F, δF],  p = (a, b), with Mᵀ(ω) in place of M(ω)      (6)
//! exp(v) = (I + sin θ/θ ω̃ + (1 − cos θ)/θ² ω̃², Tᵀ(ω) u)                        (7)
//! ```
//!
//! A prime is `d/dx`. Sources: as in the parent module, from which the dual-number reading deviates
//! in form only; Shepperd 1978 (`shepperd1978`) for the quaternion of a rotation matrix.

use super::coefficients::{
    ARC_LIMIT, Jet, arc_quotient, circular, circular_jets, cotangent_deficit,
};
use super::{Group, LogAmbiguous, Operator, SpaceInverseTangent, SpaceOperator, sandwich};
use crate::math;
use core::f64::consts::PI;
use nalgebra::{ArrayStorage, Matrix3, Matrix3x6, Matrix6, Unit, Vector3, Vector6};

/// Distance from a half turn inside which the logarithm is refused [rad]. The angle of a pose
/// made of thousands of products is rounded to about 1e-13, so inside 1e-10 rounding begins to
/// have a say in which of two opposite rotation vectors is the shorter.
const HALF_TURN_MARGIN: f64 = 1e-10;

/// A pose in space: rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Se3 {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
}

impl Se3 {
    /// Pose with its origin at `translation` [m], turned by `rotation_vector` [rad].
    #[inline]
    pub fn new(translation: Vector3<f64>, rotation_vector: Vector3<f64>) -> Self {
        let at_x = circular(rotation_vector.norm_squared());
        let (sine, versine) = (at_x.sine_quotient, at_x.versine_quotient);
        Self {
            rotation: operator(sine, versine, &rotation_vector), // (7)
            translation,
        }
    }

    /// Pose with its origin at `translation` [m], not turned.
    #[inline]
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self {
            rotation: Matrix3::identity(),
            translation,
        }
    }

    /// Pose with its origin in place, turned by `angle` [rad] about `axis`.
    #[inline]
    pub fn from_axis_angle(axis: &Unit<Vector3<f64>>, angle: f64) -> Self {
        Self::new(Vector3::zeros(), angle * axis.into_inner())
    }

    /// `x̃ R`: the body axes crossed from the left with the origin.
    #[inline]
    fn moment_arms(&self) -> Matrix3<f64> {
        let arm = |j| self.translation.cross(&self.rotation.column(j));
        Matrix3::from_columns(&[arm(0), arm(1), arm(2)])
    }

    /// A positive multiple of the unit quaternion, scalar part first and not negative, by
    /// Shepperd's choice of the pivot, which is never small.
    #[inline]
    fn quaternion(&self) -> (f64, Vector3<f64>) {
        let r = &self.rotation;
        let trace = r.trace();
        let antisymmetric = Vector3::new(r.m32 - r.m23, r.m13 - r.m31, r.m21 - r.m12);
        if trace > 0.0 {
            return (1.0 + trace, antisymmetric);
        }
        let (scalar, vector) = if r.m11 >= r.m22 && r.m11 >= r.m33 {
            let pivot = 1.0 + 2.0 * r.m11 - trace;
            (
                antisymmetric.x,
                Vector3::new(pivot, r.m12 + r.m21, r.m13 + r.m31),
            )
        } else if r.m22 >= r.m33 {
            let pivot = 1.0 + 2.0 * r.m22 - trace;
            (
                antisymmetric.y,
                Vector3::new(r.m12 + r.m21, pivot, r.m23 + r.m32),
            )
        } else {
            let pivot = 1.0 + 2.0 * r.m33 - trace;
            (
                antisymmetric.z,
                Vector3::new(r.m13 + r.m31, r.m23 + r.m32, pivot),
            )
        };
        if scalar < 0.0 {
            (-scalar, -vector)
        } else {
            (scalar, vector)
        }
    }

    /// Rotation vector of the pose [rad].
    #[inline]
    fn rotation_vector(&self) -> Result<Vector3<f64>, LogAmbiguous> {
        let (scalar, vector) = self.quaternion();
        let squared = vector.norm_squared();
        let inverse = 1.0 / scalar;
        let ratio = squared * (inverse * inverse);
        if ratio <= ARC_LIMIT {
            return Ok(vector * (2.0 * inverse * arc_quotient(ratio)));
        }
        let length = squared.sqrt();
        let angle = 2.0 * math::atan2(length, scalar);
        if angle > PI - HALF_TURN_MARGIN {
            return Err(LogAmbiguous {
                angle_rad: angle,
                margin_rad: HALF_TURN_MARGIN,
            });
        }
        Ok(vector * (angle / length))
    }
}

impl Group<6, 3> for Se3 {
    type Operator = SpaceOperator;
    type InverseTangent = SpaceInverseTangent;

    #[inline]
    fn identity() -> Self {
        Self::from_translation(Vector3::zeros())
    }

    #[inline]
    fn from_parts(translation: Vector3<f64>, rotation: Matrix3<f64>) -> Self {
        Self {
            rotation,
            translation,
        }
    }

    #[inline]
    fn rotation(&self) -> Matrix3<f64> {
        self.rotation
    }

    #[inline]
    fn translation(&self) -> Vector3<f64> {
        self.translation
    }

    #[inline]
    fn compose(&self, other: &Self) -> Self {
        Self {
            rotation: self.rotation * other.rotation,
            translation: self.translation + self.rotation * other.translation,
        }
    }

    #[inline]
    fn inverse(&self) -> Self {
        Self {
            rotation: self.rotation.transpose(),
            translation: -self.rotation.tr_mul(&self.translation),
        }
    }

    #[inline]
    fn between(&self, other: &Self) -> Self {
        Self {
            rotation: self.rotation.tr_mul(&other.rotation),
            translation: self
                .rotation
                .tr_mul(&(other.translation - self.translation)),
        }
    }

    #[inline]
    fn renormalized(&self) -> Self {
        let excess = self.rotation.tr_mul(&self.rotation) - Matrix3::identity();
        let correction = excess * (0.375 * excess - 0.5 * Matrix3::identity());
        Self {
            rotation: self.rotation + self.rotation * correction,
            ..*self
        }
    }

    #[inline]
    fn exp(v: &Vector6<f64>) -> Self {
        let (u, omega) = split(v);
        let at_x = circular(omega.norm_squared());
        let once = omega.cross(&u);
        let twice = omega.cross(&once);
        Self {
            rotation: operator(at_x.sine_quotient, at_x.versine_quotient, &omega), // (7)
            translation: u + at_x.versine_quotient * once + at_x.sine_deficit * twice,
        }
    }

    #[inline]
    fn log(&self) -> Result<Vector6<f64>, LogAmbiguous> {
        let omega = self.rotation_vector()?;
        let once = omega.cross(&self.translation);
        let twice = omega.cross(&once);
        let k = cotangent_deficit(omega.norm_squared()).value;
        let u = self.translation - 0.5 * once + k * twice; // T⁻ᵀ(ω), eq. (3)
        Ok(join(&u, &omega))
    }

    #[inline]
    fn adjoint(&self) -> Matrix6<f64> {
        dual(&self.rotation, &self.moment_arms())
    }

    #[inline(always)]
    fn adjoint_inverse_operator(&self) -> SpaceOperator {
        SpaceOperator {
            diagonal: self.rotation.transpose(),
            corner: self.moment_arms().transpose(), // −Rᵀ x̃ = (x̃ R)ᵀ
        }
    }

    #[inline(always)]
    fn ad_operator(v: &Vector6<f64>) -> SpaceOperator {
        let (u, omega) = split(v);
        SpaceOperator {
            diagonal: skew(&omega),
            corner: skew(&u), // (1)
        }
    }

    #[inline]
    fn coad(p: &Vector6<f64>) -> Matrix6<f64> {
        let (force, moment) = split(p);
        mirrored(&skew(&force), &skew(&moment))
    }

    #[inline]
    fn tangent(v: &Vector6<f64>) -> Matrix6<f64> {
        let (u, omega) = split(v);
        let x = omega.norm_squared();
        let (versine, deficit) = circular_jets(x, &circular(x));
        dual_operator((-versine.value, -versine.slope), &deficit, &omega, &u).matrix()
    }

    #[inline(always)]
    fn inverse_tangent(v: &Vector6<f64>) -> SpaceInverseTangent {
        SpaceInverseTangent::new(v)
    }

    #[inline]
    fn tangent_derivative(v: &Vector6<f64>, w: &Vector6<f64>) -> Matrix6<f64> {
        let (u, omega) = split(v);
        let (b, a) = split(w);
        let x = omega.norm_squared();
        let (versine, deficit) = circular_jets(x, &circular(x));
        let twice_mu = 2.0 * omega.dot(&u);
        let odd = (-versine.value, -twice_mu * versine.slope);
        let (mut f, mut delta_f) = derivative(odd, &deficit, (&omega, &u), (&a, &b));
        // The part of (4) with g' = −versine.slope, and its variation.
        let c = omega.cross(&a);
        let delta_c = u.cross(&a) + omega.cross(&b);
        let rate = -2.0 * versine.slope * c;
        let delta_rate = -2.0 * (versine.slope * delta_c + twice_mu * versine.curvature * c);
        f += rate * omega.transpose();
        delta_f += delta_rate * omega.transpose() + rate * u.transpose();
        dual(&f, &delta_f) // (5)
    }

    #[inline(always)]
    fn ad_sandwich(v: &Vector6<f64>, c: &Vector6<f64>) -> Matrix6<f64> {
        sandwich::space_ad(v, c)
    }

    #[inline(always)]
    fn coad_sandwich(p: &Vector6<f64>, c: &Vector6<f64>) -> Matrix6<f64> {
        sandwich::space_coad(p, c)
    }

    #[inline(always)]
    fn coad_ad_sandwich(
        p: &Vector6<f64>,
        c: &Vector6<f64>,
        v: &Vector6<f64>,
        r: &Vector6<f64>,
    ) -> Matrix6<f64> {
        sandwich::space_coad_ad(p, c, v, r)
    }

    #[inline]
    fn cross(u: &Vector3<f64>) -> Matrix3x6<f64> {
        let mut x = Matrix3x6::zeros();
        x.fixed_columns_mut::<3>(3).copy_from(&skew(&-u));
        x
    }

    #[inline]
    fn linear_part() -> Matrix3x6<f64> {
        Matrix3x6::identity()
    }

    #[inline(always)]
    fn turn(v: &Vector6<f64>, u: &Vector3<f64>) -> Vector3<f64> {
        split(v).1.cross(u)
    }

    #[inline(always)]
    fn moment(arm: &Vector3<f64>, force: &Vector3<f64>) -> Vector6<f64> {
        join(&Vector3::zeros(), &arm.cross(force))
    }

    #[inline(always)]
    fn spin(v: &Vector6<f64>, p: &Vector6<f64>) -> Vector6<f64> {
        join(&Vector3::zeros(), &split(v).1.cross(&split(p).1))
    }

    #[inline]
    fn angle(v: &Vector6<f64>) -> f64 {
        split(v).1.norm()
    }

    #[inline]
    fn axis_moment(r_ab: &Matrix3<f64>) -> Vector6<f64> {
        join(&Vector3::zeros(), &r_ab.row(2).transpose())
    }

    /// From `δ r_ab = r_ab ω̃_b − ω̃_a r_ab`.
    #[inline]
    fn axis_moment_derivative(r_ab: &Matrix3<f64>) -> (Matrix6<f64>, Matrix6<f64>) {
        let mut by_a = Matrix6::zeros();
        let mut by_b = Matrix6::zeros();
        by_a.fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&-r_ab.tr_mul(&skew(&Vector3::z())));
        by_b.fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&skew(&r_ab.row(2).transpose()));
        (by_a, by_b)
    }
}

/// `I + g ω̃ + k ω̃²`, eq. (3).
#[inline(always)]
fn operator(g: f64, k: f64, omega: &Vector3<f64>) -> Matrix3<f64> {
    let k_omega = k * omega;
    assemble(1.0 - k * omega.norm_squared(), &(g * omega), |j| {
        k_omega * omega[j]
    })
}

/// Eq. (2) for the operator (3), given `(g, g')` and `k`.
#[inline(always)]
pub(super) fn dual_operator(
    (g, g_slope): (f64, f64),
    k: &Jet,
    omega: &Vector3<f64>,
    u: &Vector3<f64>,
) -> SpaceOperator {
    let x = omega.norm_squared();
    let twice_mu = 2.0 * omega.dot(u);
    let k_rate = twice_mu * k.slope;
    let k_omega = k.value * omega;
    let delta_k_omega = k.value * u + k_rate * omega;
    let corner = assemble(
        -(k.value * twice_mu + k_rate * x),
        &(g * u + (twice_mu * g_slope) * omega),
        |j| delta_k_omega * omega[j] + k_omega * u[j],
    );
    SpaceOperator {
        diagonal: operator(g, k.value, omega),
        corner,
    }
}

/// `F` of (4) and its variation `δF`, less the term with `g'`, which the inverse tangents do not
/// have. `g_rate` is the variation of `g`.
#[inline(always)]
pub(super) fn derivative(
    (g, g_rate): (f64, f64),
    k: &Jet,
    (omega, u): (&Vector3<f64>, &Vector3<f64>),
    (a, b): (&Vector3<f64>, &Vector3<f64>),
) -> (Matrix3<f64>, Matrix3<f64>) {
    let x = omega.norm_squared();
    let twice_mu = 2.0 * omega.dot(u);
    let sigma = omega.dot(a);
    let delta_sigma = u.dot(a) + omega.dot(b);
    let k_rate = twice_mu * k.slope;

    let square = sigma * omega - x * a;
    let delta_square = delta_sigma * omega + sigma * u - twice_mu * a - x * b;
    let p = 2.0 * (k.slope * square - k.value * a);
    let delta_p = 2.0
        * (k.slope * delta_square + (twice_mu * k.curvature) * square - k.value * b - k_rate * a);
    let k_omega = k.value * omega;
    let delta_k_omega = k.value * u + k_rate * omega;

    let f = assemble(k.value * sigma, &(-g * a), |j| {
        k_omega * a[j] + p * omega[j]
    });
    let delta_f = assemble(
        k.value * delta_sigma + k_rate * sigma,
        &(-g * b - g_rate * a),
        |j| (delta_k_omega * a[j] + k_omega * b[j]) + (delta_p * omega[j] + p * u[j]),
    );
    (f, delta_f)
}

/// `diagonal I + skew(axis)` plus the matrix with the given columns.
#[inline(always)]
fn assemble(
    diagonal: f64,
    axis: &Vector3<f64>,
    column: impl Fn(usize) -> Vector3<f64>,
) -> Matrix3<f64> {
    Matrix3::from_columns(&[
        column(0) + Vector3::new(diagonal, axis.z, -axis.y),
        column(1) + Vector3::new(-axis.z, diagonal, axis.x),
        column(2) + Vector3::new(axis.y, -axis.x, diagonal),
    ])
}

/// The matrix with `skew(a) b = a × b`.
#[inline(always)]
pub(super) fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Linear and angular part of a twist, or force and moment of a wrench.
#[inline(always)]
pub(super) fn split(v: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (
        Vector3::new(v[0], v[1], v[2]),
        Vector3::new(v[3], v[4], v[5]),
    )
}

#[inline(always)]
fn join(linear: &Vector3<f64>, angular: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    )
}

/// `[diagonal, corner; 0, diagonal]`.
#[inline(always)]
pub(super) fn dual(diagonal: &Matrix3<f64>, corner: &Matrix3<f64>) -> Matrix6<f64> {
    quarters(diagonal, corner, &Matrix3::zeros(), diagonal)
}

/// `[0, side; side, corner]`.
#[inline(always)]
pub(super) fn mirrored(side: &Matrix3<f64>, corner: &Matrix3<f64>) -> Matrix6<f64> {
    quarters(&Matrix3::zeros(), side, side, corner)
}

/// `[a, b; c, d]`.
#[inline(always)]
pub(super) fn quarters(
    a: &Matrix3<f64>,
    b: &Matrix3<f64>,
    c: &Matrix3<f64>,
    d: &Matrix3<f64>,
) -> Matrix6<f64> {
    let mut out = [[0.0; 6]; 6];
    for (j, column) in out.iter_mut().enumerate() {
        let (upper, lower) = if j < 3 { (a, c) } else { (b, d) };
        column[..3].copy_from_slice(&upper.data.0[j % 3]);
        column[3..].copy_from_slice(&lower.data.0[j % 3]);
    }
    Matrix6::from_array_storage(ArrayStorage(out))
}
