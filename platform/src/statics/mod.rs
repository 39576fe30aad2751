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
//! with S the operator of `multibody::port` and P the angular part. Forward, the six unknowns are
//! the twist ψ of the end effector; inverse, the six motor angles. Either way the equilibrium is
//! followed from the nominal pose, where all legs are known, to what is asked for.

mod curve;
mod follow;
mod leg;
mod stiffness;

pub use curve::{CurveEnd, CurvePoint, CurveSettings, LoadCurve};
pub use follow::{Found, StaticSettings, Target};
pub use stiffness::{Stability, StiffnessReport};

use leg::{LegMemory, StaticLeg};

use crate::body::{Body, point_map, skew, weight_of};
use crate::config::{Fidelity, PlatformConfig};
use crate::error::{PlatformError, Result};
use crate::threads;
use leg_core::config::{History, MotorMode};
use leg_core::spatial::{SpatialLeg, SpatialLegConfig, SpatialState, pretension_spatial};
use leg_core::strut::Strut;
use multibody::group::{Group, Se3};
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

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

/// What changes of a platform in equilibrium; see [`StaticPlatform::save`].
#[derive(Debug, Clone)]
pub struct Saved {
    pose: Se3,
    motors: Vec<f64>,
    force: Vector3<f64>,
    moment: Vector3<f64>,
    legs: Vec<LegMemory>,
}

