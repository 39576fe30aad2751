//! The page of a run: motion, forces, motors, energies.

use super::report::Report;
use crate::summary::{soundness_figure, warning};
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::sample::{LegState, PlatformSample};
use softdock_report::{Axis, Block, Chart, Figure, Page, Series};

/// One number of every sample against time.
fn curve(samples: &[PlatformSample], name: &str, value: impl Fn(&PlatformSample) -> f64) -> Series {
    let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let values: Vec<f64> = samples.iter().map(value).collect();
    Series::line(name, &times, &values)
}

/// One number of every leg.
fn per_leg(
    samples: &[PlatformSample],
    legs: usize,
    value: impl Fn(&LegState) -> f64,
) -> Vec<Series> {
    (0..legs)
        .map(|i| curve(samples, &format!("leg {}", i + 1), |s| value(&s.legs[i])))
        .collect()
}

/// The page of a run.
pub(super) fn page(report: &Report, config: &PlatformConfig, samples: &[PlatformSample]) -> Page {
    let why = report.stopped_because.as_deref();
    Page {
        title: "Motion of the platform".to_owned(),
        lead: format!(
            "{} legs with {} elements, {} s simulated in steps of {} s.",
            config.leg_count(),
            config.legs.elements,
            report.simulated_s,
            report.step_s
        ),
        warning: warning(why, report.simulated_s, &report.soundness),
        figures: figures(report),
        blocks: charts(samples, config.leg_count())
            .into_iter()
            .map(Block::from)
            .collect(),
        dense: false,
    }
}

fn figures(report: &Report) -> Vec<Figure> {
    let [low, high] = report.tendon_tension_range_n;
    let millimetres = 1e3 * report.largest_displacement_m;
    vec![
        soundness_figure(&report.soundness),
        Figure::number("largest displacement", millimetres, 4, "mm"),
        Figure::number("largest leg force", report.largest_leg_force_n, 4, "N"),
        Figure::number("lowest tendon tension", low, 4, "N"),
        Figure::number("highest tendon tension", high, 4, "N"),
        Figure::number(
            "largest motor torque",
            report.largest_motor_torque_nm,
            4,
            "N·m",
        ),
        Figure::number("dissipated", report.dissipated_j, 4, "J"),
        Figure::text(
            "energy residual",
            format!("{:.1e}", report.largest_energy_residual_j),
            "J",
        ),
    ]
}

fn charts(samples: &[PlatformSample], legs: usize) -> Vec<Chart> {
    let start = samples.first().map_or([0.0; 3], |s| s.effector.position);
    let axes = ["x", "y", "z"];
    let moved = (0..3).map(|i| {
        curve(samples, axes[i], |s| {
            1e3 * (s.effector.position[i] - start[i])
        })
    });
    let turned = (0..3).map(|i| {
        curve(samples, Attitude::NAMES[i], |s| {
            s.effector.attitude.degrees()[i]
        })
    });
    let norm = |f: [f64; 3]| f.iter().map(|x| x * x).sum::<f64>().sqrt();
    vec![
        Chart::over_time(
            "Displacement",
            "Centre of the end effector from where it started.",
            Axis::new("displacement", "mm"),
            moved.collect(),
        ),
        Chart::over_time(
            "Attitude",
            "Pitch, yaw and roll of the end effector.",
            Axis::new("angle", "°"),
            turned.collect(),
        ),
        Chart::over_time(
            "Leg forces",
            "Size of the force of each leg on the end effector.",
            Axis::new("force", "N"),
            per_leg(samples, legs, |leg| norm(leg.force)),
        ),
        Chart::over_time(
            "Tendon tensions",
            "Spring and damper together; at zero a tendon is slack.",
            Axis::new("tension", "N"),
            per_leg(samples, legs, |leg| leg.tendon_tension),
        ),
        Chart::over_time(
            "Motor torques",
            "Torque of each motor, or of what prescribes its angle.",
            Axis::new("torque", "N·m"),
            per_leg(samples, legs, |leg| leg.motor_torque),
        ),
        Chart::over_time(
            "Motor angles",
            "Crank angles.",
            Axis::new("angle", "rad"),
            per_leg(samples, legs, |leg| leg.motor_angle),
        ),
        Chart::over_time(
            "Energy",
            "Motion of everything, work done on the platform, and what the dampers took.",
            Axis::new("energy", "J"),
            vec![
                curve(samples, "kinetic", |s| {
                    s.energy.bodies_kinetic + s.energy.legs_kinetic
                }),
                curve(samples, "work of the wrench", |s| s.energy.wrench_work),
                curve(samples, "work of the motors", |s| s.energy.motor_work),
                curve(samples, "dissipated", |s| s.energy.dissipated),
            ],
        ),
        Chart::over_time(
            "Energy residual",
            "What the energy account misses: the error of the time integration.",
            Axis::new("residual", "J"),
            vec![curve(samples, "residual", |s| s.energy.residual)],
        ),
    ]
}
