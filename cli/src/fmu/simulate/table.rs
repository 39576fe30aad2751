//! Inputs over time, from a table.

use super::assignment::find;
use crate::failure::BadInput;
use crate::input_table::{self, Cells};
use anyhow::Result;
use multibody::model::Interpolation;
use softdock_fmi::import::{FmuInstance, ImportError};
use softdock_xml::{Causality, ModelDescription, SimpleTypeKind, VariableType};
use std::path::Path;

/// Inputs over time.
#[derive(Debug)]
pub struct InputTable {
    times: Vec<f64>,
    columns: Vec<Column>,
    texts: Vec<String>,
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
    Text,
}

impl InputTable {
    /// Reads a table with a column `time_s` and one per input.
    pub fn read(
        path: &Path,
        interpolation: Interpolation,
        description: &ModelDescription,
    ) -> Result<Self> {
        let table = input_table::read_cells(path, |name| cells(name, description))?;
        Ok(Self {
            interpolation,
            ..Self::new(table, description)?
        })
    }

    /// Of a table whose columns are inputs.
    fn new(
        table: input_table::InputTable,
        description: &ModelDescription,
    ) -> Result<Self, BadInput> {
        let column = |(name, values): (String, Vec<f64>)| {
            let (reference, kind) = input(&name, description)?;
            Ok(Column {
                reference,
                kind,
                values,
            })
        };
        let columns = table.columns.into_iter().map(column);
        let interface = description.co_simulation.as_ref();
        Ok(Self {
            times: table.times,
            columns: columns.collect::<Result<_, BadInput>>()?,
            texts: table.texts,
            interpolates: interface.is_some_and(|interface| interface.can_interpolate_inputs),
            interpolation: Interpolation::default(),
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
                Kind::Text => {
                    let number = self.held(column, time) as usize;
                    instance.set_string(column.reference, &self.texts[number])?;
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

/// Reference and kind of the input of this name.
fn input(name: &str, description: &ModelDescription) -> Result<(u32, Kind), BadInput> {
    let variable = find(name, description)?;
    if variable.causality != Causality::Input {
        let causality = variable.causality;
        let message = format!("`{name}` is no input but {causality}");
        return Err(BadInput::new(message));
    }
    let kind = match variable.variable_type {
        VariableType::Real(_) => Kind::Real,
        VariableType::Integer(_) | VariableType::Enumeration(_) => Kind::Integer,
        VariableType::Boolean(_) => Kind::Boolean,
        VariableType::String(_) => Kind::Text,
    };
    Ok((variable.value_reference, kind))
}

/// What the cells of the input's column are.
fn cells(name: &str, description: &ModelDescription) -> Result<Cells, BadInput> {
    let (_, kind) = input(name, description)?;
    Ok(match kind {
        Kind::Real => Cells::Numbers,
        Kind::Integer => Cells::Whole(items(name, description)),
        Kind::Boolean => Cells::Truth,
        Kind::Text => Cells::Texts,
    })
}

/// Names and numbers of the items of an enumeration.
fn items(name: &str, description: &ModelDescription) -> Vec<(String, i32)> {
    let variable = description.variable(name).map(|(_, variable)| variable);
    let declared = variable.and_then(|variable| variable.variable_type.declared_type());
    match declared
        .and_then(|name| description.simple_type(name))
        .map(|it| &it.kind)
    {
        Some(SimpleTypeKind::Enumeration { items, .. }) => {
            let items = items.iter();
            items.map(|item| (item.name.clone(), item.value)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_fmu::ModelKind;

    fn read(text: &str) -> Result<InputTable, BadInput> {
        let description = ModelKind::LegPlanar.description().unwrap();
        let known = |name: &str| cells(name, &description);
        InputTable::new(
            input_table::parse_cells(text.as_bytes(), known)?,
            &description,
        )
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
            ("load.torque\n1\n", "column time_s"),
            ("t,load.torqe\n0,1\n", "did you mean `load.torque`?"),
            ("t,q1\n0,1\n", "`q1` is no input but output"),
            ("t,load.torque\n0,x\n", "line 2: `load.torque` is `x`"),
            ("t,load.torque\n0,1\n0,2\n", "does not come after"),
            ("t,load.torque\n", "no rows"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
