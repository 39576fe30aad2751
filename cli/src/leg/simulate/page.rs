//! The page of a motion: animation, angles, tension, energies.

use super::PlanarEnd;
use crate::leg::motion::{Report, curve, energy_charts, figures};
use crate::leg::scene::Film;
use crate::summary::warning;
use leg_core::{LegConfig, LegSample};
use softdock_report::{Axis, Block, Chart, Page};

/// The page of a run.
pub(super) fn page(
    report: &Report<PlanarEnd>,
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
    let why = report.stopped_because.as_deref();
    let warning = warning(why, report.simulated_s, &report.soundness);
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

fn motion_charts(samples: &[LegSample], tendon: bool) -> Vec<Chart> {
    let curve = |name, value: fn(&LegSample) -> f64| curve(samples, name, value);
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
