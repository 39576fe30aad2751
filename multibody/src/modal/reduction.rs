//! The model linearised about an equilibrium, on the motions its constraints allow.
//!
//! Small motions ψ (node twists, stacked, n = N · nodes) about an equilibrium with multipliers λ:
//!
//! ```text
//! M ψ̈ + C ψ̇ + K ψ + φ_qᵀ δλ = f,   φ_q ψ = 0                                  (1)
//! K = ∂(r + φ_qᵀ λ)/∂ψ     (with the geometric stiffness of the joint forces)   (2)
//! ψ = Z z,  φ_q Z = 0:   Zᵀ M Z z̈ + Zᵀ C Z ż + Zᵀ K Z z = Zᵀ f                  (3)
//! δλ = (φ_qᵀ)⁺ (f − M Z z̈ − C Z ż − K Z z)                                      (4)
//! ```
//!
//! Z spans the null space of φ_q by Householder QR of `S φ_qᵀ`, `S = diag(1, …, 1/ℓ, …)` with the
//! model's length ℓ on rotations and every row scaled to length one: its columns are orthonormal
//! when rotations are multiplied by ℓ, and z is a length [m]. The curvature of the constraint
//! surface does not enter (3): at an equilibrium the total force vanishes in every direction.

use crate::assembly::{self, ConstraintLevel, Task, Weights};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::{Location, Model};
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::{DMatrix, DVector, Dyn, QR, SMatrix, SVector};

/// A linear system `M q̈ + C q̇ + K q = f`, all of shape f × f.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOrder {
    /// Mass M.
    pub mass: DMatrix<f64>,
    /// Damping C.
    pub damping: DMatrix<f64>,
    /// Stiffness K.
    pub stiffness: DMatrix<f64>,
}

impl SecondOrder {
    /// The same system in the coordinates y of `q = T y`.
    pub fn transformed(&self, t: &DMatrix<f64>) -> Self {
        let congruent = |m: &DMatrix<f64>| t.tr_mul(&(m * t));
        Self {
            mass: congruent(&self.mass),
            damping: congruent(&self.damping),
            stiffness: congruent(&self.stiffness),
        }
    }

    /// Number of coordinates.
    pub fn order(&self) -> usize {
        self.mass.nrows()
    }
}

/// A model about an equilibrium in independent coordinates, eq. (3).
#[derive(Debug, Clone)]
pub struct Reduction<const N: usize> {
    /// Z: twists of all nodes, N rows each, per unit of each coordinate; shape n × f.
    pub basis: DMatrix<f64>,
    /// Mass, damping and stiffness in the coordinates z.
    pub system: SecondOrder,
    /// M, C, K of eq. (1), shape n × n.
    pub(crate) full: SecondOrder,
    pub(crate) constraints: Constraints,
    /// Lagrange multipliers of the equilibrium [N or N·m].
    pub multipliers: Vec<f64>,
}

/// The constraint gradient, factorised.
#[derive(Debug, Clone)]
pub(crate) struct Constraints {
    qr: QR<f64, Dyn, Dyn>,
    /// S as a vector.
    unit: DVector<f64>,
    /// Inverse norms of the rows of φ_q S.
    row_scale: DVector<f64>,
}

/// A row is redundant when less than this of its gradient is independent of the rows before it.
const INDEPENDENT: f64 = 1e-9;
/// An eigenvalue of the mass matrix (scaled to a unit diagonal) below this counts as zero. Slender
/// rigid bodies reach 1e-6, rounding stays below 1e-14.
const MASSLESS: f64 = 1e-13;
/// Distance from equilibrium allowed (relative to the model's length; rad).
const AT_REST: f64 = 1e-6;

