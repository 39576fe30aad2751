//! A model in the hands of a caller: parameters and inputs before the start, the unit after it,
//! outputs computed when somebody asks for them.

mod access;
mod derivative;
mod snapshot;

pub use snapshot::SnapshotHandle;

use crate::lifecycle::State;
use crate::model::{About, Input, Model, StepsTaken, Unit, configure, input_count, start_values};
use crate::refusal::Refusal;
use snapshot::Snapshots;
use std::ops::Range;
use std::sync::Arc;

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub struct StepOutcome {
    /// Steps and iterations.
    pub done: StepsTaken,
    /// The regime that the model is in now, if that has changed.
    pub regime: Option<&'static str>,
}

/// A model whose type is forgotten.
pub trait Slave: Send {
    /// What the model says of itself.
    fn about(&self) -> About<'_>;
    /// Back to the start values.
    fn reset(&mut self);
    /// Notes that a computation was left in the middle.
    fn poison(&mut self);
    /// Start and stop [s], and the relative tolerance.
    fn set_experiment(&mut self, start: f64, stop: Option<f64>, tolerance: Option<f64>);
    /// Brings the model to its start.
    fn start(&mut self) -> Result<(), Refusal>;
    /// Time reached [s].
    fn time(&self) -> f64;
    /// Moves on; looks at the regime if `watch`.
    fn step(&mut self, time: f64, length: f64, watch: bool) -> Result<StepOutcome, Refusal>;
    /// Reads reals.
    fn get_reals(&mut self, references: &[u32], out: &mut [f64]) -> Result<(), Refusal>;
    /// Reads integers.
    fn get_integers(&mut self, references: &[u32], out: &mut [i32]) -> Result<(), Refusal>;
    /// Reads truth values.
    fn get_booleans(&mut self, references: &[u32], out: &mut [i32]) -> Result<(), Refusal>;
    /// Refuses variables as those of a type that none has, named with its article.
    fn refuse_type(&self, references: &[u32], asked: &'static str) -> Result<(), Refusal>;
    /// Number of elements of the array that begins at this reference; one for a single variable.
    fn span(&self, reference: u32) -> Result<u32, Refusal>;
    /// The reference of the time, which only FMI 3.0 knows: the one behind all variables.
    fn time_reference(&self) -> u32;
    /// Sets reals: all of them or none.
    fn set_reals(
        &mut self,
        state: State,
        references: &[u32],
        values: &[f64],
    ) -> Result<(), Refusal>;
    /// Sets integers: all of them or none.
    fn set_integers(
        &mut self,
        state: State,
        references: &[u32],
        values: &[i32],
    ) -> Result<(), Refusal>;
    /// Sets truth values: all of them or none.
    fn set_booleans(
        &mut self,
        state: State,
        references: &[u32],
        values: &[i32],
    ) -> Result<(), Refusal>;
    /// Sets derivatives of inputs by time: all of them or none.
    fn set_input_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), Refusal>;
    /// Derivatives of outputs by time.
    fn output_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        out: &mut [f64],
    ) -> Result<(), Refusal>;
    /// Derivatives of outputs along a direction of inputs, over the last step.
    fn directional_derivatives(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), Refusal>;
    /// Saves the state, over an earlier one if there is one.
    fn save(
        &mut self,
        over: Option<SnapshotHandle>,
        state: State,
    ) -> Result<SnapshotHandle, Refusal>;
    /// Restores a state and gives that of the lifecycle.
    fn restore(&mut self, handle: SnapshotHandle) -> Result<State, Refusal>;
    /// Frees a saved state.
    fn free(&mut self, handle: SnapshotHandle) -> Result<(), Refusal>;
    /// A saved state as bytes.
    fn serialize(&self, handle: SnapshotHandle) -> Result<Vec<u8>, Refusal>;
    /// Bytes as a saved state.
    fn deserialize(&mut self, bytes: &[u8]) -> Result<SnapshotHandle, Refusal>;
}

