//! Values of inputs and figures, and what their columns are called.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A real number.
    Real,
    /// An integer.
    Integer,
    /// True or false.
    Bool,
    /// A text.
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Bool => "bool",
            Self::Text => "text",
        })
    }
}

/// The value of an input or of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A real number; NaN and infinities are values too.
    Real(f64),
    /// An integer.
    Integer(i64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
}

impl Value {
    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Real(_) => Kind::Real,
            Self::Integer(_) => Kind::Integer,
            Self::Bool(_) => Kind::Bool,
            Self::Text(_) => Kind::Text,
        }
    }

    /// The value as TOML, to be put into a scenario.
    pub fn to_toml(&self) -> toml::Value {
        match self {
            Self::Real(x) => toml::Value::Float(*x),
            Self::Integer(n) => toml::Value::Integer(*n),
            Self::Bool(b) => toml::Value::Boolean(*b),
            Self::Text(text) => toml::Value::String(text.clone()),
        }
    }

    /// A finite value of the given kind from TOML; whole numbers are real ones too.
    pub fn of_toml(value: &toml::Value, kind: Kind) -> Option<Self> {
        match (kind, value) {
            (Kind::Real, toml::Value::Float(x)) if x.is_finite() => Some(Self::Real(*x)),
            (Kind::Real, toml::Value::Integer(n)) => Some(Self::Real(*n as f64)),
            (Kind::Integer, toml::Value::Integer(n)) => Some(Self::Integer(*n)),
            (Kind::Bool, toml::Value::Boolean(b)) => Some(Self::Bool(*b)),
            (Kind::Text, toml::Value::String(text)) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// The value as a number: itself, or 0 and 1 for false and true; none for a text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Real(x) => Some(*x),
            // Ranking and binning need order, not the last bits of integers above 2⁵³.
            Self::Integer(n) => Some(*n as f64),
            Self::Bool(b) => Some(f64::from(u8::from(*b))),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(x) => write!(formatter, "{x}"),
            Self::Integer(n) => write!(formatter, "{n}"),
            Self::Bool(b) => write!(formatter, "{b}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

/// Name of the figure that says whether a run can be believed: a word, [`SOUND`] or another.
pub const SOUNDNESS: &str = "soundness";
/// The word of a run that can be believed. Other runs are no results and take no part in rankings.
pub const SOUND: &str = "sound";

/// A summary figure of a run: its name, which carries its unit (`peak_contact_force_n`), and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Name with unit.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
}

impl FigureSpec {
    /// A figure with the given name and kind.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
        }
    }
}
