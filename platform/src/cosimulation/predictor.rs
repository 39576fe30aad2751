//! First guess of a macro step: accelerations of the last ones, extrapolated.
//!
//! With the accelerations v̇ at the last m times t_k, the guess at t is the polynomial through
//! them,
//!
//! ```text
//! v̇(t) ≈ Σ v̇_k Π_{l≠k} (t − t_l)/(t_k − t_l)                                    (1)
//! ```
//!
//! Which m is best depends on how smooth the motion is; and forces in the middle and at the end of a
//! macro step may have errors of their own each, so that only every second point should count.
//! The choice that would have been best for the last step is taken.

use nalgebra::Vector6;

/// Most points remembered.
const MOST_POINTS: usize = 8;

/// Which points of the past count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Choice {
    /// How many.
    count: usize,
    /// Every so manieth.
    stride: usize,
}

/// All choices, those that need least of the past first.
const CHOICES: [Choice; 9] = {
    const fn choice(count: usize, stride: usize) -> Choice {
        Choice { count, stride }
    }
    [
        choice(1, 1),
        choice(2, 1),
        choice(3, 1),
        choice(4, 1),
        choice(5, 1),
        choice(6, 1),
        choice(2, 2),
        choice(3, 2),
        choice(4, 2),
    ]
};

/// Accelerations of the recent past.
#[derive(Debug, Clone)]
pub struct Predictor {
    /// Times [s] and accelerations, the latest last.
    points: Vec<(f64, Vector6<f64>)>,
    best: Choice,
}

impl Predictor {
    /// Nothing is known but the acceleration at the start.
    pub fn new(time: f64, acceleration: Vector6<f64>) -> Self {
        Self {
            points: vec![(time, acceleration)],
            best: CHOICES[0],
        }
    }

    /// Eq. (1) at a time that is `ahead` points behind the last one, if enough points are known.
    fn extrapolate(&self, choice: Choice, ahead: usize, time: f64) -> Option<Vector6<f64>> {
        let Choice { count, stride } = choice;
        // Of every second point, those that end as the wanted one does.
        let skipped = if stride == 1 { 0 } else { ahead % stride };
        let last = self.points.len().checked_sub(1 + skipped)?;
        let first = last.checked_sub((count - 1) * stride)?;
        let used = || self.points[first..=last].iter().step_by(stride).enumerate();
        let mut sum = Vector6::zeros();
        for (k, (t_k, value)) in used() {
            let others = used().filter(|(l, _)| *l != k);
            let weight: f64 = others
                .map(|(_, (t_l, _))| (time - t_l) / (t_k - t_l))
                .product();
            sum += value * weight;
        }
        Some(sum)
    }

    /// Guesses at the `times` [s] of the next points.
    pub fn guess(&self, times: &[f64]) -> Vec<Vector6<f64>> {
        let last = self.points.last().map_or(Vector6::zeros(), |point| point.1);
        let guess = |(i, time): (usize, &f64)| self.extrapolate(self.best, i + 1, *time);
        let guesses = times.iter().enumerate().map(guess);
        guesses.map(|found| found.unwrap_or(last)).collect()
    }

    /// Learns the accelerations of a step that was accepted; `lever` [m] weighs rotations.
    pub fn learn(&mut self, points: &[(f64, Vector6<f64>)], lever: f64) {
        let error = |choice: Choice| -> Option<f64> {
            let mut sum = 0.0;
            for (i, (time, value)) in points.iter().enumerate() {
                let off = self.extrapolate(choice, i + 1, *time)? - value;
                sum += off.fixed_rows::<3>(0).norm() + lever * off.fixed_rows::<3>(3).norm();
            }
            Some(sum)
        };
        let known = CHOICES.into_iter().filter_map(|c| Some((error(c)?, c)));
        let best = known.min_by(|a, b| a.0.total_cmp(&b.0));
        self.best = best.map_or(CHOICES[0], |(_, choice)| choice);
        self.points.extend_from_slice(points);
        let surplus = self.points.len().saturating_sub(MOST_POINTS);
        self.points.drain(..surplus);
    }

    /// The motion goes on differently from now on: only the last acceleration counts.
    pub fn forget(&mut self) {
        let surplus = self.points.len().saturating_sub(1);
        self.points.drain(..surplus);
        self.best = CHOICES[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(steps: usize, at: impl Fn(usize, f64) -> f64) -> (Predictor, f64, f64) {
        let h = 0.01;
        let mut predictor = Predictor::new(0.0, Vector6::repeat(at(1, 0.0)));
        let point = |i: usize, time: f64| (time, Vector6::repeat(at(i, time)));
        for k in 0..steps {
            let start = h * k as f64;
            let points = [point(0, start + 0.5 * h), point(1, start + h)];
            predictor.learn(&points, 0.2);
        }
        let end = h * steps as f64;
        (predictor, end + 0.5 * h, end + h)
    }

    #[test]
    fn polynomial_is_continued() {
        let cubic = |_: usize, t: f64| 1.0 + t * (2.0 - t * (3.0 + 40.0 * t));
        let (predictor, middle, end) = learned(6, cubic);
        let guess = predictor.guess(&[middle, end]);
        assert!((guess[0][0] - cubic(0, middle)).abs() < 1e-9);
        assert!((guess[1][0] - cubic(1, end)).abs() < 1e-9);
    }

    /// Errors that alternate between middle and end are not extrapolated.
    #[test]
    fn alternating_error_is_continued() {
        let zigzag = |i: usize, t: f64| 1.0 + 2.0 * t + if i == 0 { 0.1 } else { -0.1 };
        let (predictor, middle, end) = learned(6, zigzag);
        let guess = predictor.guess(&[middle, end]);
        assert!((guess[0][0] - zigzag(0, middle)).abs() < 1e-9);
        assert!((guess[1][0] - zigzag(1, end)).abs() < 1e-9);
    }
}
