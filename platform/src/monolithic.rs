//! The whole platform as one index-3 system, each leg condensed to its ends.
//!
//! One step of the generalised-α method for bodies and legs together: in every Newton iteration
//! the legs are linearised side by side, the bodies solve for their twists ([`crate::hub`]), and
//! the legs complete their corrections. Sums over legs are taken in the order of the legs, so the
//! result does not depend on the number of threads.

use crate::body::{Body, BodyState, BodyStep};
use crate::config::PlatformConfig;
use crate::error::{PlatformError, Result};
use crate::hub::{EFFECTOR, Hub, HubSystem, point_motion};
use crate::native::{NativeLeg, Start};
use crate::statics::StaticPlatform;
use crate::threads::Crew;
use crate::wrench::{AppliedWrench, split, work};
use leg_core::dynamics::alpha::Coefficients;
use leg_core::group::{Group, Se3};
use leg_core::leg::spatial::{Foundation, SpatialState};
use leg_core::model::spatial_inertia;
use leg_core::port::condensed::Guess;
use nalgebra::{Matrix3, Vector3, Vector6};

pub use crate::wrench::WrenchHistory;

/// Everything that changes in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformState {
    /// Time [s].
    pub time: f64,
    /// Bodies, end effector first.
    pub bodies: Vec<BodyState>,
    /// Legs.
    pub legs: Vec<SpatialState>,
    /// Account of what crosses the boundary.
    pub account: Account,
}

/// Work done on the platform from outside and between its parts [J].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Account {
    /// Work of the wrench on the end effector.
    pub wrench_work: f64,
    /// That wrench as the last step felt it.
    pub wrench_load: Vector6<f64>,
    /// Power of that wrench now [W].
    pub wrench_power: f64,
    /// Work of the end effector on each leg's tip.
    pub tip_work: Vec<f64>,
    /// Power of the end effector on each leg's tip now [W].
    pub tip_power: Vec<f64>,
    /// Energy of the bodies at the start.
    pub initial_bodies: f64,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Size of the last correction (relative to the length; rad).
    pub correction: f64,
}

/// What an advance did, summed over its steps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Advance {
    /// Accepted steps.
    pub steps: usize,
    /// Steps refused and repeated smaller.
    pub rejected: usize,
    /// Newton iterations of accepted steps.
    pub iterations: usize,
}

/// A running platform.
#[derive(Debug)]
pub struct Platform {
    config: PlatformConfig,
    hub: Hub,
    spheres: Vec<Vector3<f64>>,
    legs: Vec<NativeLeg>,
    time: f64,
    bodies: Vec<BodyState>,
    account: Account,
    wrench: AppliedWrench,
    system: HubSystem,
    crew: Crew,
}

/// Most Newton iterations of a step.
const MOST_ITERATIONS: usize = 15;
/// Nothing physical turns by this much in a step that can still converge.
const LARGEST_CORRECTION: f64 = 1e3;
/// A step that fails is halved at most so often.
const HALVINGS: i32 = 12;

