//! First-order index from given data: what an input explains, estimated by bins from any sample.
//!
//! Rows are put into M bins of about equal size by the input (equal values stay together). With y
//! the figure, SSB the sum of squares between the bins' means, SSW that within and SST the total,
//!
//! ```text
//! S = (SSB − (M − 1) SSW/(n − M)) / SST                                                    (1)
//! ```
//!
//! the correlation ratio of `plischke2013`, corrected for the share that chance alone gives to the
//! means of bins. It is an estimate by bins, coarser than one from Saltelli's design; with
//! correlated inputs it includes what an input tells of the others.

use super::indices::{RESAMPLES, SobolIndex};
use super::{Interval, bootstrap_errors, two_sided_score};

/// Fewest rows in a bin, on average.
const ROWS_PER_BIN: usize = 5;

/// Most bins.
const MOST_BINS: usize = 50;

/// A first-order index estimated from given data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstOrder {
    /// Estimate and interval.
    pub index: SobolIndex,
    /// Bins used.
    pub bins: u64,
    /// Rows used.
    pub rows: u64,
}

/// The index of an input of numbers; none if there are too few rows, or if nothing varies.
pub fn given_data_first_order(
    x: &[f64],
    y: &[f64],
    confidence: f64,
    seed: u64,
) -> Option<FirstOrder> {
    let mut rows: Vec<(f64, f64)> = x
        .iter()
        .zip(y)
        .map(|(&x, &y)| (x, y))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let n = rows.len();
    let wanted = (libm::cbrt(n as f64).round() as usize)
        .min(n / ROWS_PER_BIN)
        .clamp(1, MOST_BINS);
    let mut labels = Vec::with_capacity(n);
    let mut bin = 0;
    for (place, row) in rows.iter().enumerate() {
        // A new bin starts where its share begins, unless the value is that of the row before.
        let due = place * wanted / n.max(1) > bin;
        if due && rows[place - 1].0 < row.0 {
            bin = place * wanted / n;
        }
        labels.push(bin);
    }
    let figures: Vec<f64> = rows.iter().map(|row| row.1).collect();
    ratio(&labels, &figures, confidence, seed)
}

/// The index of an input of texts, each of which is a bin; `None` among the texts is left out.
pub fn given_data_first_order_of_groups(
    groups: &[Option<String>],
    y: &[f64],
    confidence: f64,
    seed: u64,
) -> Option<FirstOrder> {
    let known = || {
        groups
            .iter()
            .zip(y)
            .filter_map(|(g, y)| Some((g.as_ref()?, *y)))
    };
    let names: std::collections::BTreeSet<&String> = known().map(|(name, _)| name).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let mut labels = Vec::new();
    let mut figures = Vec::new();
    for (name, y) in known().filter(|(_, y)| y.is_finite()) {
        labels.push(names.binary_search(&name).unwrap_or(0));
        figures.push(y);
    }
    ratio(&labels, &figures, confidence, seed)
}

fn ratio(labels: &[usize], y: &[f64], confidence: f64, seed: u64) -> Option<FirstOrder> {
    let mut used = labels.to_vec();
    used.sort_unstable();
    used.dedup();
    let (n, bins) = (y.len(), used.len());
    if bins < 2 || n < bins * 2 {
        return None;
    }
    let labels: Vec<usize> = labels
        .iter()
        .map(|label| used.binary_search(label).unwrap_or(0))
        .collect();
    let everything: Vec<usize> = (0..n).collect();
    let estimate = corrected_ratio(&labels, y, &everything, bins)?;
    let errors = bootstrap_errors(n, RESAMPLES, seed, |set| {
        vec![corrected_ratio(&labels, y, set, bins).unwrap_or(estimate)]
    });
    let reach = two_sided_score(confidence) * errors.first()?;
    let interval = Interval {
        low: estimate - reach,
        high: estimate + reach,
    };
    let index = SobolIndex { estimate, interval };
    Some(FirstOrder {
        index,
        bins: bins as u64,
        rows: n as u64,
    })
}

fn corrected_ratio(labels: &[usize], y: &[f64], set: &[usize], bins: usize) -> Option<f64> {
    let n = set.len() as f64;
    let mean = set.iter().map(|&row| y[row]).sum::<f64>() / n;
    let mut sums = vec![(0.0, 0.0); bins];
    let mut total = 0.0;
    for &row in set {
        let deviation = y[row] - mean;
        let bin = &mut sums[labels[row]];
        bin.0 += 1.0;
        bin.1 += deviation;
        total += deviation * deviation;
    }
    let filled = sums.iter().filter(|bin| bin.0 > 0.0);
    let between: f64 = filled.clone().map(|(count, sum)| sum * sum / count).sum();
    let m = filled.count() as f64;
    (total > 0.0 && n > m).then(|| (between - (m - 1.0) * (total - between) / (n - m)) / total) // (1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random::{Generator, Stream};

    fn column(dimension: u32, n: u64) -> Vec<f64> {
        (0..n)
            .map(|i| Generator::new(8).uniform(Stream::MonteCarlo, dimension, i))
            .collect()
    }

    /// y = x1 + x2/2: the shares are 0.8 and 0.2, and 0 for an input that is not in it.
    #[test]
    fn shares_of_a_sum_are_found() {
        let n = 4000;
        let (x1, x2, idle) = (column(0, n), column(1, n), column(2, n));
        let y: Vec<f64> = x1.iter().zip(&x2).map(|(a, b)| a + 0.5 * b).collect();
        for (x, expected) in [(&x1, 0.8), (&x2, 0.2), (&idle, 0.0)] {
            let found = given_data_first_order(x, &y, 0.99, 1).unwrap();
            let FirstOrder { index, bins, .. } = found;
            assert_eq!(bins, 16);
            // Bins lose 1/M² of what the input explains.
            assert!(
                (index.estimate - expected).abs() < 0.02,
                "{index:?} for {expected}"
            );
            assert!(
                index.interval.low - 0.005 < expected && expected < index.interval.high + 0.005
            );
        }
    }

    #[test]
    fn equal_values_share_a_bin() {
        let x: Vec<f64> = (0..300).map(|j| f64::from(j % 3)).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x).collect();
        let found = given_data_first_order(&x, &y, 0.95, 1).unwrap();
        assert_eq!(found.bins, 3);
        assert!((found.index.estimate - 1.0).abs() < 1e-14, "{found:?}");
        let names: Vec<Option<String>> = x.iter().map(|x| Some(format!("law {x}"))).collect();
        let grouped = given_data_first_order_of_groups(&names, &y, 0.95, 1).unwrap();
        assert_eq!((grouped.bins, grouped.rows), (3, 300));
        assert!((grouped.index.estimate - 1.0).abs() < 1e-14, "{grouped:?}");
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(
            given_data_first_order(&[1.0, 2.0], &[1.0, 2.0], 0.95, 1),
            None
        );
        assert_eq!(
            given_data_first_order(&[1.0; 50], &column(0, 50), 0.95, 1),
            None
        );
        assert_eq!(
            given_data_first_order(&column(0, 50), &[1.0; 50], 0.95, 1),
            None
        );
        assert_eq!(given_data_first_order(&[], &[], 0.95, 1), None);
    }
}
