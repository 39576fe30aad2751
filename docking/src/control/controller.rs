//! What a controller of the motors sees and does, behind one trait.

use super::resting::RestingMemory;
use super::sight::SightMemory;
use crate::error::Result;
use nalgebra::{DVector, Matrix6, Vector6};
use softdock_platform::scheme::Scheme;

/// What a controller sees at a sample time.
#[derive(Debug)]
pub struct Seen<'a> {
    /// Time [s].
    pub time: f64,
    /// The platform. Only a monolithic one shows the inner state of its legs.
    pub platform: &'a dyn Scheme,
    /// Wrench on the end effector from outside (contact, latch, applied wrench) as the force sensor
    /// tells it: axes of the base, about the end effector's origin [N, N·m].
    pub wrench: Vector6<f64>,
}

/// What changes in a controller.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ControllerMemory {
    /// The view of the regulator about the platform at rest.
    pub(super) sight: SightMemory,
    /// Reference and motion of impedance control, (p, ṗ) of every axis each; empty otherwise.
    pub(super) reference: Vec<[f64; 2]>,
    pub(super) motion: Vec<[f64; 2]>,
    /// What took over when the latch closed.
    pub(super) resting: Option<RestingMemory>,
}

/// A controller of the motors, sampled; its torques are held in between. Whatever implements it can
/// drive a docking ([`crate::DockingRun::with_controller`]), and so can an FMU
/// (`softdock dock --controller`).
pub trait Controller: core::fmt::Debug + Send {
    /// Sampling period [s].
    fn period_s(&self) -> f64;

    /// What it asks for: a torque per motor [N·m] and, if it moves the tendons too, behind them a force
    /// per leg that a winch adds to the tendon's own [N]. All are brought within their limits after that.
    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>>;

    /// Brings the torques within their limits; cutting each at its own limit if a controller knows
    /// nothing better.
    fn within_limits(&self, demand: &DVector<f64>, limit: f64) -> DVector<f64> {
        demand.map(|torque| torque.clamp(-limit, limit))
    }

    /// Hears what motors and winches were told, which differs from what it asked for where that is cut.
    fn applied(&mut self, _demand: &DVector<f64>, _applied: &DVector<f64>) {}

    /// Hears that the latch has closed: `inertia` is what the platform moves from now on against its
    /// base, about the end effector's origin in its axes at rest.
    fn captured(&mut self, _seen: &Seen<'_>, _inertia: &Matrix6<f64>) -> Result<()> {
        Ok(())
    }

    /// What changes in it; none of a controller that cannot tell. A run under such a one cannot be
    /// saved.
    fn memory(&self) -> Option<ControllerMemory> {
        None
    }

    /// Goes on from a memory of a controller of the same kind and scenario; false if it is of another
    /// one.
    fn recall(&mut self, _memory: &ControllerMemory) -> Result<bool> {
        Ok(false)
    }

    /// The same controller once more, if it can be copied.
    fn copy(&self) -> Option<Box<dyn Controller>> {
        None
    }
}
