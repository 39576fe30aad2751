//! The whole platform as one index-3 system, each leg condensed to its ends.
//!
//! One step of the generalised-α method for bodies and legs together: in every Newton iteration
//! the legs are linearised side by side, the bodies solve for their twists ([`crate::hub`]), and
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

use crate::body::{Body, BodyState, BodyStep};
use crate::config::PlatformConfig;
use crate::contact::{ContactPair, Latch};
use crate::error::{PlatformError, Result};
use crate::hub::{EFFECTOR, Hub, point_motion};
use crate::native::NativeLeg;
use crate::pace::{Done, Pace, Refusal, Stepper, Strictness, advance_evenly, smallest_undivided};
use crate::scheme::Progress;
use crate::statics::StaticPlatform;
use crate::stopwatch::{Times, timed};
use crate::threads::Crew;
use crate::whole_model::{WholeModel, starts};
use crate::world::{Flow, World, WorldMemory};
use crate::wrench::WrenchHistory;
use leg_core::spatial::{Foundation, SpatialState};
use multibody::dynamics::alpha::Coefficients;
use multibody::dynamics::grid::SLIVER;
use multibody::group::{Group, Se3};
use multibody::model::spatial_inertia;
use multibody::port::condensed::{self, Guess, Iteration};
use nalgebra::{Matrix3, Vector3, Vector6};
use std::time::{Duration, Instant};

/// Everything that changes in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformState {
    /// Time [s].
    pub time: f64,
    /// Bodies, end effector first.
    pub bodies: Vec<BodyState>,
    /// Legs.
    pub legs: Vec<SpatialState>,
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

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Size of the last correction (relative to the length; rad).
    pub correction: f64,
}

/// A running platform.
#[derive(Debug)]
pub struct Platform {
    config: PlatformConfig,
    world: World,
    spheres: Vec<Vector3<f64>>,
    legs: Vec<NativeLeg>,
    time: f64,
    bodies: Vec<BodyState>,
    tips: Vec<Flow>,
    feet: Vec<Flow>,
    /// The same at the end of the step under way.
    flows: Vec<(Flow, Flow)>,
    /// What the legs held when the account was looked at last [J].
    balances: Option<f64>,
    pace: Pace,
    /// A motor jumps here.
    jumped: bool,
    crew: Crew,
    /// Wall times of the parallel parts and of whole steps, once somebody asks for them.
    walls: Option<[Duration; 2]>,
}

/// Most Newton iterations of a step.
const MOST_ITERATIONS: usize = 15;
/// Nothing physical turns by this much in a step that can still converge.
const LARGEST_CORRECTION: f64 = 1e3;

impl Platform {
    /// The platform at rest in `equilibrium`, a fixed or floating base under it, let go without a
    /// wrench.
    pub fn at_rest(equilibrium: &StaticPlatform) -> Result<Self> {
        Self::at_rest_under(equilibrium, WrenchHistory::default())
    }

