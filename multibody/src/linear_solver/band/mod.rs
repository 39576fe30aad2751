//! LU factorisation with partial pivoting of a band matrix, inside its profile.
//!
//! ```text
//! for j = 0 … n−1:
//!   p = argmax |a_ij|, i = j … reach(j);  u_jk = a_pk,  row j takes the place of row p   (1)
//!   m_ij = a_ij / u_jj,                   i = j+1 … reach(j)                             (2)
//!   a_ik ← a_ik − m_ij u_jk,              k = j+1 … fill(j)                              (3)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | n | number of unknowns, rounded up to an even number |
//! | reach(j) | last row with an entry in a column up to j |
//! | fill(j) | last column of the rows up to reach(j) |
//!
//! The interchanges are not applied to the multipliers of earlier columns, as in LAPACK's `gbtrf`.
//!
//! Speed in a small matrix is a matter of latency, and three choices serve it. Entries are read
//! and written by the same pairs of columns (0, 1), (2, 3), … in every step, because a load that
//! straddles two recent stores has to wait for the cache; the columns therefore come in an even
//! and an odd kind. The pivot row is copied out and row j enters the place of row p by way of the
//! update (3), so that no load follows a store whose place depends on p. And the size of the band
//! is a constant of the compiled code, up to the largest of [`KERNELS`].

mod elimination;
mod substitution;

use super::chain::{Block, Tall};
use super::ordering;

/// Two neighbouring columns of a row.
type Pair = [f64; 2];

/// Pairs to the right of a pivot and rows below it for which there is compiled code.
const KERNELS: [(usize, usize); 5] = [(4, 5), (6, 8), (8, 12), (12, 16), (16, 24)];

/// Runs `$compiled` of a band with the constants of its kernel, or `$wide` if it has none.
macro_rules! with_kernel {
    ($band:expr, $shape:expr, $compiled:ident, $wide:ident) => {
        match ($shape.pairs, $shape.most_below) {
            (4, 5) => $band.$compiled::<4, 5, { stride(4, 5) }>($shape),
            (6, 8) => $band.$compiled::<6, 8, { stride(6, 8) }>($shape),
            (8, 12) => $band.$compiled::<8, 12, { stride(8, 12) }>($shape),
            (12, 16) => $band.$compiled::<12, 16, { stride(12, 16) }>($shape),
            (16, 24) => $band.$compiled::<16, 24, { stride(16, 24) }>($shape),
            _ => $band.$wide($shape),
        }
    };
}

/// Pairs from one row to the next in memory: row i lives in the pairs from (i − below) / 2 to
/// (i + 1) / 2 + pairs − 1.
const fn stride(pairs: usize, below: usize) -> usize {
    pairs + below.div_ceil(2)
}

/// The pattern of a band matrix; immutable.
#[derive(Debug, Clone)]
pub(super) struct BandShape {
    /// Number of unknowns.
    size: usize,
    /// Pairs stored to the right of a pivot.
    pairs: usize,
    /// Multipliers stored for a column.
    most_below: usize,
    /// See [`stride`].
    stride: usize,
    /// The number of rows below each pivot; of even length.
    below: Vec<usize>,
}

