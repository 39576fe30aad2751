//! Tables of inputs over time.

use crate::failure::BadInput;
use crate::input_file;
use anyhow::{Context, Result};
use multibody::model::Interpolation;
use softdock_figures::column::TIME;
use std::path::Path;

/// What is between the rows of a table of inputs.
#[derive(Debug, Clone, clap::Args)]
pub struct InterpolationArgs {
    /// Between the rows of --input: `linear` (straight lines), `cubic` (a smooth monotone curve) or
    /// `hold` (every row holds until the next). Outside, the first and last row are held
    /// [default: linear]
    #[arg(long, value_name = "KIND", requires = "input", value_parser = interpolation)]
    interpolation: Option<Interpolation>,
}

impl InterpolationArgs {
    /// What is between the rows.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation.unwrap_or_default()
    }

    /// Refuses a column that prescribes a motion whose speed would jump at its rows.
    pub fn check_smooth(&self, column: &str) -> Result<(), BadInput> {
        let interpolation = self.interpolation();
        if interpolation == Interpolation::Cubic {
            return Ok(());
        }
        Err(BadInput::new(format!(
            "{column} prescribes a motion, whose speed would jump at the rows of the table: add \
             --interpolation cubic"
        )))
    }
}

/// An interpolation by its name.
fn interpolation(text: &str) -> Result<Interpolation, String> {
    let kinds = [
        Interpolation::Linear,
        Interpolation::Cubic,
        Interpolation::Hold,
    ];
    let mut named = Interpolation::NAMES.into_iter().zip(kinds);
    named
        .find(|(name, _)| *name == text)
        .map(|(_, kind)| kind)
        .ok_or_else(|| format!("it must be one of {}", Interpolation::NAMES.join(", ")))
}

/// Columns of numbers over time.
#[derive(Debug)]
pub struct InputTable {
    /// Times [s].
    pub times: Vec<f64>,
    /// Names and values of the other columns.
    pub columns: Vec<(String, Vec<f64>)>,
    /// Texts, whose numbers stand in their columns.
    pub texts: Vec<String>,
}

/// Names that the column of time may have; tables that the program writes have the first.
const TIMES: [&str; 3] = [TIME, "time", "t"];

/// Reads a table with a column `time_s` and any of the columns `known`.
pub fn read(path: &Path, known: &[&str]) -> Result<InputTable> {
    read_with(path, |name| refuse_unknown(name, known))
}

/// Reads a table with a column `time_s` and others, whose names `check` refuses or not.
pub fn read_with(
    path: &Path,
    mut check: impl FnMut(&str) -> Result<(), BadInput>,
) -> Result<InputTable> {
    read_cells(path, |name| check(name).map(|()| Cells::Numbers))
}

/// What the cells of a column are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cells {
    /// Finite numbers.
    Numbers,
    /// Whole numbers of 32 bits, or names that stand for them.
    Whole(Vec<(String, i32)>),
    /// `true` or `false`, 1 or 0.
    Truth,
    /// Anything.
    Texts,
}

impl Cells {
    /// The number of a cell, or what it should be. A text is numbered by `texts`.
    fn number(&self, cell: &str, texts: &mut Vec<String>) -> Result<f64, &'static str> {
        match self {
            Self::Numbers => {
                let value = cell.parse::<f64>().ok();
                value
                    .filter(|value| value.is_finite())
                    .ok_or("a finite number")
            }
            Self::Whole(names) => {
                let named = names.iter().find(|(name, _)| name == cell);
                let named = named.map(|(_, value)| f64::from(*value));
                let whole = |value: &f64| {
                    value.fract() == 0.0
                        && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(value)
                };
                let number = || cell.parse::<f64>().ok().filter(whole);
                named.or_else(number).ok_or("a whole number of 32 bits")
            }
            Self::Truth => match cell {
                "true" => Ok(1.0),
                "false" => Ok(0.0),
                _ => {
                    let number = cell.parse::<f64>().ok();
                    number
                        .filter(|&it| it == 0.0 || it == 1.0)
                        .ok_or("true or false")
                }
            },
            Self::Texts => {
                texts.push(cell.to_owned());
                Ok((texts.len() - 1) as f64)
            }
        }
    }
}

