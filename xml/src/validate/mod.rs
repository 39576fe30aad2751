//! What the schema cannot check: the rules of FMI 2.0 (sections 2.2 and 4.3) that make a
//! description usable by every importer.

mod names;
mod structure;
mod variables;

use std::collections::HashSet;

use crate::{
    DefaultExperiment, Error, IntegerAttributes, ModelDescription, RealAttributes, SimpleTypeKind,
};

impl ModelDescription {
    /// Checks the rules of the standard and stops at the first that is broken.
    pub fn validate(&self) -> Result<(), Error> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }

    /// Every broken rule of the standard, in the order of the document.
    pub fn problems(&self) -> Vec<Error> {
        let mut problems = Vec::new();
        check_interfaces(self, &mut problems);
        check_date(self, &mut problems);
        check_units(self, &mut problems);
        check_types(self, &mut problems);
        let categories = self
            .log_categories
            .iter()
            .map(|category| category.name.as_str());
        check_unique("log category", categories, &mut problems);
        if let Some(experiment) = &self.default_experiment {
            check_experiment(experiment, &mut problems);
        }
        names::check(self, &mut problems);
        variables::check(self, &mut problems);
        structure::check(self, &mut problems);
        problems
    }
}

fn check_interfaces(description: &ModelDescription, problems: &mut Vec<Error>) {
    let me = description.model_exchange.as_ref().map(|me| {
        (
            &me.model_identifier,
            me.can_get_and_set_fmu_state,
            me.can_serialize_fmu_state,
        )
    });
    let cs = description.co_simulation.as_ref().map(|cs| {
        (
            &cs.model_identifier,
            cs.can_get_and_set_fmu_state,
            cs.can_serialize_fmu_state,
        )
    });
    if me.is_none() && cs.is_none() {
        problems.push(Error::NoInterface);
    }
    for (identifier, can_get_and_set, can_serialize) in me.into_iter().chain(cs) {
        let mut bytes = identifier.bytes();
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let is_identifier = bytes.next().is_some_and(is_letter)
            && bytes.all(|byte| is_letter(byte) || byte.is_ascii_digit());
        if !is_identifier {
            problems.push(Error::BadIdentifier {
                identifier: identifier.clone(),
            });
        }
        if can_serialize && !can_get_and_set {
            problems.push(Error::CapabilityRequires {
                flag: "canSerializeFMUstate",
                required: "canGetAndSetFMUstate",
            });
        }
    }
}

fn check_date(description: &ModelDescription, problems: &mut Vec<Error>) {
    if let Some(value) = &description.generation_date_and_time
        && !is_date_time(value)
    {
        problems.push(Error::BadDateTime {
            value: value.clone(),
        });
    }
}

/// Whether a text has the form of `xs:dateTime`, with optional fraction and zone. Only the form
/// and the plain ranges are checked, not the calendar.
fn is_date_time(text: &str) -> bool {
    let Some((moment, rest)) = text.split_at_checked("YYYY-MM-DDThh:mm:ss".len()) else {
        return false;
    };
    let in_form = moment
        .bytes()
        .zip("dddd-dd-ddTdd:dd:dd".bytes())
        .all(|(byte, form)| {
            if form == b'd' {
                byte.is_ascii_digit()
            } else {
                byte == form
            }
        });
    let within = |range: std::ops::Range<usize>, low: u32, high: u32| {
        moment[range]
            .parse::<u32>()
            .is_ok_and(|number| (low..=high).contains(&number))
    };
    let is_moment = in_form
        && within(5..7, 1, 12)
        && within(8..10, 1, 31)
        && within(11..13, 0, 23)
        && within(14..16, 0, 59)
        && within(17..19, 0, 59);
    if !is_moment {
        return false;
    }
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let is_offset = zone.len() == 6
        && zone
            .bytes()
            .zip("+dd:dd".bytes())
            .all(|(byte, form)| match form {
                b'd' => byte.is_ascii_digit(),
                b'+' => matches!(byte, b'+' | b'-'),
                _ => byte == form,
            });
    zone.is_empty() || zone == "Z" || is_offset
}

fn check_units(description: &ModelDescription, problems: &mut Vec<Error>) {
    let names = description
        .unit_definitions
        .iter()
        .map(|unit| unit.name.as_str());
    check_unique("unit", names, problems);
    for unit in &description.unit_definitions {
        let of = || format!("unit {:?}", unit.name);
        let displays = unit
            .display_units
            .iter()
            .map(|display| display.name.as_str());
        check_unique("display unit", displays, problems);
        let base = unit.base_unit.iter().map(|base| (base.factor, base.offset));
        let display = unit
            .display_units
            .iter()
            .map(|display| (display.factor, display.offset));
        for (factor, offset) in base.chain(display) {
            check_number(of, "factor", Some(factor), problems);
            check_number(of, "offset", Some(offset), problems);
        }
    }
}

