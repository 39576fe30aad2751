//! A rigid body under the forces of legs and a wrench, step by step, and how its motion follows them.
//!
//! With the inertia M about the body's centre, its twist v in its own axes, gravity g and the wrench w
//! of forces f_i that act in world axes at the points p_i, and of a moment m,
//!
//! ```text
//! M (v̇ − g) − ad_vᵀ M v = w,     w = Σ [I, −p_i×]ᵀ Rᵀ f_i + (0, Rᵀ m)              (1)
//! ```
//!
//! which the generalised-α method solves (`softdock_platform::body`) with ρ∞ = 1: nothing in the body
//! is stiff, so there is nothing to damp, and accelerations and their algorithmic counterparts are the
//! same. Constant forces give the exact motion of the centre.
//!
//! Changes follow from the same equations, linearised. With ψ the change of the pose in the body's axes
//! and n the increment of the step,
//!
//! ```text
//! ψ' = Ad(exp(n))⁻¹ ψ + T(n) δn                                                   (2)
//! M δv̇' + ∂r/∂v δv' + ∂(r − w)/∂ψ ψ' = δw                                          (3)
//! ```
//!
//! where δv' and δv̇' follow from δn as v' and v̇' do from n.

use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use nalgebra::{Matrix6, Vector3, Vector6};
use softdock_fmi::model::Failure;
use softdock_platform::body::{
    Body, BodyState, BodyStep, free_acceleration, inertia_of, point_map,
};

/// Most iterations on the equations of a step, which are hardly nonlinear.
const MOST_ITERATIONS: usize = 30;
/// They stop at this correction, relative to the way of the step or 1 m, 1 rad.
const TOLERANCE: f64 = 1e-13;
/// An end effector faster than this has left every platform [m/s, rad/s].
const LARGEST_VELOCITY: f64 = 1e3;

/// Spectral radius at infinite frequency: see the module's documentation.
const SPECTRAL_RADIUS: f64 = 1.0;

/// A body and the points at which forces act.
#[derive(Debug)]
pub struct Loaded {
    /// The body.
    pub body: Body,
    /// Spherical joints in its frame [m].
    pub tips: Vec<Vector3<f64>>,
}

/// Sees a step, with the state before it and the inputs at its end.
type Seen<'a> = dyn FnMut(&BodyState, &BodyStep, &[f64]) -> Result<(), Failure> + 'a;

/// A change of a motion.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Of the pose, in the body's axes [m, rad].
    pub pose: Vector6<f64>,
    /// Of the twist [m/s, rad/s].
    pub velocity: Vector6<f64>,
}

impl Loaded {
    /// Number of inputs: forces of the legs, then a wrench on the centre.
    pub fn input_count(&self) -> usize {
        3 * self.tips.len() + 6
    }

    /// The wrench w of the inputs, eq. (1), and its derivative by ψ.
    fn wrench(&self, pose: &Se3, inputs: &[f64]) -> (Vector6<f64>, Matrix6<f64>) {
        let rotation = pose.rotation();
        let (mut sum, mut by_pose) = (Vector6::zeros(), Matrix6::zeros());
        let centre = Vector3::zeros();
        let points = self.tips.iter().chain([&centre]);
        for (point, force) in points.zip(inputs.chunks(3)) {
            let force = rotation.tr_mul(&Vector3::from_column_slice(force));
            let map = point_map(point);
            sum += map.tr_mul(&force);
            // δ(Rᵀ f) = (Rᵀ f) × ω.
            by_pose -= map.tr_mul(&Se3::cross(&force));
        }
        let moment = Vector3::from_column_slice(&inputs[inputs.len() - 3..]);
        let moment = rotation.tr_mul(&moment);
        let mut rows = sum.fixed_rows_mut::<3>(3);
        rows += moment;
        let mut rows = by_pose.fixed_rows_mut::<3>(3);
        rows -= Se3::cross(&moment);
        (sum, by_pose)
    }

    /// What one unit of an input adds to the wrench.
    fn unit_wrench(&self, pose: &Se3, input: usize) -> Vector6<f64> {
        let mut inputs = vec![0.0; self.input_count()];
        inputs[input] = 1.0;
        self.wrench(pose, &inputs).0
    }

    /// The body at this pose and twist with the acceleration that the inputs give it.
    pub fn state(
        &self,
        (pose, velocity): (Se3, Vector6<f64>),
        inputs: &[f64],
    ) -> Result<BodyState, Failure> {
        let mut state = BodyState::moving(pose, velocity);
        let (wrench, _) = self.wrench(&pose, inputs);
        let acceleration = free_acceleration(&self.body, &state, &wrench)
            .ok_or("the inertia of the end effector is not positive")?;
        state.acceleration = acceleration;
        state.algorithmic = acceleration;
        Ok(state)
    }

