//! Equilibrium of the platform.
//!
//! Each leg, its tip at `x + R s` and its crank at the motor's angle, is in equilibrium and pushes
//! the end effector with the force f. In the end effector's axes, about its centre,
//!
//! ```text
//! w = Σ B_iᵀ Rᵀ f_i + (Rᵀ f, Rᵀ m) + weight = 0,     B_i = [I, −s_i×]           (1)
//! δw = Σ B_iᵀ (Rᵀ S_i R B_i + (Rᵀ f_i)× P) ψ + …                                (2)
//! ```
//!
//! with S the operator of `leg_core::port` and P the angular part. Forward, the six unknowns are
//! the twist ψ of the end effector; inverse, the six motor angles. Either way the equilibrium is
//! followed from the nominal pose, where all legs are known, to what is asked for.

use crate::body::{Body, point_map, skew, weight_of};
use crate::config::{PlatformConfig, rotation_from_rpy};
use crate::error::{PlatformError, Result};
use leg_core::group::{Group, Se3};
use leg_core::leg::LegError;
use leg_core::leg::spatial::{
    SpatialChannel, SpatialLeg, SpatialPretensioned, SpatialState, pretension_spatial,
};
use leg_core::model::spatial_inertia;
use leg_core::port::{Condensation, Port, balance};
use leg_core::results;
use leg_core::workspace::Workspace;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Rotation3, Vector3, Vector6};
use rayon::prelude::*;

/// What the equilibrium is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The pose of the end effector, motors held.
    Pose,
    /// The motor angles, pose held.
    Motors,
}

/// Settings of the search for an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticSettings {
    /// Newton stops after a correction smaller than this (relative to the length; rad).
    pub tolerance: f64,
    /// Most iterations of one point of the path.
    pub max_iterations: usize,
    /// First step along the path, as a fraction of it.
    pub first_step: f64,
    /// Smallest step before giving up.
    pub smallest_step: f64,
    /// Largest correction of a point (relative to the length; rad): a larger one shortens the step.
    pub largest_correction: f64,
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            max_iterations: 12,
            first_step: 0.25,
            smallest_step: 1e-5,
            largest_correction: 0.5,
        }
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

/// A leg in equilibrium.
#[derive(Debug, Clone)]
struct StaticLeg {
    leg: SpatialLeg,
    rest_length: Option<f64>,
    state: SpatialState,
    workspace: Workspace<Se3, 6>,
    port: Port,
    condensation: Condensation<6>,
}

/// The platform in equilibrium, or on the way to it.
#[derive(Debug, Clone)]
pub struct StaticPlatform {
    config: PlatformConfig,
    spheres: Vec<Vector3<f64>>,
    effector: Body,
    legs: Vec<StaticLeg>,
    pose: Se3,
    motors: Vec<f64>,
    force: Vector3<f64>,
    moment: Vector3<f64>,
}

/// Directions of a leg's port: the tip's position, then the crank's angle.
const CRANK: usize = 3;

impl StaticLeg {
    fn new(bowed: SpatialPretensioned) -> core::result::Result<Self, LegError> {
        let SpatialPretensioned {
            leg,
            state,
            rest_length_m,
            ..
        } = bowed;
        let first = SpatialChannel::TipPosition as usize;
        let channels = [
            first,
            first + 1,
            first + 2,
            SpatialChannel::CrankAngle as usize,
        ];
        let inputs: Vec<_> = channels
            .iter()
            .filter_map(|&i| leg.model.input(i))
            .collect();
        let port = Port::new(&leg.model, &inputs, None)?;
        Ok(Self {
            rest_length: rest_length_m,
            workspace: Workspace::new(&leg.model),
            condensation: Condensation::new(&leg.model, &port),
            port,
            state,
            leg,
        })
    }

    fn set_inputs(&mut self, tip: &Vector3<f64>, motor: f64) {
        let first = SpatialChannel::TipPosition as usize;
        for i in 0..3 {
            self.state.inputs.value[first + i] = tip[i];
        }
        self.state.inputs.value[SpatialChannel::CrankAngle as usize] = motor;
    }

    fn linearize(&mut self, iteration: usize) -> leg_core::Result<f64> {
        let Self {
            leg,
            state,
            workspace,
            port,
            condensation,
            ..
        } = self;
        balance::linearize(&leg.model, state, workspace, port, condensation, iteration)
    }

    fn correct(&mut self, delta: &[f64]) -> f64 {
        let Self {
            leg,
            state,
            workspace,
            condensation,
            ..
        } = self;
        balance::correct(&leg.model, state, workspace, condensation, delta, 1.0)
    }

