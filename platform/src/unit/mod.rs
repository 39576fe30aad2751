//! A leg behind one interface, native or loaded: the motion of its tip in, the force of its tip
//! out, one communication step at a time.
//!
//! Over a step the tip goes from where it is to the position and velocity given for the end, on
//! the cubic through both. What a unit can do beyond that is told by its [`Abilities`].

#[cfg(feature = "fmus")]
pub mod loaded;
pub mod native;

#[cfg(feature = "fmus")]
pub use loaded::LoadedFmu;
pub use native::{NativeUnit, UnitStart, unit_starts};

use crate::body::BodyState;
use crate::native::base_motion;
use leg_core::series::ORDERS;
use multibody::group::Se3;
use multibody::results::soundness::LeafStrain;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3, Vector6};

/// What a unit can do beyond stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abilities {
    /// It can go back to where it was saved.
    pub rollback: bool,
    /// It knows how the force of its tip depends on the tip's motion.
    pub derivatives: bool,
    /// It tells how that force went over a step.
    pub series: bool,
    /// It stands on a base that moves.
    pub moving_base: bool,
}

/// What a unit without it cannot do.
pub(crate) const STAND_ON_MOVING_BASE: &str =
    "stand on a base that moves, as base.free_floating = true asks for";

/// Why a unit did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The step was too much for it; it is where it was before, and a smaller step may do.
    #[error("the step from t = {start_s} s by {length_s} s was discarded: {reason}")]
    Discarded {
        /// Start of the step [s], as text.
        start_s: String,
        /// Its length [s], as text.
        length_s: String,
        /// What the unit says.
        reason: String,
    },
    /// It has failed for good.
    #[error("{reason}")]
    Failed {
        /// What the unit says.
        reason: String,
    },
    /// It cannot be started as this leg.
    #[error("it cannot be started as this leg: {reason}")]
    Refused {
        /// What the unit says.
        reason: String,
    },
    /// It does not have this ability.
    #[error("it cannot {ability}")]
    Unable {
        /// What it cannot do.
        ability: &'static str,
    },
}

impl UnitError {
    /// A step that was discarded.
    pub fn discarded(start: f64, length: f64, reason: impl ToString) -> Self {
        Self::Discarded {
            start_s: start.to_string(),
            length_s: length.to_string(),
            reason: reason.to_string(),
        }
    }

    /// A failure for good.
    pub fn failed(reason: impl ToString) -> Self {
        Self::Failed {
            reason: reason.to_string(),
        }
    }

    /// A refusal to start.
    pub fn refused(reason: impl ToString) -> Self {
        Self::Refused {
            reason: reason.to_string(),
        }
    }

    /// True if a smaller step may do.
    pub fn is_discard(&self) -> bool {
        matches!(self, Self::Discarded { .. })
    }
}

/// An input over a step: its value at the start and its derivatives there, orders 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Command {
    /// Value at the start of the step.
    pub value: f64,
    /// Derivatives; none if the input does not change.
    pub derivatives: Option<[f64; 3]>,
}

impl Command {
    /// An input that does not change.
    pub fn constant(value: f64) -> Self {
        Self {
            value,
            derivatives: None,
        }
    }

    /// Its mean over `length` seconds.
    pub fn mean(&self, length: f64) -> f64 {
        let [d1, d2, d3] = self.derivatives.unwrap_or_default();
        let h = length;
        self.value + h * (d1 / 2.0 + h * (d2 / 6.0 + h * d3 / 24.0))
    }

    /// The cubic from `(value, rate)` to `(value, rate)` over `length` seconds.
    pub fn cubic(from: (f64, f64), to: (f64, f64), length: f64) -> Self {
        let ((p0, v0), (p1, v1)) = (from, to);
        let mean = (p1 - p0) / length;
        let square = (3.0 * mean - 2.0 * v0 - v1) / length;
        let cube = (v0 + v1 - 2.0 * mean) / (length * length);
        Self {
            value: p0,
            derivatives: Some([v0, 2.0 * square, 6.0 * cube]),
        }
    }
}

/// Inputs of a unit for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitInputs {
    /// Position of the tip at the end of the step, world axes [m].
    pub tip_position: Vector3<f64>,
    /// Velocity of the tip at the end of the step, world axes [m/s].
    pub tip_velocity: Vector3<f64>,
    /// Torque on the crank [N·m].
    pub motor_torque: Command,
    /// Target of the crank's angle, counted from its start [rad].
    pub motor_angle: Command,
    /// A base that moves at the end of the step.
    pub base: Option<BaseMotion>,
}

/// Where a base that moves is, from where it was at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseMotion {
    /// Position [m] and rotation vector [rad].
    pub place: Vector6<f64>,
    /// Their rates [m/s, rad/s].
    pub rate: Vector6<f64>,
}

impl BaseMotion {
    /// That of a body; fails where it has turned by half a turn.
    pub fn of(base: &BodyState) -> UnitResult<Self> {
        let motion = base_motion(base).map_err(UnitError::failed)?;
        Ok(Self {
            place: Vector6::from_fn(|i, _| motion[i][0]),
            rate: Vector6::from_fn(|i, _| motion[i][1]),
        })
    }
}

