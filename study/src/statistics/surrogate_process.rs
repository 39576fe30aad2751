//! Total-order indices without a design of their own, from a Gaussian process (kriging).
//!
//! A figure with edges, such as a peak force that rises where the contact meets a stop, is followed badly
//! by polynomials; a process that interpolates the runs has no such trouble. With z the values without
//! their mean, at points u of the unit cube (`rasmussen2006`, sections 2.2 and 5.4.1)
//!
//! ```text
//! k(u, u') = (1 + √5 r + 5 r²/3) exp(−√5 r),   r² = Σ ((u_j − u'_j)/ℓ_j)²                    (1)
//! C = K + g I,   a = C⁻¹ z,   s² = zᵀ a / n                                                  (2)
//! ln Z = −(n/2) ln s² − ½ ln det C                                                          (3)
//! ∂ ln Z/∂θ = ½ (aᵀ (∂C/∂θ) a / s² − tr(C⁻¹ ∂C/∂θ))                                          (4)
//! ŷ(u) = mean + k(u)ᵀ a                                                                    (5)
//! ```
//!
//! The logarithms of ℓ_j and g are those of the largest ln Z within limits, found by steps that depend on
//! the signs of (4) alone (`riedmiller1993`). The process stands on more rows than they are found from:
//! that takes one factorisation instead of dozens. Its quality Q² is that of equation (3) in
//! `surrogate.rs`, with parameters found anew for each part.

use super::surrogate::{PARTS, Surrogate, SurrogateKind, some};
use super::surrogate_indices::{Shares, shares, with_limits};

/// Fewest rows.
const FEWEST_ROWS: usize = 60;
/// Rows that the parameters are found from at most.
const ROWS_OF_PARAMETERS: usize = 250;
/// Rows that the process stands on at most.
const MOST_ROWS: usize = 500;
/// Limits of ln ℓ and of ln g.
const LENGTHS: [f64; 2] = [-3.0, 3.0];
const NUGGETS: [f64; 2] = [-18.0, 2.0];
/// Where the search begins.
const START: [f64; 2] = [-0.4, -3.0];
/// Steps of the search at most; for the parts of the cross-validation fewer, from the same start.
const STEPS: usize = 60;
const STEPS_OF_PARTS: usize = 40;
/// Points of the indices; fewer for the parts, of which only the differences count.
const POINTS: u32 = 2048;
const POINTS_OF_PARTS: u32 = 512;

/// A process fitted to runs.
struct Process {
    points: Vec<Vec<f64>>,
    /// 1/ℓ of each input.
    rates: Vec<f64>,
    /// a of (2).
    slope: Vec<f64>,
    mean: f64,
}

impl Process {
    /// The process of the points; none if its matrix cannot be factorised.
    fn fitted(points: &[Vec<f64>], y: &[f64], steps: usize) -> Option<Self> {
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let z: Vec<f64> = y.iter().map(|y| y - mean).collect();
        let few = points.len().min(ROWS_OF_PARAMETERS);
        let theta = parameters(&points[..few], &z[..few], steps)?;
        let (rates, nugget) = unpacked(&theta);
        let matrix = covariances(points, &rates, nugget);
        let factor = factorised(matrix)?;
        let slope = solved(&factor, &z);
        Some(Self {
            points: points.to_vec(),
            rates,
            slope,
            mean,
        })
    }

    fn value(&self, u: &[f64]) -> f64 {
        let terms = self.points.iter().zip(&self.slope);
        let sum: f64 = terms
            .map(|(p, a)| a * covariance(distance(p, u, &self.rates)))
            .sum();
        self.mean + sum // (5)
    }
}

