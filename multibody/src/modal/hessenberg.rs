//! Eigenvalues of an upper Hessenberg matrix by the double-shift QR method.
//!
//! Martin, Peters & Wilkinson 1970 (`martin1970`), the procedure *hqr*. With the last two eigenvalues
//! σ₁, σ₂ of the active block A,
//!
//! ```text
//! (A − σ₁ I)(A − σ₂ I) e₁  ∝  (p, q, r, 0, …)ᵀ                                  (1)
//! ```
//!
//! begins a chase of reflections I − u vᵀ that makes A a similar Hessenberg matrix with a smaller last
//! subdiagonal. The shifts of some matrices repeat themselves for ever, and rounding decides which: so
//! every tenth iteration on the same eigenvalue takes others (Wilkinson's exceptional shifts). The
//! library's own QR method has none, and a regulator was found or not depending on the processor.

use crate::math;
use nalgebra::{Complex, DMatrix};

/// Iterations on one eigenvalue before it is given up; three are usual.
const MOST_ITERATIONS: usize = 120;
/// An exceptional shift is taken after each so many.
const EXCEPTIONAL: usize = 10;

/// The active block, from row `first` to row `last`.
struct Block {
    first: usize,
    last: usize,
    /// σ₁ + σ₂ and σ₁ σ₂ of eq. (1) come from x, y and w: σ are those of [[y, ·], [·, x]].
    shift: [f64; 3],
}

/// Eigenvalues of `h`, of which only the upper triangle and the diagonal below count. None if the
/// iteration does not converge.
pub(super) fn eigenvalues(mut h: DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    let order = h.nrows();
    let norm: f64 = (0..order)
        .flat_map(|i| (i.saturating_sub(1)..order).map(move |j| (i, j)))
        .map(|at| h[at].abs())
        .sum();
    let mut out = vec![Complex::new(0.0, 0.0); order];
    // Exceptional shifts move the origin for good.
    let mut origin = 0.0;
    let mut left = order;
    let mut iterations = 0;
    while left > 0 {
        let last = left - 1;
        let first = active_from(&mut h, last, norm);
        if first == last {
            out[last] = Complex::from(h[(last, last)] + origin);
            (left, iterations) = (left - 1, 0);
            continue;
        }
        let (x, y) = (h[(last, last)], h[(last - 1, last - 1)]);
        let w = h[(last, last - 1)] * h[(last - 1, last)];
        if first + 1 == last {
            [out[last - 1], out[last]] = pair(x, y, w).map(|value| value + origin);
            (left, iterations) = (left - 2, 0);
            continue;
        }
        if iterations == MOST_ITERATIONS || !(x + y + w).is_finite() {
            return None;
        }
        let mut shift = [x, y, w];
        if iterations > 0 && iterations % EXCEPTIONAL == 0 {
            origin += x;
            for i in 0..left {
                h[(i, i)] -= x;
            }
            let s = h[(last, last - 1)].abs() + h[(last - 1, last - 2)].abs();
            shift = [0.75 * s, 0.75 * s, -0.4375 * s * s];
        }
        iterations += 1;
        let block = Block { first, last, shift };
        sweep(&mut h, &block);
    }
    Some(out)
}

/// First row of the block that ends in row `last`: behind the last subdiagonal that is rounding, which
/// becomes zero.
fn active_from(h: &mut DMatrix<f64>, last: usize, norm: f64) -> usize {
    for l in (1..=last).rev() {
        let neighbours = h[(l - 1, l - 1)].abs() + h[(l, l)].abs();
        let size = if neighbours == 0.0 { norm } else { neighbours };
        if h[(l, l - 1)].abs() <= f64::EPSILON * size {
            h[(l, l - 1)] = 0.0;
            return l;
        }
    }
    0
}

/// Eigenvalues of [[y, b], [c, x]] with w = b c.
fn pair(x: f64, y: f64, w: f64) -> [Complex<f64>; 2] {
    let p = 0.5 * (y - x);
    let q = p * p + w;
    let root = q.abs().sqrt();
    if q < 0.0 {
        return [Complex::new(x + p, root), Complex::new(x + p, -root)];
    }
    let z = p + root.copysign(p);
    let other = if z == 0.0 { x } else { x - w / z };
    [Complex::from(x + z), Complex::from(other)]
}

/// Where a sweep may begin, and (p, q, r) of eq. (1) there: two small subdiagonals in a row are as good
/// as a zero.
fn beginning(h: &DMatrix<f64>, block: &Block) -> (usize, [f64; 3]) {
    let [x, y, w] = block.shift;
    let mut m = block.last - 2;
    loop {
        let z = h[(m, m)];
        let (r, s) = (x - z, y - z);
        let p = (r * s - w) / h[(m + 1, m)] + h[(m, m + 1)];
        let q = h[(m + 1, m + 1)] - z - r - s;
        let r = h[(m + 2, m + 1)];
        let size = p.abs() + q.abs() + r.abs();
        let axis = [p, q, r].map(|entry| entry / size);
        if m == block.first {
            return (m, axis);
        }
        let [p, q, r] = axis.map(f64::abs);
        let below = h[(m, m - 1)].abs() * (q + r);
        let around = h[(m - 1, m - 1)].abs() + z.abs() + h[(m + 1, m + 1)].abs();
        if below <= f64::EPSILON * p * around {
            return (m, axis);
        }
        m -= 1;
    }
}

/// A double QR step.
fn sweep(h: &mut DMatrix<f64>, block: &Block) {
    let Block { first, last, .. } = *block;
    let (m, mut axis) = beginning(h, block);
    for i in m + 2..=last {
        h[(i, i - 2)] = 0.0;
        if i > m + 2 {
            h[(i, i - 3)] = 0.0;
        }
    }
    for k in m..last {
        let three = k + 1 < last;
        let mut size = 1.0;
        if k > m {
            let r = if three { h[(k + 2, k - 1)] } else { 0.0 };
            axis = [h[(k, k - 1)], h[(k + 1, k - 1)], r];
            size = axis.iter().map(|entry| entry.abs()).sum();
            if size != 0.0 {
                axis = axis.map(|entry| entry / size);
            }
        }
        let [p, q, r] = axis;
        let norm = math::hypot(math::hypot(p, q), r).copysign(p);
        if norm == 0.0 {
            continue;
        }
        if k > m {
            h[(k, k - 1)] = -norm * size;
        } else if first != m {
            h[(k, k - 1)] = -h[(k, k - 1)];
        }
        // The reflection is I − u vᵀ.
        let u = [(p + norm) / norm, q / norm, r / norm];
        let v = [1.0, q / (p + norm), r / (p + norm)];
        let width = if three { 3 } else { 2 };
        for j in k..=last {
            let sum: f64 = (0..width).map(|i| v[i] * h[(k + i, j)]).sum();
            for i in 0..width {
                h[(k + i, j)] -= sum * u[i];
            }
        }
        for i in first..=last.min(k + 3) {
            let sum: f64 = (0..width).map(|j| u[j] * h[(i, k + j)]).sum();
            for j in 0..width {
                h[(i, k + j)] -= sum * v[j];
            }
        }
    }
}
