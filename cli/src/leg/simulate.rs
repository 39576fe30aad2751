//! `softdock leg simulate`: motion of the leg from its equilibrium.

mod page;
mod table;

use super::chapter4::{self, Variant};
use super::input;
use super::motion::{Account, End, Job, Motion, Sampled, TimeArgs};
use super::scene::Film;
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use leg_core::config::{Motor, Solver};
use leg_core::{LegConfig, LegError, LegSample, Simulation};
use multibody::dynamics::Advance;
use page::page;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use table::HEADER;

/// What the help says below the options.
const FILES: &str = "\
Writes leg.csv to the folder of --out, or to the current folder if there is none. With --out,
summary.json and config.toml are written beside it. A run that is stopped or fails leaves its rows
in leg.partial.csv. Columns:
  t                       time [s]
  q1, q2, q3              angles of crank, chord against crank, upper link [rad]
  q1_dot, q2_dot, q3_dot  their rates [rad/s]
  tendon_length           distance from A to B [m]
  tendon_tension          spring and damper together [N]
  x14, y14 ... x34, y34   places at a quarter, half and three quarters of the leaf [m]
  kinetic, gravity, strain, tendon                        energies [J]
  work_in, dissipated                                     since the start [J]
  residual                what the account of energy misses [J]
  loop_gap                largest violation of a joint [m]
  crank_torque            of the motor, or of what prescribes the crank's angle [N·m]";

/// Arguments of `softdock leg simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(FILES))]
pub struct Arguments {
    #[command(flatten)]
    times: TimeArgs,
    /// How leaf and loop are modelled; chapter-4 releases the straight leg, without tendon, under
    /// gravity alone, and writes t, q1, q3, loop_gap, q1_exact, q3_exact, loop_gap_exact
    #[arg(long, value_enum, default_value_t)]
    variant: Variant,
    /// Table of inputs: a column t [s] and any of crank_torque_nm, link_torque_nm, load_x_n,
    /// load_y_n, crank_angle_rad (counted from the start, in the motor modes angle and hold)
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    #[command(flatten)]
    between: input::InterpolationArgs,
    /// Writes a page with an animation, angles, tension and energies; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = resolve(arguments)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let job = Job {
        times: &arguments.times,
        output: &arguments.output,
        plot: arguments.plot.as_deref(),
    };
    let config = &resolved.config;
    job.check(&config.solver)?;
    if arguments.variant == Variant::Chapter4 {
        return chapter4::release(&job, &resolved);
    }
    let simulation = Simulation::new(config)?;
    job.run(simulation, &resolved.print()?, |report, samples, film| {
        page(report, config, samples, film)
    })
}

fn resolve(arguments: &Arguments) -> Result<Resolved<LegConfig>> {
    let mut resolved =
        Resolved::<LegConfig>::with(&arguments.settings, &arguments.times.settings())?;
    if let Some(path) = &arguments.input {
        input::apply(path, &arguments.between, &mut resolved.config)?;
        resolved.check()?;
    }
    Ok(resolved)
}

impl Sampled for LegSample {
    fn account(&self) -> Account {
        Account {
            t: self.t,
            q1: self.q[0],
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

/// The angles at the end of a run.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct PlanarEnd {
    final_q_rad: [f64; 3],
    final_q_dot_rad_s: [f64; 3],
}

impl From<LegSample> for PlanarEnd {
    fn from(sample: LegSample) -> Self {
        Self {
            final_q_rad: sample.q,
            final_q_dot_rad_s: sample.q_dot,
        }
    }
}

impl End for PlanarEnd {
    fn describe(&self, summary: &mut Summary) {
        let [q1, q2, q3] = self.final_q_rad;
        let angles = format!("{q1:.5}, {q2:.5}, {q3:.5}");
        summary.text("final q1, q2, q3", angles, "rad");
    }
}

impl Motion for Simulation {
    type Sample = LegSample;
    type End = PlanarEnd;
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

    fn advance_to(
        &mut self,
        time: f64,
        watch: &mut dyn FnMut(&Account),
    ) -> Result<Advance, LegError> {
        self.advance_watched(time, &mut |sample| watch(&sample.account()))
    }

    fn sample(&mut self) -> Result<LegSample, LegError> {
        Simulation::sample(self)
    }

    fn row(sample: &LegSample) -> Vec<f64> {
        table::row(sample).to_vec()
    }

    fn shoot(&self, film: &mut Film, sample: &LegSample) -> Result<()> {
        film.add(&self.leg, &self.state, sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_starts_as_documented() {
        assert!(HEADER.join(",").starts_with(
            "t,q1,q2,q3,q1_dot,q2_dot,q3_dot,tendon_length,tendon_tension,x14,y14,x12,y12,x34,y34,\
             kinetic,gravity,strain,tendon,work_in,dissipated,residual,loop_gap"
        ));
    }
}
