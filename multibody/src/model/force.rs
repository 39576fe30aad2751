//! Force elements: lines (springs, dampers, tendons), torsion springs, motors, stops, applied wrenches.
//!
//! Motors have their laws in `motor`, stops in `stop`, friction in `friction`.
//!
//! A line between points P (on body A) and Q (on body B) with `z = x_Q − x_P`, `ℓ = |z|` pulls
//! with tension T(ℓ, ℓ̇), positive when it draws the points together:
//!
//! ```text
//! spring-damper  T = k (ℓ − ℓ0) + c ℓ̇                                        (1)
//! tendon         T = s(k (ℓ − ℓ0) + c₊ s(ℓ̇) − c₋ s(−ℓ̇) + f tanh(ℓ̇/v_f) + u)  (2)
//! s(x) = 0 for x ≤ −w,  (x + w)²/4w between,  x for x ≥ w                    (3)
//! ```
//!
//! `s` is the positive part with its corner rounded over ±w: exactly zero when slack, exactly
//! linear when taut, C¹ between, so Newton's tangent exists everywhere. The energy stored is that
//! of the stretched spring, `½ k (ℓ − ℓ0)₊²`; whatever else the line absorbs is dissipated.
//!
//! u is the pull of a winch, an input; a spring-damper adds it to T, too. To pull by u is to take in
//! u/k of the line, and no winch makes a tendon push. What it adds is `T(u) − T(0)`, which times −ℓ̇
//! is its power.

use super::joint::Body;
use super::motor::MotorLaw;
use super::stop::{STOP_MEMORY, Stops};
use super::{InputId, JointId, NodeId};
use crate::error::{Result, require};
use crate::math;
use nalgebra::SVector;

/// A point fixed to a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointOn<const D: usize> {
    /// The body.
    pub body: Body,
    /// The point in the body's frame [m].
    pub point: SVector<f64, D>,
}

impl<const D: usize> PointOn<D> {
    /// Point `point` of node `node`.
    pub fn node(node: NodeId, point: SVector<f64, D>) -> Self {
        Self {
            body: Body::Node(node),
            point,
        }
    }

    /// A point fixed in the inertial frame.
    pub fn ground(point: SVector<f64, D>) -> Self {
        Self {
            body: Body::Ground,
            point,
        }
    }
}

/// Tension law of a line force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineLaw {
    /// Eq. (1): pulls and pushes.
    SpringDamper {
        /// Stiffness k [N/m].
        stiffness: f64,
        /// Rest length ℓ0 [m].
        rest_length: f64,
        /// Damping c [N·s/m].
        damping: f64,
    },
    /// Eq. (2): never pushes.
    Tendon {
        /// Stiffness k [N/m].
        stiffness: f64,
        /// Rest length ℓ0 [m].
        rest_length: f64,
        /// Damping while lengthening c₊ [N·s/m].
        damping_lengthening: f64,
        /// Damping while shortening c₋ [N·s/m].
        damping_shortening: f64,
        /// Guide friction f [N].
        friction: f64,
        /// Speed over which friction changes sign v_f [m/s].
        friction_speed: f64,
        /// Half width of the rounded corner at zero tension [N].
        slack_width: f64,
        /// Half width of the rounded corner between the two dampings [m/s].
        rate_width: f64,
    },
}

/// Tension and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Response {
    /// Tension T [N].
    pub tension: f64,
    /// ∂T/∂ℓ [N/m].
    pub by_length: f64,
    /// ∂T/∂ℓ̇ [N·s/m].
    pub by_rate: f64,
}

/// Eq. (3) and its derivative.
pub(super) fn positive_part(x: f64, width: f64) -> (f64, f64) {
    if x <= -width {
        (0.0, 0.0)
    } else if x >= width {
        (x, 1.0)
    } else {
        let y = x + width;
        (0.25 * y * y / width, 0.5 * y / width)
    }
}

impl LineLaw {
    /// A tendon with equal damping both ways, no friction and narrow corners.
    pub fn tendon(stiffness: f64, rest_length: f64, damping: f64) -> Self {
        Self::Tendon {
            stiffness,
            rest_length,
            damping_lengthening: damping,
            damping_shortening: damping,
            friction: 0.0,
            friction_speed: 1e-3,
            slack_width: 1e-3,
            rate_width: 1e-6,
        }
    }

