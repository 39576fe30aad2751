//! A bar of finished runs with their rate and the time that is left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use softdock_study::Progress;

/// A bar on the terminal; invisible when standard error is not one.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that appears with the first finished run.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(
            None,
            if crate::output::is_quiet() {
                ProgressDrawTarget::hidden()
            } else {
                ProgressDrawTarget::stderr()
            },
        );
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// A run has finished.
    pub fn at(&self, progress: &Progress) {
        self.0.set_length(progress.total);
        self.0.set_message(message(progress));
        self.0.set_position(progress.finished);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn message(progress: &Progress) -> String {
    let Progress {
        finished, total, ..
    } = progress;
    let failed = match progress.failed {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let seconds = progress.elapsed.as_secs_f64();
    let rate = progress.finished_now as f64 / seconds;
    if !rate.is_normal() {
        return format!("{finished} of {total} runs{failed}");
    }
    let left = (total - finished) as f64 / rate;
    format!(
        "{finished} of {total} runs{failed}, {} per minute, {} left",
        softdock_report::significant(60.0 * rate, 3),
        duration(left)
    )
}

/// A time as people say it.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days", whole / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_message_says_how_fast_and_how_long() {
        let progress = Progress {
            run: 7,
            finished: 60,
            failed: 2,
            total: 200,
            finished_now: 20,
            elapsed: Duration::from_secs(40),
        };
        assert_eq!(
            message(&progress),
            "60 of 200 runs, 2 failed, 30.0 per minute, 4 min 40 s left"
        );
        assert_eq!(duration(0.2), "1 s");
        assert_eq!(duration(7300.0), "2 h 01 min");
        assert_eq!(duration(1e6), "11 days");
    }
}
