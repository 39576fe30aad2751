//! Direct solution of the Newton systems of beams, rigid nodes and constraints, in a time
//! proportional to the number of beam elements.
//!
//! The unknowns are `N` per node (3 in the plane, 6 in space) and one multiplier per constraint
//! row. A beam is a run of consecutive nodes, each coupled with its neighbours only. The matrix is
//! unsymmetric in value and symmetric in its block pattern; constraint rows have a zero diagonal.
//!
//! # Chain condensation
//!
//! A beam node without constraint row and without coupling is *interior*; every other node belongs
//! to the *skeleton*, and a skeleton node in the middle of a beam splits the beam into segments.
//! Along a segment with the left skeleton node l, the interior nodes 1 … k and the right skeleton
//! node k+1, node i is eliminated after node i−1:
//!
//! ```text
//! M_L = L_i D_i⁻¹,           M_R = R_i D_i⁻¹                                   (1)
//! D_{i+1} ← D_{i+1} − M_L U_i,    R_{i+1} ← R⁰_{i+1} − M_R U_i                 (2)
//! C_{i+1} ← C⁰_{i+1} − M_L C_i,   S_ll    ← S_ll     − M_R C_i                 (3)
//! r_{i+1} ← r_{i+1} − M_L r_i,    r_l     ← r_l      − M_R r_i                 (4)
//! δ_i = D_i⁻¹ (r_i − C_i δ_l − U_i δ_{i+1}),   i = k … 1                       (5)
//! ```
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | D_i | diagonal block of node i, as far as eliminated | N×N |
//! | U_i, L_i | blocks (i, i+1) and (i+1, i) of an element | N×N |
//! | C_i, R_i | blocks (i, l) and (l, i) | N×N |
//! | C⁰, R⁰ | their values in the matrix: the first element's blocks for i = 1, otherwise zero | N×N |
//! | S_ll | diagonal block of the left skeleton node | N×N |
//! | r, δ | right-hand side and solution | N |
//!
//! The units are those of the caller's equations. `[M_L; M_R]` is kept as one 2N×N matrix, so that
//! (1) to (3) are products with columns of 2N contiguous numbers.
//!
//! # Skeleton
//!
//! What remains couples the skeleton nodes and the constraint rows:
//!
//! ```text
//! P S Pᵀ = A,     Q A = L U                                                    (6)
//! ```
//!
//! with P an ordering of whole nodes and whole constraint groups that keeps the band narrow (chosen
//! once, see `ordering`) and Q the row interchanges of partial pivoting inside the band.
//! The sign of the determinant follows as
//!
//! ```text
//! sign det K = sign det Q · Π sign U_jj · Π sign det D_i                       (7)
//! ```
//!
//! Terms that couple nodes far apart are kept as a matrix of low rank beside this one (`update`).
//!
//! # Limits
//!
//! Rows are interchanged inside a block D_i and inside the skeleton, never between the interior
//! nodes of a segment: every leading part of a segment, held at both ends, must be regular. A beam
//! with mass, or one below the buckling load of its held segments, satisfies this. A node that
//! needs pivoting against its neighbours can be made a skeleton node by naming it in a coupling.
//!
//! Condensation forms the stiffness of a whole segment from that of its elements, by cancellation.
//! The relative error of a static solution is therefore about 1e-16 times the ratio of the largest
//! entry of an element to the smallest stiffness of the segment. With node frames that follow the
//! beam this is bending against bending and grows with the cube of the number of elements, to
//! 1e-12 for ten of them and 1e-8 for a hundred; with other frames, axial stiffness against
//! bending. Mass ends this growth.
//!
//! Pivots are compared by size: constraint entries should be scaled by the caller to within ten
//! orders of magnitude of the entries of their nodes.

#![allow(
    clippy::needless_range_loop,
    reason = "the indices are those of the equations"
)]

mod band;
mod chain;
mod layout;
mod ordering;
mod side_by_side;
mod system;
#[cfg(test)]
mod tests;
mod update;

pub use layout::{BeamRun, ConstraintGroup, Layout, LayoutError, Topology};
pub use side_by_side::SkeletonColumns;
pub use system::System;

/// A pivot below this fraction of its scale counts as zero. Rounding leaves about 1e-16 to 1e-15 of
/// the scale in an exactly singular matrix; a regular Newton matrix stays above 1e-11.
const RELATIVE_PIVOT: f64 = 1e-13;

/// The owner of a row and column of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A node, by its index.
    Node(usize),
    /// A constraint row, by its global index.
    Row(usize),
}

impl std::fmt::Display for Item {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Item::Node(node) => write!(formatter, "node {node}"),
            Item::Row(row) => write!(formatter, "constraint row {row}"),
        }
    }
}

/// The matrix is singular to working precision, or has an entry that is not finite.
///
/// The column of `item` depends linearly on the columns eliminated before it. For two equal
/// constraints this is the later of the two rows in the elimination order; for a mechanism it is a
/// node or a row that takes part in the free motion. An entry that is not finite is reported where
/// it first reaches a pivot.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("singular matrix at {item}: pivot {pivot:e}, scale {scale:e}")]
pub struct Singular {
    /// The owner of the column without a pivot.
    pub item: Item,
    /// The largest pivot available; for an interior node of three unknowns, its determinant.
    pub pivot: f64,
    /// The sum of the magnitudes that assembly added to the same column (for a node, within its
    /// diagonal block, its couplings and its constraints); for an interior node of three unknowns,
    /// the product of the three sums.
    pub scale: f64,
}
