//! The whole platform as one index-3 system, each leg condensed to its ends.
//!
//! One step of the generalised-α method for bodies and legs together: in every Newton iteration
//! the legs are linearised side by side, the bodies solve for their twists ([`crate::bodies`]), and
//! the legs complete their corrections. Sums over legs are taken in the order of the legs, so the
//! result does not depend on the number of threads.
//!
//! Jumps of histories are ends of steps. Behind a jump of a motor's torque or target, accelerations and
//! reactions jump at once (`jump`). Behind a jump of the wrench, whose impulse every step has right,
//! and of prescribed rates the acceleration-like variables of the method oscillate from step to step
//! and die out by αm/(1 − αm) each; steps therefore begin small there and double, so that little has
//! happened when the oscillation is gone.

mod audit;
mod jump;

use crate::actuation::Actuation;
use crate::attitude::Attitude;
use crate::bodies::{Bodies, EFFECTOR, point_motion};
use crate::body::{Body, BodyState, BodyStep};
use crate::config::{PlatformConfig, inertia_tensor};
use crate::contact::{ContactPair, Latch};
use crate::error::{PlatformError, Result};
use crate::leg::PlatformLeg;
use crate::native::NativeLeg;
use crate::reduced::ReducedLeg;
use crate::scheme::Progress;
use crate::statics::StaticPlatform;
use crate::stopwatch::{Times, timed};
use crate::strut::{StrutLeg, base_with_cranks, effector_with_tips};
use crate::threads::ThreadPool;
use crate::vehicle::Vehicle;
use crate::whole_model::{WholeModel, starts};
use crate::world::{Flow, World, WorldMemory};
use crate::wrench::{AppliedWrench, WrenchHistory};
use leg_core::spatial::{Foundation, SpatialState};
use multibody::dynamics::grid::SLIVER;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::pace::Pace;
use multibody::dynamics::stepper::{self, Done, Planned, Refusal, StepSizes, Stepped, Strictness};
use multibody::group::{Group, Se3};
use multibody::model::{Signal, spatial_inertia};
use multibody::port::condensed::{self, Guess, Iteration};
use nalgebra::{Vector3, Vector6};
use std::time::{Duration, Instant};

/// Everything that changes in a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PlatformState<S = SpatialState> {
    /// Time [s].
    pub time: f64,
    /// Bodies, end effector first.
    pub bodies: Vec<BodyState>,
    /// Legs.
    pub legs: Vec<S>,
    /// Which of them are not broken.
    attached: Vec<bool>,
    /// Contact, latch, account.
    pub world: WorldMemory,
    /// Work of the end effector on each leg's tip.
    pub tips: Vec<Flow>,
    /// Work of a floating base on each leg.
    pub feet: Vec<Flow>,
    /// How long steps are, and what the account missed.
    pub(crate) pace: Pace,
    balances: Option<f64>,
    jumped: bool,
}

/// Everything that changes in a run, and what acts from outside: enough to go on elsewhere.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PlatformMemory<S = SpatialState> {
    /// What changes.
    pub state: PlatformState<S>,
    /// Torque and target history of every motor.
    motors: Vec<(Signal, Signal)>,
    /// Pull of every winch.
    winches: Vec<Signal>,
    wrench: AppliedWrench,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Size of the last correction (relative to the length; rad).
    pub correction: f64,
}

/// A running platform, with legs of one fidelity.
#[derive(Debug, Clone)]
pub struct Platform<L = NativeLeg> {
    config: PlatformConfig,
    world: World,
    spheres: Vec<Vector3<f64>>,
    legs: Vec<L>,
    time: f64,
    bodies: Vec<BodyState>,
    tips: Vec<Flow>,
    feet: Vec<Flow>,
    /// The same at the end of the step under way.
    flows: Vec<(Flow, Flow)>,
    /// What the legs held when the account was looked at last [J].
    balances: Option<f64>,
    pace: Pace,
    /// A motor or an actuator jumps here.
    jumped: bool,
    /// Next jumps of the wrench, and of a motor or an actuator [s].
    jumps: [Option<f64>; 2],
    pool: ThreadPool,
    /// Wall times of the parallel parts and of whole steps, once somebody asks for them.
    walls: Option<[Duration; 2]>,
}

