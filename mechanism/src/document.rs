//! TOML text as a tree whose every value knows its line.

use crate::error::{MechanismError, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Number of the file among those of the document.
    pub file: usize,
    /// Line, from 1.
    pub line: usize,
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub data: Data,
}

/// Kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// A number, whole or not.
    Number(f64),
    /// Text.
    Text(String),
    /// True or false.
    Switch(bool),
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Table),
}

/// Keys with their values, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The entries.
    pub entries: Vec<(String, Value)>,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries
            .iter_mut()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }
}

impl Data {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Switch(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// The tree of a file, with those that it extends.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Names of the files: the first is the one asked for.
    pub files: Vec<String>,
    /// The tree.
    pub root: Table,
}

/// Finds the text of a file that another one extends: name in, name for messages and text out.
pub type Finder<'a> = &'a dyn Fn(&str) -> Option<(String, String)>;

/// Most files that extend each other in a row.
const LONGEST_CHAIN: usize = 8;

impl Document {
    /// Parses `text` of the file `name`, and what it extends.
    pub fn parse(name: &str, text: &str, find: Finder<'_>) -> Result<Self> {
        let mut files = vec![name.to_owned()];
        let mut root = parse(name, text, 0)?;
        for _ in 0..LONGEST_CHAIN {
            let Some(index) = root.entries.iter().position(|(key, _)| key == "extends") else {
                return Ok(Self { files, root });
            };
            let (_, value) = root.entries.remove(index);
            let complain = |problem: String, remedy: &str| MechanismError::Text {
                file: files[value.place.file].clone(),
                line: value.place.line,
                problem,
                remedy: remedy.to_owned(),
            };
            let Data::Text(base) = &value.data else {
                let problem = format!("extends is {}", value.data.kind());
                return Err(complain(
                    problem,
                    "name another mechanism: extends = \"two-link\"",
                ));
            };
            let Some((base_name, base_text)) = find(base) else {
                return Err(complain(
                    format!("extends = \"{base}\" is not there"),
                    "name a file beside this one or a mechanism that comes with the program",
                ));
            };
            let number = files.len();
            let base_root = parse(&base_name, &base_text, number)?;
            files.push(base_name);
            root = merge(base_root, root);
        }
        Err(MechanismError::Text {
            file: name.to_owned(),
            line: 1,
            problem: format!("more than {LONGEST_CHAIN} files extend each other"),
            remedy: "look for a file that extends itself".to_owned(),
        })
    }

    /// An error at a place.
    pub fn error(
        &self,
        place: Place,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> MechanismError {
        let name = self.files.get(place.file).or(self.files.first());
        MechanismError::Text {
            file: name.cloned().unwrap_or_default(),
            line: place.line,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

fn parse(name: &str, text: &str, file: usize) -> Result<Table> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(i, _)| i + 1))
        .collect();
    let line_of = |at: usize| starts.partition_point(|&start| start <= at);
    let root = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        MechanismError::Text {
            file: name.to_owned(),
            line,
            problem: format!("this is not TOML: {}", error.message().trim_end()),
            remedy: "see https://toml.io for how keys, lists and tables are written".to_owned(),
        }
    })?;
    let reader = Reader {
        file,
        line_of: &line_of,
        name,
    };
    reader.table(root.get_ref())
}

struct Reader<'a> {
    file: usize,
    line_of: &'a dyn Fn(usize) -> usize,
    name: &'a str,
}

impl Reader<'_> {
    fn table(&self, table: &DeTable<'_>) -> Result<Table> {
        let mut entries = Vec::with_capacity(table.len());
        let mut keys: Vec<_> = table.iter().collect();
        keys.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in keys {
            let line = (self.line_of)(key.span().start);
            entries.push((key.get_ref().to_string(), self.value(value, line)?));
        }
        Ok(Table { entries })
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Value> {
        let own = (self.line_of)(value.span().start).max(line);
        let place = Place {
            file: self.file,
            line: own,
        };
        let bad = |problem: &str| MechanismError::Text {
            file: self.name.to_owned(),
            line: own,
            problem: problem.to_owned(),
            remedy: "write a number, text in quotes, true, false, a list or a table".to_owned(),
        };
        let data = match value.get_ref() {
            DeValue::String(text) => Data::Text(text.to_string()),
            DeValue::Integer(whole) => {
                let number = i64::from_str_radix(whole.as_str(), whole.radix());
                Data::Number(number.map_err(|_| bad("the whole number is too large"))? as f64)
            }
            DeValue::Float(number) => {
                let number: f64 = (number.as_str().replace('_', "").parse())
                    .map_err(|_| bad("the number cannot be read"))?;
                if !number.is_finite() {
                    return Err(bad("the number is not finite"));
                }
                Data::Number(number)
            }
            DeValue::Boolean(switch) => Data::Switch(*switch),
            DeValue::Array(list) => {
                let values = list.iter().map(|value| self.value(value, own));
                Data::List(values.collect::<Result<_>>()?)
            }
            DeValue::Table(table) => Data::Table(self.table(table)?),
            DeValue::Datetime(_) => return Err(bad("dates have no meaning here")),
        };
        Ok(Value { place, data })
    }
}

/// `base` with what `over` says instead: parameters and settings key by key, lists of parts in
/// addition, everything else in place of it.
fn merge(mut base: Table, over: Table) -> Table {
    for (key, value) in over.entries {
        let place = base.entries.iter().position(|(name, _)| *name == key);
        match (place, value.data) {
            (Some(i), Data::Table(table)) => {
                if let Data::Table(old) = &mut base.entries[i].1.data {
                    let old = std::mem::take(old);
                    base.entries[i].1.data = Data::Table(merge(old, table));
                } else {
                    base.entries[i].1 = Value {
                        place: value.place,
                        data: Data::Table(table),
                    };
                }
            }
            (Some(i), Data::List(list)) if is_parts(&list) => {
                if let Data::List(old) = &mut base.entries[i].1.data {
                    old.extend(list);
                }
            }
            (Some(i), data) => {
                base.entries[i].1 = Value {
                    place: value.place,
                    data,
                };
            }
            (None, data) => base.entries.push((
                key,
                Value {
                    place: value.place,
                    data,
                },
            )),
        }
    }
    base
}

fn is_parts(list: &[Value]) -> bool {
    !list.is_empty() && (list.iter()).all(|value| matches!(value.data, Data::Table(_)))
}
