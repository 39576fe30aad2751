//! Tests across modules: what is written is read back, by us and by others.

mod fuzz;
mod reading;
mod round_trip;
pub(crate) mod sample;
mod validation;
mod version3;
