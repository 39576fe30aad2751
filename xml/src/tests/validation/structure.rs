//! Rules for the model structure.

use super::{assert_only, problems_after, real};
use crate::tests::sample::{self, index};
use crate::*;

#[test]
fn derivatives_name_their_states() {
    let problems = problems_after(|d| real(d, index::RATE).derivative = Some(99));
    assert!(
        problems.iter().any(|problem| matches!(
            problem,
            Error::BadDerivative {
                state: Some(99),
                conflict: DerivativeConflict::OutOfRange,
                ..
            }
        )),
        "{problems:#?}"
    );
    for (state, conflict) in [
        (Some(index::RATE), DerivativeConflict::OfItself),
        (
            Some(index::STIFFNESS),
            DerivativeConflict::NotContinuousReal,
        ),
        (Some(index::SLACK), DerivativeConflict::NotContinuousReal),
        (None, DerivativeConflict::NoState),
    ] {
        let problems = problems_after(|d| real(d, index::RATE).derivative = state);
        assert!(
            problems.iter().any(|problem| matches!(
                problem,
                Error::BadDerivative { conflict: found, .. } if *found == conflict
            )),
            "{problems:#?}"
        );
    }
}

#[test]
fn outputs_are_listed_exactly() {
    let list = StructureList::Outputs;
    assert_only!(
        |d| drop(d.model_structure.outputs.pop()),
        Error::NotListed { list: found, variable } if *found == list && variable == "tendon.slack"
    );
    assert_only!(
        |d| d.model_structure.outputs.push(Unknown::independent(index::TENSION_ALIAS)),
        Error::WronglyListed { list: found, variable } if *found == list && variable == "tension"
    );
    assert_only!(
        |d| d.model_structure.outputs.push(Unknown::independent(index::SLACK)),
        Error::ListedTwice { list: found, .. } if *found == list
    );
    for index in [0, 13, u32::MAX] {
        assert_only!(
            |d| d.model_structure.outputs.push(Unknown::independent(index)),
            Error::IndexOutOfRange { index: found, count: 12, .. } if *found == index
        );
    }
}

#[test]
fn initial_unknowns_are_listed_exactly() {
    use index::*;
    assert_eq!(sample::full().required_outputs(), [ANGLE, TENSION, SLACK]);
    assert_eq!(
        sample::full().required_initial_unknowns(),
        [RATE, TENSION, MASS, SLACK]
    );
    for position in 0..4 {
        assert_only!(
            |d| drop(d.model_structure.initial_unknowns.remove(position)),
            Error::NotListed {
                list: StructureList::InitialUnknowns,
                ..
            }
        );
    }
    for index in [TORQUE, ANGLE, STIFFNESS, GRAVITY] {
        assert_only!(
            |d| d
                .model_structure
                .initial_unknowns
                .push(Unknown::independent(index)),
            Error::WronglyListed {
                list: StructureList::InitialUnknowns,
                ..
            }
        );
    }
}

#[test]
fn dependencies_are_ascending_knowns_in_range() {
    use index::*;
    let with = |list: StructureList, dependencies: Vec<u32>| {
        problems_after(|d| {
            let unknowns = match list {
                StructureList::Outputs => &mut d.model_structure.outputs,
                StructureList::Derivatives => &mut d.model_structure.derivatives,
                StructureList::InitialUnknowns => &mut d.model_structure.initial_unknowns,
            };
            unknowns[0].dependencies = Some(dependencies);
        })
    };
    assert!(with(StructureList::Outputs, vec![TORQUE, ANGLE]).is_empty());
    assert!(with(StructureList::Derivatives, vec![TORQUE, ANGLE]).is_empty());
    assert!(
        with(
            StructureList::InitialUnknowns,
            vec![TORQUE, ANGLE, STIFFNESS]
        )
        .is_empty()
    );
    for (list, dependencies) in [
        (StructureList::Outputs, vec![STIFFNESS]),
        (StructureList::Derivatives, vec![TENSION]),
        (StructureList::InitialUnknowns, vec![MASS]),
    ] {
        let problems = with(list, dependencies);
        assert!(
            matches!(problems[..], [Error::NotAKnown { .. }]),
            "{problems:#?}"
        );
    }
    for dependencies in [vec![ANGLE, TORQUE], vec![TORQUE, TORQUE]] {
        let problems = with(StructureList::Outputs, dependencies);
        assert!(
            matches!(problems[..], [Error::DependenciesNotAscending { .. }]),
            "{problems:#?}"
        );
    }
    let problems = with(StructureList::Outputs, vec![99]);
    assert!(
        matches!(problems[..], [Error::IndexOutOfRange { index: 99, .. }]),
        "{problems:#?}"
    );
}

#[test]
fn dependency_kinds_match_their_dependencies() {
    assert_only!(
        |d| d.model_structure.outputs[1].dependencies_kind = Some(Vec::new()),
        Error::DependencyKindCount {
            dependencies: Some(2),
            kinds: 0,
            ..
        }
    );
    assert_only!(
        |d| d.model_structure.outputs[1].dependencies = None,
        Error::DependencyKindCount {
            dependencies: None,
            kinds: 2,
            ..
        }
    );
    assert_only!(
        |d| {
            d.model_structure.initial_unknowns[3].dependencies_kind =
                Some(vec![DependencyKind::Tunable]);
        },
        Error::IllegalDependencyKind {
            kind: DependencyKind::Tunable,
            ..
        }
    );
}
