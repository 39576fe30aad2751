//! Bringing end effector and target to rest once the latch has closed, for every law alike.
//!
//! The regulator is designed with the inertia of both and lets them come to rest with critical
//! damping ([`Regulator::coming_to_rest`]), with the frequency asked for or, where the motors are too
//! weak for it, with the largest that their torques allow at that moment. Its torques differ from those
//! before. The difference is kept and fades, so that nothing jumps:
//!
//! ```text
//! τ(t) = τ_new(t) + (τ_old(t_c) − τ_new(t_c)) exp(−(t − t_c)/T)                  (1)
//! ```
//!
//! Motors whose torque changes at most with the rate r take as long as half of r allows for either:
//!
//! ```text
//! 2π f |τ_new(t_c) − τ_hold| ≤ r/2,   |τ_old(t_c) − τ_new(t_c)|/T ≤ r/2                   (2)
//! ```

use super::controller::{ControllerMemory, Seen};
use super::sight::{Sight, SightMemory, StateSource};
use super::{RegulatorConfig, design_error};
use crate::error::Result;
use core::f64::consts::TAU;
use multibody::math;
use nalgebra::{DVector, Matrix6};
use serde::{Deserialize, Serialize};
use softdock_platform::linear_model::LinearPlatform;
use softdock_platform::regulator::{Regulator, RegulatorSettings, linearized};
use softdock_platform::statics::StaticPlatform;

/// T of eq. (1), in periods of the frequency with which everything comes to rest.
const FADE_PERIODS: f64 = 0.09;

/// A frequency that asks too much of the motors is lowered by this factor, so many times at most.
const LOWER: f64 = core::f64::consts::FRAC_1_SQRT_2;
const TRIALS: usize = 12;

/// What eq. (2) uses of the rate that motors reach.
const RATE_SHARE: f64 = 0.5;

/// What every controller of the end effector is designed on.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The platform at rest.
    pub equilibrium: StaticPlatform,
    /// Weights and sampling.
    pub settings: RegulatorSettings,
    /// How it knows the state.
    pub source: StateSource,
    /// Frequency with which everything comes to rest once the latch has closed [Hz].
    pub captured_hz: f64,
    /// Rate of torque that eq. (2) plans with [N·m/s]; infinite without a limit.
    rate: f64,
}

impl Plan {
    /// What a configuration asks for about `equilibrium`.
    pub fn new(config: &RegulatorConfig, equilibrium: &StaticPlatform) -> Self {
        Self {
            equilibrium: equilibrium.clone(),
            settings: config.settings(),
            source: config.state,
            captured_hz: config.captured_frequency_hz,
            rate: RATE_SHARE * equilibrium.config().motor.limits().torque_rate_limit,
        }
    }

    /// T of eq. (1) for a difference of torques [s].
    fn fade(&self, difference: &DVector<f64>) -> f64 {
        let least = FADE_PERIODS / self.captured_hz;
        least.max(difference.amax() / self.rate) // (2)
    }

    /// Whether the motors can have these torques when everything comes to rest with this frequency [Hz].
    fn allows(&self, regulator: &Regulator, torques: &DVector<f64>, frequency: f64) -> bool {
        // Behind the torques of the motors there may be pulls of winches, whose rate nothing limits.
        let change = (torques - &regulator.holding)
            .rows(0, regulator.linear.torques)
            .amax();
        !regulator.is_too_much(torques) && TAU * frequency * change <= self.rate // (2)
    }
}

/// A linear-quadratic regulator and its view of the platform.
#[derive(Debug, Clone)]
pub(super) struct Regulated {
    /// The regulator.
    pub regulator: Regulator,
    /// Its view.
    pub sight: Sight,
}

impl Regulated {
    /// Torques for what is seen [N·m].
    pub fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let x = self.sight.deviation(&self.regulator, seen)?;
        Ok(&self.regulator.holding - &self.regulator.riccati.gain * x)
    }
}

/// The difference between old and new torques, which fades, eq. (1).
#[derive(Debug, Clone)]
pub(super) struct Handover {
    difference: DVector<f64>,
    since: f64,
    /// T [s].
    fade: f64,
}

impl Handover {
    /// At `time` [s].
    pub fn new(difference: DVector<f64>, time: f64, plan: &Plan) -> Self {
        Self {
            fade: plan.fade(&difference),
            difference,
            since: time,
        }
    }

    /// Adds what is left of it at `time` [s].
    pub fn add_to(&self, torques: &mut DVector<f64>, time: f64) {
        let left = math::exp(-(time - self.since) / self.fade);
        torques.axpy(left, &self.difference, 1.0);
    }
}

