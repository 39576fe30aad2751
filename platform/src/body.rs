//! A rigid body of the platform (base, end effector, target) inside a step of the generalised-α
//! method.
//!
//! In the body's own frame, with the inertia M about the frame's origin and the twist v:
//!
//! ```text
//! r = M (v̇ − g) − ad_vᵀ M v − w = 0,     g = (Rᵀ g_world, 0)                    (1)
//! ```
//!
//! Elastic appendages add the terms of `crate::appendage`.
//!
//! The equations of the step, the unknown ψ and the weights of the tangent are those of
//! `multibody::dynamics::integrator` (`bruls2012`): a body here and a body of a leg's model move alike.

use crate::appendage::{ModalMotion, Modes};
use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use nalgebra::{Matrix3, Matrix3x6, Matrix6, Vector3, Vector6};

/// What does not change of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Inertia about the frame's origin, in the frame's axes (linear, angular).
    pub inertia: Matrix6<f64>,
    /// Gravity that the body feels, world axes [m/s²].
    pub gravity: Vector3<f64>,
    /// Modes of its elastic appendages, whose mass is in the inertia.
    pub modes: Modes,
}

impl Body {
    /// A rigid body.
    pub fn rigid(inertia: Matrix6<f64>, gravity: Vector3<f64>) -> Self {
        Self {
            inertia,
            gravity,
            modes: Modes::default(),
        }
    }

    /// Inertia that answers a jump of the wrench: appendages do not follow at once.
    pub fn instantaneous_inertia(&self) -> Matrix6<f64> {
        self.modes.instantaneous(&self.inertia)
    }

    /// Mass times the place of its centre of mass [kg·m]: M holds it in the moments that a force at
    /// the origin's acceleration makes.
    fn first_moment(&self) -> Vector3<f64> {
        let inertia = &self.inertia;
        Vector3::new(inertia[(5, 1)], inertia[(3, 2)], inertia[(4, 0)])
    }

    /// Place of its centre of mass in its frame [m].
    pub fn centre_of_mass(&self) -> Vector3<f64> {
        self.first_moment() / self.inertia[(0, 0)]
    }
}

/// Motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BodyState {
    /// Pose.
    pub pose: Se3,
    /// Twist in the body's axes (linear, angular) [m/s, rad/s].
    pub velocity: Vector6<f64>,
    /// Its time derivative [m/s², rad/s²].
    pub acceleration: Vector6<f64>,
    /// Acceleration-like variable of the generalised-α method.
    pub algorithmic: Vector6<f64>,
    /// Motion of its appendages.
    pub modal: ModalMotion,
}

impl BodyState {
    /// A body at rest.
    pub fn at_rest(pose: Se3) -> Self {
        Self::moving(pose, Vector6::zeros())
    }

    /// A body with a twist in its own axes, not accelerated.
    pub fn moving(pose: Se3, velocity: Vector6<f64>) -> Self {
        Self {
            pose,
            velocity,
            acceleration: Vector6::zeros(),
            algorithmic: Vector6::zeros(),
            modal: ModalMotion::default(),
        }
    }

    /// Position of a point of the body, world axes [m].
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.pose.translation() + self.pose.rotation() * point
    }

    /// Velocity of a point of the body, world axes [m/s].
    pub fn point_velocity(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.pose.rotation() * (point_map(point) * self.velocity)
    }

    /// Acceleration of a point of the body, world axes [m/s²].
    pub fn point_acceleration(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let spin: Vector3<f64> = self.velocity.fixed_rows::<3>(3).into();
        let map = point_map(point);
        let own = map * self.acceleration + spin.cross(&(map * self.velocity));
        self.pose.rotation() * own
    }

    /// Pose and twist at the fraction `share` of a step of `h` [s] from `a` to `b`: the cubic through
    /// poses and rates at both ends.
    pub fn within(a: &Self, b: &Self, h: f64, share: f64) -> (Se3, Vector6<f64>) {
        let Ok(increment) = a.pose.between(&b.pose).log() else {
            return (b.pose, b.velocity);
        };
        let last = Se3::tangent_inverse(&increment) * b.velocity * h;
        let (n, rate) = cubic(share, &increment, &(a.velocity * h), &last);
        let twist = Se3::tangent(&n) * rate / h;
        (a.pose.compose(&Se3::exp(&n)), twist)
    }

    /// True when every number is finite.
    pub fn is_finite(&self) -> bool {
        let sum = self.pose.translation().sum()
            + self.pose.rotation().sum()
            + self.velocity.sum()
            + self.acceleration.sum()
            + self.algorithmic.sum()
            + self.modal.place.sum()
            + self.modal.rate.sum();
        sum.is_finite()
    }
}

/// `[I, −p×]`: a twist to the velocity of the body's point p, in the body's axes.
pub fn point_map(point: &Vector3<f64>) -> Matrix3x6<f64> {
    Se3::linear_part() + Se3::cross(point)
}

/// `v×` as a matrix.
pub fn skew(v: &Vector3<f64>) -> Matrix3<f64> {
    v.cross_matrix()
}

