//! Declaring a part of a configuration.

use crate::{ConfigError, Parameter};

/// A part of a configuration whose rows are known.
pub trait Table {
    /// Adds its rows and those of the tables inside it, in the order of the declaration.
    fn collect(out: &mut ::std::vec::Vec<&'static Parameter>);

    /// Refuses the first value outside its range, here or in a table inside.
    fn check_ranges(&self) -> Result<(), ConfigError>;

    /// Its rows and those of the tables inside it.
    fn parameters() -> Vec<&'static Parameter> {
        let mut out = Vec::new();
        Self::collect(&mut out);
        out
    }
}

/// Replaces rows by those of `narrower` with the same key.
pub fn narrow(rows: &mut [&'static Parameter], narrower: &'static [Parameter]) {
    for row in rows {
        if let Some(other) = narrower.iter().find(|other| other.key == row.key) {
            *row = other;
        }
    }
}

/// A range as a row of `table!` has it: `range!("m"; 0.001 to 100)`.
#[macro_export]
macro_rules! range {
    ($($range:tt)+) => { $crate::table!(@range [$($range)+]) };
}

/// Declares a part of a configuration; see the crate.
///
/// A row is `field: Type = default, "Meaning" ["unit"; RANGE];` with RANGE one of `LOW to HIGH`,
/// `above LOW to HIGH`, `> 0`, `>= 0`, `as Other::row` or a text that says what is checked elsewhere;
/// `LOW to HIGH, "text"` and `> 0, "text"` add to the comment. Words and switches need no brackets. `sample "..."` at the end shows a value of a key
/// that is left out by default. `table field: Type;` is a table inside, with a default of its own if
/// one is given. `narrowed by ROWS` behind the structure's name takes rows of tables inside from a
/// list, where less is allowed than in these tables by themselves; the owner checks them.
///
/// Every row is also a constant of the structure with the name of its field.
#[macro_export]
macro_rules! table {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident in $prefix:tt $(narrowed by $narrower:path)? { $($rows:tt)* }
    ) => {
        $crate::table!(@rows [$(#[$attribute])* [$($narrower)?]] $name $prefix [] $($rows)*);
    };

    // Takes a table inside from the front of the rows.
    (@rows $head:tt $name:ident $prefix:tt [$($done:tt)*]
        $(#[$attribute:meta])* table $field:ident : $type:ty $(= $default:expr)?; $($rest:tt)*
    ) => {
        $crate::table!(@rows $head $name $prefix
            [$($done)* { [$(#[$attribute])*] table $field [$type]
                [$crate::table!(@default $($default)?)] }] $($rest)*);
    };
    // Takes a row.
    (@rows $head:tt $name:ident $prefix:tt [$($done:tt)*]
        $(#[$attribute:meta])* $field:ident : $type:ty = $default:expr, $meaning:literal
        $([$($facts:tt)*])? $(sample $sample:literal)?; $($rest:tt)*
    ) => {
        $crate::table!(@rows $head $name $prefix
            [$($done)* { [$(#[$attribute])* #[doc = concat!($meaning, ".")]] row $field [$type] [$default]
                $meaning [$($($facts)*)?] [$($sample)?] }] $($rest)*);
    };
    // All rows are taken.
    (@rows [$(#[$attribute:meta])* [$($narrower:path)?]] $name:ident $prefix:tt
        [$({ [$($field_attribute:tt)*] $kind:ident $field:ident [$type:ty] [$default:expr]
            $($meaning:literal $facts:tt $sample:tt)? })*]
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "softdock_settings::serde", default, deny_unknown_fields)]
        pub struct $name {
            $($($field_attribute)* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        #[allow(non_upper_case_globals, reason = "a row has the name of its field")]
        impl $name {
            $($(
                #[doc = concat!("The row of `", stringify!($field), "`: ", $meaning, ".")]
                pub const $field: $crate::Parameter = $crate::Parameter {
                    key: $crate::table!(@key $prefix $field),
                    kind: <$type as $crate::Setting>::KIND,
                    unit: $crate::table!(@unit $facts),
                    meaning: $meaning,
                    range: $crate::table!(@range $facts),
                    sample: $crate::table!(@sample $sample),
                };
            )?)*
        }

        impl $crate::Table for $name {
            fn collect(out: &mut ::std::vec::Vec<&'static $crate::Parameter>) {
                $($crate::table!(@collect $kind $field $type, out);)*
                $($crate::narrow(out, $narrower);)?
            }

            fn check_ranges(&self) -> ::core::result::Result<(), $crate::ConfigError> {
                $($crate::table!(@check $kind $field self);)*
                Ok(())
            }
        }
    };

    (@default) => { Default::default() };
    (@default $default:expr) => { $default };

    (@key "" $field:ident) => { stringify!($field) };
    (@key $prefix:tt $field:ident) => { concat!($prefix, ".", stringify!($field)) };

    (@unit []) => { "-" };
    (@unit [$unit:tt $($range:tt)*]) => { $unit };

    (@range []) => { $crate::Range::in_words("") };
    (@range [$unit:tt]) => { $crate::Range::in_words("any") };
    (@range [$unit:tt; > 0 $(, $more:literal)?]) => {
        $crate::Range { comment: concat!("> 0" $(, ", ", $more)?), ..$crate::Range::POSITIVE }
    };
    (@range [$unit:tt; >= 0]) => { $crate::Range::NOT_NEGATIVE };
    (@range [$unit:tt; above $low:literal to $high:literal]) => {
        $crate::Range {
            low: $low as f64,
            high: $high as f64,
            above_low: true,
            comment: concat!("above ", $low, ", up to ", $high),
            allowed: concat!("above ", $low, " and at most ", $high, " ", $unit),
        }
    };
    (@range [$unit:tt; as $row:path]) => { $row.range };
    (@range [$unit:tt; $words:literal]) => { $crate::Range::in_words($words) };
    (@range [$unit:tt; $low:literal to $high:literal $(, $more:literal)?]) => {
        $crate::Range {
            low: $low as f64,
            high: $high as f64,
            above_low: false,
            comment: concat!($low, " to ", $high $(, ", ", $more)?),
            allowed: $crate::table!(@allowed $unit $low $high),
        }
    };

    (@allowed "-" $low:literal $high:literal) => { concat!("in [", $low, ", ", $high, "]") };
    (@allowed $unit:tt $low:literal $high:literal) => {
        concat!("in [", $low, ", ", $high, "] ", $unit)
    };

    (@sample []) => { None };
    (@sample [$sample:literal]) => { Some($sample) };

    (@collect row $field:ident $type:ty, $out:ident) => { $out.push(&Self::$field) };
    (@collect table $field:ident $type:ty, $out:ident) => {
        <$type as $crate::Table>::collect($out)
    };

    (@check row $field:ident $self:ident) => {
        if let Some(value) = $crate::Setting::first_outside(&$self.$field, &Self::$field.range) {
            Self::$field.check(value)?;
        }
    };
    (@check table $field:ident $self:ident) => {
        $crate::Table::check_ranges(&$self.$field)?
    };
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    // The macros name this crate as others do.
    extern crate self as softdock_settings;
    use crate::{Kind, Table};

    crate::words! {
        /// A word.
        pub enum Colour {
            /// Like fire.
            #[default]
            Red = "red",
            /// Like the sky.
            Blue = "sky-blue",
        }
    }

    crate::table! {
        /// A table inside.
        #[derive(Copy)]
        pub struct Inner in "outer.inner" {
            length_m: f64 = 0.5, "Length" ["m"; 0.001 to 100];
            count: usize = 3, "Number of them" ["-"; 1 to 10];
            speed_m_s: f64 = 1.0, "Speed" ["m/s"; > 0];
        }
    }

    crate::table! {
        /// All of it.
        pub struct Outer in "" {
            /// Which colour.
            colour: Colour = Colour::default(), "Colour";
            flag: bool = true, "Whether it is so";
            place_m: [f64; 2] = [0.0, 1.0], "Place, every coordinate" ["m"; -10 to 10, "in the box"];
            /// What is inside.
            table inner: Inner;
            #[serde(skip_serializing_if = "Option::is_none")]
            chord_m: Option<f64> = None, "Chord" ["m"; 0.1 to 1] sample "0.4";
        }
    }

    #[test]
    fn rows_become_fields_defaults_and_parameters() {
        let keys: Vec<&str> = Outer::parameters().iter().map(|row| row.key).collect();
        let wanted = [
            "colour",
            "flag",
            "place_m",
            "outer.inner.length_m",
            "outer.inner.count",
            "outer.inner.speed_m_s",
            "chord_m",
        ];
        assert_eq!(keys, wanted);
        assert_eq!(Outer::colour.kind, Kind::Word(&["red", "sky-blue"]));
        assert_eq!(Outer::colour.comment(), "Colour; red or sky-blue");
        assert_eq!(Outer::flag.comment(), "Whether it is so; true or false");
        let place = Outer::place_m.comment();
        assert_eq!(place, "Place, every coordinate [m]; -10 to 10, in the box");
        assert_eq!(Outer::chord_m.sample, Some("0.4"));
        assert_eq!(Inner::default().length_m, 0.5);
    }

    #[test]
    fn values_outside_are_refused_with_key_value_and_range() {
        let mut outer = Outer::default();
        assert_eq!(outer.check_ranges(), Ok(()));
        outer.inner.count = 11;
        let message = outer.check_ranges().unwrap_err().to_string();
        let wanted = "outer.inner.count = 11 is not allowed: it must be in [1, 10]";
        assert_eq!(message, wanted);
        outer = Outer::default();
        outer.place_m[1] = f64::NAN;
        let error = outer.check_ranges().unwrap_err();
        assert_eq!((error.key, error.allowed), ("place_m", "in [-10, 10] m"));
        outer = Outer::default();
        outer.inner.speed_m_s = 0.0;
        assert!(outer.check_ranges().is_err());
        outer = Outer::default();
        outer.chord_m = Some(2.0);
        assert_eq!(outer.check_ranges().unwrap_err().key, "chord_m");
    }
}
