//! The views of a result: text, JSON, tables, a page.

use crate::column::Table;
use crate::figure;
use crate::text::{Text, warning};
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_report::{Block, Figure as Shown, Page};

/// A run that ended before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Early<'a> {
    /// Why.
    pub why: &'a str,
    /// When [s].
    pub time: f64,
}

/// A result and how it is shown. Serialised it is its JSON.
pub trait Views: Serialize + figure::Figures {
    /// Name of its JSON in the folder of results.
    const FILE: &'static str;

    /// The heading.
    fn title(&self) -> String;

    /// What was computed, in a sentence or two: the introduction of its page.
    fn lead(&self) -> String {
        String::new()
    }

    /// Lines of label, value and unit.
    fn rows(&self) -> Vec<Shown> {
        self.lines()
    }

    /// Figures on top of its page: the headlines, or everything if there are none.
    fn on_top(&self) -> Vec<Shown> {
        let headlines = self.headlines();
        if headlines.is_empty() {
            self.rows()
        } else {
            headlines
        }
    }

    /// A table on the terminal: names of its columns and rows of cells.
    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        None
    }

    /// Lines below the figures.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Tables that are written beside the JSON.
    fn tables(&self) -> Vec<Table> {
        Vec::new()
    }

    /// Charts and other parts of its page.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }

    /// The verdict: sound, suspect or failed.
    fn verdict(&self) -> Soundness {
        Soundness::Sound
    }

    /// Whether it is of a run that ended before its time.
    fn early(&self) -> Option<Early<'_>> {
        None
    }

    /// What a terminal shows: heading, figures, reasons to doubt, notes.
    fn text(&self) -> Text {
        let mut text = Text::new(self.title());
        text.rows(self.rows()).doubts(&self.verdict());
        if let Some((header, rows)) = self.listing() {
            text.table(&header, rows);
        }
        if let Some(early) = self.early() {
            text.note(format!("INCOMPLETE: {}", early.why));
        }
        for note in self.notes() {
            text.note(note);
        }
        text
    }

    /// The page: warnings, figures on top, blocks.
    fn page(&self) -> Page {
        let early = self.early();
        Page {
            title: self.title(),
            lead: self.lead(),
            warning: warning(
                early.map(|early| early.why),
                early.map_or(0.0, |early| early.time),
                &self.verdict(),
            ),
            figures: self.on_top(),
            blocks: self.blocks(),
            dense: false,
        }
    }
}
