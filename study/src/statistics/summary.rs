//! Moments, quantiles and histograms of a figure.
//!
//! Of n sorted values x_0 … x_(n−1) the quantile p is, linear between neighbours (definition 7 of
//! `hyndman1996`),
//!
//! ```text
//! Q(p) = x_j + (h − j)(x_(j+1) − x_j),   h = p (n − 1),   j = ⌊h⌋                            (1)
//! ```
//!
//! and the width of the bins of a histogram is that of `freedman1981`,
//!
//! ```text
//! 2 (Q(¾) − Q(¼)) / ∛n                                                                     (2)
//! ```

/// Moments and quantiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Finite values.
    pub count: u64,
    /// Values that are missing or not finite.
    pub left_out: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation, with n − 1.
    pub std_dev: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Probabilities and quantiles.
    pub quantiles: Vec<(f64, f64)>,
}

/// Counts of values in bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Edges of the bins, one more than bins.
    pub edges: Vec<f64>,
    /// Values in each bin; the last bin includes its upper edge.
    pub counts: Vec<u64>,
}

/// Sums up the finite ones of `values`; none if there are none.
pub fn summary(values: &[f64], probabilities: &[f64]) -> Option<Summary> {
    let sorted = sorted_finite(values);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let square: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
    let quantiles = probabilities
        .iter()
        .filter_map(|&p| Some((p, quantile_of_sorted(&sorted, p)?)))
        .collect();
    Some(Summary {
        count: sorted.len() as u64,
        left_out: (values.len() - sorted.len()) as u64,
        mean,
        std_dev: if sorted.len() > 1 {
            (square / (n - 1.0)).sqrt()
        } else {
            f64::NAN
        },
        min,
        max,
        quantiles,
    })
}

/// A quantile of the finite ones of `values`; none if there are none.
pub fn quantile(values: &[f64], probability: f64) -> Option<f64> {
    quantile_of_sorted(&sorted_finite(values), probability)
}

fn quantile_of_sorted(sorted: &[f64], probability: f64) -> Option<f64> {
    let h = probability.clamp(0.0, 1.0) * (sorted.len().checked_sub(1)?) as f64;
    let j = h.floor() as usize;
    let lower = *sorted.get(j)?;
    let upper = *sorted.get(j + 1).unwrap_or(&lower);
    Some(lower + (h - j as f64) * (upper - lower)) // (1)
}

/// A histogram of the finite ones of `values` with the given number of bins, or with one that suits
/// them; none if there are none.
pub fn histogram(values: &[f64], bins: Option<usize>) -> Option<Histogram> {
    const MOST: f64 = 100.0;
    let sorted = sorted_finite(values);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let range = max - min;
    let spread = quantile_of_sorted(&sorted, 0.75)? - quantile_of_sorted(&sorted, 0.25)?;
    let width = 2.0 * spread / libm::cbrt(sorted.len() as f64); // (2)
    let suitable = if width > 0.0 {
        (range / width).ceil().clamp(1.0, MOST)
    } else {
        10.0
    };
    let bins = if range > 0.0 && range.is_finite() {
        bins.unwrap_or(suitable as usize).max(1)
    } else {
        1
    };
    let edge = |j: usize| {
        if j == bins {
            max
        } else {
            min + range * (j as f64 / bins as f64)
        }
    };
    let edges: Vec<f64> = (0..=bins).map(edge).collect();
    let mut counts = vec![0; bins];
    for x in sorted {
        let bin = edges[1..bins].partition_point(|&edge| edge <= x);
        counts[bin] += 1;
    }
    Some(Histogram { edges, counts })
}

fn sorted_finite(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 10] = [
        3.0,
        1.0,
        f64::NAN,
        4.0,
        1.0,
        5.0,
        f64::INFINITY,
        9.0,
        2.0,
        6.0,
    ];

    /// Against NumPy's `quantile`, `mean` and `std(ddof=1)` of the eight finite values.
    #[test]
    fn quantiles_and_moments_are_those_of_numpy() {
        let probabilities = [0.0, 0.05, 0.25, 0.5, 0.9, 1.0];
        let found = summary(&VALUES, &probabilities).unwrap();
        let expected = [1.0, 1.0, 1.75, 3.5, 6.9, 9.0];
        for ((_, q), expected) in found.quantiles.iter().zip(expected) {
            assert!((q - expected).abs() < 1e-14, "{q} for {expected}");
        }
        assert_eq!((found.count, found.left_out, found.mean), (8, 2, 3.875));
        assert!((found.std_dev - 2.748_376_143_938_713_3).abs() < 1e-14);
        assert_eq!((found.min, found.max), (1.0, 9.0));
        assert_eq!(summary(&[f64::NAN], &[]), None);
        assert_eq!(quantile(&[7.0], 0.3), Some(7.0));
    }

    #[test]
    fn every_value_is_in_one_bin() {
        let found = histogram(&VALUES, Some(4)).unwrap();
        assert_eq!(found.edges, [1.0, 3.0, 5.0, 7.0, 9.0]);
        assert_eq!(found.counts, [3, 2, 2, 1]);
        let many: Vec<f64> = (0..1000).map(|j| f64::from(j * j)).collect();
        let found = histogram(&many, None).unwrap();
        assert_eq!(found.counts.iter().sum::<u64>(), 1000);
        assert!((5..=100).contains(&found.counts.len()));
        let same = histogram(&[2.0; 5], None).unwrap();
        assert_eq!((same.counts, same.edges), (vec![5], vec![2.0, 2.0]));
        assert_eq!(histogram(&[], None), None);
    }
}
