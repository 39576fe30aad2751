//! Foreign code under supervision: it runs in a child process of the same program, so that the
//! parent can tell what becomes of it.
//!
//! An FMU can crash, end the process that loads it, or never return. The parent starts this program
//! once more with the same arguments and a pipe on which the child tells what it does: [`child`]
//! writes, [`parent`] reads and watches. A regular end is announced on that pipe; any other end is
//! reported by the parent with exit status 1. Rows of tables go to the disk one by one meanwhile.
//!
//! The child is in a process group of its own. Signals go to the parent, which passes them on, so
//! that Ctrl-C ends a run as it does without supervision.

mod child;
mod message;
mod parent;
mod pipe;
mod signals;

use crate::foreign::ForeignCode;
use crate::output;
use std::path::Path;
use std::process::ExitCode;

/// Runs `work` in a supervised child process if it loads foreign code, or here.
pub fn run(foreign: Option<ForeignCode>, work: impl FnOnce() -> ExitCode) -> ExitCode {
    // Elsewhere a child could not be told that it is one.
    let foreign = foreign.filter(|_| cfg!(any(unix, windows)));
    let Some(foreign) = foreign else {
        return work();
    };
    match pipe::from_parent() {
        Some(Ok(pipe)) => {
            child::begin(pipe);
            let status = work();
            child::finished(status);
            status
        }
        Some(Err(error)) => failed(error.into()),
        None => parent::watch(&foreign).unwrap_or_else(|error| {
            failed(anyhow::Error::from(error).context("cannot start a process for the FMU"))
        }),
    }
}

fn failed(error: anyhow::Error) -> ExitCode {
    output::print_error(&error);
    ExitCode::from(crate::failure::FAILED)
}

/// True in a process that runs foreign code.
pub fn is_supervised() -> bool {
    child::channel().is_some()
}

/// Tells the parent, if there is one, where rows of a table are kept until the run ends.
pub fn rows_go_to(partial: &Path) {
    child::rows_go_to(partial);
}
