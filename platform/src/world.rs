//! Everything between the legs: the bodies, the wrench from outside, contact and latch, and the
//! account of their energies. All coupling schemes share it.
//!
//! Before a step is accepted it is examined ([`World::examine`]): contacts begin and end, and the
//! latch closes, at ends of steps, and the account of energies must close.
//!
//! Energies of dissipation follow from the powers at the ends of the steps by the trapezoidal rule,
//! the work of the wrench from the way that the end effector makes, that of the actuators of target
//! and base from means of wrench and twist over a step.

use crate::actuation::{self, Actuation};
use crate::bodies::{Bodies, BodySystem, EFFECTOR, MOST_BODIES, PortResponse};
use crate::body::{Body, BodyState, BodyStep, gravity_energy, kinetic_energy, strain_energy};
use crate::contact::{BodyMotion, ContactPair, EpisodeChanges, Latch};
use crate::encounter::{Encounter, EncounterMemory};
use crate::error::{PlatformError, Result};
use crate::vehicle::{Vehicle, VehicleWrench};
use crate::wrench::{AppliedWrench, WrenchHistory, split, work};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::integrator::Integrator;
use nalgebra::{Vector3, Vector6};

/// Work done on the bodies and energy lost between them since the start [J], with the powers now
/// [W].
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Account {
    /// Work of the wrenches from outside, on the end effector and on the vehicles [J].
    pub wrench_work: f64,
    /// That wrench as the last step felt it.
    wrench_load: Vector6<f64>,
    /// Work of the actuators of target and base [J].
    pub actuator_work: f64,
    /// Their wrenches as the last step felt them, own axes, in the order of the bodies.
    actuator_loads: [Vector6<f64>; MOST_BODIES],
    /// Lost in the damping of contacts.
    pub contact_damping: Flow,
    /// Lost in friction.
    pub friction: Flow,
    /// Lost in the closed latch.
    pub latch: Flow,
    /// Energy of the bodies at the start.
    pub initial_bodies: f64,
    /// Energy of the target at the start.
    initial_target: f64,
    /// Energy that has moved so far, but for that of motors and legs: the most that the target had
    /// given or taken, the wrench had done, or an impact had at stake.
    moved: f64,
}

/// What a step that is not accepted yet would do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trial {
    /// Something happens inside the step that has to be at an end of one: how long after the start
    /// [s].
    pub event: Option<f64>,
    /// What the account of bodies, contact and latch gains without reason, but for the work of the
    /// legs [J].
    pub miss: f64,
    /// Energy that has moved until the end of the step, but for that of motors and legs [J].
    pub moved: f64,
    /// Sum of the sizes of the bodies' energies [J]: rounding is a part of it.
    pub held: f64,
}

/// An energy that flows, integrated by the trapezoidal rule.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Flow {
    /// Sum since the start [J].
    pub energy: f64,
    /// Power now [W].
    pub power: f64,
}

impl Flow {
    /// Goes on by `h` [s] to the power `power` [W].
    pub fn advance(&mut self, h: f64, power: f64) {
        self.energy += 0.5 * h * (self.power + power);
        self.power = power;
    }
}

impl Account {
    /// Energy lost between the bodies [J].
    pub fn dissipated(&self) -> f64 {
        self.contact_damping.energy + self.friction.energy + self.latch.energy
    }
}

/// What changes in a world besides the motion of its bodies.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WorldMemory {
    account: Account,
    encounter: Option<EncounterMemory>,
    vehicles: Vec<VehicleWrench>,
    /// Wrench histories of the actuators as the last accepted step felt them.
    actuators: Vec<Vector6<f64>>,
}

/// Kinetic energy and potential of a body [J].
fn energy(body: &Body, state: &BodyState) -> f64 {
    kinetic_energy(body, state) + gravity_energy(body, &state.pose) + strain_energy(body, state)
}

/// Energy lost in the appendages of bodies since the start [J].
pub fn lost_in_appendages<'a>(bodies: impl Iterator<Item = &'a BodyState>) -> f64 {
    bodies.map(|state| state.modal.lost).sum()
}

