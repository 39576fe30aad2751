//! From defaults, file and command line to a checked configuration.
//!
//! ```text
//! defaults  <-  --config FILE  <-  [base] of a study  <-  --set KEY=VALUE (the last one wins)
//! ```
//!
//! Each layer is checked against the table of keys before it is merged, so that an error can
//! name the file and line, or the argument, that caused it. The merged table is then read by
//! `serde`, which refuses unknown keys once more, and by the configuration's own `validate`.

mod configurations;
pub mod key;
mod print;
mod source;

pub use softdock_settings::{Kind, Parameter};
pub use source::{MOST_PARTS, Place};

use crate::input_file;
use serde::Serialize;
use serde::de::DeserializeOwned;
use source::Layer;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A value that a configuration's own check refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Key with its tables.
    pub key: String,
    /// What is wrong: key, value, allowed range.
    pub message: String,
}

/// A configuration that can be read from files and arguments.
pub trait Settings: Serialize + DeserializeOwned + Default {
    /// The rows of all keys.
    fn rows() -> Vec<&'static Parameter>;

    /// Every key; those outside TOML's tables first, as its files want them.
    fn keys() -> impl Iterator<Item = &'static Parameter> {
        let nested = |key: &&'static Parameter| key.key.contains('.');
        let (inside, outside): (Vec<_>, Vec<_>) = Self::rows().into_iter().partition(nested);
        outside.into_iter().chain(inside)
    }

    /// Checks every value.
    fn check(&self) -> Result<(), Refused>;

    /// What a file of such settings is called in messages.
    fn kind_of_file() -> &'static str {
        "settings"
    }

    /// Name and text of every file of such settings that comes with the program.
    fn shipped() -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Name of the shipped file that is taken where none is given; without one every key has its
    /// default.
    fn unnamed() -> Option<&'static str> {
        None
    }
}

/// Where settings come from; flattened into the arguments of a command.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SettingsArgs {
    /// TOML file with settings; every key is optional. The same as FILE
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sets one key, e.g. --set tendon.damping_n_s_per_m=15; repeatable, overrides the file
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Prints the resolved settings with units and ranges, and does nothing else
    #[arg(long)]
    pub print_config: bool,
    /// Settings in a table of another file, between the file and the arguments
    #[arg(skip)]
    pub part: Option<Part>,
}

/// Settings in one table of a larger file, such as `[base]` of a study.
#[derive(Debug, Clone)]
pub struct Part {
    /// The file, for messages.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Name of the table; nothing is set if it is missing.
    pub table: &'static str,
}

/// What can be wrong with settings. All of it is the input's fault: exit status 2.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the settings file {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{place}: not valid TOML: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// The parser's message.
        message: String,
    },
    /// The argument of `--set` cannot be understood.
    #[error("--set {argument}: {problem}")]
    BadArgument {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No such key.
    #[error("{place}: unknown key `{key}`{hint}")]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What was perhaps meant.
        hint: String,
    },
    /// The value is of the wrong kind.
    #[error("{place}: `{key}` must be {expected}; found {found}")]
    WrongKind {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The value is NaN or infinite.
    #[error("{place}: `{key}` = {value} is not allowed: it must be a finite number")]
    NotFinite {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// The value.
        value: f64,
    },
    /// The value is outside its range.
    #[error("{place}: {message}")]
    OutOfRange {
        /// Where.
        place: Place,
        /// Key, value and range.
        message: String,
    },
    /// A value that does not go with the others, or is not made as it must be.
    #[error("{place}: `{key}` does not fit: {message}")]
    Misfit {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// serde's message.
        message: String,
    },
    /// There is no such file, and none of that name comes with the program.
    #[error("there is no {kind} file {}, and none of that name comes with the program{known}", path.display())]
    NoSuchFile {
        /// What such a file is called.
        kind: &'static str,
        /// What was named.
        path: PathBuf,
        /// The names there are.
        known: String,
    },
    /// The merged table does not fit although every layer did: the key table has a gap.
    #[error("settings: {message}")]
    Mismatch {
        /// serde's message.
        message: String,
    },
}

/// A checked configuration and where its values came from.
#[derive(Debug, Clone)]
pub struct Resolved<C> {
    /// The configuration.
    pub config: C,
    places: BTreeMap<String, Place>,
}

impl<C: Settings> Resolved<C> {
    /// Resolves the settings that `args` describe.
    pub fn new(args: &SettingsArgs) -> Result<Self, SettingsError> {
        Self::with(args, &[])
    }

