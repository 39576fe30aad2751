//! Saving and restoring.

use super::{place, slice, slice_mut};
use crate::abi::{fmi2Byte, fmi2Component, fmi2FMUstate, fmi2Status};
use crate::guard::guard;
use crate::lifecycle::Function;
use crate::refusal::Refusal;
use std::ptr::{null_mut, without_provenance_mut};

const STATE: &str = "the place for the state";

/// Saves the state, over the one that is given if it is not NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(
    component: fmi2Component,
    state: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetFmuState, |instance| {
            let state = place(state, STATE)?;
            let over = (!state.is_null()).then(|| state.addr());
            let handle = instance.slave.save(over, instance.state)?;
            *state = without_provenance_mut(handle);
            Ok(())
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
            instance.state = instance.slave.restore(state.addr())?;
            Ok(())
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
            if state.is_null() {
                return Ok(());
            }
            let state = place(state, STATE)?;
            if !state.is_null() {
                instance.slave.free(state.addr())?;
                *state = null_mut();
            }
            Ok(())
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
            *place(size, "the place for the size")? = instance.slave.serialize(state.addr())?.len();
            Ok(())
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
            let content = instance.slave.serialize(state.addr())?;
            let out = slice_mut(bytes.cast::<u8>(), size, "the array of bytes")?;
            let (needed, found) = (content.len(), out.len());
            let out = out
                .get_mut(..needed)
                .ok_or(Refusal::SmallBuffer { found, needed })?;
            out.copy_from_slice(&content);
            Ok(())
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
            let state = place(state, STATE)?;
            let bytes = slice(bytes.cast::<u8>(), size, "the array of bytes")?;
            *state = without_provenance_mut(instance.slave.deserialize(bytes)?);
            Ok(())
        })
    }
}
