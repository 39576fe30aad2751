//! Variations of a leg's state by its inputs, on their way through a communication step.
//!
//! The variation of the state is exact ([`multibody::dynamics::sensitivity`]): the steps of the solver are
//! repeated from the start of the communication step and the variations carried along. What outputs
//! make of a variation ξ is a central difference along it,
//!
//! ```text
//! ∂y/∂u = (y(x + εξ) − y(x − εξ)) / 2ε                                          (1)
//! δW = Σ ½ h (δP_k + δP_{k+1}) + δ(W_k beyond the trapezoidal rule)             (2)
//! δc_j = Σ_k (2j + 1) ∫ δf L_j ds                                               (3)
//! ```
//!
//! which is exact for outputs up to second order in ξ. (2) is the ledger's own rule for work and
//! dissipation ([`multibody::results::energy`]), (3) that of the course of the tip's force
//! ([`super::series`]).

use super::LegError;
use super::series::Recording;
use super::unit::{Cubic, OutputGroup, UnitLeg};
use multibody::dynamics::StepSettings;
use multibody::dynamics::jumps::{Change, Crossing};
use multibody::dynamics::sensitivity::{InputVariation, Variation, propagate};
use multibody::group::Group;
use multibody::model::Model;
use multibody::results;
use multibody::results::energy::{self, InLines, Powers};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::SVector;

/// Largest displacement of a central difference [m, rad].
const DISPLACEMENT: f64 = 1e-6;
/// The same, and twice this, for the shape of the leaf: its moment comes from forces that rounding of
/// the axial strain disturbs, which takes a wider difference; the third order is taken out.
const WIDE_DISPLACEMENT: f64 = 3e-5;
/// The same where the tendon's law bends within it: its rounded corners are a hundredth of a
/// newton wide.
const SMALL_DISPLACEMENT: f64 = 1e-8;
/// Largest change of velocity there [m/s, rad/s].
const SMALL_CHANGE_OF_VELOCITY: f64 = 1e-7;

/// What outputs need besides the variation of the end state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sum {
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
pub(super) struct Sums {
    /// Changes of work in and dissipation.
    pub work: Powers,
    /// Changes of the powers at the end of the last step.
    powers: Powers,
    /// Change of the course of the tip's force.
    pub recording: Recording,
    /// Change of that force at the end of the last step.
    force: [f64; 3],
}

/// Variations of all inputs on their way through a communication step.
pub(super) struct Carried<G, const N: usize> {
    /// Changes of the channels' curves, per input.
    changes: Vec<Vec<(usize, Cubic)>>,
    pub variations: Vec<Variation<N>>,
    /// Changes of the channels now, per input.
    pub ends: Vec<Vec<InputVariation>>,
    /// Both at the start of the last step, where work is summed up.
    before: (Vec<Variation<N>>, Vec<Vec<InputVariation>>),
    sum: Sum,
    pub sums: Vec<Sums>,
    /// Two states to be moved about.
    moved: [State<G, N>; 2],
}

impl<G: Copy, const N: usize> Carried<G, N> {
    /// Nothing varies yet.
    pub(super) fn new<L: UnitLeg<G, N, D>, const D: usize>(
        leg: &L,
        sum: Sum,
        changes: Vec<Vec<(usize, Cubic)>>,
    ) -> Self
    where
        G: Group<N, D>,
    {
        let (model, count) = (leg.model(), changes.len());
        Self {
            changes,
            variations: vec![Variation::zero(model); count],
            ends: vec![Vec::new(); count],
            before: (Vec::new(), Vec::new()),
            sum,
            sums: vec![Sums::default(); count],
            moved: [State::new(model), State::new(model)],
        }
    }

    /// Whether accelerations and reactions jump at the start with an input: with those that are
    /// forces, and with the accelerations of prescribed motions if `accelerations`.
    pub(super) fn jumps<const D: usize>(&self, model: &Model<G, N, D>, accelerations: bool) -> bool
    where
        G: Group<N, D>,
    {
        let mut changes = self.changes.iter().flatten();
        accelerations || changes.any(|&(channel, _)| model.input_role(channel).forces)
    }

    /// Accelerations and reactions jump at the start, to those of `joined`.
    pub(super) fn jump<L: UnitLeg<G, N, D>, const D: usize>(
        &mut self,
        leg: &L,
        crossing: &Crossing,
        joined: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        accelerations: bool,
    ) where
        G: Group<N, D>,
    {
        for (input, variation) in self.variations.iter_mut().enumerate() {
            let changes = self.changes[input].iter().map(|(channel, cubic)| {
                let (value, rate, acceleration) = cubic.start();
                Change {
                    channel: *channel,
                    value,
                    rate,
                    acceleration: if accelerations { acceleration } else { 0.0 },
                }
            });
            crossing.vary(leg.model(), joined, workspace, changes);
            let system = &workspace.system;
            variation.accelerate(&system.node_rhs, &system.row_rhs);
            self.ends[input] = at(&self.changes[input], 0.0);
            let at_start = Direction {
                leg,
                state: joined,
                variation,
                ends: &self.ends[input],
            };
            let sums = &mut self.sums[input];
            match self.sum {
                Sum::Nothing => {}
                Sum::Work => sums.powers = at_start.powers(&mut self.moved[0]),
                Sum::Course => sums.force = at_start.port_force(&mut self.moved[0]),
            }
        }
    }

