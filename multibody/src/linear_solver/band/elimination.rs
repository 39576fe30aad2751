//! Elimination of the columns of a [`Band`]. The equation numbers are those of the module [`super`].

use super::super::RELATIVE_PIVOT;
use super::{Band, BandShape, NoPivot, Pair};

impl Band {
    /// [`Band::factor`] with dimensions known to the compiler.
    pub(super) fn factor_compiled<const PAIRS: usize, const BELOW: usize, const STRIDE: usize>(
        &mut self,
        shape: &BandShape,
    ) -> Result<f64, NoPivot> {
        let mut sign = 1.0;
        for j in (0..shape.below.len()).step_by(2) {
            sign *= self.eliminate::<PAIRS, BELOW, STRIDE, 0>(j, shape.below[j])?;
            sign *= self.eliminate::<PAIRS, BELOW, STRIDE, 1>(j + 1, shape.below[j + 1])?;
        }
        Ok(sign)
    }

    /// Eliminates column j, with `LANE` = j mod 2, and returns the sign of its pivot and
    /// interchange.
    #[inline(always)]
    fn eliminate<const PAIRS: usize, const BELOW: usize, const STRIDE: usize, const LANE: usize>(
        &mut self,
        j: usize,
        below: usize,
    ) -> Result<f64, NoPivot> {
        let (rows, _) = self.entries[j * STRIDE + j / 2..].as_chunks_mut::<STRIDE>();
        let rows = &mut rows[..=below];
        let chosen = choose_pivot(j, rows.iter().map(|row| row[0][LANE]), self.scale[j])?;
        self.interchanges[j] = chosen;
        let upper = &mut self.upper[j * PAIRS..][..PAIRS];
        let multipliers = &mut self.multipliers[j * BELOW..][..below];
        let pivot = if chosen == 0 {
            // A copy of the code that does not wait for the result of the search.
            eliminate_rows::<PAIRS, STRIDE, LANE>(rows, upper, multipliers, 0)
        } else {
            eliminate_rows::<PAIRS, STRIDE, LANE>(rows, upper, multipliers, chosen)
        };
        self.reciprocals[j] = pivot.recip();
        Ok(sign(pivot, chosen))
    }

    /// [`Band::factor`] for any dimensions; passes over rows without an entry.
    pub(super) fn factor_wide(&mut self, shape: &BandShape) -> Result<f64, NoPivot> {
        let BandShape { pairs, stride, .. } = *shape;
        let mut product = 1.0;
        for (j, &below) in shape.below.iter().enumerate() {
            let lane = j % 2;
            let length = pairs + lane;
            let rows = &mut self.entries[j * stride + j / 2..][..(below + 1) * stride];
            let column = rows.iter().step_by(stride).map(|row| row[lane]);
            let chosen = choose_pivot(j, column, self.scale[j])?;
            self.interchanges[j] = chosen;

            let pivot = rows[chosen * stride][lane];
            let upper = &mut self.upper[j * pairs..][..pairs];
            upper.copy_from_slice(&rows[chosen * stride + lane..][..pairs]); // (1)
            rows.copy_within(..length, chosen * stride);
            if lane == 0 {
                upper[0][0] = 0.0;
            }
            // Otherwise a number that is not finite would not reach the rows passed over.
            let may_pass = upper.as_flattened().iter().sum::<f64>().is_finite();
            let reciprocal = pivot.recip();
            for i in 1..=below {
                let row = &mut rows[i * stride..][..length];
                let weight = row[0][lane] * reciprocal;
                self.multipliers[j * shape.most_below + i - 1] = weight; // (2)
                if weight == 0.0 && may_pass {
                    continue;
                }
                for (entries, pivots) in row[lane..].iter_mut().zip(upper.iter()) {
                    entries[0] -= pivots[0] * weight; // (3)
                    entries[1] -= pivots[1] * weight;
                }
            }
            self.reciprocals[j] = reciprocal;
            product *= sign(pivot, chosen);
        }
        Ok(product)
    }
}

/// The place of the largest number in column j, (1).
#[inline(always)]
fn choose_pivot(j: usize, column: impl Iterator<Item = f64>, scale: f64) -> Result<usize, NoPivot> {
    let mut best = 0.0;
    let mut chosen = 0;
    for (i, entry) in column.enumerate() {
        let candidate = entry.abs();
        // The first one is taken even if it is not a number, which then fails below.
        if i == 0 || candidate > best {
            best = candidate;
            chosen = i;
        }
    }
    if best > RELATIVE_PIVOT * scale && best < f64::INFINITY {
        Ok(chosen)
    } else {
        Err(NoPivot {
            column: j,
            pivot: best,
            scale,
        })
    }
}

/// The sign of a pivot and its interchange.
#[inline(always)]
fn sign(pivot: f64, chosen: usize) -> f64 {
    if (pivot < 0.0) == (chosen == 0) {
        -1.0
    } else {
        1.0
    }
}

/// Eliminates a column from the rows below its pivot and returns the pivot.
#[inline(always)]
fn eliminate_rows<const PAIRS: usize, const STRIDE: usize, const LANE: usize>(
    rows: &mut [[Pair; STRIDE]],
    upper: &mut [Pair],
    multipliers: &mut [f64],
    chosen: usize,
) -> f64 {
    let pivot = rows[chosen][0][LANE];
    let mut pivots = [[0.0; 2]; PAIRS];
    pivots.copy_from_slice(&rows[chosen][LANE..LANE + PAIRS]);
    if LANE == 0 {
        pivots[0][0] = 0.0;
    }
    upper.copy_from_slice(&pivots); // (1)
    let reciprocal = pivot.recip();
    for (i, multiplier) in (1..).zip(multipliers) {
        let source = &rows[if i == chosen { 0 } else { i }];
        let weight = source[0][LANE] * reciprocal;
        *multiplier = weight; // (2)
        let mut row = [[0.0; 2]; PAIRS];
        row.copy_from_slice(&source[LANE..LANE + PAIRS]);
        for k in 0..PAIRS {
            row[k][0] -= pivots[k][0] * weight;
            row[k][1] -= pivots[k][1] * weight;
        }
        rows[i][LANE..LANE + PAIRS].copy_from_slice(&row); // (3)
    }
    pivot
}
