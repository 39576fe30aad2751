//! Solution with the factors of a [`Band`]:
//!
//! ```text
//! for j = 0 … n−1:  y_j = b_p,  b_p ← b_j,  b_i ← b_i − m_ij y_j,  i = j+1 … reach(j)     (1)
//! for j = n−1 … 0:  x_j = (y_j − Σ u_jk x_k) / u_jj,  k = j+1 … fill(j)                   (2)
//! ```
//!
//! The symbols are those of the module [`super`]; b, y and x are right-hand side, intermediate
//! values and solution.

use super::{Band, BandShape};

impl Band {
    /// [`Band::solve`] with dimensions known to the compiler.
    pub(super) fn solve_compiled<const PAIRS: usize, const BELOW: usize, const STRIDE: usize>(
        &mut self,
        _: &BandShape,
    ) {
        self.substitute_forward::<BELOW>();
        self.substitute_backward::<PAIRS>();
    }

    /// Applies the interchanges and multipliers to the right-hand side; `BELOW` is the number of
    /// multipliers stored per column.
    fn substitute_forward<const BELOW: usize>(&mut self) {
        // The entries of the rows j … j + BELOW, with that of row j first.
        let mut top = self.values[0];
        let mut window = [0.0; BELOW];
        window.copy_from_slice(&self.values[1..=BELOW]);
        let (multipliers, _) = self.multipliers.as_chunks::<BELOW>();
        for (j, (&chosen, multipliers)) in self.interchanges.iter().zip(multipliers).enumerate() {
            if chosen > 0 {
                let displaced = top;
                for i in 0..BELOW {
                    let entry = window[i];
                    let taken = i + 1 == chosen;
                    top = if taken { entry } else { top };
                    window[i] = if taken { displaced } else { entry };
                }
            }
            let value = top;
            let entering = self.values[j + BELOW + 1];
            self.values[j] = value;
            top = window[0] - multipliers[0] * value;
            let mut next = [entering; BELOW];
            for i in 1..BELOW {
                next[i - 1] = window[i] - multipliers[i] * value;
            }
            window = next;
        }
    }

    /// Solves with U, two rows at a time; `PAIRS` is the number of pairs stored per row.
    fn substitute_backward<const PAIRS: usize>(&mut self) {
        // Solutions to the right of the two rows, nearest first.
        let mut solved = [[0.0; 2]; PAIRS];
        let (upper, _) = self.upper.as_chunks::<PAIRS>();
        let (upper, _) = upper.as_chunks::<2>();
        let (reciprocals, _) = self.reciprocals.as_chunks::<2>();
        let (values, _) = self.values.as_chunks_mut::<2>();
        let rows = values.iter_mut().zip(upper).zip(reciprocals).rev();
        for ((values, [even, odd]), reciprocals) in rows {
            // The nearest unknowns enter last, so that the other products need not wait for them.
            let mut sum = [0.0; 2];
            for k in 1..PAIRS {
                sum[0] += odd[k][0] * solved[k][0];
                sum[1] += odd[k][1] * solved[k][1];
            }
            let mut second = values[1] - (sum[0] + sum[1]);
            second -= odd[0][1] * solved[0][1];
            second -= odd[0][0] * solved[0][0];
            second *= reciprocals[1];
            let mut sum = [0.0; 2];
            for k in 2..PAIRS {
                sum[0] += even[k][0] * solved[k - 1][0];
                sum[1] += even[k][1] * solved[k - 1][1];
            }
            let mut first = values[0] - (sum[0] + sum[1]);
            first -= even[1][1] * solved[0][1];
            first -= even[1][0] * solved[0][0];
            first -= even[0][1] * second;
            first *= reciprocals[0];
            *values = [first, second];
            for k in (1..PAIRS).rev() {
                solved[k] = solved[k - 1];
            }
            solved[0] = *values;
        }
    }

