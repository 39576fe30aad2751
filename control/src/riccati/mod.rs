//! Algebraic Riccati equations: linear-quadratic regulators and steady-state observers.
//!
//! For `ẋ = A x + B u` with the cost `∫ xᵀQx + uᵀRu dt`, and for `x⁺ = A x + B u` with the sum:
//!
//! ```text
//! AᵀX + XA − XGX + Q = 0,   G = B R⁻¹ Bᵀ,   K = R⁻¹ BᵀX                          (1)
//! X = AᵀX (I + GX)⁻¹ A + Q,                 K = (R + BᵀXB)⁻¹ BᵀXA                (2)
//! u = −K x
//! ```
//!
//! X is the solution that makes `A − BK` stable. It is found in three stages:
//!
//! 1. *Balancing.* `x = T x̃` with a diagonal T of powers of two such that rows and columns of the
//!    Hamiltonian matrix `[A −G; −Q −Aᵀ]` have like norms (`benner2001`): positions of 1e-3 m and
//!    rates of 1e3 m/s meet in one state.
//! 2. *Doubling* (`doubling.rs`): quadratically convergent, without eigenvalues.
//! 3. *Newton* (`kleinman1968`, `hewer1971`) on the residual: with `A_c = A − BK`,
//!
//! ```text
//! A_cᵀ δ + δ A_c + residual(X) = 0   or   A_cᵀ δ A_c − δ + residual(X) = 0,   X ← X + δ   (3)
//! ```
//!
//! until the residual no longer shrinks. Weights that do not see an unstable mode are enlarged for
//! stage 2 only. Residuals are relative to the sum of the norms of the
//! terms of (1) or (2). An observer `x̂̇ = A x̂ + B u + L (y − C x̂)` is the regulator of the
//! transposed system (`kalman1961`).
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | A, B, C | system | n × n, n × m, p × n |
//! | Q, R | weights, symmetric, Q ≥ 0, R > 0 | n × n, m × m |
//! | X, K | solution, gain | n × n, m × n |
//!
//! Modes of a flexible model that are much faster than anything the input can reach make (1)
//! needlessly stiff: cut them first ([`multibody::linearize::Coordinates::Modal`]).

mod balancing;
mod doubling;
mod exponential;
mod lyapunov;
mod reach;
mod sampling;
#[cfg(test)]
mod tests;

pub use sampling::discretize;

use crate::error::{Error, Result};
use multibody::error::require;
use multibody::math;
use multibody::modal::eigen;
use multibody::modal::symmetrize;
use nalgebra::{Complex, DMatrix};

/// Solution of a Riccati equation.
#[derive(Debug, Clone, PartialEq)]
pub struct Riccati {
    /// X: the cost from state x is xᵀXx (covariance of the error for an observer).
    pub solution: DMatrix<f64>,
    /// K of `u = −K x`; for an observer L of `L (y − C x̂)`.
    pub gain: DMatrix<f64>,
    /// Eigenvalues of the closed loop [1/s, or per sample].
    pub closed_loop: Vec<Complex<f64>>,
    /// Residual relative to the sum of the norms of the equation's terms.
    pub relative_residual: f64,
    /// Doubling steps.
    pub doublings: usize,
    /// Newton refinements.
    pub refinements: usize,
}

/// Residual every solution must reach. Usual is 1e-16; gains of 1e4 and more, as many unstable
/// modes under few inputs need, cost digits.
const ALLOWED_RESIDUAL: f64 = 1e-10;
/// Newton stops when the residual is below this or no longer shrinks.
const SMALLEST_RESIDUAL: f64 = 1e-16;
/// Most Newton refinements.
const MOST_REFINEMENTS: usize = 60;
/// An eigenvalue this close to the boundary of stability (relative to the largest) is checked for
/// being out of reach.
const MARGIN: f64 = 1e-12;

/// Continuous or sampled time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Time {
    Continuous,
    Sampled,
}

/// The data of one equation; after [`Problem::balanced`] in scaled coordinates.
#[derive(Debug, Clone)]
struct Problem {
    time: Time,
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    q: DMatrix<f64>,
    r: DMatrix<f64>,
    /// B R⁻¹ Bᵀ.
    g: DMatrix<f64>,
}

/// Solves the continuous equation (1).
pub fn care(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
) -> Result<Riccati> {
    Problem::new(Time::Continuous, a, b, q, r)?.solve()
}

/// Solves the discrete equation (2).
pub fn dare(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
) -> Result<Riccati> {
    Problem::new(Time::Sampled, a, b, q, r)?.solve()
}

/// Gain L of the observer `x̂̇ = A x̂ + B u + L (y − C x̂)` for process noise of intensity
/// `process` (n × n) and measurement noise of intensity `measurement` (p × p).
pub fn observer(
    a: &DMatrix<f64>,
    c: &DMatrix<f64>,
    process: &DMatrix<f64>,
    measurement: &DMatrix<f64>,
) -> Result<Riccati> {
    dual(care(&a.transpose(), &c.transpose(), process, measurement)?)
}