    /// Through the step of `h` [s] that the workspace has just solved, which ends `s` seconds
    /// after the start.
    pub(super) fn propagate<const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        workspace: &mut Workspace<G, N>,
        h: f64,
        settings: &StepSettings,
        s: f64,
    ) -> Result<(), LegError>
    where
        G: Group<N, D>,
    {
        let ends = self.changes.iter().map(|list| at(list, s)).collect();
        let ends_before = core::mem::replace(&mut self.ends, ends);
        if self.sum == Sum::Work {
            self.before = (self.variations.clone(), ends_before);
        }
        let slices: Vec<&[InputVariation]> = self.ends.iter().map(Vec::as_slice).collect();
        propagate(model, workspace, h, settings, &mut self.variations, &slices)?;
        Ok(())
    }

    /// Sums up over the piece `span` of the communication step, of `h` [s], from the first state to
    /// the second.
    pub(super) fn sum_up<L: UnitLeg<G, N, D>, const D: usize>(
        &mut self,
        leg: &L,
        span: [f64; 2],
        h: f64,
        [before, now]: [&State<G, N>; 2],
    ) where
        G: Group<N, D>,
    {
        for (input, sums) in self.sums.iter_mut().enumerate() {
            let at_end = Direction {
                leg,
                state: now,
                variation: &self.variations[input],
                ends: &self.ends[input],
            };
            match self.sum {
                Sum::Nothing => {}
                Sum::Work => {
                    let at_start = Direction {
                        leg,
                        state: before,
                        variation: &self.before.0[input],
                        ends: &self.before.1[input],
                    };
                    let new = at_end.powers(&mut self.moved[0]);
                    let old = core::mem::replace(&mut sums.powers, new);
                    let work = &mut sums.work; // (2)
                    work.input += 0.5 * h * (old.input + new.input);
                    work.dissipated += 0.5 * h * (old.dissipated + new.dissipated);
                    let in_lines = at_end.in_lines(&at_start, h, &mut self.moved);
                    work.input += in_lines.winches;
                    work.dissipated += in_lines.dissipated;
                }
                Sum::Course => {
                    let new = at_end.port_force(&mut self.moved[0]);
                    let old = core::mem::replace(&mut sums.force, new);
                    sums.recording.add(span, [&old, &new]); // (3)
                }
            }
        }
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
pub(super) struct Direction<'a, L, G, const N: usize, const D: usize> {
    pub leg: &'a L,
    pub state: &'a State<G, N>,
    pub variation: &'a Variation<N>,
    pub ends: &'a [InputVariation],
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
        // A motor pulls in proportion only while its target is near.
        let model = self.leg.model();
        let targets = self
            .ends
            .iter()
            .filter(|end| model.input_role(end.channel).aims);
        let targets = targets.map(|end| end.value.abs());
        (displacement / largest(&self.variation.poses))
            .min(velocity / largest(&self.variation.velocities))
            .min(displacement / targets.fold(0.0, f64::max))
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
    pub(super) fn outputs(
        &self,
        group: OutputGroup,
        near: f64,
        moved: &mut State<G, N>,
        out: &mut [f64],
    ) -> Result<(), LegError> {
        let step = match group {
            OutputGroup::Force => self.factor_for_forces(moved),
            OutputGroup::Shape => {
                let step = self.factor(WIDE_DISPLACEMENT, f64::INFINITY);
                let mut wider = vec![0.0; out.len()];
                self.difference(group, (near, 2.0 * step), moved, &mut wider)?;
                self.difference(group, (near, step), moved, out)?;
                for (value, wider) in out.iter_mut().zip(&wider) {
                    *value = (4.0 * *value - wider) / 3.0;
                }
                return Ok(());
            }
            _ => self.factor(DISPLACEMENT, f64::INFINITY),
        };
        self.difference(group, (near, step), moved, out)
    }

    /// Eq. (1) with ε = `step`.
    fn difference(
        &self,
        group: OutputGroup,
        (near, step): (f64, f64),
        moved: &mut State<G, N>,
        out: &mut [f64],
    ) -> Result<(), LegError> {
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

    /// Eq. (1) for what the lines do beyond the trapezoidal rule in a step of `h` [s], from the state
    /// of `start` to this one.
    fn in_lines(&self, start: &Self, h: f64, moved: &mut [State<G, N>; 2]) -> InLines {
        let [old, new] = moved;
        let step = (self.factor_for_forces(new)).min(start.factor_for_forces(old));
        let mut work_at = |factor| {
            start.moved(factor, old);
            self.moved(factor, new);
            energy::beyond_trapezoid(self.leg.model(), old, new, h)
        };
        let (plus, minus) = (work_at(step), work_at(-step));
        InLines {
            winches: (plus.winches - minus.winches) / (2.0 * step),
            dissipated: (plus.dissipated - minus.dissipated) / (2.0 * step),
        }
    }
}
