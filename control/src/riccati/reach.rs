//! Why a problem has no solution: eigenvalues that no input moves or no weight sees.

use super::{MARGIN, Problem};
use crate::error::{Error, Result};
use multibody::math;
use multibody::modal::eigen;
use nalgebra::{Complex, DMatrix};

/// Relative singular value that means out of reach.
const UNREACHABLE: f64 = 1e-10;

impl Problem {
    /// Looks for an eigenvalue that no input moves or no weight sees (the test of Popov, Belevitch
    /// and Hautus) among those that are not stable.
    pub(super) fn out_of_reach(&self) -> Result<Option<Error>> {
        let (scaled, _) = self.balanced();
        let values = eigen::eigenvalues(&scaled.a)?;
        let largest = values.iter().map(|x| math::modulus(*x)).fold(0.0, f64::max);
        let mut worst: Option<Error> = None;
        for value in values.iter().filter(|value| value.im >= 0.0) {
            let distance = self.time.growth(&[*value]) - self.time.boundary();
            let margin = MARGIN * largest.max(f64::MIN_POSITIVE);
            if distance < -margin {
                continue;
            }
            let controlled = smallest_singular_value(&scaled.a, *value, &scaled.b)?;
            if controlled < UNREACHABLE {
                worst = Some(unreachable("stabilisable by its inputs", value, controlled));
                break;
            }
            if distance.abs() <= margin {
                let seen = smallest_singular_value(&scaled.a.transpose(), *value, &scaled.q)?;
                if seen < UNREACHABLE {
                    worst = Some(unreachable("detectable by its weights", value, seen));
                }
            }
        }
        Ok(worst)
    }
}

fn unreachable(lacking: &'static str, value: &Complex<f64>, singular_value: f64) -> Error {
    Error::NotStabilizable {
        lacking,
        re: value.re,
        im: value.im,
        singular_value,
    }
}

/// Smallest singular value of `[A − λI, B]` relative to the largest.
fn smallest_singular_value(
    a: &DMatrix<f64>,
    lambda: Complex<f64>,
    b: &DMatrix<f64>,
) -> Result<f64> {
    let (order, inputs) = (a.nrows(), b.ncols());
    let wide = DMatrix::from_fn(order, order + inputs, |i, j| {
        if j < order {
            let unit = if i == j { lambda } else { Complex::from(0.0) };
            Complex::from(a[(i, j)]) - unit
        } else {
            Complex::from(b[(i, j - order)])
        }
    });
    let values = eigen::singular_values(wide.adjoint())?;
    Ok(values.min() / values.max().max(f64::MIN_POSITIVE))
}
