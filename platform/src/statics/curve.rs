//! The load curve: the equilibrium followed by arc length, past limit points.
//!
//! The wrench and the motors are those at the fraction λ of a path. With the twist d of the end
//! effector since the last point, the weights W (lengths over the leaf's, radians) and θ for λ, and
//! the unit tangent t of the curve, a point at the arc length s from the last satisfies
//!
//! ```text
//! w(d, λ) = 0,     t_dᵀ W d + θ² t_λ (λ − λ_0) = s                              (1)
//! [K, −w_λ; t_dᵀ W, θ² t_λ] (ψ, δλ) = (w, s − t_dᵀ W d − θ² t_λ (λ − λ_0))      (2)
//! ```
//!
//! regular also where K is singular (`riks1979`). At a limit point t_λ changes sign.

use super::follow::{Path, ROUNDING};
use super::{StaticPlatform, Target, Unknown};
use crate::error::{PlatformError, Result};
use multibody::group::{Group, Se3};
use nalgebra::{SMatrix, SVector, Vector6};

/// Settings of a load curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveSettings {
    /// First arc length (relative to the leaf's length; rad).
    pub first_step: f64,
    /// Largest arc length.
    pub largest_step: f64,
    /// Smallest arc length before giving up.
    pub smallest_step: f64,
    /// Most points.
    pub most_points: usize,
    /// Newton stops after a correction smaller than this.
    pub tolerance: f64,
}

impl Default for CurveSettings {
    fn default() -> Self {
        Self {
            first_step: 0.01,
            largest_step: 0.05,
            smallest_step: 1e-6,
            most_points: 400,
            tolerance: 1e-10,
        }
    }
}

/// A point of a load curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// Fraction λ of the way to the target.
    pub fraction: f64,
    /// Pose of the end effector.
    pub pose: Se3,
    /// Number of directions in which the equilibrium is unstable.
    pub unstable_directions: usize,
    /// Smallest stiffness of the end effector, rotations over the radius of the joints [N/m].
    pub smallest_stiffness: f64,
    /// Largest force or moment out of balance [N, N·m].
    pub residual: f64,
}

/// Why a curve ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CurveEnd {
    /// It reached the target.
    Target,
    /// It turned back to where it started, λ < 0.
    Returned,
    /// It has as many points as were asked for.
    Points,
    /// It could not be followed further.
    Stuck(PlatformError),
}

/// A load curve.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCurve {
    /// Its points, the start first.
    pub points: Vec<CurvePoint>,
    /// Fractions at the limit points, in the order in which the curve passes them.
    pub limits: Vec<f64>,
    /// Why it ended.
    pub end: CurveEnd,
}

/// Direction of the curve at a point.
#[derive(Debug, Clone, Copy)]
struct Tangent {
    twist: Vector6<f64>,
    fraction: f64,
}

/// A curve being followed.
struct Tracer<'a> {
    platform: &'a mut StaticPlatform,
    path: Path,
    weights: Vector6<f64>,
    theta: f64,
    tolerance: f64,
    at: f64,
}

/// Newton iterations of a point.
const MOST_ITERATIONS: usize = 8;
/// The second correction of a point must be smaller than this times the first.
const CONTRACTION: f64 = 0.5;

impl StaticPlatform {
    /// Follows the curve of equilibria from here toward `target`, whose motors are given and whose
    /// pose is not. Leaves the platform at the last point.
    pub fn load_curve(&mut self, target: &Target, settings: &CurveSettings) -> Result<LoadCurve> {
        self.check_target(target)?;
        let path = Path::new(self, target)?;
        if path.unknown != Unknown::Pose {
            return Err(PlatformError::NoEquilibrium {
                reached_percent: 0.0,
                reason: "a load curve holds the motors' course and looks for the pose".to_owned(),
            });
        }
        let length = self.config.leaf.length_m;
        let weights = Vector6::from_fn(|i, _| if i < 3 { 1.0 / (length * length) } else { 1.0 });
        let mut tracer = Tracer {
            platform: self,
            path,
            weights,
            theta: 1.0,
            tolerance: settings.tolerance,
            at: 0.0,
        };
        tracer.trace(settings)
    }
}

