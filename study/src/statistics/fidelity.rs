//! Two fidelities: many cheap runs and a few in full give one estimate without bias.
//!
//! With y the figure of n runs in full, z that of the cheap model at the same inputs and at N − n
//! further ones (`peherstorfer2016`, `ng2014`),
//!
//! ```text
//! μ = ȳ_n + β (z̄_N − z̄_n),   β = cov(y, z)/var(z)                                           (1)
//! s² = var(y − β z) (1/n + (z̄_N − z̄_n)²/Σ_n (z − z̄_n)²) + β² var(z)/N                    (2)
//! ```
//!
//! where the second part in parentheses is what the doubt in β adds. Of a design whose runs are not
//! independent of each other the blocks of its runs in full give the first part as well (`design.rs`),
//! and the larger one of both intervals is taken: the first runs of a sequence fill space evenly or
//! leave a part of it out, as the number of them is.
//!
//! The cheap model may be wrong by any amount: that only costs width. The best number of cheap runs
//! to a full one, with ρ the correlation and w how many times a full run costs a cheap one, and the
//! cost of the same width from full runs alone against this one,
//!
//! ```text
//! N/n = √(w ρ²/(1 − ρ²)),   saving = 1 / (√(1 − ρ²) + √(ρ²/w))²                             (3)
//! ```
//!
//! (`peherstorfer2016`, theorem 3.4.) A probability is the mean of a truth value. A quantile is where
//! the distribution so estimated, with z ≤ its own quantile as the companion, reaches its probability,
//! between neighbours y_k where z's own quantile is between their z_k; its interval is where the
//! distribution's interval does (`woodruff1952`).

use super::Interval;
use super::design::Dependence;
use super::special::student_score;

/// An estimate from two fidelities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoFidelity {
    /// The estimate.
    pub estimate: f64,
    /// Its interval.
    pub interval: Interval,
    /// Correlation of the two fidelities.
    pub correlation: f64,
    /// How many full runs alone would give the same interval, over those that were made.
    pub worth: f64,
}

/// Fewest runs in full.
pub const FEWEST_FULL: usize = 10;

/// The mean of `full`, helped by the cheap values at the same inputs and those at further ones;
/// `dependence` is that of the runs in full. None with fewer than `FEWEST_FULL` pairs or if a value is
/// not finite.
pub fn mean_of_two(
    full: &[f64],
    cheap: &[f64],
    further: &[f64],
    dependence: &Dependence,
    confidence: f64,
) -> Option<TwoFidelity> {
    let n = full.len();
    let finite = full
        .iter()
        .chain(cheap)
        .chain(further)
        .all(|x| x.is_finite());
    if n < FEWEST_FULL || cheap.len() != n || !finite {
        return None;
    }
    let count = n as f64;
    let all = count + further.len() as f64;
    let (y, z) = (mean(full), mean(cheap));
    let z_all = (cheap.iter().sum::<f64>() + further.iter().sum::<f64>()) / all;
    let pairs = || full.iter().zip(cheap);
    let var_y = full.iter().map(|v| (v - y).powi(2)).sum::<f64>() / (count - 1.0);
    let var_z = cheap.iter().map(|v| (v - z).powi(2)).sum::<f64>() / (count - 1.0);
    let cov = pairs().map(|(a, b)| (a - y) * (b - z)).sum::<f64>() / (count - 1.0);
    let beta = if var_z > 0.0 { cov / var_z } else { 0.0 };
    let estimate = y + beta * (z_all - z); // (1)
    let left = || pairs().map(|(a, b)| a - y - beta * (b - z));
    let rest = left().map(|e| e * e).sum::<f64>();
    // Two numbers were fitted: the mean and β.
    let freedom = count - 2.0;
    let spread_all = cheap
        .iter()
        .chain(further)
        .map(|v| (v - z_all).powi(2))
        .sum::<f64>()
        / (all - 1.0);
    let doubt = match var_z > 0.0 {
        true => rest / freedom * (z_all - z).powi(2) / (var_z * (count - 1.0)),
        false => 0.0,
    };
    let common = doubt + beta * beta * spread_all / all;
    let by_row = rest / freedom / count + common; // (2)
    let mut reach = student_score(confidence, freedom) * by_row.sqrt();
    let mut square = by_row;
    let in_blocks = !dependence.is_by_row() && dependence.has_blocks();
    let found = dependence.standard_error(left().map(|e| e / count));
    if let Some((error, freedom)) = found.filter(|_| in_blocks) {
        let by_block = error * error + common;
        reach = reach.max(student_score(confidence, freedom) * by_block.sqrt());
        square = square.max(by_block);
    }
    Some(TwoFidelity {
        estimate,
        interval: Interval {
            low: estimate - reach,
            high: estimate + reach,
        },
        correlation: match var_y * var_z {
            product if product > 0.0 => cov / product.sqrt(),
            _ => 0.0,
        },
        worth: if square > 0.0 {
            var_y / square / count
        } else {
            1.0
        },
    })
}

