//! The leg: crank, leaf spring bowed by its tendon, and what holds the far end.
//!
//! * [`config`]: what a user can set: the tables of its parameters;
//! * [`planar`]: the published planar leg, a four-bar with a flexible coupler;
//! * [`pretension`]: the bowed equilibrium, by continuation from the straight leaf (with a free
//!   link and a given tension or rest length: `free_links`);
//! * [`simulate`]: motion from that equilibrium;
//! * [`spatial`], [`spatial_parts`], [`spatial_report`], [`spatial_simulate`], [`universal`]: the
//!   same for the leg of the platform, with a universal joint at its root;
//! * [`strut`], [`elastica`]: the same leg with a weightless leaf, for screening;
//! * [`reduced`]: the same leg with a leaf of few coordinates;
//! * [`unit`], [`unit_planar`], [`unit_spatial`]: either leg in the hands of a co-simulation
//!   master, who may ask how a force went over a step ([`series`]).
//!
//! There is no I/O, no logging and no thread in this crate.
//!
//! ```
//! use leg_core::{LegConfig, pretension};
//!
//! let mut config = LegConfig::default();
//! config.tendon.stiffness_n_per_m = 3000.0;
//! let report = pretension(&config)?.report;
//! // However stiff the tendon is, it balances the thrust of the leaf and half of its weight.
//! assert!((report.tension_n - 58.07).abs() < 0.01);
//! # Ok::<(), leg_core::LegError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod check;
pub mod config;
#[cfg(test)]
mod damping_tests;
pub mod elastica;
mod free_links;
pub mod limits;
#[cfg(test)]
mod limits_tests;
pub mod planar;
pub mod pretension;
pub mod reduced;
pub mod series;
pub mod simulate;
pub mod spatial;
pub mod spatial_parts;
pub mod spatial_report;
pub mod spatial_simulate;
mod strain;
pub mod strut;
#[cfg(test)]
mod strut_tests;
pub mod unit;
mod unit_derivative;
pub mod unit_planar;
mod unit_snapshot;
pub mod unit_spatial;
#[cfg(test)]
mod unit_tests;
mod unit_variation;
pub mod universal;

pub use config::{ConfigError, LegConfig};
pub use planar::PlanarLeg;
pub use pretension::{PathSample, PretensionReport, pretension};
pub use simulate::{LegSample, Simulation};
pub use spatial::{SpatialLeg, SpatialLegConfig, SpatialPretensioned, pretension_spatial};
pub use spatial_simulate::{SpatialSample, SpatialSimulation};
pub use unit_planar::PlanarUnit;
pub use unit_snapshot::SnapshotError;
pub use unit_spatial::SpatialUnit;

