//! Inputs over time, from a table.

use super::assignment::find;
use crate::failure::BadInput;
use crate::input_file;
use anyhow::{Context, Result};
use multibody::model::Interpolation;
use softdock_fmi::import::{FmuInstance, ImportError};
use softdock_xml::{Causality, ModelDescription, ScalarVariable, VariableType};
use std::path::Path;

/// Inputs over time.
#[derive(Debug)]
pub struct InputTable {
    times: Vec<f64>,
    columns: Vec<Column>,
    interpolates: bool,
    interpolation: Interpolation,
}

#[derive(Debug)]
struct Column {
    reference: u32,
    kind: Kind,
    values: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    Boolean,
}

impl InputTable {
    /// Reads a table with a column `time` or `t` and one per input.
    pub fn read(
        path: &Path,
        interpolation: Interpolation,
        description: &ModelDescription,
    ) -> Result<Self> {
        let file = input_file::open(path)
            .map_err(|error| BadInput::new(format!("cannot read {}: {error}", path.display())))?;
        let table =
            parse(file, description).with_context(|| format!("input table {}", path.display()))?;
        Ok(Self {
            interpolation,
            ..table
        })
    }

    /// Sets the inputs at `time`, and their slopes over a step of this length if the FMU can use
    /// them.
    pub fn apply(
        &self,
        instance: &mut FmuInstance,
        time: f64,
        length: Option<f64>,
    ) -> Result<(), ImportError> {
        for column in &self.columns {
            let reference = [column.reference];
            match column.kind {
                Kind::Real => {
                    let value = self.at(column, time);
                    instance.set_real(&reference, &[value])?;
                    if let Some(length) = length.filter(|_| self.interpolates) {
                        // What holds has no slope, also where the next row is near.
                        let slope = match self.interpolation {
                            Interpolation::Hold => 0.0,
                            _ => (self.at(column, time + length) - value) / length,
                        };
                        instance.set_input_derivatives(&reference, &[1], &[slope])?;
                    }
                }
                Kind::Integer => {
                    instance.set_integer(&reference, &[self.held(column, time) as i32])?;
                }
                Kind::Boolean => {
                    instance.set_boolean(&reference, &[self.held(column, time) != 0.0])?;
                }
            }
        }
        Ok(())
    }

    /// Rows at or before `time`.
    fn rows_until(&self, time: f64) -> usize {
        self.times.partition_point(|&row| row <= time)
    }

    fn at(&self, column: &Column, time: f64) -> f64 {
        let (value, ..) = self.interpolation.sample(&self.times, &column.values, time);
        value
    }

    /// The last row's value.
    fn held(&self, column: &Column, time: f64) -> f64 {
        column.values[self.rows_until(time).saturating_sub(1)]
    }
}

fn kind_of(variable: &ScalarVariable) -> Result<Kind, BadInput> {
    let name = &variable.name;
    if variable.causality != Causality::Input {
        let causality = variable.causality;
        let message = format!("`{name}` is no input but {causality}");
        return Err(BadInput::new(message));
    }
    match variable.variable_type {
        VariableType::Real(_) => Ok(Kind::Real),
        VariableType::Integer(_) | VariableType::Enumeration(_) => Ok(Kind::Integer),
        VariableType::Boolean(_) => Ok(Kind::Boolean),
        VariableType::String(_) => Err(BadInput::new(format!("`{name}` is a text"))),
    }
}

fn parse(
    source: impl std::io::Read,
    description: &ModelDescription,
) -> Result<InputTable, BadInput> {
    let bad = |error: csv::Error| BadInput::new(error.to_string());
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(source);
    let header = reader.headers().map_err(bad)?.clone();
    let is_time = |name: &str| name == "time" || name == "t";
    let Some(time) = header.iter().position(is_time) else {
        let message = "the column `time` (in seconds) is missing";
        return Err(BadInput::new(message));
    };
    let mut columns = Vec::new();
    for (position, name) in header.iter().enumerate() {
        if position != time {
            let variable = find(name, description)?;
            let column = Column {
                reference: variable.value_reference,
                kind: kind_of(variable)?,
                values: Vec::new(),
            };
            columns.push((position, column));
        }
    }
    let mut times: Vec<f64> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(bad)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |position: usize| {
            let text = record.get(position).unwrap_or_default();
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| {
                let name = header.get(position).unwrap_or_default();
                let message = format!("line {line}: `{name}` is `{text}`, not a finite number");
                BadInput::new(message)
            })
        };
        let now = number(time)?;
        if let Some(&before) = times.last()
            && now <= before
        {
            let message = format!("line {line}: time {now} does not come after {before}");
            return Err(BadInput::new(message));
        }
        times.push(now);
        for (position, column) in &mut columns {
            column.values.push(number(*position)?);
        }
    }
    if times.is_empty() || columns.is_empty() {
        let message = "there must be at least one row, and one input beside `time`";
        return Err(BadInput::new(message));
    }
    let interface = description.co_simulation.as_ref();
    Ok(InputTable {
        times,
        columns: columns.into_iter().map(|(_, column)| column).collect(),
        interpolation: Interpolation::default(),
        interpolates: interface.is_some_and(|interface| interface.can_interpolate_inputs),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_fmu::ModelKind;

    fn read(text: &str) -> Result<InputTable, BadInput> {
        let description = ModelKind::LegPlanar.description().unwrap();
        parse(text.as_bytes(), &description)
    }

    #[test]
    fn rows_are_joined_by_straight_lines_and_held_outside() {
        let table = read("t, load.torque\n0,1\n2,5\n").unwrap();
        let column = &table.columns[0];
        let values = [-1.0, 0.0, 0.5, 2.0, 3.0].map(|time| table.at(column, time));
        assert_eq!(values, [1.0, 1.0, 2.0, 5.0, 5.0]);
        assert_eq!(table.held(column, 1.9), 1.0);
        assert!(table.interpolates);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("load.torque\n1\n", "column `time`"),
            ("t,load.torqe\n0,1\n", "did you mean `load.torque`?"),
            ("t,q1\n0,1\n", "`q1` is no input but output"),
            ("t,load.torque\n0,x\n", "line 2: `load.torque` is `x`"),
            ("t,load.torque\n0,1\n0,2\n", "does not come after"),
            ("t,load.torque\n", "at least one row"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
