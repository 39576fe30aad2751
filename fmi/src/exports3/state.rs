//! Saving and restoring.

use crate::abi3::{fmi3Byte, fmi3FMUState, fmi3Instance, fmi3Status};
use crate::guard::guard;
use crate::lifecycle::Function3;

/// Saves the state, over the one that is given if it is not NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFMUState(
    instance: fmi3Instance,
    state: *mut fmi3FMUState,
) -> fmi3Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(instance, Function3::GetFmuState, |instance| {
            instance.save(state)
        })
    }
}

/// Restores a state of this instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFMUState(
    instance: fmi3Instance,
    state: fmi3FMUState,
) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(instance, Function3::SetFmuState, |instance| {
            instance.restore(state)
        })
    }
}

/// Frees a state and sets the pointer to NULL; NULL is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeFMUState(
    instance: fmi3Instance,
    state: *mut fmi3FMUState,
) -> fmi3Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(instance, Function3::FreeFmuState, |instance| {
            instance.free_state(state)
        })
    }
}

/// Gives the bytes that a state needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
    instance: fmi3Instance,
    state: fmi3FMUState,
    size: *mut usize,
) -> fmi3Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(instance, Function3::SerializedFmuStateSize, |instance| {
            instance.serialized_size(state, size)
        })
    }
}

/// Writes a state as bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializeFMUState(
    instance: fmi3Instance,
    state: fmi3FMUState,
    bytes: *mut fmi3Byte,
    size: usize,
) -> fmi3Status {
    // SAFETY: an instance and an array of the caller.
    unsafe {
        guard(instance, Function3::SerializeFmuState, |instance| {
            instance.serialize(state, bytes, size)
        })
    }
}

/// Makes a state of bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DeserializeFMUState(
    instance: fmi3Instance,
    bytes: *const fmi3Byte,
    size: usize,
    state: *mut fmi3FMUState,
) -> fmi3Status {
    // SAFETY: an instance, an array and a place of the caller.
    unsafe {
        guard(instance, Function3::DeserializeFmuState, |instance| {
            instance.deserialize(bytes, size, state)
        })
    }
}
