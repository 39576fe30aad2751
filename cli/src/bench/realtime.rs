//! `softdock bench realtime`: how long single steps take, not on average but at worst.
//!
//! Every step of fixed size is timed by the wall, as hardware in the loop would wait for it, and by the
//! processor. Percentiles say what can be relied on: at 1 kHz, a percentile 99.99 is what one step in
//! ten seconds exceeds. Other work on the machine counts in the wall's time and not in the processor's.

use super::clock::{Clock, go_on};
use crate::command::{self, ViewArgs};
use anyhow::Result;
use clap::Args;
use leg_core::spatial::TipDrive;
use leg_core::{LegConfig, Simulation, SpatialLegConfig, SpatialSimulation};
use multibody::model::Signal;
use serde::Serialize;
use softdock_figures::{Views, figures};
use softdock_platform::PlatformConfig;
use softdock_platform::config::Fidelity;
use softdock_platform::scheme;
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;
use std::process::ExitCode;

/// Arguments of `softdock bench realtime`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Steps of every case
    #[arg(long, default_value_t = 20_000)]
    steps: usize,
    #[command(flatten)]
    views: ViewArgs,
}

/// Size of a step [s].
const STEP: f64 = 1e-3;
/// Percentiles that are shown.
const PERCENTILES: [f64; 6] = [50.0, 90.0, 99.0, 99.9, 99.99, 100.0];

/// Times of the steps of one case in microseconds.
#[derive(Debug, Serialize)]
struct Line {
    case: &'static str,
    elements: usize,
    steps: usize,
    /// At the percentiles 50, 90, 99, 99.9, 99.99 and 100, by the wall.
    wall_microseconds: [f64; 6],
    /// The same by the processor.
    processor_microseconds: [f64; 6],
    /// The percentile 99.99 by the processor over the step's own length.
    load: f64,
}

figures! {
    /// Times of single steps.
    #[serde(transparent)]
    struct StepTimes;
    lines: Vec<Line> as "The cases.";
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || Ok(measure(arguments.steps)?.into()))
}

fn measure(steps: usize) -> Result<StepTimes> {
    let mut lines = Vec::new();
    for elements in [5, 10] {
        let mut config = LegConfig::default();
        config.solver.elements = elements;
        let mut leg = Simulation::new(&config)?;
        lines.push(timed("planar leg, released", elements, steps, |end| {
            leg.advance_to(end)?;
            Ok(())
        })?);
        let mut config = SpatialLegConfig::default();
        config.solver.elements = elements;
        let mut leg = SpatialSimulation::new(&config, TipDrive::Prescribed)?;
        lines.push(timed("spatial leg, released", elements, steps, |end| {
            leg.advance_to(end)?;
            Ok(())
        })?);
    }
    for (case, fidelity, elements) in [
        ("platform, shaken", Fidelity::Full, 6),
        ("platform, shaken", Fidelity::Full, 10),
        ("platform of reduced legs, shaken", Fidelity::Reduced, 6),
        ("platform of struts, shaken", Fidelity::Strut, 10),
    ] {
        let mut config = PlatformConfig::default();
        config.legs.fidelity = fidelity;
        config.legs.elements = elements;
        config.solver.threads = 1;
        let equilibrium = StaticPlatform::nominal(&config)?;
        let mut platform = scheme::start(&equilibrium, shaking())?;
        lines.push(timed(case, elements, steps, |end| {
            platform.advance_to(end)?;
            Ok(())
        })?);
    }
    Ok(StepTimes { lines })
}

/// A wrench that keeps the platform moving.
fn shaking() -> WrenchHistory {
    let sine = |amplitude: f64, frequency: f64| Signal::Sine {
        offset: 0.0,
        amplitude,
        frequency,
        phase: 0.0,
    };
    let still = || Signal::Constant(0.0);
    WrenchHistory([
        sine(3.0, 1.7),
        sine(2.0, 2.3),
        sine(20.0, 5.0),
        sine(0.2, 3.1),
        still(),
        still(),
    ])
}

/// Times every step; the first hundredth warms up and does not count.
fn timed(
    case: &'static str,
    elements: usize,
    steps: usize,
    mut advance: impl FnMut(f64) -> Result<()>,
) -> Result<Line> {
    let steps = steps.max(100);
    let warm = steps / 100;
    let (mut wall, mut processor) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    for step in 1..=steps + warm {
        let clock = Clock::start();
        advance(step as f64 * STEP)?;
        let spent = clock.spent();
        if step > warm {
            wall.push(1e6 * spent.wall);
            processor.push(1e6 * spent.processor);
        }
        if step % 1000 == 0 {
            go_on()?;
        }
    }
    let processor_microseconds = percentiles(processor);
    Ok(Line {
        case,
        elements,
        steps,
        wall_microseconds: percentiles(wall),
        load: processor_microseconds[4] / (1e6 * STEP),
        processor_microseconds,
    })
}

/// The smallest values that at least so many per cent do not exceed.
fn percentiles(mut times: Vec<f64>) -> [f64; 6] {
    times.sort_by(f64::total_cmp);
    let count = times.len();
    PERCENTILES.map(|percent| {
        // Hundredths of a percent are whole numbers, so that rounding does not raise a rank.
        let parts = (100.0 * percent).round() as usize;
        let rank = (parts * count).div_ceil(10_000);
        times.get(rank.clamp(1, count) - 1).copied().unwrap_or(0.0)
    })
}

impl Views for StepTimes {
    const FILE: &'static str = "bench-realtime.json";

    fn title(&self) -> String {
        "Time of single steps of 1 ms, one thread [µs]".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let header = vec![
            "case", "elements", "clock", "50 %", "90 %", "99 %", "99.9 %", "99.99 %", "worst",
        ];
        let row = |line: &Line, clock: &str, times: &[f64; 6]| {
            let mut row = vec![
                line.case.to_owned(),
                line.elements.to_string(),
                clock.to_owned(),
            ];
            row.extend(times.iter().map(|time| format!("{time:.1}")));
            row
        };
        let rows = self.lines.iter().flat_map(|line| {
            [
                row(line, "processor", &line.processor_microseconds),
                row(line, "wall", &line.wall_microseconds),
            ]
        });
        Some((header, rows.collect()))
    }

    fn notes(&self) -> Vec<String> {
        let count = self.lines.first().map_or(0, |line| line.steps);
        vec![format!(
            "{count} steps each; reading the clocks costs about 1 µs of every step"
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::percentiles;

    #[test]
    fn percentiles_are_ranks() {
        let times = (1..=10_000).rev().map(f64::from).collect();
        assert_eq!(
            percentiles(times),
            [5000.0, 9000.0, 9900.0, 9990.0, 9999.0, 10_000.0]
        );
    }
}
