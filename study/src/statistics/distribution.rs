//! The distribution of a figure: moments, quantiles with their intervals, shares above a value.
//!
//! Of n sorted values x_1 … x_n the quantile p is, linear between neighbours (definition 7 of
//! `hyndman1996`),
//!
//! ```text
//! Q(p) = x_j + (h − j)(x_(j+1) − x_j),   h = 1 + p (n − 1),   j = ⌊h⌋                       (1)
//! ```
//!
//! Its interval goes from one of the values to another, whatever the distribution is (`david2003`,
//! section 7.1): with N the number of values below the true quantile, binomial with n and p,
//!
//! ```text
//! [x_l, x_u]:   P(N ≤ l − 1) ≤ α/2,   P(N ≥ u) ≤ α/2                                        (2)
//! ```
//!
//! If there is no such u, the largest value does not bound the quantile: that takes n with
//! pⁿ ≤ α, 299 values for 99 % with 95 % confidence. Where rows come in independent blocks, the
//! variance of the share of values up to Q(p) is that of the blocks (`woodruff1952`),
//!
//! ```text
//! l = ⌊n (p − t s)⌋,   u = ⌈n (p + t s)⌉ + 1                                                (3)
//! ```
//!
//! The share of values above any x is known to ε for all x at once (`massart1990`),
//!
//! ```text
//! ε = √(ln(2/α) / 2n)                                                                      (4)
//! ```
//!
//! The interval of the mean, and how far it can be trusted, is that of `design.rs`.
//!
//! Infinite values take part in everything that goes by order; the mean is then infinite too.

use super::Interval;
use super::design::{Coverage, Dependence};
use super::special::{binomial_cdf, student_score};

/// With fewer expected values beyond the quantile the exact ranks (2) are taken for every design.
const FEW: f64 = 10.0;
/// Below so many values beyond a quantile an interval of whole ranks is wider than need be.
const COARSE: f64 = 20.0;

/// Points that an exceedance curve is given by, at most.
const CURVE_POINTS: usize = 200;

/// A quantile and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileEstimate {
    /// Its probability.
    pub probability: f64,
    /// The estimate; may be infinite.
    pub value: f64,
    /// Lower end of its interval; none where the values do not bound it.
    pub low: Option<f64>,
    /// Upper end of its interval; none where the values do not bound it.
    pub high: Option<f64>,
    /// Values that it takes to bound the quantile on the side where these do not.
    pub needed: Option<u64>,
    /// How far the interval can be trusted.
    pub coverage: Coverage,
}

/// What a figure looks like over many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Values, infinite ones included.
    pub count: u64,
    /// Infinite ones among them.
    pub infinite: u64,
    /// Rows without a value.
    pub missing: u64,
    /// Mean; infinite if a value is, NaN if values of both infinities are there.
    pub mean: f64,
    /// Interval of the mean; none where nothing was drawn at random, of fewer than eight values or blocks
    /// of rows that hang together, of values that are all the same, and for an infinite one.
    pub mean_interval: Option<Interval>,
    /// Standard deviation, with n − 1; NaN if a value is infinite.
    pub std_dev: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Quantiles.
    pub quantiles: Vec<QuantileEstimate>,
    /// How far the interval of the mean can be trusted.
    pub coverage: Coverage,
}

/// A point of an exceedance curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exceedance {
    /// The value.
    pub value: f64,
    /// Share of the runs above it.
    pub share: f64,
    /// Band that holds the true share at every value at once; none where nothing was random.
    pub band: Option<Interval>,
}

