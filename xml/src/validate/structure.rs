//! The lists of the model structure: exact, in range, and depending on knowns only.

use std::collections::HashSet;

use crate::{
    Causality, DependencyKind, DerivativeConflict, Error, Initial, ModelDescription,
    ScalarVariable, StructureList, Unknown,
};

pub(super) fn check(description: &ModelDescription, problems: &mut Vec<Error>) {
    let structure = &description.model_structure;
    let checker = Checker {
        description,
        states: exposed_states(description),
    };

    let list = StructureList::Outputs;
    checker.members(
        list,
        &structure.outputs,
        &description.required_outputs(),
        problems,
    );
    checker.dependencies(list, &structure.outputs, problems);

    let list = StructureList::Derivatives;
    checker.derivatives(&structure.derivatives, problems);
    checker.dependencies(list, &structure.derivatives, problems);

    let list = StructureList::InitialUnknowns;
    let required = description.required_initial_unknowns();
    checker.members(list, &structure.initial_unknowns, &required, problems);
    checker.dependencies(list, &structure.initial_unknowns, problems);
}

/// The states whose derivatives are listed.
fn exposed_states(description: &ModelDescription) -> HashSet<u32> {
    let derivatives = &description.model_structure.derivatives;
    derivatives
        .iter()
        .filter_map(|unknown| description.state_of(unknown.index))
        .collect()
}

struct Checker<'a> {
    description: &'a ModelDescription,
    states: HashSet<u32>,
}

impl Checker<'_> {
    /// The variable at an index, which is reported if there is none.
    fn variable(
        &self,
        list: StructureList,
        index: u32,
        problems: &mut Vec<Error>,
    ) -> Option<&ScalarVariable> {
        let variable = self.description.variable_at(index);
        if variable.is_none() {
            let count = self.description.model_variables.len();
            problems.push(Error::IndexOutOfRange { list, index, count });
        }
        variable
    }

    /// The listed variables, each once.
    fn listed(
        &self,
        list: StructureList,
        unknowns: &[Unknown],
        problems: &mut Vec<Error>,
    ) -> Vec<(u32, &ScalarVariable)> {
        let mut seen = HashSet::new();
        let mut listed = Vec::new();
        for unknown in unknowns {
            let Some(variable) = self.variable(list, unknown.index, problems) else {
                continue;
            };
            if seen.insert(unknown.index) {
                listed.push((unknown.index, variable));
            } else {
                problems.push(Error::ListedTwice {
                    list,
                    variable: variable.name.clone(),
                });
            }
        }
        listed
    }

    /// Exactly the required variables must be listed, in any order.
    fn members(
        &self,
        list: StructureList,
        unknowns: &[Unknown],
        required: &[u32],
        problems: &mut Vec<Error>,
    ) {
        let listed = self.listed(list, unknowns, problems);
        let required_set: HashSet<u32> = required.iter().copied().collect();
        for (index, variable) in &listed {
            if !required_set.contains(index) {
                problems.push(Error::WronglyListed {
                    list,
                    variable: variable.name.clone(),
                });
            }
        }
        let listed: HashSet<u32> = listed.into_iter().map(|(index, _)| index).collect();
        for index in required.iter().filter(|index| !listed.contains(index)) {
            if let Some(variable) = self.description.variable_at(*index) {
                problems.push(Error::NotListed {
                    list,
                    variable: variable.name.clone(),
                });
            }
        }
    }

    /// Every listed derivative must name its state.
    fn derivatives(&self, unknowns: &[Unknown], problems: &mut Vec<Error>) {
        for (index, variable) in self.listed(StructureList::Derivatives, unknowns, problems) {
            if self.description.state_of(index).is_none() {
                problems.push(Error::BadDerivative {
                    variable: variable.name.clone(),
                    state: None,
                    conflict: DerivativeConflict::NoState,
                });
            }
        }
    }

    fn dependencies(&self, list: StructureList, unknowns: &[Unknown], problems: &mut Vec<Error>) {
        for unknown in unknowns {
            // An unknown out of range has been reported as a member.
            let Some(variable) = self.description.variable_at(unknown.index) else {
                continue;
            };
            let name = || variable.name.clone();
            let dependencies = unknown.dependencies.as_deref().unwrap_or_default();
            for pair in dependencies.windows(2) {
                if let [previous, next] = *pair
                    && next <= previous
                {
                    problems.push(Error::DependenciesNotAscending {
                        list,
                        variable: name(),
                        previous,
                        next,
                    });
                }
            }
            for &index in dependencies {
                let Some(dependency) = self.variable(list, index, problems) else {
                    continue;
                };
                if !self.is_known(list, index, dependency) {
                    let dependency = dependency.name.clone();
                    problems.push(Error::NotAKnown {
                        list,
                        variable: name(),
                        dependency,
                    });
                }
            }
            check_kinds(list, variable, unknown, problems);
        }
    }

    /// What an unknown may depend on: inputs and the independent variable always, exposed states
    /// while the model runs, variables with an exact initial value while it initialises.
    fn is_known(&self, list: StructureList, index: u32, variable: &ScalarVariable) -> bool {
        matches!(
            variable.causality,
            Causality::Input | Causality::Independent
        ) || match list {
            StructureList::Outputs | StructureList::Derivatives => self.states.contains(&index),
            StructureList::InitialUnknowns => variable.effective_initial() == Some(Initial::Exact),
        }
    }
}

/// As many kinds as dependencies; initialisation knows two of them only.
fn check_kinds(
    list: StructureList,
    variable: &ScalarVariable,
    unknown: &Unknown,
    problems: &mut Vec<Error>,
) {
    let Some(kinds) = &unknown.dependencies_kind else {
        return;
    };
    let dependencies = unknown.dependencies.as_ref().map(Vec::len);
    let variable = &variable.name;
    if dependencies != Some(kinds.len()) {
        problems.push(Error::DependencyKindCount {
            list,
            variable: variable.clone(),
            dependencies,
            kinds: kinds.len(),
        });
    }
    if list == StructureList::InitialUnknowns {
        let illegal = kinds
            .iter()
            .filter(|kind| !matches!(kind, DependencyKind::Dependent | DependencyKind::Constant));
        problems.extend(illegal.map(|&kind| Error::IllegalDependencyKind {
            list,
            variable: variable.clone(),
            kind,
        }));
    }
}
