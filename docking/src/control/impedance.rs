//! Impedance control: the end effector answers a wrench f on it like a body of mass m on a spring k
//! and a damper d, along and about each axis of the base:
//!
//! ```text
//! m p̈ + d ṗ + k p = f                                                           (1)
//! ```
//!
//! p is its deviation from the pose at rest, f what the force sensor tells. (1), sampled exactly with
//! f held, is the reference that the platform follows by [`softdock_control::model_following`]: with
//! ρ = (p, ṗ, f) of each axis,
//!
//! ```text
//! τ = τ_hold + Γ ρ − K (x − Π ρ)                                                (2)
//! ```
//!
//! K is the gain of a linear-quadratic regulator that is much faster than (1). Where torques are cut
//! at their limits the platform falls behind its reference; the reference is then led back to the
//! platform, by the share c of the limit that is missing, so that nothing is caught up with later:
//!
//! ```text
//! ρ ← ρ + min(1, c) κ (y − ρ)                                                   (3)
//! ```
//!
//! When the latch closes, the wrench between end effector and target becomes an inner one, of the
//! order of the target's mass times acceleration: fed back with any delay it would make the loop
//! unstable. From then on `resting` brings both to rest.

use super::controller::{Controller, ControllerMemory, Seen};
use super::design_error;
use super::resting::{Plan, Resting, recall_resting};
use super::sight::Sight;
use crate::config::Scenario;
use crate::error::{DockingError, Result};
use crate::setup::resting_platform;
use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use softdock_control::model_following;
use softdock_control::riccati;
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_settings::table;

table! {
    /// The impedance asked for at the end effector.
    #[derive(Copy)]
    pub struct ImpedanceConfig in "impedance" {
        mass_kg: f64 = 6.0, "Mass that the end effector shall seem to have" ["kg"; 0.01 to 1e6];
        damping_n_s_per_m: f64 = 400.0, "Damping along each axis" ["N·s/m"; >= 0];
        stiffness_n_per_m: f64 = 100.0, "Stiffness along each axis" ["N/m"; >= 0];
        inertia_kg_m2: f64 = 0.1, "Moment of inertia that it shall seem to have" ["kg·m²"; 1e-6 to 1e6];
        damping_nm_s_per_rad: f64 = 4.0, "Damping about each axis" ["N·m·s/rad"; >= 0];
        stiffness_nm_per_rad: f64 = 2.0, "Stiffness about each axis" ["N·m/rad"; >= 0];
    }
}

impl ImpedanceConfig {
    /// m, d, k of axis `i`: the first three along, the others about the axes of the base.
    fn of_axis(&self, i: usize) -> [f64; 3] {
        match i {
            0..3 => [self.mass_kg, self.damping_n_s_per_m, self.stiffness_n_per_m],
            _ => [
                self.inertia_kg_m2,
                self.damping_nm_s_per_rad,
                self.stiffness_nm_per_rad,
            ],
        }
    }
}

/// Weights of the loop that follows the reference: stiff against what the impedance asks for.
fn following(period_s: f64, cutoff_hz: f64) -> RegulatorSettings {
    RegulatorSettings {
        winches: None,
        position: 1e8,
        rotation: 1e6,
        velocity: 1e4,
        spin: 1e2,
        effort: 1.0,
        cutoff_hz,
        period_s,
    }
}

/// κ of eq. (3), per sample.
const LEAD_BACK: f64 = 0.1;

/// Axes of the reference.
const AXES: usize = 6;

/// Follows one reference per axis.
#[derive(Debug, Clone)]
struct Follower {
    regulator: Regulator,
    sight: Sight,
    /// Π and Γ of each axis, for (p, ṗ, f).
    laws: Vec<model_following::ModelFollowing>,
    /// S of each axis.
    models: Vec<DMatrix<f64>>,
}