impl Tracer<'_> {
    fn trace(&mut self, settings: &CurveSettings) -> Result<LoadCurve> {
        let mut tangent = self.first_tangent()?;
        let mut out = LoadCurve {
            points: vec![self.point()?],
            limits: Vec::new(),
            end: CurveEnd::Points,
        };
        let mut step = settings.first_step;
        let mut saved = self.platform.save();
        while out.points.len() < settings.most_points {
            let before = self.at;
            // The last step ends where the target is.
            if tangent.fraction > 0.0 && self.at + step * tangent.fraction >= 1.0 {
                return self.finish(out, &saved);
            }
            match self.step(&tangent, step) {
                Ok(iterations) => {
                    let next = self.tangent(&tangent)?;
                    if next.fraction * tangent.fraction < 0.0 {
                        out.limits.push(self.at.max(before).min(1.0));
                    }
                    tangent = next;
                    self.platform.save_into(&mut saved);
                    out.points.push(self.point()?);
                    let factor = if iterations <= 3 { 1.5 } else { 1.0 };
                    step = (step * factor).min(settings.largest_step);
                    if self.at < 0.0 {
                        out.end = CurveEnd::Returned;
                        return Ok(out);
                    }
                }
                Err(error) => {
                    self.platform.put_back(&saved);
                    self.at = before;
                    step *= 0.5;
                    if step < settings.smallest_step {
                        self.platform.linearize(1)?;
                        out.end = CurveEnd::Stuck(error);
                        return Ok(out);
                    }
                }
            }
        }
        Ok(out)
    }

    /// Goes to the target itself from the point before it.
    fn finish(&mut self, mut out: LoadCurve, saved: &super::Saved) -> Result<LoadCurve> {
        self.platform.put_back(saved);
        self.platform.linearize(1)?;
        let done = self
            .platform
            .follow(&self.path.target(), &super::StaticSettings::default());
        match done {
            Ok(_) => {
                self.at = 1.0;
                out.points.push(self.point()?);
                out.end = CurveEnd::Target;
            }
            Err(error) => out.end = CurveEnd::Stuck(error),
        }
        Ok(out)
    }

    fn point(&mut self) -> Result<CurvePoint> {
        let residual = self.platform.residual();
        let stability = self.platform.stability()?;
        Ok(CurvePoint {
            fraction: self.at,
            pose: *self.platform.pose(),
            unstable_directions: stability.unstable_directions,
            smallest_stiffness: stability.smallest_stiffness,
            residual,
        })
    }

    /// The matrix of (2) for the tangent `t`, and w.
    fn bordered(&self, t: &Tangent) -> (SMatrix<f64, 7, 7>, Vector6<f64>) {
        let balance = self.platform.balance();
        let rotation = self.platform.pose.rotation();
        let (force, moment, motors) = self.path.change();
        let mut by_fraction = Vector6::zeros();
        by_fraction
            .fixed_rows_mut::<3>(0)
            .copy_from(&rotation.tr_mul(&force));
        by_fraction
            .fixed_rows_mut::<3>(3)
            .copy_from(&rotation.tr_mul(&moment));
        for (i, change) in motors.iter().enumerate() {
            by_fraction += balance.by_motors.column(i) * *change;
        }
        let mut matrix = SMatrix::<f64, 7, 7>::zeros();
        matrix
            .fixed_view_mut::<6, 6>(0, 0)
            .copy_from(&-balance.by_pose);
        matrix.fixed_view_mut::<6, 1>(0, 6).copy_from(&-by_fraction);
        let row = t.twist.component_mul(&self.weights).transpose();
        matrix.fixed_view_mut::<1, 6>(6, 0).copy_from(&row);
        matrix[(6, 6)] = self.theta * self.theta * t.fraction;
        (matrix, balance.wrench)
    }

    /// Solves (2) with this right-hand side.
    fn solve(
        matrix: SMatrix<f64, 7, 7>,
        wrench: &Vector6<f64>,
        arc: f64,
    ) -> Result<(Vector6<f64>, f64)> {
        let mut right = SVector::<f64, 7>::zeros();
        right.fixed_rows_mut::<6>(0).copy_from(wrench);
        right[6] = arc;
        let solution = matrix
            .lu()
            .solve(&right)
            .ok_or(PlatformError::Singular { time_s: 0.0 })?;
        Ok((solution.fixed_rows::<6>(0).into(), solution[6]))
    }

    /// Direction at the start: λ grows, and both parts count alike.
    fn first_tangent(&mut self) -> Result<Tangent> {
        let along = Tangent {
            twist: Vector6::zeros(),
            fraction: 1.0,
        };
        let (matrix, _) = self.bordered(&along);
        let (twist, fraction) = Self::solve(matrix, &Vector6::zeros(), 1.0)?;
        let moved = twist.component_mul(&self.weights).dot(&twist).sqrt() / fraction.abs();
        self.theta = moved.max(1e-6);
        Ok(self.normalized(twist, fraction))
    }

    fn normalized(&self, twist: Vector6<f64>, fraction: f64) -> Tangent {
        let square = twist.component_mul(&self.weights).dot(&twist)
            + (self.theta * fraction) * (self.theta * fraction);
        let norm = square.sqrt();
        Tangent {
            twist: twist / norm,
            fraction: fraction / norm,
        }
    }

    /// Direction at the point just found, onward from `last`.
    fn tangent(&self, last: &Tangent) -> Result<Tangent> {
        let (matrix, _) = self.bordered(last);
        let (twist, fraction) = Self::solve(matrix, &Vector6::zeros(), 1.0)?;
        Ok(self.normalized(twist, fraction))
    }

    /// Goes on by the arc length `arc`: Newton iterations.
    fn step(&mut self, tangent: &Tangent, arc: f64) -> Result<usize> {
        let (start, from) = (*self.platform.pose(), self.at);
        let (_, _, motors) = self.path.change();
        let (mut size, mut first, mut last) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for iteration in 1..=MOST_ITERATIONS {
            self.platform.linearize(iteration)?;
            let (matrix, wrench) = self.bordered(tangent);
            let moved =
                start
                    .between(self.platform.pose())
                    .log()
                    .map_err(|_| PlatformError::Diverged {
                        time_s: 0.0,
                        step_s: arc,
                        iterations: iteration,
                        correction: core::f64::consts::PI,
                    })?;
            let done = tangent.twist.component_mul(&self.weights).dot(&moved)
                + self.theta * self.theta * tangent.fraction * (self.at - from);
            let (psi, change) = Self::solve(matrix, &wrench, arc - done)?;
            let turned: Vec<f64> = motors.iter().map(|motor| motor * change).collect();
            size = self.platform.apply(&psi, &turned);
            self.at += change;
            // Motors were moved with the legs; this sets them and the wrench without rounding.
            self.path.set(self.platform, self.at);
            let rounding = size <= ROUNDING && size > 0.25 * last;
            if size <= self.tolerance || rounding {
                self.platform.linearize(iteration)?;
                return Ok(iteration);
            }
            last = size;
            match iteration {
                1 => first = size,
                2 if size > CONTRACTION * first => break,
                _ => {}
            }
            if size.is_nan() {
                break;
            }
        }
        Err(PlatformError::StaticDiverged {
            iterations: MOST_ITERATIONS,
            correction: size,
        })
    }
}