/// The distribution of `values`, one for each row of `dependence`; NaN where there is none. None if
/// there is no value at all.
pub fn distribution(
    values: &[f64],
    dependence: &Dependence,
    probabilities: &[f64],
    confidence: f64,
) -> Option<Distribution> {
    let places = || (0..values.len()).filter(|&i| !values[i].is_nan());
    let present: Vec<f64> = places().map(|i| values[i]).collect();
    let dependence = dependence.of_rows(places());
    let sorted = sorted(&present);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let n = sorted.len() as f64;
    let infinite = sorted.iter().filter(|x| x.is_infinite()).count() as u64;
    let mean = mean(&sorted);
    let square: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
    let found = match infinite {
        0 if min < max => {
            let influences: Vec<f64> = present.iter().map(|x| (x - mean) / n).collect();
            dependence.interval_of_mean(mean, &influences, confidence)
        }
        _ => None,
    };
    let quantiles = probabilities
        .iter()
        .filter_map(|&p| quantile_estimate(&sorted, &present, &dependence, p, confidence))
        .collect();
    Some(Distribution {
        count: sorted.len() as u64,
        infinite,
        missing: (values.len() - sorted.len()) as u64,
        mean,
        mean_interval: found.map(|(interval, _)| interval),
        std_dev: match sorted.len() {
            1 => f64::NAN,
            _ => (square / (n - 1.0)).sqrt(),
        },
        min,
        max,
        quantiles,
        coverage: found.map_or(dependence.coverage(), |(_, coverage)| coverage),
    })
}

/// The mean, summed from the deviations from a first guess so that few digits are lost.
fn mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let guess = values.iter().sum::<f64>() / n;
    if !guess.is_finite() {
        return guess;
    }
    guess + values.iter().map(|x| x - guess).sum::<f64>() / n
}

/// A quantile of the values that are not NaN; none if there are none.
pub fn quantile(values: &[f64], probability: f64) -> Option<f64> {
    quantile_of_sorted(&sorted(values), probability)
}

pub(super) fn quantile_of_sorted(sorted: &[f64], probability: f64) -> Option<f64> {
    let h = probability.clamp(0.0, 1.0) * (sorted.len().checked_sub(1)?) as f64;
    let j = h.floor() as usize;
    let lower = *sorted.get(j)?;
    let upper = *sorted.get(j + 1).unwrap_or(&lower);
    let part = h - j as f64;
    // Between infinite neighbours nothing is interpolated.
    Some(if part == 0.0 || lower == upper {
        lower
    } else {
        lower + part * (upper - lower) // (1)
    })
}

fn quantile_estimate(
    sorted: &[f64],
    values: &[f64],
    dependence: &Dependence,
    probability: f64,
    confidence: f64,
) -> Option<QuantileEstimate> {
    let value = quantile_of_sorted(sorted, probability)?;
    let mut out = QuantileEstimate {
        probability,
        value,
        low: None,
        high: None,
        needed: None,
        coverage: dependence.coverage(),
    };
    if !dependence.has_intervals() {
        return Some(out);
    }
    let n = sorted.len();
    let count = n as f64;
    let share = values.iter().filter(|x| **x <= value).count() as f64 / count;
    let below = values
        .iter()
        .map(|x| (f64::from(u8::from(*x <= value)) - share) / count);
    // Of rows that hang together there may be one draw beyond the quantile: all ties.
    let draws = count / dependence.group() as f64;
    let few = draws * probability.min(1.0 - probability) < FEW;
    let (low, high) = match dependence.standard_error(below) {
        // The error that a few groups tell is by chance next to nothing now and then.
        Some((error, freedom)) if !dependence.is_by_row() && dependence.has_blocks() && !few => {
            // Ranks are whole numbers, taken outwards.
            let coarse = count * probability.min(1.0 - probability) < COARSE;
            if out.coverage == Coverage::Nominal && coarse {
                out.coverage = Coverage::Conservative;
            }
            let reach = student_score(confidence, freedom) * error;
            let low = (count * (probability - reach)).floor(); // (3)
            let high = (count * (probability + reach)).ceil() + 1.0;
            (
                (low >= 1.0).then_some(low as usize),
                (high <= count).then_some(high as usize),
            )
        }
        _ => {
            if out.coverage == Coverage::Nominal {
                out.coverage = Coverage::Conservative;
            }
            scaled_ranks(n, dependence.group() as usize, probability, confidence)
        }
    };
    out.low = low.map(|rank| sorted[rank - 1]);
    out.high = high.map(|rank| sorted[rank - 1]);
    // Of a few values (1) may lie inside of what bounds the quantile: 99 % of four values.
    out.value = out.value.max(out.low.unwrap_or(f64::NEG_INFINITY));
    out.value = out.value.min(out.high.unwrap_or(f64::INFINITY));
    if low.is_none() || high.is_none() {
        // The side that is not bounded.
        let tail = if high.is_none() {
            probability
        } else {
            1.0 - probability
        };
        let draws = (libm::log(1.0 - confidence) / libm::log(tail)).ceil();
        let needed = draws as u64 * dependence.group();
        out.needed = (needed > n as u64).then_some(needed);
    }
    Some(out)
}

