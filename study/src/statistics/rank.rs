//! Rank correlation of Spearman, with significance and confidence interval.
//!
//! With R and S the ranks of x and y (the mean rank where values are equal),
//!
//! ```text
//! ρ = Σ (R − R̄)(S − S̄) / √(Σ (R − R̄)² Σ (S − S̄)²)                                           (1)
//! t = ρ √((n − 2)/(1 − ρ²)),  Student's t with n − 2 degrees of freedom if x says nothing of y (2)
//! tanh(atanh ρ ± z √((1 + ρ²/2)/(n − 3)))                                                  (3)
//! ```
//!
//! (3) with the variance of `bonett2000`, which holds where both are close to normal. In general the
//! error of ρ follows from the influence of each pair: with u and v the ranks over n, centred,
//!
//! ```text
//! e_i = (12/n) (u_i v_i + (1/n) Σ_(x_j > x_i) v_j + (1/n) Σ_(y_j > y_i) u_j),  centred        (4)
//! ```
//!
//! summed over blocks of rows that belong together. The larger of the two errors is taken.

use super::design::Dependence;
use super::special::{student_score, student_two_sided};
use super::{Interval, two_sided_score};

/// A rank correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spearman {
    /// The coefficient, −1 to 1.
    pub coefficient: f64,
    /// Confidence interval; none where nothing was drawn at random.
    pub interval: Option<Interval>,
    /// Probability of a coefficient at least as far from zero if there were no relation. None where nothing
    /// was drawn at random, and where rows share coordinates, so that (2) does not hold.
    pub p_value: Option<f64>,
    /// Pairs it is computed from.
    pub pairs: u64,
}

