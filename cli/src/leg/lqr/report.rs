//! What a regulator does for the leg.

use super::{Arguments, Design};
use crate::leg::equilibrium::Equilibrium;
use crate::leg::linear::{self, Signal};
use crate::leg::regulated::{self, Run};
use crate::run::both_loops;
use crate::summary::significant;
use leg_core::LegSample;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub(super) struct Weight {
    pub(super) output: String,
    pub(super) weight: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Eigenvalue {
    pub(super) re: f64,
    pub(super) im: f64,
}

/// How one loop went.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    /// Time from which the crank stays near; null if it does not.
    pub(super) crank_settling_time_s: Option<f64>,
    pub(super) link_settling_time_s: Option<f64>,
    pub(super) final_crank_error_deg: f64,
    pub(super) final_link_error_deg: f64,
    pub(super) largest_crank_error_deg: f64,
    pub(super) peak_torque_nm: f64,
    pub(super) saturated_time_s: f64,
    pub(super) simulated_s: f64,
    /// Whether the figures can be believed.
    #[serde(flatten)]
    pub(super) soundness: Soundness,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended_because: Option<String>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether the figures of both loops can be believed.
    #[serde(flatten)]
    pub(super) soundness: Soundness,
    pub(super) sample_period_s: Option<f64>,
    pub(super) states: Vec<Signal>,
    /// Largest relative error of the response of the linear model against the whole leg, and the
    /// highest frequency compared.
    response_error: f64,
    response_compared_below_hz: f64,
    pub(super) weights: Vec<Weight>,
    pub(super) effort: f64,
    pub(super) gain: Vec<f64>,
    pub(super) holding_torque_nm: f64,
    pub(super) link_torque_nm: f64,
    pub(super) torque_limit_nm: f64,
    pub(super) riccati_residual_rel: f64,
    pub(super) closed_loop_eigenvalues: Vec<Eigenvalue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observer_gain: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observer_residual_rel: Option<f64>,
    pub(super) disturbance_deg: f64,
    pub(super) settled_deg: f64,
    pub(super) closed_loop: Outcome,
    pub(super) open_loop: Outcome,
}

impl Outcome {
    fn new(run: &Run, rest: &Equilibrium, near_deg: f64, limit: f64) -> Self {
        let near = near_deg.to_radians();
        let (q1, q3) = (rest.report.q1_rad, rest.report.q3_rad);
        let error = |s: &LegSample, i: usize| if i == 0 { s.q[0] - q1 } else { s.q[2] - q3 };
        let settled = |i: usize| {
            let last_outside = run.samples.iter().rposition(|s| error(s, i).abs() > near);
            match last_outside {
                None => Some(0.0),
                Some(last) => run.samples.get(last + 1).map(|s| s.t),
            }
        };
        let last = run.samples.last();
        let at_end = |i: usize| last.map_or(f64::NAN, |s| error(s, i).to_degrees());
        let largest = |value: &dyn Fn(&LegSample) -> f64| {
            run.samples
                .iter()
                .map(|s| value(s).abs())
                .fold(0.0, f64::max)
        };
        let pairs = run.samples.windows(2);
        let saturated = pairs
            .filter(|p| p[1].crank_torque.abs() >= limit)
            .map(|p| p[1].t - p[0].t);
        Self {
            crank_settling_time_s: settled(0),
            link_settling_time_s: settled(1),
            final_crank_error_deg: at_end(0),
            final_link_error_deg: at_end(1),
            largest_crank_error_deg: largest(&|s| error(s, 0)).to_degrees(),
            peak_torque_nm: largest(&|s| s.crank_torque),
            saturated_time_s: saturated.sum(),
            simulated_s: last.map_or(0.0, |s| s.t),
            soundness: run.soundness(),
            ended_because: run.ended_because.clone(),
        }
    }
}

