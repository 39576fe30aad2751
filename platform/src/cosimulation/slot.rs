//! A leg in its place on the end effector: follows the motion of its joint.

use crate::body::{BodyState, skew};
use crate::stopwatch::timed;
use crate::unit::{
    BaseDerivatives, BaseMotion, Command, ForceSeries, LegUnit, LegView, TipDerivatives, UnitError,
    UnitInputs, UnitResult, UnitStart,
};
use crate::wrench::{SAME_TIME, left_limit, next_jump};
use leg_core::config::MotorMode;
use leg_core::series::ORDERS;
use leg_core::spatial::Foundation;
use multibody::group::{Group, Se3};
use multibody::model::Signal;
use nalgebra::{Matrix6, SMatrix, SVector, Vector3, Vector6};
use std::time::Duration;

/// A place on the end effector's way.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Time [s].
    pub time: f64,
    /// The end effector then.
    pub state: BodyState,
    /// A base that moves.
    pub base: Option<BodyState>,
}

/// Where both ends of a leg are.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// Position and velocity of the tip.
    tip: (Vector3<f64>, Vector3<f64>),
    /// A base that moves.
    base: Option<BaseMotion>,
}

/// What a leg answers when it has followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegResponse {
    /// Force on the end effector at the stop, world axes [N].
    pub force: Vector3<f64>,
    /// Its derivatives, if they were asked for.
    pub derivatives: TipDerivatives,
    /// Wrench on a base that moves, world axes, about the base's origin.
    pub base_wrench: Vector6<f64>,
    /// Derivatives that concern such a base, if they were asked for.
    pub base_derivatives: BaseDerivatives,
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
            base_wrench: Vector6::zeros(),
            base_derivatives: BaseDerivatives::default(),
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

/// Coordinates of a leg's ends: three of its tip, six of a base.
pub const ENDS: usize = 9;

/// How a leg answers the places of its ends at the end of a step of the generalised-α method,
/// velocities following: `δy = G δx`. x is the place of the tip in world axes and the twist of a base that
/// moves, in its own axes; y the force on the end effector in world axes and the wrench on that base in
/// the base's axes. Without such a base only the first three count. Corrected by what is observed between two
/// iterations (`broyden1965`), `G ← G + (δy − G δx) δxᵀ/(δxᵀ δx)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Step for which it holds [s].
    pub step: f64,
    /// G [N/m and so on].
    pub matrix: SMatrix<f64, ENDS, ENDS>,
    /// Places and answer of the last iteration of the step under way.
    last: Option<Answered>,
}

/// What a leg answered where its ends were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// Place of the tip, world axes [m].
    pub tip: Vector3<f64>,
    /// A base that moves.
    pub base: Option<Se3>,
    /// Force on the end effector and wrench on the base, as in [`Slope`].
    pub answer: SVector<f64, ENDS>,
}

impl Answered {
    /// The way of the ends from another place.
    fn way_from(&self, other: &Self) -> SVector<f64, ENDS> {
        let mut out = SVector::<f64, ENDS>::zeros();
        out.fixed_rows_mut::<3>(0)
            .copy_from(&(self.tip - other.tip));
        if let (Some(from), Some(to)) = (&other.base, &self.base) {
            // No iterate turns by half a turn; one that does teaches nothing.
            let twist = from.between(to).log().unwrap_or(Vector6::repeat(f64::NAN));
            out.fixed_rows_mut::<6>(3).copy_from(&twist);
        }
        out
    }
}

/// Updates from changes smaller than this would learn rounding [m].
const SMALLEST_CHANGE: f64 = 1e-12;

