//! What is true of the function that intervals are tried on.

use super::{QUANTILES, inputs, plan};
use softdock_study::sampling::random::{Generator, Stream};
use softdock_study::statistics::{Dependence, spearman};
use std::f64::consts::PI;

/// A function of uniform inputs whose mean and shares of the variance are known.
#[derive(Clone, Copy)]
pub struct Function {
    pub name: &'static str,
    pub figure: fn(&[f64]) -> f64,
    /// Above this the event happens: about one run in five for 4 inputs.
    pub limit: f64,
    mean: fn(usize) -> f64,
    /// First-order and total indices of the first three inputs of so many.
    indices: fn(usize) -> [[f64; 3]; 2],
}

/// The functions that intervals are tried on.
pub const FUNCTIONS: [Function; 3] = [EFFECTS, ISHIGAMI, PRODUCT];

/// Straight, wavy, joint and weak effects.
pub const EFFECTS: Function = Function {
    name: "2 x1 + 1.5 sin²(2π x2) + 3 (x3 − ½)(x4 − ½) + 0.2 Σ_(j>4) x_j",
    figure: super::figure,
    limit: 2.4,
    mean: |d| 1.75 + 0.1 * (d as f64 - 4.0),
    indices: |d| {
        let parts = [4.0 / 12.0, 2.25 / 8.0, 9.0 / 144.0];
        let all = parts.iter().sum::<f64>() + 0.04 / 12.0 * (d as f64 - 4.0);
        [
            [parts[0] / all, parts[1] / all, 0.0],
            parts.map(|part| part / all),
        ]
    },
};

/// The function of Ishigami; inputs beyond the third do nothing.
const ISHIGAMI: Function = Function {
    name: "Ishigami",
    figure: |x| {
        let angle = |i: usize| PI * (2.0 * x[i] - 1.0);
        let (a, b) = (angle(0).sin(), angle(1).sin());
        a + 7.0 * b * b + 0.1 * angle(2).powi(4) * a
    },
    limit: 6.5,
    mean: |_| 3.5,
    indices: |_| {
        let alone = [0.5 * (1.0 + 0.02 * PI.powi(4)).powi(2), 49.0 / 8.0];
        let joint = 0.01 * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
        let all = alone[0] + alone[1] + joint;
        [
            [alone[0] / all, alone[1] / all, 0.0],
            [(alone[0] + joint) / all, alone[1] / all, joint / all],
        ]
    },
};

/// Sobol's g with coefficients 0, 1, 4.5, 9 and 99 from there on.
const PRODUCT: Function = Function {
    name: "Sobol' g",
    figure: |x| {
        let factor = |(i, x): (usize, &f64)| {
            let a = coefficient(i);
            ((4.0 * x - 2.0).abs() + a) / (1.0 + a)
        };
        x.iter().enumerate().map(factor).product()
    },
    limit: 1.5,
    mean: |_| 1.0,
    indices: |d| {
        let part = |i: usize| 1.0 / (3.0 * (1.0 + coefficient(i)).powi(2));
        let whole: f64 = (0..d).map(|i| 1.0 + part(i)).product();
        let first = [0, 1, 2].map(|i| part(i) / (whole - 1.0));
        let total = [0, 1, 2].map(|i| part(i) * whole / (1.0 + part(i)) / (whole - 1.0));
        [first, total]
    },
};

fn coefficient(input: usize) -> f64 {
    *[0.0, 1.0, 4.5, 9.0].get(input).unwrap_or(&99.0)
}

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
    pub fn new(function: &Function, d: usize) -> Self {
        let (figure, limit) = (function.figure, function.limit);
        let rows = inputs(&plan("sobol", 1 << 20, d, 77));
        let y: Vec<f64> = rows.iter().map(|x| figure(x)).collect();
        let n = y.len();
        let mut sorted = y.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |p: f64| sorted[(n as f64 * p) as usize];
        let share = |limit: f64| (n - sorted.partition_point(|y| *y <= limit)) as f64 / n as f64;
        let event: Vec<f64> = y.iter().map(|y| f64::from(u8::from(*y > limit))).collect();
        let with = &sorted[n - (share(limit) * n as f64).round() as usize..];
        let [first, total] = (function.indices)(d);
        let x1: Vec<f64> = rows.iter().map(|x| x[0]).collect();
        let rank = spearman(&x1, &y, &Dependence::independent(n), 0.95).unwrap();
        let high = at(0.98);
        Self {
            mean: (function.mean)(d),
            above: [(limit, share(limit)), (high, share(high))],
            quantiles: QUANTILES.map(at),
            first,
            total,
            rank: rank.coefficient,
            event_first: [0, 1].map(|i| first_order(&rows, &event, i)),
            event_total: [0, 1, 2].map(|i| changed(function, &rows, &event, i)),
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
fn changed(function: &Function, rows: &[Vec<f64>], event: &[f64], input: usize) -> f64 {
    let generator = Generator::new(123);
    let changed = rows.iter().zip(event).enumerate().filter(|(i, (x, y))| {
        let mut other = (*x).clone();
        other[input] = generator.uniform(Stream::MonteCarlo, input as u32, *i as u64);
        ((function.figure)(&other) > function.limit) != (**y > 0.5)
    });
    let share = changed.count() as f64 / event.len() as f64;
    let mean = event.iter().sum::<f64>() / event.len() as f64;
    0.5 * share / (mean * (1.0 - mean))
}
