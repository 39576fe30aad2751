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


/// The pattern of a band matrix; immutable.
#[derive(Debug, Clone)]
pub(super) struct BandShape {
    /// Number of unknowns.
    pub size: usize,
    /// Distance in memory of two rows.
    pub stride: usize,
    /// The largest number of rows below a pivot.
    below: usize,
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
        let stride = (2 * below + above + 4).next_multiple_of(2);
        Self {
            size: first.len(),
            stride,
            below,
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
    /// Multipliers (2), `below` per column.
    multipliers: Vec<f64>,
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
            scale: vec![0.0; shape.size.next_multiple_of(2)],
            multipliers: vec![0.0; shape.size * shape.below.max(1)],
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
        let stride = shape.stride / 2;
        let mut sign = 1.0;
        let columns = shape.reach.iter().zip(&self.scale).zip(&mut self.reciprocal);
        let columns = columns.zip(&mut self.interchange).enumerate();
        for (j, (((&reach, &scale), reciprocal), interchange)) in columns {
            let below = reach - j;
            let (window, _) = self.entries[j * shape.stride + (j & !1)..].as_chunks_mut::<2>();
            let (pivot_row, rows) = window.split_at_mut(stride);
            let rows = &mut rows[..below * stride];
            let lasts = &mut self.last[j..=reach];
            let lane = j % 2;

            // (1)
            let mut best = pivot_row[0][lane].abs();
            let mut chosen = 0;
            for index in 1..=below {
                let candidate = rows[(index - 1) * stride][lane].abs();
                if candidate > best {
                    best = candidate;
                    chosen = index;
                }
            }
            // Written so that a scale or a pivot that is not a number fails.
            if !(best > RELATIVE_PIVOT * scale) {
                return Err(NoPivot { column: j, pivot: pivot_row[0][lane], scale });
            }
            *interchange = chosen;
            if chosen > 0 {
                let pairs = lasts[0].max(lasts[chosen]) / 2 - j / 2 + 1;
                let other = &mut rows[(chosen - 1) * stride..][..pairs];
                for (a, b) in pivot_row[..pairs].iter_mut().zip(other) {
                    (*a, *b) = (*b, *a);
                }
                lasts.swap(0, chosen);
                sign = -sign;
            }
            let pivot = pivot_row[0][lane];
            if pivot < 0.0 {
                sign = -sign;
            }
            *reciprocal = 1.0 / pivot;
            let end = lasts[0];
            if lane == 0 {
                pivot_row[0][0] = 0.0;
            }
            let pivot_row = &pivot_row[lane..=end / 2 - j / 2];
            let mut elimination = Elimination {
                reciprocal: *reciprocal,
                rows,
                stride,
                lane,
                lasts: &mut lasts[1..],
                multipliers: &mut self.multipliers[j * shape.below..][..below],
                end,
            };
            match pivot_row.len() {
                0 => elimination.apply::<0>(pivot_row),
                1 => elimination.apply::<1>(pivot_row),
                2 => elimination.apply::<2>(pivot_row),
                3 => elimination.apply::<3>(pivot_row),
                4 => elimination.apply::<4>(pivot_row),
                5 => elimination.apply::<5>(pivot_row),
                6 => elimination.apply::<6>(pivot_row),
                7 => elimination.apply::<7>(pivot_row),
                8 => elimination.apply::<8>(pivot_row),
                _ => elimination.apply_long(pivot_row),
            }
        }
        Ok(sign)
    }

    /// Sums the magnitudes of every column.
    fn sum_columns(&mut self, shape: &BandShape) {
        self.scale.fill(0.0);
        let (sums, _) = self.scale.as_chunks_mut::<2>();
        let (entries, _) = self.entries.as_chunks::<2>();
        let mut first = 0;
        for row in 0..shape.size {
            while shape.reach[first] < row {
                first += 1;
            }
            let pairs = first / 2..shape.last[row] / 2 + 1;
            let entries = &entries[row * shape.stride / 2..][pairs.clone()];
            for (sum, entry) in sums[pairs].iter_mut().zip(entries) {
                *sum = [sum[0] + entry[0].abs(), sum[1] + entry[1].abs()];
            }
        }
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, shape: &BandShape, values: &mut [f64]) {
        let multipliers = self.multipliers.chunks_exact(shape.below.max(1));
        let columns = shape.reach.iter().zip(&self.interchange).zip(multipliers);
        for (j, ((&reach, &interchange), multipliers)) in columns.enumerate() {
            let values = &mut values[j..=reach];
            if interchange > 0 {
                values.swap(0, interchange);
            }
            let [value, values @ ..] = values else { return };
            for (target, multiplier) in values.iter_mut().zip(multipliers) {
                *target -= multiplier * *value;
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
    rows: &'a mut [[f64; 2]],
    stride: usize,
    lane: usize,
    lasts: &'a mut [usize],
    multipliers: &'a mut [f64],
    end: usize,
}

impl Elimination<'_> {
    #[inline(always)]
    fn apply<const PAIRS: usize>(&mut self, pivot_row: &[[f64; 2]]) {
        let Some(pivot_row) = pivot_row.first_chunk::<PAIRS>() else { return };
        let pivot_row = *pivot_row;
        let mut start = 0;
        for (last, kept) in self.lasts.iter_mut().zip(self.multipliers.iter_mut()) {
            let row = &mut self.rows[start..start + PAIRS + 1];
            start += self.stride;
            let entry = row[0][self.lane];
            let multiplier = entry * self.reciprocal; // (2)
            *kept = multiplier;
            if entry == 0.0 {
                continue;
            }
            *last = self.end.max(*last);
            let Some(row) = row[self.lane..].first_chunk_mut::<PAIRS>() else { return };
            for k in 0..PAIRS {
                let product = [multiplier * pivot_row[k][0], multiplier * pivot_row[k][1]];
                row[k] = [row[k][0] - product[0], row[k][1] - product[1]]; // (3)
            }
        }
    }

    #[inline(never)]
    fn apply_long(&mut self, pivot_row: &[[f64; 2]]) {
        let mut start = 0;
        for (last, kept) in self.lasts.iter_mut().zip(self.multipliers.iter_mut()) {
            let row = &mut self.rows[start..][..pivot_row.len() + 1];
            start += self.stride;
            let entry = row[0][self.lane];
            let multiplier = entry * self.reciprocal; // (2)
            *kept = multiplier;
            if entry == 0.0 {
                continue;
            }
            *last = self.end.max(*last);
            for (row, pivots) in row[self.lane..].iter_mut().zip(pivot_row) {
                *row = [row[0] - multiplier * pivots[0], row[1] - multiplier * pivots[1]];
            }
        }
    }
}