fn check_types(description: &ModelDescription, problems: &mut Vec<Error>) {
    let types = description
        .type_definitions
        .iter()
        .map(|simple_type| simple_type.name.as_str());
    check_unique("type", types.clone(), problems);
    // Types and variables share one name space.
    let types: HashSet<&str> = types.collect();
    for variable in &description.model_variables {
        if types.contains(variable.name.as_str()) {
            problems.push(Error::DuplicateName {
                kind: "type and variable",
                name: variable.name.clone(),
            });
        }
    }
    for simple_type in &description.type_definitions {
        let of = || format!("type {:?}", simple_type.name);
        match &simple_type.kind {
            SimpleTypeKind::Real(attributes) => check_real(description, of, attributes, problems),
            SimpleTypeKind::Integer(attributes) => check_integer(of, attributes, problems),
            SimpleTypeKind::Boolean | SimpleTypeKind::String => {}
            SimpleTypeKind::Enumeration { items, .. } => {
                if items.is_empty() {
                    problems.push(Error::Empty { list: of() });
                }
                check_unique(
                    "item",
                    items.iter().map(|item| item.name.as_str()),
                    problems,
                );
                let mut values = HashSet::new();
                for item in items.iter().filter(|item| !values.insert(item.value)) {
                    problems.push(Error::DuplicateItemValue {
                        simple_type: simple_type.name.clone(),
                        value: item.value,
                    });
                }
            }
        }
    }
}

fn check_experiment(experiment: &DefaultExperiment, problems: &mut Vec<Error>) {
    let start = experiment.start_time.unwrap_or(0.0);
    let mut check = |attribute, value: Option<f64>, is_right: &dyn Fn(f64) -> bool, expected| {
        if let Some(value) = value.filter(|value| !value.is_finite() || !is_right(*value)) {
            problems.push(Error::BadExperiment {
                attribute,
                value,
                expected,
            });
        }
    };
    check(
        "startTime",
        experiment.start_time,
        &|_| true,
        "a finite time",
    );
    check(
        "stopTime",
        experiment.stop_time,
        &|stop| stop >= start,
        "a time not before startTime",
    );
    check(
        "tolerance",
        experiment.tolerance,
        &|tolerance| tolerance > 0.0,
        "a positive number",
    );
    check(
        "stepSize",
        experiment.step_size,
        &|step| step > 0.0,
        "a positive time",
    );
}

/// Reports every name that has been seen before.
fn check_unique<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
    problems: &mut Vec<Error>,
) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            problems.push(Error::DuplicateName {
                kind,
                name: name.to_owned(),
            });
        }
    }
}

/// Reports a value that is not a number.
fn check_number(
    of: impl Fn() -> String,
    attribute: &'static str,
    value: Option<f64>,
    problems: &mut Vec<Error>,
) {
    if value.is_some_and(f64::is_nan) {
        problems.push(Error::NotANumber {
            of: of(),
            attribute,
        });
    }
}

/// Units and range of a real, completed from its declared type.
fn check_real(
    description: &ModelDescription,
    of: impl Fn() -> String,
    attributes: &RealAttributes,
    problems: &mut Vec<Error>,
) {
    let RealAttributes {
        unit,
        display_unit,
        min,
        max,
        nominal,
        ..
    } = attributes;
    let defined = unit.as_deref().and_then(|name| {
        description
            .unit_definitions
            .iter()
            .find(|definition| definition.name == name)
    });
    if let (Some(unit), None) = (unit, defined) {
        problems.push(Error::UndefinedUnit {
            of: of(),
            unit: unit.clone(),
        });
    } else if let Some(display_unit) = display_unit {
        let displays = defined.map_or(&[][..], |definition| &definition.display_units);
        if !displays.iter().any(|display| display.name == *display_unit) {
            problems.push(Error::UndefinedDisplayUnit {
                of: of(),
                unit: unit.clone(),
                display_unit: display_unit.clone(),
            });
        }
    }
    for (attribute, value) in [("min", min), ("max", max), ("nominal", nominal)] {
        check_number(&of, attribute, *value, problems);
    }
    check_range(&of, *min, *max, problems);
    if let Some(nominal) = nominal.filter(|nominal| *nominal <= 0.0) {
        problems.push(Error::BadNominal { of: of(), nominal });
    }
}

fn check_integer(
    of: impl Fn() -> String,
    attributes: &IntegerAttributes,
    problems: &mut Vec<Error>,
) {
    check_range(
        of,
        attributes.min.map(f64::from),
        attributes.max.map(f64::from),
        problems,
    );
}

fn check_range(
    of: impl Fn() -> String,
    min: Option<f64>,
    max: Option<f64>,
    problems: &mut Vec<Error>,
) {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        problems.push(Error::EmptyRange { of: of(), min, max });
    }
}

#[cfg(test)]
mod tests {
    use super::is_date_time;

    #[test]
    fn dates_have_the_form_of_the_schema() {
        for date in [
            "2026-11-16T04:00:00Z",
            "2026-11-16T04:00:00",
            "2026-11-16T04:00:00.125Z",
            "2026-11-16T04:00:00+01:00",
            "2026-11-16T04:00:00.5-11:30",
        ] {
            assert!(is_date_time(date), "{date}");
        }
        for date in [
            "",
            "2026-11-16",
            "2026-11-16 04:00:00",
            "2026-13-16T04:00:00Z",
            "2026-11-16T24:00:01Z",
            "2026-11-16T04:00:00.Z",
            "2026-11-16T04:00:00 UTC",
            "Mon Nov 16 04:00:00 2026",
            "2026-11-16T04:00:0é",
        ] {
            assert!(!is_date_time(date), "{date}");
        }
    }
}
