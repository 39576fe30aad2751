//! What must be conserved: energy and momentum of a running platform.
//!
//! With the energies E of bodies and legs, the work W of the wrench, of the actuators of base and
//! target and of the motors, and
//! the energy D that dampers took,
//!
//! ```text
//! residual = ΔE − W_wrench − W_actuators − W_motors + D                         (1)
//! W_motors = Σ (work into leg − work of the end effector on it − of the base)   (2)
//! ```
//!
//! Works are integrated from powers at the ends of steps (trapezoidal rule): the residual shrinks
//! with the square of the step, and holds what the integrator dissipates. The momentum along a
//! rigid motion w of everything (world axes, about the world's origin) is
//!
//! ```text
//! p·w = ∂T/∂v · w = ½ (T(v + w) − T(v − w))                                     (3)
//! ```
//!
//! exactly, T being quadratic in the velocities v.

use crate::body::{kinetic_energy, momentum, strain_energy};
use crate::error::{PlatformError, Result};
use crate::monolithic::Platform;
use crate::motor_range::MotorRange;
use crate::native::NativeLeg;
use crate::scheme::Scheme;
use crate::world::lost_in_appendages;
use multibody::group::Group;
use multibody::results::energy::energies;
use multibody::results::soundness::{Books, Watch};
use nalgebra::{Vector3, Vector6};

/// Energies of a platform and the account of what came and went [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyAccount {
    /// Kinetic energy of the bodies.
    pub bodies_kinetic: f64,
    /// Kinetic energy of the legs.
    pub legs_kinetic: f64,
    /// Strain energy of the leaves.
    pub strain: f64,
    /// Energy in the tendons.
    pub tendons: f64,
    /// Potential of gravity, bodies and legs.
    pub gravity: f64,
    /// Work of the wrench on the end effector since the start.
    pub wrench_work: f64,
    /// Work of the actuators of base and target since the start.
    pub actuator_work: f64,
    /// Work of the motors since the start, eq. (2).
    pub motor_work: f64,
    /// Energy dissipated since the start.
    pub dissipated: f64,
    /// What the account misses, eq. (1).
    pub residual: f64,
}

impl EnergyAccount {
    /// Notes the account at `time` [s].
    pub fn note(&self, time: f64, watch: &mut Watch) {
        watch.energies(
            time,
            &Books {
                kinetic: self.bodies_kinetic + self.legs_kinetic,
                potentials: &[self.strain, self.tendons, self.gravity],
                work: &[self.wrench_work, self.actuator_work, self.motor_work],
                lost: &[self.dissipated],
                residual: self.residual,
            },
        );
    }
}

/// The account of `platform` now. A broken leg keeps the energy it had.
pub fn energy_account(platform: &mut dyn Scheme) -> Result<EnergyAccount> {
    let legs = platform.leg_energies()?;
    let world = platform.world();
    let account = world.account();
    let bodies = world.bodies().all.iter().zip(platform.bodies());
    let total = world.body_energy(platform.bodies());
    let kinetic: f64 = (bodies.clone())
        .map(|(body, state)| kinetic_energy(body, state))
        .sum();
    let strain: f64 = bodies.map(|(body, state)| strain_energy(body, state)).sum();
    let dissipated = account.dissipated() + lost_in_appendages(platform.bodies().iter());
    let motor_work = platform.motor_work();
    let mut out = EnergyAccount {
        bodies_kinetic: kinetic,
        strain,
        gravity: total - kinetic - strain,
        wrench_work: account.wrench_work,
        actuator_work: account.actuator_work,
        motor_work,
        dissipated,
        residual: total - account.initial_bodies - account.wrench_work - account.actuator_work
            + dissipated
            + world.contact_potential()
            - platform.initial_leg_energy()
            - motor_work,
        ..EnergyAccount::default()
    };
    for leg in legs {
        out.legs_kinetic += leg.kinetic;
        out.strain += leg.strain;
        out.tendons += leg.tendon;
        out.gravity += leg.gravity;
        out.dissipated += leg.dissipated;
        out.residual += leg.stored() + leg.dissipated;
    }
    Ok(out)
}

/// Notes the strains of all leaves.
pub fn note_leaves(platform: &mut dyn Scheme, watch: &mut Watch) -> Result<()> {
    let time = platform.time();
    for (i, strain) in platform.leaf_strains()?.iter().enumerate() {
        if let Some(strain) = strain {
            watch.leaf(time, Some(i + 1), strain);
        }
    }
    Ok(())
}

/// Notes how far the motors have turned from the middle of their ranges.
pub fn note_motors(platform: &dyn Scheme, ranges: &[MotorRange], watch: &mut Watch) {
    for (i, range) in ranges.iter().enumerate() {
        let turn = platform.motor_angle(i) - range.zero;
        watch.motor(platform.time(), Some(i + 1), turn, range.credible());
    }
}

/// Momentum of bodies and attached legs, world axes: linear [kg·m/s], and angular about the
/// world's origin [kg·m²/s].
pub fn total_momentum(platform: &Platform) -> Result<(Vector3<f64>, Vector3<f64>)> {
    let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
    for (body, state) in platform.world().bodies().all.iter().zip(platform.bodies()) {
        let (p, l) = momentum(body, state);
        linear += p;
        angular += l;
    }
    for (i, leg) in platform.legs().iter().enumerate() {
        if !leg.is_attached() {
            continue;
        }
        let p = leg_momentum(leg).map_err(PlatformError::in_leg(i))?;
        linear += p.fixed_rows::<3>(0);
        angular += p.fixed_rows::<3>(3);
    }
    Ok((linear, angular))
}

/// Momentum of a leg along the six unit motions, eq. (3).
fn leg_momentum(leg: &NativeLeg) -> multibody::Result<Vector6<f64>> {
    let mut out = Vector6::zeros();
    let mut state = leg.state().clone();
    for k in 0..6 {
        let mut unit = Vector6::zeros();
        unit[k] = 1.0;
        let mut shifted = |sign: f64| {
            for (node, pose) in leg.state().poses.iter().enumerate() {
                // The unit motion of the world's origin, seen in the node's frame.
                let own = pose.adjoint_inverse() * unit;
                state.velocities[node] = leg.state().velocities[node] + own * sign;
            }
            energies(&leg.leg().model, &state).map(|e| e.kinetic)
        };
        out[k] = 0.5 * (shifted(1.0)? - shifted(-1.0)?);
    }
    Ok(out)
}
