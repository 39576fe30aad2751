//! Calls into loaded FMUs, told to whoever watches over them.
//!
//! A program that runs foreign code under supervision must know when it is inside that code: a call
//! that does not return is then told from a long computation of its own.

use std::fmt;
use std::sync::OnceLock;

/// A stay inside foreign code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Call {
    /// Its library is loaded, which runs what the library wants to run at its start.
    Load,
    /// Its library is unloaded, which runs what the library wants to run at its end.
    Unload,
    /// One of its functions runs.
    Function(&'static str),
    /// A step is made.
    Step {
        /// The function that makes it.
        function: &'static str,
        /// Start of the step [s].
        time: f64,
        /// Its length [s].
        step: f64,
    },
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => formatter.write_str("loading the library"),
            Self::Unload => formatter.write_str("unloading the library"),
            Self::Function(name) => formatter.write_str(name),
            Self::Step {
                function,
                time,
                step,
            } => write!(formatter, "{function} from t = {time} s by {step} s"),
        }
    }
}

/// Somebody who is told of every call, from whatever thread it is made.
pub trait Watcher: Sync {
    /// A call begins; the number returned comes back with its end.
    fn enter(&self, call: Call) -> u64;
    /// The call of this number has returned.
    fn leave(&self, number: u64);
}

static WATCHER: OnceLock<&'static dyn Watcher> = OnceLock::new();

/// Tells `watcher` of all calls from now on; the first one of a process stays.
pub fn set_watcher(watcher: &'static dyn Watcher) {
    let _ = WATCHER.set(watcher);
}

/// Runs foreign code.
pub(super) fn watched<R>(call: Call, run: impl FnOnce() -> R) -> R {
    let Some(watcher) = WATCHER.get() else {
        return run();
    };
    let number = watcher.enter(call);
    let out = run();
    watcher.leave(number);
    out
}

/// Runs a function of an FMU.
pub(super) fn calling<R>(function: &'static str, run: impl FnOnce() -> R) -> R {
    watched(Call::Function(function), run)
}