impl Slope {
    /// For steps of `step` [s].
    pub fn new(step: f64, matrix: SMatrix<f64, ENDS, ENDS>) -> Self {
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
    pub fn learn(&mut self, now: &Answered) {
        if let Some(last) = self.last {
            let way = now.way_from(&last);
            let square = way.norm_squared();
            // Not a number is no change to learn from either.
            if square > SMALLEST_CHANGE * SMALLEST_CHANGE {
                let missed = (now.answer - last.answer) - self.matrix * way;
                self.matrix += missed * way.transpose() / square;
            }
        }
        self.last = Some(*now);
    }

    /// G from what a leg told of its derivatives, for steps of `step` [s] whose velocities follow places by
    /// `rate` [1/s].
    pub fn told(
        response: &LegResponse,
        base: Option<&BodyState>,
        (step, rate): (f64, f64),
    ) -> Self {
        let mut out = Self::new(step, SMatrix::zeros());
        let TipDerivatives {
            by_position,
            by_velocity,
        } = &response.derivatives;
        let mut block = out.matrix.fixed_view_mut::<3, 3>(0, 0);
        block += by_position + by_velocity * rate;
        let Some(base) = base else { return out };
        let BaseDerivatives {
            tip_by_base,
            by_tip,
            by_base,
        } = &response.base_derivatives;
        let rotation = base.pose.rotation();
        // Position and rotation vector follow a twist in the base's axes by this.
        let mut place = Matrix6::zeros();
        place.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
        let turn_only = Se3::from_parts(Vector3::zeros(), rotation);
        let turn = turn_only.log().unwrap_or_else(|_| Vector6::zeros());
        let turning = Se3::tangent_inverse(&turn);
        place
            .fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&turning.fixed_view::<3, 3>(3, 3));
        // Wrenches are told in world axes.
        let mut inward = Matrix6::zeros();
        for i in [0, 3] {
            inward
                .fixed_view_mut::<3, 3>(i, i)
                .copy_from(&rotation.transpose());
        }
        let mut block = out.matrix.fixed_view_mut::<3, 6>(0, 3);
        block += (tip_by_base[0] + tip_by_base[1] * rate) * place;
        let mut block = out.matrix.fixed_view_mut::<6, 3>(3, 0);
        block += inward * (by_tip[0] + by_tip[1] * rate);
        let mut block = out.matrix.fixed_view_mut::<6, 6>(3, 3);
        block += inward * (by_base[0] + by_base[1] * rate) * place;
        let local = inward * response.base_wrench;
        for i in [0, 3] {
            let turned = skew(&local.fixed_rows::<3>(i).into());
            let mut block = out.matrix.fixed_view_mut::<3, 3>(3 + i, 6);
            block += turned;
        }
        out
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
    /// The ends now and when they were saved.
    ends: Ends,
    saved_ends: Ends,
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
        let moves = start.foundation == Foundation::Moving;
        let ends = Ends {
            tip: (start.tip(), Vector3::zeros()),
            base: moves.then(|| BaseMotion {
                place: Vector6::zeros(),
                rate: Vector6::zeros(),
            }),
        };
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
            ends,
            saved_ends: ends,
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
        &self.ends.tip.0
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
            let mut matrix = SMatrix::<f64, ENDS, ENDS>::zeros();
            let count = if stop.base.is_some() { ENDS } else { 3 };
            for j in 0..count {
                let mut answers = [SVector::<f64, ENDS>::zeros(); 2];
                for (answer, sign) in answers.iter_mut().zip([1.0, -1.0]) {
                    let mut aside = SVector::<f64, ENDS>::zeros();
                    aside[j] = sign * DIFFERENCE;
                    let base = stop.base.map(|base| {
                        let twist: Vector6<f64> = aside.fixed_rows::<6>(3).into();
                        BodyState {
                            pose: base.pose.compose(&Se3::exp(&twist)),
                            velocity: base.velocity + twist * rate,
                            ..base
                        }
                    });
                    let mut to = self.ends_on(&stop.state, base.as_ref())?;
                    let by: Vector3<f64> = aside.fixed_rows::<3>(0).into();
                    to.tip = (to.tip.0 + by, to.tip.1 + by * rate);
                    self.prepare(request.before)?;
                    self.go(stop.time, to, 0)?;
                    *answer = self.ask(base.as_ref())?;
                }
                matrix.set_column(j, &((answers[0] - answers[1]) / (2.0 * DIFFERENCE)));
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
                (self.saved_time, self.saved_ends) = (self.time, self.ends);
            }
            Before::Restore => {
                self.unit.restore()?;
                (self.time, self.ends) = (self.saved_time, self.saved_ends);
            }
            Before::Nothing => {}
        }
        Ok(())
    }

    fn try_follow(&mut self, stop: &Stop, request: &Request) -> UnitResult<()> {
        self.prepare(request.before)?;
        let depth = if request.divide { MOST_DIVISIONS } else { 0 };
        let to = self.ends_on(&stop.state, stop.base.as_ref())?;
        self.go(stop.time, to, depth)?;
        let (unit, response) = (&mut self.unit, &mut self.response);
        response.force = unit.tip_force()?;
        if stop.base.is_some() {
            response.base_wrench = unit.base_wrench()?;
        }
        match request.question {
            Question::Force if request.derivatives => {
                response.derivatives = unit.derivatives()?;
                if stop.base.is_some() {
                    response.base_derivatives = unit.base_derivatives()?;
                }
            }
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

    /// The ends on the end effector and on a base that moves.
    fn ends_on(&self, state: &BodyState, base: Option<&BodyState>) -> UnitResult<Ends> {
        let tip = (
            state.point(&self.sphere),
            state.point_velocity(&self.sphere),
        );
        let base = base.map(BaseMotion::of).transpose()?;
        Ok(Ends { tip, base })
    }

    /// What the unit answers where it is, as in [`Slope`].
    fn ask(&mut self, base: Option<&BodyState>) -> UnitResult<SVector<f64, ENDS>> {
        let force = self.unit.tip_force()?;
        let wrench = match base {
            Some(_) => self.unit.base_wrench()?,
            None => Vector6::zeros(),
        };
        Ok(answer(&force, &wrench, base))
    }

    /// Where the ends were last and what the unit answered there.
    pub fn answered(&self, stop: &Stop) -> Answered {
        let base = stop.base.as_ref();
        let response = &self.response;
        Answered {
            tip: stop.state.point(&self.sphere),
            base: base.map(|base| base.pose),
            answer: answer(&response.force, &response.base_wrench, base),
        }
    }

    /// Moves the ends to these until `end` [s].
    fn go(&mut self, end: f64, to: Ends, divisions: usize) -> UnitResult<()> {
        let length = end - self.time;
        let inputs = UnitInputs {
            tip_position: to.tip.0,
            tip_velocity: to.tip.1,
            base: to.base,
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
                self.ends = to;
                Ok(())
            }
            Err(error) if error.is_discard() && divisions > 0 => {
                if again {
                    self.unit.restore()?;
                }
                let base = self.ends.base.zip(to.base).map(|(from, to)| {
                    let (from, to) = ((from.place, from.rate), (to.place, to.rate));
                    let (place, rate) = halfway(from, to, length);
                    BaseMotion { place, rate }
                });
                let tip = halfway(self.ends.tip, to.tip, length);
                let middle = Ends { tip, base };
                self.go(self.time + 0.5 * length, middle, divisions - 1)?;
                self.go(end, to, divisions - 1)
            }
            Err(error) => Err(error),
        }
    }
}

/// The answer of a leg as in [`Slope`], from force and wrench in world axes.
fn answer(
    force: &Vector3<f64>,
    wrench: &Vector6<f64>,
    base: Option<&BodyState>,
) -> SVector<f64, ENDS> {
    let mut out = SVector::<f64, ENDS>::zeros();
    out.fixed_rows_mut::<3>(0).copy_from(force);
    if let Some(base) = base {
        let local = inward(base, wrench);
        out.fixed_rows_mut::<6>(3).copy_from(&local);
    }
    out
}

/// A wrench in world axes in those of a body.
pub fn inward(body: &BodyState, wrench: &Vector6<f64>) -> Vector6<f64> {
    let rotation = body.pose.rotation();
    let mut out = Vector6::zeros();
    for i in [0, 3] {
        let local = rotation.tr_mul(&wrench.fixed_rows::<3>(i));
        out.fixed_rows_mut::<3>(i).copy_from(&local);
    }
    out
}

/// The middle of the cubic between two positions and velocities `length` seconds apart.
fn halfway<const M: usize>(
    from: (SVector<f64, M>, SVector<f64, M>),
    to: (SVector<f64, M>, SVector<f64, M>),
    length: f64,
) -> (SVector<f64, M>, SVector<f64, M>) {
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
