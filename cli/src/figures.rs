//! The figures of a docking as people see them, and `softdock figures`, which lists them.

use crate::output;
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_docking::Summary;
use softdock_docking::figures::Figure;
use softdock_report::Axis;
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
    /// Prints a table in Markdown instead: key, unit, meaning
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let all = Summary::figures();
    if arguments.json {
        let all: Vec<Json> = all.into_iter().map(entry).collect();
        output::say_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.markdown {
        output::say(&markdown(&all))?;
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

/// The figures as a table of the guide.
fn markdown(all: &[&Figure]) -> String {
    let mut out = String::from(
        "# Figures of a docking\n\nA figure stands under its key in `summary.json`; in the table of a study \
         it is a column, or several where it is a list or a range.\n\n\
         | key | unit | meaning | columns |\n|---|---|---|---|\n",
    );
    for figure in all {
        let columns = figure.columns();
        let columns = match columns.as_slice() {
            [one] if *one == figure.key => String::new(),
            several => several
                .iter()
                .map(|one| format!("`{one}`"))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let (key, unit, meaning) = (figure.key, figure.unit, figure.meaning);
        out.push_str(&format!("| `{key}` | {unit} | {meaning} | {columns} |\n"));
    }
    out
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
