//! The state of a platform estimated from what sensors tell: the pose of the end effector, the angles
//! of the motors, and the rates of both.
//!
//! A regulator's state x ([`crate::linear_model`]) is made of vibration modes, which no sensor shows;
//! legs inside FMUs keep it to themselves. With the sampled model and the measurements y,
//!
//! ```text
//! x⁺ = A x + B (τ − τ_hold) + E (f − f₀),   y = C x                             (1)
//! x̂ ← x̂ + P Cᵀ (C P Cᵀ + R)⁻¹ (y − C x̂)                                        (2)
//! ```
//!
//! P is the stationary covariance of the error that eq. (1) predicts (`kalman1961`), f the wrench on
//! the end effector from outside as its sensor tells it. At the start x̂ is the state of least energy
//! that shows y: with W the diagonal of 1/ω² for a coordinate of frequency ω and of 1 for its rate,
//!
//! ```text
//! x̂ = W Cᵀ (C W Cᵀ)⁺ y                                                          (3)
//! ```
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | x, y | state, measurements: deviations from the equilibrium | n, 12 + 2 legs |
//! | Q, R | covariances of what (1) does not know, and of y | n × n, square |

use crate::bodies::EFFECTOR;
use crate::body::BodyState;
use crate::error::Result;
use crate::linear_model::LinearPlatform;
use crate::scheme::Scheme;
use crate::statics::StaticPlatform;
use core::f64::consts::TAU;
use multibody::group::{Group, Se3};
use nalgebra::{DMatrix, DVector, Vector3, Vector6};
use softdock_control::riccati;

/// Measurements of the end effector: pose, then rates.
pub(crate) const POSE: usize = 12;

/// Deviations that sensors do not tell from rest: position, angle, velocity, rate, in lengths of the
/// platform, radians and both per sampling period. On the default platform (0.19 m, 1 ms) these are
/// 1 µm, 3 µrad, 0.1 mm/s and 0.3 mrad/s: a laser tracker, encoders of some 20 bits.
const NOISE: [f64; 4] = [5e-6, 3e-6, 5e-7, 3e-7];

/// What acts on the end effector without being known, over a sample: force and moment, in the mass of
/// the end effector times the platform's length (squared) over the square of the sampling period. On
/// the default platform 10 N and 1 N·m, by which contact changes from one sample to the next.
const UNKNOWN: [f64; 2] = [1.75e-5, 9e-6];

/// Row of a crank's twist that is its rotation about the motor's axis, e3 of its frame.
const MOTOR_AXIS: usize = 5;

/// Modes slower than this count as this fast in eq. (3), periods per sampling period.
const SLOWEST: f64 = 5e-5;

/// Share of its own process noise that every state has besides.
const REGULAR: f64 = 1e-6;

/// Directions of y that eq. (3) does not explain, as a share of the best explained one.
const UNSEEN: f64 = 1e-10;

/// What changes in an estimator.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct EstimatorMemory {
    predicted: Option<Vec<f64>>,
    corrected: Vec<f64>,
}

/// An estimator of a regulator's state.
#[derive(Debug, Clone)]
pub struct Estimator {
    a: DMatrix<f64>,
    /// B and E of eq. (1), side by side.
    b: DMatrix<f64>,
    c: DMatrix<f64>,
    /// P Cᵀ (C P Cᵀ + R)⁻¹ of eq. (2).
    gain: DMatrix<f64>,
    /// W Cᵀ (C W Cᵀ)⁺ of eq. (3).
    start: DMatrix<f64>,
    rest_pose: Se3,
    rest_angles: Vec<f64>,
    rest_wrench: Vector6<f64>,
    holding: DVector<f64>,
    /// x̂ as predicted for the next sample; none before the first.
    predicted: Option<DVector<f64>>,
    /// x̂ after the last measurement.
    corrected: DVector<f64>,
}

