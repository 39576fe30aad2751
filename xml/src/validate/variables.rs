//! Variables one by one, and those that share a value reference.

use std::collections::HashMap;

use super::{check_integer, check_number, check_real};
use crate::variable::allowed_initials;
use crate::{
    AliasConflict, Causality, DerivativeConflict, Enumeration, Error, Initial, Integer,
    ModelDescription, Real, ScalarVariable, SimpleTypeKind, Variability, VariableType,
};

pub(super) fn check(description: &ModelDescription, problems: &mut Vec<Error>) {
    if description.model_variables.is_empty() {
        problems.push(Error::Empty {
            list: "ModelVariables".to_owned(),
        });
    }
    for (index, variable) in description.indexed_variables() {
        check_combination(variable, problems);
        check_start(variable, problems);
        check_declared_type(description, variable, problems);
        match &variable.variable_type {
            VariableType::Real(real) => {
                check_real_variable(description, variable, real, problems);
                check_derivative(description, index, variable, real.derivative, problems);
            }
            VariableType::Integer(integer) => {
                check_integer_variable(description, variable, integer, problems);
            }
            VariableType::Enumeration(enumeration) => {
                check_enumeration_variable(description, variable, enumeration, problems);
            }
            VariableType::Boolean(_) | VariableType::String(_) => {}
        }
    }
    check_independent(description, problems);
    check_aliases(description, problems);
}

/// Causality, variability, `initial` and type must go together (table of section 2.2.7).
fn check_combination(variable: &ScalarVariable, problems: &mut Vec<Error>) {
    let name = || variable.name.clone();
    let (causality, variability) = (variable.causality, variable.effective_variability());
    match (allowed_initials(causality, variability), variable.initial) {
        (None, _) => {
            problems.push(Error::IllegalCombination {
                variable: name(),
                causality,
                variability,
            });
        }
        (Some(allowed), Some(initial)) if !allowed.contains(&initial) => {
            problems.push(Error::IllegalInitial {
                variable: name(),
                causality,
                variability,
                initial,
            });
        }
        _ => {}
    }
    let is_real = matches!(variable.variable_type, VariableType::Real(_));
    if variability == Variability::Continuous && !is_real {
        let found = variable.variable_type.name();
        problems.push(Error::MustBeReal {
            variable: name(),
            found,
        });
    }
}

/// A start value where the first value comes from it, and nowhere else.
fn check_start(variable: &ScalarVariable, problems: &mut Vec<Error>) {
    let causality = variable.causality;
    let initial = variable.effective_initial();
    let (required, forbidden) = match (causality, initial) {
        (Causality::Independent, _) => (false, true),
        (Causality::Input | Causality::Parameter, _) => (true, false),
        (_, Some(Initial::Exact | Initial::Approx)) => (true, false),
        (_, Some(Initial::Calculated)) => (false, true),
        // An illegal combination, reported as such.
        (_, None) => (false, false),
    };
    let has_start = variable.variable_type.has_start();
    let name = || variable.name.clone();
    if required && !has_start {
        problems.push(Error::StartMissing {
            variable: name(),
            causality,
            initial,
        });
    } else if forbidden && has_start {
        problems.push(Error::StartForbidden {
            variable: name(),
            causality,
            initial,
        });
    }
}

fn check_declared_type(
    description: &ModelDescription,
    variable: &ScalarVariable,
    problems: &mut Vec<Error>,
) {
    let Some(declared_type) = variable.variable_type.declared_type() else {
        return;
    };
    let (name, declared_name) = (variable.name.clone(), declared_type.to_owned());
    let found = variable.variable_type.name();
    match description
        .simple_type(declared_type)
        .map(|simple_type| simple_type.kind.name())
    {
        None => {
            problems.push(Error::UndefinedType {
                variable: name,
                declared_type: declared_name,
            });
        }
        Some(declared) if declared != found => problems.push(Error::WrongType {
            variable: name,
            found,
            declared_type: declared_name,
            declared,
        }),
        Some(_) => {}
    }
}

fn check_real_variable(
    description: &ModelDescription,
    variable: &ScalarVariable,
    real: &Real,
    problems: &mut Vec<Error>,
) {
    let of = || format!("variable {:?}", variable.name);
    let attributes = description.real_attributes(real);
    check_real(description, of, &attributes, problems);
    check_number(of, "start", real.start, problems);
    check_start_in_range(
        variable,
        real.start,
        attributes.min,
        attributes.max,
        problems,
    );
}

fn check_integer_variable(
    description: &ModelDescription,
    variable: &ScalarVariable,
    integer: &Integer,
    problems: &mut Vec<Error>,
) {
    let attributes = description.integer_attributes(integer);
    check_integer(
        || format!("variable {:?}", variable.name),
        &attributes,
        problems,
    );
    let [start, min, max] =
        [integer.start, attributes.min, attributes.max].map(|value| value.map(f64::from));
    check_start_in_range(variable, start, min, max, problems);
}

