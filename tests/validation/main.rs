//! Validation tests, one module per topic.

#![allow(clippy::unwrap_used)]

mod leg;
mod newton;
mod refusals;
mod sensitivity;
mod spatial_leg;
mod verify;