/// What the equilibrium is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The pose of the end effector, motors held.
    Pose,
    /// The motor angles, pose held.
    Motors,
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
        let bow = |(i, leg): (usize, &SpatialLegConfig)| {
            let made = match config.legs.fidelity {
                Fidelity::Full | Fidelity::Reduced => {
                    pretension_spatial(leg).and_then(StaticLeg::leaf)
                }
                Fidelity::Strut => StaticLeg::strut(leg),
            };
            made.map_err(PlatformError::in_leg(i))
        };
        let configs = config.leg_configs()?;
        let legs: Vec<Result<StaticLeg>> =
            if config.legs.fidelity == Fidelity::Strut || config.solver.threads == 1 {
                configs.iter().enumerate().map(bow).collect()
            } else {
                threads::map_all(&configs, bow)
            };
        // The first leg that fails is named, whichever was first in time.
        let legs = legs.into_iter().collect::<Result<Vec<_>>>()?;
        let effector = &config.end_effector;
        let motors = legs.iter().map(|leg| leg.config().q1_rad).collect();
        let mut out = Self {
            spheres: config.sphere_positions(),
            effector: effector.body(&config.gravity_m_s2),
            pose: effector.pose(),
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
            motors,
            legs,
            config: config.clone(),
        };
        out.linearize(1)?;
        let held = out.imbalance();
        let rotation = out.pose.rotation();
        out.force = -(rotation * held.fixed_rows::<3>(0));
        out.moment = -(rotation * held.fixed_rows::<3>(3));
        Ok(out)
    }

    /// The same equilibrium on a base that does not move, the end effector having another inertia
    /// about its origin but no more weight: what a regulator of its motion against the base is
    /// designed on.
    pub fn with_inertia(&self, inertia: Matrix6<f64>) -> Self {
        let mut out = self.clone();
        out.config.base.free_floating = false;
        out.effector.gravity *= self.effector.inertia[(0, 0)] / inertia[(0, 0)];
        out.effector.inertia = inertia;
        out
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

    /// The same as one vector, force first.
    pub fn wrench_vector(&self) -> Vector6<f64> {
        let (force, moment) = self.wrench();
        Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
    }

    /// Force of each leg on the end effector, world axes [N].
    pub fn leg_forces(&self) -> Vec<Vector3<f64>> {
        self.legs.iter().map(|leg| leg.force().0).collect()
    }

    /// Tendon tension of each leg [N].
    pub fn tensions(&self) -> Vec<f64> {
        self.legs.iter().map(StaticLeg::tension).collect()
    }

    /// Torque that holds each crank [N·m].
    pub fn holding_torques(&self) -> Vec<f64> {
        self.legs.iter().map(StaticLeg::holding_torque).collect()
    }

    /// Whether the leaves are strained within their model.
    pub fn soundness(&self) -> Result<Soundness> {
        let mut watch = Watch::default();
        for (i, leg) in self.legs.iter().enumerate() {
            if let Some(leaf) = leg.as_leaf() {
                let strain = leaf.leg.leaf_strain(&leaf.state);
                let strain = strain.map_err(PlatformError::in_leg(i))?;
                watch.leaf_at_rest(Some(i + 1), &strain);
            }
        }
        Ok(watch.soundness())
    }

    /// What each motor does.
    pub fn motor_modes(&self) -> Vec<MotorMode> {
        let legs = self.legs.iter();
        legs.map(|leg| leg.config().motor.mode).collect()
    }

    /// Tells motors in mode `torque` the torques that hold this equilibrium, in place of those that
    /// are configured: where a regulator takes over.
    pub fn hold_motors(&mut self) {
        let torques = self.holding_torques();
        for (leg, torque) in self.legs.iter_mut().zip(torques) {
            let Some(config) = leg.config_mut() else {
                continue;
            };
            if config.motor.mode == MotorMode::Torque {
                config.motor.torque_nm = History::Constant(torque);
            }
        }
    }

    /// The legs' models, states and rest lengths, for dynamics to start from; none of struts, which
    /// [`Self::require_leaves`] refuses.
    pub(crate) fn legs(&self) -> impl Iterator<Item = (&SpatialLeg, &SpatialState, Option<f64>)> {
        let leaves = self.legs.iter().filter_map(StaticLeg::as_leaf);
        leaves.map(|leg| (&leg.leg, &leg.state, leg.rest_length))
    }

    /// Refuses struts where the leaves are needed for `what`.
    pub(crate) fn require_leaves(&self, what: &'static str) -> Result<()> {
        if self.legs.iter().all(|leg| leg.as_leaf().is_some()) {
            return Ok(());
        }
        Err(PlatformError::NotAsStruts {
            what,
            reason: "it needs the leaf with its inertia; take legs.fidelity = \"full\"",
        })
    }

    /// The legs as struts.
    pub(crate) fn struts(&self) -> Result<Vec<&Strut>> {
        let struts: Option<Vec<&Strut>> = self.legs.iter().map(StaticLeg::as_strut).collect();
        struts.ok_or(PlatformError::NotAsStruts {
            what: "legs that have leaves",
            reason: "the equilibrium was found with legs.fidelity = \"full\"",
        })
    }

    /// Centre lines of the leaves: positions of the nodes from A to B, world axes [m].
    pub fn shapes(&self) -> Vec<Vec<Vector3<f64>>> {
        self.legs.iter().map(StaticLeg::centre_line).collect()
    }

    /// Centres of the spherical joints in the end effector's frame [m].
    pub fn spheres(&self) -> &[Vector3<f64>] {
        &self.spheres
    }

    /// The end effector's inertia and gravity.
    pub fn effector(&self) -> &Body {
        &self.effector
    }

    /// What is wanting for equilibrium: force [N] and moment [N·m] about the centre, end
    /// effector's axes.
    pub fn imbalance(&self) -> Vector6<f64> {
        let rotation = self.pose.rotation();
        let mut out = weight_of(&self.effector, &self.pose).0;
        for (block, v) in [self.force, self.moment].iter().enumerate() {
            let mut rows = out.fixed_rows_mut::<3>(3 * block);
            rows += rotation.tr_mul(v);
        }
        for (leg, sphere) in self.legs.iter().zip(&self.spheres) {
            out += point_map(sphere).tr_mul(&rotation.tr_mul(&leg.force().0));
        }
        out
    }

    /// Largest force or moment out of balance at the end effector [N, N·m].
    pub fn residual(&self) -> f64 {
        self.imbalance().amax()
    }

    /// Largest force or moment out of balance at a node of a leg [N, N·m]. Its rounding is that of
    /// a pose times the stiffness of an element, some 1e-8.
    pub fn leg_residual(&self) -> f64 {
        let legs = self.legs.iter().map(StaticLeg::residual);
        legs.fold(0.0, f64::max)
    }

    /// Distance from A to B of each leg [m].
    pub fn chords(&self) -> Vec<f64> {
        self.legs.iter().map(|leg| leg.span().norm()).collect()
    }

    /// The equilibrium, to come back to.
    pub fn save(&self) -> Saved {
        Saved {
            pose: self.pose,
            motors: self.motors.clone(),
            force: self.force,
            moment: self.moment,
            legs: self.legs.iter().map(StaticLeg::save).collect(),
        }
    }

    /// Keeps the equilibrium in memory made by [`StaticPlatform::save`].
    fn save_into(&self, saved: &mut Saved) {
        saved.pose = self.pose;
        saved.motors.copy_from_slice(&self.motors);
        (saved.force, saved.moment) = (self.force, self.moment);
        for (leg, memory) in self.legs.iter().zip(&mut saved.legs) {
            leg.save_into(memory);
        }
    }

    /// Goes back to an equilibrium of this platform.
    pub fn restore(&mut self, saved: &Saved) -> Result<()> {
        self.put_back(saved);
        self.linearize(1)
    }

    /// The same without evaluating forces there.
    fn put_back(&mut self, saved: &Saved) {
        self.pose = saved.pose;
        self.motors.copy_from_slice(&saved.motors);
        (self.force, self.moment) = (saved.force, saved.moment);
        for (leg, memory) in self.legs.iter_mut().zip(&saved.legs) {
            leg.put_back(memory);
        }
    }

    /// Stiffness of the end effector about its centre, motors held, end effector's axes: −∂w/∂ψ.
    pub fn stiffness(&self) -> Matrix6<f64> {
        -self.balance().by_pose
    }

    /// Wrench on the held end effector per torque of each motor, its axes, quasi-static (6 × legs).
    pub fn wrench_by_torques(&self) -> DMatrix<f64> {
        let mut out = self.wrench_by_motors();
        for (i, leg) in self.legs.iter().enumerate() {
            // A driver's force is that of the crank on it: the stiffness of the crank, tip held.
            let stiffness = leg.crank_stiffness();
            out.column_mut(i).scale_mut(1.0 / stiffness);
        }
        out
    }

    /// Change of the wrench of the legs with the motor angles, end effector's axes (6 × legs).
    pub fn wrench_by_motors(&self) -> DMatrix<f64> {
        self.balance().by_motors
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
            let crank = leg.crank_operator();
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