impl Estimator {
    /// For a platform linearised with free motors about `equilibrium`, sampled with `period` [s]. The
    /// deviations that sensors do not tell from rest are taken `doubt` times larger: the estimate then
    /// follows what the model does not know more slowly.
    pub fn new(
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        period: f64,
        doubt: f64,
    ) -> Result<Self> {
        let model = &linear.model;
        let (a, b) = riccati::discretize(&model.a, &model.b, period)?;
        let c = measured(linear);
        let config = equilibrium.config();
        let length = config.legs.sphere_radius_m;
        let force = config.end_effector.mass_kg * length / (period * period);
        let sizes = [UNKNOWN[0] * force, UNKNOWN[1] * force * length];
        let unknown = DVector::from_fn(6, |i, _| sizes[i / 3] * sizes[i / 3]);
        let by_wrench = b.columns(linear.actuators(), 6);
        let mut process = by_wrench * DMatrix::from_diagonal(&unknown) * by_wrench.transpose();
        // A little of it in every state keeps the covariance regular.
        for i in 0..process.nrows() {
            process[(i, i)] *= 1.0 + REGULAR;
        }
        let noise_of = [
            NOISE[0] * length,
            NOISE[1],
            NOISE[2] * length / period,
            NOISE[3] / period,
        ];
        let noise = DMatrix::from_diagonal(&DVector::from_fn(c.nrows(), |i, _| {
            let kind = match i {
                0..3 => 0,
                3..6 => 1,
                6..9 => 2,
                9..POSE => 3,
                _ if i < POSE + linear.whole.legs.len() => 1,
                _ => 3,
            };
            (doubt * noise_of[kind]).powi(2)
        }));
        let predictor = riccati::sampled_observer(&a, &c, &process, &noise)?.gain;
        // A P Cᵀ (C P Cᵀ + R)⁻¹; A is an exponential and has an inverse.
        let gain = a.clone().lu().solve(&predictor).unwrap_or(predictor);
        let (force, moment) = equilibrium.wrench();
        let whole = &linear.whole;
        let motors = whole.legs.iter().map(|leg| leg.parts.motor_joint);
        let angles = motors.map(|joint| whole.rest.angle(joint));
        Ok(Self {
            gain,
            start: least_energy(linear, &c, SLOWEST / period),
            a,
            b,
            c,
            rest_pose: *equilibrium.pose(),
            rest_angles: angles.collect(),
            rest_wrench: Vector6::from_fn(|i, _| if i < 3 { force[i] } else { moment[i - 3] }),
            holding: linear.holding(equilibrium),
            predicted: None,
            corrected: DVector::zeros(model.a.nrows()),
        })
    }

    /// What changes in it: x̂ as predicted, and as corrected last.
    pub fn memory(&self) -> EstimatorMemory {
        EstimatorMemory {
            predicted: self.predicted.as_ref().map(|x| x.as_slice().to_vec()),
            corrected: self.corrected.as_slice().to_vec(),
        }
    }

    /// Goes on from a memory; false, and nothing changes, if it is of an estimator with other states.
    pub fn recall(&mut self, memory: &EstimatorMemory) -> bool {
        let states = self.corrected.len();
        let predicted = memory.predicted.as_ref();
        if memory.corrected.len() != states || predicted.is_some_and(|x| x.len() != states) {
            return false;
        }
        self.predicted = predicted.map(|x| DVector::from_column_slice(x));
        self.corrected.copy_from_slice(&memory.corrected);
        true
    }

    /// The state at a sample, from what the sensors tell now: eq. (2), or eq. (3) at the first one.
    pub fn correct(&mut self, platform: &dyn Scheme) -> Result<&DVector<f64>> {
        let y = self.measure(platform)?;
        self.corrected = match &self.predicted {
            Some(x) => x + &self.gain * (y - &self.c * x), // (2)
            None => &self.start * y,                       // (3)
        };
        Ok(&self.corrected)
    }

    /// Hears what acts until the next sample: torques of the motors [N·m] with the pulls of winches [N], if
    /// the model has them, and the wrench on the end effector, axes of the base [N, N·m].
    pub fn predict(&mut self, commands: &DVector<f64>, wrench: &Vector6<f64>) {
        let actuators = self.holding.len();
        let inputs = DVector::from_fn(actuators + 6, |i, _| {
            if i < actuators {
                commands[i] - self.holding[i]
            } else {
                wrench[i - actuators] - self.rest_wrench[i - actuators]
            }
        });
        self.predicted = Some(&self.a * &self.corrected + &self.b * inputs); // (1)
    }

