//! The table of figures: what a figure is called, what it means, and how it is shown.
//!
//! A figure is stated once, as a row of `figures!` in [`crate::summary`]: the row is a field of the
//! summary, and a constant of the same name that says everything else. What shows figures (terminal,
//! pages, tables, `softdock figures`) goes by these constants.

use crate::outcome::Outcome;
use crate::summary::Summary;
use multibody::results::soundness::Reason;
use serde::Serialize;

/// The value of a figure; serialised as it stands in a summary.
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
    /// A number for each leg.
    PerLeg(Vec<f64>),
    /// Reasons to doubt the run.
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
    usize: |value| Self::Count(*value);
    f64: |value| Self::Number(Some(*value));
    Option<f64>: |value| Self::Number(*value);
    [f64; 2]: |value| Self::Ends(*value);
    Vec<f64>: |value| Self::PerLeg(value.clone());
    Outcome: |value| Self::Word(value.key());
}

/// Names of the columns that a figure has in a table with a row per run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// Its key.
    Key,
    /// Of the smallest and the largest.
    Ends([&'static str; 2]),
    /// Of each leg: what follows on `leg` and the leg's number.
    PerLeg(&'static str),
}

/// A unit as people read it: `-` is none, `deg` is °.
pub const fn shown_unit(unit: &'static str) -> &'static str {
    match unit.as_bytes() {
        b"-" => "",
        b"deg" => "°",
        b"deg/s" => "°/s",
        _ => unit,
    }
}

/// A figure of a docking.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Its key in summaries and tables, unit included; parts of a table inside follow on a dot.
    pub key: &'static str,
    /// Its unit; `-` for none.
    pub unit: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// What it is, in words.
    pub meaning: &'static str,
    /// The unit in which it is shown to people; empty for none.
    pub shown_unit: &'static str,
    /// One of the shown unit in its unit.
    size: f64,
    /// Significant digits that are shown.
    pub digits: usize,
    /// Whether it stands at the top of a page.
    pub headline: bool,
    columns: Columns,
    value: fn(&Summary) -> Value,
}

impl Figure {
    /// A figure shown in its own unit, with four digits.
    pub(crate) const fn new(
        key: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
        value: fn(&Summary) -> Value,
    ) -> Self {
        Self {
            key,
            unit,
            label,
            meaning,
            shown_unit: shown_unit(unit),
            size: 1.0,
            digits: 4,
            headline: false,
            columns: Columns::Key,
            value,
        }
    }

    /// Shown in another unit, which is `size` of its own.
    pub(crate) const fn shown_in(self, shown_unit: &'static str, size: f64) -> Self {
        Self {
            shown_unit,
            size,
            ..self
        }
    }

    /// Shown with so many significant digits.
    pub(crate) const fn digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    /// At the top of a page.
    pub(crate) const fn headline(self) -> Self {
        Self {
            headline: true,
            ..self
        }
    }

    /// With a column per leg, `leg1` and so on with this behind.
    pub(crate) const fn per_leg(self, end: &'static str) -> Self {
        Self {
            columns: Columns::PerLeg(end),
            ..self
        }
    }

    /// With columns for the smallest and the largest.
    pub(crate) const fn ends(self, low: &'static str, high: &'static str) -> Self {
        Self {
            columns: Columns::Ends([low, high]),
            ..self
        }
    }

    /// Its value in a summary.
    pub fn of(&self, summary: &Summary) -> Value {
        (self.value)(summary)
    }

    /// Its value if it is one number.
    pub fn number(&self, summary: &Summary) -> Option<f64> {
        match self.of(summary) {
            Value::Number(number) => number,
            Value::Count(count) => Some(count as f64),
            _ => None,
        }
    }

    /// A value in the unit in which it is shown.
    pub fn scaled(&self, value: f64) -> f64 {
        value / self.size
    }

    /// Names of its columns in a table with a row per run; `N` stands for the number of each leg.
    pub fn columns(&self) -> Vec<String> {
        match self.columns {
            Columns::Key => vec![self.key.to_owned()],
            Columns::Ends(names) => names.map(str::to_owned).to_vec(),
            Columns::PerLeg(end) => vec![format!("legN{end}")],
        }
    }

    /// Name of the column of an entry of its list or range, counted from 0.
    pub fn column(&self, entry: usize) -> String {
        let number = entry + 1;
        match (self.columns, entry) {
            (Columns::Ends([name, _]), 0) | (Columns::Ends([_, name]), _) => name.to_owned(),
            (Columns::PerLeg(end), _) => format!("leg{number}{end}"),
            (Columns::Key, _) => format!("{}.{number}", self.key),
        }
    }

    /// The table inside the summary that it is in.
    pub fn group(&self) -> Option<&'static str> {
        self.key.split_once('.').map(|(group, _)| group)
    }
}

/// A part of a summary whose figures are known.
pub trait Figures {
    /// Adds its figures and those of the parts inside it, in the order of the declaration.
    fn collect(out: &mut Vec<&'static Figure>);
}

/// Declares a part of a summary.
///
/// A row is `field: Type = "unit", "label", "Meaning" [, how it is shown];` with the methods of
/// [`Figure`] that say how. A row without anything behind its type is a part inside. Every other row
/// is also a constant of the structure with the name of its field.
macro_rules! figures {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident in $prefix:literal at |$summary:ident| $part:expr;
        $($(#[$field_attribute:meta])* $field:ident: $type:ty $(= $unit:literal, $label:literal,
            $meaning:literal $(, $method:ident($($argument:expr),*))*)?;)*
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize)]
        pub struct $name {
            $($(#[$field_attribute])* $(#[doc = concat!($meaning, " [", $unit, "].")])?
            pub $field: $type,)*
        }

        #[allow(non_upper_case_globals, reason = "a figure has the name of its field")]
        impl $name {
            $($(
                #[doc = concat!("The figure `", $prefix, stringify!($field), "`.")]
                pub const $field: $crate::figures::Figure = $crate::figures::Figure::new(
                    concat!($prefix, stringify!($field)), $unit, $label, $meaning,
                    |$summary: &$crate::summary::Summary| (&$part.$field).into(),
                )$(.$method($($argument),*))*;
            )?)*
        }

        impl $crate::figures::Figures for $name {
            fn collect(out: &mut Vec<&'static $crate::figures::Figure>) {
                $($crate::figures::figures!(@collect out, $field, $type $(, $unit)?);)*
            }
        }
    };
    (@collect $out:ident, $field:ident, $type:ty, $unit:literal) => { $out.push(&Self::$field) };
    (@collect $out:ident, $field:ident, $type:ty) => {
        <$type as $crate::figures::Figures>::collect($out)
    };
}
pub(crate) use figures;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Ends of keys and the units that they stand for, longer ones first.
    const ENDS: [(&str, &str); 11] = [
        ("_deg_s", "deg/s"),
        ("_n_s", "N·s"),
        ("_m_s", "m/s"),
        ("_deg", "deg"),
        ("_rad", "rad"),
        ("_nm", "N·m"),
        ("_n", "N"),
        ("_m", "m"),
        ("_s", "s"),
        ("_j", "J"),
        ("", "-"),
    ];

    #[test]
    fn a_key_ends_with_its_unit() {
        for figure in Summary::figures() {
            let known = ENDS.iter().find(|(end, _)| figure.key.ends_with(end));
            assert_eq!(
                known.map(|(_, unit)| *unit),
                Some(figure.unit),
                "{figure:?}"
            );
            let columns = figure.columns();
            let end = known.map_or("", |(end, _)| end);
            assert!(
                columns.iter().all(|name| name.ends_with(end)),
                "{columns:?}"
            );
        }
    }

    #[test]
    fn no_two_figures_share_a_key_a_label_or_a_column() {
        let all = Summary::figures();
        let different = |names: Vec<String>| {
            let count = names.len();
            assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), count);
        };
        different(all.iter().map(|figure| figure.key.to_owned()).collect());
        different(all.iter().map(|figure| figure.label.to_owned()).collect());
        different(all.iter().flat_map(|figure| figure.columns()).collect());
    }
}
