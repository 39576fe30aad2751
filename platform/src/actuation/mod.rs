//! What a free body does by itself: thrusters and wheels of the target and of a floating base.
//!
//! In the body's own axes, at its centre of mass c of the body's frame, acts a wrench history
//! (f_h, m_h) and, if the body holds itself, a PD law with limits. With the rotation matrix R, the
//! attitude R_s asked for, the unit quaternion (w, q) of `Rᵀ R_s` with w ≥ 0, the twist (v, ω), the
//! course `p_s(t) = p_0 + u t` of the centre of mass and its place p,
//!
//! ```text
//! m = m_h + clamp(k_a 2q − d_a ω),          |2q| = 2 sin(θ/2)                    (1)
//! f = f_h + clamp(k_p e − d_p ė),           e = Rᵀ (p_s − p),
//!                                           ė = v + ω × c − Rᵀ u                 (2)
//! W = (f, m + c × f)                                                             (3)
//! ```
//!
//! where `clamp` keeps every component within its limit, and W is the wrench about the origin of the
//! body's frame. 2q is the rotation vector for small turns and, other than that, has one value up to
//! half a turn. With the turn ψ of the body (left-trivialised, R → R exp(ψ)),
//!
//! ```text
//! δ(2q) = −(w ψ_ω − q × ψ_ω)                                                     (4)
//! δe = −(ψ_v + ψ_ω × c) + e × ψ_ω,   δė = δv + δω × c − (Rᵀ u) × ψ_ω             (5)
//! ```
//!
//! Rows at their limit have no derivative. All of this is work done on the body: an account of
//! energies counts `∫ W·(v, ω) dt`, whether the law gives energy or takes it.

mod config;

pub use config::{BaseHold, BaseWrench, HoldMode, HoldSettings, TargetHold, TargetWrench};

use crate::body::{BodyState, point_map, skew};
use crate::wrench::{AppliedWrench, WrenchHistory, split};
use multibody::group::Group;
use nalgebra::{Matrix3, Matrix6, Rotation3, UnitQuaternion, Vector3, Vector6};

/// The PD law by which a body holds its attitude, and its course if it is asked to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Gains and limits.
    pub settings: HoldSettings,
    /// R_s.
    pub attitude: Matrix3<f64>,
    /// p_0 [m] and u [m/s], world axes; none: the place is left alone.
    pub course: Option<[Vector3<f64>; 2]>,
}

/// What a body does by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Actuation {
    /// c [m].
    centre: Vector3<f64>,
    wrench: AppliedWrench,
    hold: Option<Hold>,
}

/// The wrench of an actuation, eq. (3), with its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActuationWrench {
    /// W, own axes, about the origin of the body's frame.
    pub wrench: Vector6<f64>,
    /// Derivative by the turn ψ.
    pub by_pose: Matrix6<f64>,
    /// Derivative by the twist.
    pub by_twist: Matrix6<f64>,
}

impl Actuation {
    /// A wrench history in the body's axes at its centre of mass, which begins at `time` [s], and a
    /// law that holds the body; nothing if it does nothing.
    pub fn new(
        centre: Vector3<f64>,
        history: WrenchHistory,
        hold: Option<Hold>,
        time: f64,
    ) -> Option<Self> {
        if hold.is_none() && history == WrenchHistory::default() {
            return None;
        }
        let mut wrench = AppliedWrench::default();
        wrench.replace(history, time);
        Some(Self {
            centre,
            wrench,
            hold,
        })
    }

    /// Its wrench history.
    pub fn history(&self) -> &AppliedWrench {
        &self.wrench
    }

    /// The wrench on a body in this state at `time` [s], the history being felt as `felt`.
    pub fn evaluate(&self, state: &BodyState, felt: &Vector6<f64>, time: f64) -> ActuationWrench {
        let (mut force, mut moment) = split(felt);
        let (mut by_pose, mut by_twist) = (Matrix6::zeros(), Matrix6::zeros());
        if let Some(hold) = &self.hold {
            let law = hold.moment(state); // (1)
            moment += law.value;
            by_pose.fixed_rows_mut::<3>(3).copy_from(&law.by_pose);
            by_twist.fixed_rows_mut::<3>(3).copy_from(&law.by_twist);
            if let Some(law) = hold.force(state, &self.centre, time) {
                force += law.value; // (2)
                let lever = skew(&self.centre);
                for (rows, law) in [(&mut by_pose, law.by_pose), (&mut by_twist, law.by_twist)] {
                    let mut forces = rows.fixed_rows_mut::<3>(0);
                    forces += law;
                    let mut moments = rows.fixed_rows_mut::<3>(3);
                    moments += lever * law;
                }
            }
        }
        let moment = moment + self.centre.cross(&force); // (3)
        let mut wrench = Vector6::zeros();
        wrench.fixed_rows_mut::<3>(0).copy_from(&force);
        wrench.fixed_rows_mut::<3>(3).copy_from(&moment);
        ActuationWrench {
            wrench,
            by_pose,
            by_twist,
        }
    }
}

/// Three components of a law with limits.
struct LimitedLaw {
    value: Vector3<f64>,
    by_pose: nalgebra::Matrix3x6<f64>,
    by_twist: nalgebra::Matrix3x6<f64>,
}

impl LimitedLaw {
    /// Keeps every component within `limit`.
    fn clamp(mut self, limit: f64) -> Self {
        for i in 0..3 {
            if self.value[i].abs() > limit {
                self.value[i] = limit.copysign(self.value[i]);
                self.by_pose.row_mut(i).fill(0.0);
                self.by_twist.row_mut(i).fill(0.0);
            }
        }
        self
    }
}

