//! The columns of the result.

use super::assignment::find;
use crate::leg::BadInput;
use softdock_fmu::import::{FmuInstance, ImportError};
use softdock_xml::{Causality, ModelDescription, VariableType};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    Boolean,
}

/// Variables to be recorded: numbers of any type.
#[derive(Debug)]
pub struct Columns {
    names: Vec<String>,
    kinds: Vec<Kind>,
    references: Vec<u32>,
    /// Positions and references of each type.
    reals: (Vec<usize>, Vec<u32>),
}

fn kind(variable_type: &VariableType) -> Option<Kind> {
    match variable_type {
        VariableType::Real(_) => Some(Kind::Real),
        VariableType::Integer(_) | VariableType::Enumeration(_) => Some(Kind::Integer),
        VariableType::Boolean(_) => Some(Kind::Boolean),
        VariableType::String(_) => None,
    }
}

impl Columns {
    /// The variables of these names; all outputs that are numbers if there are none.
    pub fn new(names: &[String], description: &ModelDescription) -> Result<Self, BadInput> {
        let mut chosen = Vec::new();
        for name in names {
            let variable = find(name.trim(), description)?;
            let kind = kind(&variable.variable_type).ok_or_else(|| {
                BadInput::new(format!("{name} is a text and fits in no table of numbers"))
            })?;
            chosen.push((variable, kind));
        }
        if names.is_empty() {
            let outputs = description.model_variables.iter();
            let outputs = outputs.filter(|variable| variable.causality == Causality::Output);
            chosen.extend(
                outputs.filter_map(|variable| Some((variable, kind(&variable.variable_type)?))),
            );
        }
        let kinds: Vec<Kind> = chosen.iter().map(|(_, kind)| *kind).collect();
        let references: Vec<u32> = chosen
            .iter()
            .map(|(variable, _)| variable.value_reference)
            .collect();
        let reals: Vec<usize> = (0..kinds.len())
            .filter(|&k| kinds[k] == Kind::Real)
            .collect();
        Ok(Self {
            names: chosen
                .iter()
                .map(|(variable, _)| variable.name.clone())
                .collect(),
            reals: (
                reals.clone(),
                reals.into_iter().map(|k| references[k]).collect(),
            ),
            kinds,
            references,
        })
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Reads them all as numbers.
    pub fn read(&self, instance: &mut FmuInstance, out: &mut Vec<f64>) -> Result<(), ImportError> {
        out.resize(self.kinds.len(), 0.0);
        let (positions, references) = &self.reals;
        let mut values = vec![0.0; positions.len()];
        instance.get_real(references, &mut values)?;
        for (&position, value) in positions.iter().zip(values) {
            out[position] = value;
        }
        for (k, kind) in self.kinds.iter().enumerate() {
            let reference = [self.references[k]];
            match kind {
                Kind::Real => {}
                Kind::Integer => {
                    let mut value = [0];
                    instance.get_integer(&reference, &mut value)?;
                    out[k] = f64::from(value[0]);
                }
                Kind::Boolean => {
                    let mut value = [false];
                    instance.get_boolean(&reference, &mut value)?;
                    out[k] = f64::from(u8::from(value[0]));
                }
            }
        }
        Ok(())
    }
}
