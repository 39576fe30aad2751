//! Rules for variables.

use super::{assert_only, problems_after, real, variable};
use crate::tests::sample::{self, index};
use crate::*;

/// The table of FMI 2.0, section 2.2.7, spelt out: for every causality and variability the legal
/// values of `initial`, `-` for absent.
#[test]
fn causality_variability_and_initial_go_together_as_the_standard_says() {
    use crate::keyword::Keyword;
    let legal = |causality, variability| match (causality, variability) {
        ("parameter", "fixed" | "tunable") => "- exact",
        ("calculatedParameter", "fixed" | "tunable") => "- approx calculated",
        ("input", "discrete" | "continuous") => "-",
        ("output", "constant") => "- exact",
        ("output", "discrete" | "continuous") => "- exact approx calculated",
        ("local", "constant") => "- exact",
        ("local", "fixed" | "tunable") => "- approx calculated",
        ("local", "discrete" | "continuous") => "- exact approx calculated",
        ("independent", "continuous") => "-",
        _ => "",
    };
    let initials = [
        None,
        Some(Initial::Exact),
        Some(Initial::Approx),
        Some(Initial::Calculated),
    ];
    for &causality in Causality::ALL {
        for &variability in Variability::ALL {
            let legal = legal(causality.as_str(), variability.as_str());
            for initial in initials {
                let mut description = sample::smallest();
                let mut added = ScalarVariable::new("x", 1, causality, variability);
                added.initial = initial;
                description.model_variables.push(added);
                let refused = description.problems().iter().any(|problem| {
                    matches!(
                        problem,
                        Error::IllegalCombination { .. } | Error::IllegalInitial { .. }
                    )
                });
                let word = initial.map_or("-", Keyword::as_str);
                let is_legal = legal.split(' ').any(|entry| entry == word);
                assert_eq!(refused, !is_legal, "{causality} {variability} {initial:?}");
            }
        }
    }
}

#[test]
fn the_default_of_initial_is_the_standards() {
    let default_of = |causality, variability| {
        ScalarVariable::new("x", 0, causality, variability).effective_initial()
    };
    use Causality as C;
    use Variability as V;
    for (causality, variability, initial) in [
        (C::Parameter, V::Fixed, Some(Initial::Exact)),
        (
            C::CalculatedParameter,
            V::Tunable,
            Some(Initial::Calculated),
        ),
        (C::Output, V::Constant, Some(Initial::Exact)),
        (C::Output, V::Continuous, Some(Initial::Calculated)),
        (C::Local, V::Discrete, Some(Initial::Calculated)),
        (C::Input, V::Continuous, None),
        (C::Independent, V::Continuous, None),
        (C::Parameter, V::Continuous, None),
    ] {
        assert_eq!(
            default_of(causality, variability),
            initial,
            "{causality} {variability}"
        );
    }
}

#[test]
fn only_reals_are_continuous() {
    assert_only!(
        |d| variable(d, index::SLACK).variability = Some(Variability::Continuous),
        Error::MustBeReal {
            found: "Boolean",
            ..
        }
    );
    // The schema's default is continuous, for every type.
    assert_only!(
        |d| variable(d, index::SLACK).variability = None,
        Error::MustBeReal {
            found: "Boolean",
            ..
        }
    );
}

#[test]
fn there_is_at_most_one_independent_variable() {
    let time = |name: &str, reference| {
        ScalarVariable::new(
            name,
            reference,
            Causality::Independent,
            Variability::Continuous,
        )
    };
    assert!(problems_after(|d| d.model_variables.push(time("time", 20))).is_empty());
    assert_only!(
        |d| d.model_variables.extend([time("time", 20), time("angle", 21)]),
        Error::SeveralIndependent { first, second } if first == "time" && second == "angle"
    );
    assert_only!(
        |d| {
            let started = Real {
                start: Some(0.0),
                ..Real::default()
            };
            d.model_variables.push(time("time", 20).with_type(started));
        },
        Error::StartForbidden {
            causality: Causality::Independent,
            ..
        }
    );
}

#[test]
fn start_values_are_where_they_belong() {
    for index in [
        index::TORQUE,
        index::ANGLE,
        index::STIFFNESS,
        index::GRAVITY,
    ] {
        assert_only!(|d| real(d, index).start = None, Error::StartMissing { .. });
    }
    assert_only!(
        |d| variable(d, index::LABEL).variable_type = Text::default().into(),
        Error::StartMissing {
            causality: Causality::Parameter,
            ..
        }
    );
    assert_only!(
        |d| variable(d, index::SLACK).initial = Some(Initial::Approx),
        Error::StartMissing {
            initial: Some(Initial::Approx),
            ..
        }
    );
    for index in [index::RATE, index::TENSION, index::MASS] {
        assert_only!(
            |d| real(d, index).start = Some(1.0),
            Error::StartForbidden {
                initial: Some(Initial::Calculated),
                ..
            }
        );
    }
}

