//! A saved unit as plain numbers, and back.
//!
//! The numbers are those of [`Origin`], then of the memory, in the order of the fields, every
//! pose as its origin and its rotation matrix. With the leg's configuration they are all that
//! another process needs.

use super::LegError;
use super::series::Series;
use super::unit::{Built, INPUT_ORDER, Input, Memory, Origin, Saved, UnitLeg};
use multibody::dynamics::Advance;
use multibody::group::Group;
use multibody::model::Inputs;
use multibody::results::energy::{Ledger, Powers};
use multibody::state::State;
use nalgebra::{SMatrix, SVector};
use std::sync::Arc;

/// Why numbers are not a snapshot.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// The numbers are too few or too many for this leg.
    #[error("a snapshot of this leg has {expected} numbers, not {found}")]
    WrongLength {
        /// Numbers needed.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// The leg cannot be built from its configuration.
    #[error(transparent)]
    Leg(#[from] LegError),
}

/// Numbers of an [`Origin`].
const ORIGIN: usize = 14;

impl<L, G, const N: usize> Saved<L, G, N> {
    /// The numbers.
    pub fn to_numbers<const D: usize>(&self) -> Vec<f64>
    where
        G: Group<N, D>,
        L: UnitLeg<G, N, D>,
    {
        let mut out = Writer(Vec::with_capacity(ORIGIN + memory_length(&self.memory)));
        out.origin(&self.built.origin);
        let Memory {
            state,
            previous,
            elapsed,
            pending,
            inputs,
            last_inputs,
            near,
            last,
            first_steps,
            stepped,
            series: Series(series),
        } = &self.memory;
        out.state(state);
        out.state(previous);
        inputs
            .iter()
            .chain(last_inputs)
            .for_each(|input| out.input(input));
        let Advance {
            steps,
            rejected,
            iterations,
            next_step,
            // What makes a run suspect is told as it happens; what follows does not depend on it.
            at_floor: _,
            excess_error: _,
        } = *last;
        out.0.extend([*elapsed, *pending, *near]);
        out.0
            .extend([steps as f64, rejected as f64, iterations as f64, next_step]);
        out.0.extend(first_steps);
        out.0.push(f64::from(u8::from(*stepped)));
        out.0.extend(series.as_flattened());
        out.0
    }

    /// The saved unit that these are the numbers of, its leg built anew.
    pub fn from_numbers<const D: usize>(
        config: &L::Config,
        numbers: &[f64],
    ) -> Result<Self, SnapshotError>
    where
        G: Group<N, D>,
        L: UnitLeg<G, N, D>,
    {
        let found = numbers.len();
        if found < ORIGIN {
            return Err(SnapshotError::WrongLength {
                expected: ORIGIN,
                found,
            });
        }
        let mut from = Reader(numbers.iter());
        let origin = from.origin();
        let leg = L::rebuild(config, &origin)?;
        let inputs = vec![Input::default(); L::INPUTS];
        let mut memory = Memory::new(State::new(leg.model()), inputs, 0.0, 0.0);
        let expected = ORIGIN + memory_length(&memory);
        if found != expected {
            return Err(SnapshotError::WrongLength { expected, found });
        }
        from.state(&mut memory.state);
        from.state(&mut memory.previous);
        let both = memory.inputs.iter_mut().chain(&mut memory.last_inputs);
        both.for_each(|input| *input = from.input());
        memory.elapsed = from.number();
        memory.pending = from.number();
        memory.near = from.number();
        memory.last = Advance {
            steps: from.count(),
            rejected: from.count(),
            iterations: from.count(),
            next_step: from.number(),
            ..Advance::default()
        };
        memory.first_steps = [from.number(), from.number()];
        memory.stepped = from.flag();
        from.fill(memory.series.0.as_flattened_mut());
        let built = Arc::new(Built { leg, origin });
        Ok(Self { built, memory })
    }
}

fn state_length<G: Group<N, D>, const N: usize, const D: usize>(state: &State<G, N>) -> usize {
    let ledger = 5;
    1 + state.poses.len() * (D + D * D + 3 * N)
        + state.multipliers.len()
        + state.angles.len()
        + state.memory.len()
        + 3 * state.inputs.value.len()
        + ledger
}

fn memory_length<G: Group<N, D>, const N: usize, const D: usize>(memory: &Memory<G, N>) -> usize {
    let numbers = 10 + memory.series.0.as_flattened().len();
    2 * (state_length(&memory.state) + memory.inputs.len() * (INPUT_ORDER + 2)) + numbers
}

/// Writes in the order in which [`Reader`] reads.
struct Writer(Vec<f64>);

impl Writer {
    fn origin(&mut self, origin: &Origin) {
        let Origin {
            q1,
            q3,
            held,
            tip,
            tip_velocity_given,
            base_moves,
            rest_length,
            chord,
            tension,
            thrust,
        } = origin;
        self.0.extend([*q1, *q3]);
        self.0.extend(held);
        self.0.extend(tip);
        let flags = [tip_velocity_given, base_moves, &rest_length.is_some()];
        self.0.extend(flags.map(|flag| f64::from(u8::from(*flag))));
        self.0.push(rest_length.unwrap_or(0.0));
        self.0.extend([*chord, *tension, *thrust]);
    }

    fn state<G: Group<N, D>, const N: usize, const D: usize>(&mut self, state: &State<G, N>) {
        let State {
            time,
            poses,
            velocities,
            accelerations,
            algorithmic,
            multipliers,
            angles,
            memory,
            // Of a state that is accepted zero.
            since_memory: _,
            inputs,
            ledger,
        } = state;
        let Ledger {
            initial,
            work_in,
            dissipated,
            powers,
        } = ledger;
        self.0.push(*time);
        for pose in poses {
            self.0.extend(pose.translation().iter());
            self.0.extend(pose.rotation().iter());
        }
        for list in [velocities, accelerations, algorithmic] {
            list.iter().for_each(|vector| self.0.extend(vector.iter()));
        }
        for list in [
            multipliers,
            angles,
            memory,
            &inputs.value,
            &inputs.rate,
            &inputs.acceleration,
        ] {
            self.0.extend(list);
        }
        self.0.extend([
            *initial,
            *work_in,
            *dissipated,
            powers.input,
            powers.dissipated,
        ]);
    }

    fn input(&mut self, input: &Input) {
        self.0.push(input.value);
        self.0.extend(input.derivatives());
        self.0.push(input.order() as f64);
    }
}

/// Reads what [`Writer`] wrote; the length was checked before, what is missing is zero.
struct Reader<'a>(core::slice::Iter<'a, f64>);

