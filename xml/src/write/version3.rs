//! Writing as FMI 3.0, from the same description: elements in the order of its schema.
//!
//! Neighbouring variables `x[1]`, `x[2]`, … of one type and role become one array `x`, whose value
//! reference is that of its first element. A variable `time` is added behind all others, as the
//! standard demands: its value reference is the first one that is free. Declared types,
//! enumerations, texts, exposed states and aliases are not written: our models have none, and a
//! description with one of them is refused.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use super::tag::Tag;
use super::{Out, finish};
use crate::{
    Causality, CoSimulation, Error, ModelDescription, ScalarVariable, Unknown, VariableType,
};

/// The `fmiVersion` that is written.
const FMI_VERSION_3: &str = "3.0";

impl ModelDescription {
    /// The description as XML of FMI 3.0 with this instantiation token, encoded in UTF-8.
    pub fn to_xml_3(&self, token: &str) -> Result<String, Error> {
        check(self)?;
        let mut out = Out {
            writer: Writer::new_with_indent(Vec::new(), b' ', 2),
        };
        out.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        out.description_3(self, token)?;
        finish(out)
    }
}

/// Refuses what is not written.
fn check(description: &ModelDescription) -> Result<(), Error> {
    let refuse = |what: &str| {
        Err(Error::NotInVersion3 {
            what: what.to_owned(),
        })
    };
    if description.model_exchange.is_some() {
        return refuse("model exchange");
    }
    if !description.type_definitions.is_empty() {
        return refuse("declared types");
    }
    let mut references = std::collections::BTreeSet::new();
    for variable in &description.model_variables {
        let written = match &variable.variable_type {
            VariableType::Real(real) => real.derivative.is_none() && !real.reinit,
            VariableType::Integer(_) | VariableType::Boolean(_) => true,
            VariableType::String(_) | VariableType::Enumeration(_) => false,
        };
        if !written || !references.insert(variable.value_reference) {
            return refuse(&variable.name);
        }
    }
    Ok(())
}

/// A variable of FMI 3.0: one of the scalar ones, or several as an array.
struct Grouped<'a> {
    /// Its name.
    name: &'a str,
    /// Its elements.
    elements: &'a [ScalarVariable],
    /// Whether it is an array.
    array: bool,
}

/// Text and number of a name `text[number]`.
fn numbered(name: &str) -> Option<(&str, usize)> {
    let (text, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((text, number.parse().ok()?))
}

/// Variables of the same kind, at neighbouring value references, numbered from one.
fn run(variables: &[ScalarVariable], first: usize) -> Range<usize> {
    let head = &variables[first];
    let Some((text, 1)) = numbered(&head.name) else {
        return first..first + 1;
    };
    let belongs = |(offset, next): &(u32, &ScalarVariable)| {
        numbered(&next.name) == Some((text, *offset as usize + 1))
            && next.value_reference == head.value_reference + offset
            && next.causality == head.causality
            && next.variable_type.name() == head.variable_type.name()
    };
    let followers = (1..).zip(&variables[first + 1..]).take_while(belongs);
    first..first + 1 + followers.count()
}

fn grouped(variables: &[ScalarVariable]) -> Vec<Grouped<'_>> {
    let mut groups = Vec::new();
    let mut first = 0;
    while first < variables.len() {
        let range = run(variables, first);
        let name = &variables[first].name;
        let text = numbered(name)
            .filter(|(_, number)| *number == 1)
            .map(|(text, _)| text);
        groups.push(Grouped {
            name: text.unwrap_or(name),
            elements: &variables[range.clone()],
            array: text.is_some(),
        });
        first = range.end;
    }
    groups
}

/// The first value reference behind all others.
fn free_reference(variables: &[ScalarVariable]) -> u32 {
    let last = variables.iter().map(|variable| variable.value_reference);
    last.max().map_or(0, |last| last + 1)
}

