//! A part of the matrix of low rank, for terms that couple nodes far apart: damping against a base
//! that moves, damping of modes.
//!
//! With the sparse matrix K and the columns U, V (unknowns of the nodes × rank),
//!
//! ```text
//! (K + U Vᵀ)⁻¹ b = y − Z (I + Vᵀ Z)⁻¹ Vᵀ y,   y = K⁻¹ b,   Z = K⁻¹ U           (1)
//! det (K + U Vᵀ) = det K · det (I + Vᵀ Z)                                     (2)
//! ```
//!
//! (Sherman, Morrison, Woodbury). K must be regular by itself; a matrix with mass is.

use nalgebra::{DMatrix, SVector};

/// U and V, and what a factorisation makes of them. Nothing allocates after [`Update::new`].
#[derive(Debug, Clone)]
pub struct Update<const N: usize> {
    nodes: usize,
    rank: usize,
    /// Columns of U one after another, one vector per node.
    left: Vec<SVector<f64, N>>,
    /// Columns of V likewise.
    right: Vec<SVector<f64, N>>,
    /// Columns of Z: nodes, and constraint rows.
    pub(super) solved: Vec<SVector<f64, N>>,
    pub(super) solved_rows: Vec<f64>,
    /// Factors of `I + Vᵀ Z` by rows, and the row that each pivot came from.
    capacitance: Vec<f64>,
    pivots: Vec<usize>,
    weights: Vec<f64>,
}

impl<const N: usize> Update<N> {
    pub(super) fn new(nodes: usize, rows: usize, rank: usize) -> Self {
        let columns = vec![SVector::zeros(); nodes * rank];
        Self {
            nodes,
            rank,
            left: columns.clone(),
            right: columns.clone(),
            solved: columns,
            solved_rows: vec![0.0; rows * rank],
            capacitance: vec![0.0; rank * rank],
            pivots: vec![0; rank],
            weights: vec![0.0; rank],
        }
    }

    /// Number of columns.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Entries of column `column` of U at `node`.
    pub fn left(&mut self, column: usize, node: usize) -> &mut SVector<f64, N> {
        &mut self.left[column * self.nodes + node]
    }

    /// Entries of column `column` of V at `node`.
    pub fn right(&mut self, column: usize, node: usize) -> &mut SVector<f64, N> {
        &mut self.right[column * self.nodes + node]
    }

    /// Column of U.
    pub(super) fn left_column(&self, column: usize) -> &[SVector<f64, N>] {
        &self.left[column * self.nodes..(column + 1) * self.nodes]
    }

    pub(super) fn clear(&mut self) {
        self.left.fill(SVector::zeros());
        self.right.fill(SVector::zeros());
    }

    /// Adds U Vᵀ to a dense matrix whose first unknowns are those of the nodes.
    pub(super) fn add_to(&self, dense: &mut DMatrix<f64>) {
        for column in 0..self.rank {
            let part =
                |list: &[SVector<f64, N>], i: usize| list[column * self.nodes + i / N][i % N];
            for j in 0..self.nodes * N {
                let weight = part(&self.right, j);
                if weight == 0.0 {
                    continue;
                }
                for i in 0..self.nodes * N {
                    dense[(i, j)] += part(&self.left, i) * weight;
                }
            }
        }
    }

    /// Vᵀ times a vector of the nodes.
    fn project(&self, column: usize, nodes: &[SVector<f64, N>]) -> f64 {
        let right = &self.right[column * self.nodes..(column + 1) * self.nodes];
        right.iter().zip(nodes).map(|(v, x)| v.dot(x)).sum()
    }

    /// Factorises `I + Vᵀ Z` by elimination with row interchanges; Z is in `solved`. The sign of
    /// its determinant, or the pivot that failed.
    pub(super) fn factor(&mut self) -> Result<f64, f64> {
        let rank = self.rank;
        for j in 0..rank {
            for i in 0..rank {
                let solved = &self.solved[j * self.nodes..(j + 1) * self.nodes];
                let unit = if i == j { 1.0 } else { 0.0 };
                self.capacitance[i * rank + j] = unit + self.project(i, solved);
            }
        }
        let (m, mut sign) = (&mut self.capacitance, 1.0);
        for k in 0..rank {
            let mut chosen = k;
            for row in k + 1..rank {
                if m[row * rank + k].abs() > m[chosen * rank + k].abs() {
                    chosen = row;
                }
            }
            self.pivots[k] = chosen;
            if chosen != k {
                sign = -sign;
                for j in 0..rank {
                    m.swap(k * rank + j, chosen * rank + j);
                }
            }
            let pivot = m[k * rank + k];
            // Entries are of order one; NaN is refused, too.
            if !(pivot.abs() > super::RELATIVE_PIVOT && pivot.is_finite()) {
                return Err(pivot);
            }
            if pivot < 0.0 {
                sign = -sign;
            }
            for row in k + 1..rank {
                let factor = m[row * rank + k] / pivot;
                m[row * rank + k] = factor;
                for j in k + 1..rank {
                    m[row * rank + j] -= factor * m[k * rank + j];
                }
            }
        }
        Ok(sign)
    }

    /// Turns y of eq. (1) into the solution.
    pub(super) fn correct(&mut self, nodes: &mut [SVector<f64, N>], rows: &mut [f64]) {
        let rank = self.rank;
        for column in 0..rank {
            self.weights[column] = self.project(column, nodes);
        }
        let (m, z) = (&self.capacitance, &mut self.weights);
        for k in 0..rank {
            z.swap(k, self.pivots[k]);
        }
        for k in 0..rank {
            for j in 0..k {
                z[k] -= m[k * rank + j] * z[j];
            }
        }
        for k in (0..rank).rev() {
            for j in k + 1..rank {
                z[k] -= m[k * rank + j] * z[j];
            }
            z[k] /= m[k * rank + k];
        }
        for (column, &weight) in self.weights.iter().enumerate() {
            let solved = &self.solved[column * self.nodes..];
            for (node, z) in nodes.iter_mut().zip(solved) {
                *node -= z * weight;
            }
            let solved = &self.solved_rows[column * rows.len()..];
            for (row, z) in rows.iter_mut().zip(solved) {
                *row -= z * weight;
            }
        }
    }
}
