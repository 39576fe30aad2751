//! Versions, making and freeing, the way through an instance's life.

use super::{slice, text};
use crate::abi::{
    FMI2_CO_SIMULATION, FMI2_ERROR, FMI2_FALSE, fmi2Boolean, fmi2CallbackFunctions, fmi2Component,
    fmi2Real, fmi2Status, fmi2String, fmi2Type,
};
use crate::floats::HostFloats;
use crate::guard::{guard, protect};
use crate::instance::Component;
use crate::lifecycle::{Function, State};
use crate::logger::{Category, Logger};
use crate::model::PackagedModel;
use crate::refusal::Refusal;
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
    let switch = |instance: &mut crate::instance::Instance| {
        // SAFETY: an array of the caller.
        let names = unsafe { slice(categories, count, "categories") }?;
        let mut chosen = Vec::new();
        let mut unknown = None;
        for &name in names {
            // SAFETY: a text of the caller.
            let name = unsafe { text(name) }.unwrap_or_default();
            match Category::from_name(&name) {
                Some(category) => chosen.push(category),
                None => unknown = Some(name),
            }
        }
        if names.is_empty() || !chosen.is_empty() {
            instance.logger.switch(on != FMI2_FALSE, &chosen);
        }
        match unknown {
            Some(category) => Err(Refusal::UnknownCategory { category }),
            None => Ok(()),
        }
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
        /// Nothing is read from the resources: any address of them, or NULL, will do.
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
            _resources: $crate::abi::fmi2String,
            callbacks: *const $crate::abi::fmi2CallbackFunctions,
            _visible: $crate::abi::fmi2Boolean,
            logging: $crate::abi::fmi2Boolean,
        ) -> $crate::abi::fmi2Component {
            // SAFETY: as promised by the caller.
            unsafe {
                $crate::exports::lifecycle::instantiate(
                    $models, name, kind, guid, callbacks, logging,
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
        let (name, guid) = unsafe { (text(name), text(guid)) };
        let name = name.filter(|name| !name.is_empty());
        let model = guid.as_deref().and_then(|guid| {
            let mut models = models.iter();
            models.find(|model| model.guid() == Some(guid)).copied()
        });
        let shown = name.as_deref().unwrap_or("model");
        let logger = Logger::new(callbacks, shown, logging != FMI2_FALSE, host_floats);
        let refuse = |message: &str| {
            logger.say(Category::Error, FMI2_ERROR, message);
            Ok(null_mut())
        };
        if kind != FMI2_CO_SIMULATION {
            return refuse("fmi2Instantiate: only fmi2CoSimulation (1) is offered");
        }
        let Some(model) = model else {
            return refuse(&format!(
                "fmi2Instantiate: no model has the GUID {}; here are {}",
                guid.as_deref().unwrap_or("NULL"),
                guids(models)
            ));
        };
        logger.note(Category::Events, || format!("made a {}", model.name));
        Ok(Component::create(model, logger))
    });
    made.unwrap_or(null_mut())
}

fn guids(models: &[&'static PackagedModel]) -> String {
    let list = models.iter().map(|model| {
        let guid = model.guid().unwrap_or("none");
        format!("{} {guid}", model.name)
    });
    list.collect::<Vec<_>>().join(" and ")
}

/// Frees an instance and everything it holds, saved states included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(component: fmi2Component) {
    // SAFETY: an instance of the caller, which does not use it afterwards.
    unsafe {
        if let Ok(mut in_use) = Component::lock(component) {
            let _floats = in_use.instance().logger.host_floats().put_aside();
            // What is freed is not marked as free to use.
            std::mem::forget(in_use);
            let _ = protect(|| {
                Component::destroy(component);
                Ok(())
            });
        }
    }
}

/// Takes over start and stop; the tolerance is that of the parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    component: fmi2Component,
    tolerance_defined: fmi2Boolean,
    tolerance: fmi2Real,
    start: fmi2Real,
    stop_defined: fmi2Boolean,
    stop: fmi2Real,
) -> fmi2Status {
    let set = |instance: &mut crate::instance::Instance| {
        let refuse = |quantity, value, allowed| {
            Err(Refusal::BadExperiment {
                quantity,
                value,
                allowed,
            })
        };
        if !start.is_finite() {
            return refuse("startTime", start, "a finite number");
        }
        let stop = (stop_defined != FMI2_FALSE).then_some(stop);
        if let Some(stop) = stop.filter(|stop| stop.is_nan() || *stop < start) {
            return refuse("stopTime", stop, "startTime or later");
        }
        if tolerance_defined != FMI2_FALSE && (tolerance.is_nan() || tolerance < 0.0) {
            return refuse("tolerance", tolerance, ">= 0");
        }
        instance.slave.set_experiment(start, stop);
        Ok(())
    };
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
            instance.slave.start()?;
            instance.state = State::StepComplete;
            let time = instance.slave.time();
            let what = instance.model.started;
            let started = || format!("{what} at t = {time} s");
            instance.logger.note(Category::Events, started);
            Ok(())
        })
    }
}

/// Ends the simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(component: fmi2Component) -> fmi2Status {
    // SAFETY: an instance of the caller.
    unsafe {
        guard(component, Function::Terminate, |instance| {
            instance.state = State::Terminated;
            let time = instance.slave.time();
            let ended = || format!("ended at t = {time} s");
            instance.logger.note(Category::Events, ended);
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
            instance.slave.reset();
            instance.state = State::Instantiated;
            instance
                .logger
                .note(Category::Events, || "reset".to_owned());
            Ok(())
        })
    }
}