impl Follower {
    /// For the references of `config`: p̈ = (f − d ṗ − k p)/m.
    fn new(plan: &Plan, config: &ImpedanceConfig, inertia: &Matrix6<f64>) -> Result<Self> {
        let (platform, settings) = (&plan.equilibrium.with_inertia(*inertia), &plan.settings);
        let regulator = Regulator::new(platform, settings).map_err(design_error)?;
        let wrong = |cause| DockingError::NoRegulator { cause };
        let model = &regulator.linear.model;
        let torques = regulator.linear.torques;
        let h = settings.period_s;
        let (a, inputs) = riccati::discretize(&model.a, &model.b, h).map_err(wrong)?;
        let b = inputs.columns(0, torques).into_owned();
        let c = model.c.rows(0, AXES).into_owned();
        let (mut laws, mut models) = (Vec::new(), Vec::new());
        for i in 0..AXES {
            let [mass, damping, stiffness] = config.of_axis(i);
            let entries = [0.0, 1.0, -stiffness / mass, -damping / mass];
            let own = DMatrix::from_row_slice(2, 2, &entries);
            let push = DMatrix::from_row_slice(2, 1, &[0.0, 1.0 / mass]);
            let (own, push) = riccati::discretize(&own, &push, h).map_err(wrong)?;
            let mut s = DMatrix::identity(3, 3);
            s.view_mut((0, 0), (2, 2)).copy_from(&own);
            s.view_mut((0, 2), (2, 1)).copy_from(&push);
            let mut p = DMatrix::zeros(AXES, 3);
            p[(i, 0)] = 1.0;
            let mut disturbance = DMatrix::zeros(a.nrows(), 3);
            disturbance.set_column(2, &inputs.column(torques + i));
            let law = model_following::solve((&a, &b, &c), &disturbance, &s, &p).map_err(wrong)?;
            laws.push(law);
            models.push(s);
        }
        let sight = Sight::new(plan.source, platform, &regulator.linear, h)?;
        Ok(Self {
            regulator,
            sight,
            laws,
            models,
        })
    }

    /// Pose and rates of the end effector in the linear model: (p, ṗ) of every axis.
    fn motion(&self, x: &DVector<f64>) -> Vec<[f64; 2]> {
        let y = &self.regulator.linear.model.c * x;
        (0..AXES).map(|i| [y[i], y[AXES + i]]).collect()
    }

    /// Torques of eq. (2) [N·m].
    fn torques(&self, x: &DVector<f64>, reference: &[[f64; 2]], f: &Vector6<f64>) -> DVector<f64> {
        let mut out = self.regulator.holding.clone();
        let mut wanted = DVector::zeros(x.len());
        for (i, law) in self.laws.iter().enumerate() {
            let rho = DVector::from_column_slice(&[reference[i][0], reference[i][1], f[i]]);
            out += &law.input * &rho;
            wanted += &law.state * &rho;
        }
        out - &self.regulator.riccati.gain * (x - wanted)
    }

    /// The reference one sample later.
    fn advance(&self, reference: &mut [[f64; 2]], f: &Vector6<f64>) {
        for (i, (own, s)) in reference.iter_mut().zip(&self.models).enumerate() {
            let rho = DVector::from_column_slice(&[own[0], own[1], f[i]]);
            let next = s * rho;
            *own = [next[0], next[1]];
        }
    }
}

/// Impedance control at work.
#[derive(Debug, Clone)]
pub struct ImpedanceController {
    plan: Plan,
    follower: Follower,
    /// (p, ṗ) of every axis.
    reference: Vec<[f64; 2]>,
    /// The motion at the last sample.
    motion: Vec<[f64; 2]>,
    resting: Option<Resting>,
}

impl ImpedanceController {
    /// Designed for an end effector with this inertia against the base. Of the plan's weights only the
    /// effort counts, and only once the latch has closed.
    pub(super) fn new(
        mut plan: Plan,
        config: &ImpedanceConfig,
        inertia: &Matrix6<f64>,
    ) -> Result<Self> {
        plan.settings = following(plan.settings.period_s, plan.settings.cutoff_hz);
        Ok(Self {
            follower: Follower::new(&plan, config, inertia)?,
            plan,
            reference: vec![[0.0; 2]; AXES],
            motion: vec![[0.0; 2]; AXES],
            resting: None,
        })
    }

    /// The controller of a scenario, not yet at work.
    pub fn of_scenario(scenario: &Scenario) -> Result<Self> {
        let equilibrium = resting_platform(scenario)?;
        let inertia = equilibrium.effector().inertia;
        let config = &scenario.docking;
        Self::new(
            Plan::new(&config.regulator, &equilibrium),
            &config.impedance,
            &inertia,
        )
    }

