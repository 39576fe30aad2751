//! The shared library of the FMUs, as bytes that a program can carry.
//!
//! It is the crate `softdock-fmu` built as a C library for the platform of the program; see
//! `build.rs`. It has no dependencies, so that it is built once, whoever asks for it.

/// The shared library.
pub const LIBRARY: &[u8] = include_bytes!(env!("SOFTDOCK_EMBEDDED_LIBRARY"));
