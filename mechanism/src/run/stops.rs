//! Stops with damping in the course of a run. Their force jumps where they are met. A step that meets one
//! is done without it up to that time, which halving finds, and goes on from there with accelerations that
//! feel it: without that the run would be of first order behind every touch.

use super::Simulation;
use crate::error::{MechanismError, Result};
use crate::parts::StopPart;
use crate::signal::History;
use crate::space::Space;
use multibody::dynamics::{self, Control};
use multibody::results;
use std::sync::Arc;

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// Number of stops whose touches are looked for; controlled steps become short there by themselves.
    pub(super) fn located_stops(&self) -> usize {
        match self.control {
            Control::Adaptive { .. } => 0,
            _ => self.description.stops.len(),
        }
    }

    /// Depth behind the stop and its rate [m, m/s, or rad, rad/s].
    fn stop_depth(&self, index: usize) -> (f64, f64) {
        let part = &self.description.stops[index];
        let law = results::law(
            &self.built.model,
            &self.state,
            self.built.forces[part.force],
        );
        law.map_or((-1.0, 0.0), |law| {
            (part.sign * (part.limit - law.value), -part.sign * law.rate)
        })
    }

    fn stop_is_met(&self, index: usize) -> f64 {
        self.state.inputs.value[self.description.stops[index].closed]
    }

    /// Stops that nothing was said of are met where the place is behind them.
    pub(super) fn start_stops(&mut self) {
        for index in 0..self.located_stops() {
            if self.stop_is_met(index) == StopPart::BY_DEPTH {
                let met = self.stop_depth(index).0 > 0.0;
                let channel = self.description.stops[index].closed;
                self.set_channel(channel, History::constant(f64::from(u8::from(met))));
            }
        }
    }

    /// Positive behind a stop that was not met, or in front of one that was.
    pub(super) fn stop_event(&self, index: usize) -> f64 {
        let depth = self.stop_depth(index).0;
        if self.stop_is_met(index) == 0.0 {
            depth
        } else {
            -depth
        }
    }

    /// A stop is met or left.
    pub(super) fn change_stop(&mut self, index: usize) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        let part = &description.stops[index];
        let met = self.stop_is_met(index) == 0.0;
        self.set_channel(part.closed, History::constant(f64::from(u8::from(met))));
        let speed = self.stop_depth(index).1;
        let text = if met {
            format!("{} is met with {speed:.9}", part.name)
        } else {
            format!("{} is left with {:.9}", part.name, -speed)
        };
        self.events.push((self.state.time, text));
        if met {
            let mut ledger = self.state.ledger;
            let (built, state, workspace) = self.parts();
            dynamics::initialize(&built.model, state, workspace, &built.drive)
                .map_err(MechanismError::computing("accelerations at a stop"))?;
            ledger.powers = state.ledger.powers;
            state.ledger = ledger;
        }
        self.see();
        Ok(())
    }
}
