//! `softdock bench platform`: the platform's speed and where its time goes.

use super::clock::{Clock, Spent, go_on};
use crate::failure::BadInput;
use crate::legs::own_fmu;
use crate::output;
use anyhow::Result;
use multibody::model::Signal;
use serde::Serialize;
use softdock_fmi::import::FmuArchive;
use softdock_fmu::ModelKind;
use softdock_platform::PlatformConfig;
use softdock_platform::cosimulation::Implicit;
use softdock_platform::cosimulation::limit::{Search, stability_limit};
use softdock_platform::monolithic::Platform;
use softdock_platform::scheme::Scheme;
use softdock_platform::statics::StaticPlatform;
use softdock_platform::stopwatch::{Times, UnitTimes};
use softdock_platform::unit::{LoadedFmu, NativeUnit};
use softdock_platform::wrench::WrenchHistory;
use softdock_study::most_threads;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

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
    /// Finds the largest macro steps with which explicit co-simulation is stable, instead of
    /// measuring time.
    #[arg(long)]
    limits: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The limit of explicit co-simulation in one case.
#[derive(Debug, Serialize)]
struct Limit {
    spectral_radius: f64,
    tendon_damping_n_s_per_m: f64,
    order: usize,
    stable_s: f64,
    unstable_s: Option<f64>,
    unstable_below_s: Option<[f64; 2]>,
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
    /// The same by processor time; for one thread.
    simulated_per_processor: Option<f64>,
    /// Speed over that of the first number of threads.
    speed_up: f64,
    wanted: Option<f64>,
    /// Speed over that of the monolithic scheme with as many threads; for one thread by processor
    /// time.
    over_monolithic: f64,
    breakdown_microseconds_per_step: Breakdown,
}