/// A model of a known type.
pub struct SlaveOf<M: Model> {
    model: Arc<M>,
    /// Where the outputs of each group are.
    groups: Arc<[Range<usize>]>,
    parameters: Arc<M::Parameters>,
    /// Inputs until the unit has its own.
    inputs: Vec<Input>,
    /// Which of them somebody has set.
    given: Vec<bool>,
    /// The time reached as the caller counts it [s]: a label, of which the mechanics know nothing.
    reached: f64,
    stop: Option<f64>,
    /// Relative tolerance of the experiment.
    tolerance: Option<f64>,
    unit: Option<M::Unit>,
    outputs: Vec<f64>,
    /// Which groups of outputs are up to date.
    known: Vec<bool>,
    snapshots: Snapshots<M>,
    /// A computation was left in the middle; only a state from before can be trusted.
    poisoned: bool,
}

impl<M: Model> SlaveOf<M> {
    /// An instance of a model before its start.
    pub fn new(model: Arc<M>) -> Self {
        let inputs = input_count(&*model);
        let groups = model.groups();
        let outputs = groups.iter().map(|range| range.end).max().unwrap_or(0);
        Self {
            parameters: Arc::new(model.defaults()),
            inputs: vec![Input::default(); inputs],
            given: vec![false; inputs],
            reached: 0.0,
            stop: None,
            tolerance: None,
            unit: None,
            outputs: vec![0.0; outputs],
            known: vec![false; groups.len()],
            snapshots: Snapshots::default(),
            poisoned: false,
            groups: groups.into(),
            model,
        }
    }
}

/// Difference of two times that is taken for rounding, relative to the time since the start.
const ROUNDING: f64 = 1e-9;
/// The same in units of the last place of the caller's time, which may have been added up.
const LAST_PLACES: f64 = 64.0;

impl<M: Model> SlaveOf<M> {
    /// The inputs before the start: as set, or as they are until then.
    fn starting_inputs(&self) -> Vec<Input> {
        let mut inputs = self.inputs.clone();
        for (index, value) in start_values(&*self.model, &self.parameters) {
            if !self.given[index] {
                inputs[index].value = value;
            }
        }
        inputs
    }

    /// The unit, built if it is not there.
    fn unit(&mut self) -> Result<&mut M::Unit, Refusal> {
        let unit = match self.unit.take() {
            Some(unit) => unit,
            None => self.build()?,
        };
        Ok(self.unit.insert(unit))
    }

    #[inline(never)]
    fn build(&mut self) -> Result<M::Unit, Refusal> {
        self.known.fill(false);
        let config = configure::<M>(&self.parameters, self.tolerance).map_err(Refusal::Config)?;
        let inputs = self.starting_inputs();
        let values: Vec<f64> = inputs.iter().map(|input| input.value).collect();
        let started = M::start(&self.parameters, &config, &values);
        let mut unit = started.map_err(Refusal::NoStart)?;
        for (index, input) in inputs.into_iter().enumerate() {
            unit.set_input(index, input);
        }
        Ok(unit)
    }

    /// Something that shapes the start has changed.
    fn rebuild_later(&mut self) {
        self.unit = None;
        self.known.fill(false);
    }

    /// Checks a step and gives its end as the caller counts it [s].
    fn end_of_step(&self, time: f64, length: f64) -> Result<f64, Refusal> {
        let reached = self.reached;
        if !(length > 0.0 && length.is_finite()) {
            return Err(Refusal::BadStep { time, length });
        }
        let elapsed = self.unit.as_ref().map_or(0.0, |unit| unit.time());
        let places = LAST_PLACES * f64::EPSILON * time.abs().max(reached.abs());
        let rounding = ROUNDING * length.max(elapsed) + places;
        if !time.is_finite() || (time - reached).abs() > rounding {
            return Err(Refusal::WrongTime {
                given: time,
                reached,
            });
        }
        let end = time + length;
        match self.stop {
            Some(stop) if end > stop + rounding => Err(Refusal::BeyondStop { end, stop }),
            _ => Ok(end),
        }
    }
}

