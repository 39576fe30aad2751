//! One layer of settings: a file, or an argument of the command line.

use super::{Part, SettingsError};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// Most parts of a key, tables included: more than any has.
pub const MOST_PARTS: usize = 16;

/// Where a setting was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Place {
    /// Nowhere: the built-in default.
    #[default]
    Default,
    /// A file.
    File {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
    },
    /// An argument as it was written.
    Argument(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default settings"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Argument(text) => f.write_str(text),
        }
    }
}

/// A table of settings and where each of them stands.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) table: Table,
    /// Where keys stand that have no line.
    whole: Place,
    lines: BTreeMap<String, usize>,
}

impl Layer {
    /// Reads a TOML file.
    pub(super) fn read(path: &Path) -> Result<Self, SettingsError> {
        let text = super::read(path)?;
        Self::parse(path, &text)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, SettingsError> {
        let syntax = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let place = Place::File {
                path: path.to_owned(),
                line,
            };
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            SettingsError::Syntax { place, message }
        };
        let table: Table = toml::from_str(text).map_err(syntax)?;
        let spanned = DeTable::parse(text).map_err(syntax)?;
        let mut lines = BTreeMap::new();
        record_lines(text, spanned.get_ref(), "", &mut lines);
        let whole = Place::File {
            path: path.to_owned(),
            line: 1,
        };
        Ok(Self {
            table,
            whole,
            lines,
        })
    }

    /// One table of a larger file.
    pub(super) fn part(part: &Part) -> Result<Self, SettingsError> {
        let file = Self::parse(&part.path, &part.text)?;
        let prefix = format!("{}.", part.table);
        let inner =
            |(key, &line): (&String, &usize)| Some((key.strip_prefix(&prefix)?.to_owned(), line));
        let table = match file.table.get(part.table) {
            Some(Value::Table(table)) => table.clone(),
            _ => Table::new(),
        };
        Ok(Self {
            table,
            whole: file.place(part.table),
            lines: file.lines.iter().filter_map(inner).collect(),
        })
    }

    /// An argument `KEY=VALUE` of `--set`.
    pub(super) fn argument(argument: &str) -> Result<Self, SettingsError> {
        let bad = |problem: &str| SettingsError::BadArgument {
            argument: argument.to_owned(),
            problem: problem.to_owned(),
        };
        let (key, text) = argument
            .split_once('=')
            .ok_or_else(|| bad("write KEY=VALUE, such as solver.elements=20"))?;
        let key = key.trim();
        if key.is_empty() || key.split('.').any(|part| part.trim().is_empty()) {
            return Err(bad("the key is empty or has an empty part"));
        }
        if key.split('.').count() > MOST_PARTS {
            return Err(bad("no key has so many parts"));
        }
        let value = value(text.trim()).map_err(|problem| bad(&problem))?;
        Ok(Self::given(&format!("--set {argument}"), key, value))
    }

    /// One key with its value.
    pub(super) fn given(argument: &str, key: &str, value: Value) -> Self {
        let nested = key.rsplit('.').fold(value, |inner, part| {
            Value::Table(Table::from_iter([(part.trim().to_owned(), inner)]))
        });
        let table = match nested {
            Value::Table(table) => table,
            _ => Table::new(),
        };
        let whole = Place::Argument(argument.to_owned());
        Self {
            table,
            whole,
            lines: BTreeMap::new(),
        }
    }

    /// Where `key` stands.
    pub(super) fn place(&self, key: &str) -> Place {
        match (&self.whole, self.lines.get(key)) {
            (Place::File { path, .. }, Some(&line)) => Place::File {
                path: path.clone(),
                line,
            },
            (whole, _) => whole.clone(),
        }
    }
}

/// The value of a `--set`: TOML, or a bare word.
fn value(text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Err("the value is empty".to_owned());
    }
    if text.contains('\n') {
        return Err("the value spans several lines".to_owned());
    }
    let parsed = format!("value = {text}").parse::<Table>();
    if let Ok(Some(value)) = parsed.as_ref().map(|table| table.get("value")) {
        return Ok(value.clone());
    }
    // Numbers that TOML does not know: .5, 5., 007.
    if let Ok(number) = text.parse::<f64>() {
        return Ok(Value::Float(number));
    }
    let structured = text.starts_with(['[', '{', '"', '\'']);
    match parsed {
        Err(error) if structured => {
            Err(format!("the value is not valid TOML: {}", error.message()))
        }
        _ => Ok(Value::String(text.to_owned())),
    }
}

fn record_lines(
    text: &str,
    table: &DeTable<'_>,
    prefix: &str,
    lines: &mut BTreeMap<String, usize>,
) {
    for (name, value) in table.iter() {
        let key = format!("{prefix}{}", name.get_ref());
        lines.insert(key.clone(), line_of(text, name.span().start));
        if let DeValue::Table(nested) = value.get_ref() {
            record_lines(text, nested, &format!("{key}."), lines);
        }
    }
}

/// Line of a byte offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text
        .bytes()
        .take(offset)
        .filter(|&byte| byte == b'\n')
        .count()
}
