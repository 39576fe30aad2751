//! The structure-preserving doubling algorithm.
//!
//! For the discrete equation, starting from `A₀ = A, G₀ = G, H₀ = Q` (`chu2004`):
//!
//! ```text
//! W = I + G_k H_k
//! A_{k+1} = A_k W⁻¹ A_k                                                        (1)
//! G_{k+1} = G_k + A_k W⁻¹ G_k A_kᵀ                                             (2)
//! H_{k+1} = H_k + A_kᵀ H_k W⁻¹ A_k  →  X                                       (3)
//! ```
//!
//! The continuous equation becomes a discrete one by Cayley's transform (`chu2005`), with a number
//! γ > 0 and `A_γ = A − γI`:
//!
//! ```text
//! V = A_γᵀ + Q A_γ⁻¹ G
//! A₀ = I + 2γ V⁻ᵀ,   G₀ = 2γ A_γ⁻¹ G V⁻¹,   H₀ = 2γ V⁻¹ Q A_γ⁻¹                 (4)
//! ```
//!
//! An eigenvalue λ of the closed loop turns into `(λ + γ)/(λ − γ)`, which k doublings raise to the
//! power 2ᵏ: convergence is quadratic, and the choice of γ costs a few steps at most.

use crate::error::{Error, Result};
use multibody::math;
use multibody::modal::eigen;
use multibody::modal::symmetrize;
use nalgebra::DMatrix;

/// Doubling steps: 2⁶⁰ powers of anything below one vanish.
const MOST_STEPS: usize = 60;
/// Stops when a step changes H by less than this, relatively; Newton does the rest.
const SETTLED: f64 = 1e-13;
/// Multiples of the first guess of γ that are tried.
const GAMMAS: [f64; 5] = [1.0, 1.0 / 9.0, 9.0, 1.0 / 81.0, 81.0];

fn failed(order: usize, iterations: usize, residual: f64) -> Error {
    Error::RiccatiNotConverged {
        order,
        iterations,
        residual,
        allowed: SETTLED,
        growth: f64::NAN,
    }
}

/// Approximate solution of the discrete equation and the steps taken.
pub(super) fn sampled(
    a: &DMatrix<f64>,
    g: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, usize)> {
    let order = a.nrows();
    let (mut a, mut g, mut h) = (a.clone(), g.clone(), q.clone());
    let mut change = f64::INFINITY;
    for step in 1..=MOST_STEPS {
        let w = DMatrix::identity(order, order) + &g * &h;
        let factors = w.lu();
        let solve = |right: &DMatrix<f64>| {
            let solution = factors.solve(right);
            let finite = |x: &DMatrix<f64>| x.iter().all(|x| x.is_finite());
            solution.filter(finite).ok_or(failed(order, step, change))
        };
        let (wa, wg) = (solve(&a)?, solve(&g)?);
        let mut h_change = a.tr_mul(&(&h * &wa));
        let g_change = &a * wg * a.transpose();
        a = &a * wa; // (1)
        g += g_change; // (2)
        symmetrize(&mut g);
        symmetrize(&mut h_change);
        h += &h_change; // (3)
        change = h_change.amax() / h.amax().max(f64::MIN_POSITIVE);
        if !change.is_finite() {
            break;
        }
        // With A gone nothing can change any more, also where H is zero.
        if change <= SETTLED || a.amax() <= f64::EPSILON * f64::EPSILON {
            return Ok((h, step));
        }
    }
    Err(failed(order, MOST_STEPS, change))
}

/// Approximate solution of the continuous equation and the doubling steps taken.
pub(super) fn continuous(
    a: &DMatrix<f64>,
    g: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, usize)> {
    let guess = first_gamma(a, g, q)?;
    let mut result = Err(failed(a.nrows(), 0, f64::NAN));
    for factor in GAMMAS {
        let attempt = cayley(a, g, q, guess * factor)
            .ok_or(failed(a.nrows(), 0, f64::NAN))
            .and_then(|[a, g, h]| sampled(&a, &g, &h));
        if attempt.is_ok() {
            return attempt;
        }
        result = attempt;
    }
    result
}

/// Geometric mean of the moduli of the eigenvalues of A, none of them taken below the part that
/// weights and inputs give the closed loop.
fn first_gamma(a: &DMatrix<f64>, g: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<f64> {
    let values = eigen::eigenvalues(a)?;
    let largest = values.iter().map(|x| math::modulus(*x)).fold(0.0, f64::max);
    let driven = (g.norm() * q.norm()).sqrt();
    let floor = (1e-6 * largest).max(1e-3 * driven).max(1e-12);
    let logarithms = values
        .iter()
        .map(|x| math::ln(math::modulus(*x).max(floor)));
    let mean = logarithms.sum::<f64>() / values.len() as f64;
    // An irrational-looking factor keeps γ away from eigenvalues that are round numbers.
    Ok(1.037_481 * math::exp(mean))
}

/// The matrices of (4); `None` when γ is an eigenvalue of A or V is singular.
fn cayley(
    a: &DMatrix<f64>,
    g: &DMatrix<f64>,
    q: &DMatrix<f64>,
    gamma: f64,
) -> Option<[DMatrix<f64>; 3]> {
    let order = a.nrows();
    let unit = DMatrix::identity(order, order);
    let a_gamma = a - &unit * gamma;
    let inverse = a_gamma.clone().try_inverse()?;
    let inverse_g = &inverse * g;
    let v = a_gamma.transpose() + q * &inverse_g;
    let v_inverse = v.try_inverse()?;
    let a0 = unit + v_inverse.transpose() * (2.0 * gamma);
    let mut g0 = inverse_g * &v_inverse * (2.0 * gamma);
    let mut h0 = &v_inverse * q * inverse * (2.0 * gamma);
    symmetrize(&mut g0);
    symmetrize(&mut h0);
    let out = [a0, g0, h0];
    let finite = out.iter().all(|m| m.iter().all(|x| x.is_finite()));
    finite.then_some(out)
}
