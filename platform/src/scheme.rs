//! One way to run any coupling of legs and end effector.

use crate::actuation::Actuation;
use crate::bodies::EFFECTOR;
use crate::body::{Body, BodyState};
use crate::config::{Coupling, Fidelity, PlatformConfig};
use crate::contact::{ContactPair, Latch};
use crate::cosimulation::{Explicit, Implicit};
use crate::error::{PlatformError, Result};
use crate::leg::PlatformLeg;
use crate::monolithic::{Platform, PlatformMemory};
use crate::native::NativeLeg;
use crate::statics::StaticPlatform;
use crate::strut::StrutLeg;
use crate::unit::{LegEnergy, LegShape, LegUnit, LegView, UnitStart};
use crate::vehicle::Vehicle;
use crate::world::World;
use crate::wrench::WrenchHistory;
use leg_core::limits::JointAttitudes;
pub use multibody::dynamics::stepper::Progress;
use multibody::model::Signal;
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::Vector3;

/// What changes in a scheme, and what acts on it from outside: enough to go on elsewhere.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum SchemeMemory {
    /// Monolithic, legs with a leaf.
    Full(PlatformMemory<<NativeLeg as PlatformLeg>::State>),
    /// Monolithic, struts.
    Strut(PlatformMemory<<StrutLeg as PlatformLeg>::State>),
}

/// Sees a scheme after every accepted step. It may ask for what has to be computed first, such as
/// strains.
pub type Observer<'a> = dyn FnMut(&mut dyn Scheme) + Send + 'a;

/// A running platform, however it is coupled. Legs count from 0.
pub trait Scheme: core::fmt::Debug + Send {
    /// How it is coupled.
    fn coupling(&self) -> Coupling;

    /// Its configuration.
    fn config(&self) -> &PlatformConfig;

    /// Time [s].
    fn time(&self) -> f64;

    /// The bodies and what acts on them besides the legs.
    fn world(&self) -> &World;

    /// All bodies, end effector first.
    fn bodies(&self) -> &[BodyState];

    /// The end effector.
    fn effector(&self) -> &BodyState {
        &self.bodies()[EFFECTOR]
    }

    /// Number of legs.
    fn leg_count(&self) -> usize {
        self.config().leg_count()
    }

    /// A look at a leg.
    fn leg(&self, leg: usize) -> LegView;

    /// Angle of a leg's crank [rad]: what [`Scheme::leg`] tells of it, at less cost.
    fn motor_angle(&self, leg: usize) -> f64 {
        self.leg(leg).motor_angle
    }

    /// True if a leg has a tendon.
    fn has_tendon(&self, leg: usize) -> bool;

    /// Distance between a leg's tip and its joint now [m]; zero for a broken leg.
    fn joint_gap(&self, leg: usize) -> f64;

    /// Energies of all legs.
    fn leg_energies(&mut self) -> Result<Vec<LegEnergy>>;

    /// Energy stored in all legs at the start [J].
    fn initial_leg_energy(&self) -> f64;

    /// Work of motors and winches since the start [J].
    fn motor_work(&self) -> f64;

    /// Work of end effector and base on the legs since the start, as their own equations have it
    /// [J].
    fn work_on_legs(&self) -> f64;

    /// Largest strains of the leaves of all legs; none of legs that do not tell.
    fn leaf_strains(&mut self) -> Result<Vec<Option<LeafStrain>>>;

    /// Largest stress of a leg's leaf (from 0); none of legs that solve their own steps, which do not
    /// tell.
    fn leaf_stress(&self, _leg: usize) -> Option<Stress> {
        None
    }

    /// How the members of a leg (from 0) stand in its joints; none of legs that do not tell.
    fn joint_attitudes(&self, _leg: usize) -> Option<JointAttitudes> {
        None
    }

    /// Where the parts of all legs are.
    fn leg_shapes(&mut self) -> Result<Vec<LegShape>>;

    /// Gives the end effector another wrench history; the wrench that an equilibrium needs is part
    /// of it.
    fn set_wrench(&mut self, wrench: WrenchHistory);

    /// Gives a vehicle a wrench history from now on, force through its centre of mass, world axes. False
    /// if there is no such vehicle, or if the scheme cannot.
    fn set_vehicle_wrench(&mut self, _vehicle: Vehicle, _wrench: WrenchHistory) -> bool {
        false
    }

