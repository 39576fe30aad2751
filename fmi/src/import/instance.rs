//! An instance of a loaded FMU.

use super::archive::{Interface, Loaded};
use super::log::{LogBook, LogLine, callbacks};
use super::version3::{self, Experiment, Known, Reached};
use super::watch::{Call, calling, watched};
use super::{ImportError, library::Functions};
use crate::abi::{
    FMI2_CO_SIMULATION, FMI2_DISCARD, FMI2_FALSE, FMI2_LAST_SUCCESSFUL_TIME, FMI2_TERMINATED,
    FMI2_TRUE, FMI2_WARNING, fmi2CallbackFunctions, fmi2Component, fmi2FMUstate, fmi2Status, types,
};
use softdock_xml::ModelDescription;
use softdock_xml::version3::Place;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How an instance is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Asks the FMU for all its messages.
    pub logging: bool,
}

/// A state saved in an instance. It stays there until it is freed or the instance is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedState {
    pub(super) instance: u64,
    pub(super) slot: usize,
}

/// An instance of a loaded FMU.
///
/// Every call returns an error unless the FMU says *OK* or *warning*. Those of FMI 3.0 are called with
/// the same scalar variables, one for every element of an array.
pub struct FmuInstance {
    loaded: Arc<Loaded>,
    pub(super) component: fmi2Component,
    pub(super) name: String,
    pub(super) number: u64,
    pub(super) states: Vec<fmi2FMUstate>,
    /// What it has reached [s], for messages.
    pub(super) time: f64,
    /// What FMI 3.0 takes at the start of initialisation.
    pub(super) experiment: Experiment,
    /// Whether initialisation has begun.
    pub(super) initialized: bool,
    /// What was set before.
    pub(super) known: Known,
    /// Boxed: the FMU keeps their addresses.
    book: Box<LogBook>,
    _callbacks: Box<fmi2CallbackFunctions>,
}

// SAFETY: FMI asks that one call at a time is made on an instance, which `&mut self` sees to,
// and knows nothing of threads. The callbacks may be called from anywhere: they lock.
unsafe impl Send for FmuInstance {}

/// A text for C.
pub(super) fn c_text(text: &str) -> Result<CString, ImportError> {
    CString::new(text).map_err(|_| ImportError::BadText {
        text: text.to_owned(),
    })
}

pub(super) fn same_length(
    function: &'static str,
    references: usize,
    values: usize,
) -> Result<(), ImportError> {
    if references == values {
        return Ok(());
    }
    Err(ImportError::WrongLength {
        function,
        references,
        values,
    })
}

impl FmuInstance {
    pub(super) fn new(
        loaded: Arc<Loaded>,
        name: &str,
        options: &Options,
    ) -> Result<Self, ImportError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let book = Box::new(LogBook::default());
        let callbacks = Box::new(callbacks(&book));
        let (function, component) = match &loaded.interface {
            Interface::Two(functions) => {
                let (c_name, guid) = (c_text(name)?, c_text(&loaded.description.guid)?);
                let resources = c_text(&loaded.resources())?;
                // SAFETY: texts end with zeros; callbacks and book live as long as the instance.
                let component = calling("fmi2Instantiate", || unsafe {
                    (functions.fmi2Instantiate)(
                        c_name.as_ptr(),
                        FMI2_CO_SIMULATION,
                        guid.as_ptr(),
                        resources.as_ptr(),
                        &raw const *callbacks,
                        FMI2_FALSE,
                        i32::from(options.logging),
                    )
                });
                ("fmi2Instantiate", component)
            }
            Interface::Three(functions) => {
                let token = &loaded.description.guid;
                let path = loaded.resource_path();
                let made = version3::instantiate(functions, name, token, &path, &book, options)?;
                ("fmi3InstantiateCoSimulation", made)
            }
        };
        if component.is_null() {
            return Err(ImportError::NotInstantiated {
                function,
                instance: name.to_owned(),
                log: book.take_complaint(),
            });
        }
        Ok(Self {
            loaded,
            component,
            name: name.to_owned(),
            number: COUNTER.fetch_add(1, Ordering::Relaxed),
            states: Vec::new(),
            time: 0.0,
            experiment: Experiment::default(),
            initialized: false,
            known: Known::default(),
            book,
            _callbacks: callbacks,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model description.
    pub fn description(&self) -> &ModelDescription {
        &self.loaded.description
    }

    /// Takes the messages that have come in.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.book.take()
    }

    /// Switches categories of messages; all of them if none is named.
    pub fn set_logging(&mut self, on: bool, categories: &[&str]) -> Result<(), ImportError> {
        let texts: Result<Vec<CString>, ImportError> =
            categories.iter().map(|category| c_text(category)).collect();
        let texts = texts?;
        let list: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let (name, status) = match self.interface() {
            Interface::Two(functions) => {
                let name = "fmi2SetDebugLogging";
                let function = self.optional(name, functions.fmi2SetDebugLogging)?;
                // SAFETY: the array has this length; texts end with zeros.
                let status = calling(name, || unsafe {
                    function(self.component, i32::from(on), list.len(), list.as_ptr())
                });
                (name, status)
            }
            Interface::Three(functions) => {
                let name = "fmi3SetDebugLogging";
                let function = self.optional(name, functions.fmi3SetDebugLogging)?;
                // SAFETY: the array has this length; texts end with zeros.
                let status = calling(name, || unsafe {
                    function(self.component, u8::from(on), list.len(), list.as_ptr())
                });
                (name, status)
            }
        };
        self.check(name, status)
    }

    /// The functions of the library.
    pub(super) fn interface(&self) -> &Interface {
        &self.loaded.interface
    }

    /// Places of the flattened variables of FMI 3.0.
    pub(super) fn places3(&self) -> &[Place] {
        match &self.loaded.interface {
            Interface::Two(_) => &[],
            Interface::Three(functions) => &functions.places,
        }
    }

    /// A function that not every FMU has.
    pub(super) fn optional<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
    ) -> Result<F, ImportError> {
        function.ok_or_else(|| ImportError::MissingFunction {
            library: self.loaded.description.model_name.clone(),
            function: name,
        })
    }