/// What a body does by itself.
#[derive(Debug, Clone)]
struct Actuator {
    /// Position of the body in the lists of bodies.
    body: usize,
    actuation: Actuation,
    /// The wrench history as the last accepted step felt it, or behind a jump since, and as the step
    /// under way feels it.
    felt: Vector6<f64>,
    load: Vector6<f64>,
}

/// The bodies and what acts on them besides the legs.
#[derive(Debug, Clone)]
pub struct World {
    bodies: Bodies,
    wrench: AppliedWrench,
    /// The wrench as the step under way feels it.
    load: Vector6<f64>,
    // Mostly none.
    actuators: Vec<Actuator>,
    /// Wrenches on base and target, where some were set.
    vehicles: Vec<VehicleWrench>,
    // Apart: large, and mostly not there.
    encounter: Option<Box<Encounter>>,
    account: Account,
    system: BodySystem,
    /// Times nearer than this are the same [s].
    same: f64,
}

impl World {
    /// Bodies on which a wrench has acted for long; `step` [s] is the step of the solver.
    pub fn new(list: Bodies, bodies: &[BodyState], held: &Vector6<f64>, step: f64) -> Self {
        let mut out = Self {
            system: BodySystem::new(list.all.len()),
            bodies: list,
            wrench: AppliedWrench::held(held),
            load: *held,
            actuators: Vec::new(),
            vehicles: Vec::new(),
            encounter: None,
            same: SLIVER * step,
            account: Account {
                wrench_load: *held,
                ..Account::default()
            },
        };
        out.account.initial_bodies = out.body_energy(bodies);
        out
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// The account so far.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Contact with the target, if there is one.
    pub fn encounter(&self) -> Option<&Encounter> {
        self.encounter.as_deref()
    }

    /// Gives the end effector another wrench history from `time` [s] on.
    pub fn set_wrench(&mut self, wrench: WrenchHistory, time: f64) {
        self.wrench.replace(wrench, time);
    }

    /// Gives a vehicle a wrench history from `time` [s] on, force through its centre of mass, world
    /// axes: whether the wrench jumps there. None if there is no such vehicle.
    pub fn set_vehicle_wrench(
        &mut self,
        vehicle: Vehicle,
        wrench: WrenchHistory,
        time: f64,
    ) -> Option<bool> {
        let index = match vehicle {
            Vehicle::Base => self.bodies.base,
            Vehicle::Target => self.bodies.target,
        }?;
        let known = self.vehicles.iter().position(|v| v.body == index);
        let at = known.unwrap_or_else(|| {
            let body = &self.bodies.all[index];
            self.vehicles.push(VehicleWrench::none(index, body));
            self.vehicles.len() - 1
        });
        Some(self.vehicles[at].replace(wrench, time))
    }

    /// First time between `start` and `end` [s], both left out, at which a wrench jumps.
    pub fn next_wrench_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        let vehicles = self.vehicles.iter().map(VehicleWrench::wrench);
        let all = core::iter::once(&self.wrench).chain(vehicles);
        all.filter_map(|wrench| wrench.next_jump(start, end, slack))
            .reduce(f64::min)
    }

    /// The wrench from outside is this one, as it was when a state was saved.
    pub(crate) fn recall_wrench(&mut self, wrench: AppliedWrench) {
        self.wrench = wrench;
    }

    /// The wrench on the end effector from outside as the last accepted step felt it, world axes.
    pub fn felt_wrench(&self) -> &Vector6<f64> {
        &self.account.wrench_load
    }

    /// The wrench from outside.
    pub fn wrench(&self) -> &AppliedWrench {
        &self.wrench
    }

    /// Adds a target, which moves as `state`; `bodies` gets it, too.
    pub fn add_target(
        &mut self,
        body: Body,
        state: BodyState,
        pair: ContactPair,
        latch: Latch,
        bodies: &mut Vec<BodyState>,
        time: f64,
    ) {
        let effector = (&self.bodies.all[EFFECTOR], &bodies[EFFECTOR]);
        let bodies_in_contact = [effector, (&body, &state)];
        let encounter = Encounter::new(pair, latch, bodies_in_contact, time);
        self.encounter = Some(Box::new(encounter));
        self.bodies.target = Some(self.bodies.all.len());
        self.bodies.all.push(body);
        bodies.push(state);
        self.system = BodySystem::new(self.bodies.all.len());
        self.account.initial_bodies = self.body_energy(bodies);
        self.account.initial_target = self.target_energy(bodies.iter());
    }

