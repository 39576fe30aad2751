//! Whether a value looks as its key wants it.

use leg_core::config::Shape;
use serde::Deserialize;
use softdock_settings::{Kind, Parameter};
use toml::Value;

/// Says what is wrong with `value`, if anything: what was expected and what was found.
pub fn mismatch(key: &Parameter, value: &Value) -> Option<(String, String)> {
    let number = |v: &Value| matches!(v, Value::Float(_) | Value::Integer(_));
    let expected = match key.kind {
        Kind::Number if number(value) => return None,
        Kind::Count if value.as_integer().is_some_and(|count| count >= 0) => return None,
        Kind::Switch if value.is_bool() => return None,
        Kind::Word(words) if value.as_str().is_some_and(|word| words.contains(&word)) => {
            return None;
        }
        Kind::Numbers(count)
            if value
                .as_array()
                .is_some_and(|a| a.len() == count && a.iter().all(number)) =>
        {
            return None;
        }
        Kind::List if value.as_array().is_some_and(|a| a.iter().all(number)) => return None,
        Kind::Tables
            if value
                .as_array()
                .is_some_and(|a| a.iter().all(Value::is_table)) =>
        {
            return None;
        }
        Kind::History => match value {
            v if number(v) => return None,
            Value::Table(_) => match Shape::deserialize(value.clone()) {
                Ok(_) => return None,
                Err(error) => return Some(history_mismatch(&error, value)),
            },
            _ => "a number or a history such as { kind = \"sine\", amplitude = 1.0, \
                  frequency_hz = 2.0 }"
                .to_owned(),
        },
        Kind::Number => "a number".to_owned(),
        Kind::Count => "a whole number, zero or more".to_owned(),
        Kind::Switch => "true or false".to_owned(),
        Kind::Word(words) => format!("one of {}", quoted(words)),
        Kind::List => "a list of numbers, such as [0.0, 0.0]; [] for none".to_owned(),
        Kind::Tables => "a list of tables, such as [{ leg = 1, set = { ... } }]".to_owned(),
        Kind::Numbers(count) => format!("{count} numbers, such as {}", zeros(count)),
    };
    Some((expected, describe(value)))
}

/// What is wrong with a history whose table does not fit.
fn history_mismatch(error: &toml::de::Error, value: &Value) -> (String, String) {
    let reason = error
        .message()
        .lines()
        .next()
        .unwrap_or("it does not fit")
        .to_owned();
    let expected = "a number or a history of kind step, ramp, sine, chirp or table".to_owned();
    (expected, format!("{} ({reason})", describe(value)))
}

fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

fn zeros(count: usize) -> String {
    format!("[{}]", vec!["0.0"; count].join(", "))
}

/// A value as a person would call it.
pub fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text \"{text}\""),
        Value::Integer(number) => format!("the whole number {number}"),
        Value::Float(number) => format!("the number {number:?}"),
        Value::Boolean(flag) => format!("{flag}"),
        Value::Datetime(date) => format!("the date {date}"),
        Value::Array(list) => format!("a list of {} values", list.len()),
        Value::Table(table) => {
            let keys: Vec<&str> = table.keys().map(String::as_str).collect();
            format!("a table with the keys {}", quoted(&keys))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        let table: toml::Table = format!("v = {text}").parse().unwrap();
        table["v"].clone()
    }

    #[test]
    fn kinds_accept_what_they_name_and_nothing_else() {
        let key = |kind| Parameter {
            kind,
            ..leg_core::config::Motor::torque_nm
        };
        let good = [
            (Kind::Number, "1"),
            (Kind::Number, "1.5e-3"),
            (Kind::Count, "0"),
            (Kind::Switch, "true"),
            (Kind::Word(&["a", "b"]), "'b'"),
            (Kind::Numbers(2), "[0, 1.5]"),
            (Kind::History, "3"),
            (
                Kind::History,
                "{ kind = 'step', time_s = 1.0, after = 2.0 }",
            ),
        ];
        for (kind, text) in good {
            assert_eq!(mismatch(&key(kind), &value(text)), None, "{kind:?} {text}");
        }
        let bad = [
            (Kind::Number, "'1'"),
            (Kind::Count, "-1"),
            (Kind::Count, "1.0"),
            (Kind::Switch, "1"),
            (Kind::Word(&["a", "b"]), "'c'"),
            (Kind::Numbers(2), "[0, 1, 2]"),
            (Kind::Numbers(2), "[0, 'x']"),
            (Kind::History, "true"),
            (Kind::History, "{ kind = 'square' }"),
        ];
        for (kind, text) in bad {
            assert!(
                mismatch(&key(kind), &value(text)).is_some(),
                "{kind:?} {text}"
            );
        }
    }

    #[test]
    fn a_misspelt_history_field_is_named() {
        let text = "{ kind = 'sine', amplitud = 1.0, frequency_hz = 1.0 }";
        let found = mismatch(&leg_core::config::Motor::torque_nm, &value(text));
        assert!(found.unwrap().1.contains("amplitud"));
    }
}
