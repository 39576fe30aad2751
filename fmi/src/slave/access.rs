//! Reading and setting variables through the table.

use super::SlaveOf;
use crate::lifecycle::State;
use crate::model::{Input, Model, Parameters, Unit};
use crate::refusal::Refusal;
use crate::variables::{Access, Name, Role, Value, Variable};
use std::sync::Arc;

type VariableOf<M> = Variable<<M as Model>::Parameters>;

/// The variable with this value reference.
pub fn variable<M: Model>(model: &M, reference: u32) -> Result<&VariableOf<M>, Refusal> {
    let variables = model.variables();
    usize::try_from(reference)
        .ok()
        .and_then(|position| variables.get(position))
        .ok_or(Refusal::UnknownReference {
            reference,
            count: variables.len(),
        })
}

/// Number of elements of the array that begins at this reference.
pub fn span<M: Model>(model: &M, reference: u32) -> Result<u32, Refusal> {
    let first = &variable(model, reference)?.name;
    match first.number() {
        None => Ok(1),
        Some(1) => {
            let followers = (1..).take_while(|&offset| {
                variable(model, reference + offset)
                    .is_ok_and(|next| next.name.follows(first, offset))
            });
            Ok(1 + u32::try_from(followers.count()).unwrap_or(0))
        }
        Some(_) => Err(Refusal::InsideArray {
            variable: first.array().to_owned(),
            reference,
        }),
    }
}

/// Why this variable is not of the type asked for.
pub fn wrong_type<M: Model>(model: &M, reference: u32, asked: &'static str) -> Refusal {
    let variable = match variable(model, reference) {
        Ok(variable) => variable,
        Err(refusal) => return refusal,
    };
    let found = match variable.role {
        Role::Parameter(Access::Integer { .. }) => "an Integer",
        Role::Parameter(Access::Boolean(_)) => "a Boolean",
        _ => "a Real",
    };
    Refusal::WrongType {
        variable: variable.name.to_string(),
        reference,
        found,
        asked,
    }
}

/// Refuses to set what cannot be set in this state.
fn check_settable<P: Parameters>(variable: &Variable<P>, state: State) -> Result<(), Refusal> {
    let what = match variable.role {
        Role::Input { .. } => return Ok(()),
        Role::Parameter(_) if state != State::StepComplete => return Ok(()),
        Role::Parameter(_) => "a fixed parameter",
        Role::Calculated(_) => "a calculated parameter",
        Role::Output { .. } => "an output",
        Role::Local { .. } => "a local variable",
    };
    Err(Refusal::NotSettable {
        variable: variable.name.to_string(),
        what,
        state,
    })
}

pub fn check_finite(name: &Name, value: f64) -> Result<(), Refusal> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Refusal::NotFinite {
        variable: name.to_string(),
        value,
    })
}

fn check_range(name: &Name, value: f64, [min, max]: [f64; 2]) -> Result<(), Refusal> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Refusal::OutOfRange {
        variable: name.to_string(),
        value,
        min,
        max,
    })
}

/// Whether this real may be set to this value.
pub fn check_real<M: Model>(
    model: &M,
    state: State,
    reference: u32,
    value: f64,
) -> Result<(), Refusal> {
    let variable = variable(model, reference)?;
    let range = match &variable.role {
        Role::Parameter(Access::Real { limits, .. }) => Some(*limits),
        Role::Parameter(_) => return Err(wrong_type(model, reference, "a Real")),
        _ => None,
    };
    check_settable(variable, state)?;
    check_finite(&variable.name, value)?;
    range.map_or(Ok(()), |range| check_range(&variable.name, value, range))
}

/// Whether this integer may be set to this value.
pub fn check_integer<M: Model>(
    model: &M,
    state: State,
    reference: u32,
    value: i32,
) -> Result<(), Refusal> {
    let variable = variable(model, reference)?;
    let Role::Parameter(Access::Integer { range, .. }) = &variable.role else {
        return Err(wrong_type(model, reference, "an Integer"));
    };
    check_settable(variable, state)?;
    check_range(&variable.name, f64::from(value), range.map(f64::from))
}

