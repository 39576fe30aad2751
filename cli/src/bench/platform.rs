//! `softdock bench platform`: the platform's speed and where its time goes.

use crate::output;
use anyhow::Result;
use leg_core::model::Signal;
use serde::Serialize;
use softdock_platform::PlatformConfig;
use softdock_platform::monolithic::{Platform, WrenchHistory};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::stopwatch::Times;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `softdock bench platform`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Simulated seconds of one repetition.
    #[arg(long, default_value_t = 1.0)]
    duration: f64,
    /// Repetitions, of which the fastest counts.
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
    /// Elements of each leaf.
    #[arg(long, default_value_t = 10)]
    elements: usize,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// One measured case.
#[derive(Debug, Serialize)]
struct Line {
    scheme: &'static str,
    threads: usize,
    elements: usize,
    step_s: f64,
    steps: usize,
    iterations_per_step: f64,
    microseconds_per_step: f64,
    simulated_per_wall: f64,
    /// Speed over that of the first number of threads.
    speed_up: f64,
    wanted: Option<f64>,
    breakdown_microseconds_per_step: Breakdown,
}

/// Time per step by what it went to, all threads together.
#[derive(Debug, Serialize)]
struct Breakdown {
    elements_and_assembly: f64,
    factorisation: f64,
    condensation: f64,
    acceptance: f64,
    coupling: f64,
    waiting: f64,
}

impl Breakdown {
    fn new(times: &Times, threads: usize, steps: usize) -> Self {
        let per_step = |time: Duration| 1e6 * time.as_secs_f64() / steps.max(1) as f64;
        let legs = &times.legs;
        Self {
            elements_and_assembly: per_step(legs.assembly),
            factorisation: per_step(legs.factorisation),
            condensation: per_step(legs.condensation),
            acceptance: per_step(legs.acceptance),
            coupling: per_step(times.coupling),
            waiting: per_step(times.waiting(threads)),
        }
    }
}

/// What one repetition gives.
struct Repetition {
    seconds: f64,
    steps: usize,
    iterations: usize,
    times: Times,
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut config = PlatformConfig::default();
    config.legs.elements = arguments.elements;
    config.validate()?;
    // Each coupling scheme adds its lines here, in the order of DESIGN's table.
    let lines = monolithic(arguments, &config)?;
    if arguments.json {
        output::say_json(&lines)?;
    } else {
        output::say(&text(&lines))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The push that all schemes simulate: 20 N off-axis for 50 ms, then free.
fn push() -> WrenchHistory {
    let wrench = [6.0, -8.0, -17.320508, 1.5, 0.8, -0.6];
    WrenchHistory(wrench.map(|before| Signal::Step {
        time: 0.05,
        before,
        after: 0.0,
    }))
}

/// Simulated seconds per second asked of two threads.
const WANTED: f64 = 2.0;

fn monolithic(arguments: &Arguments, config: &PlatformConfig) -> Result<Vec<Line>> {
    let equilibrium = StaticPlatform::nominal(config)?;
    let mut lines: Vec<Line> = Vec::new();
    for &threads in &arguments.threads {
        let mut platform = Platform::at_rest_under(&equilibrium, push())?;
        platform.set_threads(threads);
        let best = fastest(arguments, || {
            let start = platform.state();
            platform.measure();
            let clock = Instant::now();
            let done = platform.advance_to(arguments.duration)?;
            let seconds = clock.elapsed().as_secs_f64();
            let times = platform.times();
            platform.restore(&start);
            Ok(Repetition {
                seconds,
                steps: done.steps,
                iterations: done.iterations,
                times,
            })
        })?;
        let first = lines.first().map(|line| line.simulated_per_wall);
        let speed = arguments.duration / best.seconds;
        lines.push(Line {
            scheme: "monolithic",
            threads,
            elements: config.legs.elements,
            step_s: config.solver.step_s,
            steps: best.steps,
            iterations_per_step: best.iterations as f64 / best.steps.max(1) as f64,
            microseconds_per_step: 1e6 * best.seconds / best.steps.max(1) as f64,
            simulated_per_wall: speed,
            speed_up: speed / first.unwrap_or(speed),
            wanted: (threads == 2 && config.legs.elements == 10).then_some(WANTED),
            breakdown_microseconds_per_step: Breakdown::new(&best.times, threads, best.steps),
        });
    }
    Ok(lines)
}

/// The fastest repetition.
fn fastest(
    arguments: &Arguments,
    mut run: impl FnMut() -> Result<Repetition>,
) -> Result<Repetition> {
    let mut best = run()?;
    for _ in 1..arguments.repetitions.max(1) {
        let next = run()?;
        if next.seconds < best.seconds {
            best = next;
        }
    }
    Ok(best)
}

fn text(lines: &[Line]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<12}{:>8}{:>10}{:>12}{:>13}{:>16}{:>10}",
        "scheme", "threads", "elements", "iterations", "per step", "simulated/wall", "speed-up"
    );
    for line in lines {
        let verdict = match line.wanted {
            Some(wanted) if line.simulated_per_wall >= wanted => {
                format!("  (wanted {wanted}: met)")
            }
            Some(wanted) => format!("  (wanted {wanted}: MISSED)"),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "{:<12}{:>8}{:>10}{:>12.2}{:>10.1} µs{:>16.2}{:>10.2}{verdict}",
            line.scheme,
            line.threads,
            line.elements,
            line.iterations_per_step,
            line.microseconds_per_step,
            line.simulated_per_wall,
            line.speed_up,
        );
    }
    let _ = writeln!(
        out,
        "\ntime per step by what it goes to, all threads together [µs]:"
    );
    for line in lines {
        let part = &line.breakdown_microseconds_per_step;
        let _ = writeln!(
            out,
            "{:<12}{:>2} threads: elements and assembly {:.1}, factorisation {:.1}, condensation \
             {:.1}, acceptance {:.1}, coupling {:.1}, waiting {:.1}",
            line.scheme,
            line.threads,
            part.elements_and_assembly,
            part.factorisation,
            part.condensation,
            part.acceptance,
            part.coupling,
            part.waiting,
        );
    }
    out
}
