//! One setting varied in steps.

use super::listing;
use crate::block::Block;
use crate::chart::{Axis, Chart, Level, Mark, Series};
use crate::figure::Figure;
use crate::page::Page;
use crate::table::{Cell, Table};

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
    /// Figures against the setting; those without any value are not shown.
    pub curves: Vec<SweepCurve>,
    /// The configuration common to all runs, as TOML.
    pub config_text: String,
}

/// A run of a sweep.
#[derive(Debug, Clone, Default)]
pub struct SweepPoint {
    /// Value of the setting.
    pub value: f64,
    /// Its figures, the same of every run, or nothing if the run failed.
    pub figures: Vec<Figure>,
    /// Why it failed.
    pub failure: Option<String>,
    /// Address of its own report.
    pub link: Option<String>,
}

/// A figure against the setting.
#[derive(Debug, Clone)]
pub struct SweepCurve {
    /// Heading.
    pub title: String,
    /// What it is.
    pub sentence: String,
    /// Name and unit.
    pub axis: Axis,
    /// A value per point, in its order; NaN where there is none.
    pub values: Vec<f64>,
    /// A published or required value with its name.
    pub level: Option<Level>,
}

impl SweepReport {
    /// The whole file.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        self.page().html()
    }

    /// The page, for those who want to add to it.
    pub fn page(&self) -> Page {
        let mut blocks: Vec<Block> = Vec::new();
        blocks.extend(self.curves.iter().filter_map(|curve| self.curve(curve)));
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
    fn curve(&self, curve: &SweepCurve) -> Option<Block> {
        if curve.values.iter().all(|value| value.is_nan()) {
            return None;
        }
        let x: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        let line = Series::line(&curve.axis.label, &x, &curve.values).marked(Mark::LineAndDots);
        let mut chart = Chart::over(
            &curve.title,
            &curve.sentence,
            self.parameter.clone(),
            curve.axis.clone(),
            vec![line],
        );
        chart.levels.extend(curve.level.clone());
        Some(chart.into())
    }

    fn table(&self) -> Block {
        let unit = match self.parameter.unit.as_str() {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let longest = self.points.iter().max_by_key(|point| point.figures.len());
        let known = longest.map_or(&[][..], |point| &point.figures);
        let mut columns = vec![format!("{}{unit}", self.parameter.label)];
        columns.extend(known.iter().map(|figure| figure.label.clone()));
        let last = if self.points.iter().any(|point| point.link.is_some()) {
            Some("report")
        } else {
            let failed = self.points.iter().any(|point| point.failure.is_some());
            failed.then_some("failure")
        };
        columns.extend(last.map(str::to_owned));
        let row = |point: &SweepPoint| {
            let mut cells = vec![Cell::setting(point.value)];
            cells.extend((0..known.len()).map(|i| match point.figures.get(i) {
                Some(figure) => Cell::figure(figure),
                None => Cell::number(f64::NAN, 1),
            }));
            cells.extend(last.map(|_| match (&point.link, &point.failure) {
                (_, Some(why)) => Cell::text(format!("failed: {why}")),
                (Some(link), None) => Cell::link("open", link),
                (None, None) => Cell::text(""),
            }));
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

    #[test]
    fn a_failed_run_is_a_row_and_a_gap() {
        let good = |value: f64| SweepPoint {
            value,
            figures: vec![Figure::number("peak force", 6.0 * value, 3, "N")],
            link: Some(format!("{value}/report.html")),
            failure: None,
        };
        let bad = SweepPoint {
            value: 2.0,
            failure: Some("diverged <at> 0.1 s".to_owned()),
            ..SweepPoint::default()
        };
        let curve = |title: &str, values: [f64; 3]| SweepCurve {
            title: title.to_owned(),
            sentence: String::new(),
            axis: Axis::new("peak force", "N"),
            values: values.to_vec(),
            level: None,
        };
        let report = SweepReport {
            title: "Sweep".to_owned(),
            lead: String::new(),
            warning: None,
            parameter: Axis::new("pitch", "°"),
            points: vec![good(1.0), bad, good(3.0)],
            curves: vec![
                curve("Peak force", [6.0, f64::NAN, 18.0]),
                curve("Settling time", [f64::NAN; 3]),
            ],
            config_text: String::new(),
        };
        let html = report.html().unwrap();
        assert!(html.contains("failed: diverged &lt;at&gt; 0.1 s"));
        assert!(html.contains("<a href=\"3/report.html\">open</a>"));
        assert!(html.contains("\"y\":[6.0,null,18.0]") && !html.contains("Settling time"));
        assert!(html.contains(">18.0 <small>N</small>"), "{html}");
    }
}