    /// [`Band::solve_lanes`] with dimensions known to the compiler.
    pub(super) fn solve_lanes_of<const PAIRS: usize, const BELOW: usize, const L: usize>(
        &self,
        values: &mut [[f64; L]],
    ) {
        let (multipliers, _) = self.multipliers.as_chunks::<BELOW>();
        for (j, (&chosen, multipliers)) in self.interchanges.iter().zip(multipliers).enumerate() {
            let [top, window @ ..] = &mut values[j..=j + BELOW] else {
                return;
            };
            if chosen > 0 {
                core::mem::swap(top, &mut window[chosen - 1]);
            }
            for i in 0..BELOW {
                for l in 0..L {
                    window[i][l] -= multipliers[i] * top[l]; // (1)
                }
            }
        }
        let (upper, _) = self.upper.as_chunks::<PAIRS>();
        let (upper, _) = upper.as_chunks::<2>();
        let (reciprocals, _) = self.reciprocals.as_chunks::<2>();
        for (pair, ([even, odd], reciprocals)) in upper.iter().zip(reciprocals).enumerate().rev() {
            let [first, second, solved @ ..] = &mut values[2 * pair..2 * (pair + 1 + PAIRS)] else {
                return;
            };
            // In the order of `substitute_backward`, so that lanes have its bits.
            let [mut below, mut above] = [[0.0; L]; 2];
            for k in 1..PAIRS {
                for l in 0..L {
                    below[l] += odd[k][0] * solved[2 * k][l];
                    above[l] += odd[k][1] * solved[2 * k + 1][l];
                }
            }
            for l in 0..L {
                let mut value = second[l] - (below[l] + above[l]);
                value -= odd[0][1] * solved[1][l];
                value -= odd[0][0] * solved[0][l];
                second[l] = value * reciprocals[1]; // (2)
            }
            let [mut below, mut above] = [[0.0; L]; 2];
            for k in 2..PAIRS {
                for l in 0..L {
                    below[l] += even[k][0] * solved[2 * k - 2][l];
                    above[l] += even[k][1] * solved[2 * k - 1][l];
                }
            }
            for l in 0..L {
                let mut value = first[l] - (below[l] + above[l]);
                value -= even[1][1] * solved[1][l];
                value -= even[1][0] * solved[0][l];
                value -= even[0][1] * second[l];
                first[l] = value * reciprocals[0]; // (2)
            }
        }
    }

    /// [`Band::solve_lanes`] for any dimensions.
    pub(super) fn solve_lanes_wide<const L: usize>(
        &self,
        shape: &BandShape,
        values: &mut [[f64; L]],
    ) {
        for (j, (&below, &chosen)) in shape.below.iter().zip(&self.interchanges).enumerate() {
            values.swap(j, j + chosen);
            let value = values[j];
            let multipliers = &self.multipliers[j * shape.most_below..][..below];
            for (target, multiplier) in values[j + 1..].iter_mut().zip(multipliers) {
                for l in 0..L {
                    target[l] -= multiplier * value[l]; // (1)
                }
            }
        }
        for j in (0..shape.below.len()).rev() {
            let upper = self.upper[j * shape.pairs..][..shape.pairs].as_flattened();
            let mut sum = [0.0; L];
            for (entry, value) in upper.iter().zip(&values[j.next_multiple_of(2)..]) {
                for l in 0..L {
                    sum[l] += entry * value[l];
                }
            }
            for l in 0..L {
                values[j][l] = (values[j][l] - sum[l]) * self.reciprocals[j]; // (2)
            }
        }
    }

    /// [`Band::solve`] for any dimensions.
    pub(super) fn solve_wide(&mut self, shape: &BandShape) {
        for (j, (&below, &chosen)) in shape.below.iter().zip(&self.interchanges).enumerate() {
            self.values.swap(j, j + chosen);
            let value = self.values[j];
            let multipliers = &self.multipliers[j * shape.most_below..][..below];
            for (target, multiplier) in self.values[j + 1..].iter_mut().zip(multipliers) {
                *target -= multiplier * value; // (1)
            }
        }
        for j in (0..shape.below.len()).rev() {
            let upper = self.upper[j * shape.pairs..][..shape.pairs].as_flattened();
            let solved = &self.values[j.next_multiple_of(2)..];
            let sum: f64 = upper
                .iter()
                .zip(solved)
                .map(|(entry, value)| entry * value)
                .sum();
            self.values[j] = (self.values[j] - sum) * self.reciprocals[j]; // (2)
        }
    }
}
