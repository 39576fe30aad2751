//! Implicit co-simulation: a macro step is repeated, with rollback, until the joints close.
//!
//! The end effector moves; every leg follows its joint and answers with forces; Newton's method
//! finds the motion whose equations hold with those forces. The legs' tips are where the end
//! effector's joints were before the last correction, so that correction is the gap of the joints:
//! the iteration ends when it is below the tolerance. Two kinds of steps:
//!
//! * `short`: no longer than a step of the legs. The very equations of the monolithic scheme, with
//!   contact and target;
//! * `long`: longer. The end effector moves on a cubic (`course`). Contact asks for steps
//!   shorter than those of the legs, so with a target all steps are short.
//!
//! Jumps of histories are ends of steps; behind one the steps are as short as those of the monolithic
//! scheme, and grow. A macro step fails if the iteration does not converge or a unit discards its step; it is
//! then repeated with half the length, and later steps grow again.

mod long;
mod short;

use super::interface::Interface;
use super::predictor::Predictor;
use super::rig::Rig;
use super::seat::{Before, Question, Request};
use crate::error::{PlatformError, Result};
use crate::pace::{Done, GROWTH, Pace, Refusal, Stepper, Strictness, advance_evenly};
use crate::scheme::{Observer, Progress};
use crate::statics::StaticPlatform;
use crate::stopwatch::UnitTimes;
use crate::threads::Crew;
use crate::unit::{LegUnit, NativeUnit, UnitError, UnitStart};
use multibody::dynamics::grid::SLIVER;
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
    pub(crate) rig: Rig,
    interface: Interface,
    predictor: Predictor,
    /// All units tell derivatives.
    derivatives: bool,
    /// All units tell how their forces went over a step, without which steps cannot be long.
    series: bool,
    /// The units remember the start of the step under way.
    saved: bool,
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
        let rig = Rig::new(equilibrium, starts, units)?;
        let lever = rig.seats.iter().map(|seat| seat.sphere.norm());
        Ok(Self {
            interface: Interface::new(lever.fold(0.0, f64::max)),
            predictor: Predictor::new(0.0, Vector6::zeros()),
            derivatives,
            series,
            saved: false,
            pace: Pace::default(),
            balance: None,
            displaced: false,
            age: 0,
            always_slow: false,
            rig,
        })
    }

    /// The motion goes on differently from now on: with small steps at first.
    pub(crate) fn disturb(&mut self) {
        self.predictor.forget();
        self.pace.disturb(self.rig.config.solver.step_s);
    }

    /// The motion goes on differently because a motor's history jumps: steps that are no longer than
    /// those of the legs begin the smaller.
    pub(crate) fn disturb_by_motor(&mut self) {
        self.disturb();
        if !self.is_long(self.largest()) {
            self.pace.disturb_by_force(self.rig.config.solver.step_s);
        }
    }

    /// Another wrench history was set.
    pub(crate) fn wrench_changed(&mut self) {
        if self.rig.world.wrench().begins_with_jump() {
            self.disturb();
        }
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size; a step that
    /// fails is repeated smaller. `observe` sees every accepted step. On an error the bodies are
    /// those of the last accepted step.
    pub(crate) fn advance(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let crew = self.rig.crew.clone();
        let start = self.rig.walls.map(|_| Instant::now());
        let done = crew.enter(|| self.advance_in_pieces(end, observe));
        if let (Some([_, wall]), Some(start)) = (&mut self.rig.walls, start) {
            *wall += start.elapsed();
        }
        done
    }

    /// Works on so many threads from now on; 0 takes one per core.
    pub fn set_threads(&mut self, threads: usize) {
        self.rig.crew = Crew::new(threads, self.rig.seats.len());
    }

    /// Starts to measure where the time goes, from zero.
    pub fn measure(&mut self) {
        self.rig.measure();
    }

    /// Where the time went since [`Self::measure`].
    pub fn times(&self) -> UnitTimes {
        self.rig.times()
    }

    /// The longest step that is allowed at all [s].
    fn largest(&self) -> f64 {
        let solver = &self.rig.config.solver;
        if self.series && self.rig.world.encounter().is_none() {
            solver.macro_step_s
        } else {
            solver.macro_step_s.min(solver.step_s)
        }
    }

    /// True if a step of `length` [s] is longer than those of the legs.
    fn is_long(&self, length: f64) -> bool {
        // An even division may make steps longer by a few slivers.
        length > self.rig.config.solver.step_s * (1.0 + 2.0 * SLIVER)
    }

    fn advance_in_pieces(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let slack = SLIVER * self.largest();
        let mut out = Progress::default();
        while end - self.rig.time > slack {
            let [wrench, motor] = self.rig.next_jumps(self.rig.time, end, slack);
            let jump = wrench.into_iter().chain(motor).reduce(f64::min);
            // A jump next to the end is at the end.
            let until = jump.filter(|jump| *jump < end - slack).unwrap_or(end);
            let largest = self.largest();
            advance_evenly(self, until, largest, &mut out, &mut |scheme| {
                observe(scheme)
            })?;
            if motor.is_some_and(|motor| motor <= until + slack) {
                self.disturb_by_motor();
            } else if jump.is_some() {
                self.disturb();
            }
        }
        Ok(out)
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
    fn diverged(&self, length: f64, done: &Done, size: f64) -> Refusal {
        Refusal::Smaller(PlatformError::Diverged {
            time_s: self.rig.time + length,
            step_s: length,
            iterations: done.iterations,
            correction: size,
        })
    }
}

impl Stepper for Implicit {
    fn time(&self) -> f64 {
        self.rig.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn contact_limit(&mut self) -> (f64, f64) {
        self.rig.world.largest_step(&self.rig.bodies)
    }

    fn closing(&self) -> Option<f64> {
        self.rig.world.closing()
    }

    fn attempt(&mut self, end: f64, strict: Strictness) -> core::result::Result<Done, Refusal> {
        if self.is_long(end - self.rig.time) {
            self.long_step(end)
        } else {
            self.short_step(end, strict)
        }
    }

    fn growth(&self, h: f64) -> f64 {
        if self.is_long(GROWTH * h) {
            GROWTH_OF_LONG_STEPS
        } else {
            GROWTH
        }
    }
}

/// A unit's failure as the end of a step.
fn refusal((leg, failure): (usize, UnitError)) -> Refusal {
    let smaller = failure.is_discard();
    let error = PlatformError::in_unit(leg)(failure);
    if smaller {
        Refusal::Smaller(error)
    } else {
        Refusal::Never(error)
    }
}
