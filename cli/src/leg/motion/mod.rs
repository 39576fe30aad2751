//! A leg in motion, planar or spatial: run, recorded, summed up.

mod charts;
mod record;
mod report;

pub use charts::{curve, energy_charts, figures};
pub use report::{End, Report};

use super::BadInput;
use crate::output::{self, CsvFile, OutputArgs};
use crate::run;
use anyhow::Result;
use leg_core::LegError;
use leg_core::config::{Motor, Solver};
use multibody::dynamics::Advance;
use multibody::results::energy::Energies;
use multibody::results::soundness::{Books, LeafStrain, Watch};
use record::Record;
use softdock_report::Page;
use std::path::Path;
use std::process::ExitCode;
use toml::Value;

/// Time arguments of the commands that simulate a leg.
#[derive(Debug, clap::Args)]
pub struct TimeArgs {
    /// Simulated time [s]
    #[arg(
        long,
        value_name = "S",
        default_value_t = 3.0,
        allow_negative_numbers = true
    )]
    pub duration: f64,
    /// Step size [s]; the same as --set solver.step_s=S
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Time between rows [s]; every step if left out
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
}

impl TimeArgs {
    /// The settings that these arguments are short for.
    pub fn settings(&self) -> Vec<(String, &'static str, Value)> {
        let step = self.step.map(|step| {
            let argument = format!("--step {step}");
            (argument, "solver.step_s", Value::Float(step))
        });
        step.into_iter().collect()
    }

    /// Time between rows [s].
    pub fn output_step(&self, solver: &Solver) -> f64 {
        self.output_step.unwrap_or(solver.step_s)
    }
}

/// What every leg shows at one time.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// Time [s].
    pub t: f64,
    /// Crank angle [rad].
    pub q1: f64,
    /// Torque on the crank [N·m].
    pub crank_torque: f64,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Energies [J].
    pub energies: Energies,
    /// Work done by inputs since the start [J].
    pub work_in: f64,
    /// Energy dissipated since the start [J].
    pub dissipated: f64,
    /// What the ledger misses [J].
    pub energy_residual: f64,
    /// Largest violation of a constraint [m].
    pub loop_gap: f64,
    /// Largest strains of the leaf.
    pub leaf_strain: LeafStrain,
}

impl Account {
    /// Notes what may make the run suspect.
    pub fn note(&self, watch: &mut Watch) {
        let energies = &self.energies;
        watch.energies(
            self.t,
            &Books {
                kinetic: energies.kinetic,
                potentials: &[energies.strain, energies.springs, energies.gravity],
                work: &[self.work_in],
                lost: &[self.dissipated],
                residual: self.energy_residual,
            },
        );
        watch.leaf(self.t, None, &self.leaf_strain);
    }
}

/// A sample of a leg.
pub trait Sampled: Copy {
    /// What every leg shows.
    fn account(&self) -> Account;
}

/// A leg that moves.
pub trait Motion {
    /// What it shows at one time.
    type Sample: Sampled;
    /// What is told of its last state.
    type End: End + From<Self::Sample>;
    /// Its motion as a picture.
    type Film: Default;
    /// Columns of its table.
    const HEADER: &'static [&'static str];

    /// Mesh and time stepping.
    fn solver(&self) -> &Solver;
    /// The motor.
    fn motor(&self) -> &Motor;
    /// Tension below which the tendon counts as slack [N]; none without a tendon.
    fn slack_tension(&self) -> Option<f64>;
    /// Crank angle in the middle of the motor's range, if that is not where it starts [rad].
    fn range_middle(&self) -> Option<f64> {
        None
    }
    /// Advances to `time` [s]; `watch` sees the end of every step but the last.
    fn advance_to(
        &mut self,
        time: f64,
        watch: &mut dyn FnMut(&Account),
    ) -> Result<Advance, LegError>;
    /// What it shows now.
    fn sample(&mut self) -> Result<Self::Sample, LegError>;
    /// A row of its table.
    fn row(sample: &Self::Sample) -> Vec<f64>;
    /// Adds a frame to the picture.
    fn shoot(&self, film: &mut Self::Film, sample: &Self::Sample) -> Result<()>;
}

/// A run to do, and where its results go.
pub struct Job<'a> {
    /// Duration and steps.
    pub times: &'a TimeArgs,
    /// Folder and form of the results.
    pub output: &'a OutputArgs,
    /// The page.
    pub plot: Option<&'a Path>,
}

impl Job<'_> {
    /// Refuses what cannot be done, before the work.
    pub fn check(&self, solver: &Solver) -> Result<()> {
        let step = self.times.output_step(solver);
        run::check_times(self.times.duration, step).map_err(BadInput::new)?;
        if let Some(plot) = self.plot {
            output::probe(plot)?;
        }
        run::listen_for_stop();
        Ok(())
    }

    /// Runs to the end and writes table, summary and page; `settings` are kept beside them.
    pub fn run<M: Motion>(
        &self,
        motion: M,
        settings: &str,
        page: impl FnOnce(&Report<M::End>, &[M::Sample], &M::Film) -> Page,
    ) -> Result<ExitCode> {
        self.output.probe("leg.csv")?;
        let folder = self.output.out.clone().unwrap_or_default();
        let output_step = self.times.output_step(motion.solver());
        let csv = CsvFile::create(&folder.join("leg.csv"), M::HEADER)?;
        let (duration, pictures) = (self.times.duration, self.plot.is_some());
        let mut record = Record::new(motion, csv, duration, output_step, pictures);
        let ended = record.run();
        let (report, samples, film) = record.finish(&ended)?;
        if self.output.out.is_some() {
            output::write_json(&folder.join("summary.json"), &report)?;
            output::write_atomic(&folder.join("config.toml"), settings.as_bytes())?;
        }
        if let Some(plot) = self.plot {
            let page = page(&report, &samples, &film);
            output::write_atomic(plot, page.html()?.as_bytes())?;
        }
        if self.output.json {
            output::say_json(&report)?;
        } else {
            let mut summary = report.summary();
            for file in [Some(report.file.as_path()), self.plot]
                .into_iter()
                .flatten()
            {
                summary.note(format!("wrote {}", file.display()));
            }
            output::tell(&summary.to_string())?;
        }
        ended.status(Some(&report.file), &report.soundness)
    }
}