    /// Whether a file or an argument gave this key.
    pub fn gives(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// Like [`Resolved::new`]; `more` are keys that other arguments of the command set, as
    /// (argument as written, key, value).
    pub fn with(
        args: &SettingsArgs,
        more: &[(String, &str, Value)],
    ) -> Result<Self, SettingsError> {
        let file = args.config.as_ref();
        let file = file.map(|path| Layer::read(path)).transpose()?;
        Self::above(file, args, more)
    }

    /// Like [`Resolved::with`] for a file, or the name of one that comes with the program; without
    /// either it is that of `args`, or else [`Settings::unnamed`].
    pub fn named(
        input: Option<&Path>,
        args: &SettingsArgs,
        more: &[(String, &str, Value)],
    ) -> Result<Self, SettingsError> {
        let unnamed = C::unnamed().map(Path::new);
        let Some(path) = input.or(args.config.as_deref()).or(unnamed) else {
            return Self::above(None, args, more);
        };
        let shipped = C::shipped()
            .iter()
            .find(|(name, _)| Path::new(name) == path);
        let file = match shipped {
            // A folder of results may have the name of the scenario.
            Some((name, text)) if !path.is_file() => Layer::parse(Path::new(name), text)?,
            None if input.is_some() && !path.exists() => {
                let names: Vec<&str> = C::shipped().iter().map(|(name, _)| *name).collect();
                let known = match names.as_slice() {
                    [] => String::new(),
                    names => format!(" ({}there are {})", meant(path, names), names.join(", ")),
                };
                let path = path.to_owned();
                let kind = C::kind_of_file();
                return Err(SettingsError::NoSuchFile { kind, path, known });
            }
            _ => Layer::read(path)?,
        };
        Self::above(Some(file), args, more)
    }

    /// Like [`Resolved::with`] for the text of a file called `name`.
    pub fn with_text(
        name: &str,
        text: &str,
        args: &SettingsArgs,
        more: &[(String, &str, Value)],
    ) -> Result<Self, SettingsError> {
        let file = Layer::parse(Path::new(name), text)?;
        Self::above(Some(file), args, more)
    }

    /// The settings of a file with those of the command line above them.
    fn above(
        file: Option<Layer>,
        args: &SettingsArgs,
        more: &[(String, &str, Value)],
    ) -> Result<Self, SettingsError> {
        let mut layers: Vec<Layer> = file.into_iter().collect();
        add_layers(args, &mut layers)?;
        for (argument, key, value) in more {
            layers.push(Layer::given(argument, key, value.clone()));
        }
        Self::from_layers(&layers)
    }

    fn from_layers(layers: &[Layer]) -> Result<Self, SettingsError> {
        let defaults = Table::try_from(C::default()).map_err(mismatch)?;
        let mut merged = defaults.clone();
        let mut places = BTreeMap::new();
        for layer in layers {
            merge::<C>(layer, &layer.table, "", &mut merged, &mut places)?;
        }
        let config: C = match merged.clone().try_into() {
            Ok(config) => config,
            Err(error) => return Err(misfit::<C>(&merged, &defaults, &places, &error)),
        };
        let resolved = Self { config, places };
        resolved.check_effect(&merged)?;
        resolved.check()?;
        Ok(resolved)
    }

    /// Refuses settings that the configuration has no room for, such as the radius of a rod where
    /// there is none: such a setting would be ignored without a word.
    fn check_effect(&self, merged: &Table) -> Result<(), SettingsError> {
        let kept = Table::try_from(&self.config).map_err(mismatch)?;
        let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        for (key, place) in &self.places {
            let given = print::lookup(merged, key);
            if print::lookup(&kept, key).is_none() && !given.is_some_and(empty) {
                return Err(SettingsError::Misfit {
                    place: place.clone(),
                    key: key.clone(),
                    message: "it has no effect with the other settings".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Checks the values again, after a command has changed some.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.config.check().map_err(|Refused { key, message }| {
            let place = self.blamed(&key).unwrap_or_default();
            SettingsError::OutOfRange { place, message }
        })
    }

    /// Where `key` was set; a default that is refused is the fault of what was set beside it.
    fn blamed(&self, key: &str) -> Option<Place> {
        let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned());
        let beside = || {
            let mut others = self.places.iter();
            others.find(|(other, _)| table(other) == table(key))
        };
        let only = || self.places.iter().next().filter(|_| self.places.len() == 1);
        let exact = self.places.get_key_value(key);
        let found = exact.or_else(beside).or_else(only);
        found.map(|(_, place)| place.clone())
    }

    /// The settings as TOML with a comment above each key.
    pub fn print(&self) -> Result<String, SettingsError> {
        print::print(&self.config)
    }
}

/// "did you mean NAME? " for the name that is most like what was written, if any is.
fn meant_name(written: &Path, names: &[&str]) -> String {
    let written = written.to_string_lossy();
    let near = softdock_mechanism::read::near(&written, names.iter().copied());
    near.map_or_else(String::new, |name| format!("did you mean {name}? "))
}

/// The same, or a TOML file of nearly the same name in the folder of the file.
pub fn meant(written: &Path, names: &[&str]) -> String {
    let near = meant_name(written, names);
    let Some(name) = written.file_name().filter(|_| near.is_empty()) else {
        return near;
    };
    let folder = match written.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let files: Vec<String> = files.filter(|file| file.ends_with(".toml")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    meant_name(Path::new(name), &files)
}

/// Finds the setting without which the others would fit.
fn misfit<C: Settings>(
    merged: &Table,
    defaults: &Table,
    places: &BTreeMap<String, Place>,
    error: &toml::de::Error,
) -> SettingsError {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    for (key, place) in places {
        let mut without = merged.clone();
        put_back(&mut without, defaults, key);
        if without.try_into::<C>().is_ok() {
            return SettingsError::Misfit {
                place: place.clone(),
                key: key.clone(),
                message,
            };
        }
    }
    SettingsError::Mismatch { message }
}

/// Gives `key` of `table` the value that `defaults` has, or none.
fn put_back(table: &mut Table, defaults: &Table, key: &str) {
    match key.split_once('.') {
        Some((first, rest)) => {
            let default = defaults.get(first).and_then(Value::as_table).cloned();
            if let Some(inner) = table.get_mut(first).and_then(Value::as_table_mut) {
                put_back(inner, &default.unwrap_or_default(), rest);
            }
        }
        None => {
            table.remove(key);
            if let Some(value) = defaults.get(key) {
                table.insert(key.to_owned(), value.clone());
            }
        }
    }
}

fn mismatch(error: impl std::fmt::Display) -> SettingsError {
    SettingsError::Mismatch {
        message: error.to_string(),
    }
}

/// Adds what stands above a file: a table of another one, then arguments.
fn add_layers(args: &SettingsArgs, layers: &mut Vec<Layer>) -> Result<(), SettingsError> {
    if let Some(part) = &args.part {
        layers.push(Layer::part(part)?);
    }
    for argument in &args.set {
        layers.push(Layer::argument(argument)?);
    }
    Ok(())
}

/// The key called `name`, or what was perhaps meant; `place` is where it is named.
pub fn find_key<C: Settings>(
    name: &str,
    place: &Place,
) -> Result<&'static Parameter, SettingsError> {
    C::keys().find(|known| known.key == name).ok_or_else(|| {
        let keys: Vec<&Parameter> = C::keys().collect();
        SettingsError::UnknownKey {
            place: place.clone(),
            key: name.to_owned(),
            hint: hint(&keys, name, ""),
        }
    })
}

/// Merges `table` of `layer` into `target`, checking every key on the way.
fn merge<C: Settings>(
    layer: &Layer,
    table: &Table,
    prefix: &str,
    target: &mut Table,
    places: &mut BTreeMap<String, Place>,
) -> Result<(), SettingsError> {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        let place = layer.place(&key);
        if let Some(known) = C::keys().find(|known| known.key == key) {
            let value = history_fields(known, value, target.get(name));
            check_finite(&key, &value, &place)?;
            if let Some((expected, found)) = key::mismatch(known, &value) {
                return Err(SettingsError::WrongKind {
                    place,
                    key,
                    expected,
                    found,
                });
            }
            target.insert(name.clone(), value);
            places.insert(key, place);
            continue;
        }
        let inner = format!("{key}.");
        if !C::keys().any(|known| known.key.starts_with(&inner)) {
            let keys: Vec<&Parameter> = C::keys().collect();
            let hint = hint(&keys, &key, &innermost(&key, value));
            return Err(SettingsError::UnknownKey { place, key, hint });
        }
        let Value::Table(nested) = value else {
            let expected = format!("a table; write [{key}] or {key}.NAME = VALUE");
            let found = key::describe(value);
            return Err(SettingsError::WrongKind {
                place,
                key,
                expected,
                found,
            });
        };
        let entry = target
            .entry(name.clone())
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(target) = entry {
            merge::<C>(layer, nested, &inner, target, places)?;
        }
    }
    Ok(())
}

/// A history given field by field (`--set motor.torque_nm.amplitude=2`) completes the one that is
/// there; one that names its kind replaces it.
fn history_fields(known: &Parameter, value: &Value, present: Option<&Value>) -> Value {
    match (known.kind, value, present) {
        (Kind::History, Value::Table(new), Some(Value::Table(old)))
            if !new.contains_key("kind") =>
        {
            let mut both = old.clone();
            both.extend(new.clone());
            Value::Table(both)
        }
        _ => value.clone(),
    }
}

fn check_finite(key: &str, value: &Value, place: &Place) -> Result<(), SettingsError> {
    match value {
        Value::Float(number) if !number.is_finite() => Err(SettingsError::NotFinite {
            place: place.clone(),
            key: key.to_owned(),
            value: *number,
        }),
        Value::Array(list) => list
            .iter()
            .try_for_each(|entry| check_finite(key, entry, place)),
        Value::Table(table) => table
            .iter()
            .try_for_each(|(name, entry)| check_finite(&format!("{key}.{name}"), entry, place)),
        _ => Ok(()),
    }
}

/// Similarity above which a key is suggested.
const SIMILAR: f64 = 0.75;

/// The first key with a value that is no table, in `value` of `key`.
fn innermost(key: &str, value: &Value) -> String {
    match value.as_table().and_then(|table| table.iter().next()) {
        Some((name, inner)) => innermost(&format!("{key}.{name}"), inner),
        None => key.to_owned(),
    }
}

/// The known key that is most like an unknown one, if any is.
fn similar(keys: &[&Parameter], unknown: &str) -> Option<&'static str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let similarity = |known: &&Parameter| {
        let whole = strsim::normalized_damerau_levenshtein(unknown, known.key);
        // A right name in the wrong table, or no table at all, is the commonest mistake.
        let end = strsim::normalized_damerau_levenshtein(&last(unknown), &last(known.key));
        // Someone may have left the unit out.
        let stem = if last(known.key).starts_with(&last(unknown)) {
            0.8
        } else {
            0.0
        };
        whole.max(0.95 * end).max(stem)
    };
    let best = keys
        .iter()
        .map(|known| (similarity(known), known.key))
        .fold(
            (0.0, ""),
            |best, next| if next.0 > best.0 { next } else { best },
        );
    (best.0 >= SIMILAR).then_some(best.1)
}

/// Names that keys had before, and what to write instead.
const RENAMED: [(&str, &str); 2] = [
    (
        "end_effector.rpy_rad",
        "it is now `end_effector.attitude_rad`: the same three numbers, about x, y and z, under the \
         names pitch, yaw and roll that dockings use",
    ),
    (
        "regulator.active",
        "it is now `regulator.law`: \"lqr\" in place of true, \"none\" in place of false",
    ),
];

/// What an unknown key was perhaps meant to be; `inner` is the first key below it.
fn hint(keys: &[&Parameter], unknown: &str, inner: &str) -> String {
    if let Some((_, now)) = RENAMED.iter().find(|(before, _)| *before == unknown) {
        return format!("; {now}");
    }
    if let Some(known) = similar(keys, unknown) {
        return format!("; did you mean `{known}`?");
    }
    let mut tables: Vec<&str> = Vec::new();
    for known in keys {
        let first = known.key.split('.').next().unwrap_or(known.key);
        if !tables.contains(&first) {
            tables.push(first);
        }
    }
    if let Some(table) = tables
        .iter()
        .find(|table| unknown.split('.').next() == Some(table))
    {
        let inner = format!("{table}.");
        let names: Vec<&str> = keys
            .iter()
            .filter_map(|known| known.key.strip_prefix(&inner))
            .collect();
        return format!("; `{table}` has the keys {}", names.join(", "));
    }
    let close = tables
        .iter()
        .find(|table| strsim::jaro_winkler(unknown, table) > 0.85);
    match (close, similar(keys, inner)) {
        (Some(table), _) => format!("; did you mean `{table}`?"),
        (None, Some(known)) => format!("; did you mean `{known}`?"),
        (None, None) => format!(
            "; there are {} (--print-config shows all keys)",
            tables.join(", ")
        ),
    }
}

/// Keys with their tables and values, tables flattened.
#[cfg(test)]
pub fn flatten(table: &Table) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for (name, value) in table {
        match value {
            Value::Table(nested) => {
                let inner = flatten(nested).into_iter();
                out.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            _ => out.push((name.clone(), value.clone())),
        }
    }
    out
}

/// Settings files are small; something much larger is not one.
const LARGEST_FILE: u64 = 1 << 20;

/// Reads a settings file as text.
fn read(path: &Path) -> Result<String, SettingsError> {
    let mut text = String::new();
    let read = input_file::open(path).and_then(|file| {
        // One byte more than allowed tells a file that is too large, and a device without an end.
        file.take(LARGEST_FILE + 1).read_to_string(&mut text)
    });
    let too_large = |read: usize| {
        let problem = "it is larger than 1 MiB, which no settings file is";
        (read as u64 > LARGEST_FILE).then(|| io::Error::new(io::ErrorKind::FileTooLarge, problem))
    };
    read.and_then(|read| too_large(read).map_or(Ok(()), Err))
        .map_err(|cause| SettingsError::Unreadable {
            path: path.to_owned(),
            cause,
        })?;
    Ok(text)
}

#[cfg(test)]
mod tests;
