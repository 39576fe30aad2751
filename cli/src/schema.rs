//! `softdock schema`: the settings as a JSON schema for editors, or as a table to read. Both are made
//! from the rows of the settings.

mod mechanism;

pub use mechanism::mechanism;

use crate::leg::spatial::config::SpatialSettings;
use crate::output;
use crate::settings::{Kind, Parameter, Settings};
use anyhow::Result;
use clap::{Args, ValueEnum};
use leg_core::LegConfig;
use serde_json::{Map, Value as Json, json};
use softdock_docking::Scenario;
use softdock_platform::PlatformConfig;
use std::fmt::Write;
use std::process::ExitCode;

/// Options of `softdock schema`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Whose settings
    #[arg(default_value = "scenario")]
    what: What,
    /// Prints a table in Markdown instead: key, unit, default, range, meaning
    #[arg(long)]
    markdown: bool,
}

/// Files with settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// A docking: `softdock dock FILE`
    Scenario,
    /// A study: `softdock batch run FILE`; as a table the keys of its base
    Study,
    /// A platform: `softdock platform ... --config FILE`
    Platform,
    /// The planar leg: `softdock leg ... --config FILE`
    Leg,
    /// The leg in space: `softdock leg spatial ... --config FILE`
    SpatialLeg,
    /// A mechanism: `softdock mechanism ... FILE`; as a table see `softdock mechanism keys`
    Mechanism,
}

/// Prints the schema or the table.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let text = match arguments.what {
        What::Scenario if !arguments.markdown => scenario(),
        What::Study if !arguments.markdown => study(),
        What::Scenario | What::Study => text::<Scenario>("A docking scenario", true),
        What::Platform => text::<PlatformConfig>("A platform", arguments.markdown),
        What::Leg => text::<LegConfig>("A planar leg", arguments.markdown),
        What::SpatialLeg => text::<SpatialSettings>("A leg in space", arguments.markdown),
        What::Mechanism if arguments.markdown => Ok(softdock_mechanism::table::reference()),
        What::Mechanism => mechanism(),
    }?;
    output::say(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn text<C: Settings>(title: &str, markdown: bool) -> Result<String> {
    let defaults = serde_json::to_value(C::default())?;
    if markdown {
        return Ok(table::<C>(title, &defaults));
    }
    let schema = schema::<C>(title, &defaults);
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// The schema of a scenario.
pub fn scenario() -> Result<String> {
    text::<Scenario>("A docking scenario", false)
}

/// The schema of a study: its base is a scenario, and it varies keys of one. The other keys are
/// described, but not the only ones that are allowed.
pub fn study() -> Result<String> {
    let defaults = serde_json::to_value(Scenario::default())?;
    let mut base = schema::<Scenario>("What all runs share", &defaults);
    if let Some(base) = base.as_object_mut() {
        base.remove("$schema");
    }
    let keys: Vec<&str> = Scenario::keys().map(|row| row.key).collect();
    let whole = |meaning: &str| json!({ "type": "integer", "minimum": 0, "description": meaning });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of dockings",
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "Its name" },
            "runs": whole("Number of runs"),
            "seed": whole("Run i follows from the seed and i alone"),
            "sampling": { "type": "string", "description": "How the inputs are sampled" },
            "scenario": { "type": "string", "description": "File or name of the docking that is varied" },
            "base": base,
            "vary": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "key": { "enum": keys, "description": "Key of the scenario" },
                    "distribution": { "type": "string", "description": "Its distribution" },
                },
                "required": ["key"],
            } },
        },
        "required": ["name"],
    });
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// The default of a key.
fn default<'a>(defaults: &'a Json, key: &str) -> Option<&'a Json> {
    key.split('.')
        .try_fold(defaults, |value, part| value.get(part))
}

/// A JSON schema (draft 2020-12): nested objects as the keys are, unknown keys refused.
fn schema<C: Settings>(title: &str, defaults: &Json) -> Json {
    let mut root = object();
    for row in C::keys() {
        let parts: Vec<&str> = row.key.split('.').collect();
        let (name, tables) = parts.split_last().unwrap_or((&"", &[]));
        let table = tables.iter().fold(&mut root, |table, part| {
            let properties = &mut table["properties"];
            if properties.get(*part).is_none() {
                properties[*part] = object();
            }
            &mut properties[*part]
        });
        table["properties"][*name] = property(row, default(defaults, row.key));
    }
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!(title);
    root
}

