//! Docking: a target meets the end effector at a wrong place, angle and speed.
//!
//! * [`config`]: what a user can set;
//! * [`control`]: motors under a regulator;
//! * [`setup`]: platform in equilibrium, target in front of it;
//! * [`run`]: the run, step by step, with samples for plots and animation;
//! * [`track`]: what is watched in every step;
//! * [`outcome`]: what became of it;
//! * [`figures`]: what a figure is called, what it means and how it is shown;
//! * [`summary`]: the figures an engineer wants, a row each.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod config;
pub mod control;
pub mod error;
pub mod figures;
pub mod outcome;
pub mod run;
pub mod setup;
pub mod summary;
pub mod track;

pub use config::{DockingConfig, Misalignment, Scenario, TargetBody};
pub use control::RegulatorConfig;
pub use error::{DockingError, Result};
pub use figures::Figure;
pub use outcome::Outcome;
pub use run::{DockingRun, EnergySample, LegSample, Sample};
pub use summary::{EnergySummary, Summary};
