//! One way to run any coupling of legs and end effector.

use crate::body::{BodyState, gravity_energy, kinetic_energy};
use crate::config::Coupling;
use crate::cosimulation::{Explicit, Implicit};
use crate::error::{PlatformError, Result};
use crate::monolithic::Platform;
use crate::native::NativeLeg;
use crate::native_unit::{UnitStart, leg_sample, leg_shape};
use crate::statics::StaticPlatform;
use crate::unit::{LegSample, LegUnit};
use crate::wrench::WrenchHistory;
use leg_core::group::Group;
use leg_core::model::Signal;
use nalgebra::Vector3;

/// What an advance did, summed over its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Accepted (macro) steps.
    pub steps: usize,
    /// Steps refused and repeated smaller.
    pub rejected: usize,
    /// Iterations of accepted steps: how often all legs were evaluated.
    pub iterations: usize,
    /// How often the legs were linearised for the coupling.
    pub linearizations: usize,
}

impl core::ops::AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.iterations += other.iterations;
        self.linearizations += other.linearizations;
    }
}

/// Where the energy is and went [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyReport {
    /// Kinetic energy and potential of the bodies now.
    pub bodies: f64,
    /// Stored in the legs now.
    pub legs: f64,
    /// Of bodies and legs at the start.
    pub initial: f64,
    /// Work of the wrench on the end effector.
    pub wrench_work: f64,
    /// Work of the motors, between steps of the scheme by the trapezoidal rule.
    pub motor_work: f64,
    /// Dissipated in the legs.
    pub dissipated: f64,
    /// Work of the end effector on the legs' tips, as its own equations have it.
    pub given_to_legs: f64,
    /// Work at the legs' tips, as the legs have it.
    pub taken_by_legs: f64,
}

impl EnergyReport {
    /// What the coupling loses: work given minus work taken at the joints.
    pub fn coupling_residual(&self) -> f64 {
        self.given_to_legs - self.taken_by_legs
    }

    /// What the whole account misses; what integrators dissipate is part of it.
    pub fn residual(&self) -> f64 {
        self.bodies + self.legs + self.dissipated
            - self.initial
            - self.wrench_work
            - self.motor_work
    }
}

/// A running platform, however it is coupled. Legs count from 0.
pub trait Scheme: core::fmt::Debug {
    /// How it is coupled.
    fn coupling(&self) -> Coupling;

    /// Time [s].
    fn time(&self) -> f64;

    /// The end effector.
    fn effector(&self) -> &BodyState;

    /// Gives the end effector another wrench history, in addition to nothing: the wrench that the
    /// equilibrium needs is part of it.
    fn set_wrench(&mut self, wrench: WrenchHistory);

    /// Gives the motor of a leg another torque history [N·m] and target history, counted from where
    /// the crank was at the start [rad].
    fn set_motor(&mut self, leg: usize, torque: Signal, angle: Signal);

    /// Breaks a leg: from now on it carries nothing.
    fn detach(&mut self, leg: usize);

    /// Advances to `end` [s]. On an error the time and the end effector are those of the last good
    /// step.
    fn advance_to(&mut self, end: f64) -> Result<Progress>;

    /// A look at every leg.
    fn leg_samples(&mut self) -> Result<Vec<LegSample>>;

    /// Points along every leaf, world axes [m]; empty for units that do not tell.
    fn shapes(&mut self) -> Result<Vec<Vec<Vector3<f64>>>>;

    /// Largest distance between a leg's tip and its joint now [m].
    fn joint_gap(&self) -> f64;

    /// Where the energy is.
    fn energy(&mut self) -> Result<EnergyReport>;
}

/// The platform at rest in `equilibrium` with native legs, coupled as its configuration says.
pub fn start(equilibrium: &StaticPlatform) -> Result<Box<dyn Scheme>> {
    Ok(match equilibrium.config().coupling {
        Coupling::Monolithic => Box::new(Platform::at_rest(equilibrium)?),
        Coupling::Implicit => Box::new(Implicit::native(equilibrium)?),
        Coupling::Explicit => Box::new(Explicit::native(equilibrium)?),
    })
}

/// The same with units of any kind, started as `starts` says; monolithic coupling, which takes
/// legs apart, cannot have them.
pub fn couple(
    equilibrium: &StaticPlatform,
    starts: &[UnitStart],
    units: Vec<Box<dyn LegUnit>>,
) -> Result<Box<dyn Scheme>> {
    Ok(match equilibrium.config().coupling {
        Coupling::Monolithic => return Err(PlatformError::NotDivisible),
        Coupling::Implicit => Box::new(Implicit::new(equilibrium, starts, units)?),
        Coupling::Explicit => Box::new(Explicit::new(equilibrium, starts, units)?),
    })
}

impl Scheme for Platform {
    fn coupling(&self) -> Coupling {
        Coupling::Monolithic
    }

