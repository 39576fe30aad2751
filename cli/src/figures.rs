//! The figures of a docking as people see them, and `softdock figures`, which lists them.

use crate::output;
use crate::summary::significant;
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_docking::Summary;
use softdock_docking::figures::{Figure, Value};
use softdock_report::{Axis, Figure as Shown};
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
A figure stands under its key in summary.json; what follows on a dot is inside a table there. In the
table of a study a figure is a column: lists and ranges have several, named at the end of the line,
with N from 1 to the number of legs. `[keep] figure` and `batch rerun --worst` take columns.";

/// Arguments of `softdock figures`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Prints JSON instead of the list
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let all = Summary::figures();
    if arguments.json {
        let all: Vec<Json> = all.into_iter().map(entry).collect();
        output::say_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = |text: fn(&Figure) -> &str| {
        let widths = all.iter().map(|figure| text(figure).chars().count());
        widths.max().unwrap_or(0)
    };
    let (keys, units) = (width(|figure| figure.key), width(|figure| figure.unit));
    let line = |figure: &&Figure| {
        let (key, unit, meaning) = (figure.key, figure.unit, figure.meaning);
        let columns = figure.columns().join(", ");
        let columns = match columns {
            columns if columns == key => String::new(),
            columns => format!(" ({columns})"),
        };
        format!("{key:<keys$}  {unit:<units$}  {meaning}{columns}")
    };
    let lines: Vec<String> = all.iter().map(line).collect();
    output::say(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// A figure for programs.
fn entry(figure: &Figure) -> Json {
    json!({
        "key": figure.key,
        "unit": figure.unit,
        "label": figure.label,
        "meaning": figure.meaning,
        "columns": figure.columns(),
    })
}

/// Name and unit of an axis on which a figure is drawn.
pub fn axis(figure: &Figure) -> Axis {
    Axis::new(figure.label, figure.shown_unit)
}

/// Heading of a chart of a figure.
pub fn title(figure: &Figure) -> String {
    let mut title = figure.label.to_owned();
    title[..1].make_ascii_uppercase();
    title
}

/// A number in the unit in which a figure is shown, with its digits.
fn number(figure: &Figure, value: f64) -> String {
    significant(figure.scaled(value), figure.digits)
}

/// A figure for the terminal, without its unit; a dash if there is nothing to measure.
pub fn short(figure: &Figure, summary: &Summary) -> String {
    match figure.of(summary) {
        Value::Ends([low, high]) => {
            format!("{} … {}", number(figure, low), number(figure, high))
        }
        _ => figure
            .number(summary)
            .filter(|value| value.is_finite())
            .map_or_else(|| "-".to_owned(), |value| number(figure, value)),
    }
}

/// A figure for a page.
pub fn shown(figure: &Figure, summary: &Summary) -> Shown {
    let value = figure.of(summary);
    let list = |values: &[f64], between: &str| {
        let parts = values.iter().map(|&value| number(figure, value));
        let parts: Vec<String> = parts.map(|part| part.replace('-', "−")).collect();
        parts.join(between)
    };
    let (text, unit) = match &value {
        Value::Flag(true) => ("yes".to_owned(), ""),
        Value::Flag(false) => ("no".to_owned(), ""),
        Value::Word(word) => (word.replace('_', " "), ""),
        Value::Count(count) => (count.to_string(), ""),
        Value::Number(Some(value)) if value.is_finite() => {
            (number(figure, *value), figure.shown_unit)
        }
        Value::Number(_) => ("–".to_owned(), ""),
        Value::Ends(ends) => (list(ends, " … "), figure.shown_unit),
        Value::PerLeg(values) => (list(values, ", "), figure.shown_unit),
        Value::Reasons(reasons) if reasons.is_empty() => ("none".to_owned(), ""),
        Value::Reasons(reasons) => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            (reasons.join("; "), "")
        }
    };
    let label = match figure.group() {
        Some(group) => format!("{group}: {}", figure.label),
        None => figure.label.to_owned(),
    };
    Shown::text(&label, text, unit).keyed(figure.key, json!(value))
}

/// The figures at the top of a page.
pub fn headlines(summary: &Summary) -> Vec<Shown> {
    let all = Summary::figures().into_iter();
    let first = all.filter(|figure| figure.headline);
    first.map(|figure| shown(figure, summary)).collect()
}