    /// The same under a wrench, which takes over at t = 0 from the one that the equilibrium holds.
    pub fn at_rest_under(equilibrium: &StaticPlatform, wrench: WrenchHistory) -> Result<Self> {
        let config = equilibrium.config().clone();
        let crew = Crew::new(config.solver.threads, config.leg_count());
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
        let mut hub = Hub {
            bodies: vec![*equilibrium.effector()],
            base: None,
            target: None,
        };
        let mut bodies = vec![BodyState::at_rest(*equilibrium.pose())];
        if foundation == Foundation::Moving {
            hub.base = Some(hub.bodies.len());
            hub.bodies.push(base_body(&config));
            bodies.push(BodyState::at_rest(Se3::identity()));
        }
        let mut out = Self {
            spheres: config.sphere_positions(),
            world: World::new(
                hub,
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
            config,
            legs,
            bodies,
            crew,
            walls: None,
        };
        out.start_accelerations(equilibrium)?;
        out.set_wrench(wrench);
        Ok(out)
    }

    /// Puts a target in front of the end effector.
    pub fn add_target(&mut self, body: Body, state: BodyState, pair: ContactPair, latch: Latch) {
        self.world
            .add_target(body, state, pair, latch, &mut self.bodies, self.time);
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
        let base = self.world.hub().base.map(|i| self.bodies[i]);
        for (i, leg) in self.legs.iter_mut().enumerate() {
            let tip = point_motion(&effector, &self.spheres[i]);
            leg.start(&tip, base.as_ref())
                .map_err(PlatformError::in_leg(i))?;
        }
        Ok(())
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
    pub fn legs(&self) -> &[NativeLeg] {
        &self.legs
    }

    /// The legs, to change their motors.
    pub fn legs_mut(&mut self) -> &mut [NativeLeg] {
        &mut self.legs
    }

    /// Breaks a leg (from 0): from now on it carries nothing and stays where it is.
    pub fn detach(&mut self, leg: usize) {
        if let Some(leg) = self.legs.get_mut(leg) {
            leg.detach();
            self.disturb();
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

    /// Work of a leg's motor since the start [J].
    pub fn motor_work(&self, leg: usize) -> f64 {
        self.legs[leg].state().ledger.work_in - self.tips[leg].energy - self.feet[leg].energy
    }

    /// Works on so many threads from now on; 0 takes one per core.
    pub fn set_threads(&mut self, threads: usize) {
        self.crew = Crew::new(threads, self.legs.len());
    }

    /// Gives the end effector another wrench history.
    pub fn set_wrench(&mut self, wrench: WrenchHistory) {
        self.world.set_wrench(wrench, self.time);
        if self.world.wrench().begins_with_jump() {
            self.disturb();
        }
    }

    /// A snapshot.
    pub fn state(&self) -> PlatformState {
        PlatformState {
            time: self.time,
            bodies: self.bodies.clone(),
            legs: self.legs.iter().map(|leg| leg.state().clone()).collect(),
            world: self.world.memory(),
            tips: self.tips.clone(),
            feet: self.feet.clone(),
            pace: self.pace,
            balances: self.balances,
            jumped: self.jumped,
        }
    }

    /// Goes back to a snapshot of this platform.
    pub fn restore(&mut self, state: &PlatformState) {
        self.time = state.time;
        self.bodies.clone_from(&state.bodies);
        self.world.restore(&state.world);
        self.tips.clone_from(&state.tips);
        self.feet.clone_from(&state.feet);
        self.pace = state.pace;
        self.balances = state.balances;
        self.jumped = state.jumped;
        for (leg, saved) in self.legs.iter_mut().zip(&state.legs) {
            leg.set_state(saved);
        }
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
        observe: impl FnMut(&Self) + Send,
    ) -> Result<Progress> {
        let crew = self.crew.clone();
        crew.enter(|| self.advance_in_steps(end, observe))
    }

    fn advance_in_steps(&mut self, end: f64, mut observe: impl FnMut(&Self)) -> Result<Progress> {
        let mut out = Progress::default();
        let step = self.config.solver.step_s;
        let slack = SLIVER * step;
        while end - self.time > slack {
            if core::mem::take(&mut self.jumped) {
                self.cross_motor_jump()?;
            }
            let [wrench, motor] = self.next_jumps(end + 2.0 * slack, slack);
            let jump = wrench.into_iter().chain(motor).reduce(f64::min);
            // A jump next to the end is at the end.
            let until = jump.filter(|jump| *jump < end - slack).unwrap_or(end);
            advance_evenly(self, until, step, &mut out, &mut observe)?;
            let here = |jump: Option<f64>| jump.is_some_and(|jump| jump <= self.time + 2.0 * slack);
            let (wrench, motor) = (here(wrench), here(motor));
            if wrench {
                self.disturb();
            }
            self.jumped |= motor;
        }
        Ok(out)
    }

    /// The motion goes on differently from now on.
    fn disturb(&mut self) {
        self.pace.disturb(self.config.solver.step_s);
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
            Err(Refusal::Event(_) | Refusal::Account(_)) => Ok(StepReport::default()),
        }
    }

    /// One step to `end` [s]: what it did, and whether the latch closed.
    fn step_to(
        &mut self,
        end: f64,
        strict: Strictness,
    ) -> core::result::Result<(StepReport, bool), Refusal> {
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
        self.legs.iter_mut().for_each(NativeLeg::measure);
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
        for leg in self.legs.iter().map(NativeLeg::times) {
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
    ) -> core::result::Result<(StepReport, bool), Refusal> {
        let h = end - self.time;
        let coefficients = Coefficients::new(self.config.solver.spectral_radius, h);
        self.world.begin(self.time, end);
        let mut steps = self.predict(&coefficients, guess, end);
        let report = self.iterate(&mut steps, &coefficients);
        let report = report.map_err(Refusal::Smaller)?;
        let trial = self.world.examine(&self.bodies, &steps, self.time, h);
        if let Some(after) = trial.event.filter(|_| strict.events) {
            return Err(Refusal::Event(after));
        }
        self.move_legs(&steps, (h, end), &trial, strict)?;
        let closed = self.accept(&steps, &coefficients, end);
        Ok((report, closed))
    }

    fn predict(&mut self, coefficients: &Coefficients, guess: Guess, end: f64) -> Vec<BodyStep> {
        let calm = guess == Guess::Velocities;
        let slack = SLIVER * self.config.solver.step_s;
        for leg in &mut self.legs {
            leg.begin(coefficients, guess, (end, slack));
        }
        let predict = |state| BodyStep::predict(state, coefficients, calm);
        self.bodies.iter().map(predict).collect()
    }

    fn iterate(
        &mut self,
        steps: &mut [BodyStep],
        coefficients: &Coefficients,
    ) -> Result<StepReport> {
        let end = self.time + coefficients.step;
        let mut size = f64::INFINITY;
        let mut progress = condensed::Progress::new(self.config.solver.newton_tolerance);
        for iteration in 1..=MOST_ITERATIONS {
            self.linearize_legs(steps, (progress.next(), iteration))?;
            self.world.linearize(steps, coefficients, end)?;
            for (leg, sphere) in self.legs.iter().zip(&self.spheres) {
                if let Some(answer) = leg.answer() {
                    self.world.add_leg(steps, coefficients, sphere, &answer);
                }
            }
            let psi = self.world.solve(end)?;
            size = self.correct(steps, coefficients, &psi);
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
            step_s: coefficients.step,
            iterations: MOST_ITERATIONS,
            correction: size,
        })
    }

    fn linearize_legs(&mut self, steps: &[BodyStep], iteration: (Iteration, usize)) -> Result<()> {
        let Self {
            legs,
            spheres,
            world,
            crew,
            walls,
            ..
        } = self;
        let effector = &steps[EFFECTOR].trial;
        let base = world.hub().base.map(|i| &steps[i].trial);
        timed(walls.as_mut().map(|walls| &mut walls[0]), || {
            crew.for_each(legs, |i, leg| {
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
        coefficients: &Coefficients,
        psi: &[Vector6<f64>],
    ) -> f64 {
        let length = self.config.leaf.length_m;
        let tolerance = length * self.config.solver.newton_tolerance;
        let sharpness = self.world.sharpness(tolerance);
        let rotation = steps[EFFECTOR].trial.pose.rotation();
        let base = self.world.hub().base.map(|i| &psi[i]);
        let mut size: f64 = 0.0;
        for (leg, sphere) in self.legs.iter_mut().zip(&self.spheres) {
            let tip = rotation * (crate::body::point_map(sphere) * psi[EFFECTOR]);
            size = size.max(leg.correct(&tip, base));
        }
        for ((step, state), psi) in steps.iter_mut().zip(&self.bodies).zip(psi) {
            let linear = psi.fixed_rows::<3>(0).amax() / length;
            let turn = psi.fixed_rows::<3>(3).amax();
            size = size.max(sharpness * linear).max(sharpness * turn);
            step.correct(state, coefficients, psi);
        }
        size
    }

    fn accept(&mut self, steps: &[BodyStep], coefficients: &Coefficients, end: f64) -> bool {
        self.time = end;
        self.world
            .accept(&mut self.bodies, steps, coefficients, end)
    }
}

impl Stepper for Platform {
    fn time(&self) -> f64 {
        self.time
    }

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn contact_limit(&mut self) -> (f64, f64) {
        self.world.largest_step(&self.bodies)
    }

    fn closing(&self) -> Option<f64> {
        self.world.closing()
    }

    fn smallest(&self, largest: f64) -> f64 {
        smallest_undivided(largest)
    }

    fn attempt(&mut self, end: f64, strict: Strictness) -> core::result::Result<Done, Refusal> {
        let (report, closed) = self.step_to(end, strict)?;
        Ok(Done {
            iterations: report.iterations,
            linearizations: report.iterations,
            closed,
            changed: self.world.changed(),
        })
    }
}

/// The base as a body whose frame is the world's at the start.
pub(crate) fn base_body(config: &PlatformConfig) -> Body {
    let base = &config.base;
    let tensor = Matrix3::from_diagonal(&base.inertia_kg_m2.into());
    Body {
        inertia: spatial_inertia(base.mass_kg, base.centre_of_mass_m, tensor),
        gravity: config.gravity_m_s2.into(),
    }
}
