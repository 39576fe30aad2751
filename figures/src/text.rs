//! A result as a few aligned lines for people.

use multibody::results::soundness::{Reason, Soundness};
use softdock_report::{Figure as Shown, significant};
use std::fmt;

/// What a reader must know first: that the run ended early, at `end` [s], and why its figures are
/// suspect.
pub fn warning(ended_because: Option<&str>, end: f64, soundness: &Soundness) -> Option<String> {
    let early = ended_because.map(|why| format!("Incomplete: ended at t = {end:.4} s ({why})."));
    let reasons: Vec<String> = soundness.reasons().iter().map(Reason::to_string).collect();
    let suspect = (!reasons.is_empty()).then(|| format!("Suspect: {}.", reasons.join("; ")));
    let parts: Vec<String> = early.into_iter().chain(suspect).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A heading, lines of label, value and unit, and notes below them.
#[derive(Debug, Clone, Default)]
pub struct Text {
    title: String,
    lead: Option<String>,
    rows: Vec<Shown>,
    tables: Vec<Vec<Vec<String>>>,
    notes: Vec<String>,
}

impl Text {
    /// A heading alone.
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
        self.rows.push(Shown::text(label, value, unit));
        self
    }

    /// Adds figures.
    pub fn rows(&mut self, rows: impl IntoIterator<Item = Shown>) -> &mut Self {
        self.rows.extend(rows);
        self
    }

    /// Adds a table: names of its columns and rows of cells, the first of each to the left, the
    /// others to the right; a row of one cell is a heading.
    pub fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) -> &mut Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        self.tables.push([vec![header], rows].concat());
        self
    }

    /// Adds the verdict and the reasons to doubt.
    pub fn soundness(&mut self, soundness: &Soundness) -> &mut Self {
        self.text("soundness", soundness.key(), "");
        self.doubts(soundness)
    }

    /// Adds the reasons to doubt, if there are any.
    pub fn doubts(&mut self, soundness: &Soundness) -> &mut Self {
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

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |text: fn(&Shown) -> &str| {
            let widths = self.rows.iter().map(|row| text(row).chars().count());
            widths.max().unwrap_or(0)
        };
        let (labels, values) = (width(|row| &row.label), width(|row| &row.value));
        writeln!(f, "{}", self.title)?;
        if let Some(lead) = &self.lead {
            writeln!(f, "  {lead}\n")?;
        }
        for row in &self.rows {
            let (label, value, unit) = (&row.label, &row.value, &row.unit);
            let line = format!("  {label:<labels$}  {value:>values$} {unit}");
            writeln!(f, "{}", line.trim_end())?;
        }
        for table in &self.tables {
            write_table(f, table)?;
        }
        let mut notes = self.notes.iter();
        notes.try_for_each(|note| writeln!(f, "{}", format!("  {note}").trim_end()))
    }
}

/// Writes a table with columns as wide as they must be.
fn write_table(f: &mut fmt::Formatter<'_>, table: &[Vec<String>]) -> fmt::Result {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        // A row of one cell is a heading, as long as it likes.
        let rows = table.iter().filter(|row| row.len() > 1);
        let cells = rows.filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in table {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &width))| match i {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        writeln!(f, "  {}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut text = Text::new("Leg");
        text.number("chord", 0.5, "m")
            .number("tension along AB", 58.0, "N")
            .note("done");
        let shown = text.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "  chord             0.500000 m");
        assert_eq!(lines[2], "  tension along AB   58.0000 N");
        assert_eq!(lines[3], "  done");
        text.lead("It holds.");
        let shown = text.to_string();
        assert!(shown.starts_with("Leg\n  It holds.\n\n  chord"), "{shown}");
    }
}
