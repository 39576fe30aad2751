//! Small rotations by their series: exp, its tangent operator and that one's derivative on SO(3).
//!
//! With the rotation vector φ, z = φ·φ and the left-trivialised tangent (R = exp φ, Rᵀ δR = (T δφ)×):
//!
//! ```text
//! R = I + c φ× + a φ×φ×,     T = I − a φ× + b φ×φ×                                     (1)
//! c = sin θ/θ,   a = (1 − cos θ)/θ²,   b = (θ − sin θ)/θ³                              (2)
//! (DT[δ]) v = −a δ×v − 2a′(φ·δ) φ×v + b (δ×(φ×v) + φ×(δ×v)) + 2b′(φ·δ) φ×(φ×v)          (3)
//! ```
//!
//! a′ and b′ are derivatives by z. The series have terms enough for θ up to [`LARGEST`].

use nalgebra::{Matrix3, Vector3};

/// Largest rotation between two neighbouring points [rad]: the last term of the series is 1e-16 there.
pub const LARGEST: f64 = 1.2;
const TERMS: usize = 9;

/// (−1)ᵏ/(2k + first)!.
const fn coefficients(first: usize) -> [f64; TERMS] {
    let mut out = [0.0; TERMS];
    let mut value = 1.0;
    let mut n = 1;
    while n <= first {
        value /= n as f64;
        n += 1;
    }
    let mut k = 0;
    while k < TERMS {
        out[k] = value;
        let n = (2 * k + first) as f64;
        value /= -(n + 1.0) * (n + 2.0);
        k += 1;
    }
    out
}

/// Of c, a and b of (2).
const C: [f64; TERMS] = coefficients(1);
const A: [f64; TERMS] = coefficients(2);
const B: [f64; TERMS] = coefficients(3);

/// The value of a series at z.
#[inline]
fn value(series: &[f64; TERMS], z: f64) -> f64 {
    series.iter().rev().fold(0.0, |sum, term| sum * z + term)
}

/// Its derivative by z.
#[inline]
fn slope(series: &[f64; TERMS], z: f64) -> f64 {
    let terms = series.iter().enumerate().skip(1).rev();
    terms.fold(0.0, |sum, (k, term)| sum * z + term * k as f64)
}

/// A rotation by φ, with the coefficients of (1).
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    phi: Vector3<f64>,
    c: f64,
    a: f64,
    b: f64,
}

impl Turn {
    /// Of a rotation vector [rad].
    #[inline]
    pub fn new(phi: Vector3<f64>) -> Self {
        let z = phi.norm_squared();
        Self {
            phi,
            c: value(&C, z),
            a: value(&A, z),
            b: value(&B, z),
        }
    }

    /// exp φ, (1).
    pub fn rotation(&self) -> Matrix3<f64> {
        let cross = self.phi.cross_matrix();
        Matrix3::identity() + cross * self.c + cross * cross * self.a
    }

    /// T, (1).
    pub fn tangent(&self) -> Matrix3<f64> {
        let cross = self.phi.cross_matrix();
        Matrix3::identity() - cross * self.a + cross * cross * self.b
    }

    /// The change of T v when φ changes by δ, (3).
    pub fn tangent_change(&self, delta: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
        let phi = &self.phi;
        let z = phi.norm_squared();
        let along = 2.0 * phi.dot(delta);
        let (turned, changed) = (phi.cross(v), delta.cross(v));
        changed * -self.a - turned * (slope(&A, z) * along)
            + (delta.cross(&turned) + phi.cross(&changed)) * self.b
            + phi.cross(&turned) * (slope(&B, z) * along)
    }
}

impl Turn {
    /// The matrix B by which the change of l·T v under δ, (3), is vᵀ B δ.
    pub fn tangent_change_against(&self, l: &Vector3<f64>) -> Matrix3<f64> {
        let phi = &self.phi;
        let z = phi.norm_squared();
        let along = l.dot(phi);
        let by_turn = l.cross(phi) * (-2.0 * slope(&A, z)) - l * (2.0 * self.b)
            + (phi * along - l * z) * (2.0 * slope(&B, z));
        Matrix3::identity() * (self.b * along) - l.cross_matrix() * self.a
            + by_turn * phi.transpose()
            + phi * l.transpose() * self.b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multibody::group::{Group, Se3};
    use nalgebra::Vector6;
    use proptest::prelude::*;

    proptest! {
        /// The same as the group's own functions, and the derivative a difference.
        #[test]
        fn series_equal_the_closed_forms(
            phi in proptest::array::uniform3(-0.65..0.65_f64),
            delta in proptest::array::uniform3(-1.0..1.0_f64),
            v in proptest::array::uniform3(-1.0..1.0_f64),
        ) {
            let (phi, delta, v) = (Vector3::from(phi), Vector3::from(delta), Vector3::from(v));
            let turn = Turn::new(phi);
            let twist = Vector6::new(0.0, 0.0, 0.0, phi.x, phi.y, phi.z);
            let known = Se3::exp(&twist).rotation();
            prop_assert!((turn.rotation() - known).amax() < 1e-14);
            let tangent: Matrix3<f64> = Se3::tangent(&twist).fixed_view::<3, 3>(3, 3).into();
            prop_assert!((turn.tangent() - tangent).amax() < 1e-14);
            let step = 1e-5;
            let ahead = Turn::new(phi + delta * step).tangent() * v;
            let behind = Turn::new(phi - delta * step).tangent() * v;
            let slope = (ahead - behind) / (2.0 * step);
            // Central differences: a part in 1e-10 of rounding and of truncation.
            prop_assert!((turn.tangent_change(&delta, &v) - slope).amax() < 1e-9);
            let l = Vector3::new(0.3, -0.8, 0.5);
            let product = v.dot(&(turn.tangent_change_against(&l) * delta));
            prop_assert!((product - l.dot(&turn.tangent_change(&delta, &v))).abs() < 1e-14);
        }
    }
}