impl<M: Model> Slave for SlaveOf<M> {
    fn about(&self) -> About<'_> {
        self.model.about()
    }

    fn reset(&mut self) {
        let snapshots = std::mem::take(&mut self.snapshots);
        let model = Arc::clone(&self.model);
        *self = Self {
            snapshots,
            ..Self::new(model)
        };
    }

    fn poison(&mut self) {
        self.poisoned = true;
    }

    fn set_experiment(&mut self, start: f64, stop: Option<f64>, tolerance: Option<f64>) {
        self.reached = start;
        self.stop = stop;
        self.tolerance = tolerance;
        self.rebuild_later();
    }

    fn start(&mut self) -> Result<(), Refusal> {
        self.unit().map(|_| ())
    }

    fn time(&self) -> f64 {
        self.reached
    }

    fn step(&mut self, time: f64, length: f64, watch: bool) -> Result<StepOutcome, Refusal> {
        let end = self.end_of_step(time, length)?;
        let unit = self.unit()?;
        let before = watch.then(|| unit.regime());
        let done = unit.advance_by(length);
        let done = done.map_err(|cause| Refusal::StepFailed { time, end, cause })?;
        let regime = before
            .map(|_| unit.regime())
            .filter(|now| Some(*now) != before);
        self.known.fill(false);
        self.reached = end;
        Ok(StepOutcome { done, regime })
    }

    fn get_reals(&mut self, references: &[u32], out: &mut [f64]) -> Result<(), Refusal> {
        for (&reference, out) in references.iter().zip(out) {
            *out = self.real(reference)?;
        }
        Ok(())
    }

    fn get_integers(&mut self, references: &[u32], out: &mut [i32]) -> Result<(), Refusal> {
        for (&reference, out) in references.iter().zip(out) {
            *out = self.integer(reference)?;
        }
        Ok(())
    }

    fn get_booleans(&mut self, references: &[u32], out: &mut [i32]) -> Result<(), Refusal> {
        for (&reference, out) in references.iter().zip(out) {
            *out = i32::from(self.boolean(reference)?);
        }
        Ok(())
    }

    fn refuse_type(&self, references: &[u32], asked: &'static str) -> Result<(), Refusal> {
        references
            .iter()
            .try_for_each(|&reference| Err(access::wrong_type(&*self.model, reference, asked)))
    }

    fn span(&self, reference: u32) -> Result<u32, Refusal> {
        if reference == self.time_reference() {
            return Ok(1);
        }
        access::span(&*self.model, reference)
    }

    fn time_reference(&self) -> u32 {
        u32::try_from(self.model.variables().len()).unwrap_or(u32::MAX)
    }

    fn set_reals(
        &mut self,
        state: State,
        references: &[u32],
        values: &[f64],
    ) -> Result<(), Refusal> {
        for (&reference, &value) in references.iter().zip(values) {
            access::check_real(&*self.model, state, reference, value)?;
        }
        for (&reference, &value) in references.iter().zip(values) {
            self.set_real(state, reference, value);
        }
        Ok(())
    }

    fn set_integers(
        &mut self,
        state: State,
        references: &[u32],
        values: &[i32],
    ) -> Result<(), Refusal> {
        for (&reference, &value) in references.iter().zip(values) {
            access::check_integer(&*self.model, state, reference, value)?;
        }
        for (&reference, &value) in references.iter().zip(values) {
            self.set_parameter(reference, f64::from(value));
        }
        Ok(())
    }

    fn set_booleans(
        &mut self,
        state: State,
        references: &[u32],
        values: &[i32],
    ) -> Result<(), Refusal> {
        for &reference in references {
            access::check_boolean(&*self.model, state, reference)?;
        }
        for (&reference, &value) in references.iter().zip(values) {
            self.set_parameter(reference, f64::from(u8::from(value != 0)));
        }
        Ok(())
    }

    fn set_input_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), Refusal> {
        self.set_derivatives(references, orders, values)
    }

    fn output_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        self.rates(references, orders, out)
    }

    fn directional_derivatives(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        self.directional(unknowns, knowns, seed, out)
    }

    fn save(
        &mut self,
        over: Option<SnapshotHandle>,
        state: State,
    ) -> Result<SnapshotHandle, Refusal> {
        self.save_state(over, state)
    }

    fn restore(&mut self, handle: SnapshotHandle) -> Result<State, Refusal> {
        self.restore_state(handle)
    }

    fn free(&mut self, handle: SnapshotHandle) -> Result<(), Refusal> {
        self.snapshots.free(handle)
    }

    fn serialize(&self, handle: SnapshotHandle) -> Result<Vec<u8>, Refusal> {
        self.snapshots.get(handle)?.to_bytes(&*self.model)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<SnapshotHandle, Refusal> {
        let snapshot = snapshot::Snapshot::from_bytes(&*self.model, bytes)?;
        Ok(self.snapshots.keep(snapshot))
    }
}
