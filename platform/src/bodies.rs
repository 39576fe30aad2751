//! The bodies between the legs: end effector, base and target, within one step.
//!
//! Newton's unknowns are the twists ψ of the bodies that move freely. A leg answers the motion of
//! its ends with forces; to first order, with p and v the position and velocity of its tip in world
//! axes and β the twist of the base,
//!
//! ```text
//! δf = f_0 + S δp + D δv + S_b δβ                                               (1)
//! ```
//!
//! where f_0 is the change still due to the leg's own iteration. On the end effector, with the
//! joint at s and `B = [I, −s×]`,
//!
//! ```text
//! w = Bᵀ Rᵀ f,     δp = R B ψ,     δv = R (B δv_E − (B v_E) × ψ_ω)              (2)
//! δ(Rᵀ f) = Rᵀ δf + (Rᵀ f) × ψ_ω                                                (3)
//! ```

use crate::body::{Body, BodyState, BodyStep, point_map, skew};
use multibody::dynamics::integrator::Integrator;
use multibody::group::Group;
use nalgebra::{Const, DimMin, Matrix3, Matrix6, OMatrix, SMatrix, SVector, Vector3, Vector6};

/// Most bodies that move freely: end effector, base, target.
pub const MOST_BODIES: usize = 3;
const MOST_UNKNOWNS: usize = 6 * MOST_BODIES;

/// Position of a body in the lists of bodies.
pub const EFFECTOR: usize = 0;

/// The bodies that do not belong to a leg.
#[derive(Debug, Clone)]
pub struct Bodies {
    /// End effector first.
    pub all: Vec<Body>,
    /// The base, if it floats freely.
    pub base: Option<usize>,
    /// The target, if there is one.
    pub target: Option<usize>,
}

/// How a leg answers the motion of its ends, eq. (1).
#[derive(Debug, Clone, Copy)]
pub struct PortResponse {
    /// Force on the end effector, world axes [N].
    pub force: Vector3<f64>,
    /// f_0 of eq. (1).
    pub change: Vector3<f64>,
    /// S [N/m].
    pub by_position: Matrix3<f64>,
    /// D [N·s/m].
    pub by_velocity: Matrix3<f64>,
    /// What it does to a floating base.
    pub base: Option<BaseResponse>,
}

/// The part of a response that concerns a floating base, in the base's axes.
#[derive(Debug, Clone, Copy)]
pub struct BaseResponse {
    /// Wrench on the base.
    pub wrench: Vector6<f64>,
    /// Its change still due to the leg's own iteration.
    pub change: Vector6<f64>,
    /// Its derivative by the tip's position.
    pub by_position: SMatrix<f64, 6, 3>,
    /// Its derivative by the base's twist.
    pub by_base: Matrix6<f64>,
    /// Derivative of the tip's force by the base's twist, S_b.
    pub tip_by_base: SMatrix<f64, 3, 6>,
    /// Derivatives by velocities, where those by places do not contain them.
    pub rates: Option<BaseRates>,
}

/// Derivatives of a leg's answer by velocities of its ends.
#[derive(Debug, Clone, Copy)]
pub struct BaseRates {
    /// Of the wrench on the base by the tip's velocity, world axes.
    pub by_velocity: SMatrix<f64, 6, 3>,
    /// The same by the base's velocity, own axes.
    pub by_base: Matrix6<f64>,
    /// Of the tip's force by the base's velocity.
    pub tip_by_base: SMatrix<f64, 3, 6>,
}

/// Newton's system of the bodies: `matrix · ψ = right`.
#[derive(Debug, Clone)]
pub struct BodySystem {
    matrix: SMatrix<f64, MOST_UNKNOWNS, MOST_UNKNOWNS>,
    right: SVector<f64, MOST_UNKNOWNS>,
    bodies: usize,
}

impl BodySystem {
    /// The system of so many bodies, empty.
    pub fn new(bodies: usize) -> Self {
        Self {
            matrix: SMatrix::zeros(),
            right: SVector::zeros(),
            bodies,
        }
    }

    /// Starts anew with the inertia forces of the bodies.
    pub fn start(&mut self, bodies: &Bodies, steps: &[BodyStep], integrator: &Integrator) {
        self.matrix.fill(0.0);
        self.right.fill(0.0);
        for (i, (body, step)) in bodies.all.iter().zip(steps).enumerate() {
            let (force, tangent) = step.inertia(body, integrator);
            self.add_wrench(i, &-force);
            self.add_derivative(i, i, &-tangent);
        }
    }

    /// Adds a wrench on body `i`, in its axes.
    pub fn add_wrench(&mut self, i: usize, wrench: &Vector6<f64>) {
        let mut rows = self.right.fixed_rows_mut::<6>(6 * i);
        rows += wrench;
    }

    /// Adds the derivative of the wrench on body `i` by the twist of body `j`.
    pub fn add_derivative(&mut self, i: usize, j: usize, derivative: &Matrix6<f64>) {
        let mut block = self.matrix.fixed_view_mut::<6, 6>(6 * i, 6 * j);
        block -= derivative;
    }

