//! Vibration modes about any equilibrium of a constrained model.
//!
//! In the independent coordinates z of [`reduce`] (its equations are in `reduction.rs`), with the
//! symmetric part of K:
//!
//! ```text
//! K x = ω² M x,   xᵀ M x = 1                                                   (1)
//! ```
//!
//! gives the undamped modes; ω² < 0 is an instability that grows as exp(√(−ω²) t). With damping,
//! or with loads that have no potential, the eigenvalues are complex. In the coordinates
//! `z = X y` and `w = D y`, `D = diag √max(|ω²|, 1 s⁻²)`, the state matrix
//!
//! ```text
//! d/dt (w, ẏ) = [0, D; −XᵀKX D⁻¹, −XᵀCX] (w, ẏ)                                (2)
//! (μ² I + μ XᵀCX + XᵀKX) y = 0,   μ = −ζ ω ± i ω √(1 − ζ²)                     (3)
//! ```
//!
//! is skew-symmetric for an undamped stable system, so its eigenvalues μ are computed to rounding
//! of the highest frequency; mode shapes follow by inverse iteration on (3).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | ω | angular frequency | rad/s |
//! | ζ | damping ratio | 1 |
//! | x, y | mode shape in coordinates z, in modes | kg^−½ |
//!
//! Source: Géradin & Rixen 2015 (`geradin2015`).

pub mod eigen;
mod hessenberg;
pub(crate) mod reduction;
#[cfg(test)]
mod tests;

pub use eigen::eigenvalues;
pub use reduction::{Reduction, SecondOrder, reduce, symmetrize};

use crate::error::{Error, Result};
use crate::group::Group;
use crate::math;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;
use core::f64::consts::TAU;
use nalgebra::{Complex, DMatrix, DVector, SVector};
use reduction::twists;

/// An undamped mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode<const N: usize> {
    /// ω² [rad²/s²]; negative for an instability.
    pub omega_squared: f64,
    /// Rounding error of ω² [rad²/s²]: a mode within it is neutral.
    pub resolution: f64,
    /// Twist of every node, in its frame, per unit modal coordinate [kg^−½, rad/(m·kg^½)];
    /// mass-normalised, its largest component positive.
    pub shape: Vec<SVector<f64, N>>,
}

impl<const N: usize> Mode<N> {
    /// Frequency [Hz]; zero for a neutral mode, NaN for an unstable one.
    pub fn frequency(&self) -> f64 {
        if self.is_neutral() {
            0.0
        } else {
            self.omega_squared.sqrt() / TAU
        }
    }

    /// True when the mode grows.
    pub fn is_unstable(&self) -> bool {
        self.omega_squared < -self.resolution
    }

    /// True when ω² is zero to rounding: a rigid motion, or a bifurcation point.
    pub fn is_neutral(&self) -> bool {
        self.omega_squared.abs() <= self.resolution
    }
}

/// Undamped modes, lowest ω² first.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes<const N: usize> {
    /// The modes asked for.
    pub modes: Vec<Mode<N>>,
    /// Number of degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Number of unstable modes among all.
    pub unstable: usize,
    /// Number of neutral modes among all.
    pub neutral: usize,
}

impl<const N: usize> Modes<N> {
    /// True when no mode grows: the equilibrium is a minimum of the potential, up to neutral
    /// motions.
    pub fn is_stable(&self) -> bool {
        self.unstable == 0
    }

    /// Frequencies [Hz], zero for neutral modes, NaN for unstable ones.
    pub fn frequencies(&self) -> Vec<f64> {
        self.modes.iter().map(Mode::frequency).collect()
    }
}

/// A damped mode: a complex pair (given once, with Im μ > 0) or a real eigenvalue.
#[derive(Debug, Clone, PartialEq)]
pub struct DampedMode<const N: usize> {
    /// Eigenvalue μ [1/s].
    pub eigenvalue: Complex<f64>,
    /// Twist of every node, in its frame, in units in which its mass norm is one; the phase makes
    /// the largest modal coordinate real and positive.
    pub shape: Vec<SVector<Complex<f64>, N>>,
}

impl<const N: usize> DampedMode<N> {
    /// Frequency of the damped oscillation, |Im μ|/2π [Hz].
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.im.abs() / TAU
    }

    /// Natural frequency |μ|/2π [Hz].
    pub fn natural_frequency(&self) -> f64 {
        math::modulus(self.eigenvalue) / TAU
    }

    /// Damping ratio ζ = −Re μ/|μ| [-]; ±1 for a real eigenvalue, 0 for a neutral mode.
    pub fn damping_ratio(&self) -> f64 {
        if math::modulus(self.eigenvalue) == 0.0 {
            0.0
        } else {
            -self.eigenvalue.re / math::modulus(self.eigenvalue)
        }
    }
}

