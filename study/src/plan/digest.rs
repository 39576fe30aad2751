//! Digests of tables, and what differs between two.

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The digest of a table: of its content, not of the order in which it is kept.
pub(super) fn digest(table: &toml::Table) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hash_table(&mut hasher, table);
    hasher.finalize().into()
}

/// Feeds a table to the digest, keys in order whatever order the table keeps.
fn hash_table(hasher: &mut Sha256, table: &toml::Table) {
    let keys: BTreeSet<&String> = table.keys().collect();
    hasher.update(b"t");
    hasher.update((keys.len() as u64).to_le_bytes());
    for key in keys {
        hash_text(hasher, key);
        if let Some(value) = table.get(key) {
            hash_value(hasher, value);
        }
    }
}

fn hash_value(hasher: &mut Sha256, value: &toml::Value) {
    match value {
        toml::Value::Table(table) => hash_table(hasher, table),
        toml::Value::Array(array) => {
            hasher.update(b"a");
            hasher.update((array.len() as u64).to_le_bytes());
            array.iter().for_each(|item| hash_value(hasher, item));
        }
        toml::Value::String(text) => {
            hasher.update(b"s");
            hash_text(hasher, text);
        }
        toml::Value::Integer(n) => {
            hasher.update(b"i");
            hasher.update(n.to_le_bytes());
        }
        toml::Value::Float(x) => {
            hasher.update(b"f");
            hasher.update(x.to_bits().to_le_bytes());
        }
        toml::Value::Boolean(b) => hasher.update([b'b', u8::from(*b)]),
        toml::Value::Datetime(time) => {
            hasher.update(b"d");
            hash_text(hasher, &time.to_string());
        }
    }
}

fn hash_text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Names the settings that differ between two tables.
pub(super) fn differences(a: &toml::Table, b: &toml::Table) -> String {
    const MOST: usize = 5;
    let mut found = Vec::new();
    compare_tables(a, b, "", &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", found.join(", "))
}

fn compare_tables(a: &toml::Table, b: &toml::Table, path: &str, found: &mut Vec<String>) {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys {
        let place = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        compare_values(a.get(key), b.get(key), &place, found);
    }
}

fn compare_values(
    a: Option<&toml::Value>,
    b: Option<&toml::Value>,
    place: &str,
    found: &mut Vec<String>,
) {
    match (a, b) {
        (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) => {
            compare_tables(a, b, place, found);
        }
        (Some(toml::Value::Array(a)), Some(toml::Value::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                let place = format!("{place}[{index}]");
                compare_values(a.get(index), b.get(index), &place, found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let show = |value: Option<&toml::Value>| match value {
                None => "nothing".to_owned(),
                Some(toml::Value::Table(_)) => "a table".to_owned(),
                Some(toml::Value::Array(_)) => "an array".to_owned(),
                Some(value) => value.to_string(),
            };
            found.push(format!("{place} ({} there, {} here)", show(a), show(b)));
        }
    }
}
