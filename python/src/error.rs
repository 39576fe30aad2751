//! Errors as exceptions, with the texts of the program.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use softdock::library;

pyo3::create_exception!(
    softdock,
    InputError,
    PyValueError,
    "Input that cannot be used: names key, value and allowed range. The program ends with status 2."
);
pyo3::create_exception!(
    softdock,
    ComputationError,
    PyRuntimeError,
    "The input was fine, but the computation failed. The program ends with status 1."
);

/// An error of the libraries as an exception.
pub fn raised(error: impl Into<anyhow::Error>) -> PyErr {
    let error = error.into();
    let text = format!("{error:#}");
    if library::is_input(&error) {
        InputError::new_err(text)
    } else {
        ComputationError::new_err(text)
    }
}

/// Input that only Python can get wrong.
pub fn refused(text: impl Into<String>) -> PyErr {
    InputError::new_err(text.into())
}
