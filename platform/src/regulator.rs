//! A centralised linear-quadratic regulator of the end effector's pose by motor torques, and by the pulls
//! of the tendons' winches if it has them.
//!
//! Sampled with the period h, the torques held in between, it minimises
//!
//! ```text
//! h Σ q_x |δx|² + q_θ |δθ|² + q_v |δẋ|² + q_ω |δθ̇|² + r |δτ|² + r_t |u|²        (1)
//! ```
//!
//! on the slow modes of the linearised platform and the shapes that its dampers need beside them
//! ([`crate::linear_model`], which refuses a model with another response). Weights can also be
//! chosen by how the end effector shall come to rest. With its inertia M, the wrench G per torque and
//! T = G⁺M, the torques per acceleration, the weights r ω⁴ TᵀT of deviations and 2 r ω² TᵀT of rates
//! give a body without springs the motion
//!
//! ```text
//! p̈ + 2 ω ṗ + ω² p = 0                                                          (2)
//! ```
//!
//! (whatever the winches, which then only help; with accelerations u, τ = T u, all terms of the cost have the factor TᵀT, and each axis is the
//! same double integrator with weights ω⁴, 2 ω² and 1). The torques
//! `τ = τ_hold − K x` are brought within their limits by [`softdock_control::torque_allocation`]. Its state x is the
//! projection of the platform's true state on those modes.

use crate::error::Result;
use crate::linear_model::{
    Kept, LinearPlatform, RESPONSE_TOLERANCE, linearize_platform, linearize_with_winches,
};
use crate::monolithic::Platform;
use crate::statics::StaticPlatform;
use crate::whole_model::seen_from;
use leg_core::planar::LinkDrive;
use multibody::group::Group;
use multibody::model::Signal;
use nalgebra::{DMatrix, DVector};
use softdock_control::riccati::{self, Riccati};
use softdock_control::torque_allocation::{allocate, metric};

/// Weights and sampling of a regulator, eq. (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegulatorSettings {
    /// q_x [1/m²].
    pub position: f64,
    /// q_θ [1/rad²].
    pub rotation: f64,
    /// q_v [s²/m²].
    pub velocity: f64,
    /// q_ω [s²/rad²].
    pub spin: f64,
    /// r [1/(N·m)²].
    pub effort: f64,
    /// Modes below this frequency are regulated [Hz].
    pub cutoff_hz: f64,
    /// h [s].
    pub period_s: f64,
    /// Winches, if it has them.
    pub winches: Option<WinchSettings>,
}

/// Winches of a regulator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinchSettings {
    /// They work alone, the motors being locked.
    pub alone: bool,
    /// r_t of eq. (1) [1/N²].
    pub effort: f64,
    /// Largest pull, and largest relief [N].
    pub limit: f64,
}

impl Default for RegulatorSettings {
    fn default() -> Self {
        Self {
            position: 1e5,
            rotation: 1e3,
            velocity: 1e2,
            spin: 1.0,
            effort: 1.0,
            cutoff_hz: 20.0,
            period_s: 1e-3,
            winches: None,
        }
    }
}

/// A regulator of the pose.
#[derive(Debug, Clone)]
pub struct Regulator {
    /// The linearised platform.
    pub linear: LinearPlatform,
    /// Gain and closed loop.
    pub riccati: Riccati,
    /// What holds the equilibrium: torques of motors that it moves [N·m], and zeros for pulls.
    pub holding: DVector<f64>,
    /// Limit of every torque [N·m].
    pub limit: f64,
    /// Limit of every pull [N].
    pub pull_limit: f64,
    /// Metric of the allocation.
    metric: DMatrix<f64>,
}

/// The platform linearised with free motors, or locked ones if winches work alone, as regulators with
/// these settings go by it.
pub fn linearized(
    equilibrium: &StaticPlatform,
    settings: &RegulatorSettings,
) -> Result<LinearPlatform> {
    let kept = Kept::Below(settings.cutoff_hz);
    if let Some(winches) = &settings.winches {
        let drive = if winches.alone {
            LinkDrive::Prescribed
        } else {
            LinkDrive::Free
        };
        return linearize_with_winches(equilibrium, drive, kept, RESPONSE_TOLERANCE);
    }
    linearize_platform(equilibrium, LinkDrive::Free, kept, RESPONSE_TOLERANCE)
}

impl RegulatorSettings {
    /// Weights of pose and rates, eq. (1), shape 12 × 12.
    pub(crate) fn weights(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_fn(12, |i, _| match i / 3 {
            0 => self.position,
            1 => self.rotation,
            2 => self.velocity,
            _ => self.spin,
        }))
    }

    /// Weights of pose and rates that let the end effector of `equilibrium` come to rest by eq. (2).
    pub(crate) fn weights_for(
        &self,
        equilibrium: &StaticPlatform,
        frequency_hz: f64,
    ) -> DMatrix<f64> {
        let by_torques = equilibrium.wrench_by_torques();
        let (scale, motors) = (by_torques.amax(), by_torques.ncols());
        let inverse = by_torques
            .pseudo_inverse(SINGULAR * scale)
            .unwrap_or_else(|_| DMatrix::zeros(motors, 6));
        let mut to_body = DMatrix::zeros(6, 6);
        for first in [0, 3] {
            to_body
                .view_mut((first, first), (3, 3))
                .copy_from(&equilibrium.pose().rotation().transpose());
        }
        let mass = DMatrix::from_column_slice(6, 6, equilibrium.effector().inertia.as_slice());
        let torques = inverse * mass * to_body; // T, outputs being in world axes
        let square = torques.tr_mul(&torques) * self.effort;
        let omega = core::f64::consts::TAU * frequency_hz;
        let mut out = DMatrix::zeros(12, 12);
        out.view_mut((0, 0), (6, 6))
            .copy_from(&(&square * omega.powi(4)));
        out.view_mut((6, 6), (6, 6))
            .copy_from(&(square * (2.0 * omega * omega)));
        out
    }
}

