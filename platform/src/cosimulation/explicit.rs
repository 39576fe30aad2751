//! Explicit co-simulation: every macro step is made once.
//!
//! Over a macro step the forces of the legs are the polynomials through their last values,
//!
//! ```text
//! f(t) = Σ f_k Π_{l≠k} (t − t_l)/(t_k − t_l),   k = n, n − 1, …, n − order      (1)
//! ```
//!
//! The bodies move under them by the generalised-α method, contact and latch included; then all
//! legs follow the end effector at
//! once and give new forces (Jacobi's scheme). Nothing is repeated, so units need neither rollback
//! nor derivatives; the price is a limit of stability ([`super::limit`]), far below the step that
//! accuracy would ask for.

use super::common::{Cosimulation, LegLoad};
use super::slot::{Before, LegSlot, Question, Request, Stop};
use crate::bodies::EFFECTOR;
use crate::body::{BodyState, BodyStep};
use crate::error::{PlatformError, Result};
use crate::scheme::{Observer, Progress};
use crate::statics::StaticPlatform;
use crate::unit::{LegUnit, NativeUnit, UnitStart};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::pace::Pace;
use multibody::dynamics::stepper::{self, Done, Planned, Refusal, StepSizes, Stepped, Strictness};

/// Most iterations on the bodies' own equations, under given forces.
const MOST_ITERATIONS: usize = 30;
/// They stop at this correction [m].
const TOLERANCE: f64 = 1e-13;
/// An end effector faster than this has left every platform [m/s, rad/s].
const LARGEST_VELOCITY: f64 = 1e3;

/// A platform in explicit co-simulation.
#[derive(Debug)]
pub struct Explicit {
    pub(crate) common: Cosimulation,
    order: usize,
    /// Times [s] and what all legs did then, the latest last.
    past: Vec<(f64, Vec<LegLoad>)>,
    pace: Pace,
}