/// A body within a step.
#[derive(Debug, Clone, Copy)]
pub struct BodyStep {
    /// Increment n of the step.
    increment: Vector6<f64>,
    /// T⁻¹(n).
    pub map: Matrix6<f64>,
    /// The iterate at the end of the step.
    pub trial: BodyState,
}

impl BodyStep {
    /// First guess of the end of the step: accelerations, or with `calm` velocities, stay.
    pub fn predict(body: &Body, state: &BodyState, integrator: &Integrator, calm: bool) -> Self {
        let increment = if calm {
            integrator.predict_calmly(&state.velocity)
        } else {
            integrator.predict(&state.velocity, &state.algorithmic)
        };
        Self::with_increment((body, state), integrator, increment)
    }

    /// A step of no length: the motion as it is.
    pub fn standing(state: &BodyState) -> Self {
        Self {
            increment: Vector6::zeros(),
            map: Matrix6::identity(),
            trial: *state,
        }
    }

    /// First guess from an acceleration-like variable at the end of the step.
    pub fn guess(
        body: &Body,
        state: &BodyState,
        integrator: &Integrator,
        end: &Vector6<f64>,
    ) -> Self {
        let increment = integrator.increment(&state.velocity, &state.algorithmic, end);
        Self::with_increment((body, state), integrator, increment)
    }

    /// The step with a given increment n.
    fn with_increment(
        (body, state): (&Body, &BodyState),
        integrator: &Integrator,
        increment: Vector6<f64>,
    ) -> Self {
        let mut out = Self {
            increment,
            map: Matrix6::identity(),
            trial: *state,
        };
        out.follow(body, state, integrator);
        out
    }

    /// Pose, velocity and acceleration of the iterate from its increment.
    fn follow(&mut self, body: &Body, state: &BodyState, integrator: &Integrator) {
        let n = &self.increment;
        let before = [&state.velocity, &state.acceleration, &state.algorithmic];
        let end = integrator.follow(before, n);
        self.trial = BodyState {
            pose: state.pose.compose(&Se3::exp(n)),
            velocity: end.velocity,
            acceleration: end.acceleration,
            algorithmic: end.algorithmic,
            modal: (body.modes).end(&state.modal, integrator, &end.acceleration),
        };
        self.map = Se3::tangent_inverse(n);
    }

    /// Applies a correction ψ.
    pub fn correct(
        &mut self,
        (body, state): (&Body, &BodyState),
        integrator: &Integrator,
        psi: &Vector6<f64>,
    ) {
        self.increment += self.map * psi;
        self.follow(body, state, integrator);
    }

    /// Inertia forces `M (v̇ − g) − ad_vᵀ M v` of the iterate and their tangent by ψ, eq. (1).
    pub fn inertia(&self, body: &Body, integrator: &Integrator) -> (Vector6<f64>, Matrix6<f64>) {
        let weights = integrator.weights();
        let own = inertia_of(body, &self.trial);
        let changing = body.inertia * weights.inertia + own.by_velocity * weights.damping;
        let (mut force, mut tangent) = (own.force, changing * self.map + own.by_pose);
        if body.modes.count > 0 {
            let (velocity, modal) = (&self.trial.velocity, &self.trial.modal);
            force += body.modes.force(velocity, modal);
            tangent += (body.modes).tangent(velocity, modal, integrator, &self.map);
        }
        (force, tangent)
    }

    /// Error of the step in pose, as a twist in the body's axes [m, rad].
    pub fn error(&self, state: &BodyState, integrator: &Integrator) -> Vector6<f64> {
        (self.trial.algorithmic - state.algorithmic) * integrator.error_by_algorithmic()
    }

    /// Pose and twist at the fraction `share` of a step of `h` [s] from `state`: the cubic through
    /// increments and rates at both ends, so that twists and their mean agree with the way made.
    pub fn within(&self, state: &BodyState, h: f64, share: f64) -> (Se3, Vector6<f64>) {
        let first = state.velocity * h;
        let last = self.map * self.trial.velocity * h;
        let (n, rate) = cubic(share, &self.increment, &first, &last);
        let twist = Se3::tangent(&n) * rate / h;
        (state.pose.compose(&Se3::exp(&n)), twist)
    }

    /// The state to go on with.
    pub fn accepted(&self) -> BodyState {
        BodyState {
            pose: self.trial.pose.renormalized(),
            ..self.trial
        }
    }
}

/// The cubic from zero to `end` with slopes `first` and `last`, at `s` between 0 and 1, and its slope.
fn cubic(
    s: f64,
    end: &Vector6<f64>,
    first: &Vector6<f64>,
    last: &Vector6<f64>,
) -> (Vector6<f64>, Vector6<f64>) {
    let (s2, s3) = (s * s, s * s * s);
    let n = end * (3.0 * s2 - 2.0 * s3) + first * (s3 - 2.0 * s2 + s) + last * (s3 - s2);
    let rate = end * (6.0 * s - 6.0 * s2)
        + first * (3.0 * s2 - 4.0 * s + 1.0)
        + last * (3.0 * s2 - 2.0 * s);
    (n, rate)
}

