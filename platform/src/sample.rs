//! What a running platform shows at one time.

use crate::attitude::Attitude;
use crate::audit::{EnergyAccount, energy_account};
use crate::body::BodyState;
use crate::error::Result;
use crate::interface::InterfaceLoad;
use crate::scheme::Scheme;
use multibody::group::Group;

/// Pose and motion of a body, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodySample {
    /// Position of its origin [m].
    pub position: [f64; 3],
    /// Pitch, yaw and roll.
    pub attitude: Attitude,
    /// Velocity of its origin [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s].
    pub spin: [f64; 3],
}

impl BodySample {
    /// The body in this state.
    pub fn new(state: &BodyState) -> Self {
        let rotation = state.pose.rotation();
        Self {
            position: state.pose.translation().into(),
            attitude: Attitude::of_body(&state.pose),
            velocity: (rotation * state.velocity.fixed_rows::<3>(0)).into(),
            spin: (rotation * state.velocity.fixed_rows::<3>(3)).into(),
        }
    }
}

/// A leg of the platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegState {
    /// Force on the end effector, world axes [N].
    pub force: [f64; 3],
    /// Distance from A to B [m].
    pub tendon_length: f64,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Crank angle [rad].
    pub motor_angle: f64,
    /// Its rate [rad/s].
    pub motor_rate: f64,
    /// Torque of motor or driver on the crank [N·m].
    pub motor_torque: f64,
    /// Distance of the leaf's tip from its joint on the end effector [m].
    pub gap: f64,
}

/// What a platform shows.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformSample {
    /// Time [s].
    pub t: f64,
    /// The end effector.
    pub effector: BodySample,
    /// The base, if it floats freely.
    pub base: Option<BodySample>,
    /// The legs.
    pub legs: Vec<LegState>,
    /// Load at the mating plane.
    pub interface: InterfaceLoad,
    /// Energies and their account.
    pub energy: EnergyAccount,
}

impl PlatformSample {
    /// What `platform` shows now.
    pub fn new(platform: &mut dyn Scheme) -> Result<Self> {
        let energy = energy_account(platform)?;
        let leg = |i: usize| {
            let view = platform.leg(i);
            LegState {
                force: view.tip_force.into(),
                tendon_length: view.tendon_length,
                tendon_tension: view.tendon_tension,
                motor_angle: view.motor_angle,
                motor_rate: view.motor_rate,
                motor_torque: view.motor_torque,
                gap: platform.joint_gap(i),
            }
        };
        let base = platform
            .world()
            .bodies()
            .base
            .map(|i| &platform.bodies()[i]);
        Ok(Self {
            t: platform.time(),
            effector: BodySample::new(platform.effector()),
            base: base.map(BodySample::new),
            legs: (0..platform.leg_count()).map(leg).collect(),
            interface: InterfaceLoad::of_wrench(platform),
            energy,
        })
    }
}
