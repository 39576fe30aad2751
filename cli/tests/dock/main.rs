//! `softdock dock` as a user runs it: one module per topic.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod configuration;
mod motors;
mod pages;
mod refusals;
mod repeatability;
#[cfg(unix)]
mod stopping;
mod support;
