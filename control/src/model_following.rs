//! Following a reference model exactly: feedforward by the regulator equations, feedback around it.
//!
//! A sampled plant with inputs u, a measured disturbance f and outputs y, and a reference model whose
//! states ρ end with the disturbance:
//!
//! ```text
//! x⁺ = A x + B u + E f,   y = C x,      ρ⁺ = S ρ,   f = F ρ,   y_ref = P ρ       (1)
//! Π S = A Π + B Γ + E F,   C Π = P                                              (2)
//! u = Γ ρ − K (x − Π ρ)                                                         (3)
//! ```
//!
//! With Π and Γ of (2) the motion x = Π ρ, u = Γ ρ is one of the plant on which y = y_ref; K, which
//! makes A − B K stable, leads the plant to it (`francis1976`). f counts as constant from sample to
//! sample; what it changes by excites x − Π ρ, which K takes out again.
//!
//! | symbol | shape |
//! |---|---|
//! | A, B, E | n × n, n × m, n × d |
//! | C | m × n: as many outputs as inputs |
//! | S, F, P | s × s, d × s, m × s |
//! | Π, Γ | n × s, m × s |

use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector};

/// The solution of the regulator equations (2).
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFollowing {
    /// Π.
    pub state: DMatrix<f64>,
    /// Γ.
    pub input: DMatrix<f64>,
    /// Largest residual of (2) over the largest entry of Π and Γ.
    pub residual: f64,
}

/// Solves (2) for one reference model.
pub fn solve(
    (a, b, c): (&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>),
    disturbance: &DMatrix<f64>,
    s: &DMatrix<f64>,
    p: &DMatrix<f64>,
) -> Result<ModelFollowing> {
    let (n, m, order) = (a.nrows(), b.ncols(), s.nrows());
    let size = n + m;
    // Column j of the unknowns X = [Π; Γ]: A Π_j + B Γ_j − Σ_i Π_i S_ij = −(E F)_j, C Π_j = P_j.
    let mut matrix = DMatrix::zeros(size * order, size * order);
    let mut right = DVector::zeros(size * order);
    for j in 0..order {
        let at = size * j;
        matrix.view_mut((at, at), (n, n)).copy_from(a);
        matrix.view_mut((at, at + n), (n, m)).copy_from(b);
        matrix.view_mut((at + n, at), (m, n)).copy_from(c);
        for i in 0..order {
            for k in 0..n {
                matrix[(at + k, size * i + k)] -= s[(i, j)];
            }
        }
        for k in 0..n {
            right[at + k] = -disturbance[(k, j)];
        }
        for k in 0..m {
            right[at + n + k] = p[(k, j)];
        }
    }
    let solution = matrix.clone().full_piv_lu().solve(&right);
    let solution = solution.ok_or(Error::NoFeedforward)?;
    let largest = solution.amax();
    let residual = (&matrix * &solution - &right).amax() / largest.max(f64::MIN_POSITIVE);
    if !largest.is_finite() {
        return Err(Error::NoFeedforward);
    }
    let whole = DMatrix::from_column_slice(size, order, solution.as_slice());
    Ok(ModelFollowing {
        state: whole.rows(0, n).into_owned(),
        input: whole.rows(n, m).into_owned(),
        residual,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::riccati::{dare, discretize};

    /// A mass on a spring, made to move like another mass on another spring with a damper: after the
    /// start has died away it does, to rounding, as long as the force stays.
    #[test]
    fn a_mass_moves_like_another_one() {
        let h = 1e-3;
        let a = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -50.0, -0.5]);
        let both = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 0.5, 0.5]);
        let (a, b) = discretize(&a, &both, h).unwrap();
        let (u, e) = (b.columns(0, 1).into_owned(), b.columns(1, 1).into_owned());
        let c = DMatrix::from_row_slice(1, 2, &[1.0, 0.0]);
        let model = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -4.0, -3.0]);
        let push = DMatrix::from_row_slice(2, 1, &[0.0, 1.0]);
        let (model, push) = discretize(&model, &push, h).unwrap();
        let mut s = DMatrix::identity(3, 3);
        s.view_mut((0, 0), (2, 2)).copy_from(&model);
        s.view_mut((0, 2), (2, 1)).copy_from(&push);
        let p = DMatrix::from_row_slice(1, 3, &[1.0, 0.0, 0.0]);
        let mut disturbance = DMatrix::zeros(2, 3);
        disturbance.set_column(2, &e.column(0));
        let law = solve((&a, &u, &c), &disturbance, &s, &p).unwrap();
        assert!(law.residual < 1e-12, "{}", law.residual);
        let q = DMatrix::identity(2, 2) * 1e4;
        let gain = dare(&a, &u, &q, &DMatrix::identity(1, 1)).unwrap().gain;
        let (mut x, mut rho) = (DVector::zeros(2), DVector::from_vec(vec![0.0, 0.0, 1.0]));
        x[0] = 0.3;
        for _ in 0..30_000 {
            let input = &law.input * &rho - &gain * (&x - &law.state * &rho);
            x = &a * &x + &u * input + &e * rho[2];
            rho = &s * &rho;
        }
        assert!((x[0] - rho[0]).abs() < 1e-12, "{} {}", x[0], rho[0]);
        assert!((rho[0] - 0.25).abs() < 0.05, "the reference itself moves");
    }
}
