//! The equations of a long macro step, and their derivatives.
//!
//! In the end effector's axes, with the joints at s, `B = [I, −s×]`, the forces f of the legs and
//! the wrench w from outside, the end effector feels and resists
//!
//! ```text
//! W = Σ Bᵀ Rᵀ f + w,     r = W − (M (v̇ − g) − ad_vᵀ M v)                        (1)
//! ∂r/∂ψ = P = Σ Bᵀ (Rᵀ S R B + (Rᵀ f)× E − Rᵀ D R (B v)× E) + …                 (2)
//! ∂r/∂v = Q = Σ Bᵀ Rᵀ D R B + …                                                 (3)
//! ```
//!
//! with S and D the derivatives of a leg's force by position and velocity of its tip at the
//! stage and E the angular part of a twist. On a cubic ([`super::course`]) v̇ is taken from r = 0 and
//! the equations are those of the cubic, whose derivatives follow from
//!
//! ```text
//! δξ̈ = T⁻¹ M⁻¹ (P T δξ + Q T δξ̇)                                                (4)
//! ```
//!
//! but for the change of T. S and D at the end of a cubic are those by the end of the whole cubic,
//! its middle following.

use super::course::{CUBIC_PARTIALS, Course};
use super::seat::Seat;
use crate::body::{Body, BodyState, free_acceleration, inertia_of, point_map, skew};
use crate::wrench::split;
use leg_core::group::Group;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

/// W of eq. (1): legs push with `force(leg)` where they are attached.
pub fn wrench_on(
    state: &BodyState,
    seats: &[Seat],
    outside: &Vector6<f64>,
    force: impl Fn(usize, &Seat) -> Vector3<f64>,
) -> Vector6<f64> {
    let rotation = state.pose.rotation();
    let (push, moment) = split(outside);
    let mut sum = Vector6::zeros();
    sum.fixed_rows_mut::<3>(0)
        .copy_from(&rotation.tr_mul(&push));
    sum.fixed_rows_mut::<3>(3)
        .copy_from(&rotation.tr_mul(&moment));
    for (i, seat) in seats.iter().enumerate().filter(|(_, seat)| seat.attached) {
        let local = rotation.tr_mul(&force(i, seat));
        sum += point_map(&seat.sphere).tr_mul(&local);
    }
    sum
}

/// What is known of a macro step besides the motion.
#[derive(Debug)]
pub struct Load<'a> {
    /// The end effector.
    pub body: &'a Body,
    /// The wrench from outside at the start and at the stages, world axes.
    pub outside: &'a [Vector6<f64>; 3],
    /// v̇ at the start, right behind any jump.
    pub first: Vector6<f64>,
}

impl Load<'_> {
    /// Gives the stages the accelerations that the legs' answers make; nothing if the
    /// end effector has no mass.
    pub fn accelerate(&self, course: &mut Course, seats: &[Seat]) -> Option<()> {
        let found: Option<Vec<_>> = (0..course.stages.len())
            .map(|i| {
                let (state, outside) = (&course.stages[i].state, &self.outside[i + 1]);
                let wrench = wrench_on(state, seats, outside, |_, seat| seat.answers[i].force);
                free_acceleration(self.body, state, &wrench)
            })
            .collect();
        course.accelerate(&found?);
        Some(())
    }

    /// What is wrong with the motion, eqs. (4) and (3) of the cubic (m, rad).
    pub fn residual(&self, course: &Course) -> DVector<f64> {
        let [middle, end] = [0, 1].map(|i| course.stages[i].state.acceleration);
        let parts = course.mismatch(&[self.first, middle, end]);
        DVector::from_iterator(6 * parts.len(), parts.iter().flatten().copied())
    }

    /// P and Q of eqs. (2) and (3) at a stage.
    fn slopes(&self, course: &Course, seats: &[Seat], i: usize) -> (Matrix6<f64>, Matrix6<f64>) {
        let state = &course.stages[i].state;
        let rotation = state.pose.rotation();
        let own = inertia_of(self.body, state);
        let (mut by_pose, mut by_velocity) = (-own.by_pose, -own.by_velocity);
        let (force, moment) = split(&self.outside[i + 1]);
        for (block, v) in [force, moment].iter().enumerate() {
            let mut turned = by_pose.fixed_view_mut::<3, 3>(3 * block, 3);
            turned += skew(&rotation.tr_mul(v));
        }
        for seat in seats.iter().filter(|seat| seat.attached) {
            let answer = &seat.answers[i];
            let map = point_map(&seat.sphere);
            let s = rotation.tr_mul(&answer.derivatives.by_position) * rotation;
            let d = rotation.tr_mul(&answer.derivatives.by_velocity) * rotation;
            let mut inner = s * map;
            let mut turned = inner.fixed_view_mut::<3, 3>(0, 3);
            turned += skew(&rotation.tr_mul(&answer.force));
            turned -= d * skew(&(map * state.velocity));
            by_pose += map.tr_mul(&inner); // (2)
            by_velocity += map.tr_mul(&(d * map)); // (3)
        }
        (by_pose, by_velocity)
    }

    /// Derivative of the residual by the unknowns, from the derivatives that the legs gave; nothing
    /// if the end effector has no mass.
    pub fn jacobian(&self, course: &Course, seats: &[Seat]) -> Option<DMatrix<f64>> {
        let factors = self.body.inertia.cholesky()?;
        let weights = course.method.weights();
        let (h, mut out) = (course.length, DMatrix::identity(12, 12));
        for (i, stage) in course.stages.iter().enumerate() {
            let (by_pose, by_velocity) = self.slopes(course, seats, i);
            let stiffness = stage.map * factors.solve(&(by_pose * stage.turn)); // (4)
            let damping = stage.map * factors.solve(&(by_velocity * stage.turn));
            let [by_twist, by_rate] = CUBIC_PARTIALS[i];
            for column in 0..2 {
                let change = (stiffness * by_twist[column] * h + damping * by_rate[column]) * h;
                let weights = [weights.position[i + 1], weights.velocity[i + 1]];
                for (row, weight) in weights.into_iter().enumerate() {
                    let mut block = out.fixed_view_mut::<6, 6>(6 * row, 6 * column);
                    block -= change * weight;
                }
            }
        }
        Some(out)
    }
}