/// Reads a table whose columns `check` refuses, or says what their cells are.
pub fn read_cells(
    path: &Path,
    check: impl FnMut(&str) -> Result<Cells, BadInput>,
) -> Result<InputTable> {
    let file = input_file::open(path)
        .map_err(|error| BadInput::new(format!("cannot read {}: {error}", path.display())))?;
    parse_cells(file, check).with_context(|| format!("input table {}", path.display()))
}

fn refuse_unknown(name: &str, known: &[&str]) -> Result<(), BadInput> {
    if known.contains(&name) {
        return Ok(());
    }
    Err(BadInput::new(format!(
        "unknown column `{name}`; there are {TIME}, {}",
        known.join(", ")
    )))
}

/// Reads a table from its text.
pub fn parse_cells(
    source: impl std::io::Read,
    mut check: impl FnMut(&str) -> Result<Cells, BadInput>,
) -> Result<InputTable, BadInput> {
    let bad = |message: String| Err(BadInput::new(message));
    let broken = |error: csv::Error| BadInput::new(error.to_string());
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(source);
    let header = reader.headers().map_err(broken)?.clone();
    let Some(time) = header.iter().position(|name| TIMES.contains(&name)) else {
        return bad(format!("the column {TIME} (time in seconds) is missing"));
    };
    let mut cells = vec![Cells::Numbers; header.len()];
    for (position, name) in header.iter().enumerate() {
        if position != time {
            cells[position] = check(name)?;
        }
    }
    if header.len() < 2 {
        return bad(format!("there is no column beside {TIME}"));
    }
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); header.len()];
    let mut texts = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, csv::Position::line);
        let row = record.iter().zip(&mut columns).zip(&cells).zip(&header);
        for (((text, values), cells), name) in row {
            match cells.number(text, &mut texts) {
                Ok(value) => values.push(value),
                Err(wanted) => {
                    let what = format!("`{name}` is `{text}`, not {wanted}");
                    return bad(format!("line {line}: {what}"));
                }
            }
        }
        if let [.., before, last] = columns[time][..]
            && last <= before
        {
            let what = format!("{TIME} = {last} does not come after {before}");
            return bad(format!("line {line}: {what}"));
        }
    }
    if columns[time].is_empty() {
        return bad("there are no rows".to_owned());
    }
    let times = columns.remove(time);
    let names = header.iter().enumerate();
    let names = names.filter(|(position, _)| *position != time);
    let names = names.map(|(_, name)| name.to_owned());
    Ok(InputTable {
        times,
        columns: names.zip(columns).collect(),
        texts,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = ["crank_torque_nm", "load_x_n"];

    fn table(text: &str) -> Result<InputTable, BadInput> {
        parse_cells(text.as_bytes(), |name| {
            refuse_unknown(name, &KNOWN).map(|()| Cells::Numbers)
        })
    }

    #[test]
    fn a_table_becomes_histories() {
        for time in TIMES {
            let text = format!("{time}, load_x_n,crank_torque_nm\n0,1,2\n0.5,3,4e0\n");
            let table = table(&text).unwrap();
            assert_eq!(table.times, [0.0, 0.5]);
            assert_eq!(table.columns[0], ("load_x_n".to_owned(), vec![1.0, 3.0]));
            assert_eq!(
                table.columns[1],
                ("crank_torque_nm".to_owned(), vec![2.0, 4.0])
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("t,load_z_n\n0,1\n", "unknown column `load_z_n`"),
            ("load_x_n\n0\n", "column time_s"),
            ("t\n0\n", "no column beside time_s"),
            ("t,load_x_n\n", "no rows"),
            ("t,load_x_n\n0,abc\n", "line 2: `load_x_n` is `abc`"),
            ("t,load_x_n\n0,nan\n", "not a finite number"),
            (
                "t,load_x_n\n0,1\n0,2\n",
                "line 3: time_s = 0 does not come after 0",
            ),
            ("t,load_x_n\n0,1,2\n", "found record with 3 fields"),
        ];
        for (text, expected) in cases {
            let message = table(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
