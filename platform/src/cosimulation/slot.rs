//! A leg in its place on the end effector: follows the motion of its joint.

use crate::body::BodyState;
use crate::stopwatch::timed;
use crate::unit::{
    Command, ForceSeries, LegUnit, LegView, TipDerivatives, UnitError, UnitInputs, UnitResult,
    UnitStart,
};
use crate::wrench::{SAME_TIME, left_limit, next_jump};
use leg_core::config::MotorMode;
use leg_core::series::ORDERS;
use multibody::model::Signal;
use nalgebra::{Matrix3, Vector3};
use std::time::Duration;

/// A place on the end effector's way.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Time [s].
    pub time: f64,
    /// The end effector then.
    pub state: BodyState,
}

/// What a leg answers when it has followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegResponse {
    /// Force on the end effector at the stop, world axes [N].
    pub force: Vector3<f64>,
    /// Its derivatives, if they were asked for.
    pub derivatives: TipDerivatives,
    /// How the force went over the step, if that was asked for.
    pub series: ForceSeries,
    /// Its derivatives, if they were asked for.
    pub series_derivatives: [TipDerivatives; ORDERS],
}

impl Default for LegResponse {
    fn default() -> Self {
        Self {
            force: Vector3::zeros(),
            derivatives: TipDerivatives::default(),
            series: [Vector3::zeros(); ORDERS],
            series_derivatives: [TipDerivatives::default(); ORDERS],
        }
    }
}

/// What a leg is asked when it has followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Its force at the stop.
    Force,
    /// How its force went over the step, besides.
    Series,
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
    /// What it is asked.
    pub question: Question,
    /// Whether derivatives of that are wanted.
    pub derivatives: bool,
    /// A step that is discarded is tried again in pieces.
    pub divide: bool,
}

/// How the force of a leg follows the place of its tip at the end of a step of the generalised-α
/// method, velocities following: `δf = G δp`. Corrected by what is observed between two iterations
/// (`broyden1965`), `G ← G + (δf − G δp) δpᵀ/(δpᵀ δp)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Step for which it holds [s].
    pub step: f64,
    /// G [N/m].
    pub matrix: Matrix3<f64>,
    /// Place of the tip and force of the last iteration of the step under way.
    last: Option<(Vector3<f64>, Vector3<f64>)>,
}

/// Updates from changes smaller than this would learn rounding [m].
const SMALLEST_CHANGE: f64 = 1e-12;

impl Slope {
    /// For steps of `step` [s].
    pub fn new(step: f64, matrix: Matrix3<f64>) -> Self {
        Self {
            step,
            matrix,
            last: None,
        }
    }

    /// Another step begins.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// Learns from an iteration.
    pub fn learn(&mut self, tip: &Vector3<f64>, force: &Vector3<f64>) {
        if let Some((last_tip, last_force)) = self.last {
            let way = tip - last_tip;
            let square = way.norm_squared();
            // Not a number is no change to learn from either.
            if square > SMALLEST_CHANGE * SMALLEST_CHANGE {
                let missed = (force - last_force) - self.matrix * way;
                self.matrix += missed * way.transpose() / square;
            }
        }
        self.last = Some((*tip, *force));
    }
}

/// A unit with its joint on the end effector.
#[derive(Debug)]
pub struct LegSlot {
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
    powered: bool,
    /// True if there is a tendon.
    pub has_tendon: bool,
    /// The unit as it was after the last accepted step.
    pub view: LegView,
    /// How its force follows its tip within short steps, see [`Slope`].
    pub slope: Option<Slope>,
    time: f64,
    saved_time: f64,
    /// Position and velocity of the tip now and when it was saved.
    tip: (Vector3<f64>, Vector3<f64>),
    saved_tip: (Vector3<f64>, Vector3<f64>),
    /// Work of its inputs at the start of the step, as the leg has it [J]; see
    /// [`super::common::Cosimulation::note_work`].
    pub work_in: Option<f64>,
    /// The response to the last request.
    pub response: LegResponse,
    /// Why the last request failed, if it did.
    pub failure: Option<UnitError>,
    /// Time that the unit took, once somebody asks for it.
    pub busy: Option<Duration>,
}

/// Change of a tip's place from which units without derivatives are differentiated [m].
const DIFFERENCE: f64 = 1e-7;
/// A discarded step is divided at most so often.
const MOST_DIVISIONS: usize = 10;

