//! The linear-quadratic regulator as a controller: designed about the platform at rest; once the latch
//! has closed, `resting` takes over.

use super::controller::{Controller, ControllerMemory, Seen};
use super::design_error;
use super::resting::{Plan, Regulated, Resting, recall_resting};
use super::sight::Sight;
use crate::error::Result;
use nalgebra::{DVector, Matrix6};
use softdock_platform::regulator::Regulator;

/// The regulator at work.
#[derive(Debug, Clone)]
pub(super) struct LqrController {
    plan: Plan,
    regulated: Regulated,
    resting: Option<Resting>,
}

impl LqrController {
    /// Designed for an end effector with this inertia against the base.
    pub fn new(plan: Plan, inertia: &Matrix6<f64>) -> Result<Self> {
        let platform = plan.equilibrium.with_inertia(*inertia);
        let regulator = Regulator::new(&platform, &plan.settings).map_err(design_error)?;
        let period = plan.settings.period_s;
        let sight = Sight::new(plan.source, &platform, &regulator.linear, period)?;
        Ok(Self {
            plan,
            regulated: Regulated { regulator, sight },
            resting: None,
        })
    }

    /// What regulates now.
    fn present(&mut self) -> &mut Regulated {
        match &mut self.resting {
            Some(resting) => &mut resting.regulated,
            None => &mut self.regulated,
        }
    }
}

impl LqrController {
    /// What is asked for, in the order of the regulator's inputs.
    fn asked(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        match &mut self.resting {
            Some(resting) => resting.torques(seen),
            None => self.regulated.torques(seen),
        }
    }

    /// Torques of motors that it does not move: as many as there are pulls.
    fn unmoved(&self) -> usize {
        let linear = &self.regulated.regulator.linear;
        if linear.torques == 0 { linear.pulls } else { 0 }
    }
}

impl Controller for LqrController {
    fn period_s(&self) -> f64 {
        self.plan.settings.period_s
    }

    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let asked = self.asked(seen)?;
        let unmoved = DVector::zeros(self.unmoved());
        let list = unmoved.iter().chain(asked.iter()).copied();
        Ok(DVector::from_vec(list.collect()))
    }

    fn within_limits(&self, demand: &DVector<f64>, _limit: f64) -> DVector<f64> {
        self.regulated.regulator.within_limits(demand)
    }

    fn applied(&mut self, _demand: &DVector<f64>, applied: &DVector<f64>) {
        let unmoved = self.unmoved();
        let moved = applied.rows(unmoved, applied.len() - unmoved).into_owned();
        self.present().sight.told(&moved);
    }

    fn captured(&mut self, seen: &Seen<'_>, inertia: &Matrix6<f64>) -> Result<()> {
        let old = self.asked(seen)?;
        self.resting = Some(Resting::new(&self.plan, seen, inertia, &old)?);
        Ok(())
    }

    fn memory(&self) -> Option<ControllerMemory> {
        Some(ControllerMemory {
            sight: self.regulated.sight.memory(),
            reference: Vec::new(),
            motion: Vec::new(),
            resting: self.resting.as_ref().map(Resting::memory),
        })
    }

    fn recall(&mut self, memory: &ControllerMemory) -> Result<bool> {
        let fits = memory.reference.is_empty() && self.regulated.sight.recall(&memory.sight);
        Ok(fits && recall_resting(&mut self.resting, &self.plan, memory)?)
    }

    fn copy(&self) -> Option<Box<dyn Controller>> {
        Some(Box::new(self.clone()))
    }
}
