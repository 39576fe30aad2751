//! Charts that every leg in motion has.

use super::{Account, End, Report, Sampled};
use crate::summary::soundness_figure;
use softdock_report::{Axis, Chart, Figure, Series};

/// The figures of a page.
pub fn figures<E: End>(report: &Report<E>, tendon: bool) -> Vec<Figure> {
    let [low, high] = report.tendon_tension_range_n;
    let mut figures = vec![
        soundness_figure(&report.soundness),
        Figure::number(
            "largest turn of the crank",
            report.largest_crank_turn_rad.to_degrees(),
            4,
            "°",
        ),
        Figure::text(
            "largest loop gap",
            format!("{:.1e}", report.largest_loop_gap_m),
            "m",
        ),
        Figure::text(
            "energy residual",
            format!("{:.1e}", report.largest_energy_residual_j),
            "J",
        ),
        Figure::number("iterations per step", report.iterations_per_step, 3, ""),
        Figure::number("wall time", report.wall_s, 3, "s"),
    ];
    if tendon {
        figures.insert(2, Figure::number("highest tendon tension", high, 5, "N"));
        figures.insert(2, Figure::number("lowest tendon tension", low, 5, "N"));
    }
    figures
}

/// One number of every sample against time.
pub fn curve<S: Sampled>(samples: &[S], name: &str, value: impl Fn(&S) -> f64) -> Series {
    let times: Vec<f64> = samples.iter().map(|s| s.account().t).collect();
    let values: Vec<f64> = samples.iter().map(value).collect();
    Series::line(name, &times, &values)
}

/// Where the energy is, and what the account misses.
pub fn energy_charts<S: Sampled>(samples: &[S], tendon: bool) -> [Chart; 2] {
    let curve =
        |name, value: fn(&Account) -> f64| curve(samples, name, |sample| value(&sample.account()));
    let mut energies = vec![
        curve("kinetic", |s| s.energies.kinetic),
        curve("gravity", |s| s.energies.gravity),
        curve("strain", |s| s.energies.strain),
    ];
    if tendon {
        energies.push(curve("tendon", |s| s.energies.springs));
    }
    energies.push(curve("work in", |s| s.work_in));
    energies.push(curve("dissipated", |s| s.dissipated));
    [
        Chart::over_time(
            "Energies",
            "Where the energy is, what came in and what the dampers took.",
            Axis::new("energy", "J"),
            energies,
        ),
        Chart::over_time(
            "Energy residual",
            "What the energy account misses: the error of the time integration.",
            Axis::new("residual", "J"),
            vec![curve("residual", |s| s.energy_residual)],
        ),
    ]
}
