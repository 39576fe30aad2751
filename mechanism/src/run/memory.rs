//! What changes in a run, to go back to or to go on from elsewhere; and inputs that are set.

use super::Simulation;
use super::friction::Regime;
use crate::error::{MechanismError, Result};
use crate::signal::History;
use crate::space::Space;
use multibody::dynamics::{Control, jumps};
use multibody::model::Signal;
use multibody::state::State;
use serde::{Deserialize, Serialize};

/// Everything that the further course of a run depends on. What was seen so far (events, energies that
/// the account missed) is not part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory<G, const N: usize> {
    state: State<G, N>,
    active: Vec<bool>,
    turns: Vec<f64>,
    /// The next step of controlled ones [s].
    next_step: Option<f64>,
    impacts: usize,
    corrected: bool,
    regimes: Vec<Regime>,
    touching: Vec<bool>,
    /// Channels that events or callers have set: channel, value at t = 0, change per second.
    set: Vec<(usize, f64, f64)>,
    bent: Vec<bool>,
}

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// A snapshot.
    pub fn memory(&self) -> Memory<G, N> {
        let line = |(channel, history): &(usize, History)| match history {
            History::Line { value, slope } => (*channel, *value, *slope),
            History::Kernel(Signal::Constant(value)) | History::Input { value, .. } => {
                (*channel, *value, 0.0)
            }
            // Channels are set to constants and lines only.
            other => (*channel, other.sample_now(self.state.time).0, 0.0),
        };
        Memory {
            state: self.state.clone(),
            active: self.active.clone(),
            turns: self.turns.angles().to_vec(),
            next_step: match self.control {
                Control::Adaptive { first, .. } => Some(first),
                _ => None,
            },
            impacts: self.impacts,
            corrected: self.corrected,
            regimes: self.regimes.clone(),
            touching: self.touching.clone(),
            set: self.overrides.iter().map(line).collect(),
            bent: self.bent.clone(),
        }
    }

    /// Goes on from a snapshot of a run of the same mechanism. False, and nothing changes that counts, if
    /// it is of another one.
    pub fn recall(&mut self, memory: &Memory<G, N>) -> Result<bool> {
        let channels = self.built.drive.0.len();
        let counts = [
            (memory.active.len(), self.active.len()),
            (memory.turns.len(), self.turns.angles().len()),
            (memory.regimes.len(), self.regimes.len()),
            (memory.touching.len(), self.touching.len()),
            (memory.bent.len(), self.bent.len()),
        ];
        let known = memory.set.iter().all(|(channel, ..)| *channel < channels);
        if !known || counts.iter().any(|(a, b)| a != b) {
            return Ok(false);
        }
        // Channels that were not set then are those of the file again.
        for (channel, _) in std::mem::take(&mut self.overrides) {
            if let Some((_, history)) = self.description.channels.get(channel) {
                self.built.drive.0[channel] = history.clone();
            }
        }
        for &(channel, value, slope) in &memory.set {
            let history = if slope == 0.0 {
                History::constant(value)
            } else {
                History::Line { value, slope }
            };
            self.built.drive.0[channel] = history.clone();
            self.overrides.push((channel, history));
        }
        if memory.active != self.active {
            self.change_model(memory.active.clone())?;
        }
        if !memory.state.fits(&self.state) {
            return Ok(false);
        }
        self.state.copy_from(&memory.state);
        self.seen = None;
        self.turns.set_angles(&memory.turns);
        if let (Control::Adaptive { first, .. }, Some(next)) = (&mut self.control, memory.next_step)
        {
            *first = next;
        }
        self.impacts = memory.impacts;
        self.corrected = memory.corrected;
        self.regimes.clone_from(&memory.regimes);
        self.touching.clone_from(&memory.touching);
        self.bent.clone_from(&memory.bent);
        Ok(true)
    }

    /// Gives an input of the file (from 0) a value, which acts from now on: forces jump, and the
    /// accelerations follow with the next step. An unknown input is ignored.
    pub fn set_input(&mut self, input: usize, value: f64) {
        let channels = self.description.channels.iter().enumerate();
        let followers: Vec<usize> = channels
            .filter(|(_, (_, history))| {
                matches!(history, History::Input { number, .. } if *number == input)
            })
            .map(|(channel, _)| channel)
            .collect();
        for channel in followers {
            let history = History::constant(value);
            self.built.drive.0[channel] = history.clone();
            // The state keeps the old value: that is how the next step sees the jump.
            let known = self
                .overrides
                .iter_mut()
                .find(|(known, _)| *known == channel);
            match known {
                Some((_, known)) => *known = history,
                None => self.overrides.push((channel, history)),
            }
        }
    }

    /// Makes velocities and accelerations fulfil the hidden constraints, for steps of `h` [s] that are far
    /// shorter or longer than the last one.
    pub fn make_consistent(&mut self, h: f64) -> Result<()> {
        let Self {
            built,
            state,
            workspace,
            settings,
            ..
        } = self;
        jumps::make_consistent(&built.model, state, workspace, h, settings)
            .map_err(MechanismError::computing("consistent accelerations"))
    }

    /// Forgets what happened so far, which a caller that runs for long does not read.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }
}
