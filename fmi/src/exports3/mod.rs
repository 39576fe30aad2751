//! The exported functions of FMI 3.0: pointers in, one guarded call each, a status out.
//!
//! They work on the same instances as those of FMI 2.0 ([`crate::exports`]). Neighbouring variables
//! that are numbered in version 2.0 are arrays here: the value reference of an array is that of its
//! first element, and [`crate::slave::Slave::span`] tells its length.
//!
//! # Safety
//!
//! All of them rely on what FMI 3.0 asks of a caller: an instance is NULL or came from
//! `fmi3InstantiateCoSimulation` and has not been freed, arrays have the length that is given with
//! them, texts end with a zero. Everything else is checked.

#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    reason = "names and contract are those of the standard"
)]

pub mod access;
pub mod lifecycle;
pub mod not_offered;
pub mod state;
pub mod step;

use crate::lifecycle::{Callable, Function3, State};

/// A function of a family, such as those that read one type of variables, under its own name.
#[derive(Debug, Clone, Copy)]
struct Named(&'static str, Function3);

impl Callable for Named {
    fn name(self) -> &'static str {
        self.0
    }

    fn allowed(self) -> &'static [State] {
        self.1.allowed()
    }
}