    /// Tension at length ℓ [m] and rate ℓ̇ [m/s], nothing pulling.
    #[inline]
    pub fn respond(&self, length: f64, rate: f64) -> Response {
        self.pulled(0.0, length, rate)
    }

    /// Tension under the pull u of a winch [N] at length ℓ [m] and rate ℓ̇ [m/s].
    #[inline]
    pub fn pulled(&self, pull: f64, length: f64, rate: f64) -> Response {
        self.pulled_and_slope(pull, length, rate).0
    }

    /// The same, and ∂T/∂u.
    #[inline]
    fn pulled_and_slope(&self, u: f64, length: f64, rate: f64) -> (Response, f64) {
        match *self {
            Self::SpringDamper {
                stiffness,
                rest_length,
                damping,
            } => (
                Response {
                    tension: stiffness * (length - rest_length) + damping * rate + u, // (1)
                    by_length: stiffness,
                    by_rate: damping,
                },
                1.0,
            ),
            Self::Tendon {
                stiffness,
                rest_length,
                damping_lengthening,
                damping_shortening,
                friction,
                friction_speed,
                slack_width,
                rate_width,
            } => {
                let (viscous, by_rate) = if damping_lengthening == damping_shortening {
                    (damping_lengthening * rate, damping_lengthening)
                } else {
                    let (up, up_slope) = positive_part(rate, rate_width);
                    let (down, down_slope) = positive_part(-rate, rate_width);
                    (
                        damping_lengthening * up - damping_shortening * down,
                        damping_lengthening * up_slope + damping_shortening * down_slope,
                    )
                };
                let (rub, rub_slope) = if friction > 0.0 {
                    let t = math::tanh(rate / friction_speed);
                    (friction * t, friction * (1.0 - t * t) / friction_speed)
                } else {
                    (0.0, 0.0)
                };
                let pull = stiffness * (length - rest_length) + viscous + rub + u;
                let (tension, slope) = positive_part(pull, slack_width); // (2)
                let response = Response {
                    tension,
                    by_length: slope * stiffness,
                    by_rate: slope * (by_rate + rub_slope),
                };
                (response, slope)
            }
        }
    }

    /// Derivative of the tension by the pull of a winch [-]: 1 while the line is taut, 0 while it is slack.
    pub fn by_pull(&self, pull: f64, length: f64, rate: f64) -> f64 {
        self.pulled_and_slope(pull, length, rate).1
    }

    /// Power that the pull u of a winch [N] puts in at length ℓ [m] and rate ℓ̇ [m/s] [W].
    pub fn winch_power(&self, pull: f64, length: f64, rate: f64) -> f64 {
        if pull == 0.0 {
            return 0.0;
        }
        let added = self.pulled(pull, length, rate).tension - self.respond(length, rate).tension;
        -added * rate
    }

    /// Energy stored at length ℓ [J].
    pub fn stored_energy(&self, length: f64) -> f64 {
        let (stiffness, stretch) = self.stretch(length);
        0.5 * stiffness * stretch * stretch
    }

    /// Power absorbed and not stored at length ℓ [m] and rate ℓ̇ [m/s] [W].
    pub fn dissipated_power(&self, length: f64, rate: f64) -> f64 {
        let (stiffness, stretch) = self.stretch(length);
        (self.respond(length, rate).tension - stiffness * stretch) * rate
    }

    fn stretch(&self, length: f64) -> (f64, f64) {
        match *self {
            Self::SpringDamper {
                stiffness,
                rest_length,
                ..
            } => (stiffness, length - rest_length),
            Self::Tendon {
                stiffness,
                rest_length,
                ..
            } => (stiffness, (length - rest_length).max(0.0)),
        }
    }

