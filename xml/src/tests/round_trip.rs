//! What is written is read back.

use proptest::prelude::*;

use super::sample;
use crate::*;

#[test]
fn everything_that_is_written_is_read_back() {
    for description in [sample::smallest(), sample::full()] {
        let xml = description.to_xml().unwrap();
        assert_eq!(
            ModelDescription::from_xml(xml.as_bytes()).unwrap(),
            description
        );
        assert_eq!(
            xml.parse::<ModelDescription>().unwrap().to_xml().unwrap(),
            xml
        );
    }
}

#[test]
fn model_exchange_is_read_back_beside_co_simulation() {
    let mut description = sample::full();
    description.number_of_event_indicators = Some(3);
    description.model_exchange = Some(ModelExchange {
        model_identifier: "Sample".to_owned(),
        needs_execution_tool: true,
        completed_integrator_step_not_needed: true,
        can_be_instantiated_only_once_per_process: true,
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: true,
        source_files: vec!["me.c".to_owned()],
    });
    description.model_variables[0].can_handle_multiple_set_per_time_instant = Some(false);
    if let VariableType::Real(real) = &mut description.model_variables[1].variable_type {
        real.reinit = true;
    }
    assert!(description.problems().is_empty());
    let xml = description.to_xml().unwrap();
    assert_eq!(
        ModelDescription::from_xml(xml.as_bytes()).unwrap(),
        description
    );
}

#[test]
fn elements_come_in_the_order_of_the_schema() {
    let xml = sample::full().to_xml().unwrap();
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription "));
    assert!(xml.ends_with("</fmiModelDescription>\n"));
    let order = [
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=",
        "<CoSimulation ",
        "<SourceFiles>",
        "<UnitDefinitions>",
        "<BaseUnit ",
        "<DisplayUnit ",
        "<TypeDefinitions>",
        "<LogCategories>",
        "<DefaultExperiment ",
        "<ModelVariables>",
        "<ModelStructure>",
        "<Outputs>",
        "<Derivatives>",
        "<InitialUnknowns>",
    ];
    let places: Vec<usize> = order.iter().map(|tag| xml.find(tag).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn no_dependency_is_written_and_unknown_dependency_is_not() {
    let xml = sample::full().to_xml().unwrap();
    assert!(
        xml.contains("<Unknown index=\"6\" dependencies=\"\"/>"),
        "{xml}"
    );
    assert!(xml.contains("<Unknown index=\"3\"/>"), "{xml}");
    assert!(
        xml.contains("dependencies=\"1 2\" dependenciesKind=\"fixed dependent\""),
        "{xml}"
    );
}

#[test]
fn empty_lists_are_left_out_but_the_structure_is_not() {
    let mut description = sample::smallest();
    description.model_structure = ModelStructure::default();
    let xml = description.to_xml().unwrap();
    assert!(xml.contains("<ModelStructure/>"), "{xml}");
    for list in [
        "UnitDefinitions",
        "TypeDefinitions",
        "LogCategories",
        "Outputs",
        "SourceFiles",
    ] {
        assert!(!xml.contains(list), "{list}");
    }
}

#[test]
fn special_characters_are_escaped() {
    let xml = sample::full().to_xml().unwrap();
    assert!(
        xml.contains("modelName=\"Sample &lt;&amp; &quot;all&quot; of it&gt;\""),
        "{xml}"
    );
    assert!(
        xml.contains("Größe &amp; Lage, &apos;quoted&apos;&#10;in two lines&#9;and"),
        "{xml}"
    );
    assert!(xml.contains("&lt;/a&gt;&#13;&#10;\""), "{xml}");
}

#[test]
fn numbers_are_written_independently_of_locale() {
    let xml = sample::full().to_xml().unwrap();
    // The nearest double of 0.1 + 0.2 − 0.1, in its shortest form.
    assert!(xml.contains("start=\"0.20000000000000004\""), "{xml}");
    assert!(xml.contains("max=\"INF\""), "{xml}");
    assert!(xml.contains("tolerance=\"1e-6\""), "{xml}");
    assert!(xml.contains("factor=\"57.29577951308232\""), "{xml}");
}

#[test]
fn what_xml_cannot_say_is_refused() {
    let mut description = sample::smallest();
    description.default_experiment = Some(DefaultExperiment {
        stop_time: Some(f64::NAN),
        ..DefaultExperiment::default()
    });
    let error = description.to_xml().unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotANumber {
                attribute: "stopTime",
                ..
            }
        ),
        "{error}"
    );

    for character in ['\0', '\u{1b}', '\u{ffff}'] {
        let mut description = sample::smallest();
        description.author = Some(format!("nobody{character}"));
        let error = description.to_xml().unwrap_err();
        assert!(
            matches!(
                error,
                Error::IllegalCharacter {
                    element: "fmiModelDescription",
                    attribute: "author",
                    character: found,
                } if found == character
            ),
            "{error}"
        );
    }
}

