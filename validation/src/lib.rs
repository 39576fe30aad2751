//! Validation cases: what the kernel must reproduce, from whom, and how closely.
//!
//! A [`Case`] is data: a name, a [`Source`], the quantities asked for with their reference values
//! and tolerances ([`Quantity`]), and a function that computes ours with the kernel. [`Case::run`]
//! compares and gives an [`Outcome`] per quantity. `softdock verify` prints them; the test binary
//! `tests/validation` asserts them.
//!
//! A tolerance is set by what the reference can decide or by what the project promises, never by
//! what is reached; the reason stands beside it.
//!
//! What only these cases need lives here too: the rigid four-bar as one ODE ([`fourbar`]) with an
//! explicit integrator ([`runge_kutta`]), linear time stepping ([`newmark`]) and the published
//! attempt at a pre-tensioned leg ([`chapter4`]).

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod cases;
pub mod chapter4;
mod error;
pub mod fourbar;
pub mod models;
pub mod newmark;
mod outcome;
pub mod runge_kutta;
mod sources;

pub use cases::all;
pub use error::{Failure, Result};
pub use outcome::{Measure, Outcome, Status};
pub use sources::Source;

/// One validation case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Short name, unique.
    pub name: &'static str,
    /// Where the reference comes from.
    pub source: Source,
    /// What is compared, in the order in which `ours` answers.
    pub quantities: &'static [Quantity],
    /// Computes our values with the kernel: one list of components per quantity.
    pub ours: fn() -> Result<Vec<Vec<f64>>>,
}

/// One number, or one vector, of a case.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// What it is, with the mesh or step when that matters.
    pub name: &'static str,
    /// Unit; empty for pure numbers.
    pub unit: &'static str,
    /// What is demanded.
    pub demand: Demand,
    /// Why the tolerance is what it is.
    pub reason: &'static str,
}

/// What is demanded of a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Demand {
    /// Every component within `allowed` of its reference, relative to that component; a component
    /// whose reference is zero relative to the largest.
    Relative {
        /// Reference values.
        reference: &'static [f64],
        /// Largest relative error allowed.
        allowed: f64,
    },
    /// Every component within `allowed` of its reference, in the unit of the quantity.
    Absolute {
        /// Reference values.
        reference: &'static [f64],
        /// Largest error allowed.
        allowed: f64,
    },
    /// No component larger than this: the quantity is an error or a drift itself.
    AtMost(f64),
    /// No component smaller than this.
    AtLeast(f64),
}

impl Case {
    /// Computes our values and compares them. A computation that fails makes every quantity fail,
    /// with the cause.
    pub fn run(&self) -> Vec<Outcome> {
        match (self.ours)() {
            Ok(ours) => {
                let empty = Vec::new();
                let given = |i: usize| ours.get(i).unwrap_or(&empty);
                self.quantities
                    .iter()
                    .enumerate()
                    .map(|(i, quantity)| Outcome::compare(self, quantity, given(i)))
                    .collect()
            }
            Err(failure) => self
                .quantities
                .iter()
                .map(|quantity| Outcome::failed(self, quantity, &failure))
                .collect(),
        }
    }
}
