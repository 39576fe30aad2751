//! A mixture of normal distributions, fitted to points and drawn from.
//!
//! ```text
//! q(z) = ε φ(z) + κ N(z; 0, s² I) + Σ_k a_k (η N(z; m_k, I) + (1 − ε − κ − η) N(z; m_k, C_k))  (1)
//! ```
//!
//! Expectation maximisation (`dempster1977`) finds shares, means and covariances; each covariance is
//! drawn towards the unit matrix,
//!
//! ```text
//! C_k = (1 − λ) S_k + λ I,   λ = max(λ₀, 2 (d + 1)/n_k) ≤ 1                                 (2)
//! ```
//!
//! because the samples are few and because a distribution that is narrower than what it stands for
//! has ratios φ/q without limit. How many normal distributions there are is decided by Schwarz's
//! criterion (`schwarz1978`), in which the points count as a quarter of their number: they are those of
//! chains, whose neighbours are alike. The share η, as wide as φ, stands for what the few points do not
//! show of their surroundings; the share κ is as far from the middle as the points are on the average,
//! s² = ⟨|z|²⟩/d ≥ 1, but in all directions: it finds the parts of the event that no chain came to. The
//! share ε of φ itself keeps φ/q below 1/ε everywhere.

use crate::sampling::normal;
use crate::sampling::random::{Generator, Stream};

/// The share ε of the inputs' own distribution.
pub(super) const DEFENSIVE: f64 = 0.02;
/// The share κ that goes in all directions.
const AROUND: f64 = 0.3;
/// The share η of normal distributions as wide as those of the inputs.
const WIDE: f64 = 0.2;
/// The share of the fitted distributions.
const FITTED: f64 = 1.0 - DEFENSIVE - AROUND - WIDE;
/// Points of chains that say as much as an independent one.
const POINTS_PER_DRAW: f64 = 4.0;
/// The share λ₀ of the unit matrix in a covariance.
const SHRINKAGE: f64 = 0.35;
/// Normal distributions at most.
const MOST_COMPONENTS: usize = 8;
/// Steps of the expectation maximisation.
const STEPS: usize = 60;

/// One normal distribution.
#[derive(Debug, Clone, PartialEq)]
struct Component {
    share: f64,
    mean: Vec<f64>,
    /// The lower triangle L of C = L Lᵀ, row by row.
    factor: Vec<Vec<f64>>,
    /// ln det L.
    log_det: f64,
}

/// The mixture (1).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture {
    components: Vec<Component>,
    /// The standard deviation s of what goes in all directions.
    around: f64,
}

impl Mixture {
    /// The mixture that describes the points best; none without points.
    pub(super) fn fitted(points: &[Vec<f64>]) -> Option<Self> {
        let d = points.first()?.len();
        let n = (points.len() as f64 / POINTS_PER_DRAW).max(2.0);
        let numbers = (1 + d + d * (d + 1) / 2) as f64;
        let mut best: Option<(f64, Self)> = None;
        for count in 1..=MOST_COMPONENTS.min(points.len()) {
            // One more that did not help is followed by one more; then it is enough.
            if best
                .as_ref()
                .is_some_and(|(_, found)| count > found.count() + 2)
            {
                break;
            }
            let Some((likelihood, mixture)) = Self::with_components(points, count) else {
                continue;
            };
            let criterion =
                likelihood / POINTS_PER_DRAW - 0.5 * count as f64 * numbers * libm::log(n);
            if best.as_ref().is_none_or(|(most, _)| criterion > *most) {
                best = Some((criterion, mixture));
            }
        }
        best.map(|(_, mixture)| mixture)
    }

    /// How many normal distributions there are beside the inputs' own.
    pub(super) fn count(&self) -> usize {
        self.components.len()
    }