impl LegSlot {
    /// A unit at its start.
    pub fn new(unit: Box<dyn LegUnit>, start: &UnitStart, sphere: Vector3<f64>) -> Self {
        let tip = (start.tip(), Vector3::zeros());
        Self {
            unit,
            sphere,
            torque: start.motor_torque.clone(),
            angle: start.motor_angle.clone(),
            attached: true,
            powered: start.config.motor.mode != MotorMode::Locked,
            has_tendon: start.config.tendon.present,
            view: LegView::default(),
            slope: None,
            time: 0.0,
            saved_time: 0.0,
            tip,
            saved_tip: tip,
            work_in: None,
            response: LegResponse::default(),
            failure: None,
            busy: None,
        }
    }

    /// Gives the motor another torque history [N·m] and target history [rad].
    pub fn set_motor(&mut self, torque: Signal, angle: Signal) {
        self.torque = torque;
        self.angle = angle;
    }

    /// True if its motor can do work.
    pub fn has_motor(&self) -> bool {
        self.powered && self.attached
    }

    /// First time between `start` and `end` [s], both left out, at which a motor history jumps.
    pub fn next_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        next_jump([&self.torque, &self.angle], start, end, slack)
    }

    /// Where the leg has its tip [m].
    pub fn tip(&self) -> &Vector3<f64> {
        &self.tip.0
    }

    /// The motor's torque history [N·m] and target history [rad].
    pub fn motor(&self) -> (&Signal, &Signal) {
        (&self.torque, &self.angle)
    }

    /// Follows the end effector to `stop`; a failure is kept.
    pub fn follow(&mut self, stop: &Stop, request: &Request) {
        self.failure = None;
        if self.attached {
            let mut busy = self.busy;
            let done = timed(busy.as_mut(), || self.try_follow(stop, request));
            (self.busy, self.failure) = (busy, done.err());
        } else {
            self.response = LegResponse::default();
        }
    }

    /// Finds G of [`Slope`] by differences about `stop`, whose velocities follow places by `rate`
    /// [1/s]: for units without derivatives. The unit is elsewhere afterwards; a failure is kept.
    pub fn differentiate(&mut self, stop: &Stop, rate: f64, request: &Request) {
        if !self.attached {
            return;
        }
        let found = (|| {
            let (place, velocity) = self.tip_on(&stop.state);
            let mut matrix = Matrix3::zeros();
            for j in 0..3 {
                let mut forces = [Vector3::zeros(); 2];
                for (force, sign) in forces.iter_mut().zip([1.0, -1.0]) {
                    let mut aside = Vector3::zeros();
                    aside[j] = sign * DIFFERENCE;
                    self.prepare(request.before)?;
                    let to = (place + aside, velocity + aside * rate);
                    self.go(stop.time, to, 0)?;
                    *force = self.unit.tip_force()?;
                }
                matrix.set_column(j, &((forces[0] - forces[1]) / (2.0 * DIFFERENCE)));
            }
            Ok(matrix)
        })();
        match found {
            Ok(matrix) => self.slope = Some(Slope::new(0.0, matrix)),
            Err(error) => self.failure = Some(error),
        }
    }

    /// Saves or restores.
    fn prepare(&mut self, before: Before) -> UnitResult<()> {
        match before {
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
        Ok(())
    }

    fn try_follow(&mut self, stop: &Stop, request: &Request) -> UnitResult<()> {
        self.prepare(request.before)?;
        let depth = if request.divide { MOST_DIVISIONS } else { 0 };
        let to = self.tip_on(&stop.state);
        self.go(stop.time, to, depth)?;
        let (unit, response) = (&mut self.unit, &mut self.response);
        response.force = unit.tip_force()?;
        match request.question {
            Question::Force if request.derivatives => response.derivatives = unit.derivatives()?,
            Question::Force => {}
            Question::Series => {
                response.series = unit.force_series()?;
                if request.derivatives {
                    response.series_derivatives = unit.series_derivatives()?;
                }
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
    ) -> UnitResult<()> {
        let length = end - self.time;
        let inputs = UnitInputs {
            tip_position: to.0,
            tip_velocity: to.1,
            motor_torque: command(&self.torque, self.time, end),
            motor_angle: command(&self.angle, self.time, end),
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
                self.go(self.time + 0.5 * length, middle, divisions - 1)?;
                self.go(end, to, divisions - 1)
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

/// A history over a step, as seen from inside: where it jumps at an end of the step, it has its new
/// value at the start and its old one at the end.
fn command(signal: &Signal, start: f64, end: f64) -> Command {
    let length = end - start;
    if let Signal::Constant(value) = signal {
        return Command::constant(*value);
    }
    let slack = SAME_TIME * length;
    let (value, rate, _) = signal.sample(start + slack);
    let (last, last_rate) = (left_limit(signal, end, slack), signal.sample(end).1);
    Command::cubic((value, rate), (last, last_rate), length)
}
