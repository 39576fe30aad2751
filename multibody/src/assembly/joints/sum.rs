//! The row of an interface that few shapes move: a weighted sum of rows,
//!
//! ```text
//! φ = Σ_i w_i y_i + Σ_k w_{D+k} θ_k,   θ_k = ½ (e_i · R e_j − e_j · R e_i)          (1)
//! ```
//!
//! with y the origin of B in frame A and (i, j) = (3, 2), (1, 3), (2, 1) for k = 1, 2, 3; (2, 1) alone in the
//! plane. Derivatives are the sums of those of the rows.

use super::{Geometric, JointKinematics, RowKinematics, RowRates};
use crate::group::Group;
use crate::model::{ConstraintRow, Inputs, Joint};
use nalgebra::SVector;

/// The rows of eq. (1) with their weights.
fn terms<const D: usize>(weights: &[f64; 6]) -> impl Iterator<Item = (ConstraintRow, f64)> + '_ {
    let position =
        (0..D).map(move |axis| (ConstraintRow::Position { axis, input: None }, weights[axis]));
    let pairs: &[(usize, usize)] = match D {
        2 => &[(1, 0)],
        _ => &[(2, 1), (0, 2), (1, 0)],
    };
    let turns = pairs.iter().enumerate().flat_map(move |(k, &(i, j))| {
        let half = 0.5 * weights[D + k];
        [(i, j, half), (j, i, -half)]
    });
    let turns = turns.map(|(axis_a, axis_b, w)| (ConstraintRow::Crossing { axis_a, axis_b }, w));
    position.chain(turns).filter(|(_, weight)| *weight != 0.0)
}

impl<G: Group<N, D>, const N: usize, const D: usize> JointKinematics<G, N, D> {
    pub(super) fn sum_row(
        &self,
        joint: &Joint<G, D>,
        weights: &[f64; 6],
        inputs: &Inputs,
    ) -> RowKinematics<N, D> {
        let mut out = RowKinematics {
            value: 0.0,
            by: [SVector::zeros(); 2],
            by_input: 0.0,
            direction: SVector::zeros(),
            crossing: None,
            upright: None,
        };
        for (row, weight) in terms::<D>(weights) {
            let part = self.row(joint, &row, inputs);
            out.value += weight * part.value; // (1)
            for (sum, by) in out.by.iter_mut().zip(&part.by) {
                *sum += by * weight;
            }
        }
        out
    }

    pub(super) fn sum_rates(
        &self,
        joint: &Joint<G, D>,
        weights: &[f64; 6],
        inputs: &Inputs,
    ) -> RowRates {
        let mut out = RowRates {
            rate: 0.0,
            rate_by_time: 0.0,
            acceleration_bias: 0.0,
        };
        for (row, weight) in terms::<D>(weights) {
            let at = self.row(joint, &row, inputs);
            let part = self.rates(joint, &row, inputs, &at);
            out.rate += weight * part.rate;
            out.rate_by_time += weight * part.rate_by_time;
            out.acceleration_bias += weight * part.acceleration_bias;
        }
        out
    }

    pub(super) fn add_sum(
        &self,
        joint: &Joint<G, D>,
        weights: &[f64; 6],
        lambda: f64,
        geometric: &mut Geometric<N, D>,
    ) {
        let none = Inputs::default();
        for (row, weight) in terms::<D>(weights) {
            let part = self.row(joint, &row, &none);
            geometric.add::<G>(&self.r, &part, lambda * weight);
        }
    }
}
