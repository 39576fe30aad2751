//! The table of a run against another one: `--compare FILE.csv`.
//!
//! Columns with the same name are compared at the times of the table with fewer rows, the other one taken
//! linearly between its rows; differences count against the largest size of the column in the other table.

use crate::failure::BadInput;
use crate::input_file;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Names that a column of times may have.
const TIMES: [&str; 3] = ["time_s", "time", "t"];

/// How two tables differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The other table.
    pub file: PathBuf,
    /// Columns with the same name.
    pub columns: usize,
    /// Rows that were compared.
    pub rows: usize,
    /// Largest difference over the size of its column [-].
    pub largest: f64,
    /// The column that it is in.
    pub variable: String,
    /// When it was [s].
    pub time_s: f64,
    /// What is allowed [-].
    pub tolerance: f64,
}

impl Comparison {
    /// Whether the difference is allowed.
    pub fn same(&self) -> bool {
        self.largest <= self.tolerance
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let Self {
            columns,
            rows,
            largest,
            variable,
            time_s,
            tolerance,
            ..
        } = self;
        format!(
            "{columns} columns in {rows} rows differ from {} by at most {largest:.2e} of a column's size \
             ({variable} at {time_s} s; allowed {tolerance:e})",
            self.file.display()
        )
    }
}

/// A table of numbers.
struct Numbers {
    names: Vec<String>,
    /// Position of the times among the columns.
    time: usize,
    rows: Vec<Vec<f64>>,
}

impl Numbers {
    /// Texts that are no numbers read as NaN: such columns are not compared.
    fn read(path: &Path) -> Result<Self, BadInput> {
        let wrong = |problem: String| BadInput::new(format!("{}: {problem}", path.display()));
        let text = input_file::read_text(path).map_err(|error| wrong(error.to_string()))?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| wrong(error.to_string()))?;
        let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        let time = names.iter().position(|name| TIMES.contains(&name.as_str()));
        let time = time.ok_or_else(|| wrong("there is no column time_s, time or t".to_owned()))?;
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(error.to_string()))?;
            let number = |text: &str| text.trim().parse().unwrap_or(f64::NAN);
            rows.push(row.iter().map(number).collect::<Vec<f64>>());
        }
        let ordered = rows.windows(2).all(|pair| pair[0][time] <= pair[1][time]);
        if rows.is_empty() || !ordered || rows.iter().any(|row| row[time].is_nan()) {
            return Err(wrong("times must be numbers in rising order".to_owned()));
        }
        Ok(Self { names, time, rows })
    }

    /// A column at a time within the table, linearly between rows.
    fn at(&self, column: usize, time: f64) -> f64 {
        let next = self.rows.partition_point(|row| row[self.time] < time);
        let next = next.min(self.rows.len() - 1);
        let (after, before) = (&self.rows[next], &self.rows[next.saturating_sub(1)]);
        let (t0, t1) = (before[self.time], after[self.time]);
        if t1 <= t0 || time >= t1 {
            return after[column];
        }
        let share = (time - t0) / (t1 - t0);
        before[column] + share * (after[column] - before[column])
    }

    /// Largest size of a column; none if it has what is no number.
    fn size(&self, column: usize) -> Option<f64> {
        let values = self.rows.iter().map(|row| row[column].abs());
        let largest = values.fold(0.0, |m: f64, v| if v.is_nan() { v } else { m.max(v) });
        largest.is_finite().then_some(largest)
    }
}

/// Compares the table at `own` with the one at `other`.
pub fn compare(own: &Path, other: &Path, tolerance: f64) -> Result<Comparison, BadInput> {
    let (ours, theirs) = (Numbers::read(own)?, Numbers::read(other)?);
    let mut out = Comparison {
        file: other.to_owned(),
        columns: 0,
        rows: 0,
        largest: 0.0,
        variable: String::new(),
        time_s: 0.0,
        tolerance,
    };
    let span = |table: &Numbers| {
        let time = |row: Option<&Vec<f64>>| row.map_or(f64::NAN, |row| row[table.time]);
        (time(table.rows.first()), time(table.rows.last()))
    };
    let ((a, b), (c, d)) = (span(&ours), span(&theirs));
    let (first, last) = (a.max(c), b.min(d));
    // Times that were added up differ in their last digits.
    let slack = 1e-9 * (last - first).max(f64::MIN_POSITIVE);
    let coarse = if theirs.rows.len() < ours.rows.len() {
        &theirs
    } else {
        &ours
    };
    let times = coarse.rows.iter().map(|row| row[coarse.time]);
    let times: Vec<f64> = times
        .filter(|time| (first - slack..=last + slack).contains(time))
        .collect();
    out.rows = times.len();
    for (i, name) in ours
        .names
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != ours.time)
    {
        let column = theirs.names.iter().position(|other| other == name);
        let Some((column, size)) = column.and_then(|at| Some((at, theirs.size(at)?))) else {
            continue;
        };
        out.columns += 1;
        let size = if size > 0.0 { size } else { 1.0 };
        for &time in &times {
            let difference = (ours.at(i, time) - theirs.at(column, time)).abs() / size;
            // What is no number differs from every number.
            if difference.is_nan() || difference > out.largest {
                (out.largest, out.time_s) = (difference, time);
                out.variable.clone_from(name);
            }
        }
    }
    if out.columns == 0 || out.rows == 0 {
        return Err(BadInput::new(format!(
            "--compare {}: no column and time in common with the run",
            other.display()
        )));
    }
    Ok(out)
}