/// The probability of an event, helped by whether the cheap model has it. Where nearly all runs agree
/// the interval is kept at least as wide as one more disagreement would make it.
pub fn probability_of_two(
    full: &[bool],
    cheap: &[bool],
    further: &[bool],
    dependence: &Dependence,
    confidence: f64,
) -> Option<TwoFidelity> {
    let numbers = |flags: &[bool]| -> Vec<f64> {
        flags
            .iter()
            .map(|flag| f64::from(u8::from(*flag)))
            .collect()
    };
    let (y, z, more) = (numbers(full), numbers(cheap), numbers(further));
    let mut found = mean_of_two(&y, &z, &more, dependence, confidence)?;
    // A difference that was not seen in n pairs may still have a probability of about 3/n.
    let unseen = 1.0 - libm::pow(1.0 - confidence, 1.0 / full.len() as f64);
    let differ = full.iter().zip(cheap).filter(|(a, b)| a != b).count();
    if differ < 5 {
        found.interval.low -= unseen;
        found.interval.high += unseen;
    }
    found.interval.low = found.interval.low.max(0.0);
    found.interval.high = found.interval.high.min(1.0);
    found.estimate = found.estimate.clamp(0.0, 1.0);
    Some(found)
}

/// A quantile of the figure in full, helped by the cheap model.
pub fn quantile_of_two(
    full: &[f64],
    cheap: &[f64],
    further: &[f64],
    dependence: &Dependence,
    probability: f64,
    confidence: f64,
) -> Option<TwoFidelity> {
    let all: Vec<f64> = cheap.iter().chain(further).copied().collect();
    let cheap_quantile = super::quantile(&all, probability)?;
    let below = |values: &[f64], limit: f64| -> Vec<bool> {
        values.iter().map(|value| *value <= limit).collect()
    };
    let (cheap_below, further_below) =
        (below(cheap, cheap_quantile), below(further, cheap_quantile));
    let share = |limit: f64| {
        probability_of_two(
            &below(full, limit),
            &cheap_below,
            &further_below,
            dependence,
            confidence,
        )
    };
    let mut sorted = full.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut out: Option<(f64, TwoFidelity)> = None;
    let (mut low, mut high) = (None, None);
    for &value in &sorted {
        let found = share(value)?;
        if found.interval.low <= probability && probability <= found.interval.high {
            low = low.or(Some(value));
            high = Some(value);
        }
        let miss = (found.estimate - probability).abs();
        if out.is_none_or(|(least, _)| miss < least) {
            out = Some((
                miss,
                TwoFidelity {
                    estimate: value,
                    ..found
                },
            ));
        }
    }
    let (_, found) = out?;
    // One value further out on both sides: the share jumps at each of them. Beyond the last value
    // nothing bounds the quantile.
    let place = |value: f64| sorted.partition_point(|x| *x < value);
    let low = low.unwrap_or(found.estimate);
    let low = match place(low) {
        0 => f64::NEG_INFINITY,
        place => sorted[place - 1],
    };
    let high = high.unwrap_or(found.estimate);
    let high = sorted.iter().find(|x| **x > high);
    let high = high.copied().unwrap_or(f64::INFINITY);
    let estimate = between_neighbours(full, cheap, cheap_quantile, found.estimate);
    Some(TwoFidelity {
        estimate: estimate.clamp(low, high),
        interval: Interval { low, high },
        ..found
    })
}

/// The place of a quantile that is at or beside the value `near` of `full`: between its neighbours, as
/// `cheap_quantile` is between their cheap values. Where that is between none of them, `near` itself.
fn between_neighbours(full: &[f64], cheap: &[f64], cheap_quantile: f64, near: f64) -> f64 {
    let pairs = || full.iter().copied().zip(cheap.iter().copied());
    let Some(own) = pairs().find(|(y, _)| *y == near) else {
        return near;
    };
    let below = pairs().filter(|(y, _)| *y < near);
    let below = below.max_by(|a, b| a.0.total_cmp(&b.0));
    let above = pairs().filter(|(y, _)| *y > near);
    let above = above.min_by(|a, b| a.0.total_cmp(&b.0));
    for (from, to) in [(below, Some(own)), (Some(own), above)] {
        let (Some((y0, z0)), Some((y1, z1))) = (from, to) else {
            continue;
        };
        let finite = [y0, y1, z0, z1].iter().all(|x| x.is_finite());
        if finite && z0 < z1 && (z0..=z1).contains(&cheap_quantile) {
            return y0 + (cheap_quantile - z0) / (z1 - z0) * (y1 - y0);
        }
    }
    near
}

