//! A model, its state and the way it is stepped, together.

use super::advance::{Advance, Control, Stepping, advance_watched};
use super::alpha::StepSettings;
use super::initial::initialize;
use crate::error::Result;
use crate::group::Group;
use crate::model::{Drive, Model};
use crate::state::State;
use crate::workspace::Workspace;

/// A model in motion. State and settings may be changed between two advances; consistent initial
/// values are made by [`Self::initialize`].
#[derive(Debug, Clone)]
pub struct Simulation<'a, G: Group<N, D>, const N: usize, const D: usize> {
    model: &'a Model<G, N, D>,
    workspace: Workspace<G, N>,
    /// Where it is.
    pub state: State<G, N>,
    /// Size of the steps.
    pub control: Control,
    /// The rest about the steps.
    pub settings: StepSettings,
}

impl<'a, G: Group<N, D>, const N: usize, const D: usize> Simulation<'a, G, N, D> {
    /// From `state`, in fixed steps of `step` [s].
    pub fn new(model: &'a Model<G, N, D>, state: State<G, N>, step: f64) -> Self {
        Self {
            model,
            workspace: Workspace::new(model),
            state,
            control: Control::fixed(step),
            settings: StepSettings::default(),
        }
    }

    /// The model.
    pub fn model(&self) -> &'a Model<G, N, D> {
        self.model
    }

    /// Makes accelerations and multipliers those of the forces that act.
    pub fn initialize(&mut self, drive: &(impl Drive + ?Sized)) -> Result<()> {
        initialize(self.model, &mut self.state, &mut self.workspace, drive)
    }

    /// Advances to `end` [s], hitting it exactly. On an error the state is that of the last accepted
    /// step.
    pub fn advance_to(&mut self, end: f64, drive: &(impl Drive + ?Sized)) -> Result<Advance> {
        self.advance_watched(end, drive, &mut |_| {})
    }

    /// The same; `watch` sees the state at the end of every accepted step.
    pub fn advance_watched(
        &mut self,
        end: f64,
        drive: &(impl Drive + ?Sized),
        watch: &mut dyn FnMut(&State<G, N>),
    ) -> Result<Advance> {
        let stepping = Stepping::new(&self.control, &self.settings);
        let (state, workspace) = (&mut self.state, &mut self.workspace);
        let done = advance_watched(self.model, state, workspace, drive, end, &stepping, watch)?;
        if let Control::Adaptive { first, .. } = &mut self.control {
            *first = done.next_step;
        }
        Ok(done)
    }
}