    pub(super) fn check(
        &self,
        function: &'static str,
        status: fmi2Status,
    ) -> Result<(), ImportError> {
        if (0..=FMI2_WARNING).contains(&status) {
            return Ok(());
        }
        Err(ImportError::Refused {
            instance: self.name.clone(),
            function,
            status,
            log: self.book.take_complaint(),
        })
    }

    /// Start, stop and tolerance.
    pub fn setup_experiment(
        &mut self,
        start: f64,
        stop: Option<f64>,
        tolerance: Option<f64>,
    ) -> Result<(), ImportError> {
        self.time = start;
        let Interface::Two(functions) = self.interface() else {
            self.experiment = Experiment {
                start,
                stop,
                tolerance,
            };
            return Ok(());
        };
        // SAFETY: the component is alive; there are no pointers.
        let status = calling("fmi2SetupExperiment", || unsafe {
            (functions.fmi2SetupExperiment)(
                self.component,
                i32::from(tolerance.is_some()),
                tolerance.unwrap_or(0.0),
                start,
                i32::from(stop.is_some()),
                stop.unwrap_or(0.0),
            )
        });
        self.check("fmi2SetupExperiment", status)
    }

    /// Begins initialisation.
    pub fn enter_initialization(&mut self) -> Result<(), ImportError> {
        match self.interface() {
            Interface::Two(functions) => {
                let function = functions.fmi2EnterInitializationMode;
                self.transition("fmi2EnterInitializationMode", function)?;
            }
            Interface::Three(functions) => self.enter_initialization3(functions)?,
        }
        self.initialized = true;
        Ok(())
    }

    /// Ends initialisation.
    pub fn exit_initialization(&mut self) -> Result<(), ImportError> {
        let (name, function) = match self.interface() {
            Interface::Two(it) => ("fmi2ExitInitializationMode", it.fmi2ExitInitializationMode),
            Interface::Three(it) => ("fmi3ExitInitializationMode", it.fmi3ExitInitializationMode),
        };
        self.transition(name, function)
    }

    /// Calls a function that leads to another state; it has the same type in both versions.
    fn transition(
        &self,
        name: &'static str,
        function: types::fmi2Terminate,
    ) -> Result<(), ImportError> {
        // SAFETY: the component is alive.
        let status = calling(name, || unsafe { function(self.component) });
        self.check(name, status)
    }

    /// Sets up the experiment without a tolerance and initialises.
    pub fn initialize(&mut self, start: f64, stop: Option<f64>) -> Result<(), ImportError> {
        self.setup_experiment(start, stop, None)?;
        self.enter_initialization()?;
        self.exit_initialization()
    }

    /// Ends the simulation.
    pub fn terminate(&mut self) -> Result<(), ImportError> {
        let (name, function) = match self.interface() {
            Interface::Two(it) => ("fmi2Terminate", it.fmi2Terminate),
            Interface::Three(it) => ("fmi3Terminate", it.fmi3Terminate),
        };
        self.transition(name, function)
    }

    /// Back to the state after instantiation.
    pub fn reset(&mut self) -> Result<(), ImportError> {
        let (name, function) = match self.interface() {
            Interface::Two(it) => ("fmi2Reset", it.fmi2Reset),
            Interface::Three(it) => ("fmi3Reset", it.fmi3Reset),
        };
        self.transition(name, function)?;
        self.initialized = false;
        self.known = Known::default();
        Ok(())
    }

    /// Makes a step that may be taken back.
    pub fn do_step(&mut self, time: f64, step: f64) -> Result<(), ImportError> {
        self.step_with(time, step, FMI2_FALSE)
    }

