//! Numbers that change from frame to frame, written small.
//!
//! A frame is a row of numbers. They are rounded to whole multiples of a unit; the first frame is
//! written as it is, each later one as its differences from the one before, and frames at the end
//! that repeat their predecessor are left out. Rounding happens before the differences are taken,
//! so errors do not add up.

use serde::Serialize;

/// What stands for a number that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The number of the frame before; zero in the first.
    Before,
    /// Zero.
    Zero,
}

/// Rows of numbers, one per frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Track {
    /// Numbers in a frame.
    width: usize,
    /// Value of one.
    unit: f64,
    /// The first frame, then differences.
    data: Vec<i64>,
}

impl Track {
    /// Rows of `width` numbers each; a row that is too short is filled up as `missing` says, one
    /// that is too long is cut.
    pub(crate) fn new<R: AsRef<[f64]>>(
        rows: impl IntoIterator<Item = R>,
        width: usize,
        unit: f64,
        missing: Missing,
    ) -> Self {
        let mut last = vec![0_i64; width];
        let mut data = Vec::new();
        let mut needed = 0;
        for row in rows {
            let row = row.as_ref();
            let first = data.is_empty();
            let mut moved = first;
            for (k, before) in last.iter_mut().enumerate() {
                let now = match row.get(k) {
                    // A cast saturates; such a number is nonsense in a picture anyway.
                    Some(value) if value.is_finite() => (value / unit).round() as i64,
                    _ if missing == Missing::Zero => 0,
                    _ => *before,
                };
                let change = now.saturating_sub(*before);
                moved |= change != 0;
                data.push(change);
                *before = now;
            }
            if moved {
                needed = data.len();
            }
        }
        data.truncate(needed);
        Self { width, unit, data }
    }

    /// Largest length of the vectors of three in all frames.
    pub(crate) fn longest(&self) -> f64 {
        let mut now = vec![0_i64; self.width];
        let mut longest = 0.0_f64;
        for frame in self.data.chunks(self.width.max(1)) {
            now.iter_mut().zip(frame).for_each(|(n, d)| *n += d);
            for vector in now.chunks(3) {
                let square: f64 = vector.iter().map(|&v| (v as f64).powi(2)).sum();
                longest = longest.max(square.sqrt() * self.unit);
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_frames_are_differences_and_still_ends_are_left_out() {
        let rows = [[0.1, 0.2], [0.1, 0.25], [0.1, 0.25], [0.1, 0.25]];
        let track = Track::new(rows, 2, 1e-2, Missing::Before);
        assert_eq!(track.data, [10, 20, 0, 5]);
    }

    #[test]
    fn rounding_does_not_add_up() {
        let rows: Vec<[f64; 1]> = (0..1000).map(|i| [f64::from(i) * 0.4]).collect();
        let track = Track::new(rows, 1, 1.0, Missing::Before);
        assert_eq!(track.data.iter().sum::<i64>(), 400);
    }

    #[test]
    fn what_is_not_finite_is_held_or_zero() {
        let rows = [[1.0], [f64::NAN], [2.0]];
        assert_eq!(Track::new(rows, 1, 1.0, Missing::Before).data, [1, 0, 1]);
        assert_eq!(Track::new(rows, 1, 1.0, Missing::Zero).data, [1, -1, 2]);
        let none: [[f64; 1]; 0] = [];
        assert!(Track::new(none, 1, 1.0, Missing::Zero).data.is_empty());
    }

    #[test]
    fn the_longest_vector_is_found() {
        let rows = [[0.0, 0.0, 0.0], [3.0, 0.0, 4.0], [1.0, 0.0, 0.0]];
        let track = Track::new(rows, 3, 0.01, Missing::Zero);
        assert!((track.longest() - 5.0).abs() < 1e-12);
    }
}