/// Directions in which a torque does less than this share of what the best one does are left out.
const SINGULAR: f64 = 1e-9;

/// Torques of a regulator at one time [N·m].
#[derive(Debug, Clone, PartialEq)]
pub struct Torques {
    /// What the gain asks for.
    pub demand: DVector<f64>,
    /// What is applied.
    pub applied: DVector<f64>,
}

impl Regulator {
    /// Designs the regulator about `equilibrium`.
    pub fn new(equilibrium: &StaticPlatform, settings: &RegulatorSettings) -> Result<Self> {
        let linear = linearized(equilibrium, settings)?;
        Self::weighted(equilibrium, linear, settings, &settings.weights())
    }

    /// A regulator about `equilibrium`, linearised as `linear`, that lets the end effector come to
    /// rest by eq. (2).
    pub fn coming_to_rest(
        equilibrium: &StaticPlatform,
        linear: LinearPlatform,
        settings: &RegulatorSettings,
        frequency_hz: f64,
    ) -> Result<Self> {
        let weights = settings.weights_for(equilibrium, frequency_hz);
        Self::weighted(equilibrium, linear, settings, &weights)
    }

    fn weighted(
        equilibrium: &StaticPlatform,
        linear: LinearPlatform,
        settings: &RegulatorSettings,
        weights: &DMatrix<f64>,
    ) -> Result<Self> {
        let model = &linear.model;
        let (torques, actuators) = (linear.torques, linear.actuators());
        let b = model.b.columns(0, actuators).into_owned();
        let q = model.c.tr_mul(&(weights * &model.c));
        let pull_effort = settings.winches.map_or(0.0, |winches| winches.effort);
        let r = DMatrix::from_diagonal(&DVector::from_fn(actuators, |i, _| {
            if i < torques {
                settings.effort
            } else {
                pull_effort
            }
        }));
        let h = settings.period_s;
        let (a, b) = riccati::discretize(&model.a, &b, h)?;
        let riccati = riccati::dare(&a, &b, &(q * h), &(r * h))?;
        let config = equilibrium.config();
        Ok(Self {
            holding: linear.holding(equilibrium),
            limit: config.motor.torque_limit_nm,
            pull_limit: settings.winches.map_or(0.0, |winches| winches.limit),
            metric: metric(
                &equilibrium.wrench_by_torques(),
                config.legs.sphere_radius_m,
            ),
            linear,
            riccati,
        })
    }

    /// The platform's deviation x from the equilibrium, seen from its base.
    pub fn deviation(&self, platform: &Platform) -> Result<DVector<f64>> {
        let LinearPlatform { whole, model, .. } = &self.linear;
        let mut state = whole.state_of(platform);
        if let Some(base) = platform.world().bodies().base {
            state = seen_from(&platform.bodies()[base], state);
        }
        Ok(model.state_of(&whole.model, &whole.rest, &state)?)
    }

    /// Torques for the platform as it is.
    pub fn torques(&self, platform: &Platform) -> Result<Torques> {
        let demand = &self.holding - &self.riccati.gain * self.deviation(platform)?;
        Ok(Torques {
            applied: self.within_limits(&demand),
            demand,
        })
    }

    /// The torques within their limits that come nearest to the effect of `demand` [N·m].
    pub fn within_limits(&self, demand: &DVector<f64>) -> DVector<f64> {
        allocate(demand, self.limit, &self.metric)
    }

    /// True if a torque or a pull of what the gain asks for is beyond its limit.
    pub fn is_too_much(&self, demand: &DVector<f64>) -> bool {
        let torques = self.linear.torques;
        let limit = |i| {
            if i < torques {
                self.limit
            } else {
                self.pull_limit
            }
        };
        let within = demand
            .iter()
            .enumerate()
            .all(|(i, asked)| asked.abs() <= limit(i));
        !within
    }

    /// Applies torques to the motors of `platform`, which must be free: they act from now on.
    pub fn apply(&self, platform: &mut Platform, torques: &Torques) -> Result<()> {
        apply(platform, &torques.applied)
    }
}

/// Applies torques [N·m] to the motors of `platform`, which must be free: they act from now on.
pub fn apply(platform: &mut Platform, torques: &DVector<f64>) -> Result<()> {
    for (leg, torque) in platform.legs_mut().iter_mut().zip(torques.iter()) {
        let angle = leg.motor().1.clone();
        leg.set_motor(Signal::Constant(*torque), angle);
    }
    platform.rebalance()
}
