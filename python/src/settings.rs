//! Where settings come from, as Python hands them over.

use crate::error::refused;
use pyo3::prelude::*;
use softdock::library::{Setting, Source};
use std::path::Path;

/// Keys with the TOML text of their values.
pub type Pairs = Vec<(String, String)>;

/// Keys with their values.
pub fn settings(pairs: &Pairs) -> PyResult<Vec<Setting>> {
    pairs
        .iter()
        .map(|(key, text)| {
            let parsed = format!("value = {text}").parse::<toml::Table>();
            let value = parsed.ok().and_then(|table| table.get("value").cloned());
            let value =
                value.ok_or_else(|| refused(format!("{key} = {text} is not valid TOML")))?;
            Ok((key.clone(), value))
        })
        .collect()
}

/// A source from a name and a text, of which one at most is given.
pub fn source<'a>(name: Option<&'a str>, text: Option<&'a str>) -> Source<'a> {
    match (name, text) {
        (Some(name), _) => Source::Named(Path::new(name)),
        (None, Some(text)) => Source::Text(text),
        (None, None) => Source::Default,
    }
}
