//! A long run: progress on the terminal, a clean end on Ctrl-C.

use crate::failure::{STOPPED, verdict};
use crate::output::{self, CsvFile, OutputError};
use crate::summary::significant;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use multibody::results::soundness::{Soundness, Watch};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);

/// The signal that asked for the stop.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Numbers of the signals, the same on every system.
const INTERRUPT: i32 = 2;
const TERMINATE: i32 = 15;

/// Turns Ctrl-C and termination signals into a request that [`stop_requested`] reports; a second
/// one ends the program at once.
pub fn listen_for_stop() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(listen);
}

#[cfg(unix)]
fn listen() {
    // Where signals cannot be caught they end the program, as they would without asking.
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([INTERRUPT, TERMINATE]) {
        std::thread::spawn(move || signals.forever().for_each(stop));
    }
}

#[cfg(not(unix))]
fn listen() {
    let _ = ctrlc::set_handler(|| stop(INTERRUPT));
}

/// Requests that come so soon after the first are the same one, in a process that gets it from its
/// parent and perhaps from elsewhere: schedulers tell all processes of a job.
const SAME_REQUEST: Duration = Duration::from_millis(500);

fn stop(signal: i32) {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let since_first = FIRST.get_or_init(Instant::now).elapsed();
    if STOP.load(Ordering::SeqCst) {
        if crate::supervise::is_supervised() && since_first < SAME_REQUEST {
            return;
        }
        softdock_fmi::import::remove_unpacked();
        std::process::exit(128 + signal);
    }
    SIGNAL.store(signal, Ordering::SeqCst);
    STOP.store(true, Ordering::SeqCst);
}

/// True once a signal has asked the run to end.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// The flag that [`stop_requested`] reads, for code that polls it itself.
pub fn stop_flag() -> &'static AtomicBool {
    &STOP
}

/// True if the request to end was a termination signal, as schedulers send it.
pub fn terminated() -> bool {
    SIGNAL.load(Ordering::SeqCst) == TERMINATE
}

/// Runs shorter than this show no bar.
const SHOW_AFTER: Duration = Duration::from_millis(400);

/// A bar of simulated time on the terminal; invisible when standard error is not one.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    end: f64,
    started: Instant,
    shown: bool,
    /// What the bar counts: seconds of simulated time, or runs.
    unit: &'static str,
}

/// Ticks of a full bar.
const TICKS: u64 = 10_000;

impl Progress {
    /// A bar that is full at `end` [s].
    pub fn new(end: f64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(TICKS), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {eta} left")
        {
            bar.set_style(style);
        }
        Self {
            bar,
            end,
            started: Instant::now(),
            shown: false,
            unit: "s",
        }
    }

    /// A bar of `total` runs.
    pub fn counting(total: usize) -> Self {
        let mut out = Self::new(total as f64);
        out.unit = "runs";
        out
    }

    /// The run has reached `time` [s].
    pub fn at(&mut self, time: f64) {
        if !self.shown {
            if self.started.elapsed() < SHOW_AFTER || output::is_quiet() {
                return;
            }
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar
            .set_position((time / self.end * TICKS as f64) as u64);
        self.bar.set_message(match self.unit {
            "s" => format!("t = {time:.3} s of {:.3} s", self.end),
            unit => format!("{time} of {} {unit}", self.end),
        });
    }

    /// The same; steps are `step` [s] long now.
    pub fn at_with_step(&mut self, time: f64, step: f64) {
        self.at(time);
        if self.shown {
            let end = self.end;
            let step = significant(1e3 * step, 2);
            let message = format!("t = {time:.3} s of {end:.3} s, step {step} ms");
            self.bar.set_message(message);
        }
    }

    /// Wall time since the start [s].
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// It came to its end.
    Complete,
    /// A signal stopped it.
    Stopped,
    /// It could not go on.
    Failed(anyhow::Error),
}

impl Ended {
    /// The end of a run that says whether it was stopped (`false`) or why it failed.
    pub fn new(done: Result<bool>) -> Self {
        match done {
            Ok(true) => Self::Complete,
            Ok(false) => Self::Stopped,
            Err(error) => Self::Failed(error),
        }
    }

    /// True if it came to its end.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }

