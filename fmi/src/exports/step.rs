//! Steps, derivatives, and questions about the last step.

use super::{place, slice, slice_mut};
use crate::abi::{
    FMI2_FALSE, FMI2_LAST_SUCCESSFUL_TIME, FMI2_TERMINATED, fmi2Boolean, fmi2Component,
    fmi2Integer, fmi2Real, fmi2Status, fmi2StatusKind, fmi2String, fmi2ValueReference,
};
use crate::guard::guard;
use crate::lifecycle::Function;
use crate::refusal::Refusal;

const VALUE: &str = "the place for the value";

/// Derivatives of outputs along a direction of inputs, over the last step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    component: fmi2Component,
    unknowns: *const fmi2ValueReference,
    unknown_count: usize,
    knowns: *const fmi2ValueReference,
    known_count: usize,
    seed: *const fmi2Real,
    sensitivity: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetDirectionalDerivative, |instance| {
            let unknowns = slice(unknowns, unknown_count, "the array of unknowns")?;
            let knowns = slice(knowns, known_count, "the array of knowns")?;
            let seed = slice(seed, known_count, "the direction of the knowns")?;
            let out = slice_mut(sensitivity, unknown_count, "the array of derivatives")?;
            instance
                .slave
                .directional_derivatives(unknowns, knowns, seed, out)
        })
    }
}

/// Sets derivatives of inputs by time, for the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetRealInputDerivatives(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    orders: *const fmi2Integer,
    values: *const fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::SetRealInputDerivatives, |instance| {
            let references = slice(references, count, "the array of value references")?;
            let orders = slice(orders, count, "the array of orders")?;
            let values = slice(values, count, "the array of values")?;
            instance
                .slave
                .set_input_derivatives(references, orders, values)
        })
    }
}

/// Reads derivatives of outputs by time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealOutputDerivatives(
    component: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    orders: *const fmi2Integer,
    values: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(component, Function::GetRealOutputDerivatives, |instance| {
            let references = slice(references, count, "the array of value references")?;
            let orders = slice(orders, count, "the array of orders")?;
            let values = slice_mut(values, count, "the array of values")?;
            instance
                .slave
                .output_derivatives(references, orders, values)
        })
    }
}

/// Makes a step. On `fmi2Discard` the model is where it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(
    component: fmi2Component,
    time: fmi2Real,
    length: fmi2Real,
    _no_set_state_prior: fmi2Boolean,
) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::DoStep, |instance| {
            instance.step(time, length)
        })
    }
}

/// Cancels a step in the background, of which there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CancelStep(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe { guard(component, Function::CancelStep, |_| Ok(())) }
}

/// Asks for the status of a step in the background, of which there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStatus(
    component: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2Status,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetStatus, |_| {
            place(value, VALUE)?;
            Err(Refusal::NoStatus { kind })
        })
    }
}

/// Asks for the end of the last step that was completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(
    component: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetRealStatus, |instance| {
            let value = place(value, VALUE)?;
            if kind != FMI2_LAST_SUCCESSFUL_TIME {
                return Err(Refusal::NoStatus { kind });
            }
            *value = instance.slave.time();
            Ok(())
        })
    }
}

/// Asks for an integer; there is none to be had.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetIntegerStatus(
    component: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2Integer,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetIntegerStatus, |_| {
            place(value, VALUE)?;
            Err(Refusal::NoStatus { kind })
        })
    }
}

/// Asks whether the slave wants to end the simulation: it never does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(
    component: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2Boolean,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetBooleanStatus, |_| {
            let value = place(value, VALUE)?;
            if kind != FMI2_TERMINATED {
                return Err(Refusal::NoStatus { kind });
            }
            *value = FMI2_FALSE;
            Ok(())
        })
    }
}

/// Asks for a text on a step in the background, of which there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStringStatus(
    component: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2String,
) -> fmi2Status {
    // SAFETY: an instance and a place of the caller.
    unsafe {
        guard(component, Function::GetStringStatus, |_| {
            place(value, VALUE)?;
            Err(Refusal::NoStatus { kind })
        })
    }
}
