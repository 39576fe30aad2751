//! `softdock dock` as a user runs it: one module per topic.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod attitude;
mod bits;
mod configuration;
mod controller;
mod figures;
mod motors;
mod pages;
mod refusals;
mod repeatability;
mod requirements;
mod scenarios;
mod soundness;
#[cfg(unix)]
mod stopping;
mod support;
