//! The model description: rules of the standard, and what it says of dependencies.

use crate::support::Raw;
use softdock_fmi::abi::FMI2_OK;
use softdock_fmi::lifecycle::State;
use softdock_fmu::ModelKind;
use softdock_xml::{Causality, Initial, ModelDescription, Variability, VariableType};

#[test]
fn the_description_breaks_no_rule_and_reads_back() {
    for kind in ModelKind::ALL {
        let description = kind.description().unwrap();
        assert!(
            description.problems().is_empty(),
            "{:?}",
            description.problems()
        );
        let xml = description.to_xml().unwrap();
        assert_eq!(
            ModelDescription::from_xml(xml.as_bytes()).unwrap(),
            description
        );
        assert_eq!(description.guid, description.content_guid().unwrap());
        assert_eq!(Some(description.guid.as_str()), kind.guid());
        assert_eq!(description.model_name, kind.name());
    }
    assert_ne!(ModelKind::LegPlanar.guid(), ModelKind::LegSpatial.guid());
}

#[test]
fn another_reader_understands_the_same() {
    use fmi_schema::fmi2::Fmi2ModelDescription;
    for kind in ModelKind::ALL {
        let ours = kind.description().unwrap();
        let theirs: Fmi2ModelDescription = ours.to_xml().unwrap().parse().unwrap();
        assert_eq!(
            (theirs.guid, theirs.model_name),
            (ours.guid, ours.model_name)
        );
        let interface = theirs.co_simulation.unwrap();
        assert_eq!(interface.model_identifier, kind.name());
        assert_eq!(interface.can_get_and_set_fmu_state, Some(true));
        let variables = theirs.model_variables.variables;
        assert_eq!(variables.len(), ours.model_variables.len());
        for (theirs, ours) in variables.iter().zip(&ours.model_variables) {
            assert_eq!(theirs.name, ours.name);
            assert_eq!(theirs.value_reference, ours.value_reference);
        }
    }
}

#[test]
fn capabilities_are_those_promised() {
    let description = ModelKind::LegSpatial.description().unwrap();
    let can = description.co_simulation.unwrap();
    assert!(can.can_get_and_set_fmu_state && can.can_serialize_fmu_state);
    assert!(can.provides_directional_derivative && can.can_interpolate_inputs);
    assert!(can.can_handle_variable_communication_step_size);
    assert!(!can.can_be_instantiated_only_once_per_process && !can.needs_execution_tool);
    assert_eq!(can.max_output_derivative_order, 1);
    assert_eq!(can.model_identifier, "LegSpatial");
}

#[test]
fn every_variable_has_a_unit_a_text_and_a_start_inside_its_range() {
    for kind in ModelKind::ALL {
        for variable in kind.description().unwrap().model_variables {
            let name = &variable.name;
            assert!(
                variable.description.is_some_and(|text| !text.is_empty()),
                "{name}"
            );
            assert_ne!(variable.causality, Causality::Independent, "{name}");
            let settable = matches!(variable.causality, Causality::Parameter | Causality::Input);
            match &variable.variable_type {
                VariableType::Real(real) => {
                    assert!(real.attributes.unit.is_some(), "{name}");
                    assert_eq!(real.start.is_some(), settable, "{name}");
                    if variable.causality == Causality::Parameter {
                        let (min, max) = (real.attributes.min, real.attributes.max);
                        let start = real.start.unwrap();
                        assert!(min.unwrap() <= start && start <= max.unwrap(), "{name}");
                        assert_eq!(variable.variability, Some(Variability::Fixed));
                        assert_eq!(variable.initial, Some(Initial::Exact));
                    }
                }
                VariableType::Integer(integer) => {
                    let start = integer.start.unwrap();
                    let attributes = &integer.attributes;
                    assert!(attributes.min.unwrap() <= start && start <= attributes.max.unwrap());
                }
                VariableType::Boolean(boolean) => assert!(boolean.start.is_some(), "{name}"),
                _ => panic!("{name} is of a type that importers support badly"),
            }
        }
    }
}

/// No output depends on an input set at the same communication point: no false algebraic loop.
#[test]
fn inputs_set_after_a_step_do_not_reach_the_outputs_before_the_next() {
    for kind in ModelKind::ALL {
        let description = kind.description().unwrap();
        let outputs = &description.model_structure.outputs;
        assert!(
            outputs
                .iter()
                .all(|unknown| unknown.dependencies == Some(Vec::new()))
        );
        let raw = Raw::in_state(kind, State::StepComplete);
        let names: Vec<&str> = description
            .model_variables
            .iter()
            .filter(|variable| variable.causality == Causality::Output)
            .map(|variable| variable.name.as_str())
            .collect();
        let before: Vec<f64> = names.iter().map(|name| raw.get(name)).collect();
        for variable in &description.model_variables {
            if variable.causality == Causality::Input {
                let value = raw.get(&variable.name) + 1e-3;
                assert_eq!(raw.set(&variable.name, value), FMI2_OK);
            }
        }
        let after: Vec<f64> = names.iter().map(|name| raw.get(name)).collect();
        assert_eq!(before, after);
    }
}

/// What is not listed as a dependency of the initial unknowns has no effect on them.
#[test]
fn initial_unknowns_depend_on_nothing_that_is_not_listed() {
    for kind in ModelKind::ALL {
        let description = kind.description().unwrap();
        let unknowns = &description.model_structure.initial_unknowns;
        let listed = unknowns[0].dependencies.clone().unwrap();
        let names: Vec<&str> = unknowns
            .iter()
            .map(|unknown| {
                description
                    .variable_at(unknown.index)
                    .unwrap()
                    .name
                    .as_str()
            })
            .collect();
        let prepared = || {
            let raw = Raw::small_in_state(kind, State::Initialization);
            let has = |name: &str| description.model_variables.iter().any(|v| v.name == name);
            if has("motor.mode") {
                assert_eq!(raw.set_integer("motor.mode", 3), FMI2_OK);
                assert_eq!(
                    raw.set_boolean("tendon.damping_shortening_given", true),
                    FMI2_OK
                );
                assert_eq!(raw.set("tendon.damping_shortening", 100.0), FMI2_OK);
            }
            raw
        };
        let values = |raw: &Raw| names.iter().map(|name| raw.get(name)).collect::<Vec<f64>>();
        let reference = values(&prepared());
        for (index, variable) in description.indexed_variables() {
            let known = matches!(variable.causality, Causality::Parameter | Causality::Input);
            if !known || listed.contains(&index) {
                continue;
            }
            let raw = prepared();
            let set = match &variable.variable_type {
                VariableType::Real(real) => {
                    let start = real.start.unwrap();
                    let max = real.attributes.max.unwrap_or(f64::INFINITY);
                    raw.set(&variable.name, (1.1 * start + 1e-6).min(max))
                }
                VariableType::Boolean(boolean) => {
                    raw.set_boolean(&variable.name, !boolean.start.unwrap())
                }
                _ => panic!("{}", variable.name),
            };
            assert_eq!(set, FMI2_OK, "{}", variable.name);
            for (name, (a, b)) in names.iter().zip(values(&raw).iter().zip(&reference)) {
                assert_eq!(a, b, "{name} depends on {}", variable.name);
            }
        }
    }
}