impl Platform {
    /// The platform at rest in `equilibrium`, a fixed or floating base under it.
    pub fn at_rest(equilibrium: &StaticPlatform) -> Result<Self> {
        let config = equilibrium.config().clone();
        let crew = Crew::new(config.solver.threads);
        let foundation = if config.base.free_floating {
            Foundation::Moving
        } else {
            Foundation::Ground
        };
        let torques = equilibrium.holding_torques();
        let starts: Vec<Start<'_>> = equilibrium
            .legs()
            .enumerate()
            .map(|(i, (leg, state, rest_length))| Start {
                leg,
                state,
                rest_length,
                motor: equilibrium.motors()[i],
                holding_torque: torques[i],
            })
            .collect();
        let legs = starts
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
        let count = legs.len();
        let mut out = Self {
            spheres: config.sphere_positions(),
            system: HubSystem::new(hub.bodies.len()),
            account: Account {
                tip_work: vec![0.0; count],
                tip_power: vec![0.0; count],
                ..Account::default()
            },
            time: 0.0,
            wrench: AppliedWrench::default(),
            config,
            hub,
            legs,
            bodies,
            crew,
        };
        out.account.initial_bodies = out.body_energy();
        Ok(out)
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

    /// The bodies and what they are.
    pub fn hub(&self) -> &Hub {
        &self.hub
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

    /// Centres of the spherical joints in the end effector's frame [m].
    pub fn spheres(&self) -> &[Vector3<f64>] {
        &self.spheres
    }

    /// What is accounted for so far.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Gives the end effector another wrench history.
    pub fn set_wrench(&mut self, wrench: WrenchHistory) {
        self.wrench.replace(wrench, self.time);
        let power = self.wrench_power();
        self.account.wrench_power = power;
    }

    /// A snapshot.
    pub fn state(&self) -> PlatformState {
        PlatformState {
            time: self.time,
            bodies: self.bodies.clone(),
            legs: self.legs.iter().map(|leg| leg.state().clone()).collect(),
            account: self.account.clone(),
        }
    }

    /// Goes back to a snapshot of this platform.
    pub fn restore(&mut self, state: &PlatformState) {
        self.time = state.time;
        self.bodies.clone_from(&state.bodies);
        self.account.clone_from(&state.account);
        for (leg, saved) in self.legs.iter_mut().zip(&state.legs) {
            leg.set_state(saved);
        }
    }

    /// Kinetic energy and potential of the bodies [J].
    pub fn body_energy(&self) -> f64 {
        let energy = |(body, state): (&Body, &BodyState)| {
            crate::body::kinetic_energy(body, state)
                + crate::body::gravity_energy(body, &state.pose)
        };
        self.hub.bodies.iter().zip(&self.bodies).map(energy).sum()
    }

    /// Advances to `end` [s] in equal steps of at most the configured size; a step that fails is
    /// repeated smaller. On an error the platform is that of the last accepted step.
    pub fn advance_to(&mut self, end: f64) -> Result<Advance> {
        let crew = self.crew.clone();
        crew.enter(|| self.advance_in_steps(end))
    }

    fn advance_in_steps(&mut self, end: f64) -> Result<Advance> {
        let mut out = Advance::default();
        let span = end - self.time;
        if span <= 0.0 {
            return Ok(out);
        }
        let largest = self.config.solver.step_s;
        let count = (span / largest * (1.0 - 1e-9)).ceil().max(1.0);
        let nominal = span / count;
        let smallest = nominal * 0.5_f64.powi(HALVINGS);
        let mut h = nominal;
        while end - self.time > 1e-9 * nominal {
            let left = end - self.time;
            let this = if left <= h * (1.0 + 1e-9) { left } else { h };
            match self.step(this) {
                Ok(report) => {
                    out.steps += 1;
                    out.iterations += report.iterations;
                    if left <= this * (1.0 + 1e-9) {
                        self.time = end;
                    }
                    h = (2.0 * h).min(nominal);
                }
                Err(cause) => {
                    out.rejected += 1;
                    h = 0.5 * this;
                    if h < smallest {
                        return Err(PlatformError::Stalled {
                            time_s: self.time,
                            smallest_s: smallest,
                            cause: Box::new(cause),
                        });
                    }
                }
            }
        }
        Ok(out)
    }

    /// One step of size `h` [s]. On an error the platform is as it was.
    pub fn step(&mut self, h: f64) -> Result<StepReport> {
        self.try_step(h, Guess::Accelerations)
            .or_else(|_| self.try_step(h, Guess::Velocities))
    }

    fn try_step(&mut self, h: f64, guess: Guess) -> Result<StepReport> {
        let coefficients = Coefficients::new(self.config.solver.spectral_radius, h);
        let mut steps = self.predict(&coefficients, guess);
        let report = self.iterate(&mut steps, &coefficients)?;
        self.accept(&steps, h);
        Ok(report)
    }

    fn predict(&mut self, coefficients: &Coefficients, guess: Guess) -> Vec<BodyStep> {
        let calm = guess == Guess::Velocities;
        for leg in &mut self.legs {
            leg.begin(coefficients, guess);
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
        let (force, moment) = split(&self.wrench.at_end(self.time, end));
        let mut size = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            self.linearize_legs(steps, iteration)?;
            let Self {
                system,
                hub,
                legs,
                spheres,
                ..
            } = self;
            system.start(hub, steps, coefficients);
            system.add_dead_wrench(&steps[EFFECTOR], &force, &moment);
            for (leg, sphere) in legs.iter().zip(spheres.iter()) {
                if let Some(answer) = leg.answer() {
                    system.add_leg(hub, steps, coefficients, sphere, &answer);
                }
            }
            let psi = system
                .solve()
                .ok_or(PlatformError::Singular { time_s: end })?;
            size = self.correct(steps, coefficients, &psi);
            if size <= self.config.solver.newton_tolerance {
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

    fn linearize_legs(&mut self, steps: &[BodyStep], iteration: usize) -> Result<()> {
        let Self {
            legs,
            spheres,
            hub,
            crew,
            ..
        } = self;
        let effector = &steps[EFFECTOR].trial;
        let base = hub.base.map(|i| &steps[i].trial);
        crew.for_each(legs, |i, leg| {
            leg.linearize(&point_motion(effector, &spheres[i]), base, iteration);
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
        let rotation = steps[EFFECTOR].trial.pose.rotation();
        let base = self.hub.base.map(|i| &psi[i]);
        let mut size: f64 = 0.0;
        for (leg, sphere) in self.legs.iter_mut().zip(&self.spheres) {
            let tip = rotation * (crate::body::point_map(sphere) * psi[EFFECTOR]);
            size = size.max(leg.correct(&tip, base));
        }
        for ((step, state), psi) in steps.iter_mut().zip(&self.bodies).zip(psi) {
            let linear = psi.fixed_rows::<3>(0).amax() / length;
            size = size.max(linear).max(psi.fixed_rows::<3>(3).amax());
            step.correct(state, coefficients, psi);
        }
        size
    }

    fn accept(&mut self, steps: &[BodyStep], h: f64) {
        let Self {
            legs,
            spheres,
            hub,
            crew,
            ..
        } = self;
        let effector = &steps[EFFECTOR].trial;
        let base = hub.base.map(|i| &steps[i].trial);
        crew.for_each(legs, |i, leg| {
            leg.accept(&point_motion(effector, &spheres[i]), base);
        });
        let (load, from) = (
            self.wrench.at_end(self.time, self.time + h),
            &self.bodies[EFFECTOR],
        );
        self.account.wrench_work += work(&self.account.wrench_load, &load, from, effector, h);
        self.account.wrench_load = load;
        for (state, step) in self.bodies.iter_mut().zip(steps) {
            *state = step.accepted();
        }
        self.time += h;
        self.close_account(h);
    }

    /// Carries the work at the joints over a step of `h` [s] by the trapezoidal rule.
    fn close_account(&mut self, h: f64) {
        let power = self.wrench_power();
        self.account.wrench_power = power;
        let effector = self.bodies[EFFECTOR];
        for (i, leg) in self.legs.iter().enumerate() {
            let velocity = effector.point_velocity(&self.spheres[i]);
            let power = -leg.tip_force().dot(&velocity);
            self.account.tip_work[i] += 0.5 * h * (self.account.tip_power[i] + power);
            self.account.tip_power[i] = power;
        }
    }

    fn wrench_power(&self) -> f64 {
        let (force, moment) = self.wrench.sample(self.time);
        let effector = self.effector();
        let rotation = effector.pose.rotation();
        let velocity = rotation * effector.velocity.fixed_rows::<3>(0);
        let spin = rotation * effector.velocity.fixed_rows::<3>(3);
        force.dot(&velocity) + moment.dot(&spin)
    }
}

/// The base as a body whose frame is the world's at the start.
fn base_body(config: &PlatformConfig) -> Body {
    let base = &config.base;
    let tensor = Matrix3::from_diagonal(&base.inertia_kg_m2.into());
    Body {
        inertia: spatial_inertia(base.mass_kg, base.centre_of_mass_m, tensor),
        gravity: config.gravity_m_s2.into(),
    }
}
