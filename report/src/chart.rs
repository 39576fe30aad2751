//! Curves over an axis.

use crate::decimate::decimate;
use crate::text::{rounded, short};
use serde::{Serialize, Serializer};

/// An axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Unit; empty for none.
    pub unit: String,
}

impl Axis {
    /// An axis.
    pub fn new(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
        }
    }

    /// The axis of time, shared by the animation's cursor.
    pub fn time() -> Self {
        Self::new("time", "s")
    }
}

/// A chart.
#[derive(Debug, Clone, Serialize)]
pub struct Chart {
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
    /// The horizontal axis is the animation's time.
    pub over_time: bool,
    /// One metre is as long on both axes.
    pub equal: bool,
    /// What is shown of the vertical axis, where curves may leave the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<[f64; 2]>,
    /// Horizontal lines to compare with, such as limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Shaded ranges of the horizontal axis, such as the times of contact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// The curves.
    pub series: Vec<Series>,
}

impl Chart {
    /// A chart over time.
    pub fn over_time(title: &str, sentence: &str, y: Axis, series: Vec<Series>) -> Self {
        Self {
            over_time: true,
            ..Self::over(title, sentence, Axis::time(), y, series)
        }
    }

    /// A chart over anything else.
    pub fn over(title: &str, sentence: &str, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            x,
            y,
            over_time: false,
            equal: false,
            window: None,
            levels: Vec::new(),
            spans: Vec::new(),
            series,
        }
    }

    /// The same chart showing only this part of the vertical axis.
    pub fn windowed(mut self, window: [f64; 2]) -> Self {
        self.window = Some(window);
        self
    }

    /// The same chart with a horizontal line to compare with. A value that is not finite is left
    /// out.
    pub fn level(mut self, value: f64, label: &str) -> Self {
        if value.is_finite() {
            self.levels.push(Level {
                value,
                label: label.to_owned(),
            });
        }
        self
    }

    /// The same chart with a shaded range of its horizontal axis. A range that is not finite is
    /// left out.
    pub fn span(mut self, from: f64, to: f64, label: &str) -> Self {
        if from.is_finite() && to.is_finite() {
            self.spans.push(Span {
                from,
                to,
                label: label.to_owned(),
            });
        }
        self
    }
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Level {
    /// Where, in units of the axis.
    #[serde(serialize_with = "shortened")]
    pub value: f64,
    /// What it is; written beside the line.
    pub label: String,
}

/// A range of the horizontal axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    /// Its beginning, in units of the axis.
    #[serde(serialize_with = "shortened")]
    pub from: f64,
    /// Its end, in units of the axis.
    #[serde(serialize_with = "shortened")]
    pub to: f64,
    /// What it is; the legend names each label once.
    pub label: String,
}

fn shortened<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(short(*value))
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A line.
    #[default]
    Line,
    /// Single points.
    Dots,
    /// A line with its points.
    LineAndDots,
    /// A stiff bar between pivots, thick and grey.
    Bar,
}

/// A curve. Where a value is not finite, the line has a gap.
#[derive(Debug, Clone, Serialize)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub x: Vec<f64>,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub y: Vec<f64>,
}

/// Points of a curve that the page keeps: more than a screen can show.
const MOST_POINTS: usize = 1200;

impl Series {
    /// A line through many points, thinned without losing its peaks.
    pub fn line(name: &str, x: &[f64], y: &[f64]) -> Self {
        Self::thinned(name, x, y, MOST_POINTS)
    }

    /// A line thinned to at most about `most` points, without losing its peaks.
    pub fn thinned(name: &str, x: &[f64], y: &[f64], most: usize) -> Self {
        let (x, y) = decimate(x, y, most);
        Self {
            name: name.to_owned(),
            mark: Mark::Line,
            x,
            y,
        }
    }

    /// The same curve drawn otherwise.
    pub fn marked(mut self, mark: Mark) -> Self {
        self.mark = mark;
        self
    }
}
