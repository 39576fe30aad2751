//! The FMUs as a caller meets them: through the exported functions, and loaded from a file.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod derivatives;
mod description;
mod docking;
mod hostile;
mod import3;
mod instances;
mod keys;
mod library;
mod lifecycle;
mod logging;
mod mechanism;
mod models;
mod packages;
mod patterns;
mod platform;
mod pointers;
mod simple_master;
mod states;
mod steps;
mod support;
mod tolerance;
mod valgrind;
mod values;
mod version3;
