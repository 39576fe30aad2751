//! Indices of a surrogate, and what can be said of those of the figure itself.
//!
//! With N points A and B of the unit cube, from a scrambled Sobol' sequence, and ŷ the surrogate
//! (`saltelli2010`; f̄ its mean, taken off so that little is lost to rounding and chance),
//!
//! ```text
//! S_i = mean((ŷ(B) − f̄) (ŷ(A_B^i) − ŷ(A))) / V,   T_i = mean((ŷ(A) − ŷ(A_B^i))²) / 2V         (1)
//! ```
//!
//! An index of the figure differs from that of the surrogate for two reasons. What the surrogate leaves
//! unexplained may belong to any input, and the surrogate would be another one from other runs. The
//! second is seen in the K surrogates of the cross-validation, each without a K-th of the runs (a
//! delete-a-group jackknife, `kott2001`), so that with t of K − 1 degrees of freedom
//!
//! ```text
//! s² = (K − 1)/K Σ_k (T_k − T̄)²                                                            (2)
//! Q² (T_i − t s) … Q² (T_i + t s) + 1 − Q²                                                  (3)
//! ```

use super::Interval;
use super::special::student_score;
use super::surrogate::SurrogateIndex;
use crate::sampling::random::{Generator, Stream};
use crate::sampling::sobol::Sobol;

/// Confidence of the limits, as far as chance goes.
const CONFIDENCE: f64 = 0.95;

/// Indices of all inputs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shares {
    pub first: Vec<f64>,
    pub total: Vec<f64>,
}

/// Equations (1) of a function of so many inputs; none if it is the same everywhere.
pub(super) fn shares(value: impl Fn(&[f64]) -> f64, inputs: usize, points: u32) -> Option<Shares> {
    let generator = Generator::new(2);
    // None for more inputs than the table of directions reaches.
    let sequence = Sobol::new(2 * inputs);
    let coordinate = |i: u32, j: usize| match &sequence {
        Some(sequence) => sequence.scrambled(&generator, 0, i, j),
        None => generator.uniform(Stream::Candidates, j as u32, u64::from(i)),
    };
    let rows: Vec<(Vec<f64>, Vec<f64>)> = (0..points)
        .map(|i| {
            let all: Vec<f64> = (0..2 * inputs).map(|j| coordinate(i, j)).collect();
            (all[..inputs].to_vec(), all[inputs..].to_vec())
        })
        .collect();
    let at: Vec<(f64, f64)> = rows.iter().map(|(a, b)| (value(a), value(b))).collect();
    let count = 2.0 * f64::from(points);
    let mean = at.iter().map(|(a, b)| a + b).sum::<f64>() / count;
    let square = |x: f64| (x - mean) * (x - mean);
    let variance = at.iter().map(|(a, b)| square(*a) + square(*b)).sum::<f64>() / count;
    if variance <= 1e-300 {
        return None;
    }
    let one = |j: usize| {
        let (mut first, mut total) = (0.0, 0.0);
        for ((a, b), (at_a, at_b)) in rows.iter().zip(&at) {
            let mut mixed = a.clone();
            mixed[j] = b[j];
            let mixed = value(&mixed);
            first += (at_b - mean) * (mixed - at_a); // (1)
            total += 0.5 * (at_a - mixed) * (at_a - mixed);
        }
        let scale = 1.0 / (f64::from(points) * variance);
        (first * scale, total * scale)
    };
    let (first, total) = (0..inputs).map(one).unzip();
    Some(Shares { first, total })
}

/// The indices of a surrogate with what those of the figure can be; `parts` are the shares of the
/// surrogates of the cross-validation, `predicted` is Q².
pub(super) fn with_limits(whole: &Shares, parts: &[Shares], predicted: f64) -> Vec<SurrogateIndex> {
    let one = |i: usize| {
        let limits = |of: fn(&Shares) -> &Vec<f64>| {
            let found: Vec<f64> = parts.iter().map(|part| of(part)[i]).collect();
            limits(of(whole)[i], &found, predicted)
        };
        SurrogateIndex {
            first_order: whole.first[i],
            first_order_limits: limits(|shares| &shares.first),
            total: whole.total[i],
            total_limits: limits(|shares| &shares.total),
        }
    };
    (0..whole.total.len()).map(one).collect()
}

/// Equations (2) and (3).
fn limits(index: f64, parts: &[f64], predicted: f64) -> Interval {
    let count = parts.len() as f64;
    let mean = parts.iter().sum::<f64>() / count;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    let reach = match parts.len() {
        // Without parts nothing is known of what chance does: all of the range.
        0 | 1 => 1.0,
        _ => {
            let error = ((count - 1.0) / count * squares).sqrt(); // (2)
            student_score(CONFIDENCE, count - 1.0) * error
        }
    };
    let known = predicted.clamp(0.0, 1.0);
    Interval {
        low: (known * (index - reach)).clamp(0.0, 1.0), // (3)
        high: (known * (index + reach) + (1.0 - known)).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = u1 + u2/2 + 2 (u2 − ½)(u3 − ½): parts of the variance 1/12, 1/48 and 4/144.
    #[test]
    fn shares_of_a_known_function_are_found() {
        let value = |u: &[f64]| u[0] + 0.5 * u[1] + 2.0 * (u[1] - 0.5) * (u[2] - 0.5);
        let found = shares(value, 3, 2048).unwrap();
        let parts = [1.0 / 12.0, 1.0 / 48.0, 4.0 / 144.0];
        let all: f64 = parts.iter().sum();
        let first = [parts[0], parts[1], 0.0];
        let total = [parts[0], parts[1] + parts[2], parts[2]];
        for i in 0..3 {
            assert!((found.first[i] - first[i] / all).abs() < 0.01, "{found:?}");
            assert!((found.total[i] - total[i] / all).abs() < 0.01, "{found:?}");
        }
        assert_eq!(shares(|_| 3.0, 3, 64), None);
    }

    /// A surrogate that is always the same and predicts everything leaves nothing open; one that predicts
    /// nothing leaves everything open.
    #[test]
    fn limits_follow_what_is_known() {
        assert_eq!(
            limits(0.3, &[0.3; 5], 1.0),
            Interval {
                low: 0.3,
                high: 0.3
            }
        );
        assert_eq!(
            limits(0.3, &[0.3; 5], -2.0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
        assert_eq!(limits(0.3, &[], 0.9).high, 1.0);
        let apart = limits(0.3, &[0.28, 0.29, 0.3, 0.31, 0.32], 1.0);
        // s² = 4/5 · 0.001, t of four degrees of freedom 2.776.
        let reach = 2.776_445_105 * 0.000_8_f64.sqrt();
        assert!((apart.high - 0.3 - reach).abs() < 1e-6, "{apart:?}");
    }
}
