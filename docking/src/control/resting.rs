//! Bringing end effector and target to rest once the latch has closed, for every law alike.
//!
//! The regulator is designed with the inertia of both and lets them come to rest with critical
//! damping ([`Regulator::coming_to_rest`]), with the frequency asked for or, where the motors are too
//! weak for it, with the largest that their torques allow at that moment. Its torques differ from those
//! before. The difference is kept and fades, so that nothing jumps:
//!
//! ```text
//! τ(t) = τ_new(t) + (τ_old(t_c) − τ_new(t_c)) exp(−(t − t_c)/T)                  (1)
//! ```

use super::controller::Seen;
use super::design_error;
use super::sight::{Sight, StateSource};
use crate::error::Result;
use multibody::math;
use nalgebra::{DVector, Matrix6};
use softdock_platform::regulator::{Regulator, RegulatorSettings, linearized};
use softdock_platform::statics::StaticPlatform;

/// T of eq. (1), in periods of the frequency with which everything comes to rest.
const FADE_PERIODS: f64 = 0.09;

/// A frequency that asks too much of the motors is lowered by this factor, so many times at most.
const LOWER: f64 = core::f64::consts::FRAC_1_SQRT_2;
const TRIALS: usize = 12;

/// What every controller of the end effector is designed on.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The platform at rest.
    pub equilibrium: StaticPlatform,
    /// Weights and sampling.
    pub settings: RegulatorSettings,
    /// How it knows the state.
    pub source: StateSource,
    /// Frequency with which everything comes to rest once the latch has closed [Hz].
    pub captured_hz: f64,
}

/// A linear-quadratic regulator and its view of the platform.
#[derive(Debug)]
pub(super) struct Regulated {
    /// The regulator.
    pub regulator: Regulator,
    /// Its view.
    pub sight: Sight,
}

impl Regulated {
    /// Torques for what is seen [N·m].
    pub fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let x = self.sight.deviation(&self.regulator, seen)?;
        Ok(&self.regulator.holding - &self.regulator.riccati.gain * x)
    }
}

/// The regulator that brings everything to rest.
#[derive(Debug)]
pub(super) struct Resting {
    /// The regulator.
    pub regulated: Regulated,
    difference: DVector<f64>,
    since: f64,
    /// T [s].
    fade: f64,
}

impl Resting {
    /// Takes over from torques `old` [N·m]; `inertia` is what moves from now on.
    pub fn new(
        plan: &Plan,
        seen: &Seen<'_>,
        inertia: &Matrix6<f64>,
        old: &DVector<f64>,
    ) -> Result<Self> {
        let joined = plan.equilibrium.with_inertia(*inertia);
        let linear = linearized(&joined, &plan.settings).map_err(design_error)?;
        let sight = Sight::latched(&joined, &linear, plan.settings.period_s)?;
        let design = |frequency: f64| {
            let linear = linear.clone();
            Regulator::coming_to_rest(&joined, linear, &plan.settings, frequency)
                .map_err(design_error)
        };
        let mut frequency = plan.captured_hz;
        let mut regulated = Regulated {
            regulator: design(frequency)?,
            sight,
        };
        let mut new = regulated.torques(seen)?;
        for _ in 0..TRIALS {
            if new.amax() <= regulated.regulator.limit {
                break;
            }
            frequency *= LOWER;
            regulated.regulator = design(frequency)?;
            new = regulated.torques(seen)?;
        }
        Ok(Self {
            regulated,
            difference: old - new,
            since: seen.time,
            fade: FADE_PERIODS / plan.captured_hz,
        })
    }

    /// Torques of eq. (1) [N·m].
    pub fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let mut out = self.regulated.torques(seen)?;
        let left = math::exp(-(seen.time - self.since) / self.fade);
        out.axpy(left, &self.difference, 1.0);
        Ok(out)
    }
}