/// Damped modes, smallest |μ| first.
#[derive(Debug, Clone, PartialEq)]
pub struct DampedModes<const N: usize> {
    /// The modes asked for.
    pub modes: Vec<DampedMode<N>>,
    /// Number of eigenvalues of the state matrix, twice the degrees of freedom.
    pub eigenvalue_count: usize,
    /// Number of eigenvalues that grow, among all.
    pub unstable: usize,
    /// Growth rate below which an eigenvalue is not called unstable [1/s].
    pub resolution: f64,
}

impl<const N: usize> DampedModes<N> {
    /// True when nothing grows.
    pub fn is_stable(&self) -> bool {
        self.unstable == 0
    }
}

/// All undamped modes of a linear system.
#[derive(Debug, Clone, PartialEq)]
pub struct ModalBasis {
    /// ω², ascending [rad²/s²].
    pub omega_squared: DVector<f64>,
    /// Mass-normalised shapes as columns, f × f.
    pub shapes: DMatrix<f64>,
    /// Rounding error of each ω² [rad²/s²].
    pub resolution: DVector<f64>,
    /// Largest antisymmetric entry of XᵀKX, in units of the larger ω² of its two modes.
    pub asymmetry: f64,
}

/// Antisymmetric part of the stiffness taken for rounding.
const SYMMETRIC: f64 = 1e-6;
/// Roundings that ω² collects, as a multiple of the machine's.
const ROUNDINGS: f64 = 8.0;
/// Backward error of the eigenvalues of (2), relative to the largest.
const BACKWARD_ERROR: f64 = 1e-12;
/// Growth of an oscillation, relative to |μ|, that may be rounding of its ratio.
const RELATIVE_GROWTH: f64 = 1e-9;
/// Inverse iterations for a mode shape; the first already starts at a rounding of the eigenvalue.
const INVERSE_ITERATIONS: usize = 3;

impl SecondOrder {
    /// Undamped modes of the symmetric part of the stiffness, eq. (1).
    pub fn modal_basis(&self) -> Result<ModalBasis> {
        let mut stiffness = self.stiffness.clone();
        symmetrize(&mut stiffness);
        let solved = eigen::pencil(&stiffness, &self.mass)?;
        let mut shapes = solved.vectors;
        for mut column in shapes.column_iter_mut() {
            if column[column.icamax()] < 0.0 {
                column.neg_mut();
            }
        }
        let size = stiffness.abs();
        let resolution = DVector::from_iterator(
            shapes.ncols(),
            shapes.column_iter().map(|x| {
                let x = x.abs();
                ROUNDINGS * f64::EPSILON * x.dot(&(&size * &x))
            }),
        );
        let skew = shapes.tr_mul(&((&self.stiffness - &stiffness) * &shapes));
        let mut asymmetry: f64 = 0.0;
        for i in 0..skew.nrows() {
            for j in 0..i {
                let scale = solved.values[i].abs().max(solved.values[j].abs()).max(1.0);
                asymmetry = asymmetry.max(skew[(i, j)].abs() / scale);
            }
        }
        Ok(ModalBasis {
            omega_squared: solved.values,
            shapes,
            resolution,
            asymmetry,
        })
    }
}

/// Number of eigenvalues μ of a state matrix (2) that grow, and the growth rate below which none
/// is called so [1/s]. Three kinds of rounding are not growth:
///
/// * the eigenvalue iteration is exact for a matrix that is off by `BACKWARD_ERROR` of the
///   largest eigenvalue;
/// * a rigid motion is a double zero, which that error e splits into ±√(e · 1 s⁻¹);
/// * a stiffness that is zero but for `neutral` [rad²/s²] makes |μ|² as large.
pub fn growing(eigenvalues: &[Complex<f64>], neutral: f64) -> (usize, f64) {
    let largest = eigenvalues
        .iter()
        .map(|mu| math::modulus(*mu))
        .fold(0.0, f64::max);
    let resolution = BACKWARD_ERROR * largest;
    let grows = |mu: &&Complex<f64>| {
        mu.re > resolution + RELATIVE_GROWTH * math::modulus(**mu)
            && mu.norm_sqr() > resolution.max(neutral)
    };
    (eigenvalues.iter().filter(grows).count(), resolution)
}

impl ModalBasis {
    /// Largest rounding error of an ω² that is zero [rad²/s²], and how many are.
    fn neutral(&self) -> (f64, usize) {
        let pairs = self.omega_squared.iter().zip(self.resolution.iter());
        let neutral = pairs.filter(|(square, resolution)| square.abs() <= **resolution);
        neutral.fold((0.0, 0), |(largest, count), (_, resolution)| {
            (resolution.max(largest), count + 1)
        })
    }

    /// Refuses a stiffness without potential.
    pub(crate) fn require_conservative(&self) -> Result<()> {
        if self.asymmetry <= SYMMETRIC {
            return Ok(());
        }
        Err(Error::NotConservative {
            asymmetry: self.asymmetry,
            allowed: SYMMETRIC,
        })
    }
}

/// The `count` lowest undamped modes of `model` about the equilibrium `state`.
pub fn modes<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    count: usize,
) -> Result<Modes<N>> {
    reduce(model, state, workspace)?.modes(count)
}

