//! The bowed spatial leg held in equilibrium by constants: where modes and linear models start
//! from.

use super::config::{SpatialSettings, TipMode};
use crate::summary::fixed;
use anyhow::Result;
use leg_core::config::{History, MotorMode};
use leg_core::spatial::{SpatialState, TipDrive};
use leg_core::{SpatialLeg, SpatialSimulation, pretension_spatial};
use multibody::group::{Group, Se3};
use multibody::workspace::Workspace;
use nalgebra::SVector;
use serde::Serialize;

/// What holds the leg in equilibrium.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Held {
    /// Torque of the motor [N·m]; zero if it is locked or follows an angle.
    pub crank_torque_nm: f64,
    /// Force on a tip that moves freely [N]; zero if it is held.
    pub tip_load_n: [f64; 3],
}

impl Held {
    /// In words.
    pub fn describe(&self) -> String {
        let crank = match self.crank_torque_nm {
            0.0 => "the motor".to_owned(),
            torque => format!("{torque:.4} N·m on the crank"),
        };
        let tip = match self.tip_load_n {
            [0.0, 0.0, 0.0] => "what holds the tip".to_owned(),
            force => format!("({}) N on the tip", fixed(&force, 4)),
        };
        format!("{crank} and {tip}")
    }
}

/// A leg at rest. What the pre-tension solve held, a constant torque and a constant force hold
/// now, except where motor or tip are locked.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    simulation: SpatialSimulation,
    /// What holds it.
    pub held: Held,
}

impl Equilibrium {
    /// The equilibrium that `settings` ask for; their histories are replaced by the constants that
    /// it needs.
    pub fn new(settings: &SpatialSettings) -> Result<Self> {
        let mut bowed = pretension_spatial(&settings.leg)?;
        let motor = &mut bowed.leg.config.motor;
        let locked = matches!(motor.mode, MotorMode::Locked | MotorMode::Angle);
        let crank_torque_nm = if locked { 0.0 } else { bowed.hold_torque_nm };
        motor.torque_nm = History::Constant(crank_torque_nm);
        motor.angle_rad = History::Constant(0.0);
        let held = Held {
            crank_torque_nm,
            tip_load_n: match settings.tip.mode {
                TipMode::Held => [0.0; 3],
                TipMode::Loaded | TipMode::Free => bowed.tip_force_n.map(|force| -force),
            },
        };
        let drive = TipDrive::from(settings.tip.mode);
        let simulation = SpatialSimulation::from_equilibrium(bowed, drive)?;
        Ok(Self { simulation, held })
    }

    /// The leg.
    pub fn leg(&self) -> &SpatialLeg {
        &self.simulation.leg
    }

    /// The state at rest.
    pub fn state(&self) -> &SpatialState {
        &self.simulation.state
    }

    /// Scratch memory for its model.
    pub fn workspace(&self) -> Workspace<Se3, 6> {
        Workspace::new(&self.simulation.leg.model)
    }

    /// The state with every node moved by `amount` times its twist in `shape`.
    pub fn displaced(&self, shape: &[SVector<f64, 6>], amount: f64) -> SpatialState {
        let mut state = self.simulation.state.clone();
        for (pose, twist) in state.poses.iter_mut().zip(shape) {
            *pose = pose.compose(&Se3::exp(&(twist * amount)));
        }
        state
    }
}
