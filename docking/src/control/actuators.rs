//! What a controller can move: the motors, and the winches that pull the tendons.
//!
//! A controller asks for n torques, or for n torques and n pulls, n being the number of legs. A pull
//! is added to what a tendon has by itself. It keeps within ± its limit, and a winch that would more
//! than slacken its tendon is told what just slackens it. Motors whose torque changes slowly, or falls
//! with their speed, are told what they will have reached by the next sample: a controller that
//! estimates the state goes by what acts, not by what it would have liked.

use super::controller::Controller;
use crate::config::Scenario;
use crate::error::{DockingError, Result};
use leg_core::config::MotorMode;
use multibody::model::{LastTorque, MotorLaw, Signal};
use nalgebra::DVector;
use softdock_platform::regulator::apply;
use softdock_platform::scheme::Scheme;

/// Limits of what a controller may ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Of every torque [N·m].
    pub torque_nm: f64,
    /// Of every pull [N].
    pub pull_n: f64,
    /// What a motor delivers of a torque, where more than its size limits it; and until when, the
    /// sampling period [s].
    pub drive: Option<(MotorLaw, f64)>,
}

impl Limits {
    /// Of a scenario whose controller has the period `period` [s].
    pub fn new(scenario: &Scenario, period: f64) -> Self {
        let motor = &scenario.platform.motor;
        let law = motor.limits();
        let limited = law.has_memory() || law.speed_line.is_some();
        let more = limited && motor.mode == MotorMode::Torque;
        Self {
            torque_nm: motor.torque_limit_nm,
            pull_n: scenario.docking.regulator.tendon_force_limit_n,
            drive: more.then_some((law, period)),
        }
    }

    /// What the motor of a leg has of `torque` at the next sample [N·m].
    fn delivered(&self, platform: &dyn Scheme, leg: usize, torque: f64) -> f64 {
        let Some((law, elapsed)) = self.drive else {
            return torque;
        };
        let now = platform.leg(leg);
        let last = LastTorque {
            torque: now.motor_torque,
            elapsed,
        };
        law.deliver(torque, now.motor_rate, last).torque
    }
}

/// Brings a demand within its limits; `pulls` are those that act until now [N], none if none do.
pub(super) fn within_limits(
    controller: &dyn Controller,
    platform: &dyn Scheme,
    limits: &Limits,
    demand: &DVector<f64>,
    pulls: &[f64],
) -> Result<DVector<f64>> {
    let legs = platform.leg_count();
    if demand.len() != legs && demand.len() != 2 * legs {
        return Err(DockingError::Controller {
            reason: format!(
                "it asks for {} numbers; {legs} torques are wanted, or {legs} torques and {legs} \
                 pulls of the tendons' winches",
                demand.len()
            ),
        });
    }
    let torques = demand.rows(0, legs).into_owned();
    let torques = controller.within_limits(&torques, limits.torque_nm);
    Ok(DVector::from_fn(demand.len(), |i, _| {
        if i < legs {
            return limits.delivered(platform, i, torques[i]);
        }
        let leg = i - legs;
        let before = pulls.get(leg).copied().unwrap_or(0.0);
        let slackens = before - platform.leg(leg).tendon_tension;
        let most = limits.pull_n;
        demand[i].clamp(slackens.clamp(-most, most), most)
    }))
}

/// Tells motors their torques [N·m] and winches, if they are told anything, their pulls [N]: they act
/// from now on.
pub(crate) fn give(platform: &mut dyn Scheme, commands: &DVector<f64>) -> Result<()> {
    let legs = platform.leg_count();
    for (leg, pull) in commands.iter().skip(legs).enumerate() {
        if !platform.set_tendon_force(leg, Signal::Constant(*pull)) {
            return Err(DockingError::NoWinch { leg: leg + 1 });
        }
    }
    let torques = commands.rows(0, legs.min(commands.len())).into_owned();
    if let Some(platform) = platform.monolithic_mut() {
        return Ok(apply(platform, &torques)?);
    }
    for (leg, torque) in torques.iter().enumerate() {
        platform.set_motor(leg, Some(Signal::Constant(*torque)), None);
    }
    Ok(())
}
