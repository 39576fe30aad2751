//! Probability of an event, with an interval that knows the design of the study.
//!
//! With k events in n trials, p = k/n and z the normal score of the confidence, Wilson's interval
//! (`wilson1927`) is
//!
//! ```text
//! (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)                                        (1)
//! ```
//!
//! Where trials come in independent blocks, n is replaced by the effective number of trials and z by
//! Student's t (`korn1998`),
//!
//! ```text
//! n_e = p(1−p)/s²,   s from (1) of design.rs                                               (2)
//! ```
//!
//! Near 0 and 1, where fewer than [`FEW`] draws' worth of events or misses were seen, the interval of
//! `clopper1934` takes its place, which holds at least as often as it says,
//!
//! ```text
//! I⁻¹_(α/2)(k, n − k + 1)  to  I⁻¹_(1−α/2)(k + 1, n − k)                                   (3)
//! ```
//!
//! Runs of which it is not known whether the event happened (failed, suspect, undecided) take no part
//! in the estimate. What is known in spite of them is said beside it: the interval from the lower end
//! if the event happened in none of them to the upper end if it happened in all.
//!
//! The probability is that under the distributions of the study: with edge-weighted inputs it is not
//! the probability in service.

use super::design::{Coverage, Dependence};
use super::special::{beta_quantile, student_score};
use super::{Interval, two_sided_score};

/// Below so many events or misses the exact interval is taken.
const FEW: f64 = 10.0;

/// Probability of an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proportion {
    /// How often the event happened.
    pub events: u64,
    /// How often it could be told whether it happened.
    pub trials: u64,
    /// How often it could not.
    pub unknown: u64,
    /// Events by trials; NaN without trials.
    pub estimate: f64,
    /// Interval of the estimate; none where nothing was drawn at random.
    pub interval: Option<Interval>,
    /// What is known whatever the unknown runs would have given, confidence included; without an
    /// interval the two shares themselves. None if there are no unknown runs.
    pub bounds: Option<Interval>,
    /// How far the intervals can be trusted.
    pub coverage: Coverage,
}

/// Wilson's interval for `events` in `trials`, with the given confidence (0.95).
pub fn wilson(events: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return EVERYTHING;
    }
    let interval = wilson_with(
        events as f64 / trials as f64,
        trials as f64,
        two_sided_score(confidence),
    );
    Interval {
        low: if events == 0 { 0.0 } else { interval.low },
        high: if events == trials { 1.0 } else { interval.high },
    }
}

const EVERYTHING: Interval = Interval {
    low: 0.0,
    high: 1.0,
};

fn wilson_with(p: f64, n: f64, z: f64) -> Interval {
    let z2n = z * z / n;
    let half = z * (p * (1.0 - p) / n + z2n / (4.0 * n)).sqrt();
    let at = |sign: f64| ((p + 0.5 * z2n + sign * half) / (1.0 + z2n)).clamp(0.0, 1.0); // (1)
    Interval {
        low: at(-1.0),
        high: at(1.0),
    }
}

/// The interval of Clopper and Pearson for `events` in `trials`, which need not be whole.
pub(crate) fn clopper_pearson(events: f64, trials: f64, confidence: f64) -> Interval {
    let tail = 0.5 * (1.0 - confidence);
    let misses = trials - events;
    Interval {
        low: match events > 0.0 {
            true => beta_quantile(events, misses + 1.0, tail), // (3)
            false => 0.0,
        },
        high: match misses > 0.0 {
            true => beta_quantile(events + 1.0, misses, 1.0 - tail),
            false => 1.0,
        },
    }
}

/// Probability of an event over rows that say whether it happened; `None` where that is not known.
/// `dependence` is that of all rows.
pub fn proportion(rows: &[Option<bool>], dependence: &Dependence, confidence: f64) -> Proportion {
    let known = || {
        rows.iter()
            .enumerate()
            .filter_map(|(i, row)| Some((i, (*row)?)))
    };
    let trials = known().count() as u64;
    let events = known().filter(|(_, event)| *event).count() as u64;
    let unknown = rows.len() as u64 - trials;
    let of_known = dependence.of_rows(known().map(|(place, _)| place));
    let (interval, coverage) = interval(known().map(|(_, event)| event), &of_known, confidence);
    let either_way = |event: bool| {
        let all = rows.iter().map(move |row| row.unwrap_or(event));
        let share = all.clone().filter(|event| *event).count() as f64 / rows.len() as f64;
        let interval = self::interval(all, dependence, confidence).0;
        interval.map_or(share, |i| if event { i.high } else { i.low })
    };
    let bounds = (unknown > 0).then(|| Interval {
        low: either_way(false),
        high: either_way(true),
    });
    Proportion {
        events,
        trials,
        unknown,
        estimate: events as f64 / trials as f64,
        interval,
        bounds,
        coverage,
    }
}

