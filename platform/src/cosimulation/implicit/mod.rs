//! Implicit co-simulation: a macro step is repeated, with rollback, until the joints close.
//!
//! The end effector moves; every leg follows its joint and answers with forces; Newton's method
//! finds the motion whose equations hold with those forces. The legs' tips are where the end
//! effector's joints were before the last correction, so that correction is the gap of the joints:
//! the iteration ends when it is below the tolerance. Two kinds of steps:
//!
//! * `short`: no longer than a step of the legs. The very equations of the monolithic scheme, with
//!   contact and target;
//! * `long`: longer. The end effector moves on a cubic (`cubic`). Contact asks for steps
//!   shorter than those of the legs, so with a target all steps are short; so they are on a base that
//!   moves, for which there is no cubic.
//!
//! Jumps of histories are ends of steps; behind one the steps are as short as those of the monolithic
//! scheme, and grow. A macro step fails if the iteration does not converge or a unit discards its step; it is
//! then repeated with half the length, and later steps grow again.

mod long;
mod short;

use super::common::{Cosimulation, MotorChange};
use super::interface::Interface;
use super::predictor::Predictor;
use super::slot::{Before, Question, Request};
use crate::error::{PlatformError, Result};
use crate::scheme::{Observer, Progress};
use crate::statics::StaticPlatform;
use crate::stopwatch::UnitTimes;
use crate::threads::ThreadPool;
use crate::unit::{LegUnit, NativeUnit, UnitError, UnitStart};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::pace::{GROWTH, Pace};
use multibody::dynamics::stepper::{self, Done, Planned, Refusal, StepSizes, Stepped, Strictness};
use nalgebra::Vector6;
use std::time::Instant;

/// Most iterations of a macro step.
const MOST_ITERATIONS: usize = 15;
/// Nothing physical moves by this much in a step that can still converge [m].
const LARGEST_CORRECTION: f64 = 1.0;
/// Derivatives with which a correction shrinks by less than this are replaced.
const SLOW: f64 = 0.3;
/// Steps longer than those of the legs grow by this factor: what a jump has stirred up has to calm down meanwhile.
const GROWTH_OF_LONG_STEPS: f64 = core::f64::consts::SQRT_2;

/// A platform in implicit co-simulation.
#[derive(Debug)]
pub struct Implicit {
    pub(crate) common: Cosimulation,
    interface: Interface,
    predictor: Predictor,
    /// All units tell derivatives.
    derivatives: bool,
    /// All units tell how their forces went over a step, without which steps cannot be long.
    series: bool,
    /// The units remember the start of the step under way.
    saved: bool,
    /// Next jumps of the wrench and of a motor [s].
    jumps: [Option<f64>; 2],
    pace: Pace,
    /// What the legs hold at the last accepted step, once it is known [J].
    balance: Option<f64>,
    /// The units were last somewhere else than at the motion under way.
    displaced: bool,
    /// Steps since the last linearisation.
    age: usize,
    /// Even new derivatives did not make the iteration fast.
    always_slow: bool,
}

impl Implicit {
    /// Native legs at rest in `equilibrium`.
    pub fn native(equilibrium: &StaticPlatform) -> Result<Self> {
        let (starts, units) = NativeUnit::all(equilibrium)?;
        Self::new(equilibrium, &starts, units)
    }

    /// Units that were started from `equilibrium` as `starts` says.
    pub fn new(
        equilibrium: &StaticPlatform,
        starts: &[UnitStart],
        units: Vec<Box<dyn LegUnit>>,
    ) -> Result<Self> {
        let ability = "go back to a saved state, which implicit co-simulation needs";
        if let Some(leg) = units.iter().position(|unit| !unit.abilities().rollback) {
            return Err(PlatformError::in_unit(leg)(UnitError::Unable { ability }));
        }
        let derivatives = units.iter().all(|unit| unit.abilities().derivatives);
        let series = units.iter().all(|unit| unit.abilities().series);
        let common = Cosimulation::new(equilibrium, starts, units)?;
        let lever = common.slots.iter().map(|slot| slot.sphere.norm());
        let lets_go = common.base_lets_go();
        let mut out = Self {
            interface: Interface::new(lever.fold(0.0, f64::max)),
            predictor: Predictor::new(0.0, Vector6::zeros()),
            derivatives,
            series,
            saved: false,
            jumps: [None; 2],
            pace: Pace::default(),
            balance: None,
            displaced: false,
            age: 0,
            always_slow: false,
            common,
        };
        if lets_go {
            out.restart_small_steps();
        }
        Ok(out)
    }

    /// The motion goes on differently from now on: with small steps at first.
    pub(crate) fn restart_small_steps(&mut self) {
        self.predictor.forget();
        self.pace
            .restart_small_steps(self.common.config.solver.step_s);
    }

    /// The motion goes on differently because a motor's history jumps: steps that are no longer than
    /// those of the legs begin the smaller.
    fn restart_behind_motor_jump(&mut self) {
        self.restart_small_steps();
        if !self.is_long(self.largest()) {
            self.pace
                .restart_smallest_steps(self.common.config.solver.step_s);
        }
    }

