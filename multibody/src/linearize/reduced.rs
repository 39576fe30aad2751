//! Linear models with fewer states, and how far they are from the full one.
//!
//! Undamped modes below a cutoff are a poor basis for a structure with strong dampers: what moves
//! slowly against a damper belongs to no slow mode. They are joined by the shapes with which the
//! full model answers its inputs at a few frequencies (a rational Krylov space),
//!
//! ```text
//! V = orth [modes below the cutoff, Re z(iω_k), Im z(iω_k), …],   z(iω) = (K + iωC − ω²M)⁻¹ F   (1)
//! M_r = VᵀMV = I,   C_r = VᵀCV,   K_r = VᵀKV                                    (2)
//! ```
//!
//! so that the reduced model answers exactly at each ω_k, where the error was largest before. As
//! projections of symmetric matrices C_r and K_r damp and hold wherever C and K do. The
//! coordinates are turned so that K_r is diagonal: modes below the cutoff stay what they are.
//!
//! Source: Antoulas 2005, chapter 11 (`antoulas2005`).

use super::response::{Response, ResponseError};
use super::{Label, LinearModel};
use crate::error::{Error, Result};
use crate::math;
use crate::modal::eigen;
use core::f64::consts::TAU;
use nalgebra::{Complex, DMatrix, DVector};

/// A reduced model and its distance from the full one.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The model.
    pub model: LinearModel,
    /// Its response against that of the full model.
    pub error: ResponseError,
}

/// Error of the response that a reduced model may have if nobody asks for another, relative.
pub const RESPONSE_TOLERANCE: f64 = 0.01;

/// Frequencies compared: from this part of the highest …
const LOWEST: f64 = 1e-4;
/// … so many per decade.
const PER_DECADE: f64 = 8.0;
/// Frequencies are also compared this far beside a resonance.
const BESIDE: f64 = 0.02;
/// Shapes are added until the error is this part of what is allowed: between the frequencies
/// compared it is somewhat larger.
const SAFETY: f64 = 0.1;
/// A shape that the others contain but for this part is left out at first.
const CONTAINED: f64 = 1e-3;
/// A frequency whose shapes were taken and where the error is largest again has lost too much by
/// that: a neutral mode, for one, hides all that bends at low frequencies. The part that may be
/// left out is then made smaller by this factor.
const FINER: f64 = 0.03;
/// Frequencies at which shapes are taken, at most.
const MOST_POINTS: usize = 20;

impl LinearModel {
    /// Undamped frequency of coordinate i of a model in modal coordinates [Hz]; negative for one
    /// that grows.
    pub fn frequency(&self, i: usize) -> f64 {
        let square = -self.a[(self.order() + i, i)];
        if square == 0.0 {
            return 0.0; // neither 0 nor −0 grows
        }
        square.abs().sqrt().copysign(square) / TAU
    }

    /// Frequencies up to `highest` [Hz] at which models are compared.
    fn grid(&self, highest: f64) -> Vec<f64> {
        let decades = -math::log10(LOWEST);
        let count = (decades * PER_DECADE).round() as usize;
        let even = (0..=count).map(|i| highest * math::powf(LOWEST, 1.0 - i as f64 / count as f64));
        let resonances = (0..self.order()).map(|i| self.frequency(i));
        let beside = resonances
            .flat_map(|f| [f * (1.0 - BESIDE), f * (1.0 + BESIDE)])
            .filter(|f| *f > highest * LOWEST && *f <= highest);
        let mut out: Vec<f64> = even.chain(beside).collect();
        out.sort_by(f64::total_cmp);
        out
    }

