//! What a loaded FMU says.

use crate::abi::{
    fmi2CallbackFunctions, fmi2CallbackLogger, fmi2ComponentEnvironment, fmi2Status, fmi2String,
};
use crate::abi3::{fmi3InstanceEnvironment, fmi3Status, fmi3String};
use std::collections::VecDeque;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

/// A message of an FMU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Its status.
    pub status: fmi2Status,
    /// Its category.
    pub category: String,
    /// What it says. Where the FMU passes arguments of `printf`, their places stay in it.
    pub message: String,
}

/// The last messages of an instance.
#[derive(Debug, Default)]
pub struct LogBook(Mutex<VecDeque<LogLine>>);

/// Most messages kept.
const MOST: usize = 1000;

impl LogBook {
    fn add(&self, line: LogLine) {
        // A poisoned lock holds messages all the same.
        let mut lines = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Takes all messages.
    pub fn take(&self) -> Vec<LogLine> {
        let mut lines = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        lines.drain(..).collect()
    }

    /// Takes all messages and gives the last of those that are no plain news.
    pub fn take_complaint(&self) -> String {
        let lines = self.take();
        let last = lines.iter().rev().find(|line| line.status > 0);
        last.or(lines.last())
            .map(|line| line.message.clone())
            .unwrap_or_default()
    }
}

/// A text of the FMU.
///
/// # Safety
///
/// `pointer` is NULL, or the text ends with a zero.
unsafe fn text(pointer: fmi2String) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_string_lossy().into_owned()
}

/// Takes a message.
///
/// # Safety
///
/// `environment` is that of [`callbacks`]; the texts end with zeros.
unsafe extern "C" fn receive(
    environment: fmi2ComponentEnvironment,
    _instance: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    let book: *const LogBook = environment.cast_const().cast();
    if book.is_null() {
        return;
    }
    // SAFETY: the book lives as long as the instance that it was given to.
    let (book, category, message) = unsafe { (&*book, text(category), text(message)) };
    book.add(LogLine {
        status,
        category,
        message: message.replace("%%", "%"),
    });
}

/// Takes a message of FMI 3.0.
///
/// # Safety
///
/// `environment` is a [`LogBook`] that outlives the instance; the texts end with zeros.
pub unsafe extern "C" fn receive3(
    environment: fmi3InstanceEnvironment,
    status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
) {
    let book: *const LogBook = environment.cast_const().cast();
    if book.is_null() {
        return;
    }
    // SAFETY: the book lives as long as the instance that it was given to.
    let (book, category, message) = unsafe { (&*book, text(category), text(message)) };
    book.add(LogLine {
        status,
        category,
        message,
    });
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// Callbacks whose messages go to `book`, which must outlive the instance.
pub fn callbacks(book: &LogBook) -> fmi2CallbackFunctions {
    type Plain = unsafe extern "C" fn(
        fmi2ComponentEnvironment,
        fmi2String,
        fmi2Status,
        fmi2String,
        fmi2String,
    );
    let plain: Plain = receive;
    // SAFETY: Rust cannot define a function with variable arguments. In the calling conventions
    // of all platforms that FMUs have binaries for, one that ignores them takes the named ones
    // from the same places.
    let logger = unsafe { std::mem::transmute::<Option<Plain>, fmi2CallbackLogger>(Some(plain)) };
    fmi2CallbackFunctions {
        logger,
        allocateMemory: Some(calloc),
        freeMemory: Some(free),
        stepFinished: None,
        componentEnvironment: std::ptr::from_ref(book).cast_mut().cast(),
    }
}
