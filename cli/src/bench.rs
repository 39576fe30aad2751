//! `softdock bench`: how fast legs and platform run, one line per case.
//!
//! Absolute figures depend on the machine; the best of several repetitions is shown. Work of one
//! thread is judged by its processor time, which what else runs on the machine leaves alone; the
//! wall's time is shown beside it.

mod batch;
mod clock;
mod fmu;
mod platform;

use crate::failure::{STOPPED, settle};
use crate::{output, run as stopping};
use anyhow::Result;
use clap::{Args, Subcommand};
use clock::{Clock, Spent, go_on};
use leg_core::spatial::TipDrive;
use leg_core::{LegConfig, Simulation, SpatialLegConfig, SpatialSimulation};
use std::fmt::Write;
use std::process::ExitCode;

/// Arguments of `softdock bench`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One leg on one core: planar and spatial, released with its damper, by mesh and step.
    Leg(LegArguments),
    /// The leg driven natively and through its loaded FMU, step by step: cost and overhead.
    Fmu(fmu::Arguments),
    /// The platform, pushed and released: by coupling scheme and number of threads.
    Platform(platform::Arguments),
    /// Dockings of a study: cost, one and two threads, meshes and steps to choose from.
    Batch(batch::Arguments),
}

#[derive(Debug, Args)]
struct LegArguments {
    /// Simulated seconds of one repetition.
    #[arg(long, default_value_t = 3.0)]
    duration: f64,
    /// Repetitions, of which the fastest counts.
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// One measured case.
#[derive(Debug, serde::Serialize)]
struct Line {
    case: String,
    elements: usize,
    step_s: f64,
    steps: usize,
    iterations_per_step: f64,
    /// Processor time.
    microseconds_per_step: f64,
    simulated_per_processor: f64,
    simulated_per_wall: f64,
    /// Of the simulated seconds per second of processor time.
    wanted: Option<f64>,
}

/// Runs the chosen benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    // So that nothing is left behind, a loaded FMU for one.
    stopping::listen_for_stop();
    let done = match &arguments.what {
        What::Leg(arguments) => run_leg(arguments),
        What::Fmu(arguments) => fmu::run(arguments),
        What::Platform(arguments) => platform::run(arguments),
        What::Batch(arguments) => batch::run(arguments),
    };
    match done {
        Err(_) if stopping::stop_requested() => Ok(ExitCode::from(STOPPED)),
        done => settle(done),
    }
}

fn run_leg(arguments: &LegArguments) -> Result<ExitCode> {
    let mut lines = Vec::new();
    for (elements, step, wanted) in [
        (10, 1e-3, Some(100.0)),
        (5, 1e-3, None),
        (20, 1e-3, None),
        (40, 1e-3, None),
        (10, 1e-4, None),
    ] {
        lines.push(planar(arguments, elements, step, wanted)?);
    }
    for (elements, wanted) in [(10, Some(20.0)), (5, None), (20, None), (40, None)] {
        lines.push(spatial(arguments, elements, wanted)?);
    }
    if arguments.json {
        output::say_json(&lines)?;
    } else {
        output::say(&text(&lines)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Pieces of a repetition that are timed by themselves: what disturbs one leaves the others alone.
const PIECES: usize = 20;

/// The fastest of several repetitions, piece by piece. `run` goes on to a part of the duration, from
/// the start again at the first piece, and gives steps and iterations: always the same.
fn fastest(
    repetitions: usize,
    mut run: impl FnMut(usize) -> Result<(usize, usize)>,
) -> Result<(Spent, usize, usize)> {
    let mut best = [Spent::FOREVER; PIECES];
    let (mut steps, mut iterations) = (0, 0);
    for _ in 0..repetitions.max(1) {
        (steps, iterations) = (0, 0);
        for (piece, best) in best.iter_mut().enumerate() {
            go_on()?;
            let clock = Clock::start();
            let done = run(piece)?;
            *best = best.min(clock.spent());
            steps += done.0;
            iterations += done.1;
        }
    }
    let all = best.into_iter().fold(Spent::NOTHING, Spent::plus);
    Ok((all, steps, iterations))
}

/// End of a piece of `duration`.
fn end(piece: usize, duration: f64) -> f64 {
    duration * (piece + 1) as f64 / PIECES as f64
}

fn line(
    case: &str,
    elements: usize,
    step_s: f64,
    duration: f64,
    (spent, steps, iterations): (Spent, usize, usize),
    wanted: Option<f64>,
) -> Line {
    Line {
        case: case.to_owned(),
        elements,
        step_s,
        steps,
        iterations_per_step: iterations as f64 / steps.max(1) as f64,
        microseconds_per_step: 1e6 * spent.over(steps).processor,
        simulated_per_processor: duration / spent.processor,
        simulated_per_wall: duration / spent.wall,
        wanted,
    }
}

fn planar(
    arguments: &LegArguments,
    elements: usize,
    step: f64,
    wanted: Option<f64>,
) -> Result<Line> {
    let mut config = LegConfig::default();
    config.solver.elements = elements;
    config.solver.step_s = step;
    let start = Simulation::new(&config)?;
    let mut simulation = start.clone();
    let timed = fastest(arguments.repetitions, |piece| {
        if piece == 0 {
            simulation.restart_from(&start);
        }
        let done = simulation.advance_to(end(piece, arguments.duration))?;
        Ok((done.steps, done.iterations))
    })?;
    Ok(line(
        "planar leg, released",
        elements,
        step,
        arguments.duration,
        timed,
        wanted,
    ))
}

fn spatial(arguments: &LegArguments, elements: usize, wanted: Option<f64>) -> Result<Line> {
    let mut config = SpatialLegConfig::default();
    config.solver.elements = elements;
    let start = SpatialSimulation::new(&config, TipDrive::Prescribed)?;
    let mut simulation = start.clone();
    let timed = fastest(arguments.repetitions, |piece| {
        if piece == 0 {
            simulation.restart_from(&start);
        }
        let done = simulation.advance_to(end(piece, arguments.duration))?;
        Ok((done.steps, done.iterations))
    })?;
    let step = config.solver.step_s;
    Ok(line(
        "spatial leg, crank released",
        elements,
        step,
        arguments.duration,
        timed,
        wanted,
    ))
}

fn text(lines: &[Line]) -> Result<String> {
    let mut out = format!(
        "{:<30}{:>10}{:>10}{:>12}{:>12}{:>22}{:>18}\n",
        "case",
        "elements",
        "step",
        "iterations",
        "per step",
        "simulated/processor",
        "simulated/wall"
    );
    for line in lines {
        let verdict = match line.wanted {
            Some(wanted) if line.simulated_per_processor >= wanted => {
                format!("  (wanted {wanted}: met)")
            }
            Some(wanted) => format!("  (wanted {wanted}: MISSED)"),
            None => String::new(),
        };
        writeln!(
            out,
            "{:<30}{:>10}{:>7} ms{:>12.2}{:>9.2} µs{:>22.1}{:>18.1}{verdict}",
            line.case,
            line.elements,
            1e3 * line.step_s,
            line.iterations_per_step,
            line.microseconds_per_step,
            line.simulated_per_processor,
            line.simulated_per_wall,
        )?;
    }
    out.push_str("times per step and verdicts by the processor time of the thread");
    Ok(out)
}