    /// A model for frequencies below half of `cutoff_hz`: this one, which must be in all its modal
    /// coordinates, reduced to the modes below the cutoff and as many shapes as the tolerance (of
    /// the response, relative) needs. Refused if it is not reached.
    pub fn reduced_below(&self, cutoff_hz: f64, tolerance: f64) -> Result<Reduced> {
        let order = self.order();
        let full = Response::new(self);
        let frequencies = self.grid(0.5 * cutoff_hz);
        let own: Vec<_> = frequencies.iter().map(|f| full.at(*f)).collect();
        let slow = (0..order)
            .filter(|&i| self.frequency(i) < cutoff_hz)
            .count();
        let mut basis = DMatrix::identity(order, slow.max(1));
        let mut reduced = self.checked(&basis, &full, &frequencies, &own)?;
        let (mut contained, mut taken) = (CONTAINED, Vec::new());
        for _ in 0..MOST_POINTS {
            if reduced.error.relative <= SAFETY * tolerance || basis.ncols() == order {
                break;
            }
            let hertz = reduced.error.at_hz;
            if taken.contains(&hertz) {
                contained *= FINER;
            }
            taken.push(hertz);
            let before = basis.ncols();
            basis = joined(basis, &full.positions(hertz), contained);
            if basis.ncols() > before {
                reduced = self.checked(&basis, &full, &frequencies, &own)?;
            }
        }
        reduced.within(tolerance)
    }

    /// The first `count` modes of a model in all its modal coordinates, the others following at
    /// once where they can, compared below half the frequency of the first one left out. Refused if
    /// the response is off by more than `tolerance`, relative.
    pub fn reduced_to(&self, count: usize, tolerance: f64) -> Result<Reduced> {
        let order = self.order();
        // Modes that are cut still give way to a constant load; neutral ones cannot.
        let correct = (count..order).all(|i| self.frequency(i) > 0.0);
        let model = self.cut(count, correct)?;
        let highest = if count < order {
            0.5 * self.frequency(count).abs()
        } else {
            0.0
        };
        if highest == 0.0 {
            let error = ResponseError {
                relative: if count < order { f64::INFINITY } else { 0.0 },
                at_hz: 0.0,
                below_hz: highest,
            };
            return Reduced { model, error }.within(tolerance);
        }
        let full = Response::new(self);
        let frequencies = self.grid(highest);
        let own: Vec<_> = frequencies.iter().map(|f| full.at(*f)).collect();
        let error = full.compare(&frequencies, &own, &Response::new(&model));
        Reduced { model, error }.within(tolerance)
    }

    /// The same states with some of the inputs and outputs.
    pub fn select(&self, inputs: &[usize], outputs: &[usize]) -> Self {
        let chosen = |list: &[Label], of: &[usize]| of.iter().map(|&i| list[i].clone()).collect();
        let values = |list: &[f64], of: &[usize]| of.iter().map(|&i| list[i]).collect();
        Self {
            b: self.b.select_columns(inputs),
            c: self.c.select_rows(outputs),
            d: self.d.select_rows(outputs).select_columns(inputs),
            inputs: chosen(&self.inputs, inputs),
            outputs: chosen(&self.outputs, outputs),
            input_values: values(&self.input_values, inputs),
            output_values: values(&self.output_values, outputs),
            ..self.clone()
        }
    }

    /// The model projected on `basis` (1), (2), compared with the full one.
    fn checked(
        &self,
        basis: &DMatrix<f64>,
        full: &Response,
        frequencies: &[f64],
        own: &[DMatrix<Complex<f64>>],
    ) -> Result<Reduced> {
        let model = self.projected(basis)?;
        let error = full.compare(frequencies, own, &Response::new(&model));
        Ok(Reduced { model, error })
    }

