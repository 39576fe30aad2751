//! A long run: progress on the terminal, a clean end on Ctrl-C.

use crate::summary::significant;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);

/// Turns Ctrl-C and termination signals into a request that [`stop_requested`] reports; a second
/// one ends the program at once.
pub fn listen_for_stop() {
    // A second handler in the same process is refused; the first one serves as well.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

/// True once somebody has asked the run to end.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(400);

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
            if self.started.elapsed() < PATIENCE {
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
