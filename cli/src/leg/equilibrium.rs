//! The bowed leg held in equilibrium by constant torques: where modes, linear models and
//! controllers start from.

use anyhow::Result;
use leg_core::config::{History, MotorMode};
use leg_core::pretension::PlanarState;
use leg_core::{LegConfig, PlanarLeg, PretensionReport, Simulation, pretension};
use multibody::group::{Group, Se2};
use multibody::workspace::Workspace;
use nalgebra::SVector;

/// A leg at rest. What the pre-tension solve held, constant torques hold now: the motor's and the
/// load's. Links that the configuration locks stay locked.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    /// A simulation that stays where it is.
    pub simulation: Simulation,
    /// The pre-tensioned posture.
    pub report: PretensionReport,
    /// Torque of the motor [N·m].
    pub crank_torque: f64,
    /// Torque on the upper link [N·m].
    pub link_torque: f64,
}

impl Equilibrium {
    /// The equilibrium that `config` asks for. Its histories of torques, forces and angles are
    /// replaced by the constants that equilibrium needs.
    pub fn new(config: &LegConfig) -> Result<Self> {
        let report = pretension(config)?.report;
        let mut still = config.clone();
        let prescribed = matches!(config.motor.mode, MotorMode::Locked | MotorMode::Angle);
        let crank_torque = if prescribed {
            0.0
        } else {
            report.hold_torque_1_nm
        };
        let link_torque = if config.load.lock_q3 {
            0.0
        } else {
            report.hold_torque_3_nm
        };
        still.motor.torque_nm = History::Constant(crank_torque);
        still.motor.angle_rad = History::Constant(0.0);
        still.load.torque_nm = History::Constant(link_torque);
        still.load.force_x_n = History::Constant(0.0);
        still.load.force_y_n = History::Constant(0.0);
        let simulation = Simulation::new(&still)?;
        Ok(Self {
            simulation,
            report,
            crank_torque,
            link_torque,
        })
    }

    /// The leg.
    pub fn leg(&self) -> &PlanarLeg {
        &self.simulation.leg
    }

    /// The state at rest.
    pub fn state(&self) -> &PlanarState {
        &self.simulation.state
    }

    /// Scratch memory for its model.
    pub fn workspace(&self) -> Workspace<Se2, 3> {
        Workspace::new(&self.simulation.leg.model)
    }

    /// The state with every node moved by `amount` times its twist in `shape`.
    pub fn displaced(&self, shape: &[SVector<f64, 3>], amount: f64) -> PlanarState {
        let mut state = self.simulation.state.clone();
        for (pose, twist) in state.poses.iter_mut().zip(shape) {
            *pose = pose.compose(&Se2::exp(&(twist * amount)));
        }
        state
    }
}
