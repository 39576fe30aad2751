//! Saved states: kept for the caller under handles, turned into bytes and back.
//!
//! The bytes are little-endian: a magic word, version, digest of the GUID, state of the
//! lifecycle, counts, the experiment, parameters, inputs, the numbers of the unit, and a check sum
//! over all of them. They hold no pointers and are valid in any process that has the same model.

use super::SlaveOf;
use crate::lifecycle::State;
use crate::model::{INPUT_ORDER, Input, Model, Unit, configure, guid_of, input_count};
use crate::refusal::Refusal;
use crate::variables::Role;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the caller gets for a saved state: an address, never followed by anybody.
pub type SnapshotHandle = usize;

/// A saved state.
pub struct Snapshot<M: Model> {
    state: State,
    parameters: Arc<M::Parameters>,
    inputs: Vec<Input>,
    given: Vec<bool>,
    reached: f64,
    stop: Option<f64>,
    tolerance: Option<f64>,
    saved: Option<<M::Unit as Unit>::Saved>,
}

/// The saved states of an instance.
pub struct Snapshots<M: Model>(BTreeMap<SnapshotHandle, Box<Snapshot<M>>>);

impl<M: Model> Default for Snapshots<M> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<M: Model> Snapshots<M> {
    /// Keeps a state until it is freed.
    pub fn keep(&mut self, snapshot: Box<Snapshot<M>>) -> SnapshotHandle {
        // The address of the box is free for no other state as long as this one lives.
        let handle = std::ptr::from_ref(&*snapshot).addr();
        self.0.insert(handle, snapshot);
        handle
    }

    /// The state of a handle.
    pub fn get(&self, handle: SnapshotHandle) -> Result<&Snapshot<M>, Refusal> {
        self.0
            .get(&handle)
            .map(|snapshot| &**snapshot)
            .ok_or(Refusal::UnknownState)
    }

    /// Frees a state.
    pub fn free(&mut self, handle: SnapshotHandle) -> Result<(), Refusal> {
        self.0
            .remove(&handle)
            .map(|_| ())
            .ok_or(Refusal::UnknownState)
    }
}

impl<M: Model> SlaveOf<M> {
    pub(super) fn save_state(
        &mut self,
        over: Option<SnapshotHandle>,
        state: State,
    ) -> Result<SnapshotHandle, Refusal> {
        if let Some(handle) = over {
            let snapshot = self.snapshots.0.get_mut(&handle);
            let snapshot = snapshot.ok_or(Refusal::UnknownState)?;
            snapshot.state = state;
            if !Arc::ptr_eq(&snapshot.parameters, &self.parameters) {
                snapshot.parameters = Arc::clone(&self.parameters);
            }
            snapshot.inputs.copy_from_slice(&self.inputs);
            snapshot.given.copy_from_slice(&self.given);
            (snapshot.reached, snapshot.stop) = (self.reached, self.stop);
            snapshot.tolerance = self.tolerance;
            match (&self.unit, &mut snapshot.saved) {
                (Some(unit), Some(saved)) => unit.save_into(saved),
                (unit, saved) => *saved = unit.as_ref().map(|unit| unit.save()),
            }
            return Ok(handle);
        }
        Ok(self.snapshots.keep(Box::new(Snapshot {
            state,
            parameters: Arc::clone(&self.parameters),
            inputs: self.inputs.clone(),
            given: self.given.clone(),
            reached: self.reached,
            stop: self.stop,
            tolerance: self.tolerance,
            saved: self.unit.as_ref().map(|unit| unit.save()),
        })))
    }

    pub(super) fn restore_state(&mut self, handle: SnapshotHandle) -> Result<State, Refusal> {
        let snapshot = self.snapshots.get(handle)?;
        if !Arc::ptr_eq(&snapshot.parameters, &self.parameters) {
            self.parameters = Arc::clone(&snapshot.parameters);
        }
        self.inputs.copy_from_slice(&snapshot.inputs);
        self.given.copy_from_slice(&snapshot.given);
        (self.reached, self.stop) = (snapshot.reached, snapshot.stop);
        self.tolerance = snapshot.tolerance;
        if std::mem::take(&mut self.poisoned) {
            self.unit = None;
        }
        match (&mut self.unit, &snapshot.saved) {
            (Some(unit), Some(saved)) => unit.restore(saved),
            (unit, saved) => {
                *unit = saved.as_ref().map(M::Unit::from_saved);
            }
        }
        self.known.fill(false);
        Ok(snapshot.state)
    }
}

const MAGIC: &[u8; 8] = b"softdock";
const VERSION: u32 = 4;
/// Bytes before the parameters: magic, version, model, state, counts, experiment.
const HEADER: usize = 8 + 4 + 8 + 4 + 4 + 4 + 8 + 8 + 8 + 8 + 8;
/// Numbers of an input: value, derivatives, order, whether it was given.
const INPUT: usize = INPUT_ORDER + 3;

/// FNV-1a: finds what disks and hands do to bytes.
fn check_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn model_digest<M: Model>(model: &M) -> u64 {
    check_sum(guid_of(model).unwrap_or_default().as_bytes())
}

fn parameter_count<M: Model>(model: &M) -> usize {
    let variables = model.variables().iter();
    variables
        .filter(|variable| matches!(variable.role, Role::Parameter(_)))
        .count()
}

