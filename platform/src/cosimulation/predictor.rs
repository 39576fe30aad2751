//! First guess of a macro step: accelerations of the last ones, extrapolated.
//!
//! With the accelerations v̇ at the last m times t_k, the guess at t is the polynomial through
//! them,
//!
//! ```text
//! v̇(t) ≈ Σ v̇_k Π_{l≠k} (t − t_l)/(t_k − t_l)                                    (1)
//! ```
//!
//! Which m is best depends on how smooth the motion is: the one that would have been best for the
//! last step is taken.

use nalgebra::Vector6;

/// Most points of eq. (1).
const MOST_POINTS: usize = 6;

/// Accelerations of the recent past.
#[derive(Debug, Clone)]
pub struct Predictor {
    /// Times [s] and accelerations, the latest last.
    points: Vec<(f64, Vector6<f64>)>,
    best: usize,
}

impl Predictor {
    /// Nothing is known but the acceleration at the start.
    pub fn new(time: f64, acceleration: Vector6<f64>) -> Self {
        Self {
            points: vec![(time, acceleration)],
            best: 1,
        }
    }

    /// Eq. (1) from the last `count` points.
    fn extrapolate(&self, count: usize, time: f64) -> Vector6<f64> {
        let points = &self.points[self.points.len() - count..];
        let mut sum = Vector6::zeros();
        for (k, (t_k, value)) in points.iter().enumerate() {
            let others = points.iter().enumerate().filter(|(l, _)| *l != k);
            let weight: f64 = others
                .map(|(_, (t_l, _))| (time - t_l) / (t_k - t_l))
                .product();
            sum += value * weight;
        }
        sum
    }

    /// The guess at `time` [s].
    pub fn guess(&self, time: f64) -> Vector6<f64> {
        self.extrapolate(self.best, time)
    }

    /// Learns the accelerations of a step that was accepted; `lever` [m] weighs rotations.
    pub fn learn(&mut self, points: &[(f64, Vector6<f64>)], lever: f64) {
        if let Some((time, value)) = points.last() {
            let error = |count: usize| {
                let off = self.extrapolate(count, *time) - value;
                off.fixed_rows::<3>(0).norm() + lever * off.fixed_rows::<3>(3).norm()
            };
            let counts = 1..=self.points.len();
            let best = counts.min_by(|a, b| error(*a).total_cmp(&error(*b)));
            self.best = best.unwrap_or(1);
        }
        self.points.extend_from_slice(points);
        let surplus = self.points.len().saturating_sub(MOST_POINTS);
        self.points.drain(..surplus);
    }

    /// The motion goes on differently from now on: only the last acceleration counts.
    pub fn forget(&mut self) {
        let surplus = self.points.len().saturating_sub(1);
        self.points.drain(..surplus);
        self.best = 1;
    }
}
