//! The shape that `Ad`, `ad`, `T` and `T⁻¹` share, so that products with them skip the zeros.
//!
//! ```text
//! plane  ⎡ s −t  a ⎤          space  ⎡ M  N ⎤
//!        ⎢ t  s  b ⎥  (1)            ⎣ 0  M ⎦  (2)
//!        ⎣ 0  0  c ⎦
//! ```
//!
//! A product with columns of a matrix on the left, `m · op`, is a sum of whole columns of `m`:
//! that is the form a compiler turns into vector instructions.

#![allow(
    clippy::needless_range_loop,
    reason = "the indices are those of the equations"
)]

use core::fmt::Debug;
use nalgebra::{ArrayStorage, Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

/// A linear operator on twists with the zeros of (1) or (2).
pub trait Operator<const N: usize>: Copy + Debug {
    /// The operator with the entries of `matrix`; what (1) or (2) has as zero is not read.
    fn of(matrix: &SMatrix<f64, N, N>) -> Self;

    /// The operator as a full matrix.
    fn matrix(&self) -> SMatrix<f64, N, N>;

    /// The operator times −1.
    fn negated(&self) -> Self;

    /// `op · v`.
    fn apply(&self, v: &SVector<f64, N>) -> SVector<f64, N>;

    /// `opᵀ · p`.
    fn tr_apply(&self, p: &SVector<f64, N>) -> SVector<f64, N>;

    /// `m · op`.
    #[inline(always)]
    fn after<const H: usize>(&self, m: &SMatrix<f64, H, N>) -> SMatrix<f64, H, N> {
        let mut out = SMatrix::zeros();
        self.add_after(m, &mut out);
        out
    }

    /// `out += m · op`.
    fn add_after<const H: usize>(&self, m: &SMatrix<f64, H, N>, out: &mut SMatrix<f64, H, N>);

    /// `m · op` for an `m` that does not feel the linear part of a twist: its first columns are
    /// zero, and so are those of the product.
    fn after_angular<const H: usize>(&self, m: &SMatrix<f64, H, N>) -> SMatrix<f64, H, N>;

    /// `opᵀ · m`.
    #[inline(always)]
    fn tr_mul(&self, m: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
        let mut out = SMatrix::zeros();
        self.add_tr_mul(m, &mut out);
        out
    }

    /// `out += opᵀ · m`.
    fn add_tr_mul(&self, m: &SMatrix<f64, N, N>, out: &mut SMatrix<f64, N, N>);
}

/// An operator of the plane, eq. (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneOperator {
    /// s.
    pub(super) straight: f64,
    /// t.
    pub(super) turned: f64,
    /// (a, b).
    pub(super) column: (f64, f64),
    /// c.
    pub(super) corner: f64,
}

/// An operator of space, eq. (2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpaceOperator {
    /// M.
    pub(super) diagonal: Matrix3<f64>,
    /// N.
    pub(super) corner: Matrix3<f64>,
}

impl Operator<3> for PlaneOperator {
    #[inline(always)]
    fn of(matrix: &Matrix3<f64>) -> Self {
        Self {
            straight: matrix.m11,
            turned: matrix.m21,
            column: (matrix.m13, matrix.m23),
            corner: matrix.m33,
        }
    }

    #[inline(always)]
    fn matrix(&self) -> Matrix3<f64> {
        let Self {
            straight,
            turned,
            column: (upper, lower),
            corner,
        } = *self;
        Matrix3::new(
            straight, -turned, upper, turned, straight, lower, 0.0, 0.0, corner,
        )
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Self {
            straight: -self.straight,
            turned: -self.turned,
            column: (-self.column.0, -self.column.1),
            corner: -self.corner,
        }
    }

    #[inline(always)]
    fn apply(&self, v: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(
            self.straight * v.x - self.turned * v.y + self.column.0 * v.z,
            self.turned * v.x + self.straight * v.y + self.column.1 * v.z,
            self.corner * v.z,
        )
    }

    #[inline(always)]
    fn tr_apply(&self, p: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(
            self.straight * p.x + self.turned * p.y,
            self.straight * p.y - self.turned * p.x,
            self.column.0 * p.x + self.column.1 * p.y + self.corner * p.z,
        )
    }

    #[inline(always)]
    fn after<const H: usize>(&self, m: &SMatrix<f64, H, 3>) -> SMatrix<f64, H, 3> {
        let [m0, m1, m2] = &m.data.0;
        let mut out = [[0.0; H]; 3];
        for i in 0..H {
            out[0][i] = m0[i] * self.straight + m1[i] * self.turned;
            out[1][i] = m1[i] * self.straight - m0[i] * self.turned;
            out[2][i] = m0[i] * self.column.0 + m1[i] * self.column.1 + m2[i] * self.corner;
        }
        SMatrix::from_array_storage(ArrayStorage(out))
    }

    #[inline(always)]
    fn add_after<const H: usize>(&self, m: &SMatrix<f64, H, 3>, out: &mut SMatrix<f64, H, 3>) {
        *out += self.after(m);
    }

    #[inline(always)]
    fn after_angular<const H: usize>(&self, m: &SMatrix<f64, H, 3>) -> SMatrix<f64, H, 3> {
        let mut out = [[0.0; H]; 3];
        for i in 0..H {
            out[2][i] = m.data.0[2][i] * self.corner;
        }
        SMatrix::from_array_storage(ArrayStorage(out))
    }

