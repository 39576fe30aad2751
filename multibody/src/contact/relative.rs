//! Two bodies seen from one of them: a wrench between them and its derivatives, brought back to
//! both.
//!
//! Contact and latch depend on relative motion only. They are evaluated in the frame of body B:
//!
//! ```text
//! H = H_B⁻¹ H_A,  y = Ad_H v_A,  η = y − v_B                                  (1)
//! H ← exp(ξ) H,   ξ = Ad_H ψ_A − ψ_B                                          (2)
//! ```
//!
//! H relative pose (A to B), η relative twist and ξ relative perturbation, both in the axes of B
//! about its origin: the point of A now at c moves against B by η_lin + η_ang × c. A law gives the
//! wrench W on A, in the axes of B about the origin of B, with W_ξ = ∂W/∂ξ at fixed η and
//! W_η = ∂W/∂η. Then, with `coad(W) ξ = ad_ξᵀ W`,
//!
//! ```text
//! w_A = Ad_Hᵀ W,  w_B = −W                                                    (3)
//! δW = (W_ξ − W_η ad_y) ξ + W_η (Ad_H δv_A − δv_B)                            (4)
//! δw_A = Ad_Hᵀ (δW + coad(W) ξ),  δw_B = −δW                                  (5)
//! ```
//!
//! since δ(Ad_H) = ad_ξ Ad_H makes δη = ad_ξ y = −ad_y ξ. One wrench serves both bodies, so action
//! is reaction to rounding.

use crate::group::{Group, Se3};
use nalgebra::{Matrix6, Vector6};

/// Pose and twist of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMotion {
    /// Pose, body to world.
    pub pose: Se3,
    /// Left-trivialised twist (linear [m/s], angular [rad/s]) in body axes.
    pub twist: Vector6<f64>,
}

impl BodyMotion {
    /// A body at rest.
    pub fn at_rest(pose: Se3) -> Self {
        Self {
            pose,
            twist: Vector6::zeros(),
        }
    }
}

/// The four blocks of the derivative of two wrenches by the motions of two bodies.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PairTangent {
    /// ∂w_A/∂A.
    pub a_by_a: Matrix6<f64>,
    /// ∂w_A/∂B.
    pub a_by_b: Matrix6<f64>,
    /// ∂w_B/∂A.
    pub b_by_a: Matrix6<f64>,
    /// ∂w_B/∂B.
    pub b_by_b: Matrix6<f64>,
}

impl PairTangent {
    pub(super) fn zero() -> Self {
        let zero = Matrix6::zeros();
        Self {
            a_by_a: zero,
            a_by_b: zero,
            b_by_a: zero,
            b_by_b: zero,
        }
    }

    /// Adds blocks: of wrench i by body j, A first.
    pub(super) fn add_blocks(&mut self, [of_a, of_b]: &[[Matrix6<f64>; 2]; 2]) {
        self.a_by_a += of_a[0];
        self.a_by_b += of_a[1];
        self.b_by_a += of_b[0];
        self.b_by_b += of_b[1];
    }

    /// Adds the blocks of δw_A = Ad_Hᵀ `upper` ξ, δw_B = −`lower` ξ with ξ of (2).
    fn add(&mut self, adjoint: &Matrix6<f64>, upper: &Matrix6<f64>, lower: &Matrix6<f64>) {
        let transported = adjoint.tr_mul(upper);
        self.a_by_a += transported * adjoint;
        self.a_by_b -= transported;
        self.b_by_a -= lower * adjoint;
        self.b_by_b += lower;
    }
}

/// Relative motion, (1).
pub(super) struct Relative {
    /// H.
    pub pose: Se3,
    /// η.
    pub twist: Vector6<f64>,
    adjoint: Matrix6<f64>,
    twist_a: Vector6<f64>,
}

/// A wrench on A as seen from B, with its derivatives.
pub(super) struct Interaction {
    /// W.
    pub wrench: Vector6<f64>,
    /// W_ξ.
    pub by_pose: Matrix6<f64>,
    /// W_η.
    pub by_twist: Matrix6<f64>,
}

impl Interaction {
    pub(super) fn zero() -> Self {
        Self {
            wrench: Vector6::zeros(),
            by_pose: Matrix6::zeros(),
            by_twist: Matrix6::zeros(),
        }
    }
}

impl Relative {
    pub(super) fn new(a: &BodyMotion, b: &BodyMotion) -> Self {
        let pose = b.pose.between(&a.pose);
        let adjoint = pose.adjoint();
        let twist_a = adjoint * a.twist;
        Self {
            pose,
            twist: twist_a - b.twist, // (1)
            adjoint,
            twist_a,
        }
    }

    /// `Ad_H`.
    pub(super) fn adjoint(&self) -> &Matrix6<f64> {
        &self.adjoint
    }

    /// (3).
    pub(super) fn wrenches(&self, wrench: &Vector6<f64>) -> (Vector6<f64>, Vector6<f64>) {
        (self.adjoint.tr_mul(wrench), -wrench)
    }

    /// Adds the tangents by poses and by twists, (4) and (5).
    pub(super) fn add_tangents(
        &self,
        interaction: &Interaction,
        by_pose: &mut PairTangent,
        by_twist: &mut PairTangent,
    ) {
        let damping = &interaction.by_twist;
        let lower = interaction.by_pose - damping * Se3::ad(&self.twist_a); // (4)
        let upper = lower + Se3::coad(&interaction.wrench); // (5)
        by_pose.add(&self.adjoint, &upper, &lower);
        by_twist.add(&self.adjoint, damping, damping);
    }
}
