//! Runs to look at, and the map of a grid.

use super::data::{Data, Input};
use crate::batch::results::{Group, Results};
use anyhow::Result;
use softdock_docking::{Outcome, Summary};
use softdock_report::{Cell, Table, significant};
use softdock_study::description::Sampling;
use softdock_study::table::Column;

/// Runs in the table of the worst.
const WORST: usize = 10;
/// Failed and suspect runs that are listed.
const LISTED: usize = 50;
/// Most columns of a map.
const MOST_COLUMNS: usize = 40;

/// All tables.
pub fn all(data: &Data<'_>, results: &Results) -> Result<Vec<Table>> {
    let mut out = vec![outcomes(results)];
    out.extend(map(data));
    out.push(worst(data)?);
    out.extend(suspects(data));
    out.extend(failures(data)?);
    Ok(out)
}

/// How many runs ended in which way, and how hard they were.
fn outcomes(results: &Results) -> Table {
    let row = |group: &Group| {
        let quantile = |wanted: f64| {
            let force = group.force.as_ref()?;
            let found = force.quantiles.iter().find(|(p, _)| *p == wanted);
            found.map(|(_, value)| *value)
        };
        let largest = group.force.as_ref().map(|force| force.max);
        let number = |value: Option<f64>| Cell::number(value.unwrap_or(f64::NAN), 4);
        vec![
            Cell::text(group.outcome.to_string()),
            Cell::text(group.count.to_string()),
            number(quantile(0.5)),
            number(quantile(0.95)),
            number(largest),
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
    let columns = [
        "outcome",
        "runs",
        "median peak force [N]",
        "95 % below [N]",
        "largest [N]",
    ];
    Table {
        title: "Outcomes".to_owned(),
        sentence:
            "Sound runs by what became of them; suspect and failed ones count in no statistic \
                   of this page."
                .to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

/// The suspect runs and why they are.
fn suspects(data: &Data<'_>) -> Option<Table> {
    let found = || data.doubts.iter().enumerate();
    let found = || found().filter_map(|(i, doubts)| Some((i, doubts.as_ref()?)));
    let count = found().count();
    let row = |(i, doubts): (usize, &String)| vec![named(data, i), Cell::text(doubts.clone())];
    (count > 0).then(|| Table {
        title: "Suspect runs".to_owned(),
        sentence: listed(
            count,
            "These runs were computed, but must not be used as they are.",
        ),
        columns: vec!["run".to_owned(), "reasons".to_owned()],
        rows: found().take(LISTED).map(row).collect(),
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
        .filter(|&i| data.force[i].is_finite())
        .collect();
    // Stable: of equal ones the earlier comes first.
    order.sort_by(|&a, &b| data.force[b].total_cmp(&data.force[a]));
    order.truncate(WORST);
    let capture_time = data.table.numbers(Summary::capture_time_s.key)?;
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
    Ok(Some(Table {
        title: "Failed runs".to_owned(),
        sentence: listed(count, "These runs could not be completed."),
        columns: vec!["run".to_owned(), "why".to_owned()],
        rows: failed().take(LISTED).map(row).collect(),
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
        let Some(i) = found else {
            return Cell::text("–");
        };
        let mut text = match data.outcome[i] {
            _ if data.doubts[i].is_some() => "suspect".to_owned(),
            Some(Outcome::NeverTouched) => "no touch".to_owned(),
            None => "failed".to_owned(),
            Some(_) if data.force[i].is_finite() => significant(data.force[i], 3),
            Some(_) => "–".to_owned(),
        };
        if data.outcome[i] == Some(Outcome::Captured) {
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
