//! The variables of a model: one table, from which the model description is written and through
//! which values are read and set.
//!
//! The value reference of a variable is its position in the table. Values are in SI units and
//! radians; what is an enumeration in a configuration is a number or a truth value here,
//! because enumerations are what importers support worst.

mod list;
mod units;

pub use list::{List, Row, one};
pub use units::{UNITS, UnitOf};

use crate::model::Parameters;
use std::borrow::Cow;
use std::fmt;

/// A text of a table: written in the program, or read with a model.
pub type Text = Cow<'static, str>;

/// Where a parameter is kept, and what it may be.
#[derive(Clone)]
pub enum Access<P> {
    /// One of several reals.
    Real {
        /// The reals.
        slot: fn(&mut P) -> &mut [f64],
        /// Which of them.
        index: usize,
        /// Smallest and largest value of each.
        limits: [f64; 2],
    },
    /// An integer.
    Integer {
        /// The integer.
        slot: fn(&mut P) -> &mut i32,
        /// Smallest and largest value.
        range: [i32; 2],
    },
    /// A truth value.
    Boolean(fn(&mut P) -> &mut bool),
}

/// What a variable is to the model.
pub enum Role<P: Parameters> {
    /// Set before the simulation starts.
    Parameter(Access<P>),
    /// Computed when it starts.
    Calculated(fn(&P::Origin) -> f64),
    /// An input of the unit, with the value that it has until it is set.
    Input {
        /// Position among the unit's inputs.
        index: usize,
        /// First value of the input at this position.
        start: fn(&P, usize) -> f64,
    },
    /// An output of the unit.
    Output {
        /// Position among the unit's outputs.
        index: usize,
        /// The outputs it is computed with.
        group: usize,
    },
    /// As an output, but only to look at.
    Local {
        /// Position among the unit's outputs.
        index: usize,
        /// The outputs it is computed with.
        group: usize,
    },
}

// Derived, it would ask the origin to be clonable, too.
impl<P: Parameters> Clone for Role<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Parameter(access) => Self::Parameter(access.clone()),
            Self::Calculated(value) => Self::Calculated(*value),
            Self::Input { index, start } => Self::Input {
                index: *index,
                start: *start,
            },
            Self::Output { index, group } => Self::Output {
                index: *index,
                group: *group,
            },
            Self::Local { index, group } => Self::Local {
                index: *index,
                group: *group,
            },
        }
    }
}

/// From when on a variable influences the outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InfluencesOutputs {
    /// From the start on.
    AtStart,
    /// Only once the model moves.
    AfterStart,
}

/// The name of a variable, structured: `tendon.tension`, `tip.force[1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    text: Text,
    /// Its number among several, from one.
    number: Option<usize>,
}

impl Name {
    /// A name without a number.
    pub const fn of(text: &'static str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            number: None,
        }
    }

    /// A name that was read with a model.
    pub fn read(text: &str) -> Self {
        Self {
            text: Cow::Owned(text.to_owned()),
            number: None,
        }
    }

    /// A name with a number that was made with a model.
    pub fn read_numbered(text: &str, number: usize) -> Self {
        Self {
            text: Cow::Owned(text.to_owned()),
            number: Some(number),
        }
    }

    /// A name with a number.
    pub const fn numbered(text: &'static str, number: usize) -> Self {
        Self {
            text: Cow::Borrowed(text),
            number: Some(number),
        }
    }

    /// Its number among several, from one.
    pub const fn number(&self) -> Option<usize> {
        self.number
    }

    /// Its text without the number.
    pub fn array(&self) -> &str {
        &self.text
    }

    /// Whether it is the element `offset` places behind `first` in one array.
    pub fn follows(&self, first: &Self, offset: u32) -> bool {
        let place = first.number.map(|number| number + offset as usize);
        self.text == first.text && place.is_some() && self.number == place
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(formatter, "{}[{number}]", self.text),
            None => formatter.write_str(&self.text),
        }
    }
}

/// One variable.
#[derive(Clone)]
pub struct Variable<P: Parameters> {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub description: Text,
    /// Its unit; truth values and integers have none.
    pub unit: UnitOf,
    /// What it is to the model.
    pub role: Role<P>,
    /// Whether outputs before the first step depend on it.
    pub influences: InfluencesOutputs,
}

impl<P: Parameters> Variable<P> {
    /// What an empty place of a table holds.
    const NOTHING: Self = Self {
        name: Name::of(""),
        description: Cow::Borrowed(""),
        unit: UnitOf::One,
        role: Role::Calculated(|_| 0.0),
        influences: InfluencesOutputs::AfterStart,
    };
}

/// A value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A real.
    Real(f64),
    /// An integer.
    Integer(i32),
    /// A truth value.
    Boolean(bool),
}

impl Value {
    /// The value as a real number, for a snapshot.
    pub fn as_number(self) -> f64 {
        match self {
            Self::Real(value) => value,
            Self::Integer(value) => f64::from(value),
            Self::Boolean(value) => f64::from(u8::from(value)),
        }
    }
}

impl<P: Clone> Access<P> {
    /// The parameter's value.
    pub fn get(&self, parameters: &P) -> Value {
        let mut parameters = parameters.clone();
        match self {
            Self::Real { slot, index, .. } => Value::Real(slot(&mut parameters)[*index]),
            Self::Integer { slot, .. } => Value::Integer(*slot(&mut parameters)),
            Self::Boolean(slot) => Value::Boolean(*slot(&mut parameters)),
        }
    }

    /// Gives the parameter the value with this number, which came from [`Value::as_number`].
    pub fn set_number(&self, parameters: &mut P, number: f64) {
        match self {
            Self::Real { slot, index, .. } => slot(parameters)[*index] = number,
            Self::Integer { slot, .. } => *slot(parameters) = number as i32,
            Self::Boolean(slot) => *slot(parameters) = number != 0.0,
        }
    }
}
