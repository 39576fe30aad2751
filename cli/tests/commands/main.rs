//! The commands as a user runs them, one module each; their pages in a browser, and the exported
//! FMUs in the importers of others.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod figures;
mod fmu;
mod folder;
mod foreign;
mod hostile;
mod importers;
mod inverse;
mod labels;
mod leg;
mod mechanism;
mod pages;
mod platform;
mod spatial_leg;
