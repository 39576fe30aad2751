//! What the functions of FMI 2.0 and 3.0 have in common, once their arguments are checked.

use crate::abi::FMI2_ERROR;
use crate::exports::{place, slice, slice_mut};
use crate::guard::protect;
use crate::instance::{Component, Instance};
use crate::lifecycle::State;
use crate::logger::{Category, Logger};
use crate::model::{Made, Packaged, PackagedModel};
use crate::refusal::Refusal;
use crate::resources;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

const STATE: &str = "the place for the state";
const BYTES: &str = "the array of bytes";

/// Start, stop and tolerance of a simulation, as a host announces them.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Start [s].
    pub start: f64,
    /// Stop [s], if it is known.
    pub stop: Option<f64>,
    /// Relative tolerance, if one is asked for.
    pub tolerance: Option<f64>,
}

/// How a host of a version of the standard names the model it wants.
#[derive(Clone, Copy)]
pub struct Key {
    /// Of a kind of model with its own settings.
    pub of_kind: fn(&PackagedModel) -> Option<&str>,
    /// Of a model.
    pub of_model: fn(&dyn Packaged) -> Option<String>,
}

/// Makes an instance of the model with this key, or says that there is none. The model has the settings
/// of its kind, or those in the resources.
pub fn instantiate(
    function: &str,
    models: &[&'static PackagedModel],
    logger: Logger,
    (wanted, key): (Option<&str>, Key),
    resources: Option<&str>,
) -> *mut c_void {
    let matches =
        |model: &&&'static PackagedModel| wanted.is_some() && (key.of_kind)(model) == wanted;
    let found = match models.iter().find(matches) {
        Some(kind) => Some(kind.model()),
        None => settings_in(models, resources).and_then(|(file, made)| match made {
            Ok(model) if (key.of_model)(&*model).as_deref() == wanted => Some(model),
            Ok(model) => {
                let found = (key.of_model)(&*model).unwrap_or_default();
                let message = format!("{function}: the model of {file} has the GUID {found}");
                logger.say(Category::Error, FMI2_ERROR, &message);
                None
            }
            Err(cause) => {
                let message = format!("{function}: {file} cannot be used: {cause}");
                logger.say(Category::Error, FMI2_ERROR, &message);
                None
            }
        }),
    };
    let Some(model) = found else {
        let known = models
            .iter()
            .map(|model| format!("{} {}", model.name, (key.of_kind)(model).unwrap_or("none")));
        let known = known.collect::<Vec<_>>().join(" and ");
        let wanted = wanted.unwrap_or("NULL");
        let message = format!("{function}: no model has the GUID {wanted}; here are {known}");
        logger.say(Category::Error, FMI2_ERROR, &message);
        return null_mut();
    };
    logger.note(Category::Events, || {
        format!("made a {}", model.about().name)
    });
    Component::create(model, logger)
}

/// The model of the first file of settings in the resources, and the name of that file.
fn settings_in(
    models: &[&'static PackagedModel],
    resources: Option<&str>,
) -> Option<(String, Made)> {
    let folder = resources::folder(resources?)?;
    models.iter().find_map(|kind| {
        let file = resources::file_name(kind.name);
        let path = folder.join(&file);
        if !path.is_file() {
            return None;
        }
        let made = match resources::read(&path) {
            Ok(text) => kind.with(&text)?,
            Err(error) => Err(error.into()),
        };
        Some((file, made))
    })
}

/// Frees an instance and everything it holds.
///
/// # Safety
///
/// `component` is NULL, or an instance of this library that nobody uses afterwards.
pub unsafe fn free(component: *mut c_void) {
    // SAFETY: as promised by the caller.
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

impl Instance {
    /// Switches categories of messages; all of them if none is named.
    pub fn switch_logging(&mut self, on: bool, names: &[String]) -> Result<(), Refusal> {
        let chosen: Vec<Category> = names
            .iter()
            .filter_map(|name| Category::from_name(name))
            .collect();
        if names.is_empty() || !chosen.is_empty() {
            self.logger.switch(on, &chosen);
        }
        let unknown = names
            .iter()
            .find(|name| Category::from_name(name).is_none());
        match unknown {
            Some(category) => Err(Refusal::UnknownCategory {
                category: category.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Takes over start, stop and tolerance; a tolerance of zero is none.
    pub fn set_experiment(&mut self, experiment: Experiment) -> Result<(), Refusal> {
        let refuse = |quantity, value, allowed| {
            Err(Refusal::BadExperiment {
                quantity,
                value,
                allowed,
            })
        };
        let Experiment {
            start,
            stop,
            tolerance,
        } = experiment;
        if !start.is_finite() {
            return refuse("startTime", start, "a finite number");
        }
        if let Some(stop) = stop.filter(|stop| stop.is_nan() || *stop < start) {
            return refuse("stopTime", stop, "startTime or later");
        }
        if let Some(tolerance) = tolerance.filter(|value| value.is_nan() || *value < 0.0) {
            return refuse("tolerance", tolerance, ">= 0");
        }
        let tolerance = tolerance.filter(|tolerance| *tolerance > 0.0);
        self.slave.set_experiment(start, stop, tolerance);
        Ok(())
    }

    /// Brings the model to its start and is ready for steps.
    pub fn start(&mut self) -> Result<(), Refusal> {
        self.slave.start()?;
        self.state = State::StepComplete;
        let (time, about) = (self.slave.time(), self.slave.about());
        let started = || format!("{} at t = {time} s", about.started);
        self.logger.note(Category::Events, started);
        Ok(())
    }

    /// Ends the simulation.
    pub fn terminate(&mut self) {
        self.state = State::Terminated;
        let time = self.slave.time();
        let ended = || format!("ended at t = {time} s");
        self.logger.note(Category::Events, ended);
    }

    /// Back to the state after instantiation, start values included.
    pub fn reset(&mut self) {
        self.slave.reset();
        self.state = State::Instantiated;
        self.logger.note(Category::Events, || "reset".to_owned());
    }

    /// Makes a communication step and tells what it took.
    pub fn step(&mut self, time: f64, length: f64) -> Result<(), Refusal> {
        let watch = self.logger.listens(Category::Events);
        let outcome = self.slave.step(time, length, watch)?;
        let reached = self.slave.time();
        if let Some(regime) = outcome.regime {
            let changed = || format!("{regime} at t = {reached} s");
            self.logger.note(Category::Events, changed);
        }
        let done = outcome.done;
        self.logger.note(Category::Solver, || {
            format!(
                "t = {reached} s: {} steps, {} refused, {} iterations",
                done.steps, done.rejected, done.iterations
            )
        });
        Ok(())
    }

    /// Saves the state, over the one at `state` if that is not NULL.
    ///
    /// # Safety
    ///
    /// `state` is NULL or a place that nobody else uses during the call.
    pub unsafe fn save(&mut self, state: *mut *mut c_void) -> Result<(), Refusal> {
        // SAFETY: as promised by the caller.
        let state = unsafe { place(state, STATE) }?;
        let over = (!state.is_null()).then(|| state.addr());
        let handle = self.slave.save(over, self.state)?;
        *state = without_provenance_mut(handle);
        Ok(())
    }

    /// Restores a state of this instance.
    pub fn restore(&mut self, state: *mut c_void) -> Result<(), Refusal> {
        self.state = self.slave.restore(state.addr())?;
        Ok(())
    }

    /// Frees a state and sets the pointer to NULL; NULL is left alone.
    ///
    /// # Safety
    ///
    /// As for [`Instance::save`].
    pub unsafe fn free_state(&mut self, state: *mut *mut c_void) -> Result<(), Refusal> {
        if state.is_null() {
            return Ok(());
        }
        // SAFETY: as promised by the caller.
        let state = unsafe { place(state, STATE) }?;
        if !state.is_null() {
            self.slave.free(state.addr())?;
            *state = null_mut();
        }
        Ok(())
    }

    /// Gives the bytes that a state needs.
    ///
    /// # Safety
    ///
    /// `size` is NULL or a place that nobody else uses during the call.
    pub unsafe fn serialized_size(
        &mut self,
        state: *mut c_void,
        size: *mut usize,
    ) -> Result<(), Refusal> {
        // SAFETY: as promised by the caller.
        let size = unsafe { place(size, "the place for the size") }?;
        *size = self.slave.serialize(state.addr())?.len();
        Ok(())
    }

    /// Writes a state as bytes.
    ///
    /// # Safety
    ///
    /// `bytes` is NULL or has room for `size` bytes that nobody else uses during the call.
    pub unsafe fn serialize(
        &mut self,
        state: *mut c_void,
        bytes: *mut u8,
        size: usize,
    ) -> Result<(), Refusal> {
        let content = self.slave.serialize(state.addr())?;
        // SAFETY: as promised by the caller.
        let out = unsafe { slice_mut(bytes, size, BYTES) }?;
        let (needed, found) = (content.len(), out.len());
        let out = out
            .get_mut(..needed)
            .ok_or(Refusal::SmallBuffer { found, needed })?;
        out.copy_from_slice(&content);
        Ok(())
    }

    /// Makes a state of bytes.
    ///
    /// # Safety
    ///
    /// `bytes` is NULL or there are `size` bytes; `state` is as for [`Instance::save`].
    pub unsafe fn deserialize(
        &mut self,
        bytes: *const u8,
        size: usize,
        state: *mut *mut c_void,
    ) -> Result<(), Refusal> {
        // SAFETY: as promised by the caller.
        let (state, bytes) = unsafe { (place(state, STATE)?, slice(bytes, size, BYTES)?) };
        *state = without_provenance_mut(self.slave.deserialize(bytes)?);
        Ok(())
    }
}