/// What can go wrong with a leg.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LegError {
    /// A value of the configuration is outside its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The kernel failed.
    #[error(transparent)]
    Kernel(#[from] multibody::Error),
    /// Time stepping could not go on.
    #[error(
        "the leg could not be simulated beyond t = {time_s} s: {cause}. {} (solver.step_s = \
         {step_s}, solver.spectral_radius = {spectral_radius})",
        stall_hint(*spectral_radius)
    )]
    Stalled {
        /// Time of the last good state [s].
        time_s: f64,
        /// Step size [s].
        step_s: f64,
        /// ρ∞ of the integrator.
        spectral_radius: f64,
        /// What stopped it.
        cause: multibody::Error,
    },
    /// The straight leaf cannot be mounted at this crank angle.
    #[error(
        "at q1 = {q1_rad} rad the leaf of {length_m} m cannot be mounted: the distance from A to \
         the upper link's end ranges from {} m to {} m",
        check::plain(*shortest_m),
        check::plain(*longest_m)
    )]
    CannotMount {
        /// Crank angle [rad].
        q1_rad: f64,
        /// Length of the leaf [m].
        length_m: f64,
        /// Shortest distance A to B [m].
        shortest_m: f64,
        /// Longest distance A to B [m].
        longest_m: f64,
    },
    /// The chord asked for cannot be reached.
    #[error("a chord of {chord_m} m is impossible: {reason} ({shortest_m} m to {longest_m} m)")]
    ImpossibleChord {
        /// The chord asked for [m].
        chord_m: f64,
        /// Shortest chord that can be had [m].
        shortest_m: f64,
        /// Longest chord that can be had [m].
        longest_m: f64,
        /// Why.
        reason: &'static str,
    },
    /// Two targets contradict each other.
    #[error("{first} and {second} cannot both be given: {reason}")]
    Contradiction {
        /// One key.
        first: &'static str,
        /// The other key.
        second: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The leaf went to the other side on the way.
    #[error(
        "the leaf does not stay bowed to the {asked} side at a chord of {chord_m} m (its middle \
         is {sag_m} m to the left of A→B): gravity or its own curvature pulls it over"
    )]
    WrongSide {
        /// The side asked for.
        asked: &'static str,
        /// Chord [m].
        chord_m: f64,
        /// Deflection of the middle, positive to the left of A→B [m].
        sag_m: f64,
    },
    /// No equilibrium with a free link has the tension or rest length asked for.
    #[error(
        "{key} = {asked} cannot be reached with {free} free: from the straight leaf to a chord of \
         {chord_m:.6} m, where {reason}, it runs from {lowest:.6} to {highest:.6}"
    )]
    OutOfReach {
        /// The key that asks for it.
        key: &'static str,
        /// What it asks for [N or m].
        asked: f64,
        /// What is free.
        free: &'static str,
        /// Lowest value that can be had [N or m].
        lowest: f64,
        /// Highest value that can be had [N or m].
        highest: f64,
        /// Chord at which the stable equilibria end [m].
        chord_m: f64,
        /// Why they end there.
        reason: &'static str,
    },
    /// A tendon of this stiffness cannot pull as hard.
    #[error(
        "tendon.stiffness_n_per_m = {stiffness_n_per_m} is too low for a tension of {tension_n:.6} \
         N: at a chord of {chord_m:.6} m such a tendon pulls with 0 to {highest_n:.6} N (the most \
         with a rest length of zero); it must be at least {:.6} N/m, or the tension lower",
        tension_n / chord_m
    )]
    TensionTooHigh {
        /// The tension asked for, or needed to balance the bowed leaf [N].
        tension_n: f64,
        /// The highest tension [N].
        highest_n: f64,
        /// Distance A to B [m].
        chord_m: f64,
        /// Stiffness of the tendon [N/m].
        stiffness_n_per_m: f64,
    },
    /// Only a tendon that pushes would balance the free link.
    #[error(
        "at a chord of {chord_m} m the tendon would have to push with {push_n} N to balance the \
         free link, which a cable cannot"
    )]
    TendonPushes {
        /// Distance A to B [m].
        chord_m: f64,
        /// Push [N].
        push_n: f64,
    },
    /// A strut was not validated for this.
    #[error("legs.fidelity = \"strut\" is not allowed with {key} = {value}: {reason}")]
    NotAsStrut {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// Why.
        reason: &'static str,
    },
    /// A reduced leg was not validated for this.
    #[error("legs.fidelity = \"reduced\" is not allowed with {key} = {value}: {reason}")]
    NotReduced {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// Why.
        reason: &'static str,
    },
    /// No equilibrium was found for the target.
    #[error("no equilibrium with {what} = {target} was found: the search ended at {reached}")]
    NoEquilibrium {
        /// What was asked for.
        what: &'static str,
        /// Its value.
        target: f64,
        /// The value reached.
        reached: f64,
    },
}

/// What to do about a simulation that stalls.
fn stall_hint(spectral_radius: f64) -> &'static str {
    if spectral_radius > 0.8 {
        "An integrator with a spectral radius near 1 damps nothing, and motion too fast for the \
         step gains energy: lower solver.spectral_radius or solver.step_s"
    } else {
        "Lower solver.step_s or raise solver.elements"
    }
}