    #[inline(always)]
    fn add_tr_mul(&self, m: &Matrix3<f64>, out: &mut Matrix3<f64>) {
        for (out, &[x, y, z]) in out.data.0.iter_mut().zip(&m.data.0) {
            out[0] += self.straight * x + self.turned * y;
            out[1] += self.straight * y - self.turned * x;
            out[2] += self.column.0 * x + self.column.1 * y + self.corner * z;
        }
    }
}

impl Operator<6> for SpaceOperator {
    #[inline(always)]
    fn of(matrix: &Matrix6<f64>) -> Self {
        Self {
            diagonal: matrix.fixed_view::<3, 3>(0, 0).into(),
            corner: matrix.fixed_view::<3, 3>(0, 3).into(),
        }
    }

    #[inline(always)]
    fn matrix(&self) -> Matrix6<f64> {
        let (m, n) = (&self.diagonal.data.0, &self.corner.data.0);
        let mut out = [[0.0; 6]; 6];
        for j in 0..3 {
            for i in 0..3 {
                out[j][i] = m[j][i];
                out[3 + j][i] = n[j][i];
                out[3 + j][3 + i] = m[j][i];
            }
        }
        Matrix6::from_array_storage(ArrayStorage(out))
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Self {
            diagonal: -self.diagonal,
            corner: -self.corner,
        }
    }

    #[inline(always)]
    fn apply(&self, v: &Vector6<f64>) -> Vector6<f64> {
        let (m, n) = (&self.diagonal.data.0, &self.corner.data.0);
        let v = &v.data.0[0];
        let mut out = [0.0; 6];
        for k in 0..3 {
            for i in 0..3 {
                out[i] += m[k][i] * v[k] + n[k][i] * v[3 + k];
                out[3 + i] += m[k][i] * v[3 + k];
            }
        }
        Vector6::from_array_storage(ArrayStorage([out]))
    }

    #[inline(always)]
    fn tr_apply(&self, p: &Vector6<f64>) -> Vector6<f64> {
        Vector6::from_array_storage(ArrayStorage([tr_column(&self.rows(), &p.data.0[0])]))
    }

    #[inline(always)]
    fn after<const H: usize>(&self, m: &SMatrix<f64, H, 6>) -> SMatrix<f64, H, 6> {
        let (diagonal, corner) = (&self.diagonal.data.0, &self.corner.data.0);
        let m = &m.data.0;
        let mut out = [[0.0; H]; 6];
        for j in 0..3 {
            let (d, c) = (&diagonal[j], &corner[j]);
            for i in 0..H {
                out[j][i] = m[0][i] * d[0] + m[1][i] * d[1] + m[2][i] * d[2];
            }
            for i in 0..H {
                out[3 + j][i] = (m[0][i] * c[0] + m[1][i] * c[1] + m[2][i] * c[2])
                    + (m[3][i] * d[0] + m[4][i] * d[1] + m[5][i] * d[2]);
            }
        }
        SMatrix::from_array_storage(ArrayStorage(out))
    }

    #[inline(always)]
    fn add_after<const H: usize>(&self, m: &SMatrix<f64, H, 6>, out: &mut SMatrix<f64, H, 6>) {
        let (diagonal, corner) = (&self.diagonal.data.0, &self.corner.data.0);
        let (m, out) = (&m.data.0, &mut out.data.0);
        for j in 0..3 {
            let (d, c) = (&diagonal[j], &corner[j]);
            for i in 0..H {
                out[j][i] += m[0][i] * d[0] + m[1][i] * d[1] + m[2][i] * d[2];
            }
            for i in 0..H {
                out[3 + j][i] += (m[0][i] * c[0] + m[1][i] * c[1] + m[2][i] * c[2])
                    + (m[3][i] * d[0] + m[4][i] * d[1] + m[5][i] * d[2]);
            }
        }
    }

    #[inline(always)]
    fn after_angular<const H: usize>(&self, m: &SMatrix<f64, H, 6>) -> SMatrix<f64, H, 6> {
        let diagonal = &self.diagonal.data.0;
        let m = &m.data.0;
        let mut out = [[0.0; H]; 6];
        for j in 0..3 {
            let d = &diagonal[j];
            for i in 0..H {
                out[3 + j][i] = m[3][i] * d[0] + m[4][i] * d[1] + m[5][i] * d[2];
            }
        }
        SMatrix::from_array_storage(ArrayStorage(out))
    }

    #[inline(always)]
    fn add_tr_mul(&self, m: &Matrix6<f64>, out: &mut Matrix6<f64>) {
        let rows = self.rows();
        for (out, m) in out.data.0.iter_mut().zip(&m.data.0) {
            let column = tr_column(&rows, m);
            for i in 0..6 {
                out[i] += column[i];
            }
        }
    }
}

impl SpaceOperator {
    /// The upper three rows.
    #[inline(always)]
    fn rows(&self) -> [[f64; 6]; 3] {
        let (m, n) = (&self.diagonal.data.0, &self.corner.data.0);
        let mut rows = [[0.0; 6]; 3];
        for j in 0..3 {
            for k in 0..3 {
                rows[k][j] = m[j][k];
                rows[k][3 + j] = n[j][k];
            }
        }
        rows
    }
}

/// `opᵀ · p` from the upper rows of `op`.
#[inline(always)]
fn tr_column(rows: &[[f64; 6]; 3], p: &[f64; 6]) -> [f64; 6] {
    let mut out = [0.0; 6];
    for i in 0..6 {
        out[i] = rows[0][i] * p[0] + rows[1][i] * p[1] + rows[2][i] * p[2];
    }
    for i in 0..3 {
        out[3 + i] += rows[0][i] * p[3] + rows[1][i] * p[4] + rows[2][i] * p[5];
    }
    out
}
