//! Everything between the legs: the bodies, the wrench from outside, contact and latch, and the
//! account of their energies. All coupling schemes share it.
//!
//! While something touches, steps are at least as long as the contact's own oscillation asks for,
//! and grow beyond that as long as the estimated error e of a step stays below its tolerance:
//!
//! ```text
//! h ← h_contact s,     s ← max(1, s · 0.9 (e_tol/e)^⅓),   0.5 ≤ factor ≤ 1.5      (1)
//! ```
//!
//! so that an impact is resolved and a quiet contact does not slow the run down.
//!
//! Energies of dissipation follow from the powers at the ends of the steps by the trapezoidal rule,
//! the work of the wrench from the way that the end effector makes.

use crate::body::{Body, BodyState, BodyStep, gravity_energy, kinetic_energy};
use crate::contact::{BodyMotion, ContactOutput, ContactPair, EpisodeChanges, Episodes, Latch};
use crate::error::{PlatformError, Result};
use crate::hub::{Answer, EFFECTOR, Hub, HubSystem, MOST_BODIES};
use crate::wrench::{AppliedWrench, WrenchHistory, split, work};
use leg_core::dynamics::alpha::Coefficients;
use leg_core::math;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Work done on the bodies and energy lost between them since the start [J], with the powers now
/// [W].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Account {
    /// Work of the wrench from outside [J].
    pub wrench_work: f64,
    /// That wrench as the last step felt it.
    wrench_load: Vector6<f64>,
    /// Lost in the damping of contacts.
    pub contact_damping: Flow,
    /// Lost in friction.
    pub friction: Flow,
    /// Lost in the closed latch.
    pub latch: Flow,
    /// Energy of the bodies at the start.
    pub initial_bodies: f64,
}

/// An energy that flows, integrated by the trapezoidal rule.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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

/// Contact and latch between end effector and target.
#[derive(Debug, Clone)]
pub struct Encounter {
    pair: ContactPair,
    episodes: Episodes,
    latch: Latch,
    /// At the last accepted state.
    output: ContactOutput,
    /// Within an iteration.
    trial: ContactOutput,
    inverse_inertias: [Matrix6<f64>; 2],
    changes: EpisodeChanges,
    /// s of eq. (1).
    stride: f64,
}

/// Allowed error of a step in contact, e_tol of eq. (1) [m]: a ten-thousandth of the millimetre by
/// which contacts give way.
const CONTACT_ERROR: f64 = 1e-7;

/// The memory of an encounter.
#[derive(Debug, Clone, PartialEq)]
struct EncounterMemory {
    episodes: Episodes,
    latch: Latch,
    output: ContactOutput,
    stride: f64,
}

/// What changes in a world besides the motion of its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldMemory {
    account: Account,
    encounter: Option<EncounterMemory>,
}

fn motion_of(state: &BodyState) -> BodyMotion {
    BodyMotion {
        pose: state.pose,
        twist: state.velocity,
    }
}

impl Encounter {
    /// The pair at this motion of end effector and target.
    fn new(pair: ContactPair, latch: Latch, bodies: [(&Body, &BodyState); 2]) -> Self {
        let [a, b] = bodies.map(|(_, state)| motion_of(state));
        let inverse = |body: &Body| body.inertia.try_inverse().unwrap_or_else(Matrix6::zeros);
        let episodes = Episodes::start(&pair, &a, &b);
        let mut output = pair.output();
        pair.evaluate(&episodes, &a, &b, &mut output);
        Self {
            trial: output.clone(),
            output,
            episodes,
            latch,
            inverse_inertias: bodies.map(|(body, _)| inverse(body)),
            changes: EpisodeChanges::default(),
            stride: 1.0,
            pair,
        }
    }

    /// Forces at the last accepted state.
    pub fn output(&self) -> &ContactOutput {
        &self.output
    }

    /// The latch.
    pub fn latch(&self) -> &Latch {
        &self.latch
    }

    /// The pair.
    pub fn pair(&self) -> &ContactPair {
        &self.pair
    }

