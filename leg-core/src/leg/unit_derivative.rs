//! Derivatives of a unit's outputs: by its inputs over the last step, and by time.
//!
//! The variation of the state at the end of the step by each input is exact
//! ([`crate::dynamics::sensitivity`]): the steps of the solver are repeated from the start of the
//! communication step and the variations carried along. What the outputs make of a variation ξ is
//! a central difference along it,
//!
//! ```text
//! ∂y/∂u = (y(x + εξ) − y(x − εξ)) / 2ε                                          (1)
//! δW = Σ ½ h (δP_k + δP_{k+1}) + δ(W_k beyond the trapezoidal rule)             (2)
//! δc_j = Σ_k (2j + 1) ∫ δf L_j ds                                               (3)
//! ```
//!
//! which is exact for outputs up to second order in ξ. (2) is the ledger's own rule for work and
//! dissipation ([`crate::results::energy`]), (3) that of the course of the tip's force
//! ([`super::series`]). The derivative by time uses the same (1) along the motion `(v, v̇, λ̇, u̇)`,
//! where v̇ and λ̇ are means over the last step: the accelerations themselves carry modes of the leaf too
//! fast for any step, which say nothing about the next one.

use super::LegError;
use super::series::Series;
use super::unit::{
    Built, Cubic, Curves, LegUnit, Memory, OutputGroup, UnitLeg, control_from, first_step,
};
use crate::dynamics::joining::join;
use crate::dynamics::sensitivity::{InputVariation, Variation, propagate};
use crate::dynamics::{self, Control};
use crate::error::Error;
use crate::group::Group;
use crate::model::{Drive, Inputs};
use crate::results;
use crate::results::energy::{self, Powers};
use crate::state::State;
use core::cell::RefCell;
use nalgebra::SVector;

/// Positions in the group of energies, in both legs.
pub(super) const WORK_IN: usize = 4;
/// As above.
pub(super) const DISSIPATED: usize = 5;
/// As above.
pub(super) const RESIDUAL: usize = 6;

/// Largest displacement of a central difference [m, rad].
const DISPLACEMENT: f64 = 1e-6;
/// The same where the tendon's law bends within it: its rounded corners are a hundredth of a
/// newton wide.
const SMALL_DISPLACEMENT: f64 = 1e-8;
/// Largest change of velocity there [m/s, rad/s].
const SMALL_CHANGE_OF_VELOCITY: f64 = 1e-7;

/// Derivatives of the last step, as far as they were asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Sensitivity<const N: usize> {
    /// The workspace still holds the last step, which was the only one of its communication step.
    pub solved_in_workspace: bool,
    /// One variation of the end state per input; empty until asked for.
    variations: Vec<Variation<N>>,
    /// Changes of the channels at the end, per input.
    ends: Vec<Vec<InputVariation>>,
    /// What was summed up along the step, per input.
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

/// What outputs need besides the variation of the end state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Sum {
    /// Nothing.
    #[default]
    Nothing,
    /// Work and dissipation, eq. (2).
    Work,
    /// The course of the tip's force, eq. (3).
    Course,
}

/// Sums over the steps of a communication step, for one input.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Changes of work in and dissipation.
    work: Powers,
    /// Changes of the powers at the end of the last step.
    powers: Powers,
    /// Change of the course of the tip's force.
    series: Series,
    /// Change of that force at the end of the last step.
    force: [f64; 3],
}

impl Sums {
    /// What varies at the very start, right behind a jump of accelerations.
    fn begin<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>(
        &mut self,
        sum: Sum,
        at_start: &Direction<'_, L, G, N, D>,
        moved: &mut State<G, N>,
    ) {
        match sum {
            Sum::Nothing => {}
            Sum::Work => self.powers = at_start.powers(moved),
            Sum::Course => self.force = at_start.port_force(moved),
        }
    }