/// Whether this truth value may be set.
pub fn check_boolean<M: Model>(model: &M, state: State, reference: u32) -> Result<(), Refusal> {
    let variable = variable(model, reference)?;
    let Role::Parameter(Access::Boolean(_)) = &variable.role else {
        return Err(wrong_type(model, reference, "a Boolean"));
    };
    check_settable(variable, state)
}

impl<M: Model> SlaveOf<M> {
    pub(super) fn real(&mut self, reference: u32) -> Result<f64, Refusal> {
        let model = Arc::clone(&self.model);
        let variable = variable(&*model, reference)?;
        match &variable.role {
            Role::Parameter(access) => match access.get(&self.parameters) {
                Value::Real(value) => Ok(value),
                _ => Err(wrong_type(&*model, reference, "a Real")),
            },
            Role::Calculated(value) => Ok(value(self.unit()?.origin())),
            Role::Input { index, start } => Ok(match &self.unit {
                Some(unit) => unit.input(*index).value,
                None if self.given[*index] => self.inputs[*index].value,
                None => start(&self.parameters, *index),
            }),
            Role::Output { index, group } | Role::Local { index, group } => {
                self.output(*index, *group)
            }
        }
    }

    /// An output, computed with its group if that is not up to date.
    fn output(&mut self, index: usize, group: usize) -> Result<f64, Refusal> {
        if !self.known[group] {
            self.unit()?;
            if let Some(unit) = &mut self.unit {
                let out = &mut self.outputs[self.groups[group].clone()];
                unit.evaluate(group, out).map_err(Refusal::NoOutput)?;
            }
            self.known[group] = true;
        }
        Ok(self.outputs[index])
    }

    pub(super) fn integer(&mut self, reference: u32) -> Result<i32, Refusal> {
        let model = Arc::clone(&self.model);
        match &variable(&*model, reference)?.role {
            Role::Parameter(access @ Access::Integer { .. }) => {
                match access.get(&self.parameters) {
                    Value::Integer(value) => Ok(value),
                    _ => Err(wrong_type(&*model, reference, "an Integer")),
                }
            }
            _ => Err(wrong_type(&*model, reference, "an Integer")),
        }
    }

    pub(super) fn boolean(&mut self, reference: u32) -> Result<bool, Refusal> {
        let model = Arc::clone(&self.model);
        match &variable(&*model, reference)?.role {
            Role::Parameter(access @ Access::Boolean(_)) => match access.get(&self.parameters) {
                Value::Boolean(value) => Ok(value),
                _ => Err(wrong_type(&*model, reference, "a Boolean")),
            },
            _ => Err(wrong_type(&*model, reference, "a Boolean")),
        }
    }

    /// Sets a real that [`check_real`] has let pass.
    pub(super) fn set_real(&mut self, state: State, reference: u32, value: f64) {
        let model = Arc::clone(&self.model);
        let Ok(variable) = variable(&*model, reference) else {
            return;
        };
        let Role::Input { index, .. } = variable.role else {
            return self.set_parameter(reference, value);
        };
        if state == State::StepComplete {
            if let Some(unit) = &mut self.unit {
                let input = Input {
                    value,
                    ..unit.input(index)
                };
                unit.set_input(index, input);
            }
            return;
        }
        self.inputs[index].value = value;
        self.given[index] = true;
        self.rebuild_later();
    }

    /// Sets a parameter that was let pass, whatever its type.
    pub(super) fn set_parameter(&mut self, reference: u32, number: f64) {
        let model = Arc::clone(&self.model);
        if let Ok(variable) = variable(&*model, reference)
            && let Role::Parameter(access) = &variable.role
        {
            access.set_number(Arc::make_mut(&mut self.parameters), number);
            self.rebuild_later();
        }
    }
}
