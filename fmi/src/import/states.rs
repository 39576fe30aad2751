//! Saving and restoring an instance.

use super::watch::calling;
use super::{FmuInstance, ImportError, SavedState};
use crate::abi::fmi2FMUstate;
use std::ptr::null_mut;

impl FmuInstance {
    /// Saves the state.
    pub fn save(&mut self) -> Result<SavedState, ImportError> {
        let mut state = null_mut();
        self.get_state(&mut state)?;
        Ok(self.keep(state))
    }

    /// Saves the state over an earlier one, which costs less than a new one.
    pub fn save_over(&mut self, saved: SavedState) -> Result<(), ImportError> {
        let mut state = self.state(saved)?;
        let done = self.get_state(&mut state);
        self.states[saved.slot] = state;
        done
    }

    fn get_state(&mut self, state: &mut fmi2FMUstate) -> Result<(), ImportError> {
        let name = "fmi2GetFMUstate";
        let function = self.optional(name, self.functions().fmi2GetFMUstate)?;
        // SAFETY: the place is there and holds NULL or a state of this instance.
        let status = calling(name, || unsafe { function(self.component, state) });
        self.check(name, status)
    }

    /// Goes back to a saved state.
    pub fn restore(&mut self, saved: SavedState) -> Result<(), ImportError> {
        let name = "fmi2SetFMUstate";
        let state = self.state(saved)?;
        let function = self.optional(name, self.functions().fmi2SetFMUstate)?;
        // SAFETY: a state of this instance that has not been freed.
        let status = calling(name, || unsafe { function(self.component, state) });
        self.check(name, status)
    }

    /// Frees a saved state.
    pub fn free(&mut self, saved: SavedState) -> Result<(), ImportError> {
        let name = "fmi2FreeFMUstate";
        let mut state = self.state(saved)?;
        let function = self.optional(name, self.functions().fmi2FreeFMUstate)?;
        self.states[saved.slot] = null_mut();
        // SAFETY: a state of this instance that has not been freed.
        let status = calling(name, || unsafe { function(self.component, &mut state) });
        self.check(name, status)
    }

    /// A saved state as bytes.
    pub fn serialize(&mut self, saved: SavedState) -> Result<Vec<u8>, ImportError> {
        let state = self.state(saved)?;
        let name = "fmi2SerializedFMUstateSize";
        let function = self.optional(name, self.functions().fmi2SerializedFMUstateSize)?;
        let mut size = 0;
        // SAFETY: a state of this instance; the place is there.
        let status = calling(name, || unsafe {
            function(self.component, state, &mut size)
        });
        self.check(name, status)?;
        let mut bytes = vec![0_u8; size];
        let name = "fmi2SerializeFMUstate";
        let function = self.optional(name, self.functions().fmi2SerializeFMUstate)?;
        // SAFETY: a state of this instance; the array has this length.
        let status = calling(name, || unsafe {
            function(self.component, state, bytes.as_mut_ptr().cast(), size)
        });
        self.check(name, status)?;
        Ok(bytes)
    }

    /// Bytes as a saved state of this instance.
    pub fn deserialize(&mut self, bytes: &[u8]) -> Result<SavedState, ImportError> {
        let name = "fmi2DeSerializeFMUstate";
        let function = self.optional(name, self.functions().fmi2DeSerializeFMUstate)?;
        let mut state = null_mut();
        let (pointer, size) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: the array has this length; the place is there.
        let status = calling(name, || unsafe {
            function(self.component, pointer, size, &mut state)
        });
        self.check(name, status)?;
        Ok(self.keep(state))
    }

    fn keep(&mut self, state: fmi2FMUstate) -> SavedState {
        let slot = match self.states.iter().position(|state| state.is_null()) {
            Some(slot) => slot,
            None => {
                self.states.push(null_mut());
                self.states.len() - 1
            }
        };
        self.states[slot] = state;
        SavedState {
            instance: self.number,
            slot,
        }
    }

    fn state(&self, saved: SavedState) -> Result<fmi2FMUstate, ImportError> {
        let own = saved.instance == self.number;
        let state = self.states.get(saved.slot).copied();
        state
            .filter(|state| own && !state.is_null())
            .ok_or_else(|| ImportError::ForeignState {
                instance: self.name.clone(),
            })
    }
}
