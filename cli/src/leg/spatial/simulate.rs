//! `softdock leg spatial simulate`: motion of the spatial leg from its equilibrium.

use super::config::{SpatialSettings, TipMode};
use super::picture::Film;
use crate::failure::BadInput;
use crate::leg::input::{self, InterpolationArgs};
use crate::leg::motion::{
    Account, End, Job, Motion, Report, Sampled, TimeArgs, curve, energy_charts, figures,
};
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary, fixed, warning};
use anyhow::Result;
use leg_core::config::{History, Motor, MotorMode, Shape, Solver};
use leg_core::spatial::SpatialChannel;
use leg_core::{LegError, SpatialSample, SpatialSimulation, pretension_spatial};
use multibody::dynamics::Advance;
use serde::Serialize;
use softdock_report::{Axis, Block, Chart, Page};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const FILES: &str = "\
Writes leg.csv to the folder of --out, or to the current folder if there is none. With --out,
summary.json and config.toml are written beside it. A run that is stopped or fails leaves its rows
in leg.partial.csv. Columns:
  t                       time [s]
  q1, q1_dot              crank angle and its rate [rad, rad/s]
  u1, u2, u1_dot, u2_dot  universal joint: turn of the leaf's root from the crank's direction about
                          the first axis, lean out of that plane about the second [rad, rad/s]
  xb, yb, zb, xb_dot ...  tip B and its velocity [m, m/s]
  fx, fy, fz              force of the leg on what holds or loads its tip [N]
  tendon_length, tendon_rate, tendon_tension              distance from A to B [m, m/s], tension [N]
  x12, y12, z12           middle of the leaf [m]
  kinetic, gravity, strain, tendon                        energies [J]
  work_in, dissipated                                     since the start [J]
  residual                what the account of energy misses [J]
  loop_gap                largest violation of a joint [m]
  crank_torque            of the motor, or of what prescribes the crank's angle [N·m]";

/// Columns of leg.csv.
const HEADER: [&str; 31] = [
    "t",
    "q1",
    "q1_dot",
    "u1",
    "u2",
    "u1_dot",
    "u2_dot",
    "xb",
    "yb",
    "zb",
    "xb_dot",
    "yb_dot",
    "zb_dot",
    "fx",
    "fy",
    "fz",
    "tendon_length",
    "tendon_rate",
    "tendon_tension",
    "x12",
    "y12",
    "z12",
    "kinetic",
    "gravity",
    "strain",
    "tendon",
    "work_in",
    "dissipated",
    "residual",
    "loop_gap",
    "crank_torque",
];

/// Arguments of `softdock leg spatial simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(FILES))]
pub struct Arguments {
    #[command(flatten)]
    times: TimeArgs,
    /// Table of inputs: a column t [s] and any of crank_torque_nm, crank_angle_rad (counted from
    /// the start, in the motor modes angle and hold), motion_x_m, motion_y_m, motion_z_m (of a held
    /// tip), force_x_n, force_y_n, force_z_n (on a loaded or free tip)
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: InterpolationArgs,
    /// Writes a page with the leg in space, angles, forces and energies;
    /// its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let more = arguments.times.settings();
    let mut resolved = Resolved::<SpatialSettings>::with(&arguments.settings, &more)?;
    if let Some(path) = &arguments.input {
        apply(path, &arguments.between, &mut resolved.config)?;
        resolved.check()?;
    }
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let job = Job {
        times: &arguments.times,
        output: &arguments.output,
        plot: arguments.plot.as_deref(),
    };
    let settings = &resolved.config;
    job.check(&settings.leg.solver)?;
    let simulation = settings.simulation(pretension_spatial(&settings.leg)?)?;
    job.run(simulation, &resolved.print()?, |report, samples, film| {
        page(report, settings, samples, film)
    })
}

/// Columns that a table may have beside `t` [s].
const COLUMNS: [&str; 8] = [
    "crank_torque_nm",
    "crank_angle_rad",
    "motion_x_m",
    "motion_y_m",
    "motion_z_m",
    "force_x_n",
    "force_y_n",
    "force_z_n",
];

