//! `--set VARIABLE=VALUE`.

use crate::failure::BadInput;
use softdock_fmi::import::{FmuInstance, ImportError};
use softdock_xml::{ModelDescription, ScalarVariable, VariableType};

/// A value for a variable.
#[derive(Debug)]
pub struct Assignment {
    text: String,
    reference: u32,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Real(f64),
    Integer(i32),
    Boolean(bool),
    Text(String),
}

impl Assignment {
    /// Understands `VARIABLE=VALUE` in the type of the variable.
    pub fn parse(text: &str, description: &ModelDescription) -> Result<Self, BadInput> {
        let Some((name, value)) = text.split_once('=') else {
            let message = format!("--set {text}: write VARIABLE=VALUE");
            return Err(BadInput::new(message));
        };
        let (name, value) = (name.trim(), value.trim());
        let variable = find(name, description)?;
        let refuse = |wanted: &str| {
            let message = format!("--set {text}: {name} must be {wanted}, not `{value}`");
            BadInput::new(message)
        };
        let value = match &variable.variable_type {
            VariableType::Real(_) => {
                let number: Result<f64, _> = value.parse();
                Value::Real(number.map_err(|_| refuse("a number"))?)
            }
            VariableType::Integer(_) | VariableType::Enumeration(_) => {
                let number: Result<i32, _> = value.parse();
                Value::Integer(number.map_err(|_| refuse("a whole number"))?)
            }
            VariableType::Boolean(_) => Value::Boolean(match value {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => return Err(refuse("true or false")),
            }),
            VariableType::String(_) => Value::Text(value.to_owned()),
        };
        Ok(Self {
            text: text.to_owned(),
            reference: variable.value_reference,
            value,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets it.
    pub fn apply(&self, instance: &mut FmuInstance) -> Result<(), ImportError> {
        match &self.value {
            Value::Real(value) => instance.set_real(&[self.reference], &[*value]),
            Value::Integer(value) => instance.set_integer(&[self.reference], &[*value]),
            Value::Boolean(value) => instance.set_boolean(&[self.reference], &[*value]),
            Value::Text(value) => instance.set_string(self.reference, value),
        }
    }
}

/// Similarity above which a name is suggested.
const SIMILAR: f64 = 0.6;

/// The variable of this name, or what was perhaps meant.
pub fn find<'a>(
    name: &str,
    description: &'a ModelDescription,
) -> Result<&'a ScalarVariable, BadInput> {
    if let Some((_, variable)) = description.variable(name) {
        return Ok(variable);
    }
    let similarity =
        |variable: &ScalarVariable| strsim::normalized_damerau_levenshtein(name, &variable.name);
    let best = description
        .model_variables
        .iter()
        .map(|variable| (similarity(variable), variable))
        .fold(
            None,
            |best: Option<(f64, &ScalarVariable)>, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            },
        );
    let hint = match best {
        Some((similarity, variable)) if similarity >= SIMILAR => {
            format!("; did you mean `{}`?", variable.name)
        }
        _ => "; `softdock fmu inspect --variables` lists them".to_owned(),
    };
    Err(BadInput::new(format!(
        "{} has no variable `{name}`{hint}",
        description.model_name
    )))
}