impl Constraints {
    /// Factorises φ_q (m × n) and refuses redundant rows.
    fn new<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        jacobian: &DMatrix<f64>,
        time: f64,
    ) -> Result<Self> {
        let (rows, size) = jacobian.shape();
        let ell = model.length_scale;
        let unit = DVector::from_fn(size, |i, _| if i % N < D { 1.0 } else { 1.0 / ell });
        let mut scaled = DMatrix::from_fn(size, rows, |i, row| unit[i] * jacobian[(row, i)]);
        let row_scale = DVector::from_fn(rows, |row, _| {
            let norm = scaled.column(row).norm();
            if norm > 0.0 { 1.0 / norm } else { 1.0 }
        });
        for (mut column, scale) in scaled.column_iter_mut().zip(row_scale.iter()) {
            column *= *scale;
        }
        let qr = scaled.qr();
        // |R_jj| is the distance of row j from the span of the rows before it.
        let r = qr.r();
        let dependent = |row: &usize| *row >= size || r[(*row, *row)].abs() < INDEPENDENT;
        let mut redundant = (0..rows).filter(dependent);
        if let Some(first) = redundant.next() {
            return Err(Error::Redundant {
                time,
                count: 1 + redundant.count(),
                constraints: rows,
                location: model.row_location(first),
            });
        }
        Ok(Self {
            qr,
            unit,
            row_scale,
        })
    }

    fn rows(&self) -> usize {
        self.row_scale.len()
    }

    /// Z of eq. (3).
    fn null_space(&self) -> DMatrix<f64> {
        let size = self.unit.len();
        let mut q_transposed = DMatrix::identity(size, size);
        if self.rows() > 0 {
            self.qr.q_tr_mul(&mut q_transposed);
        }
        let free = size - self.rows();
        DMatrix::from_fn(size, free, |i, j| {
            self.unit[i] * q_transposed[(self.rows() + j, i)]
        })
    }

    /// The multipliers whose joint forces `φ_qᵀ λ` come nearest to the columns of `force`, (4).
    pub(crate) fn multipliers(&self, force: &DMatrix<f64>) -> DMatrix<f64> {
        let rows = self.rows();
        if rows == 0 {
            return DMatrix::zeros(0, force.ncols());
        }
        let mut scaled = force.clone();
        for (mut row, unit) in scaled.row_iter_mut().zip(self.unit.iter()) {
            row *= *unit;
        }
        self.qr.q_tr_mul(&mut scaled);
        let mut out = scaled.rows(0, rows).into_owned();
        // The diagonal was checked against INDEPENDENT, so R is regular.
        let solved = self.qr.r().solve_upper_triangular_mut(&mut out);
        debug_assert!(solved);
        for (mut row, scale) in out.row_iter_mut().zip(self.row_scale.iter()) {
            row *= *scale;
        }
        out
    }
}

/// Linearises `model` about `state`, which must be an equilibrium under its own inputs.
///
/// Velocities and accelerations of the state and rates of its inputs are taken as zero, and the
/// multipliers are computed anew from the forces at rest.
pub fn reduce<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<Reduction<N>> {
    G::reduce(model, state, workspace)
}

/// [`reduce`], compiled for a group.
pub(crate) fn reduce_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<Reduction<N>> {
    let mut rest = state.clone();
    rest.stop();
    rest.inputs.rate.fill(0.0);
    rest.inputs.acceleration.fill(0.0);
    let weights = |stiffness, damping, inertia| Weights {
        stiffness,
        damping,
        inertia,
    };
    let nodes = N * model.node_count();
    workspace.reset_maps();

    // Forces and constraint gradient at rest; the multipliers that balance them.
    let (matrix, gap, force) = assemble(model, &rest, workspace, weights(0.0, 0.0, 0.0))?;
    check_gap(model, &rest, &gap)?;
    let jacobian = matrix.view((nodes, 0), (model.row_count, nodes)).into();
    let constraints = Constraints::new(model, &jacobian, rest.time)?;
    let change = constraints.multipliers(&force);
    for (lambda, change) in rest.multipliers.iter_mut().zip(change.iter()) {
        *lambda += change;
    }

    let mut block = |w| -> Result<DMatrix<f64>> {
        let (matrix, ..) = assemble(model, &rest, workspace, w)?;
        Ok(matrix.view((0, 0), (nodes, nodes)).into_owned())
    };
    let full = SecondOrder {
        stiffness: block(weights(1.0, 0.0, 0.0))?,
        damping: block(weights(0.0, 1.0, 0.0))?,
        mass: block(weights(0.0, 0.0, 1.0))?,
    };
    let basis = constraints.null_space();
    if basis.ncols() == 0 {
        return Err(Error::Modal {
            problem: "the constraints leave no motion",
            asked: 1,
            available: 0,
        });
    }
    let mut system = full.transformed(&basis);
    symmetrize(&mut system.mass);
    check_mass(model, &basis, &system.mass)?;
    let unbalanced = basis.tr_mul(&force);
    check_rest(model, rest.time, &basis, &system, &unbalanced)?;
    Ok(Reduction {
        basis,
        system,
        full,
        constraints,
        multipliers: rest.multipliers,
    })
}

