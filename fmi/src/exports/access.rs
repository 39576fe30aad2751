//! Reading and setting variables.

use super::{slice, slice_mut};
use crate::abi::{
    fmi2Boolean, fmi2Component, fmi2Integer, fmi2Real, fmi2Status, fmi2String, fmi2ValueReference,
};
use crate::guard::guard;
use crate::lifecycle::Function;

const REFERENCES: &str = "the array of value references";
const VALUES: &str = "the array of values";

/// Reads reals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetReal, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, count, VALUES)?;
            instance.slave.get_reals(references, values)
        })
    }
}

/// Reads integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetInteger(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *mut fmi2Integer,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetInteger, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, count, VALUES)?;
            instance.slave.get_integers(references, values)
        })
    }
}

/// Reads truth values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBoolean(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *mut fmi2Boolean,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetBoolean, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, count, VALUES)?;
            instance.slave.get_booleans(references, values)
        })
    }
}

/// Reads texts, of which there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetString(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *mut fmi2String,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetString, |instance| {
            let references = slice(references, count, REFERENCES)?;
            slice_mut(values, count, VALUES)?;
            instance.slave.refuse_type(references, "a String")
        })
    }
}

/// Sets reals: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *const fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::SetReal, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, count, VALUES)?;
            let state = instance.state;
            instance.slave.set_reals(state, references, values)
        })
    }
}

/// Sets integers: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetInteger(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *const fmi2Integer,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::SetInteger, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, count, VALUES)?;
            let state = instance.state;
            instance.slave.set_integers(state, references, values)
        })
    }
}

/// Sets truth values: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetBoolean(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *const fmi2Boolean,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::SetBoolean, |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, count, VALUES)?;
            let state = instance.state;
            instance.slave.set_booleans(state, references, values)
        })
    }
}

/// Sets texts, of which there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetString(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *const fmi2String,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::SetString, |instance| {
            let references = slice(references, count, REFERENCES)?;
            slice(values, count, VALUES)?;
            instance.slave.refuse_type(references, "a String")
        })
    }
}
