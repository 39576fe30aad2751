//! The equations of a long macro step, and their derivatives.
//!
//! In the end effector's axes, with the joints at s, `B = [I, −s×]`, the forces f of the legs and
//! the wrench w from outside, the end effector feels and resists
//!
//! ```text
//! W = Σ Bᵀ Rᵀ f + w,     r = W − (M (v̇ − g) − ad_vᵀ M v)                        (1)
//! ```
//!
//! On a cubic ([`super::cubic`]) v̇_i at the nodes is taken from r = 0, the force of a leg there
//! being that of its series c ([`leg_core::series`]), `f_i = Σ_j L_j(s_i) c_j`. The unknowns,
//! the end of the cubic, change r at a node by its place and velocity, and by what the legs make of
//! their tips' end positions p and velocities ṗ. With E the angular part of a twist ψ,
//!
//! ```text
//! ∂r_i/∂ψ_i = P = Σ Bᵀ (R_iᵀ f_i)× E + …,     ∂r_i/∂v_i = Q                     (2)
//! δf_i = Σ_j L_j(s_i) (∂c_j/∂p δp + ∂c_j/∂ṗ δṗ)                                 (3)
//! δp = R_1 B ψ_1,     δṗ = R_1 (B δv_1 − (B v_1)× E ψ_1)                        (4)
//! δξ̈_i = T⁻¹ M⁻¹ (P T δξ_i + Q T δξ̇_i + Σ Bᵀ R_iᵀ δf_i)                         (5)
//! ```
//!
//! but for the change of T.

use super::cubic::{CUBIC_PARTIALS, CubicMotion, NODES};
use super::slot::LegSlot;
use crate::body::{Body, BodyState, free_acceleration, inertia_of, point_map, skew};
use crate::unit::ForceSeries;
use crate::wrench::split;
use leg_core::series::ORDERS;
use multibody::group::Group;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3, Vector6};

/// Legendre's polynomials at the nodes.
const AT_NODES: [[f64; ORDERS]; NODES] = [
    [1.0, -1.0, 1.0, -1.0],
    [1.0, 0.0, -0.5, 0.0],
    [1.0, 1.0, 1.0, 1.0],
];

/// The force of a series at a node.
fn force_at(series: &ForceSeries, node: usize) -> Vector3<f64> {
    series.iter().zip(AT_NODES[node]).map(|(c, l)| c * l).sum()
}

/// Mean over a step of the power of a force on a point that has these velocities at the nodes.
/// Exact where the velocity is quadratic: of the force then only moments up to the second count.
pub fn mean_power(series: &ForceSeries, velocities: &[Vector3<f64>; NODES]) -> f64 {
    let [first, middle, last] = velocities;
    let parts = [
        (first + middle * 4.0 + last) / 6.0,
        (last - first) / 2.0,
        (first - middle * 2.0 + last) / 3.0,
    ];
    let squares = [1.0, 1.0 / 3.0, 1.0 / 5.0];
    let products = parts.iter().zip(series).map(|(v, c)| v.dot(c));
    products
        .zip(squares)
        .map(|(product, square)| product * square)
        .sum()
}

/// W of eq. (1) at a node.
fn wrench_at(
    state: &BodyState,
    slots: &[LegSlot],
    outside: &Vector6<f64>,
    node: usize,
) -> Vector6<f64> {
    let rotation = state.pose.rotation();
    let (push, moment) = split(outside);
    let mut sum = Vector6::zeros();
    sum.fixed_rows_mut::<3>(0)
        .copy_from(&rotation.tr_mul(&push));
    sum.fixed_rows_mut::<3>(3)
        .copy_from(&rotation.tr_mul(&moment));
    for slot in slots.iter().filter(|slot| slot.attached) {
        let local = rotation.tr_mul(&force_at(&slot.response.series, node));
        sum += point_map(&slot.sphere).tr_mul(&local);
    }
    sum
}

/// What is known of a macro step besides the motion.
#[derive(Debug)]
pub struct Load<'a> {
    /// The end effector.
    pub body: &'a Body,
    /// The wrench from outside at the nodes, world axes.
    pub outside: &'a [Vector6<f64>; NODES],
}

