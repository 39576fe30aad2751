//! The probability of an event over two or three coordinates, from runs that had it or not.
//!
//! A Gaussian process f with the covariance k says how likely the event is, P(event at x) = Φ(f(x))
//! (`rasmussen2006`, sections 3.4 and 3.6). With y = ±1 for runs with and without the event,
//!
//! ```text
//! k(x, x') = s² (1 + √5 r + 5 r²/3) exp(−√5 r),   r² = Σ ((x_j − x'_j)/ℓ_j)²                 (1)
//! f̂ = argmax Σ ln Φ(y_i f_i) − ½ fᵀ K⁻¹ f                                                   (2)
//! W = −∂² ln Φ(y f̂),   B = I + W^½ K W^½ = L Lᵀ                                             (3)
//! ln Z = Σ ln Φ(y_i f̂_i) − ½ aᵀ f̂ − Σ ln L_ii,   a = K⁻¹ f̂ = ∂ ln Φ(y f̂)                   (4)
//! mean(x) = k(x)ᵀ a,   var(x) = k(x, x) − |L⁻¹ W^½ k(x)|²                                    (5)
//! P(x) = Φ(mean/√(1 + var))                                                                 (6)
//! ```
//!
//! (2) by Newton's method (algorithm 3.1). s and ℓ are those with the largest ln Z within limits, found
//! by trying smaller and larger ones in turn, from those of the fit before. A process that is centred on
//! the mode (2) knows too little where runs agree, so that probabilities come from expectation
//! propagation (section 3.6, algorithms 3.5 and 3.6), in which a run stands for a normal factor with
//! precision τ_i and shift ν_i whose first two moments are right given all other runs:
//!
//! ```text
//! W = diag(τ),   a = ν − W^½ B⁻¹ W^½ K ν   in (3), (5) and (6)                                 (7)
//! ```

use crate::sampling::normal;

/// Limits of the lengths ℓ, in shares of the range of an input.
const LENGTHS: [f64; 2] = [0.08, 8.0];
/// Limits of s: with a larger one a boundary is sharper.
const AMPLITUDES: [f64; 2] = [1.0, 30.0];
/// Newton steps at most.
const STEPS: usize = 40;
/// Rounds of expectation propagation at most.
const PROPAGATIONS: usize = 12;

/// Parameters of the covariance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kernel {
    amplitude: f64,
    lengths: Vec<f64>,
}

impl Kernel {
    /// Where the search begins.
    pub(crate) fn new(inputs: usize, length: f64) -> Self {
        Self {
            amplitude: 5.0,
            lengths: vec![length; inputs],
        }
    }

    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let scaled = a.iter().zip(b).zip(&self.lengths);
        let square: f64 = scaled.map(|((a, b), l)| ((a - b) / l).powi(2)).sum();
        let r = (5.0 * square).sqrt();
        self.amplitude.powi(2) * (1.0 + r + r * r / 3.0) * libm::exp(-r) // (1)
    }

    /// The same with one parameter changed: 0 is s, the others are lengths.
    fn changed(&self, which: usize, factor: f64) -> Self {
        let mut out = self.clone();
        match which {
            0 => {
                out.amplitude = (self.amplitude * factor).clamp(AMPLITUDES[0], AMPLITUDES[1]);
            }
            j => out.lengths[j - 1] = (self.lengths[j - 1] * factor).clamp(LENGTHS[0], LENGTHS[1]),
        }
        out
    }
}

/// A fitted process.
#[derive(Debug, Clone)]
pub(crate) struct Classifier {
    pub(crate) kernel: Kernel,
    points: Vec<Vec<f64>>,
    /// a of (4).
    slope: Vec<f64>,
    /// W^½.
    root: Vec<f64>,
    /// L of (3), row by row.
    factor: Vec<Vec<f64>>,
    /// ln Z.
    evidence: f64,
}

impl Classifier {
    /// The process of the points, with the parameters that explain them best near `start`; `sweeps`
    /// says how long they are looked for.
    pub(crate) fn fitted(
        points: &[Vec<f64>],
        events: &[bool],
        start: &Kernel,
        sweeps: usize,
    ) -> Self {
        let mut best = Self::with(points, events, start.clone());
        let mut factor = 2.0;
        for _ in 0..sweeps {
            let before = best.evidence;
            for which in 0..=start.lengths.len() {
                for factor in [factor, 1.0 / factor] {
                    let kernel = best.kernel.changed(which, factor);
                    if kernel == best.kernel {
                        continue;
                    }
                    let tried = Self::with(points, events, kernel);
                    if tried.evidence > best.evidence {
                        best = tried;
                        break;
                    }
                }
            }
            if best.evidence - before < 1e-3 {
                factor = 1.0 + 0.4 * (factor - 1.0);
            }
        }
        best
    }