    /// What changes besides the motion.
    pub fn memory(&self) -> WorldMemory {
        WorldMemory {
            account: self.account,
            encounter: self.encounter.as_deref().map(Encounter::memory),
            vehicles: self.vehicles.clone(),
            actuators: self.actuators.iter().map(|one| one.felt).collect(),
        }
    }

    /// Whether a memory is of a world with the same contacts, if it has a target at all.
    pub(crate) fn fits(&self, memory: &WorldMemory) -> bool {
        let count = self.bodies.all.len();
        let vehicles = memory.vehicles.iter().all(|vehicle| vehicle.body < count);
        let encounters = match (&self.encounter, &memory.encounter) {
            (Some(encounter), Some(saved)) => encounter.fits(saved),
            (None, None) => true,
            _ => false,
        };
        vehicles && encounters && memory.actuators.len() == self.actuators.len()
    }

    /// Goes back to a memory of this world.
    pub fn restore(&mut self, memory: &WorldMemory) {
        self.account = memory.account;
        self.vehicles.clone_from(&memory.vehicles);
        for (actuator, felt) in self.actuators.iter_mut().zip(&memory.actuators) {
            actuator.felt = *felt;
        }
        self.stand();
        if let (Some(encounter), Some(saved)) = (&mut self.encounter, &memory.encounter) {
            encounter.restore(saved);
        }
    }

    /// Starts a step of the generalised-α method from `start` to `end` [s].
    pub fn begin(&mut self, start: f64, end: f64) {
        self.load = self.wrench.at_end(start, end);
        for actuator in &mut self.actuators {
            // Behind a jump, accelerations have followed: a step sees its own side only.
            let history = actuator.actuation.history();
            [_, actuator.load] = history.at_points(start, end, [start, end], [0.5, 0.5]);
        }
        for vehicle in &mut self.vehicles {
            vehicle.begin(start, end);
        }
    }

    /// The wrenches act as the last accepted step felt them, whatever a step that was refused since, or
    /// one before a state was restored, made of them.
    pub fn stand(&mut self) {
        self.load = self.account.wrench_load;
        for actuator in &mut self.actuators {
            actuator.load = actuator.felt;
        }
        self.vehicles.iter_mut().for_each(VehicleWrench::stand);
    }

    /// Starts Newton's system at an iterate: inertia, outer wrench, contact, latch.
    pub fn linearize(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        end: f64,
    ) -> Result<()> {
        self.system.start(&self.bodies, steps, integrator);
        let (force, moment) = split(&self.load);
        self.system
            .add_dead_wrench(&steps[EFFECTOR], &force, &moment);
        for actuator in &self.actuators {
            let (i, step) = (actuator.body, &steps[actuator.body]);
            let found = (actuator.actuation).evaluate(&step.trial, &actuator.load, end);
            self.system.add_wrench(i, &found.wrench);
            let by_twist = found.by_twist * (step.map * integrator.weights().damping);
            self.system
                .add_derivative(i, i, &(found.by_pose + by_twist));
        }
        for vehicle in &self.vehicles {
            vehicle.add_to(&mut self.system, steps);
        }
        let (Some(encounter), Some(target)) = (&mut self.encounter, self.bodies.target) else {
            return Ok(());
        };
        let (a, b) = (&steps[EFFECTOR], &steps[target]);
        encounter.evaluate(&a.trial, &b.trial, end)?;
        let damping = integrator.weights().damping;
        let output = encounter.trial();
        self.system.add_wrench(EFFECTOR, &output.wrench_a);
        self.system.add_wrench(target, &output.wrench_b);
        let (pose, twist) = (&output.by_pose, &output.by_twist);
        let blocks = [
            (EFFECTOR, EFFECTOR, &pose.a_by_a, &twist.a_by_a, a),
            (EFFECTOR, target, &pose.a_by_b, &twist.a_by_b, b),
            (target, EFFECTOR, &pose.b_by_a, &twist.b_by_a, a),
            (target, target, &pose.b_by_b, &twist.b_by_b, b),
        ];
        for (i, j, by_pose, by_twist, step) in blocks {
            let derivative = by_pose + by_twist * (step.map * damping);
            self.system.add_derivative(i, j, &derivative);
        }
        Ok(())
    }