    /// Gives the motor of a leg another torque history [N·m] and target history, counted from where
    /// the crank was at the start [rad]; none leaves the old one.
    fn set_motor(&mut self, leg: usize, torque: Option<Signal>, angle: Option<Signal>);

    /// Lets the winch of a leg add a pull to its tendon [N], from now on; together they never push. False
    /// if the scheme or the leg has no winch.
    fn set_tendon_force(&mut self, _leg: usize, _pull: Signal) -> bool {
        false
    }

    /// Puts a target in front of the end effector.
    fn add_target(&mut self, body: Body, state: BodyState, pair: ContactPair, latch: Latch);

    /// The target does this by itself from now on: a wrench of its own, a law that holds it.
    fn act_on_target(&mut self, actuation: Actuation);

    /// Breaks a leg: from now on it carries nothing.
    fn detach(&mut self, leg: usize);

    /// Advances to `end` [s]; `observe` sees every accepted step. On an error the time and the
    /// bodies are those of the last good step.
    fn advance_observed(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress>;

    /// Advances to `end` [s].
    fn advance_to(&mut self, end: f64) -> Result<Progress> {
        self.advance_observed(end, &mut |_| {})
    }

    /// What changes in it; none of a scheme that cannot tell, because its legs keep their states to
    /// themselves.
    fn memory(&self) -> Option<SchemeMemory> {
        None
    }

    /// Goes on from a memory; false, and nothing changes, if it is that of another scheme.
    fn recall(&mut self, _memory: &SchemeMemory) -> bool {
        false
    }

    /// The same scheme once more, if it can be copied.
    fn copy(&self) -> Option<Box<dyn Scheme>> {
        None
    }

    /// The monolithic platform, if it is one: its legs can be looked into.
    fn monolithic(&self) -> Option<&Platform> {
        None
    }

    /// The same, to change it.
    fn monolithic_mut(&mut self) -> Option<&mut Platform> {
        None
    }
}

/// What the joints of a coupling lose [J]: work given to the legs, as the bodies have it, minus
/// work taken, as the legs have it. Over macro steps longer than a leg's, what the joints of legs with
/// motors lose counts as work of the motors, which is only known from the legs.
pub fn coupling_loss(scheme: &mut dyn Scheme) -> Result<f64> {
    let taken: f64 = scheme.leg_energies()?.iter().map(|leg| leg.work_in).sum();
    Ok(scheme.work_on_legs() + scheme.motor_work() - taken)
}

/// Largest distance between a leg's tip and its joint now [m].
pub fn largest_gap(scheme: &dyn Scheme) -> f64 {
    let gaps = (0..scheme.leg_count()).map(|leg| scheme.joint_gap(leg));
    gaps.fold(0.0, f64::max)
}

/// The platform at rest in `equilibrium` with native legs, coupled as its configuration says; a
/// wrench takes over at t = 0 from the one that the equilibrium holds.
pub fn start(equilibrium: &StaticPlatform, wrench: WrenchHistory) -> Result<Box<dyn Scheme>> {
    let mut out: Box<dyn Scheme> = match equilibrium.config().coupling {
        Coupling::Monolithic if equilibrium.config().legs.fidelity == Fidelity::Strut => {
            return Ok(Box::new(Platform::of_struts(equilibrium, wrench)?));
        }
        Coupling::Monolithic => {
            return Ok(Box::new(Platform::at_rest_under(equilibrium, wrench)?));
        }
        Coupling::Implicit => Box::new(Implicit::native(equilibrium)?),
        Coupling::Explicit => Box::new(Explicit::native(equilibrium)?),
    };
    out.set_wrench(wrench);
    Ok(out)
}

/// The same with units of any kind, started as `starts` says; monolithic coupling, which takes
/// legs apart, cannot have them.
pub fn couple(
    equilibrium: &StaticPlatform,
    starts: &[UnitStart],
    units: Vec<Box<dyn LegUnit>>,
    wrench: WrenchHistory,
) -> Result<Box<dyn Scheme>> {
    let mut out: Box<dyn Scheme> = match equilibrium.config().coupling {
        Coupling::Monolithic => return Err(PlatformError::NotDivisible),
        Coupling::Implicit => Box::new(Implicit::new(equilibrium, starts, units)?),
        Coupling::Explicit => Box::new(Explicit::new(equilibrium, starts, units)?),
    };
    out.set_wrench(wrench);
    Ok(out)
}

impl<L: PlatformLeg> Scheme for Platform<L> {
    fn coupling(&self) -> Coupling {
        Coupling::Monolithic
    }

