//! From variables as they stand in the XML to scalar ones.

use std::collections::HashMap;

use super::{Attributes, Length, Start, Structure, Unknown3, Variable};
use crate::version3::{Kind3, MOST_DEPENDENCIES, MOST_ELEMENTS, MOST_TEXT, Place, Version3};
use crate::{
    Boolean, Causality, DependencyKind, Enumeration, Error, Integer, Real, ScalarVariable, Text,
    Unknown, VariableType,
};

/// Start values of the scalar integers, by value reference: what dimensions may be sized by.
type Sizes = HashMap<u32, i32>;

fn sizes(variables: &[Variable]) -> Sizes {
    let size = |one: &Variable| match one.starts.as_deref() {
        Some([Start::Integer(Some(length))]) => Some((one.head.value_reference, *length)),
        _ => None,
    };
    variables.iter().filter_map(size).collect()
}

/// Number of elements along every dimension.
fn lengths(variable: &Variable, sizes: &Sizes) -> Result<Vec<usize>, Error> {
    let wrong = |reference| Error::BadDimension {
        variable: variable.head.name.clone(),
        reference,
    };
    let length = |dimension: &Length| match *dimension {
        Length::Fixed(length) => Ok(length),
        Length::Of(reference) => {
            let length = sizes.get(&reference).ok_or_else(|| wrong(reference))?;
            usize::try_from(*length).map_err(|_| wrong(reference))
        }
    };
    variable.dimensions.iter().map(length).collect()
}

/// The name of an element: its indices from one, the last one fastest.
fn element_name(name: &str, lengths: &[usize], mut element: usize) -> String {
    let mut indices: Vec<String> = Vec::with_capacity(lengths.len());
    for length in lengths.iter().rev() {
        indices.push((element % length + 1).to_string());
        element /= length;
    }
    indices.reverse();
    if indices.is_empty() {
        return name.to_owned();
    }
    format!("{name}[{}]", indices.join(","))
}

/// Where the elements of a variable are among the flattened ones.
#[derive(Clone, Copy)]
struct Span {
    /// Zero-based.
    first: usize,
    count: usize,
}

/// Puts variables and structure into the description.
pub(super) fn flatten(
    out: &mut Version3,
    variables: &[Variable],
    structure: &Structure,
) -> Result<(), Error> {
    let mut spans: HashMap<u32, Span> = HashMap::new();
    let mut states = Vec::new();
    let sizes = sizes(variables);
    let mut text = 0_usize;
    for variable in variables {
        let lengths = lengths(variable, &sizes)?;
        let product = lengths.iter().try_fold(1_usize, |a, b| a.checked_mul(*b));
        let room = MOST_ELEMENTS.saturating_sub(out.description.model_variables.len());
        let copies = 1 + variable.aliases.len();
        let count = product.filter(|count| count.saturating_mul(copies) <= room);
        let count = count.ok_or_else(|| Error::TooManyElements {
            variable: variable.head.name.clone(),
            limit: MOST_ELEMENTS,
        })?;
        check_starts(variable, count)?;
        text = text.saturating_add(text_of(variable).saturating_mul(count));
        if text > MOST_TEXT {
            return Err(Error::TooMuchText {
                variable: variable.head.name.clone(),
                limit: MOST_TEXT,
            });
        }
        let first = out.description.model_variables.len();
        let place = out.places.len();
        let reference = variable.head.value_reference;
        if spans.insert(reference, Span { first, count }).is_some() {
            return Err(Error::SharedReference {
                variable: variable.head.name.clone(),
                reference,
            });
        }
        states.extend(variable.derivative.map(|state| (first, count, state)));
        out.places.extend((0..count).map(|element| Place {
            variable: reference,
            element: narrow(element),
            count: narrow(count),
            kind: variable.kind,
            structural: variable.structural,
        }));
        let own = (&variable.head.name, &variable.head.description);
        let aliases = variable.aliases.iter().map(|(name, text)| (name, text));
        for (copy, (name, text)) in std::iter::once(own).chain(aliases).enumerate() {
            for element in 0..count {
                let mut one = variable.head.clone();
                one.name = element_name(name, &lengths, element);
                one.description.clone_from(text);
                one.value_reference = narrow(place + element);
                one.variable_type = element_type(variable, element)?;
                if copy > 0 {
                    // What it stands for has the role and the start value.
                    as_alias(&mut one);
                }
                out.description.model_variables.push(one);
            }
        }
    }
    link_derivatives(out, &states, &spans);
    let [outputs, derivatives, initial_unknowns] = structure;
    let mut room = MOST_DEPENDENCIES;
    let into = &mut out.description.model_structure;
    into.outputs = unknowns(outputs, &spans, &mut room)?;
    into.derivatives = unknowns(derivatives, &spans, &mut room)?;
    into.initial_unknowns = unknowns(initial_unknowns, &spans, &mut room)?;
    Ok(())
}

/// Bytes of text that every element of a variable repeats.
fn text_of(variable: &Variable) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let aliases = variable.aliases.iter();
    let aliases = aliases.map(|(name, text)| name.len() + length(text));
    let head = &variable.head;
    let copies = 1 + variable.aliases.len();
    head.name.len()
        + length(&head.description)
        + copies * length(&variable.declared_type)
        + aliases.sum::<usize>()
}

