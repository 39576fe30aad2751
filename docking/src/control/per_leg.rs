//! A regulator in every leg as one controller ([`softdock_platform::leg_regulator`]): designed about
//! the platform at rest and, when the latch closes, anew with the weights by which a central one would
//! bring end effector and target to rest. Torques go over without a jump, as in `resting`.

use super::controller::{Controller, Seen};
use super::design_error;
use super::resting::{Handover, Plan};
use crate::error::Result;
use nalgebra::{DVector, Matrix6};
use softdock_platform::leg_regulator::LegRegulator;
use softdock_platform::regulator::linearized;

/// Legs that regulate by themselves, at work.
#[derive(Debug)]
pub(super) struct PerLegController {
    plan: Plan,
    regulator: LegRegulator,
    handover: Option<Handover>,
}

impl PerLegController {
    /// Designed for an end effector with this inertia against the base.
    pub fn new(plan: Plan, inertia: &Matrix6<f64>) -> Result<Self> {
        let platform = plan.equilibrium.with_inertia(*inertia);
        let regulator = LegRegulator::new(&platform, &plan.settings).map_err(design_error)?;
        Ok(Self {
            plan,
            regulator,
            handover: None,
        })
    }
}

impl Controller for PerLegController {
    fn period_s(&self) -> f64 {
        self.plan.settings.period_s
    }

    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let mut out = self.regulator.torques(seen.platform);
        if let Some(handover) = &self.handover {
            handover.add_to(&mut out, seen.time);
        }
        Ok(out)
    }

    fn captured(&mut self, seen: &Seen<'_>, inertia: &Matrix6<f64>) -> Result<()> {
        let old = self.torques(seen)?;
        let joined = self.plan.equilibrium.with_inertia(*inertia);
        let settings = &self.plan.settings;
        let linear = linearized(&joined, settings).map_err(design_error)?;
        let hz = self.plan.captured_hz;
        self.regulator =
            LegRegulator::coming_to_rest(&joined, &linear, settings, hz).map_err(design_error)?;
        let new = self.regulator.torques(seen.platform);
        self.handover = Some(Handover::new(old - new, seen.time, &self.plan));
        Ok(())
    }
}
