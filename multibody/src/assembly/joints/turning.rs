//! The row of a screw, of a wheel that rolls and of two wheels that mesh: a turn that goes with a
//! displacement.
//!
//! With s the displacement along an axis of frame A, or the direction in which the origin of B lies,
//! c = R e1 of frame B in the axes of body a, u = u0 + k s, and the axes e1, e2 of frame A turned by u:
//!
//! ```text
//! a(u) = −sin u e1 + cos u e2,   a′ = −cos u e1 − sin u e2                        (1)
//! φ = a(u)·c = sin(θ − u),   δφ = a·δc + k (a′·c) δs                              (2)
//! φ̇ = a·ċ + k ṡ a′·c,   φ̈ = a·c̈ + 2 k ṡ a′·ċ + (k s̈ a′ − k² ṡ² a)·c                (3)
//! δ²φ = δ²(a·c) + k (a′·c) δ²s + 2 k (a′·δc) δs − k² (a·c) δs²                    (4)
//! ```
//!
//! so no turns of θ need counting. A screw of lead p has k = 2π/p along e3; a wheel of radius r that rolls
//! along e1 has k = −1/r (it turns clockwise when it moves to the right).
//!
//! Wheels that mesh: seen from wheel A, the centre of B goes around it by s = atan2(y, x), with (x, y) the
//! components of d = z − p_a along e1 and e2, ρ² = x² + y², e the unit vector outwards and n = e3 × e:
//!
//! ```text
//! δs = n·δd/ρ,   δ²s = −δdᵀ (e nᵀ + n eᵀ) δd/ρ²                                   (5)
//! gear  r_b (θ − s) = r_a s,   k = 1 + r_a/r_b                                    (6)
//! ```
//!
//! (6): equal lengths roll off both wheels in the carrier, which turns by s against A while B turns by
//! θ. A gear with the teeth inside A, and a belt that is not crossed, have −r_a in the place of r_a. The
//! bodies that keep the distance of the centres may move (planetary gears). s is counted over full turns.

use super::{Geometric, JointKinematics, RowKinematics, RowRates, at_point};
use crate::assembly::hinge::unwrap_angle;
use crate::group::Group;
use crate::math;
use crate::model::Joint;
use nalgebra::{SMatrix, SVector};

/// What s of a turning row is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Along {
    /// The displacement along this axis of frame A.
    Axis(usize),
    /// The direction of the origin of B about e3 of frame A.
    Direction,
}

/// What a turning row is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turning {
    /// s.
    pub along: Along,
    /// k [rad/m or 1].
    pub per_length: f64,
    /// u0 [rad].
    pub offset: f64,
}

/// s at a motion.
struct Measured<const D: usize> {
    /// a and a′.
    axes: [SVector<f64, D>; 2],
    /// ∂s/∂z.
    along: SVector<f64, D>,
    /// ∂²s/∂z², if s is not a linear function of z.
    bend: Option<SMatrix<f64, D, D>>,
}

impl Turning {
    fn at<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        kinematics: &JointKinematics<G, N, D>,
        joint: &Joint<G, D>,
    ) -> Measured<D> {
        let axes = &joint.axes[0];
        let d = kinematics.z - joint.points[0];
        let vector = |x: f64, y: f64| axes.column(0) * x + axes.column(1) * y;
        let (s, along, bend) = match self.along {
            Along::Axis(axis) => {
                let along: SVector<f64, D> = axes.column(axis).into();
                (along.dot(&d), along, None)
            }
            Along::Direction => {
                let (x, y) = (axes.column(0).dot(&d), axes.column(1).dot(&d));
                let rho = math::hypot(x, y).max(NEAREST);
                let (e, n) = (vector(x / rho, y / rho), vector(-y / rho, x / rho));
                let bend = -(e * n.transpose() + n * e.transpose()) / (rho * rho); // (5)
                let s = unwrap_angle(math::atan2(y, x), kinematics.near);
                (s, n / rho, Some(bend))
            }
        };
        let (sin, cos) = math::sin_cos(self.offset + self.per_length * s);
        Measured {
            axes: [vector(-sin, cos), vector(-cos, -sin)], // (1)
            along,
            bend,
        }
    }
}

/// Centres nearer than this have no direction between them [m].
const NEAREST: f64 = 1e-12;

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
        let Measured {
            axes: [a, a_by],
            along,
            ..
        } = turning.at(self, joint);
        let mut out = self.crossing_row(a, joint.axes[1].column(0).into());
        let slope = turning.per_length * a_by.dot(&(self.r * joint.axes[1].column(0)));
        let s_by = position_gradient(self, joint, &along);
        for (by, s_by) in out.by.iter_mut().zip(&s_by) {
            *by += s_by * slope; // (2)
        }
        out
    }

    pub(super) fn turning_rates(&self, joint: &Joint<G, D>, turning: &Turning) -> RowRates {
        let Measured {
            axes: [a, a_by],
            along,
            bend,
        } = turning.at(self, joint);
        let (z_rate, z_bias) = self.point_rates(joint);
        let k = turning.per_length;
        let bent = bend.map_or(0.0, |bend| z_rate.dot(&(bend * z_rate)));
        let (u_rate, u_bias) = (k * along.dot(&z_rate), k * (along.dot(&z_bias) + bent));
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
        let Measured {
            axes: [a, a_by],
            along,
            bend,
        } = turning.at(self, joint);
        let k = turning.per_length;
        let arm: SVector<f64, D> = joint.axes[1].column(0).into();
        let c = self.r * arm;
        let s_by = position_gradient(self, joint, &along);
        let c_by = [
            -G::moment(&c, &a_by),
            G::moment(&arm, &self.r.tr_mul(&a_by)),
        ];
        geometric.position += along * (lambda * k * a_by.dot(&c));
        if let Some(bend) = bend {
            self.add_bend(joint, &(bend * (lambda * k * a_by.dot(&c))), geometric);
        }
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
