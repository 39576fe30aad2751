//! Stability of an equilibrium: the number of directions in which the potential falls.
//!
//! An equilibrium of a model with n unknowns and m independent constraints is a minimum of the
//! potential on the constraints exactly if the matrix of its equations has n positive and m
//! negative eigenvalues:
//!
//! ```text
//! A = [K, φ_qᵀ; φ_q, 0],     neg(A) = m + neg(K on ker φ_q)                     (1)
//! P A Pᵀ = L D Lᵀ,           neg(A) = neg(D)                                    (2)
//! ```
//!
//! (1) is Gould's criterion (`gould1985`); (2) is Sylvester's law of inertia for the factors of
//! Bunch and Parlett (`bunch1971`), whose blocks D are numbers or 2×2 matrices with one positive
//! and one negative eigenvalue. Where the forces have no potential (a joint that carries a moment
//! about an axis of its own, a moment that keeps its direction), the symmetric part of A is taken.

use crate::assembly::{self, Task};
use crate::error::Result;
use crate::group::Group;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// Numbers of eigenvalues of a symmetric matrix by their sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inertia {
    /// Positive ones.
    pub positive: usize,
    /// Negative ones.
    pub negative: usize,
    /// Those that are zero to rounding.
    pub zero: usize,
}

/// Number of directions allowed by the constraints in which the potential of the equilibrium
/// `state` does not grow, its inputs held. Zero: the equilibrium is stable.
pub fn unstable_directions<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<usize> {
    workspace.reset_maps();
    let task = Task::statics(model.stiffness_scale);
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    let mut matrix = system.to_dense(&model.layout);
    crate::modal::reduction::symmetrize(&mut matrix);
    // Rotations in units of the model's length: a congruence, which keeps the signs.
    let per_length = 1.0 / model.length_scale;
    for i in (0..N * model.node_count()).filter(|i| i % N >= D) {
        matrix.row_mut(i).scale_mut(per_length);
        matrix.column_mut(i).scale_mut(per_length);
    }
    let inertia = inertia(matrix);
    Ok((inertia.negative + inertia.zero).saturating_sub(model.row_count))
}

/// (1 + √17)/8: bounds the growth of the factors.
const GROWTH: f64 = 0.640_388_203_202_208;

/// Inertia of a symmetric matrix, eq. (2).
pub fn inertia(mut a: DMatrix<f64>) -> Inertia {
    let size = a.nrows();
    let negligible = 4.0 * f64::EPSILON * size as f64 * a.amax();
    let mut out = Inertia::default();
    let mut first = 0;
    while first < size {
        let (diagonal, at) = largest_diagonal(&a, first);
        let (other, row, column) = largest_other(&a, first);
        if diagonal.max(other) <= negligible {
            out.zero += size - first;
            break;
        }
        if diagonal >= GROWTH * other {
            swap(&mut a, first, at);
            if a[(first, first)] > 0.0 {
                out.positive += 1;
            } else {
                out.negative += 1;
            }
            eliminate_one(&mut a, first);
            first += 1;
        } else {
            swap(&mut a, first, column);
            swap(&mut a, first + 1, row);
            out.positive += 1;
            out.negative += 1;
            eliminate_two(&mut a, first);
            first += 2;
        }
    }
    out
}

fn largest_diagonal(a: &DMatrix<f64>, first: usize) -> (f64, usize) {
    let mut best = (0.0, first);
    for i in first..a.nrows() {
        if a[(i, i)].abs() > best.0 {
            best = (a[(i, i)].abs(), i);
        }
    }
    best
}

/// Largest entry below the diagonal: size, row, column.
fn largest_other(a: &DMatrix<f64>, first: usize) -> (f64, usize, usize) {
    let mut best = (0.0, first, first);
    for column in first..a.ncols() {
        let below = &a.as_slice()[column * a.nrows()..(column + 1) * a.nrows()];
        for (row, entry) in below.iter().enumerate().skip(column + 1) {
            if entry.abs() > best.0 {
                best = (entry.abs(), row, column);
            }
        }
    }
    best
}

fn swap(a: &mut DMatrix<f64>, i: usize, j: usize) {
    if i != j {
        a.swap_rows(i, j);
        a.swap_columns(i, j);
    }
}

/// Subtracts the part of pivot `k` from what follows it.
fn eliminate_one(a: &mut DMatrix<f64>, k: usize) {
    let size = a.nrows();
    let pivot = a[(k, k)];
    let column: Vec<f64> = (k + 1..size).map(|i| a[(i, k)]).collect();
    for (j, &b) in column.iter().enumerate().filter(|(_, b)| **b != 0.0) {
        let factor = b / pivot;
        let start = (k + 1 + j) * size + k + 1;
        let target = &mut a.as_mut_slice()[start..start + column.len()];
        for (entry, c) in target.iter_mut().zip(&column) {
            *entry -= factor * c;
        }
    }
}

/// The same for the 2×2 pivot of rows `k` and `k + 1`.
fn eliminate_two(a: &mut DMatrix<f64>, k: usize) {
    let size = a.nrows();
    let (p, q, r) = (a[(k, k)], a[(k + 1, k)], a[(k + 1, k + 1)]);
    let determinant = p * r - q * q;
    let pairs: Vec<[f64; 2]> = (k + 2..size).map(|i| [a[(i, k)], a[(i, k + 1)]]).collect();
    for (j, &[x, y]) in pairs.iter().enumerate() {
        if x == 0.0 && y == 0.0 {
            continue;
        }
        let (u, v) = ((r * x - q * y) / determinant, (p * y - q * x) / determinant);
        let start = (k + 2 + j) * size + k + 2;
        let target = &mut a.as_mut_slice()[start..start + pairs.len()];
        for (entry, [c, d]) in target.iter_mut().zip(&pairs) {
            *entry -= c * u + d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symmetric matrix with entries of many sizes.
    fn sample(size: usize, seed: usize) -> DMatrix<f64> {
        let entry = |i: usize, j: usize| {
            // One more, so that the first is not the zero matrix.
            let x = ((1 + i * j + 7 * (i + j) + 13 * seed) as f64).sin();
            x * 10.0_f64.powi(((i + j + seed) % 7) as i32 - 3)
        };
        DMatrix::from_fn(size, size, |i, j| entry(i.min(j), i.max(j)))
    }

    #[test]
    fn counts_are_those_of_the_eigenvalues() {
        for size in 1..25 {
            for seed in 0..20 {
                let matrix = sample(size, seed);
                let values = matrix.clone().symmetric_eigenvalues();
                let found = inertia(matrix);
                let negative = values.iter().filter(|x| **x < 0.0).count();
                assert_eq!((found.negative, found.zero), (negative, 0), "{size} {seed}");
                assert_eq!(found.positive, size - negative);
            }
        }
    }

    #[test]
    fn constraints_count_as_negative() {
        // Potential −x² + y²: a saddle; held to x = 0 a minimum, held to y = 0 a maximum.
        for (x, y, negative) in [(1.0, 0.0, 1), (0.0, 1.0, 2)] {
            let matrix = DMatrix::from_row_slice(3, 3, &[-2.0, 0.0, x, 0.0, 2.0, y, x, y, 0.0]);
            assert_eq!(inertia(matrix).negative, negative);
        }
        let zero = inertia(DMatrix::zeros(3, 3));
        assert_eq!(zero.zero, 3);
    }
}
