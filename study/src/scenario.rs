//! Settings put into a scenario by their dotted keys. What they mean is not known here.

use crate::error::{Result, setting};
use crate::value::Value;

/// Puts `value` at the dotted `key`, making tables on the way.
pub fn set(scenario: &mut toml::Table, key: &str, value: &Value) -> Result<()> {
    let mut table = scenario;
    let mut parts = key.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            table.insert(part.to_owned(), value.to_toml());
            return Ok(());
        }
        let entry = table
            .entry(part.to_owned())
            .or_insert_with(|| toml::Value::Table(toml::Table::new()));
        table = entry.as_table_mut().ok_or_else(|| {
            setting(
                key,
                value,
                format!("`{part}` of the scenario is a value, not a table"),
            )
        })?;
    }
    Ok(())
}

/// Puts the settings of `upper` on top of those of `lower`, table by table.
pub fn overlay(lower: &mut toml::Table, upper: &toml::Table) {
    for (key, value) in upper {
        match (lower.get_mut(key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => overlay(below, above),
            _ => {
                lower.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> toml::Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn dotted_keys_reach_into_tables_and_make_them() {
        let mut scenario = table("[target]\nmass_kg = 800\n");
        set(&mut scenario, "target.mass_kg", &Value::Real(5.5)).unwrap();
        set(
            &mut scenario,
            "contact.law.name",
            &Value::Text("hertz".into()),
        )
        .unwrap();
        set(&mut scenario, "gravity", &Value::Bool(false)).unwrap();
        let expected =
            "gravity = false\n[target]\nmass_kg = 5.5\n[contact.law]\nname = \"hertz\"\n";
        assert_eq!(scenario, table(expected));
    }

    #[test]
    fn a_value_in_the_way_is_an_error() {
        let mut scenario = table("target = 3\n");
        let error = set(&mut scenario, "target.mass_kg", &Value::Integer(1)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`target` of the scenario is a value"),
            "{error}"
        );
    }

    #[test]
    fn overlay_keeps_what_is_not_mentioned() {
        let mut lower = table("a = 1\n[t]\nx = 1\ny = 2\n");
        overlay(&mut lower, &table("[t]\ny = 3\n[u]\nz = 4\n"));
        assert_eq!(lower, table("a = 1\n[t]\nx = 1\ny = 3\n[u]\nz = 4\n"));
    }
}
