//! A leg in its place on the end effector: follows the motion of its joint.

use super::course::Stage;
use crate::body::BodyState;
use crate::native_unit::UnitStart;
use crate::unit::{Command, LegUnit, TipDerivatives, UnitError, UnitInputs, UnitResult};
use crate::wrench::{left_limit, next_jump};
use leg_core::model::Signal;
use nalgebra::Vector3;

/// What a leg answers at a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageAnswer {
    /// Force on the end effector, world axes [N].
    pub force: Vector3<f64>,
    /// Its derivatives, if they were asked for.
    pub derivatives: TipDerivatives,
}

impl Default for StageAnswer {
    fn default() -> Self {
        Self {
            force: Vector3::zeros(),
            derivatives: TipDerivatives::default(),
        }
    }
}

/// What a unit does before it follows the end effector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Remembers where it is.
    Save,
    /// Goes back to what it remembers.
    Restore,
    /// Nothing.
    Nothing,
}

/// How a leg is asked to follow the end effector.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What it does first.
    pub before: Before,
    /// Whether derivatives are wanted, those at the first stage.
    pub derivatives: bool,
    /// A step that is discarded is tried again in pieces.
    pub divide: bool,
    /// Longest step of a leg's own solver [s].
    pub leg_step: f64,
}

/// A unit with its joint on the end effector.
#[derive(Debug)]
pub struct Seat {
    /// The unit.
    pub unit: Box<dyn LegUnit>,
    /// Centre of the spherical joint in the end effector's frame [m].
    pub sphere: Vector3<f64>,
    /// Torque on the crank over time [N·m].
    torque: Signal,
    /// Target of the crank's angle over time, from where it starts [rad].
    angle: Signal,
    /// False once the leg is broken.
    pub attached: bool,
    /// True if the motor can do work.
    pub powered: bool,
    time: f64,
    saved_time: f64,
    /// Position and velocity of the tip now and when it was saved.
    tip: (Vector3<f64>, Vector3<f64>),
    saved_tip: (Vector3<f64>, Vector3<f64>),
    /// The answers at the stages of the last request.
    pub answers: Vec<StageAnswer>,
    /// Why the last request failed, if it did.
    pub failure: Option<UnitError>,
}

/// A discarded step is divided at most so often.
const MOST_DIVISIONS: usize = 10;

impl Seat {
    /// A unit at its start.
    pub fn new(unit: Box<dyn LegUnit>, start: &UnitStart, sphere: Vector3<f64>) -> Self {
        use leg_core::leg::config::MotorMode;
        let tip = (Vector3::from(start.config.tip_position_m), Vector3::zeros());
        Self {
            unit,
            sphere,
            torque: start.motor_torque.clone(),
            angle: start.motor_angle.clone(),
            attached: true,
            powered: start.config.motor.mode != MotorMode::Locked,
            time: 0.0,
            saved_time: 0.0,
            tip,
            saved_tip: tip,
            answers: Vec::new(),
            failure: None,
        }
    }

    /// Gives the motor another torque history [N·m] and target history [rad].
    pub fn set_motor(&mut self, torque: Signal, angle: Signal) {
        self.torque = torque;
        self.angle = angle;
    }

    /// First time between `start` and `end` [s], both left out, at which a motor history jumps.
    pub fn next_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        next_jump([&self.torque, &self.angle], start, end, slack)
    }

    /// Where the leg has its tip [m].
    pub fn tip(&self) -> &Vector3<f64> {
        &self.tip.0
    }

    /// Follows the end effector through `stages`; a failure is kept.
    pub fn follow(&mut self, stages: &[Stage], request: &Request) {
        self.failure = None;
        self.answers.clear();
        self.answers.resize(stages.len(), StageAnswer::default());
        if self.attached {
            self.failure = self.try_follow(stages, request).err();
        }
    }

    fn try_follow(&mut self, stages: &[Stage], request: &Request) -> UnitResult<()> {
        match request.before {
            Before::Save => {
                self.unit.save()?;
                (self.saved_time, self.saved_tip) = (self.time, self.tip);
            }
            Before::Restore => {
                self.unit.restore()?;
                (self.time, self.tip) = (self.saved_time, self.saved_tip);
            }
            Before::Nothing => {}
        }
        for (k, stage) in stages.iter().enumerate() {
            let depth = if request.divide { MOST_DIVISIONS } else { 0 };
            let to = self.tip_on(&stage.state);
            self.go(stage.time, to, depth, request.leg_step)?;
            self.answers[k].force = self.unit.tip_force()?;
            if request.derivatives && k == 0 {
                self.answers[k].derivatives = self.unit.derivatives()?;
            }
        }
        Ok(())
    }

    /// Position and velocity of the joint on the end effector.
    fn tip_on(&self, state: &BodyState) -> (Vector3<f64>, Vector3<f64>) {
        (
            state.point(&self.sphere),
            state.point_velocity(&self.sphere),
        )
    }

    /// Moves the tip to a position with a velocity until `end` [s].
    fn go(
        &mut self,
        end: f64,
        to: (Vector3<f64>, Vector3<f64>),
        divisions: usize,
        leg_step: f64,
    ) -> UnitResult<()> {
        let length = end - self.time;
        let inputs = UnitInputs {
            tip_position: to.0,
            tip_velocity: to.1,
            motor_torque: command(&self.torque, self.time, end, leg_step),
            motor_angle: command(&self.angle, self.time, end, leg_step),
        };
        // A unit may need to go back before it can try again.
        let again = divisions > 0 && self.unit.abilities().rollback;
        if again {
            self.unit.save()?;
        }
        match self.unit.step(self.time, length, &inputs) {
            Ok(()) => {
                self.time += length;
                self.tip = to;
                Ok(())
            }
            Err(error) if error.is_discard() && divisions > 0 => {
                if again {
                    self.unit.restore()?;
                }
                let middle = halfway(self.tip, to, length);
                self.go(self.time + 0.5 * length, middle, divisions - 1, leg_step)?;
                self.go(end, to, divisions - 1, leg_step)
            }
            Err(error) => Err(error),
        }
    }
}

/// The middle of the cubic between two positions and velocities `length` seconds apart.
fn halfway(
    from: (Vector3<f64>, Vector3<f64>),
    to: (Vector3<f64>, Vector3<f64>),
    length: f64,
) -> (Vector3<f64>, Vector3<f64>) {
    (
        (from.0 + to.0) * 0.5 + (from.1 - to.1) * (0.125 * length),
        (to.0 - from.0) * (1.5 / length) - (from.1 + to.1) * 0.25,
    )
}

/// A history over a step. The solver of a leg looks at the ends of its own steps, and so does a
/// step that is no longer than those: the same value as in a solver for the whole platform.
fn command(signal: &Signal, start: f64, end: f64, leg_step: f64) -> Command {
    /// Times closer than this fraction of a step are the same.
    const SAME_TIME: f64 = 1e-6;
    let length = end - start;
    if let Signal::Constant(value) = signal {
        return Command::constant(*value);
    }
    let (value, rate, _) = signal.sample(start + SAME_TIME * length);
    let (mut last, last_rate, _) = signal.sample(end);
    if length > leg_step * (1.0 + SAME_TIME) {
        last = left_limit(signal, end, SAME_TIME * length);
    }
    Command::cubic((value, rate), (last, last_rate), length)
}
