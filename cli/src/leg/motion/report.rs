//! What a run of the leg amounts to.

use crate::summary::{Summary, significant};
use multibody::results::soundness::Soundness;
use serde::Serialize;
use std::path::PathBuf;

/// What is told of the last state of a run.
pub trait End: Serialize + Default {
    /// Adds it to the summary.
    fn describe(&self, summary: &mut Summary);
}

/// What `--json` prints and summary.json holds.
#[derive(Debug, Clone, Serialize)]
pub struct Report<E> {
    /// The run came to its end.
    pub complete: bool,
    /// Whether the figures can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// Why a run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_because: Option<String>,
    /// The table.
    pub file: PathBuf,
    /// Rows of the table.
    pub rows: usize,
    /// Simulated time [s].
    pub simulated_s: f64,
    /// Wall time [s].
    pub wall_s: f64,
    /// Step size [s].
    pub step_s: f64,
    /// Steps.
    pub steps: usize,
    /// Steps repeated smaller.
    pub rejected_steps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Newton iterations per step.
    pub iterations_per_step: f64,
    /// Largest violation of a joint [m].
    pub largest_loop_gap_m: f64,
    /// Mechanical energy at the start [J].
    pub initial_energy_j: f64,
    /// Largest error of the energy account [J].
    pub largest_energy_residual_j: f64,
    /// The same over the energy that moved.
    pub energy_residual_rel: f64,
    /// Lowest and highest tendon tension [N].
    pub tendon_tension_range_n: [f64; 2],
    /// Time with a slack tendon [s].
    pub slack_time_s: f64,
    /// Largest turn of the crank from the middle of its working range [rad].
    pub largest_crank_turn_rad: f64,
    /// Its working range [rad].
    pub crank_range_rad: f64,
    /// Largest torque on the crank [N·m].
    pub peak_crank_torque_nm: f64,
    /// The last state.
    #[serde(flatten)]
    pub end: E,
}

impl<E: End> Report<E> {
    /// What a person reads.
    pub fn summary(&self) -> Summary {
        let state = if self.complete { "" } else { ", INCOMPLETE" };
        let mut summary = Summary::new(format!(
            "Leg simulated for {} s{state}",
            significant(self.simulated_s, 4)
        ));
        let [low, high] = self.tendon_tension_range_n;
        self.end.describe(&mut summary);
        summary.text("tendon tension", format!("{low:.3} to {high:.3}"), "N");
        if self.slack_time_s > 0.0 {
            summary.number("tendon slack for", self.slack_time_s, "s");
        }
        summary
            .text(
                "largest loop gap",
                format!("{:.1e}", self.largest_loop_gap_m),
                "m",
            )
            .text(
                "energy residual",
                format!("{:.1e}", self.largest_energy_residual_j),
                &format!("J ({:.1e} of what moved)", self.energy_residual_rel),
            )
            .text(
                "steps",
                self.steps.to_string(),
                &format!("of {} s", self.step_s),
            )
            .text(
                "iterations per step",
                format!("{:.2}", self.iterations_per_step),
                "",
            );
        if self.rejected_steps > 0 {
            summary.text("rejected steps", self.rejected_steps.to_string(), "");
        }
        summary.soundness(&self.soundness);
        let speed = self.simulated_s / self.wall_s.max(1e-9);
        summary.text(
            "wall time",
            significant(self.wall_s, 3),
            &format!("s ({speed:.0} × real time)"),
        );
        if self.largest_crank_turn_rad > self.crank_range_rad {
            summary.note(format!(
                "the crank turned {:.1}°, beyond its working range of ±{:.1}°",
                self.largest_crank_turn_rad.to_degrees(),
                self.crank_range_rad.to_degrees()
            ));
        }
        summary
    }
}