/// Longer steps are halved as often as steps of this length [s]: how hard an impact is does not
/// depend on the step that was asked for.
const HALVED_FROM: f64 = 1e-3;
/// Most Newton iterations of a step.
const MOST_ITERATIONS: usize = 15;
/// Nothing physical turns by this much in a step that can still converge.
const LARGEST_CORRECTION: f64 = 1e3;

impl Platform<NativeLeg> {
    /// The platform at rest in `equilibrium`, a fixed or floating base under it, let go without a
    /// wrench.
    pub fn at_rest(equilibrium: &StaticPlatform) -> Result<Self> {
        Self::at_rest_under(equilibrium, WrenchHistory::default())
    }

    /// The same under a wrench, which takes over at t = 0 from the one that the equilibrium holds.
    pub fn at_rest_under(equilibrium: &StaticPlatform, wrench: WrenchHistory) -> Result<Self> {
        equilibrium.require_leaves("the legs of this scheme")?;
        let config = equilibrium.config();
        let foundation = if config.base.free_floating {
            Foundation::Moving
        } else {
            Foundation::Ground
        };
        let legs = starts(equilibrium)
            .iter()
            .enumerate()
            .map(|(i, start)| NativeLeg::new(start, foundation).map_err(PlatformError::in_leg(i)))
            .collect::<Result<Vec<_>>>()?;
        let base = config.base.free_floating.then(|| base_body(config));
        let mut out = Self::of_legs(equilibrium, legs, *equilibrium.effector(), base);
        out.start_accelerations(equilibrium)?;
        out.set_wrench(wrench);
        out.act_on_base();
        Ok(out)
    }

    /// Consistent accelerations of bodies and legs, from the platform as one model.
    fn start_accelerations(&mut self, equilibrium: &StaticPlatform) -> Result<()> {
        let whole = WholeModel::at_rest(equilibrium)?;
        let nodes = [Some(whole.effector), whole.base].into_iter().flatten();
        for (body, node) in self.bodies.iter_mut().zip(nodes) {
            body.acceleration = whole.rest.accelerations[node.index()];
            body.algorithmic = body.acceleration;
        }
        let effector = self.bodies[EFFECTOR];
        let base = self.world.bodies().base.map(|i| self.bodies[i]);
        for (i, leg) in self.legs.iter_mut().enumerate() {
            let tip = point_motion(&effector, &self.spheres[i]);
            leg.start(&tip, base.as_ref())
                .map_err(PlatformError::in_leg(i))?;
        }
        Ok(())
    }
}

impl Platform<ReducedLeg> {
    /// The platform of reduced legs at rest in `equilibrium`, under a wrench that takes over at t = 0 from
    /// the one that the equilibrium holds.
    pub fn of_reduced(equilibrium: &StaticPlatform, wrench: WrenchHistory) -> Result<Self> {
        equilibrium.require_leaves("reduced legs")?;
        let legs = starts(equilibrium)
            .iter()
            .enumerate()
            .map(|(i, start)| ReducedLeg::new(start).map_err(PlatformError::in_leg(i)))
            .collect::<Result<Vec<_>>>()?;
        let mut out = Self::of_legs(equilibrium, legs, *equilibrium.effector(), None);
        out.set_wrench(wrench);
        // A motor that lets go at t = 0, or holds against another torque, accelerates what is at rest.
        out.jumped = true;
        Ok(out)
    }
}

