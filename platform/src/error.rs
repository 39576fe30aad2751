//! What can go wrong with a platform, with the evidence.

use crate::unit::UnitError;
use leg_core::{ConfigError, LegError};

/// Result of platform functions.
pub type Result<T> = core::result::Result<T, PlatformError>;

/// An error of the platform. Every variant carries the numbers that explain it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlatformError {
    /// A value of the configuration is outside its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The settings of a single leg cannot be changed like this.
    #[error("legs.different, leg {leg}: `{key}`: {problem}")]
    Difference {
        /// Leg, from 1.
        leg: usize,
        /// The key.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such leg.
    #[error("legs.different.leg = {leg} is not allowed: it must be in [1, {count}]")]
    NoSuchLeg {
        /// The number given.
        leg: usize,
        /// Number of legs.
        count: usize,
    },
    /// One leg failed.
    #[error("leg {leg}: {cause}")]
    Leg {
        /// Leg, from 1.
        leg: usize,
        /// Why.
        cause: LegError,
    },
    /// The unit of one leg failed.
    #[error("leg {leg}: {cause}")]
    Unit {
        /// Leg, from 1.
        leg: usize,
        /// Why.
        cause: UnitError,
    },
    /// Units do not fit the platform.
    #[error("{found} units were given for {wanted} legs")]
    WrongUnits {
        /// Number of units.
        found: usize,
        /// Number of legs.
        wanted: usize,
    },
    /// A fixed base feels neither thrusters nor wheels.
    #[error(
        "{key} is not allowed with base.free_floating = false: a fixed base feels nothing of it (take \
         base.free_floating = true)"
    )]
    FixedBaseActs {
        /// The key by which the base acts.
        key: &'static str,
    },
    /// An accuracy can be asked of the monolithic scheme only.
    #[error(
        "solver.accuracy is not allowed with coupling = \"implicit\" or \"explicit\": there the \
         macro step decides; take coupling = \"monolithic\" or give step sizes"
    )]
    NoAccuracy,
    /// Struts were not validated for this.
    #[error("legs.fidelity = \"strut\" is not allowed with {what}: {reason}")]
    NotAsStruts {
        /// What was asked for.
        what: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// Reduced legs were not validated for this.
    #[error("legs.fidelity = \"reduced\" is not allowed with {what}: {reason}")]
    NotReduced {
        /// What was asked for.
        what: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// Monolithic coupling takes the legs apart, which units do not allow.
    #[error(
        "coupling = \"monolithic\" is not possible with legs that are units of their own; take \
         \"implicit\" or \"explicit\""
    )]
    NotDivisible,
    /// A tendon's winch was asked for where a leg has no tendon.
    #[error("a leg without a tendon has no winch (tendon.present)")]
    NoWinch,
    /// The kernel failed on the platform as one model.
    #[error("the platform as one model: {0}")]
    Kernel(#[from] multibody::Error),
    /// A regulator could not be designed.
    #[error(transparent)]
    Control(#[from] softdock_control::Error),
    /// The equations of the bodies are singular.
    #[error(
        "the end effector cannot be moved at t = {time_s} s: its equations are singular \
         (pose at or next to a singularity of the mechanism)"
    )]
    Singular {
        /// Time [s].
        time_s: f64,
    },
    /// A motor cannot hold the equilibrium.
    #[error(
        "motor.torque_limit_nm = {limit_nm} is not allowed here: the motor of leg {leg} needs \
         {needed_nm:.4} N·m to hold the platform in this equilibrium, and there is nothing to \
         linearise about at the limit"
    )]
    BeyondTorqueLimit {
        /// Leg, from 1.
        leg: usize,
        /// The limit [N·m].
        limit_nm: f64,
        /// What is needed [N·m].
        needed_nm: f64,
    },
    /// The closed latch was turned by half a turn.
    #[error("the closed latch was turned by half a turn at t = {time_s} s: its hold is too soft")]
    LatchTorn {
        /// Time [s].
        time_s: f64,
    },
    /// Newton's iteration on the whole platform did not converge.
    #[error(
        "the platform's iteration did not converge at t = {time_s} s (step {step_s:e} s): after \
         {iterations} iterations the correction is {correction:e}"
    )]
    Diverged {
        /// Time at the end of the step [s].
        time_s: f64,
        /// Step size [s].
        step_s: f64,
        /// Iterations done.
        iterations: usize,
        /// Size of the last correction (relative to the length; rad).
        correction: f64,
    },
    /// Newton's iteration on an equilibrium did not converge.
    #[error("after {iterations} iterations the correction is {correction:.1e}")]
    StaticDiverged {
        /// Iterations done.
        iterations: usize,
        /// Size of the last correction (relative to the length; rad).
        correction: f64,
    },
    /// The step size fell below the smallest allowed one.
    #[error("the step fell below {smallest_s:e} s at t = {time_s} s: {cause}")]
    Stalled {
        /// Time of the last good state [s].
        time_s: f64,
        /// Smallest step [s].
        smallest_s: f64,
        /// What stopped it.
        cause: Box<PlatformError>,
    },
    /// There must be one motor angle per leg.
    #[error("{given} motor angles were given for {legs} legs")]
    MotorCount {
        /// Angles given.
        given: usize,
        /// Number of legs.
        legs: usize,
    },
    /// Explicit co-simulation broke down.
    #[error(
        "explicit co-simulation became unstable at t = {time_s} s with macro steps of {step_s:e} s \
         ({cause}): lower solver.macro_step_s or solver.spectral_radius, or take coupling = \
         \"implicit\""
    )]
    Unstable {
        /// Time of the last good state [s].
        time_s: f64,
        /// Macro step [s].
        step_s: f64,
        /// How it showed.
        cause: Box<PlatformError>,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: the path ended at {reached_percent:.1} % of the way from the \
         nominal pose ({reason})"
    )]
    NoEquilibrium {
        /// How far the continuation came [%].
        reached_percent: f64,
        /// Why it ended.
        reason: String,
    },
}

impl PlatformError {
    /// A step at `time_s` that would have to be smaller than the smallest.
    pub(crate) fn stalled(time_s: f64, smallest_s: f64, cause: Self) -> Self {
        Self::Stalled {
            time_s,
            smallest_s,
            cause: Box::new(cause),
        }
    }

    /// Names the leg (from 0) whose unit failed.
    pub(crate) fn in_unit(leg: usize) -> impl Fn(UnitError) -> Self {
        move |cause| Self::Unit {
            leg: leg + 1,
            cause,
        }
    }

    /// Names the leg (from 0) in which something failed.
    pub(crate) fn in_leg<E: Into<LegError>>(leg: usize) -> impl Fn(E) -> Self {
        move |cause| Self::Leg {
            leg: leg + 1,
            cause: cause.into(),
        }
    }
}