    /// Adds a force and a moment on the end effector's centre, fixed in world axes.
    pub fn add_dead_wrench(
        &mut self,
        step: &BodyStep,
        force: &Vector3<f64>,
        moment: &Vector3<f64>,
    ) {
        let rotation = step.trial.pose.rotation();
        let mut wrench = Vector6::zeros();
        let mut derivative = Matrix6::zeros();
        for (block, v) in [force, moment].into_iter().enumerate() {
            let local = rotation.tr_mul(v);
            wrench.fixed_rows_mut::<3>(3 * block).copy_from(&local);
            derivative
                .fixed_view_mut::<3, 3>(3 * block, 3)
                .copy_from(&skew(&local));
        }
        self.add_wrench(EFFECTOR, &wrench);
        self.add_derivative(EFFECTOR, EFFECTOR, &derivative);
    }

    /// Adds what a leg does, eqs. (1) to (3), its joint at `sphere` of the end effector.
    pub fn add_leg(
        &mut self,
        bodies: &Bodies,
        steps: &[BodyStep],
        integrator: &Integrator,
        sphere: &Vector3<f64>,
        response: &PortResponse,
    ) {
        let effector = &steps[EFFECTOR];
        let trial = &effector.trial;
        let rotation = trial.pose.rotation();
        let map = point_map(sphere);
        let local = rotation.tr_mul(&response.force);
        let change = rotation.tr_mul(&response.change);
        self.add_wrench(EFFECTOR, &map.tr_mul(&(local + change)));
        let by_point = rotation * map;
        let mut inner = rotation.tr_mul(&response.by_position) * by_point;
        let mut turned = inner.fixed_view_mut::<3, 3>(0, 3);
        turned += skew(&local); // (3)
        let damping = integrator.weights().damping;
        let velocity_by = || {
            let mut velocity_by = by_point * (effector.map * damping);
            let mut spun = velocity_by.fixed_view_mut::<3, 3>(0, 3);
            spun -= rotation * skew(&(map * trial.velocity)); // (2)
            velocity_by
        };
        if response.by_velocity != Matrix3::zeros() {
            inner += rotation.tr_mul(&response.by_velocity) * velocity_by();
        }
        self.add_derivative(EFFECTOR, EFFECTOR, &map.tr_mul(&inner));
        if let (Some(base), Some(on_base)) = (bodies.base, &response.base) {
            self.add_wrench(base, &(on_base.wrench + on_base.change));
            let mut by_base = on_base.by_base;
            let mut by_effector: Matrix6<f64> = on_base.by_position * by_point;
            let mut tip_by_base = on_base.tip_by_base;
            if let Some(rates) = &on_base.rates {
                let base_map = steps[base].map * damping;
                by_base += rates.by_base * base_map;
                by_effector += rates.by_velocity * velocity_by();
                tip_by_base += rates.tip_by_base * base_map;
            }
            self.add_derivative(base, base, &by_base);
            self.add_derivative(base, EFFECTOR, &by_effector);
            let tip = map.tr_mul(&(rotation.tr_mul(&tip_by_base)));
            self.add_derivative(EFFECTOR, base, &tip);
        }
    }

    /// The twists of the bodies; `None` if the matrix is singular or not finite.
    pub fn solve(&self) -> Option<[Vector6<f64>; MOST_BODIES]> {
        let mut out = [Vector6::zeros(); MOST_BODIES];
        match self.bodies {
            1 => self.solve_leading::<6>(&mut out)?,
            2 => self.solve_leading::<12>(&mut out)?,
            _ => self.solve_leading::<18>(&mut out)?,
        }
        let sum: f64 = out.iter().map(|psi| psi.sum()).sum();
        sum.is_finite().then_some(out)
    }

    fn solve_leading<const M: usize>(&self, out: &mut [Vector6<f64>; MOST_BODIES]) -> Option<()>
    where
        Const<M>: DimMin<Const<M>, Output = Const<M>>,
    {
        let matrix: OMatrix<f64, Const<M>, Const<M>> = self.matrix.fixed_view::<M, M>(0, 0).into();
        let right: SVector<f64, M> = self.right.fixed_rows::<M>(0).into();
        let solution = matrix.lu().solve(&right)?;
        for (i, psi) in out.iter_mut().enumerate().take(M / 6) {
            psi.copy_from(&solution.fixed_rows::<6>(6 * i));
        }
        Some(())
    }

    /// What the wrenches on body `i` add up to, inertia included.
    pub fn wrench(&self, i: usize) -> Vector6<f64> {
        self.right.fixed_rows::<6>(6 * i).into()
    }
}

/// Position, velocity and acceleration of a point of a body, each component of the three together,
/// as the inputs of a leg want them.
pub fn point_motion(state: &BodyState, point: &Vector3<f64>) -> [[f64; 3]; 3] {
    let (x, v, a) = (
        state.point(point),
        state.point_velocity(point),
        state.point_acceleration(point),
    );
    [0, 1, 2].map(|i| [x[i], v[i], a[i]])
}
