//! Requirements: limits on figures that a user sets, and what a run says about them.
//!
//! A requirement names a figure of the table ([`Summary::figures`]) or one of its columns, and a
//! least and a largest value in the figure's own unit, or a word. With value v its margin is
//!
//! ```text
//! m = min(v − min, max − v),     met if m ≥ 0                                   (1)
//! ```
//!
//! in the unit of the figure. Of a list or a range every entry must meet it; the one with the
//! smallest margin is the value. A figure without a value (a settling time of what still moves, a
//! force of what never touched) meets no requirement: nothing shows that it does.

use crate::figures::{Figure, Value, unit_of_key};
use crate::summary::Summary;
use serde::{Deserialize, Serialize};
use softdock_figures::Part;
use softdock_settings::TableEntry;

/// A limit on a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// What it is called.
    pub name: String,
    /// Key of the figure, or name of one of its columns.
    pub figure: String,
    /// Smallest value that is allowed, in the unit of the figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value that is allowed, in the unit of the figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Word that a figure must be which is a word, such as an outcome.
    #[serde(default, rename = "is", skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl TableEntry for Requirement {}

/// Why a requirement cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("requirement \"{name}\": {problem}")]
pub struct RequirementError {
    /// Name of the requirement.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Which way a limit bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The value must not be less.
    Min,
    /// The value must not be more.
    Max,
    /// The value must be this word.
    Is,
}

/// A limit or a value: a number, a word, or nothing to measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Quantity {
    /// A number in the unit of the figure.
    Number(f64),
    /// A word.
    Word(String),
    /// There is none.
    None,
}

impl Quantity {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// What a run says about one limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Name of the requirement or margin.
    pub name: String,
    /// Key of the figure.
    pub figure: String,
    /// Unit of value, limit and margin.
    pub unit: &'static str,
    /// The value, in the unit of the figure.
    pub value: Quantity,
    /// The limit that is nearest.
    pub limit: Quantity,
    /// Which way it bounds.
    pub bound: Bound,
    /// What is left until the limit, negative beyond it; none where there is nothing to measure.
    pub margin: Option<f64>,
    /// Whether the limit is kept.
    pub met: bool,
    /// Where the limit comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Verdict {
    /// The share of what there is that is left until the limit [-]: of an upper limit the margin over
    /// the limit, of a lower one the margin over the value, at most one. None where that is zero.
    pub fn relative(&self) -> Option<f64> {
        let (limit, margin) = (self.limit.number()?, self.margin?);
        let whole = match (self.bound, self.value.number()) {
            (Bound::Min, Some(value)) => value.abs().max(limit.abs()),
            _ => limit.abs(),
        };
        (whole != 0.0).then(|| margin / whole)
    }
}

/// What a run says about several limits; no figures of their own.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Verdicts(pub Vec<Verdict>);

impl Part<Summary> for Verdicts {
    fn collect(_: &mut Vec<&'static Figure>) {}
}

impl Verdicts {
    /// Those that are not met.
    pub fn violated(&self) -> impl Iterator<Item = &Verdict> {
        self.0.iter().filter(|verdict| !verdict.met)
    }

    /// True if all of them are met.
    pub fn all_met(&self) -> bool {
        self.violated().next().is_none()
    }

    /// The one with the least margin for its limit.
    pub fn tightest(&self) -> Option<&Verdict> {
        let share = |verdict: &Verdict| verdict.relative().unwrap_or(f64::NEG_INFINITY);
        let all = self.0.iter().filter(|verdict| verdict.margin.is_some());
        all.reduce(|a, b| if share(b) < share(a) { b } else { a })
    }
}

/// Where a figure's name leads: the figure, and an entry of it if a column is named.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The figure.
    pub figure: &'static Figure,
    /// Which entry of a list or range, counted from 0; none for all of them.
    pub entry: Option<usize>,
}

/// Most legs whose columns are looked for.
const MOST_LEGS: usize = 64;

