//! Docking: a target meets the end effector at a wrong place, angle and speed.
//!
//! * [`config`]: what a user can set;
//! * [`control`]: motors under a regulator;
//! * [`setup`]: platform in equilibrium, target in front of it;
//! * [`run`]: the run, step by step, with samples for plots and animation;
//! * [`saved`]: a run put aside, with its controller;
//! * [`record`]: rows of output between the ends of steps;
//! * [`track`]: what is watched in every step;
//! * [`interface`]: loads at the mating plane;
//! * [`capture`]: how near the latch came to closing, and what kept it from it;
//! * [`outcome`]: what became of it;
//! * [`requirement`] and [`margin`]: limits on figures, the user's and the platform's own;
//! * [`convergence`]: how far figures are from converged;
//! * [`story`]: what happened and why, in a sentence;
//! * [`figures`]: what a figure is called, what it means and how it is shown;
//! * [`summary`]: the figures an engineer wants, a row each.
//!
//! ```
//! use multibody::results::soundness::Soundness;
//! use softdock_docking::{DockingRun, Outcome, Scenario};
//!
//! let mut scenario = Scenario::default();
//! scenario.docking.duration_s = 0.1;
//! scenario.platform.legs.elements = 3;
//! let mut run = DockingRun::new(&scenario, false)?;
//! run.run()?;
//! let summary = run.summary()?;
//! assert_eq!(summary.outcome, Outcome::InContact);
//! assert_eq!(summary.soundness, Soundness::Sound);
//! # Ok::<(), softdock_docking::DockingError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod capture;
pub mod config;
pub mod control;
pub mod convergence;
pub mod error;
pub mod figures;
pub mod interface;
pub mod margin;
pub mod outcome;
pub mod panel;
pub mod record;
#[cfg(test)]
mod reduced_tests;
pub mod requirement;
pub mod run;
pub mod saved;
pub mod setup;
pub mod story;
#[cfg(test)]
mod strut_tests;
pub mod summary;
pub mod track;

pub use capture::CaptureSummary;
pub use config::{DockingConfig, Misalignment, Scenario, TargetBody};
pub use control::controller::{Controller, Seen};
pub use control::{Law, RegulatorConfig, RegulatorInputs, Structure};
pub use convergence::NumericalErrors;
pub use error::{DockingError, Result};
pub use figures::Figure;
pub use interface::InterfaceLoad;
pub use outcome::Outcome;
pub use requirement::{Requirement, Verdict, Verdicts};
pub use run::{DockingRun, EnergySample, LegSample, Sample};
pub use saved::{DockingMemory, SavedDocking};
pub use summary::{EnergySummary, Summary};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod similarity_tests;
