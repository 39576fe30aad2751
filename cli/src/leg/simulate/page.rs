//! The page of a motion: animation, angles, tension, energies.

use super::report::Report;
use crate::leg::scene::Film;
use leg_core::leg::{LegConfig, LegSample};
use softdock_report::{Axis, Block, Chart, Figure, Page, Series};

/// The page of a run.
pub(super) fn page(
    report: &Report,
    config: &LegConfig,
    samples: &[LegSample],
    film: &Film,
) -> Page {
    let tendon = config.tendon.present;
    let mut blocks = Vec::new();
    if !samples.is_empty() {
        blocks.push(Block::Animation(film.animation(
            "Motion",
            "The leg in its plane, drawn to scale; the charts follow the slider.",
            tendon,
        )));
    }
    blocks.extend(motion_charts(samples, tendon).into_iter().map(Block::from));
    blocks.extend(energy_charts(samples, tendon).map(Block::from));
    let warning = report.stopped_because.as_ref().map(|why| {
        format!(
            "Incomplete: ended at t = {:.4} s ({why}).",
            report.simulated_s
        )
    });
    let lead = format!(
        "Planar leg with {} elements, {} s simulated in steps of {} s.",
        config.solver.elements, report.simulated_s, config.solver.step_s
    );
    let figures = figures(report, tendon);
    Page {
        title: "Motion of the leg".to_owned(),
        lead,
        warning,
        figures,
        blocks,
        dense: false,
    }
}

fn figures(report: &Report, tendon: bool) -> Vec<Figure> {
    let [low, high] = report.tendon_tension_range_n;
    let mut figures = vec![
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
        figures.insert(1, Figure::number("highest tendon tension", high, 5, "N"));
        figures.insert(1, Figure::number("lowest tendon tension", low, 5, "N"));
    }
    figures
}

/// One number of every sample against time.
pub fn curve(samples: &[LegSample], name: &str, value: fn(&LegSample) -> f64) -> Series {
    let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let values: Vec<f64> = samples.iter().map(value).collect();
    Series::line(name, &times, &values)
}

fn motion_charts(samples: &[LegSample], tendon: bool) -> Vec<Chart> {
    let curve = |name, value| curve(samples, name, value);
    let mut charts = vec![Chart::over_time(
        "Angles",
        "Crank q1, chord against crank q2 and upper link q3.",
        Axis::new("angle", "rad"),
        vec![
            curve("q1", |s| s.q[0]),
            curve("q2", |s| s.q[1]),
            curve("q3", |s| s.q[2]),
        ],
    )];
    if tendon {
        charts.push(Chart::over_time(
            "Tendon tension",
            "Spring and damper together; at zero the tendon is slack.",
            Axis::new("tension", "N"),
            vec![curve("tension", |s| s.tendon_tension)],
        ));
    }
    let sentence = if tendon {
        "Distance from A to B, which is the tendon's length."
    } else {
        "Distance from A to B."
    };
    charts.push(Chart::over_time(
        "Chord",
        sentence,
        Axis::new("length", "m"),
        vec![curve("chord |AB|", |s| s.tendon_length)],
    ));
    charts.push(Chart::over_time(
        "Middle of the leaf",
        "Position of the middle of the leaf.",
        Axis::new("position", "m"),
        vec![
            curve("x", |s| s.stations[1][0]),
            curve("y", |s| s.stations[1][1]),
        ],
    ));
    if samples.iter().any(|s| s.crank_torque != 0.0) {
        charts.push(Chart::over_time(
            "Crank torque",
            "Torque of the motor, or of what prescribes the crank's angle.",
            Axis::new("torque", "N·m"),
            vec![curve("crank torque", |s| s.crank_torque)],
        ));
    }
    charts
}

fn energy_charts(samples: &[LegSample], tendon: bool) -> [Chart; 2] {
    let curve = |name, value| curve(samples, name, value);
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