/// Ranks of the ends, from 1, where each of `n` values stands for one of n/group independent draws.
fn scaled_ranks(n: usize, group: usize, p: f64, confidence: f64) -> (Option<usize>, Option<usize>) {
    let draws = n / group.max(1);
    let (low, high) = ranks(draws, p, confidence);
    (
        low.map(|rank| (rank - 1) * group + 1),
        high.map(|rank| n - (draws - rank) * group),
    )
}

/// Ranks of the ends of the interval (2), from 1. Where one end cannot be had, the other one has all
/// of the doubt; if only all of the doubt makes the outer end possible, that one is preferred, since
/// it is what a tail is asked for.
fn ranks(n: usize, p: f64, confidence: f64) -> (Option<usize>, Option<usize>) {
    let alpha = 1.0 - confidence;
    let count = n as f64;
    // Largest l with P(N ≤ l − 1) ≤ tail.
    let low = |tail: f64| {
        let fits = |l: usize| binomial_cdf(l as f64 - 1.0, count, p) <= tail;
        let l = first_false(1, n + 1, fits) - 1;
        (l >= 1).then_some(l)
    };
    // Smallest u with P(N ≤ u − 1) ≥ 1 − tail.
    let high = |tail: f64| {
        let misses = |u: usize| binomial_cdf(u as f64 - 1.0, count, p) < 1.0 - tail;
        let u = first_false(1, n + 1, misses);
        (u <= n).then_some(u)
    };
    match (low(0.5 * alpha), high(0.5 * alpha)) {
        (Some(l), Some(u)) => (Some(l), Some(u)),
        _ if p >= 0.5 => match high(alpha) {
            Some(u) => (None, Some(u)),
            None => (low(alpha), None),
        },
        _ => match low(alpha) {
            Some(l) => (Some(l), None),
            None => (None, high(alpha)),
        },
    }
}

/// The first number from `from` to `to` of which `holds` is false, if it is true up to there.
fn first_false(mut from: usize, mut to: usize, holds: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// How often a value is exceeded, at up to 200 of the values, with a band for all of them at once.
pub fn exceedance(values: &[f64], dependence: &Dependence, confidence: f64) -> Vec<Exceedance> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return Vec::new();
    }
    let draws = (n as f64 / dependence.group() as f64).max(1.0);
    let reach = (libm::log(2.0 / (1.0 - confidence)) / (2.0 * draws)).sqrt(); // (4)
    let mut places: Vec<usize> = if n <= CURVE_POINTS {
        (0..n).collect()
    } else {
        // Even in the middle and closer and closer towards the end, which is what the curve is for.
        let even = (0..CURVE_POINTS / 2).map(|j| j * (n - 1) / (CURVE_POINTS / 2 - 1));
        let tail = (0..CURVE_POINTS / 2).map(|j| {
            let share = j as f64 / (CURVE_POINTS / 2 - 1) as f64;
            n - libm::exp(share * libm::log(n as f64))
                .floor()
                .clamp(1.0, n as f64) as usize
        });
        even.chain(tail).collect()
    };
    places.sort_unstable();
    places.dedup();
    let point = |place: usize| {
        let value = sorted[place];
        let share = (n - sorted.partition_point(|x| *x <= value)) as f64 / n as f64;
        Exceedance {
            value,
            share,
            band: dependence.has_intervals().then_some(Interval {
                low: (share - reach).max(0.0),
                high: (share + reach).min(1.0),
            }),
        }
    };
    let mut points: Vec<Exceedance> = places.into_iter().map(point).collect();
    points.dedup_by(|a, b| a.value == b.value);
    points
}