impl Hold {
    /// The law of eq. (1).
    fn moment(&self, state: &BodyState) -> LimitedLaw {
        let settings = &self.settings;
        let relative = state.pose.rotation().tr_mul(&self.attitude);
        let turn =
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(relative));
        let sign = 1.0_f64.copysign(turn.w);
        let (w, q) = (turn.w.abs(), turn.imag() * sign);
        let spin: Vector3<f64> = state.velocity.fixed_rows::<3>(3).into();
        let (k, d) = (settings.stiffness, settings.damping);
        let mut by_pose = nalgebra::Matrix3x6::zeros();
        by_pose
            .fixed_columns_mut::<3>(3)
            .copy_from(&((skew(&q) - Matrix3::identity() * w) * k)); // (4)
        let mut by_twist = nalgebra::Matrix3x6::zeros();
        by_twist
            .fixed_columns_mut::<3>(3)
            .copy_from(&(Matrix3::identity() * -d));
        LimitedLaw {
            value: q * (2.0 * k) - spin * d,
            by_pose,
            by_twist,
        }
        .clamp(settings.torque_limit)
    }

    /// The law of eq. (2), if the body keeps to a course.
    fn force(&self, state: &BodyState, centre: &Vector3<f64>, time: f64) -> Option<LimitedLaw> {
        let [start, rate] = self.course.as_ref()?;
        let settings = &self.settings;
        let rotation = state.pose.rotation();
        let map = point_map(centre);
        let wanted = start + rate * time;
        let behind = rotation.tr_mul(&(wanted - state.point(centre)));
        let rate = rotation.tr_mul(rate);
        let (k, d) = (settings.position_stiffness, settings.position_damping);
        let mut by_pose = map * -k; // (5)
        let mut turned = by_pose.fixed_columns_mut::<3>(3);
        turned += skew(&behind) * k + skew(&rate) * d;
        let law = LimitedLaw {
            value: behind * k - (map * state.velocity - rate) * d,
            by_pose,
            by_twist: map * -d,
        };
        Some(law.clamp(settings.force_limit))
    }
}

/// Work [J] over a step of `length` [s] in which a body moves from one state to another, of a wrench
/// in its own axes that was `before` at the start and is `after` at the end.
pub fn work(
    before: &Vector6<f64>,
    after: &Vector6<f64>,
    from: &BodyState,
    to: &BodyState,
    length: f64,
) -> f64 {
    0.25 * length * (before + after).dot(&(from.velocity + to.velocity))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use multibody::group::Se3;
    use proptest::prelude::*;

    fn hold(torque_limit: f64, force_limit: f64) -> Actuation {
        let hold = Hold {
            settings: HoldSettings {
                stiffness: 20.0,
                damping: 80.0,
                torque_limit,
                position_stiffness: 125.0,
                position_damping: 500.0,
                force_limit,
            },
            attitude: Se3::new(Vector3::zeros(), Vector3::new(0.3, -0.2, 1.0)).rotation(),
            course: Some([Vector3::new(0.2, 0.1, 1.0), Vector3::new(0.0, 0.01, -0.05)]),
        };
        let centre = Vector3::new(0.1, -0.2, -0.5);
        Actuation::new(centre, WrenchHistory::default(), Some(hold), 0.0).unwrap()
    }

    proptest! {
        /// Exact tangents, inside the limits.
        #[test]
        fn derivatives_equal_finite_differences(
            place in proptest::array::uniform3(-1.0..1.0_f64),
            turn in proptest::array::uniform3(-1.2..1.2_f64),
            velocity in proptest::array::uniform6(-1.0..1.0_f64),
        ) {
            let actuation = hold(1e6, 1e6);
            let pose = Se3::new(place.into(), turn.into());
            let state = BodyState::moving(pose, velocity.into());
            let felt = Vector6::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
            let at = |state: &BodyState| actuation.evaluate(state, &felt, 2.0);
            let found = at(&state);
            let step = 1e-6;
            for k in 0..6 {
                let unit = Vector6::from_fn(|i, _| if i == k { step } else { 0.0 });
                let turned = |sign: f64| {
                    let pose = pose.compose(&Se3::exp(&(unit * sign)));
                    at(&BodyState { pose, ..state }).wrench
                };
                let by_pose = (turned(1.0) - turned(-1.0)) / (2.0 * step);
                let spun = |sign: f64| {
                    let velocity = state.velocity + unit * sign;
                    at(&BodyState { velocity, ..state }).wrench
                };
                let by_twist = (spun(1.0) - spun(-1.0)) / (2.0 * step);
                // Rounding of wrenches of 1e3 over the step, and its square.
                prop_assert!((found.by_pose.column(k) - by_pose).amax() < 1e-6 * 1e3);
                prop_assert!((found.by_twist.column(k) - by_twist).amax() < 1e-6 * 1e3);
            }
        }

        /// Whatever the body does, no component is beyond its limit.
        #[test]
        fn limits_hold(
            turn in proptest::array::uniform3(-3.0..3.0_f64),
            velocity in proptest::array::uniform6(-5.0..5.0_f64),
        ) {
            let actuation = hold(2.0, 7.0);
            let pose = Se3::new(Vector3::zeros(), turn.into());
            let state = BodyState::moving(pose, velocity.into());
            let found = actuation.evaluate(&state, &Vector6::zeros(), 1.0);
            let (force, about_origin) = split(&found.wrench);
            let moment = about_origin - actuation.centre.cross(&force);
            prop_assert!(force.amax() <= 7.0);
            prop_assert!(moment.amax() <= 2.0 + 1e-12);
        }
    }

    #[test]
    fn what_does_nothing_is_left_out() {
        let none = Actuation::new(Vector3::zeros(), WrenchHistory::default(), None, 0.0);
        assert_eq!(none, None);
    }
}
