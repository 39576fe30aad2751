//! Correlated inputs by a Gaussian copula.
//!
//! Independent uniform numbers u become normal scores, are mixed with the Cholesky factor L of the
//! correlation matrix C = L Lᵀ, and every score is taken to its marginal distribution F_j,
//!
//! ```text
//! z = L Φ⁻¹(u),   x_j = F_j⁻¹(Φ(z_j))                                                      (1)
//! ```
//!
//! The coefficient asked for is that of the scores: for two normal marginals the correlation of x
//! itself. The rank correlation of any pair is (6/π) asin(ρ/2).

use super::normal;
use crate::error::{Result, setting};

/// Mixes the scores of the correlated dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct Copula {
    /// The correlated dimensions, ascending.
    members: Vec<usize>,
    /// Rows of the lower triangle of L.
    factor: Vec<Vec<f64>>,
}

impl Copula {
    /// The copula with the given pairs of correlated dimensions; none when there are no pairs.
    /// `key` names the setting in messages.
    pub fn new(pairs: &[(usize, usize, f64)], key: &str) -> Result<Option<Self>> {
        let mut members: Vec<usize> = pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        members.sort_unstable();
        members.dedup();
        if members.is_empty() {
            return Ok(None);
        }
        let n = members.len();
        let mut matrix = vec![vec![0.0; n]; n];
        for (j, row) in matrix.iter_mut().enumerate() {
            row[j] = 1.0;
        }
        for &(a, b, coefficient) in pairs {
            if let (Ok(a), Ok(b)) = (members.binary_search(&a), members.binary_search(&b)) {
                matrix[a][b] = coefficient;
                matrix[b][a] = coefficient;
            }
        }
        let factor = cholesky(&matrix).ok_or_else(|| {
            setting(
                key,
                "these coefficients",
                "together they must be a positive definite matrix",
            )
        })?;
        Ok(Some(Self { members, factor }))
    }

    /// Normal scores of the correlated dimensions: pairs of dimension and score.
    pub fn scores(&self, point: &[f64]) -> Vec<(usize, f64)> {
        let independent: Vec<f64> = self
            .members
            .iter()
            .map(|&dimension| normal::quantile(point[dimension]))
            .collect();
        self.members
            .iter()
            .zip(&self.factor)
            .map(|(&dimension, row)| {
                let score = row.iter().zip(&independent).map(|(l, z)| l * z).sum(); // (1)
                (dimension, score)
            })
            .collect()
    }
}

fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    // A pivot below this is a matrix that is singular to rounding.
    const SMALLEST_PIVOT: f64 = 1e-12;
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, source) in matrix.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for j in 0..=i {
            let other = if j == i { &row } else { &factor[j] };
            let known: f64 = row.iter().zip(other).take(j).map(|(a, b)| a * b).sum();
            let rest = source[j] - known;
            if j < i {
                row.push(rest / factor[j][j]);
            } else if rest > SMALLEST_PIVOT {
                row.push(rest.sqrt());
            } else {
                return None;
            }
        }
        factor.push(row);
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_reproduces_the_matrix() {
        let pairs = [(0, 2, 0.5), (2, 5, -0.3), (0, 5, 0.1)];
        let copula = Copula::new(&pairs, "correlate").unwrap().unwrap();
        assert_eq!(copula.members, [0, 2, 5]);
        let l = &copula.factor;
        let product =
            |i: usize, j: usize| -> f64 { l[i].iter().zip(&l[j]).map(|(a, b)| a * b).sum() };
        for (i, j, expected) in [
            (0, 0, 1.0),
            (1, 1, 1.0),
            (2, 2, 1.0),
            (1, 0, 0.5),
            (2, 1, -0.3),
            (2, 0, 0.1),
        ] {
            assert!((product(i, j) - expected).abs() < 1e-15, "{i} {j}");
        }
    }

    #[test]
    fn impossible_correlations_are_refused() {
        let pairs = [(0, 1, 0.9), (1, 2, 0.9), (0, 2, -0.9)];
        let error = Copula::new(&pairs, "correlate").unwrap_err();
        assert!(error.to_string().contains("positive definite"), "{error}");
        assert!(Copula::new(&[], "correlate").unwrap().is_none());
    }
}
