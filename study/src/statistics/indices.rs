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
//! The standard errors come from the influence of each sample on these ratios, with c_m the summand of
//! (1) or (2) and w_m that of V,
//!
//! ```text
//! e_m = (c_m − S w_m) / (N V)                                                               (3)
//! ```
//!
//! summed over the independent scrambles that the samples come from.

use super::Interval;
use super::design::Dependence;
use crate::error::{Result, StudyError};

/// Fewest complete samples that indices are estimated from.
pub const FEWEST_SAMPLES: u64 = 16;

/// Fewest complete samples whose intervals are told: those of total indices of the function of Ishigami
/// from 62 and 166 samples held in 90 % (docs/coverage.md).
const FEWEST_FOR_INTERVALS: u64 = 200;

/// An index with its interval. Estimates of small indices can be slightly negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SobolIndex {
    /// The estimate.
    pub estimate: f64,
    /// Confidence interval; infinite where there are too few samples, or nothing was drawn at random.
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
/// missing values are NaN. Sample m is of scramble m mod `scrambles`; with one scramble the samples
/// are taken for independent, and the intervals are wider than need be. Intervals hold with the given
/// confidence (0.95).
pub fn sobol_indices(
    values: &[f64],
    inputs: usize,
    scrambles: u64,
    confidence: f64,
) -> Result<SobolIndices> {
    let groups = values.chunks_exact(inputs + 2).enumerate();
    let all = values.len().div_ceil(inputs + 2) as u64;
    let (numbers, samples): (Vec<u64>, Vec<Sample<'_>>) = groups
        .filter(|(_, group)| group.iter().all(|y| y.is_finite()))
        .map(|(number, group)| (number as u64, Sample(group)))
        .unzip();
    let used = samples.len() as u64;
    if used < FEWEST_SAMPLES {
        return Err(StudyError::TooFew {
            statistic: "the estimate of Sobol' indices",
            what: "complete samples",
            needed: FEWEST_SAMPLES,
            found: used,
        });
    }
    let dependence = if scrambles > 1 {
        Dependence::in_blocks(numbers.iter().map(|number| number % scrambles))
    } else {
        Dependence::independent(samples.len())
    };
    let n = samples.len() as f64;
    let mean = samples.iter().map(|s| s.a() + s.b()).sum::<f64>() / (2.0 * n);
    let spread: Vec<f64> = samples
        .iter()
        .map(|s| 0.5 * ((s.a() - mean).powi(2) + (s.b() - mean).powi(2)))
        .collect();
    let variance = spread.iter().sum::<f64>() / n;
    let index = |part: &dyn Fn(&Sample<'_>) -> f64| {
        if variance <= 0.0 {
            let interval = Interval {
                low: 0.0,
                high: 0.0,
            };
            return SobolIndex {
                estimate: 0.0,
                interval,
            };
        }
        let parts: Vec<f64> = samples.iter().map(part).collect();
        let estimate = parts.iter().sum::<f64>() / (n * variance);
        let pairs = parts.iter().zip(&spread);
        let influences = pairs.map(|(c, w)| (c - estimate * w) / (n * variance)); // (3)
        let interval = dependence
            .interval(estimate, influences, confidence)
            .filter(|_| used >= FEWEST_FOR_INTERVALS);
        let interval = interval.unwrap_or(Interval {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        });
        SobolIndex { estimate, interval }
    };
    let first = |i: usize| index(&|s| (s.b() - mean) * (s.mixed(i) - s.a())); // (1)
    let total = |i: usize| index(&|s| 0.5 * (s.a() - s.mixed(i)).powi(2)); // (2)
    Ok(SobolIndices {
        first_order: (0..inputs).map(first).collect(),
        total: (0..inputs).map(total).collect(),
        samples: used,
        left_out: all - used,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_samples_are_left_out_and_counted() {
        let mut values: Vec<f64> = (0..80).map(|j| f64::from(j * j % 17)).collect();
        values[5] = f64::NAN;
        let found = sobol_indices(&values, 2, 1, 0.95).unwrap();
        assert_eq!((found.samples, found.left_out), (19, 1));
        assert!(sobol_indices(&values[..60], 2, 1, 0.95).is_err());
    }

    #[test]
    fn nothing_that_varies_has_no_indices() {
        let found = sobol_indices(&[3.0; 80], 2, 1, 0.95).unwrap();
        let mut all = found.first_order.iter().chain(&found.total);
        assert!(all.all(|index| index.estimate == 0.0));
    }
}
