//! Closed and open loop side by side.

use super::Sample;
use super::report::{Report, norm};
use crate::summary::{soundness_figure, warning};
use softdock_report::{Axis, Block, Chart, Page, Series};

/// The page of a regulator.
pub(super) fn page(report: &Report, closed: &[Sample], open: &[Sample]) -> Page {
    let curve = |samples: &[Sample], name: &str, value: &dyn Fn(&Sample) -> f64| {
        let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
        let values: Vec<f64> = samples.iter().map(value).collect();
        Series::line(name, &times, &values)
    };
    let both = |value: &dyn Fn(&Sample) -> f64| {
        vec![
            curve(closed, "closed loop", value),
            curve(open, "open loop", value),
        ]
    };
    let legs = closed.first().map_or(0, |s| s.torques.len());
    let torques = (0..legs).map(|i| {
        let name = format!("motor {}", i + 1);
        curve(closed, &name, &|s| s.torques[i])
    });
    let charts = vec![
        Chart::over_time(
            "Displacement",
            "Distance of the end effector from its equilibrium.",
            Axis::new("distance", "mm"),
            both(&|s| 1e3 * norm(&s.moved)),
        ),
        Chart::over_time(
            "Rotation",
            "Angle of the end effector from its equilibrium.",
            Axis::new("angle", "°"),
            both(&|s| norm(&s.turned).to_degrees()),
        ),
        Chart::over_time(
            "Torques",
            "Motor torques of the closed loop, within their limits.",
            Axis::new("torque", "N·m"),
            torques.collect(),
        ),
    ];
    Page {
        title: "Regulator of the platform's pose".to_owned(),
        lead: format!(
            "{} modes, a period of {} s, torques within ± {} N·m.",
            report.modes, report.period_s, report.torque_limit_nm
        ),
        warning: warning(
            report.closed.ended.as_deref(),
            closed.last().map_or(0.0, |s| s.t),
            &report.soundness,
        ),
        figures: vec![soundness_figure(&report.soundness)],
        blocks: charts.into_iter().map(Block::from).collect(),
        ..Page::default()
    }
}
