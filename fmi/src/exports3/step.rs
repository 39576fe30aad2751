//! Steps and derivatives.

use super::access::elements;
use crate::abi3::{
    FMI3_FALSE, fmi3Boolean, fmi3Float64, fmi3Instance, fmi3Int32, fmi3Status, fmi3ValueReference,
};
use crate::exports::{place, slice, slice_mut};
use crate::guard::guard;
use crate::lifecycle::Function3;

const VALUE: &str = "the place for the value";

/// Makes a step as a whole: it never returns early and never asks for events. On `fmi3Discard` the
/// model is where it was, as the last successful time tells.
#[unsafe(no_mangle)]
#[allow(
    clippy::too_many_arguments,
    reason = "the arguments are those of the standard"
)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: fmi3Instance,
    time: fmi3Float64,
    length: fmi3Float64,
    _no_set_state_prior: fmi3Boolean,
    event_handling_needed: *mut fmi3Boolean,
    terminate: *mut fmi3Boolean,
    early_return: *mut fmi3Boolean,
    last_successful_time: *mut fmi3Float64,
) -> fmi3Status {
    // SAFETY: an instance and places of the caller.
    unsafe {
        guard(instance, Function3::DoStep, |instance| {
            for answer in [event_handling_needed, terminate, early_return] {
                *place(answer, VALUE)? = FMI3_FALSE;
            }
            let reached = place(last_successful_time, VALUE)?;
            *reached = instance.slave.time();
            instance.step(time, length)?;
            *reached = instance.slave.time();
            Ok(())
        })
    }
}

/// Reads derivatives of outputs by time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetOutputDerivatives(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    orders: *const fmi3Int32,
    values: *mut fmi3Float64,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Function3::GetOutputDerivatives, |instance| {
            let references = slice(references, count, "the array of value references")?;
            let orders = slice(orders, count, "the array of orders")?;
            let values = slice_mut(values, value_count, "the array of values")?;
            let all = elements(instance, references, value_count)?;
            let mut each = Vec::with_capacity(all.len());
            for (&reference, &order) in references.iter().zip(orders) {
                let length = instance.slave.span(reference)?;
                each.extend((0..length).map(|_| order));
            }
            instance.slave.output_derivatives(&all, &each, values)
        })
    }
}

/// Derivatives of outputs along a direction of inputs, over the last step.
#[unsafe(no_mangle)]
#[allow(
    clippy::too_many_arguments,
    reason = "the arguments are those of the standard"
)]
pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
    instance: fmi3Instance,
    unknowns: *const fmi3ValueReference,
    unknown_count: usize,
    knowns: *const fmi3ValueReference,
    known_count: usize,
    seed: *const fmi3Float64,
    seed_count: usize,
    sensitivity: *mut fmi3Float64,
    sensitivity_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Function3::GetDirectionalDerivative, |instance| {
            let unknowns = slice(unknowns, unknown_count, "the array of unknowns")?;
            let knowns = slice(knowns, known_count, "the array of knowns")?;
            let seed = slice(seed, seed_count, "the direction of the knowns")?;
            let out = slice_mut(sensitivity, sensitivity_count, "the array of derivatives")?;
            let unknowns = elements(instance, unknowns, sensitivity_count)?;
            let knowns = elements(instance, knowns, seed_count)?;
            let slave = &mut instance.slave;
            slave.directional_derivatives(&unknowns, &knowns, seed, out)
        })
    }
}

/// Derivatives of a weighted sum of outputs by inputs, over the last step.
#[unsafe(no_mangle)]
#[allow(
    clippy::too_many_arguments,
    reason = "the arguments are those of the standard"
)]
pub unsafe extern "C" fn fmi3GetAdjointDerivative(
    instance: fmi3Instance,
    unknowns: *const fmi3ValueReference,
    unknown_count: usize,
    knowns: *const fmi3ValueReference,
    known_count: usize,
    seed: *const fmi3Float64,
    seed_count: usize,
    sensitivity: *mut fmi3Float64,
    sensitivity_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Function3::GetAdjointDerivative, |instance| {
            let unknowns = slice(unknowns, unknown_count, "the array of unknowns")?;
            let knowns = slice(knowns, known_count, "the array of knowns")?;
            let seed = slice(seed, seed_count, "the weights of the unknowns")?;
            let out = slice_mut(sensitivity, sensitivity_count, "the array of derivatives")?;
            let unknowns = elements(instance, unknowns, seed_count)?;
            let knowns = elements(instance, knowns, sensitivity_count)?;
            let mut column = vec![0.0; unknowns.len()];
            for (&known, out) in knowns.iter().zip(out) {
                // One column of the Jacobian at a time, weighted by the seed.
                instance
                    .slave
                    .directional_derivatives(&unknowns, &[known], &[1.0], &mut column)?;
                *out = column.iter().zip(seed).map(|(c, weight)| c * weight).sum();
            }
            Ok(())
        })
    }
}
