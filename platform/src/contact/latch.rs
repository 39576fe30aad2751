//! Capture: when the latch closes, and the spring-damper that holds the bodies from then on.
//!
//! The latch closes when gap, angle and speed have all been inside their limits for the dwell
//! time: at t = t_in + dwell, t_in being when the last of them came inside. A run locates t_in within
//! the step and ends a step at that t ([`Latch::due`]). The hold acts between a frame on the end effector (axes of its port, origin in the centre
//! of the contact points; G in the frame of body A) and the place it had on the target at capture.
//! In the notation of `relative`, with E = H G, E₀ its value at capture:
//!
//! ```text
//! e = log(E₀⁻¹ E),  ζ = Ad_E⁻¹ ξ,  ν = Ad_E⁻¹ η                               (1)
//! w = −T⁻ᵀ(e) K e − D ν,  W = Ad_E⁻ᵀ w                                        (2)
//! U = ½ eᵀ K e,  P = νᵀ D ν                                                   (3)
//! δw = −[∂(T⁻ᵀ(e) p)/∂e|_{p = K e} + T⁻ᵀ K] T⁻¹ ζ − D (ad_ν ζ + Ad_E⁻¹ δη)    (4)
//! δW = Ad_E⁻ᵀ δw − coad(W) ξ                                                  (5)
//! ```
//!
//! e deformation, ν its rate as a twist of the hold's frame, w the wrench on the end effector in
//! that frame, K and D 6×6, symmetric and positive semidefinite (units N/m, N·m/rad and N·s/m,
//! N·m·s/rad on the diagonal), U energy [J], P dissipated power [W]; e is a full logarithm, so (2)
//! is exact for any deformation short of a half turn.

use super::config::LatchConfig;
use super::event::first_zero;
use super::output::ContactOutput;
use super::pair::{Alignment, ContactPair};
use super::relative::{BodyMotion, Interaction, Relative};
use multibody::group::{Group, LogAmbiguous, Se3};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Numbers of a serialised latch: state, time, reference pose.
const NUMBERS: usize = 14;

/// State of a latch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LatchState {
    /// Not inside the limits.
    #[default]
    Open,
    /// Inside the limits since a time [s].
    Dwelling {
        /// When the dwell began [s].
        since: f64,
    },
    /// Closed.
    Captured {
        /// When it closed [s].
        time: f64,
        /// Pose E₀ of the hold's frame against the target at capture.
        reference: Se3,
    },
}

/// A serialised latch that does not fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("number {index} of the latch memory is {value}: it must be {allowed}")]
pub struct LatchError {
    /// Position in the numbers; the count of the numbers if there are too many or too few.
    pub index: usize,
    /// The number.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

/// A latch: limits, hold and state.
#[derive(Debug, Clone, PartialEq)]
pub struct Latch {
    config: LatchConfig,
    /// G: the hold's frame in the frame of the end effector.
    frame: Se3,
    stiffness: Matrix6<f64>,
    damping: Matrix6<f64>,
    state: LatchState,
}

impl Latch {
    /// An open latch for a pair.
    pub fn new(config: &LatchConfig, pair: &ContactPair) -> Self {
        let diagonal = |linear: [f64; 3], angular: [f64; 3]| {
            let ([a, b, c], [d, e, f]) = (linear, angular);
            Matrix6::from_diagonal(&Vector6::new(a, b, c, d, e, f))
        };
        Self {
            config: *config,
            frame: Se3::from_parts(*pair.centre(), pair.mounts().effector.rotation()),
            stiffness: diagonal(config.stiffness_n_per_m, config.stiffness_nm_per_rad),
            damping: diagonal(config.damping_n_s_per_m, config.damping_nm_s_per_rad),
            state: LatchState::Open,
        }
    }

    /// The same latch with a full 6×6 stiffness and damping of the hold, in the axes of the end
    /// effector's port about the centre of its contact points.
    pub fn with_hold(mut self, stiffness: &Matrix6<f64>, damping: &Matrix6<f64>) -> Self {
        self.stiffness = *stiffness;
        self.damping = *damping;
        self
    }

    /// State.
    pub fn state(&self) -> &LatchState {
        &self.state
    }

    /// Time of capture [s].
    pub fn capture_time(&self) -> Option<f64> {
        match self.state {
            LatchState::Captured { time, .. } => Some(time),
            _ => None,
        }
    }

    /// Whether a motion is inside the limits; anything that is not a number is not.
    fn inside(&self, alignment: &Alignment) -> bool {
        alignment.gap <= self.config.gap_m
            && alignment.angle <= self.config.angle_deg.to_radians()
            && alignment.speed <= self.config.speed_m_s
    }

    /// True while it may still close.
    fn waits(&self) -> bool {
        self.config.enabled && !matches!(self.state, LatchState::Captured { .. })
    }

    /// How far a motion is from being inside the limits: negative inside, zero where the last
    /// condition is just met. Only its sign and its zero have a meaning.
    fn outside_by(&self, alignment: &Alignment) -> f64 {
        let gap = alignment.gap - self.config.gap_m;
        let angle = alignment.angle - self.config.angle_deg.to_radians();
        let speed = alignment.speed - self.config.speed_m_s;
        gap.max(angle).max(speed)
    }

    /// When it will close if the conditions stay met [s]; none while they are not.
    pub fn due(&self) -> Option<f64> {
        match self.state {
            LatchState::Dwelling { since } => Some(since + self.config.dwell_s),
            _ => None,
        }
    }

