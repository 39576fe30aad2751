//! First-order index from given data: what an input explains alone, from any sample.
//!
//! With the rows in the order of the input x, what x does not explain shows in the differences of
//! neighbours, whose x hardly differ (`hall1990`, order 2; d_0 + d_1 + d_2 = 0, Σ d² = 1):
//!
//! ```text
//! a_j = (d_0 y_j + d_1 y_(j+1) + d_2 y_(j+2))²,   d = ((1+√5)/4, −1/2, (1−√5)/4)            (1)
//! S = 1 − mean(a) / V,   V the variance of y                                               (2)
//! ```
//!
//! Its bias falls with 1/n² however wavy the effect is, unlike that of bins, which must be narrow
//! against the waves. With the influence of a row
//!
//! ```text
//! e_j = (R (y_j − ȳ)² − a_j) / (n V),   R = 1 − S                                           (3)
//! G_h = Σ_j e_j e_(j+h)
//! ```
//!
//! the rows up to two apart depend on each other, and those further apart only share the trend of e
//! over x, which (as x is random) counts once, in G_0:
//!
//! ```text
//! s² = G_0 + 2 Σ_(h=1,2) (G_h − Ḡ_far)                                                     (4)
//! ```
//!
//! An input of few values has its rows of each value as bins: S = (SSB − (M − 1) SSW/(n − M)) / SST
//! with SSB, SSW and SST the sums of squares between the means of M bins, within them and in all
//! (`plischke2013`, with the share that chance gives to means of bins taken off).
//!
//! With correlated inputs an index includes what an input tells of the others.

use super::Interval;
use super::design::Dependence;
use super::indices::SobolIndex;
use super::special::student_score;
use crate::sampling::random::{Generator, Stream};

/// Fewest rows an index is estimated from.
const FEWEST_ROWS: usize = 20;

/// Rows that say as much about the error as one independent square: squares of differences of
/// neighbours overlap and have long tails. Found by counting how often intervals of 60 rows hold.
const ROWS_PER_FREEDOM: f64 = 5.0;

/// Fewest rows per value, on average, for an input whose values are bins.
const ROWS_PER_VALUE: usize = 5;

/// A first-order index estimated from given data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstOrder {
    /// Estimate and interval; the interval is infinite where nothing was drawn at random.
    pub index: SobolIndex,
    /// Rows used.
    pub rows: u64,
}

/// The index of an input of numbers; none if there are too few rows, or if nothing varies.
/// `dependence` is that of all rows.
pub fn given_data_first_order(
    x: &[f64],
    y: &[f64],
    dependence: &Dependence,
    confidence: f64,
) -> Option<FirstOrder> {
    // Equal values in random order: by y they would look explained, by row the design would show.
    let shuffle = |place: usize| Generator::new(0).bits(Stream::Ties, 0, 0, place as u64);
    let mut rows: Vec<(f64, u64, f64)> = (0..x.len().min(y.len()))
        .filter(|&i| x[i].is_finite() && y[i].is_finite())
        .map(|i| (x[i], shuffle(i), y[i]))
        .collect();
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let changes = rows.windows(2).filter(|pair| pair[0].0 < pair[1].0).count();
    if (changes + 1) * ROWS_PER_VALUE > rows.len() {
        let y: Vec<f64> = rows.iter().map(|row| row.2).collect();
        return by_differences(&y, dependence, confidence);
    }
    let (mut labels, mut label) = (Vec::with_capacity(rows.len()), 0);
    for (place, row) in rows.iter().enumerate() {
        label += usize::from(place > 0 && rows[place - 1].0 < row.0);
        labels.push(label);
    }
    let y: Vec<f64> = rows.iter().map(|row| row.2).collect();
    by_groups(&labels, &y, label + 1, dependence, confidence)
}

