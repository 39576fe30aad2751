//! LU factorisation with partial pivoting of a band matrix, inside its profile.
//!
//! ```text
//! for j = 0 … n−1:
//!   p = argmax |a_ij|, i = j … reach(j);  interchange rows j and p             (1)
//!   a_ij ← a_ij / a_jj,                   i = j+1 … reach(j)                   (2)
//!   a_ik ← a_ik − a_ij a_jk,              k = j+1 … last(j)                    (3)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | n | number of unknowns |
//! | reach(j) | last row with an entry in a column up to j; fixed by the pattern |
//! | last(i) | last column of row i; grows by elimination and moves with its row |
//!
//! The interchanges are not applied to the multipliers of earlier columns, as in LAPACK's `gbtrf`.
//! Element (i, k) is stored by rows at `i · stride + k`. The stride is smaller than n in a long
//! skeleton: only the band has a place of its own, with room for the fill of (1) and for rounding
//! the length of (3) up to a multiple of [`LANES`].

use super::RELATIVE_PIVOT;
use super::ordering;

/// Row updates proceed by this many columns.
const LANES: usize = 4;

/// The pattern of a band matrix; immutable.
#[derive(Debug, Clone)]
pub(super) struct BandShape {
    /// Number of unknowns.
    pub size: usize,
    /// Distance in memory of two rows.
    pub stride: usize,
    /// The last row touched by elimination of each column.
    reach: Vec<usize>,
    /// The last column of each row before elimination.
    last: Vec<usize>,
}

impl BandShape {
    /// The pattern of rows that extend from `first[i]` to `last[i]`.
    pub fn new(first: &[usize], last: Vec<usize>) -> Self {
        let below = first
            .iter()
            .enumerate()
            .map(|(i, &column)| i - column)
            .max()
            .unwrap_or(0);
        let above = last
            .iter()
            .enumerate()
            .map(|(i, &column)| column - i)
            .max()
            .unwrap_or(0);
        let stride = 2 * below + above + LANES;
        Self {
            size: first.len(),
            stride,
            reach: ordering::reach(first),
            last,
        }
    }

    /// Numbers to store, with room for a whole stride behind every diagonal entry.
    pub fn storage(&self) -> usize {
        self.size * (self.stride + 1)
    }

    /// The columns of a row before elimination.
    pub fn columns(&self, row: usize) -> std::ops::RangeInclusive<usize> {
        self.reach.partition_point(|&bottom| bottom < row)..=self.last[row]
    }

    /// The place of an entry.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> usize {
        row * self.stride + column
    }
}

/// A column without a pivot.
pub(super) struct NoPivot {
    /// The column.
    pub column: usize,
    /// The largest candidate.
    pub pivot: f64,
    /// The sum of magnitudes of the column before factorisation.
    pub scale: f64,
}

/// A band matrix, and after [`Band::factor`] its factors.
#[derive(Debug, Clone)]
pub(super) struct Band {
    /// The entries, see [`BandShape::at`].
    pub entries: Vec<f64>,
    /// Last column of each row, as far as eliminated.
    last: Vec<usize>,
    /// Sum of magnitudes per column.
    scale: Vec<f64>,
    /// Reciprocal pivots.
    reciprocal: Vec<f64>,
    /// The row interchanged with row j, relative to j.
    interchange: Vec<usize>,
}

