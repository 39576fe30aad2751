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

use super::rig::Rig;
use super::seat::{Before, Question, Request, Stop};
use crate::body::BodyStep;
use crate::error::{PlatformError, Result};
use crate::hub::EFFECTOR;
use crate::pace::{Done, Pace, Refusal, Stepper, Strictness, advance_evenly};
use crate::scheme::{Observer, Progress};
use crate::statics::StaticPlatform;
use crate::unit::{LegUnit, NativeUnit, UnitStart};
use multibody::dynamics::alpha::Coefficients;
use multibody::dynamics::grid::SLIVER;
use nalgebra::{Matrix3, Vector3};

/// Most iterations on the bodies' own equations, under given forces.
const MOST_ITERATIONS: usize = 30;
/// They stop at this correction [m].
const TOLERANCE: f64 = 1e-13;
/// An end effector faster than this has left every platform [m/s, rad/s].
const LARGEST_VELOCITY: f64 = 1e3;

/// A platform in explicit co-simulation.
#[derive(Debug)]
pub struct Explicit {
    pub(crate) rig: Rig,
    order: usize,
    /// Times [s] and forces of all legs then [N], the latest last.
    past: Vec<(f64, Vec<Vector3<f64>>)>,
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
        let rig = Rig::new(equilibrium, starts, units)?;
        Ok(Self {
            order: rig.config.solver.extrapolation_order,
            past: vec![(0.0, rig.forces.clone())],
            pace: Pace::default(),
            rig,
        })
    }

    /// Takes another macro step [s] and order of extrapolation than the configured ones.
    pub(crate) fn set_steps(&mut self, macro_step_s: f64, order: usize) {
        self.rig.config.solver.macro_step_s = macro_step_s;
        self.order = order;
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size, smaller where
    /// contact asks for it. `observe` sees every step. On an error the bodies are those of the last
    /// step.
    pub(crate) fn advance(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let crew = self.rig.crew.clone();
        crew.enter(|| self.advance_in_steps(end, observe))
    }

    fn advance_in_steps(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        let largest = self.rig.config.solver.macro_step_s;
        let slack = SLIVER * largest;
        let mut out = Progress::default();
        while end - self.rig.time > slack {
            let jumps = self.rig.next_jumps(self.rig.time, end, slack);
            let jump = jumps.into_iter().flatten().reduce(f64::min);
            // A jump next to the end is at the end.
            let until = jump.filter(|jump| *jump < end - slack).unwrap_or(end);
            advance_evenly(self, until, largest, &mut out, &mut |scheme| {
                observe(scheme)
            })?;
        }
        Ok(out)
    }

    /// Eq. (1) for one leg.
    fn extrapolated(&self, leg: usize, time: f64) -> Vector3<f64> {
        let count = self.past.len().min(self.order + 1);
        let points = &self.past[self.past.len() - count..];
        let mut sum = Vector3::zeros();
        for (k, (t_k, forces)) in points.iter().enumerate() {
            let others = points.iter().enumerate().filter(|(l, _)| *l != k);
            let weight: f64 = others
                .map(|(_, (t_l, _))| (time - t_l) / (t_k - t_l))
                .product();
            sum += forces[leg] * weight;
        }
        sum
    }

    /// Moves the bodies to `end` [s]; their motion is known before that of the legs, so that an event
    /// inside can still end the step.
    fn step(&mut self, end: f64, strict: Strictness) -> core::result::Result<bool, Refusal> {
        let h = end - self.rig.time;
        let coefficients = Coefficients::new(self.rig.config.solver.spectral_radius, h);
        let forces: Vec<Vector3<f64>> = (0..self.rig.seats.len())
            .map(|leg| self.extrapolated(leg, end))
            .collect();
        let steps = self.move_bodies(&coefficients, end, &forces);
        let steps = steps.map_err(Refusal::Never)?;
        let rig = &mut self.rig;
        let trial = rig.world.examine(&rig.bodies, &steps, rig.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        self.follow(&steps, &coefficients, end, &forces)
            .map_err(Refusal::Never)
    }

    /// Lets the legs follow the bodies, and accepts the step: true if the latch closed with it.
    fn follow(
        &mut self,
        steps: &[BodyStep],
        coefficients: &Coefficients,
        end: f64,
        forces: &[Vector3<f64>],
    ) -> Result<bool> {
        let h = coefficients.step;
        let request = Request {
            before: Before::Nothing,
            question: Question::Force,
            derivatives: false,
            divide: true,
        };
        let stop = Stop {
            time: end,
            state: steps[EFFECTOR].trial,
        };
        let done = self.rig.follow(&stop, &request);
        done.map_err(|(leg, failure)| {
            let discarded = failure.is_discard();
            let error = PlatformError::in_unit(leg)(failure);
            if discarded {
                self.unstable(h, error)
            } else {
                error
            }
        })?;
        let answers = self.rig.seats.iter();
        let found: Vec<Vector3<f64>> = answers.map(|seat| seat.answer.force).collect();
        let (felt, now) = (|leg: usize| forces[leg], |leg: usize| found[leg]);
        let closed = self.rig.accept_steps(steps, coefficients, end, felt, now)?;
        self.past.push((self.rig.time, found));
        let surplus = self.past.len().saturating_sub(self.order + 1);
        self.past.drain(..surplus);
        Ok(closed)
    }

    /// A step that no smaller steps of a leg can save.
    fn unstable(&self, h: f64, cause: PlatformError) -> PlatformError {
        PlatformError::Unstable {
            time_s: self.rig.time,
            step_s: h,
            cause: Box::new(cause),
        }
    }

    /// The motion of the bodies under known forces of the legs.
    fn move_bodies(
        &mut self,
        coefficients: &Coefficients,
        end: f64,
        forces: &[Vector3<f64>],
    ) -> Result<Vec<BodyStep>> {
        self.rig.world.begin(self.rig.time, end);
        let predict = |state| BodyStep::predict(state, coefficients, false);
        let mut steps: Vec<BodyStep> = self.rig.bodies.iter().map(predict).collect();
        let mut correction = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            let answer = |leg: usize, _: &_| (forces[leg], Matrix3::zeros());
            correction = self
                .rig
                .correct_bodies(&mut steps, coefficients, end, answer)?;
            let fast = steps[EFFECTOR].trial.velocity.amax() > LARGEST_VELOCITY;
            if correction.is_nan() || fast {
                break;
            }
            if correction <= TOLERANCE {
                return Ok(steps);
            }
        }
        let h = coefficients.step;
        let cause = PlatformError::Diverged {
            time_s: end,
            step_s: h,
            iterations: MOST_ITERATIONS,
            correction,
        };
        Err(self.unstable(h, cause))
    }
}

impl Stepper for Explicit {
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
        let closed = self.step(end, strict)?;
        Ok(Done {
            iterations: 1,
            linearizations: 0,
            closed,
            changed: self.rig.world.changed(),
        })
    }
}