/// The index of an input of texts, each of which is a bin; `None` among the texts is left out.
pub fn given_data_first_order_of_groups(
    groups: &[Option<String>],
    y: &[f64],
    dependence: &Dependence,
    confidence: f64,
) -> Option<FirstOrder> {
    let known = || {
        let pairs = groups.iter().zip(y).filter(|(_, y)| y.is_finite());
        pairs.filter_map(|(g, y)| Some((g.as_ref()?, *y)))
    };
    let names: std::collections::BTreeSet<&String> = known().map(|(name, _)| name).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let label = |name: &String| names.binary_search(&name).unwrap_or(0);
    let labels: Vec<usize> = known().map(|(name, _)| label(name)).collect();
    let figures: Vec<f64> = known().map(|(_, y)| y).collect();
    by_groups(&labels, &figures, names.len(), dependence, confidence)
}

fn by_differences(y: &[f64], dependence: &Dependence, confidence: f64) -> Option<FirstOrder> {
    // The dependence reaches two rows far; these are the distances that only share the trend.
    const FAR: [usize; 4] = [3, 4, 5, 6];
    let n = y.len();
    if n < FEWEST_ROWS {
        return None;
    }
    let root5 = 5.0_f64.sqrt();
    let d = [0.25 * (1.0 + root5), -0.5, 0.25 * (1.0 - root5)];
    let (mean, variance) = moments(y)?;
    let count = n as f64;
    let squares: Vec<f64> = y
        .windows(3)
        .map(|w| (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]).powi(2)) // (1)
        .collect();
    let ratio = squares.iter().sum::<f64>() / (count - 2.0) / variance; // (2)
    let influence = |j: usize| {
        let a = squares.get(j).map_or(ratio * variance, |a| *a);
        (ratio * (y[j] - mean).powi(2) - a) / (count * variance) // (3)
    };
    let e: Vec<f64> = (0..n).map(influence).collect();
    let lag = |h: usize| -> f64 {
        let sum: f64 = e.iter().zip(&e[h..]).map(|(a, b)| a * b).sum();
        sum * count / (count - h as f64)
    };
    let far = FAR.into_iter().map(lag).sum::<f64>() / FAR.len() as f64;
    let own = lag(0);
    // Chance may take much off; not more than half of what independent rows have is believed.
    let square = (own + 2.0 * (lag(1) + lag(2) - 2.0 * far)).max(0.5 * own); // (4)
    Some(indexed(
        1.0 - ratio,
        square.sqrt(),
        n,
        dependence,
        confidence,
    ))
}

fn by_groups(
    labels: &[usize],
    y: &[f64],
    bins: usize,
    dependence: &Dependence,
    confidence: f64,
) -> Option<FirstOrder> {
    let n = y.len();
    if bins < 2 || n < (bins * 2).max(FEWEST_ROWS) {
        return None;
    }
    let (mean, variance) = moments(y)?;
    let mut sums = vec![(0.0, 0.0); bins];
    for (&label, y) in labels.iter().zip(y) {
        sums[label].0 += 1.0;
        sums[label].1 += y - mean;
    }
    let within = |label: usize, y: f64| {
        let (count, sum) = sums[label];
        (y - mean - sum / count).powi(2)
    };
    let rows = || labels.iter().zip(y);
    let count = n as f64;
    // On a grid no chance is in the means of bins that could be taken off.
    let (scale, spread) = match dependence.has_intervals() {
        true => (count / (count - bins as f64), count / (count - 1.0)),
        false => (1.0, 1.0),
    };
    let rest = rows().map(|(&l, &y)| within(l, y)).sum::<f64>() * scale;
    let ratio = rest / count / (variance * spread);
    let influence = |(&l, &y): (&usize, &f64)| {
        (ratio * (y - mean).powi(2) - scale * within(l, y)) / (count * variance)
    };
    let square: f64 = rows().map(influence).map(|e| e * e).sum();
    Some(indexed(
        1.0 - ratio,
        square.sqrt(),
        n,
        dependence,
        confidence,
    ))
}

/// Mean and variance, with n; none if nothing varies.
fn moments(y: &[f64]) -> Option<(f64, f64)> {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let variance = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
    (variance > 0.0).then_some((mean, variance))
}