    fn time(&self) -> f64 {
        Platform::time(self)
    }

    fn effector(&self) -> &BodyState {
        Platform::effector(self)
    }

    fn set_wrench(&mut self, wrench: WrenchHistory) {
        Platform::set_wrench(self, wrench);
    }

    fn set_motor(&mut self, leg: usize, torque: Signal, angle: Signal) {
        if let Some(leg) = self.legs_mut().get_mut(leg) {
            let start = leg.leg().config.q1_rad;
            leg.set_motor(torque, angle.shifted(start));
        }
    }

    fn detach(&mut self, leg: usize) {
        if let Some(leg) = self.legs_mut().get_mut(leg) {
            leg.detach();
        }
    }

    fn advance_to(&mut self, end: f64) -> Result<Progress> {
        let done = Platform::advance_to(self, end)?;
        Ok(Progress {
            steps: done.steps,
            rejected: done.rejected,
            iterations: done.iterations,
            linearizations: done.iterations,
        })
    }

    fn leg_samples(&mut self) -> Result<Vec<LegSample>> {
        let sample = |(i, leg): (usize, &NativeLeg)| {
            let sample = leg_sample(leg.leg(), leg.state()).map_err(PlatformError::in_leg(i))?;
            Ok(LegSample {
                tip_force: leg.tip_force(),
                ..sample
            })
        };
        self.legs().iter().enumerate().map(sample).collect()
    }

    fn shapes(&mut self) -> Result<Vec<Vec<Vector3<f64>>>> {
        let shape = |leg: &NativeLeg| leg_shape(leg.leg(), leg.state());
        Ok(self.legs().iter().map(shape).collect())
    }

    fn joint_gap(&self) -> f64 {
        let legs = self.legs().iter().zip(self.spheres());
        let attached = legs.filter(|(leg, _)| leg.is_attached());
        let gap = |(leg, sphere): (&NativeLeg, &Vector3<f64>)| {
            let tip = leg.state().pose(leg.leg().node_b).translation();
            (Platform::effector(self).point(sphere) - tip).norm()
        };
        attached.map(gap).fold(0.0, f64::max)
    }

    fn energy(&mut self) -> Result<EnergyReport> {
        let samples = self.leg_samples()?;
        let sum = |part: fn(&LegSample) -> f64| samples.iter().map(part).sum::<f64>();
        let initial_legs: f64 = self
            .legs()
            .iter()
            .map(|leg| leg.state().ledger.initial)
            .sum();
        let bodies = self.hub().bodies.iter().zip(self.bodies());
        let account = self.account();
        let given: f64 = account.tip_work.iter().sum();
        Ok(EnergyReport {
            bodies: bodies
                .map(|(body, state)| {
                    kinetic_energy(body, state) + gravity_energy(body, &state.pose)
                })
                .sum(),
            legs: sum(|leg| leg.energy.stored()),
            initial: account.initial_bodies + initial_legs,
            wrench_work: account.wrench_work,
            motor_work: sum(|leg| leg.energy.work_in) - given,
            dissipated: sum(|leg| leg.energy.dissipated),
            given_to_legs: given,
            taken_by_legs: given,
        })
    }
}

/// What both schemes of co-simulation do alike.
macro_rules! cosimulated {
    ($scheme:ty, $coupling:expr, $disturb:expr) => {
        impl Scheme for $scheme {
            fn coupling(&self) -> Coupling {
                $coupling
            }

            fn time(&self) -> f64 {
                self.rig.time
            }

            fn effector(&self) -> &BodyState {
                &self.rig.state
            }

            fn set_wrench(&mut self, wrench: WrenchHistory) {
                self.rig.wrench.replace(wrench, self.rig.time);
            }

            fn set_motor(&mut self, leg: usize, torque: Signal, angle: Signal) {
                if let Some(seat) = self.rig.seats.get_mut(leg) {
                    seat.set_motor(torque, angle);
                }
            }

            fn detach(&mut self, leg: usize) {
                self.rig.detach(leg);
                $disturb(self);
            }

            fn advance_to(&mut self, end: f64) -> Result<Progress> {
                <$scheme>::advance_to(self, end)
            }

            fn leg_samples(&mut self) -> Result<Vec<LegSample>> {
                self.rig.samples()
            }

            fn shapes(&mut self) -> Result<Vec<Vec<Vector3<f64>>>> {
                self.rig.shapes()
            }

            fn joint_gap(&self) -> f64 {
                self.rig.gap
            }

            fn energy(&mut self) -> Result<EnergyReport> {
                self.rig.energy()
            }
        }
    };
}

cosimulated!(Implicit, Coupling::Implicit, Implicit::disturb);
cosimulated!(Explicit, Coupling::Explicit, |_: &mut Explicit| {});
