//! `A = Λ Δ Λᵀ` of a small symmetric positive definite matrix, Λ unit lower, Δ diagonal.

#![allow(
    clippy::needless_range_loop,
    reason = "the indices are those of the equations"
)]

use nalgebra::{ArrayStorage, SMatrix, SVector};

/// The factors. NaN in, NaN out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors<const N: usize> {
    /// Λ by rows, without its diagonal.
    lower: [[f64; N]; N],
    /// Δ⁻¹.
    inverse: [f64; N],
}

impl<const N: usize> Factors<N> {
    /// Factors of `a`, of which the lower triangle is read.
    #[inline(always)]
    pub fn new(a: &SMatrix<f64, N, N>) -> Self {
        let mut lower = [[0.0; N]; N];
        let mut inverse = [0.0; N];
        // Row j of Λ Δ.
        let mut scaled = [[0.0; N]; N];
        for j in 0..N {
            for k in 0..j {
                let mut sum = a.data.0[k][j];
                for i in 0..k {
                    sum -= scaled[j][i] * lower[k][i];
                }
                scaled[j][k] = sum;
                lower[j][k] = sum * inverse[k];
            }
            let mut pivot = a.data.0[j][j];
            for k in 0..j {
                pivot -= scaled[j][k] * lower[j][k];
            }
            inverse[j] = 1.0 / pivot;
        }
        Self { lower, inverse }
    }

    /// `A⁻¹ b`.
    #[inline(always)]
    pub fn solve(&self, b: &SVector<f64, N>) -> SVector<f64, N> {
        let mut x = b.data.0[0];
        for i in 0..N {
            for k in 0..i {
                x[i] -= self.lower[i][k] * x[k];
            }
        }
        for i in 0..N {
            x[i] *= self.inverse[i];
        }
        for i in (0..N).rev() {
            for k in i + 1..N {
                x[i] -= self.lower[k][i] * x[k];
            }
        }
        SVector::from_array_storage(ArrayStorage([x]))
    }

    /// `out += factor · X A⁻¹ Xᵀ`.
    #[inline(always)]
    pub fn add_sandwich(&self, x: &SMatrix<f64, N, N>, factor: f64, out: &mut SMatrix<f64, N, N>) {
        // Columns of X become rows of Λ⁻¹ Xᵀ.
        let mut u = x.data.0;
        for i in 0..N {
            for k in 0..i {
                let weight = self.lower[i][k];
                for row in 0..N {
                    u[i][row] -= weight * u[k][row];
                }
            }
        }
        let weights = self.inverse.map(|inverse| inverse * factor);
        for (j, out) in out.data.0.iter_mut().enumerate() {
            let mut column = *out;
            for i in 0..N {
                let weight = u[i][j] * weights[i];
                for row in 0..N {
                    column[row] += u[i][row] * weight;
                }
            }
            *out = column;
        }
    }
}
