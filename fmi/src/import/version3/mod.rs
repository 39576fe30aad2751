//! FMUs of FMI 3.0 behind the same instance as those of FMI 2.0.
//!
//! Callers see scalar variables (`softdock_xml::version3`). What is here finds the arrays that they
//! are elements of, and converts numbers to the type that the FMU has.

mod arrays;
mod library;
mod lifecycle;
mod texts;
mod values;

pub use library::Functions3;
pub use lifecycle::{Experiment, Reached, instantiate};
pub use values::Known;