    /// Force on the end effector and its change by the leg's own correction.
    fn force(&self) -> (Vector3<f64>, Vector3<f64>) {
        let c = &self.condensation;
        (
            Vector3::from_column_slice(&c.force[..3]),
            Vector3::from_column_slice(&c.force_change[..3]),
        )
    }

    fn tip_operator(&self) -> Matrix3<f64> {
        self.condensation.operator.fixed_view::<3, 3>(0, 0).into()
    }
}

/// The equations of the end effector at an iterate.
struct Balance {
    /// w of eq. (1), the legs' own corrections included.
    wrench: Vector6<f64>,
    /// ∂w/∂ψ.
    by_pose: Matrix6<f64>,
    /// ∂w/∂motors, one column per leg.
    by_motors: DMatrix<f64>,
}

impl StaticPlatform {
    /// The platform in its nominal pose: every leg in equilibrium with its tip held there, the
    /// wrench being the one that holds the end effector.
    pub fn nominal(config: &PlatformConfig) -> Result<Self> {
        config.validate()?;
        let legs = config
            .leg_configs()?
            .par_iter()
            .enumerate()
            .map(|(i, leg)| {
                pretension_spatial(leg)
                    .and_then(StaticLeg::new)
                    .map_err(PlatformError::in_leg(i))
            })
            .collect::<Result<Vec<_>>>()?;
        let effector = &config.end_effector;
        let tensor = Matrix3::from_diagonal(&effector.inertia_kg_m2.into());
        let gravity = if effector.feels_gravity {
            config.gravity_m_s2.into()
        } else {
            Vector3::zeros()
        };
        let motors = legs.iter().map(|leg| leg.leg.config.q1_rad).collect();
        let mut out = Self {
            spheres: config.sphere_positions(),
            effector: Body {
                inertia: spatial_inertia(effector.mass_kg, [0.0; 3], tensor),
                gravity,
            },
            pose: Se3::from_parts(
                effector.position_m.into(),
                rotation_from_rpy(effector.rpy_rad).into_inner(),
            ),
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
            motors,
            legs,
            config: config.clone(),
        };
        out.linearize(1)?;
        let held = out.balance().wrench;
        let rotation = out.pose.rotation();
        out.force = -(rotation * held.fixed_rows::<3>(0));
        out.moment = -(rotation * held.fixed_rows::<3>(3));
        Ok(out)
    }

    /// The platform's configuration.
    pub fn config(&self) -> &PlatformConfig {
        &self.config
    }

    /// Pose of the end effector.
    pub fn pose(&self) -> &Se3 {
        &self.pose
    }

    /// Motor angles [rad].
    pub fn motors(&self) -> &[f64] {
        &self.motors
    }

    /// Force [N] and moment [N·m] on the end effector's centre, world axes.
    pub fn wrench(&self) -> (Vector3<f64>, Vector3<f64>) {
        (self.force, self.moment)
    }

    /// Force of each leg on the end effector, world axes [N].
    pub fn leg_forces(&self) -> Vec<Vector3<f64>> {
        self.legs.iter().map(|leg| leg.force().0).collect()
    }

    /// Tendon tension of each leg [N].
    pub fn tensions(&self) -> Vec<f64> {
        let tension = |leg: &StaticLeg| {
            let line = results::line(&leg.leg.model, &leg.state, leg.leg.tendon?)?;
            Some(line.response.tension)
        };
        self.legs
            .iter()
            .map(|leg| tension(leg).unwrap_or(0.0))
            .collect()
    }

    /// Torque that holds each crank [N·m].
    pub fn holding_torques(&self) -> Vec<f64> {
        // The force of a leg on its driver is the opposite of the driver's torque on the crank.
        self.legs
            .iter()
            .map(|leg| -leg.condensation.force[CRANK])
            .collect()
    }

    /// The legs' models, states and rest lengths, for dynamics to start from.
    pub(crate) fn legs(&self) -> impl Iterator<Item = (&SpatialLeg, &SpatialState, Option<f64>)> {
        self.legs
            .iter()
            .map(|leg| (&leg.leg, &leg.state, leg.rest_length))
    }

    /// Centre lines of the leaves: positions of the nodes from A to B, world axes [m].
    pub fn shapes(&self) -> Vec<Vec<Vector3<f64>>> {
        let shape = |leg: &StaticLeg| {
            let nodes = 0..=leg.leg.config.solver.elements;
            nodes
                .map(|i| leg.leg.model.beam_node(leg.leg.leaf, i))
                .map(|node| leg.state.pose(node).translation())
                .collect()
        };
        self.legs.iter().map(shape).collect()
    }

