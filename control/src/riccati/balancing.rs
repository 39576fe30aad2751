//! Scaling of a problem with unlike units.

use super::Problem;
use multibody::math;
use nalgebra::{DMatrix, DVector};

impl Problem {
    /// The problem in coordinates x̃ = T⁻¹ x and the diagonal of T.
    pub(super) fn balanced(&self) -> (Self, DVector<f64>) {
        let t = symplectic_scaling(&self.a, &self.g, &self.q);
        let order = self.order();
        let mut out = self.clone();
        for i in 0..order {
            for j in 0..order {
                out.a[(i, j)] *= t[j] / t[i];
                out.g[(i, j)] /= t[i] * t[j];
                out.q[(i, j)] *= t[i] * t[j];
            }
            for entry in out.b.row_mut(i).iter_mut() {
                *entry /= t[i];
            }
        }
        (out, t)
    }
}

/// Sweeps of the balancing; it settles in three or four.
const MOST_SWEEPS: usize = 40;

/// Powers of two T that give row and column i of `[A −G; −Q −Aᵀ]` like norms.
fn symplectic_scaling(a: &DMatrix<f64>, g: &DMatrix<f64>, q: &DMatrix<f64>) -> DVector<f64> {
    let order = a.nrows();
    let mut t = DVector::from_element(order, 1.0);
    for _ in 0..MOST_SWEEPS {
        let mut settled = true;
        for i in 0..order {
            let (mut column, mut row) = (0.0, 0.0);
            for j in 0..order {
                if j != i {
                    column += a[(j, i)].abs() * t[i] / t[j];
                    row += a[(i, j)].abs() * t[j] / t[i];
                }
                column += q[(j, i)].abs() * t[i] * t[j];
                row += g[(i, j)].abs() / (t[i] * t[j]);
            }
            if column > 0.0 && row > 0.0 {
                let factor = (0.5 * math::log2(row / column)).round().clamp(-30.0, 30.0);
                if factor != 0.0 {
                    t[i] *= math::exp2(factor);
                    settled = false;
                }
            }
        }
        if settled {
            break;
        }
    }
    t
}