    /// The closed loop as one matrix, sampled: the platform against a wall that holds the end
    /// effector with the stiffness and damping `wall` (wrench per deviation and per rate, 6 × 6, about
    /// its origin), the sensor `delay` samples late. The loop is stable if every eigenvalue is inside
    /// the unit circle.
    pub fn closed_loop(&self, wall: [&Matrix6<f64>; 2], delay: usize) -> Result<DMatrix<f64>> {
        let wrong = |cause| DockingError::NoRegulator { cause };
        let regulator = &self.follower.regulator;
        let (model, torques) = (&regulator.linear.model, regulator.linear.torques);
        let n = model.a.nrows();
        let dense = |m: &Matrix6<f64>| DMatrix::from_column_slice(6, 6, m.as_slice());
        let (c_p, c_v) = (model.c.rows(0, AXES), model.c.rows(AXES, AXES));
        // f = G x: what the wall does to the end effector.
        let g = -(dense(wall[0]) * c_p + dense(wall[1]) * c_v);
        let e = model.b.columns(torques, AXES);
        let b = model.b.columns(0, torques).into_owned();
        let h = self.plan.settings.period_s;
        let (a, b) = riccati::discretize(&(&model.a + e * &g), &b, h).map_err(wrong)?;
        // States: x, (p, ṗ) of every axis, the readings under way, the newest first.
        let size = n + 2 * AXES + AXES * delay;
        let mut out = DMatrix::zeros(size, size);
        // The reading that the law uses, as a function of the states.
        let mut reading = DMatrix::zeros(AXES, size);
        if delay == 0 {
            reading.columns_mut(0, n).copy_from(&g);
        } else {
            let oldest = n + 2 * AXES + AXES * (delay - 1);
            reading.columns_mut(oldest, AXES).fill_with_identity();
        }
        let gain = &regulator.riccati.gain;
        let mut torque = DMatrix::zeros(torques, size);
        torque.columns_mut(0, n).copy_from(&-gain);
        for (i, law) in self.follower.laws.iter().enumerate() {
            let by = &law.input + gain * &law.state;
            for k in 0..2 {
                let mut column = torque.column_mut(n + 2 * i + k);
                column += by.column(k);
            }
            torque += by.column(2) * reading.row(i);
            let s = &self.follower.models[i];
            for row in 0..2 {
                for k in 0..2 {
                    out[(n + 2 * i + row, n + 2 * i + k)] = s[(row, k)];
                }
                let mut next = out.row_mut(n + 2 * i + row);
                next += reading.row(i) * s[(row, 2)];
            }
        }
        out.view_mut((0, 0), (n, n)).copy_from(&a);
        let mut rows = out.rows_mut(0, n);
        rows += b * torque;
        for k in 0..delay {
            let at = n + 2 * AXES + AXES * k;
            if k == 0 {
                out.view_mut((at, 0), (AXES, n)).copy_from(&g);
            } else {
                out.view_mut((at, at - AXES), (AXES, AXES))
                    .fill_with_identity();
            }
        }
        Ok(out)
    }
}

impl Controller for ImpedanceController {
    fn period_s(&self) -> f64 {
        self.plan.settings.period_s
    }

    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        if let Some(resting) = &mut self.resting {
            return resting.torques(seen);
        }
        let follower = &mut self.follower;
        let x = follower.sight.deviation(&follower.regulator, seen)?;
        let f = &seen.wrench;
        let out = follower.torques(&x, &self.reference, f); // (2)
        self.motion = follower.motion(&x);
        follower.advance(&mut self.reference, f);
        Ok(out)
    }

    fn within_limits(&self, demand: &DVector<f64>, _limit: f64) -> DVector<f64> {
        self.follower.regulator.within_limits(demand)
    }

    fn applied(&mut self, demand: &DVector<f64>, applied: &DVector<f64>) {
        if let Some(resting) = &mut self.resting {
            return resting.regulated.sight.told(applied);
        }
        self.follower.sight.told(applied);
        let missing = (demand - applied).amax() / self.follower.regulator.limit;
        if missing > 0.0 {
            let share = missing.min(1.0) * LEAD_BACK;
            for (own, real) in self.reference.iter_mut().zip(&self.motion) {
                for k in 0..2 {
                    own[k] += share * (real[k] - own[k]); // (3)
                }
            }
        }
    }

    fn captured(&mut self, seen: &Seen<'_>, inertia: &Matrix6<f64>) -> Result<()> {
        let old = self.torques(seen)?;
        self.resting = Some(Resting::new(&self.plan, seen, inertia, &old)?);
        Ok(())
    }

    fn memory(&self) -> Option<ControllerMemory> {
        Some(ControllerMemory {
            sight: self.follower.sight.memory(),
            reference: self.reference.clone(),
            motion: self.motion.clone(),
            resting: self.resting.as_ref().map(Resting::memory),
        })
    }

    fn recall(&mut self, memory: &ControllerMemory) -> Result<bool> {
        let sizes = [memory.reference.len(), memory.motion.len()];
        if sizes != [AXES; 2] || !self.follower.sight.recall(&memory.sight) {
            return Ok(false);
        }
        self.reference.clone_from(&memory.reference);
        self.motion.clone_from(&memory.motion);
        recall_resting(&mut self.resting, &self.plan, memory)
    }

    fn copy(&self) -> Option<Box<dyn Controller>> {
        Some(Box::new(self.clone()))
    }
}
