//! Histograms. The width of the bins is that of `freedman1981`, 2 (Q(¾) − Q(¼)) / ∛n.

use super::distribution::quantile_of_sorted;

/// Counts of values in bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Edges of the bins, one more than bins.
    pub edges: Vec<f64>,
    /// Values in each bin; the last bin includes its upper edge.
    pub counts: Vec<u64>,
}

/// A histogram of the finite ones of `values` with the given number of bins, or with one that suits
/// them; none if there are none.
pub fn histogram(values: &[f64], bins: Option<usize>) -> Option<Histogram> {
    const MOST: f64 = 100.0;
    let sorted = sorted_finite(values);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let range = max - min;
    let spread = quantile_of_sorted(&sorted, 0.75)? - quantile_of_sorted(&sorted, 0.25)?;
    let width = 2.0 * spread / libm::cbrt(sorted.len() as f64);
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

    #[test]
    fn every_value_is_in_one_bin() {
        let values = [
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
        let found = histogram(&values, Some(4)).unwrap();
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
