//! Validation tests, one module per topic.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod docking;
mod documents;
mod free_links;
mod friction;
mod jumps;
mod leg;
mod newton;
mod panels;
mod platform_cosimulation;
mod random_releases;
mod refusals;
mod robustness;
mod sensitivity;
mod spatial_leg;
mod verify;
