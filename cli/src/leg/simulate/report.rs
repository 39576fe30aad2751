//! What a run of the leg amounts to.

use crate::summary::{Summary, significant};
use serde::Serialize;
use std::path::PathBuf;

/// What `--json` prints and summary.json holds.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Report {
    pub(super) complete: bool,
    /// Why a run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped_because: Option<String>,
    pub(super) file: PathBuf,
    pub(super) rows: usize,
    pub(super) simulated_s: f64,
    pub(super) wall_s: f64,
    pub(super) step_s: f64,
    pub(super) steps: usize,
    pub(super) rejected_steps: usize,
    pub(super) iterations: usize,
    pub(super) iterations_per_step: f64,
    pub(super) largest_loop_gap_m: f64,
    pub(super) initial_energy_j: f64,
    pub(super) largest_energy_residual_j: f64,
    /// Largest residual relative to the initial energy, or to the most that any account has
    /// exchanged since, whichever is larger.
    pub(super) energy_residual_rel: f64,
    pub(super) tendon_tension_range_n: [f64; 2],
    pub(super) slack_time_s: f64,
    pub(super) largest_crank_turn_rad: f64,
    pub(super) crank_range_rad: f64,
    pub(super) peak_crank_torque_nm: f64,
    pub(super) final_q_rad: [f64; 3],
    pub(super) final_q_dot_rad_s: [f64; 3],
}

impl Report {
    /// What a person reads.
    pub(super) fn summary(&self) -> Summary {
        let state = if self.complete { "" } else { ", INCOMPLETE" };
        let mut summary = Summary::new(format!(
            "Leg simulated for {} s{state}",
            significant(self.simulated_s, 4)
        ));
        let [q1, q2, q3] = self.final_q_rad;
        let [low, high] = self.tendon_tension_range_n;
        summary
            .text(
                "final q1, q2, q3",
                format!("{q1:.5}, {q2:.5}, {q3:.5}"),
                "rad",
            )
            .text("tendon tension", format!("{low:.3} to {high:.3}"), "N");
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
                &format!("J ({:.1e} relative)", self.energy_residual_rel),
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
