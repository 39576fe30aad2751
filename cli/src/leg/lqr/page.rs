//! The page of a regulator: closed loop beside constant torque.

use super::report::Report;
use crate::leg::equilibrium::Equilibrium;
use crate::leg::motion;
use crate::leg::regulated::Run;
use crate::summary::{soundness_figure, warning};
use leg_core::LegSample;
use softdock_report::{Axis, Block, Chart, Figure, Page, Series};

/// The page of both runs.
pub(super) fn page(report: &Report, rest: &Equilibrium, closed: &Run, open: &Run) -> Page {
    let tendon = rest.leg().tendon.is_some();
    let film = |run: &Run, title: &str, sentence: &str| {
        Block::from(run.film.animation(title, sentence, tendon))
    };
    let mut blocks = vec![
        film(
            closed,
            "Regulated leg",
            "The nonlinear leg under the regulator, drawn to scale; dotted is the leaf in \
             equilibrium.",
        ),
        film(
            open,
            "Leg under constant torque",
            "The same leg, let go from the same place, under the constant holding torque.",
        ),
    ];
    blocks.extend(
        charts(report, tendon, closed, open)
            .into_iter()
            .map(Block::from),
    );
    Page {
        title: "Regulator of the leg".to_owned(),
        lead: format!(
            "Linear-quadratic regulator made from {} states about the bowed equilibrium, tried on \
             the nonlinear leg: the crank is let go {}° away from it.",
            report.states.len(),
            report.disturbance_deg
        ),
        warning: {
            let closed = &report.closed_loop;
            let why = closed.ended_because.as_deref();
            warning(why, closed.simulated_s, &report.soundness)
        },
        figures: figures(report),
        blocks,
        dense: false,
    }
}

fn figures(report: &Report) -> Vec<Figure> {
    let closed = &report.closed_loop;
    let time = |label: &str, value: Option<f64>| match value {
        Some(value) => Figure::number(label, value, 3, "s"),
        None => Figure::text(label, "not settled", ""),
    };
    vec![
        soundness_figure(&report.soundness),
        time("crank settles", closed.crank_settling_time_s),
        time("upper link settles", closed.link_settling_time_s),
        time(
            "crank, constant torque",
            report.open_loop.crank_settling_time_s,
        ),
        Figure::number("peak torque", closed.peak_torque_nm, 4, "N·m"),
        Figure::number("holding torque", report.holding_torque_nm, 4, "N·m"),
        Figure::text(
            "Riccati residual",
            format!("{:.1e}", report.riccati_residual_rel),
            "",
        ),
    ]
}

/// Charts of both loops. The one under constant torque may leave the picture.
fn charts(report: &Report, tendon: bool, closed: &Run, open: &Run) -> Vec<Chart> {
    let both = |value: fn(&LegSample) -> f64| -> Vec<Series> {
        vec![
            motion::curve(&closed.samples, "regulator", value),
            motion::curve(&open.samples, "constant torque", value),
        ]
    };
    // What the regulated leg shows, and as much again on either side.
    let window = |value: fn(&LegSample) -> f64| {
        let values = || closed.samples.iter().map(value);
        let (low, high) = (
            values().fold(f64::MAX, f64::min),
            values().fold(f64::MIN, f64::max),
        );
        let room = 0.75 * (high - low).max(1e-3);
        [low - room, high + room]
    };
    let chart = |title: &str, sentence: &str, y: Axis, value: fn(&LegSample) -> f64| {
        Chart::over_time(title, sentence, y, both(value))
    };
    let q1: fn(&LegSample) -> f64 = |s| s.q[0].to_degrees();
    let q3: fn(&LegSample) -> f64 = |s| s.q[2].to_degrees();
    let mut charts = vec![
        chart("Crank", "Angle of the crank.", Axis::new("q1", "°"), q1).windowed(window(q1)),
        chart(
            "Upper link",
            "Angle of the upper link, which nothing drives directly.",
            Axis::new("q3", "°"),
            q3,
        )
        .windowed(window(q3)),
        chart(
            "Motor torque",
            &format!(
                "Torque on the crank, holding torque included; the limit is ±{} N·m.",
                report.torque_limit_nm
            ),
            Axis::new("torque", "N·m"),
            |s| s.crank_torque,
        ),
    ];
    if tendon {
        let tension: fn(&LegSample) -> f64 = |s| s.tendon_tension;
        let axis = Axis::new("tension", "N");
        charts.push(
            chart(
                "Tendon tension",
                "Spring and damper together.",
                axis,
                tension,
            )
            .windowed(window(tension)),
        );
    }
    charts
}
