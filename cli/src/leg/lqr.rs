//! `softdock leg lqr`: a linear-quadratic regulator for the crank, tried on the nonlinear leg.

mod page;
mod report;

use super::BadInput;
use super::equilibrium::Equilibrium;
use super::linear;
use super::regulated::{self, Run};
use crate::failure::verdict;
use crate::output::{self, CsvFile, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use leg_core::LegConfig;
use leg_core::config::MotorMode;
use multibody::linearize::{Coordinates, LinearModel, RESPONSE_TOLERANCE, Reduced, ResponseError};
use multibody::modal;
use nalgebra::{DMatrix, DVector};
use page::page;
use report::report;
use softdock_control::riccati::{self, Riccati};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The leg is in its pre-tensioned posture, motor in torque mode, the upper link free under the
constant torque that holds it (the end effector's load). Its slow modes, with the shapes that the
damper needs beside them, make the linear model, whose response must be that of the whole leg to 1 %
below half the cutoff; their regulator minimises
  integral of  sum of weight · output² + effort · torque²
and is tried on the nonlinear leg: the crank, held at --disturb-deg until everything is at rest,
is let go. Beside it the same with the constant holding torque alone. The torque is limited to
± motor.torque_limit_nm. Without --observer the regulator is fed the projection of the leg's
true state on the modes; with it a Kalman observer sees q1, q3 and the tendon's length.
With --out, lqr.json, lqr.csv and config.toml are written to the folder.";

/// Arguments of `softdock leg lqr`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(HELP))]
pub struct Arguments {
    /// Weight of an output, e.g. --weight q1=1e4; repeatable, replaces the default weights; outputs
    /// as in `leg linearize`
    #[arg(long, value_name = "OUTPUT=VALUE")]
    weight: Vec<String>,
    /// Weight of the torque [1/(N·m)²]
    #[arg(long, value_name = "VALUE", default_value_t = 1.0)]
    effort: f64,
    /// Makes a model for frequencies below half of this one, of the modes below it [Hz]
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
    #[arg(
        long,
        value_name = "RAD",
        default_value_t = 1e-3,
        requires = "observer"
    )]
    angle_noise_rad: f64,
    /// Observer: standard deviation of the measured tendon length [m]
    #[arg(long, value_name = "M", default_value_t = 1e-3, requires = "observer")]
    length_noise_m: f64,
    /// Turn of the crank from which it is let go [°]
    #[arg(
        long,
        value_name = "DEG",
        default_value_t = 5.0,
        allow_negative_numbers = true
    )]
    disturb_deg: f64,
    /// Simulated time [s]
    #[arg(long, value_name = "S", default_value_t = 1.5)]
    duration: f64,
    /// The crank has settled when it stays this near [°]
    #[arg(long, value_name = "DEG", default_value_t = 0.1)]
    settled_deg: f64,
    /// Writes a page with closed and open loop side by side; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Default weights: a degree of either link costs as much as half a newton metre.
const WEIGHTS: [(&str, f64); 4] = [("q1", 1e3), ("q3", 1e3), ("q1_dot", 1.0), ("q3_dot", 1.0)];

/// A regulator and what it was made of.
struct Design {
    /// Distance of the model's response from that of the whole leg.
    error: ResponseError,
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
    arguments.output.probe("lqr.json")?;
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
        output::write_atomic(
            plot,
            page(&report, &rest, &closed, &open).html()?.as_bytes(),
        )?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::tell(&report.text())?;
    }
    match &report.closed_loop.ended_because {
        None => Ok(verdict(&report.soundness)),
        Some(why) => Err(anyhow::anyhow!("the closed loop ended early: {why}")),
    }
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
    if !(-90.0..=90.0).contains(&arguments.disturb_deg) {
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
        return Ok(WEIGHTS
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight))
            .collect());
    }
    let parse = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match value.trim().parse::<f64>() {
            Ok(weight) if weight >= 0.0 && weight.is_finite() => {
                Ok((name.trim().to_owned(), weight))
            }
            _ => Err(BadInput::new(format!(
                "--weight {text}: write OUTPUT=VALUE with a value >= 0, such as q1=1e4"
            ))),
        }
    };
    arguments.weight.iter().map(parse).collect()
}

fn design(arguments: &Arguments, rest: &Equilibrium) -> Result<Design> {
    let weights = weights(arguments)?;
    let reduction = modal::reduce(&rest.leg().model, rest.state(), &mut rest.workspace())?;
    let coordinates = Coordinates::Modal {
        count: reduction.system.order(),
        static_correction: false,
    };
    // Regulator and observer share their states: one model with everything, reduced once.
    let mut names: Vec<&str> = weights.iter().map(|(name, _)| name.as_str()).collect();
    names.extend(regulated::measured(rest));
    let inputs = ["crank_torque_nm", "link_torque_nm"];
    let full = linear::linear_model(rest, coordinates, &inputs, &names)?;
    let Reduced {
        model: shared,
        error,
    } = full.reduced_below(arguments.cutoff_hz, RESPONSE_TOLERANCE)?;
    let outputs: Vec<usize> = (0..names.len()).collect();
    let (weighted, measured) = outputs.split_at(weights.len());
    let model = shared.select(&[0], weighted);
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
        Some(regulated::Observer::new(
            &shared.select(&[0, 1], measured),
            period,
            noise,
        )?)
    } else {
        None
    };
    Ok(Design {
        error,
        model,
        weights,
        regulator,
        observer,
    })
}

fn write_table(path: &std::path::Path, closed: &Run, open: &Run) -> Result<()> {
    let header = [
        "t",
        "q1",
        "q3",
        "crank_torque",
        "tendon_tension",
        "q1_open",
        "q3_open",
        "crank_torque_open",
        "tendon_tension_open",
    ];
    let mut csv = CsvFile::create(path, &header)?;
    for (c, o) in closed.samples.iter().zip(&open.samples) {
        csv.row(&[
            c.t,
            c.q[0],
            c.q[2],
            c.crank_torque,
            c.tendon_tension,
            o.q[0],
            o.q[2],
            o.crank_torque,
            o.tendon_tension,
        ])?;
    }
    csv.finish()?;
    Ok(())
}