    /// Fits so many; their log likelihood with them. None if one of them vanishes.
    fn with_components(points: &[Vec<f64>], count: usize) -> Option<(f64, Self)> {
        let d = points[0].len();
        let unit = |mean: &Vec<f64>| Component {
            share: 1.0 / count as f64,
            mean: mean.clone(),
            factor: (0..d)
                .map(|i| (0..=i).map(|j| f64::from(u8::from(i == j))).collect())
                .collect(),
            log_det: 0.0,
        };
        let mut components: Vec<Component> = far_apart(points, count).iter().map(unit).collect();
        let mut likelihood = f64::NEG_INFINITY;
        for _ in 0..STEPS {
            let (shares, total) = responsibilities(&components, points);
            for (k, component) in components.iter_mut().enumerate() {
                let weights: Vec<f64> = shares.iter().map(|row| row[k]).collect();
                *component = Component::of(points, &weights)?;
            }
            if total - likelihood < 1e-4 * total.abs() {
                break;
            }
            likelihood = total;
        }
        let (_, likelihood) = responsibilities(&components, points);
        let squares: f64 = points.iter().flatten().map(|z| z * z).sum();
        let around = (squares / (points.len() * d) as f64).max(1.0).sqrt();
        Some((likelihood, Self { components, around }))
    }

    /// Point number `index` of a sequence of independent ones.
    pub(super) fn point(&self, generator: &Generator, d: usize, index: u64) -> Vec<f64> {
        let uniform = |j: usize| generator.uniform(Stream::Importance, j as u32, index);
        let noise: Vec<f64> = (0..d).map(|j| normal::quantile(uniform(j))).collect();
        let choice = uniform(d);
        if choice < DEFENSIVE {
            return noise;
        }
        if choice < DEFENSIVE + AROUND {
            return noise.iter().map(|x| self.around * x).collect();
        }
        let rest = choice - DEFENSIVE - AROUND;
        let wide = rest < WIDE;
        let mut left = match wide {
            true => rest / WIDE,
            false => (rest - WIDE) / FITTED,
        };
        let mut chosen = self.components.last();
        for component in &self.components {
            if left < component.share {
                chosen = Some(component);
                break;
            }
            left -= component.share;
        }
        let moved = |component: &Component| match wide {
            true => component
                .mean
                .iter()
                .zip(&noise)
                .map(|(m, x)| m + x)
                .collect(),
            false => component.moved(&noise),
        };
        chosen.map_or(noise.clone(), moved)
    }

    /// φ(z)/q(z).
    pub(super) fn weight(&self, z: &[f64]) -> f64 {
        let own = -0.5 * z.iter().map(|z| z * z).sum::<f64>();
        // Every exponent relative to that of φ: no overflow matters then, q is at least ε φ.
        let ratio = |log_density: f64| libm::exp((log_density - own).min(600.0));
        let parts = self.components.iter().map(|c| {
            let apart: f64 = c.mean.iter().zip(z).map(|(m, z)| (z - m) * (z - m)).sum();
            let fitted = FITTED * ratio(c.log_density(z));
            c.share * (WIDE * ratio(-0.5 * apart) + fitted)
        });
        let s = self.around;
        let around = own / (s * s) - z.len() as f64 * libm::log(s);
        1.0 / (DEFENSIVE + AROUND * ratio(around) + parts.sum::<f64>()) // (1)
    }
}

impl Component {
    /// Share, mean and covariance (2) of weighted points; none if hardly any weight is left.
    fn of(points: &[Vec<f64>], weights: &[f64]) -> Option<Self> {
        let d = points[0].len();
        let total: f64 = weights.iter().sum();
        if total < 5.0 {
            return None;
        }
        let pairs = || points.iter().zip(weights);
        let mean: Vec<f64> = (0..d)
            .map(|j| pairs().map(|(z, w)| w * z[j]).sum::<f64>() / total)
            .collect();
        let pull = 2.0 * (d as f64 + 1.0) * POINTS_PER_DRAW / total;
        let pull = pull.clamp(SHRINKAGE, 1.0);
        let entry = |i: usize, j: usize| {
            let product = |(z, w): (&Vec<f64>, &f64)| w * (z[i] - mean[i]) * (z[j] - mean[j]);
            let unit = if i == j { pull } else { 0.0 };
            (1.0 - pull) * pairs().map(product).sum::<f64>() / total + unit // (2)
        };
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(d);
        let mut log_det = 0.0;
        for i in 0..d {
            let mut row = vec![0.0; i + 1];
            for j in 0..=i {
                let before = |other: &[f64], row: &[f64]| -> f64 {
                    other[..j].iter().zip(&row[..j]).map(|(a, b)| a * b).sum()
                };
                if j < i {
                    row[j] = (entry(i, j) - before(&factor[j], &row)) / factor[j][j];
                } else {
                    // At least λ, as C is.
                    row[i] = (entry(i, i) - before(&row, &row)).max(1e-12).sqrt();
                    log_det += libm::log(row[i]);
                }
            }
            factor.push(row);
        }
        Some(Self {
            share: total / points.len() as f64,
            mean,
            factor,
            log_det,
        })
    }

