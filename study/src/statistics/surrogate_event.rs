//! Total-order indices of an event (captured or not), from a Gaussian process that classifies runs.
//!
//! Polynomials follow a jump badly; the classifier of `boundary/classifier.rs` has it at one place. With
//! c(u) = 1 where it calls the event likely, else 0, and N points A and B of its own (`saltelli2010`),
//!
//! ```text
//! S_i = mean(c(B) (c(A_B^i) − c(A))) / V,   T_i = mean((c(A) − c(A_B^i))²) / 2V              (1)
//! Q² = 1 − Σ (y − P)² / Σ (y − ȳ)²                                                          (2)
//! ```
//!
//! (2) over rows that the process has not seen (five parts in turn, with the same covariance), P its
//! probability of the event there.

use super::surrogate::{Surrogate, SurrogateIndex, SurrogateKind, some, total_limits};
use crate::boundary::classifier::{Classifier, Kernel};
use crate::sampling::random::{Generator, Stream};

/// Fewest rows.
const FEWEST_ROWS: usize = 60;
/// Rows that the process is fitted to at most: its cost grows with their cube.
const MOST_ROWS: usize = 250;
/// Sweeps of the search for the covariance.
const SWEEPS: usize = 3;
/// Parts of the cross-validation.
const PARTS: usize = 5;
/// Points of (1).
const POINTS: u64 = 3000;

/// Where an event happens, over all inputs: the process fitted to runs of a study.
#[derive(Debug, Clone)]
pub struct EventMap {
    process: Classifier,
    /// Share of the variance of the event that the process predicts on runs it has not seen (2).
    pub predicted: f64,
    /// Runs it is fitted to.
    pub rows: usize,
}

impl EventMap {
    /// The map of an event: `y` is 1 where it happened, 0 where it did not, NaN where that is not known, at the
    /// points `u` of the unit cube. None for other values, too few rows, or rows that nearly all agree.
    pub fn fitted(u: &[Vec<f64>], y: &[f64]) -> Option<Self> {
        let (points, events) = chosen(u, y)?;
        let start = Kernel::new(points[0].len(), 1.0);
        let fit = Classifier::fitted(&points, &events, &start, SWEEPS);
        Some(Self {
            predicted: predicted(&fit.kernel, &points, &events),
            process: fit.refined(&events),
            rows: points.len(),
        })
    }

    /// Probability that the event happens at a point of the unit cube, given the runs.
    pub fn probability(&self, u: &[f64]) -> f64 {
        self.process.probability(u)
    }

    /// Whether the event is more likely than not at a point; much cheaper.
    pub fn is_likely(&self, u: &[f64]) -> bool {
        self.process.is_likely(u)
    }
}

/// Rows that a process is fitted to: points and whether the event happened.
fn chosen(u: &[Vec<f64>], y: &[f64]) -> Option<(Vec<Vec<f64>>, Vec<bool>)> {
    let known: Vec<usize> = (0..y.len().min(u.len()))
        .filter(|&i| !y[i].is_nan())
        .collect();
    if known.iter().any(|&i| y[i] != 0.0 && y[i] != 1.0) || known.len() < FEWEST_ROWS {
        return None;
    }
    let rows = some(&known, MOST_ROWS);
    let points: Vec<Vec<f64>> = rows.iter().map(|&i| u[i].clone()).collect();
    let events: Vec<bool> = rows.iter().map(|&i| y[i] == 1.0).collect();
    let count = events.iter().filter(|event| **event).count();
    // With a handful of one kind nothing can be said about where it is.
    let enough = count.min(events.len() - count) >= PARTS;
    enough.then_some((points, events))
}

/// The surrogate of an event: `y` is 1 where it happened, 0 where it did not, NaN where that is not known,
/// at the points `u` of the unit cube. None for other values, too few rows, or rows that all agree.
pub fn surrogate_of_event(u: &[Vec<f64>], y: &[f64]) -> Option<Surrogate> {
    let (points, events) = chosen(u, y)?;
    let inputs = points[0].len();
    let fit = Classifier::fitted(&points, &events, &Kernel::new(inputs, 1.0), SWEEPS);
    let predicted = predicted(&fit.kernel, &points, &events);
    let (first, total) = indices(&fit, inputs)?;
    let index = |(first_order, total): (f64, f64)| SurrogateIndex {
        first_order,
        total,
        total_limits: total_limits(total, predicted),
    };
    Some(Surrogate {
        kind: SurrogateKind::Classifier,
        inputs: first.into_iter().zip(total).map(index).collect(),
        predicted,
        rows: points.len(),
    })
}

