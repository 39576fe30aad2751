//! Stations that regulate by what they see themselves: output feedback with gains that are alike.
//!
//! Station i of m sees its own outputs only, row i of each of the matrices Y_1 … Y_p, and all stations
//! have the same gains g:
//!
//! ```text
//! x⁺ = A x + B u,     u = −K x,   K = Σ_j g_j Y_j                                (1)
//! P = Q + KᵀRK + (A − BK)ᵀ P (A − BK)                                            (2)
//! ```
//!
//! x₀ᵀPx₀ is the cost of the motion from x₀, the one that a linear-quadratic regulator makes smallest
//! over all K. A K of this form is best for one x₀ and not for another; g is the one with the smallest
//! mean cost tr(P X₀) over starts of covariance X₀ (`levine1970`). P comes from doubling
//! (P ← P + MᵀPM, M ← M²), g from a search: a grid of powers of ten, then steps of a factor that
//! shrinks.
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | A, B | system | n × n, n × m |
//! | Y_j | outputs of the kind j, one row per station | m × n |
//! | Q, R | weights | n × n, m × m |
//! | X₀ | covariance of the starts | n × n |

use crate::error::{Error, Result};
use multibody::math;
use nalgebra::DMatrix;

/// The problem.
#[derive(Debug, Clone)]
pub struct Stations<'a> {
    /// A.
    pub a: &'a DMatrix<f64>,
    /// B.
    pub b: &'a DMatrix<f64>,
    /// Y_1 … Y_p.
    pub outputs: &'a [DMatrix<f64>],
    /// Q.
    pub q: &'a DMatrix<f64>,
    /// R.
    pub r: &'a DMatrix<f64>,
    /// X₀.
    pub starts: &'a DMatrix<f64>,
}

/// Gains of the stations.
#[derive(Debug, Clone, PartialEq)]
pub struct StationGains {
    /// g.
    pub gains: Vec<f64>,
    /// tr(P X₀).
    pub cost: f64,
}

/// Doublings of eq. (2): 2^60 samples.
const MOST_DOUBLINGS: usize = 60;
/// Entries of a power of A − BK above which the loop counts as unstable.
const UNSTABLE: f64 = 1e9;
/// Entries below which nothing more is added to P.
const GONE: f64 = 1e-10;
/// The search ends with steps of this factor.
const FINEST: f64 = 1.01;

impl Stations<'_> {
    /// K of eq. (1).
    pub fn gain(&self, gains: &[f64]) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(self.b.ncols(), self.a.ncols());
        for (gain, output) in gains.iter().zip(self.outputs) {
            out += output * *gain;
        }
        out
    }

    /// tr(P X₀); infinite if the loop is not stable.
    pub fn cost(&self, gains: &[f64]) -> f64 {
        let k = self.gain(gains);
        let mut power = self.a - self.b * &k;
        let mut p = self.q + k.tr_mul(&(self.r * &k));
        for _ in 0..MOST_DOUBLINGS {
            p += power.tr_mul(&(&p * &power)); // (2)
            power = &power * &power;
            let size = power.amax();
            if size <= GONE {
                return (&p * self.starts).trace();
            }
            if size.is_nan() || size > UNSTABLE {
                break;
            }
        }
        f64::INFINITY
    }

    /// The gains of smallest cost between `range` [smallest, largest] of each.
    pub fn best(&self, range: &[[f64; 2]]) -> Result<StationGains> {
        let (mut gains, mut cost) = self.coarse(range);
        if !cost.is_finite() {
            return Err(Error::NoStations);
        }
        let mut factor: f64 = 3.0;
        while factor > FINEST {
            let mut better = false;
            for j in 0..gains.len() {
                for by in [factor, 1.0 / factor] {
                    let mut tried = gains.clone();
                    tried[j] *= by;
                    let found = self.cost(&tried);
                    if found < cost {
                        (gains, cost, better) = (tried, found, true);
                    }
                }
            }
            if !better {
                factor = factor.sqrt();
            }
        }
        Ok(StationGains { gains, cost })
    }

    /// The best point of a grid of powers of ten.
    fn coarse(&self, range: &[[f64; 2]]) -> (Vec<f64>, f64) {
        let counts: Vec<usize> = range
            .iter()
            .map(|[low, high]| {
                (math::ln(high / low) / core::f64::consts::LN_10).round() as usize + 1
            })
            .collect();
        let mut best = (range.iter().map(|[low, _]| *low).collect(), f64::INFINITY);
        for index in 0..counts.iter().product() {
            let mut rest: usize = index;
            let place = |(range, count): (&[f64; 2], &usize)| {
                let digit = rest % count;
                rest /= count;
                range[0] * 10.0_f64.powi(digit as i32)
            };
            let gains: Vec<f64> = range.iter().zip(&counts).map(place).collect();
            let cost = self.cost(&gains);
            if cost < best.1 {
                best = (gains, cost);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::riccati;

    /// Two double integrators without coupling, whose stations see all of their own state: what each can
    /// do is what the central regulator does.
    #[test]
    fn stations_that_see_everything_are_as_good_as_the_centre() {
        let h = 0.01;
        let mut a = DMatrix::identity(4, 4);
        let mut b = DMatrix::zeros(4, 2);
        for i in 0..2 {
            a[(i, 2 + i)] = h;
            b[(i, i)] = 0.5 * h * h;
            b[(2 + i, i)] = h;
        }
        let q = DMatrix::identity(4, 4) * h;
        let r = DMatrix::identity(2, 2) * (0.01 * h);
        let central = riccati::dare(&a, &b, &q, &r).unwrap();
        let outputs = [0, 2].map(|first| {
            let mut rows = DMatrix::zeros(2, 4);
            rows[(0, first)] = 1.0;
            rows[(1, first + 1)] = 1.0;
            rows
        });
        let starts = DMatrix::identity(4, 4);
        let stations = Stations {
            a: &a,
            b: &b,
            outputs: &outputs,
            q: &q,
            r: &r,
            starts: &starts,
        };
        let found = stations.best(&[[1e-3, 1e4], [1e-3, 1e4]]).unwrap();
        let wanted = central.solution.trace();
        // The search ends with steps of one per cent, and the cost is flat at its smallest.
        assert!(
            (found.cost / wanted - 1.0).abs() < 1e-4,
            "{found:?} {wanted}"
        );
        for (j, gain) in found.gains.iter().enumerate() {
            let central = central.gain[(0, 2 * j)];
            assert!((gain / central - 1.0).abs() < 0.02, "{gain} {central}");
        }
        // An unstable loop has no finite cost.
        assert_eq!(stations.cost(&[1.0, -1.0]), f64::INFINITY);
    }
}