/// The surrogate of `y` at the points `u` of the unit cube; rows whose value is not finite are left out.
/// None if there are too few, or if nothing varies.
pub fn surrogate_process(u: &[Vec<f64>], y: &[f64]) -> Option<Surrogate> {
    let finite: Vec<usize> = (0..y.len().min(u.len()))
        .filter(|&i| y[i].is_finite())
        .collect();
    let rows = some(&finite, MOST_ROWS);
    if rows.len() < FEWEST_ROWS || u.first()?.is_empty() {
        return None;
    }
    let points: Vec<Vec<f64>> = rows.iter().map(|&i| u[i].clone()).collect();
    let values: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
    if !(spread.is_finite() && spread > 1e-24 * mean * mean && spread > 1e-300) {
        return None;
    }
    // Of unit spread, so that nothing below depends on the unit.
    let scale = (values.len() as f64 / spread).sqrt();
    let z: Vec<f64> = values.iter().map(|y| (y - mean) * scale).collect();
    let inputs = points[0].len();
    let process = Process::fitted(&points, &z, STEPS)?;
    let whole = shares(|x| process.value(x), inputs, POINTS)?;
    let (predicted, parts) = cross_validated(&points, &z)?;
    Some(Surrogate {
        kind: SurrogateKind::Process,
        inputs: with_limits(&whole, &parts, predicted),
        predicted,
        rows: points.len(),
    })
}

/// Q², and the shares of the processes that have not seen one part each.
fn cross_validated(points: &[Vec<f64>], z: &[f64]) -> Option<(f64, Vec<Shares>)> {
    let n = z.len();
    let mean = z.iter().sum::<f64>() / n as f64;
    let all: f64 = z.iter().map(|z| (z - mean).powi(2)).sum();
    let (mut missed, mut found) = (0.0, Vec::new());
    for part in 0..PARTS {
        // Rows are in random order already.
        let others: Vec<usize> = (0..n).filter(|i| i % PARTS != part).collect();
        let seen: Vec<Vec<f64>> = others.iter().map(|&i| points[i].clone()).collect();
        let had: Vec<f64> = others.iter().map(|&i| z[i]).collect();
        let process = Process::fitted(&seen, &had, STEPS_OF_PARTS)?;
        for i in (part..n).step_by(PARTS) {
            missed += (z[i] - process.value(&points[i])).powi(2);
        }
        found.push(shares(
            |x| process.value(x),
            points[0].len(),
            POINTS_OF_PARTS,
        )?);
    }
    Some((1.0 - missed / all, found))
}

/// r of (1).
fn distance(a: &[f64], b: &[f64], rates: &[f64]) -> f64 {
    let scaled = a.iter().zip(b).zip(rates);
    let square: f64 = scaled
        .map(|((a, b), rate)| {
            let apart = (a - b) * rate;
            apart * apart
        })
        .sum();
    square.sqrt()
}

/// k of (1) over the distance.
fn covariance(r: f64) -> f64 {
    let x = 5.0_f64.sqrt() * r;
    (1.0 + x + x * x / 3.0) * libm::exp(-x) // (1)
}

/// 1/ℓ of the inputs and g.
fn unpacked(theta: &[f64]) -> (Vec<f64>, f64) {
    let inputs = theta.len() - 1;
    let rates = theta[..inputs].iter().map(|t| libm::exp(-t)).collect();
    (rates, libm::exp(theta[inputs]))
}

/// C, row by row from the diagonal on.
fn covariances(points: &[Vec<f64>], rates: &[f64], nugget: f64) -> Vec<Vec<f64>> {
    let row = |(i, a): (usize, &Vec<f64>)| {
        let after = points[i + 1..].iter();
        let others = after.map(|b| covariance(distance(a, b, rates)));
        std::iter::once(1.0 + nugget).chain(others).collect()
    };
    points.iter().enumerate().map(row).collect()
}

/// ln ℓ of the inputs and ln g with the largest ln Z that is found.
fn parameters(points: &[Vec<f64>], z: &[f64], steps: usize) -> Option<Vec<f64>> {
    // Growth and shrinking of a step, and its limits.
    const FACTORS: [f64; 2] = [1.2, 0.5];
    const SIZES: [f64; 2] = [5e-3, 1.0];
    let inputs = points[0].len();
    let mut theta = vec![START[0]; inputs];
    theta.push(START[1]);
    let mut size = vec![0.4; inputs + 1];
    let mut before = vec![0.0; inputs + 1];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..steps {
        let Some((value, gradient)) = evidence(points, z, &theta) else {
            break;
        };
        if best.as_ref().is_none_or(|(known, _)| value > *known) {
            best = Some((value, theta.clone()));
        }
        for j in 0..=inputs {
            let turned = gradient[j] * before[j];
            if turned != 0.0 {
                let factor = FACTORS[usize::from(turned < 0.0)];
                size[j] = (size[j] * factor).clamp(SIZES[0], SIZES[1]);
            }
            before[j] = gradient[j];
            let [low, high] = if j < inputs { LENGTHS } else { NUGGETS };
            theta[j] = (theta[j] + size[j] * gradient[j].signum()).clamp(low, high);
        }
        if size.iter().all(|size| *size < 0.03) {
            break;
        }
    }
    best.map(|(_, theta)| theta)
}