    /// The end effector's inertia and gravity.
    pub fn effector(&self) -> &Body {
        &self.effector
    }

    /// What is wanting for equilibrium: force [N] and moment [N·m] about the centre, end
    /// effector's axes.
    pub fn imbalance(&self) -> Vector6<f64> {
        self.balance().wrench
    }

    /// Stiffness of the end effector about its centre, motors held, end effector's axes: −∂w/∂ψ.
    pub fn stiffness(&self) -> Matrix6<f64> {
        -self.balance().by_pose
    }

    /// Change of the wrench of the legs with the motor angles, end effector's axes (6 × legs).
    pub fn wrench_by_motors(&self) -> DMatrix<f64> {
        self.balance().by_motors
    }

    /// Signs of the determinants of the legs' own equations, tips and cranks held: a change along
    /// a path tells that a leg has buckled.
    pub fn determinant_signs(&self) -> Vec<f64> {
        self.legs
            .iter()
            .map(|leg| balance::determinant_sign(&leg.workspace))
            .collect()
    }

    /// Follows the equilibrium to `target`. On an error the platform is at the last equilibrium of
    /// the path.
    pub fn follow(&mut self, target: &Target, settings: &StaticSettings) -> Result<Found> {
        let unknown = match (&target.pose, &target.motors) {
            (None, Some(_)) => Unknown::Pose,
            _ => Unknown::Motors,
        };
        let start = Target {
            pose: Some(self.pose),
            motors: Some(self.motors.clone()),
            force: self.force,
            moment: self.moment,
        };
        let turn = match &target.pose {
            Some(pose) => {
                self.pose
                    .between(pose)
                    .log()
                    .map_err(|error| PlatformError::NoEquilibrium {
                        reached_percent: 0.0,
                        reason: error.to_string(),
                    })?
            }
            None => Vector6::zeros(),
        };
        let (mut at, mut step) = (0.0, settings.first_step);
        let mut iterations = 0;
        let mut saved = self.clone();
        while at < 1.0 {
            let next: f64 = if at + step > 1.0 - 1e-12 {
                1.0
            } else {
                at + step
            };
            self.set_along(&start, target, &turn, next);
            match self.solve(unknown, settings) {
                Ok(done) => {
                    iterations += done.iterations;
                    at = next;
                    step *= if done.iterations <= 5 { 2.0 } else { 1.0 };
                    if at < 1.0 {
                        saved.clone_from(self);
                    }
                }
                Err(error) => {
                    self.clone_from(&saved);
                    step *= 0.5;
                    if step < settings.smallest_step {
                        return Err(PlatformError::NoEquilibrium {
                            reached_percent: 100.0 * at,
                            reason: error.to_string(),
                        });
                    }
                }
            }
        }
        let imbalance = self.imbalance();
        Ok(Found {
            iterations,
            residual: imbalance.amax(),
        })
    }

    /// Sets what is given to its value at the fraction `at` of the way.
    fn set_along(&mut self, start: &Target, target: &Target, turn: &Vector6<f64>, at: f64) {
        self.force = start.force.lerp(&target.force, at);
        self.moment = start.moment.lerp(&target.moment, at);
        if let (Some(from), Some(to)) = (&start.pose, &target.pose) {
            self.pose = if at == 1.0 {
                *to
            } else {
                from.compose(&Se3::exp(&(turn * at)))
            };
        }
        if let (Some(from), Some(to)) = (&start.motors, &target.motors) {
            for ((motor, a), b) in self.motors.iter_mut().zip(from).zip(to) {
                *motor = a + at * (b - a);
            }
        }
    }

    /// Newton's method at one point of the path.
    fn solve(&mut self, unknown: Unknown, settings: &StaticSettings) -> Result<Found> {
        let mut size = f64::INFINITY;
        for iteration in 1..=settings.max_iterations {
            self.linearize(iteration)?;
            let balance = self.balance();
            let (psi, motors) = self.correction(unknown, &balance)?;
            size = self.apply(&psi, &motors);
            if size.is_nan() || size > settings.largest_correction {
                break;
            }
            if size <= settings.tolerance {
                self.linearize(iteration)?;
                return Ok(Found {
                    iterations: iteration,
                    residual: self.imbalance().amax(),
                });
            }
        }
        Err(PlatformError::Diverged {
            time_s: 0.0,
            step_s: 0.0,
            iterations: settings.max_iterations,
            correction: size,
        })
    }