/// Start values of all elements as one list; nothing if one of them has none.
fn starts(elements: &[ScalarVariable]) -> Option<Vec<Start>> {
    elements
        .iter()
        .map(|variable| match &variable.variable_type {
            VariableType::Real(real) => real.start.map(Start::Real),
            VariableType::Integer(integer) => integer.start.map(Start::Integer),
            VariableType::Boolean(boolean) => boolean.start.map(Start::Boolean),
            VariableType::String(_) | VariableType::Enumeration(_) => None,
        })
        .collect()
}

/// A start value.
enum Start {
    Real(f64),
    Integer(i32),
    Boolean(bool),
}

impl super::tag::Value for Start {
    fn render(&self) -> Result<Cow<'_, str>, super::tag::Unwritable> {
        match self {
            Self::Real(value) => value.render(),
            Self::Integer(value) => value.render(),
            Self::Boolean(value) => value.render(),
        }
    }
}

impl Out {
    fn description_3(&mut self, d: &ModelDescription, token: &str) -> Result<(), Error> {
        let tag = Tag::new("fmiModelDescription")
            .with("fmiVersion", FMI_VERSION_3)?
            .with("modelName", &d.model_name)?
            .with("instantiationToken", token)?
            .maybe("description", &d.description)?
            .maybe("author", &d.author)?
            .maybe("version", &d.version)?
            .maybe("copyright", &d.copyright)?
            .maybe("license", &d.license)?
            .maybe("generationTool", &d.generation_tool)?
            .maybe("generationDateAndTime", &d.generation_date_and_time)?
            .with("variableNamingConvention", &d.variable_naming_convention)?;
        self.nested(tag, |out| {
            d.co_simulation
                .iter()
                .try_for_each(|interface| out.co_simulation_3(interface))?;
            out.list("UnitDefinitions", &d.unit_definitions, Self::unit)?;
            out.log_categories(d)?;
            out.default_experiment(d)?;
            out.nested(Tag::new("ModelVariables"), |out| {
                grouped(&d.model_variables)
                    .iter()
                    .try_for_each(|group| out.variable_3(group))?;
                let seconds = d.unit_definitions.iter().find(|unit| unit.name == "s");
                let tag = Tag::new("Float64")
                    .with("name", "time")?
                    .with("valueReference", &free_reference(&d.model_variables))?
                    .with("description", "Time of the simulation")?
                    .with("causality", &Causality::Independent)?
                    .with("variability", &crate::Variability::Continuous)?
                    .maybe("unit", &seconds.map(|unit| unit.name.clone()))?;
                out.empty(tag)
            })?;
            out.structure_3(d)
        })
    }

    fn co_simulation_3(&mut self, cs: &CoSimulation) -> Result<(), Error> {
        let derivatives = cs.provides_directional_derivative;
        let tag = Tag::new("CoSimulation")
            .with("modelIdentifier", &cs.model_identifier)?
            .flag("needsExecutionTool", cs.needs_execution_tool)?
            .flag(
                "canBeInstantiatedOnlyOncePerProcess",
                cs.can_be_instantiated_only_once_per_process,
            )?
            .flag("canGetAndSetFMUState", cs.can_get_and_set_fmu_state)?
            .flag("canSerializeFMUState", cs.can_serialize_fmu_state)?
            .flag("providesDirectionalDerivatives", derivatives)?
            .flag("providesAdjointDerivatives", derivatives)?
            .flag(
                "canHandleVariableCommunicationStepSize",
                cs.can_handle_variable_communication_step_size,
            )?
            .unless(
                0,
                "maxOutputDerivativeOrder",
                &cs.max_output_derivative_order,
            )?;
        self.empty(tag)
    }

