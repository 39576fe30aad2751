//! The resolved settings as a TOML file that explains itself.

use super::{Settings, SettingsError, mismatch};
use std::fmt::Write;
use toml::{Table, Value};

/// `config` as TOML, a comment with meaning, unit and range above each key. What is printed can
/// be read back and gives the same configuration.
pub(super) fn print<C: Settings>(config: &C) -> Result<String, SettingsError> {
    let table = Table::try_from(config).map_err(mismatch)?;
    let mut out = String::new();
    let mut section = "";
    for key in C::keys() {
        let (path, name) = key.key.rsplit_once('.').unwrap_or(("", key.key));
        if path != section {
            section = path;
            write!(out, "\n[{section}]\n").map_err(mismatch)?;
        }
        writeln!(out, "# {}", key.comment()).map_err(mismatch)?;
        match (lookup(&table, key.key), key.sample) {
            (Some(value), _) => writeln!(out, "{name} = {}", inline(value)),
            (None, Some(sample)) => writeln!(out, "# {name} = {sample}"),
            (None, None) => continue,
        }
        .map_err(mismatch)?;
    }
    Ok(out)
}

/// The value of a key with its tables.
pub(super) fn lookup<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut parts = key.split('.');
    let first = table.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

/// A value on one line, large and small numbers with an exponent.
fn inline(value: &Value) -> String {
    match value {
        Value::Float(number) => format!("{number:?}"),
        Value::Table(table) => {
            let entries: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{} = {}", quoted(key), inline(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(list) => {
            let entries: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A key as TOML wants it: quoted unless it is a plain word.
fn quoted(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        Value::String(key.to_owned()).to_string()
    }
}
