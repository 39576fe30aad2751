//! Named values with their uncertainty.

use crate::chart::Axis;
use serde::Serialize;

/// Named values with their uncertainty, such as what drives a result.
#[derive(Debug, Clone, Serialize)]
pub struct Bars {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    /// Axis of the values.
    pub x: Axis,
    /// Names of the values that each row has.
    pub series: Vec<String>,
    /// The rows, top to bottom.
    pub rows: Vec<Bar>,
}

/// A row of bars.
#[derive(Debug, Clone, Serialize)]
pub struct Bar {
    /// What it is.
    pub name: String,
    /// A value for each series.
    pub values: Vec<Estimate>,
}

/// A value and the interval that holds it with the confidence that the sentence states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The value; no bar if it is not finite.
    pub value: f64,
    /// Lower and upper end; no whisker without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// A value without uncertainty.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            interval: None,
        }
    }

    /// A value with its interval.
    pub fn within(value: f64, low: f64, high: f64) -> Self {
        Self {
            value,
            interval: Some([low, high]),
        }
    }
}
