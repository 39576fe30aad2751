//! A run of the leg, recorded.

use super::report::Report;
use super::table::row;
use crate::leg::scene::Film;
use crate::output::CsvFile;
use crate::run::{self, Progress};
use anyhow::Result;
use leg_core::leg::{LegSample, Simulation};

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ended {
    Complete,
    Stopped,
    Failed(anyhow::Error),
}

/// Most frames of an animation.
const MOST_FRAMES: usize = 600;
/// Most samples kept for the charts.
const MOST_SAMPLES: usize = 200_000;

/// A run and what is kept of it.
pub(super) struct Record {
    simulation: Simulation,
    csv: CsvFile,
    duration: f64,
    output_step: f64,
    rows: usize,
    steps: usize,
    rejected: usize,
    iterations: usize,
    first: Option<LegSample>,
    last: Option<LegSample>,
    worst: Worst,
    keep_samples: bool,
    samples: Vec<LegSample>,
    film: Film,
    progress: Progress,
}

/// Extremes over a run.
#[derive(Debug, Clone, Copy)]
struct Worst {
    gap: f64,
    residual: f64,
    tension: [f64; 2],
    turn: f64,
    torque: f64,
    slack_time: f64,
    energy_moved: f64,
}

impl Record {
    /// A run that has not started.
    pub(super) fn new(
        simulation: Simulation,
        csv: CsvFile,
        duration: f64,
        output_step: f64,
        keep_samples: bool,
    ) -> Self {
        let worst = Worst {
            gap: 0.0,
            residual: 0.0,
            tension: [f64::INFINITY, f64::NEG_INFINITY],
            turn: 0.0,
            torque: 0.0,
            slack_time: 0.0,
            energy_moved: 0.0,
        };
        Self {
            simulation,
            csv,
            duration,
            output_step,
            rows: 0,
            steps: 0,
            rejected: 0,
            iterations: 0,
            first: None,
            last: None,
            worst,
            keep_samples,
            samples: Vec::new(),
            film: Film::default(),
            progress: Progress::new(duration),
        }
    }

    /// Runs to the end, or until it is stopped or fails.
    pub(super) fn run(&mut self) -> Ended {
        let done = self.run_to_end();
        self.progress.finish();
        match done {
            Ok(true) => Ended::Complete,
            Ok(false) => Ended::Stopped,
            Err(error) => Ended::Failed(error),
        }
    }

    /// False if somebody stopped the run.
    fn run_to_end(&mut self) -> Result<bool> {
        let grid = run::Grid::new(self.duration, self.output_step);
        let last = grid.last;
        let frames = last / MOST_FRAMES + 1;
        let kept = last / MOST_SAMPLES + 1;
        for index in 0..=last {
            if run::stop_requested() {
                return Ok(false);
            }
            let time = grid.time(index);
            let done = self.simulation.advance_to(time)?;
            self.steps += done.steps;
            self.rejected += done.rejected;
            self.iterations += done.iterations;
            let sample = self.simulation.sample()?;
            self.csv.row(&row(&sample))?;
            self.rows += 1;
            self.note(&sample);
            if self.keep_samples {
                if index % kept == 0 || index == last {
                    self.samples.push(sample);
                }
                if index % frames == 0 || index == last {
                    self.film
                        .add(&self.simulation.leg, &self.simulation.state, &sample)?;
                }
            }
            self.progress.at(time);
        }
        Ok(true)
    }

    fn note(&mut self, sample: &LegSample) {
        let first = *self.first.get_or_insert(*sample);
        let since = self.last.map_or(0.0, |last| sample.t - last.t);
        let worst = &mut self.worst;
        worst.gap = worst.gap.max(sample.loop_gap);
        worst.residual = worst.residual.max(sample.energy_residual.abs());
        let [low, high] = &mut worst.tension;
        *low = low.min(sample.tendon_tension);
        *high = high.max(sample.tendon_tension);
        worst.turn = worst.turn.max((sample.q[0] - first.q[0]).abs());
        worst.torque = worst.torque.max(sample.crank_torque.abs());
        let slack_width = self.simulation.leg.config.tendon.slack_width_n;
        if self.simulation.leg.tendon.is_some() && sample.tendon_tension <= slack_width {
            worst.slack_time += since;
        }
        let (e, e0) = (&sample.energies, &first.energies);
        let moved = [
            e.kinetic - e0.kinetic,
            e.gravity - e0.gravity,
            e.strain - e0.strain,
            e.springs - e0.springs,
            sample.work_in,
            sample.dissipated,
        ];
        worst.energy_moved = moved.iter().fold(worst.energy_moved, |m, x| m.max(x.abs()));
        self.last = Some(*sample);
    }

    /// Completes the table and sums up.
    pub(super) fn finish(self, ended: &Ended) -> Result<(Report, Vec<LegSample>, Film)> {
        let complete = matches!(ended, Ended::Complete);
        let file = if complete {
            self.csv.finish()?
        } else {
            self.csv.keep_partial()?
        };
        let wall_s = self.progress.elapsed();
        let config = &self.simulation.leg.config;
        let worst = self.worst;
        let initial = self.first.map_or(0.0, |first| first.energies.mechanical());
        let per = |count: usize| count as f64 / self.steps.max(1) as f64;
        let stopped_because = match ended {
            Ended::Complete => None,
            Ended::Stopped => Some("stopped by a signal".to_owned()),
            Ended::Failed(error) => Some(format!("{error:#}")),
        };
        let report = Report {
            complete,
            stopped_because,
            file,
            rows: self.rows,
            simulated_s: self.last.map_or(0.0, |last| last.t),
            wall_s,
            step_s: config.solver.step_s,
            steps: self.steps,
            rejected_steps: self.rejected,
            iterations: self.iterations,
            iterations_per_step: per(self.iterations),
            largest_loop_gap_m: worst.gap,
            initial_energy_j: initial,
            largest_energy_residual_j: worst.residual,
            energy_residual_rel: worst.residual
                / worst.energy_moved.max(initial.abs()).max(f64::MIN_POSITIVE),
            tendon_tension_range_n: worst.tension,
            slack_time_s: worst.slack_time,
            largest_crank_turn_rad: worst.turn,
            crank_range_rad: config.motor.range_rad,
            peak_crank_torque_nm: worst.torque,
            final_q_rad: self.last.map_or([0.0; 3], |last| last.q),
            final_q_dot_rad_s: self.last.map_or([0.0; 3], |last| last.q_dot),
        };
        Ok((report, self.samples, self.film))
    }
}
