//! Exponential of a matrix by Padé approximation with scaling and squaring (`higham2005`):
//!
//! ```text
//! exp(A) = r(A / 2ˢ)^(2ˢ),   r = (V − U)⁻¹ (V + U),   ‖A / 2ˢ‖₁ ≤ 5.37           (1)
//! U = A [A⁶ (b13 A⁶ + b11 A⁴ + b9 A²) + b7 A⁶ + b5 A⁴ + b3 A² + b1 I]            (2)
//! V =    A⁶ (b12 A⁶ + b10 A⁴ + b8 A²) + b6 A⁶ + b4 A⁴ + b2 A² + b0 I
//! ```
//!
//! Higham's lower orders, which save products for small matrices, are left out.

use nalgebra::DMatrix;

/// Largest norm at which the approximation of order 13 is exact to rounding.
const LARGEST_NORM: f64 = 5.371_920_351_148_152;

/// Coefficients of (2), b0 to b13.
const B: [f64; 14] = [
    64_764_752_532_480_000.0,
    32_382_376_266_240_000.0,
    7_771_770_303_897_600.0,
    1_187_353_796_428_800.0,
    129_060_195_264_000.0,
    10_559_470_521_600.0,
    670_442_572_800.0,
    33_522_128_640.0,
    1_323_241_920.0,
    40_840_800.0,
    960_960.0,
    16_380.0,
    182.0,
    1.0,
];

/// `exp(a)`; nothing where it is not finite.
pub(super) fn exponential(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let columns = a.column_iter();
    let mut norm = columns.map(|c| c.abs().sum()).fold(0.0, f64::max);
    if !norm.is_finite() {
        return None;
    }
    let mut squarings = 0;
    while norm > LARGEST_NORM {
        norm *= 0.5;
        squarings += 1;
    }
    let a = a * 0.5_f64.powi(squarings);
    let a2 = &a * &a;
    let a4 = &a2 * &a2;
    let a6 = &a4 * &a2;
    let unit = DMatrix::identity(a.nrows(), a.ncols());
    // The even (k = 0) or odd (k = 1) half of the polynomial, without the factor A of the odd one.
    let half = |k: usize| {
        &a6 * (&a6 * B[k + 12] + &a4 * B[k + 10] + &a2 * B[k + 8])
            + &a6 * B[k + 6]
            + &a4 * B[k + 4]
            + &a2 * B[k + 2]
            + &unit * B[k]
    };
    let (u, v) = (&a * half(1), half(0)); // (2)
    let mut result = (&v - &u).lu().solve(&(v + u))?;
    for _ in 0..squarings {
        result = &result * &result; // (1)
    }
    let finite = result.iter().all(|x| x.is_finite());
    finite.then_some(result)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A second implementation, of variable order.
        #[test]
        fn it_agrees_with_nalgebra(
            entries in proptest::collection::vec(-1.0..1.0_f64, 25),
            size in -3.0..1.0_f64,
        ) {
            let a = DMatrix::from_vec(5, 5, entries) * 10.0_f64.powf(size);
            let (ours, theirs) = (exponential(&a).unwrap(), a.exp());
            // Both lose a few units per squaring, of which there are at most four.
            prop_assert!((&ours - &theirs).norm() < 1e-12 * theirs.norm());
            let inverse = exponential(&-a).unwrap();
            let product = &ours * &inverse - DMatrix::<f64>::identity(5, 5);
            prop_assert!(product.norm() < 1e-14 * ours.norm() * inverse.norm());
        }
    }

    #[test]
    fn a_rotation_of_many_turns_is_a_rotation() {
        let angle = 1000.0;
        let a = DMatrix::from_row_slice(2, 2, &[0.0, -angle, angle, 0.0]);
        let turned = exponential(&a).unwrap();
        assert!(
            (turned[(0, 0)] - angle.cos()).abs() < 1e-12
                && (turned[(1, 0)] - angle.sin()).abs() < 1e-12
        );
    }

    #[test]
    fn what_overflows_is_nothing() {
        assert!(exponential(&DMatrix::from_element(2, 2, 1e4)).is_none());
        assert!(exponential(&DMatrix::from_element(2, 2, f64::NAN)).is_none());
    }
}
