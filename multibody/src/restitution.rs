//! The damping of an impact that delivers the restitution asked for.
//!
//! A force `N = K δⁿ (1 + χ δ̇/δ̇₀)` that pushes a mass back, δ penetration and δ̇₀ its rate at the touch,
//! returns the mass with the speed e δ̇₀ if
//!
//! ```text
//! χ (1 + e) = ln[(1 + χ)/(1 − χ e)]                                           (1)
//! ```
//!
//! For a mass m that feels nothing else, `u = δ̇/δ̇₀` obeys `m δ̇₀² u du/(1 + χu) = −K δⁿ dδ`. The right
//! side integrates to zero from touch (u = 1) to separation (u = −e), both at δ = 0, so
//! `∫ u/(1 + χu) du` over [−e, 1] vanishes; that is (1), whatever m, K, n and δ̇₀.
//!
//! Solution: χ = 0 is always a root, the wanted one lies in (0, 1/e). With
//! `L(x) = (x − ln(1 + x))/x²`, which is positive and falling, (1) divided by χ² reads
//!
//! ```text
//! G = e² L(−χe) − L(χ) = 0                                                    (2)
//! ```
//!
//! which rises strictly with χ (and with e) from −(1 − e²)/2 without bound: one root, no trivial
//! one. For small e it is within exp(−1/e) of the pole χ = 1/e, so the unknown is
//! `s = −ln(1 − χe)` in [0, (1 + e)/e], found by bisection to the last bit. e = 1 gives χ = 0;
//! e → 0 gives χ → ∞ as 1/e, hence a lower bound of [`LEAST`] on e.
//!
//! Source: Gonthier et al. 2004 (`gonthier2004`), rederived.

use crate::math;

/// Least restitution that can be asked for [-].
pub const LEAST: f64 = 0.01;

/// Below this |x| the series of L is used; above, its formula loses less than three digits.
const SERIES_LIMIT: f64 = 0.1;
/// Terms of the series: 0.1¹⁶/18 is below the last bit.
const SERIES_TERMS: i32 = 16;
/// Bisections that shrink any bracket of `f64` met here to neighbouring numbers.
const BISECTIONS: usize = 200;

/// `L(x)` of (2), given `ln(1 + x)` where the caller knows it better.
fn log_deficit(x: f64, log_1p: f64) -> f64 {
    if x.abs() < SERIES_LIMIT {
        (0..SERIES_TERMS).rfold(0.0, |sum, k| 1.0 / f64::from(k + 2) - x * sum)
    } else {
        (x - log_1p) / (x * x)
    }
}

/// Root of a rising function in [0, high], to neighbouring numbers.
fn bisect(high: f64, rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, high);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if rising(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Damping factor χ [-] that delivers the restitution `e` in [[`LEAST`], 1]: the root of (1).
pub fn damping_factor(e: f64) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    let factor = |s: f64| -math::exp_m1(-s) / e;
    let s = bisect((1.0 + e) / e, |s| {
        let chi = factor(s);
        e * e * log_deficit(-chi * e, -s) - log_deficit(chi, math::ln_1p(chi)) // (2)
    });
    factor(s)
}

/// Restitution [-] that the damping factor `chi` delivers: e of (1).
pub fn delivered(chi: f64) -> f64 {
    if chi <= 0.0 {
        return 1.0;
    }
    let factor = |s: f64| -math::exp_m1(-s) / chi;
    let s = bisect(1.0 + chi, |s| {
        let e = factor(s);
        e * e * log_deficit(-chi * e, -s) - log_deficit(chi, math::ln_1p(chi)) // (2)
    });
    factor(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of (1) evaluated with numbers of size one, with room for the logarithms.
    const ROOT_TOLERANCE: f64 = 1e-13;

    #[test]
    fn exact_factor_solves_its_equation() {
        for i in 1..100 {
            let e = f64::from(i) * 0.01;
            let chi = damping_factor(e);
            assert!(chi > 0.0 && chi * e <= 1.0, "e = {e}: χ = {chi}");
            if e >= 0.05 {
                // Below, 1 − χe is a rounding error: the pole is nearer than the last bit.
                let difference = ((1.0 + chi) / (1.0 - chi * e)).ln() - chi * (1.0 + e);
                let allowed = ROOT_TOLERANCE / (1.0 - chi * e);
                assert!(difference.abs() < allowed, "e = {e}: {difference:e}");
            }
        }
        assert_eq!(damping_factor(1.0), 0.0);
        assert!((damping_factor(0.01) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn exact_factor_has_its_series_near_one() {
        for loss in [1e-3, 1e-6, 1e-9, 1e-12] {
            let e = 1.0 - loss;
            let expected = 1.5 * (1.0 - e) / (1.0 - e + e * e);
            let chi = damping_factor(e);
            // The neglected term is of second order in the loss.
            let allowed = 10.0 * loss * loss + 1e-12 * loss;
            assert!((chi - expected).abs() < allowed, "{chi} {expected}");
        }
    }

    #[test]
    fn series_meets_the_formula_at_the_switch() {
        for sign in [-1.0, 1.0] {
            let (below, above) = (sign * 0.1 * (1.0 - 1e-12), sign * 0.1 * (1.0 + 1e-12));
            let jump = log_deficit(below, below.ln_1p()) - log_deficit(above, above.ln_1p());
            assert!(jump.abs() < 1e-12, "{jump:e}");
        }
    }

    #[test]
    fn what_is_asked_for_is_delivered() {
        for e in [0.01, 0.02, 0.1, 0.3, 0.7, 0.99, 0.999_999, 1.0] {
            let back = delivered(damping_factor(e));
            assert!((back - e).abs() < 1e-12, "{back} {e}");
        }
    }
}