/// The figure of this key, or with a column of this name.
pub fn find(name: &str) -> Option<Found> {
    let all = Summary::figures();
    if let Some(figure) = all.iter().copied().find(|figure| figure.key == name) {
        return Some(Found {
            figure,
            entry: None,
        });
    }
    let lists = all.into_iter().filter(|figure| figure.is_list());
    let mut columns = lists.flat_map(|figure| (0..MOST_LEGS).map(move |entry| (figure, entry)));
    let found = columns.find(|(figure, entry)| figure.column(*entry) == name);
    found.map(|(figure, entry)| Found {
        figure,
        entry: Some(entry),
    })
}

impl Found {
    /// The numbers of a summary that it stands for.
    fn numbers(&self, summary: &Summary) -> Vec<Option<f64>> {
        let entries = |values: &[f64]| match self.entry {
            Some(entry) => vec![values.get(entry).copied()],
            None => values.iter().copied().map(Some).collect(),
        };
        let known = match self.figure.of(summary) {
            Value::Number(number) => vec![number],
            Value::Count(count) => vec![Some(count as f64)],
            Value::Flag(flag) => vec![Some(f64::from(u8::from(flag)))],
            Value::Ends(ends) => entries(&ends),
            Value::List(values) => entries(&values),
            Value::Rows(rows) => entries(&rows.concat()),
            Value::Word(_) | Value::Text(_) | Value::Reasons(_) => Vec::new(),
        };
        let finite = |value: Option<f64>| value.filter(|value| !value.is_nan());
        known.into_iter().map(finite).collect()
    }
}

impl Requirement {
    /// Refuses what cannot be judged.
    pub fn validate(&self) -> Result<(), RequirementError> {
        let refuse = |problem: String| {
            Err(RequirementError {
                name: self.name.clone(),
                problem,
            })
        };
        if self.name.trim().is_empty() {
            return refuse("`name` is empty".to_owned());
        }
        let Some(found) = find(&self.figure) else {
            return refuse(unknown(&self.figure));
        };
        for (key, value) in [("min", self.min), ("max", self.max)] {
            if let Some(value) = value.filter(|value| !value.is_finite()) {
                return refuse(format!("`{key}` = {value} is not a finite number"));
            }
        }
        let numbers = self.min.is_some() || self.max.is_some();
        let key = found.figure.key;
        match (found.figure.words(), &self.word) {
            (Some(_), _) if numbers => {
                refuse(format!("`{key}` is a word; write `is` instead of a number"))
            }
            (Some(words), Some(word)) if !words.contains(&word.as_str()) => {
                let words = words.join(", ");
                refuse(format!("`{key}` is never `{word}`; it is one of {words}"))
            }
            (Some(words), None) => {
                let words = words.join(", ");
                refuse(format!("it needs `is`, one of {words}"))
            }
            (Some(_), Some(_)) => Ok(()),
            (None, _) if found.figure.is_text() => {
                refuse(format!("`{key}` is a list of words and has no limit"))
            }
            (None, Some(_)) => refuse(format!("`{key}` is a number; write `min` or `max`")),
            (None, None) if !numbers => {
                let unit = found.figure.unit;
                refuse(format!("it has no limit; give `min` or `max` in {unit}"))
            }
            (None, None) => match (self.min, self.max) {
                (Some(min), Some(max)) if min > max => {
                    refuse(format!("`min` = {min} is above `max` = {max}"))
                }
                _ => Ok(()),
            },
        }
    }

    /// What a run says about it, eq. (1). A requirement that [`Self::validate`] refuses is not met.
    pub fn judge(&self, summary: &Summary) -> Verdict {
        let found = find(&self.figure);
        let unit = found.map_or("-", |found| found.figure.unit);
        let base = Verdict {
            name: self.name.clone(),
            figure: self.figure.clone(),
            unit,
            value: Quantity::None,
            limit: Quantity::None,
            bound: Bound::Is,
            margin: None,
            met: false,
            source: self.source.clone(),
        };
        let Some(found) = found else { return base };
        if let (Some(word), Value::Word(value)) = (&self.word, found.figure.of(summary)) {
            return Verdict {
                value: Quantity::Word(value.to_owned()),
                limit: Quantity::Word(word.clone()),
                met: value == word,
                ..base
            };
        }
        let limits = [(self.min, Bound::Min), (self.max, Bound::Max)];
        let limits = limits.into_iter();
        let limits: Vec<_> = limits
            .filter_map(|(limit, bound)| Some((limit?, bound)))
            .collect();
        let mut worst: Option<Verdict> = None;
        for value in found.numbers(summary) {
            for &(limit, bound) in &limits {
                let margin = value.map(|value| match bound {
                    Bound::Min => value - limit,
                    _ => limit - value,
                });
                let one = Verdict {
                    value: value.map_or(Quantity::None, Quantity::Number),
                    limit: Quantity::Number(limit),
                    bound,
                    margin,
                    met: margin.is_some_and(|margin| margin >= 0.0),
                    ..base.clone()
                };
                // A missing value is worse than any margin.
                let nearer = |old: &Verdict| match (old.margin, margin) {
                    (None, _) => false,
                    (Some(_), None) => true,
                    (Some(old), Some(new)) => new < old,
                };
                if worst.as_ref().is_none_or(nearer) {
                    worst = Some(one);
                }
            }
        }
        worst.unwrap_or(base)
    }
}

