//! The columns of the result: variables of any type.

use super::assignment::find;
use crate::failure::BadInput;
use serde::Serialize;
use softdock_fmi::import::{FmuInstance, ImportError};
use softdock_xml::{Causality, ModelDescription, ScalarVariable, VariableType};
use std::fmt;

/// A value of a variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a real variable.
    Real(f64),
    /// Of an integer variable, the number of an enumeration's item, or 0 and 1 for a truth value.
    Integer(i32),
    /// Of a text.
    Text(String),
}

impl fmt::Display for Value {
    /// The shortest digits that read back as the same number.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(value) => write!(formatter, "{value:?}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Text(value) => formatter.write_str(value),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    Boolean,
    Text,
}

const KINDS: [Kind; 4] = [Kind::Real, Kind::Integer, Kind::Boolean, Kind::Text];

fn kind(variable_type: &VariableType) -> Kind {
    match variable_type {
        VariableType::Real(_) => Kind::Real,
        VariableType::Integer(_) | VariableType::Enumeration(_) => Kind::Integer,
        VariableType::Boolean(_) => Kind::Boolean,
        VariableType::String(_) => Kind::Text,
    }
}

/// Variables of one type: positions among the columns, and references.
#[derive(Debug)]
struct Group {
    kind: Kind,
    positions: Vec<usize>,
    references: Vec<u32>,
}

/// Variables to be recorded.
#[derive(Debug)]
pub struct Columns {
    names: Vec<String>,
    groups: Vec<Group>,
}

impl Columns {
    /// The variables of these lists, separated by commas; all outputs if there is none.
    pub fn new(lists: &[String], description: &ModelDescription) -> Result<Self, BadInput> {
        let mut chosen: Vec<&ScalarVariable> = Vec::new();
        for name in lists.iter().flat_map(|list| split(list)) {
            chosen.push(find(name, description)?);
        }
        if lists.is_empty() {
            let variables = description.model_variables.iter();
            chosen.extend(variables.filter(|one| one.causality == Causality::Output));
        }
        let group = |wanted: Kind| {
            let members = chosen.iter().enumerate();
            let members = members.filter(|(_, variable)| kind(&variable.variable_type) == wanted);
            let (positions, references) = members
                .map(|(position, variable)| (position, variable.value_reference))
                .unzip();
            Group {
                kind: wanted,
                positions,
                references,
            }
        };
        let groups = KINDS.map(group).into_iter();
        Ok(Self {
            groups: groups.filter(|group| !group.positions.is_empty()).collect(),
            names: chosen.iter().map(|one| one.name.clone()).collect(),
        })
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Reads them all, and refuses real ones that are NaN or infinite.
    pub fn read(&self, instance: &mut FmuInstance) -> Result<Vec<Value>, ImportError> {
        let mut out = vec![Value::Integer(0); self.names.len()];
        for group in &self.groups {
            for (&position, value) in group.positions.iter().zip(group.read(instance)?) {
                out[position] = value;
            }
        }
        Ok(out)
    }
}

impl Group {
    fn read(&self, instance: &mut FmuInstance) -> Result<Vec<Value>, ImportError> {
        let (references, count) = (&self.references, self.references.len());
        match self.kind {
            Kind::Real => {
                let mut values = vec![0.0; count];
                instance.get_finite_real(references, &mut values)?;
                Ok(values.into_iter().map(Value::Real).collect())
            }
            Kind::Integer => {
                let mut values = vec![0; count];
                instance.get_integer(references, &mut values)?;
                Ok(values.into_iter().map(Value::Integer).collect())
            }
            Kind::Boolean => {
                let mut values = vec![false; count];
                instance.get_boolean(references, &mut values)?;
                let number = |value| Value::Integer(i32::from(value));
                Ok(values.into_iter().map(number).collect())
            }
            Kind::Text => {
                let texts = references.iter().map(|&one| instance.get_string(one));
                texts.map(|text| text.map(Value::Text)).collect()
            }
        }
    }
}

/// The names of a list. Commas inside brackets belong to a name, as in `a[1,2]` and `der(x,2)`.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let names = list.split(|c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    names.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_belong_to_the_name() {
        assert_eq!(
            split("a, b[1,2],der(x,2) ,c"),
            ["a", "b[1,2]", "der(x,2)", "c"]
        );
        assert_eq!(split("a]"), ["a]"]);
    }
}
