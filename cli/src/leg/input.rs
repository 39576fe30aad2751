//! Input histories from a table.

use super::BadInput;
use crate::input_file;
use anyhow::{Context, Result};
use leg_core::LegConfig;
use leg_core::config::{History, MotorMode, Shape};
use multibody::model::Interpolation;
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
pub fn interpolation(text: &str) -> Result<Interpolation, String> {
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

/// Columns that a table may have beside `t` [s].
pub const COLUMNS: [&str; 5] = [
    "crank_torque_nm",
    "link_torque_nm",
    "load_x_n",
    "load_y_n",
    "crank_angle_rad",
];

/// Reads a table with a column `t` [s] and any of [`COLUMNS`] and makes them the histories of
/// `config`.
pub fn apply(path: &Path, between: &InterpolationArgs, config: &mut LegConfig) -> Result<()> {
    let interpolation = between.interpolation();
    let table = read(path, &COLUMNS)?;
    for (name, values) in table.columns {
        let times_s = table.times.clone();
        let history = History::Shape(Shape::Table {
            times_s,
            values,
            interpolation,
        });
        let target = match name.as_str() {
            "crank_torque_nm" => &mut config.motor.torque_nm,
            "link_torque_nm" => &mut config.load.torque_nm,
            "load_x_n" => &mut config.load.force_x_n,
            "load_y_n" => &mut config.load.force_y_n,
            _ => {
                if !matches!(config.motor.mode, MotorMode::Angle | MotorMode::Hold) {
                    return Err(BadInput::new(needs_following(path, &name)).into());
                }
                if config.motor.mode == MotorMode::Angle {
                    between.check_smooth(&name)?;
                }
                &mut config.motor.angle_rad
            }
        };
        *target = history;
    }
    Ok(())
}

/// The complaint about a column of angles that no motor follows.
pub fn needs_following(path: &Path, column: &str) -> String {
    format!(
        "{}: {column} needs a motor that follows it: add --set motor.mode=angle or --set \
         motor.mode=hold",
        path.display()
    )
}

/// Columns of numbers over time.
pub struct InputTable {
    /// Times [s].
    pub times: Vec<f64>,
    /// Names and values of the other columns.
    pub columns: Vec<(String, Vec<f64>)>,
}

/// Reads a table with a column `t` [s] and any of the columns `known`.
pub fn read(path: &Path, known: &[&str]) -> Result<InputTable> {
    let file = input_file::open(path)
        .map_err(|error| BadInput::new(format!("cannot read {}: {error}", path.display())))?;
    parse(file, known).with_context(|| format!("input table {}", path.display()))
}

fn parse(source: impl std::io::Read, known: &[&str]) -> Result<InputTable, BadInput> {
    let bad = |message: String| Err(BadInput::new(message));
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(source);
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return bad(error.to_string()),
    };
    for name in &header {
        if name != "t" && !known.contains(&name) {
            return bad(format!(
                "unknown column `{name}`; there are t, {}",
                known.join(", ")
            ));
        }
    }
    let Some(time) = header.iter().position(|name| name == "t") else {
        return bad("the column t (time in seconds) is missing".to_owned());
    };
    if header.len() < 2 {
        return bad(format!(
            "there is no column beside t; add any of {}",
            known.join(", ")
        ));
    }
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); header.len()];
    for record in reader.records() {
        let record = record.map_err(|error| BadInput::new(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        for ((text, values), name) in record.iter().zip(&mut columns).zip(&header) {
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => values.push(value),
                _ => {
                    return bad(format!(
                        "line {line}: `{name}` is `{text}`, not a finite number"
                    ));
                }
            }
        }
        if let [.., before, last] = columns[time][..]
            && last <= before
        {
            return bad(format!(
                "line {line}: t = {last} does not come after {before}"
            ));
        }
    }
    let times = columns[time].clone();
    if times.is_empty() {
        return bad("there are no rows".to_owned());
    }
    let names = header.iter().map(str::to_owned);
    let columns = names.zip(columns).filter(|(name, _)| name != "t").collect();
    Ok(InputTable { times, columns })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_histories() {
        let table = parse(
            "t, load_x_n,crank_torque_nm\n0,1,2\n0.5,3,4e0\n".as_bytes(),
            &COLUMNS,
        )
        .unwrap();
        assert_eq!(table.times, [0.0, 0.5]);
        assert_eq!(table.columns[0], ("load_x_n".to_owned(), vec![1.0, 3.0]));
        assert_eq!(
            table.columns[1],
            ("crank_torque_nm".to_owned(), vec![2.0, 4.0])
        );
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("t,load_z_n\n0,1\n", "unknown column `load_z_n`"),
            ("load_x_n\n0\n", "column t"),
            ("t\n0\n", "no column beside t"),
            ("t,load_x_n\n", "no rows"),
            ("t,load_x_n\n0,abc\n", "line 2: `load_x_n` is `abc`"),
            ("t,load_x_n\n0,nan\n", "not a finite number"),
            (
                "t,load_x_n\n0,1\n0,2\n",
                "line 3: t = 0 does not come after 0",
            ),
            ("t,load_x_n\n0,1,2\n", "found record with 3 fields"),
        ];
        for (text, expected) in cases {
            let message = parse(text.as_bytes(), &COLUMNS).err().unwrap().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
