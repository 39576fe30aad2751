//! Saving and restoring.

use crate::abi::{fmi2Byte, fmi2Component, fmi2FMUstate, fmi2Status};
use crate::guard::guard;
use crate::lifecycle::Function;

/// Saves the state, over the one that is given if it is not NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(
    component: fmi2Component,
    state: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetFmuState, |instance| {
            instance.save(state)
        })
    }
}

/// Restores a state of this instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(
    component: fmi2Component,
    state: fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::SetFmuState, |instance| {
            instance.restore(state)
        })
    }
}

/// Frees a state and sets the pointer to NULL; NULL is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(
    component: fmi2Component,
    state: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::FreeFmuState, |instance| {
            instance.free_state(state)
        })
    }
}

/// Gives the bytes that a state needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    component: fmi2Component,
    state: fmi2FMUstate,
    size: *mut usize,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::SerializedFmuStateSize, |instance| {
            instance.serialized_size(state, size)
        })
    }
}

/// Writes a state as bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    component: fmi2Component,
    state: fmi2FMUstate,
    bytes: *mut fmi2Byte,
    size: usize,
) -> fmi2Status {
    // SAFETY: an instance and an array of the caller.
    unsafe {
        guard(component, Function::SerializeFmuState, |instance| {
            instance.serialize(state, bytes.cast(), size)
        })
    }
}

/// Makes a state of bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    component: fmi2Component,
    bytes: *const fmi2Byte,
    size: usize,
    state: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: an instance, an array and a place of the caller.
    unsafe {
        guard(component, Function::DeSerializeFmuState, |instance| {
            instance.deserialize(bytes.cast(), size, state)
        })
    }
}
