//! What is known of one setting.

/// A value outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key} = {} is not allowed: it must be {allowed}", plain(*value))]
pub struct ConfigError {
    /// Key, with the names of its tables: `tendon.stiffness_n_per_m`.
    pub key: &'static str,
    /// The value found.
    pub value: f64,
    /// The allowed range in words.
    pub allowed: &'static str,
}

/// A number as people write it: 1e300 without its zeros.
pub fn plain(value: f64) -> String {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Refuses a value that is not `ok` or not finite.
pub fn check(
    ok: bool,
    key: &'static str,
    value: f64,
    allowed: &'static str,
) -> Result<(), ConfigError> {
    if ok && value.is_finite() {
        Ok(())
    } else {
        Err(ConfigError {
            key,
            value,
            allowed,
        })
    }
}

/// What a value may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A real number; an integer is taken as one.
    Number,
    /// A whole number, zero or more.
    Count,
    /// True or false.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// This many numbers in brackets.
    Numbers(usize),
    /// Any number of numbers in brackets.
    List,
    /// Any number of tables in brackets.
    Tables,
    /// A number, or a time history `{ kind = "...", ... }`.
    History,
}

/// The numbers that are allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Whether the lowest value itself is not allowed.
    pub above_low: bool,
    /// As a comment has it: `0.001 to 100`.
    pub comment: &'static str,
    /// As a complaint has it: `in [0.001, 100] m`.
    pub allowed: &'static str,
}

impl Range {
    /// Any positive number.
    pub const POSITIVE: Self = Self {
        low: 0.0,
        high: f64::MAX,
        above_low: true,
        comment: "> 0",
        allowed: "> 0 and finite",
    };
    /// Any number but a negative one.
    pub const NOT_NEGATIVE: Self = Self {
        low: 0.0,
        high: f64::MAX,
        above_low: false,
        comment: ">= 0",
        allowed: ">= 0 and finite",
    };

    /// Any finite number; what else is asked of it is said in words and checked elsewhere.
    pub const fn in_words(comment: &'static str) -> Self {
        Self {
            low: -f64::MAX,
            high: f64::MAX,
            above_low: false,
            comment,
            allowed: "a finite number",
        }
    }

    /// Whether a value is allowed. NaN is not.
    pub fn contains(&self, value: f64) -> bool {
        let above = if self.above_low {
            value > self.low
        } else {
            value >= self.low
        };
        above && value <= self.high
    }
}

/// One setting: everything that is said of it anywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Key, with the name of its table: `tendon.stiffness_n_per_m`.
    pub key: &'static str,
    /// What its value may look like.
    pub kind: Kind,
    /// Unit, `-` for none.
    pub unit: &'static str,
    /// What it is, without a full stop.
    pub meaning: &'static str,
    /// Allowed numbers; each of them, where there are several.
    pub range: Range,
    /// A sample value, shown where the key is left out by default.
    pub sample: Option<&'static str>,
}

impl Parameter {
    /// The same setting where less is allowed.
    pub const fn within(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// Lowest and highest allowed value.
    pub const fn limits(&self) -> [f64; 2] {
        [self.range.low, self.range.high]
    }

    /// Refuses a value outside the range.
    pub fn check(&self, value: f64) -> Result<(), ConfigError> {
        check(
            self.range.contains(value),
            self.key,
            value,
            self.range.allowed,
        )
    }

    /// Refuses the first of several values that is outside the range.
    pub fn check_all(&self, values: &[f64]) -> Result<(), ConfigError> {
        values.iter().try_for_each(|&value| self.check(value))
    }

    /// The comment above the key: `Stiffness [N/m]; > 0`.
    pub fn comment(&self) -> String {
        let unit = if self.unit == "-" {
            String::new()
        } else {
            format!(" [{}]", self.unit)
        };
        format!("{}{unit}; {}", self.meaning, self.allowed_values())
    }

    /// Allowed values in words.
    pub fn allowed_values(&self) -> String {
        match self.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::History => {
                "a number, or a history { kind = step | ramp | sine | chirp | table, ... }"
                    .to_owned()
            }
            Kind::Word(words) if self.range.comment.is_empty() => alternatives(words),
            _ => self.range.comment.to_owned(),
        }
    }
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_know_their_ends() {
        assert!(!Range::POSITIVE.contains(0.0) && Range::POSITIVE.contains(1e-300));
        assert!(Range::NOT_NEGATIVE.contains(0.0) && !Range::NOT_NEGATIVE.contains(-1e-300));
        for range in [Range::POSITIVE, Range::NOT_NEGATIVE, Range::in_words("")] {
            assert!(!range.contains(f64::NAN) && !range.contains(f64::INFINITY));
        }
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let written = [0.0, 0.5, 1e300, 1e-9].map(plain);
        assert_eq!(written, ["0", "0.5", "1e300", "1e-9"]);
        assert_eq!(alternatives(&["a", "b", "c"]), "a, b or c");
    }
}