impl Explicit {
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
        let common = Cosimulation::new(equilibrium, starts, units)?;
        Ok(Self {
            order: common.config.solver.extrapolation_order,
            past: vec![(0.0, common.loads.clone())],
            pace: Pace::default(),
            common,
        })
    }

    /// Takes another macro step [s] and order of extrapolation than the configured ones.
    pub(crate) fn set_steps(&mut self, macro_step_s: f64, order: usize) {
        self.common.config.solver.macro_step_s = macro_step_s;
        self.order = order;
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size, smaller where
    /// contact asks for it. `observe` sees every step. On an error the bodies are those of the last
    /// step.
    pub(crate) fn advance(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let pool = self.common.pool.clone();
        let mut out = Progress::default();
        pool.enter(|| stepper::advance(self, end, &mut out, &mut |scheme| observe(scheme)))?;
        Ok(out)
    }

    /// Eq. (1) for one leg.
    fn extrapolated(&self, leg: usize, time: f64) -> LegLoad {
        let count = self.past.len().min(self.order + 1);
        let points = &self.past[self.past.len() - count..];
        let mut sum = LegLoad::NONE;
        for (k, (t_k, loads)) in points.iter().enumerate() {
            let others = points.iter().enumerate().filter(|(l, _)| *l != k);
            let weight: f64 = others
                .map(|(_, (t_l, _))| (time - t_l) / (t_k - t_l))
                .product();
            sum.force += loads[leg].force * weight;
            sum.on_base += loads[leg].on_base * weight;
        }
        sum
    }

    /// Moves the bodies to `end` [s]; their motion is known before that of the legs, so that an event
    /// inside can still end the step.
    fn step(
        &mut self,
        end: f64,
        strict: Strictness,
    ) -> core::result::Result<bool, Refusal<PlatformError>> {
        let h = end - self.common.time;
        let integrator = Integrator::new(self.common.config.solver.spectral_radius, h);
        let loads: Vec<LegLoad> = (0..self.common.slots.len())
            .map(|leg| self.extrapolated(leg, end))
            .collect();
        let steps = self.move_bodies(&integrator, end, &loads);
        let steps = steps.map_err(Refusal::Never)?;
        let common = &mut self.common;
        let trial = common.world.examine(&common.bodies, &steps, common.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        self.follow(&steps, &integrator, end, &loads)
            .map_err(Refusal::Never)
    }

    /// Lets the legs follow the bodies, and accepts the step: true if the latch closed with it.
    fn follow(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        end: f64,
        loads: &[LegLoad],
    ) -> Result<bool> {
        let h = integrator.step();
        let request = Request {
            before: Before::Nothing,
            question: Question::Force,
            derivatives: false,
            divide: true,
        };
        let stop = Stop {
            time: end,
            state: steps[EFFECTOR].trial,
            base: self.common.world.bodies().base.map(|i| steps[i].trial),
        };
        let done = self.common.follow(&stop, &request);
        done.map_err(|(leg, failure)| {
            let discarded = failure.is_discard();
            let error = PlatformError::in_unit(leg)(failure);
            if discarded {
                self.unstable(h, error)
            } else {
                error
            }
        })?;
        let answers = self.common.slots.iter();
        let found: Vec<LegLoad> = answers.map(LegLoad::of).collect();
        let (felt, now) = (|leg: usize| loads[leg], |leg: usize| found[leg]);
        let closed = self
            .common
            .accept_steps(steps, integrator, end, felt, now)?;
        self.past.push((self.common.time, found));
        let surplus = self.past.len().saturating_sub(self.order + 1);
        self.past.drain(..surplus);
        Ok(closed)
    }

    /// A step that no smaller steps of a leg can save.
    fn unstable(&self, h: f64, cause: PlatformError) -> PlatformError {
        PlatformError::Unstable {
            time_s: self.common.time,
            step_s: h,
            cause: Box::new(cause),
        }
    }

    /// The motion of the bodies under known forces of the legs.
    fn move_bodies(
        &mut self,
        integrator: &Integrator,
        end: f64,
        loads: &[LegLoad],
    ) -> Result<Vec<BodyStep>> {
        self.common.world.begin(self.common.time, end);
        let bodies = self.common.world.bodies().all.iter();
        let mut steps: Vec<BodyStep> = bodies
            .zip(&self.common.bodies)
            .map(|(body, state)| BodyStep::predict(body, state, integrator, false))
            .collect();
        let mut correction = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            let answer = |leg: usize, _: &LegSlot, base: Option<&BodyState>| loads[leg].held(base);
            correction = self
                .common
                .correct_bodies(&mut steps, integrator, end, answer)?;
            let fast = steps[EFFECTOR].trial.velocity.amax() > LARGEST_VELOCITY;
            if correction.is_nan() || fast {
                break;
            }
            if correction <= TOLERANCE {
                return Ok(steps);
            }
        }
        let h = integrator.step();
        let cause = PlatformError::Diverged {
            time_s: end,
            step_s: h,
            iterations: MOST_ITERATIONS,
            correction,
        };
        Err(self.unstable(h, cause))
    }
}

impl Stepped for Explicit {
    type Error = PlatformError;

    fn time(&self) -> f64 {
        self.common.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn sizes(&self) -> StepSizes {
        let step = self.common.config.solver.macro_step_s;
        StepSizes::even(step, step)
    }

    fn slack(&self) -> f64 {
        SLIVER * self.common.config.solver.macro_step_s
    }

    fn next_jump(&mut self, end: f64) -> Option<f64> {
        let jumps = self.common.next_jumps(end, self.slack());
        jumps.into_iter().flatten().reduce(f64::min)
    }

    fn passed_jump(&mut self) -> Result<()> {
        self.common.cross_actuator_jumps();
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
        let closed = self.step(step.end, strict)?;
        Ok(Done {
            iterations: 1,
            linearizations: 0,
            further_steps: 0,
            closed,
            changed: self.common.world.changed(),
        })
    }

    fn stalled(&self, [_, smallest_s]: [f64; 2], cause: PlatformError) -> PlatformError {
        PlatformError::stalled(self.common.time, smallest_s, cause)
    }
}
