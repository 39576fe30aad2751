//! A motion through the rows of a table: a cubic spline that is at rest at both ends.
//!
//! Slopes s_i at the rows make the second derivative continuous:
//!
//! ```text
//! s_{i−1}/h_{i−1} + 2 s_i (1/h_{i−1} + 1/h_i) + s_{i+1}/h_i = 3 (d_{i−1}/h_{i−1} + d_i/h_i)      (1)
//! ```
//!
//! with h_i the distance of two rows, d_i the slope of the line between them, and s = 0 at both ends.

/// A spline.
#[derive(Debug, Clone)]
pub struct Spline {
    times: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Spline {
    /// Through rows with ascending times.
    pub fn new(times: Vec<f64>, values: Vec<f64>) -> Self {
        let slopes = slopes(&times, &values);
        Self {
            times,
            values,
            slopes,
        }
    }

    /// Value, rate and acceleration at a time; held before the first and behind the last row.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let last = self.times.len() - 1;
        if time < self.times[0] {
            return [self.values[0], 0.0, 0.0];
        }
        if time > self.times[last] {
            return [self.values[last], 0.0, 0.0];
        }
        let i = self.times.partition_point(|t| *t <= time).clamp(1, last) - 1;
        let h = self.times[i + 1] - self.times[i];
        let s = (time - self.times[i]) / h;
        let rise = self.values[i + 1] - self.values[i];
        // y = y_i + h s (s_i + s (b + s a))
        let (from, to) = (self.slopes[i] * h, self.slopes[i + 1] * h);
        let (a, b) = (from + to - 2.0 * rise, 3.0 * rise - 2.0 * from - to);
        [
            self.values[i] + s * (from + s * (b + s * a)),
            (from + s * (2.0 * b + s * 3.0 * a)) / h,
            (2.0 * b + s * 6.0 * a) / (h * h),
        ]
    }
}

fn slopes(times: &[f64], values: &[f64]) -> Vec<f64> {
    let count = times.len();
    let mut out = vec![0.0; count];
    if count < 3 {
        return out;
    }
    let h = |i: usize| times[i + 1] - times[i];
    let line = |i: usize| (values[i + 1] - values[i]) / h(i);
    // Elimination downward, then back (1).
    let mut share = vec![0.0; count];
    for i in 1..count - 1 {
        let diagonal = 2.0 * (1.0 / h(i - 1) + 1.0 / h(i)) - share[i - 1] / h(i - 1);
        let right = 3.0 * (line(i - 1) / h(i - 1) + line(i) / h(i)) - out[i - 1] / h(i - 1);
        share[i] = 1.0 / (h(i) * diagonal);
        out[i] = right / diagonal;
    }
    for i in (1..count - 1).rev() {
        out[i] -= share[i] * out[i + 1];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_motion_is_met_with_its_derivatives() {
        // 1 − cos is at rest at 0 and 2π.
        let times: Vec<f64> = (0..=100)
            .map(|i| std::f64::consts::TAU * f64::from(i) / 100.0)
            .collect();
        let values = times.iter().map(|t| 1.0 - t.cos()).collect();
        let spline = Spline::new(times, values);
        for i in 0..500 {
            let t = 0.0125 * f64::from(i);
            let [value, rate, change] = spline.at(t);
            assert!((value - 1.0 + t.cos()).abs() < 1e-7, "{t}: {value}");
            assert!((rate - t.sin()).abs() < 1e-5, "{t}: {rate}");
            assert!((change - t.cos()).abs() < 2e-3, "{t}: {change}");
        }
        assert_eq!(spline.at(-1.0), [0.0; 3]);
        assert_eq!(spline.at(7.0)[1..], [0.0; 2]);
    }
}