    /// Where in a step the last condition comes to be met, as a fraction of the step: the alignment
    /// is `at(0)` at its start and `at(1)` at its end. None if the dwell does not begin in the step.
    pub(crate) fn entry(&self, at: impl Fn(f64) -> Alignment) -> Option<f64> {
        let open = self.waits() && self.state == LatchState::Open;
        if !open || !self.inside(&at(1.0)) {
            return None;
        }
        let outside = |share: f64| self.outside_by(&at(share));
        if outside(0.0) <= 0.0 {
            return Some(0.0);
        }
        Some(first_zero(outside))
    }

    /// Time from `entry` to closing [s].
    pub(crate) fn dwell(&self) -> f64 {
        self.config.dwell_s
    }

    /// Looks at an accepted state at `time` [s]; true when the latch closes with it. A closed latch
    /// stays closed until [`Self::release`].
    pub fn observe(
        &mut self,
        time: f64,
        alignment: &Alignment,
        a: &BodyMotion,
        b: &BodyMotion,
    ) -> bool {
        self.observe_since(time, (time, 0.0), alignment, a, b)
    }

    /// The same, if it is known that conditions that are met for the first time at `time` [s] were
    /// so since `entry` [s]. A latch that is due within `slack` [s] closes.
    pub(crate) fn observe_since(
        &mut self,
        entry: f64,
        (time, slack): (f64, f64),
        alignment: &Alignment,
        a: &BodyMotion,
        b: &BodyMotion,
    ) -> bool {
        if !self.waits() {
            return false;
        }
        if !self.inside(alignment) {
            self.state = LatchState::Open;
            return false;
        }
        let since = match self.state {
            LatchState::Dwelling { since } => since,
            _ => entry,
        };
        // The same sum as in `due`: a step that ends then closes the latch whatever the rounding.
        let due = since + self.config.dwell_s;
        let captured = time + slack >= due;
        self.state = if captured {
            LatchState::Captured {
                time,
                reference: b.pose.between(&a.pose).compose(&self.frame),
            }
        } else {
            LatchState::Dwelling { since }
        };
        captured
    }

    /// Opens the latch.
    pub fn release(&mut self) {
        self.state = LatchState::Open;
    }

    /// Adds the hold of a closed latch to `output`, with tangents; an open latch adds nothing.
    pub fn add_hold(
        &self,
        a: &BodyMotion,
        b: &BodyMotion,
        output: &mut ContactOutput,
    ) -> Result<(), LogAmbiguous> {
        let LatchState::Captured { reference, .. } = &self.state else {
            return Ok(());
        };
        let relative = Relative::new(a, b);
        let pose = relative.pose.compose(&self.frame);
        let e = reference.between(&pose).log()?; // (1)
        let back = pose.adjoint_inverse();
        let rate = back * relative.twist;
        let load = self.stiffness * e;
        let inverse = Se3::tangent_inverse(&e);
        let wrench = -(inverse.tr_mul(&load) + self.damping * rate); // (2)
        let seen = back.tr_mul(&wrench);
        let elastic = (Se3::tangent_inverse_transpose_derivative(&e, &load)
            + inverse.tr_mul(&self.stiffness))
            * inverse;
        let by_pose = -(elastic + self.damping * Se3::ad(&rate)); // (4)
        let interaction = Interaction {
            wrench: seen,
            by_pose: back.tr_mul(&by_pose) * back - Se3::coad(&seen), // (5)
            by_twist: -back.tr_mul(&self.damping) * back,
        };
        output.add(&relative, &interaction, true);
        output.latch_potential += 0.5 * e.dot(&load); // (3)
        output.latch_power += rate.dot(&(self.damping * rate));
        Ok(())
    }

    /// The state as numbers.
    pub fn numbers(&self) -> [f64; NUMBERS] {
        let mut numbers = [0.0; NUMBERS];
        match &self.state {
            LatchState::Open => {}
            LatchState::Dwelling { since } => {
                numbers[0] = 1.0;
                numbers[1] = *since;
            }
            LatchState::Captured { time, reference } => {
                numbers[0] = 2.0;
                numbers[1] = *time;
                numbers[2..5].copy_from_slice(reference.translation().as_slice());
                numbers[5..].copy_from_slice(reference.rotation().as_slice());
            }
        }
        numbers
    }

    /// Takes the state from [`Self::numbers`]; unchanged on error.
    pub fn restore(&mut self, numbers: &[f64]) -> Result<(), LatchError> {
        let refuse = |index: usize, value: f64, allowed| LatchError {
            index,
            value,
            allowed,
        };
        let count = numbers.len();
        if count != NUMBERS {
            return Err(refuse(count, count as f64, "one of 14 numbers"));
        }
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(refuse(index, numbers[index], "finite"));
        }
        let time = numbers[1];
        self.state = if numbers[0] == 0.0 {
            LatchState::Open
        } else if numbers[0] == 1.0 {
            LatchState::Dwelling { since: time }
        } else if numbers[0] == 2.0 {
            LatchState::Captured {
                time,
                reference: Se3::from_parts(
                    Vector3::from_column_slice(&numbers[2..5]),
                    Matrix3::from_column_slice(&numbers[5..]),
                ),
            }
        } else {
            return Err(refuse(0, numbers[0], "0, 1 or 2"));
        };
        Ok(())
    }
}
