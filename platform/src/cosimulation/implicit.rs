//! Implicit co-simulation: a macro step is repeated, with rollback, until the joints close.
//!
//! The end effector moves on a [`super::course::Course`]; every leg follows its joint through the
//! stages and answers with forces; Newton's method finds the motion whose equations
//! ([`super::balance`]) hold with those forces. The legs' tips are where the end effector's joints
//! were before the last correction, so that correction is the gap of the joints: the iteration ends
//! when it is below the tolerance.
//!
//! Jumps of histories are ends of steps; behind one the first step is short, and the next ones grow.
//! A macro step fails if the iteration does not converge or a unit discards its step; it is then
//! repeated with half the length, and later steps grow again.

use super::balance::Load;
use super::course::{Course, Method};
use super::interface::Interface;
use super::predictor::Predictor;
use super::rig::{Rig, SAME_TIME};
use super::seat::{Before, Request};
use crate::error::{PlatformError, Result};
use crate::native_unit::{NativeUnit, UnitStart};
use crate::scheme::Progress;
use crate::statics::StaticPlatform;
use crate::unit::{LegUnit, UnitError};
use core::ops::Range;
use leg_core::dynamics::alpha::Coefficients;
use nalgebra::{DMatrix, DVector, Vector3, Vector6};

/// Most iterations of a macro step.
const MOST_ITERATIONS: usize = 15;
/// Nothing physical moves by this much in a step that can still converge [m].
const LARGEST_CORRECTION: f64 = 1.0;
/// A matrix with which a correction shrinks by less than this is replaced.
const SLOW: f64 = 0.3;
/// Steps after which the matrix of a cubic is replaced.
const OLD: usize = 12;
/// A step that fails is halved at most so often.
const HALVINGS: i32 = 12;
/// Share of the tolerance that a step of the generalised-α method may use.
const SHARP: f64 = 0.01;
/// First step behind a jump, as a fraction of the macro step.
const FIRST_STEP: f64 = 0.25;
/// Change of an unknown from which units without derivatives are differentiated (m, rad).
const DIFFERENCE: f64 = 1e-7;

/// A platform in implicit co-simulation.
#[derive(Debug)]
pub struct Implicit {
    pub(crate) rig: Rig,
    interface: Interface,
    predictor: Predictor,
    /// All units tell derivatives.
    derivatives: bool,
    /// The units remember the start of the step under way.
    saved: bool,
    /// How long a step may be for now [s]: it grows again after a failure or a jump.
    longest: f64,
    /// No step has been made since the last jump.
    disturbed: bool,
    /// The units were last somewhere else than at the motion under way.
    displaced: bool,
    /// Steps since the last linearisation.
    age: usize,
    /// Even a new matrix did not make the iteration fast.
    always_slow: bool,
}

/// Why a macro step was not accepted.
enum Refusal {
    /// A smaller one may do.
    Smaller(PlatformError),
    /// Nothing will.
    Never(PlatformError),
}

