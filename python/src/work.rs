//! Work without the interpreter lock that Ctrl-C can end.

use crate::error::{ComputationError, raised};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Stack of a thread that computes [bytes]: as much as a main thread has and more.
const STACK: usize = 16 << 20;
/// Ctrl-C is looked for so often.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own, without the interpreter lock; this thread waits and looks for
/// Ctrl-C, which sets the flag that `work` is given, and is raised when it has come to an end.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (done, interrupted) = py.detach(|| {
        let stop = &stop;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let worker =
                std::thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || {
                        let done = work(stop);
                        // Whoever waits has the handle in any case.
                        let _ = sender.send(());
                        done
                    });
            let worker = match worker {
                Ok(worker) => worker,
                Err(error) => return (Err(error.into()), None),
            };
            let mut interrupted = None;
            while receiver.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::SeqCst);
                    interrupted = Some(error);
                }
            }
            let done = worker
                .join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("panic: this is a bug of softdock")));
            (done, interrupted)
        })
    });
    match interrupted {
        Some(error) => Err(error),
        None => done.map_err(raised),
    }
}

/// Like [`interruptible`] for work that is too short to be interrupted.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(raised)
}

/// The complaint about an object that was used up.
pub fn used_up(what: &str) -> PyErr {
    ComputationError::new_err(format!("this {what} has been finished and is used up"))
}