/// What a regulator that brings everything to rest is designed by, and what changes in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RestingMemory {
    inertia: Matrix6<f64>,
    frequency_hz: f64,
    sight: SightMemory,
    difference: Vec<f64>,
    since: f64,
}

/// The regulator that brings everything to rest.
#[derive(Debug, Clone)]
pub(super) struct Resting {
    /// The regulator.
    pub regulated: Regulated,
    handover: Handover,
    /// What moves, and the frequency that it was designed for [Hz].
    inertia: Matrix6<f64>,
    frequency_hz: f64,
}

/// The platform with what hangs on it, for which the regulator is designed.
struct Task {
    joined: StaticPlatform,
    linear: LinearPlatform,
}

impl Task {
    fn new(plan: &Plan, inertia: &Matrix6<f64>) -> Result<Self> {
        let joined = plan.equilibrium.with_inertia(*inertia);
        let linear = linearized(&joined, &plan.settings).map_err(design_error)?;
        Ok(Self { joined, linear })
    }

    fn design(&self, plan: &Plan, frequency_hz: f64) -> Result<Regulator> {
        let linear = self.linear.clone();
        Regulator::coming_to_rest(&self.joined, linear, &plan.settings, frequency_hz)
            .map_err(design_error)
    }

    fn sight(&self, plan: &Plan) -> Result<Sight> {
        Sight::latched(&self.joined, &self.linear, plan.settings.period_s)
    }
}

impl Resting {
    /// Takes over from torques `old` [N·m]; `inertia` is what moves from now on.
    pub fn new(
        plan: &Plan,
        seen: &Seen<'_>,
        inertia: &Matrix6<f64>,
        old: &DVector<f64>,
    ) -> Result<Self> {
        let task = Task::new(plan, inertia)?;
        let mut frequency = plan.captured_hz;
        let mut regulated = Regulated {
            regulator: task.design(plan, frequency)?,
            sight: task.sight(plan)?,
        };
        let mut new = regulated.torques(seen)?;
        for _ in 0..TRIALS {
            if plan.allows(&regulated.regulator, &new, frequency) {
                break;
            }
            frequency *= LOWER;
            regulated.regulator = task.design(plan, frequency)?;
            new = regulated.torques(seen)?;
        }
        Ok(Self {
            regulated,
            handover: Handover::new(old - new, seen.time, plan),
            inertia: *inertia,
            frequency_hz: frequency,
        })
    }

    /// What it was designed by, and what changes in it.
    pub fn memory(&self) -> RestingMemory {
        RestingMemory {
            inertia: self.inertia,
            frequency_hz: self.frequency_hz,
            sight: self.regulated.sight.memory(),
            difference: self.handover.difference.as_slice().to_vec(),
            since: self.handover.since,
        }
    }

    /// The one with this memory, designed anew unless `known` is of the same design; none if the memory
    /// does not fit the platform.
    pub fn recalled(
        plan: &Plan,
        known: Option<Self>,
        memory: &RestingMemory,
    ) -> Result<Option<Self>> {
        let (inertia, frequency) = (memory.inertia, memory.frequency_hz);
        let same = |known: &Self| known.inertia == inertia && known.frequency_hz == frequency;
        let regulated = match known.filter(same) {
            Some(known) => known.regulated,
            None => {
                let task = Task::new(plan, &inertia)?;
                Regulated {
                    regulator: task.design(plan, frequency)?,
                    sight: task.sight(plan)?,
                }
            }
        };
        let difference = DVector::from_column_slice(&memory.difference);
        let mut out = Self {
            handover: Handover::new(difference, memory.since, plan),
            inertia,
            frequency_hz: frequency,
            regulated,
        };
        let fits = out.handover.difference.len() == out.regulated.regulator.holding.len()
            && out.regulated.sight.recall(&memory.sight);
        Ok(fits.then_some(out))
    }

    /// Torques of eq. (1) [N·m].
    pub fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let mut out = self.regulated.torques(seen)?;
        self.handover.add_to(&mut out, seen.time);
        Ok(out)
    }
}

/// Lets what took over when the latch closed go on from a memory, or takes it away if the latch was
/// open then; false if the memory does not fit.
pub(super) fn recall_resting(
    resting: &mut Option<Resting>,
    plan: &Plan,
    memory: &ControllerMemory,
) -> Result<bool> {
    let Some(memory) = &memory.resting else {
        *resting = None;
        return Ok(true);
    };
    let found = Resting::recalled(plan, resting.take(), memory)?;
    let fits = found.is_some();
    *resting = found;
    Ok(fits)
}
