//! Messages to the caller.

use crate::abi::{FMI2_OK, fmi2CallbackFunctions, fmi2Status};
use crate::abi3::{fmi3InstanceEnvironment, fmi3LogMessageCallback};
use crate::floats::HostFloats;
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// A category of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Why a call failed.
    Error,
    /// What is not quite right.
    Warning,
    /// What happened in the leg.
    Events,
    /// What the solver did.
    Solver,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Events, Self::Solver];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or_default()
    }

    /// What is logged in it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Error => "Why a call failed or had no effect",
            Self::Warning => "What is not quite right",
            Self::Events => "The tendon going slack or taut; start, reset and end",
            Self::Solver => "Steps and iterations of every communication step",
        }
    }

    fn c_name(self) -> &'static CStr {
        match self {
            Self::Error => c"logStatusError",
            Self::Warning => c"logStatusWarning",
            Self::Events => c"logEvents",
            Self::Solver => c"logSolver",
        }
    }

    /// The category of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|category| category.name() == name)
    }
}

/// Who takes messages.
#[derive(Debug, Clone, Copy)]
pub enum Listener {
    /// A host of FMI 2.0, if it has given callbacks.
    Fmi2(Option<fmi2CallbackFunctions>),
    /// A host of FMI 3.0.
    Fmi3(fmi3LogMessageCallback, fmi3InstanceEnvironment),
}

impl Listener {
    fn exists(&self) -> bool {
        match self {
            Self::Fmi2(callbacks) => callbacks.is_some_and(|callbacks| callbacks.logger.is_some()),
            Self::Fmi3(log, _) => log.is_some(),
        }
    }
}

/// Where messages go, and which.
#[derive(Debug)]
pub struct Logger {
    listener: Listener,
    instance: CString,
    enabled: [bool; Category::ALL.len()],
    host_floats: Rc<HostFloats>,
}

/// A text that C can read: without zeros inside.
fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl Logger {
    /// A logger for an instance. Failures are told from the start, the rest if `all`.
    /// The environment in which the callback runs is kept in `host_floats`.
    pub fn new(listener: Listener, instance: &str, all: bool, host_floats: Rc<HostFloats>) -> Self {
        let mut enabled = [all; Category::ALL.len()];
        enabled[Category::Error as usize] = true;
        Self {
            listener,
            instance: c_text(instance),
            enabled,
            host_floats,
        }
    }

    /// The host's floating-point environment, for calls of the instance.
    pub fn host_floats(&self) -> &Rc<HostFloats> {
        &self.host_floats
    }

    /// Switches categories; all of them if none is named.
    pub fn switch(&mut self, on: bool, categories: &[Category]) {
        let chosen = if categories.is_empty() {
            &Category::ALL[..]
        } else {
            categories
        };
        for &category in chosen {
            self.enabled[category as usize] = on;
        }
    }

    /// Whether anybody listens to a category.
    pub fn listens(&self, category: Category) -> bool {
        self.enabled[category as usize] && self.listener.exists()
    }

    /// Tells what happened.
    pub fn note(&self, category: Category, message: impl FnOnce() -> String) {
        if self.listens(category) {
            self.say(category, FMI2_OK, &message());
        }
    }

    /// Passes a message on if its category is enabled.
    pub fn say(&self, category: Category, status: fmi2Status, message: &str) {
        if !self.listens(category) {
            return;
        }
        let category = category.c_name().as_ptr();
        match &self.listener {
            Listener::Fmi2(Some(callbacks)) => {
                let Some(logger) = callbacks.logger else {
                    return;
                };
                // The message is a format of printf.
                let message = c_text(&message.replace('%', "%%"));
                let (environment, instance) =
                    (callbacks.componentEnvironment, self.instance.as_ptr());
                // SAFETY: the caller of fmi2Instantiate promises that its logger can be called as
                // long as the instance lives; all texts end with a zero and outlive the call.
                self.host_floats.in_force(|| unsafe {
                    logger(environment, instance, status, category, message.as_ptr());
                });
            }
            Listener::Fmi3(Some(log), environment) => {
                let message = c_text(message);
                // SAFETY: as above, promised by the caller of fmi3InstantiateCoSimulation.
                self.host_floats.in_force(|| unsafe {
                    log(*environment, status, category, message.as_ptr());
                });
            }
            Listener::Fmi2(None) | Listener::Fmi3(None, _) => {}
        }
    }
}
