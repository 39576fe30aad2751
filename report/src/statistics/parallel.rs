//! Many values of many runs: an axis per value, a line per run.

use super::spread;
use crate::chart::Axis;
use crate::text::{rounded, safe_address};
use serde::Serialize;

/// Many values of many runs: an axis per value, a line per run. Runs are chosen by dragging along
/// the axes.
#[derive(Debug, Clone, Serialize)]
pub struct Parallel {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    dimensions: Vec<Dimension>,
    /// Index of the axis that colours the lines.
    colour_by: usize,
    /// What each line is.
    labels: Vec<String>,
    /// Where each line's report is; empty for none.
    links: Vec<Option<String>>,
    /// Lines there were before thinning.
    total: usize,
}

/// One axis with the value of every run.
#[derive(Debug, Clone, Serialize)]
pub struct Dimension {
    axis: Axis,
    /// The value is a result, not an input.
    result: bool,
    /// A value per run; where one is not finite its line has a gap.
    #[serde(serialize_with = "rounded")]
    values: Vec<f64>,
}

impl Dimension {
    /// An axis for something that was varied.
    pub fn input(axis: Axis, values: Vec<f64>) -> Self {
        Self {
            axis,
            result: false,
            values,
        }
    }

    /// An axis for a result.
    pub fn result(axis: Axis, values: Vec<f64>) -> Self {
        Self {
            axis,
            result: true,
            values,
        }
    }
}

/// Lines that the page keeps.
const MOST_LINES: usize = 2000;

impl Parallel {
    /// Lines through `dimensions`, coloured by the value of the one with index `colour_by`.
    /// `labels` and `links` name the runs in the order of the values; very many runs are thinned
    /// evenly.
    pub fn new(
        title: &str,
        sentence: &str,
        dimensions: Vec<Dimension>,
        colour_by: usize,
        labels: &[String],
        links: &[Option<String>],
    ) -> Self {
        let total = dimensions.iter().map(|d| d.values.len()).min().unwrap_or(0);
        let kept = spread(total, MOST_LINES);
        let thinned = |d: Dimension| Dimension {
            values: kept.iter().map(|&i| d.values[i]).collect(),
            ..d
        };
        let label = |&i: &usize| labels.get(i).cloned().unwrap_or_default();
        let link = |&i: &usize| {
            let link = links.get(i).and_then(Option::as_deref);
            link.and_then(safe_address).map(str::to_owned)
        };
        Self {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            colour_by: colour_by.min(dimensions.len().saturating_sub(1)),
            dimensions: dimensions.into_iter().map(thinned).collect(),
            labels: kept.iter().map(label).collect(),
            links: kept.iter().map(link).collect(),
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_runs_are_thinned_alike_on_all_axes() {
        let values: Vec<f64> = (0..10_000).map(f64::from).collect();
        let axes = vec![
            Dimension::input(Axis::new("a", ""), values.clone()),
            Dimension::result(Axis::new("b", ""), values),
        ];
        let plot = Parallel::new("t", "s", axes, 7, &[], &[]);
        assert_eq!(plot.total, 10_000);
        assert_eq!(plot.dimensions[0].values.len(), MOST_LINES);
        assert_eq!(plot.dimensions[0].values, plot.dimensions[1].values);
        assert_eq!(plot.colour_by, 1);
    }
}