fn object() -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

/// What one key may be.
fn property(row: &Parameter, default: Option<&Json>) -> Json {
    let number = |kind: &str| {
        let mut out = Map::new();
        out.insert("type".to_owned(), json!(kind));
        let range = row.range;
        // A row without bounds of its own has the largest numbers there are.
        if range.low > -f64::MAX {
            let key = if range.above_low {
                "exclusiveMinimum"
            } else {
                "minimum"
            };
            out.insert(key.to_owned(), json!(range.low));
        }
        if range.high < f64::MAX {
            out.insert("maximum".to_owned(), json!(range.high));
        }
        Json::Object(out)
    };
    let mut out = match row.kind {
        Kind::Number => number("number"),
        Kind::Count => number("integer"),
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Numbers(count) => json!({
            "type": "array", "items": number("number"), "minItems": count, "maxItems": count,
        }),
        Kind::List => json!({ "type": "array", "items": number("number") }),
        Kind::Tables => json!({ "type": "array", "items": { "type": "object" } }),
        Kind::History => json!({
            "anyOf": [{ "type": "number" }, { "type": "object", "required": ["kind"] }],
        }),
    };
    out["description"] = json!(row.comment());
    if let Some(default) = default {
        out["default"] = default.clone();
    }
    out
}

/// A table in Markdown.
fn table<C: Settings>(title: &str, defaults: &Json) -> String {
    let mut out = format!(
        "# {title}: settings\n\n| key | unit | default | allowed | meaning |\n|---|---|---|---|---|\n"
    );
    for row in C::keys() {
        let default = default(defaults, row.key).map_or_else(String::new, Json::to_string);
        let allowed = row.allowed_values();
        let cells =
            [row.unit, &default, &allowed, row.meaning].map(|cell| cell.replace('|', "\\|"));
        // Writing to a text cannot fail.
        let _ = writeln!(out, "| `{}` | {} |", row.key, cells.join(" | "));
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The property of a key in a schema.
    fn find<'a>(schema: &'a Json, key: &str) -> &'a Json {
        key.split('.').fold(schema, |table, part| {
            let inner = &table["properties"][part];
            assert!(!inner.is_null(), "{key}");
            inner
        })
    }

    fn check<C: Settings>() {
        let defaults = serde_json::to_value(C::default()).unwrap();
        let schema = schema::<C>("x", &defaults);
        let table = table::<C>("x", &defaults);
        for row in C::keys() {
            let property = find(&schema, row.key);
            assert!(
                property["description"]
                    .as_str()
                    .unwrap()
                    .contains(row.meaning)
            );
            assert!(table.contains(&format!("| `{}` |", row.key)));
            let Some(default) = default(&defaults, row.key) else {
                continue;
            };
            assert_eq!(property["default"], *default, "{}", row.key);
            // Every default keeps to what the schema says of it.
            if let (Some(value), Some(low)) = (default.as_f64(), property["minimum"].as_f64()) {
                assert!(value >= low, "{}", row.key);
            }
            if let (Some(value), Some(high)) = (default.as_f64(), property["maximum"].as_f64()) {
                assert!(value <= high, "{}", row.key);
            }
            if let Some(words) = property["enum"].as_array() {
                assert!(words.contains(default), "{}", row.key);
            }
        }
    }

    #[test]
    fn every_key_is_in_the_schema_and_in_the_table() {
        check::<Scenario>();
        check::<PlatformConfig>();
        check::<LegConfig>();
        check::<SpatialSettings>();
    }

    #[test]
    fn open_and_closed_ranges_are_told_apart() {
        let defaults = serde_json::to_value(Scenario::default()).unwrap();
        let schema = schema::<Scenario>("x", &defaults);
        let duration = find(&schema, "duration_s");
        assert_eq!(duration["exclusiveMinimum"], json!(0.0));
        assert_eq!(duration["maximum"], json!(3600.0));
        let restitution = find(&schema, "contact.normal.restitution");
        assert_eq!(restitution["minimum"], json!(0.01));
        // Narrower on a platform than for a leg by itself.
        assert_eq!(find(&schema, "leaf.length_m")["minimum"], json!(0.01));
    }
}