    fn config(&self) -> &PlatformConfig {
        Platform::config(self)
    }

    fn time(&self) -> f64 {
        Platform::time(self)
    }

    fn world(&self) -> &World {
        Platform::world(self)
    }

    fn bodies(&self) -> &[BodyState] {
        Platform::bodies(self)
    }

    fn leg(&self, leg: usize) -> LegView {
        self.legs()[leg].view()
    }

    fn motor_angle(&self, leg: usize) -> f64 {
        self.legs()[leg].motor_angle()
    }

    fn has_tendon(&self, leg: usize) -> bool {
        self.legs()[leg].has_tendon()
    }

    fn joint_gap(&self, leg: usize) -> f64 {
        let (leg, sphere): (_, &Vector3<f64>) = (&self.legs()[leg], &self.spheres()[leg]);
        if !leg.is_attached() {
            return 0.0;
        }
        (Platform::effector(self).point(sphere) - leg.tip()).norm()
    }

    fn leg_energies(&mut self) -> Result<Vec<LegEnergy>> {
        let legs = self.legs().iter().enumerate();
        legs.map(|(i, leg)| leg.energy().map_err(PlatformError::in_leg(i)))
            .collect()
    }

    fn initial_leg_energy(&self) -> f64 {
        self.legs().iter().map(L::initial_energy).sum()
    }

    fn motor_work(&self) -> f64 {
        (0..self.legs().len())
            .map(|leg| Platform::motor_work(self, leg))
            .sum()
    }

    fn work_on_legs(&self) -> f64 {
        let flows = self.tips().iter().chain(self.feet());
        flows.map(|flow| flow.energy).sum()
    }

    fn leaf_stress(&self, leg: usize) -> Option<Stress> {
        self.legs().get(leg)?.leaf_stress().ok()
    }

    fn joint_attitudes(&self, leg: usize) -> Option<JointAttitudes> {
        self.legs().get(leg)?.joint_attitudes()
    }

    fn leaf_strains(&mut self) -> Result<Vec<Option<LeafStrain>>> {
        let legs = self.legs().iter().enumerate();
        legs.map(|(i, leg)| {
            let strain = leg.leaf_strain();
            strain.map(Some).map_err(PlatformError::in_leg(i))
        })
        .collect()
    }

    fn leg_shapes(&mut self) -> Result<Vec<LegShape>> {
        Ok(self.legs().iter().map(L::shape).collect())
    }

    fn set_wrench(&mut self, wrench: WrenchHistory) {
        Platform::set_wrench(self, wrench);
    }

    fn set_vehicle_wrench(&mut self, vehicle: Vehicle, wrench: WrenchHistory) -> bool {
        Platform::set_vehicle_wrench(self, vehicle, wrench)
    }

    fn set_motor(&mut self, leg: usize, torque: Option<Signal>, angle: Option<Signal>) {
        if let Some(found) = self.legs().get(leg) {
            let start = found.start_angle();
            let (old_torque, old_angle) = found.motor();
            let torque = torque.unwrap_or_else(|| old_torque.clone());
            let angle = angle.map_or_else(|| old_angle.clone(), |angle| angle.shifted(start));
            Platform::set_motor(self, leg, torque, angle);
        }
    }

    fn set_tendon_force(&mut self, leg: usize, pull: Signal) -> bool {
        Platform::set_tendon_force(self, leg, pull)
    }

    fn add_target(&mut self, body: Body, state: BodyState, pair: ContactPair, latch: Latch) {
        Platform::add_target(self, body, state, pair, latch);
    }

    fn act_on_target(&mut self, actuation: Actuation) {
        Platform::act_on_target(self, actuation);
    }

    fn detach(&mut self, leg: usize) {
        Platform::detach(self, leg);
    }

    fn advance_observed(&mut self, end: f64, observe: &mut Observer<'_>) -> Result<Progress> {
        Platform::advance_observed(self, end, |platform| observe(platform))
    }

