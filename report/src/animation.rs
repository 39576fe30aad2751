//! Moving lines in the plane.

use crate::text::rounded;
use serde::Serialize;

/// Moving lines in the plane.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Animation {
    /// Heading.
    #[serde(skip)]
    pub title: String,
    /// A sentence saying what is shown.
    #[serde(skip)]
    pub sentence: String,
    /// Time of each frame [s].
    #[serde(serialize_with = "rounded")]
    pub times: Vec<f64>,
    /// What moves, back to front.
    pub items: Vec<Item>,
    /// Numbers shown beside the picture, one per frame each.
    pub readings: Vec<Reading>,
    /// Starts over at its end; such a picture is small and its time is its own.
    pub loops: bool,
}

/// Look of an animated line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// A stiff bar.
    Bar,
    /// A flexible member.
    Leaf,
    /// A cable.
    Cable,
    /// A pivot fixed to the ground.
    Ground,
    /// A joint that moves.
    Joint,
    /// Where something was before.
    Ghost,
}

/// A line that moves.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Name in the legend; empty for none.
    pub name: String,
    /// Look.
    pub look: Look,
    /// For each frame x, y, x, y, ... [m]; a single frame stands for all.
    pub frames: Vec<Points>,
}

/// Points x, y, x, y, ... [m] in tenths of a millimetre.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Points(Vec<i64>);

impl Points {
    /// From metres.
    pub fn new(points: &[[f64; 2]]) -> Self {
        Self(
            points
                .iter()
                .flatten()
                .map(|value| (value * 1e4).round() as i64)
                .collect(),
        )
    }
}

/// A number shown beside a moving picture.
#[derive(Debug, Clone, Serialize)]
pub struct Reading {
    /// What it is.
    pub label: String,
    /// Unit.
    pub unit: String,
    /// Digits after the point.
    pub digits: usize,
    /// Value at each frame; what is not finite is shown as a dash.
    #[serde(serialize_with = "rounded")]
    pub values: Vec<f64>,
}

impl Reading {
    /// A reading with `digits` digits after the point.
    pub fn new(label: &str, unit: &str, digits: usize, values: Vec<f64>) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            digits,
            values,
        }
    }
}