impl<M: Model> Snapshot<M> {
    /// The state as bytes.
    pub fn to_bytes(&self, model: &M) -> Result<Vec<u8>, Refusal> {
        let too_long = |_| Refusal::BadBytes {
            problem: "too many numbers",
        };
        let numbers = self.saved.as_ref().map(M::Unit::to_numbers);
        let numbers = numbers.transpose().map_err(Refusal::Snapshot)?;
        let parameters = parameter_count(model);
        let count = numbers.as_ref().map_or(u64::MAX, |list| list.len() as u64);
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(model_digest(model).to_le_bytes());
        bytes.extend((self.state as u32).to_le_bytes());
        bytes.extend(u32::try_from(parameters).map_err(too_long)?.to_le_bytes());
        let inputs = u32::try_from(self.inputs.len()).map_err(too_long)?;
        bytes.extend(inputs.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(self.reached.to_le_bytes());
        bytes.extend(u64::from(self.stop.is_some()).to_le_bytes());
        bytes.extend(self.stop.unwrap_or(0.0).to_le_bytes());
        bytes.extend(self.tolerance.unwrap_or(0.0).to_le_bytes());
        for variable in model.variables() {
            if let Role::Parameter(access) = &variable.role {
                bytes.extend(access.get(&self.parameters).as_number().to_le_bytes());
            }
        }
        for (input, given) in self.inputs.iter().zip(&self.given) {
            bytes.extend(input.value.to_le_bytes());
            for derivative in input.derivatives {
                bytes.extend(derivative.to_le_bytes());
            }
            bytes.extend((input.order as f64).to_le_bytes());
            bytes.extend(f64::from(u8::from(*given)).to_le_bytes());
        }
        for number in numbers.iter().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(check_sum(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// The state whose bytes these are. More bytes than it needs are refused.
    pub fn from_bytes(model: &M, bytes: &[u8]) -> Result<Box<Self>, Refusal> {
        let refuse = |problem| Refusal::BadBytes { problem };
        if bytes.len() < HEADER + 8 || !bytes.starts_with(MAGIC) {
            return Err(refuse("they do not begin like one"));
        }
        let (content, sum) = bytes.split_at(bytes.len() - 8);
        let mut from = Reader(&content[MAGIC.len()..]);
        if from.u32()? != VERSION {
            return Err(refuse("they are of another version of the format"));
        }
        if from.u64()? != model_digest(model) {
            return Err(refuse(
                "they are of another model or of another version of it",
            ));
        }
        if sum != check_sum(content).to_le_bytes() {
            return Err(refuse("their check sum is wrong"));
        }
        let state = from.u32()? as usize;
        let state = *State::ALL
            .get(state)
            .ok_or_else(|| refuse("the state is unknown"))?;
        let (parameters, inputs) = (from.u32()? as usize, from.u32()? as usize);
        if parameters != parameter_count(model) || inputs != input_count(model) {
            return Err(refuse("they have another number of variables"));
        }
        let count = from.u64()?;
        let reached = from.f64()?;
        let has_stop = from.u64()? != 0;
        let stop = Some(from.f64()?).filter(|_| has_stop);
        // Zero stands for none.
        let tolerance = Some(from.f64()?).filter(|tolerance| *tolerance > 0.0);
        let parameters = read_parameters(model, &mut from)?;
        let (inputs, given) = read_inputs(model, &mut from)?;
        let saved = if count == u64::MAX {
            None
        } else {
            if Some(from.0.len()) != usize::try_from(count).ok().and_then(|n| n.checked_mul(8)) {
                return Err(refuse("their length is wrong"));
            }
            let mut numbers = Vec::with_capacity(from.0.len() / 8);
            while !from.0.is_empty() {
                numbers.push(from.f64()?);
            }
            let config = configure::<M>(&parameters, tolerance).map_err(Refusal::Config)?;
            Some(M::Unit::from_numbers(&config, &numbers).map_err(Refusal::Snapshot)?)
        };
        Ok(Box::new(Self {
            state,
            parameters,
            inputs,
            given,
            reached,
            stop,
            tolerance,
            saved,
        }))
    }
}

#[inline(never)]
fn read_parameters<M: Model>(
    model: &M,
    from: &mut Reader<'_>,
) -> Result<Arc<M::Parameters>, Refusal> {
    let mut parameters = model.defaults();
    for variable in model.variables() {
        if let Role::Parameter(access) = &variable.role {
            access.set_number(&mut parameters, from.f64()?);
        }
    }
    Ok(Arc::new(parameters))
}

fn read_inputs<M: Model>(
    model: &M,
    from: &mut Reader<'_>,
) -> Result<(Vec<Input>, Vec<bool>), Refusal> {
    let (mut inputs, mut given) = (Vec::new(), Vec::new());
    for _ in 0..input_count(model) {
        let mut numbers = [0.0; INPUT];
        for number in &mut numbers {
            *number = from.f64()?;
        }
        let mut input = Input {
            value: numbers[0],
            ..Input::default()
        };
        let order = numbers[INPUT_ORDER + 1] as usize;
        for (k, &derivative) in (1..=order).zip(&numbers[1..=INPUT_ORDER]) {
            input.set_derivative(k, derivative);
        }
        inputs.push(input);
        given.push(numbers[INPUT - 1] != 0.0);
    }
    Ok((inputs, given))
}

/// Takes numbers from the front of bytes.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(Refusal::BadBytes {
            problem: "they are too short",
        })?;
        self.0 = rest;
        Ok(*first)
    }

    fn u32(&mut self) -> Result<u32, Refusal> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Refusal> {
        self.take().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, Refusal> {
        self.take().map(f64::from_le_bytes)
    }
}