impl Reader<'_> {
    fn number(&mut self) -> f64 {
        self.0.next().copied().unwrap_or(0.0)
    }

    fn count(&mut self) -> usize {
        self.number() as usize
    }

    fn flag(&mut self) -> bool {
        self.number() != 0.0
    }

    fn fill(&mut self, list: &mut [f64]) {
        list.iter_mut().for_each(|entry| *entry = self.number());
    }

    fn origin(&mut self) -> Origin {
        let mut origin = Origin {
            q1: self.number(),
            q3: self.number(),
            ..Origin::default()
        };
        self.fill(&mut origin.held);
        self.fill(&mut origin.tip);
        origin.tip_velocity_given = self.flag();
        origin.base_moves = self.flag();
        let present = self.flag();
        let rest_length = self.number();
        origin.rest_length = present.then_some(rest_length);
        origin.chord = self.number();
        origin.tension = self.number();
        origin.thrust = self.number();
        origin
    }

    fn state<G: Group<N, D>, const N: usize, const D: usize>(&mut self, state: &mut State<G, N>) {
        state.time = self.number();
        for pose in &mut state.poses {
            let mut translation = SVector::<f64, D>::zeros();
            let mut rotation = SMatrix::<f64, D, D>::zeros();
            self.fill(translation.as_mut_slice());
            self.fill(rotation.as_mut_slice());
            *pose = G::from_parts(translation, rotation);
        }
        for list in [
            &mut state.velocities,
            &mut state.accelerations,
            &mut state.algorithmic,
        ] {
            list.iter_mut()
                .for_each(|vector| self.fill(vector.as_mut_slice()));
        }
        let Inputs {
            value,
            rate,
            acceleration,
        } = &mut state.inputs;
        for list in [
            &mut state.multipliers,
            &mut state.angles,
            &mut state.memory,
            value,
            rate,
            acceleration,
        ] {
            self.fill(list);
        }
        state.ledger = Ledger {
            initial: self.number(),
            work_in: self.number(),
            dissipated: self.number(),
            powers: Powers {
                input: self.number(),
                dissipated: self.number(),
            },
        };
    }

    fn input(&mut self) -> Input {
        let value = self.number();
        let mut derivatives = [0.0; INPUT_ORDER];
        self.fill(&mut derivatives);
        Input::from_parts(value, derivatives, self.count())
    }
}