impl Platform<StrutLeg> {
    /// The platform of struts at rest in `equilibrium`, under a wrench that takes over at t = 0 from the
    /// one that the equilibrium holds. Locked motors hold it: nothing is accelerated.
    pub fn of_struts(equilibrium: &StaticPlatform, wrench: WrenchHistory) -> Result<Self> {
        let config = equilibrium.config();
        let struts = equilibrium.struts()?;
        let spheres = equilibrium.spheres();
        let tips = struts.iter().copied().zip(spheres);
        let effector = effector_with_tips(equilibrium.effector(), tips);
        let motors = equilibrium.motors();
        let floating = config.base.free_floating;
        let base = floating.then(|| {
            let cranks = struts.iter().copied().zip(motors);
            base_with_cranks(&base_body(config), cranks)
        });
        let resting = floating.then(|| BodyState::at_rest(Se3::identity()));
        let pose = equilibrium.pose();
        let legs = struts.iter().zip(motors).zip(spheres);
        let legs = legs
            .map(|((strut, q1), sphere)| {
                let tip = pose.translation() + pose.rotation() * sphere;
                StrutLeg::new(strut, *q1, tip, &effector, resting.as_ref())
            })
            .collect();
        let mut out = Self::of_legs(equilibrium, legs, effector, base);
        out.set_wrench(wrench);
        out.act_on_base();
        Ok(out)
    }
}

impl<L: PlatformLeg> Platform<L> {
    /// Bodies at rest in `equilibrium`, carried by these legs.
    fn of_legs(
        equilibrium: &StaticPlatform,
        legs: Vec<L>,
        effector: Body,
        base: Option<Body>,
    ) -> Self {
        let config = equilibrium.config().clone();
        let pool = ThreadPool::new(config.solver.threads, config.leg_count());
        let mut list = Bodies {
            all: vec![effector],
            base: None,
            target: None,
        };
        let mut bodies = vec![BodyState::at_rest(*equilibrium.pose())];
        if let Some(base) = base {
            list.base = Some(list.all.len());
            list.all.push(base);
            bodies.push(BodyState::at_rest(Se3::identity()));
        }
        Self {
            spheres: config.sphere_positions(),
            world: World::new(
                list,
                &bodies,
                &equilibrium.wrench_vector(),
                config.solver.step_s,
            ),
            tips: vec![Flow::default(); legs.len()],
            feet: vec![Flow::default(); legs.len()],
            time: 0.0,
            flows: Vec::with_capacity(legs.len()),
            balances: None,
            pace: Pace::default(),
            jumped: false,
            jumps: [None; 2],
            config,
            legs,
            bodies,
            pool,
            walls: None,
        }
    }

    /// Puts a target in front of the end effector.
    pub fn add_target(&mut self, body: Body, state: BodyState, pair: ContactPair, latch: Latch) {
        self.world
            .add_target(body, state, pair, latch, &mut self.bodies, self.time);
    }

    /// The target does this by itself from now on.
    pub fn act_on_target(&mut self, actuation: Actuation) {
        self.world
            .act_on_target(actuation, &mut self.bodies, self.time);
    }

    /// A floating base does from now on what its configuration says.
    fn act_on_base(&mut self) {
        let Some(base) = self.world.bodies().base else {
            return;
        };
        let actuation = base_actuation(&self.config, &self.bodies[base], self.time);
        if let Some(actuation) = actuation {
            self.world.act_on_base(actuation);
            self.jumped = true;
        }
    }

