//! The linear-quadratic regulator as a controller: designed about the platform at rest, and anew for
//! what hangs on it when the latch closes.
//!
//! At that moment the torques of the new design differ from the old ones. The difference is kept and
//! fades, so that nothing jumps:
//!
//! ```text
//! τ(t) = τ_new(t) + (τ_old(t_c) − τ_new(t_c)) exp(−(t − t_c)/T)                  (1)
//! ```

use super::controller::{Controller, Seen};
use super::design_error;
use crate::error::{DockingError, Result};
use multibody::math;
use nalgebra::{DVector, Matrix6};
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_platform::statics::StaticPlatform;

/// T of eq. (1) [s].
pub(super) const FADE_S: f64 = 0.1;

/// What is left of a jump of torques, eq. (1).
#[derive(Debug, Clone)]
pub(super) struct Fading {
    difference: DVector<f64>,
    since: f64,
}

impl Fading {
    /// From `old` to `new` torques [N·m] at `time` [s].
    pub fn new(old: &DVector<f64>, new: &DVector<f64>, time: f64) -> Self {
        Self {
            difference: old - new,
            since: time,
        }
    }

    /// Adds what is left of it.
    pub fn add_to(&self, torques: &mut DVector<f64>, time: f64) {
        torques.axpy(
            math::exp(-(time - self.since) / FADE_S),
            &self.difference,
            1.0,
        );
    }
}

/// The regulator at work.
#[derive(Debug)]
pub(super) struct LqrController {
    equilibrium: StaticPlatform,
    settings: RegulatorSettings,
    regulator: Regulator,
    fading: Option<Fading>,
}

impl LqrController {
    /// Designed for an end effector with this inertia against the base.
    pub fn new(
        equilibrium: &StaticPlatform,
        settings: RegulatorSettings,
        inertia: &Matrix6<f64>,
    ) -> Result<Self> {
        Ok(Self {
            regulator: Regulator::new(&equilibrium.with_inertia(*inertia), &settings)
                .map_err(design_error)?,
            equilibrium: equilibrium.clone(),
            settings,
            fading: None,
        })
    }

    /// Torques of the present design, without what fades [N·m].
    fn plain(&self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let platform = seen
            .platform
            .monolithic()
            .ok_or(DockingError::NotMonolithic)?;
        let x = self.regulator.deviation(platform)?;
        Ok(&self.regulator.holding - &self.regulator.riccati.gain * x)
    }
}

impl Controller for LqrController {
    fn period_s(&self) -> f64 {
        self.settings.period_s
    }

    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let mut out = self.plain(seen)?;
        if let Some(fading) = &self.fading {
            fading.add_to(&mut out, seen.time);
        }
        Ok(out)
    }

    fn within_limits(&self, demand: &DVector<f64>, _limit: f64) -> DVector<f64> {
        self.regulator.within_limits(demand)
    }

    fn captured(&mut self, seen: &Seen<'_>, inertia: &Matrix6<f64>) -> Result<()> {
        let old = self.torques(seen)?;
        let joined = self.equilibrium.with_inertia(*inertia);
        self.regulator = Regulator::new(&joined, &self.settings).map_err(design_error)?;
        self.fading = Some(Fading::new(&old, &self.plain(seen)?, seen.time));
        Ok(())
    }
}