    pub(crate) fn validate(&self, owner: &str) -> Result<()> {
        let not_negative =
            |quantity, value: f64| require(value >= 0.0, owner, quantity, value, ">= 0");
        match *self {
            Self::SpringDamper {
                stiffness,
                rest_length,
                damping,
            } => {
                not_negative("stiffness", stiffness)?;
                not_negative("rest length", rest_length)?;
                not_negative("damping", damping)
            }
            Self::Tendon {
                stiffness,
                rest_length,
                damping_lengthening,
                damping_shortening,
                friction,
                friction_speed,
                slack_width,
                rate_width,
            } => {
                not_negative("stiffness", stiffness)?;
                not_negative("rest length", rest_length)?;
                not_negative("damping while lengthening", damping_lengthening)?;
                not_negative("damping while shortening", damping_shortening)?;
                not_negative("friction", friction)?;
                require(
                    friction_speed > 0.0,
                    owner,
                    "friction speed",
                    friction_speed,
                    "> 0",
                )?;
                require(slack_width > 0.0, owner, "slack width", slack_width, "> 0")?;
                require(rate_width > 0.0, owner, "rate width", rate_width, "> 0")
            }
        }
    }
}

/// The axes in which a wrench is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// World axes: the load keeps its direction (dead load).
    World,
    /// Axes of the body: the load turns with it (follower load).
    Body,
}

/// A force element.
#[derive(Debug, Clone, PartialEq)]
pub enum Force<const D: usize> {
    /// A pull along the line between two points.
    Line {
        /// Name for messages.
        name: String,
        /// Point P.
        a: PointOn<D>,
        /// Point Q.
        b: PointOn<D>,
        /// Tension law.
        law: LineLaw,
        /// Stops of its length [m], which pull at the upper and push at the lower one.
        stops: Option<Stops>,
        /// Input channel of the pull u of a winch [N].
        winch: Option<InputId>,
    },
    /// Torsion spring and damper about e3 of a joint: `τ = −k (θ − θ0) − c θ̇` on body B.
    Torsion {
        /// Name for messages.
        name: String,
        /// The joint (revolute or cylindrical).
        joint: JointId,
        /// Stiffness k [N·m/rad].
        stiffness: f64,
        /// Rest angle θ0 [rad].
        rest_angle: f64,
        /// Damping c [N·m·s/rad].
        damping: f64,
    },
    /// Motor torque on body B about e3 of a joint.
    Motor {
        /// Name for messages.
        name: String,
        /// The joint (revolute or cylindrical).
        joint: JointId,
        /// The torque.
        law: MotorLaw,
    },
    /// Stops of the angle about e3 of a joint [rad].
    Stop {
        /// Name for messages.
        name: String,
        /// The joint (revolute or cylindrical).
        joint: JointId,
        /// The stops.
        stops: Stops,
    },
    /// A force and moment on a node; channels left out are zero.
    Wrench {
        /// Name for messages.
        name: String,
        /// The node.
        node: NodeId,
        /// Point of application in the node's frame [m].
        point: SVector<f64, D>,
        /// Axes in which the components are given.
        axes: Axes,
        /// Input channels of the force components [N].
        force: [Option<InputId>; D],
        /// Input channels of the moment components about e1, e2, e3 [N·m]; in the plane only the
        /// last one counts.
        moment: [Option<InputId>; 3],
    },
    /// A force by a formula.
    Law(super::LawForce<D>),
}

impl<const D: usize> Force<D> {
    /// How many numbers it remembers of the last accepted state.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Line { stops: Some(_), .. } | Self::Stop { .. } => STOP_MEMORY,
            Self::Motor { law, .. } if law.has_memory() => 1,
            _ => 0,
        }
    }

    /// Input channels that it feels.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = InputId> {
        let (mut list, mut count) = ([None; 6], 0);
        let mut add = |input: Option<InputId>| {
            list[count] = input;
            count += 1;
        };
        match self {
            Self::Torsion { .. } | Self::Stop { .. } => {}
            Self::Line { winch, .. } => add(*winch),
            Self::Motor { law, .. } => {
                add(law.torque);
                add(law.hold.map(|hold| hold.target));
            }
            Self::Wrench { force, moment, .. } => {
                force.iter().chain(moment).copied().for_each(add);
            }
            Self::Law(law) => law.inputs().map(|i| Some(InputId(i))).for_each(add),
        }
        list.into_iter().flatten()
    }

    /// Name for messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Line { name, .. }
            | Self::Torsion { name, .. }
            | Self::Motor { name, .. }
            | Self::Stop { name, .. }
            | Self::Wrench { name, .. } => name,
            Self::Law(law) => &law.name,
        }
    }
}
