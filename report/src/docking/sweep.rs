//! One setting varied in steps.

use super::listing;
use crate::block::Block;
use crate::chart::{Axis, Chart, Level, Mark, Series};
use crate::page::Page;
use crate::summary;
use crate::table::{Cell, Table};
use serde_json::Value;

/// A report of dockings in which one setting was varied.
#[derive(Debug, Clone)]
pub struct SweepReport {
    /// Heading.
    pub title: String,
    /// What was computed, in a sentence or two.
    pub lead: String,
    /// Something the reader must know first.
    pub warning: Option<String>,
    /// The setting that was varied.
    pub parameter: Axis,
    /// One run per value, in the order of the values.
    pub points: Vec<SweepPoint>,
    /// A published or required peak force [N] with its name.
    pub reference_force: Option<Level>,
    /// The configuration common to all runs, as TOML.
    pub config_text: String,
}

/// A run of a sweep.
#[derive(Debug, Clone, Default)]
pub struct SweepPoint {
    /// Value of the setting.
    pub value: f64,
    /// The machine-readable summary, or nothing if the run failed.
    pub summary: Value,
    /// Why it failed.
    pub failure: Option<String>,
    /// Address of its own report.
    pub link: Option<String>,
}

/// What is drawn against the setting: key, heading, sentence.
const CURVES: [(&str, &str, &str); 4] = [
    (
        "peak_contact_force_n",
        "Peak contact force",
        "Largest force between end effector and target in each run.",
    ),
    (
        "contact_impulse_n_s",
        "Contact impulse",
        "Time integral of the contact force in each run.",
    ),
    (
        "settling_time_s",
        "Settling time",
        "How long it took until the motion had died down; a gap where it had not.",
    ),
    (
        "max_leg_stroke_m",
        "Largest leg stroke",
        "Largest change of a leg's chord in each run.",
    ),
];

impl SweepReport {
    /// The whole file.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        self.page().html()
    }

    /// The page, for those who want to add to it.
    pub fn page(&self) -> Page {
        let mut blocks: Vec<Block> = Vec::new();
        blocks.extend(CURVES.iter().filter_map(|curve| self.curve(*curve)));
        blocks.push(self.table());
        blocks.extend(listing("Configuration", &self.config_text));
        Page {
            title: self.title.clone(),
            lead: self.lead.clone(),
            warning: self.warning.clone(),
            figures: Vec::new(),
            blocks,
            dense: false,
        }
    }

    /// One figure against the setting; nothing if no run has it.
    fn curve(&self, (key, title, sentence): (&str, &str, &str)) -> Option<Block> {
        // What is suspect is no result.
        let counts = |point: &&SweepPoint| point.summary["soundness"] != "suspect";
        let of = |point: &SweepPoint| {
            let summary = Some(point).filter(counts).map(|point| &point.summary);
            summary?.get(key).and_then(Value::as_f64)
        };
        let scale = if key.ends_with("_m") { 1e3 } else { 1.0 };
        let shown = self
            .points
            .iter()
            .find_map(|point| point.summary.get(key))?;
        let unit = summary::figure(key, shown).unit;
        let unit = if scale == 1e3 { "mm".to_owned() } else { unit };
        let x: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        let y: Vec<f64> = self
            .points
            .iter()
            .map(|point| of(point).map_or(f64::NAN, |value| value * scale))
            .collect();
        if y.iter().all(|value| value.is_nan()) {
            return None;
        }
        let name = title.to_lowercase();
        let mut chart = Chart::over(
            title,
            sentence,
            self.parameter.clone(),
            Axis::new(&name, &unit),
            vec![Series::line(&name, &x, &y).marked(Mark::LineAndDots)],
        );
        if key == "peak_contact_force_n" {
            chart.levels.extend(self.reference_force.clone());
        }
        Some(chart.into())
    }

    fn table(&self) -> Block {
        let unit = match self.parameter.unit.as_str() {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let known: Vec<_> = self
            .points
            .iter()
            .map(|point| summary::headlines(&point.summary))
            .max_by_key(Vec::len)
            .unwrap_or_default();
        let mut columns = vec![format!("{}{unit}", self.parameter.label)];
        columns.extend(known.iter().map(|figure| figure.label.clone()));
        columns.push("report".to_owned());
        let row = |point: &SweepPoint| {
            let mut cells = vec![Cell::setting(point.value)];
            for figure in &known {
                let key = figure.datum.as_ref().map_or("", |datum| &datum.key);
                cells.push(match point.summary.get(key) {
                    Some(value) => {
                        let mut figure = summary::figure(key, value);
                        figure.datum = None;
                        Cell::figure(&figure)
                    }
                    None => Cell::number(f64::NAN, 1),
                });
            }
            cells.push(match (&point.link, &point.failure) {
                (_, Some(why)) => Cell::text(format!("failed: {why}")),
                (Some(link), None) => Cell::link("open", link),
                (None, None) => Cell::text(""),
            });
            cells
        };
        Block::Table(Table {
            title: "Runs".to_owned(),
            sentence: "A run per row, in the order of the setting.".to_owned(),
            columns,
            rows: self.points.iter().map(row).collect(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_suspect_run_is_a_row_and_a_gap() {
        let point = |value: f64, soundness: &str| SweepPoint {
            value,
            summary: json!({
                "peak_contact_force_n": value, "soundness": soundness, "outcome": "in_contact",
            }),
            ..SweepPoint::default()
        };
        let report = SweepReport {
            title: "Sweep".to_owned(),
            lead: String::new(),
            warning: None,
            parameter: Axis::new("pitch", "°"),
            points: vec![
                point(1.0, "sound"),
                point(2.0, "suspect"),
                point(3.0, "sound"),
            ],
            reference_force: None,
            config_text: String::new(),
        };
        let html = report.html().unwrap();
        assert!(html.contains("\"y\":[1.0,null,3.0]"));
        assert!(
            html.contains("<td>suspect") && html.contains("in contact"),
            "{html}"
        );
    }

    #[test]
    fn a_failed_run_is_a_row_and_a_gap() {
        let good = |value: f64| SweepPoint {
            value,
            summary: json!({ "peak_contact_force_n": 6.0 * value, "max_leg_stroke_m": 0.01 }),
            link: Some(format!("{value}/report.html")),
            failure: None,
        };
        let bad = SweepPoint {
            value: 2.0,
            failure: Some("diverged <at> 0.1 s".to_owned()),
            ..SweepPoint::default()
        };
        let report = SweepReport {
            title: "Sweep".to_owned(),
            lead: String::new(),
            warning: None,
            parameter: Axis::new("pitch", "°"),
            points: vec![good(1.0), bad, good(3.0)],
            reference_force: None,
            config_text: String::new(),
        };
        let html = report.html().unwrap();
        assert!(html.contains("failed: diverged &lt;at&gt; 0.1 s"));
        assert!(html.contains("<a href=\"3/report.html\">open</a>"));
        assert!(html.contains("\"y\":[6.0,null,18.0]"));
        assert!(html.contains("\"unit\":\"mm\"") && !html.contains("Settling time"));
    }
}