    /// Eq. (2) for a step of `h` [s].
    fn add_work<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>(
        &mut self,
        at_start: &Direction<'_, L, G, N, D>,
        at_end: &Direction<'_, L, G, N, D>,
        h: f64,
        moved: &mut [State<G, N>; 2],
    ) {
        let new = at_end.powers(&mut moved[0]);
        let old = core::mem::replace(&mut self.powers, new);
        self.work.input += 0.5 * h * (old.input + new.input);
        self.work.dissipated += 0.5 * h * (old.dissipated + new.dissipated);
        self.work.dissipated += at_end.in_lines(at_start, h, moved);
    }

    /// Eq. (3) for the piece `span` of the communication step.
    fn add_course<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>(
        &mut self,
        span: [f64; 2],
        at_end: &Direction<'_, L, G, N, D>,
        moved: &mut State<G, N>,
    ) {
        let new = at_end.port_force(moved);
        let old = core::mem::replace(&mut self.force, new);
        self.series.add(span, [&old, &new]);
    }
}

/// Remembers the times of accepted steps: a step that is refused is tried again earlier.
struct Recorder<'a> {
    curves: Curves<'a>,
    times: RefCell<Vec<f64>>,
}

impl Drive for Recorder<'_> {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        let mut times = self.times.borrow_mut();
        while times.last().is_some_and(|&last| last >= time) {
            times.pop();
        }
        times.push(time);
        self.curves.sample(time, inputs);
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
            let length = state.time - previous.time;
            let rate = series.rate(&leg.port_force(state), length);
            if *stepped { rate } else { Series::default() }.write(out);
            return Ok(());
        }
        let mut motion = Variation::zero(model);
        motion.poses.copy_from_slice(&state.velocities);
        motion.velocities.copy_from_slice(&state.accelerations);
        if *stepped {
            let per_length = 1.0 / (state.time - previous.time);
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
        let mut column = vec![0.0; range.len()];
        for input in 0..L::INPUTS {
            let (variation, ends) = (&sensitivity.variations[input], &sensitivity.ends[input]);
            let direction = Direction {
                leg: &built.leg,
                state: &memory.state,
                variation,
                ends,
            };
            if sum == Sum::Course {
                sensitivity.sums[input].series.write(&mut column);
            } else {
                direction.outputs(group, memory.near, scratch, &mut column)?;
            }
            if sum == Sum::Work {
                add_work(&mut column, &sensitivity.sums[input].work);
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
        let in_place = self.sensitivity.solved_in_workspace && times.len() == 1;
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
        let start = previous.time;
        let length = memory.state.time - start;
        leg.curves(origin, &memory.last_inputs, previous, length, curves);
        let drive = Curves {
            start,
            cubics: curves,
        };
        let changes: Vec<Vec<(usize, Cubic)>> = (0..L::INPUTS)
            .map(|input| {
                let mut list = Vec::new();
                leg.curve_changes(origin, &memory.last_inputs, input, length, &mut list);
                list
            })
            .collect();
        let mut variations = vec![Variation::zero(model); L::INPUTS];
        let mut ends: Vec<Vec<InputVariation>> = vec![Vec::new(); L::INPUTS];
        let mut sums = vec![Sums::default(); L::INPUTS];
        let mut moved = [scratch.clone(), scratch.clone()];
        scratch.copy_from(previous);
        let control = control_from(leg.solver(), memory.first_steps[0]);
        if let Some(h) = first_step(&control, length) {
            let second = |channel: usize| drive.cubics[channel].second();
            let joining = join(model, scratch, workspace, h, settings, second)?;
            for (variation, changes) in variations.iter_mut().zip(&changes) {
                let jumps = changes
                    .iter()
                    .map(|(channel, cubic)| (*channel, cubic.second()));
                joining.answer(model, previous, workspace, jumps);
                let system = &workspace.system;
                variation.accelerate(&system.node_rhs, &system.row_rhs);
            }
            for (input, sums) in sums.iter_mut().enumerate() {
                let at_start = Direction {
                    leg,
                    state: scratch,
                    variation: &variations[input],
                    ends: &[],
                };
                sums.begin(sum, &at_start, &mut moved[0]);
            }
        }
        let mut before = scratch.clone();
        for &time in &times {
            let h = time - scratch.time;
            before.copy_from(scratch);
            let variations_before = match sum {
                Sum::Work => variations.clone(),
                _ => Vec::new(),
            };
            if in_place {
                scratch.copy_from(&memory.state);
            } else {
                dynamics::step(model, scratch, workspace, &drive, h, settings)?;
                scratch.time = time;
            }
            let ends_now = changes.iter().map(|list| at(list, time - start)).collect();
            let ends_before = core::mem::replace(&mut ends, ends_now);
            let slices: Vec<&[InputVariation]> = ends.iter().map(Vec::as_slice).collect();
            propagate(model, workspace, h, settings, &mut variations, &slices)?;
            let span = [before.time, time].map(|time| (time - start) / length);
            for (input, sums) in sums.iter_mut().enumerate() {
                let at_end = Direction {
                    leg,
                    state: scratch,
                    variation: &variations[input],
                    ends: &ends[input],
                };
                match sum {
                    Sum::Nothing => {}
                    Sum::Work => {
                        let at_start = Direction {
                            leg,
                            state: &before,
                            variation: &variations_before[input],
                            ends: &ends_before[input],
                        };
                        sums.add_work(&at_start, &at_end, h, &mut moved);
                    }
                    Sum::Course => sums.add_course(span, &at_end, &mut moved[0]),
                }
            }
        }
        *sensitivity = Sensitivity {
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

    /// Times at which the solver's steps of the last communication step ended.
    fn step_times(&mut self) -> Result<Vec<f64>, LegError> {
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
        let (start, end) = (memory.previous.time, memory.state.time);
        let (length, count) = (end - start, memory.last.steps.max(1));
        let control = control_from(leg.solver(), memory.first_steps[0]);
        if matches!(control, Control::Fixed { .. }) && memory.last.rejected == 0 {
            let time = |k: usize| start + length * k as f64 / count as f64;
            return Ok((1..=count)
                .map(|k| if k == count { end } else { time(k) })
                .collect());
        }
        leg.curves(
            origin,
            &memory.last_inputs,
            &memory.previous,
            length,
            curves,
        );
        let recorder = Recorder {
            curves: Curves {
                start,
                cubics: curves,
            },
            times: RefCell::default(),
        };
        scratch.copy_from(&memory.previous);
        if let Some(h) = first_step(&control, length) {
            let second = |channel: usize| recorder.curves.cubics[channel].second();
            join(leg.model(), scratch, workspace, h, settings, second)?;
        }
        dynamics::advance(
            leg.model(),
            scratch,
            workspace,
            &recorder,
            end,
            &control,
            settings,
        )?;
        let mut times = recorder.times.into_inner();
        if let Some(last) = times.last_mut() {
            *last = end;
        }
        Ok(times)
    }
}

/// Changes of channels `s` seconds after the start.
fn at(changes: &[(usize, Cubic)], s: f64) -> Vec<InputVariation> {
    let one = |&(channel, cubic): &(usize, Cubic)| {
        let (value, rate, _) = cubic.sample(s);
        InputVariation {
            channel,
            value,
            rate,
        }
    };
    changes.iter().map(one).collect()
}

/// A variation of a leg's state about which outputs are differentiated.
struct Direction<'a, L, G, const N: usize, const D: usize> {
    leg: &'a L,
    state: &'a State<G, N>,
    variation: &'a Variation<N>,
    ends: &'a [InputVariation],
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>
    Direction<'_, L, G, N, D>
{
    /// Writes the state moved by `factor` times the variation, inputs included.
    fn moved(&self, factor: f64, out: &mut State<G, N>) {
        self.variation
            .apply(self.leg.model(), self.state, factor, out);
        for end in self.ends {
            out.inputs.value[end.channel] += end.value * factor;
            out.inputs.rate[end.channel] += end.rate * factor;
        }
    }

    /// The factor that moves the state by these amounts at most.
    fn factor(&self, displacement: f64, velocity: f64) -> f64 {
        let largest = |list: &[SVector<f64, N>]| list.iter().map(|v| v.amax()).fold(0.0, f64::max);
        (displacement / largest(&self.variation.poses))
            .min(velocity / largest(&self.variation.velocities))
            .min(1.0)
    }

    /// ε of eq. (1) for forces: as large as the tendon's law is linear.
    fn factor_for_forces(&self, moved: &mut State<G, N>) -> f64 {
        let wide = self.factor(DISPLACEMENT, f64::INFINITY);
        let Some(tendon) = self.leg.tendon() else {
            return wide;
        };
        let mut slopes = |factor| {
            self.moved(factor, moved);
            results::line(self.leg.model(), moved, tendon)
                .map(|line| [line.response.by_length, line.response.by_rate])
        };
        let (minus, here, plus) = (slopes(-wide), slopes(0.0), slopes(wide));
        if minus == here && here == plus {
            wide
        } else {
            self.factor(SMALL_DISPLACEMENT, SMALL_CHANGE_OF_VELOCITY)
        }
    }

    /// Eq. (1) for the outputs of a group; work and dissipation are left out.
    fn outputs(
        &self,
        group: OutputGroup,
        near: f64,
        moved: &mut State<G, N>,
        out: &mut [f64],
    ) -> Result<(), LegError> {
        let step = match group {
            OutputGroup::Force => self.factor_for_forces(moved),
            _ => self.factor(DISPLACEMENT, f64::INFINITY),
        };
        let mut minus = vec![0.0; out.len()];
        self.moved(step, moved);
        self.leg.evaluate(group, moved, near, out)?;
        self.moved(-step, moved);
        self.leg.evaluate(group, moved, near, &mut minus)?;
        for (value, minus) in out.iter_mut().zip(&minus) {
            *value = (*value - minus) / (2.0 * step);
        }
        Ok(())
    }

    /// Eq. (1) for the powers.
    fn powers(&self, moved: &mut State<G, N>) -> Powers {
        let step = self.factor_for_forces(moved);
        let mut powers_at = |factor| {
            self.moved(factor, moved);
            energy::powers(self.leg.model(), moved)
        };
        let (plus, minus) = (powers_at(step), powers_at(-step));
        Powers {
            input: (plus.input - minus.input) / (2.0 * step),
            dissipated: (plus.dissipated - minus.dissipated) / (2.0 * step),
        }
    }

    /// Eq. (1) for the force of the tip.
    fn port_force(&self, moved: &mut State<G, N>) -> [f64; 3] {
        let step = self.factor(DISPLACEMENT, f64::INFINITY);
        let mut force_at = |factor| {
            self.moved(factor, moved);
            self.leg.port_force(moved)
        };
        let (plus, minus) = (force_at(step), force_at(-step));
        core::array::from_fn(|i| (plus[i] - minus[i]) / (2.0 * step))
    }

    /// Eq. (1) for what the lines dissipate beyond the trapezoidal rule in a step of `h` [s], from
    /// the state of `start` to this one.
    fn in_lines(&self, start: &Self, h: f64, moved: &mut [State<G, N>; 2]) -> f64 {
        let [old, new] = moved;
        let step = (self.factor_for_forces(new)).min(start.factor_for_forces(old));
        let mut work_at = |factor| {
            start.moved(factor, old);
            self.moved(factor, new);
            energy::beyond_trapezoid(self.leg.model(), old, new, h)
        };
        (work_at(step) - work_at(-step)) / (2.0 * step)
    }
}

/// Adds the changes of work and dissipation to those of the energies.
fn add_work(energies: &mut [f64], change: &Powers) {
    energies[WORK_IN] += change.input;
    energies[DISSIPATED] += change.dissipated;
    energies[RESIDUAL] += change.dissipated - change.input;
}
