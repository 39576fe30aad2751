//! The distributions of Student's t and of binomial counts, by the incomplete beta function.
//!
//! ```text
//! I_x(a, b) = x^a (1−x)^b / (a B(a, b)) · 1/(1 + d_1/(1 + d_2/(1 + …)))                     (1)
//! d_(2m) = m (b − m) x / ((a + 2m − 1)(a + 2m)),
//! d_(2m+1) = −(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))                                (2)
//! I_x(a, b) = 1 − I_(1−x)(b, a)                                                            (3)
//! P(|T_ν| > t) = I_(ν/(ν+t²))(ν/2, ½)                                                      (4)
//! P(Bin(n, p) ≤ k) = I_(1−p)(n − k, k + 1)                                                 (5)
//! ```
//!
//! (`olver2010`, 8.17.22; the fraction is evaluated by Lentz's method.)

/// The regularised incomplete beta function for 0 ≤ x ≤ 1, given x and 1 − x.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64, one_minus_x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if one_minus_x <= 0.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, one_minus_x, x); // (3)
    }
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log(one_minus_x) - log_beta) / a;
    front / continued_fraction(a, b, x) // (1)
}

/// The denominator 1 + d_1/(1 + d_2/(1 + …)).
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const MOST_TERMS: u32 = 10_000;
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut f, mut c, mut d) = (1.0, 1.0, 0.0);
    for term in 1..MOST_TERMS {
        let m = f64::from(term / 2);
        let coefficient = if term % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }; // (2)
        d = 1.0 / away_from_zero(1.0 + coefficient * d);
        c = away_from_zero(1.0 + coefficient / c);
        let change: f64 = c * d;
        f *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    f
}

/// Probability that Student's t with `freedom` degrees of freedom exceeds `t` in magnitude.
pub(super) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    let total = freedom + square;
    incomplete_beta(0.5 * freedom, 0.5, freedom / total, square / total) // (4)
}

/// The x at which the regularised incomplete beta function is `probability`, by bisection: the
/// function rises from 0 to 1, and 60 halvings leave nothing but rounding.
pub(crate) fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let x = 0.5 * (low + high);
        if incomplete_beta(a, b, x, 1.0 - x) < probability {
            low = x;
        } else {
            high = x;
        }
    }
    0.5 * (low + high)
}

/// The t that Student's t with `freedom` degrees of freedom stays within with probability
/// `confidence`.
pub(crate) fn student_score(confidence: f64, freedom: f64) -> f64 {
    let outside = 1.0 - confidence.clamp(0.0, 1.0 - 1e-12);
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while student_two_sided(high, freedom) > outside && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..80 {
        let t = 0.5 * (low + high);
        if student_two_sided(t, freedom) > outside {
            low = t;
        } else {
            high = t;
        }
    }
    0.5 * (low + high)
}

/// Probability of at most `k` events in `n` trials with probability `p` each; `n` need not be whole.
pub(crate) fn binomial_cdf(k: f64, n: f64, p: f64) -> f64 {
    if k < 0.0 {
        0.0
    } else if k >= n {
        1.0
    } else {
        incomplete_beta(n - k, k + 1.0, 1.0 - p, p) // (5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's t and the beta distribution at 97.5 %, binomial sums, against SciPy.
    #[test]
    fn scores_and_binomial_sums_are_those_of_scipy() {
        for (freedom, expected) in [
            (1.0, 12.706_204_736_432_095),
            (7.0, 2.364_624_251_592_784_4),
            (15.0, 2.131_449_545_559_323),
            (1e6, 1.959_966_357_184_384_2),
        ] {
            let found = student_score(0.95, freedom);
            assert!((found / expected - 1.0).abs() < 1e-8, "{freedom}: {found}");
        }
        let found = beta_quantile(3.0, 8.0, 0.025);
        assert!((found - 0.066_739_511_177_734_5).abs() < 1e-9, "{found}");
        let found = binomial_cdf(3.0, 20.0, 0.3);
        assert!((found - 0.107_086_804_503_731_3).abs() < 1e-12, "{found}");
        assert_eq!(binomial_cdf(-1.0, 5.0, 0.5), 0.0);
        assert_eq!(binomial_cdf(5.0, 5.0, 0.5), 1.0);
    }

    /// Rounding of the logarithms in front, which cancel.
    const RELATIVE: f64 = 1e-12;

    const BETA: [(f64, f64, f64, f64); 6] = [
        (0.5, 0.5, 0.3, 0.369_010_119_565_545_36),
        (2.0, 3.0, 0.4, 0.524_8),
        (50.0, 0.5, 0.98, 0.156_243_507_866_817_9),
        (500.0, 0.5, 0.99, 0.001_527_357_879_052_990_6),
        (0.5, 5.0, 0.01, 0.242_841_890_898_437_47),
        (10.0, 10.0, 0.5, 0.5),
    ];

    const STUDENT: [(f64, f64, f64); 4] = [
        (3.0, 2.5, 0.087_706_647_008_065_56),
        (10.0, 0.1, 0.922_320_718_564_408_2),
        (98.0, 4.2, 5.885_907_406_256_949e-5),
        (998.0, -3.0, 0.002_766_844_012_033_575),
    ];

    #[test]
    fn the_incomplete_beta_function_is_that_of_scipy() {
        for (a, b, x, expected) in BETA {
            let found = incomplete_beta(a, b, x, 1.0 - x);
            assert!(
                (found / expected - 1.0).abs() < RELATIVE,
                "{a} {b} {x}: {found}"
            );
        }
        assert_eq!(incomplete_beta(2.0, 3.0, 0.0, 1.0), 0.0);
        assert_eq!(incomplete_beta(2.0, 3.0, 1.0, 0.0), 1.0);
    }

    #[test]
    fn tails_of_student_are_those_of_scipy() {
        for (freedom, t, expected) in STUDENT {
            let found = student_two_sided(t, freedom);
            assert!(
                (found / expected - 1.0).abs() < RELATIVE,
                "{freedom} {t}: {found}"
            );
        }
        assert_eq!(student_two_sided(0.0, 5.0), 1.0);
        assert_eq!(student_two_sided(f64::INFINITY, 5.0), 0.0);
    }
}
