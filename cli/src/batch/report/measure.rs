//! A figure that the report is about: one of a docking's table, or one of a study's own.

use softdock_docking::Summary;
use softdock_report::Axis;
use softdock_study::{Kind, Plan, StudyError};

/// A column of numbers or truth values, and how it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Name of the column.
    pub key: String,
    /// In words.
    pub label: String,
    /// Unit in which it is shown.
    pub unit: String,
    /// From the unit of the column to the one shown.
    scale: f64,
}

impl Measure {
    /// The figure of a column.
    pub fn of(key: &str) -> Self {
        let figures = Summary::figures();
        let known = figures
            .iter()
            .find(|figure| figure.key == key || figure.columns().iter().any(|c| c == key));
        match known {
            Some(figure) if figure.key == key => Self {
                key: key.to_owned(),
                label: figure.label.to_owned(),
                unit: figure.shown_unit.to_owned(),
                scale: figure.scaled(1.0),
            },
            Some(figure) => Self {
                key: key.to_owned(),
                label: key.replace('_', " "),
                unit: figure.shown_unit.to_owned(),
                scale: figure.scaled(1.0),
            },
            None => Self {
                key: key.to_owned(),
                label: key.to_owned(),
                unit: String::new(),
                scale: 1.0,
            },
        }
    }

    /// The figure of a column that the study must have as a number or truth value.
    pub fn named(plan: &Plan, key: &str) -> Result<Self, StudyError> {
        let usable = |kind: Kind| kind != Kind::Text;
        let mut figures = plan.figures().iter().filter(|f| usable(f.kind));
        if figures.any(|figure| figure.name == key) {
            return Ok(Self::of(key));
        }
        let names = plan.figures().iter().filter(|f| usable(f.kind));
        Err(StudyError::Column {
            name: key.to_owned(),
            wanted: "numeric",
            available: names.map(|f| f.name.clone()).collect::<Vec<_>>().join(", "),
        })
    }

    /// A value in the unit in which it is shown.
    pub fn scaled(&self, value: f64) -> f64 {
        self.scale * value
    }

    /// The axis it is drawn on.
    pub fn axis(&self) -> Axis {
        Axis::new(&self.label, &self.unit)
    }

    /// Heading of a chart of it.
    pub fn title(&self) -> String {
        let mut letters = self.label.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect()
        })
    }
}