fn check_enumeration_variable(
    description: &ModelDescription,
    variable: &ScalarVariable,
    enumeration: &Enumeration,
    problems: &mut Vec<Error>,
) {
    let attributes = &enumeration.attributes;
    check_integer(
        || format!("variable {:?}", variable.name),
        attributes,
        problems,
    );
    let [start, min, max] =
        [enumeration.start, attributes.min, attributes.max].map(|value| value.map(f64::from));
    check_start_in_range(variable, start, min, max, problems);
    let declared = description.simple_type(&enumeration.declared_type);
    if let (Some(start), Some(SimpleTypeKind::Enumeration { items, .. })) = (
        enumeration.start,
        declared.map(|simple_type| &simple_type.kind),
    ) && !items.iter().any(|item| item.value == start)
    {
        problems.push(Error::StartNoItem {
            variable: variable.name.clone(),
            start,
            declared_type: enumeration.declared_type.clone(),
        });
    }
}

fn check_start_in_range(
    variable: &ScalarVariable,
    start: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    problems: &mut Vec<Error>,
) {
    let min = min.unwrap_or(f64::NEG_INFINITY);
    let max = max.unwrap_or(f64::INFINITY);
    // Written so that a start value that is not a number is left to its own report.
    if let Some(start) = start.filter(|start| *start < min || *start > max) {
        let variable = variable.name.clone();
        problems.push(Error::StartOutsideRange {
            variable,
            start,
            min,
            max,
        });
    }
}

/// Derivative and state are different continuous reals.
fn check_derivative(
    description: &ModelDescription,
    index: u32,
    variable: &ScalarVariable,
    state: Option<u32>,
    problems: &mut Vec<Error>,
) {
    let Some(state_index) = state else { return };
    let is_continuous_real = |variable: &ScalarVariable| {
        matches!(variable.variable_type, VariableType::Real(_))
            && variable.effective_variability() == Variability::Continuous
    };
    let conflict = match description.variable_at(state_index) {
        None => DerivativeConflict::OutOfRange,
        Some(_) if state_index == index => DerivativeConflict::OfItself,
        Some(state) if !is_continuous_real(state) || !is_continuous_real(variable) => {
            DerivativeConflict::NotContinuousReal
        }
        Some(_) => return,
    };
    let variable = variable.name.clone();
    problems.push(Error::BadDerivative {
        variable,
        state,
        conflict,
    });
}

/// At most one independent variable.
fn check_independent(description: &ModelDescription, problems: &mut Vec<Error>) {
    let mut independent = description
        .model_variables
        .iter()
        .filter(|variable| variable.causality == Causality::Independent);
    if let Some(first) = independent.next() {
        problems.extend(independent.map(|second| Error::SeveralIndependent {
            first: first.name.clone(),
            second: second.name.clone(),
        }));
    }
}

/// What the variables seen so far at one value reference have in common.
struct AliasSet<'a> {
    first: &'a ScalarVariable,
    settable: Option<&'a ScalarVariable>,
    with_start: Option<&'a ScalarVariable>,
}

/// Variables of one base type may share a value reference only as aliases (section 2.2.7): at most
/// one of them can be set, at most one has a start value, and constants keep to themselves.
fn check_aliases(description: &ModelDescription, problems: &mut Vec<Error>) {
    let is_settable = |variable: &ScalarVariable| {
        matches!(variable.causality, Causality::Input | Causality::Parameter)
    };
    let mut sets: HashMap<(&str, u32), AliasSet<'_>> = HashMap::new();
    for variable in &description.model_variables {
        let key = (variable.variable_type.base_name(), variable.value_reference);
        let has_start = variable.variable_type.has_start();
        let Some(set) = sets.get_mut(&key) else {
            let set = AliasSet {
                first: variable,
                settable: is_settable(variable).then_some(variable),
                with_start: has_start.then_some(variable),
            };
            sets.insert(key, set);
            continue;
        };
        if let Some((other, conflict)) = alias_conflict(set, variable, is_settable(variable)) {
            problems.push(Error::IllegalAlias {
                first: other.name.clone(),
                second: variable.name.clone(),
                value_reference: variable.value_reference,
                conflict,
            });
        }
        if is_settable(variable) {
            set.settable.get_or_insert(variable);
        }
        if has_start {
            set.with_start.get_or_insert(variable);
        }
    }
}

/// The variable of the set, if any, that this one may not be an alias of.
fn alias_conflict<'a>(
    set: &AliasSet<'a>,
    variable: &ScalarVariable,
    is_settable: bool,
) -> Option<(&'a ScalarVariable, AliasConflict)> {
    let is_constant =
        |variable: &ScalarVariable| variable.effective_variability() == Variability::Constant;
    if is_constant(set.first) != is_constant(variable) {
        return Some((set.first, AliasConflict::ConstantWithVariable));
    }
    if is_constant(variable) {
        let differs = start_text(&set.first.variable_type) != start_text(&variable.variable_type);
        return differs.then_some((set.first, AliasConflict::DifferentConstants));
    }
    if let (Some(other), true) = (set.settable, is_settable) {
        return Some((other, AliasConflict::BothSettable));
    }
    let other = set
        .with_start
        .filter(|_| variable.variable_type.has_start())?;
    Some((other, AliasConflict::BothHaveStart))
}

/// The start value in a form that compares across an integer and an enumeration.
fn start_text(variable_type: &VariableType) -> Option<String> {
    match variable_type {
        VariableType::Real(real) => real.start.map(|start| format!("{start:?}")),
        VariableType::Integer(integer) => integer.start.map(|start| start.to_string()),
        VariableType::Boolean(boolean) => boolean.start.map(|start| start.to_string()),
        VariableType::String(text) => text.start.clone(),
        VariableType::Enumeration(enumeration) => enumeration.start.map(|start| start.to_string()),
    }
}
