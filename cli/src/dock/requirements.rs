//! Requirements from files, and what a run says about them for people.

use crate::failure::BadInput;
use crate::input_file;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde::Deserialize;
use softdock_docking::figures::shown_unit;
use softdock_docking::requirement::{Bound, Quantity, find, validate};
use softdock_docking::{Figure, Requirement, Summary, Verdict, Verdicts};
use softdock_report::{ChartLimit, Level, LimitRow};
use std::path::Path;

/// Name and text of the requirements that come with the program.
const SHIPPED: [(&str, &str); 1] = [(
    "soft-capture-limits",
    include_str!("../../../scenarios/soft-capture-limits.toml"),
)];

/// A file of requirements and nothing else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    requirement: Vec<Requirement>,
}

/// The requirements of a file or of a name that comes with the program, checked.
pub fn read(path: &Path) -> Result<Vec<Requirement>> {
    let shown = path.display();
    let shipped = SHIPPED.iter().find(|(name, _)| Path::new(name) == path);
    let text = match shipped {
        Some((_, text)) if !path.is_file() => (*text).to_owned(),
        _ => input_file::read_text(path).map_err(|cause| {
            let names = SHIPPED.map(|(name, _)| name).join(", ");
            BadInput::new(format!(
                "cannot read the requirements of {shown}: {cause} (there come with the program: \
                 {names})"
            ))
        })?,
    };
    let refuse = |problem: String| BadInput::new(format!("{shown}: {problem}"));
    let file: File = toml::from_str(&text).map_err(|error| {
        refuse(format!(
            "not requirements: {}",
            error.to_string().trim_end()
        ))
    })?;
    validate(&file.requirement).map_err(|error| refuse(error.to_string()))?;
    Ok(file.requirement)
}

/// The figure that a verdict is about.
fn figure(verdict: &Verdict) -> Option<&'static Figure> {
    find(&verdict.figure).map(|found| found.figure)
}

/// A number of a figure in the unit in which it is shown, with that unit.
fn shown(figure: Option<&Figure>, unit: &'static str, value: f64) -> String {
    let (value, unit) = match figure {
        Some(figure) => (figure.scaled(value), figure.shown_unit),
        None => (value, shown_unit(unit)),
    };
    let value = significant(value, 4);
    match unit {
        "" => value,
        "°" => format!("{value}°"),
        unit => format!("{value} {unit}"),
    }
}

fn quantity(verdict: &Verdict, quantity: &Quantity) -> String {
    match quantity {
        Quantity::Number(number) => shown(figure(verdict), verdict.unit, *number),
        Quantity::Word(word) => word.replace('_', " "),
        Quantity::None => "–".to_owned(),
    }
}

/// A verdict as a row of a table.
fn row(verdict: &Verdict) -> LimitRow {
    let bound = match verdict.bound {
        Bound::Min => "≥ ",
        Bound::Max => "≤ ",
        Bound::Is => "",
    };
    let margin = verdict.margin.map_or_else(
        || "–".to_owned(),
        |margin| {
            let text = shown(figure(verdict), verdict.unit, margin);
            match verdict.relative() {
                Some(part) => format!("{text} ({} %)", significant(100.0 * part, 2)),
                None => text,
            }
        },
    );
    LimitRow {
        name: verdict.name.clone(),
        value: quantity(verdict, &verdict.value),
        limit: format!("{bound}{}", quantity(verdict, &verdict.limit)),
        margin,
        used: verdict.relative().map(|part| 1.0 - part),
        met: verdict.met,
        source: verdict.source.clone().unwrap_or_default(),
    }
}

/// Verdicts as rows of a table of a page.
pub fn rows(verdicts: &Verdicts) -> Vec<LimitRow> {
    verdicts.0.iter().map(row).collect()
}

/// Adds verdicts to a summary for the terminal.
pub fn add(out: &mut Text, summary: &Summary) {
    for (heading, verdicts) in [
        ("requirement", &summary.requirements),
        ("margin", &summary.margins),
    ] {
        for row in rows(verdicts) {
            let met = if row.met { "" } else { "  NOT MET" };
            let label = format!("{heading}: {}", row.name);
            let text = format!("of {}, {} left{met}", row.limit, row.margin);
            out.text(&label, row.value, &text);
        }
    }
}

/// The user's limits that can be drawn into charts.
pub fn chart_limits(requirements: &[Requirement]) -> Vec<ChartLimit> {
    let mut out = Vec::new();
    for requirement in requirements {
        let Some(figure) = find(&requirement.figure).map(|found| found.figure) else {
            continue;
        };
        let Some(chart) = figure.chart else { continue };
        let mut draw = |limit: f64, word: &str| {
            out.push(ChartLimit {
                chart: chart.to_owned(),
                level: Level {
                    value: figure.scaled(limit),
                    label: format!("{} ({word})", requirement.name),
                },
            });
        };
        for (limit, word) in [(requirement.min, "min"), (requirement.max, "max")] {
            let Some(limit) = limit else { continue };
            // Compression is the negative side of the axial force.
            let pushed = figure.key == Summary::peak_interface_compression_n.key;
            draw(if pushed { -limit } else { limit }, word);
            if figure.two_sided && limit != 0.0 {
                draw(-limit, word);
            }
        }
    }
    out
}
