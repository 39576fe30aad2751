//! What a table means between its rows.

use serde::{Deserialize, Serialize};

/// How the rows of a table are joined. Outside the table its first and last row are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Straight lines; rates jump at the rows.
    #[default]
    Linear,
    /// A cubic with a continuous rate, monotone where the rows are (Fritsch and Butland: the slope
    /// at a row is the harmonic mean of its neighbours, zero at both ends).
    Cubic,
    /// Every row holds until the next one: values jump at the rows.
    Hold,
}

impl Interpolation {
    /// Names, as in files and arguments.
    pub const NAMES: [&'static str; 3] = ["linear", "cubic", "hold"];

    /// Value, rate and acceleration at `time`; where the value jumps, it is the new one. A table
    /// without rows is zero.
    pub fn sample(self, times: &[f64], values: &[f64], time: f64) -> (f64, f64, f64) {
        let count = times.len().min(values.len());
        let (times, values) = (&times[..count], &values[..count]);
        // Rows at or before `time`.
        let passed = times.partition_point(|&row| row <= time);
        match (passed.checked_sub(1), passed < count) {
            (None, _) => (values.first().copied().unwrap_or(0.0), 0.0, 0.0),
            (Some(last), false) => (values[last], 0.0, 0.0),
            (Some(row), true) => match self {
                Self::Linear => {
                    let slope = secant(times, values, row);
                    (values[row] + slope * (time - times[row]), slope, 0.0)
                }
                Self::Cubic => cubic(times, values, row, time),
                Self::Hold => (values[row], 0.0, 0.0),
            },
        }
    }

    /// First row later than `after` and not later than `until` [s] at which the value jumps.
    pub(super) fn next_jump(self, times: &[f64], after: f64, until: f64) -> Option<f64> {
        if self != Self::Hold {
            return None;
        }
        // The first row holds before it, too: nothing jumps there.
        let row = times.partition_point(|&row| row <= after).max(1);
        times.get(row).copied().filter(|&row| row <= until)
    }

    /// As [`Self::sample`]; where the value jumps at `time`, it is the old one.
    pub(super) fn sample_before(self, times: &[f64], values: &[f64], time: f64) -> (f64, f64, f64) {
        let row = times.partition_point(|&row| row < time);
        match row.checked_sub(1) {
            Some(last) if self == Self::Hold => {
                (values.get(last).copied().unwrap_or(0.0), 0.0, 0.0)
            }
            _ => self.sample(times, values, time),
        }
    }
}

fn secant(times: &[f64], values: &[f64], row: usize) -> f64 {
    (values[row + 1] - values[row]) / (times[row + 1] - times[row])
}

/// Hermite's cubic between `row` and the next.
fn cubic(times: &[f64], values: &[f64], row: usize, time: f64) -> (f64, f64, f64) {
    let slope = |k: usize| {
        if k == 0 || k == times.len() - 1 {
            return 0.0;
        }
        let (left, right) = (secant(times, values, k - 1), secant(times, values, k));
        if left * right <= 0.0 {
            0.0
        } else {
            2.0 * left * right / (left + right)
        }
    };
    let h = times[row + 1] - times[row];
    let x = (time - times[row]) / h;
    let (s0, s1) = (h * slope(row), h * slope(row + 1));
    let d = values[row + 1] - values[row];
    let c2 = 3.0 * d - 2.0 * s0 - s1;
    let c3 = s0 + s1 - 2.0 * d;
    (
        values[row] + x * (s0 + x * (c2 + x * c3)),
        (s0 + x * (2.0 * c2 + 3.0 * x * c3)) / h,
        (2.0 * c2 + 6.0 * x * c3) / (h * h),
    )
}

#[cfg(test)]
mod tests {
    use super::Interpolation::{self, Cubic, Hold, Linear};
    use proptest::prelude::*;

    const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
    const VALUES: [f64; 4] = [1.0, 3.0, 2.0, 2.5];

    #[test]
    fn rows_are_met_and_the_ends_held() {
        for kind in [Linear, Cubic, Hold] {
            for (time, value) in TIMES.into_iter().zip(VALUES) {
                let (found, ..) = kind.sample(&TIMES, &VALUES, time);
                assert!((found - value).abs() < 1e-15, "{kind:?} at {time}: {found}");
            }
            assert_eq!(kind.sample(&TIMES, &VALUES, -1.0), (1.0, 0.0, 0.0));
            assert_eq!(kind.sample(&TIMES, &VALUES, 9.0), (2.5, 0.0, 0.0));
            assert_eq!(kind.sample(&[], &[], 0.0), (0.0, 0.0, 0.0));
        }
    }

    #[test]
    fn between_rows_each_kind_does_what_it_says() {
        assert_eq!(Linear.sample(&TIMES, &VALUES, 1.25), (2.75, -1.0, 0.0));
        assert_eq!(Hold.sample(&TIMES, &VALUES, 1.999), (3.0, 0.0, 0.0));
        // An extreme row is level, and the middle of its cubic is the mean.
        let (value, rate, _) = Cubic.sample(&TIMES, &VALUES, 1.5);
        assert_eq!((value, rate), (2.5, -1.5));
    }

    #[test]
    fn only_hold_jumps_and_only_where_rows_change() {
        assert_eq!(Linear.next_jump(&TIMES, 0.0, 9.0), None);
        assert_eq!(Cubic.next_jump(&TIMES, 0.0, 9.0), None);
        assert_eq!(Hold.next_jump(&TIMES, 0.0, 9.0), Some(1.0));
        assert_eq!(Hold.next_jump(&TIMES, 1.0, 9.0), Some(2.0));
        assert_eq!(Hold.next_jump(&TIMES, 1.0, 1.5), None);
        assert_eq!(Hold.next_jump(&TIMES, 4.0, 9.0), None);
        assert_eq!(Hold.sample_before(&TIMES, &VALUES, 1.0).0, 1.0);
        assert_eq!(Hold.sample_before(&TIMES, &VALUES, 1.5).0, 3.0);
        assert_eq!(Linear.sample_before(&TIMES, &VALUES, 1.25).0, 2.75);
    }

    proptest! {
        #[test]
        fn rates_are_derivatives(time in 0.0..5.0_f64, kind in 0..3_usize) {
            let kind = [Linear, Cubic, Hold][kind];
            let near = |row: &f64| (row - time).abs() < 1e-3;
            prop_assume!(!TIMES.iter().any(near));
            let at = |time: f64| kind.sample(&TIMES, &VALUES, time);
            let step = 1e-6;
            let (_, rate, acceleration) = at(time);
            let (before, after) = (at(time - step), at(time + step));
            prop_assert!(((after.0 - before.0) / (2.0 * step) - rate).abs() < 1e-8);
            prop_assert!(((after.1 - before.1) / (2.0 * step) - acceleration).abs() < 1e-7);
        }

        #[test]
        fn nothing_overshoots(time in 0.0..5.0_f64, kind in 0..3_usize) {
            let kind: Interpolation = [Linear, Cubic, Hold][kind];
            let row = TIMES.partition_point(|&row| row <= time).clamp(1, 3);
            let (a, b) = (VALUES[row - 1], VALUES[row]);
            let (value, ..) = kind.sample(&TIMES, &VALUES, time);
            let inside = value >= a.min(b) - 1e-15 && value <= a.max(b) + 1e-15;
            prop_assert!(inside || !(0.5..4.0).contains(&time));
        }
    }
}