/// Time per step by what it went to, all threads together: name and microseconds.
type Breakdown = Vec<(&'static str, f64)>;

fn per_step(time: Duration, steps: usize) -> f64 {
    1e6 * time.as_secs_f64() / steps.max(1) as f64
}

fn monolithic_breakdown(times: &Times, threads: usize, steps: usize) -> Breakdown {
    let legs = &times.legs;
    [
        ("elements and assembly", legs.assembly),
        ("factorisation", legs.factorisation),
        ("condensation", legs.condensation),
        ("acceptance", legs.acceptance),
        ("coupling", times.coupling),
        ("waiting", times.waiting(threads)),
    ]
    .map(|(name, time)| (name, per_step(time, steps)))
    .to_vec()
}

fn unit_breakdown(times: &UnitTimes, threads: usize, steps: usize) -> Breakdown {
    [
        ("legs", times.units),
        ("coupling", times.coupling()),
        ("waiting", times.waiting(threads)),
    ]
    .map(|(name, time)| (name, per_step(time, steps)))
    .to_vec()
}

/// What one repetition gives.
struct Repetition {
    spent: Spent,
    steps: usize,
    iterations: usize,
    breakdown: Breakdown,
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut config = PlatformConfig::default();
    config.legs.elements = arguments.elements;
    config.validate()?;
    if arguments.limits {
        return limits(arguments, &config);
    }
    for &threads in &arguments.threads {
        let most = most_threads();
        if threads > most {
            let message =
                format!("--threads {threads} is not allowed: it must be 0 to {most} here");
            return Err(BadInput::new(message).into());
        }
    }
    let lines = measure(arguments, &config)?;
    if arguments.json {
        output::say_json(&lines)?;
    } else {
        output::say(&text(&lines))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds and prints the limits of explicit co-simulation.
fn limits(arguments: &Arguments, config: &PlatformConfig) -> Result<ExitCode> {
    let search = Search {
        precision: 0.1,
        ..Search::default()
    };
    let mut found = Vec::new();
    for spectral_radius in [config.solver.spectral_radius, 0.5, 0.0] {
        for damping in [config.tendon.damping_n_s_per_m, 15.0] {
            let mut config = config.clone();
            config.solver.spectral_radius = spectral_radius;
            config.tendon.damping_n_s_per_m = damping;
            let equilibrium = StaticPlatform::nominal(&config)?;
            for order in 0..=2 {
                let limit = stability_limit(&equilibrium, order, &search)?;
                found.push(Limit {
                    spectral_radius,
                    tendon_damping_n_s_per_m: damping,
                    order,
                    stable_s: limit.stable_s,
                    unstable_s: limit.unstable_s,
                    unstable_below_s: limit.unstable_below_s,
                });
            }
        }
    }
    if arguments.json {
        output::say_json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!(
        "explicit co-simulation, {} elements, steps from 10 µs to 20 ms\n{:>16}{:>18}{:>8}{:>22}\n",
        config.legs.elements, "spectral radius", "tendon damping", "order", "stable macro step"
    );
    for limit in &found {
        let _ = writeln!(
            text,
            "{:>16}{:>12} N·s/m{:>8}{:>19.0} µs{}",
            limit.spectral_radius,
            limit.tendon_damping_n_s_per_m,
            limit.order,
            1e6 * limit.stable_s,
            limit
                .unstable_below_s
                .map_or_else(String::new, |[low, high]| format!(
                    ", but not {:.0} to {:.0} µs",
                    1e6 * low,
                    1e6 * high
                ))
        );
    }
    output::say(&text)?;
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

/// Share of the monolithic speed asked of implicit co-simulation with FMUs.
const WANTED_OF_FMUS: f64 = 0.5;

fn measure(arguments: &Arguments, config: &PlatformConfig) -> Result<Vec<Line>> {
    let equilibrium = StaticPlatform::nominal(config)?;
    let fmu = own_fmu(ModelKind::LegSpatial)?;
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |scheme: &'static str, threads: usize, best: Repetition| {
        let speed = arguments.duration / best.spent.wall;
        let by_processor = (threads == 1).then(|| arguments.duration / best.spent.processor);
        let first = lines.iter().find(|line| line.scheme == scheme);
        let monolithic = lines
            .iter()
            .find(|line| line.scheme == "monolithic" && line.threads == threads);
        // What else runs on the machine does not touch the ratio of two times of one thread.
        let over_monolithic = monolithic.map_or(1.0, |line| {
            match by_processor.zip(line.simulated_per_processor) {
                Some((ours, theirs)) => ours / theirs,
                None => speed / line.simulated_per_wall,
            }
        });
        let speed_up = first.map_or(1.0, |line| speed / line.simulated_per_wall);
        let usual = config.legs.elements == 10;
        let wanted = match scheme {
            "monolithic" => (threads == 2 && usual).then_some(WANTED),
            "FMUs" => usual.then_some(WANTED_OF_FMUS),
            _ => None,
        };
        let line = Line {
            scheme,
            threads,
            elements: config.legs.elements,
            step_s: config.solver.step_s,
            steps: best.steps,
            iterations_per_step: best.iterations as f64 / best.steps.max(1) as f64,
            microseconds_per_step: 1e6 * best.spent.over(best.steps).wall,
            simulated_per_wall: speed,
            simulated_per_processor: by_processor,
            speed_up,
            wanted,
            over_monolithic,
            breakdown_microseconds_per_step: best.breakdown,
        };
        lines.push(line);
    };
    for &threads in &arguments.threads {
        add(
            "monolithic",
            threads,
            monolithic(arguments, &equilibrium, threads)?,
        );
    }
    for &threads in &arguments.threads {
        let best = implicit(arguments, &equilibrium, threads, None)?;
        add("implicit", threads, best);
    }
    for &threads in &arguments.threads {
        let best = implicit(arguments, &equilibrium, threads, Some(&fmu))?;
        add("FMUs", threads, best);
    }
    Ok(lines)
}

fn monolithic(
    arguments: &Arguments,
    equilibrium: &StaticPlatform,
    threads: usize,
) -> Result<Repetition> {
    let mut platform = Platform::at_rest_under(equilibrium, push())?;
    platform.set_threads(threads);
    fastest(arguments, || {
        let start = platform.state();
        platform.measure();
        let clock = Clock::start();
        let done = platform.advance_to(arguments.duration)?;
        let spent = clock.spent();
        let times = platform.times();
        platform.restore(&start);
        Ok(Repetition {
            spent,
            steps: done.steps,
            iterations: done.iterations,
            breakdown: monolithic_breakdown(&times, threads, done.steps),
        })
    })
}

/// Implicit co-simulation with macro steps of one leg step.
fn implicit(
    arguments: &Arguments,
    equilibrium: &StaticPlatform,
    threads: usize,
    fmu: Option<&FmuArchive>,
) -> Result<Repetition> {
    fastest(arguments, || {
        let (starts, units) = match fmu {
            None => NativeUnit::all(equilibrium)?,
            Some(fmu) => LoadedFmu::all(core::slice::from_ref(fmu), equilibrium)?,
        };
        let mut platform = Implicit::new(equilibrium, &starts, units)?;
        platform.set_threads(threads);
        platform.set_wrench(push());
        platform.measure();
        let clock = Clock::start();
        let done = platform.advance_to(arguments.duration)?;
        let spent = clock.spent();
        Ok(Repetition {
            spent,
            steps: done.steps,
            iterations: done.iterations,
            breakdown: unit_breakdown(&platform.times(), threads, done.steps),
        })
    })
}

/// The fastest repetition.
fn fastest(
    arguments: &Arguments,
    mut run: impl FnMut() -> Result<Repetition>,
) -> Result<Repetition> {
    let mut best = run()?;
    for _ in 1..arguments.repetitions.max(1) {
        go_on()?;
        let mut next = run()?;
        let spent = best.spent.min(next.spent);
        if next.spent.wall < best.spent.wall {
            std::mem::swap(&mut best, &mut next);
        }
        best.spent = spent;
    }
    Ok(best)
}

fn text(lines: &[Line]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<12}{:>8}{:>10}{:>12}{:>13}{:>16}{:>21}{:>10}{:>17}",
        "scheme",
        "threads",
        "elements",
        "iterations",
        "per step",
        "simulated/wall",
        "simulated/processor",
        "speed-up",
        "over monolithic"
    );
    for line in lines {
        let found = match line.scheme {
            "FMUs" => line.over_monolithic,
            _ => line.simulated_per_wall,
        };
        let verdict = match line.wanted {
            Some(wanted) if found >= wanted => format!("  (wanted {wanted}: met)"),
            Some(wanted) => format!("  (wanted {wanted}: MISSED)"),
            None => String::new(),
        };
        let processor = line.simulated_per_processor;
        let processor = processor.map_or_else(|| "–".to_owned(), |speed| format!("{speed:.2}"));
        let _ = writeln!(
            out,
            "{:<12}{:>8}{:>10}{:>12.2}{:>10.1} µs{:>16.2}{processor:>21}{:>10.2}{:>17.2}{verdict}",
            line.scheme,
            line.threads,
            line.elements,
            line.iterations_per_step,
            line.microseconds_per_step,
            line.simulated_per_wall,
            line.speed_up,
            line.over_monolithic,
        );
    }
    let _ = writeln!(
        out,
        "\nimplicit: co-simulation with macro steps of one leg step, native legs; FMUs: the same \
         with six loaded FMUs\n\ntime per step by what it goes to, all threads together [µs]:"
    );
    for line in lines {
        let parts = line.breakdown_microseconds_per_step.iter();
        let parts: Vec<String> = parts
            .map(|(name, time)| format!("{name} {time:.1}"))
            .collect();
        let _ = writeln!(
            out,
            "{:<12}{:>2} threads: {}",
            line.scheme,
            line.threads,
            parts.join(", ")
        );
    }
    out
}