#[test]
fn start_values_lie_within_their_range() {
    assert_only!(
        |d| real(d, index::ANGLE).start = Some(0.5),
        Error::StartOutsideRange {
            start: 0.5,
            min: -0.1,
            max: 0.3,
            ..
        }
    );
    // The range of the declared type counts.
    assert_only!(
        |d| real(d, index::STIFFNESS).start = Some(-1.0),
        Error::StartOutsideRange {
            start: -1.0,
            min: 0.0,
            max: f64::INFINITY,
            ..
        }
    );
    for start in [0, 101] {
        assert_only!(
            |d| match &mut variable(d, index::ELEMENTS).variable_type {
                VariableType::Integer(integer) => integer.start = Some(start),
                other => panic!("{other:?}"),
            },
            Error::StartOutsideRange {
                min: 1.0,
                max: 100.0,
                ..
            }
        );
    }
    assert_only!(
        |d| real(d, index::TORQUE).start = Some(f64::NAN),
        Error::NotANumber {
            attribute: "start",
            ..
        }
    );
}

#[test]
fn ranges_and_nominal_values_make_sense() {
    assert_only!(
        |d| {
            real(d, index::TENSION).attributes.min = Some(1.0);
            real(d, index::TENSION).attributes.max = Some(0.0);
        },
        Error::EmptyRange {
            min: 1.0,
            max: 0.0,
            ..
        }
    );
    assert_only!(
        |d| real(d, index::TENSION).attributes.nominal = Some(0.0),
        Error::BadNominal { nominal: 0.0, .. }
    );
    assert_only!(
        |d| real(d, index::TENSION).attributes.max = Some(f64::NAN),
        Error::NotANumber {
            attribute: "max",
            ..
        }
    );
    assert_only!(
        |d| d.unit_definitions[0].display_units[0].factor = f64::NAN,
        Error::NotANumber {
            attribute: "factor",
            ..
        }
    );
}

#[test]
fn units_are_defined() {
    assert_only!(
        |d| real(d, index::TENSION).attributes.unit = Some("kN".to_owned()),
        Error::UndefinedUnit { unit, .. } if unit == "kN"
    );
    assert_only!(
        |d| real(d, index::ANGLE).attributes.display_unit = Some("turn".to_owned()),
        Error::UndefinedDisplayUnit { display_unit, .. } if display_unit == "turn"
    );
    assert_only!(
        |d| real(d, index::GRAVITY).attributes.display_unit = Some("deg".to_owned()),
        Error::UndefinedDisplayUnit { unit: None, .. }
    );
    let problems = problems_after(|d| d.unit_definitions.retain(|unit| unit.name != "N/m"));
    // Both the type and the variable that declares it.
    assert!(
        matches!(
            problems[..],
            [Error::UndefinedUnit { .. }, Error::UndefinedUnit { .. }]
        ),
        "{problems:#?}"
    );
}

#[test]
fn declared_types_exist_and_fit() {
    assert_only!(
        |d| real(d, index::TENSION).declared_type = Some("Types.None".to_owned()),
        Error::UndefinedType { .. }
    );
    assert_only!(
        |d| real(d, index::TENSION).declared_type = Some("Types.Count".to_owned()),
        Error::WrongType {
            found: "Real",
            declared: "Integer",
            ..
        }
    );
}

#[test]
fn value_references_are_shared_only_by_aliases() {
    let mass = |d: &mut ModelDescription, reference| {
        variable(d, index::MASS).value_reference = reference;
    };
    // A calculated variable may be the alias of an input; an integer never shares with a real.
    assert!(problems_after(|d| mass(d, 0)).is_empty());
    assert_only!(
        |d| variable(d, index::STIFFNESS).value_reference = 0,
        Error::IllegalAlias {
            value_reference: 0,
            conflict: AliasConflict::BothSettable,
            ..
        }
    );
    assert_only!(
        |d| variable(d, index::ANGLE).value_reference = 0,
        Error::IllegalAlias {
            conflict: AliasConflict::BothHaveStart,
            ..
        }
    );
    assert_only!(
        |d| mass(d, 7),
        Error::IllegalAlias {
            conflict: AliasConflict::ConstantWithVariable,
            ..
        }
    );
    // Enumerations are set as integers.
    assert_only!(
        |d| variable(d, index::SCHEME).value_reference = 0,
        Error::IllegalAlias {
            conflict: AliasConflict::BothSettable,
            ..
        }
    );
    let constant = |start| {
        ScalarVariable::new("g", 7, Causality::Local, Variability::Constant).with_type(Real {
            start: Some(start),
            ..Real::default()
        })
    };
    assert!(problems_after(|d| d.model_variables.push(constant(9.81))).is_empty());
    assert_only!(
        |d| d.model_variables.push(constant(9.80)),
        Error::IllegalAlias {
            conflict: AliasConflict::DifferentConstants,
            ..
        }
    );
}

#[test]
fn a_model_without_variables_is_refused() {
    let problems = problems_after(|d| {
        d.model_variables.clear();
        d.model_structure = ModelStructure::default();
    });
    assert!(
        matches!(&problems[..], [Error::Empty { list }] if list == "ModelVariables"),
        "{problems:#?}"
    );
}
