//! Probability of an event, with Wilson's interval (`wilson1927`).
//!
//! With k events in n trials, p = k/n and z the normal score of the confidence,
//!
//! ```text
//! (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)                                        (1)
//! ```
//!
//! It takes the trials as independent. For Latin hypercubes and Sobol' sequences, whose points
//! spread more evenly, it is wider than need be. The probability is that under the distributions of
//! the study: with edge-weighted inputs it is not the probability in service.

use super::{Interval, two_sided_score};
use crate::error::Result;
use crate::table::{Column, Table};

/// Probability of an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proportion {
    /// How often the event happened.
    pub events: u64,
    /// How often it could be told whether it happened.
    pub trials: u64,
    /// How often it could not: failed runs and missing figures.
    pub unknown: u64,
    /// Events by trials; NaN without trials.
    pub estimate: f64,
    /// Wilson's interval; everything from 0 to 1 without trials.
    pub interval: Interval,
}

/// Wilson's interval for `events` in `trials`, with the given confidence (0.95).
pub fn wilson(events: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let (k, n) = (events as f64, trials as f64);
    let p = k / n;
    let z = two_sided_score(confidence);
    let z2n = z * z / n;
    let half = z * (p * (1.0 - p) / n + z2n / (4.0 * n)).sqrt();
    let at = |sign: f64| ((p + 0.5 * z2n + sign * half) / (1.0 + z2n)).clamp(0.0, 1.0); // (1)
    Interval {
        low: if events == 0 { 0.0 } else { at(-1.0) },
        high: if events == trials { 1.0 } else { at(1.0) },
    }
}

/// Probability that a figure of truth values is true, over the rows of a table.
pub fn probability(table: &Table, figure: &str, confidence: f64) -> Result<Proportion> {
    let column = table.column(figure)?;
    let Column::Bool(values) = &column else {
        let bools = table
            .plan()
            .figures()
            .iter()
            .filter(|f| f.kind == crate::Kind::Bool);
        return Err(crate::StudyError::Column {
            name: figure.to_owned(),
            wanted: "bool",
            available: bools.map(|f| f.name.clone()).collect::<Vec<_>>().join(", "),
        });
    };
    let count = |wanted: Option<bool>| values.iter().filter(|v| **v == wanted).count() as u64;
    let (events, unknown) = (count(Some(true)), count(None));
    let trials = values.len() as u64 - unknown;
    let estimate = events as f64 / trials as f64;
    let interval = wilson(events, trials, confidence);
    Ok(Proportion {
        events,
        trials,
        unknown,
        estimate,
        interval,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The intervals that `newcombe1998` tabulates for the score method, to four digits.
    #[test]
    fn intervals_are_the_tabulated_ones() {
        for (events, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = wilson(events, trials, 0.95);
            assert!(
                (found.low - low).abs() < 5.1e-5,
                "{events}/{trials}: {found:?}"
            );
            assert!(
                (found.high - high).abs() < 5.1e-5,
                "{events}/{trials}: {found:?}"
            );
        }
    }

    #[test]
    fn extremes_stay_probabilities() {
        assert_eq!(
            wilson(0, 0, 0.95),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
        assert_eq!(wilson(20, 20, 0.95).high, 1.0);
        assert!(wilson(20, 20, 0.95).low > 0.8);
        let sure = wilson(5, 10, 1.0);
        assert!(sure.low > 0.0 && sure.high < 1.0 && sure.high - sure.low > 0.9);
    }
}
