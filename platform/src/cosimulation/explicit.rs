//! Explicit co-simulation: every macro step is made once.
//!
//! Over a macro step the forces of the legs are the polynomials through their last values,
//!
//! ```text
//! f(t) = Σ f_k Π_{l≠k} (t − t_l)/(t_k − t_l),   k = n, n − 1, …, n − order      (1)
//! ```
//!
//! The end effector moves under them (on cubics, [`super::course`]); then all legs follow it at
//! once and give new forces (Jacobi's scheme). Nothing is repeated, so units need neither rollback
//! nor derivatives; the price is a limit of stability ([`super::limit`]), far below the step that
//! accuracy would ask for.

use super::balance::wrench_on;
use super::course::{Course, Method};
use super::rig::{Rig, SAME_TIME};
use super::seat::{Before, Request};
use crate::body::{BodyState, free_acceleration};
use crate::error::{PlatformError, Result};
use crate::native_unit::{NativeUnit, UnitStart};
use crate::scheme::Progress;
use crate::statics::StaticPlatform;
use crate::unit::LegUnit;
use nalgebra::{Vector3, Vector6};

/// Iterations on the end effector's own equations, under given forces.
const MOST_ITERATIONS: usize = 30;
/// They stop at this correction (m, rad).
const TOLERANCE: f64 = 1e-14;
/// An end effector faster than this has left every platform [m/s, rad/s].
const LARGEST_VELOCITY: f64 = 1e4;

/// A platform in explicit co-simulation.
#[derive(Debug)]
pub struct Explicit {
    pub(crate) rig: Rig,
    order: usize,
    /// Times [s] and forces of all legs then [N], the latest last.
    past: Vec<(f64, Vec<Vector3<f64>>)>,
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
        let mut rig = Rig::new(equilibrium, starts, units)?;
        let samples = rig.samples()?;
        let forces = samples.iter().map(|leg| leg.tip_force).collect();
        Ok(Self {
            order: rig.config.solver.extrapolation_order,
            past: vec![(0.0, forces)],
            rig,
        })
    }

    /// Takes another macro step [s] and order of extrapolation than the configured ones.
    pub(crate) fn set_steps(&mut self, macro_step_s: f64, order: usize) {
        self.rig.config.solver.macro_step_s = macro_step_s;
        self.order = order;
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size. On an error the
    /// end effector is that of the last step.
    pub fn advance_to(&mut self, end: f64) -> Result<Progress> {
        let crew = self.rig.crew.clone();
        crew.enter(|| self.advance_in_steps(end))
    }

    fn advance_in_steps(&mut self, end: f64) -> Result<Progress> {
        let largest = self.rig.config.solver.macro_step_s;
        let slack = SAME_TIME * largest;
        let mut out = Progress::default();
        while end - self.rig.time > slack {
            let jump = self.rig.next_jump(self.rig.time, end, slack);
            let until = jump.map_or(end, |jump| jump.min(end));
            let span = until - self.rig.time;
            let count = (span / largest * (1.0 - 1e-9)).ceil().max(1.0);
            let h = span / count;
            for left in (0..count as usize).rev() {
                self.step(h)?;
                if left == 0 {
                    self.rig.time = until;
                }
                out.steps += 1;
                out.iterations += 1;
            }
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

    fn step(&mut self, h: f64) -> Result<()> {
        let (start, method) = (self.rig.time, Method::Cubic);
        let outside = self.rig.outside(&method, start, h);
        let times = [start, start + 0.5 * h, start + h];
        let forces: Vec<[Vector3<f64>; 3]> = (0..self.rig.seats.len())
            .map(|leg| times.map(|time| self.extrapolated(leg, time)))
            .collect();
        let course = self.move_effector(h, &forces, &outside)?;
        let request = Request {
            before: Before::Nothing,
            derivatives: false,
            divide: true,
            leg_step: self.rig.config.solver.step_s,
        };
        let done = self.rig.follow(&course, 1..2, &request);
        done.map_err(|(leg, failure)| PlatformError::in_unit(leg)(failure))?;
        let found: Vec<Vector3<f64>> = self
            .rig
            .seats
            .iter()
            .map(|seat| seat.answers[0].force)
            .collect();
        let felt = |leg: usize, stage: usize| forces[leg][stage + 1];
        self.rig.accept(&course, &outside, felt, |leg| found[leg])?;
        self.past.push((self.rig.time, found));
        let surplus = self.past.len().saturating_sub(self.order + 1);
        self.past.drain(..surplus);
        Ok(())
    }

    /// The motion of the end effector under known forces, by repeated substitution: they depend
    /// on it only as far as it turns.
    fn move_effector(
        &self,
        h: f64,
        forces: &[[Vector3<f64>; 3]],
        outside: &[Vector6<f64>],
    ) -> Result<Course> {
        let Rig {
            seats, body, state, ..
        } = &self.rig;
        let time_s = self.rig.time + h;
        let accelerate = |state: &BodyState, stage: usize| {
            let wrench = wrench_on(state, seats, &outside[stage], |leg, _| forces[leg][stage]);
            free_acceleration(body, state, &wrench).ok_or(PlatformError::Singular { time_s })
        };
        let mut from = *state;
        from.acceleration = accelerate(state, 0)?;
        let guess = [from.acceleration; 2];
        let mut course = Course::new(Method::Cubic, self.rig.time, h, &from, &guess);
        let mut correction = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            let [middle, end] = [0, 1].map(|i| accelerate(&course.stages[i].state, i + 1));
            let found = [from.acceleration, middle?, end?];
            let missed = course.mismatch(&found);
            correction = missed[0].amax().max(missed[1].amax());
            if correction.is_nan() || course.end().velocity.amax() > LARGEST_VELOCITY {
                break;
            }
            course = course.changed(|i| -missed[i]);
            course.accelerate(&found[1..]);
            if correction <= TOLERANCE {
                return Ok(course);
            }
        }
        Err(PlatformError::Diverged {
            time_s,
            step_s: h,
            iterations: MOST_ITERATIONS,
            correction,
        })
    }
}
