//! One test for each rule: the legal sample with one thing wrong gives the error for that thing.

mod description;
mod structure;
mod variables;

use super::sample;
use crate::*;

/// The problems of the full sample after a change.
fn problems_after(change: impl FnOnce(&mut ModelDescription)) -> Vec<Error> {
    let mut description = sample::full();
    change(&mut description);
    let problems = description.problems();
    assert_eq!(description.validate().is_err(), !problems.is_empty());
    problems
}

/// Asserts that a change causes exactly one problem, of this form.
macro_rules! assert_only {
    ($change:expr, $pattern:pat $(if $guard:expr)?) => {
        let problems = problems_after($change);
        assert!(matches!(problems.as_slice(), [$pattern] $(if $guard)?), "{problems:#?}");
    };
}

fn variable(description: &mut ModelDescription, index: u32) -> &mut ScalarVariable {
    &mut description.model_variables[index as usize - 1]
}

fn real(description: &mut ModelDescription, index: u32) -> &mut Real {
    match &mut variable(description, index).variable_type {
        VariableType::Real(real) => real,
        other => panic!("{other:?} is not a real"),
    }
}

use assert_only;
