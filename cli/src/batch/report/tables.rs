//! Runs to look at, and the map of a grid.

use super::data::{Data, Input};
use crate::batch::results::{Group, Results};
use anyhow::Result;
use softdock_docking::{Outcome, Summary};
use softdock_report::{Axis, Cell, Table, significant};
use softdock_study::description::Sampling;
use softdock_study::statistics::quantile;
use softdock_study::table::Column;

/// Runs in the table of the worst.
const WORST: usize = 10;
/// Failed and suspect runs that are listed.
const LISTED: usize = 50;
/// Most columns of a map.
const MOST_COLUMNS: usize = 40;

/// All tables.
pub fn all(data: &Data<'_>, results: &Results) -> Result<Vec<Table>> {
    let mut out = vec![outcomes(data, results)];
    out.extend(map(data)?);
    out.push(worst(data)?);
    out.extend(suspects(data));
    out.extend(failures(data)?);
    Ok(out)
}

/// How many runs ended in which way, and how hard they were.
fn outcomes(data: &Data<'_>, results: &Results) -> Table {
    let row = |group: &Group| {
        let pairs = data.main_values.iter().zip(&data.outcome);
        let own = pairs.filter(|(_, outcome)| **outcome == Some(group.outcome));
        let values: Vec<f64> = own.map(|(value, _)| data.main.scaled(*value)).collect();
        let at = |share: f64| Cell::number(quantile(&values, share).unwrap_or(f64::NAN), 4);
        vec![
            Cell::text(group.outcome.to_string()),
            Cell::text(group.count.to_string()),
            at(0.5),
            at(0.95),
            at(1.0),
        ]
    };
    let none = || Cell::number(f64::NAN, 1);
    let left_out = |name: &str, count: u64| {
        let count = Cell::text(count.to_string());
        vec![Cell::text(name), count, none(), none(), none()]
    };
    let mut rows: Vec<Vec<Cell>> = results.groups.iter().map(row).collect();
    rows.push(left_out("suspect (left out)", results.suspect));
    rows.push(left_out("failed (left out)", results.failed));
    let name = titled(&data.main.axis());
    let columns = [
        "outcome".to_owned(),
        "runs".to_owned(),
        format!("median {name}"),
        "95 % below".to_owned(),
        "largest".to_owned(),
    ];
    Table {
        title: "Outcomes".to_owned(),
        sentence:
            "Sound runs by what became of them; suspect and failed ones count in no statistic \
                   of this page."
                .to_owned(),
        columns: columns.to_vec(),
        rows,
    }
}

/// The suspect runs and why they are.
fn suspects(data: &Data<'_>) -> Option<Table> {
    let count = data.doubts.len();
    let row = |(i, doubts): (&usize, &String)| vec![named(data, *i), Cell::text(doubts.clone())];
    (count > 0).then(|| Table {
        title: "Suspect runs".to_owned(),
        sentence: listed(
            count,
            "These runs were computed, but must not be used as they are.",
        ),
        columns: vec!["run".to_owned(), "reasons".to_owned()],
        rows: data.doubts.iter().take(LISTED).map(row).collect(),
    })
}

/// What is said above a list of `count` runs, of which some may be left out.
fn listed(count: usize, all: &str) -> String {
    if count > LISTED {
        format!("The first {LISTED} of {count}; the table of the study has all.")
    } else {
        all.to_owned()
    }
}

