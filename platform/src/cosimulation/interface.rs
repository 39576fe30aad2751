//! Newton's matrix of long macro steps: kept from step to step, improved by what is observed.
//!
//! A new matrix costs derivatives of all legs (or, if they have none, one repetition of the step
//! per unknown). An old one is corrected after every iteration by Broyden's update
//! (`broyden1965`), the least change that explains the change of the residual,
//!
//! ```text
//! J ← J + (Δr − J Δx) (W Δx)ᵀ / (Δxᵀ W Δx)                                      (1)
//! ```
//!
//! where W measures rotations by the way of the joints.

use nalgebra::{DMatrix, DVector};

/// Updates from changes smaller than this would learn rounding (m).
const SMALLEST_CHANGE: f64 = 1e-12;

/// Steps whose lengths differ by less than this share a matrix [-].
const SAME_LENGTH: f64 = 1e-6;

/// Newton's matrix.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// The matrix and the length of the steps for which it holds [s].
    matrix: Option<(f64, DMatrix<f64>)>,
    /// Lever of rotations [m].
    lever: f64,
}

impl Interface {
    /// No matrix yet; rotations count by the way that a point at `lever` [m] makes.
    pub fn new(lever: f64) -> Self {
        Self {
            matrix: None,
            lever,
        }
    }

    /// True if there is a matrix for steps of `length` [s].
    pub fn knows(&self, length: f64) -> bool {
        let matrix = self.matrix.as_ref();
        matrix.is_some_and(|(known, _)| (known - length).abs() <= SAME_LENGTH * known)
    }

    /// Takes a new matrix for steps of `length` [s].
    pub fn set(&mut self, length: f64, matrix: DMatrix<f64>) {
        self.matrix = Some((length, matrix));
    }

    /// The matrix is no good any more.
    pub fn forget(&mut self) {
        self.matrix = None;
    }

    fn weight(&self, i: usize) -> f64 {
        if i % 6 < 3 {
            1.0
        } else {
            self.lever * self.lever
        }
    }

    /// Eq. (1).
    pub fn learn(&mut self, dx: &DVector<f64>, dr: &DVector<f64>) {
        let weighted = DVector::from_fn(dx.len(), |i, _| dx[i] * self.weight(i));
        let square = weighted.dot(dx);
        let Some((_, matrix)) = &mut self.matrix else {
            return;
        };
        // Not a number is no change to learn from either.
        if square.is_nan() || square < SMALLEST_CHANGE * SMALLEST_CHANGE {
            return;
        }
        let missed = dr - &*matrix * dx;
        matrix.ger(1.0 / square, &missed, &weighted, 1.0);
    }

    /// The correction `−J⁻¹ r`; `None` if the matrix is singular or not there.
    pub fn correction(&self, residual: &DVector<f64>) -> Option<DVector<f64>> {
        let (_, matrix) = self.matrix.as_ref()?;
        let solution = matrix.clone().lu().solve(&-residual)?;
        solution.sum().is_finite().then_some(solution)
    }
}