/// Sums both loops up.
pub(super) fn report(
    arguments: &Arguments,
    rest: &Equilibrium,
    design: &Design,
    closed: &Run,
    open: &Run,
) -> Report {
    let limit = rest.leg().config.motor.torque_limit_nm;
    let weights = design.weights.iter();
    let values = design.regulator.closed_loop.iter();
    let closed_loop = Outcome::new(closed, rest, arguments.settled_deg, limit);
    let open_loop = Outcome::new(open, rest, arguments.settled_deg, limit);
    Report {
        soundness: both_loops(&closed_loop.soundness, &open_loop.soundness),
        sample_period_s: arguments.sampled,
        states: linear::state_signals(&design.model),
        response_error: design.error.relative,
        response_compared_below_hz: design.error.below_hz,
        weights: weights
            .map(|(output, w)| Weight {
                output: output.clone(),
                weight: *w,
            })
            .collect(),
        effort: arguments.effort,
        gain: design.regulator.gain.iter().copied().collect(),
        holding_torque_nm: rest.crank_torque,
        link_torque_nm: rest.link_torque,
        torque_limit_nm: limit,
        riccati_residual_rel: design.regulator.relative_residual,
        closed_loop_eigenvalues: values.map(|v| Eigenvalue { re: v.re, im: v.im }).collect(),
        observer_gain: design.observer.as_ref().map(|o| linear::rows(o.gain())),
        observer_residual_rel: design.observer.as_ref().map(regulated::Observer::residual),
        disturbance_deg: arguments.disturb_deg,
        settled_deg: arguments.settled_deg,
        closed_loop,
        open_loop,
    }
}

impl Report {
    /// What a person reads.
    pub(super) fn text(&self) -> String {
        let kind = match self.sample_period_s {
            Some(period) => format!("sampled every {period} s"),
            None => "continuous".to_owned(),
        };
        let observer = if self.observer_gain.is_some() {
            " with observer"
        } else {
            ""
        };
        let mut text = format!(
            "Regulator of {} states, {kind}{observer}; crank let go at {:+}°\n",
            self.states.len(),
            self.disturbance_deg
        );
        let time = |time: Option<f64>| {
            time.map_or_else(|| "not settled".to_owned(), |time| format!("{time:.3} s"))
        };
        let degrees = |value: f64| format!("{} °", significant(value, 4));
        let torque = |value: f64| format!("{} N·m", significant(value, 4));
        let (closed, open) = (&self.closed_loop, &self.open_loop);
        let near = self.settled_deg;
        let rows = [
            (
                String::new(),
                "closed loop".to_owned(),
                "constant torque".to_owned(),
            ),
            (
                format!("crank stays within ±{near}° from"),
                time(closed.crank_settling_time_s),
                time(open.crank_settling_time_s),
            ),
            (
                format!("upper link stays within ±{near}° from"),
                time(closed.link_settling_time_s),
                time(open.link_settling_time_s),
            ),
            (
                "largest error of the crank".to_owned(),
                degrees(closed.largest_crank_error_deg),
                degrees(open.largest_crank_error_deg),
            ),
            (
                "error of the crank at the end".to_owned(),
                degrees(closed.final_crank_error_deg),
                degrees(open.final_crank_error_deg),
            ),
            (
                format!("peak torque (limit ±{} N·m)", self.torque_limit_nm),
                torque(closed.peak_torque_nm),
                torque(open.peak_torque_nm),
            ),
        ];
        for (label, closed, open) in rows {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {label:<36} {closed:>14}  {open:>16}");
        }
        let _ = writeln!(
            text,
            "  response error of its model {:.2e} up to {:.4} Hz",
            self.response_error, self.response_compared_below_hz
        );
        let _ = writeln!(text, "  Riccati residual {:.1e}", self.riccati_residual_rel);
        let _ = writeln!(text, "  soundness {}", self.soundness.key());
        for (name, outcome) in [("closed", closed), ("open", open)] {
            for reason in outcome.soundness.reasons() {
                let _ = writeln!(text, "  SUSPECT, {name} loop: {reason}");
            }
            if let Some(why) = &outcome.ended_because {
                let at = outcome.simulated_s;
                let _ = writeln!(text, "  the {name} loop ended at {at:.3} s: {why}");
            }
        }
        text
    }
}