    /// Contacts that began or ended with the last accepted step.
    pub fn changes(&self) -> EpisodeChanges {
        self.changes
    }

    /// True while a contact touches.
    pub fn touching(&self) -> bool {
        self.episodes.any_touching()
    }

    fn evaluate(&mut self, a: &BodyState, b: &BodyState, time: f64) -> Result<()> {
        let (a, b) = (motion_of(a), motion_of(b));
        self.pair.evaluate(&self.episodes, &a, &b, &mut self.trial);
        self.latch
            .add_hold(&a, &b, &mut self.trial)
            .map_err(|_| PlatformError::LatchTorn { time_s: time })
    }

    fn accept(&mut self, a: &BodyState, b: &BodyState, time: f64, error: f64) {
        let (a, b) = (motion_of(a), motion_of(b));
        self.changes = self.episodes.accept(&self.pair, &a, &b);
        let begun = self.changes.begun > 0;
        self.stride = if self.touching() && !begun {
            let factor = 0.9 * math::cbrt(CONTACT_ERROR / error.max(1e-3 * CONTACT_ERROR));
            (self.stride * factor.clamp(0.5, 1.5)).max(1.0) // (1)
        } else {
            1.0
        };
        let alignment = self.pair.alignment(&a, &b);
        self.latch.observe(time, &alignment, &a, &b);
    }

    fn largest_step(&self, a: &BodyState, b: &BodyState) -> f64 {
        let (a, b) = (motion_of(a), motion_of(b));
        let [inverse_a, inverse_b] = &self.inverse_inertias;
        let mass = self.pair.effective_mass(&a, &b, inverse_a, inverse_b);
        self.pair.step_advice(&a, &b, mass).step() * self.stride
    }
}

/// The bodies and what acts on them besides the legs.
#[derive(Debug, Clone)]
pub struct World {
    hub: Hub,
    wrench: AppliedWrench,
    /// The wrench as the step under way feels it.
    load: Vector6<f64>,
    encounter: Option<Encounter>,
    account: Account,
    system: HubSystem,
}

impl World {
    /// Bodies on which a wrench has acted for long.
    pub fn new(hub: Hub, bodies: &[BodyState], held: &Vector6<f64>) -> Self {
        let mut out = Self {
            system: HubSystem::new(hub.bodies.len()),
            hub,
            wrench: AppliedWrench::held(held),
            load: *held,
            encounter: None,
            account: Account {
                wrench_load: *held,
                ..Account::default()
            },
        };
        out.account.initial_bodies = out.body_energy(bodies);
        out
    }

    /// The bodies.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// The account so far.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Contact with the target, if there is one.
    pub fn encounter(&self) -> Option<&Encounter> {
        self.encounter.as_ref()
    }

    /// Gives the end effector another wrench history from `time` [s] on.
    pub fn set_wrench(&mut self, wrench: WrenchHistory, time: f64) {
        self.wrench.replace(wrench, time);
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
    ) {
        let effector = (&self.hub.bodies[EFFECTOR], &bodies[EFFECTOR]);
        let encounter = Encounter::new(pair, latch, [effector, (&body, &state)]);
        self.encounter = Some(encounter);
        self.hub.target = Some(self.hub.bodies.len());
        self.hub.bodies.push(body);
        bodies.push(state);
        self.system = HubSystem::new(self.hub.bodies.len());
        self.account.initial_bodies = self.body_energy(bodies);
    }

    /// What changes besides the motion.
    pub fn memory(&self) -> WorldMemory {
        WorldMemory {
            account: self.account,
            encounter: self.encounter.as_ref().map(|e| EncounterMemory {
                episodes: e.episodes.clone(),
                latch: e.latch.clone(),
                output: e.output.clone(),
                stride: e.stride,
            }),
        }
    }