fn indexed(
    estimate: f64,
    error: f64,
    rows: usize,
    dependence: &Dependence,
    confidence: f64,
) -> FirstOrder {
    let reach = match dependence.has_intervals() {
        true => student_score(confidence, rows as f64 / ROWS_PER_FREEDOM) * error,
        false => f64::INFINITY,
    };
    FirstOrder {
        index: SobolIndex {
            estimate,
            interval: Interval {
                low: estimate - reach,
                high: estimate + reach,
            },
        },
        rows: rows as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(seed: u64, dimension: u32, n: u64) -> Vec<f64> {
        (0..n)
            .map(|i| Generator::new(seed).uniform(Stream::MonteCarlo, dimension, i))
            .collect()
    }

    fn first_order(x: &[f64], y: &[f64]) -> Option<FirstOrder> {
        given_data_first_order(x, y, &Dependence::independent(x.len()), 0.95)
    }

    /// y = x1 + x2/2: the shares are 0.8 and 0.2, and 0 for an input that is not in it.
    #[test]
    fn shares_of_a_sum_are_found() {
        let n = 4000;
        let (x1, x2, idle) = (column(8, 0, n), column(8, 1, n), column(8, 2, n));
        let y: Vec<f64> = x1.iter().zip(&x2).map(|(a, b)| a + 0.5 * b).collect();
        for (x, expected) in [(&x1, 0.8), (&x2, 0.2), (&idle, 0.0)] {
            let index = first_order(x, &y).unwrap().index;
            assert!(
                (index.estimate - expected).abs() < 0.04,
                "{index:?} for {expected}"
            );
            assert!(
                index.interval.low - 0.005 < expected && expected < index.interval.high + 0.005
            );
        }
    }

    /// Of an Ishigami function the wavy input x2 has a share of 0.4424: bins of ∛n rows found 0.229
    /// at n = 100 with intervals that almost never held it. Of 200 samples the mean must come close
    /// and about 95 % of the intervals hold: 190 ± four standard deviations of 3.1.
    #[test]
    fn the_share_of_a_wavy_input_is_found_with_whiskers_that_hold() {
        let pi = core::f64::consts::PI;
        let exact = 6.125 / 13.844_587_940_719_254;
        let (mut sum, mut held) = (0.0, 0);
        for seed in 0..200 {
            let x: [Vec<f64>; 3] = [0, 1, 2].map(|d| {
                column(seed, d, 100)
                    .iter()
                    .map(|u| pi * (2.0 * u - 1.0))
                    .collect()
            });
            let y: Vec<f64> = (0..100)
                .map(|i| {
                    let sine = x[0][i].sin();
                    sine + 7.0 * x[1][i].sin().powi(2) + 0.1 * x[2][i].powi(4) * sine
                })
                .collect();
            let index = first_order(&x[1], &y).unwrap().index;
            sum += index.estimate;
            held += i32::from(index.interval.low < exact && exact < index.interval.high);
        }
        assert!((sum / 200.0 - exact).abs() < 0.03, "{}", sum / 200.0);
        assert!((178..=200).contains(&held), "{held}");
    }

    #[test]
    fn equal_values_share_a_bin() {
        let x: Vec<f64> = (0..300).map(|j| f64::from(j % 3)).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x).collect();
        let found = first_order(&x, &y).unwrap();
        assert!((found.index.estimate - 1.0).abs() < 1e-14, "{found:?}");
        let names: Vec<Option<String>> = x.iter().map(|x| Some(format!("law {x}"))).collect();
        let all = Dependence::independent(300);
        let grouped = given_data_first_order_of_groups(&names, &y, &all, 0.95).unwrap();
        assert_eq!(grouped.rows, 300);
        assert!((grouped.index.estimate - 1.0).abs() < 1e-14, "{grouped:?}");
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(first_order(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(first_order(&[1.0; 50], &column(8, 0, 50)), None);
        assert_eq!(first_order(&column(8, 0, 50), &[1.0; 50]), None);
        assert_eq!(first_order(&[], &[]), None);
    }
}
