//! How a controller knows the state of the platform.

use super::controller::Seen;
use super::design_error;
use crate::error::{DockingError, Result};
use nalgebra::{DVector, Vector6};
use serde::{Deserialize, Serialize};
use softdock_platform::estimator::{Estimator, EstimatorMemory};
use softdock_platform::linear_model::LinearPlatform;
use softdock_platform::regulator::Regulator;
use softdock_platform::statics::StaticPlatform;
use softdock_settings::words;

words! {
    /// How a regulator knows the state of the platform.
    pub enum StateSource {
        /// Estimated from pose, motor angles, their rates and the force sensor, in every coupling.
        #[default]
        Estimated = "estimated",
        /// Read off the legs, exactly, until the latch closes; in monolithic coupling only.
        Exact = "exact",
    }
}

/// How much less sensors are believed once the latch has closed.
const LATCHED_DOUBT: f64 = 100.0;

/// Looks at the platform for one regulator.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    /// None: exact.
    estimator: Option<Box<Estimator>>,
    /// Wrench from outside at the last look.
    wrench: Vector6<f64>,
    /// Contact and latch are inside of what is regulated.
    latched: bool,
}

/// What changes in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SightMemory {
    estimator: Option<EstimatorMemory>,
    wrench: Vector6<f64>,
}

impl Sight {
    /// For a regulator on `linear`, sampled with `period` [s].
    pub fn new(
        source: StateSource,
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        period: f64,
    ) -> Result<Self> {
        match source {
            StateSource::Estimated => Self::estimated(equilibrium, linear, period, 1.0),
            StateSource::Exact => Ok(Self {
                estimator: None,
                wrench: Vector6::zeros(),
                latched: false,
            }),
        }
    }

    /// The same once the latch has closed, the target being part of `linear`. Always estimated, and
    /// slowly: the model joins end effector and target rigidly, while the latch between them gives way
    /// at some tens of hertz. Fed back at that frequency, the end effector's motion would grow.
    pub fn latched(
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        period: f64,
    ) -> Result<Self> {
        let mut out = Self::estimated(equilibrium, linear, period, LATCHED_DOUBT)?;
        out.latched = true;
        Ok(out)
    }

    fn estimated(
        equilibrium: &StaticPlatform,
        linear: &LinearPlatform,
        period: f64,
        doubt: f64,
    ) -> Result<Self> {
        let found = Estimator::new(equilibrium, linear, period, doubt).map_err(design_error)?;
        Ok(Self {
            estimator: Some(Box::new(found)),
            wrench: Vector6::zeros(),
            latched: false,
        })
    }

    /// What changes in it.
    pub fn memory(&self) -> SightMemory {
        SightMemory {
            estimator: self.estimator.as_ref().map(|estimator| estimator.memory()),
            wrench: self.wrench,
        }
    }

    /// Goes on from a memory; false, and nothing changes, if it is of another view.
    pub fn recall(&mut self, memory: &SightMemory) -> bool {
        let fits = match (&mut self.estimator, &memory.estimator) {
            (Some(estimator), Some(memory)) => estimator.recall(memory),
            (None, None) => true,
            _ => false,
        };
        if fits {
            self.wrench = memory.wrench;
        }
        fits
    }

    /// The platform's deviation from the equilibrium of `regulator`.
    pub fn deviation(&mut self, regulator: &Regulator, seen: &Seen<'_>) -> Result<DVector<f64>> {
        if !self.latched {
            self.wrench = seen.wrench;
        }
        if let Some(estimator) = &mut self.estimator {
            return Ok(estimator.correct(seen.platform)?.clone());
        }
        let platform = seen
            .platform
            .monolithic()
            .ok_or(DockingError::NotMonolithic)?;
        Ok(regulator.deviation(platform)?)
    }

    /// Hears the torques [N·m] that act until the next look.
    pub fn told(&mut self, torques: &DVector<f64>) {
        if let Some(estimator) = &mut self.estimator {
            estimator.predict(torques, &self.wrench);
        }
    }
}
