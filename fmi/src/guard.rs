//! What every exported function passes: null check, allowed in this state, the host's
//! floating-point environment put aside, no panic to the outside, a message and a status.

use crate::abi::{FMI2_ERROR, FMI2_OK, FMI2_WARNING, fmi2Component, fmi2Status};
use crate::instance::{Component, Instance};
use crate::lifecycle::{Callable, State};
use crate::logger::Category;
use crate::refusal::Refusal;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls `body` with the instance if all is well. An error takes the instance to its error state.
///
/// # Safety
///
/// `component` is NULL, or an instance of this library that has not been freed.
pub unsafe fn guard(
    component: fmi2Component,
    function: impl Callable,
    body: impl FnOnce(&mut Instance) -> Result<(), Refusal>,
) -> fmi2Status {
    // SAFETY: as promised by the caller.
    let Ok(mut in_use) = (unsafe { Component::lock(component) }) else {
        return FMI2_ERROR;
    };
    let instance = in_use.instance();
    // Dropped before `in_use`: another thread gets the instance after this one is done with it.
    let _floats = instance.logger.host_floats().put_aside();
    let done = protect(|| {
        let (state, allowed) = (instance.state, function.allowed());
        if !allowed.contains(&state) {
            return Err(Refusal::WrongState { state, allowed });
        }
        body(instance)
    });
    match done {
        Ok(()) => FMI2_OK,
        Err(refusal) => report(instance, function.name(), &refusal),
    }
}

/// Turns a panic into a refusal.
///
/// Never inlined: to the compiler arithmetic does not depend on the floating-point environment,
/// and it might do some of the body's before the environment is set.
#[inline(never)]
pub fn protect<T>(body: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    // Whatever the body leaves behind is marked as not to be trusted.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let message = panic_message(&*payload);
        // Dropping the payload runs foreign code no more than once.
        std::mem::forget(payload);
        Err(Refusal::Panicked { message })
    })
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic".to_owned())
}

#[inline(never)]
fn report(instance: &mut Instance, function: &'static str, refusal: &Refusal) -> fmi2Status {
    let status = refusal.status();
    if matches!(refusal, Refusal::Panicked { .. }) {
        instance.slave.poison();
    }
    if matches!(refusal, Refusal::StepFailed { .. }) {
        instance.state = State::StepFailed;
    }
    if status == FMI2_ERROR {
        instance.state = State::Error;
    }
    let category = if status == FMI2_WARNING {
        Category::Warning
    } else {
        Category::Error
    };
    let message = format!("{function}: {refusal}");
    instance.logger.say(category, status, &message);
    status
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::floats::HostFloats;
    use crate::integrator::Integrator;
    use crate::lifecycle::Function;
    use crate::logger::{Listener, Logger};
    use std::sync::Arc;

    #[test]
    fn a_panic_becomes_an_error_and_the_instance_can_be_reset() {
        let component = Component::create(
            Arc::new(Integrator),
            Logger::new(Listener::Fmi2(None), "x", false, HostFloats::new()),
        );
        // SAFETY: made above, freed below.
        unsafe {
            let status = guard(component, Function::Reset, |_| panic!("{} on purpose", 1));
            assert_eq!(status, FMI2_ERROR);
            let status = guard(component, Function::Reset, |instance| {
                assert_eq!(instance.state, State::Error);
                Ok(())
            });
            assert_eq!(status, FMI2_OK);
            Component::destroy(component);
        }
    }

    #[test]
    fn a_call_from_within_a_call_is_refused() {
        let component = Component::create(
            Arc::new(Integrator),
            Logger::new(Listener::Fmi2(None), "x", false, HostFloats::new()),
        );
        // SAFETY: made above, freed below.
        unsafe {
            let status = guard(component, Function::Reset, |_| {
                let inner = guard(component, Function::Reset, |_| Ok(()));
                assert_eq!(inner, FMI2_ERROR);
                Ok(())
            });
            assert_eq!(status, FMI2_OK);
            Component::destroy(component);
        }
    }
}