impl BandShape {
    /// The pattern of rows that extend from `first[i]` to `last[i]`.
    pub fn new(first: &[usize], last: &[usize]) -> Self {
        let size = first.len();
        let reach = ordering::reach(first);
        let fill = ordering::fill(&reach, last);
        let mut below: Vec<usize> = reach.iter().enumerate().map(|(j, row)| row - j).collect();
        below.resize(size.next_multiple_of(2), 0);
        let column_pairs = fill
            .iter()
            .enumerate()
            .map(|(j, end)| end / 2 + 1 - j.div_ceil(2));
        let needed = (
            column_pairs.max().unwrap_or(0).max(1),
            below.iter().copied().max().unwrap_or(0).max(1),
        );
        let fits = |kernel: &&(usize, usize)| kernel.0 >= needed.0 && kernel.1 >= needed.1;
        let &(pairs, most_below) = KERNELS.iter().find(fits).unwrap_or(&needed);
        Self {
            size,
            pairs,
            most_below,
            stride: stride(pairs, most_below),
            below,
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of unknowns with the zeros that follow them in a right-hand side.
    pub fn padded_size(&self) -> usize {
        self.below.len() + self.most_below.max(2 * self.pairs) + 1
    }

    /// Numbers stored for the matrix and its factors.
    pub fn storage(&self) -> usize {
        2 * self.entry_pairs() + self.below.len() * (2 * self.pairs + self.most_below)
    }

    /// Pairs of entries before factorisation.
    fn entry_pairs(&self) -> usize {
        self.below.len() * self.stride + self.below.len() / 2
    }

    /// The place of an entry.
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> usize {
        2 * row * self.stride + column
    }
}

/// A column without a pivot.
#[derive(Debug)]
pub(super) struct NoPivot {
    /// The column.
    pub column: usize,
    /// The largest candidate.
    pub pivot: f64,
    /// The sum of the magnitudes added to the column.
    pub scale: f64,
}

/// A band matrix, and after [`Band::factor`] its factors.
#[derive(Debug, Clone)]
pub(super) struct Band {
    /// The entries, by rows, see [`BandShape::at`].
    entries: Vec<Pair>,
    /// Sum of the magnitudes added to each column.
    scale: Vec<f64>,
    /// Rows of U to the right of the pivot; zero in the place of the pivot.
    upper: Vec<Pair>,
    /// Multipliers (2).
    multipliers: Vec<f64>,
    /// Reciprocal pivots.
    reciprocals: Vec<f64>,
    /// p − j.
    interchanges: Vec<usize>,
    /// Right-hand side and solution, followed by zeros.
    values: Vec<f64>,
}

impl Band {
    /// A zero matrix.
    pub fn new(shape: &BandShape) -> Self {
        let size = shape.below.len();
        Self {
            entries: vec![[0.0; 2]; shape.entry_pairs()],
            scale: vec![0.0; size],
            upper: vec![[0.0; 2]; size * shape.pairs],
            multipliers: vec![0.0; size * shape.most_below],
            reciprocals: vec![0.0; size],
            interchanges: vec![0; size],
            values: vec![0.0; shape.padded_size()],
        }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.entries.fill([0.0; 2]);
        self.scale.fill(0.0);
    }

    /// Adds to one entry.
    #[inline(always)]
    pub fn add(&mut self, shape: &BandShape, row: usize, column: usize, value: f64) {
        self.entries.as_flattened_mut()[shape.at(row, column)] += value;
        self.scale[column] += value.abs();
    }

    /// Adds to a block; `row` and `column` are those of its first entry.
    #[inline(always)]
    pub fn add_block<const N: usize>(
        &mut self,
        shape: &BandShape,
        row: usize,
        column: usize,
        block: &Block<N>,
    ) {
        let start = shape.at(row, column);
        let entries = self.entries.as_flattened_mut();
        for i in 0..N {
            let entries = &mut entries[start + 2 * i * shape.stride..][..N];
            for k in 0..N {
                entries[k] += block[k][i];
            }
        }
    }

    /// Adds to a block one half of a tall matrix: 0 is the upper half, 1 the lower one.
    #[inline(always)]
    pub fn add_half<const N: usize>(
        &mut self,
        shape: &BandShape,
        row: usize,
        column: usize,
        tall: &Tall<N>,
        half: usize,
    ) {
        let start = shape.at(row, column);
        let entries = self.entries.as_flattened_mut();
        for i in 0..N {
            let entries = &mut entries[start + 2 * i * shape.stride..][..N];
            for k in 0..N {
                entries[k] += tall[k][half][i];
            }
        }
    }

    /// Adds the magnitudes of a block to the scale of its columns.
    #[inline(always)]
    pub fn add_scale<const N: usize>(&mut self, column: usize, block: &Block<N>) {
        let scale = &mut self.scale[column..column + N];
        for k in 0..N {
            for i in 0..N {
                scale[k] += block[k][i].abs();
            }
        }
    }

    /// The entry of an assembled matrix; zero outside the band.
    pub fn entry(&self, shape: &BandShape, row: usize, column: usize) -> f64 {
        let (upper, lower) = (row.min(column), row.max(column));
        if lower > upper + shape.below[upper] {
            return 0.0;
        }
        self.entries.as_flattened()[shape.at(row, column)]
    }

    /// The right-hand side of [`Band::solve`], then the solution.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Replaces the entries by their LU factors and returns the sign of the determinant.
    pub fn factor(&mut self, shape: &BandShape) -> Result<f64, NoPivot> {
        if shape.size % 2 == 1 {
            self.add(shape, shape.size, shape.size, 1.0);
        }
        with_kernel!(self, shape, factor_compiled, factor_wide)
    }

    /// Solves for the right-hand side in place.
    pub fn solve(&mut self, shape: &BandShape) {
        with_kernel!(self, shape, solve_compiled, solve_wide);
    }

    /// Solves in place for several right-hand sides side by side: the same products and sums, lane by
    /// lane, as [`Band::solve`] has in a band with a kernel.
    pub fn solve_lanes<const L: usize>(&self, shape: &BandShape, values: &mut [[f64; L]]) {
        match (shape.pairs, shape.most_below) {
            (4, 5) => self.solve_lanes_of::<4, 5, L>(values),
            (6, 8) => self.solve_lanes_of::<6, 8, L>(values),
            (8, 12) => self.solve_lanes_of::<8, 12, L>(values),
            (12, 16) => self.solve_lanes_of::<12, 16, L>(values),
            (16, 24) => self.solve_lanes_of::<16, 24, L>(values),
            _ => self.solve_lanes_wide(shape, values),
        }
    }
}
