//! `softdock leg spatial modes`: vibration about the bowed equilibrium.

use super::config::SpatialSettings;
use super::equilibrium::{Equilibrium, Held};
use super::picture::Film;
use crate::leg::modes::Report;
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use multibody::group::Group;
use multibody::math;
use multibody::modal::{self, Mode, Modes};
use nalgebra::Vector3;
use serde::Serialize;
use softdock_report::{Block, Figure, Page};
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The leg is in its pre-tensioned posture. A crank that is not locked (motor.mode=locked) is free
under the constant torque that holds it there; a tip that is not held (tip.mode) under the constant
force. With --out, modes.json and config.toml are written to the folder.";

/// Arguments of `softdock leg spatial modes`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Number of modes, slowest first
    #[arg(long, value_name = "N", default_value_t = 8)]
    count: usize,
    /// Writes a page with the slowest modes in motion; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A point of a mode shape: arc length [m] and displacement, the largest of the mode being one;
/// and the twist about the leaf [rad], in the same measure per metre.
#[derive(Debug, Serialize)]
struct ShapePoint {
    s: f64,
    x: f64,
    y: f64,
    z: f64,
    twist: f64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<SpatialSettings>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    arguments.output.probe("modes.json")?;
    let rest = Equilibrium::new(&resolved.config)?;
    let reduction = modal::reduce(&rest.leg().model, rest.state(), &mut rest.workspace())?;
    let shape = |mode: &Mode<6>| shape(&rest, mode);
    let (report, modes) = Report::new(&reduction, arguments.count, rest.held, shape)?;
    if let Some(plot) = &arguments.plot {
        output::write_atomic(plot, page(&rest, &modes, &report)?.html()?.as_bytes())?;
    }
    report.write(&arguments.output, &resolved.print()?, &rest.held.describe())?;
    Ok(ExitCode::SUCCESS)
}

fn shape(rest: &Equilibrium, mode: &Mode<6>) -> Vec<ShapePoint> {
    let leg = rest.leg();
    let count = leg.config.solver.elements;
    let moved = |i: usize| -> (Vector3<f64>, f64) {
        let node = leg.model.beam_node(leg.leaf, i);
        let twist = &mode.shape[node.index()];
        let shift = rest.state().pose(node).rotation() * twist.fixed_rows::<3>(0);
        (shift, twist[3])
    };
    let moved: Vec<_> = (0..=count).map(moved).collect();
    let largest = moved.iter().fold(0.0, |m: f64, (p, _)| m.max(p.norm()));
    let scale = 1.0 / largest.max(f64::MIN_POSITIVE);
    let point = |(i, (shift, twist)): (usize, &(Vector3<f64>, f64))| ShapePoint {
        s: leg.config.leaf.length_m * i as f64 / count as f64,
        x: scale * shift.x,
        y: scale * shift.y,
        z: scale * shift.z,
        twist: scale * twist,
    };
    moved.iter().enumerate().map(point).collect()
}

/// Modes shown in motion.
const MOST_SHOWN: usize = 4;
/// Frames of one oscillation.
const FRAMES: usize = 40;
/// Largest displacement shown, as a fraction of the leaf's length.
const AMPLITUDE: f64 = 0.08;

fn page(rest: &Equilibrium, modes: &Modes<6>, report: &Report<ShapePoint, Held>) -> Result<Page> {
    let leg = rest.leg();
    let mut blocks = Vec::new();
    let shown = modes.modes.iter().zip(&report.undamped).take(MOST_SHOWN);
    for (index, (mode, entry)) in shown.enumerate() {
        let size =
            |m: f64, twist: &nalgebra::SVector<f64, 6>| m.max(twist.fixed_rows::<3>(0).norm());
        let largest = mode.shape.iter().fold(0.0, size).max(f64::MIN_POSITIVE);
        let amount = AMPLITUDE * leg.config.leaf.length_m / largest;
        let mut film = Film::default();
        for frame in 0..=FRAMES {
            let phase = frame as f64 / FRAMES as f64;
            let state = rest.displaced(&mode.shape, amount * math::sin(TAU * phase));
            film.add(leg, phase, &state)?;
        }
        let sentence = if entry.stable {
            "One oscillation, slowed down and enlarged."
        } else {
            "The motion in which the leg leaves its equilibrium, to either side."
        };
        let title = format!("Mode {}: {}", index + 1, entry.name());
        blocks.push(Block::from(film.scene(&title, sentence)));
    }
    Ok(Page {
        title: "Modes of the spatial leg".to_owned(),
        lead: format!(
            "Undamped vibration about the bowed equilibrium, held by {}.",
            rest.held.describe()
        ),
        figures: vec![
            Figure::text(
                "degrees of freedom",
                report.degrees_of_freedom.to_string(),
                "",
            ),
            Figure::text("unstable modes", report.unstable_modes.to_string(), ""),
        ],
        blocks,
        ..Page::default()
    })
}
