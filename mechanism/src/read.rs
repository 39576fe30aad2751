//! Entries of a file, read by the table of keys: types, ranges, formulas of parameters.

use crate::document::{Data, Document, Place, Table, Value};
use crate::error::{MechanismError, Result};
use crate::formula::{Meaning, compile};
use crate::table::{Kind, Section, in_words};
use multibody::model::Program;

/// Value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// What every entry is read with.
#[derive(Debug)]
pub struct Context {
    /// The file.
    pub document: Document,
    /// Parameters and derived values, in order.
    pub parameters: Vec<(String, Parameter)>,
    /// Dimensions: 2 or 3.
    pub dimension: usize,
}

impl Context {
    /// What a name stands for.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        let name = name.strip_prefix("parameters.").unwrap_or(name);
        let (_, value) = self.parameters.iter().find(|(key, _)| key == name)?;
        Some(match value {
            Parameter::Number(number) => Meaning::Number(*number),
            Parameter::Text(text) => Meaning::Text(text.clone()),
        })
    }

    /// The number that `value` stands for.
    pub fn number(&self, key: &str, value: &Value) -> Result<f64> {
        let number = match &value.data {
            Data::Number(number) => *number,
            Data::Switch(switch) => f64::from(u8::from(*switch)),
            Data::Text(text) => {
                let program = self.formula(key, value.place, text, &mut |_| None)?;
                program.evaluate(|_| f64::NAN)
            }
            other => {
                return Err(self.document.error(
                    value.place,
                    format!("{key} is {}", other.kind()),
                    "write a number or a formula of parameters in quotes",
                ));
            }
        };
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.document.error(
                value.place,
                format!("{key} has no finite value"),
                "look for a division by zero or the root of a negative number",
            ))
        }
    }

    /// Compiles a formula of parameters and of what `own` knows.
    pub fn formula(
        &self,
        key: &str,
        place: Place,
        text: &str,
        own: &mut dyn FnMut(&str) -> Option<Meaning>,
    ) -> Result<Program> {
        compile(text, &mut |name| own(name).or_else(|| self.meaning(name))).map_err(|problem| {
            let names: Vec<&str> = self
                .parameters
                .iter()
                .map(|(key, _)| key.as_str())
                .collect();
            let known = if names.is_empty() {
                "the file has no [parameters]".to_owned()
            } else {
                format!("known parameters: {}", names.join(", "))
            };
            let problem = format!("{key} = \"{text}\": {problem}");
            self.document.error(place, problem, known)
        })
    }

    /// `text` with `{name}` replaced by parameters.
    pub fn filled(&self, place: Place, text: &str) -> Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(length) = rest[open..].find('}') else {
                break;
            };
            let name = &rest[open + 1..open + length];
            out.push_str(&rest[..open]);
            match self.meaning(name) {
                Some(Meaning::Text(text)) => out.push_str(&text),
                Some(Meaning::Number(number)) => out.push_str(&number.to_string()),
                _ => {
                    return Err(self.document.error(
                        place,
                        format!("{{{name}}} is no parameter"),
                        "name one of [parameters] in braces",
                    ));
                }
            }
            rest = &rest[open + length + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// A name near `word` among `words`, as a remedy.
pub fn near<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let score = |candidate: &str| strsim::jaro_winkler(word, candidate);
    words
        .map(|candidate| (score(candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// One table of a file.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Its keys.
    pub table: &'a Table,
    /// Where it stands.
    pub place: Place,
    section: &'static Section,
    context: &'a Context,
}

impl<'a> Entry<'a> {
    /// A table whose keys are all known; `None` if its condition does not hold.
    pub fn new(
        context: &'a Context,
        section: &'static Section,
        table: &'a Table,
        place: Place,
    ) -> Result<Option<Self>> {
        for (key, value) in &table.entries {
            if section.row(key).is_some() {
                continue;
            }
            let keys = || section.rows.iter().map(|row| row.key);
            let remedy = match near(key, keys()) {
                Some(known) => format!("did you mean {known}?"),
                None => format!("known keys: {}", keys().collect::<Vec<_>>().join(", ")),
            };
            let problem = format!("[{}] has no key {key}", section.name);
            return Err(context.document.error(value.place, problem, remedy));
        }
        let entry = Self {
            table,
            place,
            section,
            context,
        };
        Ok(entry.switch("only_if")?.unwrap_or(true).then_some(entry))
    }

    /// An error at the entry itself, with its name.
    pub fn error(&self, problem: impl AsRef<str>, remedy: impl Into<String>) -> MechanismError {
        let name = match self.table.get("name").map(|value| &value.data) {
            Some(Data::Text(name)) => format!("{} {name}", self.section.name),
            _ => self.section.name.to_owned(),
        };
        let problem = format!("{name} {}", problem.as_ref());
        self.context.document.error(self.place, problem, remedy)
    }

    /// An error at a key.
    pub fn error_at(
        &self,
        key: &str,
        problem: impl AsRef<str>,
        remedy: impl Into<String>,
    ) -> MechanismError {
        let place = self.table.get(key).map_or(self.place, |value| value.place);
        let problem = format!("{key} {}", problem.as_ref());
        self.context.document.error(place, problem, remedy)
    }

    fn missing(&self, key: &str) -> MechanismError {
        let words = self.section.row(key).map_or_else(String::new, |row| {
            format!(" = … ({}: {})", in_words(row), row.meaning)
        });
        self.error(format!("has no {key}"), format!("add {key}{words}"))
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    fn wrong(&self, key: &str, value: &Value) -> MechanismError {
        let row = self.section.row(key);
        let wanted = row.map_or_else(String::new, in_words);
        let problem = format!("{key} is {}", value.data.kind());
        (self.context.document).error(value.place, problem, format!("write: {wanted}"))
    }

    fn checked(&self, key: &str, place: Place, number: f64) -> Result<f64> {
        let Some(row) = self.section.row(key) else {
            return Ok(number);
        };
        let [low, high] = row.range;
        let whole = row.kind != Kind::Count || number == number.round();
        if (low..=high).contains(&number) && whole {
            return Ok(number);
        }
        let problem = format!("{key} = {number} is not allowed");
        let remedy = format!("it must be: {}", in_words(row));
        Err(self.context.document.error(place, problem, remedy))
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        if matches!(value.data, Data::List(_) | Data::Table(_)) {
            return Err(self.wrong(key, value));
        }
        let number = self.context.number(key, value)?;
        self.checked(key, value.place, number).map(Some)
    }

    /// A number that must be there.
    pub fn required_number(&self, key: &str) -> Result<f64> {
        self.number(key)?.ok_or_else(|| self.missing(key))
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> Result<Option<usize>> {
        Ok(self.number(key)?.map(|number| number as usize))
    }

    /// True or false.
    pub fn switch(&self, key: &str) -> Result<Option<bool>> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        Ok(Some(self.context.number(key, value)? != 0.0))
    }

    /// Text, with parameters filled in.
    pub fn text(&self, key: &str) -> Result<Option<String>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value {
                data: Data::Text(text),
                place,
            }) => self.context.filled(*place, text).map(Some),
            Some(value) => Err(self.wrong(key, value)),
        }
    }

    /// Text that must be there.
    pub fn required_text(&self, key: &str) -> Result<String> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    /// One of the words of its row.
    pub fn word(&self, key: &str) -> Result<Option<String>> {
        let Some(word) = self.text(key)? else {
            return Ok(None);
        };
        let words = match self.section.row(key).map(|row| row.kind) {
            Some(Kind::Word(words)) => words,
            _ => &[],
        };
        if words.contains(&word.as_str()) {
            return Ok(Some(word));
        }
        let remedy = match near(&word, words.iter().copied()) {
            Some(known) => format!("did you mean \"{known}\"? Known: {}", words.join(", ")),
            None => format!("known: {}", words.join(", ")),
        };
        Err(self.error_at(key, format!("= \"{word}\" is not known"), remedy))
    }

    /// A word that must be there.
    pub fn required_word(&self, key: &str) -> Result<String> {
        self.word(key)?.ok_or_else(|| self.missing(key))
    }

    /// Numbers: one alone, or a list.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let Data::List(list) = &value.data else {
            return Ok(self.number(key)?.map(|number| vec![number]));
        };
        let read = |value: &Value| {
            let number = self.context.number(key, value)?;
            self.checked(key, value.place, number)
        };
        list.iter().map(read).collect::<Result<_>>().map(Some)
    }

    /// A vector: in the plane its third component is zero.
    pub fn vector(&self, key: &str) -> Result<Option<[f64; 3]>> {
        let Some(list) = self.numbers(key)? else {
            return Ok(None);
        };
        let wanted = self.context.dimension;
        if list.len() != wanted {
            let problem = format!("has {} components", list.len());
            return Err(self.error_at(key, problem, format!("write {wanted} numbers in brackets")));
        }
        let mut out = [0.0; 3];
        out[..wanted].copy_from_slice(&list);
        Ok(Some(out))
    }

    /// A vector that must be there.
    pub fn required_vector(&self, key: &str) -> Result<[f64; 3]> {
        self.vector(key)?.ok_or_else(|| self.missing(key))
    }

    /// A rotation vector or rate: in the plane about the normal.
    pub fn turn(&self, key: &str) -> Result<Option<[f64; 3]>> {
        let Some(list) = self.numbers(key)? else {
            return Ok(None);
        };
        match (self.context.dimension, list.as_slice()) {
            (2, [angle]) => Ok(Some([0.0, 0.0, *angle])),
            (3, [x, y, z]) => Ok(Some([*x, *y, *z])),
            (dimension, list) => {
                let wanted = if dimension == 2 {
                    "one number"
                } else {
                    "three numbers"
                };
                let problem = format!("has {} components", list.len());
                Err(self.error_at(key, problem, format!("write {wanted}")))
            }
        }
    }

    /// Texts in brackets, each with its place.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<(String, Place)>>> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let Data::List(list) = &value.data else {
            return Err(self.wrong(key, value));
        };
        let read = |value: &Value| match &value.data {
            Data::Text(text) => Ok((self.context.filled(value.place, text)?, value.place)),
            _ => Err(self.wrong(key, value)),
        };
        list.iter().map(read).collect::<Result<_>>().map(Some)
    }

    /// The values of a list, or the one value.
    pub fn values(&self, key: &str) -> Vec<&'a Value> {
        match self.value(key) {
            Some(Value {
                data: Data::List(list),
                ..
            }) => list.iter().collect(),
            Some(value) => vec![value],
            None => Vec::new(),
        }
    }

    /// The context it is read in.
    pub fn context(&self) -> &'a Context {
        self.context
    }
}
