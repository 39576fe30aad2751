//! Scalar coefficients of the exponential map and its tangents, as functions of `x = θ²`.
//!
//! ```text
//! sine_quotient(x)     = sin θ / θ                       = 1 − x/6 + …         (1)
//! versine_quotient(x)  = (1 − cos θ) / θ²                = 1/2 − x/24 + …      (2)
//! sine_deficit(x)      = (θ − sin θ) / θ³                = 1/6 − x/120 + …     (3)
//! cotangent_deficit(x) = (1 − (θ/2) cot(θ/2)) / θ²       = 1/12 + x/720 + …    (4)
//! ```
//!
//! (1) to (3) are the Stumpff functions `c_k(x) = Σ (−x)ⁿ / (2n + k)!` with k = 1, 2, 3. They obey
//!
//! ```text
//! 2 x c_k' = c_{k−1} − k c_k                                                   (5)
//! ```
//!
//! so derivatives need no formula of their own where `x` is large. Where it is small, the series
//! is summed. (4) has poles at `x = (2πk)²`. With the first two split off, what is left converges
//! out to |θ| = 6π, and no two terms cancel in the sum or in its derivatives:
//!
//! ```text
//! cotangent_deficit(x) = Σ_{k≥1} 2 / ((2πk)² − x)                              (6)
//!                      = 2/((2π)² − x) + 2/((4π)² − x) + Σ_n r_n xⁿ
//! r_n = 2 (ζ(2n+2) − 1 − 4^−(n+1)) / (2π)^(2n+2)                               (7)
//! ```
//!
//! Past its limit, (4) follows from `γ = (θ/2) cot(θ/2) = 1 − x · cotangent_deficit(x)` and
//!
//! ```text
//! 2 x γ'  = γ − γ² − x/4                                                       (8)
//! 2 x γ'' = −γ' (1 + 2γ) − 1/4                                                 (9)
//! ```
//!
//! Small rotations, which is what an element of a fine mesh sees, take their logarithm from the
//! tangent `t` of the half angle, with `y = t²`:
//!
//! ```text
//! arc_quotient(y) = atan(t) / t = Σ (−y)ⁿ / (2n + 1)                           (10)
//! ```
//!
//! A prime is `d/dx` throughout. All functions take any `f64`; NaN gives NaN.

use crate::math;
use core::f64::consts::PI;

/// Largest `x` [rad²] at which derivatives of (2), (3) and all of (4) are summed as series. It is
/// just past π², so every rotation vector that a logarithm returns is served without a
/// trigonometric call; the terms kept leave less than 2e-17 of each sum.
pub(super) const SERIES_LIMIT: f64 = 10.0;

/// Largest `x` [rad²] at which the values of (1) to (3) are summed as series: past it the closed
/// forms lose less than three bits, up to it twelve terms leave less than 1e-26 of each sum.
pub(super) const CIRCULAR_LIMIT: f64 = 1.0;

/// Largest `y = tan²(θ/2)` at which (10) may be summed, about 35 degrees of rotation: sixteen
/// terms leave less than 4e-18 of the sum.
pub(super) const ARC_LIMIT: f64 = 0.1;

/// Largest `x` [rad²] at which four terms of the series of (2) and (3) leave less than 1e-17 of
/// each sum: the turning of a node in a time step.
pub(super) const STEP_LIMIT: f64 = 2e-3;

const CIRCULAR_TERMS: usize = 12;
const STEP_TERMS: usize = 4;
const SERIES_TERMS: usize = 16;

const VERSINE: [f64; CIRCULAR_TERMS] = stumpff(2);
const VERSINE_STEP: [f64; STEP_TERMS] = stumpff(2);
const DEFICIT_STEP: [f64; STEP_TERMS] = stumpff(3);
const VERSINE_SLOPE: [f64; SERIES_TERMS] = derivative(stumpff(2));
const VERSINE_CURVATURE: [f64; SERIES_TERMS] = derivative(VERSINE_SLOPE);
const DEFICIT: [f64; CIRCULAR_TERMS] = stumpff(3);
const DEFICIT_SLOPE: [f64; SERIES_TERMS] = derivative(stumpff(3));
const DEFICIT_CURVATURE: [f64; SERIES_TERMS] = derivative(DEFICIT_SLOPE);
const ARC: [f64; SERIES_TERMS] = arc();

/// `r_n` of (7), evaluated with 40 digits.
const REMAINDER: [f64; 12] = [
    2.000_759_355_687_222_6e-2,
    2.543_812_068_862_562e-5,
    5.584_568_390_494_415e-8,
    1.408_824_157_476_104_7e-10,
    3.756_716_200_215_798e-13,
    1.028_012_537_536_046e-15,
    2.850_022_129_213_791e-18,
    7.955_575_410_719_845e-21,
    2.228_932_664_553_701e-23,
    6.257_471_150_805_772e-26,
    1.758_673_049_290_968e-28,
    4.945_846_950_057_939e-31,
];
const REMAINDER_SLOPE: [f64; 12] = derivative(REMAINDER);
const REMAINDER_CURVATURE: [f64; 12] = derivative(REMAINDER_SLOPE);

/// `(2π)²` and `(4π)²`, the two poles split off in (6).
const POLES: [f64; 2] = [4.0 * PI * PI, 16.0 * PI * PI];

/// A coefficient with its first and second derivative in `x`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jet {
    pub value: f64,
    pub slope: f64,
    pub curvature: f64,
}

/// The coefficients that `exp` and `T` share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circular {
    pub cosine: f64,
    pub sine_quotient: f64,
    pub versine_quotient: f64,
    pub sine_deficit: f64,
}

