//! What a figure is called, what it means, and how it is shown.
//!
//! A figure is stated once, as a row of [`figures!`](crate::figures): the row is a field of the
//! result, and a constant of the same name that says everything else. What shows figures goes by
//! these constants.

use crate::value::Value;
use multibody::results::soundness::Soundness;
use softdock_report::{Figure as Shown, significant};

/// Names of the columns that a figure has in a table with a row per run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnNames {
    /// Its key.
    Key,
    /// Of the smallest and the largest.
    Ends([&'static str; 2]),
    /// Of each leg: what follows on `leg` and the leg's number.
    PerLeg(&'static str),
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// With so many significant digits: on a page, on a terminal.
    Significant,
    /// With so many decimals.
    Decimals(usize),
    /// With an exponent and so many decimals.
    Exponent(usize),
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

/// Ends of keys and the units that they stand for, longer ones first.
const ENDS: [(&str, &str); 12] = [
    ("_deg_s", "deg/s"),
    ("_n_s", "N·s"),
    ("_m_s", "m/s"),
    ("_deg", "deg"),
    ("_rad", "rad"),
    ("_nm", "N·m"),
    ("_pa", "Pa"),
    ("_n", "N"),
    ("_m", "m"),
    ("_s", "s"),
    ("_j", "J"),
    ("", "-"),
];

/// Ends of keys that other people's units have; no figure ends like this.
const FOREIGN_ENDS: [&str; 17] = [
    "_mm_s", "_cm_s", "_rad_s", "_knm", "_kn", "_mn", "_lbf", "_mm", "_cm", "_um", "_km", "_ms",
    "_min", "_mj", "_kj", "_mpa", "_gpa",
];

/// A key without the end that stands for a unit, and that unit; `-` for a foreign one or none.
pub fn unit_of_key(key: &str) -> (&str, &'static str) {
    if let Some(stem) = FOREIGN_ENDS.iter().find_map(|end| key.strip_suffix(end)) {
        return (stem, "-");
    }
    let known = ENDS
        .iter()
        .find_map(|(end, unit)| Some((key.strip_suffix(end)?, *unit)));
    known.unwrap_or((key, "-"))
}

/// Significant digits on a page if a figure does not say otherwise.
const DIGITS: usize = 4;
/// The same on a terminal.
const TERMINAL_DIGITS: usize = 6;

/// A figure of the result `R`.
#[derive(Debug)]
pub struct Figure<R> {
    /// Its key in JSON and tables, unit included; parts of a table inside follow on a dot.
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
    /// Significant digits that are shown on a page.
    pub digits: usize,
    terminal_digits: usize,
    format: Format,
    /// Whether it stands at the top of a page.
    pub headline: bool,
    /// Heading of the chart over time on which it can be seen, in the shown unit.
    pub chart: Option<&'static str>,
    /// Whether it is the largest amount of a quantity that has a sign on that chart.
    pub two_sided: bool,
    words: Option<&'static [&'static str]>,
    text: bool,
    /// Whether it is left out where there is nothing to show.
    optional: bool,
    columns: ColumnNames,
    value: fn(&R) -> Value,
}

// Derived ones would want a result that can be cloned.
impl<R> Clone for Figure<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Figure<R> {}

impl<R> Figure<R> {
    /// A figure shown in its own unit, with the usual digits.
    pub const fn new(
        key: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
        value: fn(&R) -> Value,
    ) -> Self {
        Self {
            key,
            unit,
            label,
            meaning,
            shown_unit: shown_unit(unit),
            size: 1.0,
            digits: DIGITS,
            terminal_digits: TERMINAL_DIGITS,
            format: Format::Significant,
            headline: false,
            chart: None,
            two_sided: false,
            words: None,
            text: false,
            optional: false,
            columns: ColumnNames::Key,
            value,
        }
    }

    /// Shown in another unit, which is `size` of its own.
    pub const fn shown_in(mut self, shown_unit: &'static str, size: f64) -> Self {
        self.shown_unit = shown_unit;
        self.size = size;
        self
    }

    /// Shown with so many significant digits.
    pub const fn digits(mut self, digits: usize) -> Self {
        self.digits = digits;
        self.terminal_digits = digits;
        self
    }

    /// Shown with so many decimals.
    pub const fn decimals(mut self, decimals: usize) -> Self {
        self.format = Format::Decimals(decimals);
        self
    }

    /// Shown with an exponent and so many decimals.
    pub const fn exponent(mut self, decimals: usize) -> Self {
        self.format = Format::Exponent(decimals);
        self
    }

    /// At the top of a page.
    pub const fn headline(mut self) -> Self {
        self.headline = true;
        self
    }

    /// To be seen on the chart with this heading.
    pub const fn on(mut self, chart: &'static str) -> Self {
        self.chart = Some(chart);
        self
    }

    /// To be seen on the chart with this heading, where it counts in either sense.
    pub const fn either_sense_on(self, chart: &'static str) -> Self {
        let mut out = self.on(chart);
        out.two_sided = true;
        out
    }

    /// One of these words.
    pub const fn one_of(mut self, words: &'static [&'static str]) -> Self {
        self.words = Some(words);
        self
    }

    /// A list of words.
    pub const fn text(mut self) -> Self {
        self.text = true;
        self
    }

    /// The words that it may be, if it is a word.
    pub const fn words(&self) -> Option<&'static [&'static str]> {
        self.words
    }

    /// True if it is words rather than numbers.
    pub const fn is_text(&self) -> bool {
        self.text || self.words.is_some()
    }

    /// True if it has a number for each leg, or a smallest and a largest one.
    pub const fn is_list(&self) -> bool {
        !matches!(self.columns, ColumnNames::Key)
    }

    /// The end of its key that stands for its unit, such as `_n`.
    pub fn key_unit(&self) -> &'static str {
        let (stem, _) = unit_of_key(self.key);
        &self.key[stem.len()..]
    }

    /// Left out where there is nothing to show: no value, a count of zero.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// With a column per leg, `leg1` and so on with this behind.
    pub const fn per_leg(mut self, end: &'static str) -> Self {
        self.columns = ColumnNames::PerLeg(end);
        self
    }

    /// With columns for the smallest and the largest.
    pub const fn ends(mut self, low: &'static str, high: &'static str) -> Self {
        self.columns = ColumnNames::Ends([low, high]);
        self
    }

    /// Its value in a result.
    pub fn of(&self, result: &R) -> Value {
        (self.value)(result)
    }

    /// Its value if it is one number.
    pub fn number(&self, result: &R) -> Option<f64> {
        self.of(result).number()
    }

    /// A value in the unit in which it is shown.
    pub fn scaled(&self, value: f64) -> f64 {
        value / self.size
    }

    /// Names of its columns in a table with a row per run; `N` stands for the number of each leg.
    pub fn columns(&self) -> Vec<String> {
        match self.columns {
            ColumnNames::Key => vec![self.key.to_owned()],
            ColumnNames::Ends(names) => names.map(str::to_owned).to_vec(),
            ColumnNames::PerLeg(end) => vec![format!("legN{end}")],
        }
    }

    /// Name of the column of an entry of its list or range, counted from 0.
    pub fn column(&self, entry: usize) -> String {
        let number = entry + 1;
        match (self.columns, entry) {
            (ColumnNames::Ends([name, _]), 0) | (ColumnNames::Ends([_, name]), _) => {
                name.to_owned()
            }
            (ColumnNames::PerLeg(end), _) => format!("leg{number}{end}"),
            (ColumnNames::Key, _) => format!("{}.{number}", self.key),
        }
    }

    /// The table inside the result that it is in.
    pub fn group(&self) -> Option<&'static str> {
        self.key.split_once('.').map(|(group, _)| group)
    }

    /// A number in the unit in which it is shown, with this many digits if they are significant ones.
    fn written(&self, value: f64, digits: usize) -> String {
        let value = self.scaled(value);
        match self.format {
            Format::Significant => significant(value, digits),
            Format::Decimals(decimals) => format!("{value:.decimals$}"),
            Format::Exponent(decimals) => format!("{value:.decimals$e}"),
        }
    }

    /// The figure for a terminal with this many significant digits, without its unit; a dash if
    /// there is nothing to measure.
    fn plain(&self, result: &R, digits: usize) -> String {
        let number = |value: f64| self.written(value, digits);
        match self.of(result) {
            Value::Flag(true) => "yes".to_owned(),
            Value::Flag(false) => "no".to_owned(),
            Value::Word(word) => word.to_owned(),
            Value::Count(count) => count.to_string(),
            Value::Number(Some(value)) if value.is_finite() => number(value),
            Value::Number(_) | Value::Text(None) => "-".to_owned(),
            Value::Ends([low, high]) => format!("{} … {}", number(low), number(high)),
            Value::List(values) => self.listed(&values, digits),
            Value::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.listed(row, digits)).collect();
                rows.join("; ")
            }
            Value::Text(Some(text)) => text,
            Value::Reasons(reasons) => {
                let keys: Vec<&str> = reasons.iter().map(|reason| reason.doubt.key()).collect();
                keys.join(", ")
            }
        }
    }

    /// The figure for a terminal, without its unit, with as many digits as a page has.
    pub fn short(&self, result: &R) -> String {
        self.plain(result, self.digits)
    }

    /// Numbers in a row.
    fn listed(&self, values: &[f64], digits: usize) -> String {
        let parts = values.iter().map(|&value| self.written(value, digits));
        parts.collect::<Vec<String>>().join("  ")
    }

    /// The figure as lines on a terminal: one, one for each row of numbers, or none if it is left
    /// out. `{}` in a label stands for the number of the row, counted from 1.
    pub fn lines(&self, result: &R) -> Vec<Shown> {
        let value = self.of(result);
        if self.optional && value.is_nothing() {
            return Vec::new();
        }
        let digits = self.terminal_digits;
        match value {
            Value::Rows(rows) => {
                let line = |(i, row): (usize, &Vec<f64>)| {
                    let label = self.label.replace("{}", &(i + 1).to_string());
                    Shown::text(&label, self.listed(row, digits), self.shown_unit)
                };
                rows.iter().enumerate().map(line).collect()
            }
            _ => {
                let text = self.plain(result, digits);
                vec![Shown::text(self.label, text, self.shown_unit)]
            }
        }
    }

    /// The figure for a page.
    pub fn shown(&self, result: &R) -> Shown {
        let value = self.of(result);
        let list = |values: &[f64], between: &str| {
            let parts = values.iter().map(|&value| self.written(value, self.digits));
            let parts: Vec<String> = parts.map(|part| part.replace('-', "−")).collect();
            parts.join(between)
        };
        let (text, unit) = match &value {
            Value::Word(word) => (word.replace('_', " "), ""),
            Value::Number(number) if number.is_none_or(|value| !value.is_finite()) => {
                ("–".to_owned(), "")
            }
            Value::Ends(ends) => (list(ends, " … "), self.shown_unit),
            Value::List(values) => (list(values, ", "), self.shown_unit),
            Value::Reasons(reasons) if reasons.is_empty() => ("none".to_owned(), ""),
            Value::Reasons(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                (reasons.join("; "), "")
            }
            Value::Number(_) => (self.short(result), self.shown_unit),
            Value::Flag(_) | Value::Count(_) | Value::Text(_) => (self.short(result), ""),
            Value::Rows(_) => (self.short(result), self.shown_unit),
        };
        let label = match self.group() {
            Some(group) => format!("{group}: {}", self.label),
            None => self.label.to_owned(),
        };
        Shown::text(&label, text, unit).keyed(self.key, serde_json::json!(value))
    }
}

