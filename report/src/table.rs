//! Tables and listings: plain HTML, readable without scripts.

use crate::figure::{Datum, Figure};
use crate::text::{escape, safe_address, short, significant, typeset};
use std::fmt::Write;

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Heading.
    pub title: String,
    /// A sentence saying what is shown.
    pub sentence: String,
    /// Heading of each column, with its unit.
    pub columns: Vec<String>,
    /// Rows of cells; the first cell names the row.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// What it shows.
    text: String,
    /// Its unit, where the heading has none.
    unit: String,
    /// Numbers stand to the right.
    number: bool,
    /// Where it leads.
    link: Option<String>,
    /// The same for programs.
    datum: Option<Datum>,
    /// Drawn as a bar: a share of something, one being all of it.
    share: Option<u16>,
}

impl Cell {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            unit: String::new(),
            number: false,
            link: None,
            datum: None,
            share: None,
        }
    }

    /// How much of a limit is used, as a bar: one at the limit.
    pub fn used(share: f64) -> Self {
        let percent = if share.is_finite() {
            (100.0 * share).round().clamp(0.0, 999.0)
        } else {
            999.0
        };
        Self {
            share: Some(percent as u16),
            ..Self::text(String::new())
        }
    }

    /// A number with `digits` significant digits; a dash if it is not finite.
    pub fn number(value: f64, digits: usize) -> Self {
        let text = if value.is_finite() {
            significant(value, digits)
        } else {
            "–".to_owned()
        };
        Self {
            number: true,
            ..Self::text(text)
        }
    }

    /// A number with the digits it has, such as a setting.
    pub fn setting(value: f64) -> Self {
        Self {
            number: true,
            ..Self::text(short(value).to_string())
        }
    }

    /// Text that leads to another file, such as the report of a run. An address that is neither a
    /// relative path nor a web address stays plain text.
    pub fn link(text: impl Into<String>, address: &str) -> Self {
        Self {
            link: safe_address(address).map(str::to_owned),
            ..Self::text(text)
        }
    }

    /// Value and unit of a figure.
    pub fn figure(figure: &Figure) -> Self {
        Self {
            unit: figure.unit.clone(),
            number: true,
            datum: figure.datum.clone(),
            ..Self::text(figure.value.clone())
        }
    }

    fn html(&self) -> String {
        if let Some(percent) = self.share {
            let look = match percent {
                0..80 => "",
                80..=100 => " near",
                _ => " over",
            };
            let width = percent.min(100);
            return format!(
                "<span class=\"used{look}\" role=\"img\" aria-label=\"{percent} % of the limit\" \
                 title=\"{percent} % of the limit\"><span style=\"width:{width}%\"></span></span>"
            );
        }
        let mut html = typeset(&self.text);
        if let Some(link) = &self.link {
            html = format!("<a href=\"{}\">{html}</a>", escape(link));
        }
        if !self.unit.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(html, " <small>{}</small>", escape(&self.unit));
        }
        html
    }
}

/// Columns from which a phone shows a card for each row.
const FEW: usize = 4;

/// Columns beyond which a table is set tightly.
const MANY: usize = 10;

/// Letters of a name or value that is not broken.
const SHORT: usize = 18;

impl Table {
    /// The table as HTML.
    pub(crate) fn html(&self) -> String {
        let column_is_number = |k: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(k)).peekable();
            cells.peek().is_some() && cells.all(|cell| cell.number)
        };
        let class = |number: bool| if number { " class=\"number\"" } else { "" };
        let look = match self.columns.len() {
            0..FEW => "",
            FEW..=MANY => " class=\"cards\"",
            _ => " class=\"many\"",
        };
        let cards = (FEW..=MANY).contains(&self.columns.len());
        // What is made into cards by its style stays a table to those who hear it.
        let role = |role: &str| match cards {
            true => format!(" role=\"{role}\""),
            false => String::new(),
        };
        // What is wider than the page is moved by keys, too.
        let mut html = format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\
             <table{look}{}><thead{}><tr{}>",
            escape(&self.title),
            role("table"),
            role("rowgroup"),
            role("row"),
        );
        for (k, column) in self.columns.iter().enumerate() {
            let class = class(column_is_number(k));
            let role = role("columnheader");
            let column = escape(column);
            let _ = write!(html, "<th scope=\"col\"{role}{class}>{column}</th>");
        }
        let _ = writeln!(html, "</tr></thead><tbody{}>", role("rowgroup"));
        for row in &self.rows {
            let _ = write!(html, "<tr{}>", role("row"));
            for (k, cell) in row.iter().enumerate() {
                let datum = cell
                    .datum
                    .as_ref()
                    .map_or_else(String::new, Datum::attributes);
                // Names such as `run 7` and values with their units stay on one line.
                let short = !cell.number && cell.text.chars().count() <= SHORT;
                let class = if short {
                    " class=\"short\""
                } else {
                    class(cell.number)
                };
                let (tag, scope) = match (k, self.columns.get(k)) {
                    (0, _) => ("th", format!(" scope=\"row\"{}", role("rowheader"))),
                    (_, Some(name)) if cards => (
                        "td",
                        format!("{} data-name=\"{}\"", role("cell"), escape(name)),
                    ),
                    _ => ("td", String::new()),
                };
                let _ = write!(html, "<{tag}{scope}{class}{datum}>{}</{tag}>", cell.html());
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}

/// A long text that opens on request, such as the resolved configuration.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Heading.
    pub title: String,
    /// A sentence saying what it is.
    pub sentence: String,
    /// The text.
    pub text: String,
}

impl Listing {
    /// The listing as HTML.
    pub(crate) fn html(&self) -> String {
        let lines = match self.text.lines().count() {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        format!(
            "<details><summary>{lines}</summary><pre role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}</pre></details>\n",
            escape(&self.title),
            escape(&self.text)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_linked() {
        let table = Table {
            columns: vec!["run".to_owned(), "force <N>".to_owned()],
            rows: vec![vec![
                Cell::link("17 & 18", "runs/17/report.html?a=\"b\""),
                Cell::number(-45.5, 3),
            ]],
            ..Table::default()
        };
        let html = table.html();
        assert!(html.contains("<a href=\"runs/17/report.html?a=&quot;b&quot;\">17 &amp; 18</a>"));
        assert!(html.contains("<th scope=\"col\" class=\"number\">force &lt;N&gt;</th>"));
        assert!(html.contains("<td class=\"number\">−45.5</td>"));
    }

    #[test]
    fn a_script_is_no_address() {
        let cell = Cell::link("click", "javascript:alert(1)");
        assert_eq!(cell.html(), "click");
        assert_eq!(Cell::number(f64::NAN, 3).html(), "–");
    }

    #[test]
    fn a_listing_shows_its_text_as_it_is() {
        let listing = Listing {
            text: "[a]\nb = \"<x>\"\n".to_owned(),
            ..Listing::default()
        };
        assert!(listing.html().contains("2 lines"));
        assert!(listing.html().contains("b = &quot;&lt;x&gt;&quot;"));
    }
}