    fn with(points: &[Vec<f64>], events: &[bool], kernel: Kernel) -> Self {
        let n = points.len();
        let covariance: Vec<Vec<f64>> = points
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let row = points[..=i].iter();
                row.map(|b| kernel.covariance(a, b)).collect()
            })
            .collect();
        let k = |i: usize, j: usize| {
            if j <= i {
                covariance[i][j]
            } else {
                covariance[j][i]
            }
        };
        let times = |x: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| (0..n).map(|j| k(i, j) * x[j]).sum())
                .collect()
        };
        let sign: Vec<f64> = events.iter().map(|e| if *e { 1.0 } else { -1.0 }).collect();
        let mut f = vec![0.0; n];
        let mut a = vec![0.0; n];
        let mut objective = f64::NEG_INFINITY;
        let (mut root, mut factor) = (vec![0.0; n], Vec::new());
        for _ in 0..STEPS {
            let terms: Vec<Terms> = f
                .iter()
                .zip(&sign)
                .map(|(f, y)| Terms::at(*f, *y))
                .collect();
            root = terms.iter().map(|t| t.curvature.sqrt()).collect();
            factor = cholesky(n, |i, j| {
                let unit = if i == j { 1.0 } else { 0.0 };
                unit + root[i] * k(i, j) * root[j] // (3)
            });
            // Algorithm 3.1: b = W f + ∂ ln Φ, a = b − W^½ B⁻¹ W^½ K b, f = K a.
            let b: Vec<f64> = f
                .iter()
                .zip(&terms)
                .map(|(f, t)| t.curvature * f + t.slope)
                .collect();
            let mut right = times(&b);
            right.iter_mut().zip(&root).for_each(|(x, r)| *x *= r);
            forward(&factor, &mut right);
            backward(&factor, &mut right);
            let target: Vec<f64> = (0..n).map(|i| b[i] - root[i] * right[i]).collect();
            // A step that overshoots is halved.
            let mut share = 1.0;
            let value = loop {
                let next: Vec<f64> = a
                    .iter()
                    .zip(&target)
                    .map(|(a, t)| a + share * (t - a))
                    .collect();
                let at = times(&next);
                let fit: f64 = at.iter().zip(&sign).map(|(f, y)| log_cdf(y * f)).sum();
                let value = fit - 0.5 * next.iter().zip(&at).map(|(a, f)| a * f).sum::<f64>();
                if value >= objective || share < 1e-3 {
                    (a, f) = (next, at);
                    break value;
                }
                share *= 0.5;
            };
            if value - objective < 1e-6 {
                objective = value;
                break;
            }
            objective = value;
        }
        let log_det: f64 = factor.iter().map(|row| libm::log(row[row.len() - 1])).sum();
        Self {
            kernel,
            points: points.to_vec(),
            slope: a,
            root,
            factor,
            evidence: objective - log_det, // (4)
        }
    }

    /// The same process by expectation propagation (7).
    pub(crate) fn refined(&self, events: &[bool]) -> Self {
        let n = self.points.len();
        let at = |i: usize, j: usize| self.kernel.covariance(&self.points[i], &self.points[j]);
        let k: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| at(i, j)).collect()).collect();
        let (mut tau, mut nu) = (vec![0.0; n], vec![0.0; n]);
        let (mut sigma, mut mu) = (k.clone(), vec![0.0; n]);
        let (mut root, mut factor) = (vec![0.0; n], Vec::new());
        for _ in 0..PROPAGATIONS {
            let mut moved: f64 = 0.0;
            for i in 0..n {
                let y = if events[i] { 1.0 } else { -1.0 };
                let Some((precision, shift)) = site(sigma[i][i], mu[i], tau[i], nu[i], y) else {
                    continue;
                };
                let change = precision - tau[i];
                moved = moved.max(change.abs() / (1.0 + precision));
                (tau[i], nu[i]) = (precision, shift);
                // Σ without what run i says now: a change of rank one.
                let column = sigma[i].clone();
                let scale = change / (1.0 + change * column[i]);
                for (row, s) in sigma.iter_mut().zip(&column) {
                    let part = scale * s;
                    row.iter_mut()
                        .zip(&column)
                        .for_each(|(x, c)| *x -= part * c);
                }
                for (mu, row) in mu.iter_mut().zip(&sigma) {
                    *mu = row.iter().zip(&nu).map(|(s, v)| s * v).sum();
                }
            }
            // Afresh, so that rounding does not add up: Σ = K − VᵀV with V = L⁻¹ W^½ K.
            root = tau.iter().map(|t: &f64| t.max(0.0).sqrt()).collect();
            factor = cholesky(n, |i, j| {
                let unit = if i == j { 1.0 } else { 0.0 };
                unit + root[i] * k[i][j] * root[j]
            });
            let columns: Vec<Vec<f64>> = (0..n)
                .map(|j| {
                    let mut v: Vec<f64> = (0..n).map(|i| root[i] * k[i][j]).collect();
                    forward(&factor, &mut v);
                    v
                })
                .collect();
            for i in 0..n {
                for j in 0..n {
                    let pairs = columns[i].iter().zip(&columns[j]);
                    sigma[i][j] = k[i][j] - pairs.map(|(a, b)| a * b).sum::<f64>();
                }
                mu[i] = sigma[i].iter().zip(&nu).map(|(s, v)| s * v).sum();
            }
            if moved < 1e-3 {
                break;
            }
        }
        let mut right: Vec<f64> = (0..n)
            .map(|i| root[i] * k[i].iter().zip(&nu).map(|(k, v)| k * v).sum::<f64>())
            .collect();
        forward(&factor, &mut right);
        backward(&factor, &mut right);
        let slope = (0..n).map(|i| nu[i] - root[i] * right[i]).collect(); // (7)
        Self {
            slope,
            root,
            factor,
            ..self.clone()
        }
    }

    /// Whether the event is more likely than not at a place: its mean (5) alone, which is much cheaper.
    pub(crate) fn is_likely(&self, x: &[f64]) -> bool {
        let terms = self.points.iter().zip(&self.slope);
        let mean: f64 = terms.map(|(p, a)| self.kernel.covariance(p, x) * a).sum();
        mean > 0.0
    }

    /// Probability of the event at a place (6).
    pub(crate) fn probability(&self, x: &[f64]) -> f64 {
        let k: Vec<f64> = self
            .points
            .iter()
            .map(|point| self.kernel.covariance(point, x))
            .collect();
        let mean: f64 = k.iter().zip(&self.slope).map(|(k, a)| k * a).sum();
        let mut v: Vec<f64> = k.iter().zip(&self.root).map(|(k, r)| k * r).collect();
        forward(&self.factor, &mut v);
        let own = self.kernel.amplitude.powi(2);
        let variance = (own - v.iter().map(|v| v * v).sum::<f64>()).max(0.0); // (5)
        normal::cdf(mean / (1.0 + variance).sqrt())
    }
}