impl Band {
    /// A zero matrix.
    pub fn new(shape: &BandShape) -> Self {
        Self {
            entries: vec![0.0; shape.storage()],
            last: shape.last.clone(),
            scale: vec![0.0; shape.size + LANES],
            reciprocal: vec![0.0; shape.size],
            interchange: vec![0; shape.size],
        }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Replaces the entries by their LU factors and returns the sign of the determinant.
    pub fn factor(&mut self, shape: &BandShape) -> Result<f64, NoPivot> {
        self.sum_columns(shape);
        self.last.copy_from_slice(&shape.last);
        let stride = shape.stride;
        let mut sign = 1.0;
        let columns = shape
            .reach
            .iter()
            .zip(&self.scale)
            .zip(&mut self.reciprocal);
        let columns = columns.zip(&mut self.interchange).enumerate();
        for (j, (((&reach, &scale), reciprocal), interchange)) in columns {
            let below = reach - j;
            let window = &mut self.entries[j * (stride + 1)..];
            let (pivot_row, rows) = window.split_at_mut(stride);
            let rows = &mut rows[..below * stride];
            let lasts = &mut self.last[j..=reach];

            // (1)
            let mut best = pivot_row[0].abs();
            let mut chosen = 0;
            for index in 1..=below {
                let candidate = rows[(index - 1) * stride].abs();
                if candidate > best {
                    best = candidate;
                    chosen = index;
                }
            }
            // Written so that a scale or a pivot that is not a number fails.
            if !(best > RELATIVE_PIVOT * scale) {
                return Err(NoPivot {
                    column: j,
                    pivot: pivot_row[0],
                    scale,
                });
            }
            *interchange = chosen;
            if chosen > 0 {
                let chunks = (lasts[0].max(lasts[chosen]) - j) / LANES + 1;
                let (other, _) = rows[(chosen - 1) * stride..].as_chunks_mut::<LANES>();
                let (pivot_row, _) = pivot_row.as_chunks_mut::<LANES>();
                for (a, b) in pivot_row[..chunks].iter_mut().zip(&mut other[..chunks]) {
                    (*a, *b) = (*b, *a);
                }
                lasts.swap(0, chosen);
                sign = -sign;
            }
            let pivot = pivot_row[0];
            if pivot < 0.0 {
                sign = -sign;
            }
            *reciprocal = 1.0 / pivot;
            let end = lasts[0];
            let (pivot_row, _) = pivot_row[1..].as_chunks::<LANES>();
            let pivot_row = &pivot_row[..(end - j).div_ceil(LANES)];
            let mut elimination = Elimination {
                reciprocal: *reciprocal,
                rows,
                stride,
                lasts: &mut lasts[1..],
                end,
            };
            match *pivot_row {
                [] => elimination.apply(&[]),
                [a] => elimination.apply(&[a]),
                [a, b] => elimination.apply(&[a, b]),
                [a, b, c] => elimination.apply(&[a, b, c]),
                _ => elimination.apply_long(pivot_row),
            }
        }
        Ok(sign)
    }

    /// Sums the magnitudes of every column.
    fn sum_columns(&mut self, shape: &BandShape) {
        self.scale.fill(0.0);
        let mut first = 0;
        for row in 0..shape.size {
            while shape.reach[first] < row {
                first += 1;
            }
            let end = shape.last[row];
            let chunks = (end - first) / LANES + 1;
            let (entries, _) = self.entries[shape.at(row, first)..].as_chunks::<LANES>();
            let (sums, _) = self.scale[first..].as_chunks_mut::<LANES>();
            for (sums, entries) in sums[..chunks].iter_mut().zip(&entries[..chunks]) {
                *sums = std::array::from_fn(|lane| sums[lane] + entries[lane].abs());
            }
        }
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, shape: &BandShape, values: &mut [f64]) {
        let stride = shape.stride;
        for j in 0..shape.size {
            let below = shape.reach[j] - j;
            values.swap(j, j + self.interchange[j]);
            let (head, tail) = values.split_at_mut(j + 1);
            let value = head[j];
            let start = shape.at(j + 1, j);
            let rows = self.entries[start..start + below * stride].chunks_exact(stride);
            for (target, row) in tail.iter_mut().zip(rows) {
                *target -= row[0] * value;
            }
        }
        for j in (0..shape.size).rev() {
            let end = self.last[j];
            let start = shape.at(j, j);
            let row = &self.entries[start + 1..=start + end - j];
            let (head, tail) = values.split_at_mut(j + 1);
            let mut value = head[j];
            // From the far end, so that the youngest unknown enters last and the older products do
            // not wait for it.
            for (entry, known) in row.iter().zip(&tail[..end - j]).rev() {
                value -= entry * known;
            }
            head[j] = value * self.reciprocal[j];
        }
    }
}

/// The elimination of one column from the rows below its pivot.
struct Elimination<'a> {
    reciprocal: f64,
    rows: &'a mut [f64],
    stride: usize,
    lasts: &'a mut [usize],
    end: usize,
}

impl Elimination<'_> {
    #[inline(always)]
    fn apply<const CHUNKS: usize>(&mut self, pivot_row: &[[f64; LANES]; CHUNKS]) {
        let mut start = 0;
        for last in self.lasts.iter_mut() {
            let row = &mut self.rows[start..start + CHUNKS * LANES + 1];
            start += self.stride;
            let [first, row @ ..] = row else { return };
            if *first == 0.0 {
                continue;
            }
            let multiplier = *first * self.reciprocal;
            *first = multiplier; // (2)
            *last = self.end.max(*last);
            let (row, _) = row.as_chunks_mut::<LANES>();
            for k in 0..CHUNKS {
                subtract_multiple(&mut row[k], &pivot_row[k], multiplier); // (3)
            }
        }
    }

    fn apply_long(&mut self, pivot_row: &[[f64; LANES]]) {
        let mut start = 0;
        for last in self.lasts.iter_mut() {
            let row = &mut self.rows[start..start + pivot_row.len() * LANES + 1];
            start += self.stride;
            let [first, row @ ..] = row else { return };
            if *first == 0.0 {
                continue;
            }
            let multiplier = *first * self.reciprocal;
            *first = multiplier; // (2)
            *last = self.end.max(*last);
            let (row, _) = row.as_chunks_mut::<LANES>();
            for (entries, pivots) in row.iter_mut().zip(pivot_row) {
                subtract_multiple(entries, pivots, multiplier); // (3)
            }
        }
    }
}

/// `target ← target − multiplier · source`.
#[inline(always)]
fn subtract_multiple(target: &mut [f64; LANES], source: &[f64; LANES], multiplier: f64) {
    *target = std::array::from_fn(|lane| target[lane] - multiplier * source[lane]);
}