/// Makes the columns of a table the histories of `settings`.
fn apply(path: &Path, between: &InterpolationArgs, settings: &mut SpatialSettings) -> Result<()> {
    let interpolation = between.interpolation();
    let table = input::read(path, &COLUMNS)?;
    let (motor, tip) = (&mut settings.leg.motor, &mut settings.tip);
    for (name, values) in table.columns {
        let times_s = table.times.clone();
        let target = match name.as_str() {
            "crank_torque_nm" => &mut motor.torque_nm,
            "motion_x_m" => &mut tip.motion_x_m,
            "motion_y_m" => &mut tip.motion_y_m,
            "motion_z_m" => &mut tip.motion_z_m,
            "force_x_n" => &mut tip.force_x_n,
            "force_y_n" => &mut tip.force_y_n,
            "force_z_n" => &mut tip.force_z_n,
            _ => {
                if !matches!(motor.mode, MotorMode::Angle | MotorMode::Hold) {
                    let message = input::needs_following(path, "crank_angle_rad");
                    return Err(BadInput::new(message).into());
                }
                if motor.mode == MotorMode::Angle {
                    between.check_smooth(&name)?;
                }
                &mut motor.angle_rad
            }
        };
        *target = History::Shape(Shape::Table {
            times_s,
            values,
            interpolation,
        });
    }
    Ok(())
}

impl Sampled for SpatialSample {
    fn account(&self) -> Account {
        Account {
            t: self.t,
            q1: self.q1,
            crank_torque: self.crank_torque,
            tendon_tension: self.tendon_tension,
            energies: self.energies,
            work_in: self.work_in,
            dissipated: self.dissipated,
            energy_residual: self.energy_residual,
            loop_gap: self.loop_gap,
            leaf_strain: self.leaf_strain,
        }
    }
}

/// The leg at the end of a run.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct SpatialEnd {
    final_q1_rad: f64,
    final_universal_rad: [f64; 2],
    final_tip_position_m: [f64; 3],
    final_tip_velocity_m_s: [f64; 3],
    final_tip_force_n: [f64; 3],
}

impl From<SpatialSample> for SpatialEnd {
    fn from(sample: SpatialSample) -> Self {
        Self {
            final_q1_rad: sample.q1,
            final_universal_rad: sample.universal.angle,
            final_tip_position_m: sample.tip_position,
            final_tip_velocity_m_s: sample.tip_velocity,
            final_tip_force_n: sample.tip_force,
        }
    }
}

impl End for SpatialEnd {
    fn describe(&self, summary: &mut Summary) {
        summary
            .text("final q1", fixed(&[self.final_q1_rad], 5), "rad")
            .text("final u1, u2", fixed(&self.final_universal_rad, 5), "rad")
            .text("final tip", fixed(&self.final_tip_position_m, 5), "m")
            .text(
                "final force at the tip",
                fixed(&self.final_tip_force_n, 5),
                "N",
            );
    }
}