/// `cos θ` and (1) to (3).
#[inline]
pub(super) fn circular(x: f64) -> Circular {
    if x <= CIRCULAR_LIMIT {
        let (versine_quotient, sine_deficit) = if x <= STEP_LIMIT {
            (polynomial(&VERSINE_STEP, x), polynomial(&DEFICIT_STEP, x))
        } else {
            (polynomial(&VERSINE, x), polynomial(&DEFICIT, x))
        };
        Circular {
            cosine: 1.0 - x * versine_quotient,
            sine_quotient: 1.0 - x * sine_deficit,
            versine_quotient,
            sine_deficit,
        }
    } else {
        let theta = x.sqrt();
        let (sine, cosine) = math::sin_cos(theta);
        let sine_quotient = sine / theta;
        Circular {
            cosine,
            sine_quotient,
            versine_quotient: (1.0 - cosine) / x,
            sine_deficit: (1.0 - sine_quotient) / x,
        }
    }
}

/// (2) and (3) with their derivatives, given the values at the same `x`. Inlined always, so that
/// the derivatives which a caller leaves unused cost nothing.
#[inline(always)]
pub(super) fn circular_jets(x: f64, at_x: &Circular) -> (Jet, Jet) {
    let jet = |value, slope, curvature| Jet {
        value,
        slope,
        curvature,
    };
    let (versine, deficit) = (at_x.versine_quotient, at_x.sine_deficit);
    if x <= SERIES_LIMIT {
        (
            jet(
                versine,
                polynomial(&VERSINE_SLOPE, x),
                polynomial(&VERSINE_CURVATURE, x),
            ),
            jet(
                deficit,
                polynomial(&DEFICIT_SLOPE, x),
                polynomial(&DEFICIT_CURVATURE, x),
            ),
        )
    } else {
        // (5), as it stands and differentiated once more.
        let half = 0.5 / x;
        let sine_slope = half * (at_x.cosine - at_x.sine_quotient);
        let versine_slope = half * (at_x.sine_quotient - 2.0 * versine);
        let deficit_slope = half * (versine - 3.0 * deficit);
        let versine_curvature = half * (sine_slope - 4.0 * versine_slope);
        let deficit_curvature = half * (versine_slope - 5.0 * deficit_slope);
        (
            jet(versine, versine_slope, versine_curvature),
            jet(deficit, deficit_slope, deficit_curvature),
        )
    }
}

/// (4) with its derivatives; inlined always for the same reason.
#[inline(always)]
pub(super) fn cotangent_deficit(x: f64) -> Jet {
    if x <= SERIES_LIMIT {
        let [near, far] = POLES.map(|pole| 1.0 / (pole - x));
        let (near_squared, far_squared) = (near * near, far * far);
        let (near_cubed, far_cubed) = (near * near_squared, far * far_squared);
        Jet {
            value: 2.0 * (near + far) + polynomial(&REMAINDER, x), // (6)
            slope: 2.0 * (near_squared + far_squared) + polynomial(&REMAINDER_SLOPE, x),
            curvature: 4.0 * (near_cubed + far_cubed) + polynomial(&REMAINDER_CURVATURE, x),
        }
    } else {
        cotangent_closed(x)
    }
}

/// (4) by (8) and (9), for `x` past the limit.
#[cold]
fn cotangent_closed(x: f64) -> Jet {
    let half = 0.5 * x.sqrt();
    let gamma = half / math::tan(half);
    let gamma_slope = (gamma - gamma * gamma - 0.25 * x) / (2.0 * x); // (8)
    let gamma_curvature = (-gamma_slope * (1.0 + 2.0 * gamma) - 0.25) / (2.0 * x); // (9)
    let value = (1.0 - gamma) / x;
    let slope = -(gamma_slope + value) / x;
    Jet {
        value,
        slope,
        curvature: -(gamma_curvature + 2.0 * slope) / x,
    }
}

/// (10), for `y` up to [`ARC_LIMIT`] only.
#[inline]
pub(super) fn arc_quotient(y: f64) -> f64 {
    polynomial(&ARC, y)
}

/// `Σ c_n xⁿ` in groups of four, which shortens the chain of dependent operations to a third of
/// Horner's. The number of terms must be a multiple of four.
#[inline]
fn polynomial<const TERMS: usize>(coefficients: &[f64; TERMS], x: f64) -> f64 {
    const { assert!(TERMS.is_multiple_of(4)) };
    let x2 = x * x;
    let x4 = x2 * x2;
    coefficients.chunks_exact(4).rev().fold(0.0, |sum, c| {
        sum * x4 + ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2)
    })
}

/// Series of the Stumpff function `c_k`.
const fn stumpff<const TERMS: usize>(k: usize) -> [f64; TERMS] {
    let mut coefficients = [0.0; TERMS];
    let mut factorial = 1.0;
    let mut factor = 2;
    while factor <= k {
        factorial *= factor as f64;
        factor += 1;
    }
    let mut n = 0;
    while n < TERMS {
        coefficients[n] = 1.0 / factorial;
        factorial *= -((factor * (factor + 1)) as f64);
        factor += 2;
        n += 1;
    }
    coefficients
}

/// Series of (10).
const fn arc<const TERMS: usize>() -> [f64; TERMS] {
    let mut coefficients = [0.0; TERMS];
    let mut sign = 1.0;
    let mut n = 0;
    while n < TERMS {
        coefficients[n] = sign / (2 * n + 1) as f64;
        sign = -sign;
        n += 1;
    }
    coefficients
}

/// Series of the derivative, padded with a zero.
const fn derivative<const TERMS: usize>(coefficients: [f64; TERMS]) -> [f64; TERMS] {
    let mut derived = [0.0; TERMS];
    let mut n = 1;
    while n < TERMS {
        derived[n - 1] = n as f64 * coefficients[n];
        n += 1;
    }
    derived
}
