//! Why a case could not be computed.

use crate::fourbar::FourBarError;
use crate::runge_kutta::IntegrationError;
use leg_core::LegError;
use softdock_platform::PlatformError;

/// Result of a case.
pub type Result<T> = core::result::Result<T, Failure>;

/// Why a case could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The kernel refused.
    #[error(transparent)]
    Kernel(#[from] multibody::Error),
    /// The explicit four-bar refused a position.
    #[error(transparent)]
    FourBar(#[from] FourBarError),
    /// The explicit four-bar could not be integrated.
    #[error(transparent)]
    Integration(#[from] IntegrationError<FourBarError>),
    /// The platform refused.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A leg refused.
    #[error(transparent)]
    Leg(#[from] LegError),
    /// A mechanism could not be read or run.
    #[error(transparent)]
    Mechanism(#[from] softdock_mechanism::MechanismError),
    /// A shipped configuration cannot be read.
    #[error("shipped configuration: {message}")]
    Scenario {
        /// The parser's complaint.
        message: String,
    },
    /// A reference file has a line that is not numbers.
    #[error("reference line {line}: {text:?} is not a row of numbers")]
    Reference {
        /// Number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A computed signal does not have the feature that was to be measured.
    #[error("{what}: found {found}, needed {needed}")]
    TooFew {
        /// What was looked for.
        what: &'static str,
        /// How many were found.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
}
