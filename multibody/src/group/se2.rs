//! SE(2): rigid motions of the plane, in closed form.
//!
//! With `v = (a, b, w)`, `x = w²` and the coefficients of `series`,
//!
//! ```text
//!        ⎡ 0 −w  b ⎤           ⎡ −x  0  wa ⎤
//! ad_v = ⎢ w  0 −a ⎥,  ad_v² = ⎢  0 −x  wb ⎥,  ad_v³ = −x ad_v                 (1)
//!        ⎣ 0  0  0 ⎦           ⎣  0  0   0 ⎦
//!
//! T(v)   = I − C ad_v + S ad_v²,  C = (1 − cos w)/w²,  S = (w − sin w)/w³      (2)
//! T⁻¹(v) = I + ½ ad_v + A ad_v²,  A = (1 − (w/2) cot(w/2))/w²                  (3)
//! exp(v) = (w, V (a, b)ᵀ),        V = [1 − xS, −wC; wC, 1 − xS]                (4)
//! ```
//!
//! The 2×2 block of `T` is `Vᵀ`. Everything below is (1) to (4) written out by component, since
//! this group is the inner loop of every planar leg. Derivatives use, with a prime
//! for `d/dw = 2w d/dx`,
//!
//! ```text
//! (wC)' = sin w/w − C,  (wS)' = C − 2S,  (1 − xS)' = −w (C − S)                (5)
//! ```

use super::coefficients::{ARC_LIMIT, arc_quotient, circular, circular_jets, cotangent_deficit};
use super::{Group, LogAmbiguous, Operator, PlaneInverseTangent, PlaneOperator, sandwich};
use crate::math;
use core::f64::consts::PI;
use nalgebra::{Matrix2, Matrix2x3, Matrix3, Vector2, Vector3};

/// A pose in the plane: rotation by an angle about `e3`, then translation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Se2 {
    cosine: f64,
    sine: f64,
    x: f64,
    y: f64,
}

impl Se2 {
    /// Pose with origin at `x`, `y` [m], turned by `angle` [rad].
    #[inline]
    pub fn new(x: f64, y: f64, angle: f64) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self { cosine, sine, x, y }
    }

    /// Pose with its origin at `translation` [m], not turned.
    #[inline]
    pub fn from_translation(translation: Vector2<f64>) -> Self {
        Self {
            cosine: 1.0,
            sine: 0.0,
            x: translation.x,
            y: translation.y,
        }
    }

    /// Angle by which the pose is turned, in (−π, π] [rad].
    #[inline]
    pub fn angle(&self) -> f64 {
        let angle = math::atan2(self.sine, self.cosine);
        // Just below the branch cut the exact angle rounds to −π: that is the same half turn.
        if angle == -PI { PI } else { angle }
    }

    /// A vector in body axes, seen in world axes.
    #[inline]
    fn rotate(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.cosine * x - self.sine * y,
            self.sine * x + self.cosine * y,
        )
    }

    /// A vector in world axes, seen in body axes.
    #[inline]
    fn rotate_back(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.cosine * x + self.sine * y,
            self.cosine * y - self.sine * x,
        )
    }
}

impl Group<3, 2> for Se2 {
    type Operator = PlaneOperator;
    type InverseTangent = PlaneInverseTangent;

    #[inline]
    fn identity() -> Self {
        Self {
            cosine: 1.0,
            sine: 0.0,
            x: 0.0,
            y: 0.0,
        }
    }

    #[inline]
    fn from_parts(translation: Vector2<f64>, rotation: Matrix2<f64>) -> Self {
        Self {
            cosine: rotation.m11,
            sine: rotation.m21,
            x: translation.x,
            y: translation.y,
        }
    }

    #[inline]
    fn rotation(&self) -> Matrix2<f64> {
        Matrix2::new(self.cosine, -self.sine, self.sine, self.cosine)
    }

    #[inline]
    fn translation(&self) -> Vector2<f64> {
        Vector2::new(self.x, self.y)
    }

    #[inline]
    fn compose(&self, other: &Self) -> Self {
        let (cosine, sine) = self.rotate(other.cosine, other.sine);
        let (x, y) = self.rotate(other.x, other.y);
        Self {
            cosine,
            sine,
            x: self.x + x,
            y: self.y + y,
        }
    }

    #[inline]
    fn inverse(&self) -> Self {
        let (x, y) = self.rotate_back(self.x, self.y);
        Self {
            cosine: self.cosine,
            sine: -self.sine,
            x: -x,
            y: -y,
        }
    }

    #[inline]
    fn between(&self, other: &Self) -> Self {
        let (cosine, sine) = self.rotate_back(other.cosine, other.sine);
        let (x, y) = self.rotate_back(other.x - self.x, other.y - self.y);
        Self { cosine, sine, x, y }
    }

    #[inline]
    fn renormalized(&self) -> Self {
        let excess = self.cosine * self.cosine + self.sine * self.sine - 1.0;
        let scale = 1.0 + excess * (-0.5 + 0.375 * excess);
        Self {
            cosine: scale * self.cosine,
            sine: scale * self.sine,
            ..*self
        }
    }

    #[inline]
    fn exp(v: &Vector3<f64>) -> Self {
        let (a, b, w) = (v.x, v.y, v.z);
        let at_x = circular(w * w);
        let straight = at_x.sine_quotient;
        let turned = w * at_x.versine_quotient;
        Self {
            cosine: at_x.cosine,
            sine: w * straight,
            x: straight * a - turned * b, // (4)
            y: turned * a + straight * b,
        }
    }

