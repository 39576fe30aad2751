//! Short aligned summaries for people.

use crate::plot::Figure;
use std::fmt;

/// A heading and lines of label, value, unit.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    title: String,
    rows: Vec<Figure>,
    notes: Vec<String>,
}

impl Summary {
    /// An empty summary.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Adds a number.
    pub fn number(&mut self, label: &str, value: f64, unit: &str) -> &mut Self {
        self.text(label, significant(value, 6), unit)
    }

    /// Adds a value given as text.
    pub fn text(&mut self, label: &str, value: impl Into<String>, unit: &str) -> &mut Self {
        self.rows.push(Figure {
            label: label.to_owned(),
            value: value.into(),
            unit: unit.to_owned(),
        });
        self
    }

    /// Adds a line below the numbers.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push(text.into());
        self
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |text: fn(&Figure) -> &str| {
            self.rows
                .iter()
                .map(|row| text(row).chars().count())
                .max()
                .unwrap_or(0)
        };
        let (labels, values) = (width(|row| &row.label), width(|row| &row.value));
        writeln!(f, "{}", self.title)?;
        for Figure { label, value, unit } in &self.rows {
            writeln!(
                f,
                "{}",
                format!("  {label:<labels$}  {value:>values$} {unit}").trim_end()
            )?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "  {note}"))
    }
}

/// A number with `digits` significant digits, with an exponent if it is very large or small.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = value.abs().log10().floor() as i32;
    if !(-4..7).contains(&power) {
        return format!("{value:.*e}", digits.saturating_sub(4).max(1));
    }
    let decimals = digits as i32 - 1 - power;
    format!("{value:.*}", decimals.max(0) as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_asked_for() {
        assert_eq!(significant(0.407_922, 6), "0.407922");
        assert_eq!(significant(58.076_123, 6), "58.0761");
        assert_eq!(significant(1_234_567.8, 6), "1234568");
        assert_eq!(significant(-1.234_567e-9, 6), "-1.23e-9");
        assert_eq!(significant(0.0, 6), "0");
    }

    #[test]
    fn columns_line_up() {
        let mut summary = Summary::new("Leg");
        summary
            .number("chord", 0.5, "m")
            .number("tension along AB", 58.0, "N")
            .note("done");
        let text = summary.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "  chord             0.500000 m");
        assert_eq!(lines[2], "  tension along AB   58.0000 N");
        assert_eq!(lines[3], "  done");
    }
}
