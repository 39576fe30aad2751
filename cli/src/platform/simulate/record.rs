//! A run of the platform, recorded.

use super::report::{Report, Worst};
use super::table::row;
use crate::output::CsvFile;
use crate::run::{self, Ended, Progress};
use anyhow::Result;
use multibody::results::soundness::Watch;
use softdock_platform::audit::{note_leaves, note_motors};
use softdock_platform::config::Coupling;
use softdock_platform::motor_range::MotorRange;
use softdock_platform::sample::PlatformSample;
use softdock_platform::scheme::{Progress as Advance, Scheme, coupling_loss};

/// Most samples kept for the charts.
const MOST_SAMPLES: usize = 20_000;

/// When what happens.
pub(super) struct Times {
    pub(super) duration: f64,
    pub(super) output_step: f64,
    /// Times at which legs break, ascending.
    pub(super) breaks: Vec<(f64, usize)>,
}

/// A run and what is kept of it.
pub(super) struct Record {
    platform: Box<dyn Scheme>,
    csv: CsvFile,
    times: Times,
    rows: usize,
    done: Advance,
    worst: Worst,
    watch: Watch,
    ranges: Vec<MotorRange>,
    last: Option<PlatformSample>,
    keep_samples: bool,
    samples: Vec<PlatformSample>,
    progress: Progress,
}

impl Record {
    /// A run that has not started.
    pub(super) fn new(
        platform: Box<dyn Scheme>,
        csv: CsvFile,
        times: Times,
        keep_samples: bool,
    ) -> Result<Self> {
        let ranges = MotorRange::of_legs(platform.config())?;
        Ok(Self {
            worst: Worst::new(ranges.clone()),
            watch: Watch::default(),
            ranges,
            progress: Progress::new(times.duration),
            platform,
            csv,
            times,
            rows: 0,
            done: Advance::default(),
            last: None,
            keep_samples,
            samples: Vec::new(),
        })
    }

    /// Runs to the end, or until it is stopped or fails.
    pub(super) fn run(&mut self) -> Ended {
        let done = self.run_to_end();
        self.progress.finish();
        Ended::new(done)
    }

    /// False if somebody stopped the run.
    fn run_to_end(&mut self) -> Result<bool> {
        let grid = run::Grid::new(self.times.duration, self.times.output_step);
        let kept = grid.last / MOST_SAMPLES + 1;
        for index in 0..=grid.last {
            if run::stop_requested() {
                return Ok(false);
            }
            self.advance_to(grid.time(index))?;
            let sample = PlatformSample::new(self.platform.as_mut())?;
            self.csv.row(&row(&sample))?;
            self.rows += 1;
            self.worst.note(&sample, self.last.as_ref());
            sample.energy.note(sample.t, &mut self.watch);
            note_motors(self.platform.as_ref(), &self.ranges, &mut self.watch);
            note_leaves(self.platform.as_mut(), &mut self.watch)?;
            if self.keep_samples && (index % kept == 0 || index == grid.last) {
                self.samples.push(sample.clone());
            }
            self.last = Some(sample);
            self.progress.at(grid.time(index));
        }
        Ok(true)
    }

    /// Advances, breaking legs on the way.
    fn advance_to(&mut self, time: f64) -> Result<()> {
        while let Some(&(at, leg)) = self.times.breaks.first().filter(|(at, _)| *at <= time) {
            self.steps_to(at)?;
            self.platform.detach(leg);
            self.times.breaks.remove(0);
        }
        self.steps_to(time)
    }

    fn steps_to(&mut self, time: f64) -> Result<()> {
        let done = self.platform.advance_to(time)?;
        self.watch.steps_at_floor(time, done.at_floor);
        self.done += done;
        Ok(())
    }

    /// Completes the table and sums up.
    pub(super) fn finish(mut self, ended: &Ended) -> Result<(Report, Vec<PlatformSample>)> {
        let report = Report {
            complete: ended.is_complete(),
            soundness: ended.soundness(&self.watch),
            largest_energy_residual_j: self.watch.largest_residual(),
            energy_residual_rel: self.watch.missing_share(),
            stopped_because: ended.reason(),
            file: ended.close(self.csv)?,
            rows: self.rows,
            wall_s: self.progress.elapsed(),
            coupling: self.platform.coupling(),
            lost_in_coupling_j: coupling_loss(self.platform.as_mut())?,
            step_s: match self.platform.coupling() {
                Coupling::Monolithic => self.platform.config().solver.step_s,
                _ => self.platform.config().solver.macro_step_s,
            },
            steps: self.done.steps,
            rejected_steps: self.done.rejected,
            iterations_per_step: self.done.iterations as f64 / self.done.steps.max(1) as f64,
            ..Report::of(&self.worst, self.last.as_ref())
        };
        Ok((report, self.samples))
    }
}
