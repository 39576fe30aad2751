//! Frequency response of a linear model.
//!
//! ```text
//! H(iω) = C (iω I − A)⁻¹ B + D                                                 (1)
//! S A S⁻¹ = Q T Qᵀ,   S = diag(√|K_ii|, 1),   T upper Hessenberg               (2)
//! (iω I − T) X = Qᵀ S B                                                        (3)
//! ```
//!
//! (2) is done once; then a frequency costs a number of operations quadratic in the order. The
//! scaling makes positions of a mode as large as its rates. Two models of the same plant are
//! compared entry by entry,
//!
//! ```text
//! error = max over ω, i, j of |H_ij − G_ij| / max(|H_ij|, 1 % of the largest of its block)   (4)
//! ```
//!
//! where a block are the entries whose inputs have one unit and whose outputs have one unit:
//! entries that are zero but for rounding, or next to nothing beside the others, do not count.

use super::LinearModel;
use crate::math;
use core::f64::consts::TAU;
use nalgebra::{Complex, DMatrix};

/// Part of the largest entry of a block below which an entry is not looked at, (4).
const FLOOR: f64 = 0.01;

/// A linear model ready for any number of frequencies.
#[derive(Debug, Clone)]
pub struct Response {
    /// Rows of T as columns.
    rows: DMatrix<f64>,
    input: DMatrix<f64>,
    output: DMatrix<f64>,
    feedthrough: DMatrix<f64>,
    /// Coordinates z of the states in the order of Q, `[S⁻¹, 0] Q`.
    positions: DMatrix<f64>,
    units: [Vec<&'static str>; 2],
}

/// How far a reduced model is from the full one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResponseError {
    /// Largest relative error, eq. (4) [-].
    pub relative: f64,
    /// Where it is [Hz].
    pub at_hz: f64,
    /// Highest frequency compared [Hz].
    pub below_hz: f64,
}

/// Takes `factor` times the column `from` off the column `to`, behind `skipped` entries.
fn subtract(
    matrix: &mut DMatrix<Complex<f64>>,
    from: usize,
    to: usize,
    factor: Complex<f64>,
    skipped: usize,
) {
    let length = matrix.nrows();
    let (low, high) = matrix.as_mut_slice().split_at_mut(from.max(to) * length);
    let second = &mut high[..length];
    let first = &mut low[from.min(to) * length..][..length];
    let (from, to) = if from < to {
        (first, second)
    } else {
        (second, first)
    };
    for (to, from) in to[skipped..].iter_mut().zip(&from[skipped..]) {
        *to -= factor * from;
    }
}

impl Response {
    /// Prepares `model`.
    pub fn new(model: &LinearModel) -> Self {
        let (order, size) = (model.order(), 2 * model.order());
        let scale = |i: usize| {
            if i < order {
                model.a[(order + i, i)].abs().max(1.0).sqrt()
            } else {
                1.0
            }
        };
        let scaled = DMatrix::from_fn(size, size, |i, j| scale(i) * model.a[(i, j)] / scale(j));
        let (q, hessenberg) = if size > 2 {
            scaled.hessenberg().unpack()
        } else {
            (DMatrix::identity(size, size), scaled)
        };
        let mut input = model.b.clone();
        let mut output = model.c.clone();
        for i in 0..order {
            input.row_mut(i).scale_mut(scale(i));
            output.column_mut(i).scale_mut(1.0 / scale(i));
        }
        let positions = DMatrix::from_fn(order, size, |i, j| q[(i, j)] / scale(i));
        let unit = |labels: &[super::Label]| labels.iter().map(|label| label.unit).collect();
        Self {
            rows: hessenberg.transpose(),
            input: q.tr_mul(&input),
            output: output * &q,
            feedthrough: model.d.clone(),
            positions,
            units: [unit(&model.outputs), unit(&model.inputs)],
        }
    }

