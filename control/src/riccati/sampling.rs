//! Exact discretisation with the input held between samples.
//!
//! ```text
//! exp([A B; 0 0] h) = [A_d B_d; 0 I],   x(t + h) = A_d x(t) + B_d u(t)           (1)
//! ```
//!
//! (`vanloan1978`), the exponential by Padé approximation with scaling and squaring (`higham2005`)
//! after balancing A, so that unlike units do not cost squarings.

use super::exponential::exponential;
use crate::error::Result;
use multibody::error::require;
use multibody::math;
use multibody::modal::eigen::balance;
use nalgebra::DMatrix;

/// Logarithm to base two of the largest `‖A‖ h`: beyond, squarings would leave no digits.
const MOST_SQUARINGS: f64 = 40.0;

/// The sampled system (A_d, B_d) of (A, B) for the sample time `step` [s].
pub fn discretize(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    step: f64,
) -> Result<(DMatrix<f64>, DMatrix<f64>)> {
    let owner = "sampled system";
    let (n, m) = b.shape();
    require(step > 0.0, owner, "sample time", step, "> 0 s")?;
    let shapes = a.shape() == (n, n);
    require(shapes, owner, "rows of B", n as f64, "the order of A")?;
    let size = a.map(f64::abs).sum() + b.map(f64::abs).sum();
    require(size.is_finite(), owner, "size of A and B", size, "finite")?;
    let (balanced, t) = balance(a);
    let norm = math::log2((balanced.norm() * step).max(1.0));
    require(
        norm < MOST_SQUARINGS,
        owner,
        "log2 of fastest rate times sample time",
        norm,
        "< 40; cut the fast modes",
    )?;
    // balanced = T⁻¹ A T. The scale of B is free: a unit one needs fewest squarings.
    let mut scaled_b = DMatrix::from_fn(n, m, |i, j| b[(i, j)] / t[i]);
    let b_norm = scaled_b.norm();
    let b_scale = if b_norm > 0.0 {
        balanced.norm().max(1.0) / b_norm
    } else {
        1.0
    };
    scaled_b *= b_scale;
    let mut block = DMatrix::zeros(n + m, n + m);
    block.view_mut((0, 0), (n, n)).copy_from(&balanced);
    block.view_mut((0, n), (n, m)).copy_from(&scaled_b);
    let exponential = exponential(&(block * step)).ok_or(multibody::Error::OutOfRange {
        owner: owner.to_owned(),
        quantity: "growth within a sample time",
        value: f64::INFINITY,
        allowed: "finite",
    })?; // (1)
    let a_d = DMatrix::from_fn(n, n, |i, j| exponential[(i, j)] * t[i] / t[j]);
    let b_d = DMatrix::from_fn(n, m, |i, j| exponential[(i, n + j)] * t[i] / b_scale);
    Ok((a_d, b_d))
}