/// (3) and (4); none if C cannot be factorised.
fn evidence(points: &[Vec<f64>], z: &[f64], theta: &[f64]) -> Option<(f64, Vec<f64>)> {
    let (n, inputs) = (z.len(), theta.len() - 1);
    let (rates, nugget) = unpacked(theta);
    let factor = factorised(covariances(points, &rates, nugget))?;
    let a = solved(&factor, z);
    let square = z.iter().zip(&a).map(|(z, a)| z * a).sum::<f64>() / n as f64; // (2)
    if square.is_nan() || square <= 0.0 {
        return None;
    }
    let log_det: f64 = factor.iter().map(|row| libm::log(row[0])).sum();
    let value = -0.5 * n as f64 * libm::log(square) - log_det; // (3)
    let inverse = inverted(&factor);
    let mut gradient = vec![0.0; inputs + 1];
    for i in 0..n {
        gradient[inputs] += 0.5 * nugget * (a[i] * a[i] / square - inverse[i][i]);
        for j in 0..i {
            // ∂k/∂ln ℓ = (5/3) (1 + √5 r) exp(−√5 r) ((u − u')/ℓ)², once for (i, j) and once for (j, i).
            let x = 5.0_f64.sqrt() * distance(&points[i], &points[j], &rates);
            let weight = a[i] * a[j] / square - inverse[i][j];
            let common = weight * 5.0 / 3.0 * (1.0 + x) * libm::exp(-x);
            let pairs = points[i].iter().zip(&points[j]).zip(&rates);
            for (out, ((p, q), rate)) in gradient.iter_mut().zip(pairs) {
                let apart = (p - q) * rate;
                *out += common * apart * apart; // (4)
            }
        }
    }
    Some((value, gradient))
}

/// U of C = UᵀU in place, rows from the diagonal on; none if C is not positive definite.
fn factorised(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for k in 0..n {
        let (above, below) = matrix.split_at_mut(k + 1);
        let row = &mut above[k];
        if row[0].is_nan() || row[0] <= 0.0 {
            return None;
        }
        let scale = 1.0 / row[0].sqrt();
        row.iter_mut().for_each(|x| *x *= scale);
        for (i, other) in below.iter_mut().enumerate() {
            let tail = &row[i + 1..];
            let share = tail[0];
            other
                .iter_mut()
                .zip(tail)
                .for_each(|(x, r)| *x -= share * r);
        }
    }
    Some(matrix)
}

/// C⁻¹ b.
fn solved(factor: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut x = b.to_vec();
    for (k, row) in factor.iter().enumerate() {
        x[k] /= row[0];
        let (value, tail) = (x[k], &mut x[k + 1..]);
        tail.iter_mut()
            .zip(&row[1..])
            .for_each(|(x, r)| *x -= value * r);
    }
    for k in (0..n).rev() {
        let row = &factor[k];
        let after: f64 = row[1..].iter().zip(&x[k + 1..]).map(|(r, x)| r * x).sum();
        x[k] = (x[k] - after) / row[0];
    }
    x
}

