//! A run of the leg, recorded.

use super::report::Report;
use super::{Account, Motion, Sampled};
use crate::output::CsvFile;
use crate::run::{self, Ended, Progress};
use anyhow::Result;
use leg_core::config::{Motor, MotorMode};
use multibody::results::resolution::{self, CurveWatch};
use multibody::results::soundness::{Doubt, Watch};

/// Most frames of an animation.
const MOST_FRAMES: usize = 600;
/// Share of the largest by which extremes may be off where steps do not resolve them [-]: the same as of a
/// platform. With 0.01, of 116 random legs (steps of 0.1 to 3 ms against a sixteenth of them) 19 were suspect
/// for it alone, half of them without being off by as much.
const ALLOWED_ERROR: f64 = 0.1;
/// Tensions [N] and torques [N·m] below this part of the energy stored at the start [J] are rounding.
const SMALLEST_PART: f64 = 1e-6;
/// Most samples kept for the charts.
const MOST_SAMPLES: usize = 200_000;

/// A run and what is kept of it.
pub(super) struct Record<M: Motion> {
    motion: M,
    csv: CsvFile,
    duration: f64,
    output_step: f64,
    rows: usize,
    steps: usize,
    rejected: usize,
    iterations: usize,
    last: Option<M::Sample>,
    worst: Worst,
    watch: Watch,
    keep_samples: bool,
    samples: Vec<M::Sample>,
    film: M::Film,
    progress: Progress,
}

/// What a run leaves: its sum, and samples and frames if they were asked for.
type Recorded<M> = (
    Report<<M as Motion>::End>,
    Vec<<M as Motion>::Sample>,
    <M as Motion>::Film,
);

/// Extremes over the steps of a run, whatever rows it has.
#[derive(Debug, Clone)]
struct Worst {
    /// What was noted first and last.
    ends: Option<[Account; 2]>,
    gap: f64,
    tension: [f64; 2],
    turn: f64,
    torque: f64,
    slack_time: f64,
    /// Tension of the tendon and torque on the crank, step by step.
    curves: [CurveWatch; 2],
}

impl Worst {
    /// Notes the end of a step; a tendon is slack at a tension of `slack` [N] and less, the middle of the
    /// motor's range [rad] is where the crank started unless another is given.
    fn note(&mut self, now: &Account, slack: Option<f64>, middle: Option<f64>) {
        let [first, last] = self.ends.unwrap_or([*now; 2]);
        self.ends = Some([first, *now]);
        self.gap = self.gap.max(now.loop_gap);
        let [low, high] = &mut self.tension;
        *low = low.min(now.tendon_tension);
        *high = high.max(now.tendon_tension);
        self.turn = self.turn.max((now.q1 - middle.unwrap_or(first.q1)).abs());
        self.torque = self.torque.max(now.crank_torque.abs());
        if slack.is_some_and(|slack| now.tendon_tension <= slack) {
            self.slack_time += now.t - last.t;
        }
        let [tension, torque] = &mut self.curves;
        tension.see(now.t, now.tendon_tension);
        torque.see(now.t, now.crank_torque);
    }

    /// Notes what steps do not resolve; the torque of a motor that does as it is told is known.
    fn judge(&self, motor: &Motor, watch: &mut Watch) {
        let Some([first, _]) = &self.ends else {
            return;
        };
        let [tension, torque] = &self.curves;
        // Of what rests, rounding is all that moves.
        let least = SMALLEST_PART * (first.energies.strain + first.energies.springs).abs();
        let found = resolution::extremes([tension], least);
        watch.resolved(Doubt::TensionUnresolved, &found, ALLOWED_ERROR);
        let limit = match motor.mode {
            MotorMode::Torque => return,
            MotorMode::Hold => motor.torque_limit_nm,
            MotorMode::Locked | MotorMode::Angle => f64::INFINITY,
        };
        let found = resolution::largest([(torque, limit)], least);
        watch.resolved(Doubt::TorqueUnresolved, &found, ALLOWED_ERROR);
    }
}

impl<M: Motion> Record<M> {
    /// A run that has not started.
    pub(super) fn new(
        motion: M,
        csv: CsvFile,
        duration: f64,
        output_step: f64,
        keep_samples: bool,
    ) -> Self {
        let worst = Worst {
            ends: None,
            gap: 0.0,
            tension: [f64::INFINITY, f64::NEG_INFINITY],
            turn: 0.0,
            torque: 0.0,
            slack_time: 0.0,
            curves: Default::default(),
        };
        Self {
            motion,
            csv,
            duration,
            output_step,
            rows: 0,
            steps: 0,
            rejected: 0,
            iterations: 0,
            last: None,
            worst,
            watch: Watch::default(),
            keep_samples,
            samples: Vec::new(),
            film: M::Film::default(),
            progress: Progress::new(duration),
        }
    }

    /// Runs to the end, or until it is stopped or fails.
    pub(super) fn run(&mut self) -> Ended {
        let done = self.run_to_end();
        self.progress.finish();
        Ended::new(done)
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
            let slack = self.motion.slack_tension();
            let middle = self.motion.range_middle();
            let Self {
                motion,
                worst,
                watch,
                ..
            } = self;
            let done = motion.advance_to(time, &mut |account| {
                worst.note(account, slack, middle);
                account.note(watch);
            })?;
            self.steps += done.steps;
            self.rejected += done.rejected;
            self.iterations += done.iterations;
            self.watch.steps_at_floor(time, done.at_floor);
            let asked = self.motion.solver().error_tolerance;
            self.watch.step_error(time, done.excess_error, asked);
            let sample = self.motion.sample()?;
            self.csv.row(&M::row(&sample))?;
            self.rows += 1;
            let account = sample.account();
            self.worst.note(&account, slack, middle);
            account.note(&mut self.watch);
            self.last = Some(sample);
            if self.keep_samples {
                if index % kept == 0 || index == last {
                    self.samples.push(sample);
                }
                if index % frames == 0 || index == last {
                    self.motion.shoot(&mut self.film, &sample)?;
                }
            }
            self.progress.at(time);
        }
        Ok(true)
    }

    /// Completes the table and sums up.
    pub(super) fn finish(mut self, ended: &Ended) -> Result<Recorded<M>> {
        self.worst.judge(self.motion.motor(), &mut self.watch);
        let file = ended.close(self.csv)?;
        let worst = self.worst;
        let initial = worst
            .ends
            .map_or(0.0, |[first, _]| first.energies.mechanical());
        let per = |count: usize| count as f64 / self.steps.max(1) as f64;
        let report = Report {
            complete: ended.is_complete(),
            soundness: ended.soundness(&self.watch),
            stopped_because: ended.reason(),
            file,
            rows: self.rows,
            simulated_s: self.last.map_or(0.0, |last| last.account().t),
            wall_s: self.progress.elapsed(),
            step_s: self.motion.solver().step_s,
            steps: self.steps,
            rejected_steps: self.rejected,
            iterations: self.iterations,
            iterations_per_step: per(self.iterations),
            largest_loop_gap_m: worst.gap,
            initial_energy_j: initial,
            largest_energy_residual_j: self.watch.largest_residual(),
            energy_residual_rel: self.watch.missing_share(),
            tendon_tension_range_n: worst.tension,
            slack_time_s: worst.slack_time,
            largest_crank_turn_rad: worst.turn,
            crank_range_rad: self.motion.motor().range_rad,
            peak_crank_torque_nm: worst.torque,
            end: self.last.map(M::End::from).unwrap_or_default(),
        };
        Ok((report, self.samples, self.film))
    }
}