fn interval(
    rows: impl Iterator<Item = bool> + Clone,
    dependence: &Dependence,
    confidence: f64,
) -> (Option<Interval>, Coverage) {
    let coverage = dependence.coverage();
    if !dependence.has_intervals() {
        return (None, coverage);
    }
    let n = rows.clone().count() as f64;
    if n == 0.0 {
        return (Some(EVERYTHING), Coverage::Conservative);
    }
    let k = rows.clone().filter(|event| *event).count() as f64;
    let p = k / n;
    let influences = rows.map(|event| (f64::from(u8::from(event)) - p) / n);
    let error = dependence.standard_error(influences);
    let group = dependence.group() as f64;
    if k.min(n - k) < FEW * group || dependence.count() < 2 {
        // Too few events to see how much the blocks help: they are not counted on.
        let draws = n / group;
        let exact = clopper_pearson(p * draws, draws, confidence);
        let coverage = match coverage {
            Coverage::Nominal => Coverage::Conservative,
            other => other,
        };
        return (Some(exact), coverage);
    }
    let (trials, score) = match error {
        Some((error, freedom)) if !dependence.is_by_row() => {
            let floor = 1e-6 * p * (1.0 - p) / n;
            let effective = p * (1.0 - p) / (error * error).max(floor); // (2)
            (effective, student_score(confidence, freedom))
        }
        _ => (n, two_sided_score(confidence)),
    };
    (Some(wilson_with(p, trials, score)), coverage)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against statsmodels, `proportion_confint(k, n, method="wilson")` and `method="beta"`.
    #[test]
    fn intervals_are_those_of_statsmodels() {
        for (k, n, low, high) in [
            (0, 10, 0.0, 0.277_532_799_862_889_3),
            (7, 10, 0.396_772_844_405_337_7, 0.892_211_984_846_471_6),
            (950, 1000, 0.934_726_424_217_637_7, 0.961_833_263_098_563_1),
        ] {
            let found = wilson(k, n, 0.95);
            assert!((found.low - low).abs() < 5e-4, "{found:?}");
            assert!((found.high - high).abs() < 5e-4, "{found:?}");
        }
        let found = clopper_pearson(0.0, 10.0, 0.95);
        assert_eq!(found.low, 0.0);
        assert!(
            (found.high - 0.308_497_107_818_760_8).abs() < 1e-9,
            "{found:?}"
        );
        let found = clopper_pearson(10.0, 10.0, 0.95);
        assert!((found.low - 0.691_502_892_181_239_2).abs() < 1e-9 && found.high == 1.0);
    }

    /// 60 of 100 known runs captured, 20 more unknown: between 60/120 and 80/120, and somewhat more
    /// for chance.
    #[test]
    fn unknown_runs_widen_what_is_known() {
        let mut rows = vec![Some(true); 60];
        rows.extend(vec![Some(false); 40]);
        rows.extend(vec![None; 20]);
        let found = proportion(&rows, &Dependence::independent(120), 0.95);
        assert_eq!((found.events, found.trials, found.unknown), (60, 100, 20));
        assert_eq!(found.estimate, 0.6);
        let bounds = found.bounds.unwrap();
        assert_eq!(bounds.low, wilson(60, 120, 0.95).low);
        assert_eq!(bounds.high, wilson(80, 120, 0.95).high);
        assert_eq!(found.interval, Some(wilson(60, 100, 0.95)));
        let none = proportion(&rows[..100], &Dependence::independent(100), 0.95);
        assert_eq!(none.bounds, None);
        let empty = proportion(&[], &Dependence::independent(0), 0.95);
        assert!(empty.estimate.is_nan());
        assert_eq!(empty.interval, Some(EVERYTHING));
    }

    /// Every run five times is no more than every run once.
    #[test]
    fn repeated_runs_do_not_narrow_the_interval() {
        let rows: Vec<Option<bool>> = (0..500).map(|i| Some(i / 5 % 3 == 0)).collect();
        let found = proportion(&rows, &Dependence::in_blocks((0..500).map(|i| i / 5)), 0.95);
        let once = wilson(34, 100, 0.95);
        let width = |i: Interval| i.high - i.low;
        let ratio = width(found.interval.unwrap()) / width(once);
        assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    }
}
