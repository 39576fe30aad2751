//! First-order and total Sobol' indices from Saltelli's design.
//!
//! With f(A), f(B) and f(A_B^i) (A with coordinate i from B) of N samples, centred, and V the
//! variance of f(A) and f(B) together (`saltelli2010`, table 2, the estimators (b) and (f), the
//! latter by Jansen),
//!
//! ```text
//! S_i = (1/N) Σ f(B) (f(A_B^i) − f(A)) / V                                                  (1)
//! T_i = (1/2N) Σ (f(A) − f(A_B^i))² / V                                                     (2)
//! ```
//!
//! The standard errors come from resampling the N samples; intervals are estimate ± z errors.

use super::{Interval, bootstrap_errors, two_sided_score};
use crate::error::{Result, StudyError};

/// Resamples for the standard errors.
pub(super) const RESAMPLES: u32 = 500;

/// An index with its interval. Estimates of small indices can be slightly negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SobolIndex {
    /// The estimate.
    pub estimate: f64,
    /// Confidence interval.
    pub interval: Interval,
}

/// Indices of all inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct SobolIndices {
    /// Share of the variance that each input explains alone.
    pub first_order: Vec<SobolIndex>,
    /// Share of the variance that vanishes if all other inputs are known.
    pub total: Vec<SobolIndex>,
    /// Samples used.
    pub samples: u64,
    /// Samples left out, because one of their runs has no finite value.
    pub left_out: u64,
}

/// One complete sample: f(A), f(B) and all f(A_B^i).
struct Sample<'a>(&'a [f64]);

impl Sample<'_> {
    fn a(&self) -> f64 {
        self.0[0]
    }

    fn b(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    fn mixed(&self, input: usize) -> f64 {
        self.0[input + 1]
    }
}

/// The indices of `inputs` inputs from the values of all runs of a Saltelli design, in order;
/// missing values are NaN. Intervals hold with the given confidence (0.95); `seed` is that of the
/// resampling.
pub fn sobol_indices(
    values: &[f64],
    inputs: usize,
    confidence: f64,
    seed: u64,
) -> Result<SobolIndices> {
    let groups = values.chunks_exact(inputs + 2);
    let all = values.len().div_ceil(inputs + 2) as u64;
    let samples: Vec<Sample<'_>> = groups
        .filter(|group| group.iter().all(|y| y.is_finite()))
        .map(Sample)
        .collect();
    let used = samples.len() as u64;
    if used < 2 {
        return Err(StudyError::TooFew {
            statistic: "the estimate of Sobol' indices",
            what: "complete samples",
            needed: 2,
            found: used,
        });
    }
    let everything: Vec<usize> = (0..samples.len()).collect();
    let estimates = estimate(&samples, &everything, inputs);
    let errors = bootstrap_errors(samples.len(), RESAMPLES, seed, |set| {
        estimate(&samples, set, inputs)
    });
    let z = two_sided_score(confidence);
    let mut indices = estimates
        .iter()
        .zip(errors)
        .map(|(&estimate, error)| SobolIndex {
            estimate,
            interval: Interval {
                low: estimate - z * error,
                high: estimate + z * error,
            },
        });
    let first_order = indices.by_ref().take(inputs).collect();
    let total = indices.collect();
    Ok(SobolIndices {
        first_order,
        total,
        samples: used,
        left_out: all - used,
    })
}

/// All first-order indices, then all total ones; zero where nothing varies.
fn estimate(samples: &[Sample<'_>], set: &[usize], inputs: usize) -> Vec<f64> {
    let n = set.len() as f64;
    let chosen = || set.iter().map(|&index| &samples[index]);
    let mean = chosen().map(|s| s.a() + s.b()).sum::<f64>() / (2.0 * n);
    let variance = chosen()
        .map(|s| (s.a() - mean).powi(2) + (s.b() - mean).powi(2))
        .sum::<f64>()
        / (2.0 * n);
    let share = |part: f64| if variance > 0.0 { part / variance } else { 0.0 };
    let mut found = vec![0.0; 2 * inputs];
    for input in 0..inputs {
        let (mut first, mut total) = (0.0, 0.0);
        for sample in chosen() {
            let difference = sample.mixed(input) - sample.a();
            first += (sample.b() - mean) * difference;
            total += difference * difference;
        }
        found[input] = share(first / n); // (1)
        found[inputs + input] = share(total / (2.0 * n)); // (2)
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_samples_are_left_out_and_counted() {
        let mut values: Vec<f64> = (0..40).map(|j| f64::from(j * j % 17)).collect();
        values[5] = f64::NAN;
        let found = sobol_indices(&values, 2, 0.95, 1).unwrap();
        assert_eq!((found.samples, found.left_out), (9, 1));
        assert_eq!(
            found,
            sobol_indices(&values, 2, 0.95, 1).unwrap(),
            "the same every time"
        );
        assert!(sobol_indices(&values[..4], 2, 0.95, 1).is_err());
    }

    #[test]
    fn nothing_that_varies_has_no_indices() {
        let found = sobol_indices(&[3.0; 40], 2, 0.95, 1).unwrap();
        assert!(
            found
                .first_order
                .iter()
                .chain(&found.total)
                .all(|index| index.estimate == 0.0)
        );
    }
}
