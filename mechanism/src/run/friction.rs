//! Friction of joints in the course of a run: the load of every step, stick and slip.

use super::Simulation;
use crate::error::{MechanismError, Result};
use crate::parts::{FrictionPart, Source};
use crate::signal::History;
use crate::space::Space;
use multibody::results;
use std::sync::Arc;

/// Sliding speed below which a joint sticks at the start [m/s].
const STICKING: f64 = 1e-9;

/// Whether a joint sticks, and which way it slips.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Regime {
    /// It sticks.
    Stick,
    /// It slips: sign of the sliding speed.
    Slip(f64),
}

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// N: the force of the joint with the preload [N].
    fn load(&self, part: &FrictionPart) -> f64 {
        let force = self.built.joints[part.joint].map_or(0.0, |id| {
            results::reaction(&self.built.model, self.balanced(), id)
                .force
                .norm()
        });
        force + part.preload
    }

    /// Place and rate of the friction's coordinate.
    fn sliding(&self, part: &FrictionPart) -> (f64, f64) {
        let law = results::law(
            &self.built.model,
            &self.state,
            self.built.forces[part.force],
        );
        law.map_or((0.0, 0.0), |law| (law.value, law.rate))
    }

    /// Sliding speed r q̇ − v [m/s].
    fn sliding_speed(&self, part: &FrictionPart) -> f64 {
        self.sliding(part).1 * part.radius - part.surface
    }

    /// What the constraint of sticking delivers to body b [N or N·m].
    fn holding(&self, part: &FrictionPart) -> f64 {
        let Some(stick) = &part.stick else { return 0.0 };
        let source = Source::DriverEffort(stick.joint);
        crate::quantity::source(&self.built, self.balanced(), &self.turns, &source)
    }

    /// Gives a channel another history from now on, in models that are built later too.
    pub(super) fn set_channel(&mut self, channel: usize, history: History) {
        self.built.drive.0[channel] = history.clone();
        let (value, rate, acceleration) = history.sample_now(self.state.time);
        self.state.inputs.value[channel] = value;
        self.state.inputs.rate[channel] = rate;
        self.state.inputs.acceleration[channel] = acceleration;
        match self
            .overrides
            .iter_mut()
            .find(|(known, _)| *known == channel)
        {
            Some((_, known)) => *known = history,
            None => self.overrides.push((channel, history)),
        }
    }

    /// Gives every friction the load of the state.
    pub(super) fn update_loads(&mut self) {
        for index in 0..self.description.frictions.len() {
            let description = &*Arc::clone(&self.description);
            let part = &description.frictions[index];
            let load = self.load(part);
            let value = match (&part.stick, self.regimes[index]) {
                (None, _) => load,
                (Some(_), Regime::Stick) => 0.0,
                (Some(_), Regime::Slip(sign)) => sign * part.coefficients[1] * load,
            };
            self.set_channel(part.load, History::constant(value));
        }
    }

    /// The regimes of the start.
    pub(super) fn start_frictions(&mut self) -> Result<()> {
        self.see();
        for index in 0..self.description.frictions.len() {
            let description = &*Arc::clone(&self.description);
            let part = &description.frictions[index];
            let speed = self.sliding_speed(part);
            self.regimes[index] = Regime::Slip(speed.signum());
            if part.stick.is_some() && speed.abs() < STICKING {
                self.begin_stick(index)?;
            }
        }
        if self.description.frictions.is_empty() {
            return Ok(());
        }
        self.update_loads();
        // Accelerations of the start feel the friction.
        let (built, state, workspace) = self.parts();
        multibody::dynamics::initialize(&built.model, state, workspace, &built.drive)
            .map_err(MechanismError::computing("accelerations at the start"))
    }

    /// Positive where the regime of a friction ends.
    pub(super) fn friction_event(&self, index: usize) -> f64 {
        let description = &*Arc::clone(&self.description);
        let part = &description.frictions[index];
        match (&part.stick, self.regimes[index]) {
            (None, _) => -1.0,
            (Some(_), Regime::Stick) => {
                self.holding(part).abs() - part.coefficients[0] * part.radius * self.load(part)
            }
            (Some(_), Regime::Slip(sign)) => -sign * self.sliding_speed(part),
        }
    }

    /// Changes the regime of a friction.
    pub(super) fn change_regime(&mut self, index: usize) -> Result<()> {
        match self.regimes[index] {
            Regime::Stick => self.begin_slip(index),
            Regime::Slip(_) => self.begin_stick(index),
        }
    }

    /// Sticks where it is; slips on at once if that needs more than the friction holds.
    fn begin_stick(&mut self, index: usize) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        let part = &description.frictions[index];
        let Some(stick) = &part.stick else {
            return Ok(());
        };
        let slope = part.surface / part.radius;
        let value = self.sliding(part).0 - slope * self.state.time;
        self.set_channel(stick.channel, History::Line { value, slope });
        self.set_channel(part.load, History::constant(0.0));
        self.regimes[index] = Regime::Stick;
        let mut active = self.active.clone();
        active[stick.joint] = true;
        self.switch(active)?;
        if self.friction_event(index) > 0.0 {
            self.begin_slip(index)?;
        }
        Ok(())
    }

    /// Slips against the force that held it.
    fn begin_slip(&mut self, index: usize) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        let part = &description.frictions[index];
        let Some(stick) = &part.stick else {
            return Ok(());
        };
        let sign = -self.holding(part).signum();
        let load = self.load(part);
        self.regimes[index] = Regime::Slip(sign);
        let slipping = sign * part.coefficients[1] * load;
        self.set_channel(part.load, History::constant(slipping));
        let mut active = self.active.clone();
        active[stick.joint] = false;
        self.switch(active)
    }
}