    fn variable_3(&mut self, group: &Grouped<'_>) -> Result<(), Error> {
        let Some(first) = group.elements.first() else {
            return Ok(());
        };
        let kind = match &first.variable_type {
            VariableType::Integer(_) => "Int32",
            VariableType::Boolean(_) => "Boolean",
            _ => "Float64",
        };
        let tag = Tag::new(kind)
            .with("name", group.name)?
            .with("valueReference", &first.value_reference)?
            .maybe("description", &first.description)?
            .with("causality", &first.causality)?
            .maybe("variability", &first.variability)?
            .maybe("initial", &first.initial)?;
        let tag = match &first.variable_type {
            VariableType::Real(real) => tag.real(&real.attributes)?,
            VariableType::Integer(integer) => tag.integer(&integer.attributes)?,
            _ => tag,
        }
        .maybe("start", &starts(group.elements))?;
        if !group.array {
            return self.empty(tag);
        }
        let length = u32::try_from(group.elements.len()).unwrap_or(u32::MAX);
        self.nested(tag, |out| {
            out.empty(Tag::new("Dimension").with("start", &length)?)
        })
    }

    /// Outputs and initial unknowns, by value reference; an array stands once.
    fn structure_3(&mut self, d: &ModelDescription) -> Result<(), Error> {
        let groups = grouped(&d.model_variables);
        // The array's reference for every one-based index of a scalar variable.
        let references: Vec<u32> = groups
            .iter()
            .filter_map(|group| Some((group, group.elements.first()?.value_reference)))
            .flat_map(|(group, reference)| group.elements.iter().map(move |_| reference))
            .collect();
        let reference = |index: &u32| references.get((*index as usize).checked_sub(1)?).copied();
        let lists = [
            ("Output", &d.model_structure.outputs),
            ("InitialUnknown", &d.model_structure.initial_unknowns),
        ];
        self.nested(Tag::new("ModelStructure"), |out| {
            for (name, unknowns) in lists {
                let mut last = None;
                for unknown in unknowns {
                    let of = reference(&unknown.index);
                    if of.is_some() && of == last {
                        continue;
                    }
                    last = of;
                    out.unknown_3(name, of.unwrap_or_default(), unknown, reference)?;
                }
            }
            Ok(())
        })
    }

    fn unknown_3(
        &mut self,
        name: &'static str,
        of: u32,
        unknown: &Unknown,
        reference: impl Fn(&u32) -> Option<u32>,
    ) -> Result<(), Error> {
        let dependencies = unknown.dependencies.as_ref().map(|indices| {
            let mut references: Vec<u32> = indices.iter().filter_map(reference).collect();
            references.dedup();
            references
        });
        let tag = Tag::new(name)
            .with("valueReference", &of)?
            .maybe("dependencies", &dependencies)?;
        self.empty(tag)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::sample;
    use crate::*;

    fn vector() -> ModelDescription {
        let mut description = sample::smallest();
        let element = |k: u32| {
            ScalarVariable::new(
                format!("tip.force[{k}]"),
                k,
                Causality::Output,
                Variability::Continuous,
            )
        };
        description.model_variables.extend((1..=3).map(element));
        let unknowns: Vec<_> = (1..=4).map(Unknown::independent).collect();
        description.model_structure.outputs = unknowns.clone();
        description.model_structure.initial_unknowns = unknowns;
        description
    }

    #[test]
    fn numbered_variables_become_one_array() {
        let xml = vector().to_xml_3("{x}").unwrap();
        assert!(xml.contains("<Float64 name=\"tip.force\" valueReference=\"1\""));
        assert!(xml.contains("<Dimension start=\"3\"/>"));
        assert_eq!(xml.matches("<Output ").count(), 2);
        assert!(xml.contains("name=\"time\" valueReference=\"4\""));
    }

    #[test]
    fn a_numbered_variable_out_of_order_stays_a_variable_of_its_own() {
        let mut description = vector();
        description.model_variables.swap(2, 3);
        let xml = description.to_xml_3("{x}").unwrap();
        assert!(xml.contains("<Dimension start=\"1\"/>"));
        assert!(xml.contains("name=\"tip.force[3]\""));
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        assert!(matches!(
            sample::full().to_xml_3("{x}"),
            Err(Error::NotInVersion3 { .. })
        ));
    }
}