/// The lower triangle of C⁻¹, row by row.
fn inverted(factor: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = factor.len();
    // M = U⁻ᵀ, lower: row i is (e_i − Σ_(k<i) U_ki M_k) / U_ii.
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = vec![0.0; i + 1];
        row[i] = 1.0;
        for (k, known) in lower.iter().enumerate() {
            let share = factor[k][i - k];
            row.iter_mut().zip(known).for_each(|(x, m)| *x -= share * m);
        }
        let scale = 1.0 / factor[i][0];
        row.iter_mut().for_each(|x| *x *= scale);
        lower.push(row);
    }
    // C⁻¹ = MᵀM.
    let mut out: Vec<Vec<f64>> = (0..n).map(|i| vec![0.0; i + 1]).collect();
    for row in &lower {
        for (i, target) in out.iter_mut().enumerate().take(row.len()) {
            let share = row[i];
            target
                .iter_mut()
                .zip(row)
                .for_each(|(x, m)| *x += share * m);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random::{Generator, Stream};

    fn points(n: u64, inputs: u32) -> Vec<Vec<f64>> {
        let generator = Generator::new(7);
        let row = |i| {
            (0..inputs)
                .map(|j| generator.uniform(Stream::MonteCarlo, j, i))
                .collect()
        };
        (0..n).map(row).collect()
    }

    /// (4) against differences of (3).
    #[test]
    fn the_gradient_of_the_evidence_is_exact() {
        let u = points(40, 3);
        let z: Vec<f64> = u.iter().map(|u| (5.0 * u[0]).sin() + u[1] * u[2]).collect();
        let theta = [-0.3, 0.2, 0.9, -2.0];
        let (_, gradient) = evidence(&u, &z, &theta).unwrap();
        for (j, exact) in gradient.iter().enumerate() {
            let shifted = |h: f64| {
                let mut at = theta;
                at[j] += h;
                evidence(&u, &z, &at).unwrap().0
            };
            let found = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((found - exact).abs() < 1e-5 * (1.0 + exact.abs()), "{j}");
        }
    }

    #[test]
    fn a_factor_solves_and_inverts() {
        let u = points(30, 2);
        let matrix = covariances(&u, &[2.0, 1.0], 0.1);
        let factor = factorised(matrix.clone()).unwrap();
        let inverse = inverted(&factor);
        let entry = |i: usize, j: usize| matrix[i.min(j)][i.max(j) - i.min(j)];
        let b: Vec<f64> = (0..30).map(f64::from).collect();
        let x = solved(&factor, &b);
        for (i, b) in b.iter().enumerate() {
            let back: f64 = (0..30).map(|j| entry(i, j) * x[j]).sum();
            assert!((back - b).abs() < 1e-9);
            let unit: f64 = (0..30)
                .map(|j| entry(i, j) * inverse[j.max(3)][j.min(3)])
                .sum();
            assert!((unit - f64::from(u8::from(i == 3))).abs() < 1e-9);
        }
        assert!(factorised(vec![vec![1.0, 2.0], vec![1.0]]).is_none());
    }

    /// y = max(u1 − 0.7, 0)(1 + u2), flat over most of its range, as a force behind a stop is: by quadrature
    /// of the square. An expansion predicts it worse.
    #[test]
    fn a_figure_with_an_edge_is_followed() {
        let figure = |u: &[f64]| (u[0] - 0.7).max(0.0) * (1.0 + u[1]);
        let u = points(200, 3);
        let y: Vec<f64> = u.iter().map(|u| figure(u)).collect();
        let found = surrogate_process(&u, &y).unwrap();
        assert!(found.predicted > 0.95, "{found:?}");
        // With m = 0.045 and v = 0.009 − 0.045² of the first factor, 3/2 and 1/12 of the second.
        let (m, v, w) = (0.045, 0.009 - 0.045 * 0.045, 1.0 / 12.0);
        let (first, second, both) = (v * 2.25, m * m * w, v * w);
        let all = first + second + both;
        for (index, exact) in found.inputs.iter().zip([first + both, second + both, 0.0]) {
            let exact = exact / all;
            assert!((index.total - exact).abs() < 0.03, "{index:?} for {exact}");
            let limits = index.total_limits;
            assert!(
                limits.low <= exact && exact <= limits.high,
                "{index:?} for {exact}"
            );
        }
        let expansion = super::super::surrogate::surrogate(&u, &y).unwrap();
        assert!(expansion.predicted < found.predicted, "{expansion:?}");
        assert_eq!(surrogate_process(&u[..20], &y[..20]), None);
        assert_eq!(surrogate_process(&u, &[1.0; 200]), None);
    }
}
