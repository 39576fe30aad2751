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

use super::hessenberg;
use crate::error::{Error, Result};
use crate::math;
use nalgebra::{Complex, DMatrix, DVector, Schur, SymmetricEigen};

/// Eigenvalues, ascending, and eigenvectors as columns.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// Eigenvalues, ascending.
    pub values: DVector<f64>,
    /// Eigenvectors, one per column.
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
        // As a stable sort would, but without its buffer on the stack.
        order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]).then(i.cmp(&j)));
        Self {
            values: DVector::from_fn(values.len(), |i, _| values[order[i]]),
            vectors: vectors.select_columns(&order),
        }
    }
}

/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix.
pub fn symmetric(matrix: DMatrix<f64>) -> Result<Eigen> {
    let order = matrix.nrows();
    let limit = ITERATIONS_PER_VALUE * (order + 1);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, limit).ok_or(failed(order))?;
    Ok(Eigen::sorted(&eigen.eigenvalues, &eigen.eigenvectors))
}

/// Solves `K x = λ M x` for symmetric K and symmetric positive definite M, `XᵀMX = I`.
pub fn pencil(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>) -> Result<Eigen> {
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
                let tan = theta.signum() / (theta.abs() + math::hypot(theta, 1.0));
                let cos = 1.0 / math::hypot(tan, 1.0);
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

/// Singular values of a matrix.
pub fn singular_values(matrix: DMatrix<Complex<f64>>) -> Result<DVector<f64>> {
    let order = matrix.nrows().max(matrix.ncols());
    let limit = ITERATIONS_PER_VALUE * (order + 1);
    let svd = matrix.try_svd(false, false, f64::EPSILON, limit);
    Ok(svd.ok_or(failed(order))?.singular_values)
}

/// A Schur form `A = U T Uᴴ` with T upper triangular.
pub struct ComplexSchur {
    /// The unitary factor.
    pub u: DMatrix<Complex<f64>>,
    /// The triangular factor.
    pub t: DMatrix<Complex<f64>>,
}

/// Shifts of the origin that are tried, in units of the largest entry. The library's double-shift QR has
/// no exceptional shifts: where its own repeat themselves, another origin has others.
const SHIFTS: [f64; 6] = [0.0, 0.37, -0.73, 1.13, -0.19, 0.61];

/// Complex Schur form of a real matrix.
pub fn complex_schur(a: &DMatrix<f64>) -> Result<ComplexSchur> {
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

/// The power of two below `size`, within the range of ordinary numbers.
fn power_of_two(size: f64) -> f64 {
    math::exp2(math::log2(size).floor().clamp(-1000.0, 1000.0))
}

/// Sweeps of balancing; a few are usual.
const MOST_BALANCING: usize = 100;
/// A sweep that shrinks no row and column by more than this is the last one.
const BALANCED: f64 = 0.95;

/// Nothing is scaled by less than this, nor by more than its inverse: 2⁻³⁰⁰.
const SMALLEST_SCALE: f64 = 4.909_093_465_297_727e-91;

/// `T⁻¹ A T` with rows and columns of alike size, and the diagonal of T: powers of two, so that
/// nothing is rounded. The library's own balancing does not end where squares of entries overflow.
pub fn balance(a: &DMatrix<f64>) -> (DMatrix<f64>, DVector<f64>) {
    let (order, largest) = (a.nrows(), a.amax());
    let mut t = DVector::repeat(order, 1.0);
    if largest == 0.0 || !largest.is_finite() {
        return (a.clone(), t);
    }
    let unit = power_of_two(largest);
    let mut out = a / unit;
    for _ in 0..MOST_BALANCING {
        let mut changed = false;
        for i in 0..order {
            let (column, row) = (out.column(i).norm(), out.row(i).norm());
            let factor = math::exp2((0.5 * math::log2(row / column)).round());
            // A row or column of nothing has no ratio, and could be scaled for ever.
            if !(SMALLEST_SCALE..=1.0 / SMALLEST_SCALE).contains(&(t[i] * factor)) {
                continue;
            }
            let after = math::hypot(column * factor, row / factor);
            if after < BALANCED.sqrt() * math::hypot(column, row) {
                changed = true;
                t[i] *= factor;
                out.column_mut(i).scale_mut(factor);
                out.row_mut(i).scale_mut(1.0 / factor);
            }
        }
        if !changed {
            break;
        }
    }
    (out * unit, t)
}

/// Eigenvalues of a general matrix, balanced first.
pub fn eigenvalues(a: &DMatrix<f64>) -> Result<Vec<Complex<f64>>> {
    let order = a.nrows();
    if order == 0 || !a.iter().all(|x| x.is_finite()) {
        return Err(failed(order));
    }
    let (balanced, _) = balance(a);
    // Squares of entries are to stay within the range of numbers.
    let unit = power_of_two(balanced.amax().max(f64::MIN_POSITIVE));
    let balanced = balanced / unit;
    let reduced = if order > 2 {
        balanced.hessenberg().unpack_h()
    } else {
        balanced
    };
    let values = hessenberg::eigenvalues(reduced).ok_or(failed(order))?;
    Ok(values.into_iter().map(|value| value * unit).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sorted(a: &DMatrix<f64>) -> Vec<f64> {
        let mut values: Vec<f64> = eigenvalues(a).unwrap().iter().map(|mu| mu.re).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Shifts of these matrices repeat themselves unless exceptional ones are taken; the eigenvalues of
    /// a cyclic permutation are the roots of one.
    #[test]
    fn eigenvalues_on_a_circle_are_found() {
        for order in 3..80 {
            let a = DMatrix::from_fn(order, order, |i, j| {
                f64::from(u8::from((j + 1) % order == i))
            });
            let values = eigenvalues(&a).unwrap();
            let mut angles: Vec<f64> = values
                .iter()
                .map(|value| {
                    assert!((value.norm_sqr() - 1.0).abs() < 1e-12);
                    math::atan2(value.im, value.re)
                })
                .collect();
            angles.sort_by(f64::total_cmp);
            let apart = core::f64::consts::TAU / order as f64;
            for pair in angles.windows(2) {
                assert!((pair[1] - pair[0] - apart).abs() < 1e-11, "{order}");
            }
        }
    }

    /// Matrices of random entries and sizes, sampled motions of undamped modes among them: every
    /// eigenvalue makes A − μ I singular, and they add up to the trace.
    #[test]
    fn eigenvalues_of_random_matrices_fulfil_their_equation() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for order in [1, 2, 3, 4, 5, 8, 13, 30, 60] {
            for kind in 0..4 {
                let mut a = DMatrix::from_fn(order, order, |_, _| random());
                if kind == 1 {
                    // Rotations of all angles in a basis of its own, next to the unit circle.
                    let mut turns = DMatrix::identity(order, order) * 0.999;
                    for k in (0..order.saturating_sub(1)).step_by(2) {
                        let angle = 3.0 * random();
                        let (c, s) = (0.999 * math::cos(angle), 0.999 * math::sin(angle));
                        turns[(k, k)] = c;
                        turns[(k + 1, k + 1)] = c;
                        turns[(k, k + 1)] = s;
                        turns[(k + 1, k)] = -s;
                    }
                    let q = a.clone().qr().q();
                    a = &q * turns * q.transpose();
                } else if kind == 2 {
                    let size = |i: usize| math::exp2(20.0 * (i as f64 / order as f64));
                    a = DMatrix::from_fn(order, order, |i, j| a[(i, j)] * size(i) / size(j));
                } else if kind == 3 {
                    // Two equal halves: every eigenvalue comes twice.
                    let half = order / 2;
                    a = DMatrix::from_fn(order, order, |i, j| {
                        let apart = half > 0 && (i / half != j / half);
                        if apart {
                            0.0
                        } else {
                            a[(i % half.max(1), j % half.max(1))]
                        }
                    });
                }
                let values = eigenvalues(&a).unwrap();
                assert_eq!(values.len(), order);
                let sum: Complex<f64> = values.iter().sum();
                let size = a.norm();
                assert!((sum.re - a.trace()).abs() < 1e-12 * size * order as f64);
                assert!(sum.im.abs() < 1e-12 * size * order as f64);
                for value in values {
                    let mut shifted = a.map(Complex::from);
                    for i in 0..order {
                        shifted[(i, i)] -= value;
                    }
                    let smallest = shifted.singular_values().min();
                    assert!(
                        smallest < 1e-11 * size,
                        "{order} {kind}: {value} {smallest:e}"
                    );
                }
            }
        }
    }

    /// Units as far apart as numbers can be: balancing ends, and the eigenvalues are right.
    #[test]
    fn extreme_matrices_have_their_eigenvalues() {
        for size in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let a = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]) * size;
            let found = sorted(&a);
            for (found, wanted) in found.iter().zip([1.0, 3.0]) {
                assert!((found / size - wanted).abs() < 1e-12, "{size:e}: {found:e}");
            }
        }
        for ratio in [1e20, 1e100, 1e150] {
            let a = DMatrix::from_row_slice(2, 2, &[2.0, ratio, 1.0 / ratio, 2.0]);
            let found = sorted(&a);
            for (found, wanted) in found.iter().zip([1.0, 3.0]) {
                assert!((found - wanted).abs() < 1e-12, "{ratio:e}: {found}");
            }
        }
    }

    #[test]
    fn balancing_is_a_similarity_and_ends_for_any_numbers() {
        let sizes = [0.0, f64::MIN_POSITIVE, 5e-324, 1e-200, 1.0, 1e200, f64::MAX];
        for code in 0..sizes.len().pow(4) {
            let entry = |k: usize| sizes[code / sizes.len().pow(k as u32) % sizes.len()];
            let a = DMatrix::from_fn(2, 2, |i, j| entry(2 * i + j));
            let (balanced, t) = balance(&a);
            assert!(t.iter().all(|t| t.is_normal()), "{a} {t}");
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let scale = t[i] / t[j];
                let lost = (balanced[(i, j)] * scale - a[(i, j)]).abs();
                // What is lost fell out of the range of numbers, or was next to nothing.
                let underflow = f64::MIN_POSITIVE * scale.max(1.0);
                assert!(lost <= underflow.max(1e-200 * a.amax()), "{a:e}");
            }
        }
    }
}