/// A part of the result `R` whose figures are known: the result itself, or a structure inside.
pub trait Part<R> {
    /// Adds its figures and those of the parts inside it, in the order of the declaration.
    fn collect(out: &mut Vec<&'static Figure<R>>);
}

/// A result whose figures are known; made by [`figures!`](crate::figures).
pub trait Figures: Part<Self> + Sized + 'static {
    /// All figures, in the order in which they are listed.
    fn figures() -> Vec<&'static Figure<Self>> {
        let mut out = Vec::new();
        Self::collect(&mut out);
        out
    }

    /// The figures at the top of a page.
    fn headlines(&self) -> Vec<Shown> {
        let first = Self::figures().into_iter().filter(|figure| figure.headline);
        first.map(|figure| figure.shown(self)).collect()
    }

    /// The figures as lines on a terminal.
    fn lines(&self) -> Vec<Shown> {
        let all = Self::figures().into_iter();
        all.flat_map(|figure| figure.lines(self)).collect()
    }
}

/// A result with a verdict: sound, suspect or failed.
pub trait Judged {
    /// The verdict.
    fn soundness(&self) -> &Soundness;
}

/// The verdict is one field and two entries of a result.
impl<R: Judged + 'static> Part<R> for Soundness {
    fn collect(out: &mut Vec<&'static Figure<R>>) {
        out.extend([
            const { &soundness_figure::<R>() },
            const { &soundness_reasons_figure::<R>() },
        ]);
    }
}