    /// Goes back to a memory of this world.
    pub fn restore(&mut self, memory: &WorldMemory) {
        self.account = memory.account;
        if let (Some(encounter), Some(saved)) = (&mut self.encounter, &memory.encounter) {
            encounter.episodes.clone_from(&saved.episodes);
            encounter.latch.clone_from(&saved.latch);
            encounter.output.clone_from(&saved.output);
            encounter.stride = saved.stride;
        }
    }

    /// Starts a step of the generalised-α method from `start` to `end` [s].
    pub fn begin(&mut self, start: f64, end: f64) {
        self.load = self.wrench.at_end(start, end);
    }

    /// Starts Newton's system at an iterate: inertia, outer wrench, contact, latch.
    pub fn linearize(
        &mut self,
        steps: &[BodyStep],
        coefficients: &Coefficients,
        end: f64,
    ) -> Result<()> {
        self.system.start(&self.hub, steps, coefficients);
        let (force, moment) = split(&self.load);
        self.system
            .add_dead_wrench(&steps[EFFECTOR], &force, &moment);
        let (Some(encounter), Some(target)) = (&mut self.encounter, self.hub.target) else {
            return Ok(());
        };
        let (a, b) = (&steps[EFFECTOR], &steps[target]);
        encounter.evaluate(&a.trial, &b.trial, end)?;
        let damping = coefficients.weights().damping;
        let output = &encounter.trial;
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
        coefficients: &Coefficients,
        sphere: &Vector3<f64>,
        answer: &Answer,
    ) {
        self.system
            .add_leg(&self.hub, steps, coefficients, sphere, answer);
    }

    /// The twists that solve Newton's system.
    pub fn solve(&self, end: f64) -> Result<[Vector6<f64>; MOST_BODIES]> {
        self.system
            .solve()
            .ok_or(PlatformError::Singular { time_s: end })
    }

    /// Takes over an accepted step of `h` [s] that ended at `time` [s] with an estimated error
    /// [m]; the end effector came from `from`.
    pub fn accept(
        &mut self,
        from: &BodyState,
        bodies: &[BodyState],
        (h, time): (f64, f64),
        error: f64,
    ) {
        let (before, after) = (self.account.wrench_load, self.load);
        let done = work(&before, &after, from, &bodies[EFFECTOR], h);
        self.account_for_wrench(done, &after);
        let (Some(encounter), Some(target)) = (&mut self.encounter, self.hub.target) else {
            return;
        };
        let (a, b) = (&bodies[EFFECTOR], &bodies[target]);
        // The forces of the step belong to the memory it was made with.
        if encounter.evaluate(a, b, time).is_ok() {
            core::mem::swap(&mut encounter.output, &mut encounter.trial);
        }
        let output = &encounter.output;
        let account = &mut self.account;
        account.contact_damping.advance(h, output.damping_power);
        account.friction.advance(h, output.friction_power);
        account.latch.advance(h, output.latch_power);
        encounter.accept(a, b, time, error);
    }

    /// Adds work of the wrench [J], which was last felt as `load`.
    pub fn account_for_wrench(&mut self, work: f64, load: &Vector6<f64>) {
        self.account.wrench_work += work;
        self.account.wrench_load = *load;
    }

    /// The largest step [s] that contact allows from here.
    pub fn largest_step(&self, bodies: &[BodyState]) -> f64 {
        match (&self.encounter, self.hub.target) {
            (Some(encounter), Some(target)) => {
                encounter.largest_step(&bodies[EFFECTOR], &bodies[target])
            }
            _ => f64::INFINITY,
        }
    }

    /// Kinetic energy and potential of the bodies [J].
    pub fn body_energy(&self, bodies: &[BodyState]) -> f64 {
        let energy = |(body, state): (&Body, &BodyState)| {
            kinetic_energy(body, state) + gravity_energy(body, &state.pose)
        };
        self.hub.bodies.iter().zip(bodies).map(energy).sum()
    }

    /// Energy stored in contact and latch [J].
    pub fn contact_potential(&self) -> f64 {
        self.encounter
            .as_ref()
            .map_or(0.0, |e| e.output.potential())
    }
}
