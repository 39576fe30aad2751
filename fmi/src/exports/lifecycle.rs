//! Versions, making and freeing, the way through an instance's life.

use super::{text, texts};
use crate::abi::{
    FMI2_CO_SIMULATION, FMI2_ERROR, FMI2_FALSE, fmi2Boolean, fmi2CallbackFunctions, fmi2Component,
    fmi2Real, fmi2Status, fmi2String, fmi2Type,
};
use crate::calls::{self, Experiment, Key};
use crate::floats::HostFloats;
use crate::guard::{guard, protect};
use crate::instance::Instance;
use crate::lifecycle::{Function, State};
use crate::logger::{Category, Listener, Logger};
use crate::model::{PackagedModel, guid_of};
use std::ptr::null_mut;

/// Gives the platform of the types: `default`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> fmi2String {
    c"default".as_ptr()
}

/// Gives the version of the standard: `2.0`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> fmi2String {
    c"2.0".as_ptr()
}

/// Switches categories of messages; all of them if none is named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    component: fmi2Component,
    on: fmi2Boolean,
    count: usize,
    categories: *const fmi2String,
) -> fmi2Status {
    let switch = |instance: &mut Instance| {
        // SAFETY: an array of texts of the caller.
        let names = unsafe { texts(categories, count) }?;
        instance.switch_logging(on != FMI2_FALSE, &names)
    };
    // SAFETY: an instance of the caller.
    unsafe { guard(component, Function::SetDebugLogging, switch) }
}

/// Exports `fmi2Instantiate` for these models, a `&[&'static PackagedModel]`; every other function
/// of the standard works on instances and is exported once for all models.
#[macro_export]
macro_rules! export_models {
    ($models:expr) => {
        /// Makes an instance of the model with this GUID. NULL, and a message, if there is none.
        ///
        /// A model with settings of its own reads them from the resources; for the others any address
        /// of them, or NULL, will do.
        ///
        /// # Safety
        ///
        /// As for all functions of FMI 2.0: texts end with a zero, the callbacks outlive the
        /// instance.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the name is that of the standard")]
        pub unsafe extern "C" fn fmi2Instantiate(
            name: $crate::abi::fmi2String,
            kind: $crate::abi::fmi2Type,
            guid: $crate::abi::fmi2String,
            resources: $crate::abi::fmi2String,
            callbacks: *const $crate::abi::fmi2CallbackFunctions,
            _visible: $crate::abi::fmi2Boolean,
            logging: $crate::abi::fmi2Boolean,
        ) -> $crate::abi::fmi2Component {
            // SAFETY: as promised by the caller.
            unsafe {
                $crate::exports::lifecycle::instantiate(
                    $models, name, kind, guid, resources, callbacks, logging,
                )
            }
        }

        /// Makes an instance of the model with this instantiation token. NULL, and a message, if
        /// there is none. Steps are made as a whole: intermediate values are not told.
        ///
        /// # Safety
        ///
        /// As for all functions of FMI 3.0: texts end with a zero, the callback outlives the
        /// instance.
        #[unsafe(no_mangle)]
        #[allow(
            non_snake_case,
            clippy::too_many_arguments,
            reason = "name and arguments are those of the standard"
        )]
        pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
            name: $crate::abi3::fmi3String,
            token: $crate::abi3::fmi3String,
            resources: $crate::abi3::fmi3String,
            _visible: $crate::abi3::fmi3Boolean,
            logging: $crate::abi3::fmi3Boolean,
            _event_mode_used: $crate::abi3::fmi3Boolean,
            _early_return_allowed: $crate::abi3::fmi3Boolean,
            _required_intermediate: *const $crate::abi3::fmi3ValueReference,
            _required_intermediate_count: usize,
            environment: $crate::abi3::fmi3InstanceEnvironment,
            log: $crate::abi3::fmi3LogMessageCallback,
            _intermediate_update: $crate::abi3::fmi3IntermediateUpdateCallback,
        ) -> $crate::abi3::fmi3Instance {
            // SAFETY: as promised by the caller.
            unsafe {
                $crate::exports3::lifecycle::instantiate(
                    $models,
                    name,
                    token,
                    resources,
                    logging,
                    environment,
                    log,
                )
            }
        }
    };
}

/// What [`export_models`] makes `fmi2Instantiate` of.
///
/// # Safety
///
/// As for that function.
pub unsafe fn instantiate(
    models: &[&'static PackagedModel],
    name: fmi2String,
    kind: fmi2Type,
    guid: fmi2String,
    resources: fmi2String,
    callbacks: *const fmi2CallbackFunctions,
    logging: fmi2Boolean,
) -> fmi2Component {
    let host_floats = HostFloats::new();
    let _floats = host_floats.put_aside();
    let made = protect(|| {
        let callbacks = if callbacks.is_null() || !callbacks.is_aligned() {
            None
        } else {
            // SAFETY: not NULL, aligned; the rest is the caller's promise. It is copied, so that
            // the caller may do with it what it wants.
            Some(unsafe { *callbacks })
        };
        // SAFETY: texts of the caller.
        let (name, guid, resources) = unsafe { (text(name), text(guid), text(resources)) };
        let name = name.filter(|name| !name.is_empty());
        let shown = name.as_deref().unwrap_or("model");
        let listener = Listener::Fmi2(callbacks);
        let logger = Logger::new(listener, shown, logging != FMI2_FALSE, host_floats);
        if kind != FMI2_CO_SIMULATION {
            let message = "fmi2Instantiate: only fmi2CoSimulation (1) is offered";
            logger.say(Category::Error, FMI2_ERROR, message);
            return Ok(null_mut());
        }
        let key = Key {
            of_kind: PackagedModel::guid,
            of_model: guid_of,
        };
        let wanted = (guid.as_deref(), key);
        let resources = resources.as_deref();
        let function = "fmi2Instantiate";
        Ok(calls::instantiate(
            function, models, logger, wanted, resources,
        ))
    });
    made.unwrap_or(null_mut())
}

/// Frees an instance and everything it holds, saved states included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(component: fmi2Component) {
    // SAFETY: an instance of the caller, which does not use it afterwards.
    unsafe { calls::free(component) }
}

/// Takes over start, stop and tolerance; a tolerance of zero is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    component: fmi2Component,
    tolerance_defined: fmi2Boolean,
    tolerance: fmi2Real,
    start: fmi2Real,
    stop_defined: fmi2Boolean,
    stop: fmi2Real,
) -> fmi2Status {
    let experiment = Experiment {
        start,
        stop: (stop_defined != FMI2_FALSE).then_some(stop),
        tolerance: (tolerance_defined != FMI2_FALSE).then_some(tolerance),
    };
    let set = |instance: &mut Instance| instance.set_experiment(experiment);
    // SAFETY: an instance of the caller.
    unsafe { guard(component, Function::SetupExperiment, set) }
}

/// Begins initialisation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterInitializationMode(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::EnterInitializationMode, |instance| {
            instance.state = State::Initialization;
            Ok(())
        })
    }
}

/// Brings the model to its start and is ready for steps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2ExitInitializationMode(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::ExitInitializationMode, |instance| {
            instance.start()
        })
    }
}

/// Ends the simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::Terminate, |instance| {
            instance.terminate();
            Ok(())
        })
    }
}

/// Back to the state after instantiation, start values included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Reset(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::Reset, |instance| {
            instance.reset();
            Ok(())
        })
    }
}