/// Cheap runs to a full one, and the saving, for a correlation and the cost of a full run in cheap
/// ones (3).
pub fn allocation(correlation: f64, cost_ratio: f64) -> (f64, f64) {
    let square = (correlation * correlation).clamp(0.0, 1.0 - 1e-9);
    let ratio = (cost_ratio * square / (1.0 - square)).sqrt().max(1.0);
    let cost = ((1.0 - square).sqrt() + (square / cost_ratio).sqrt()).powi(2);
    (ratio, 1.0 / cost)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::normal;
    use crate::sampling::random::{Generator, Stream};

    /// y normal with mean 0 and deviation 1; z = 0.7 y + 3 and noise: far off and of use.
    fn pair(seed: u64, i: u64) -> (f64, f64) {
        let generator = Generator::new(seed);
        let score = |d| normal::quantile(generator.uniform(Stream::MonteCarlo, d, i));
        let y = score(0);
        (y, 0.7 * y + 3.0 + 0.1 * score(1))
    }

    fn samples(seed: u64, full: u64, cheap: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (y, z) = (0..full).map(|i| pair(seed, i)).unzip();
        (y, z, (full..cheap).map(|i| pair(seed, i).1).collect())
    }

    /// Means, probabilities and quantiles of 300 samples of 100 full and 5000 cheap runs: no bias, and
    /// 92 to 98.5 % of the intervals hold; mean and probability are worth many times the full runs.
    #[test]
    fn a_wrong_cheap_model_helps_without_bias() {
        let limit = normal::quantile(0.9);
        let mut held = [0; 3];
        let mut sums = [0.0; 3];
        let mut worth = 0.0;
        for seed in 0..300 {
            let (y, z, more) = samples(seed, 100, 5000);
            let below = |v: &[f64], limit: f64| v.iter().map(|x| *x < limit).collect::<Vec<bool>>();
            let cheap_limit = 0.7 * limit + 3.0;
            let rows = Dependence::independent(100);
            let found = [
                mean_of_two(&y, &z, &more, &rows, 0.95).unwrap(),
                probability_of_two(
                    &below(&y, limit),
                    &below(&z, cheap_limit),
                    &below(&more, cheap_limit),
                    &rows,
                    0.95,
                )
                .unwrap(),
                quantile_of_two(&y, &z, &more, &rows, 0.9, 0.95).unwrap(),
            ];
            worth += found[0].worth / 300.0;
            for (k, exact) in [0.0, 0.9, limit].into_iter().enumerate() {
                sums[k] += found[k].estimate / 300.0;
                let i = found[k].interval;
                held[k] += i32::from(i.low <= exact && exact <= i.high);
            }
        }
        assert!(
            sums[0].abs() < 0.01 && (sums[1] - 0.9).abs() < 0.004,
            "{sums:?}"
        );
        assert!((sums[2] - limit).abs() < 0.04, "{sums:?}");
        assert!(worth > 15.0, "{worth}");
        assert!((276..=296).contains(&held[0]), "{held:?}");
        assert!(held[1] >= 276 && held[2] >= 276, "{held:?}");
    }

    /// Between 10 and 20 there is no run in full, but the cheap quantile says where: 3 of 4 cheap units.
    #[test]
    fn a_quantile_in_a_gap_goes_by_the_cheap_model() {
        let (full, cheap) = ([30.0, 10.0, 20.0, 5.0], [7.0, 2.0, 6.0, 1.0]);
        let place = |near: f64, cheap_quantile: f64| {
            between_neighbours(&full, &cheap, cheap_quantile, near)
        };
        assert_eq!(place(10.0, 5.0), 17.5);
        assert_eq!(place(20.0, 5.0), 17.5);
        assert_eq!(place(10.0, 1.5), 7.5);
        assert_eq!(place(30.0, 9.0), 30.0);
    }

    /// ρ = 0.99 and a cheap run of a hundredth: N/n = √(100·49.25) ≈ 70, saving 1/(0.141 + 0.099)².
    #[test]
    fn the_best_allocation_is_the_known_one() {
        let (ratio, saving) = allocation(0.99, 100.0);
        assert!((ratio - 70.18).abs() < 0.01, "{ratio}");
        assert!((saving - 17.34).abs() < 0.02, "{saving}");
        assert_eq!(allocation(0.0, 100.0), (1.0, 1.0));
    }
}
