//! A long run: progress on the terminal, a clean end on Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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

fn stop(signal: i32) {
    if STOP.load(Ordering::SeqCst) {
        std::process::exit(128 + signal);
    }
    SIGNAL.store(signal, Ordering::SeqCst);
    STOP.store(true, Ordering::SeqCst);
}

/// True once somebody has asked the run to end.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// What [`stop_requested`] looks at, for those who want to look for themselves.
pub fn stop_flag() -> &'static AtomicBool {
    &STOP
}

/// True if the request to end was a termination signal, as schedulers send it.
pub fn terminated() -> bool {
    SIGNAL.load(Ordering::SeqCst) == TERMINATE
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

    /// Wall time since the start [s].
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