/// Precision and shift that give run i its first two moments (3.58 and 3.59), with what all others say
/// taken from Σ_ii and μ_i; none where they say nothing usable.
fn site(variance: f64, mean: f64, tau: f64, nu: f64, y: f64) -> Option<(f64, f64)> {
    let precision = 1.0 / variance - tau;
    if !(precision > 1e-10 && precision.is_finite()) {
        return None;
    }
    let shift = mean / variance - nu;
    let (m, v) = (shift / precision, 1.0 / precision);
    let root = (1.0 + v).sqrt();
    let z = y * m / root;
    let ratio = libm::exp(-0.5 * z * z - 0.918_938_533_204_672_8 - log_cdf(z));
    let new_mean = m + y * v * ratio / root;
    let new_variance = v - v * v * ratio / (1.0 + v) * (z + ratio);
    if new_variance <= 0.0 {
        return None;
    }
    let tau = (1.0 / new_variance - precision).max(0.0);
    Some((tau, new_mean / new_variance - shift))
}

/// ∂ ln Φ(y f)/∂f and −∂² ln Φ(y f)/∂f².
struct Terms {
    slope: f64,
    curvature: f64,
}

impl Terms {
    fn at(f: f64, y: f64) -> Self {
        let z = y * f;
        // φ/Φ; for z far below zero it tends to −z.
        let ratio = libm::exp(-0.5 * z * z - 0.918_938_533_204_672_8 - log_cdf(z));
        Self {
            slope: y * ratio,
            curvature: (ratio * ratio + z * ratio).max(1e-12),
        }
    }
}