    /// Its configuration.
    pub fn config(&self) -> &PlatformConfig {
        &self.config
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The end effector.
    pub fn effector(&self) -> &BodyState {
        &self.bodies[EFFECTOR]
    }

    /// The bodies and what acts on them besides the legs.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All bodies, end effector first.
    pub fn bodies(&self) -> &[BodyState] {
        &self.bodies
    }

    /// The legs.
    pub fn legs(&self) -> &[L] {
        &self.legs
    }

    /// The legs, to change their motors.
    pub fn legs_mut(&mut self) -> &mut [L] {
        &mut self.legs
    }

    /// Breaks a leg (from 0): from now on it carries nothing and stays where it is.
    pub fn detach(&mut self, leg: usize) {
        if let Some(leg) = self.legs.get_mut(leg) {
            leg.set_attached(false);
            self.restart_small_steps();
        }
    }

    /// Centres of the spherical joints in the end effector's frame [m].
    pub fn spheres(&self) -> &[Vector3<f64>] {
        &self.spheres
    }

    /// Work of the end effector on each leg's tip.
    pub fn tips(&self) -> &[Flow] {
        &self.tips
    }

    /// Work of a floating base on each leg.
    pub fn feet(&self) -> &[Flow] {
        &self.feet
    }

    /// Work of a leg's motor and winch since the start [J].
    pub fn motor_work(&self, leg: usize) -> f64 {
        self.legs[leg].work_in() - self.tips[leg].energy - self.feet[leg].energy
    }

    /// Works on so many threads from now on; 0 takes one per core.
    pub fn set_threads(&mut self, threads: usize) {
        self.pool = ThreadPool::new(threads, self.legs.len());
    }

    /// Gives the end effector another wrench history.
    pub fn set_wrench(&mut self, wrench: WrenchHistory) {
        self.world.set_wrench(wrench, self.time);
        if self.world.wrench().begins_with_jump() {
            self.restart_small_steps();
        }
    }

    /// Gives a vehicle a wrench history from now on, force through its centre of mass, world axes. False
    /// if there is no such vehicle: a base that is fixed, a platform without a target.
    pub fn set_vehicle_wrench(&mut self, vehicle: Vehicle, wrench: WrenchHistory) -> bool {
        let jumps = self.world.set_vehicle_wrench(vehicle, wrench, self.time);
        if jumps == Some(true) {
            self.restart_small_steps();
        }
        jumps.is_some()
    }

    /// A snapshot.
    pub fn state(&self) -> PlatformState<L::State> {
        PlatformState {
            time: self.time,
            bodies: self.bodies.clone(),
            legs: self.legs.iter().map(L::snapshot).collect(),
            attached: self.legs.iter().map(L::is_attached).collect(),
            world: self.world.memory(),
            tips: self.tips.clone(),
            feet: self.feet.clone(),
            pace: self.pace,
            balances: self.balances,
            jumped: self.jumped,
        }
    }

    /// Goes back to a snapshot of this platform.
    pub fn restore(&mut self, state: &PlatformState<L::State>) {
        self.time = state.time;
        self.bodies.clone_from(&state.bodies);
        self.world.restore(&state.world);
        self.tips.clone_from(&state.tips);
        self.feet.clone_from(&state.feet);
        self.pace = state.pace;
        self.balances = state.balances;
        self.jumped = state.jumped;
        let legs = self.legs.iter_mut().zip(&state.legs);
        for ((leg, saved), attached) in legs.zip(&state.attached) {
            leg.restore(saved);
            leg.set_attached(*attached);
        }
    }

    /// A snapshot with what acts from outside.
    pub fn memory(&self) -> PlatformMemory<L::State> {
        let motor = |leg: &L| (leg.motor().0.clone(), leg.motor().1.clone());
        PlatformMemory {
            state: self.state(),
            motors: self.legs.iter().map(motor).collect(),
            winches: self
                .legs
                .iter()
                .map(|leg| leg.tendon_force().clone())
                .collect(),
            wrench: self.world.wrench().clone(),
        }
    }

    /// Goes on from a memory of a platform with this configuration and, if it has one, this target.
    /// False, and nothing changes, if it is of another one.
    pub fn recall(&mut self, memory: &PlatformMemory<L::State>) -> bool {
        let state = &memory.state;
        let legs = self.legs.len();
        let counts = [
            state.legs.len(),
            state.attached.len(),
            state.tips.len(),
            state.feet.len(),
            memory.motors.len(),
            memory.winches.len(),
        ];
        let states = self.legs.iter().zip(&state.legs);
        let fits = counts == [legs; 6]
            && state.bodies.len() == self.bodies.len()
            && self.world.fits(&state.world)
            && states.into_iter().all(|(leg, state)| leg.fits(state));
        if !fits {
            return false;
        }
        for (leg, (torque, angle)) in self.legs.iter_mut().zip(&memory.motors) {
            leg.set_motor(torque.clone(), angle.clone());
        }
        for (leg, pull) in self.legs.iter_mut().zip(&memory.winches) {
            leg.set_tendon_force(pull.clone());
        }
        self.world.recall_wrench(memory.wrench.clone());
        self.restore(state);
        true
    }

    /// Kinetic energy and potential of the bodies [J].
    pub fn body_energy(&self) -> f64 {
        self.world.body_energy(&self.bodies)
    }

    /// Advances to `end` [s] in equal steps of at most the configured size, smaller where contact
    /// asks for it; a step that fails is repeated smaller. On an error the platform is that of the
    /// last accepted step.
    pub fn advance_to(&mut self, end: f64) -> Result<Progress> {
        self.advance_observed(end, |_| {})
    }

    /// The same; `observe` sees the platform after every accepted step.
    pub fn advance_observed(
        &mut self,
        end: f64,
        mut observe: impl FnMut(&mut Self) + Send,
    ) -> Result<Progress> {
        let pool = self.pool.clone();
        let mut out = Progress::default();
        pool.enter(|| stepper::advance(self, end, &mut out, &mut observe))?;
        Ok(out)
    }

    /// The motion goes on differently from now on.
    fn restart_small_steps(&mut self) {
        let step = self.config.solver.step_s.min(HALVED_FROM);
        self.pace.restart_small_steps(step);
    }

    /// One step of size `h` [s], whatever happens inside and whatever energy it misses. On an error
    /// the platform is as it was.
    pub fn step(&mut self, h: f64) -> Result<StepReport> {
        let lenient = Strictness {
            events: false,
            account: false,
            look: true,
        };
        match self.step_to(self.time + h, lenient) {
            Ok((report, _)) => Ok(report),
            Err(Refusal::Smaller(cause) | Refusal::Never(cause)) => Err(cause),
            Err(Refusal::Event(_) | Refusal::Inaccurate(_)) => Ok(StepReport::default()),
        }
    }

    /// One step to `end` [s]: what it did, and whether the latch closed.
    fn step_to(
        &mut self,
        end: f64,
        strict: Strictness,
    ) -> core::result::Result<(StepReport, bool), Refusal<PlatformError>> {
        let start = self.walls.map(|_| Instant::now());
        let done = self.try_step(end, Guess::Accelerations, strict);
        let done = match done {
            Err(Refusal::Smaller(_)) => self.try_step(end, Guess::Velocities, strict),
            other => other,
        };
        if let (Some([_, wall]), Some(start)) = (&mut self.walls, start) {
            *wall += start.elapsed();
        }
        done
    }

    /// Starts to measure where the time goes, from zero.
    pub fn measure(&mut self) {
        self.walls = Some([Duration::ZERO; 2]);
        self.legs.iter_mut().for_each(L::measure);
    }

    /// Where the time went since [`Self::measure`].
    pub fn times(&self) -> Times {
        let [parallel_wall, wall] = self.walls.unwrap_or_default();
        let mut out = Times {
            coupling: wall.saturating_sub(parallel_wall),
            parallel_wall,
            wall,
            ..Times::default()
        };
        for leg in self.legs.iter().map(L::times) {
            out.legs.assembly += leg.assembly;
            out.legs.factorisation += leg.factorisation;
            out.legs.condensation += leg.condensation;
            out.legs.acceptance += leg.acceptance;
        }
        out
    }

    fn try_step(
        &mut self,
        end: f64,
        guess: Guess,
        strict: Strictness,
    ) -> core::result::Result<(StepReport, bool), Refusal<PlatformError>> {
        let h = end - self.time;
        let integrator = Integrator::new(self.config.solver.spectral_radius, h);
        self.world.begin(self.time, end);
        let mut steps = self.predict(&integrator, guess, end);
        let report = self.iterate(&mut steps, &integrator);
        let report = report.map_err(Refusal::Smaller)?;
        let trial = self.world.examine(&self.bodies, &steps, self.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        if strict.events
            && let Some(share) = self.stop_event(h)
        {
            // Without a target the account is kept from the first stop on.
            self.balances = Some(self.leg_balances()?);
            return Err(Refusal::Event(share * h));
        }
        self.judge_error(&steps, &integrator, strict.account)?;
        let stopped = self.world.encounter().is_none()
            && (self.balances.is_some() || self.legs.iter().any(L::touches_stop));
        let trial = if stopped {
            self.world
                .weigh(&self.bodies, &steps, (self.time, h), (0.0, 0.0))
        } else {
            trial
        };
        self.move_legs(&steps, (h, end), &trial, strict, stopped)?;
        let closed = self.accept(&steps, &integrator, end);
        Ok((report, closed))
    }

    /// Fraction of the step under way at which the first stop of a leg is met or left.
    fn stop_event(&mut self, h: f64) -> Option<f64> {
        let legs = self.legs.iter_mut();
        legs.filter_map(|leg| leg.stop_event(h)).reduce(f64::min)
    }

    fn predict(&mut self, integrator: &Integrator, guess: Guess, end: f64) -> Vec<BodyStep> {
        let calm = guess == Guess::Velocities;
        let slack = SLIVER * self.config.solver.step_s;
        for leg in &mut self.legs {
            leg.begin(integrator, guess, (end, slack));
        }
        let bodies = self.world.bodies().all.iter().zip(&self.bodies);
        bodies
            .map(|(body, state)| BodyStep::predict(body, state, integrator, calm))
            .collect()
    }

    fn iterate(&mut self, steps: &mut [BodyStep], integrator: &Integrator) -> Result<StepReport> {
        let end = self.time + integrator.step();
        let mut size = f64::INFINITY;
        let mut progress = condensed::Progress::new(self.config.solver.newton_tolerance);
        for iteration in 1..=MOST_ITERATIONS {
            self.linearize_legs(steps, (progress.next(), iteration))?;
            self.world.linearize(steps, integrator, end)?;
            for (leg, sphere) in self.legs.iter().zip(&self.spheres) {
                if let Some(response) = leg.response() {
                    self.world.add_leg(steps, integrator, sphere, &response);
                }
            }
            let psi = self.world.solve(end)?;
            size = self.correct(steps, integrator, &psi);
            if progress.finished(size) {
                return Ok(StepReport {
                    iterations: iteration,
                    correction: size,
                });
            }
            if size.is_nan() || size > LARGEST_CORRECTION {
                break;
            }
        }
        Err(PlatformError::Diverged {
            time_s: end,
            step_s: integrator.step(),
            iterations: MOST_ITERATIONS,
            correction: size,
        })
    }

    fn linearize_legs(&mut self, steps: &[BodyStep], iteration: (Iteration, usize)) -> Result<()> {
        let Self {
            legs,
            spheres,
            world,
            pool,
            walls,
            ..
        } = self;
        let effector = &steps[EFFECTOR].trial;
        let base = world.bodies().base.map(|i| &steps[i].trial);
        timed(walls.as_mut().map(|walls| &mut walls[0]), || {
            pool.for_each(legs, |i, leg| {
                leg.linearize(&point_motion(effector, &spheres[i]), base, iteration);
            });
        });
        for (i, leg) in legs.iter_mut().enumerate() {
            if let Some(failure) = leg.take_failure() {
                return Err(PlatformError::in_leg(i)(failure));
            }
        }
        Ok(())
    }

    /// Applies the twists to bodies and legs: size of the correction.
    fn correct(
        &mut self,
        steps: &mut [BodyStep],
        integrator: &Integrator,
        psi: &[Vector6<f64>],
    ) -> f64 {
        let length = self.config.leaf.length_m;
        let tolerance = length * self.config.solver.newton_tolerance;
        let sharpness = self.world.sharpness(tolerance);
        let rotation = steps[EFFECTOR].trial.pose.rotation();
        let base = self.world.bodies().base.map(|i| &psi[i]);
        let mut size: f64 = 0.0;
        for (leg, sphere) in self.legs.iter_mut().zip(&self.spheres) {
            let tip = rotation * (crate::body::point_map(sphere) * psi[EFFECTOR]);
            size = size.max(leg.correct(&tip, base));
        }
        let bodies = self.world.bodies().all.iter().zip(&self.bodies);
        for ((step, known), psi) in steps.iter_mut().zip(bodies).zip(psi) {
            let linear = psi.fixed_rows::<3>(0).amax() / length;
            let turn = psi.fixed_rows::<3>(3).amax();
            size = size.max(sharpness * linear).max(sharpness * turn);
            step.correct(known, integrator, psi);
        }
        size
    }

    fn accept(&mut self, steps: &[BodyStep], integrator: &Integrator, end: f64) -> bool {
        self.time = end;
        self.world.accept(&mut self.bodies, steps, integrator, end)
    }
}

/// Largest step from the first stop of a leg on, without a target, as a share of the configured one: a
/// crank is on its stop for a millisecond or two.
const STOP_STEP: f64 = 0.05;

impl<L: PlatformLeg> Stepped for Platform<L> {
    type Error = PlatformError;

    fn time(&self) -> f64 {
        self.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn sizes(&self) -> StepSizes {
        let step = self.config.solver.step_s;
        StepSizes::even(step, step.min(HALVED_FROM))
    }

    fn slack(&self) -> f64 {
        SLIVER * self.config.solver.step_s
    }

    fn next_jump(&mut self, end: f64) -> Option<f64> {
        let slack = self.slack();
        self.jumps = self.next_jumps(end + 2.0 * slack, slack);
        self.jumps.into_iter().flatten().reduce(f64::min)
    }

    fn begin(&mut self, _end: f64) -> Result<()> {
        if core::mem::take(&mut self.jumped) {
            self.cross_motor_jump()?;
        }
        Ok(())
    }

    fn passed_jump(&mut self) -> Result<()> {
        let reach = self.time + 2.0 * self.slack();
        let [wrench, motor] = self
            .jumps
            .map(|jump| jump.is_some_and(|jump| jump <= reach));
        if wrench {
            self.restart_small_steps();
        }
        self.jumped |= motor;
        Ok(())
    }

    fn contact_limit(&mut self) -> (f64, f64) {
        let (largest, touch) = self.world.largest_step(&self.bodies);
        // With a target, contact keeps steps short and the account refuses what it misses.
        if self.world.encounter().is_none() && self.balances.is_some() {
            return (largest.min(STOP_STEP * self.config.solver.step_s), touch);
        }
        (largest, touch)
    }

    fn next_event(&self) -> Option<f64> {
        self.world.closing()
    }

    fn attempt(
        &mut self,
        step: &Planned,
        strict: Strictness,
    ) -> core::result::Result<Done, Refusal<PlatformError>> {
        if self.pace.becomes_short(step) {
            self.make_consistent(step.length)
                .map_err(Refusal::Smaller)?;
        }
        let (report, closed) = self.step_to(step.end, strict)?;
        Ok(Done {
            iterations: report.iterations,
            linearizations: report.iterations,
            further_steps: 0,
            closed,
            // Inside a stop every step is looked at.
            changed: self.world.changed() || self.legs.iter().any(L::touches_stop),
        })
    }

    fn stalled(&self, [_, smallest_s]: [f64; 2], cause: PlatformError) -> PlatformError {
        PlatformError::stalled(self.time, smallest_s, cause)
    }
}

/// What a floating base does by itself from `time` [s] on, as its configuration says.
pub(crate) fn base_actuation(
    config: &PlatformConfig,
    state: &BodyState,
    time: f64,
) -> Option<Actuation> {
    let config = &config.base;
    let centre = Vector3::from(config.centre_of_mass_m);
    let hold = &config.hold;
    let attitude = Attitude::from_degrees(hold.pitch_deg, hold.yaw_deg, hold.roll_deg);
    let law = hold.law(state, &centre, attitude.rotation());
    Actuation::new(centre, config.wrench.history(), law, time)
}

/// The base as a body whose frame is the world's at the start.
pub(crate) fn base_body(config: &PlatformConfig) -> Body {
    let base = &config.base;
    let tensor = inertia_tensor(&base.inertia_kg_m2, &base.products_of_inertia_kg_m2);
    let inertia = spatial_inertia(base.mass_kg, base.centre_of_mass_m, tensor);
    Body::rigid(inertia, config.gravity_m_s2.into())
}
