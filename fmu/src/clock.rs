//! Ends of communication steps, counted from the start instead of added up.
//!
//! ```text
//! t = t₀ + n τ                                                                  (1)
//! ```
//!
//! with t₀ the time at which steps of the length τ began. Added up, the rounding of every step would
//! go into the lengths of the solver's steps, and from there into accelerations.

use serde::{Deserialize, Serialize};
use softdock_fmi::model::Failure;

/// Lengths that differ by less than this part are the same length: hosts subtract their times.
const SAME_LENGTH: f64 = 1e-7;

/// Most steps of the solver in a communication step.
const MOST_STEPS: f64 = 1e7;

/// Refuses a communication step of more steps of the solver than a caller would wait for.
pub fn check_count(steps: f64) -> Result<(), Failure> {
    if steps.is_nan() || steps > MOST_STEPS {
        return Err(format!("{steps:e} steps of the solver: at most 1e7 are made").into());
    }
    Ok(())
}

/// The time of a unit [s].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Clock {
    since: f64,
    length: f64,
    count: f64,
}

impl Clock {
    /// The time, eq. (1) [s].
    pub fn time(&self) -> f64 {
        self.since + self.count * self.length
    }

    /// The clock behind one more step of `length` [s].
    pub fn after(&self, length: f64) -> Self {
        if (length - self.length).abs() <= SAME_LENGTH * self.length {
            let count = self.count + 1.0;
            return Self { count, ..*self };
        }
        Self {
            since: self.time(),
            length,
            count: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_are_counted() {
        let mut clock = Clock::default();
        let mut host = 0.0_f64;
        for _ in 0..1_000_000 {
            // A host that adds up its time hands over differences that are rounded.
            let next = host + 1e-3;
            clock = clock.after(next - host);
            host = next;
        }
        assert!((clock.time() - 1000.0).abs() < 1e-9, "{}", clock.time());
        assert_eq!(
            Clock::default().after(0.1).after(0.1).after(0.1).time(),
            3.0 * 0.1
        );
        let mixed = Clock::default()
            .after(0.25)
            .after(0.5)
            .after(0.5)
            .after(0.25);
        assert_eq!(mixed.time(), 1.5);
    }
}