/// Gain L of the sampled predictor `x̂⁺ = A x̂ + B u + L (y − C x̂)` for noise of the given
/// covariances.
pub fn sampled_observer(
    a: &DMatrix<f64>,
    c: &DMatrix<f64>,
    process: &DMatrix<f64>,
    measurement: &DMatrix<f64>,
) -> Result<Riccati> {
    dual(dare(&a.transpose(), &c.transpose(), process, measurement)?)
}

fn dual(mut riccati: Riccati) -> Result<Riccati> {
    riccati.gain = riccati.gain.transpose();
    Ok(riccati)
}

/// Relative residual of equation (1).
pub fn care_residual(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    x: &DMatrix<f64>,
) -> Result<f64> {
    Ok(Problem::new(Time::Continuous, a, b, q, r)?.residual(x)?.1)
}

/// Relative residual of equation (2).
pub fn dare_residual(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    x: &DMatrix<f64>,
) -> Result<f64> {
    Ok(Problem::new(Time::Sampled, a, b, q, r)?.residual(x)?.1)
}

impl Problem {
    fn new(
        time: Time,
        a: &DMatrix<f64>,
        b: &DMatrix<f64>,
        q: &DMatrix<f64>,
        r: &DMatrix<f64>,
    ) -> Result<Self> {
        let (n, m) = b.shape();
        let shapes = n > 0 && m > 0 && a.shape() == (n, n);
        let shapes = shapes && q.shape() == (n, n) && r.shape() == (m, m);
        let owner = "Riccati equation";
        let count = n as f64;
        require(shapes, owner, "order", count, "that of A, B, Q and R alike")?;
        for (quantity, matrix) in [("A", a), ("B", b), ("Q", q), ("R", r)] {
            let sum = matrix.map(f64::abs).sum();
            require(sum.is_finite(), owner, quantity, sum, "finite")?;
        }
        require_weight("Q", q, false)?;
        require_weight("R", r, true)?;
        let (mut q, mut r) = (q.clone(), r.clone());
        symmetrize(&mut q);
        symmetrize(&mut r);
        let mut problem = Self {
            time,
            a: a.clone(),
            b: b.clone(),
            g: DMatrix::zeros(n, n),
            q,
            r,
        };
        problem.g = &problem.b * solve_positive(&problem.r, &problem.b.transpose())?;
        symmetrize(&mut problem.g);
        Ok(problem)
    }

    fn order(&self) -> usize {
        self.a.nrows()
    }

    fn solve(&self) -> Result<Riccati> {
        let (scaled, t) = self.balanced();
        let result = scaled.solve_balanced();
        let (x, doublings, refinements) = match result {
            Ok(found) => found,
            // The reason, if there is one that can be named, is better evidence than the residual.
            Err(error) => return Err(self.out_of_reach()?.unwrap_or(error)),
        };
        // X = T⁻¹ X̃ T⁻¹, exactly: T holds powers of two.
        let order = self.order();
        let solution = DMatrix::from_fn(order, order, |i, j| x[(i, j)] / (t[i] * t[j]));
        let mut gain = scaled.gain(&x)?;
        for (mut column, scale) in gain.column_iter_mut().zip(t.iter()) {
            column /= *scale;
        }
        let (_, scaled_residual) = scaled.residual(&x)?;
        let (_, residual) = self.residual(&solution)?;
        let riccati = Riccati {
            closed_loop: eigen::eigenvalues(&(&scaled.a - &scaled.b * scaled.gain(&x)?))?,
            solution,
            gain,
            relative_residual: residual.max(scaled_residual),
            doublings,
            refinements,
        };
        let growth = self.time.growth(&riccati.closed_loop);
        let fastest = riccati.closed_loop.iter().map(|x| math::modulus(*x));
        let margin = MARGIN * fastest.fold(0.0, f64::max);
        let solved = riccati.relative_residual <= ALLOWED_RESIDUAL;
        if solved && growth < self.time.boundary() - margin {
            return Ok(riccati);
        }
        match self.out_of_reach()? {
            Some(reason) => Err(reason),
            None if solved && growth < self.time.boundary() => Ok(riccati),
            None => Err(Error::RiccatiNotConverged {
                order,
                iterations: doublings + refinements,
                residual: riccati.relative_residual,
                allowed: ALLOWED_RESIDUAL,
                growth,
            }),
        }
    }

    /// Doubling and Newton's refinement: X, doubling steps, refinements.
    fn solve_balanced(&self) -> Result<(DMatrix<f64>, usize, usize)> {
        let (mut x, doublings) = self.stabilizing_start()?;
        let (mut residual, mut size) = self.residual(&x)?;
        let (mut best, mut smallest, mut stalled) = (x.clone(), size, 0);
        let mut refinements = 0;
        while size > SMALLEST_RESIDUAL && refinements < MOST_REFINEMENTS && stalled < 2 {
            let closed = &self.a - &self.b * self.gain(&x)?;
            let change = match self.time {
                Time::Continuous => lyapunov::continuous(&closed, &residual),
                Time::Sampled => lyapunov::sampled(&closed, &residual),
            };
            let Ok(change) = change else { break };
            x += change; // (3)
            symmetrize(&mut x);
            (residual, size) = self.residual(&x)?;
            refinements += 1;
            // Far from the solution the residual may grow before it falls.
            stalled = if size < smallest || smallest > 1e-6 {
                0
            } else {
                stalled + 1
            };
            if size < smallest {
                smallest = size;
                best.copy_from(&x);
            }
        }
        Ok((best, doublings, refinements))
    }