/// How the force of the tip depends on the tip's motion at the end of the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipDerivatives {
    /// By the position [N/m].
    pub by_position: Matrix3<f64>,
    /// By the velocity [N·s/m].
    pub by_velocity: Matrix3<f64>,
}

impl Default for TipDerivatives {
    fn default() -> Self {
        Self {
            by_position: Matrix3::zeros(),
            by_velocity: Matrix3::zeros(),
        }
    }
}

/// How the force of the tip and the wrench on a base that moves depend on the motion of both ends at
/// the end of the last step, besides [`TipDerivatives`]: by the base's place and its rates, by the tip's
/// position and velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseDerivatives {
    /// Of the tip's force by place and rates of the base.
    pub tip_by_base: [SMatrix<f64, 3, 6>; 2],
    /// Of the wrench by position and velocity of the tip.
    pub by_tip: [SMatrix<f64, 6, 3>; 2],
    /// Of the wrench by place and rates of the base.
    pub by_base: [Matrix6<f64>; 2],
}

impl Default for BaseDerivatives {
    fn default() -> Self {
        Self {
            tip_by_base: [SMatrix::zeros(); 2],
            by_tip: [SMatrix::zeros(); 2],
            by_base: [Matrix6::zeros(); 2],
        }
    }
}

/// How the force of the tip went over a step: integrator of Legendre's polynomials, the mean
/// first ([`leg_core::series`]) [N].
pub type ForceSeries = [Vector3<f64>; ORDERS];

/// Energies of a leg [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegEnergy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Strain energy of the leaf.
    pub strain: f64,
    /// Energy stored in the tendon.
    pub tendon: f64,
    /// Potential of gravity.
    pub gravity: f64,
    /// Work done by tip and motor since the start.
    pub work_in: f64,
    /// Energy dissipated since the start.
    pub dissipated: f64,
}

impl LegEnergy {
    /// What is stored.
    pub fn stored(&self) -> f64 {
        self.kinetic + self.strain + self.tendon + self.gravity
    }
}

/// A look at a leg.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegView {
    /// Force of the leg on the end effector, world axes [N].
    pub tip_force: Vector3<f64>,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Tendon length [m].
    pub tendon_length: f64,
    /// Crank angle [rad].
    pub motor_angle: f64,
    /// Its rate [rad/s].
    pub motor_rate: f64,
    /// Torque of motor or driver on the crank [N·m].
    pub motor_torque: f64,
}

/// Where the parts of a leg are, for drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct LegShape {
    /// Pose of the crank; its frame is on the motor's axis.
    pub crank: Se3,
    /// Poses along the leaf from A to B; e1 along the leaf, e3 across it.
    pub leaf: Vec<Se3>,
}

/// Result of a unit's functions.
pub type UnitResult<T> = core::result::Result<T, UnitError>;

/// Where the legs of a platform start, and a unit for each.
pub type AllUnits = (Vec<UnitStart>, Vec<Box<dyn LegUnit>>);

/// A leg in the hands of a co-simulation master.
pub trait LegUnit: Send + core::fmt::Debug {
    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// Moves on by `length` from `start` [s], where it is. A step that is discarded leaves it where
    /// it was.
    fn step(&mut self, start: f64, length: f64, inputs: &UnitInputs) -> UnitResult<()>;

    /// Force of the leg on what holds its tip, world axes [N].
    fn tip_force(&mut self) -> UnitResult<Vector3<f64>>;

    /// Derivatives of that force by the tip's motion at the end of the last step.
    fn derivatives(&mut self) -> UnitResult<TipDerivatives>;

    /// How that force went over the last step.
    fn force_series(&mut self) -> UnitResult<ForceSeries>;

    /// Derivatives of the series by the tip's motion at the end of the last step.
    fn series_derivatives(&mut self) -> UnitResult<[TipDerivatives; ORDERS]>;

    /// Wrench of the leg on a base that moves, world axes, about the base's origin [N, N·m].
    fn base_wrench(&mut self) -> UnitResult<Vector6<f64>> {
        let ability = STAND_ON_MOVING_BASE;
        Err(UnitError::Unable { ability })
    }

    /// Derivatives that concern a base that moves.
    fn base_derivatives(&mut self) -> UnitResult<BaseDerivatives> {
        let ability = STAND_ON_MOVING_BASE;
        Err(UnitError::Unable { ability })
    }

    /// A look at the leg.
    fn view(&mut self) -> UnitResult<LegView>;

    /// Its energies.
    fn energy(&mut self) -> UnitResult<LegEnergy>;

    /// Largest strains of its leaf; none if it does not tell.
    fn leaf_strain(&mut self) -> UnitResult<Option<LeafStrain>>;

    /// Where its parts are.
    fn shape(&mut self) -> UnitResult<LegShape>;

    /// Remembers where it is, in place of what it remembered before.
    fn save(&mut self) -> UnitResult<()>;

    /// Goes back to what it remembers.
    fn restore(&mut self) -> UnitResult<()>;
}