/// The figure `soundness`.
pub const fn soundness_figure<R: Judged>() -> Figure<R> {
    Figure::new(
        "soundness",
        "-",
        "soundness",
        "Whether the figures can be believed: sound, suspect or failed",
        |result: &R| Value::Word(result.soundness().key()),
    )
    .headline()
    .one_of(&["sound", "suspect", "failed"])
}

/// The figure `soundness_reasons`.
pub const fn soundness_reasons_figure<R: Judged>() -> Figure<R> {
    Figure::new(
        "soundness_reasons",
        "-",
        "reasons to doubt",
        "Why they cannot; in tables the names of the reasons",
        |result: &R| Value::Reasons(result.soundness().reasons().to_vec()),
    )
    .optional()
    .text()
}

/// Declares a result, or a part of one.
///
/// A row is `field: Type = "unit", "label", "Meaning" [, how it is shown];` with the methods of
/// [`Figure`] that say how. It is also a constant of the structure with the name of its field.
/// `field: Type as "Meaning";` is an entry for programs only. A row with nothing behind its type is a
/// part inside, such as `soundness: Soundness`.
///
/// `pub struct Whole;` is a result, `pub struct Inside in "inside." of Whole at |whole| whole.inside;`
/// a part of it whose keys begin with `inside.`.
#[macro_export]
macro_rules! figures {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident;
        $($rows:tt)*
    ) => {
        $crate::figures! {
            $(#[$attribute])*
            $visible struct $name in "" of $name at |whole| whole;
            $($rows)*
        }

        impl $crate::figure::Figures for $name {}
    };
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident in $prefix:literal of $whole:ident
            at |$result:ident| $part:expr;
        $($(#[$field_attribute:meta])* $field:ident: $type:ty $(as $plain:literal)?
            $(= $unit:literal, $label:literal, $meaning:literal
            $(, $method:ident($($argument:expr),*))*)?;)*
    ) => {
        #[derive(Debug, ::serde::Serialize)]
        $(#[$attribute])*
        $visible struct $name {
            $(
                $(#[$field_attribute])*
                $(#[doc = $plain])?
                $(#[doc = concat!($meaning, " [", $unit, "].")])?
                pub $field: $type,
            )*
        }

        #[allow(
            non_upper_case_globals,
            dead_code,
            reason = "a figure has the name of its field; not each is asked for by name"
        )]
        impl $name {
            $($(
                #[doc = concat!("The figure `", $prefix, stringify!($field), "`.")]
                pub const $field: $crate::figure::Figure<$whole> = $crate::figure::Figure::new(
                    concat!($prefix, stringify!($field)), $unit, $label, $meaning,
                    |$result: &$whole| (&$part.$field).into(),
                )$(.$method($($argument),*))*;
            )?)*
        }

        impl $crate::figure::Part<$whole> for $name {
            fn collect(out: &mut Vec<&'static $crate::figure::Figure<$whole>>) {
                let _ = &out;
                $($crate::figures!(@collect out, $whole, $field, $type, [$($plain)?] [$($unit)?]);)*
            }
        }
    };
    (@collect $out:ident, $whole:ident, $field:ident, $type:ty, [] [$unit:literal]) => {
        $out.push(&Self::$field)
    };
    (@collect $out:ident, $whole:ident, $field:ident, $type:ty, [$plain:literal] []) => {};
    (@collect $out:ident, $whole:ident, $field:ident, $type:ty, [] []) => {
        <$type as $crate::figure::Part<$whole>>::collect($out)
    };
}