/// Equation (2); the rows are in random order already.
fn predicted(kernel: &Kernel, points: &[Vec<f64>], events: &[bool]) -> f64 {
    let n = events.len() as f64;
    let y = |i: usize| f64::from(u8::from(events[i]));
    let mean = (0..events.len()).map(y).sum::<f64>() / n;
    let all: f64 = (0..events.len()).map(|i| (y(i) - mean).powi(2)).sum();
    let mut missed = 0.0;
    for part in 0..PARTS {
        let others: Vec<usize> = (0..events.len()).filter(|i| i % PARTS != part).collect();
        let seen: Vec<Vec<f64>> = others.iter().map(|&i| points[i].clone()).collect();
        let had: Vec<bool> = others.iter().map(|&i| events[i]).collect();
        let fit = Classifier::fitted(&seen, &had, kernel, 0).refined(&had);
        for i in (part..events.len()).step_by(PARTS) {
            missed += (y(i) - fit.probability(&points[i])).powi(2);
        }
    }
    1.0 - missed / all
}

/// Equations (1); none if the event is likely nowhere or everywhere.
fn indices(fit: &Classifier, inputs: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let generator = Generator::new(2);
    let draw = |j: usize, i: u64| generator.uniform(Stream::Candidates, j as u32, i);
    let class = |x: &[f64]| f64::from(u8::from(fit.is_likely(x)));
    let (mut first, mut total) = (vec![0.0; inputs], vec![0.0; inputs]);
    let (mut sum, n) = (0.0, POINTS as f64);
    for i in 0..POINTS {
        let a: Vec<f64> = (0..inputs).map(|j| draw(j, i)).collect();
        let b: Vec<f64> = (0..inputs).map(|j| draw(inputs + j, i)).collect();
        let (class_a, class_b) = (class(&a), class(&b));
        sum += 0.5 * (class_a + class_b);
        for (j, b) in b.iter().enumerate() {
            let mut mixed = a.clone();
            mixed[j] = *b;
            let mixed = class(&mixed);
            first[j] += class_b * (mixed - class_a) / n;
            total[j] += 0.5 * (class_a - mixed).powi(2) / n;
        }
    }
    let mean = sum / n;
    let variance = mean * (1.0 - mean);
    if variance <= 0.0 {
        return None;
    }
    first.iter_mut().for_each(|x| *x /= variance);
    total.iter_mut().for_each(|x| *x /= variance);
    Some((first, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The event (u1 > ½) = (u2 > ½), with an idle third input: alone neither says anything, together
    /// they say all. First order 0, 0, 0; total 1, 1, 0. And
    /// u1 + u2/2 > 0.75: V = ¼, E[c|u1] = clamp(2 u1 − ½, 0, 1) has the variance 1/6, so that S1 = 2/3.
    #[test]
    fn joint_effects_of_an_event_are_found() {
        let generator = Generator::new(4);
        let row = |i| {
            (0..3)
                .map(|j| generator.uniform(Stream::MonteCarlo, j, i))
                .collect()
        };
        let u: Vec<Vec<f64>> = (0..250).map(row).collect();
        let number = |event: bool| f64::from(u8::from(event));
        let both: Vec<f64> = u
            .iter()
            .map(|u| number((u[0] > 0.5) == (u[1] > 0.5)))
            .collect();
        let found = surrogate_of_event(&u, &both).unwrap();
        for (index, (first, total)) in found
            .inputs
            .iter()
            .zip([(0.0, 1.0), (0.0, 1.0), (0.0, 0.0)])
        {
            assert!((index.first_order - first).abs() < 0.12, "{found:?}");
            assert!((index.total - total).abs() < 0.15, "{found:?}");
            let limits = index.total_limits;
            assert!(
                limits.low - 0.05 < total && total < limits.high + 0.05,
                "{found:?}"
            );
        }
        assert!(found.predicted > 0.6, "{found:?}");
        let sum: Vec<f64> = u.iter().map(|u| number(u[0] + 0.5 * u[1] > 0.75)).collect();
        let found = surrogate_of_event(&u, &sum).unwrap();
        assert!(found.predicted > 0.8, "{found:?}");
        assert!(
            (found.inputs[0].first_order - 2.0 / 3.0).abs() < 0.1,
            "{found:?}"
        );
        // Far from the line the event is sure or impossible.
        let map = EventMap::fitted(&u, &sum).unwrap();
        assert!(map.probability(&[0.95, 0.5, 0.5]) > 0.95 && map.is_likely(&[0.95, 0.5, 0.5]));
        assert!(map.probability(&[0.1, 0.4, 0.9]) < 0.05 && !map.is_likely(&[0.1, 0.4, 0.9]));
        assert_eq!(map.predicted, found.predicted);
        assert_eq!(surrogate_of_event(&u, &[1.0; 250]), None);
        let force: Vec<f64> = u.iter().map(|u| u[0]).collect();
        assert_eq!(surrogate_of_event(&u, &force), None);
    }
}