/// fmi-schema is the reader of the Rust FMI crates. It has no field for what it does not read, so
/// the comparison covers what it has.
#[test]
fn fmi_schema_reads_the_same() {
    use fmi_schema::fmi2::{Fmi2ModelDescription, ScalarVariableElement};

    let ours = sample::full();
    let theirs: Fmi2ModelDescription = ours.to_xml().unwrap().parse().unwrap();
    assert_eq!(theirs.fmi_version, FMI_VERSION);
    assert_eq!(theirs.guid, ours.guid);
    assert_eq!(theirs.model_name, ours.model_name);
    assert_eq!(
        theirs.variable_naming_convention.as_deref(),
        Some("structured")
    );
    let interface = theirs.co_simulation.unwrap();
    assert_eq!(interface.model_identifier, "Sample");
    assert_eq!(interface.can_run_asynchronuously, Some(true));
    assert_eq!(interface.max_output_derivative_order, Some(1));
    assert_eq!(interface.source_files.unwrap().files.len(), 2);
    assert_eq!(theirs.default_experiment.unwrap().step_size, Some(1e-3));
    assert_eq!(
        theirs.type_definitions.unwrap().types.len(),
        ours.type_definitions.len()
    );

    let units = theirs.unit_definitions.unwrap().units;
    assert_eq!(units.len(), ours.unit_definitions.len());
    for (theirs, ours) in units.iter().zip(&ours.unit_definitions) {
        assert_eq!(theirs.name, ours.name);
        let factor = theirs
            .base_unit
            .as_ref()
            .and_then(|base| base.factor)
            .unwrap_or(1.0);
        assert_eq!(factor, ours.base_unit.map_or(1.0, |base| base.factor));
        assert_eq!(theirs.display_unit.len(), ours.display_units.len());
    }

    let variables = theirs.model_variables.variables;
    assert_eq!(variables.len(), ours.model_variables.len());
    for (theirs, ours) in variables.iter().zip(&ours.model_variables) {
        assert_eq!(theirs.name, ours.name);
        assert_eq!(theirs.value_reference, ours.value_reference);
        assert_eq!(theirs.description, ours.description);
        assert_eq!(theirs.causality.to_string(), ours.causality.to_string());
        assert_eq!(
            theirs
                .variability
                .map(|variability| variability.to_string()),
            ours.variability.map(|variability| variability.to_string())
        );
        match (&theirs.elem, &ours.variable_type) {
            (ScalarVariableElement::Real(theirs), VariableType::Real(ours)) => {
                assert_eq!(
                    (theirs.start, theirs.derivative),
                    (ours.start, ours.derivative)
                );
            }
            (ScalarVariableElement::Integer(theirs), VariableType::Integer(ours)) => {
                assert_eq!(theirs.start, ours.start);
            }
            (ScalarVariableElement::Boolean(theirs), VariableType::Boolean(ours)) => {
                assert_eq!(theirs.start, ours.start);
            }
            (ScalarVariableElement::String, VariableType::String(_))
            | (ScalarVariableElement::Enumeration, VariableType::Enumeration(_)) => {}
            (theirs, ours) => panic!("{theirs:?} is not {ours:?}"),
        }
    }

    let structure = &ours.model_structure;
    for (theirs, ours) in [
        (&theirs.model_structure.outputs.unknowns, &structure.outputs),
        (
            &theirs.model_structure.derivatives.unknowns,
            &structure.derivatives,
        ),
        (
            &theirs.model_structure.initial_unknowns.unknowns,
            &structure.initial_unknowns,
        ),
    ] {
        assert_eq!(theirs.len(), ours.len());
        for (theirs, ours) in theirs.iter().zip(ours) {
            assert_eq!(theirs.index, ours.index);
            assert_eq!(
                theirs.dependencies,
                ours.dependencies.clone().unwrap_or_default()
            );
        }
    }
}

/// Any text that XML can carry.
fn text() -> impl Strategy<Value = String> {
    let is_legal = |c: &char| {
        (*c >= ' ' || matches!(c, '\t' | '\n' | '\r')) && !matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    proptest::collection::vec(any::<char>(), 0..20)
        .prop_map(move |characters| characters.into_iter().filter(is_legal).collect())
}

fn number() -> impl Strategy<Value = Option<f64>> {
    let finite_or_infinite = any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("NaN", |x| !x.is_nan());
    proptest::option::of(finite_or_infinite)
}

proptest! {
    #[test]
    fn any_text_and_number_survives(
        name in text(), description in proptest::option::of(text()), start_text in text(),
        start in number(), min in number(), integer: Option<i32>, reference: u32,
    ) {
        let mut original = sample::full();
        original.model_name = name.clone();
        original.description = description.clone();
        for variable in &mut original.model_variables {
            variable.value_reference = reference;
            variable.description = description.clone();
            match &mut variable.variable_type {
                VariableType::Real(real) => {
                    real.start = start;
                    real.attributes.min = min;
                    real.attributes.unit = description.clone();
                }
                VariableType::Integer(number) => number.start = integer,
                VariableType::String(text) => text.start = Some(start_text.clone()),
                _ => {}
            }
        }
        let xml = original.to_xml().unwrap();
        prop_assert_eq!(ModelDescription::from_xml(xml.as_bytes()).unwrap(), original);
    }
}
