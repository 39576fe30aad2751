//! The row of a massless rod: the distance of two points.
//!
//! With d from the point of A to the point of B in the axes of body a, ℓ = |d| and e = d/ℓ:
//!
//! ```text
//! φ = ℓ − u,   φ̇ = e·ḋ − u̇,   φ̈ = e·d̈ + (ḋ·ḋ − (e·ḋ)²)/ℓ − ü                  (1)
//! ```
//!
//! It is a position row along e; that e turns adds λ/ℓ (∂d)ᵀ (I − e eᵀ) ∂d to its stiffness.   (2)

use super::{Geometric, JointKinematics, RowKinematics, RowRates, at_point};
use crate::group::Group;
use crate::model::{Inputs, Joint};
use nalgebra::{SMatrix, SVector};

/// Points closer than this have no direction between them [m].
const SHORTEST: f64 = 1e-12;

impl<G: Group<N, D>, const N: usize, const D: usize> JointKinematics<G, N, D> {
    pub(super) fn distance_row(
        &self,
        joint: &Joint<G, D>,
        input: usize,
        inputs: &Inputs,
    ) -> RowKinematics<N, D> {
        let d = self.z - joint.points[0];
        let length = d.norm().max(SHORTEST);
        let direction = d / length;
        let back = self.r.tr_mul(&direction);
        RowKinematics {
            value: length - inputs.value[input], // (1)
            by: [
                -at_point::<G, N, D>(&self.z, &direction),
                at_point::<G, N, D>(&joint.points[1], &back),
            ],
            by_input: -1.0,
            direction,
            crossing: None,
            upright: None,
        }
    }

    pub(super) fn distance_rates(
        &self,
        joint: &Joint<G, D>,
        input: usize,
        inputs: &Inputs,
        at: &RowKinematics<N, D>,
    ) -> RowRates {
        let length = (self.z - joint.points[0]).norm().max(SHORTEST);
        let (d_rate, d_bias) = self.point_rates(joint);
        let along = at.direction.dot(&d_rate);
        let turning = (d_rate.norm_squared() - along * along) / length;
        RowRates {
            rate: along - inputs.rate[input],
            rate_by_time: -inputs.rate[input],
            acceleration_bias: at.direction.dot(&d_bias) + turning - inputs.acceleration[input],
        }
    }

    /// Adds (2).
    pub(super) fn add_distance(
        &self,
        joint: &Joint<G, D>,
        at: &RowKinematics<N, D>,
        lambda: f64,
        geometric: &mut Geometric<N, D>,
    ) {
        if lambda == 0.0 {
            return;
        }
        let length = (self.z - joint.points[0]).norm().max(SHORTEST);
        let e: &SVector<f64, D> = &at.direction;
        let across = (SMatrix::<f64, D, D>::identity() - e * e.transpose()) * (lambda / length);
        self.add_bend(joint, &across, geometric);
    }

    /// Adds `(∂z)ᵀ bend ∂z`: the second derivative of a row by the place of B's point.
    pub(super) fn add_bend(
        &self,
        joint: &Joint<G, D>,
        bend: &SMatrix<f64, D, D>,
        geometric: &mut Geometric<N, D>,
    ) {
        let linear = G::linear_part();
        let by = [
            -(linear + G::cross(&self.z)),
            self.r * (linear + G::cross(&joint.points[1])),
        ];
        for i in 0..2 {
            for j in 0..2 {
                geometric.k[i][j] += by[i].tr_mul(&(bend * by[j]));
            }
        }
        geometric.loaded = true;
    }
}
