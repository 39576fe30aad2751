//! Capture: when the latch closes, and the spring-damper that holds the bodies from then on.
//!
//! The latch closes when gap, angle and speed have all been inside their limits for the dwell
//! time: at t = t_in + dwell, t_in being when the last of them came inside. A run locates t_in within
//! the step and ends a step at that t ([`Latch::due`]). The hold acts between a frame on body A (axes
//! of its port, origin in the centre of the contact points; G in the frame of A) and the place it
//! had on body B at capture.
//! It is a bushing ([`crate::model::Bushing`]).

use super::event::first_zero;
use super::output::ContactOutput;
use super::pair::{Alignment, ContactPair};
use super::relative::BodyMotion;
use crate::group::{Group, LogAmbiguous, Se3};
use crate::model::Bushing;
use nalgebra::{Matrix3, Matrix6, Vector3};

/// Numbers of a serialised latch: state, time, reference pose.
const NUMBERS: usize = 14;

/// State of a latch.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
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
        /// Pose E₀ of the hold's frame against body B at capture.
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

/// When a latch closes.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LatchLimits {
    /// It may close at all.
    pub enabled: bool,
    /// Largest gap [m].
    pub gap: f64,
    /// Largest angle between the axes [rad].
    pub angle: f64,
    /// Largest relative speed [m/s].
    pub speed: f64,
    /// How long all of them must be kept [s].
    pub dwell: f64,
}

/// A latch: limits, hold and state.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Latch {
    limits: LatchLimits,
    /// What holds the bodies once it is closed; its frame on B is that of the capture.
    hold: Bushing<Se3, 6>,
    state: LatchState,
}

impl Latch {
    /// An open latch for a pair; the 6×6 stiffness and damping of its hold are in the axes of the
    /// port of A about the centre of the contact points.
    pub fn new(
        limits: LatchLimits,
        pair: &ContactPair,
        stiffness: &Matrix6<f64>,
        damping: &Matrix6<f64>,
    ) -> Self {
        Self {
            limits,
            hold: Bushing {
                on_a: Se3::from_parts(*pair.centre(), pair.mounts().a.rotation()),
                on_b: Se3::identity(),
                stiffness: *stiffness,
                damping: *damping,
            },
            state: LatchState::Open,
        }
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
        alignment.gap <= self.limits.gap
            && alignment.angle <= self.limits.angle
            && alignment.speed <= self.limits.speed
    }

    /// True while it may still close.
    fn waits(&self) -> bool {
        self.limits.enabled && !matches!(self.state, LatchState::Captured { .. })
    }

    /// How far a motion is from being inside the limits: negative inside, zero where the last
    /// condition is just met. Only its sign and its zero have a meaning.
    fn outside_by(&self, alignment: &Alignment) -> f64 {
        let gap = alignment.gap - self.limits.gap;
        let angle = alignment.angle - self.limits.angle;
        let speed = alignment.speed - self.limits.speed;
        gap.max(angle).max(speed)
    }

    /// When it will close if the conditions stay met [s]; none while they are not.
    pub fn due(&self) -> Option<f64> {
        match self.state {
            LatchState::Dwelling { since } => Some(since + self.limits.dwell),
            _ => None,
        }
    }

    /// Where in a step the last condition comes to be met, as a fraction of the step: the alignment
    /// is `at(0)` at its start and `at(1)` at its end. None if the dwell does not begin in the step.
    pub fn entry(&self, at: impl Fn(f64) -> Alignment) -> Option<f64> {
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
    pub fn dwell(&self) -> f64 {
        self.limits.dwell
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
    pub fn observe_since(
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
        let due = since + self.limits.dwell;
        let captured = time + slack >= due;
        self.state = if captured {
            LatchState::Captured {
                time,
                reference: b.pose.between(&a.pose).compose(&self.hold.on_a),
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

    /// What holds body A at pose `a` to body B at pose `b` when it is closed: as at the capture, or
    /// without load if there was none yet.
    pub fn hold(&self, a: &Se3, b: &Se3) -> Bushing<Se3, 6> {
        let on_b = match &self.state {
            LatchState::Captured { reference, .. } => *reference,
            _ => b.between(a).compose(&self.hold.on_a),
        };
        Bushing { on_b, ..self.hold }
    }

    /// Adds the hold of a closed latch to `output`, with tangents; an open latch adds nothing.
    pub fn add_hold(
        &self,
        a: &BodyMotion,
        b: &BodyMotion,
        output: &mut ContactOutput,
    ) -> Result<(), LogAmbiguous> {
        if !matches!(self.state, LatchState::Captured { .. }) {
            return Ok(());
        }
        let hold = self.hold(&a.pose, &b.pose);
        let response = hold.respond([&a.pose, &b.pose], [&a.twist, &b.twist])?;
        output.wrench_a += response.wrenches[0];
        output.wrench_b += response.wrenches[1];
        output.by_pose.add_blocks(&response.by_pose);
        output.by_twist.add_blocks(&response.by_velocity);
        output.latch_potential += response.energy;
        output.latch_power += response.power;
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
