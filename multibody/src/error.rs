//! What can go wrong in the kernel, with the evidence.

use crate::model::Location;

/// Result of kernel functions.
pub type Result<T> = core::result::Result<T, Error>;

/// An error of the kernel. Every variant carries the numbers that explain it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A quantity given to a builder or solver is outside its range.
    #[error("{owner}: {quantity} = {value} is not allowed (must be {allowed})")]
    OutOfRange {
        /// Name of the body, joint, force or setting that owns the quantity.
        owner: String,
        /// Name of the quantity.
        quantity: &'static str,
        /// The value given.
        value: f64,
        /// The allowed range in words.
        allowed: &'static str,
    },
    /// A stiffness or inertia matrix is not symmetric and positive (semi)definite.
    #[error(
        "{owner}: {quantity} must be symmetric and {allowed}; its smallest eigenvalue is {eigenvalue:e}"
    )]
    NotPositive {
        /// Name of the body or section.
        owner: String,
        /// Name of the matrix.
        quantity: &'static str,
        /// What is allowed in words.
        allowed: &'static str,
        /// Smallest eigenvalue found (NaN when the matrix is not symmetric or not finite).
        eigenvalue: f64,
    },
    /// An identifier does not belong to this model, or the combination makes no sense.
    #[error("{owner}: {problem}")]
    BadReference {
        /// Name of the joint, force or setting.
        owner: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The joint asked for does not exist in the plane.
    #[error("joint {joint}: a {kind} joint needs a spatial model")]
    SpatialOnly {
        /// Name of the joint.
        joint: String,
        /// Kind of joint.
        kind: &'static str,
    },
    /// The bodies and joints cannot be laid out for the solver.
    #[error("model: {0}")]
    Layout(#[from] crate::linear_solver::LayoutError),
    /// The system matrix is singular: redundant or contradictory constraints, or a free motion
    /// without stiffness.
    #[error(
        "singular system at t = {time} s, iteration {iteration}: {location} (pivot {pivot:e} against scale {scale:e})"
    )]
    Singular {
        /// Time [s].
        time: f64,
        /// Newton iteration, from 1.
        iteration: usize,
        /// Body or joint at which the elimination broke down.
        location: Location,
        /// The offending pivot.
        pivot: f64,
        /// The magnitude it was compared with.
        scale: f64,
    },
    /// Newton's iteration did not converge.
    #[error(
        "Newton did not converge at t = {time} s (step {step:e} s): after {iterations} iterations the correction is {correction:e} and the largest residual {residual:e} at {location}"
    )]
    NewtonDiverged {
        /// Time at the end of the step [s].
        time: f64,
        /// Step size [s]; zero in statics.
        step: f64,
        /// Iterations done.
        iterations: usize,
        /// Norm of the last correction (relative to the model's length; rad).
        correction: f64,
        /// Largest residual [N or N·m].
        residual: f64,
        /// Where the residual is largest.
        location: Location,
    },
    /// A value became NaN or infinite.
    #[error("not a finite number at t = {time} s, iteration {iteration}: {location}")]
    NotFinite {
        /// Time [s].
        time: f64,
        /// Newton iteration, from 1 (0: before the first).
        iteration: usize,
        /// Where it was first seen.
        location: Location,
    },
    /// The frames at the ends of an element are turned by nearly half a turn against each other.
    #[error(
        "beam {beam}, element {element} at t = {time} s: its ends are turned by {angle_rad} rad against each other (at most {limit_rad}); refine the mesh"
    )]
    ElementTurnedTooFar {
        /// Name of the beam.
        beam: String,
        /// Element index, from 0.
        element: usize,
        /// Relative rotation [rad].
        angle_rad: f64,
        /// Allowed rotation [rad].
        limit_rad: f64,
        /// Time [s].
        time: f64,
    },
    /// A bushing turned by half a turn.
    #[error("bushing {bushing} has turned by half a turn at t = {time} s: nothing holds that long")]
    BushingTorn {
        /// Name of the bushing.
        bushing: String,
        /// Time [s].
        time: f64,
    },
    /// A prescribed position jumps, which no motion can follow.
    #[error(
        "input {input} prescribes a position and jumps by {by} (m or rad) at t = {time} s: nothing can follow it"
    )]
    PositionJumps {
        /// Time [s].
        time: f64,
        /// Name of the input.
        input: String,
        /// Size of the jump [m, rad].
        by: f64,
    },
    /// The step size fell below the smallest allowed one.
    #[error("step size {step:e} s fell below {minimum:e} s at t = {time} s: {cause}")]
    StepTooSmall {
        /// Time [s].
        time: f64,
        /// The step size refused [s].
        step: f64,
        /// The smallest allowed one [s].
        minimum: f64,
        /// Why the last step failed.
        cause: Box<Error>,
    },
    /// A continuation could not reach its target.
    #[error("continuation stopped at parameter {reached} of {target} after {steps} steps: {cause}")]
    ContinuationStopped {
        /// Parameter value reached.
        reached: f64,
        /// Parameter value asked for.
        target: f64,
        /// Accepted steps.
        steps: usize,
        /// Why the last step failed.
        cause: Box<Error>,
    },
    /// The given state does not satisfy the constraints.
    #[error(
        "inconsistent state at t = {time} s: {location} is violated by {violation:e} (allowed {allowed:e})"
    )]
    Inconsistent {
        /// Time [s].
        time: f64,
        /// The joint.
        location: Location,
        /// Size of the violation [m or rad].
        violation: f64,
        /// Allowed violation.
        allowed: f64,
    },
    /// Some constraints follow from the others: they carry forces that nothing determines.
    #[error(
        "{count} of {constraints} constraints are redundant at t = {time} s: {location} is the first that follows from those before it; remove or loosen it"
    )]
    Redundant {
        /// Time [s].
        time: f64,
        /// How many constraint rows follow from the others.
        count: usize,
        /// How many there are.
        constraints: usize,
        /// The first of the redundant ones.
        location: Location,
    },
    /// The mass matrix is singular on the motions that the constraints allow.
    #[error(
        "{count} of {coordinates} independent motions move no mass, most of all at {location} (smallest relative inertia {ratio:e}): give it mass or rotary inertia, or lock it with a joint"
    )]
    Massless {
        /// Number of motions without mass.
        count: usize,
        /// Number of independent coordinates.
        coordinates: usize,
        /// Where the first of these motions is largest.
        location: Location,
        /// Smallest eigenvalue of the mass matrix scaled to a unit diagonal.
        ratio: f64,
    },
    /// The state is not an equilibrium.
    #[error(
        "not an equilibrium at t = {time} s: {location} would still move by {correction:e} of the model's length (allowed {allowed:e}); solve the statics first"
    )]
    NotEquilibrium {
        /// Time [s].
        time: f64,
        /// Body that moves most, or the violated joint.
        location: Location,
        /// Distance to the equilibrium (relative to the model's length; rad).
        correction: f64,
        /// Allowed distance.
        allowed: f64,
    },
    /// The stiffness has an antisymmetric part, so real modes do not exist.
    #[error(
        "the stiffness is unsymmetric by {asymmetry:e} of its size (allowed {allowed:e}), as follower loads and moments with fixed axes make it: ask for damped modes, which are complex"
    )]
    NotConservative {
        /// Largest antisymmetric entry in units of the symmetric part.
        asymmetry: f64,
        /// Allowed value.
        allowed: f64,
    },
    /// A reduced linear model does not answer like the full one.
    #[error(
        "a model of {states} states is off by {relative:.2e} of the full model's response at \
         {at_hz:.4e} Hz, and {tolerance} is allowed below {below_hz:.4e} Hz: more modes, a \
         higher cutoff or a larger tolerance are needed"
    )]
    Reduction {
        /// States of the reduced model.
        states: usize,
        /// Largest relative error of its response [-].
        relative: f64,
        /// Where it is [Hz].
        at_hz: f64,
        /// Highest frequency compared [Hz].
        below_hz: f64,
        /// What is allowed [-].
        tolerance: f64,
    },
    /// Fewer modes exist than were asked for, or the eigenvalue solver failed.
    #[error("modal analysis: {problem} (asked for {asked}, {available} available)")]
    Modal {
        /// What is wrong.
        problem: &'static str,
        /// Modes asked for.
        asked: usize,
        /// Degrees of freedom available.
        available: usize,
    },
}

impl Error {
    /// The same error, its times counted from `offset` seconds earlier.
    pub fn later_by(mut self, offset: f64) -> Self {
        self.delay(offset);
        self
    }

    fn delay(&mut self, offset: f64) {
        match self {
            Self::Singular { time, .. }
            | Self::NewtonDiverged { time, .. }
            | Self::NotFinite { time, .. }
            | Self::ElementTurnedTooFar { time, .. }
            | Self::PositionJumps { time, .. }
            | Self::BushingTorn { time, .. }
            | Self::Inconsistent { time, .. } => *time += offset,
            Self::StepTooSmall { time, cause, .. } => {
                *time += offset;
                cause.delay(offset);
            }
            _ => {}
        }
    }
}

/// Checks that `value` satisfies `ok` and is finite, else names it.
pub fn require(
    ok: bool,
    owner: &str,
    quantity: &'static str,
    value: f64,
    allowed: &'static str,
) -> Result<()> {
    if ok && value.is_finite() {
        Ok(())
    } else {
        Err(Error::OutOfRange {
            owner: owner.to_owned(),
            quantity,
            value,
            allowed,
        })
    }
}
