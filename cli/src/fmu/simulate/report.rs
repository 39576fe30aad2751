//! What is said about a run.

use super::columns::Value;
use super::compare::Comparison;
use super::history::History;
use multibody::results::soundness::Soundness;
use softdock_figures::{Figures, Views, figures};
use softdock_report::{Block, Figure as Shown};
use std::path::PathBuf;

figures! {
    /// A run of an FMU.
    pub struct SimulateResult;
    model: String as "Name of the model.";
    #[serde(flatten)]
    soundness: Option<Soundness> as "Whether the result can be believed, as far as an FMU of this program tells.";
    complete: bool as "Whether it came to an end of its own.";
    ended_by_fmu: bool as "Whether the FMU asked to end the simulation before its stop time.";
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_because: Option<String> as "Why it ended before its stop time.";
    file: PathBuf as "The table.";
    rows: usize = "-", "rows", "Rows of the table";
    start_s: f64 as "Start time [s].";
    reached_s: f64 as "Time reached [s].";
    step_s: f64 as "Communication step [s].";
    tolerance: Option<f64> as "Relative tolerance of the FMU's solver.";
    wall_s: f64 = "s", "wall time", "Time that the computation took";
    variables: Vec<String> as "Columns of the table.";
    last_values: Vec<Value> as "Their values in its last row.";
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Comparison> as "How it differs from the table of --compare.";
    #[serde(skip)]
    history: History as "What its page draws.";
}

/// Most values that a terminal shows.
const MOST_SHOWN: usize = 12;

impl Views for SimulateResult {
    const FILE: &'static str = "summary.json";

    fn title(&self) -> String {
        let state = if self.complete { "" } else { ", INCOMPLETE" };
        let (model, start, end) = (&self.model, self.start_s, self.reached_s);
        format!("{model} simulated from {start} to {end} s{state}")
    }

    fn rows(&self) -> Vec<Shown> {
        let last = self.variables.iter().zip(&self.last_values);
        let last = last.take(MOST_SHOWN).map(|(name, value)| match value {
            Value::Real(value) => Shown::number(name, *value, 6, ""),
            other => Shown::text(name, other.to_string(), ""),
        });
        self.lines().into_iter().chain(last).collect()
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone().unwrap_or_default()
    }

    fn blocks(&self) -> Vec<Block> {
        self.history.blocks()
    }

    fn notes(&self) -> Vec<String> {
        let more = self.variables.len().saturating_sub(MOST_SHOWN);
        let more = (more > 0).then(|| format!("and {more} more at the end of the table"));
        let reached = self.reached_s;
        let early = self.ended_by_fmu.then(|| {
            format!("the FMU asked to end the simulation at t = {reached} s, before its stop time")
        });
        let compared = self.compared.as_ref().map(Comparison::sentence);
        more.into_iter().chain(early).chain(compared).collect()
    }
}