    /// A solution whose gain stabilises, good enough for Newton to start from.
    ///
    /// Doubling finds the smallest positive solution, which stabilises only if the weights see
    /// every unstable mode. Where they do not, larger weights give the start.
    fn stabilizing_start(&self) -> Result<(DMatrix<f64>, usize)> {
        let order = self.order();
        let attempt = |q: &DMatrix<f64>| -> Result<(DMatrix<f64>, usize)> {
            let (x, doublings) = match self.time {
                Time::Continuous => doubling::continuous(&self.a, &self.g, q)?,
                Time::Sampled => doubling::sampled(&self.a, &self.g, q)?,
            };
            let values = eigen::eigenvalues(&(&self.a - &self.b * self.gain(&x)?))?;
            let growth = self.time.growth(&values);
            if growth < self.time.boundary() {
                return Ok((x, doublings));
            }
            Err(Error::RiccatiNotConverged {
                order,
                iterations: doublings,
                residual: self.residual(&x)?.1,
                allowed: ALLOWED_RESIDUAL,
                growth,
            })
        };
        attempt(&self.q).or_else(|error| {
            let seen = self.a.amax().powi(2) / self.g.amax().max(f64::MIN_POSITIVE);
            let weight = self.q.amax() + seen;
            if !weight.is_finite() {
                return Err(error);
            }
            attempt(&(&self.q + DMatrix::identity(order, order) * weight)).map_err(|_| error)
        })
    }

    /// K of (1) or (2).
    fn gain(&self, x: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let bx = self.b.tr_mul(x);
        match self.time {
            Time::Continuous => solve_positive(&self.r, &bx),
            Time::Sampled => {
                let mut weight = &self.r + &bx * &self.b;
                symmetrize(&mut weight);
                solve_positive(&weight, &(bx * &self.a))
            }
        }
    }

    /// Residual of (1) or (2), and its norm relative to the terms.
    fn residual(&self, x: &DMatrix<f64>) -> Result<(DMatrix<f64>, f64)> {
        let gain = self.gain(x)?;
        let (mut residual, size) = match self.time {
            Time::Continuous => {
                let xa = x * &self.a;
                let quadratic = (x * &self.b) * gain;
                let size = 2.0 * xa.norm() + quadratic.norm() + self.q.norm();
                (&xa + xa.transpose() - quadratic + &self.q, size)
            }
            Time::Sampled => {
                let axa = self.a.tr_mul(&(x * &self.a));
                let quadratic = self.a.tr_mul(&(x * &self.b)) * gain;
                let size = x.norm() + axa.norm() + quadratic.norm() + self.q.norm();
                (axa - quadratic + &self.q - x, size)
            }
        };
        symmetrize(&mut residual);
        let size = if size > 0.0 {
            residual.norm() / size
        } else {
            0.0
        };
        Ok((residual, size))
    }
}

impl Time {
    /// What must stay below the boundary: real part or modulus.
    fn growth(self, values: &[Complex<f64>]) -> f64 {
        let growth = |value: &Complex<f64>| match self {
            Self::Continuous => value.re,
            Self::Sampled => math::modulus(*value),
        };
        values.iter().map(growth).fold(f64::NEG_INFINITY, f64::max)
    }

    fn boundary(self) -> f64 {
        match self {
            Self::Continuous => 0.0,
            Self::Sampled => 1.0,
        }
    }
}

/// Solves `M y = b` for a symmetric positive definite M.
fn solve_positive(matrix: &DMatrix<f64>, right: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    match matrix.clone().cholesky() {
        Some(factors) => Ok(factors.solve(right)),
        None => Err(multibody::Error::NotPositive {
            owner: "Riccati equation".into(),
            quantity: "R",
            allowed: "positive definite",
            eigenvalue: eigen::symmetric(matrix.clone())?.values.min(),
        }
        .into()),
    }
}

/// Refuses weights that are not symmetric and positive.
fn require_weight(quantity: &'static str, weight: &DMatrix<f64>, strictly: bool) -> Result<()> {
    let scale = weight.amax();
    let asymmetric = (weight - weight.transpose()).amax() > 1e-9 * scale;
    let smallest = if asymmetric {
        f64::NAN
    } else {
        let mut symmetric = weight.clone();
        symmetrize(&mut symmetric);
        eigen::symmetric(symmetric)?.values[0]
    };
    let ok = if strictly {
        smallest > 0.0
    } else {
        smallest >= -1e-12 * scale
    };
    if ok {
        return Ok(());
    }
    Err(multibody::Error::NotPositive {
        owner: "Riccati equation".into(),
        quantity,
        allowed: if strictly {
            "positive definite"
        } else {
            "positive semidefinite"
        },
        eigenvalue: smallest,
    }
    .into())
}