    /// Another history was set for a motor.
    ///
    /// Steps that double from the smallest ones on let what vibrates in the leaves grow a few times,
    /// which has died out before a large jump comes again. A controller jumps at every sample: with
    /// steps that begin this small every 2 ms, vibrations became impacts of 100 N. Behind a moderate
    /// jump, steps begin no smaller than behind a wrench that jumps.
    pub(crate) fn motor_changed(&mut self, change: MotorChange) {
        match change {
            MotorChange::Smooth => {}
            MotorChange::Large => self.restart_behind_motor_jump(),
            MotorChange::Moderate => {
                // Another leg may have jumped by more.
                let before = self.pace.longest;
                self.restart_small_steps();
                self.pace.longest = self.pace.longest.min(before);
            }
        }
    }

    /// Another wrench history was set.
    pub(crate) fn wrench_changed(&mut self) {
        if self.common.world.wrench().begins_with_jump() {
            self.restart_small_steps();
        }
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size; a step that
    /// fails is repeated smaller. `observe` sees every accepted step. On an error the bodies are
    /// those of the last accepted step.
    pub(crate) fn advance(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let pool = self.common.pool.clone();
        let start = self.common.walls.map(|_| Instant::now());
        let mut out = Progress::default();
        let done =
            pool.enter(|| stepper::advance(self, end, &mut out, &mut |scheme| observe(scheme)));
        if let (Some([_, wall]), Some(start)) = (&mut self.common.walls, start) {
            *wall += start.elapsed();
        }
        done.map(|()| out)
    }

    /// Works on so many threads from now on; 0 takes one per core.
    pub fn set_threads(&mut self, threads: usize) {
        self.common.pool = ThreadPool::new(threads, self.common.slots.len());
    }

    /// Starts to measure where the time goes, from zero.
    pub fn measure(&mut self) {
        self.common.measure();
    }

    /// Where the time went since [`Self::measure`].
    pub fn times(&self) -> UnitTimes {
        self.common.times()
    }

    /// The longest step that is allowed at all [s].
    fn largest(&self) -> f64 {
        let solver = &self.common.config.solver;
        let alone = self.common.world.encounter().is_none() && self.common.base().is_none();
        if self.series && alone {
            solver.macro_step_s
        } else {
            solver.macro_step_s.min(solver.step_s)
        }
    }

    /// True if a step of `length` [s] is longer than those of the legs.
    fn is_long(&self, length: f64) -> bool {
        // An even division may make steps longer by a few slivers.
        length > self.common.config.solver.step_s * (1.0 + 2.0 * SLIVER)
    }

    /// How units are asked to follow; from now on they remember the start of the step.
    fn request(&mut self, question: Question, derivatives: bool) -> Request {
        let before = if self.saved {
            Before::Restore
        } else {
            Before::Save
        };
        self.saved = true;
        Request {
            before,
            question,
            derivatives,
            divide: false,
        }
    }

    /// The error of a step that did not converge.
    fn diverged(&self, length: f64, done: &Done, size: f64) -> Refusal<PlatformError> {
        Refusal::Smaller(PlatformError::Diverged {
            time_s: self.common.time + length,
            step_s: length,
            iterations: done.iterations,
            correction: size,
        })
    }
}

impl Stepped for Implicit {
    type Error = PlatformError;

    fn time(&self) -> f64 {
        self.common.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    // Units take steps far shorter than their own for rounding: the smallest is a part of the largest.
    fn sizes(&self) -> StepSizes {
        StepSizes::even(self.largest(), self.largest())
    }

    fn slack(&self) -> f64 {
        SLIVER * self.largest()
    }

    fn next_jump(&mut self, end: f64) -> Option<f64> {
        self.jumps = self.common.next_jumps(end, self.slack());
        self.jumps.into_iter().flatten().reduce(f64::min)
    }

    fn passed_jump(&mut self) -> Result<()> {
        self.common.cross_actuator_jumps();
        let [_, motor] = self.jumps;
        if motor.is_some_and(|motor| motor <= self.common.time + self.slack()) {
            self.restart_behind_motor_jump();
        } else {
            self.restart_small_steps();
        }
        Ok(())
    }

    fn contact_limit(&mut self) -> (f64, f64) {
        self.common.world.largest_step(&self.common.bodies)
    }

    fn next_event(&self) -> Option<f64> {
        self.common.world.closing()
    }

    fn attempt(
        &mut self,
        step: &Planned,
        strict: Strictness,
    ) -> core::result::Result<Done, Refusal<PlatformError>> {
        if self.is_long(step.end - self.common.time) {
            self.long_step(step.end)
        } else {
            self.short_step(step.end, strict)
        }
    }

    fn accepted(&mut self, step: &Planned, done: &Done) -> bool {
        let growth = if self.is_long((GROWTH * step.length).min(self.largest())) {
            GROWTH_OF_LONG_STEPS
        } else {
            GROWTH
        };
        self.pace.accepted(step, done, growth)
    }

    fn stalled(&self, [_, smallest_s]: [f64; 2], cause: PlatformError) -> PlatformError {
        PlatformError::stalled(self.common.time, smallest_s, cause)
    }
}

/// A unit's failure as the end of a step.
fn refusal((leg, failure): (usize, UnitError)) -> Refusal<PlatformError> {
    let smaller = failure.is_discard();
    let error = PlatformError::in_unit(leg)(failure);
    if smaller {
        Refusal::Smaller(error)
    } else {
        Refusal::Never(error)
    }
}
