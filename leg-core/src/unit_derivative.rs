//! Derivatives of a unit's outputs: by its inputs over the last step, and by time.
//!
//! The variation of the state at the end of the step by each input, and what outputs make of it:
//! [`super::unit_variation`]. The derivative by time uses the same central difference along the
//! motion `(v, v̇, λ̇, u̇)`, where v̇ and λ̇ are means over the last step: the accelerations themselves
//! carry modes of the leaf too fast for any step, which say nothing about the next one.

use super::LegError;
use super::series::Series;
use super::unit::{Built, Curves, LegUnit, Memory, OutputGroup, UnitLeg, control_from, stepping};
use super::unit_variation::{Carried, Direction, Sum, Sums};
use multibody::dynamics::jumps::{self, Crossing};
use multibody::dynamics::sensitivity::{InputVariation, Variation};
use multibody::dynamics::{self, Control, advance_watched};
use multibody::error::Error;
use multibody::group::Group;
use multibody::results::energy::Powers;
use multibody::state::State;

/// Positions in the group of energies, in both legs.
pub(super) const WORK_IN: usize = 4;
/// As above.
pub(super) const DISSIPATED: usize = 5;
/// As above.
pub(super) const RESIDUAL: usize = 6;

/// Derivatives of the last step, as far as they were asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Sensitivity<const N: usize> {
    /// The workspace still holds the last step, which was the only one of its communication step.
    pub solved_in_workspace: bool,
    /// Inputs that changed anything in the step.
    felt: Vec<usize>,
    /// One variation of the end state for each of them; empty until asked for.
    variations: Vec<Variation<N>>,
    /// Changes of the channels at the end, for each of them.
    ends: Vec<Vec<InputVariation>>,
    /// What was summed up along the step, for each of them.
    summed: Sum,
    sums: Vec<Sums>,
    /// Derivatives of outputs, one row per output.
    jacobian: Vec<f64>,
    known: [bool; OutputGroup::ALL.len()],
}

