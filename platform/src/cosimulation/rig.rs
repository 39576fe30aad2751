//! What both schemes of co-simulation share: end effector, units in their seats, accounts.

use super::balance::wrench_on;
use super::course::{Course, Method};
use super::seat::{Request, Seat};
use crate::body::{Body, BodyState, free_acceleration, gravity_energy, kinetic_energy};
use crate::config::PlatformConfig;
use crate::error::{PlatformError, Result};
use crate::native_unit::UnitStart;
use crate::scheme::EnergyReport;
use crate::statics::StaticPlatform;
use crate::threads::Crew;
use crate::unit::{LegSample, LegUnit, UnitError};
use crate::wrench::{AppliedWrench, work};
use leg_core::group::Group;
use nalgebra::{Vector3, Vector6};

/// Times closer than this fraction of a step are the same [-].
pub const SAME_TIME: f64 = 1e-6;

/// Work at the joints and from outside [J], powers now [W].
#[derive(Debug, Clone, Default)]
struct Account {
    wrench_work: f64,
    /// The wrench as the last step felt it.
    wrench_load: Vector6<f64>,
    /// Of the end effector on each leg.
    given: Vec<f64>,
    giving: Vec<f64>,
    /// Of each motor.
    motor: Vec<f64>,
    motor_power: Vec<f64>,
    initial_bodies: f64,
    initial_legs: f64,
}

/// End effector and units.
#[derive(Debug)]
pub struct Rig {
    pub config: PlatformConfig,
    pub body: Body,
    pub state: BodyState,
    pub time: f64,
    pub seats: Vec<Seat>,
    pub crew: Crew,
    pub wrench: AppliedWrench,
    /// Largest distance between a leg's tip and its joint now [m].
    pub gap: f64,
    /// Forces of the legs on the end effector now, world axes [N].
    pub forces: Vec<Vector3<f64>>,
    account: Account,
}

impl Rig {
    /// Units at rest in `equilibrium`, from which they were started.
    pub fn new(
        equilibrium: &StaticPlatform,
        starts: &[UnitStart],
        units: Vec<Box<dyn LegUnit>>,
    ) -> Result<Self> {
        let config = equilibrium.config().clone();
        let spheres = config.sphere_positions();
        if units.len() != spheres.len() || starts.len() != spheres.len() {
            return Err(PlatformError::WrongUnits {
                found: units.len().min(starts.len()),
                wanted: spheres.len(),
            });
        }
        let seats: Vec<Seat> = units
            .into_iter()
            .zip(starts)
            .zip(&spheres)
            .map(|((unit, start), sphere)| Seat::new(unit, start, *sphere))
            .collect();
        let count = seats.len();
        let mut out = Self {
            body: *equilibrium.effector(),
            state: BodyState::at_rest(*equilibrium.pose()),
            time: 0.0,
            crew: Crew::new(config.solver.threads),
            wrench: AppliedWrench::default(),
            gap: 0.0,
            forces: vec![Vector3::zeros(); count],
            account: Account {
                given: vec![0.0; count],
                giving: vec![0.0; count],
                motor: vec![0.0; count],
                motor_power: vec![0.0; count],
                ..Account::default()
            },
            seats,
            config,
        };
        out.gap = out.measure_gap();
        out.account.initial_bodies = out.body_energy();
        let samples = out.samples()?;
        out.account.initial_legs = samples.iter().map(|leg| leg.energy.stored()).sum();
        out.account.motor_power = motor_powers(&out.seats, &samples);
        out.forces = samples.iter().map(|leg| leg.tip_force).collect();
        Ok(out)
    }

    /// Lets all units follow the end effector; the first that fails is named.
    pub fn follow(
        &mut self,
        course: &Course,
        stages: core::ops::Range<usize>,
        request: &Request,
    ) -> core::result::Result<(), (usize, UnitError)> {
        let Self { seats, crew, .. } = self;
        crew.for_each(seats, |_, seat| {
            seat.follow(&course.stages[stages.clone()], request);
        });
        let failures = seats.iter_mut().enumerate();
        let mut failures = failures.filter_map(|(i, seat)| Some((i, seat.failure.take()?)));
        // A failure for good is told before a step that was discarded.
        let mut first = None;
        for (i, failure) in failures.by_ref() {
            if !failure.is_discard() {
                return Err((i, failure));
            }
            first = first.or(Some((i, failure)));
        }
        first.map_or(Ok(()), Err)
    }

    /// Looks at all units; of a broken leg nothing is left.
    pub fn samples(&mut self) -> Result<Vec<LegSample>> {
        let sample = |(i, seat): (usize, &mut Seat)| {
            let sample = seat.unit.sample().map_err(PlatformError::in_unit(i))?;
            Ok(if seat.attached {
                sample
            } else {
                LegSample {
                    tip_force: Vector3::zeros(),
                    ..sample
                }
            })
        };
        self.seats.iter_mut().enumerate().map(sample).collect()
    }

    /// Points along every leaf, world axes [m].
    pub fn shapes(&mut self) -> Result<Vec<Vec<Vector3<f64>>>> {
        let shape =
            |(i, seat): (usize, &mut Seat)| seat.unit.shape().map_err(PlatformError::in_unit(i));
        self.seats.iter_mut().enumerate().map(shape).collect()
    }

    fn body_energy(&self) -> f64 {
        kinetic_energy(&self.body, &self.state) + gravity_energy(&self.body, &self.state.pose)
    }

    /// Largest distance between a leg's tip and its joint [m].
    fn measure_gap(&self) -> f64 {
        let attached = self.seats.iter().filter(|seat| seat.attached);
        let gap = |seat: &Seat| (self.state.point(&seat.sphere) - seat.tip()).norm();
        attached.map(gap).fold(0.0, f64::max)
    }