    /// Adds what a leg does, its joint at `sphere` of the end effector.
    pub fn add_leg(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        sphere: &Vector3<f64>,
        response: &PortResponse,
    ) {
        self.system
            .add_leg(&self.bodies, steps, integrator, sphere, response);
    }

    /// By how much more than `tolerance` [m] Newton's corrections of the bodies have to shrink for the
    /// sake of contacts that give way by less than a thousand times as much.
    pub fn sharpness(&self, tolerance: f64) -> f64 {
        let wanted = self.encounter.as_deref().and_then(Encounter::newton_error);
        wanted.map_or(1.0, |wanted| (tolerance / wanted).max(1.0))
    }

    /// The twists that solve Newton's system.
    pub fn solve(&self, end: f64) -> Result<[Vector6<f64>; MOST_BODIES]> {
        self.system
            .solve()
            .ok_or(PlatformError::Singular { time_s: end })
    }

    /// Looks at the step of `h` [s] from `start` [s] that Newton's method found from `bodies`, before
    /// it is accepted; without a target there is nothing to look at.
    pub fn examine(
        &mut self,
        bodies: &[BodyState],
        steps: &[BodyStep],
        start: f64,
        h: f64,
    ) -> Trial {
        let (Some(encounter), Some(target)) = (&mut self.encounter, self.bodies.target) else {
            return Trial::default();
        };
        let (a, b) = (&steps[EFFECTOR], &steps[target]);
        encounter.evaluate_end(&a.trial, &b.trial, start + h);
        let at = |share: f64| {
            [(a, EFFECTOR), (b, target)].map(|(step, i)| {
                let (pose, twist) = step.within(&bodies[i], h, share);
                BodyMotion { pose, twist }
            })
        };
        let event = encounter.event((start, h), at);
        let (old, new) = (encounter.output(), encounter.trial());
        let lost = |flow: &Flow, power: f64| 0.5 * h * (flow.power + power);
        let account = &self.account;
        let losses = lost(&account.contact_damping, new.damping_power)
            + lost(&account.friction, new.friction_power)
            + lost(&account.latch, new.latch_power);
        let stored = new.potential() - old.potential();
        let at_stake = encounter.at_stake();
        Trial {
            event,
            ..self.weigh(bodies, steps, (start, h), (stored + losses, at_stake))
        }
    }

    /// The account of the bodies in a step of `h` from `start` [s]: contact and latch store and lose `beside` [J] in
    /// it, and have so much at stake [J].
    pub fn weigh(
        &self,
        bodies: &[BodyState],
        steps: &[BodyStep],
        (start, h): (f64, f64),
        (beside, at_stake): (f64, f64),
    ) -> Trial {
        let account = &self.account;
        let (before, after) = (&account.wrench_load, &self.load);
        let wrench = work(before, after, &bodies[EFFECTOR], &steps[EFFECTOR].trial, h)
            + self.vehicle_work(bodies, steps, h);
        let (actuators, _) = self.actuator_work(bodies, |i| &steps[i].trial, (start, h));
        let trials = steps.iter().map(|step| &step.trial);
        let gained = self.energy_of(trials.clone()) - self.body_energy(bodies)
            + lost_in_appendages(trials.clone())
            - lost_in_appendages(bodies.iter());
        let given = (self.target_energy(trials.clone()) - account.initial_target).abs();
        // The motion is integrated in the axes of the bodies. A body that turns by ω h in a step moves
        // that part of its energy T from axis to axis, although nothing acts on it; what the step
        // misses of it is of the order of (ω h)³ T.
        let (mut turned, mut held) = (0.0, 0.0);
        for (body, state) in self.bodies.all.iter().zip(trials) {
            let kinetic = kinetic_energy(body, state);
            let spin = state.velocity.fixed_rows::<3>(3).norm();
            turned += kinetic * spin * h;
            held += kinetic + gravity_energy(body, &state.pose).abs();
        }
        Trial {
            event: None,
            held,
            miss: gained + beside - wrench - actuators,
            moved: (account.moved)
                .max(turned)
                .max(given)
                .max(at_stake)
                .max((account.wrench_work + wrench).abs())
                .max((account.actuator_work + actuators).abs()),
        }
    }