/// Refuses what cannot be judged, and two of the same name.
pub fn validate(requirements: &[Requirement]) -> Result<(), RequirementError> {
    for (i, requirement) in requirements.iter().enumerate() {
        requirement.validate()?;
        let name = &requirement.name;
        if requirements[..i].iter().any(|other| other.name == *name) {
            return Err(RequirementError {
                name: name.clone(),
                problem: "there are two of this name".to_owned(),
            });
        }
    }
    Ok(())
}

/// What a run says about all of them.
pub fn judge(requirements: &[Requirement], summary: &Summary) -> Vec<Verdict> {
    let all = requirements.iter();
    all.map(|requirement| requirement.judge(summary)).collect()
}

/// A column that a requirement adds to a table with a row per run.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name: that of the requirement in `snake_case` between `requirement.` and `.met`, or
    /// `.margin_` and the unit.
    pub name: String,
    /// What a run has in it.
    pub value: Cell,
}

/// What a run has in a column of a requirement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// Whether it is met.
    Met(bool),
    /// Its margin; none where there is nothing to measure.
    Margin(Option<f64>),
}

/// The columns of requirements: for each whether it is met, and its margin if the figure is a
/// number. The number and names of the columns do not depend on the run.
pub fn columns(requirements: &[Requirement], summary: &Summary) -> Vec<Column> {
    let mut out = Vec::new();
    for requirement in requirements {
        let verdict = requirement.judge(summary);
        let stem = format!("requirement.{}", column_name(&requirement.name));
        out.push(Column {
            name: format!("{stem}.met"),
            value: Cell::Met(verdict.met),
        });
        if requirement.word.is_none() {
            let unit = find(&requirement.figure).map_or("", |found| found.figure.key_unit());
            out.push(Column {
                name: format!("{stem}.margin{unit}"),
                value: Cell::Margin(verdict.margin),
            });
        }
    }
    out
}

/// A name as part of a column's: lower case, one `_` for everything that is no letter or digit.
pub fn column_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// Similarity above which a figure is suggested.
const SIMILAR: f64 = 0.6;

/// What to say about a figure that does not exist.
fn unknown(name: &str) -> String {
    let figures = Summary::figures();
    let (stem, _) = unit_of_key(name);
    let judged = |figure: &&&Figure| !figure.is_text();
    // The right name with another unit, or none.
    let twin = figures
        .iter()
        .filter(judged)
        .find(|figure| unit_of_key(figure.key).0 == stem);
    if let Some(twin) = twin {
        let (key, unit) = (twin.key, twin.unit);
        return format!("there is no figure `{name}`; `{key}` is in {unit}");
    }
    let columns = figures
        .iter()
        .filter(judged)
        .flat_map(|figure| match figure.is_list() {
            false => vec![figure.key.to_owned()],
            true => vec![figure.key.to_owned(), figure.column(0), figure.column(1)],
        });
    let like = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    let best = columns
        .map(|known| (like(&known), known))
        .reduce(|a, b| if b.0 > a.0 { b } else { a });
    let hint = match best {
        Some((similarity, known)) if similarity >= SIMILAR => {
            format!("; did you mean `{known}`?")
        }
        _ => "; `softdock figures` lists them".to_owned(),
    };
    format!("there is no figure `{name}`{hint}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