    /// Never fails: at a half turn the angle is π.
    #[inline]
    fn log(&self) -> Result<Vector3<f64>, LogAmbiguous> {
        // With t = tan(w/2): w = 2 atan t and (w/2) cot(w/2) = atan(t)/t. The sign of the cosine
        // is asked for because near a half turn t is a quotient of rounding errors.
        let t = self.sine / (1.0 + self.cosine);
        let (w, straight) = if self.cosine > 0.0 && t * t <= ARC_LIMIT {
            let arc = arc_quotient(t * t);
            (2.0 * t * arc, arc)
        } else {
            let w = self.angle();
            (w, 1.0 - w * w * cotangent_deficit(w * w).value)
        };
        let turned = 0.5 * w;
        Ok(Vector3::new(
            straight * self.x + turned * self.y, // V⁻¹, from (3)
            straight * self.y - turned * self.x,
            w,
        ))
    }

    #[inline]
    fn adjoint(&self) -> Matrix3<f64> {
        planar((self.cosine, self.sine), (self.y, -self.x), 1.0).matrix()
    }

    #[inline(always)]
    fn adjoint_inverse_operator(&self) -> PlaneOperator {
        let (x, y) = self.rotate_back(self.x, self.y);
        planar((self.cosine, -self.sine), (-y, x), 1.0)
    }

    #[inline(always)]
    fn ad_operator(v: &Vector3<f64>) -> PlaneOperator {
        planar((0.0, v.z), (v.y, -v.x), 0.0) // (1)
    }

    #[inline]
    fn coad(p: &Vector3<f64>) -> Matrix3<f64> {
        Matrix3::new(0.0, 0.0, p.y, 0.0, 0.0, -p.x, -p.y, p.x, 0.0)
    }

    #[inline]
    fn tangent(v: &Vector3<f64>) -> Matrix3<f64> {
        let (a, b, w) = (v.x, v.y, v.z);
        let at_x = circular(w * w);
        let c = at_x.versine_quotient;
        let s = w * at_x.sine_deficit;
        let column = (s * a - c * b, s * b + c * a);
        planar((at_x.sine_quotient, -w * c), column, 1.0).matrix() // (2)
    }

    #[inline(always)]
    fn inverse_tangent(v: &Vector3<f64>) -> PlaneInverseTangent {
        PlaneInverseTangent::new(v) // (3)
    }

    #[inline]
    fn tangent_derivative(v: &Vector3<f64>, w: &Vector3<f64>) -> Matrix3<f64> {
        let (a, b, angle) = (v.x, v.y, v.z);
        let x = angle * angle;
        let at_x = circular(x);
        let (versine, _) = circular_jets(x, &at_x);
        let (c, s) = (at_x.versine_quotient, at_x.sine_deficit);
        let straight_slope = -angle * (c - s); // (5)
        let turned_slope = at_x.sine_quotient - c;
        let c_slope = 2.0 * angle * versine.slope;
        let s_slope = c - 2.0 * s;
        let column = (
            straight_slope * w.x + turned_slope * w.y + (s_slope * a - c_slope * b) * w.z,
            straight_slope * w.y - turned_slope * w.x + (s_slope * b + c_slope * a) * w.z,
        );
        planar((angle * s * w.z, c * w.z), column, 0.0).matrix()
    }

    #[inline(always)]
    fn ad_sandwich(v: &Vector3<f64>, c: &Vector3<f64>) -> Matrix3<f64> {
        sandwich::plane_ad(v, c)
    }

    #[inline(always)]
    fn coad_sandwich(p: &Vector3<f64>, c: &Vector3<f64>) -> Matrix3<f64> {
        sandwich::plane_coad(p, c)
    }

    #[inline(always)]
    fn coad_ad_sandwich(
        p: &Vector3<f64>,
        c: &Vector3<f64>,
        v: &Vector3<f64>,
        r: &Vector3<f64>,
    ) -> Matrix3<f64> {
        sandwich::plane_coad_ad(p, c, v, r)
    }

    #[inline]
    fn cross(u: &Vector2<f64>) -> Matrix2x3<f64> {
        Matrix2x3::new(0.0, 0.0, -u.y, 0.0, 0.0, u.x)
    }

    #[inline]
    fn linear_part() -> Matrix2x3<f64> {
        Matrix2x3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    }

    #[inline(always)]
    fn turn(v: &Vector3<f64>, u: &Vector2<f64>) -> Vector2<f64> {
        Vector2::new(-v.z * u.y, v.z * u.x)
    }

    #[inline(always)]
    fn moment(arm: &Vector2<f64>, force: &Vector2<f64>) -> Vector3<f64> {
        Vector3::new(0.0, 0.0, arm.x * force.y - arm.y * force.x)
    }

    #[inline(always)]
    fn spin(_v: &Vector3<f64>, _p: &Vector3<f64>) -> Vector3<f64> {
        Vector3::zeros()
    }

    #[inline]
    fn angle(v: &Vector3<f64>) -> f64 {
        v.z.abs()
    }

    #[inline]
    fn axis_moment(_r_ab: &Matrix2<f64>) -> Vector3<f64> {
        Vector3::new(0.0, 0.0, 1.0)
    }

    #[inline]
    fn axis_moment_derivative(_r_ab: &Matrix2<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
        (Matrix3::zeros(), Matrix3::zeros())
    }
}

/// `[straight, −turned, column; turned, straight, column; 0, 0, corner]`, the shape of an
/// operator on planar twists.
#[inline(always)]
fn planar((straight, turned): (f64, f64), column: (f64, f64), corner: f64) -> PlaneOperator {
    PlaneOperator {
        straight,
        turned,
        column,
        corner,
    }
}
