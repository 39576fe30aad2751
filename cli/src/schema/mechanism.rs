//! The JSON schema of mechanism files, from the table of their keys.

use super::object;
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_mechanism::table::{Kind, PARAMETER, Row, SECTIONS, Section, TOP, in_words};

/// The schema of a mechanism file.
pub fn mechanism() -> Result<String> {
    let mut root = section(&TOP);
    for one in SECTIONS {
        let keys = section(one);
        root["properties"][one.name] = match one.list {
            true => json!({ "type": "array", "items": keys, "description": one.meaning }),
            false => keys,
        };
    }
    root["properties"][PARAMETER.name] = parameters();
    root["properties"]["derived"] = json!({
        "type": "object",
        "description": "formulas of parameters, by names of their own",
        "additionalProperties": scalar(),
    });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("A mechanism");
    Ok(serde_json::to_string_pretty(&root)? + "\n")
}

/// Parameters have names of their own.
fn parameters() -> Json {
    let mut table = section(&PARAMETER);
    table["properties"]["value"] = scalar();
    json!({
        "type": "object",
        "description": PARAMETER.meaning,
        "additionalProperties": { "anyOf": [scalar(), table] },
    })
}

fn scalar() -> Json {
    json!({ "type": ["number", "boolean", "string"] })
}

fn section(section: &Section) -> Json {
    let mut out = object();
    for row in section.rows {
        out["properties"][row.key] = property(row);
    }
    out["description"] = json!(section.meaning);
    out
}

/// What one key may be: numbers may be formulas in quotes, words may name a parameter in braces.
fn property(row: &Row) -> Json {
    let number = json!({ "type": ["number", "string"] });
    let list = json!({ "type": "array", "items": number });
    let mut out = match row.kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Number | Kind::Count | Kind::Signal | Kind::Formula => number,
        Kind::Switch => scalar(),
        Kind::Word(words) => json!({ "anyOf": [
            { "enum": words }, { "type": "string", "pattern": "\\{" },
        ] }),
        Kind::Vector | Kind::Signals => list,
        Kind::Numbers | Kind::Turn | Kind::TurnSignals => json!({ "anyOf": [number, list] }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    };
    out["description"] = json!(format!("{} ({})", row.meaning, in_words(row)));
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_mechanism::library::SHIPPED;

    /// What is wrong with a value under those words of JSON schemas that are used here.
    fn complaint(schema: &Json, value: &Json, place: &str) -> Option<String> {
        if let Some(choices) = schema["anyOf"].as_array() {
            let mut found = choices.iter().map(|one| complaint(one, value, place));
            return found
                .all(|one| one.is_some())
                .then(|| format!("{place}: {value}"));
        }
        let is = |kind: &Json| match kind.as_str() {
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            Some("string") => value.is_string(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            _ => true,
        };
        let kinds = &schema["type"];
        let fits = kinds
            .as_array()
            .map_or_else(|| is(kinds), |kinds| kinds.iter().any(is));
        let named = schema["enum"].as_array();
        let braced = schema
            .get("pattern")
            .is_none_or(|_| value.to_string().contains('{'));
        if !fits || !braced || named.is_some_and(|words| !words.contains(value)) {
            return Some(format!("{place}: {value} is not {schema}"));
        }
        let items = value.as_array().into_iter().flatten();
        let wrong = items.filter_map(|item| complaint(&schema["items"], item, place));
        let entries = value.as_object().into_iter().flatten();
        let wrong_keys = entries.filter_map(|(key, inner)| {
            let place = format!("{place}.{key}");
            match (
                schema["properties"].get(key),
                &schema["additionalProperties"],
            ) {
                (Some(known), _) => complaint(known, inner, &place),
                (None, Json::Bool(false)) => Some(format!("{place} is unknown")),
                (None, other) => complaint(other, inner, &place),
            }
        });
        wrong.chain(wrong_keys).next()
    }

    #[test]
    fn every_mechanism_that_comes_with_the_program_fits_and_a_wrong_key_does_not() {
        let schema: Json = serde_json::from_str(&mechanism().unwrap()).unwrap();
        for (name, text) in SHIPPED {
            let file: toml::Value = toml::from_str(text).unwrap();
            let mut file = serde_json::to_value(file).unwrap();
            assert_eq!(complaint(&schema, &file, name), None);
            file["titel"] = json!("x");
            assert!(complaint(&schema, &file, name).is_some(), "{name}");
        }
        let wrong = json!({ "joint": [{ "kind": "revolut" }] });
        assert!(complaint(&schema, &wrong, "").is_some());
    }
}
