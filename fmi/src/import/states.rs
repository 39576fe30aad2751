//! Saving and restoring an instance.

use super::archive::Interface;
use super::watch::calling;
use super::{FmuInstance, ImportError, SavedState};
use crate::abi::{fmi2FMUstate, types};
use std::ptr::null_mut;

/// Functions for states with their names; they have the same types in both versions, but for the sign
/// of bytes.
struct StateFunctions {
    get: (&'static str, Option<types::fmi2GetFMUstate>),
    set: (&'static str, Option<types::fmi2SetFMUstate>),
    free: (&'static str, Option<types::fmi2FreeFMUstate>),
    size: (&'static str, Option<types::fmi2SerializedFMUstateSize>),
}

impl FmuInstance {
    fn state_functions(&self) -> StateFunctions {
        match self.interface() {
            Interface::Two(it) => StateFunctions {
                get: ("fmi2GetFMUstate", it.fmi2GetFMUstate),
                set: ("fmi2SetFMUstate", it.fmi2SetFMUstate),
                free: ("fmi2FreeFMUstate", it.fmi2FreeFMUstate),
                size: ("fmi2SerializedFMUstateSize", it.fmi2SerializedFMUstateSize),
            },
            Interface::Three(it) => StateFunctions {
                get: ("fmi3GetFMUState", it.fmi3GetFMUState),
                set: ("fmi3SetFMUState", it.fmi3SetFMUState),
                free: ("fmi3FreeFMUState", it.fmi3FreeFMUState),
                size: ("fmi3SerializedFMUStateSize", it.fmi3SerializedFMUStateSize),
            },
        }
    }

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
        let (name, function) = self.state_functions().get;
        let function = self.optional(name, function)?;
        // SAFETY: the place is there and holds NULL or a state of this instance.
        let status = calling(name, || unsafe { function(self.component, state) });
        self.check(name, status)
    }

    /// Goes back to a saved state.
    pub fn restore(&mut self, saved: SavedState) -> Result<(), ImportError> {
        let (name, function) = self.state_functions().set;
        let state = self.state(saved)?;
        let function = self.optional(name, function)?;
        // SAFETY: a state of this instance that has not been freed.
        let status = calling(name, || unsafe { function(self.component, state) });
        self.check(name, status)
    }

    /// Frees a saved state.
    pub fn free(&mut self, saved: SavedState) -> Result<(), ImportError> {
        let (name, function) = self.state_functions().free;
        let mut state = self.state(saved)?;
        let function = self.optional(name, function)?;
        self.states[saved.slot] = null_mut();
        // SAFETY: a state of this instance that has not been freed.
        let status = calling(name, || unsafe { function(self.component, &mut state) });
        self.check(name, status)
    }

    /// A saved state as bytes.
    pub fn serialize(&mut self, saved: SavedState) -> Result<Vec<u8>, ImportError> {
        let state = self.state(saved)?;
        let (name, function) = self.state_functions().size;
        let function = self.optional(name, function)?;
        let mut size = 0;
        // SAFETY: a state of this instance; the place is there.
        let status = calling(name, || unsafe {
            function(self.component, state, &mut size)
        });
        self.check(name, status)?;
        let mut bytes = vec![0_u8; size];
        let (name, status) = match self.interface() {
            Interface::Two(functions) => {
                let name = "fmi2SerializeFMUstate";
                let function = self.optional(name, functions.fmi2SerializeFMUstate)?;
                // SAFETY: a state of this instance; the array has this length.
                let status = calling(name, || unsafe {
                    function(self.component, state, bytes.as_mut_ptr().cast(), size)
                });
                (name, status)
            }
            Interface::Three(functions) => {
                let name = "fmi3SerializeFMUState";
                let function = self.optional(name, functions.fmi3SerializeFMUState)?;
                // SAFETY: a state of this instance; the array has this length.
                let status = calling(name, || unsafe {
                    function(self.component, state, bytes.as_mut_ptr(), size)
                });
                (name, status)
            }
        };
        self.check(name, status)?;
        Ok(bytes)
    }

    /// Bytes as a saved state of this instance.
    pub fn deserialize(&mut self, bytes: &[u8]) -> Result<SavedState, ImportError> {
        let (pointer, size) = (bytes.as_ptr(), bytes.len());
        let mut state = null_mut();
        let (name, status) = match self.interface() {
            Interface::Two(functions) => {
                let name = "fmi2DeSerializeFMUstate";
                let function = self.optional(name, functions.fmi2DeSerializeFMUstate)?;
                // SAFETY: the array has this length; the place is there.
                let status = calling(name, || unsafe {
                    function(self.component, pointer.cast(), size, &mut state)
                });
                (name, status)
            }
            Interface::Three(functions) => {
                let name = "fmi3DeserializeFMUState";
                let function = self.optional(name, functions.fmi3DeserializeFMUState)?;
                // SAFETY: the array has this length; the place is there.
                let status = calling(name, || unsafe {
                    function(self.component, pointer, size, &mut state)
                });
                (name, status)
            }
        };
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