impl Load<'_> {
    /// What is wrong with the motion under the legs' answers, eqs. (4) and (3) of the cubic
    /// (m, rad); its stages get their accelerations. Nothing if the end effector has no mass.
    pub fn residual(&self, cubic: &mut CubicMotion, slots: &[LegSlot]) -> Option<DVector<f64>> {
        let mut accelerations = [Vector6::zeros(); NODES];
        for (node, acceleration) in accelerations.iter_mut().enumerate() {
            let state = cubic.at_node(node);
            let wrench = wrench_at(state, slots, &self.outside[node], node);
            *acceleration = free_acceleration(self.body, state, &wrench)?;
        }
        cubic.accelerate(&accelerations[1..]);
        let parts = cubic.mismatch(&accelerations);
        Some(DVector::from_iterator(
            6 * parts.len(),
            parts.iter().flatten().copied(),
        ))
    }

    /// P and Q of eq. (2).
    fn slopes(
        &self,
        cubic: &CubicMotion,
        slots: &[LegSlot],
        node: usize,
    ) -> (Matrix6<f64>, Matrix6<f64>) {
        let state = cubic.at_node(node);
        let rotation = state.pose.rotation();
        let own = inertia_of(self.body, state);
        let mut by_pose = -own.by_pose;
        let (force, moment) = split(&self.outside[node]);
        for (block, v) in [force, moment].iter().enumerate() {
            let mut turned = by_pose.fixed_view_mut::<3, 3>(3 * block, 3);
            turned += skew(&rotation.tr_mul(v));
        }
        for slot in slots.iter().filter(|slot| slot.attached) {
            let local = rotation.tr_mul(&force_at(&slot.response.series, node));
            let mut turned = by_pose.fixed_view_mut::<6, 3>(0, 3);
            turned += point_map(&slot.sphere).tr_mul(&skew(&local));
        }
        (by_pose, -own.by_velocity)
    }

    /// How the legs change the wrench at a node with the end of the motion, eqs. (3) and (4): by
    /// ψ_1 and by v_1.
    fn responses(
        cubic: &CubicMotion,
        slots: &[LegSlot],
        node: usize,
    ) -> (Matrix6<f64>, Matrix6<f64>) {
        let (here, end) = (cubic.at_node(node).pose.rotation(), cubic.end());
        let rotation = end.pose.rotation();
        let (mut by_pose, mut by_velocity) = (Matrix6::zeros(), Matrix6::zeros());
        for slot in slots.iter().filter(|slot| slot.attached) {
            let (mut s, mut d) = (Matrix3::zeros(), Matrix3::zeros());
            for (told, weight) in slot.response.series_derivatives.iter().zip(AT_NODES[node]) {
                s += told.by_position * weight; // (3)
                d += told.by_velocity * weight;
            }
            let map = point_map(&slot.sphere);
            let outer = map.tr_mul(&here.transpose());
            let mut place = s * rotation * map; // (4)
            let mut turned = place.fixed_view_mut::<3, 3>(0, 3);
            turned -= d * rotation * skew(&(map * end.velocity));
            by_pose += outer * place;
            by_velocity += outer * d * rotation * map;
        }
        (by_pose, by_velocity)
    }

    /// Derivative of the residual by the unknowns, from the derivatives that the legs gave; nothing
    /// if the end effector has no mass.
    pub fn jacobian(&self, cubic: &CubicMotion, slots: &[LegSlot]) -> Option<DMatrix<f64>> {
        let factors = self.body.inertia.cholesky()?;
        let (h, mut out) = (cubic.length, DMatrix::identity(12, 12));
        let end = &cubic.stages[NODES - 2];
        for node in 0..NODES {
            let (by_pose, by_velocity) = Self::responses(cubic, slots, node);
            // By ξ_1 and by H ξ̇_1.
            let mut changes = [by_pose * end.turn * (h * h), by_velocity * end.turn * h];
            if let Some(stage) = node.checked_sub(1) {
                let (by_pose, by_velocity) = self.slopes(cubic, slots, node);
                let turn = cubic.stages[stage].turn;
                let [by_twist, by_rate] = CUBIC_PARTIALS[stage];
                for (column, change) in changes.iter_mut().enumerate() {
                    *change += by_pose * turn * (by_twist[column] * h * h);
                    *change += by_velocity * turn * (by_rate[column] * h);
                }
            }
            let map = node.checked_sub(1).map(|stage| cubic.stages[stage].map);
            let weights = [cubic.weights.position[node], cubic.weights.velocity[node]];
            for (column, change) in changes.iter().enumerate() {
                let change = map.unwrap_or_else(Matrix6::identity) * factors.solve(change); // (5)
                for (row, weight) in weights.into_iter().enumerate() {
                    let mut block = out.fixed_view_mut::<6, 6>(6 * row, 6 * column);
                    block -= change * weight;
                }
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cubic force on a point with quadratic velocity, against Gauss's rule with four points.
    #[test]
    fn mean_power_is_that_of_the_cubic_force() {
        let series = [
            Vector3::new(1.0, -2.0, 0.5),
            Vector3::new(0.3, 0.7, -4.0),
            Vector3::new(-1.1, 0.2, 0.9),
            Vector3::new(2.0, 5.0, -3.0),
        ];
        let velocity = |s: f64| Vector3::new(1.0 - s, 0.5 + 3.0 * s * s, s * (s - 2.0));
        let force = |s: f64| {
            let polynomials = [
                1.0,
                2.0 * s - 1.0,
                6.0 * s * s - 6.0 * s + 1.0,
                ((20.0 * s - 30.0) * s + 12.0) * s - 1.0,
            ];
            series
                .iter()
                .zip(polynomials)
                .map(|(c, l)| c * l)
                .sum::<Vector3<f64>>()
        };
        for (node, s) in [0.0, 0.5, 1.0].into_iter().enumerate() {
            assert!((force_at(&series, node) - force(s)).amax() < 1e-14);
        }
        let nodes = [
            (0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
            (0.861_136_311_594_052_6, 0.347_854_845_137_453_9),
        ];
        let power = |x: f64| force(0.5 + 0.5 * x).dot(&velocity(0.5 + 0.5 * x));
        let both = |(x, weight)| 0.5 * weight * (power(x) + power(-x));
        let wanted: f64 = nodes.into_iter().map(both).sum();
        let found = mean_power(&series, &[0.0, 0.5, 1.0].map(velocity));
        assert!((found - wanted).abs() < 1e-13, "{found} {wanted}");
    }
}
