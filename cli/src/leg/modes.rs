//! `softdock leg modes`: vibration about the bowed equilibrium.

use super::equilibrium::Equilibrium;
use super::scene::{Film, Pose};
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::significant;
use anyhow::Result;
use leg_core::LegConfig;
use multibody::group::Group;
use multibody::math;
use multibody::modal::{self, Mode, Modes, Reduction};
use serde::Serialize;
use softdock_report::{Block, Figure, Page};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The leg is in its pre-tensioned posture. A crank or upper link that is not locked
(motor.mode=locked, load.lock_q3=true) is free under the constant torque that holds it there.
With --out, modes.json and config.toml are written to the folder.";

/// Arguments of `softdock leg modes`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Number of modes, slowest first
    #[arg(long, value_name = "N", default_value_t = 8)]
    count: usize,
    /// Writes a page with the modes in motion; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A point of a mode shape: arc length [m] and displacement, the largest of the mode being one.
#[derive(Debug, Serialize)]
struct ShapePoint {
    s: f64,
    x: f64,
    y: f64,
}

/// A mode with the points of its shape.
#[derive(Debug, Serialize)]
pub struct ModeReport<P> {
    /// Zero for a neutral mode, null for one that grows.
    frequency_hz: Option<f64>,
    omega_squared_rad2_s2: f64,
    pub stable: bool,
    /// It neither oscillates nor grows: its stiffness is zero but for rounding.
    neutral: bool,
    shape: Vec<P>,
}

#[derive(Debug, Serialize)]
struct DampedReport {
    eigenvalue_re_per_s: f64,
    eigenvalue_im_per_s: f64,
    frequency_hz: f64,
    damping_ratio: f64,
}

/// What `--json` prints; `P` is a point of a shape, `H` what holds the leg in equilibrium.
#[derive(Debug, Serialize)]
pub struct Report<P, H> {
    pub degrees_of_freedom: usize,
    pub unstable_modes: usize,
    #[serde(flatten)]
    pub held: H,
    pub undamped: Vec<ModeReport<P>>,
    damped: Vec<DampedReport>,
}

/// Torques that hold the leg.
#[derive(Debug, Serialize)]
struct Held {
    crank_torque_nm: f64,
    link_torque_nm: f64,
}

impl<P: Serialize, H: Serialize> Report<P, H> {
    /// The `count` slowest modes; `shape` gives the points of one.
    pub fn new<const N: usize>(
        reduction: &Reduction<N>,
        count: usize,
        held: H,
        shape: impl Fn(&Mode<N>) -> Vec<P>,
    ) -> Result<(Self, Modes<N>)> {
        let count = count.clamp(1, reduction.system.order());
        let modes = reduction.modes(count)?;
        let damped = reduction.damped_modes(count)?;
        let undamped = modes.modes.iter().map(|mode| ModeReport {
            frequency_hz: (!mode.is_unstable()).then(|| mode.frequency()),
            omega_squared_rad2_s2: mode.omega_squared,
            stable: !mode.is_unstable(),
            neutral: mode.is_neutral(),
            shape: shape(mode),
        });
        let damped = damped.modes.iter().map(|mode| DampedReport {
            eigenvalue_re_per_s: mode.eigenvalue.re,
            eigenvalue_im_per_s: mode.eigenvalue.im,
            frequency_hz: mode.frequency(),
            damping_ratio: mode.damping_ratio(),
        });
        let report = Self {
            degrees_of_freedom: modes.degrees_of_freedom,
            unstable_modes: modes.unstable,
            held,
            undamped: undamped.collect(),
            damped: damped.collect(),
        };
        Ok((report, modes))
    }

    /// Writes modes.json and the settings, and prints the report or a table; `held` says what
    /// holds the leg.
    pub fn write(&self, output: &OutputArgs, settings: &str, held: &str) -> Result<()> {
        if let Some(out) = &output.out {
            output::write_json(&out.join("modes.json"), self)?;
            output::write_atomic(&out.join("config.toml"), settings.as_bytes())?;
        }
        if output.json {
            output::say_json(self)?;
        } else {
            output::tell(&self.table(held))?;
        }
        Ok(())
    }