    /// y.
    fn measure(&self, platform: &dyn Scheme) -> Result<DVector<f64>> {
        let bodies = platform.bodies();
        let base = platform.world().bodies().base.map(|base| &bodies[base]);
        let [pose, rates] = deviation(&self.rest_pose, &bodies[EFFECTOR], base)?;
        let legs = self.rest_angles.len();
        Ok(DVector::from_fn(self.c.nrows(), |i, _| match i {
            0..6 => pose[i],
            6..POSE => rates[i - 6],
            _ if i < POSE + legs => platform.leg(i - POSE).motor_angle - self.rest_angles[i - POSE],
            _ => platform.leg(i - POSE - legs).motor_rate,
        }))
    }
}

/// Pose and rates of the end effector as deviations from rest, seen from the base, as the outputs of
/// [`crate::linear_model`] have them.
fn deviation(
    rest: &Se3,
    effector: &BodyState,
    base: Option<&BodyState>,
) -> Result<[Vector6<f64>; 2]> {
    let (pose, twist) = base.map_or((effector.pose, effector.velocity), |base| {
        let relative = base.pose.between(&effector.pose);
        let carried = relative.inverse().adjoint() * base.velocity;
        (relative, effector.velocity - carried)
    });
    let turned = pose.rotation() * rest.rotation().transpose();
    let turn = Se3::from_parts(Vector3::zeros(), turned).log();
    let turn = turn.map_err(|error| multibody::Error::OutOfRange {
        owner: "end effector".into(),
        quantity: "rotation away from the equilibrium",
        value: error.angle_rad,
        allowed: "less than half a turn",
    })?;
    let moved = pose.translation() - rest.translation();
    let (velocity, spin) = (
        pose.rotation() * twist.fixed_rows::<3>(0),
        pose.rotation() * twist.fixed_rows::<3>(3),
    );
    Ok([
        Vector6::from_fn(|i, _| if i < 3 { moved[i] } else { turn[i] }),
        Vector6::from_fn(|i, _| if i < 3 { velocity[i] } else { spin[i - 3] }),
    ])
}

/// C of eq. (1): the outputs of the linear model, then angles and rates of the motors, which are the
/// cranks' rotations about the motors' axes.
pub(crate) fn measured(linear: &LinearPlatform) -> DMatrix<f64> {
    let model = &linear.model;
    let (order, legs) = (model.order(), linear.whole.legs.len());
    let mut out = DMatrix::zeros(POSE + 2 * legs, 2 * order);
    out.rows_mut(0, POSE).copy_from(&model.c);
    for (i, leg) in linear.whole.legs.iter().enumerate() {
        let crank = leg.parts.crank.index();
        let angle = model.basis.row(6 * crank + MOTOR_AXIS);
        out.view_mut((POSE + i, 0), (1, order)).copy_from(&angle);
        out.view_mut((POSE + legs + i, order), (1, order))
            .copy_from(&angle);
    }
    out
}

/// The matrix of eq. (3).
fn least_energy(linear: &LinearPlatform, c: &DMatrix<f64>, slowest_hz: f64) -> DMatrix<f64> {
    let order = linear.model.order();
    let weights = DVector::from_fn(2 * order, |i, _| {
        if i < order {
            let omega = TAU * linear.model.frequency(i).max(slowest_hz);
            1.0 / (omega * omega)
        } else {
            1.0
        }
    });
    let spread = DMatrix::from_diagonal(&weights) * c.transpose();
    let seen = c * &spread;
    let scale = seen.amax();
    let inverse = seen.pseudo_inverse(UNSEEN * scale);
    // The tolerance is positive: there is an inverse.
    inverse.map_or_else(
        |_| DMatrix::zeros(2 * order, c.nrows()),
        |inverse| spread * inverse,
    )
}
