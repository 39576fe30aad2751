//! Version, making and freeing, the way through an instance's life.

use crate::abi3::{
    FMI3_FALSE, fmi3Boolean, fmi3Float64, fmi3Instance, fmi3InstanceEnvironment,
    fmi3LogMessageCallback, fmi3Status, fmi3String,
};
use crate::calls::{self, Experiment, Key};
use crate::exports::{text, texts};
use crate::floats::HostFloats;
use crate::guard::{guard, protect};
use crate::lifecycle::{Function3, State};
use crate::logger::{Listener, Logger};
use crate::model::{PackagedModel, token_of};
use std::ptr::null_mut;

/// Gives the version of the standard: `3.0`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> fmi3String {
    c"3.0".as_ptr()
}

/// Switches categories of messages; all of them if none is named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: fmi3Instance,
    on: fmi3Boolean,
    count: usize,
    categories: *const fmi3String,
) -> fmi3Status {
    // SAFETY: an instance and an array of texts of the caller.
    unsafe {
        guard(instance, Function3::SetDebugLogging, |instance| {
            instance.switch_logging(on != FMI3_FALSE, &texts(categories, count)?)
        })
    }
}

/// What [`crate::export_models`] makes `fmi3InstantiateCoSimulation` of.
///
/// # Safety
///
/// As for that function.
pub unsafe fn instantiate(
    models: &[&'static PackagedModel],
    name: fmi3String,
    token: fmi3String,
    resources: fmi3String,
    logging: fmi3Boolean,
    environment: fmi3InstanceEnvironment,
    log: fmi3LogMessageCallback,
) -> fmi3Instance {
    let host_floats = HostFloats::new();
    let _floats = host_floats.put_aside();
    let made = protect(|| {
        // SAFETY: texts of the caller.
        let (name, token, resources) = unsafe { (text(name), text(token), text(resources)) };
        let name = name.filter(|name| !name.is_empty());
        let shown = name.as_deref().unwrap_or("model");
        let listener = Listener::Fmi3(log, environment);
        let logger = Logger::new(listener, shown, logging != FMI3_FALSE, host_floats);
        let function = "fmi3InstantiateCoSimulation";
        let key = Key {
            of_kind: PackagedModel::token,
            of_model: token_of,
        };
        let wanted = (token.as_deref(), key);
        let resources = resources.as_deref();
        Ok(calls::instantiate(
            function, models, logger, wanted, resources,
        ))
    });
    made.unwrap_or(null_mut())
}

/// Frees an instance and everything it holds, saved states included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: fmi3Instance) {
    // SAFETY: an instance of the caller, which does not use it afterwards.
    unsafe { calls::free(instance) }
}

/// Takes over start, stop and tolerance, and begins initialisation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    instance: fmi3Instance,
    tolerance_defined: fmi3Boolean,
    tolerance: fmi3Float64,
    start: fmi3Float64,
    stop_defined: fmi3Boolean,
    stop: fmi3Float64,
) -> fmi3Status {
    let experiment = Experiment {
        start,
        stop: (stop_defined != FMI3_FALSE).then_some(stop),
        tolerance: (tolerance_defined != FMI3_FALSE).then_some(tolerance),
    };
    // SAFETY: an instance of the caller.
    unsafe {
        guard(instance, Function3::EnterInitializationMode, |instance| {
            instance.set_experiment(experiment)?;
            instance.state = State::Initialization;
            Ok(())
        })
    }
}

/// Brings the model to its start and is ready for steps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(instance, Function3::ExitInitializationMode, |instance| {
            instance.start()
        })
    }
}

/// Nothing to configure: there are no structural parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterConfigurationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe { guard(instance, Function3::EnterConfigurationMode, |_| Ok(())) }
}

/// Nothing was configured.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitConfigurationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe { guard(instance, Function3::ExitConfigurationMode, |_| Ok(())) }
}

/// Ends the simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(instance, Function3::Terminate, |instance| {
            instance.terminate();
            Ok(())
        })
    }
}

/// Back to the state after instantiation, start values included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(instance, Function3::Reset, |instance| {
            instance.reset();
            Ok(())
        })
    }
}
