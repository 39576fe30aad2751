//! From one equilibrium to another along a path.
//!
//! Pose or motors (whichever is given) and wrench move together from where they are to the target;
//! Newton's method solves for the others at each point. A point is accepted only if its corrections
//! contract, so that the search cannot leap to another branch beyond a limit point: the step is
//! halved there until it is too small, and the error tells how far the path came.

use super::{StaticPlatform, Unknown};
use crate::error::{PlatformError, Result};
use multibody::group::{Group, Se3};
use multibody::math;
use nalgebra::{Vector3, Vector6};

/// Settings of the search for an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticSettings {
    /// Newton stops after a correction smaller than this (relative to the length; rad); what is
    /// left is of the order of its square.
    pub tolerance: f64,
    /// The same at points on the way.
    pub path_tolerance: f64,
    /// Most iterations of one point of the path.
    pub max_iterations: usize,
    /// First step along the path, as a fraction of it.
    pub first_step: f64,
    /// Smallest step before giving up.
    pub smallest_step: f64,
    /// Largest correction of a point (relative to the length; rad): a larger one shortens the step.
    pub largest_correction: f64,
    /// The second correction of a point must be smaller than this times the first.
    pub contraction: f64,
}

impl StaticSettings {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        tolerance: 1e-9,
        path_tolerance: 1e-5,
        max_iterations: 12,
        first_step: 0.5,
        smallest_step: 1e-5,
        largest_correction: 0.7,
        contraction: 0.5,
    };
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What moves along a path: the pose or the motors (whichever is given), and the wrench.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Pose of the end effector, if that is given.
    pub pose: Option<Se3>,
    /// Motor angles [rad], if they are given.
    pub motors: Option<Vec<f64>>,
    /// Force on the end effector's centre, world axes [N].
    pub force: Vector3<f64>,
    /// Moment on it, world axes [N·m].
    pub moment: Vector3<f64>,
}

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Newton iterations in all.
    pub iterations: usize,
    /// Points of the path.
    pub points: usize,
    /// Largest force or moment out of balance at the end effector [N, N·m].
    pub residual: f64,
    /// Fraction of the path from which on the end effector's stiffness was not positive definite.
    pub unstable_from: Option<f64>,
}

/// A path from where a platform is to a target.
#[derive(Debug, Clone)]
pub(super) struct Path {
    start: Target,
    end: Target,
    /// Twist from the first pose to the last.
    turn: Vector6<f64>,
    pub(super) unknown: Unknown,
}

impl Path {
    pub(super) fn new(platform: &StaticPlatform, target: &Target) -> Result<Self> {
        let turn = match &target.pose {
            Some(pose) => platform.pose.between(pose).log().map_err(|error| {
                let reason = format!("the pose is turned by half a turn: {error}");
                PlatformError::NoEquilibrium {
                    reached_percent: 0.0,
                    reason,
                }
            })?,
            None => Vector6::zeros(),
        };
        Ok(Self {
            start: Target {
                pose: Some(platform.pose),
                motors: Some(platform.motors.clone()),
                force: platform.force,
                moment: platform.moment,
            },
            end: target.clone(),
            turn,
            unknown: match (&target.pose, &target.motors) {
                (None, Some(_)) => Unknown::Pose,
                _ => Unknown::Motors,
            },
        })
    }

    /// Sets what is given to its value at the fraction `at` of the way.
    pub(super) fn set(&self, platform: &mut StaticPlatform, at: f64) {
        let Self { start, end, .. } = self;
        platform.force = start.force.lerp(&end.force, at);
        platform.moment = start.moment.lerp(&end.moment, at);
        if let (Some(from), Some(to)) = (&start.pose, &end.pose) {
            platform.pose = if at == 1.0 {
                *to
            } else {
                from.compose(&Se3::exp(&(self.turn * at)))
            };
        }
        if let (Some(from), Some(to)) = (&start.motors, &end.motors) {
            for ((motor, a), b) in platform.motors.iter_mut().zip(from).zip(to) {
                *motor = a + at * (b - a);
            }
        }
    }

    /// Where the path ends.
    pub(super) fn target(&self) -> Target {
        self.end.clone()
    }

    /// Change of force, moment and motors over the whole way.
    pub(super) fn change(&self) -> (Vector3<f64>, Vector3<f64>, Vec<f64>) {
        let Self { start, end, .. } = self;
        let motors = match (&start.motors, &end.motors) {
            (Some(from), Some(to)) => to.iter().zip(from).map(|(b, a)| b - a).collect(),
            (Some(from), None) => vec![0.0; from.len()],
            (None, _) => Vec::new(),
        };
        (end.force - start.force, end.moment - start.moment, motors)
    }
}

