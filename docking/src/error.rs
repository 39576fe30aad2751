//! Why a docking cannot be set up or computed.

use leg_core::config::ConfigError;
use softdock_platform::PlatformError;

/// Result of docking functions.
pub type Result<T> = core::result::Result<T, DockingError>;

/// Why a docking cannot be set up or computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DockingError {
    /// The platform failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A run would take more memory or time than one run may.
    #[error(
        "{key} = {value} is not allowed for duration_s = {duration_s}: it makes {count:.1e} {what}, \
         and a run may have {most:e} at most"
    )]
    TooMuch {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
        /// How long to simulate [s].
        duration_s: f64,
        /// What it comes to.
        count: f64,
        /// What is counted.
        what: &'static str,
        /// How much of it is allowed.
        most: f64,
    },
    /// A setting that an active regulator cannot work with.
    #[error(
        "{key} = {value} is not allowed with a regulator (regulator.law = \"none\" switches it off): {problem}"
    )]
    RegulatorConflict {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// Why they do not go together.
        problem: String,
    },
    /// A requirement that cannot be judged.
    #[error(transparent)]
    Requirement(#[from] crate::requirement::RequirementError),
    /// A controller that reads the inner state of the legs met a platform that does not show it.
    #[error(
        "the controller reads the inner state of the legs, which only coupling = \"monolithic\" shows"
    )]
    NotMonolithic,
    /// The scenario wants a controller from outside, and there is none.
    #[error(
        "regulator.law = \"external\" wants a controller from outside: softdock dock --controller \
         FILE.fmu gives one"
    )]
    NoController,
    /// A controller from outside failed.
    #[error("controller: {reason}")]
    Controller {
        /// What it says.
        reason: String,
    },
    /// A controller pulls at a tendon that has no winch.
    #[error(
        "the controller moves the tendon of leg {leg}, which has no winch: that needs a tendon \
         (tendon.present) and coupling = \"monolithic\""
    )]
    NoWinch {
        /// The leg, from 1.
        leg: usize,
    },
    /// No regulator was found.
    #[error(
        "no regulator was found with these settings of `regulator` (weights, cutoff_hz, period_s): \
         {cause}"
    )]
    NoRegulator {
        /// What stopped the design.
        cause: softdock_control::Error,
    },
    /// The target cannot be placed.
    #[error(
        "the target cannot be placed with a gap of {gap_m} m (initial_gap_m): on its way along the \
         docking axis it never comes that near; lower misalignment.lateral_x_m and lateral_y_m"
    )]
    NoApproach {
        /// The gap asked for [m].
        gap_m: f64,
    },
}

impl From<ConfigError> for DockingError {
    fn from(error: ConfigError) -> Self {
        Self::Platform(error.into())
    }
}
