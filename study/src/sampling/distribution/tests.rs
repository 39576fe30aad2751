//! Moments and quantiles of the distributions against their closed forms.

use super::*;

/// Midpoint rule in u on this many points: mean and variance of a quantile function.
const POINTS: u32 = 200_000;

fn moments(distribution: &Distribution) -> (f64, f64) {
    let values: Vec<f64> = (0..POINTS)
        .map(|j| distribution.real_quantile((f64::from(j) + 0.5) / f64::from(POINTS)))
        .collect();
    let n = f64::from(POINTS);
    let mean = values.iter().sum::<f64>() / n;
    (
        mean,
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n,
    )
}

fn check(distribution: &Distribution, mean: f64, variance: f64, allowed: f64) {
    let found = moments(distribution);
    assert!(
        (found.0 - mean).abs() < allowed,
        "{distribution:?}: mean {}",
        found.0
    );
    assert!(
        (found.1 - variance).abs() < allowed,
        "{distribution:?}: variance {}",
        found.1
    );
}

#[test]
fn moments_are_those_of_the_textbook() {
    // Midpoint rule: second order for smooth quantile functions; the tails of the normal
    // distribution beyond 1/POINTS are missed.
    let smooth = 1e-8;
    check(
        &Distribution::Uniform {
            min: -1.0,
            max: 3.0,
        },
        1.0,
        16.0 / 12.0,
        smooth,
    );
    check(
        &Distribution::Normal {
            mean: 2.0,
            std_dev: 0.5,
        },
        2.0,
        0.25,
        1e-5,
    );
    check(
        &Distribution::Arcsine {
            min: -4.0,
            max: 4.0,
        },
        0.0,
        8.0,
        smooth,
    );
    let (low, high) = (0.1_f64, 10.0_f64);
    let ratio = (high / low).ln();
    let mean = (high - low) / ratio;
    let variance = (high * high - low * low) / (2.0 * ratio) - mean * mean;
    check(
        &Distribution::LogUniform {
            min: low,
            max: high,
        },
        mean,
        variance,
        smooth,
    );
}

#[test]
fn truncated_normal_has_the_moments_of_the_textbook() {
    let (mean, std_dev, min, max) = (1.0, 2.0, 0.0, 4.0);
    let (alpha, beta) = ((min - mean) / std_dev, (max - mean) / std_dev);
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let z = mass_between(alpha, beta);
    let shift = (density(alpha) - density(beta)) / z;
    let spread = 1.0 + (alpha * density(alpha) - beta * density(beta)) / z - shift * shift;
    let distribution = Distribution::TruncatedNormal {
        mean,
        std_dev,
        min,
        max,
    };
    check(
        &distribution,
        mean + std_dev * shift,
        std_dev * std_dev * spread,
        1e-8,
    );
}

/// Cut off far out, on either side, the quantiles stay accurate: the two are mirror images, and the
/// conditional median of a normal beyond 9σ is known.
#[test]
fn truncation_in_the_tails_loses_no_digits() {
    let upper = Distribution::TruncatedNormal {
        mean: 0.0,
        std_dev: 1.0,
        min: 9.0,
        max: f64::INFINITY,
    };
    let lower = Distribution::TruncatedNormal {
        mean: 0.0,
        std_dev: 1.0,
        min: f64::NEG_INFINITY,
        max: -9.0,
    };
    // Φ⁻¹(Φ(−9)/2), computed with 40 digits.
    let median = 9.075_787_065_491_833;
    for (u, v) in [(0.5, 0.5), (0.25, 0.75)] {
        assert_eq!(upper.real_quantile(u), -lower.real_quantile(v));
    }
    assert!(
        (upper.real_quantile(0.5) - median).abs() < 1e-12,
        "{}",
        upper.real_quantile(0.5)
    );
}

#[test]
fn arcsine_weights_the_edges() {
    let distribution = Distribution::Arcsine { min: 0.0, max: 1.0 };
    // The distribution function is (2/π) asin √x.
    for u in [0.01, 0.2, 0.5, 0.9] {
        let x = distribution.real_quantile(u);
        let back = 2.0 / std::f64::consts::PI * x.sqrt().asin();
        assert!((back - u).abs() < 1e-14, "{u}");
    }
    assert!(distribution.real_quantile(1.0 / 6.0) < 0.07);
}