fn worst(data: &Data<'_>) -> Result<Table> {
    let mut order: Vec<usize> = (0..data.runs.len())
        .filter(|&i| !data.main_values[i].is_nan())
        .collect();
    // Stable: of equal ones the earlier comes first.
    order.sort_by(|&a, &b| data.main_values[b].total_cmp(&data.main_values[a]));
    order.truncate(WORST);
    // A study of formulas has no such time.
    let capture_time = data.table.numbers(Summary::capture_time_s.key);
    let capture_time = |i: usize| capture_time.as_ref().map_or(f64::NAN, |times| times[i]);
    let name = titled(&data.main.axis());
    let mut columns = ["run", &name, "capture [s]", "time series"]
        .map(str::to_owned)
        .to_vec();
    columns.extend(data.inputs.iter().map(|input| titled(&input.axis)));
    let inputs = data
        .inputs
        .iter()
        .map(|input| {
            let column = data.column(input)?;
            Ok(order.iter().map(|&i| value(&column, i)).collect())
        })
        .collect::<Result<Vec<Vec<Cell>>>>()?;
    let row = |(place, &i): (usize, &usize)| {
        let series = match data.series(i) {
            Some(path) => Cell::link("CSV", path),
            None => Cell::text("–"),
        };
        let mut row = vec![
            named(data, i),
            Cell::number(data.main.scaled(data.main_values[i]), 4),
            Cell::number(capture_time(i), 3),
            series,
        ];
        row.extend(inputs.iter().map(|column| column[place].clone()));
        row
    };
    Ok(Table {
        title: format!("Largest {}", data.main.label),
        sentence: "Runs that were done again in full detail (softdock batch rerun) lead to their \
                   reports."
            .to_owned(),
        columns,
        rows: order.iter().enumerate().map(row).collect(),
    })
}

/// An input with its unit.
fn titled(axis: &Axis) -> String {
    match &*axis.unit {
        "" => axis.label.clone(),
        unit => format!("{} [{unit}]", axis.label),
    }
}

/// A run by name, with its report if there is one.
fn named(data: &Data<'_>, i: usize) -> Cell {
    match data.report(i) {
        Some(path) => Cell::link(data.label(i), path),
        None => Cell::text(data.label(i)),
    }
}

fn value(column: &Column, i: usize) -> Cell {
    match column.get(i) {
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
    Ok(Some(Table {
        title: "Failed runs".to_owned(),
        sentence: listed(count, "These runs could not be completed."),
        columns: vec!["run".to_owned(), "why".to_owned()],
        rows: failed().take(LISTED).map(row).collect(),
    }))
}

/// The peak force on a grid of two inputs.
fn map(data: &Data<'_>) -> Result<Option<Table>> {
    let [mut across, mut down] = data.inputs.iter().collect::<Vec<&Input>>()[..] else {
        return Ok(None);
    };
    if data.plan.study().sampling != Sampling::Grid {
        return Ok(None);
    }
    let numbers = |input: &Input| anyhow::Ok(data.column(input)?.numbers());
    let (Some(mut x), Some(mut y)) = (numbers(across)?, numbers(down)?) else {
        return Ok(None);
    };
    let levels = |values: &[f64]| {
        let mut levels = values.to_vec();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    };
    let (mut columns, mut rows) = (levels(&x), levels(&y));
    if columns.len() > rows.len() {
        // Pages are easier to scroll down than across.
        std::mem::swap(&mut across, &mut down);
        std::mem::swap(&mut columns, &mut rows);
        std::mem::swap(&mut x, &mut y);
    }
    if columns.len() > MOST_COLUMNS {
        return Ok(None);
    }
    let cell = |row: f64, column: f64| {
        let found = (0..data.runs.len()).find(|&i| x[i] == column && y[i] == row);
        let Some(i) = found else {
            return Cell::text("–");
        };
        let mut text = match data.outcome[i] {
            _ if data.doubts.contains_key(&i) => "suspect".to_owned(),
            Some(Outcome::NeverTouched) => "no touch".to_owned(),
            None => "failed".to_owned(),
            Some(_) if !data.main_values[i].is_nan() => {
                significant(data.main.scaled(data.main_values[i]), 3)
            }
            Some(_) => "–".to_owned(),
        };
        if data.outcome[i] == Some(Outcome::Captured) {
            text.push_str("\u{a0}•");
        }
        match data.report(i) {
            Some(path) => Cell::link(text, path),
            None => Cell::text(text),
        }
    };
    let corner = format!("{}; across: {}", titled(&down.axis), titled(&across.axis));
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
    Ok(Some(Table {
        title: format!("Map of {}", titled(&data.main.axis())),
        sentence: "A dot marks a capture.".to_owned(),
        columns: names,
        rows: rows.iter().map(line).collect(),
    }))
}