    /// Work of the actuators in a step of `h` from `start` [s], which ends with `ends`, and their
    /// wrenches there.
    fn actuator_work<'a>(
        &self,
        bodies: &[BodyState],
        ends: impl Fn(usize) -> &'a BodyState,
        (start, h): (f64, f64),
    ) -> (f64, [Vector6<f64>; MOST_BODIES]) {
        let mut loads = [Vector6::zeros(); MOST_BODIES];
        let mut sum = 0.0;
        for actuator in &self.actuators {
            let i = actuator.body;
            let end = ends(i);
            let found = (actuator.actuation).evaluate(end, &actuator.load, start + h);
            loads[i] = found.wrench;
            let before = &self.account.actuator_loads[i];
            sum += actuation::work(before, &loads[i], &bodies[i], end, h);
        }
        (sum, loads)
    }

    /// From `time` [s] on the target does this by itself; `bodies` are accelerated by it.
    pub fn act_on_target(&mut self, actuation: Actuation, bodies: &mut [BodyState], time: f64) {
        let Some(target) = self.bodies.target else {
            return;
        };
        self.add_actuator(target, actuation);
        self.cross_actuator_jumps(bodies, time);
    }

    /// The histories of actuators may jump at `time` [s]: they are felt as they are behind it. The
    /// target's acceleration follows at once, for contact and latch do not feel accelerations; that of
    /// a base, which carries the legs, is left to the scheme.
    pub fn cross_actuator_jumps(&mut self, bodies: &mut [BodyState], time: f64) {
        let behind = time + self.same;
        for actuator in &mut self.actuators {
            let i = actuator.body;
            let (force, moment) = actuator.actuation.history().sample(behind);
            actuator.felt.fixed_rows_mut::<3>(0).copy_from(&force);
            actuator.felt.fixed_rows_mut::<3>(3).copy_from(&moment);
            actuator.load = actuator.felt;
            let found = (actuator.actuation).evaluate(&bodies[i], &actuator.felt, time);
            let change = found.wrench - self.account.actuator_loads[i];
            self.account.actuator_loads[i] = found.wrench;
            let body = &self.bodies.all[i];
            let factors = body.instantaneous_inertia().cholesky();
            if let Some(factors) = factors.filter(|_| self.bodies.target == Some(i)) {
                let jump = factors.solve(&change);
                bodies[i].acceleration += jump;
                bodies[i].algorithmic += jump;
                body.modes.jump(&mut bodies[i].modal, &jump);
            }
        }
    }

    /// From now on a floating base does this by itself.
    pub fn act_on_base(&mut self, actuation: Actuation) {
        if let Some(base) = self.bodies.base {
            self.add_actuator(base, actuation);
        }
    }

    fn add_actuator(&mut self, body: usize, actuation: Actuation) {
        self.actuators.push(Actuator {
            body,
            actuation,
            felt: Vector6::zeros(),
            load: Vector6::zeros(),
        });
    }

    /// First time between `start` and `end` [s], both left out, at which the wrench of an actuator
    /// jumps.
    pub fn next_actuator_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        let histories = self.actuators.iter().map(|a| a.actuation.history());
        let jumps = histories.filter_map(|history| history.next_jump(start, end, slack));
        jumps.reduce(f64::min)
    }

    /// Work of the wrenches on the vehicles in a step of `h` [s] [J].
    fn vehicle_work(&self, bodies: &[BodyState], steps: &[BodyStep], h: f64) -> f64 {
        let vehicles = self.vehicles.iter();
        vehicles
            .map(|vehicle| {
                let i = vehicle.body;
                vehicle.work(&bodies[i], &steps[i].trial, h)
            })
            .sum()
    }

    /// Energy of the target [J].
    fn target_energy<'a>(&self, mut states: impl Iterator<Item = &'a BodyState>) -> f64 {
        let target = self.bodies.target.and_then(|i| Some((i, states.nth(i)?)));
        target.map_or(0.0, |(i, state)| energy(&self.bodies.all[i], state))
    }

    /// Energy of the bodies in these states [J].
    fn energy_of<'a>(&self, states: impl Iterator<Item = &'a BodyState>) -> f64 {
        let energy = |(body, state)| energy(body, state);
        self.bodies.all.iter().zip(states).map(energy).sum()
    }

    /// True if a contact began or ended with the last accepted step.
    pub fn changed(&self) -> bool {
        let changes = self.encounter.as_deref().map(Encounter::changes);
        changes.is_some_and(|changes| changes != EpisodeChanges::default())
    }

    /// When the latch closes if nothing comes in between [s].
    pub fn closing(&self) -> Option<f64> {
        self.encounter.as_deref().and_then(|e| e.latch().due())
    }

    /// Takes over a step that ends at `time` [s]: `bodies` go on with its end. True if the latch
    /// closed with it.
    pub fn accept(
        &mut self,
        bodies: &mut [BodyState],
        steps: &[BodyStep],
        integrator: &Integrator,
        time: f64,
    ) -> bool {
        let h = integrator.step();
        let from = bodies[EFFECTOR];
        if !self.actuators.is_empty() {
            let ends = |i: usize| &steps[i].trial;
            let (work, loads) = self.actuator_work(bodies, ends, (time - h, h));
            self.account.actuator_work += work;
            self.account.actuator_loads = loads;
            for actuator in &mut self.actuators {
                actuator.felt = actuator.load;
            }
        }
        let by_vehicles = self.vehicle_work(bodies, steps, h);
        self.vehicles.iter_mut().for_each(VehicleWrench::accept);
        let mut errors = [Vector6::zeros(); MOST_BODIES];
        for ((state, step), error) in bodies.iter_mut().zip(steps).zip(&mut errors) {
            *error = step.error(state, integrator);
            *state = step.accepted();
        }
        let (before, after) = (self.account.wrench_load, self.load);
        let done = work(&before, &after, &from, &bodies[EFFECTOR], h);
        self.account_for_wrench(done + by_vehicles, &after);
        let (Some(encounter), Some(target)) = (&mut self.encounter, self.bodies.target) else {
            return false;
        };
        let (a, b) = (&bodies[EFFECTOR], &bodies[target]);
        encounter.take_forces(a, b, time);
        let given = energy(&self.bodies.all[target], b) - self.account.initial_target;
        let at_stake = encounter.at_stake();
        let output = encounter.output();
        let account = &mut self.account;
        let done = account.wrench_work.abs().max(account.actuator_work.abs());
        account.moved = account.moved.max(given.abs()).max(at_stake).max(done);
        account.contact_damping.advance(h, output.damping_power);
        account.friction.advance(h, output.friction_power);
        account.latch.advance(h, output.latch_power);
        let errors = [errors[EFFECTOR], errors[target]];
        encounter.accept([a, b], (time, self.same), errors)
    }

    /// Adds work of the wrench [J], which was last felt as `load`.
    pub fn account_for_wrench(&mut self, work: f64, load: &Vector6<f64>) {
        self.account.wrench_work += work;
        self.account.wrench_load = *load;
    }

    /// The largest step that contact allows from here, and the time until something touches that does
    /// not yet [s].
    pub fn largest_step(&mut self, bodies: &[BodyState]) -> (f64, f64) {
        match (&mut self.encounter, self.bodies.target) {
            (Some(encounter), Some(target)) => {
                encounter.largest_step(&bodies[EFFECTOR], &bodies[target])
            }
            _ => (f64::INFINITY, f64::INFINITY),
        }
    }

    /// Kinetic energy and potential of the bodies [J].
    pub fn body_energy(&self, bodies: &[BodyState]) -> f64 {
        self.energy_of(bodies.iter())
    }

    /// Energy stored in contact and latch [J].
    pub fn contact_potential(&self) -> f64 {
        self.encounter
            .as_deref()
            .map_or(0.0, |e| e.output().potential())
    }
}
