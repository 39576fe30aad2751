//! Contacts in the course of a run: the speed of every touch, and shorter steps while parts touch.

use super::Simulation;
use crate::signal::History;
use crate::space::Space;
use multibody::results;
use std::sync::Arc;

/// Least speed of a touch that damping is computed for [m/s].
const SLOWEST: f64 = 1e-6;

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// Depth behind the surface and its rate [m, m/s].
    fn depth(&self, index: usize) -> (f64, f64) {
        let part = &self.description.contacts[index];
        let law = results::law(
            &self.built.model,
            &self.state,
            self.built.forces[part.force],
        );
        law.map_or((-1.0, 0.0), |law| (part.limit - law.value, -law.rate))
    }

    /// Positive behind the touch of a contact that is open, or in front of one that is closed.
    pub(super) fn contact_event(&self, index: usize) -> f64 {
        let depth = self.depth(index).0;
        if self.touching[index] { -depth } else { depth }
    }

    /// A contact closes with the speed it has, or opens.
    pub(super) fn change_contact(&mut self, index: usize) {
        let description = &*Arc::clone(&self.description);
        let part = &description.contacts[index];
        let (time, (_, speed)) = (self.state.time, self.depth(index));
        self.touching[index] = !self.touching[index];
        let text = if self.touching[index] {
            self.set_channel(part.speed, History::constant(speed.max(SLOWEST)));
            format!("{} touches with {speed:.9} m/s", part.name)
        } else {
            format!("{} parts with {:.9} m/s", part.name, -speed)
        };
        self.events.push((time, text));
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