impl StaticPlatform {
    /// Follows the equilibrium to `target`. On an error the platform is at the last equilibrium of
    /// the path.
    pub fn follow(&mut self, target: &Target, settings: &StaticSettings) -> Result<Found> {
        self.check_target(target)?;
        let path = Path::new(self, target)?;
        let softest = self.softest();
        let (mut at, mut step) = (0.0, settings.first_step);
        let (mut iterations, mut points) = (0, 0);
        let mut unstable_from = None;
        let mut saved = self.save();
        while at < 1.0 {
            let next: f64 = if at + step > 1.0 - 1e-12 {
                1.0
            } else {
                at + step
            };
            path.set(self, next);
            let tolerance = if next < 1.0 {
                settings.path_tolerance
            } else {
                settings.tolerance
            };
            match self.solve(path.unknown, settings, tolerance) {
                Ok(done) => {
                    iterations += done;
                    points += 1;
                    at = next;
                    step *= if done <= 5 { 2.0 } else { 1.0 };
                    if path.unknown == Unknown::Pose {
                        let stable = self.softest() > 0.0;
                        unstable_from = unstable_from.filter(|_| !stable);
                        if !stable && unstable_from.is_none() {
                            unstable_from = Some(at);
                        }
                    }
                    if at < 1.0 {
                        self.save_into(&mut saved);
                    }
                }
                Err(error) => {
                    step = 0.5 * (next - at);
                    self.put_back(&saved);
                    if step < settings.smallest_step {
                        // The last point was found roughly; a failure leaves it as it was.
                        if self
                            .solve(path.unknown, settings, settings.tolerance)
                            .is_err()
                        {
                            self.put_back(&saved);
                            self.linearize(1)?;
                        }
                        return Err(PlatformError::NoEquilibrium {
                            reached_percent: 100.0 * at,
                            reason: self.explain(path.unknown, softest, unstable_from, &error),
                        });
                    }
                }
            }
        }
        Ok(Found {
            iterations,
            points,
            residual: self.residual(),
            unstable_from,
        })
    }

    pub(super) fn check_target(&self, target: &Target) -> Result<()> {
        let given = target.motors.as_ref().map_or(self.legs.len(), Vec::len);
        if given != self.legs.len() {
            return Err(PlatformError::MotorCount {
                given,
                legs: self.legs.len(),
            });
        }
        Ok(())
    }

    /// Newton's method at one point of the path: iterations done.
    fn solve(
        &mut self,
        unknown: Unknown,
        settings: &StaticSettings,
        tolerance: f64,
    ) -> Result<usize> {
        let (mut size, mut first, mut last) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut done = 0;
        for iteration in 1..=settings.max_iterations {
            done = iteration;
            self.linearize(iteration)?;
            let balance = self.balance();
            let (psi, motors) = self.correction(unknown, &balance)?;
            size = self.apply(&psi, &motors);
            if size <= tolerance {
                self.linearize(iteration)?;
                return Ok(iteration);
            }
            if size.is_nan() || size > settings.largest_correction {
                break;
            }
            if size <= ROUNDING && size > 0.25 * last {
                self.linearize(iteration)?;
                return Ok(iteration);
            }
            last = size;
            match iteration {
                1 => first = size,
                2 if size > settings.contraction * first => break,
                _ => {}
            }
        }
        Err(PlatformError::StaticDiverged {
            iterations: done,
            correction: size,
        })
    }

    /// Why a path ends here, in words with numbers.
    fn explain(
        &self,
        unknown: Unknown,
        at_start: f64,
        unstable_from: Option<f64>,
        error: &PlatformError,
    ) -> String {
        if let PlatformError::Leg { .. } = error {
            return error.to_string();
        }
        let softest = self.softest();
        match unknown {
            Unknown::Pose if let Some(from) = unstable_from => format!(
                "the equilibrium is unstable at {:.1} % of the way already, another branch having left \
                 it, and cannot be followed further; its smallest stiffness went from \
                 {at_start:.4} to {softest:.4} N/m (rotations over the radius of the joints)",
                100.0 * from
            ),
            Unknown::Pose if softest < SOFT * at_start => format!(
                "limit point: the smallest stiffness of the end effector fell from {at_start:.4} \
                 to {softest:.4} N/m (rotations over the radius of the joints); beyond, it snaps \
                 through to another equilibrium or to none"
            ),
            Unknown::Pose => format!(
                "{error}; the smallest stiffness of the end effector is {softest:.4} N/m there, \
                 {at_start:.4} at the start"
            ),
            Unknown::Motors => self.explain_motors(),
        }
    }

    /// What keeps the motors from balancing the wrench.
    fn explain_motors(&self) -> String {
        let (low, high, index) = self.weakest_motors();
        let leg = &self.legs[index];
        let chord = leg.span();
        // The crank's end moves along the second axis of the crank.
        let motion = leg.crank_motion();
        let lever = math::asin((motion.dot(&chord) / chord.norm()).abs().min(1.0));
        format!(
            "the motors cannot balance the wrench any further: their effect on it ranges from \
             {low:.3} to {high:.3} N/rad (singular values); in the weakest direction leg {} takes \
             most part, whose crank moves {:.1}° from square to its tendon, its chord {:.1} % of the \
             leaf's length",
            index + 1,
            lever.to_degrees(),
            100.0 * chord.norm() / leg.config().leaf.length_m
        )
    }
}

/// Corrections below this that no longer shrink are rounding.
pub(super) const ROUNDING: f64 = 1e-8;
/// Fall of the smallest stiffness that tells a limit point from other trouble.
const SOFT: f64 = 0.2;
