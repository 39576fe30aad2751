//! Headline figures.

use crate::text::{escape, significant, typeset};
use serde_json::Value;
use std::fmt::Write;

/// A headline figure: what it is, its value and its unit, as people read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// Its value as text.
    pub value: String,
    /// Its unit; empty for none.
    pub unit: String,
    /// What is said below it in small letters, such as its interval.
    pub note: Option<String>,
    /// The same for programs.
    pub datum: Option<Datum>,
}

/// A figure for programs: it stands on the page as `data-key` and `data-value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datum {
    /// Key of the machine-readable summary, unit included, such as `peak_contact_force_n`.
    pub key: String,
    /// The value with all its digits.
    pub value: Value,
}

impl Figure {
    /// A figure with `digits` significant digits.
    pub fn number(label: &str, value: f64, digits: usize, unit: &str) -> Self {
        Self::text(label, significant(value, digits), unit)
    }

    /// A figure given as text.
    pub fn text(label: &str, value: impl Into<String>, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            value: value.into(),
            unit: unit.to_owned(),
            note: None,
            datum: None,
        }
    }

    /// The same figure with something said below it.
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into()).filter(|note| !note.is_empty());
        self
    }

    /// The same figure with a key and the full value for programs.
    pub fn keyed(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.datum = Some(Datum {
            key: key.to_owned(),
            value: value.into(),
        });
        self
    }

    /// Value and unit as HTML.
    pub(crate) fn value_html(&self) -> String {
        let unit = match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" <small>{}</small>", escape(unit)),
        };
        format!("{}{unit}", typeset(&self.value))
    }
}

impl Datum {
    /// The attributes of the element that shows it.
    pub(crate) fn attributes(&self) -> String {
        format!(
            " data-key=\"{}\" data-value=\"{}\"",
            escape(&self.key),
            escape(&self.value.to_string())
        )
    }
}

/// The strip of figures as HTML; nothing for none.
pub(crate) fn strip(figures: &[Figure]) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let mut html = String::from("<dl class=\"figures\">");
    for figure in figures {
        let datum = figure
            .datum
            .as_ref()
            .map_or_else(String::new, Datum::attributes);
        let note = figure.note.as_ref().map_or_else(String::new, |note| {
            format!("<dd class=\"note\">{}</dd>", escape(note))
        });
        // Writing to a String cannot fail.
        let _ = write!(
            html,
            "<div{datum}><dt>{}</dt><dd>{}</dd>{note}</div>",
            escape(&figure.label),
            figure.value_html()
        );
    }
    html.push_str("</dl>\n");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_find_every_digit() {
        let figure = Figure::number("peak <F>", 45.512_345_678, 3, "N")
            .keyed("peak_contact_force_n", 45.512_345_678);
        let html = strip(&[figure]);
        assert!(html.contains("data-key=\"peak_contact_force_n\" data-value=\"45.512345678\""));
        assert!(html.contains("<dt>peak &lt;F&gt;</dt><dd>45.5 <small>N</small></dd>"));
    }

    #[test]
    fn an_interval_stands_below_its_figure() {
        let figure = |note: &str| strip(&[Figure::number("peak", 45.5, 3, "N").noted(note)]);
        assert!(figure("40 < 50").contains("</dd><dd class=\"note\">40 &lt; 50</dd></div>"));
        assert!(!figure("").contains("note"));
    }

    #[test]
    fn what_is_not_a_number_is_null_for_programs() {
        let html = strip(&[Figure::text("settling", "not settled", "").keyed("s", f64::NAN)]);
        assert!(html.contains("data-value=\"null\""));
        assert_eq!(strip(&[]), "");
    }
}