    /// ln N(z; m, C) without its (2π)^(d/2).
    fn log_density(&self, z: &[f64]) -> f64 {
        let mut x: Vec<f64> = Vec::with_capacity(z.len());
        for (i, row) in self.factor.iter().enumerate() {
            let before: f64 = row[..i].iter().zip(&x).map(|(l, x)| l * x).sum();
            x.push((z[i] - self.mean[i] - before) / row[i]);
        }
        -0.5 * x.iter().map(|x| x * x).sum::<f64>() - self.log_det
    }

    /// m + L ξ.
    fn moved(&self, noise: &[f64]) -> Vec<f64> {
        let rows = self.factor.iter().zip(&self.mean);
        rows.map(|(row, mean)| mean + row.iter().zip(noise).map(|(l, x)| l * x).sum::<f64>())
            .collect()
    }
}

/// Which share of each point belongs to which component, and the log likelihood of all points.
fn responsibilities(components: &[Component], points: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
    let mut total = 0.0;
    let rows = points.iter().map(|z| {
        let logs: Vec<f64> = components
            .iter()
            .map(|c| libm::log(c.share) + c.log_density(z))
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let parts: Vec<f64> = logs.iter().map(|l| libm::exp(l - most)).collect();
        let sum: f64 = parts.iter().sum();
        total += most + libm::log(sum);
        parts.into_iter().map(|part| part / sum).collect()
    });
    let rows: Vec<Vec<f64>> = rows.collect();
    (rows, total)
}

/// So many of the points, each as far as possible from those before; the first far from the mean.
fn far_apart(points: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
    let (d, n) = (points[0].len(), points.len() as f64);
    let mean: Vec<f64> = (0..d)
        .map(|j| points.iter().map(|z| z[j]).sum::<f64>() / n)
        .collect();
    if count == 1 {
        return vec![mean];
    }
    let distance =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
    let mut chosen: Vec<Vec<f64>> = Vec::with_capacity(count);
    while chosen.len() < count {
        let apart = |z: &Vec<f64>| match chosen.is_empty() {
            true => distance(z, &mean),
            false => chosen
                .iter()
                .map(|c| distance(z, c))
                .fold(f64::INFINITY, f64::min),
        };
        let farthest = points.iter().max_by(|a, b| apart(a).total_cmp(&apart(b)));
        match farthest {
            Some(point) => chosen.push(point.clone()),
            None => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(i: u64) -> Vec<f64> {
        let uniform = |j| Generator::new(9).uniform(Stream::MonteCarlo, j, i);
        (0..3).map(|j| normal::quantile(uniform(j))).collect()
    }

    /// Points around (4, 0, 0) and (−4, 0, 0) are two distributions; the mean of the weights is that
    /// of φ, 1, and the mean of weight times z₁² its variance, 1.
    #[test]
    fn two_clouds_are_two_distributions_and_weights_lead_back() {
        let points: Vec<Vec<f64>> = (0..400)
            .map(|i| {
                let z = noise(i);
                let centre = if i % 2 == 0 { 4.0 } else { -4.0 };
                vec![centre + 0.3 * z[0], z[1], z[2]]
            })
            .collect();
        let mixture = Mixture::fitted(&points).unwrap();
        assert_eq!(mixture.count(), 2);
        let n = 200_000;
        let (mut sum, mut square) = (0.0, 0.0);
        for i in 0..n {
            let z = mixture.point(&Generator::new(3), 3, i);
            let w = mixture.weight(&z);
            assert!(w > 0.0 && w <= 1.0 / DEFENSIVE);
            sum += w / n as f64;
            square += w * z[0] * z[0] / n as f64;
        }
        // Nearly all weight is in the 2 % of φ: standard errors of about 0.016 and 0.027.
        assert!((sum - 1.0).abs() < 0.06, "{sum}");
        assert!((square - 1.0).abs() < 0.1, "{square}");
        let one = Mixture::fitted(&points.iter().step_by(2).cloned().collect::<Vec<_>>());
        assert_eq!(one.unwrap().count(), 1);
        assert_eq!(Mixture::fitted(&[]), None);
    }
}
