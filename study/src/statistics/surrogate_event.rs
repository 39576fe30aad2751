//! Total-order indices of an event (captured or not), from a Gaussian process that classifies runs.
//!
//! Polynomials follow a jump badly; the classifier of `boundary/classifier.rs` has it at one place. The
//! indices are those of c(u) = 1 where it calls the event likely, else 0 (`surrogate_indices.rs`), and
//!
//! ```text
//! Q² = 1 − Σ (y − P)² / Σ (y − ȳ)²                                                          (1)
//! ```
//!
//! over rows that the process has not seen (five parts in turn, with the same covariance), P its
//! probability of the event there.

use super::surrogate::{PARTS, Surrogate, SurrogateKind, some};
use super::surrogate_indices::{Shares, shares, with_limits};
use crate::boundary::classifier::{Classifier, Kernel};

/// Fewest rows.
const FEWEST_ROWS: usize = 60;
/// Rows that the process is fitted to at most: its cost grows with their cube.
const MOST_ROWS: usize = 250;
/// Sweeps of the search for the covariance.
const SWEEPS: usize = 3;
/// Points of the indices; fewer for the parts of the cross-validation.
const POINTS: u32 = 4096;
const POINTS_OF_PARTS: u32 = 1024;

/// Where an event happens, over all inputs: the process fitted to runs of a study.
#[derive(Debug, Clone)]
pub struct EventMap {
    process: Classifier,
    /// Share of the variance of the event that the process predicts on runs it has not seen (1).
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
            predicted: cross_validated(&fit.kernel, &points, &events).0,
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
    let whole = shares(|x| class(&fit, x), inputs, POINTS)?;
    let (predicted, parts) = cross_validated(&fit.kernel, &points, &events);
    let of_part = |part: &Classifier| shares(|x| class(part, x), inputs, POINTS_OF_PARTS);
    let parts: Vec<Shares> = parts.iter().filter_map(of_part).collect();
    Some(Surrogate {
        kind: SurrogateKind::Classifier,
        inputs: with_limits(&whole, &parts, predicted),
        predicted,
        rows: points.len(),
    })
}

/// c(u).
fn class(process: &Classifier, u: &[f64]) -> f64 {
    f64::from(u8::from(process.is_likely(u)))
}

/// Equation (1), and the processes that have not seen one part each; the rows are in random order already.
fn cross_validated(
    kernel: &Kernel,
    points: &[Vec<f64>],
    events: &[bool],
) -> (f64, Vec<Classifier>) {
    let n = events.len() as f64;
    let y = |i: usize| f64::from(u8::from(events[i]));
    let mean = (0..events.len()).map(y).sum::<f64>() / n;
    let all: f64 = (0..events.len()).map(|i| (y(i) - mean).powi(2)).sum();
    let (mut missed, mut fits) = (0.0, Vec::new());
    for part in 0..PARTS {
        let others: Vec<usize> = (0..events.len()).filter(|i| i % PARTS != part).collect();
        let seen: Vec<Vec<f64>> = others.iter().map(|&i| points[i].clone()).collect();
        let had: Vec<bool> = others.iter().map(|&i| events[i]).collect();
        let fit = Classifier::fitted(&seen, &had, kernel, 0).refined(&had);
        for i in (part..events.len()).step_by(PARTS) {
            missed += (y(i) - fit.probability(&points[i])).powi(2);
        }
        fits.push(fit);
    }
    (1.0 - missed / all, fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random::{Generator, Stream};

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
