//! `softdock bench`: how fast the legs run, one line per case.
//!
//! Absolute figures depend on the machine and on what else runs on it; the best of several
//! repetitions is shown, and ratios within one run are what counts.

mod fmu;

use anyhow::Result;
use clap::{Args, Subcommand};
use leg_core::leg::spatial::TipDrive;
use leg_core::leg::{LegConfig, Simulation, SpatialLegConfig, SpatialSimulation};
use std::process::ExitCode;
use std::time::Instant;

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
    microseconds_per_step: f64,
    simulated_per_wall: f64,
    wanted: Option<f64>,
}

/// Runs the chosen benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Leg(arguments) => run_leg(arguments),
        What::Fmu(arguments) => fmu::run(arguments),
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
        println!("{}", serde_json::to_string_pretty(&lines)?);
    } else {
        print_lines(&lines);
    }
    Ok(ExitCode::SUCCESS)
}

/// The fastest of several repetitions of `run`, which gives steps and iterations.
fn fastest(
    repetitions: usize,
    mut run: impl FnMut() -> Result<(usize, usize)>,
) -> Result<(f64, usize, usize)> {
    let mut best = (f64::INFINITY, 0, 0);
    for _ in 0..repetitions.max(1) {
        let start = Instant::now();
        let (steps, iterations) = run()?;
        let seconds = start.elapsed().as_secs_f64();
        if seconds < best.0 {
            best = (seconds, steps, iterations);
        }
    }
    Ok(best)
}

fn line(
    case: &str,
    elements: usize,
    step_s: f64,
    duration: f64,
    (seconds, steps, iterations): (f64, usize, usize),
    wanted: Option<f64>,
) -> Line {
    Line {
        case: case.to_owned(),
        elements,
        step_s,
        steps,
        iterations_per_step: iterations as f64 / steps.max(1) as f64,
        microseconds_per_step: 1e6 * seconds / steps.max(1) as f64,
        simulated_per_wall: duration / seconds,
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
    let timed = fastest(arguments.repetitions, || {
        simulation.restart_from(&start);
        let done = simulation.advance_to(arguments.duration)?;
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
    let timed = fastest(arguments.repetitions, || {
        simulation.restart_from(&start);
        let done = simulation.advance_to(arguments.duration)?;
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

fn print_lines(lines: &[Line]) {
    println!(
        "{:<30}{:>10}{:>10}{:>12}{:>12}{:>16}",
        "case", "elements", "step", "iterations", "per step", "simulated/wall"
    );
    for line in lines {
        let verdict = match line.wanted {
            Some(wanted) if line.simulated_per_wall >= wanted => {
                format!("  (wanted {wanted}: met)")
            }
            Some(wanted) => format!("  (wanted {wanted}: MISSED)"),
            None => String::new(),
        };
        println!(
            "{:<30}{:>10}{:>7} ms{:>12.2}{:>9.2} µs{:>16.1}{verdict}",
            line.case,
            line.elements,
            1e3 * line.step_s,
            line.iterations_per_step,
            line.microseconds_per_step,
            line.simulated_per_wall,
        );
    }
}