    /// Makes a step and promises that none before it will be taken back.
    pub fn do_final_step(&mut self, time: f64, step: f64) -> Result<(), ImportError> {
        self.step_with(time, step, FMI2_TRUE)
    }

    fn step_with(&mut self, time: f64, step: f64, no_going_back: i32) -> Result<(), ImportError> {
        let reached = match self.interface() {
            Interface::Two(functions) => self.step2(functions, (time, step), no_going_back)?,
            Interface::Three(functions) => {
                self.step3(functions, (time, step), no_going_back == FMI2_TRUE)?
            }
        };
        let (last_time, ended) = match reached {
            Reached::End => {
                self.time = time + step;
                return Ok(());
            }
            Reached::WantsToEnd(last_time) => (last_time, true),
            Reached::Early(last_time) => (last_time, false),
        };
        let (instance, log) = (self.name.clone(), self.book.take_complaint());
        self.time = last_time.unwrap_or(time);
        Err(if ended {
            ImportError::Ended {
                instance,
                time,
                step,
                last_time,
                log,
            }
        } else {
            ImportError::Discarded {
                instance,
                time,
                step,
                last_time,
                log,
            }
        })
    }

    fn step2(
        &self,
        functions: &Functions,
        (time, step): (f64, f64),
        no_going_back: i32,
    ) -> Result<Reached, ImportError> {
        let name = "fmi2DoStep";
        let call = Call::Step {
            function: name,
            time,
            step,
        };
        // SAFETY: the component is alive.
        let status = watched(call, || unsafe {
            (functions.fmi2DoStep)(self.component, time, step, no_going_back)
        });
        if status != FMI2_DISCARD {
            self.check(name, status)?;
            return Ok(Reached::End);
        }
        let last_time = self.last_successful_time(functions);
        Ok(if self.wants_to_end(functions) {
            Reached::WantsToEnd(last_time)
        } else {
            Reached::Early(last_time)
        })
    }

    /// End of the last good step [s], if the FMU tells.
    fn last_successful_time(&self, functions: &Functions) -> Option<f64> {
        let name = "fmi2GetRealStatus";
        let function = functions.fmi2GetRealStatus?;
        let mut value = f64::NAN;
        // SAFETY: the component is alive; the place is there.
        let status = calling(name, || unsafe {
            function(self.component, FMI2_LAST_SUCCESSFUL_TIME, &mut value)
        });
        (self.check(name, status).is_ok() && value.is_finite()).then_some(value)
    }

    /// True if a step was discarded because the FMU wants to end the simulation.
    fn wants_to_end(&self, functions: &Functions) -> bool {
        let name = "fmi2GetBooleanStatus";
        let Some(function) = functions.fmi2GetBooleanStatus else {
            return false;
        };
        let mut value = FMI2_FALSE;
        // SAFETY: the component is alive; the place is there.
        let status = calling(name, || unsafe {
            function(self.component, FMI2_TERMINATED, &mut value)
        });
        self.check(name, status).is_ok() && value != FMI2_FALSE
    }

    /// Derivatives of `unknowns` along the direction `seed` of `knowns`.
    pub fn directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), ImportError> {
        let name = "fmi2GetDirectionalDerivative";
        same_length(name, knowns.len(), seed.len())?;
        same_length(name, unknowns.len(), out.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                return self.directional_derivative3(functions, unknowns, (knowns, seed), out);
            }
        };
        let function = self.optional(name, functions.fmi2GetDirectionalDerivative)?;
        // SAFETY: the arrays have the lengths given.
        let status = calling(name, || unsafe {
            function(
                self.component,
                unknowns.as_ptr(),
                unknowns.len(),
                knowns.as_ptr(),
                knowns.len(),
                seed.as_ptr(),
                out.as_mut_ptr(),
            )
        });
        self.check(name, status)
    }
}

impl Drop for FmuInstance {
    fn drop(&mut self) {
        let (freeing, free_state, free) = match &self.loaded.interface {
            Interface::Two(it) => (
                ["fmi2FreeFMUstate", "fmi2FreeInstance"],
                it.fmi2FreeFMUstate,
                it.fmi2FreeInstance,
            ),
            Interface::Three(it) => (
                ["fmi3FreeFMUState", "fmi3FreeInstance"],
                it.fmi3FreeFMUState,
                it.fmi3FreeInstance,
            ),
        };
        if let Some(function) = free_state {
            for state in &mut self.states {
                if !state.is_null() {
                    // SAFETY: a state of this instance that has not been freed.
                    calling(freeing[0], || unsafe { function(self.component, state) });
                }
            }
        }
        // SAFETY: the component is alive and not used afterwards.
        calling(freeing[1], || unsafe { free(self.component) });
    }
}

impl std::fmt::Debug for FmuInstance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let model = &self.loaded.description.model_name;
        let mut out = formatter.debug_struct("FmuInstance");
        out.field("name", &self.name)
            .field("model", model)
            .finish_non_exhaustive()
    }
}