/// What a macro step did.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    iterations: usize,
    linearizations: usize,
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
        let rig = Rig::new(equilibrium, starts, units)?;
        let lever = rig.seats.iter().map(|seat| seat.sphere.norm());
        Ok(Self {
            interface: Interface::new(lever.fold(0.0, f64::max)),
            predictor: Predictor::new(0.0, Vector6::zeros()),
            derivatives,
            saved: false,
            longest: f64::INFINITY,
            disturbed: true,
            displaced: false,
            age: 0,
            always_slow: false,
            rig,
        })
        .map(|mut out: Self| {
            out.disturb();
            out
        })
    }

    /// Does without the derivatives that units tell: the interface's matrix is then found by
    /// differences.
    pub fn without_derivatives(mut self) -> Self {
        self.derivatives = false;
        self
    }

    /// The motion goes on differently from now on: with short steps at first.
    pub(crate) fn disturb(&mut self) {
        let solver = &self.rig.config.solver;
        self.predictor.forget();
        self.disturbed = true;
        self.longest = (FIRST_STEP * solver.macro_step_s).max(2.0 * solver.step_s);
    }

    /// Advances to `end` [s] in equal macro steps of at most the configured size; a step that
    /// fails is repeated smaller. On an error the end effector is that of the last accepted step.
    pub fn advance_to(&mut self, end: f64) -> Result<Progress> {
        let crew = self.rig.crew.clone();
        crew.enter(|| self.advance_in_pieces(end))
    }

    fn advance_in_pieces(&mut self, end: f64) -> Result<Progress> {
        let largest = self.rig.config.solver.macro_step_s;
        let slack = SAME_TIME * largest;
        let mut out = Progress::default();
        while end - self.rig.time > slack {
            let jump = self.rig.next_jump(self.rig.time, end, slack);
            let until = jump.map_or(end, |jump| jump.min(end));
            self.advance_in_steps(until, largest, &mut out)?;
            if jump.is_some() {
                self.disturb();
            }
        }
        Ok(out)
    }

    fn advance_in_steps(&mut self, end: f64, largest: f64, out: &mut Progress) -> Result<()> {
        let smallest = largest.min(end - self.rig.time) * 0.5_f64.powi(HALVINGS);
        while end - self.rig.time > 1e-9 * largest {
            let left = end - self.rig.time;
            // Equal steps, as few as it takes with steps this long.
            let longest = largest.min(self.longest);
            let this = left / (left / longest * (1.0 - 1e-9)).ceil().max(1.0);
            match self.step(this) {
                Ok(done) => {
                    out.steps += 1;
                    out.iterations += done.iterations;
                    out.linearizations += done.linearizations;
                    if left <= this * (1.0 + 1e-9) {
                        self.rig.time = end;
                    }
                    self.longest = 2.0 * longest;
                }
                Err(Refusal::Never(cause)) => return Err(cause),
                Err(Refusal::Smaller(cause)) => {
                    out.rejected += 1;
                    self.longest = 0.5 * this;
                    if self.longest < smallest {
                        return Err(PlatformError::Stalled {
                            time_s: self.rig.time,
                            smallest_s: smallest,
                            cause: Box::new(cause),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The way in which the end effector moves over a step of `length` [s].
    fn method(&self, length: f64) -> Method {
        let solver = &self.rig.config.solver;
        if length <= solver.step_s * (1.0 + SAME_TIME) {
            Method::Alpha(Coefficients::new(solver.spectral_radius, length))
        } else if self.disturbed {
            Method::StartingCubic
        } else {
            Method::Cubic
        }
    }

    fn step(&mut self, length: f64) -> core::result::Result<Done, Refusal> {
        let (method, start) = (self.method(length), self.rig.time);
        let outside = self.rig.outside(&method, start, length);
        let mut from = self.rig.state;
        if method.is_cubic() {
            let first = self.rig.first_acceleration(&outside[0]);
            from.acceleration = first.map_err(Refusal::Never)?;
        }
        let guess = match method {
            Method::Alpha(_) => self.predictor.guess(&[start + length]),
            Method::Cubic | Method::StartingCubic => self
                .predictor
                .guess(&[start + 0.5 * length, start + length]),
        };
        let course = Course::new(method, start, length, &from, &guess);
        self.iterate(course, &outside)
    }

    fn iterate(
        &mut self,
        mut course: Course,
        outside: &[Vector6<f64>],
    ) -> core::result::Result<Done, Refusal> {
        let (method, length) = (course.method, course.length);
        let body = self.rig.body;
        let load = Load {
            body: &body,
            outside,
            first: course.from.acceleration,
        };
        let tolerance = self.tolerance(&method);
        let mut done = Done::default();
        let mut last: Option<(DVector<f64>, DVector<f64>)> = None;
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            done.iterations = iteration;
            let fresh = !self.interface.knows(&method, length);
            let r = self.evaluate(&mut course, &load, fresh)?;
            if fresh {
                let matrix = self.linearize(&course, &load, &r)?;
                self.interface.set(&method, length, matrix);
                done.linearizations += 1;
            } else if let Some((dx, r_old)) = &last {
                self.interface.learn(dx, &(&r - r_old));
            }
            let dx = self.correction(&r, &course)?;
            let moved = course.changed(|i| dx.fixed_rows::<6>(6 * i).into());
            let before = core::mem::replace(&mut size, self.distance(&course, &moved));
            if size.is_nan() || size > LARGEST_CORRECTION {
                break;
            }
            if size <= tolerance && !self.displaced {
                self.accept(&moved, outside).map_err(Refusal::Never)?;
                self.age_matrix(&method, &done);
                return Ok(done);
            }
            if size > SLOW * before && !fresh {
                self.interface.forget();
            }
            last = Some((dx, r));
            course = moved;
        }
        self.interface.forget();
        Err(Refusal::Smaller(PlatformError::Diverged {
            time_s: course.start + length,
            step_s: length,
            iterations: done.iterations,
            correction: size,
        }))
    }

    /// Lets go of a matrix that is no longer worth keeping.
    fn age_matrix(&mut self, method: &Method, done: &Done) {
        let slow = done.iterations > method.stages() + 1;
        if done.linearizations > 0 {
            (self.age, self.always_slow) = (0, slow);
            return;
        }
        self.age += 1;
        let old = method.is_cubic() && self.age >= OLD;
        if old || (slow && !self.always_slow) {
            self.interface.forget();
        }
    }

    /// Largest gap of a joint after a step. The equations of the generalised-α method are to be
    /// solved as sharply as in the monolithic scheme.
    fn tolerance(&self, method: &Method) -> f64 {
        let tolerance = self.rig.config.solver.interface_tolerance_m;
        match method {
            Method::Alpha(_) => SHARP * tolerance,
            Method::Cubic | Method::StartingCubic => tolerance,
        }
    }

    /// Lets the units follow `course` and finds out what is wrong with it.
    fn evaluate(
        &mut self,
        course: &mut Course,
        load: &Load<'_>,
        derivatives: bool,
    ) -> core::result::Result<DVector<f64>, Refusal> {
        let stages = course.stages.len();
        self.follow(course, 0..stages, derivatives && self.derivatives)?;
        self.displaced = false;
        let seats = &self.rig.seats;
        let found = load.accelerate(course, seats);
        found.ok_or_else(|| massless(course))?;
        Ok(load.residual(course, seats))
    }

    /// Newton's correction.
    fn correction(
        &mut self,
        residual: &DVector<f64>,
        course: &Course,
    ) -> core::result::Result<DVector<f64>, Refusal> {
        let found = self.interface.correction(residual);
        found.ok_or_else(|| {
            self.interface.forget();
            Refusal::Smaller(PlatformError::Singular {
                time_s: course.start + course.length,
            })
        })
    }

    /// Largest way of a joint between two motions, at any stage [m].
    fn distance(&self, a: &Course, b: &Course) -> f64 {
        let mut largest: f64 = 0.0;
        for (a, b) in a.stages.iter().zip(&b.stages) {
            for seat in &self.rig.seats {
                let way = b.state.point(&seat.sphere) - a.state.point(&seat.sphere);
                let way = way.norm();
                // The larger of a number and none would be the number.
                if way.is_nan() {
                    return way;
                }
                largest = largest.max(way);
            }
        }
        largest
    }

    /// Lets the units follow some stages of `course` from the start of the step; derivatives are
    /// those at the first of them.
    fn follow(
        &mut self,
        course: &Course,
        stages: Range<usize>,
        derivatives: bool,
    ) -> core::result::Result<(), Refusal> {
        let before = if self.saved {
            Before::Restore
        } else {
            Before::Save
        };
        let request = Request {
            before,
            derivatives,
            divide: false,
            leg_step: self.rig.config.solver.step_s,
        };
        self.saved = true;
        let done = self.rig.follow(course, stages, &request);
        done.map_err(|(leg, failure)| {
            let smaller = failure.is_discard();
            let error = PlatformError::in_unit(leg)(failure);
            if smaller {
                Refusal::Smaller(error)
            } else {
                Refusal::Never(error)
            }
        })
    }

    /// Newton's matrix at `course`, where the residual is `r`.
    fn linearize(
        &mut self,
        course: &Course,
        load: &Load<'_>,
        r: &DVector<f64>,
    ) -> core::result::Result<DMatrix<f64>, Refusal> {
        if !self.derivatives {
            return self.differences(course, load, r);
        }
        if course.method.is_cubic() {
            self.differentiate_whole_cubic(course)?;
        }
        let found = load.jacobian(course, &self.rig.seats);
        found.ok_or_else(|| massless(course))
    }

    /// Derivatives at the end of a cubic by its end alone. Units tell derivatives by the end of
    /// their last communication step, the start of which stays: here it is the whole macro step, so
    /// that its middle follows its end.
    fn differentiate_whole_cubic(&mut self, course: &Course) -> core::result::Result<(), Refusal> {
        let seats = self.rig.seats.iter_mut();
        let kept: Vec<_> = seats
            .map(|seat| core::mem::take(&mut seat.answers))
            .collect();
        self.displaced = true;
        let end = course.stages.len() - 1;
        self.follow(course, end..end + 1, true)?;
        for (seat, mut answers) in self.rig.seats.iter_mut().zip(kept) {
            answers[end].derivatives = seat.answers[0].derivatives;
            seat.answers = answers;
        }
        Ok(())
    }

    /// Newton's matrix by differences.
    fn differences(
        &mut self,
        course: &Course,
        load: &Load<'_>,
        r: &DVector<f64>,
    ) -> core::result::Result<DMatrix<f64>, Refusal> {
        let count = r.len();
        let mut matrix = DMatrix::zeros(count, count);
        for j in 0..count {
            let mut e = Vector6::zeros();
            e[j % 6] = DIFFERENCE;
            let mut aside = course.changed(|i| if i == j / 6 { e } else { Vector6::zeros() });
            let there = self.evaluate(&mut aside, load, false)?;
            matrix.set_column(j, &((there - r) / DIFFERENCE));
        }
        self.displaced = true;
        Ok(matrix)
    }

    fn accept(&mut self, course: &Course, outside: &[Vector6<f64>]) -> Result<()> {
        let answers: Vec<Vec<Vector3<f64>>> = self
            .rig
            .seats
            .iter()
            .map(|seat| seat.answers.iter().map(|answer| answer.force).collect())
            .collect();
        let force = |leg: usize, stage: usize| answers[leg][stage];
        let last = course.stages.len() - 1;
        self.rig
            .accept(course, outside, force, |leg| force(leg, last))?;
        let points: Vec<_> = course
            .stages
            .iter()
            .map(|stage| (stage.time, stage.state.algorithmic))
            .collect();
        let lever = self.rig.config.legs.sphere_radius_m;
        self.predictor.learn(&points, lever);
        (self.saved, self.disturbed) = (false, false);
        Ok(())
    }
}

fn massless(course: &Course) -> Refusal {
    Refusal::Never(PlatformError::Singular {
        time_s: course.start,
    })
}