/// Dense matrix of the given weights, violations of the constraints, and force `−r` on the nodes.
fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    weights: Weights,
) -> Result<(DMatrix<f64>, Vec<f64>, DMatrix<f64>)> {
    let task = Task {
        weights,
        dynamic: true,
        level: ConstraintLevel::Position,
        constraint_scale: 1.0,
    };
    let Workspace { maps, system, .. } = workspace;
    let mut motion = rest.motion_with(maps);
    // About an equilibrium, limits of rates are not felt.
    motion.since_memory = f64::INFINITY;
    assembly::assemble(model, &motion, &task, system)?;
    let matrix = system.to_dense(&model.layout);
    let force = stacked(system);
    let bad = |x: &f64| !x.is_finite();
    let location = if let Some(entry) = force.iter().position(bad) {
        model.node_location(entry / N)
    } else if let Some(row) = system.row_rhs.iter().position(bad) {
        model.row_location(row)
    } else if let Some(entry) = matrix.iter().position(bad) {
        let node = entry % matrix.nrows() / N;
        model.node_location(node.min(model.node_count() - 1))
    } else {
        return Ok((matrix, system.row_rhs.clone(), force));
    };
    Err(Error::NotFinite {
        time: rest.time,
        iteration: 0,
        location,
    })
}

/// The nodes' right-hand side as one column.
pub(crate) fn stacked<const N: usize>(system: &System<N>) -> DMatrix<f64> {
    let entries = system.node_rhs.iter().flat_map(|v| v.iter().copied());
    DMatrix::from_iterator(N * system.node_rhs.len(), 1, entries)
}

/// Replaces a matrix by its symmetric part.
pub fn symmetrize(matrix: &mut DMatrix<f64>) {
    let transposed = matrix.transpose();
    *matrix += transposed;
    *matrix *= 0.5;
}

/// Refuses poses that violate a constraint.
fn check_gap<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    gap: &[f64],
) -> Result<()> {
    for (row, gap) in gap.iter().enumerate() {
        if gap.abs() > AT_REST * model.length_scale.min(1.0) {
            return Err(Error::NotEquilibrium {
                time: rest.time,
                location: model.row_location(row),
                correction: gap.abs(),
                allowed: AT_REST,
            });
        }
    }
    Ok(())
}

/// Refuses a mass matrix that is singular on the allowed motions.
fn check_mass<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    basis: &DMatrix<f64>,
    mass: &DMatrix<f64>,
) -> Result<()> {
    let scale = mass.map_diagonal(|m| if m > 0.0 { 1.0 / m.sqrt() } else { 1.0 });
    let scaled = DMatrix::from_fn(mass.nrows(), mass.ncols(), |i, j| {
        scale[i] * mass[(i, j)] * scale[j]
    });
    let eigen = super::eigen::symmetric(scaled)?;
    let count = eigen.values.iter().filter(|&&m| m < MASSLESS).count();
    if count == 0 {
        return Ok(());
    }
    let motion = basis * eigen.vectors.column(0).component_mul(&scale);
    Err(Error::Massless {
        count,
        coordinates: mass.nrows(),
        location: largest_node(model, &motion),
        ratio: eigen.values[0],
    })
}

/// Refuses a state from which the model would move: the step to the equilibrium is
/// `(K + M · 1 s⁻²) δ = Zᵀ f`, the mass standing in where there is no stiffness.
fn check_rest<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    time: f64,
    basis: &DMatrix<f64>,
    system: &SecondOrder,
    unbalanced: &DMatrix<f64>,
) -> Result<()> {
    let Some(step) = (&system.stiffness + &system.mass).lu().solve(unbalanced) else {
        return Ok(()); // an exact zero of the determinant says nothing about the forces
    };
    let correction = step.amax() / model.length_scale;
    if correction <= AT_REST {
        return Ok(());
    }
    let motion = DVector::from_column_slice((basis * step).as_slice());
    Err(Error::NotEquilibrium {
        time,
        location: largest_node(model, &motion),
        correction,
        allowed: AT_REST,
    })
}

/// The node that moves most.
fn largest_node<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &DVector<f64>,
) -> Location {
    let size = |i: usize| {
        let unit = if i % N < D { 1.0 } else { model.length_scale };
        motion[i].abs() * unit
    };
    let worst = (0..motion.len()).max_by(|&i, &j| size(i).total_cmp(&size(j)));
    model.node_location(worst.map_or(0, |i| i / N))
}

/// Cuts a stacked vector into the nodes' twists.
pub(crate) fn twists<T: nalgebra::Scalar + Copy, const N: usize>(
    motion: &DVector<T>,
) -> Vec<SVector<T, N>> {
    let cut = motion.as_slice().chunks_exact(N);
    cut.map(SMatrix::from_column_slice).collect()
}
