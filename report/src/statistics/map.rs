//! A value over two inputs that take a few values each: a field of coloured cells with a mark in each.

use crate::chart::Axis;
use crate::text::rounded;
use serde::Serialize;

/// A value over two inputs, a cell for each pair of their values.
#[derive(Debug, Clone, Serialize)]
pub struct Map {
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
    /// What the colours say.
    pub value: Axis,
    /// Values of the horizontal input, in the order of the cells.
    #[serde(serialize_with = "rounded")]
    pub xs: Vec<f64>,
    /// Values of the vertical input.
    #[serde(serialize_with = "rounded")]
    pub ys: Vec<f64>,
    /// The value of each cell, those of one `y` behind each other; what is not finite has no colour.
    #[serde(serialize_with = "rounded")]
    pub values: Vec<f64>,
    /// The mark of each cell, a place in `kinds`; none where nothing is known.
    pub marks: Vec<Option<usize>>,
    /// What the marks mean.
    pub kinds: Vec<String>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_without_a_value_has_none() {
        let map = Map {
            title: "Peak".to_owned(),
            sentence: String::new(),
            x: Axis::new("pitch", "°"),
            y: Axis::new("speed", "m/s"),
            value: Axis::new("force", "N"),
            xs: vec![0.0, 0.1 + 0.2],
            ys: vec![1.0],
            values: vec![3.5, f64::NAN],
            marks: vec![Some(0), None],
            kinds: vec!["captured".to_owned()],
        };
        let text = serde_json::to_string(&map).unwrap();
        assert!(text.contains("\"values\":[3.5,null]"), "{text}");
        assert!(text.contains("\"xs\":[0.0,0.3]"), "{text}");
        assert!(text.contains("\"marks\":[0,null]"), "{text}");
    }
}
