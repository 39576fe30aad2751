//! The row of a screw and of a wheel that rolls: a turn that goes with a displacement.
//!
//! With s the displacement along an axis of frame A, c = R e1 of frame B in the axes of body a,
//! u = u0 + k s, and the axes e1, e2 of frame A turned by u:
//!
//! ```text
//! a(u) = −sin u e1 + cos u e2,   a′ = −cos u e1 − sin u e2                        (1)
//! φ = a(u)·c = sin(θ − u),   δφ = a·δc + k (a′·c) δs                              (2)
//! φ̇ = a·ċ + k ṡ a′·c,   φ̈ = a·c̈ + 2 k ṡ a′·ċ + (k s̈ a′ − k² ṡ² a)·c                (3)
//! δ²φ = δ²(a·c) + k (a′·c) δ²s + 2 k (a′·δc) δs − k² (a·c) δs²                    (4)
//! ```
//!
//! so no turns need counting. A screw of lead p has k = 2π/p along e3; a wheel of radius r that rolls
//! along e1 has k = −1/r (it turns clockwise when it moves to the right).

use super::{Geometric, JointKinematics, RowKinematics, RowRates, at_point};
use crate::group::Group;
use crate::math;
use crate::model::Joint;
use nalgebra::SVector;

/// What a turning row is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turning {
    /// Axis of frame A along which s is measured.
    pub axis: usize,
    /// k [rad/m].
    pub per_length: f64,
    /// u0 [rad].
    pub offset: f64,
}

impl Turning {
    /// a, a′ and the displacement's direction in the axes of body a.
    fn axes<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        kinematics: &JointKinematics<G, N, D>,
        joint: &Joint<G, D>,
    ) -> [SVector<f64, D>; 3] {
        let along: SVector<f64, D> = joint.axes[0].column(self.axis).into();
        let s = along.dot(&(kinematics.z - joint.points[0]));
        let (sin, cos) = math::sin_cos(self.offset + self.per_length * s);
        let axes = &joint.axes[0];
        let vector = |x: f64, y: f64| axes.column(0) * x + axes.column(1) * y;
        [vector(-sin, cos), vector(-cos, -sin), along] // (1)
    }
}

/// Gradients of a position along `direction`.
fn position_gradient<G: Group<N, D>, const N: usize, const D: usize>(
    kinematics: &JointKinematics<G, N, D>,
    joint: &Joint<G, D>,
    direction: &SVector<f64, D>,
) -> [SVector<f64, N>; 2] {
    let back = kinematics.r.tr_mul(direction);
    [
        -at_point::<G, N, D>(&kinematics.z, direction),
        at_point::<G, N, D>(&joint.points[1], &back),
    ]
}

impl<G: Group<N, D>, const N: usize, const D: usize> JointKinematics<G, N, D> {
    pub(super) fn turning_row(
        &self,
        joint: &Joint<G, D>,
        turning: &Turning,
    ) -> RowKinematics<N, D> {
        let [a, a_by, along] = turning.axes(self, joint);
        let mut out = self.crossing_row(a, joint.axes[1].column(0).into());
        let slope = turning.per_length * a_by.dot(&(self.r * joint.axes[1].column(0)));
        let s_by = position_gradient(self, joint, &along);
        for (by, s_by) in out.by.iter_mut().zip(&s_by) {
            *by += s_by * slope; // (2)
        }
        out
    }

    pub(super) fn turning_rates(&self, joint: &Joint<G, D>, turning: &Turning) -> RowRates {
        let [a, a_by, along] = turning.axes(self, joint);
        let (z_rate, z_bias) = self.point_rates(joint);
        let k = turning.per_length;
        let (u_rate, u_bias) = (k * along.dot(&z_rate), k * along.dot(&z_bias));
        let list = [a, a_by * u_rate, a_by * u_bias - a * (u_rate * u_rate)]; // (3)
        let mut out = self.crossing_rates(&list, &joint.axes[1].column(0).into());
        // Nothing here depends on time but by way of the bodies.
        out.rate_by_time = 0.0;
        out
    }

    /// Adds the terms of (4) beyond the first.
    pub(super) fn add_turning(
        &self,
        joint: &Joint<G, D>,
        turning: &Turning,
        lambda: f64,
        geometric: &mut Geometric<N, D>,
    ) {
        if lambda == 0.0 {
            return;
        }
        let [a, a_by, along] = turning.axes(self, joint);
        let k = turning.per_length;
        let arm: SVector<f64, D> = joint.axes[1].column(0).into();
        let c = self.r * arm;
        let s_by = position_gradient(self, joint, &along);
        let c_by = [
            -G::moment(&c, &a_by),
            G::moment(&arm, &self.r.tr_mul(&a_by)),
        ];
        geometric.position += along * (lambda * k * a_by.dot(&c));
        let square = -lambda * k * k * a.dot(&c);
        for i in 0..2 {
            for j in 0..2 {
                geometric.k[i][j] +=
                    (c_by[i] * s_by[j].transpose() + s_by[i] * c_by[j].transpose()) * (lambda * k)
                        + s_by[i] * s_by[j].transpose() * square;
            }
        }
        geometric.loaded = true;
    }
}
