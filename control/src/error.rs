//! What can go wrong with a control problem, with the evidence.

/// Result of control functions.
pub type Result<T> = core::result::Result<T, Error>;

/// An error of control design. Every variant carries the numbers that explain it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A matrix or a number given is not allowed, or an eigenvalue solver failed.
    #[error(transparent)]
    Kernel(#[from] multibody::Error),
    /// An eigenvalue of a linear system cannot be moved by its inputs or seen by its weights.
    #[error(
        "the system is not {lacking}: the eigenvalue {re:e} + {im:e}i [1/s, or per sample] is out of reach (relative singular value {singular_value:e})"
    )]
    NotStabilizable {
        /// "stabilisable by its inputs" or "detectable by its weights".
        lacking: &'static str,
        /// Real part of the eigenvalue.
        re: f64,
        /// Imaginary part of the eigenvalue.
        im: f64,
        /// Smallest singular value of the Popov-Belevitch-Hautus matrix, relative to its largest.
        singular_value: f64,
    },
    /// A Riccati equation could not be solved.
    #[error(
        "Riccati equation of order {order}: relative residual {residual:e} after {iterations} iterations (allowed {allowed:e}), largest closed-loop growth {growth:e}"
    )]
    RiccatiNotConverged {
        /// Order of the system.
        order: usize,
        /// Doubling steps and Newton refinements done.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
        /// Relative residual allowed.
        allowed: f64,
        /// Largest real part (continuous) or modulus (discrete) of a closed-loop eigenvalue.
        growth: f64,
    },
    /// The outputs cannot be made to follow the reference by the inputs.
    #[error("no feedforward follows the reference: its motion is a zero of the plant")]
    NoFeedforward,
    /// No gain makes stations stable that see their own outputs only.
    #[error(
        "no stiffness and damping at the motors makes the platform stable: legs that go by their own motors \
         cannot regulate it"
    )]
    NoStations,
}