    /// First jump of a history behind `start` and not behind `end` [s].
    pub fn next_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        let end = end + 2.0 * slack;
        let motors = self.seats.iter();
        let motors = motors.filter_map(|seat| seat.next_jump(start, end, slack));
        let jumps = self.wrench.next_jump(start, end, slack).into_iter();
        jumps.chain(motors).reduce(f64::min)
    }

    /// The wrench from outside for a step: at its stages, on a cubic at its start first.
    pub fn outside(&self, method: &Method, start: f64, length: f64) -> Vec<Vector6<f64>> {
        let end = start + length;
        match method {
            Method::Alpha(_) => vec![self.wrench.at_end(start, end)],
            Method::Cubic | Method::StartingCubic => {
                let times = [start, start + 0.5 * length, end];
                let weights = method.weights().velocity;
                self.wrench.at_points(start, end, &times, &weights)
            }
        }
    }

    /// v̇ of the end effector at the start of a step, right behind any jump of the wrench.
    pub fn first_acceleration(&self, outside: &Vector6<f64>) -> Result<Vector6<f64>> {
        let wrench = wrench_on(&self.state, &self.seats, outside, |i, _| self.forces[i]);
        let found = free_acceleration(&self.body, &self.state, &wrench);
        found.ok_or(PlatformError::Singular { time_s: self.time })
    }

    /// Goes on with the end of a macro step under `load`, in which the legs gave
    /// `forces(leg, stage)` to the end effector; `now(leg)` is what they give at its end.
    pub fn accept(
        &mut self,
        course: &Course,
        load: &[Vector6<f64>],
        forces: impl Fn(usize, usize) -> Vector3<f64>,
        now: impl Fn(usize) -> Vector3<f64>,
    ) -> Result<()> {
        let (h, end) = (course.length, course.end());
        let account = &mut self.account;
        account.wrench_work += match course.method {
            Method::Alpha(_) => work(&account.wrench_load, &load[0], &self.state, end, h),
            Method::Cubic | Method::StartingCubic => {
                let [first, middle, last] = [0, 1, 2].map(|i| match i {
                    0 => power(&self.state, &load[0]),
                    i => power(&course.stages[i - 1].state, &load[i]),
                });
                // Simpson's rule.
                h * (first + 4.0 * middle + last) / 6.0
            }
        };
        account.wrench_load = load[load.len() - 1];
        for (i, seat) in self.seats.iter().enumerate() {
            if !seat.attached {
                continue;
            }
            let power = |stage: usize| {
                let velocity = course.stages[stage].state.point_velocity(&seat.sphere);
                -forces(i, stage).dot(&velocity)
            };
            let first = account.giving[i];
            account.given[i] += match course.method {
                Method::Alpha(_) => 0.5 * h * (first + power(0)),
                Method::Cubic => h * (first + 4.0 * power(0) + power(1)) / 6.0,
                Method::StartingCubic => h * power(0),
            };
            self.forces[i] = now(i);
            account.giving[i] = -self.forces[i].dot(&end.point_velocity(&seat.sphere));
        }
        self.state = BodyState {
            pose: end.pose.renormalized(),
            ..*end
        };
        self.time = course.start + h;
        self.gap = self.measure_gap();
        self.account_for_motors(h)
    }

    /// Work of motors that can do any, by the trapezoidal rule.
    fn account_for_motors(&mut self, h: f64) -> Result<()> {
        if self.seats.iter().all(|seat| !seat.powered) {
            return Ok(());
        }
        let samples = self.samples()?;
        let powers = motor_powers(&self.seats, &samples);
        let Account {
            motor, motor_power, ..
        } = &mut self.account;
        for ((work, before), now) in motor.iter_mut().zip(motor_power.iter()).zip(&powers) {
            *work += 0.5 * h * (before + now);
        }
        *motor_power = powers;
        Ok(())
    }

    /// Breaks a leg (from 0): from now on it carries nothing and stays where it is.
    pub fn detach(&mut self, leg: usize) {
        if let Some(seat) = self.seats.get_mut(leg) {
            seat.attached = false;
            self.account.giving[leg] = 0.0;
            self.forces[leg] = Vector3::zeros();
        }
    }

    /// Where the energy is.
    pub fn energy(&mut self) -> Result<EnergyReport> {
        let samples = self.samples()?;
        let account = &self.account;
        let sum = |part: fn(&LegSample) -> f64| samples.iter().map(part).sum::<f64>();
        let motor_work = account.motor.iter().sum();
        Ok(EnergyReport {
            bodies: self.body_energy(),
            legs: sum(|leg| leg.energy.stored()),
            initial: account.initial_bodies + account.initial_legs,
            wrench_work: account.wrench_work,
            motor_work,
            dissipated: sum(|leg| leg.energy.dissipated),
            given_to_legs: account.given.iter().sum(),
            taken_by_legs: sum(|leg| leg.energy.work_in) - motor_work,
        })
    }
}

fn motor_powers(seats: &[Seat], samples: &[LegSample]) -> Vec<f64> {
    let power = |(seat, leg): (&Seat, &LegSample)| {
        if seat.powered {
            leg.motor_torque * leg.motor_rate
        } else {
            0.0
        }
    };
    seats.iter().zip(samples).map(power).collect()
}

/// Power of a wrench in world axes on a body [W].
fn power(state: &BodyState, wrench: &Vector6<f64>) -> f64 {
    let rotation = state.pose.rotation();
    let (force, moment) = crate::wrench::split(wrench);
    force.dot(&(rotation * state.velocity.fixed_rows::<3>(0)))
        + moment.dot(&(rotation * state.velocity.fixed_rows::<3>(3)))
}