/// The values that are not NaN, in order.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 9] = [3.0, 1.0, f64::NAN, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

    /// The smooth values of an exponential distribution have a skewness near 2, so that 24 draws are needed;
    /// the largest of exp(15 u), or a value far out among a thousand others, is nearly all of the mean. The
    /// reservation is that of the mean alone.
    #[test]
    fn the_mean_of_a_long_tail_is_given_with_a_reservation() {
        let all = |n: usize, y: &dyn Fn(f64) -> f64| {
            let values: Vec<f64> = (0..n).map(|i| y((i as f64 + 0.5) / n as f64)).collect();
            distribution(&values, &Dependence::independent(n), &[0.5], 0.95).unwrap()
        };
        let exponential = |u: f64| -(1.0 - u).ln();
        assert_eq!(all(60, &|u| (15.0 * u).exp()).coverage, Coverage::LongTail);
        assert_eq!(all(60, &exponential).coverage, Coverage::Nominal);
        assert_eq!(all(60, &|u| u).coverage, Coverage::Nominal);
        let few = all(1000, &|u| if u > 0.9985 { 1.0 } else { 0.0 });
        assert_eq!(few.coverage, Coverage::LongTail);
        assert_ne!(few.quantiles[0].coverage, Coverage::LongTail);
    }

    /// A sample without spread does not tell that there is none: no interval of width zero.
    #[test]
    fn values_that_are_all_the_same_give_their_mean_no_interval() {
        let found = distribution(&[0.1; 20], &Dependence::independent(20), &[0.5], 0.95).unwrap();
        assert_eq!((found.mean, found.mean_interval), (0.1, None));
        assert_eq!(found.coverage, Coverage::Nominal);
    }

    /// Of 1600 draws in 16 blocks: hardly skewed values are known by their blocks, those with a long tail
    /// by the rows, which is said to be conservative.
    #[test]
    fn blocks_are_not_counted_on_where_the_tail_is_long() {
        let blocks = || Dependence::in_blocks((0..1600).map(|i| i % 16));
        let found = |y: &dyn Fn(f64) -> f64, dependence: &Dependence| {
            let values: Vec<f64> = (0..1600)
                .map(|i| y((f64::from(i) + 0.5) / 1600.0))
                .collect();
            distribution(&values, dependence, &[], 0.95).unwrap()
        };
        // Squares of exponential values: 49 draws per square of their skewness.
        let (line, long) = (|u: f64| u, |u: f64| (1.0 - u).ln().powi(2));
        let rows = Dependence::independent(1600);
        let width = |found: &Distribution| {
            let interval = found.mean_interval.unwrap();
            interval.high - interval.low
        };
        let (by_block, by_row) = (found(&line, &blocks()), found(&line, &rows));
        assert_eq!(by_block.coverage, Coverage::Nominal);
        assert!(width(&by_block) < 0.2 * width(&by_row));
        let (by_block, by_row) = (found(&long, &blocks()), found(&long, &rows));
        assert_eq!(by_block.coverage, Coverage::Conservative);
        assert_eq!(by_block.mean_interval, by_row.mean_interval);
    }

    /// Against NumPy's `quantile`, `mean` and `std(ddof=1)` of the eight values.
    #[test]
    fn quantiles_and_moments_are_those_of_numpy() {
        let probabilities = [0.0, 0.05, 0.25, 0.5, 0.9, 1.0];
        let found =
            distribution(&VALUES, &Dependence::independent(9), &probabilities, 0.95).unwrap();
        let expected = [1.0, 1.0, 1.75, 3.5, 6.9, 9.0];
        for (q, expected) in found.quantiles.iter().zip(expected) {
            assert!((q.value - expected).abs() < 1e-14, "{q:?} for {expected}");
        }
        assert_eq!((found.count, found.missing, found.mean), (8, 1, 3.875));
        assert!((found.std_dev - 2.748_376_143_938_713_3).abs() < 1e-14);
        assert_eq!((found.min, found.max), (1.0, 9.0));
        // Student's t of 0.975 with 7 degrees of freedom by SciPy, transformed by NumPy.
        let interval = found.mean_interval.unwrap();
        assert!((interval.low - 2.085_788_601_670_767).abs() < 1e-13);
        assert!((interval.high - 8.232_528_134_467_753).abs() < 1e-13);
        // Summed naively, the mean of a thousand times 0.1 is off by 1.4e-15.
        assert_eq!(mean(&[0.1; 1000]), 0.1);
        let nothing = distribution(&[f64::NAN], &Dependence::independent(1), &[], 0.95);
        assert_eq!(nothing, None);
        assert_eq!(quantile(&[7.0], 0.3), Some(7.0));
    }

    /// Infinite values are values: they are counted and stand at the ends.
    #[test]
    fn infinite_values_are_kept() {
        let values = [1.0, f64::INFINITY, 2.0, f64::INFINITY];
        let found = distribution(
            &values,
            &Dependence::independent(4),
            &[0.25, 0.5, 0.9],
            0.95,
        )
        .unwrap();
        assert_eq!((found.count, found.infinite), (4, 2));
        assert_eq!(
            (found.min, found.max, found.mean),
            (1.0, f64::INFINITY, f64::INFINITY)
        );
        assert_eq!(found.mean_interval, None);
        let quantiles: Vec<f64> = found.quantiles.iter().map(|q| q.value).collect();
        assert_eq!(quantiles, [1.75, f64::INFINITY, f64::INFINITY]);
    }

    /// The ranks of the interval for the median of 10 and of 100 values are in every textbook
    /// (2 and 9; 40 and 61); 299 values bound the 99 % quantile and 298 do not.
    #[test]
    fn order_statistics_bound_quantiles() {
        assert_eq!(ranks(10, 0.5, 0.95), (Some(2), Some(9)));
        assert_eq!(ranks(100, 0.5, 0.95), (Some(40), Some(61)));
        assert_eq!(ranks(298, 0.99, 0.95).1, None);
        assert_eq!(ranks(299, 0.99, 0.95), (None, Some(299)));
        assert_eq!(ranks(400, 0.99, 0.95).1, Some(400));
        assert_eq!(ranks(58, 0.05, 0.95), (None, Some(7)));
        assert_eq!(ranks(59, 0.05, 0.95), (Some(1), None));
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let found = distribution(&values, &Dependence::independent(100), &[0.99], 0.95).unwrap();
        let found = found.quantiles[0];
        assert_eq!((found.high, found.needed), (None, Some(299)));
        assert_eq!(found.low, Some(96.0));
        let group = distribution(
            &values,
            &Dependence::in_blocks((0..100).map(|i| i / 5)),
            &[],
            0.95,
        );
        assert_eq!(group.unwrap().count, 100);
    }

    /// The 99 % quantile of four values lies at or above the largest with 96 %: the estimate is not below
    /// its bound.
    #[test]
    fn an_estimate_is_not_outside_its_interval() {
        for n in 2..400 {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            let all = Dependence::independent(n as usize);
            let found = distribution(&values, &all, &[0.01, 0.05, 0.5, 0.95, 0.99], 0.95).unwrap();
            for q in found.quantiles {
                assert!(q.low.is_none_or(|low| low <= q.value), "{n}: {q:?}");
                assert!(q.high.is_none_or(|high| q.value <= high), "{n}: {q:?}");
            }
        }
        let four = distribution(
            &[1.0, 2.0, 3.0, 4.0],
            &Dependence::independent(4),
            &[0.99],
            0.95,
        );
        assert_eq!(four.unwrap().quantiles[0].value, 4.0);
    }

    /// The curve starts near one, ends at zero and never rises.
    #[test]
    fn exceedance_falls_from_one_to_zero() {
        let values: Vec<f64> = (0..10_000).map(|i| f64::from(i * 7919 % 10_000)).collect();
        let curve = exceedance(&values, &Dependence::independent(10_000), 0.95);
        assert!(curve.len() <= CURVE_POINTS && curve.len() > CURVE_POINTS / 2);
        assert_eq!(
            curve.last().map(|p| (p.value, p.share)),
            Some((9999.0, 0.0))
        );
        assert_eq!(curve[0].share, 0.9999);
        assert!(curve.windows(2).all(|w| w[0].share > w[1].share));
        for point in &curve {
            let exact = 1.0 - (point.value + 1.0) / 10_000.0;
            assert!((point.share - exact).abs() < 1e-12);
        }
    }
}
