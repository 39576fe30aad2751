//! Studies from end to end: the table is the same whatever happens on the way.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;
mod coverage;
mod damage;
mod disturbance;
mod importers;
mod invariance;
mod kill;
mod merging;
mod rows;
mod sensitivity;
mod series;
#[cfg(unix)]
mod slurm;