    /// The model of the coordinates y in `z = V y`, V orthonormal, turned so that its stiffness is
    /// diagonal, slowest first.
    fn projected(&self, basis: &DMatrix<f64>) -> Result<Self> {
        let (order, count) = (self.order(), basis.ncols());
        let square = (order, order);
        let stiffness = -self.a.view((order, 0), square).into_owned();
        let damping = -self.a.view((order, order), square).into_owned();
        let mut small = basis.tr_mul(&(stiffness * basis));
        crate::modal::reduction::symmetrize(&mut small);
        let turned = eigen::symmetric(small)?;
        let v = basis * &turned.vectors;
        let mut a = DMatrix::zeros(2 * count, 2 * count);
        a.view_mut((0, count), (count, count)).fill_with_identity();
        a.view_mut((count, 0), (count, count))
            .copy_from(&-DMatrix::from_diagonal(&turned.values));
        a.view_mut((count, count), (count, count))
            .copy_from(&-v.tr_mul(&(damping * &v)));
        let inputs = self.b.ncols();
        let mut b = DMatrix::zeros(2 * count, inputs);
        b.rows_mut(count, count)
            .copy_from(&v.tr_mul(&self.b.rows(order, order)));
        let mut c = DMatrix::zeros(self.c.nrows(), 2 * count);
        for part in [0, 1] {
            c.columns_mut(part * count, count)
                .copy_from(&(self.c.columns(part * order, order) * &v));
        }
        let names: Vec<Label> = (0..count)
            .map(|i| self.shape_label(i, turned.values[i], &v.column(i).into_owned()))
            .collect();
        let rates = names.iter().map(Label::rate).collect::<Vec<_>>();
        Ok(Self {
            a,
            b,
            c,
            states: names.into_iter().chain(rates).collect(),
            basis: &self.basis * &v,
            reader: v.tr_mul(&self.reader),
            ..self.clone()
        })
    }

    /// The name of a reduced coordinate: that of a mode, if it is one.
    fn shape_label(&self, i: usize, omega_squared: f64, shape: &DVector<f64>) -> Label {
        let largest = shape.icamax();
        if shape[largest].abs() > 1.0 - 1e-9 {
            return self.states[largest].clone();
        }
        Label {
            name: format!(
                "shape {} at {:.6} Hz",
                i + 1,
                omega_squared.abs().sqrt() / TAU
            ),
            unit: self.states[0].unit,
        }
    }
}

impl Reduced {
    fn within(self, tolerance: f64) -> Result<Self> {
        if self.error.relative <= tolerance {
            return Ok(self);
        }
        Err(Error::Reduction {
            states: 2 * self.model.order(),
            relative: self.error.relative,
            at_hz: self.error.at_hz,
            below_hz: self.error.below_hz,
            tolerance,
        })
    }
}

/// The basis with the real and imaginary parts of `shapes` that it does not contain yet but for the
/// part `contained`.
fn joined(basis: DMatrix<f64>, shapes: &DMatrix<Complex<f64>>, contained: f64) -> DMatrix<f64> {
    let order = basis.nrows();
    let parts = shapes.column_iter().flat_map(|shape| {
        let (real, imaginary) = (shape.map(|x| x.re), shape.map(|x| x.im));
        [real, imaginary]
    });
    let mut columns: Vec<DVector<f64>> = basis.column_iter().map(|c| c.into_owned()).collect();
    // Of what is left the longest comes first, so that near copies fall away.
    let mut waiting: Vec<DVector<f64>> = parts
        .filter_map(|part| {
            let norm = part.norm();
            (norm > 0.0 && norm.is_finite()).then(|| part / norm)
        })
        .collect();
    for column in &columns {
        remove(&mut waiting, column);
        remove(&mut waiting, column);
    }
    while columns.len() < order {
        let longest =
            (0..waiting.len()).max_by(|&i, &j| waiting[i].norm().total_cmp(&waiting[j].norm()));
        let Some(i) = longest.filter(|&i| waiting[i].norm() > contained) else {
            break;
        };
        let mut next = waiting.swap_remove(i).normalize();
        // Once more against everything: rounding of the first time.
        for column in &columns {
            let along = column.dot(&next);
            next.axpy(-along, column, 1.0);
        }
        let next = next.normalize();
        remove(&mut waiting, &next);
        columns.push(next);
    }
    DMatrix::from_columns(&columns)
}

/// Takes the part along the unit vector `column` out of all vectors.
fn remove(vectors: &mut [DVector<f64>], column: &DVector<f64>) {
    for vector in vectors {
        let along = column.dot(vector);
        vector.axpy(-along, column, 1.0);
    }
}