    fn memory(&self) -> Option<SchemeMemory> {
        let this = self as &dyn core::any::Any;
        let full = this.downcast_ref::<Platform<NativeLeg>>();
        let strut = this.downcast_ref::<Platform<StrutLeg>>();
        let full = full.map(|platform| SchemeMemory::Full(platform.memory()));
        full.or_else(|| strut.map(|platform| SchemeMemory::Strut(platform.memory())))
    }

    fn recall(&mut self, memory: &SchemeMemory) -> bool {
        let this = self as &mut dyn core::any::Any;
        match memory {
            SchemeMemory::Full(memory) => this
                .downcast_mut::<Platform<NativeLeg>>()
                .is_some_and(|platform| platform.recall(memory)),
            SchemeMemory::Strut(memory) => this
                .downcast_mut::<Platform<StrutLeg>>()
                .is_some_and(|platform| platform.recall(memory)),
        }
    }

    fn copy(&self) -> Option<Box<dyn Scheme>> {
        Some(Box::new(self.clone()))
    }

    fn monolithic(&self) -> Option<&Platform> {
        (self as &dyn core::any::Any).downcast_ref()
    }

    fn monolithic_mut(&mut self) -> Option<&mut Platform> {
        (self as &mut dyn core::any::Any).downcast_mut()
    }
}

/// What both schemes of co-simulation do alike.
macro_rules! cosimulated {
    ($scheme:ty, $coupling:expr, $restart_small_steps:expr, $wrench_changed:expr, $motor_changed:expr) => {
        impl Scheme for $scheme {
            fn coupling(&self) -> Coupling {
                $coupling
            }

            fn config(&self) -> &PlatformConfig {
                &self.common.config
            }

            fn time(&self) -> f64 {
                self.common.time
            }

            fn world(&self) -> &World {
                &self.common.world
            }

            fn bodies(&self) -> &[BodyState] {
                &self.common.bodies
            }

            fn leg(&self, leg: usize) -> LegView {
                self.common.slots[leg].view
            }

            fn has_tendon(&self, leg: usize) -> bool {
                self.common.slots[leg].has_tendon
            }

            fn joint_gap(&self, leg: usize) -> f64 {
                self.common.gap(leg)
            }

            fn leg_energies(&mut self) -> Result<Vec<LegEnergy>> {
                self.common.leg_energies()
            }

            fn initial_leg_energy(&self) -> f64 {
                self.common.initial_legs
            }

            fn motor_work(&self) -> f64 {
                self.common.motors.iter().map(|flow| flow.energy).sum()
            }

            fn work_on_legs(&self) -> f64 {
                self.common.given.iter().map(|flow| flow.energy).sum()
            }

            fn leaf_strains(&mut self) -> Result<Vec<Option<LeafStrain>>> {
                self.common.leaf_strains()
            }

            fn leg_shapes(&mut self) -> Result<Vec<LegShape>> {
                self.common.shapes()
            }

            fn set_wrench(&mut self, wrench: WrenchHistory) {
                self.common.set_wrench(wrench);
                $wrench_changed(self);
            }

            fn set_motor(&mut self, leg: usize, torque: Option<Signal>, angle: Option<Signal>) {
                let change = self.common.set_motor(leg, torque, angle);
                $motor_changed(self, change);
            }

            fn add_target(
                &mut self,
                body: Body,
                state: BodyState,
                pair: ContactPair,
                latch: Latch,
            ) {
                self.common.add_target(body, state, pair, latch);
            }

            fn act_on_target(&mut self, actuation: Actuation) {
                self.common.act_on_target(actuation);
            }

            fn detach(&mut self, leg: usize) {
                self.common.detach(leg);
                $restart_small_steps(self);
            }

            fn advance_observed(
                &mut self,
                end: f64,
                observe: &mut Observer<'_>,
            ) -> Result<Progress> {
                self.advance(end, observe)
            }
        }
    };
}

fn nothing(_: &mut Explicit) {}

cosimulated!(
    Implicit,
    Coupling::Implicit,
    Implicit::restart_small_steps,
    Implicit::wrench_changed,
    Implicit::motor_changed
);
cosimulated!(Explicit, Coupling::Explicit, nothing, nothing, |_, _| {});