    fn linearize(&mut self, iteration: usize) -> Result<()> {
        let Self {
            legs,
            spheres,
            pose,
            motors,
            ..
        } = self;
        for (i, leg) in legs.iter_mut().enumerate() {
            let tip = pose.translation() + pose.rotation() * spheres[i];
            leg.set_inputs(&tip, motors[i]);
            leg.linearize(iteration).map_err(PlatformError::in_leg(i))?;
        }
        Ok(())
    }

    /// Eqs. (1) and (2).
    fn balance(&self) -> Balance {
        let rotation = self.pose.rotation();
        let (weight, weight_by_pose) = weight_of(&self.effector, &self.pose);
        let (force, moment) = (rotation.tr_mul(&self.force), rotation.tr_mul(&self.moment));
        let mut wrench = weight;
        let mut by_pose = weight_by_pose;
        for (block, v) in [force, moment].iter().enumerate() {
            let mut rows = wrench.fixed_rows_mut::<3>(3 * block);
            rows += v;
            let mut turned = by_pose.fixed_view_mut::<3, 3>(3 * block, 3);
            turned += skew(v);
        }
        let mut by_motors = DMatrix::zeros(6, self.legs.len());
        for (i, leg) in self.legs.iter().enumerate() {
            let map = point_map(&self.spheres[i]);
            let (force, change) = leg.force();
            let local = rotation.tr_mul(&force);
            wrench += map.tr_mul(&(local + rotation.tr_mul(&change)));
            let mut inner = rotation.tr_mul(&leg.tip_operator()) * rotation * map;
            let mut turned = inner.fixed_view_mut::<3, 3>(0, 3);
            turned += skew(&local);
            by_pose += map.tr_mul(&inner);
            let crank: Vector3<f64> = leg
                .condensation
                .operator
                .fixed_view::<3, 1>(0, CRANK)
                .into();
            by_motors.set_column(i, &map.tr_mul(&rotation.tr_mul(&crank)));
        }
        Balance {
            wrench,
            by_pose,
            by_motors,
        }
    }

    /// Changes of pose and motors that bring the balance to zero.
    fn correction(&self, unknown: Unknown, balance: &Balance) -> Result<(Vector6<f64>, Vec<f64>)> {
        let singular = PlatformError::Singular { time_s: 0.0 };
        let count = self.legs.len();
        match unknown {
            Unknown::Pose => {
                let psi = (-balance.by_pose).lu().solve(&balance.wrench);
                Ok((psi.ok_or(singular)?, vec![0.0; count]))
            }
            Unknown::Motors if count == 6 => {
                let wrench = DVector::from_column_slice(balance.wrench.as_slice());
                let motors = (-&balance.by_motors).lu().solve(&wrench);
                let motors = motors.ok_or(singular)?;
                Ok((Vector6::zeros(), motors.iter().copied().collect()))
            }
            Unknown::Motors => {
                // More motors than equations: the smallest change that does it.
                let wrench = DVector::from_column_slice(balance.wrench.as_slice());
                let inverse = (-&balance.by_motors).pseudo_inverse(1e-12);
                let motors = inverse.map_err(|_| singular)? * wrench;
                Ok((Vector6::zeros(), motors.iter().copied().collect()))
            }
        }
    }

    /// Applies the changes; size of the whole correction.
    fn apply(&mut self, psi: &Vector6<f64>, motors: &[f64]) -> f64 {
        let length = self.config.leaf.length_m;
        let linear = psi.fixed_rows::<3>(0).amax() / length;
        let mut size = linear.max(psi.fixed_rows::<3>(3).amax());
        let rotation = self.pose.rotation();
        for (i, leg) in self.legs.iter_mut().enumerate() {
            let tip = rotation * (point_map(&self.spheres[i]) * psi);
            let delta = [tip.x, tip.y, tip.z, motors[i]];
            size = size.max(leg.correct(&delta)).max(motors[i].abs());
            self.motors[i] += motors[i];
        }
        self.pose = self.pose.compose(&Se3::exp(psi)).renormalized();
        size
    }
}

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Newton iterations in all.
    pub iterations: usize,
    /// Largest imbalance of the end effector [N, N·m].
    pub residual: f64,
}

/// Roll, pitch and yaw of a pose, R = Rz(yaw)·Ry(pitch)·Rx(roll) [rad].
pub fn rpy_of(pose: &Se3) -> [f64; 3] {
    let (roll, pitch, yaw) = Rotation3::from_matrix_unchecked(pose.rotation()).euler_angles();
    [roll, pitch, yaw]
}