/// The `count` slowest damped modes of `model` about the equilibrium `state`.
pub fn damped_modes<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    count: usize,
) -> Result<DampedModes<N>> {
    reduce(model, state, workspace)?.damped_modes(count)
}

fn require_count(asked: usize, available: usize) -> Result<()> {
    if asked <= available {
        return Ok(());
    }
    Err(Error::Modal {
        problem: "there are fewer modes than asked for",
        asked,
        available,
    })
}

impl<const N: usize> Reduction<N> {
    /// The `count` lowest undamped modes.
    pub fn modes(&self, count: usize) -> Result<Modes<N>> {
        let available = self.system.order();
        require_count(count, available)?;
        let basis = self.system.modal_basis()?;
        basis.require_conservative()?;
        let mode = |i: usize| {
            let mut motion = &self.basis * basis.shapes.column(i);
            if motion[motion.icamax()] < 0.0 {
                motion.neg_mut();
            }
            Mode {
                omega_squared: basis.omega_squared[i],
                resolution: basis.resolution[i],
                shape: twists(&motion),
            }
        };
        let below = |i: &usize| basis.omega_squared[*i] < -basis.resolution[*i];
        let near = |i: &usize| basis.omega_squared[*i].abs() <= basis.resolution[*i];
        Ok(Modes {
            modes: (0..count).map(mode).collect(),
            degrees_of_freedom: available,
            unstable: (0..available).filter(below).count(),
            neutral: (0..available).filter(near).count(),
        })
    }

    /// The `count` slowest damped modes; of a complex pair one counts.
    pub fn damped_modes(&self, count: usize) -> Result<DampedModes<N>> {
        let basis = self.system.modal_basis()?;
        let modal = self.system.transformed(&basis.shapes);
        let all = eigen::eigenvalues(&state_matrix(&modal, &basis.omega_squared))?; // (2)
        let (neutral, count_neutral) = basis.neutral();
        let (unstable, resolution) = growing(&all, neutral);
        let mut sorted = all.clone();
        sorted.sort_by(|a, b| math::modulus(*a).total_cmp(&math::modulus(*b)));
        // A neutral mode is a double zero, or a zero beside a damped motion.
        for mu in &mut sorted[..(2 * count_neutral).min(all.len())] {
            if mu.norm_sqr() <= resolution.max(neutral) {
                *mu = Complex::from(0.0);
            }
        }
        let kept: Vec<_> = sorted.into_iter().filter(|mu| mu.im >= 0.0).collect();
        require_count(count, kept.len())?;
        let modes = kept[..count].iter().enumerate().map(|(i, &eigenvalue)| {
            let y = inverse_iteration(&modal, eigenvalue, i);
            let z = basis.shapes.map(Complex::from) * y;
            DampedMode {
                eigenvalue,
                shape: twists(&(self.basis.map(Complex::from) * z)),
            }
        });
        Ok(DampedModes {
            modes: modes.collect(),
            eigenvalue_count: all.len(),
            unstable,
            resolution,
        })
    }
}

/// The matrix of eq. (2) of a system in modal coordinates.
fn state_matrix(modal: &SecondOrder, omega_squared: &DVector<f64>) -> DMatrix<f64> {
    let order = modal.order();
    let d = omega_squared.map(|x| x.abs().max(1.0).sqrt());
    let mut a = DMatrix::zeros(2 * order, 2 * order);
    for j in 0..order {
        a[(j, order + j)] = d[j];
        for i in 0..order {
            a[(order + i, j)] = -modal.stiffness[(i, j)] / d[j];
            a[(order + i, order + j)] = -modal.damping[(i, j)];
        }
    }
    a
}

/// Solution y of eq. (3), of length one, for the eigenvalue μ. `seed` makes the start vectors of a
/// multiple eigenvalue different, so that its shapes are.
fn inverse_iteration(modal: &SecondOrder, mu: Complex<f64>, seed: usize) -> DVector<Complex<f64>> {
    let order = modal.order();
    let mut pencil = DMatrix::from_fn(order, order, |i, j| {
        let unit = if i == j { mu * mu } else { Complex::from(0.0) };
        unit + mu * modal.damping[(i, j)] + modal.stiffness[(i, j)]
    });
    let start = |i: usize| Complex::from(1.0 + 0.5 * math::sin((i * (seed + 1)) as f64));
    let mut y = DVector::from_fn(order, |i, _| start(i));
    let nudge = f64::EPSILON * pencil.map(math::modulus).amax().max(f64::MIN_POSITIVE);
    for i in 0..order {
        pencil[(i, i)] += nudge; // an exactly singular matrix could not be factorised
    }
    let factors = pencil.lu();
    for _ in 0..INVERSE_ITERATIONS {
        match factors.solve(&y) {
            Some(next) if next.norm().is_finite() => y = next.unscale(next.norm()),
            _ => break,
        }
    }
    let largest = y[y.icamax()];
    let phase = largest.conj() / math::modulus(largest);
    y * phase
}
