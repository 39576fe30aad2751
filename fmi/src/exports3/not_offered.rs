//! Functions of parts of FMI 3.0 that the models do not offer: model exchange, scheduled execution,
//! clocks, events, dependencies of single elements. Importers refuse a library that lacks one.

use super::Named;
use crate::abi3::{
    fmi3Boolean, fmi3Instance, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3Status,
    fmi3String,
};
use crate::guard::guard;
use crate::lifecycle::Function3::NotOffered;
use crate::refusal::Refusal;
use core::ffi::c_void;
use std::ptr::null_mut;

/// Makes no instance: only co-simulation is offered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: fmi3String,
    _token: fmi3String,
    _resources: fmi3String,
    _visible: fmi3Boolean,
    _logging: fmi3Boolean,
    _environment: fmi3InstanceEnvironment,
    _log: fmi3LogMessageCallback,
) -> fmi3Instance {
    null_mut()
}

/// Makes no instance: only co-simulation is offered.
#[unsafe(no_mangle)]
#[allow(
    clippy::too_many_arguments,
    reason = "the arguments are those of the standard"
)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: fmi3String,
    _token: fmi3String,
    _resources: fmi3String,
    _visible: fmi3Boolean,
    _logging: fmi3Boolean,
    _environment: fmi3InstanceEnvironment,
    _log: fmi3LogMessageCallback,
    _clock_update: *mut c_void,
    _lock_preemption: *mut c_void,
    _unlock_preemption: *mut c_void,
) -> fmi3Instance {
    null_mut()
}

/// Exports functions that say that they are not offered.
macro_rules! not_offered {
    ($($name:ident($($argument:ident: $type:ty),*);)+) => {$(
        /// Is not offered.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(instance: fmi3Instance $(, $argument: $type)*) -> fmi3Status {
            let refuse = |_: &mut _| Err(Refusal::NotOffered);
            // SAFETY: an instance of the caller.
            unsafe { guard(instance, Named(stringify!($name), NotOffered), refuse) }
        }
    )+};
}

not_offered! {
    fmi3EnterEventMode();
    fmi3EnterStepMode();
    fmi3GetIntervalDecimal(
        _references: *const u32,
        _count: usize,
        _intervals: *mut f64,
        _qualifiers: *mut i32
    );
    fmi3GetIntervalFraction(
        _references: *const u32,
        _count: usize,
        _counters: *mut u64,
        _resolutions: *mut u64,
        _qualifiers: *mut i32
    );
    fmi3GetShiftDecimal(_references: *const u32, _count: usize, _shifts: *mut f64);
    fmi3GetShiftFraction(
        _references: *const u32,
        _count: usize,
        _counters: *mut u64,
        _resolutions: *mut u64
    );
    fmi3SetIntervalDecimal(_references: *const u32, _count: usize, _intervals: *const f64);
    fmi3SetIntervalFraction(
        _references: *const u32,
        _count: usize,
        _counters: *const u64,
        _resolutions: *const u64
    );
    fmi3SetShiftDecimal(_references: *const u32, _count: usize, _shifts: *const f64);
    fmi3SetShiftFraction(
        _references: *const u32,
        _count: usize,
        _counters: *const u64,
        _resolutions: *const u64
    );
    fmi3EvaluateDiscreteStates();
    fmi3UpdateDiscreteStates(
        _discrete: *mut u8,
        _terminate: *mut u8,
        _nominals: *mut u8,
        _values: *mut u8,
        _next_defined: *mut u8,
        _next: *mut f64
    );
    fmi3EnterContinuousTimeMode();
    fmi3CompletedIntegratorStep(_no_set_state_prior: u8, _event_mode: *mut u8, _terminate: *mut u8);
    fmi3SetTime(_time: f64);
    fmi3SetContinuousStates(_states: *const f64, _count: usize);
    fmi3GetContinuousStateDerivatives(_derivatives: *mut f64, _count: usize);
    fmi3GetEventIndicators(_indicators: *mut f64, _count: usize);
    fmi3GetContinuousStates(_states: *mut f64, _count: usize);
    fmi3GetNominalsOfContinuousStates(_nominals: *mut f64, _count: usize);
    fmi3GetNumberOfEventIndicators(_count: *mut usize);
    fmi3GetNumberOfContinuousStates(_count: *mut usize);
    fmi3ActivateModelPartition(_clock: u32, _time: f64);
    fmi3GetNumberOfVariableDependencies(_reference: u32, _count: *mut usize);
    fmi3GetVariableDependencies(
        _dependent: u32,
        _dependent_elements: *mut usize,
        _independents: *mut u32,
        _independent_elements: *mut usize,
        _kinds: *mut i32,
        _count: usize
    );
}