    /// Why it ended early.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Stopped => Some("stopped by a signal".to_owned()),
            Self::Failed(error) => Some(format!("{error:#}")),
        }
    }

    /// Completes the table of the run, or keeps what there is under a name that says so.
    pub fn close(&self, csv: CsvFile) -> Result<PathBuf, OutputError> {
        if self.is_complete() {
            csv.finish()
        } else {
            csv.keep_partial()
        }
    }

    /// The soundness of the run, of which `watch` saw everything.
    pub fn soundness(&self, watch: &Watch) -> Soundness {
        match self {
            Self::Complete | Self::Stopped => watch.soundness(),
            Self::Failed(_) => watch.soundness().failed(),
        }
    }

    /// The exit status of the run; its rows are in `file` if it has any.
    pub fn status(self, file: Option<&Path>, soundness: &Soundness) -> Result<ExitCode> {
        match self {
            Self::Complete => Ok(verdict(soundness)),
            Self::Stopped => Ok(ExitCode::from(STOPPED)),
            Self::Failed(error) => Err(match file {
                Some(file) => {
                    error.context(format!("the rows until then are in {}", file.display()))
                }
                None => error,
            }),
        }
    }
}

/// The verdict on a regulator from those on its closed and its open loop. An open loop that cannot be
/// computed to its end is one that falls apart without the regulator, which is what it is there to
/// show.
pub fn both_loops(closed: &Soundness, open: &Soundness) -> Soundness {
    let open = match open {
        Soundness::Failed(_) => Soundness::Sound,
        other => other.clone(),
    };
    closed.clone().and(open)
}

/// Most rows of a table.
const MOST_ROWS: f64 = 1e8;

/// Refuses a duration or a step between rows that makes no table.
pub fn check_times(duration: f64, output_step: f64) -> Result<(), String> {
    let refuse = |argument, value: f64, allowed| {
        Err(format!(
            "{argument} {value} is not allowed: it must be {allowed}"
        ))
    };
    if !(duration > 0.0 && duration.is_finite()) {
        return refuse("--duration", duration, "> 0 and finite");
    }
    if !(output_step > 0.0 && output_step.is_finite()) {
        return refuse("--output-step", output_step, "> 0 and finite");
    }
    if duration / output_step > MOST_ROWS {
        let allowed = "long enough to give at most 1e8 rows";
        return refuse("--output-step", output_step, allowed);
    }
    Ok(())
}

/// The times of the rows of a table.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// Index of the last row.
    pub last: usize,
    duration: f64,
    step: f64,
}

impl Grid {
    /// Rows every `step` [s], the last one at `duration` [s].
    pub fn new(duration: f64, step: f64) -> Self {
        // A duration that is a whole number of steps ends with the last of them.
        let count = (duration / step * (1.0 + 1e-12)).floor() as usize;
        let remainder = duration - count as f64 * step;
        let last = count + usize::from(remainder > 1e-9 * step);
        Self {
            last,
            duration,
            step,
        }
    }

    /// The time of row `index` [s].
    pub fn time(&self, index: usize) -> f64 {
        if index == self.last {
            self.duration
        } else {
            grid_time(index, self.step)
        }
    }
}

/// The time of row `index` since the start [s]. A step of 1 ms gives 0.009 rather than 9 × 0.001 =
/// 0.009000000000000001, so that tables of different steps share their times.
pub fn grid_time(index: usize, step: f64) -> f64 {
    let per_second = (1.0 / step).round();
    if (per_second * step - 1.0).abs() < 1e-12 {
        index as f64 / per_second
    } else {
        index as f64 * step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_decimal_numbers_one_expects() {
        assert_eq!(grid_time(9, 0.001), 0.009);
        assert_eq!(grid_time(2999, 0.001), 2.999);
        assert_eq!(grid_time(3, 0.03), 0.09);
        assert_eq!(grid_time(7, 0.0001), 0.0007);
        assert_eq!(grid_time(2, 2.5), 5.0);
    }

    #[test]
    fn impossible_times_are_refused() {
        for (duration, step) in [
            (0.0, 1e-3),
            (-1.0, 1e-3),
            (f64::NAN, 1e-3),
            (1.0, 0.0),
            (1.0, f64::INFINITY),
            (1e9, 1e-3),
        ] {
            assert!(check_times(duration, step).is_err(), "{duration} {step}");
        }
        assert!(check_times(3.0, 1e-3).is_ok());
    }

    #[test]
    fn the_last_row_is_the_end() {
        let grid = Grid::new(0.25, 0.1);
        let times: Vec<f64> = (0..=grid.last).map(|i| grid.time(i)).collect();
        assert_eq!(times, [0.0, 0.1, 0.2, 0.25]);
        assert_eq!(Grid::new(3.0, 1e-3).last, 3000);
    }
}
