//! Runs to look at, and the map of a grid.

use super::data::{Data, Input};
use anyhow::Result;
use softdock_report::{Cell, Table, significant};
use softdock_study::description::Sampling;
use softdock_study::table::Column;

/// Runs in the table of the worst.
const WORST: usize = 10;
/// Failed runs that are listed.
const FAILURES: usize = 50;
/// Most columns of a map.
const MOST_COLUMNS: usize = 40;

/// All tables.
pub fn all(data: &Data<'_>) -> Result<Vec<Table>> {
    let mut out = Vec::new();
    out.extend(map(data));
    out.push(worst(data)?);
    out.extend(failures(data)?);
    Ok(out)
}

fn worst(data: &Data<'_>) -> Result<Table> {
    let mut order: Vec<usize> = (0..data.runs.len())
        .filter(|&i| data.force[i].is_finite())
        .collect();
    // Stable: of equal ones the earlier comes first.
    order.sort_by(|&a, &b| data.force[b].total_cmp(&data.force[a]));
    order.truncate(WORST);
    let capture_time = data.table.numbers("capture_time_s")?;
    let mut columns = ["run", "peak force [N]", "capture [s]", "time series"]
        .map(str::to_owned)
        .to_vec();
    columns.extend(data.inputs.iter().map(titled));
    let row = |&i: &usize| {
        let series = match &data.series[i] {
            Some(path) => Cell::link("CSV", path),
            None => Cell::text("–"),
        };
        let mut row = vec![
            named(data, i),
            Cell::number(data.force[i], 4),
            Cell::number(capture_time[i], 3),
            series,
        ];
        row.extend(data.inputs.iter().map(|input| value(input, i)));
        row
    };
    Ok(Table {
        title: "Largest peak contact forces".to_owned(),
        sentence: "Runs that were done again in full detail (softdock batch rerun) lead to their \
                   reports."
            .to_owned(),
        columns,
        rows: order.iter().map(row).collect(),
    })
}

/// An input with its unit.
fn titled(input: &Input) -> String {
    match &*input.axis.unit {
        "" => input.axis.label.clone(),
        unit => format!("{} [{unit}]", input.axis.label),
    }
}

/// A run by name, with its report if there is one.
fn named(data: &Data<'_>, i: usize) -> Cell {
    match &data.reports[i] {
        Some(path) => Cell::link(&data.labels[i], path),
        None => Cell::text(&data.labels[i]),
    }
}

fn value(input: &Input, i: usize) -> Cell {
    match input.column.get(i) {
        Some(softdock_study::Value::Real(x)) => Cell::number(x, 3),
        Some(other) => Cell::text(other.to_string()),
        None => Cell::text("–"),
    }
}

fn failures(data: &Data<'_>) -> Result<Option<Table>> {
    let Column::Text(errors) = data.table.column("error")? else {
        return Ok(None);
    };
    let failed = || {
        errors
            .iter()
            .enumerate()
            .filter(|(_, error)| error.is_some())
    };
    let count = failed().count();
    if count == 0 {
        return Ok(None);
    }
    let row = |(i, error): (usize, &Option<String>)| {
        vec![
            named(data, i),
            Cell::text(error.clone().unwrap_or_default()),
        ]
    };
    let sentence = if count > FAILURES {
        format!("The first {FAILURES} of {count}; the table of the study has all.")
    } else {
        "These runs could not be completed.".to_owned()
    };
    Ok(Some(Table {
        title: "Failed runs".to_owned(),
        sentence,
        columns: vec!["run".to_owned(), "why".to_owned()],
        rows: failed().take(FAILURES).map(row).collect(),
    }))
}

/// The peak force on a grid of two inputs.
fn map(data: &Data<'_>) -> Option<Table> {
    let [mut across, mut down] = data.inputs.iter().collect::<Vec<&Input>>()[..] else {
        return None;
    };
    if data.plan.study().sampling != Sampling::Grid {
        return None;
    }
    let levels = |input: &Input| {
        let mut levels = input.column.numbers()?;
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        Some(levels)
    };
    let (mut columns, mut rows) = (levels(across)?, levels(down)?);
    if columns.len() > rows.len() {
        // Pages are easier to scroll down than across.
        std::mem::swap(&mut across, &mut down);
        std::mem::swap(&mut columns, &mut rows);
    }
    if columns.len() > MOST_COLUMNS {
        return None;
    }
    let (x, y) = (across.column.numbers()?, down.column.numbers()?);
    let cell = |row: f64, column: f64| {
        let found = (0..data.runs.len()).find(|&i| x[i] == column && y[i] == row);
        let Some(i) = found.filter(|&i| data.force[i].is_finite()) else {
            return Cell::text("–");
        };
        let mut text = significant(data.force[i], 3);
        if data.captured[i] == Some(true) {
            text.push_str("\u{a0}•");
        }
        match &data.reports[i] {
            Some(path) => Cell::link(text, path),
            None => Cell::text(text),
        }
    };
    let corner = format!("{}; across: {}", titled(down), titled(across));
    let mut names = vec![corner];
    // Levels of a range carry rounding errors that nobody wants to read.
    names.extend(
        columns
            .iter()
            .map(|&x| format!("{}", (1e9 * x).round() / 1e9)),
    );
    let line = |row: &f64| {
        let mut cells = vec![Cell::setting(*row)];
        cells.extend(columns.iter().map(|&column| cell(*row, column)));
        cells
    };
    Some(Table {
        title: "Map of the peak contact force [N]".to_owned(),
        sentence: "A dot marks a capture.".to_owned(),
        columns: names,
        rows: rows.iter().map(line).collect(),
    })
}