impl<const N: usize> Sensitivity<N> {
    pub(super) fn forget(&mut self) {
        self.solved_in_workspace = false;
        self.variations.clear();
        self.summed = Sum::Nothing;
        self.known = Default::default();
    }
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> LegUnit<L, G, N, D> {
    /// Derivative of an output at the end of the last step by the value that an input had for it.
    ///
    /// Diagnostic outputs have none; before the first step there is none.
    pub fn derivative(&mut self, output: usize, input: usize) -> Result<f64, LegError> {
        let group = OutputGroup::ALL
            .into_iter()
            .position(|g| L::outputs(g).contains(&output));
        let diagnostic = OutputGroup::Diagnostic as usize;
        let refuse = |problem| {
            let owner = format!("derivative of output {output} by input {input}");
            LegError::from(Error::BadReference { owner, problem })
        };
        match group {
            Some(group) if group != diagnostic && input < L::INPUTS => {
                if !self.memory.stepped {
                    return Err(refuse("no step has been made yet"));
                }
                if !self.sensitivity.known[group] {
                    self.differentiate(OutputGroup::ALL[group])?;
                }
                Ok(self.sensitivity.jacobian[output * L::INPUTS + input])
            }
            _ => Err(refuse("there is no such derivative")),
        }
    }

    /// Derivatives of the outputs of a group by time.
    pub fn rates(&mut self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError> {
        let Self {
            built,
            memory,
            scratch,
            ..
        } = self;
        let leg = &built.leg;
        let model = leg.model();
        let Memory {
            state,
            previous,
            stepped,
            series,
            ..
        } = &*memory;
        if group == OutputGroup::Course {
            let rate = series.rate(&leg.port_force(state), state.time);
            if *stepped { rate } else { Series::default() }.write(out);
            return Ok(());
        }
        let mut motion = Variation::zero(model);
        motion.poses.copy_from_slice(&state.velocities);
        motion.velocities.copy_from_slice(&state.accelerations);
        if *stepped {
            let per_length = 1.0 / state.time;
            for i in 0..state.velocities.len() {
                motion.velocities[i] = (state.velocities[i] - previous.velocities[i]) * per_length;
            }
            for i in 0..state.multipliers.len() {
                motion.multipliers[i] =
                    (state.multipliers[i] - previous.multipliers[i]) * per_length;
            }
        }
        let ends: Vec<InputVariation> = (0..state.inputs.value.len())
            .map(|channel| InputVariation {
                channel,
                value: state.inputs.rate[channel],
                rate: state.inputs.acceleration[channel],
            })
            .collect();
        let direction = Direction {
            leg,
            state,
            variation: &motion,
            ends: &ends,
        };
        direction.outputs(group, memory.near, scratch, out)?;
        if group == OutputGroup::Energy {
            let powers = memory.state.ledger.powers;
            add_work(out, &powers);
        }
        Ok(())
    }

    /// Fills the rows of one group.
    fn differentiate(&mut self, group: OutputGroup) -> Result<(), LegError> {
        let sum = match group {
            OutputGroup::Energy => Sum::Work,
            OutputGroup::Course => Sum::Course,
            _ => Sum::Nothing,
        };
        let known = &self.sensitivity;
        if known.variations.is_empty() || (sum != Sum::Nothing && known.summed != sum) {
            self.vary(sum)?;
        }
        let range = L::outputs(group);
        let Self {
            built,
            memory,
            scratch,
            sensitivity,
            ..
        } = self;
        let count = Self::output_count();
        sensitivity.jacobian.resize(count * L::INPUTS, 0.0);
        sensitivity.jacobian[range.start * L::INPUTS..range.end * L::INPUTS].fill(0.0);
        let mut column = vec![0.0; range.len()];
        for (k, &input) in sensitivity.felt.iter().enumerate() {
            let (variation, ends) = (&sensitivity.variations[k], &sensitivity.ends[k]);
            let direction = Direction {
                leg: &built.leg,
                state: &memory.state,
                variation,
                ends,
            };
            if sum == Sum::Course {
                sensitivity.sums[k].recording.series().write(&mut column);
            } else {
                direction.outputs(group, memory.near, scratch, &mut column)?;
            }
            if sum == Sum::Work {
                add_work(&mut column, &sensitivity.sums[k].work);
            }
            for (output, value) in range.clone().zip(&column) {
                sensitivity.jacobian[output * L::INPUTS + input] = *value;
            }
        }
        sensitivity.known[group as usize] = true;
        Ok(())
    }

    /// Carries the variations of all inputs through the last communication step, and sums up
    /// what is asked for on the way.
    fn vary(&mut self, sum: Sum) -> Result<(), LegError> {
        let times = self.step_times()?;
        let Self {
            built,
            memory,
            scratch,
            workspace,
            settings,
            curves,
            sensitivity,
            ..
        } = self;
        let Built { leg, origin } = &**built;
        let (model, previous) = (leg.model(), &memory.previous);
        let length = memory.state.time;
        leg.curves(origin, &memory.last_inputs, previous, length, curves);
        let drive = Curves(curves);
        let (mut felt, mut changes) = (Vec::new(), Vec::new());
        for input in 0..L::INPUTS {
            let mut list = Vec::new();
            leg.curve_changes(origin, &memory.last_inputs, input, length, &mut list);
            if !list.is_empty() {
                felt.push(input);
                changes.push(list);
            }
        }
        let mut carried = Carried::new(leg, sum, changes);
        scratch.copy_from(previous);
        let control = control_from(leg.solver(), memory.first_steps[0]);
        let stepping = stepping(&control, settings, memory.first_steps[0]);
        let first = stepping.first_between(0.0, length);
        let jumps = carried.jumps(model, first.1);
        // The end of a single step without jumps is still in the workspace.
        let in_place = sensitivity.solved_in_workspace && times.len() == 1 && !jumps;
        if jumps {
            jumps::cross(model, scratch, workspace, &drive, first, settings)?;
            let crossing = Crossing::new(model, previous, workspace, first.0, settings)?;
            carried.jump(leg, &crossing, scratch, workspace, first.1);
        }
        let mut before = scratch.clone();
        for &(h, time) in &times {
            before.copy_from(scratch);
            if in_place {
                scratch.copy_from(&memory.state);
            } else {
                dynamics::alpha::step_to(model, scratch, workspace, &drive, (h, time), settings)?;
            }
            carried.propagate(model, workspace, h, settings, time)?;
            let span = [before.time, time].map(|time| time / length);
            carried.sum_up(leg, span, h, [&before, scratch]);
        }
        let Carried {
            variations,
            ends,
            sums,
            ..
        } = carried;
        *sensitivity = Sensitivity {
            felt,
            variations,
            ends,
            summed: sum,
            sums,
            jacobian: core::mem::take(&mut sensitivity.jacobian),
            known: sensitivity.known,
            // Another step may have been solved in it meanwhile.
            solved_in_workspace: in_place,
        };
        Ok(())
    }

    /// Size of each of the solver's steps of the last communication step, and when it ended.
    fn step_times(&mut self) -> Result<Vec<(f64, f64)>, LegError> {
        let Self {
            built,
            memory,
            scratch,
            workspace,
            settings,
            curves,
            ..
        } = self;
        let Built { leg, origin } = &**built;
        let (length, count) = (memory.state.time, memory.last.steps.max(1));
        let control = control_from(leg.solver(), memory.first_steps[0]);
        let stepping = stepping(&control, settings, memory.first_steps[0]);
        if let Control::Fixed { step, .. } = control
            && memory.last.rejected == 0
        {
            let mut grid = stepping.grid(0.0, length, step);
            let mut times = Vec::with_capacity(count);
            while !grid.finished() {
                times.push((grid.next_size(), grid.next_time()));
                grid.accept();
            }
            return Ok(times);
        }
        leg.curves(
            origin,
            &memory.last_inputs,
            &memory.previous,
            length,
            curves,
        );
        let drive = Curves(curves);
        let model = leg.model();
        scratch.copy_from(&memory.previous);
        let mut times = Vec::with_capacity(count);
        let mut last = 0.0;
        let mut watch = |state: &State<G, N>| {
            times.push((state.time - last, state.time));
            last = state.time;
        };
        advance_watched(
            model, scratch, workspace, &drive, length, &stepping, &mut watch,
        )?;
        Ok(times)
    }
}

/// Adds the changes of work and dissipation to those of the energies.
fn add_work(energies: &mut [f64], change: &Powers) {
    energies[WORK_IN] += change.input;
    energies[DISSIPATED] += change.dissipated;
    energies[RESIDUAL] += change.dissipated - change.input;
}
