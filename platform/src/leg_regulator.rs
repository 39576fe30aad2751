//! Legs that regulate by themselves: every motor goes by its own angle and rate, and knows nothing of
//! the others or of the end effector.
//!
//! ```text
//! τ_i = τ_hold,i − k (q_i − q_i,rest) − d q̇_i                                   (1)
//! ```
//!
//! k and d are the same for all legs: those of the smallest cost of [`crate::regulator`], eq. (1), over
//! the motions behind pushes on the end effector from all sides, of unit force and of a moment of that
//! force at the circle of the joints ([`softdock_control::output_feedback`]). The central regulator
//! with the same weights has a lower cost; what that is worth in a docking is in `docs/results.md`.

use crate::error::Result;
use crate::estimator::{POSE, measured};
use crate::linear_model::LinearPlatform;
use crate::regulator::{Regulator, RegulatorSettings, linearized};
use crate::scheme::Scheme;
use crate::statics::StaticPlatform;
use nalgebra::{DMatrix, DVector};
use softdock_control::output_feedback::{StationGains, Stations};
use softdock_control::riccati;

/// Where k [N·m/rad] and d [N·m·s/rad] are looked for.
const RANGE: [[f64; 2]; 2] = [[1e-2, 1e5], [1e-3, 1e4]];

/// A regulator in every leg.
#[derive(Debug, Clone)]
pub struct LegRegulator {
    /// k [N·m/rad] and d [N·m·s/rad], and the cost.
    pub found: StationGains,
    /// Torques that hold the equilibrium [N·m].
    pub holding: DVector<f64>,
    /// Limit of every torque [N·m].
    pub limit: f64,
    /// Radius of the circle of joints [m].
    length: f64,
    rest_angles: Vec<f64>,
}

impl LegRegulator {
    /// Designs it about `equilibrium`.
    pub fn new(equilibrium: &StaticPlatform, settings: &RegulatorSettings) -> Result<Self> {
        let linear = linearized(equilibrium, settings)?;
        Self::weighted(equilibrium, &linear, settings, &settings.weights())
    }

    /// The same with the weights of a central regulator that lets the end effector of `equilibrium`,
    /// linearised as `linear`, come to rest with this frequency.
    pub fn coming_to_rest(
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        settings: &RegulatorSettings,
        frequency_hz: f64,
    ) -> Result<Self> {
        let weights = settings.weights_for(equilibrium, frequency_hz);
        Self::weighted(equilibrium, linear, settings, &weights)
    }

    fn weighted(
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        settings: &RegulatorSettings,
        weights: &DMatrix<f64>,
    ) -> Result<Self> {
        let (model, motors, h) = (&linear.model, linear.torques, settings.period_s);
        let (a, inputs) = riccati::discretize(&model.a, &model.b, h)?;
        let seen = measured(linear);
        let config = equilibrium.config();
        let length = config.legs.sphere_radius_m;
        let stations = Stations {
            a: &a,
            b: &inputs.columns(0, motors).into_owned(),
            outputs: &[POSE, POSE + motors].map(|first| seen.rows(first, motors).into_owned()),
            q: &(model.c.tr_mul(&(weights * &model.c)) * h),
            r: &(DMatrix::identity(motors, motors) * (settings.effort * h)),
            starts: &starts(&inputs.columns(motors, 6).into_owned(), length),
        };
        let found = stations.best(&RANGE)?;
        let whole = &linear.whole;
        let joints = whole.legs.iter().map(|leg| leg.parts.motor_joint);
        Ok(Self {
            found,
            holding: DVector::from_vec(equilibrium.holding_torques()),
            limit: config.motor.torque_limit_nm,
            length,
            rest_angles: joints.map(|joint| whole.rest.angle(joint)).collect(),
        })
    }

    /// Cost of a central regulator with these settings over the same motions.
    pub fn cost_of(&self, central: &Regulator, settings: &RegulatorSettings) -> Result<f64> {
        let model = &central.linear.model;
        let (_, inputs) = riccati::discretize(&model.a, &model.b, settings.period_s)?;
        let pushes = inputs.columns(central.linear.actuators(), 6).into_owned();
        Ok((&central.riccati.solution * starts(&pushes, self.length)).trace())
    }

    /// Torques of eq. (1) [N·m], not yet within their limits.
    pub fn torques(&self, platform: &dyn Scheme) -> DVector<f64> {
        let [k, d] = [self.found.gains[0], self.found.gains[1]];
        DVector::from_fn(self.holding.len(), |i, _| {
            let leg = platform.leg(i);
            let turn = leg.motor_angle - self.rest_angles[i];
            self.holding[i] - k * turn - d * leg.motor_rate // (1)
        })
    }
}

/// Covariance of the states behind pushes of unit force, and of a moment of that force at `length` [m].
fn starts(pushes: &DMatrix<f64>, length: f64) -> DMatrix<f64> {
    let sizes = DVector::from_fn(6, |i, _| if i < 3 { 1.0 } else { length * length });
    pushes * DMatrix::from_diagonal(&sizes) * pushes.transpose()
}
