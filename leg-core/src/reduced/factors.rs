//! A symmetric matrix as L D Lᵀ, without pivoting: tangents of legs are dominated by their inertia, or
//! come with the constraint that makes them definite where they are used.

use super::forces::Square;
use super::sweep::{COORDINATES, Coordinates};

/// A pivot smaller than this part of its diagonal entry is taken for zero.
const LEAST_PIVOT: f64 = 1e-13;

/// L and D⁻¹.
#[derive(Debug, Clone)]
pub struct Factors {
    lower: Square,
    inverse: [f64; COORDINATES],
}

impl Factors {
    /// Of a matrix by its lower triangle; none if a pivot vanishes.
    pub fn new(matrix: &Square) -> Option<Self> {
        let mut lower = *matrix;
        let mut inverse = [0.0; COORDINATES];
        for j in 0..COORDINATES {
            // Row j of L D, from that of the matrix and the rows of L above.
            for k in 0..j {
                let [above, own] = [lower[k], lower[j]];
                let known = own.iter().zip(&above).take(k);
                lower[j][k] = known.fold(own[k], |sum, (a, b)| sum - a * b);
            }
            let mut pivot = matrix[j][j];
            for k in 0..j {
                let scaled = lower[j][k];
                lower[j][k] = scaled * inverse[k];
                pivot -= scaled * lower[j][k];
            }
            if pivot.is_nan() || pivot.abs() <= LEAST_PIVOT * matrix[j][j].abs() {
                return None;
            }
            inverse[j] = 1.0 / pivot;
        }
        Some(Self { lower, inverse })
    }

    /// Solves in place.
    pub fn solve(&self, right: &mut Coordinates) {
        for i in 0..COORDINATES {
            let mut sum = right[i];
            for k in 0..i {
                sum -= self.lower[i][k] * right[k];
            }
            right[i] = sum;
        }
        for i in 0..COORDINATES {
            right[i] *= self.inverse[i];
        }
        for i in (0..COORDINATES).rev() {
            let value = right[i];
            for k in 0..i {
                right[k] -= self.lower[i][k] * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::SMatrix;
    use proptest::prelude::*;

    proptest! {
        /// The solution of a symmetric system, definite or not.
        #[test]
        fn solutions_fulfil_the_equations(
            entries in proptest::collection::vec(-1.0..1.0_f64, COORDINATES * COORDINATES),
            negative in 0..COORDINATES,
        ) {
            let a = SMatrix::<f64, COORDINATES, COORDINATES>::from_column_slice(&entries);
            let mut matrix = a * a.transpose() + SMatrix::identity();
            matrix[(negative, negative)] -= 40.0;
            let lower: Square = core::array::from_fn(|i| core::array::from_fn(|j| matrix[(i, j)]));
            let right = Coordinates::from_fn(|i, _| entries[i]);
            let mut found = right;
            if let Some(factors) = Factors::new(&lower) {
                factors.solve(&mut found);
                let missing = (matrix * found - right).amax();
                // Without pivoting an indefinite matrix may lose some digits.
                prop_assert!(missing < 1e-7 * (1.0 + found.amax()), "{missing:e}");
            }
        }
    }
}
