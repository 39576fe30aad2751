//! How often each range of values occurs.

use crate::chart::{Axis, Level};
use crate::text::rounded;
use serde::Serialize;

/// How often each range of values occurs.
#[derive(Debug, Clone, Serialize)]
pub struct Histogram {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    /// Axis of the values.
    x: Axis,
    /// What is counted, such as "runs".
    counted: String,
    /// Borders of the bins, one more than bins.
    #[serde(serialize_with = "rounded")]
    edges: Vec<f64>,
    /// Values in each bin.
    counts: Vec<usize>,
    /// Values to compare with, such as the median.
    lines: Vec<Level>,
    /// Values that are not finite and stand in no bin.
    left_out: usize,
}

/// Bins at most, whatever the number of values.
const MOST_BINS: usize = 60;

impl Histogram {
    /// The distribution of `values`, in bins by the rule of Freedman and Diaconis.
    pub fn new(title: &str, sentence: &str, x: Axis, counted: &str, values: &[f64]) -> Self {
        let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        finite.sort_by(f64::total_cmp);
        let edges = edges(&finite);
        let mut counts = vec![0; edges.len().saturating_sub(1)];
        for value in &finite {
            let bin = edges.partition_point(|edge| edge <= value);
            if let Some(count) = counts.get_mut(bin.saturating_sub(1).min(edges.len() - 2)) {
                *count += 1;
            }
        }
        Self {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            x,
            counted: counted.to_owned(),
            edges,
            counts,
            lines: Vec::new(),
            left_out: values.len() - finite.len(),
        }
    }

    /// The same histogram with a vertical line to compare with. A value that is not finite is left
    /// out.
    pub fn line(mut self, value: f64, label: &str) -> Self {
        if value.is_finite() {
            self.lines.push(Level {
                value,
                label: label.to_owned(),
            });
        }
        self
    }
}

/// Borders of equal bins over sorted values; none for no values.
fn edges(sorted: &[f64]) -> Vec<f64> {
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
        return Vec::new();
    };
    let range = high - low;
    if range <= 0.0 || !range.is_finite() {
        let half = (0.05 * low.abs()).max(0.5);
        return vec![low - half, low + half];
    }
    let quantile = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let width = 2.0 * (quantile(0.75) - quantile(0.25)) / libm::cbrt(sorted.len() as f64);
    let wanted = if width > 0.0 {
        (range / width).ceil()
    } else {
        (sorted.len() as f64).sqrt().ceil()
    };
    let bins = (wanted as usize).clamp(1, MOST_BINS);
    (0..=bins)
        .map(|i| low + range * i as f64 / bins as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[f64]) -> Histogram {
        Histogram::new("t", "s", Axis::new("F", "N"), "runs", values)
    }

    #[test]
    fn every_finite_value_is_counted_once() {
        let mut values: Vec<f64> = (0..500).map(|i| f64::from(i * i % 97)).collect();
        values.extend([f64::NAN, f64::INFINITY]);
        let h = histogram(&values);
        assert_eq!(h.counts.iter().sum::<usize>(), 500);
        assert_eq!(h.left_out, 2);
        assert_eq!(h.edges.len(), h.counts.len() + 1);
        assert!(h.counts.len() <= MOST_BINS);
    }

    #[test]
    fn equal_values_and_no_values_are_fine() {
        let same = histogram(&[3.0; 10]);
        assert_eq!(same.counts, [10]);
        let none = histogram(&[f64::NAN]);
        assert!(none.counts.is_empty() && none.edges.is_empty());
        assert_eq!(histogram(&[1.0, 1.0, 1.0, 1.0, 9.0]).counts.len(), 3);
    }
}
