//! Steps longer than those of the legs: the end effector on a cubic.

use super::{Implicit, LARGEST_CORRECTION, MOST_ITERATIONS, SLOW, refusal};
use crate::cosimulation::balance::Load;
use crate::cosimulation::course::{Course, NODES, Weights};
use crate::cosimulation::seat::{Question, Stop};
use crate::error::{PlatformError, Result};
use crate::pace::{Done, Refusal};
use nalgebra::{DMatrix, DVector, Vector6};

/// Steps after which Newton's matrix is replaced.
const OLD: usize = 12;
/// Iterations of a step whose matrix serves well.
const FEW_ITERATIONS: usize = 3;
/// Change of an unknown from which units without derivatives are differentiated (m, rad).
const DIFFERENCE: f64 = 1e-7;

impl Implicit {
    pub(super) fn long_step(&mut self, end: f64) -> core::result::Result<Done, Refusal> {
        let length = end - self.rig.time;
        if !self.saved {
            self.rig.note_work().map_err(Refusal::Never)?;
        }
        let start = self.rig.time;
        let outside = self.rig.outside(start, length);
        let times = [start + 0.5 * length, start + length];
        let guess = self.predictor.guess(&times);
        let weights = Weights::new(self.rig.config.solver.spectral_radius);
        let course = Course::new(weights, start, length, self.rig.effector(), &guess);
        let done = self.iterate(course, &outside)?;
        self.rig.time = end;
        Ok(done)
    }

    fn iterate(
        &mut self,
        mut course: Course,
        outside: &[Vector6<f64>; NODES],
    ) -> core::result::Result<Done, Refusal> {
        let length = course.length;
        let body = *self.rig.body();
        let load = Load {
            body: &body,
            outside,
        };
        let tolerance = self.rig.config.solver.interface_tolerance_m;
        let mut done = Done::default();
        let mut last: Option<(DVector<f64>, DVector<f64>)> = None;
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            done.iterations = iteration;
            let fresh = !self.interface.knows(length);
            let r = self.evaluate(&mut course, &load, fresh && self.derivatives)?;
            if fresh {
                let matrix = self.linearize(&course, &load, &r)?;
                self.interface.set(length, matrix);
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
                self.accept_long(&moved, outside).map_err(Refusal::Never)?;
                self.age_matrix(&done);
                return Ok(done);
            }
            if size > SLOW * before && !fresh {
                self.interface.forget();
            }
            last = Some((dx, r));
            course = moved;
        }
        self.interface.forget();
        Err(self.diverged(length, &done, size))
    }

    /// Lets go of a matrix that is no longer worth keeping.
    fn age_matrix(&mut self, done: &Done) {
        let slow = done.iterations > FEW_ITERATIONS;
        if done.linearizations > 0 {
            (self.age, self.always_slow) = (0, slow);
            return;
        }
        self.age += 1;
        if self.age >= OLD || (slow && !self.always_slow) {
            self.interface.forget();
        }
    }

    /// Lets the units follow `course` and finds out what is wrong with it.
    fn evaluate(
        &mut self,
        course: &mut Course,
        load: &Load<'_>,
        derivatives: bool,
    ) -> core::result::Result<DVector<f64>, Refusal> {
        let stop = Stop {
            time: course.start + course.length,
            state: *course.end(),
        };
        let request = self.request(Question::Series, derivatives);
        self.rig.follow(&stop, &request).map_err(refusal)?;
        self.displaced = false;
        let residual = load.residual(course, &self.rig.seats);
        residual.ok_or_else(|| massless(course))
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
        let found = load.jacobian(course, &self.rig.seats);
        found.ok_or_else(|| massless(course))
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

    fn accept_long(&mut self, course: &Course, outside: &[Vector6<f64>; NODES]) -> Result<()> {
        self.rig.accept_cubic(course, outside)?;
        let points = course
            .stages
            .map(|stage| (stage.time, stage.state.algorithmic));
        let lever = self.rig.config.legs.sphere_radius_m;
        self.predictor.learn(&points, lever);
        self.saved = false;
        Ok(())
    }
}

fn massless(course: &Course) -> Refusal {
    Refusal::Never(PlatformError::Singular {
        time_s: course.start,
    })
}
