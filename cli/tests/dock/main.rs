//! `softdock dock` as a user runs it: one module per topic.
#![allow(clippy::unwrap_used)]

mod configuration;
mod motors;
mod pages;
mod refusals;
mod repeatability;
mod soundness;
#[cfg(unix)]
mod stopping;
mod support;