    fn table(&self, held: &str) -> String {
        let mut text = format!(
            "Modes about the bowed leg, {} degrees of freedom, {}\n",
            self.degrees_of_freedom,
            match self.unstable_modes {
                0 => "stable".to_owned(),
                count => format!("{count} unstable"),
            }
        );
        // Writing to a String cannot fail.
        text.push_str("  undamped\n");
        for (i, mode) in self.undamped.iter().enumerate() {
            let _ = writeln!(text, "  {:>4}  {}", i + 1, mode.name());
        }
        let _ = writeln!(
            text,
            "  damped{:>14} {:>13}  eigenvalue [1/s]",
            "frequency", "ratio"
        );
        for (i, mode) in self.damped.iter().enumerate() {
            let _ = writeln!(
                text,
                "  {:>4}  {:>11.4} Hz  {:>10.2e}  {:+.4e} {:+.4e}i",
                i + 1,
                mode.frequency_hz,
                mode.damping_ratio,
                mode.eigenvalue_re_per_s,
                mode.eigenvalue_im_per_s,
            );
        }
        let _ = write!(text, "  held by {held}");
        text
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<LegConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    arguments.output.probe("modes.json")?;
    let rest = Equilibrium::new(&resolved.config)?;
    let (leg, state) = (rest.leg(), rest.state());
    let reduction = modal::reduce(&leg.model, state, &mut rest.workspace())?;
    let held = Held {
        crank_torque_nm: rest.crank_torque,
        link_torque_nm: rest.link_torque,
    };
    let (report, modes) = Report::new(&reduction, arguments.count, held, |m| shape(&rest, m))?;
    if let Some(plot) = &arguments.plot {
        output::write_atomic(plot, page(&rest, &modes, &report)?.html()?.as_bytes())?;
    }
    let held = format!(
        "{:.4} N·m on the crank and {:.4} N·m on the upper link",
        rest.crank_torque, rest.link_torque
    );
    report.write(&arguments.output, &resolved.print()?, &held)?;
    Ok(ExitCode::SUCCESS)
}

/// Displacements of the leaf's nodes, the largest being one.
fn shape(rest: &Equilibrium, mode: &Mode<3>) -> Vec<ShapePoint> {
    let leg = rest.leg();
    let count = leg.config.solver.elements;
    let mut shape = Vec::with_capacity(count + 1);
    for i in 0..=count {
        let node = leg.model.beam_node(leg.leaf, i);
        let twist = &mode.shape[node.index()];
        let moved = rest.state().pose(node).rotation() * twist.fixed_rows::<2>(0);
        let s = leg.config.leaf.length_m * i as f64 / count as f64;
        shape.push(ShapePoint {
            s,
            x: moved.x,
            y: moved.y,
        });
    }
    let largest = shape
        .iter()
        .fold(0.0, |m: f64, p| m.max(math::hypot(p.x, p.y)));
    for point in &mut shape {
        point.x /= largest.max(f64::MIN_POSITIVE);
        point.y /= largest.max(f64::MIN_POSITIVE);
    }
    shape
}

impl<P> ModeReport<P> {
    /// `12.3 Hz`, or how fast it grows.
    pub fn name(&self) -> String {
        match self.frequency_hz {
            Some(_) if self.neutral => "0 Hz, neutral".to_owned(),
            Some(frequency) => format!("{} Hz", significant(frequency, 5)),
            None => {
                let rate = (-self.omega_squared_rad2_s2).sqrt();
                format!("grows, {}/s", significant(rate, 4))
            }
        }
    }
}

/// Modes shown in motion.
const MOST_SHOWN: usize = 8;
/// Frames of one oscillation.
const FRAMES: usize = 40;
/// Largest displacement shown, as a fraction of the leaf's length.
const AMPLITUDE: f64 = 0.08;

fn page(rest: &Equilibrium, modes: &Modes<3>, report: &Report<ShapePoint, Held>) -> Result<Page> {
    let leg = rest.leg();
    let mut blocks = Vec::new();
    let shown = modes.modes.iter().zip(&report.undamped).take(MOST_SHOWN);
    for (index, (mode, entry)) in shown.enumerate() {
        // Displacements of a small motion, scaled up: straight lines, not arcs.
        let still = Pose::new(leg, rest.state())?;
        let small = 1e-4
            / mode
                .shape
                .iter()
                .fold(0.0, |m: f64, twist| m.max(twist.amax()));
        let moved = Pose::new(leg, &rest.displaced(&mode.shape, small))?;
        let largest = moved.distance(&still).max(f64::MIN_POSITIVE);
        let scale = AMPLITUDE * leg.config.leaf.length_m / largest;
        let mut film = Film::default();
        film.set_ghost("leaf at rest", still.clone());
        for frame in 0..=FRAMES {
            let phase = frame as f64 / FRAMES as f64;
            film.add_pose(phase, still.toward(&moved, scale * math::cos(TAU * phase)));
        }
        let sentence = if entry.stable {
            "The oscillation, slowed down and enlarged; dotted is the leaf at rest."
        } else {
            "The motion in which the leg leaves its equilibrium, to either side; dotted is the \
             leaf at rest."
        };
        let title = format!("Mode {}: {}", index + 1, entry.name());
        let mut animation = film.animation(&title, sentence, leg.tendon.is_some());
        animation.loops = true;
        blocks.push(Block::Animation(animation));
    }
    let figures = vec![
        Figure::text(
            "degrees of freedom",
            report.degrees_of_freedom.to_string(),
            "",
        ),
        Figure::text("unstable modes", report.unstable_modes.to_string(), ""),
        Figure::number(
            "holding torque, crank",
            report.held.crank_torque_nm,
            5,
            "N·m",
        ),
        Figure::number("holding torque, link", report.held.link_torque_nm, 5, "N·m"),
    ];
    Ok(Page {
        title: "Modes of the leg".to_owned(),
        lead: "Undamped vibration about the bowed equilibrium. Links that are not locked are free \
               under the constant torque that holds them."
            .to_owned(),
        figures,
        blocks,
        dense: true,
        ..Page::default()
    })
}