impl Motion for SpatialSimulation {
    type Sample = SpatialSample;
    type End = SpatialEnd;
    type Film = Film;
    const HEADER: &'static [&'static str] = &HEADER;

    fn solver(&self) -> &Solver {
        &self.leg.config.solver
    }

    fn motor(&self) -> &Motor {
        &self.leg.config.motor
    }

    fn slack_tension(&self) -> Option<f64> {
        let tendon = self.leg.tendon;
        tendon.map(|_| self.leg.config.tendon.slack_width_n)
    }

    fn range_middle(&self) -> Option<f64> {
        self.leg.config.motor_middle_rad
    }

    fn advance_to(
        &mut self,
        time: f64,
        watch: &mut dyn FnMut(&Account),
    ) -> Result<Advance, LegError> {
        self.advance_watched(time, &mut |sample| watch(&sample.account()))
    }

    /// The kernel's tip force is that on what holds the tip; a load is held against as well.
    fn sample(&mut self) -> Result<SpatialSample, LegError> {
        let mut sample = SpatialSimulation::sample(self)?;
        let load = &self.state.inputs.value[SpatialChannel::TipForce as usize..];
        for (force, load) in sample.tip_force.iter_mut().zip(load) {
            *force -= load;
        }
        Ok(sample)
    }

    fn row(s: &SpatialSample) -> Vec<f64> {
        let (u, e) = (&s.universal, &s.energies);
        let groups: [&[f64]; 9] = [
            &[s.t, s.q1, s.q1_dot],
            &u.angle,
            &u.rate,
            &s.tip_position,
            &s.tip_velocity,
            &s.tip_force,
            &[s.tendon_length, s.tendon_rate, s.tendon_tension],
            &s.mid_point,
            &[e.kinetic, e.gravity, e.strain, e.springs],
        ];
        let mut row = groups.concat();
        row.extend([
            s.work_in,
            s.dissipated,
            s.energy_residual,
            s.loop_gap,
            s.crank_torque,
        ]);
        row
    }

    fn shoot(&self, film: &mut Film, sample: &SpatialSample) -> Result<()> {
        film.add(&self.leg, sample.t, &self.state)?;
        let lean = sample.universal.angle[1];
        film.read(sample.tip_force, [sample.q1, lean, sample.tendon_tension]);
        Ok(())
    }
}

fn page(
    report: &Report<SpatialEnd>,
    settings: &SpatialSettings,
    samples: &[SpatialSample],
    film: &Film,
) -> Page {
    let tendon = settings.leg.tendon.present;
    let mut blocks = Vec::new();
    if !samples.is_empty() {
        blocks.push(Block::from(film.scene(
            "Motion",
            "Crank, leaf and tendon to scale; the arrow is the force of the leg on what holds or \
             loads its tip.",
        )));
    }
    blocks.extend(charts(samples, tendon).into_iter().map(Block::from));
    blocks.extend(energy_charts(samples, tendon).map(Block::from));
    let why = report.stopped_because.as_deref();
    let tip = match settings.tip.mode {
        TipMode::Held => "held",
        TipMode::Loaded => "loaded",
        TipMode::Free => "free",
    };
    Page {
        title: "Motion of the spatial leg".to_owned(),
        lead: format!(
            "Spatial leg with {} elements, its tip {tip}, {} s simulated in steps of {} s.",
            settings.leg.solver.elements, report.simulated_s, settings.leg.solver.step_s
        ),
        warning: warning(why, report.simulated_s, &report.soundness),
        figures: figures(report, tendon),
        blocks,
        dense: false,
    }
}

fn charts(samples: &[SpatialSample], tendon: bool) -> Vec<Chart> {
    let curve = |name, value: fn(&SpatialSample) -> f64| curve(samples, name, value);
    let chart = Chart::over_time;
    let mut charts = vec![
        chart(
            "Angles",
            "Crank q1, and universal joint: u1 about its first axis, u2 about its second.",
            Axis::new("angle", "rad"),
            vec![
                curve("q1", |s| s.q1),
                curve("u1", |s| s.universal.angle[0]),
                curve("u2", |s| s.universal.angle[1]),
            ],
        ),
        chart(
            "Tip",
            "Position of the tip B.",
            Axis::new("position", "m"),
            vec![
                curve("x", |s| s.tip_position[0]),
                curve("y", |s| s.tip_position[1]),
                curve("z", |s| s.tip_position[2]),
            ],
        ),
        chart(
            "Force at the tip",
            "Force of the leg on what holds or loads its tip.",
            Axis::new("force", "N"),
            vec![
                curve("x", |s| s.tip_force[0]),
                curve("y", |s| s.tip_force[1]),
                curve("z", |s| s.tip_force[2]),
            ],
        ),
    ];
    if tendon {
        charts.push(chart(
            "Tendon tension",
            "Spring and damper together; at zero the tendon is slack.",
            Axis::new("tension", "N"),
            vec![curve("tension", |s| s.tendon_tension)],
        ));
    }
    charts
}
