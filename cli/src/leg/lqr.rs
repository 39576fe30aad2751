//! `softdock leg lqr`: a linear-quadratic regulator for the crank, tried on the nonlinear leg.

use super::equilibrium::Equilibrium;
use super::linear::{self, Signal};
use super::regulated::{self, Run};
use super::{BadInput, simulate};
use crate::output::{self, CsvFile, OutputArgs};
use crate::plot::{Axis, Block, Chart, Figure, Page, Series};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::significant;
use anyhow::Result;
use leg_core::leg::config::MotorMode;
use leg_core::leg::{LegConfig, LegSample};
use leg_core::linearize::{Coordinates, LinearModel};
use leg_core::riccati::{self, Riccati};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock leg lqr`.
///
/// The leg is in its pre-tensioned posture, motor in torque mode, the upper link free under the
/// constant torque that holds it (the end effector's load). A few slow modes about it make the
/// linear model, their regulator minimises
///   integral of  sum of weight · output² + effort · torque²
/// and is tried on the nonlinear leg: the crank, held at --disturb-deg until everything is at rest,
/// is let go. Beside it the same with the constant holding torque alone. The torque is limited to
/// ± motor.torque_limit_nm. Without --observer the regulator is fed the projection of the leg's
/// true state on the modes; with it a Kalman observer sees q1, q3 and the tendon's length.
/// With --out, lqr.json, lqr.csv and config.toml are written to the folder.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Weight of an output, e.g. --weight q1=1e4; repeatable, replaces the default weights; outputs
    /// as in `leg linearize`
    #[arg(long, value_name = "OUTPUT=VALUE")]
    weight: Vec<String>,
    /// Weight of the torque [1/(N·m)²]
    #[arg(long, value_name = "VALUE", default_value_t = 1.0)]
    effort: f64,
    /// Keeps the modes below this frequency [Hz]
    #[arg(long, value_name = "HZ", default_value_t = 100.0)]
    cutoff_hz: f64,
    /// Sampled control with this period [s], the torque constant in between; left out: a continuous
    /// regulator, evaluated at every step
    #[arg(long, value_name = "S")]
    sampled: Option<f64>,
    /// Estimates the state from q1, q3 and the tendon's length
    #[arg(long)]
    observer: bool,
    /// Observer: standard deviation of the torques that disturb the links [N·m]
    #[arg(long, value_name = "NM", default_value_t = 3.0, requires = "observer")]
    torque_noise_nm: f64,
    /// Observer: standard deviation of the measured angles [rad]
    #[arg(long, value_name = "RAD", default_value_t = 1e-3, requires = "observer")]
    angle_noise_rad: f64,
    /// Observer: standard deviation of the measured tendon length [m]
    #[arg(long, value_name = "M", default_value_t = 1e-3, requires = "observer")]
    length_noise_m: f64,
    /// Turn of the crank from which it is let go [°]
    #[arg(long, value_name = "DEG", default_value_t = 5.0, allow_negative_numbers = true)]
    disturb_deg: f64,
    /// Simulated time [s]
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    duration: f64,
    /// The crank has settled when it stays this near [°]
    #[arg(long, value_name = "DEG", default_value_t = 0.1)]
    settled_deg: f64,
    /// Writes a page with closed and open loop side by side
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Default weights: a degree of either link costs as much as half a newton metre.
const WEIGHTS: [(&str, f64); 4] = [("q1", 1e3), ("q3", 1e3), ("q1_dot", 1.0), ("q3_dot", 1.0)];

#[derive(Debug, Serialize)]
struct Weight {
    output: String,
    weight: f64,
}

#[derive(Debug, Serialize)]
struct Eigenvalue {
    re: f64,
    im: f64,
}

/// How one loop went.
#[derive(Debug, Serialize)]
struct Outcome {
    /// Time from which the crank stays near; null if it does not.
    crank_settling_time_s: Option<f64>,
    link_settling_time_s: Option<f64>,
    final_crank_error_deg: f64,
    final_link_error_deg: f64,
    largest_crank_error_deg: f64,
    peak_torque_nm: f64,
    saturated_time_s: f64,
    simulated_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_because: Option<String>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    sample_period_s: Option<f64>,
    states: Vec<Signal>,
    weights: Vec<Weight>,
    effort: f64,
    gain: Vec<f64>,
    holding_torque_nm: f64,
    link_torque_nm: f64,
    torque_limit_nm: f64,
    riccati_residual_rel: f64,
    closed_loop_eigenvalues: Vec<Eigenvalue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observer_gain: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observer_residual_rel: Option<f64>,
    disturbance_deg: f64,
    settled_deg: f64,
    closed_loop: Outcome,
    open_loop: Outcome,
}

/// A regulator and what it was made of.
struct Design {
    model: LinearModel,
    weights: Vec<(String, f64)>,
    regulator: Riccati,
    observer: Option<regulated::Observer>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<LegConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    check(arguments, &resolved.config)?;
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    let rest = Equilibrium::new(&resolved.config)?;
    let design = design(arguments, &rest)?;
    let step = resolved.config.solver.step_s;
    let setup = regulated::Setup {
        rest: &rest,
        model: &design.model,
        gain: &design.regulator.gain,
        observer: design.observer.as_ref(),
        period: arguments.sampled.unwrap_or(step),
        step,
        duration: arguments.duration,
        torque_limit: resolved.config.motor.torque_limit_nm,
        keep_film: arguments.plot.is_some(),
    };
    let start = regulated::disturbed(&rest, arguments.disturb_deg.to_radians())?;
    let closed = setup.run(&start, true)?;
    let open = setup.run(&start, false)?;
    let report = report(arguments, &rest, &design, &closed, &open);
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("lqr.json"), &report)?;
        write_table(&out.join("lqr.csv"), &closed, &open)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = &arguments.plot {
        output::write_atomic(plot, page(&report, &rest, &closed, &open).html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.text())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &Arguments, config: &LegConfig) -> Result<(), BadInput> {
    let positive = [
        ("--effort", arguments.effort),
        ("--cutoff-hz", arguments.cutoff_hz),
        ("--duration", arguments.duration),
        ("--settled-deg", arguments.settled_deg),
        ("--sampled", arguments.sampled.unwrap_or(1.0)),
        ("--torque-noise-nm", arguments.torque_noise_nm),
        ("--angle-noise-rad", arguments.angle_noise_rad),
        ("--length-noise-m", arguments.length_noise_m),
    ];
    for (name, value) in positive {
        if !(value > 0.0 && value.is_finite()) {
            return Err(BadInput::new(format!(
                "{name} {value} is not allowed: it must be > 0 and finite"
            )));
        }
    }
    if !(arguments.disturb_deg.abs() <= 90.0) {
        let value = arguments.disturb_deg;
        let message = format!("--disturb-deg {value} is not allowed: it must be -90 to 90");
        return Err(BadInput::new(message));
    }
    if config.motor.mode != MotorMode::Torque {
        let message = "the regulator drives the motor by torque: leave motor.mode = \"torque\"";
        return Err(BadInput::new(message));
    }
    Ok(())
}

fn weights(arguments: &Arguments) -> Result<Vec<(String, f64)>, BadInput> {
    if arguments.weight.is_empty() {
        return Ok(WEIGHTS.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect());
    }
    let parse = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match value.trim().parse::<f64>() {
            Ok(weight) if weight >= 0.0 && weight.is_finite() => Ok((name.trim().to_owned(), weight)),
            _ => Err(BadInput::new(format!(
                "--weight {text}: write OUTPUT=VALUE with a value >= 0, such as q1=1e4"
            ))),
        }
    };
    arguments.weight.iter().map(parse).collect()
}

fn design(arguments: &Arguments, rest: &Equilibrium) -> Result<Design> {
    let weights = weights(arguments)?;
    let count = linear::modes_below(rest, arguments.cutoff_hz)?;
    let coordinates = Coordinates::Modal { count: count.max(1), static_correction: false };
    let names: Vec<&str> = weights.iter().map(|(name, _)| name.as_str()).collect();
    let model = linear::linear_model(rest, coordinates.clone(), &["crank_torque_nm"], &names)?;
    let list = DVector::from_iterator(weights.len(), weights.iter().map(|(_, weight)| *weight));
    let q = model.c.tr_mul(&(DMatrix::from_diagonal(&list) * &model.c));
    let r = DMatrix::from_element(1, 1, arguments.effort);
    let regulator = match arguments.sampled {
        None => riccati::care(&model.a, &model.b, &q, &r)?,
        Some(period) => {
            let (a, b) = riccati::discretize(&model.a, &model.b, period)?;
            riccati::dare(&a, &b, &(q * period), &(r * period))?
        }
    };
    let observer = if arguments.observer {
        let period = arguments.sampled.unwrap_or(rest.leg().config.solver.step_s);
        let noise = regulated::Noise {
            torque_nm: arguments.torque_noise_nm,
            angle_rad: arguments.angle_noise_rad,
            length_m: arguments.length_noise_m,
        };
        Some(regulated::Observer::new(rest, coordinates, period, noise)?)
    } else {
        None
    };
    Ok(Design { model, weights, regulator, observer })
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
            run.samples.iter().map(|s| value(s).abs()).fold(0.0, f64::max)
        };
        let pairs = run.samples.windows(2);
        let saturated = pairs.filter(|p| p[1].crank_torque.abs() >= limit).map(|p| p[1].t - p[0].t);
        Self {
            crank_settling_time_s: settled(0),
            link_settling_time_s: settled(1),
            final_crank_error_deg: at_end(0),
            final_link_error_deg: at_end(1),
            largest_crank_error_deg: largest(&|s| error(s, 0)).to_degrees(),
            peak_torque_nm: largest(&|s| s.crank_torque),
            saturated_time_s: saturated.sum(),
            simulated_s: last.map_or(0.0, |s| s.t),
            ended_because: run.ended_because.clone(),
        }
    }
}

fn report(
    arguments: &Arguments,
    rest: &Equilibrium,
    design: &Design,
    closed: &Run,
    open: &Run,
) -> Report {
    let limit = rest.leg().config.motor.torque_limit_nm;
    let weights = design.weights.iter();
    let values = design.regulator.closed_loop.iter();
    Report {
        sample_period_s: arguments.sampled,
        states: linear::state_signals(&design.model),
        weights: weights.map(|(output, w)| Weight { output: output.clone(), weight: *w }).collect(),
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
        closed_loop: Outcome::new(closed, rest, arguments.settled_deg, limit),
        open_loop: Outcome::new(open, rest, arguments.settled_deg, limit),
    }
}

impl Report {
    fn text(&self) -> String {
        let kind = match self.sample_period_s {
            Some(period) => format!("sampled every {period} s"),
            None => "continuous".to_owned(),
        };
        let observer = if self.observer_gain.is_some() { " with observer" } else { "" };
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
            (String::new(), "closed loop".to_owned(), "constant torque".to_owned()),
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
        let _ = writeln!(text, "  Riccati residual {:.1e}", self.riccati_residual_rel);
        for (name, outcome) in [("closed", closed), ("open", open)] {
            if let Some(why) = &outcome.ended_because {
                let at = outcome.simulated_s;
                let _ = writeln!(text, "  the {name} loop ended at {at:.3} s: {why}");
            }
        }
        text
    }
}

fn write_table(path: &std::path::Path, closed: &Run, open: &Run) -> Result<()> {
    let header = [
        "t", "q1", "q3", "crank_torque", "tendon_tension", "q1_open", "q3_open",
        "crank_torque_open", "tendon_tension_open",
    ];
    let mut csv = CsvFile::create(path, &header)?;
    for (c, o) in closed.samples.iter().zip(&open.samples) {
        csv.row(&[
            c.t, c.q[0], c.q[2], c.crank_torque, c.tendon_tension, o.q[0], o.q[2], o.crank_torque,
            o.tendon_tension,
        ])?;
    }
    csv.finish()?;
    Ok(())
}

fn page(report: &Report, rest: &Equilibrium, closed: &Run, open: &Run) -> Page {
    let both = |value: fn(&LegSample) -> f64| -> Vec<Series> {
        vec![
            simulate::curve(&closed.samples, "regulator", value),
            simulate::curve(&open.samples, "constant torque", value),
        ]
    };
    let tendon = rest.leg().tendon.is_some();
    let mut blocks = vec![
        Block::Animation(closed.film.animation(
            "Regulated leg",
            "The nonlinear leg under the regulator, drawn to scale; the charts follow the slider.",
            tendon,
        )),
        Chart::over_time(
            "Crank",
            "Angle of the crank; the regulator brings it back, the constant torque does not.",
            Axis::new("q1", "°"),
            both(|s| s.q[0].to_degrees()),
        ),
        Chart::over_time(
            "Upper link",
            "Angle of the upper link, which nothing drives directly.",
            Axis::new("q3", "°"),
            both(|s| s.q[2].to_degrees()),
        ),
        Chart::over_time(
            "Motor torque",
            "Torque on the crank, holding torque included.",
            Axis::new("torque", "N·m"),
            both(|s| s.crank_torque),
        ),
    ];
    if tendon {
        blocks.push(Chart::over_time(
            "Tendon tension",
            "Spring and damper together.",
            Axis::new("tension", "N"),
            both(|s| s.tendon_tension),
        ));
    }
    let closed = &report.closed_loop;
    let time = |label: &str, value: Option<f64>| match value {
        Some(value) => Figure::number(label, value, 4, "s"),
        None => Figure::text(label, "not settled", ""),
    };
    Page {
        title: "Regulator of the leg".to_owned(),
        lead: format!(
            "Linear-quadratic regulator made from {} states about the bowed equilibrium, tried on \
             the nonlinear leg: the crank is let go {}° away from it.",
            report.states.len(),
            report.disturbance_deg
        ),
        warning: closed.ended_because.clone(),
        figures: vec![
            time("crank settles", closed.crank_settling_time_s),
            time("upper link settles", closed.link_settling_time_s),
            time("crank settles, open loop", report.open_loop.crank_settling_time_s),
            Figure::number("peak torque", closed.peak_torque_nm, 4, "N·m"),
            Figure::number("holding torque", report.holding_torque_nm, 4, "N·m"),
            Figure::text("Riccati residual", format!("{:.1e}", report.riccati_residual_rel), ""),
        ],
        blocks,
    }
}
