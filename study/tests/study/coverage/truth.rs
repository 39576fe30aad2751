//! What is true of the function that intervals are tried on.

use super::{QUANTILES, figure, inputs, plan};
use softdock_study::sampling::random::{Generator, Stream};
use softdock_study::statistics::{Dependence, spearman};

/// Above this the event happens: about one run in five for 4 inputs.
const LIMIT: f64 = 2.4;

/// The true values.
pub struct Truth {
    pub mean: f64,
    /// Limits and how often they are exceeded.
    pub above: [(f64, f64); 2],
    pub quantiles: [f64; 4],
    /// First-order and total indices of x1, x2 and x3.
    pub first: [f64; 3],
    pub total: [f64; 3],
    pub rank: f64,
    /// The same of the event that the first limit is exceeded.
    pub event_first: [f64; 2],
    pub event_total: [f64; 3],
    /// Mean and median of the figure where the event happens.
    pub event_mean: f64,
    pub event_median: f64,
    sorted: Vec<f64>,
}

impl Truth {
    /// The truth for `d` inputs, from closed forms and from the points of a long Sobol' sequence.
    pub fn new(d: usize) -> Self {
        let rows = inputs(&plan("sobol", 1 << 20, d, 77));
        let y: Vec<f64> = rows.iter().map(|x| figure(x)).collect();
        let n = y.len();
        let mut sorted = y.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |p: f64| sorted[(n as f64 * p) as usize];
        let share = |limit: f64| (n - sorted.partition_point(|y| *y <= limit)) as f64 / n as f64;
        let event: Vec<f64> = y.iter().map(|y| f64::from(u8::from(*y > LIMIT))).collect();
        let with = &sorted[n - (share(LIMIT) * n as f64).round() as usize..];
        let weak = 0.04 / 12.0 * (d as f64 - 4.0);
        let parts = [4.0 / 12.0, 2.25 / 8.0, 9.0 / 144.0];
        let variance = parts.iter().sum::<f64>() + weak;
        let x1: Vec<f64> = rows.iter().map(|x| x[0]).collect();
        let rank = spearman(&x1, &y, &Dependence::independent(n), 0.95).unwrap();
        let high = at(0.98);
        Self {
            mean: 1.0 + 0.75 + 0.1 * (d as f64 - 4.0),
            above: [(LIMIT, share(LIMIT)), (high, share(high))],
            quantiles: QUANTILES.map(at),
            first: [parts[0] / variance, parts[1] / variance, 0.0],
            total: parts.map(|part| part / variance),
            rank: rank.coefficient,
            event_first: [0, 1].map(|i| first_order(&rows, &event, i)),
            event_total: [0, 1, 2].map(|i| total(&rows, &event, i)),
            event_mean: with.iter().sum::<f64>() / with.len() as f64,
            event_median: with[with.len() / 2],
            sorted,
        }
    }

    /// True share of values above one.
    pub fn share_above(&self, value: f64) -> f64 {
        let n = self.sorted.len();
        (n - self.sorted.partition_point(|y| *y <= value)) as f64 / n as f64
    }
}

/// Variance of the means in 512 strips of an input over the whole variance; a strip holds 2048 points, so
/// that what chance adds (a two-thousandth) can be taken off exactly enough.
fn first_order(rows: &[Vec<f64>], event: &[f64], input: usize) -> f64 {
    const STRIPS: usize = 512;
    let mut sums = vec![(0.0, 0.0); STRIPS];
    for (x, y) in rows.iter().zip(event) {
        let strip = &mut sums[((x[input] * STRIPS as f64) as usize).min(STRIPS - 1)];
        strip.0 += 1.0;
        strip.1 += y;
    }
    let mean = event.iter().sum::<f64>() / event.len() as f64;
    let part = |(count, sum): &(f64, f64)| {
        let p = sum / count;
        (p - mean).powi(2) - p * (1.0 - p) / count
    };
    let between = sums.iter().map(part).sum::<f64>() / STRIPS as f64;
    between / (mean * (1.0 - mean))
}

/// Half of the mean square of what changes when an input is drawn anew, over the variance.
fn total(rows: &[Vec<f64>], event: &[f64], input: usize) -> f64 {
    let generator = Generator::new(123);
    let changed = rows.iter().zip(event).enumerate().filter(|(i, (x, y))| {
        let mut other = (*x).clone();
        other[input] = generator.uniform(Stream::MonteCarlo, input as u32, *i as u64);
        (figure(&other) > LIMIT) != (**y > 0.5)
    });
    let share = changed.count() as f64 / event.len() as f64;
    let mean = event.iter().sum::<f64>() / event.len() as f64;
    0.5 * share / (mean * (1.0 - mean))
}
