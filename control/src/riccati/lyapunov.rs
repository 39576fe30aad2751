//! Lyapunov's equation and its discrete sister, for a stable matrix A and a symmetric W:
//!
//! ```text
//! AᵀX + XA + W = 0                                                             (1)
//! AᵀXA − X + W = 0                                                             (2)
//! ```
//!
//! (1) by the Schur form `A = U T Uᴴ` (`bartels1972`): with `Y = Uᴴ X U`, `F = Uᴴ W U`,
//!
//! ```text
//! (T̄_ii + T_jj) Y_ij = −F_ij − Σ_{k<i} T̄_ki Y_kj − Σ_{k<j} Y_ik T_kj              (3)
//! ```
//!
//! (2) by summing `X = Σ (Aᵀ)ᵏ W Aᵏ`, doubling the number of terms in every step (`smith1968`).

use crate::error::{Error, Result};
use multibody::modal::eigen::complex_schur;
use nalgebra::{Complex, DMatrix};

fn failed(order: usize, growth: f64) -> Error {
    Error::RiccatiNotConverged {
        order,
        iterations: 0,
        residual: f64::NAN,
        allowed: 0.0,
        growth,
    }
}

/// Solves (1).
pub(super) fn continuous(a: &DMatrix<f64>, w: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let order = a.nrows();
    let schur = complex_schur(a)?;
    let (u, t) = (&schur.u, &schur.t);
    let growth = (0..order).map(|i| t[(i, i)].re).fold(f64::MIN, f64::max);
    if growth >= 0.0 {
        return Err(failed(order, growth));
    }
    let f = u.adjoint() * w.map(Complex::from) * u;
    let mut y = DMatrix::<Complex<f64>>::zeros(order, order);
    for j in 0..order {
        // Column j: what the columns before it contribute, then a lower triangular solution.
        let mut right = -f.column(j);
        if j > 0 {
            right -= y.columns(0, j) * t.view((0, j), (j, 1));
        }
        for i in 0..order {
            let above = t.view((0, i), (i, 1)).dotc(&y.view((0, j), (i, 1)));
            y[(i, j)] = (right[i] - above) / (t[(i, i)].conj() + t[(j, j)]); // (3)
        }
    }
    Ok((u * y * u.adjoint()).map(|x| x.re))
}

/// Doublings after which a stable matrix has vanished.
const MOST_DOUBLINGS: usize = 60;

/// Solves (2).
pub(super) fn sampled(a: &DMatrix<f64>, w: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let (mut power, mut x) = (a.clone(), w.clone());
    for _ in 0..MOST_DOUBLINGS {
        let change = power.tr_mul(&(&x * &power));
        x += &change;
        if !x.iter().all(|x| x.is_finite()) {
            break;
        }
        if change.amax() <= f64::EPSILON * x.amax() {
            return Ok(x);
        }
        power = &power * &power;
    }
    Err(failed(a.nrows(), power.amax()))
}
