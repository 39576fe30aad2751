//! One value against another, a point per run.

use super::spread;
use crate::chart::Axis;
use crate::text::{rounded, safe_address};
use serde::Serialize;

/// One value against another, a point per run.
#[derive(Debug, Clone, Serialize)]
pub struct Scatter {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Points by kind.
    pub groups: Vec<Group>,
    /// Lines across the points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

/// A line across points; where a value is not finite it has a gap.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Whether it is drawn thin and dashed, as the edge of what is uncertain.
    pub dashed: bool,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub x: Vec<f64>,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub y: Vec<f64>,
}

/// Points of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    name: String,
    #[serde(serialize_with = "rounded")]
    x: Vec<f64>,
    #[serde(serialize_with = "rounded")]
    y: Vec<f64>,
    /// What each point is; empty for none.
    labels: Vec<String>,
    /// Where a click on a point leads; empty for none.
    links: Vec<Option<String>>,
    /// Points there were before thinning.
    total: usize,
}

/// Points that a group keeps on the page.
const MOST_POINTS: usize = 4000;

impl Group {
    /// Points of one kind; those that are not finite are left out, very many are thinned evenly.
    /// `points` gives x, y, a label ("run 17") and where a click leads.
    pub fn new<'a>(
        name: &str,
        points: impl IntoIterator<Item = (f64, f64, &'a str, Option<&'a str>)>,
    ) -> Self {
        let finite: Vec<_> = points
            .into_iter()
            .filter(|(x, y, ..)| x.is_finite() && y.is_finite())
            .collect();
        let kept = spread(finite.len(), MOST_POINTS);
        let link = |&i: &usize| finite[i].3.and_then(safe_address).map(str::to_owned);
        let mut links: Vec<_> = kept.iter().map(link).collect();
        if links.iter().all(Option::is_none) {
            links.clear();
        }
        Self {
            name: name.to_owned(),
            x: kept.iter().map(|&i| finite[i].0).collect(),
            y: kept.iter().map(|&i| finite[i].1).collect(),
            labels: kept.iter().map(|&i| finite[i].2.to_owned()).collect(),
            links,
            total: finite.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_is_left_out() {
        let points = [
            (1.0, 2.0, "run 1", Some("1.html")),
            (f64::NAN, 2.0, "run 2", None),
            (3.0, 4.0, "run 3", Some("javascript:x")),
        ];
        let group = Group::new("captured", points);
        assert_eq!(group.x, [1.0, 3.0]);
        assert_eq!(group.links, [Some("1.html".to_owned()), None]);
    }
}