    /// X of eq. (3) at the frequency `hertz`.
    fn states(&self, hertz: f64) -> DMatrix<Complex<f64>> {
        let size = self.rows.nrows();
        // Column i holds row i, of the matrix and of the right-hand sides, so that what a row
        // operation touches lies in one piece of memory.
        let mut rows = self.rows.map(|x| Complex::from(-x));
        for i in 0..size {
            rows[(i, i)] += Complex::new(0.0, TAU * hertz);
        }
        let mut right = self.input.transpose().map(Complex::from);
        // Elimination of the one diagonal below, the larger of two rows being the pivot.
        for k in 0..size.saturating_sub(1) {
            if rows[(k, k + 1)].norm_sqr() > rows[(k, k)].norm_sqr() {
                rows.swap_columns(k, k + 1);
                right.swap_columns(k, k + 1);
            }
            let pivot = rows[(k, k)];
            if pivot.norm_sqr() == 0.0 {
                continue;
            }
            let factor = rows[(k, k + 1)] / pivot;
            subtract(&mut rows, k, k + 1, factor, k + 1);
            subtract(&mut right, k, k + 1, factor, 0);
        }
        for k in (0..size).rev() {
            for j in (k + 1..size).rev() {
                subtract(&mut right, j, k, rows[(j, k)], 0);
            }
            let pivot = rows[(k, k)];
            right.column_mut(k).iter_mut().for_each(|x| *x /= pivot);
        }
        right.transpose()
    }

    /// H of eq. (1) at the frequency `hertz`, outputs × inputs.
    pub fn at(&self, hertz: f64) -> DMatrix<Complex<f64>> {
        self.output.map(Complex::from) * self.states(hertz) + self.feedthrough.map(Complex::from)
    }

    /// Coordinates z per unit of each input at the frequency `hertz`.
    pub(super) fn positions(&self, hertz: f64) -> DMatrix<Complex<f64>> {
        self.positions.map(Complex::from) * self.states(hertz)
    }

    /// Largest error of eq. (4) at one frequency, of the response `reduced` against `full`.
    fn error_of(&self, full: &DMatrix<Complex<f64>>, reduced: &DMatrix<Complex<f64>>) -> f64 {
        let [outputs, inputs] = &self.units;
        let largest_like = |i: usize, j: usize| {
            let mut largest: f64 = 0.0;
            for (k, unit) in outputs.iter().enumerate() {
                for (l, other) in inputs.iter().enumerate() {
                    if *unit == outputs[i] && *other == inputs[j] {
                        largest = largest.max(math::modulus(full[(k, l)]));
                    }
                }
            }
            largest
        };
        let mut worst: f64 = 0.0;
        for i in 0..full.nrows() {
            for j in 0..full.ncols() {
                let scale = math::modulus(full[(i, j)]).max(FLOOR * largest_like(i, j));
                let error = math::modulus(full[(i, j)] - reduced[(i, j)]);
                // An exact zero of both is no error; NaN is.
                if error != 0.0 {
                    let relative = error / scale;
                    worst = if relative.is_nan() {
                        f64::INFINITY
                    } else {
                        worst.max(relative)
                    };
                }
            }
        }
        worst
    }

    /// The error of a model whose responses at `frequencies` [Hz] are `reduced`, given this model's
    /// own there.
    pub(super) fn compare(
        &self,
        frequencies: &[f64],
        own: &[DMatrix<Complex<f64>>],
        reduced: &Self,
    ) -> ResponseError {
        let mut out = ResponseError {
            relative: 0.0,
            at_hz: 0.0,
            below_hz: frequencies.iter().copied().fold(0.0, f64::max),
        };
        for (&hertz, full) in frequencies.iter().zip(own) {
            let relative = self.error_of(full, &reduced.at(hertz));
            if relative > out.relative {
                (out.relative, out.at_hz) = (relative, hertz);
            }
        }
        out
    }
}