/// ln Φ(z), also where Φ is below the smallest number.
fn log_cdf(z: f64) -> f64 {
    if z > -30.0 {
        return libm::log(normal::cdf(z).max(f64::MIN_POSITIVE));
    }
    -0.5 * z * z - 0.918_938_533_204_672_8 - libm::log(-z) - 1.0 / (z * z)
}

/// L of a symmetric positive definite matrix, row by row.
fn cholesky(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = vec![0.0; i + 1];
        for j in 0..i {
            let other = &factor[j];
            let before: f64 = row[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
            row[j] = (entry(i, j) - before) / other[j];
        }
        let before: f64 = row[..i].iter().map(|x| x * x).sum();
        // At least one in exact arithmetic: B = I + something positive.
        row[i] = (entry(i, i) - before).max(1.0).sqrt();
        factor.push(row);
    }
    factor
}

/// Solves L x = b in place.
fn forward(factor: &[Vec<f64>], x: &mut [f64]) {
    for (i, row) in factor.iter().enumerate() {
        let before: f64 = row[..i].iter().zip(x.iter()).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - before) / row[i];
    }
}

/// Solves Lᵀ x = b in place.
fn backward(factor: &[Vec<f64>], x: &mut [f64]) {
    for i in (0..factor.len()).rev() {
        x[i] /= factor[i][i];
        let value = x[i];
        for (x, l) in x.iter_mut().zip(&factor[i][..i]) {
            *x -= l * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slope and curvature are the derivatives of ln Φ, by finite differences; both ends of the range
    /// are finite.
    #[test]
    fn derivatives_of_the_likelihood_are_exact() {
        let h = 1e-5;
        for f in [-5.0, -1.0, 0.0, 0.3, 4.0] {
            for y in [1.0, -1.0] {
                let terms = Terms::at(f, y);
                let slope = (log_cdf(y * (f + h)) - log_cdf(y * (f - h))) / (2.0 * h);
                let bend = (Terms::at(f + h, y).slope - Terms::at(f - h, y).slope) / (2.0 * h);
                assert!((terms.slope - slope).abs() < 1e-6, "{f} {y}");
                assert!((terms.curvature + bend).abs() < 1e-5, "{f} {y}");
            }
        }
        for z in [-1e3, -40.0, -29.0, 40.0] {
            let terms = Terms::at(z, 1.0);
            assert!(
                terms.slope.is_finite() && terms.curvature.is_finite(),
                "{z}"
            );
        }
        assert!((log_cdf(-30.0 - 1e-9) - log_cdf(-30.0 + 1e-9)).abs() < 1e-3);
    }

    /// One run with the event: expectation propagation then has the exact mean and variance of f, here
    /// against quadrature.
    #[test]
    fn one_run_is_weighed_exactly() {
        let s: f64 = 2.0;
        let kernel = Kernel {
            amplitude: s,
            lengths: vec![0.5],
        };
        let found = Classifier::with(&[vec![0.0]], &[true], kernel).refined(&[true]);
        // Moments of the posterior Φ(f) N(f; 0, s²), by the trapezoidal rule.
        let (mut z, mut first, mut second) = (0.0, 0.0, 0.0);
        for i in -4000..=4000 {
            let f = f64::from(i) * 0.005;
            let weight = normal::cdf(f) * (-0.5 * f * f / (s * s)).exp();
            z += weight;
            first += weight * f;
            second += weight * f * f;
        }
        let (mean, variance) = (first / z, second / z - (first / z).powi(2));
        let exact = normal::cdf(mean / (1.0 + variance).sqrt());
        let p = found.probability(&[0.0]);
        assert!((p - exact).abs() < 1e-6, "{p} for {exact}");
    }

    /// A single point with the event: P is above one half there and one half far away.
    #[test]
    fn far_from_all_points_nothing_is_known() {
        let kernel = Kernel {
            amplitude: 3.0,
            lengths: vec![0.1, 0.1],
        };
        let found = Classifier::with(&[vec![0.0, 0.0]], &[true], kernel);
        assert!(found.probability(&[0.0, 0.0]) > 0.7);
        assert!((found.probability(&[9.0, 0.0]) - 0.5).abs() < 1e-9);
    }
}