    /// A step of `h` [s] under the inputs at its end, and the iterations it took.
    #[inline(never)]
    fn step(
        &self,
        state: &BodyState,
        inputs: &[f64],
        integrator: &Integrator,
    ) -> Result<(BodyStep, usize), Failure> {
        let mut step = BodyStep::predict(&self.body, state, integrator, false);
        for iteration in 1..=MOST_ITERATIONS {
            let (force, tangent) = step.inertia(&self.body, integrator);
            let (wrench, by_pose) = self.wrench(&step.trial.pose, inputs);
            let solved = (tangent - by_pose).lu().solve(&(wrench - force)); // (1)
            let psi = solved.ok_or("the equations of the end effector are singular")?;
            step.correct((&self.body, state), integrator, &psi);
            let speed = step.trial.velocity.amax();
            // Negated: NaN is no speed either.
            if !(speed <= LARGEST_VELOCITY && step.trial.is_finite()) {
                return Err(format!(
                    "the end effector would reach {speed:e} m/s or rad/s, more than {LARGEST_VELOCITY:e}: \
                     forces are wrong, or the coupling with the legs is unstable at this \
                     communication step"
                )
                .into());
            }
            if psi.amax() <= TOLERANCE * (1.0 + integrator.step() * speed) {
                return Ok((step, iteration));
            }
        }
        Err(format!("{MOST_ITERATIONS} iterations do not solve a step of the end effector").into())
    }

    /// Makes `count` steps of `h` [s] from `start`; `inputs` tells the inputs at a time since then [s].
    /// `seen` sees every step with the state before it and the inputs.
    pub fn advance(
        &self,
        start: (Se3, Vector6<f64>),
        (count, h): (usize, f64),
        inputs: &dyn Fn(f64) -> Vec<f64>,
        seen: &mut Seen<'_>,
    ) -> Result<(BodyState, usize), Failure> {
        let integrator = Integrator::new(SPECTRAL_RADIUS, h);
        let mut state = self.state(start, &inputs(0.0))?;
        let mut iterations = 0;
        for k in 1..=count {
            let values = inputs(k as f64 * h);
            let (step, made) = self.step(&state, &values, &integrator)?;
            seen(&state, &step, &values)?;
            iterations += made;
            state = step.accepted();
        }
        Ok((state, iterations))
    }

    /// How the end of these steps follows an offset of an input over all of them.
    pub fn sensitivity(
        &self,
        start: (Se3, Vector6<f64>),
        (count, h): (usize, f64),
        inputs: &dyn Fn(f64) -> Vec<f64>,
        input: usize,
    ) -> Result<Change, Failure> {
        let integrator = Integrator::new(SPECTRAL_RADIUS, h);
        let factors = self.body.inertia.cholesky();
        let factors = factors.ok_or("the inertia of the end effector is not positive")?;
        let first = factors.solve(&self.unit_wrench(&start.0, input));
        let (mut pose, mut velocity) = (Vector6::zeros(), Vector6::zeros());
        let (mut acceleration, mut algorithmic) = (first, first);
        let mut follow = |before: &BodyState, step: &BodyStep, values: &[f64]| {
            let trial = &step.trial;
            let own = inertia_of(&self.body, trial);
            let (_, wrench_by_pose) = self.wrench(&trial.pose, values);
            let by_pose = own.by_pose - wrench_by_pose;
            let weights = integrator.weights();
            let changing = self.body.inertia * weights.inertia + own.by_velocity * weights.damping;
            // First δn = 0, then what eq. (3) lacks.
            let rates = [&velocity, &acceleration, &algorithmic];
            let still = integrator.follow(rates, &Vector6::zeros());
            let carried = before.pose.between(&trial.pose).adjoint_inverse() * pose; // (2)
            let lacking = self.unit_wrench(&trial.pose, input)
                - self.body.inertia * still.acceleration
                - own.by_velocity * still.velocity
                - by_pose * carried;
            let solved = (changing * step.map + by_pose).lu().solve(&lacking);
            let psi = solved.ok_or("the equations of the end effector are singular")?;
            let end = integrator.follow(rates, &(step.map * psi));
            pose = carried + psi;
            (velocity, acceleration, algorithmic) =
                (end.velocity, end.acceleration, end.algorithmic);
            Ok(())
        };
        self.advance(start, (count, h), inputs, &mut follow)?;
        Ok(Change { pose, velocity })
    }
}
