//! `softdock bench platform`: the platform's speed and where its time goes.

use super::clock::{Clock, Spent, go_on};
use super::wanted;
use crate::command::{self, ViewArgs};
use crate::failure::BadInput;
use crate::legs::own_fmu;
use anyhow::Result;
use multibody::model::Signal;
use serde::Serialize;
use softdock_figures::{Views, figures};
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
    #[command(flatten)]
    views: ViewArgs,
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
        return command::show(&arguments.views, || Ok(limits(&config)?.into()));
    }
    for &threads in &arguments.threads {
        let most = most_threads();
        if threads > most {
            let message =
                format!("--threads {threads} is not allowed: it must be 0 to {most} here");
            return Err(BadInput::new(message).into());
        }
    }
    command::show(&arguments.views, || {
        let lines = measure(arguments, &config)?;
        Ok(PlatformSpeed { lines }.into())
    })
}

figures! {
    /// Limits of explicit co-simulation.
    #[serde(transparent)]
    struct Limits;
    limits: Vec<Limit> as "The cases.";
}

impl Views for Limits {
    const FILE: &'static str = "limits.json";

    fn title(&self) -> String {
        "Explicit co-simulation: stable macro steps, tried from 10 µs to 20 ms".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let microseconds = |time: f64| format!("{:.0} µs", 1e6 * time);
        let row = |limit: &Limit| {
            let but = limit.unstable_below_s.map(|ends| ends.map(microseconds));
            let but = but.map(|[low, high]| format!("but not {low} to {high}"));
            vec![
                limit.spectral_radius.to_string(),
                format!("{} N·s/m", limit.tendon_damping_n_s_per_m),
                limit.order.to_string(),
                microseconds(limit.stable_s),
                but.unwrap_or_default(),
            ]
        };
        let header = vec!["spectral radius", "tendon damping", "order", "stable", ""];
        Some((header, self.limits.iter().map(row).collect()))
    }
}

/// Finds the limits of explicit co-simulation.
fn limits(config: &PlatformConfig) -> Result<Limits> {
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
    Ok(Limits { limits: found })
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

figures! {
    /// Speed of the platform.
    #[serde(transparent)]
    struct PlatformSpeed;
    lines: Vec<Line> as "The cases.";
}

impl Views for PlatformSpeed {
    const FILE: &'static str = "bench-platform.json";

    fn title(&self) -> String {
        "Speed of the platform, pushed and released".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let header = vec![
            "scheme",
            "threads",
            "elements",
            "iterations",
            "per step",
            "simulated/wall",
            "simulated/processor",
            "speed-up",
            "over monolithic",
            "",
        ];
        let row = |line: &Line| {
            let found = match line.scheme {
                "FMUs" => line.over_monolithic,
                _ => line.simulated_per_wall,
            };
            let processor = line.simulated_per_processor;
            vec![
                line.scheme.to_owned(),
                line.threads.to_string(),
                line.elements.to_string(),
                format!("{:.2}", line.iterations_per_step),
                format!("{:.1} µs", line.microseconds_per_step),
                format!("{:.2}", line.simulated_per_wall),
                processor.map_or_else(|| "–".to_owned(), |speed| format!("{speed:.2}")),
                format!("{:.2}", line.speed_up),
                format!("{:.2}", line.over_monolithic),
                wanted(found, line.wanted),
            ]
        };
        Some((header, self.lines.iter().map(row).collect()))
    }

    fn notes(&self) -> Vec<String> {
        let part = |(name, time): &(&str, f64)| format!("{name} {time:.1}");
        let breakdown = |line: &Line| {
            let parts = line.breakdown_microseconds_per_step.iter().map(part);
            let parts = parts.collect::<Vec<_>>().join(", ");
            format!("{}, {} threads: {parts}", line.scheme, line.threads)
        };
        let explained = [
            "implicit: co-simulation with macro steps of one leg step, native legs; FMUs: the same \
             with six loaded FMUs",
            "time per step by what it goes to, all threads together [µs]:",
        ];
        let explained = explained.into_iter().map(str::to_owned);
        explained.chain(self.lines.iter().map(breakdown)).collect()
    }
}
