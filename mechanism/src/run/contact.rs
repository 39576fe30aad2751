//! Contacts in the course of a run: the speed of every touch, and shorter steps while parts touch.
//!
//! A contact that is open has the speed 0 and no force, so that no step passes through one unseen: the part
//! is behind the surface at the end of such a step, and the touch is located within it.

use super::Simulation;
use crate::error::{MechanismError, Result};
use crate::parts::ContactSource;
use crate::signal::History;
use crate::space::Space;
use multibody::dynamics;
use multibody::results;
use std::sync::Arc;

/// Least speed of a touch that damping is computed for [m/s].
const SLOWEST: f64 = 1e-6;

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// Depth behind the surface and its rate [m, m/s].
    fn depth(&self, index: usize) -> (f64, f64) {
        let part = &self.description.contacts[index];
        let (model, state) = (&self.built.model, &self.state);
        match part.source {
            ContactSource::Law(force) => {
                let law = results::law(model, state, self.built.forces[force]);
                law.map_or((-1.0, 0.0), |law| (part.limit - law.value, -law.rate))
            }
            ContactSource::Surface(surface, contact) => {
                let id = self.built.surfaces[surface];
                let approach = results::surface_approach(model, state, id, contact);
                approach.map_or((-1.0, 0.0), |at| (-at.gap, at.closing_speed))
            }
        }
    }

    /// Contacts that overlap at the start are closed, all others are open.
    pub(super) fn start_contacts(&mut self) {
        for index in 0..self.description.contacts.len() {
            let (depth, speed) = self.depth(index);
            self.touching[index] = depth > 0.0;
            let speed = if depth > 0.0 { speed.max(SLOWEST) } else { 0.0 };
            let channel = self.description.contacts[index].speed;
            self.set_channel(channel, History::constant(speed));
        }
    }

    /// Positive behind the touch of a contact that is open, or in front of one that is closed.
    pub(super) fn contact_event(&self, index: usize) -> f64 {
        let depth = self.depth(index).0;
        if self.touching[index] { -depth } else { depth }
    }

    /// A contact closes with the speed it has, or opens.
    pub(super) fn change_contact(&mut self, index: usize) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        let part = &description.contacts[index];
        let (time, (_, speed)) = (self.state.time, self.depth(index));
        self.touching[index] = !self.touching[index];
        let text = if self.touching[index] {
            self.set_channel(part.speed, History::constant(speed.max(SLOWEST)));
            format!("{} touches with {speed:.9} m/s", part.name)
        } else {
            self.set_channel(part.speed, History::constant(0.0));
            format!("{} parts with {:.9} m/s", part.name, -speed)
        };
        self.events.push((time, text));
        // The next steps are far shorter or longer than the last ones: accelerations that lag by a step
        // would act over all of it.
        let mut ledger = self.state.ledger;
        let (built, state, workspace) = self.parts();
        dynamics::initialize(&built.model, state, workspace, &built.drive)
            .map_err(MechanismError::computing("accelerations at a touch"))?;
        ledger.powers = state.ledger.powers;
        state.ledger = ledger;
        self.see();
        Ok(())
    }

    /// The step while parts touch [s].
    pub(super) fn step_in_contact(&self) -> f64 {
        let parts = self.description.contacts.iter().zip(&self.touching);
        let steps = parts.filter(|(_, touching)| **touching);
        let step = self.description.analysis.step;
        let steps = steps.map(|(part, _)| part.step.unwrap_or(0.01 * step));
        steps.fold(step, f64::min)
    }
}
