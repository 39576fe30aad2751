//! The report of many runs.

use crate::block::{Block, Heading};
use crate::chart::Chart;
use crate::docking::listing;
use crate::figure::Figure;
use crate::page::Page;
use crate::statistics::{Bars, Histogram, Parallel, Scatter};
use crate::table::Table;

/// A part of a page that answers one question.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The question.
    pub title: String,
    /// How to read what is shown.
    pub sentence: String,
    /// What is shown.
    pub blocks: Vec<Block>,
}

/// A report of many runs. The caller computes the statistics; what is empty is not shown.
#[derive(Debug, Clone, Default)]
pub struct BatchReport {
    /// Heading.
    pub title: String,
    /// What was computed, in a sentence or two.
    pub lead: String,
    /// Something the reader must know first, such as runs that are missing.
    pub warning: Option<String>,
    /// Headline figures, such as the probability of capture with its interval.
    pub figures: Vec<Figure>,
    /// Questions that the study answers, each with a heading of its own; they stand first.
    pub answers: Vec<Answer>,
    /// What drives the results.
    pub sensitivities: Vec<Bars>,
    /// How results are distributed.
    pub distributions: Vec<Histogram>,
    /// Curves over a figure, such as how often it is exceeded.
    pub curves: Vec<Chart>,
    /// Results against inputs.
    pub relations: Vec<Scatter>,
    /// All inputs and results of all runs.
    pub parallel: Option<Parallel>,
    /// Worst runs, failures and the like.
    pub tables: Vec<Table>,
    /// The study as TOML.
    pub config_text: String,
}

impl BatchReport {
    /// The whole file.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        self.page().html()
    }

    /// The page, to which blocks can be added.
    pub fn page(&self) -> Page {
        fn all<T: Clone + Into<Block>>(parts: &[T]) -> Vec<Block> {
            parts.iter().cloned().map(Into::into).collect()
        }
        let mut distributions = all(&self.distributions);
        distributions.extend(all(&self.curves));
        let answers = self.answers.iter().cloned();
        let answers = answers.map(|answer| (answer.title, answer.sentence, answer.blocks));
        let others = [
            (
                "Distributions",
                "How the results spread over all runs.",
                distributions,
            ),
            ("What drives the results", "", all(&self.sensitivities)),
            ("Results against inputs", "", all(&self.relations)),
            (
                "All runs",
                "Drag along an axis to choose runs; several axes narrow the choice.",
                self.parallel.iter().cloned().map(Block::from).collect(),
            ),
            ("Runs to look at", "", all(&self.tables)),
            (
                "Study",
                "",
                listing("Configuration", &self.config_text)
                    .into_iter()
                    .collect(),
            ),
        ];
        let others =
            others.map(|(title, sentence, blocks)| (title.to_owned(), sentence.to_owned(), blocks));
        let mut blocks = Vec::new();
        for (title, sentence, group) in answers.chain(others) {
            if !group.is_empty() {
                blocks.push(Block::Heading(Heading {
                    title,
                    sentence,
                    beside: false,
                }));
                blocks.extend(group);
            }
        }
        Page {
            title: self.title.clone(),
            lead: self.lead.clone(),
            warning: self.warning.clone(),
            figures: self.figures.clone(),
            blocks,
            dense: false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn only_groups_with_something_in_them_appear() {
        let report = BatchReport {
            distributions: vec![Histogram::new(
                "Peak force",
                "s",
                Axis::new("force", "N"),
                "runs",
                &[1.0, 2.0],
            )],
            ..BatchReport::default()
        };
        let html = report.html().unwrap();
        assert!(html.contains("Distributions") && !html.contains("Runs to look at"));
    }
}
