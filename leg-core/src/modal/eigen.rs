//! Eigenvalues of dense matrices: symmetric to high relative accuracy, general ones robustly.
//!
//! The frequencies of a beam span six decades, their squares twelve: a method whose error is a
//! rounding of the *largest* eigenvalue leaves few digits in the smallest. The symmetric pencil is
//! therefore solved twice: by Cholesky and QR, and, in the basis so found, by Jacobi's rotations,
//! whose error is relative to each eigenvalue when the matrix is nearly diagonal (`demmel1992`).
//!
//! ```text
//! M = L Lᵀ,   L⁻¹ K L⁻ᵀ V = V Λ,   X = L⁻ᵀ V                                    (1)
//! T = Xᵀ K X,   J₁ᵀ … T … J₁ = diag(λ),   X ← X J₁ …,   XᵀMX = I                (2)
//! ```

use crate::error::{Error, Result};
use nalgebra::{Complex, DMatrix, DVector, Schur, SymmetricEigen};

/// Eigenvalues, ascending, and eigenvectors as columns.
#[derive(Debug, Clone)]
pub(crate) struct Eigen {
    pub values: DVector<f64>,
    pub vectors: DMatrix<f64>,
}

/// QR iterations allowed per eigenvalue; three are usual.
const ITERATIONS_PER_VALUE: usize = 60;
/// Sweeps of Jacobi's method; it converges quadratically and starts near the end.
const MOST_SWEEPS: usize = 12;

fn failed(order: usize) -> Error {
    Error::Modal {
        problem: "the eigenvalue iteration did not converge",
        asked: order,
        available: 0,
    }
}

impl Eigen {
    fn sorted(values: &DVector<f64>, vectors: &DMatrix<f64>) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
        Self {
            values: DVector::from_fn(values.len(), |i, _| values[order[i]]),
            vectors: vectors.select_columns(&order),
        }
    }
}

/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix.
pub(crate) fn symmetric(matrix: DMatrix<f64>) -> Result<Eigen> {
    let order = matrix.nrows();
    let limit = ITERATIONS_PER_VALUE * (order + 1);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, limit).ok_or(failed(order))?;
    Ok(Eigen::sorted(&eigen.eigenvalues, &eigen.eigenvectors))
}

/// Solves `K x = λ M x` for symmetric K and symmetric positive definite M, `XᵀMX = I`.
pub(crate) fn pencil(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>) -> Result<Eigen> {
    let order = mass.nrows();
    let l = mass.clone().cholesky().ok_or(failed(order))?.unpack();
    let solve = |matrix: &DMatrix<f64>| l.solve_lower_triangular(matrix).ok_or(failed(order));
    let half = solve(stiffness)?;
    let mut scaled = solve(&half.transpose())?;
    super::reduction::symmetrize(&mut scaled);
    let first = symmetric(scaled)?;
    let vectors = l.tr_solve_lower_triangular(&first.vectors);
    let mut x = vectors.ok_or(failed(order))?; // (1)
    for mut column in x.column_iter_mut() {
        let norm = column.dot(&(mass * &column)).sqrt();
        column /= norm;
    }
    let mut t = x.tr_mul(&(stiffness * &x));
    super::reduction::symmetrize(&mut t);
    jacobi(&mut t, &mut x); // (2)
    Ok(Eigen::sorted(&t.diagonal(), &x))
}

/// Rotates `t` to diagonal form and takes the columns of `x` along.
fn jacobi(t: &mut DMatrix<f64>, x: &mut DMatrix<f64>) {
    let order = t.nrows();
    // Below this an entry is rounding, whatever its neighbours on the diagonal are.
    let tiny = f64::EPSILON * f64::EPSILON * t.amax();
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for p in 0..order {
            for q in p + 1..order {
                let (app, aqq, apq) = (t[(p, p)], t[(q, q)], t[(p, q)]);
                let small = f64::EPSILON * (app.abs() * aqq.abs()).sqrt();
                if apq.abs() <= small.max(tiny) {
                    continue;
                }
                rotated = true;
                let theta = (aqq - app) / (2.0 * apq);
                let tan = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let cos = 1.0 / tan.hypot(1.0);
                let sin = tan * cos;
                rotate_columns(t, p, q, cos, sin);
                rotate_rows(t, p, q, cos, sin);
                rotate_columns(x, p, q, cos, sin);
                t[(p, p)] = app - tan * apq;
                t[(q, q)] = aqq + tan * apq;
                t[(p, q)] = 0.0;
                t[(q, p)] = 0.0;
            }
        }
        if !rotated {
            return;
        }
    }
}

fn rotate_columns(m: &mut DMatrix<f64>, p: usize, q: usize, cos: f64, sin: f64) {
    for i in 0..m.nrows() {
        let (a, b) = (m[(i, p)], m[(i, q)]);
        m[(i, p)] = cos * a - sin * b;
        m[(i, q)] = sin * a + cos * b;
    }
}

fn rotate_rows(m: &mut DMatrix<f64>, p: usize, q: usize, cos: f64, sin: f64) {
    for j in 0..m.ncols() {
        let (a, b) = (m[(p, j)], m[(q, j)]);
        m[(p, j)] = cos * a - sin * b;
        m[(q, j)] = sin * a + cos * b;
    }
}

/// A Schur form `A = U T Uᴴ` with T upper triangular.
pub(crate) struct ComplexSchur {
    pub u: DMatrix<Complex<f64>>,
    pub t: DMatrix<Complex<f64>>,
}

/// Shifts tried, in units of the largest entry. The library's double-shift QR has no exceptional
/// shifts and stalls on matrices whose eigenvalues lie symmetrically on a circle; a shift of the
/// origin breaks the symmetry.
const SHIFTS: [f64; 3] = [0.0, 0.37, -0.73];

/// Complex Schur form of a real matrix.
pub(crate) fn complex_schur(a: &DMatrix<f64>) -> Result<ComplexSchur> {
    let order = a.nrows();
    let scale = a.amax();
    for shift in SHIFTS {
        let shift = Complex::from(shift * scale);
        let mut shifted = a.map(Complex::from);
        for i in 0..order {
            shifted[(i, i)] += shift;
        }
        let limit = ITERATIONS_PER_VALUE * (order + 1);
        if !scale.is_finite() {
            break;
        }
        if let Some(schur) = Schur::try_new(shifted, f64::EPSILON, limit) {
            let (u, mut t) = schur.unpack();
            for i in 0..order {
                t[(i, i)] -= shift;
            }
            return Ok(ComplexSchur { u, t });
        }
    }
    Err(failed(order))
}

/// Eigenvalues of a general matrix, balanced first.
pub(crate) fn eigenvalues(a: &DMatrix<f64>) -> Result<Vec<Complex<f64>>> {
    let order = a.nrows();
    let mut balanced = a.clone();
    if order == 0 || !balanced.iter().all(|x| x.is_finite()) {
        return Err(failed(order));
    }
    nalgebra::linalg::balancing::balance_parlett_reinsch(&mut balanced);
    let scale = balanced.amax();
    let limit = ITERATIONS_PER_VALUE * (order + 1);
    for shift in SHIFTS {
        let shift = shift * scale;
        let mut shifted = balanced.clone();
        for i in 0..order {
            shifted[(i, i)] += shift;
        }
        if let Some(schur) = Schur::try_new(shifted, f64::EPSILON, limit) {
            let values = schur.complex_eigenvalues();
            return Ok(values.iter().map(|value| value - shift).collect());
        }
    }
    Err(failed(order))
}