/// At most [`MOST_ELEMENTS`].
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn as_alias(variable: &mut ScalarVariable) {
    variable.causality = Causality::Local;
    variable.initial = None;
    match &mut variable.variable_type {
        VariableType::Real(real) => real.start = None,
        VariableType::Integer(integer) => integer.start = None,
        VariableType::Boolean(boolean) => boolean.start = None,
        VariableType::String(text) => text.start = None,
        VariableType::Enumeration(choice) => choice.start = None,
    }
}

fn check_starts(variable: &Variable, count: usize) -> Result<(), Error> {
    match &variable.starts {
        Some(starts) if starts.len() != count => Err(Error::WrongStartCount {
            variable: variable.head.name.clone(),
            found: starts.len(),
            needed: count,
        }),
        _ => Ok(()),
    }
}

/// The type of an element with its start value.
fn element_type(variable: &Variable, element: usize) -> Result<VariableType, Error> {
    let start = variable
        .starts
        .as_ref()
        .map(|starts| starts[element].clone());
    let declared_type = variable.declared_type.clone();
    let integer_start = match &start {
        Some(Start::Integer(None)) => {
            return Err(Error::StartTooLarge {
                variable: variable.head.name.clone(),
            });
        }
        Some(Start::Integer(start)) => *start,
        _ => None,
    };
    Ok(match (&variable.attributes, start) {
        (Attributes::Real(attributes), start) => VariableType::Real(Real {
            declared_type,
            attributes: attributes.clone(),
            start: match start {
                Some(Start::Real(start)) => Some(start),
                _ => None,
            },
            derivative: None,
            reinit: variable.reinit,
        }),
        (Attributes::Integer(attributes), _) if variable.kind == Kind3::Enumeration => {
            VariableType::Enumeration(Enumeration {
                declared_type: declared_type.unwrap_or_default(),
                attributes: attributes.clone(),
                start: integer_start,
            })
        }
        (Attributes::Integer(attributes), _) => VariableType::Integer(Integer {
            declared_type,
            attributes: attributes.clone(),
            start: integer_start,
        }),
        (Attributes::None, start) if variable.kind == Kind3::Boolean => {
            VariableType::Boolean(Boolean {
                declared_type,
                start: match start {
                    Some(Start::Boolean(start)) => Some(start),
                    _ => None,
                },
            })
        }
        (Attributes::None, start) => VariableType::String(Text {
            declared_type,
            start: match start {
                Some(Start::Text(start)) => Some(start),
                _ => None,
            },
        }),
    })
}

/// Derivatives name their states by one-based indices, element by element.
fn link_derivatives(
    out: &mut Version3,
    states: &[(usize, usize, u32)],
    spans: &HashMap<u32, Span>,
) {
    for &(first, count, state) in states {
        let Some(span) = spans.get(&state).filter(|span| span.count == count) else {
            continue;
        };
        for element in 0..count {
            let variable = &mut out.description.model_variables[first + element];
            if let VariableType::Real(real) = &mut variable.variable_type {
                real.derivative = Some(narrow(span.first + element + 1));
            }
        }
    }
}

/// Unknowns by one-based indices. Each element depends on whatever its variable depends on.
fn unknowns(
    list: &[Unknown3],
    spans: &HashMap<u32, Span>,
    room: &mut usize,
) -> Result<Vec<Unknown>, Error> {
    let indices = |span: &Span| narrow(span.first + 1)..narrow(span.first + span.count + 1);
    let mut out = Vec::new();
    for unknown in list {
        let Some(own) = spans.get(&unknown.variable) else {
            continue;
        };
        let references = unknown.dependencies.iter().flatten();
        let elements = references.filter_map(|reference| Some(spans.get(reference)?.count));
        let needed = elements.fold(0, usize::saturating_add);
        let needed = needed.saturating_mul(own.count);
        *room = (room.checked_sub(needed)).ok_or(Error::TooManyDependencies {
            reference: unknown.variable,
            limit: MOST_DEPENDENCIES,
        })?;
        let mut knowns: Option<Vec<(u32, Option<DependencyKind>)>> =
            unknown.dependencies.as_ref().map(|references| {
                let kind = |i: usize| unknown.kinds.as_ref()?.get(i).copied();
                let known = |(i, reference): (usize, &u32)| {
                    let span = spans.get(reference)?;
                    Some(indices(span).map(move |index| (index, kind(i))))
                };
                references
                    .iter()
                    .enumerate()
                    .filter_map(known)
                    .flatten()
                    .collect()
            });
        if let Some(knowns) = &mut knowns {
            knowns.sort_by_key(|(index, _)| *index);
        }
        let kinds: Option<Vec<DependencyKind>> =
            (knowns.as_ref()).and_then(|list| list.iter().map(|(_, kind)| *kind).collect());
        let indices_of = |list: Vec<(u32, _)>| list.into_iter().map(|(index, _)| index).collect();
        let dependencies: Option<Vec<u32>> = knowns.map(indices_of);
        out.extend(indices(own).map(|index| Unknown {
            index,
            dependencies: dependencies.clone(),
            dependencies_kind: unknown.kinds.as_ref().and(kinds.clone()),
        }));
    }
    Ok(out)
}
