//! What a study says: probabilities, distributions, sensitivities.
//!
//! Values that are missing or not finite are left out everywhere, and counted.

mod given_data;
mod indices;
mod proportion;
mod rank;
mod sensitivity;
mod special;
mod summary;

pub use given_data::{FirstOrder, given_data_first_order, given_data_first_order_of_groups};
pub use indices::{SobolIndex, SobolIndices, sobol_indices};
pub use proportion::{Proportion, probability, wilson};
pub use rank::{Spearman, spearman};
pub use sensitivity::{Indices, InputSensitivity, Sensitivity, sensitivity, sensitivity_of};
pub use summary::{Histogram, Summary, histogram, quantile, summary};

/// An interval with its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How many standard deviations hold the given probability of a normal distribution around its
/// middle; a confidence outside (0, 1) is taken to its nearest sensible value.
pub(crate) fn two_sided_score(confidence: f64) -> f64 {
    let confidence = confidence.clamp(0.0, 1.0 - 1e-12);
    crate::sampling::normal::quantile(0.5 + 0.5 * confidence)
}

/// Estimate and standard error by resampling: `estimate` is given the indices of a resample and
/// returns several estimates; returned are their standard deviations over the resamples.
pub(crate) fn bootstrap_errors(
    count: usize,
    resamples: u32,
    seed: u64,
    mut estimate: impl FnMut(&[usize]) -> Vec<f64>,
) -> Vec<f64> {
    use crate::sampling::random::{Generator, Stream};
    let generator = Generator::new(seed);
    let mut indices = vec![0; count];
    // Sums and sums of squares of the deviations from the first resample's estimates.
    let mut first: Vec<f64> = Vec::new();
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for resample in 0..resamples {
        for (place, index) in indices.iter_mut().enumerate() {
            let draw = generator.below(count as u64, Stream::Bootstrap, resample, 0, place as u64);
            *index = draw as usize;
        }
        let estimates = estimate(&indices);
        if resample == 0 {
            sums = vec![(0.0, 0.0); estimates.len()];
            first = estimates.clone();
        }
        for ((sum, x), reference) in sums.iter_mut().zip(estimates).zip(&first) {
            let deviation = x - reference;
            sum.0 += deviation;
            sum.1 += deviation * deviation;
        }
    }
    let n = f64::from(resamples.max(2));
    sums.iter()
        .map(|(sum, square)| ((square - sum * sum / n).max(0.0) / (n - 1.0)).sqrt())
        .collect()
}
