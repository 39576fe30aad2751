//! What a regulator does, in numbers.

use super::super::linearize::rows;
use super::{Arguments, Run, Sample};
use crate::run::both_loops;
use crate::summary::Summary;
use multibody::math;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_platform::regulator::Regulator;

/// A run with or without the regulator.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Outcome {
    largest_displacement_m: f64,
    largest_rotation_rad: f64,
    final_displacement_m: f64,
    /// From when on the end effector stays near; none if it does not.
    settled_after_s: Option<f64>,
    largest_torque_nm: f64,
    saturated_time_s: f64,
    /// Whether the figures can be believed.
    #[serde(flatten)]
    soundness: Soundness,
    /// Why the run ended early.
    pub(super) ended: Option<String>,
}

#[derive(Debug, Serialize)]
struct Pole {
    magnitude: f64,
    re: f64,
    im: f64,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether the figures of both loops can be believed.
    #[serde(flatten)]
    pub(super) soundness: Soundness,
    pub(super) modes: usize,
    mode_frequencies_hz: Vec<f64>,
    /// Largest relative error of the response of the linear model against the whole platform.
    response_error: f64,
    /// Highest frequency compared.
    response_compared_below_hz: f64,
    pub(super) period_s: f64,
    /// Torques per state: modes, then their rates; one row per motor.
    gain: Vec<Vec<f64>>,
    riccati_residual: f64,
    /// Eigenvalues of the closed loop per period.
    closed_loop: Vec<Pole>,
    pub(super) torque_limit_nm: f64,
    holding_torque_nm: Vec<f64>,
    pub(super) closed: Outcome,
    open: Outcome,
}

pub(super) fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Outcome {
    pub(super) fn new(arguments: &Arguments, run: &Run) -> Self {
        let (samples, ended) = (&run.samples, run.ended.clone());
        let most = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(value).fold(0.0, f64::max);
        let away = |s: &Sample| norm(&s.moved) > arguments.settled_m;
        let last_away = samples.iter().rposition(away);
        let settled = match last_away {
            None => Some(0.0),
            Some(i) => samples.get(i + 1).map(|s| s.t),
        };
        let saturated = samples.iter().filter(|s| s.saturated).count();
        Self {
            largest_displacement_m: most(&|s| norm(&s.moved)),
            largest_rotation_rad: most(&|s| norm(&s.turned)),
            final_displacement_m: samples.last().map_or(0.0, |s| norm(&s.moved)),
            settled_after_s: settled.filter(|_| ended.is_none()),
            largest_torque_nm: most(&|s| s.torques.amax()),
            saturated_time_s: saturated as f64 * arguments.period,
            soundness: run.soundness.clone(),
            ended,
        }
    }
}

impl Report {
    pub(super) fn new(
        arguments: &Arguments,
        regulator: &Regulator,
        [closed, open]: [Outcome; 2],
    ) -> Self {
        let order = regulator.linear.model.order();
        let poles = regulator.riccati.closed_loop.iter().map(|pole| Pole {
            magnitude: math::modulus(*pole),
            re: pole.re,
            im: pole.im,
        });
        Self {
            soundness: both_loops(&closed.soundness, &open.soundness),
            modes: order,
            mode_frequencies_hz: regulator.linear.kept_frequencies(),
            response_error: regulator.linear.error.relative,
            response_compared_below_hz: regulator.linear.error.below_hz,
            period_s: arguments.period,
            gain: rows(&regulator.riccati.gain),
            riccati_residual: regulator.riccati.relative_residual,
            closed_loop: poles.collect(),
            torque_limit_nm: regulator.limit,
            holding_torque_nm: regulator.holding.iter().copied().collect(),
            closed,
            open,
        }
    }

    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!("Regulator of the pose on {} modes", self.modes));
        let slowest = self
            .closed_loop
            .iter()
            .map(|p| p.magnitude)
            .fold(0.0, f64::max);
        let time = -self.period_s / math::ln(slowest);
        let response = format!(
            "{:.2e} up to {:.4} Hz",
            self.response_error, self.response_compared_below_hz
        );
        summary.text("response error of its model", response, "");
        summary.number("slowest time constant", time, "s").number(
            "largest gain",
            self.gain
                .iter()
                .flatten()
                .fold(0.0, |m: f64, x| m.max(x.abs())),
            "",
        );
        for (name, outcome) in [("closed", &self.closed), ("open", &self.open)] {
            let label = |what: &str| format!("{name} loop, {what}");
            summary
                .number(
                    &label("largest displacement"),
                    outcome.largest_displacement_m,
                    "m",
                )
                .number(
                    &label("largest rotation"),
                    outcome.largest_rotation_rad,
                    "rad",
                )
                .number(
                    &label("displacement at the end"),
                    outcome.final_displacement_m,
                    "m",
                );
            match outcome.settled_after_s {
                Some(time) => summary.number(&label("settled after"), time, "s"),
                None => summary.text(&label("settled after"), "never", ""),
            };
            summary.number(&label("largest torque"), outcome.largest_torque_nm, "N·m");
            for reason in outcome.soundness.reasons() {
                summary.note(format!("SUSPECT, {name} loop: {reason}"));
            }
            if let Some(why) = &outcome.ended {
                summary.note(format!("{name} loop ended early: {why}"));
            }
        }
        summary
            .number("torque limit", self.torque_limit_nm, "N·m")
            .number("at the limit for", self.closed.saturated_time_s, "s")
            .text("soundness", self.soundness.key(), "");
        summary
    }
}