#[test]
fn bounded_distributions_stay_in_their_bounds() {
    let bounded = [
        Distribution::Uniform { min: 0.1, max: 0.3 },
        Distribution::Arcsine { min: 0.1, max: 0.3 },
        Distribution::LogUniform { min: 0.1, max: 0.3 },
        Distribution::TruncatedNormal {
            mean: 0.0,
            std_dev: 1.0,
            min: 0.1,
            max: 0.3,
        },
    ];
    for distribution in bounded {
        for u in [f64::MIN_POSITIVE, 1e-16, 0.5, 1.0 - f64::EPSILON / 2.0] {
            let x = distribution.real_quantile(u);
            assert!((0.1..=0.3).contains(&x), "{distribution:?} at {u}: {x}");
        }
        for z in [-40.0, 0.0, 40.0] {
            let x = distribution.at_score(z).number().unwrap();
            assert!(
                (0.1..=0.3).contains(&x),
                "{distribution:?} at score {z}: {x}"
            );
        }
    }
}

#[test]
fn choices_are_drawn_by_weight() {
    let values: Vec<Value> = ["a", "b", "c"].map(|t| Value::Text(t.into())).to_vec();
    let weighted = Distribution::choice(values.clone(), Some(&[1.0, 3.0, 0.0]));
    let draw = |u: f64| weighted.quantile(u).to_string();
    assert_eq!(
        (draw(0.2499), draw(0.2501), draw(1.0 - 1e-16)),
        ("a".into(), "b".into(), "b".into())
    );
    let even = Distribution::choice(values, None);
    assert_eq!(even.quantile(0.34).to_string(), "b");
    assert_eq!(even.kind(), Kind::Text);
}

#[test]
fn ranges_hit_both_ends_exactly() {
    let linear = Distribution::range(-4.0, 4.0, 9, false);
    let numbers: Vec<f64> = linear
        .levels()
        .unwrap()
        .iter()
        .filter_map(Value::number)
        .collect();
    assert_eq!(numbers, [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let decades = Distribution::range(0.01, 100.0, 5, true);
    for (value, expected) in decades
        .levels()
        .unwrap()
        .iter()
        .zip([0.01, 0.1, 1.0, 10.0, 100.0])
    {
        assert!((value.number().unwrap() / expected - 1.0).abs() < 1e-14);
    }
}

/// Quantiles at 0.1, 0.5 and 0.9 against closed forms and tables: lognormal with mean 2 and deviation
/// 1 (σ² = ln 1.25), triangular on 0, 1, 4, beta (2, 2) and Weibull of shape 2, and moments by 4000
/// quantiles.
#[test]
fn further_distributions_have_their_quantiles_and_moments() {
    let sigma = 1.25_f64.ln().sqrt();
    let median = 2.0 / 1.25_f64.sqrt();
    let lognormal = Distribution::Lognormal {
        log_mean: median.ln(),
        log_std_dev: sigma,
    };
    let triangular = Distribution::Triangular {
        min: 0.0,
        mode: 1.0,
        max: 4.0,
    };
    let beta = Distribution::Beta {
        min: -1.0,
        max: 1.0,
        alpha: 2.0,
        beta: 2.0,
    };
    let weibull = Distribution::Weibull {
        min: 1.0,
        scale: 3.0,
        shape: 2.0,
    };
    let tabulated = Distribution::Tabulated {
        values: vec![0.0, 1.0, 3.0],
    };
    let z = 1.281_551_565_544_600_4;
    let pi = std::f64::consts::PI;
    for (distribution, quantiles, mean) in [
        (
            lognormal,
            [
                median * (-sigma * z).exp(),
                median,
                median * (sigma * z).exp(),
            ],
            2.0,
        ),
        (
            triangular,
            [0.4_f64.sqrt(), 4.0 - 6.0_f64.sqrt(), 4.0 - 1.2_f64.sqrt()],
            5.0 / 3.0,
        ),
        // 3x² − 2x³ = 0.1 at x = 0.195800…
        (
            beta,
            [
                2.0 * 0.195_800_105_659_1 - 1.0,
                0.0,
                1.0 - 2.0 * 0.195_800_105_659_1,
            ],
            0.0,
        ),
        (
            weibull,
            [0.9_f64, 0.5, 0.1].map(|rest| 1.0 + 3.0 * (-rest.ln()).sqrt()),
            1.0 + 3.0 * 0.5 * pi.sqrt(),
        ),
        (tabulated, [0.2, 1.0, 2.6], 1.25),
    ] {
        for (u, expected) in [0.1, 0.5, 0.9].into_iter().zip(quantiles) {
            let found = distribution.quantile(u).number().unwrap();
            assert!(
                (found - expected).abs() < 1e-8,
                "{distribution:?} {u}: {found}"
            );
        }
        let n = 4000;
        let at = |i: i32| distribution.quantile((f64::from(i) + 0.5) / f64::from(n));
        let found = (0..n).map(|i| at(i).number().unwrap()).sum::<f64>() / f64::from(n);
        assert!((found - mean).abs() < 3e-3, "{distribution:?}: {found}");
    }
}
