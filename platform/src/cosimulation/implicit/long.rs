//! Steps longer than those of the legs: the end effector on a cubic.

use super::{Implicit, LARGEST_CORRECTION, MOST_ITERATIONS, SLOW, refusal};
use crate::cosimulation::cubic::{CubicMotion, NODES, Weights};
use crate::cosimulation::cubic_equations::Load;
use crate::cosimulation::slot::{Question, Stop};
use crate::error::{PlatformError, Result};
use multibody::dynamics::stepper::{Done, Refusal};
use nalgebra::{DMatrix, DVector, Vector6};

/// Steps after which Newton's matrix is replaced.
const OLD: usize = 12;
/// Iterations of a step whose matrix serves well.
const FEW_ITERATIONS: usize = 3;
/// Change of an unknown from which units without derivatives are differentiated (m, rad).
const DIFFERENCE: f64 = 1e-7;

impl Implicit {
    pub(super) fn long_step(
        &mut self,
        end: f64,
    ) -> core::result::Result<Done, Refusal<PlatformError>> {
        let length = end - self.common.time;
        if !self.saved {
            self.common.note_work().map_err(Refusal::Never)?;
        }
        let start = self.common.time;
        let outside = self.common.outside(start, length);
        let times = [start + 0.5 * length, start + length];
        let guess = self.predictor.guess(&times);
        let weights = Weights::new(self.common.config.solver.spectral_radius);
        let cubic = CubicMotion::new(weights, start, length, self.common.effector(), &guess);
        let done = self.iterate(cubic, &outside)?;
        self.common.time = end;
        Ok(done)
    }

    fn iterate(
        &mut self,
        mut cubic: CubicMotion,
        outside: &[Vector6<f64>; NODES],
    ) -> core::result::Result<Done, Refusal<PlatformError>> {
        let length = cubic.length;
        let body = *self.common.body();
        let load = Load {
            body: &body,
            outside,
        };
        let tolerance = self.common.config.solver.interface_tolerance_m;
        let mut done = Done::default();
        let mut last: Option<(DVector<f64>, DVector<f64>)> = None;
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            done.iterations = iteration;
            let fresh = !self.interface.knows(length);
            let r = self.evaluate(&mut cubic, &load, fresh && self.derivatives)?;
            if fresh {
                let matrix = self.linearize(&cubic, &load, &r)?;
                self.interface.set(length, matrix);
                done.linearizations += 1;
            } else if let Some((dx, r_old)) = &last {
                self.interface.learn(dx, &(&r - r_old));
            }
            let dx = self.correction(&r, &cubic)?;
            let moved = cubic.changed(|i| dx.fixed_rows::<6>(6 * i).into());
            let before = core::mem::replace(&mut size, self.distance(&cubic, &moved));
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
            cubic = moved;
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

    /// Lets the units follow `cubic` and finds out what is wrong with it.
    fn evaluate(
        &mut self,
        cubic: &mut CubicMotion,
        load: &Load<'_>,
        derivatives: bool,
    ) -> core::result::Result<DVector<f64>, Refusal<PlatformError>> {
        let stop = Stop {
            time: cubic.start + cubic.length,
            state: *cubic.end(),
            // A base that moves keeps steps short.
            base: None,
        };
        let request = self.request(Question::Series, derivatives);
        self.common.follow(&stop, &request).map_err(refusal)?;
        self.displaced = false;
        let residual = load.residual(cubic, &self.common.slots);
        residual.ok_or_else(|| massless(cubic))
    }

    /// Newton's correction.
    fn correction(
        &mut self,
        residual: &DVector<f64>,
        cubic: &CubicMotion,
    ) -> core::result::Result<DVector<f64>, Refusal<PlatformError>> {
        let found = self.interface.correction(residual);
        found.ok_or_else(|| {
            self.interface.forget();
            Refusal::Smaller(PlatformError::Singular {
                time_s: cubic.start + cubic.length,
            })
        })
    }

    /// Largest way of a joint between two motions, at any stage [m].
    fn distance(&self, a: &CubicMotion, b: &CubicMotion) -> f64 {
        let mut largest: f64 = 0.0;
        for (a, b) in a.stages.iter().zip(&b.stages) {
            for slot in &self.common.slots {
                let way = b.state.point(&slot.sphere) - a.state.point(&slot.sphere);
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

    /// Newton's matrix at `cubic`, where the residual is `r`.
    fn linearize(
        &mut self,
        cubic: &CubicMotion,
        load: &Load<'_>,
        r: &DVector<f64>,
    ) -> core::result::Result<DMatrix<f64>, Refusal<PlatformError>> {
        if !self.derivatives {
            return self.differences(cubic, load, r);
        }
        let found = load.jacobian(cubic, &self.common.slots);
        found.ok_or_else(|| massless(cubic))
    }

    /// Newton's matrix by differences.
    fn differences(
        &mut self,
        cubic: &CubicMotion,
        load: &Load<'_>,
        r: &DVector<f64>,
    ) -> core::result::Result<DMatrix<f64>, Refusal<PlatformError>> {
        let count = r.len();
        let mut matrix = DMatrix::zeros(count, count);
        for j in 0..count {
            let mut e = Vector6::zeros();
            e[j % 6] = DIFFERENCE;
            let mut aside = cubic.changed(|i| if i == j / 6 { e } else { Vector6::zeros() });
            let there = self.evaluate(&mut aside, load, false)?;
            matrix.set_column(j, &((there - r) / DIFFERENCE));
        }
        self.displaced = true;
        Ok(matrix)
    }

    fn accept_long(&mut self, cubic: &CubicMotion, outside: &[Vector6<f64>; NODES]) -> Result<()> {
        self.common.accept_cubic(cubic, outside)?;
        let points = cubic
            .stages
            .map(|stage| (stage.time, stage.state.algorithmic));
        let lever = self.common.config.legs.sphere_radius_m;
        self.predictor.learn(&points, lever);
        self.saved = false;
        Ok(())
    }
}

fn massless(cubic: &CubicMotion) -> Refusal<PlatformError> {
    Refusal::Never(PlatformError::Singular {
        time_s: cubic.start,
    })
}
