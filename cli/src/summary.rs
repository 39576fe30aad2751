//! Short aligned summaries for people.

use multibody::results::soundness::{Reason, Soundness};
use softdock_report::Figure;
use std::fmt;

pub use softdock_report::significant;

/// Numbers with this many decimals, separated by commas; what rounds to zero has no sign.
pub fn fixed(values: &[f64], decimals: usize) -> String {
    let half = 0.5 * 0.1_f64.powi(decimals as i32);
    let one = |&value: &f64| {
        let value = if value.abs() < half { 0.0 } else { value };
        format!("{value:.decimals$}")
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Whether the figures of a page can be believed, as a figure of it.
pub fn soundness_figure(soundness: &Soundness) -> Figure {
    Figure::text("soundness", soundness.key(), "").keyed("soundness", soundness.key())
}

/// What a reader of a page must know first: that the run ended early, at `end` [s], and that its
/// figures are not to be believed.
pub fn warning(ended_because: Option<&str>, end: f64, soundness: &Soundness) -> Option<String> {
    let early = ended_because.map(|why| format!("Incomplete: ended at t = {end:.4} s ({why})."));
    let reasons: Vec<String> = soundness.reasons().iter().map(Reason::to_string).collect();
    let suspect = (!reasons.is_empty()).then(|| format!("Suspect: {}.", reasons.join("; ")));
    let parts: Vec<String> = early.into_iter().chain(suspect).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A heading and lines of label, value, unit.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    title: String,
    lead: Option<String>,
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

    /// Says what matters most, right below the heading.
    pub fn lead(&mut self, text: impl Into<String>) -> &mut Self {
        self.lead = Some(text.into());
        self
    }

    /// Adds a number.
    pub fn number(&mut self, label: &str, value: f64, unit: &str) -> &mut Self {
        self.text(label, significant(value, 6), unit)
    }

    /// Adds a value given as text.
    pub fn text(&mut self, label: &str, value: impl Into<String>, unit: &str) -> &mut Self {
        self.rows.push(Figure::text(label, value, unit));
        self
    }

    /// Says whether the figures can be believed, and why not.
    pub fn soundness(&mut self, soundness: &Soundness) -> &mut Self {
        self.text("soundness", soundness.key(), "");
        for reason in soundness.reasons() {
            self.note(format!("SUSPECT: {reason}"));
        }
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
        if let Some(lead) = &self.lead {
            writeln!(f, "  {lead}\n")?;
        }
        for row in &self.rows {
            let Figure {
                label, value, unit, ..
            } = row;
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(fixed(&[-1e-9, -0.00006, 2.0], 4), "0.0000, -0.0001, 2.0000");
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
        summary.lead("It holds.");
        let text = summary.to_string();
        assert!(text.starts_with("Leg\n  It holds.\n\n  chord"), "{text}");
    }
}