/// The rank correlation of the pairs that are finite; none if there are fewer than four, or if one
/// of the two does not vary. `dependence` is that of all pairs.
pub fn spearman(
    x: &[f64],
    y: &[f64],
    dependence: &Dependence,
    confidence: f64,
) -> Option<Spearman> {
    let places: Vec<usize> = (0..x.len().min(y.len()))
        .filter(|&i| x[i].is_finite() && y[i].is_finite())
        .collect();
    let n = places.len();
    if n < 4 {
        return None;
    }
    let r = ranks(&places.iter().map(|&i| x[i]).collect::<Vec<_>>());
    let s = ranks(&places.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let mean = (n as f64 + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let spread = sum(&r, &r) * sum(&s, &s);
    if spread <= 0.0 {
        return None;
    }
    let rho = (sum(&r, &s) / spread.sqrt()).clamp(-1.0, 1.0); // (1)
    let freedom = n as f64 - 2.0;
    let t = rho * (freedom / ((1.0 - rho) * (1.0 + rho))).sqrt(); // (2)
    let dependence = dependence.of_rows(places.into_iter());
    // A few groups of rows that hang together say nothing about the error.
    let interval = (dependence.has_intervals() && dependence.has_blocks())
        .then(|| interval(rho, &r, &s, &dependence, confidence));
    Some(Spearman {
        coefficient: rho,
        interval,
        p_value: (dependence.has_intervals() && dependence.group() == 1)
            .then(|| student_two_sided(t, freedom)),
        pairs: n as u64,
    })
}

fn interval(rho: f64, r: &[f64], s: &[f64], dependence: &Dependence, confidence: f64) -> Interval {
    let n = r.len() as f64;
    let bonett = two_sided_score(confidence) * ((1.0 + 0.5 * rho * rho) / (n - 3.0)).sqrt();
    let mut reach = bonett;
    if let Some((error, freedom)) = dependence.standard_error(influences(r, s).into_iter())
        && rho.abs() < 1.0
    {
        let general = student_score(confidence, freedom) * error / (1.0 - rho * rho);
        // Blocks that spread evenly may do better than independent rows, but are not counted on.
        reach = reach.max(general);
    }
    let centre = libm::atanh(rho);
    Interval {
        low: libm::tanh(centre - reach),
        high: libm::tanh(centre + reach),
    } // (3)
}

/// Equation (4).
fn influences(r: &[f64], s: &[f64]) -> Vec<f64> {
    let n = r.len() as f64;
    let centred = |ranks: &[f64]| -> Vec<f64> {
        ranks
            .iter()
            .map(|rank| (rank - 0.5 * (n + 1.0)) / n)
            .collect()
    };
    let (u, v) = (centred(r), centred(s));
    let (above_x, above_y) = (sums_above(r, &v), sums_above(s, &u));
    let mut out: Vec<f64> = (0..r.len())
        .map(|i| 12.0 / n * (u[i] * v[i] + (above_x[i] + above_y[i]) / n))
        .collect();
    let mean = out.iter().sum::<f64>() / n;
    out.iter_mut().for_each(|e| *e -= mean);
    out
}

/// For each element the sum of `values` over those of higher rank, half of it for equal ones.
fn sums_above(ranks: &[f64], values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_unstable_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
    let mut out = vec![0.0; ranks.len()];
    let (mut above, mut start) = (0.0, 0);
    while start < order.len() {
        let rank = ranks[order[start]];
        let end = start
            + order[start..]
                .iter()
                .take_while(|&&i| ranks[i] == rank)
                .count();
        let equal: f64 = order[start..end].iter().map(|&i| values[i]).sum();
        for &i in &order[start..end] {
            out[i] = above + 0.5 * equal;
        }
        above += equal;
        start = end;
    }
    out
}

/// Ranks from 1, the mean rank where values are equal.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let length = order[start..]
            .iter()
            .take_while(|&&index| values[index] == value)
            .count();
        let rank = start as f64 + (length as f64 + 1.0) / 2.0;
        for &index in &order[start..start + length] {
            ranks[index] = rank;
        }
        start += length;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against SciPy's `spearmanr`.
    #[test]
    fn coefficients_and_significance_are_those_of_scipy() {
        let x = [
            106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0,
        ];
        let y = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        let found = spearman(&x, &y, &Dependence::independent(x.len()), 0.95).unwrap();
        assert!((found.coefficient - -0.175_757_575_757_575_73).abs() < 1e-15);
        assert!(
            (found.p_value.unwrap() - 0.627_188_344_776_484_6).abs() < 1e-12,
            "{}",
            found.p_value.unwrap()
        );
        let x = [1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0, 5.0];
        let y = [2.0, 1.0, 3.0, 3.0, 5.0, 4.0, 6.0, 6.0];
        let tied = spearman(&x, &y, &Dependence::independent(x.len()), 0.95).unwrap();
        assert!(
            (tied.coefficient - 0.900_777_510_540_147_7).abs() < 1e-14,
            "{}",
            tied.coefficient
        );
        assert!(
            (tied.p_value.unwrap() / 0.002_264_009_064_674_261_6 - 1.0).abs() < 1e-10,
            "{}",
            tied.p_value.unwrap()
        );
        // Eq. (3) of the two coefficients, 10 and 8 pairs, with z = 1.959963984540054, at least.
        for (interval, low, high) in [
            (
                found.interval,
                -0.727_830_028_239_407,
                0.514_546_661_632_955_9,
            ),
            (
                tied.interval,
                0.411_239_580_751_812_16,
                0.987_021_563_061_359_5,
            ),
        ] {
            let interval = interval.unwrap();
            assert!(interval.low < low + 1e-12, "{interval:?}");
            assert!(interval.high > high - 1e-12, "{interval:?}");
        }
    }

    #[test]
    fn monotone_relations_are_perfect_and_constants_say_nothing() {
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| x.exp()).collect();
        let found = spearman(&x, &y, &Dependence::independent(x.len()), 0.95).unwrap();
        assert_eq!((found.coefficient, found.p_value), (1.0, Some(0.0)));
        let interval = found.interval.unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 1.0));
        assert_eq!(
            spearman(&x, &[1.0; 10], &Dependence::independent(10), 0.95),
            None
        );
        assert_eq!(
            spearman(&x[..3], &y[..3], &Dependence::independent(3), 0.95),
            None
        );
        let mut broken = y.clone();
        broken[4] = f64::NAN;
        assert_eq!(
            spearman(&x, &broken, &Dependence::independent(10), 0.95)
                .unwrap()
                .pairs,
            9
        );
    }

    /// Values whose ranks correlate with 6/π asin(r/2): x and r x + √(1 − r²) y, both normal.
    #[test]
    fn intervals_of_related_inputs_cover_as_often_as_they_say() {
        use crate::sampling::random::{Generator, Stream};
        let r: f64 = 0.9;
        let truth = 6.0 / core::f64::consts::PI * (0.5 * r).asin();
        let covered = (0..1000)
            .filter(|&seed| {
                let generator = Generator::new(seed);
                let draw = |d: u32, i: u64| generator.uniform(Stream::MonteCarlo, d, i);
                // Normal numbers by Box and Muller.
                let normal = |d: u32, i: u64| {
                    let radius = (-2.0 * draw(2 * d, i).ln()).sqrt();
                    radius * (2.0 * core::f64::consts::PI * draw(2 * d + 1, i)).cos()
                };
                let x: Vec<f64> = (0..50).map(|i| normal(0, i)).collect();
                let y = |i: u64| r * x[i as usize] + (1.0 - r * r).sqrt() * normal(1, i);
                let y: Vec<f64> = (0..50).map(y).collect();
                let found = spearman(&x, &y, &Dependence::independent(x.len()), 0.95)
                    .unwrap()
                    .interval
                    .unwrap();
                found.low < truth && truth < found.high
            })
            .count();
        // 950 ± three standard deviations of 7; without the ρ²/2 of (3) it is about 917.
        assert!((929..=971).contains(&covered), "{covered}");
    }

    /// Of 400 intervals for independent inputs, about 95 % hold zero: 380 ± four standard deviations
    /// of 4.4.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        use crate::sampling::random::{Generator, Stream};
        let covered = (0..400)
            .filter(|&seed| {
                let generator = Generator::new(seed);
                let column = |d: u32| -> Vec<f64> {
                    (0..50)
                        .map(|i| generator.uniform(Stream::MonteCarlo, d, i))
                        .collect()
                };
                let found =
                    spearman(&column(0), &column(1), &Dependence::independent(50), 0.95).unwrap();
                let interval = found.interval.unwrap();
                interval.low < 0.0 && interval.high > 0.0
            })
            .count();
        assert!((362..=398).contains(&covered), "{covered}");
    }
}