/// Inertia forces of a moving body with its weight, eq. (1) without w, in its own frame.
#[derive(Debug, Clone, Copy)]
pub struct InertiaForce {
    /// `M (v̇ − g) − ad_vᵀ M v`.
    pub force: Vector6<f64>,
    /// Its derivative by ψ.
    pub by_pose: Matrix6<f64>,
    /// Its derivative by v; that by v̇ is M.
    pub by_velocity: Matrix6<f64>,
}

/// Inertia forces of `body` in this state of motion, without those of appendages.
pub fn inertia_of(body: &Body, state: &BodyState) -> InertiaForce {
    let inertia = &body.inertia;
    let (weight, weight_by_pose) = weight_of(body, &state.pose);
    let ad = Se3::ad(&state.velocity);
    let momentum = inertia * state.velocity;
    InertiaForce {
        force: inertia * state.acceleration - ad.tr_mul(&momentum) - weight,
        by_pose: -weight_by_pose,
        by_velocity: -(ad.tr_mul(inertia) + Se3::coad(&momentum)),
    }
}

/// Weight of a body as a wrench in its own frame, and its derivative by ψ.
pub fn weight_of(body: &Body, pose: &Se3) -> (Vector6<f64>, Matrix6<f64>) {
    let gravity = pose.rotation().tr_mul(&body.gravity);
    let linear = Se3::linear_part();
    // δ(Rᵀ g) = (Rᵀ g) × ω.
    (
        body.inertia * linear.tr_mul(&gravity),
        -(body.inertia * linear.tr_mul(&Se3::cross(&gravity))),
    )
}

/// Kinetic energy, that of appendages included [J].
pub fn kinetic_energy(body: &Body, state: &BodyState) -> f64 {
    let [modal, _] = body.modes.energies(&state.velocity, &state.modal);
    0.5 * state.velocity.dot(&(body.inertia * state.velocity)) + modal
}

/// Energy of deflected appendages [J].
pub fn strain_energy(body: &Body, state: &BodyState) -> f64 {
    let [_, strain] = body.modes.energies(&state.velocity, &state.modal);
    strain
}

/// Potential of gravity [J].
pub fn gravity_energy(body: &Body, pose: &Se3) -> f64 {
    let mass = body.inertia[(0, 0)];
    let moment = body.first_moment();
    -body
        .gravity
        .dot(&(pose.translation() * mass + pose.rotation() * moment))
}

/// Momentum of a body in world axes: linear, and angular about the world's origin.
pub fn momentum(body: &Body, state: &BodyState) -> (Vector3<f64>, Vector3<f64>) {
    let own = body.inertia * state.velocity + body.modes.momentum_of(&state.modal);
    let rotation = state.pose.rotation();
    let linear = rotation * own.fixed_rows::<3>(0);
    let angular = rotation * own.fixed_rows::<3>(3) + state.pose.translation().cross(&linear);
    (linear, angular)
}

/// Acceleration that the wrench `w` (body axes) gives a rigid body with this state: eq. (1).
pub fn free_acceleration(body: &Body, state: &BodyState, w: &Vector6<f64>) -> Option<Vector6<f64>> {
    let (weight, _) = weight_of(body, &state.pose);
    let gyroscopic = Se3::ad(&state.velocity).tr_mul(&(body.inertia * state.velocity));
    body.inertia
        .cholesky()
        .map(|factors| factors.solve(&(w + weight + gyroscopic)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use multibody::model::spatial_inertia;
    use proptest::prelude::*;

    proptest! {
        /// The centre of mass anywhere: potential from its place, and the weight from the potential.
        #[test]
        fn gravity_acts_at_the_centre_of_mass(
            centre in proptest::array::uniform3(-0.5..0.5_f64),
            place in proptest::array::uniform3(-1.0..1.0_f64),
            turn in proptest::array::uniform3(-2.0..2.0_f64),
            gravity in proptest::array::uniform3(-10.0..10.0_f64),
        ) {
            let mass = 7.0;
            let inertia = spatial_inertia(mass, centre, Matrix3::identity());
            let body = Body::rigid(inertia, gravity.into());
            let pose = Se3::new(place.into(), turn.into());
            let at = pose.translation() + pose.rotation() * Vector3::from(centre);
            let potential = gravity_energy(&body, &pose);
            prop_assert!((potential + mass * body.gravity.dot(&at)).abs() < 1e-12 * 200.0);
            let (weight, _) = weight_of(&body, &pose);
            let step = 1e-5;
            for k in 0..6 {
                let moved = |by: f64| {
                    let psi = Vector6::from_fn(|i, _| if i == k { by } else { 0.0 });
                    gravity_energy(&body, &pose.compose(&Se3::exp(&psi)))
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                // Rounding of energies of 200 J over the step.
                prop_assert!((weight[k] + slope).abs() < 1e-7, "{k}: {} {slope}", weight[k]);
            }
        }
    }
}
