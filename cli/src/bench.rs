//! `softdock bench`: how fast legs and platform run, one line per case.
//!
//! Absolute figures depend on the machine; the best of several repetitions is shown. Work of one
//! thread is judged by its processor time, which what else runs on the machine leaves alone; the
//! wall's time is shown beside it.

mod batch;
pub(crate) mod clock;
mod dockings;
mod fmu;
mod platform;
mod realtime;

use crate::command::{self, ViewArgs};
use crate::failure::{STOPPED, settle};
use crate::run as stopping;
use anyhow::Result;
use clap::{Args, Subcommand};
use clock::{Clock, Spent, go_on};
use leg_core::spatial::TipDrive;
use leg_core::{LegConfig, Simulation, SpatialLegConfig, SpatialSimulation};
use softdock_figures::{Views, figures};
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
    /// Random dockings at every fidelity: cost with set-up, steps, errors, instructions.
    Dockings(dockings::Arguments),
    /// Single steps of legs and platforms: percentiles 50 to 99.99 of their time.
    Realtime(realtime::Arguments),
}

#[derive(Debug, Args)]
struct LegArguments {
    /// Simulated seconds of one repetition.
    #[arg(long, default_value_t = 3.0)]
    duration: f64,
    /// Repetitions, of which the fastest counts.
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
    #[command(flatten)]
    views: ViewArgs,
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
        What::Leg(arguments) => {
            command::show(&arguments.views, || Ok(leg_speed(arguments)?.into()))
        }
        What::Fmu(arguments) => fmu::run(arguments),
        What::Platform(arguments) => platform::run(arguments),
        What::Batch(arguments) => batch::run(arguments),
        What::Dockings(arguments) => dockings::run(arguments),
        What::Realtime(arguments) => realtime::run(arguments),
    };
    match done {
        Err(_) if stopping::stop_requested() => Ok(ExitCode::from(STOPPED)),
        done => settle(done),
    }
}

figures! {
    /// Speed of the legs.
    #[serde(transparent)]
    struct LegSpeed;
    lines: Vec<Line> as "The cases.";
}

impl Views for LegSpeed {
    const FILE: &'static str = "bench-leg.json";

    fn title(&self) -> String {
        "Speed of one leg on one core".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let header = vec![
            "case",
            "elements",
            "step",
            "iterations",
            "per step",
            "simulated/processor",
            "simulated/wall",
            "",
        ];
        let row = |line: &Line| {
            vec![
                line.case.clone(),
                line.elements.to_string(),
                format!("{} ms", 1e3 * line.step_s),
                format!("{:.2}", line.iterations_per_step),
                format!("{:.2} µs", line.microseconds_per_step),
                format!("{:.1}", line.simulated_per_processor),
                format!("{:.1}", line.simulated_per_wall),
                wanted(line.simulated_per_processor, line.wanted),
            ]
        };
        Some((header, self.lines.iter().map(row).collect()))
    }

    fn notes(&self) -> Vec<String> {
        vec!["times per step and verdicts by the processor time of the thread".to_owned()]
    }
}

/// Whether a speed is what is wanted.
fn wanted(found: f64, wanted: Option<f64>) -> String {
    match wanted {
        Some(wanted) if found >= wanted => format!("(wanted {wanted}: met)"),
        Some(wanted) => format!("(wanted {wanted}: MISSED)"),
        None => String::new(),
    }
}

fn leg_speed(arguments: &LegArguments) -> Result<LegSpeed> {
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
    Ok(LegSpeed { lines })
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
