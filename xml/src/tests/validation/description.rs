//! Rules for the description as a whole.

use super::{assert_only, problems_after, variable};
use crate::tests::sample::{self, index};
use crate::*;

#[test]
fn the_samples_are_legal() {
    for description in [sample::smallest(), sample::full()] {
        let problems = description.problems();
        assert!(problems.is_empty(), "{problems:#?}");
        description.validate().unwrap();
    }
}

#[test]
fn an_interface_with_a_c_identifier_is_needed() {
    assert_only!(|d| d.co_simulation = None, Error::NoInterface);
    for identifier in ["", "1a", "a-b", "a.b", "größe"] {
        assert_only!(
            |d| d.co_simulation.as_mut().unwrap().model_identifier = identifier.to_owned(),
            Error::BadIdentifier { identifier: found } if found == identifier
        );
    }
}

#[test]
fn serialising_a_state_needs_having_it() {
    assert_only!(
        |d| d.co_simulation.as_mut().unwrap().can_get_and_set_fmu_state = false,
        Error::CapabilityRequires {
            flag: "canSerializeFMUstate",
            required: "canGetAndSetFMUstate",
        }
    );
}

#[test]
fn the_date_and_the_experiment_make_sense() {
    assert_only!(
        |d| d.generation_date_and_time = Some("today".to_owned()),
        Error::BadDateTime { value } if value == "today"
    );
    let experiment = |change: fn(&mut DefaultExperiment)| {
        problems_after(|d| change(d.default_experiment.as_mut().unwrap()))
    };
    for (problems, name) in [
        (experiment(|e| e.start_time = Some(f64::NAN)), "startTime"),
        (experiment(|e| e.stop_time = Some(-1.0)), "stopTime"),
        (
            experiment(|e| e.stop_time = Some(f64::INFINITY)),
            "stopTime",
        ),
        (experiment(|e| e.tolerance = Some(0.0)), "tolerance"),
        (experiment(|e| e.step_size = Some(-1e-3)), "stepSize"),
    ] {
        assert!(
            problems
                .iter()
                .any(|p| matches!(p, Error::BadExperiment { attribute, .. } if *attribute == name)),
            "{problems:#?}"
        );
    }
}

#[test]
fn names_are_unique() {
    assert_only!(
        |d| variable(d, index::GRAVITY).name = "tension".to_owned(),
        Error::DuplicateName { kind: "variable", name } if name == "tension"
    );
    assert_only!(
        |d| d.unit_definitions.push(Unit::new("N", BaseUnit::default())),
        Error::DuplicateName { kind: "unit", name } if name == "N"
    );
    assert_only!(
        |d| d.unit_definitions[0].display_units.push(DisplayUnit::new("deg", 2.0)),
        Error::DuplicateName { kind: "display unit", name } if name == "deg"
    );
    assert_only!(
        |d| d.log_categories[1].name = "logEvents".to_owned(),
        Error::DuplicateName {
            kind: "log category",
            ..
        }
    );
    assert_only!(
        |d| d.type_definitions.push(d.type_definitions[0].clone()),
        Error::DuplicateName { kind: "type", .. }
    );
    let problems = problems_after(|d| d.type_definitions[0].name = "gravity".to_owned());
    assert!(
        matches!(
            problems[0],
            Error::DuplicateName {
                kind: "type and variable",
                ..
            }
        ),
        "{problems:#?}"
    );
}

#[test]
fn items_of_an_enumeration_are_distinct() {
    let items = |d: &mut ModelDescription, change: fn(&mut Vec<EnumerationItem>)| match &mut d
        .type_definitions[4]
        .kind
    {
        SimpleTypeKind::Enumeration { items, .. } => change(items),
        other => panic!("{other:?} is not an enumeration"),
    };
    assert_only!(
        |d| items(d, |items| items[0].value = 2),
        Error::DuplicateItemValue { value: 2, .. }
    );
    assert_only!(
        |d| items(d, |items| items[0].name = "implicit".to_owned()),
        Error::DuplicateName { kind: "item", .. }
    );
    assert_only!(
        |d| items(d, |items| items.truncate(1)),
        Error::StartNoItem { start: 2, .. }
    );
    let problems = problems_after(|d| items(d, Vec::clear));
    assert!(matches!(problems[0], Error::Empty { .. }), "{problems:#?}");
}

#[test]
fn names_follow_the_convention() {
    assert_only!(
        |d| variable(d, index::GRAVITY).name = "g [m/s2]".to_owned(),
        Error::IllegalName {
            convention: NamingConvention::Structured,
            offset: 1,
            ..
        }
    );
    assert_only!(
        |d| {
            d.variable_naming_convention = NamingConvention::Flat;
            variable(d, index::GRAVITY).name = "a\nb".to_owned();
        },
        Error::IllegalName {
            convention: NamingConvention::Flat,
            offset: 1,
            ..
        }
    );
}
