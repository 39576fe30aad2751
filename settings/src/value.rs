//! What a field of a configuration may be.

use crate::{Kind, Range};

/// A type that a setting may have.
pub trait Setting {
    /// What its values look like in a file.
    const KIND: Kind;

    /// The first number in it that is outside `range`.
    fn first_outside(&self, range: &Range) -> Option<f64>;
}

/// A choice between words; [`crate::words!`] declares one.
pub trait Words: Copy + 'static {
    /// The words.
    const WORDS: &'static [&'static str];
    /// What they stand for, in the same order.
    const ALL: &'static [Self];

    /// What a word stands for.
    fn from_word(word: &str) -> Option<Self> {
        let place = Self::WORDS.iter().position(|known| *known == word)?;
        Self::ALL.get(place).copied()
    }
}

impl Setting for f64 {
    const KIND: Kind = Kind::Number;

    fn first_outside(&self, range: &Range) -> Option<f64> {
        (!range.contains(*self)).then_some(*self)
    }
}

impl Setting for usize {
    const KIND: Kind = Kind::Count;

    fn first_outside(&self, range: &Range) -> Option<f64> {
        (*self as f64).first_outside(range)
    }
}

impl Setting for bool {
    const KIND: Kind = Kind::Switch;

    fn first_outside(&self, _range: &Range) -> Option<f64> {
        None
    }
}

impl<const N: usize> Setting for [f64; N] {
    const KIND: Kind = Kind::Numbers(N);

    fn first_outside(&self, range: &Range) -> Option<f64> {
        self.iter().find_map(|value| value.first_outside(range))
    }
}

impl Setting for Vec<f64> {
    const KIND: Kind = Kind::List;

    fn first_outside(&self, range: &Range) -> Option<f64> {
        self.iter().find_map(|value| value.first_outside(range))
    }
}

/// An entry of a list of tables.
pub trait TableEntry {}

impl<T: TableEntry> Setting for Vec<T> {
    const KIND: Kind = Kind::Tables;

    fn first_outside(&self, _range: &Range) -> Option<f64> {
        None
    }
}

impl<T: Setting> Setting for Option<T> {
    const KIND: Kind = T::KIND;

    fn first_outside(&self, range: &Range) -> Option<f64> {
        self.as_ref()?.first_outside(range)
    }
}

/// Declares a choice between words: an enumeration that files name by these words. The default is
/// marked by `#[default]`.
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$attribute])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Default,
            $crate::serde::Serialize, $crate::serde::Deserialize,
        )]
        #[serde(crate = "softdock_settings::serde")]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $crate::Words for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: &'static [Self] = &[$(Self::$variant),+];
        }

        impl $crate::Setting for $name {
            const KIND: $crate::Kind = $crate::Kind::Word(<Self as $crate::Words>::WORDS);

            fn first_outside(&self, _range: &$crate::Range) -> Option<f64> {
                None
            }
        }
    };
}
