//! The value of a figure.

use multibody::results::soundness::Reason;
use serde::Serialize;
use std::path::PathBuf;

/// The value of a figure; serialised as it stands in its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A name for programs.
    Word(&'static str),
    /// How many.
    Count(usize),
    /// A number; none if there is nothing to measure.
    Number(Option<f64>),
    /// The smallest and the largest.
    Ends([f64; 2]),
    /// A number for each leg or for each axis.
    List(Vec<f64>),
    /// Rows of numbers, such as a force for each leg or a matrix.
    Rows(Vec<Vec<f64>>),
    /// Words for people; none if there is nothing to say.
    Text(Option<String>),
    /// Reasons to doubt the result.
    Reasons(Vec<Reason>),
}

macro_rules! values {
    ($($type:ty: |$value:ident| $made:expr;)*) => { $(
        impl From<&$type> for Value {
            fn from($value: &$type) -> Self { $made }
        }
    )* };
}

values! {
    bool: |value| Self::Flag(*value);
    &'static str: |value| Self::Word(value);
    usize: |value| Self::Count(*value);
    f64: |value| Self::Number(Some(*value));
    Option<f64>: |value| Self::Number(*value);
    [f64; 2]: |value| Self::Ends(*value);
    [f64; 3]: |value| Self::List(value.to_vec());
    [f64; 6]: |value| Self::List(value.to_vec());
    Vec<f64>: |value| Self::List(value.clone());
    Vec<[f64; 3]>: |value| Self::Rows(value.iter().map(|row| row.to_vec()).collect());
    [[f64; 6]; 6]: |value| Self::Rows(value.iter().map(|row| row.to_vec()).collect());
    Vec<Vec<f64>>: |value| Self::Rows(value.clone());
    String: |value| Self::Text(Some(value.clone()));
    Option<String>: |value| Self::Text(value.clone());
    PathBuf: |value| Self::Text(Some(value.display().to_string()));
}

impl Value {
    /// The value if it is one number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => *number,
            Self::Count(count) => Some(*count as f64),
            _ => None,
        }
    }

    /// True if it says nothing: no number, no text, none of something.
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Number(number) => number.is_none(),
            Self::Count(count) => *count == 0,
            Self::List(values) => values.is_empty(),
            Self::Rows(rows) => rows.is_empty(),
            Self::Text(text) => text.is_none(),
            Self::Reasons(reasons) => reasons.is_empty(),
            Self::Flag(_) | Self::Word(_) | Self::Ends(_) => false,
        }
    }
}
