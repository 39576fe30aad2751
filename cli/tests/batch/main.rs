//! Batch studies as a user runs them, with the real program.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod commands;
mod common;
mod damage;
mod disk;
mod figures;
mod importers;
mod invariance;
mod kill;
mod memory;
mod pages;
mod rerun;
mod screened;
mod signals;
mod soundness;
mod statistics;
