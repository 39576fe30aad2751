//! A docking as something that a host steps, saves and restores.

use super::margins::margins;
use super::variables::{Group, outcome_number};
use crate::clock::{Clock, check_count};
use crate::platform::{NO_WINCH, PER_LEG};
use leg_core::config::{History, MotorMode};
use multibody::model::Signal;
use nalgebra::{DVector, Vector3};
use serde::{Deserialize, Serialize};
use softdock_docking::interface::{InterfaceLoad, contact_moment};
use softdock_docking::{DockingMemory, DockingRun, Law, Scenario};
use softdock_fmi::model::{Failure, Input, StepsTaken, Unit};
use softdock_fmi::numbers;
use softdock_platform::attitude::Attitude;
use softdock_platform::audit::energy_account;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::config::WrenchConfig;
use softdock_platform::contact::{BodyMotion, LatchState};
use softdock_platform::native::torque_history;
use softdock_platform::results::SLACK_TENSION;
use softdock_platform::sample::BodySample;
use softdock_platform::vehicle::Vehicle;
use softdock_platform::wrench::WrenchHistory;
use std::sync::{Arc, Mutex, PoisonError};

/// Shorter communication steps than this part of the solver's step are made with the next one: what
/// velocities are off by in the joints would become accelerations in them (1 % of the legs' forces for
/// steps of 1 us among those of 1 ms).
const SHORTEST: f64 = 1e-2;

/// What does not change: the docking at its start.
struct Origin {
    // A run may be sent to another thread, not shared with one.
    start: Mutex<DockingRun>,
}

impl Origin {
    fn run(&self) -> Result<DockingRun, Failure> {
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = start.copy();
        copy.ok_or_else(|| "regulator.law: the state of this controller cannot be saved".into())
    }
}

/// What changes in a unit.
#[derive(Clone, Serialize, Deserialize)]
struct Memory {
    run: DockingMemory,
    /// Inputs as set, and as they act.
    inputs: [Vec<f64>; 2],
    clock: Clock,
}

/// A docking that a host steps, saves and restores.
pub struct DockingUnit {
    origin: Arc<Origin>,
    /// None once a state could not be restored: then nothing goes on.
    run: Option<Box<DockingRun>>,
    inputs: Vec<f64>,
    acting: Vec<f64>,
    clock: Clock,
}

/// A saved state.
#[derive(Clone)]
pub struct SavedDocking {
    origin: Arc<Origin>,
    memory: Option<Memory>,
}

/// Vehicles in the order of their inputs.
const VEHICLES: [Vehicle; 2] = [Vehicle::Base, Vehicle::Target];

/// Wrenches among the inputs: on the end effector, on the base, on the target.
const WRENCHES: usize = 1 + VEHICLES.len();

/// A wrench of these inputs.
fn wrench_of(inputs: &[f64], legs: usize, number: usize) -> [f64; 6] {
    core::array::from_fn(|i| inputs[PER_LEG * legs + 6 * number + i])
}

/// The scenario with what acts from the start.
fn under(scenario: &Scenario, wrench: [f64; 6]) -> Scenario {
    let mut out = scenario.clone();
    let [fx, fy, fz, mx, my, mz] = wrench.map(History::Constant);
    out.platform.wrench = WrenchConfig {
        force_x_n: fx,
        force_y_n: fy,
        force_z_n: fz,
        moment_x_nm: mx,
        moment_y_nm: my,
        moment_z_nm: mz,
    };
    out
}

fn lost() -> Failure {
    "the saved state could not be restored".into()
}

impl DockingUnit {
    /// The docking at its start. `starts` are the inputs that follow from the settings, `inputs` those
    /// that are set.
    #[inline(never)]
    pub fn new(scenario: &Scenario, starts: &[f64], inputs: &[f64]) -> Result<Self, Failure> {
        let legs = scenario.platform.leg_count();
        let scenario = under(scenario, wrench_of(inputs, legs, 0));
        let start = DockingRun::new(&scenario, false)?;
        let origin = Origin {
            start: Mutex::new(start),
        };
        let mut acting = inputs.to_vec();
        let commands = PER_LEG * legs;
        acting[..commands].copy_from_slice(&starts[..commands]);
        // Set in the first step, from none.
        acting[commands + 6..].fill(0.0);
        Ok(Self {
            run: Some(Box::new(origin.run()?)),
            origin: Arc::new(origin),
            inputs: inputs.to_vec(),
            acting,
            clock: Clock::default(),
        })
    }

    fn run(&self) -> Result<&DockingRun, Failure> {
        self.run.as_deref().ok_or_else(lost)
    }

    /// Lets inputs act that were set since the last step.
    fn apply_inputs(&mut self) -> Result<(), Failure> {
        let run = self.run.as_deref_mut().ok_or_else(lost)?;
        let legs = run.scenario().platform.leg_count();
        let law = run.scenario().docking.regulator.law;
        let (old, new) = (&self.acting, &self.inputs);
        let motors = 0..PER_LEG * legs;
        if old[motors.clone()] != new[motors] {
            match law {
                Law::None => tell_motors(run, old, new)?,
                Law::External => run.set_torques(&commanded(old, new, legs))?,
                _ => {
                    return Err(
                        "motor.torque_command, motor.angle_command and tendon.force_command: a regulator inside \
                                the FMU sets the torques; leave them, or export with \
                                regulator.law = \"external\""
                            .into(),
                    );
                }
            }
        }
        let constant = |wrench: [f64; 6]| WrenchHistory(wrench.map(Signal::Constant));
        let (before, wrench) = (wrench_of(old, legs, 0), wrench_of(new, legs, 0));
        if before != wrench {
            run.set_wrench(constant(wrench));
        }
        for (number, vehicle) in VEHICLES.into_iter().enumerate() {
            let at = |inputs: &[f64]| wrench_of(inputs, legs, number + 1);
            if at(old) != at(new) {
                let found = run
                    .platform_mut()
                    .set_vehicle_wrench(vehicle, constant(at(new)));
                if !found {
                    return Err("base.force and base.moment: the base is fixed \
                                (base.free_floating is false), no wrench moves it"
                        .into());
                }
            }
        }
        self.acting.copy_from_slice(&self.inputs);
        Ok(())
    }

    fn memory(&self) -> Option<Memory> {
        Some(Memory {
            run: self.run.as_ref()?.memory()?,
            inputs: [self.inputs.clone(), self.acting.clone()],
            clock: self.clock,
        })
    }

    /// Goes on from a memory; false if it is that of another docking.
    fn recall(&mut self, memory: &Memory) -> Result<bool, Failure> {
        let [inputs, acting] = &memory.inputs;
        let run = self.run.as_deref_mut().ok_or_else(lost)?;
        let fits = inputs.len() == self.inputs.len() && acting.len() == self.acting.len();
        if !fits || !run.recall(&memory.run)? {
            return Ok(false);
        }
        self.inputs.copy_from_slice(inputs);
        self.acting.copy_from_slice(acting);
        self.clock = memory.clock;
        Ok(true)
    }

    /// The same; what cannot be restored cannot go on.
    fn recall_or_lose(&mut self, memory: Option<&Memory>) {
        let recalled = memory.is_some_and(|memory| matches!(self.recall(memory), Ok(true)));
        if !recalled {
            self.run = None;
        }
    }

    #[inline(never)]
    fn evaluate_motion(&self, out: &mut [f64]) -> Result<(), Failure> {
        let platform = self.run()?.platform();
        let mut out = out.iter_mut();
        let mut put = |values: &[f64]| {
            for (value, place) in values.iter().zip(out.by_ref()) {
                *place = *value;
            }
        };
        let list = platform.world().bodies();
        let bodies = [Some(EFFECTOR), list.base, list.target];
        for index in bodies {
            let state = index.map(|i| &platform.bodies()[i]);
            let body = state.map(BodySample::new);
            let attitude = state.map(|state| match index == list.target {
                true => Attitude::of_target(&state.pose),
                false => Attitude::of_body(&state.pose),
            });
            put(&body.map_or([0.0; 3], |body| body.position));
            put(&attitude.map_or([0.0; 3], Attitude::list));
            put(&body.map_or([0.0; 3], |body| body.velocity));
            put(&body.map_or([0.0; 3], |body| body.spin));
        }
        let views: Vec<_> = (0..platform.leg_count())
            .map(|leg| platform.leg(leg))
            .collect();
        views.iter().for_each(|leg| put(&[leg.motor_angle]));
        views.iter().for_each(|leg| put(&[leg.motor_rate]));
        views.iter().for_each(|leg| put(&[leg.motor_torque]));
        views.iter().for_each(|leg| put(&[leg.tendon_length]));
        views.iter().for_each(|leg| put(&[leg.tendon_tension]));
        views.iter().for_each(|leg| put(leg.tip_force.as_slice()));
        Ok(())
    }

    #[inline(never)]
    fn evaluate_contact(&self, out: &mut [f64]) -> Result<(), Failure> {
        let platform = self.run()?.platform();
        let world = platform.world();
        let (Some(encounter), Some(target)) = (world.encounter(), world.bodies().target) else {
            return Err("there is no target".into());
        };
        let bodies = platform.bodies();
        let motion = |i: usize| BodyMotion {
            pose: bodies[i].pose,
            twist: bodies[i].velocity,
        };
        let alignment = encounter
            .pair()
            .alignment(&motion(EFFECTOR), &motion(target));
        let points = encounter.output().points.iter();
        let force: Vector3<f64> = points.map(|point| point.force).sum();
        let load = InterfaceLoad::of(encounter);
        let vectors = [
            force,
            contact_moment(encounter, &bodies[EFFECTOR].pose),
            load.force,
            load.moment,
        ];
        let (vectors_out, rest) = out.split_at_mut(12);
        for (place, value) in vectors_out.iter_mut().zip(vectors.iter().flatten()) {
            *place = *value;
        }
        let latch = match encounter.latch().state() {
            LatchState::Open => 0.0,
            LatchState::Dwelling { .. } => 1.0,
            LatchState::Captured { .. } => 2.0,
        };
        rest.copy_from_slice(&[
            alignment.gap,
            alignment.angle,
            alignment.speed,
            f64::from(u8::from(encounter.touching())),
            latch,
            f64::from(u8::from(latch == 2.0)),
        ]);
        Ok(())
    }

    #[inline(never)]
    fn evaluate_outcome(&self, out: &mut [f64]) -> Result<(), Failure> {
        let run = self.run()?;
        let track = run.track();
        let encounter = run.platform().world().encounter();
        let closed = encounter.and_then(|encounter| encounter.latch().capture_time());
        out.copy_from_slice(&[
            outcome_number(run.outcome()),
            f64::from(u8::from(!run.soundness().is_suspect())),
            track.peak_force.0,
            track.penetration,
            track.contact_time,
            track.first_touch.unwrap_or(-1.0),
            track.peak_latch_force.0,
            closed.unwrap_or(-1.0),
        ]);
        Ok(())
    }

    #[inline(never)]
    fn evaluate_energy(&mut self, out: &mut [f64]) -> Result<(), Failure> {
        let run = self.run.as_deref_mut().ok_or_else(lost)?;
        let account = energy_account(run.platform_mut())?;
        out.copy_from_slice(&[
            account.bodies_kinetic + account.legs_kinetic,
            account.strain,
            account.tendons,
            account.gravity,
            run.platform().world().contact_potential(),
            account.wrench_work,
            account.motor_work,
            account.dissipated,
            account.residual,
        ]);
        Ok(())
    }

    #[inline(never)]
    fn evaluate_margin(&self, out: &mut [f64]) -> Result<(), Failure> {
        let run = self.run()?;
        let shares = margins(run);
        let track = run.track();
        let tensions = track.legs.iter().map(|leg| leg.tension_range[0]);
        let (first, last) = out.split_at_mut(shares.len());
        first.copy_from_slice(&shares);
        last.copy_from_slice(&[
            tensions.fold(f64::INFINITY, f64::min) - SLACK_TENSION,
            track.joint_gap,
        ]);
        Ok(())
    }
}

/// Torques of a controller outside, and pulls of winches if it ever says any.
fn commanded(old: &[f64], new: &[f64], legs: usize) -> DVector<f64> {
    let pulls = 2 * legs..PER_LEG * legs;
    let silent = [old, new]
        .iter()
        .all(|list| list[pulls.clone()].iter().all(|pull| *pull == 0.0));
    let pulls = if silent { 0..0 } else { pulls };
    let commands = new[..legs].iter().chain(&new[pulls]).copied();
    DVector::from_vec(commands.collect())
}

/// Gives motors and winches that no regulator sets their commands, where these changed.
fn tell_motors(run: &mut DockingRun, old: &[f64], new: &[f64]) -> Result<(), Failure> {
    let held = run.holding_torques().to_vec();
    let configs = run.scenario().platform.leg_configs()?;
    let legs = held.len();
    for (leg, config) in configs.iter().enumerate() {
        let changed = |at: usize| (old[at] != new[at]).then_some(Signal::Constant(new[at]));
        let mode = config.motor.mode;
        let torque = changed(leg).map(|command| torque_history(mode, command, held[leg]));
        let angle = changed(legs + leg).filter(|_| mode == MotorMode::Hold);
        if torque.is_some() || angle.is_some() {
            run.platform_mut().set_motor(leg, torque, angle);
        }
        if let Some(pull) = changed(2 * legs + leg)
            && !run.platform_mut().set_tendon_force(leg, pull)
        {
            return Err(NO_WINCH.into());
        }
    }
    Ok(())
}

impl Unit for DockingUnit {
    type Config = Scenario;
    type Origin = ();
    type Saved = SavedDocking;

    fn from_saved(saved: &SavedDocking) -> Self {
        let inputs = saved.memory.as_ref().map_or(0, |m| m.inputs[0].len());
        let mut out = Self {
            run: saved.origin.run().ok().map(Box::new),
            origin: Arc::clone(&saved.origin),
            inputs: vec![0.0; inputs],
            acting: vec![0.0; inputs],
            clock: Clock::default(),
        };
        out.recall_or_lose(saved.memory.as_ref());
        out
    }

    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn origin(&self) -> &() {
        &()
    }

    fn input(&self, index: usize) -> Input {
        Input {
            value: self.inputs[index],
            ..Input::default()
        }
    }

    fn set_input(&mut self, index: usize, input: Input) {
        self.inputs[index] = input.value;
    }

    #[inline(never)]
    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let clock = self.clock.after(length);
        let run = self.run()?;
        let step = run.scenario().platform.solver.step_s;
        let steps = (clock.time() - run.time()) / step;
        check_count(steps)?;
        if steps < SHORTEST {
            // The time moves alone; the next step catches up.
            self.clock = clock;
            return Ok(StepsTaken::default());
        }
        let before = self.memory();
        let done = self.apply_inputs().and_then(|()| {
            let run = self.run.as_deref_mut().ok_or_else(lost)?;
            Ok(run.advance_to(clock.time())?)
        });
        match done {
            Ok(done) => {
                self.clock = clock;
                Ok(StepsTaken {
                    steps: done.steps,
                    rejected: done.rejected,
                    iterations: done.iterations,
                })
            }
            Err(cause) => {
                self.recall_or_lose(before.as_ref());
                Err(cause)
            }
        }
    }

    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        match Group::ALL.get(group) {
            Some(Group::Motion) => self.evaluate_motion(out),
            Some(Group::Contact) => self.evaluate_contact(out),
            Some(Group::Outcome) => self.evaluate_outcome(out),
            Some(Group::Energy) => self.evaluate_energy(out),
            Some(Group::Margin) => self.evaluate_margin(out),
            None => Ok(()),
        }
    }

    fn regime(&self) -> &'static str {
        let encounter = self
            .run
            .as_ref()
            .map(|run| run.platform().world().encounter());
        match encounter.flatten() {
            Some(encounter) if encounter.latch().capture_time().is_some() => "the latch is closed",
            Some(encounter) if encounter.touching() => "end effector and target touch",
            _ => "end effector and target are apart",
        }
    }

    fn save(&self) -> SavedDocking {
        SavedDocking {
            origin: Arc::clone(&self.origin),
            memory: self.memory(),
        }
    }

    fn restore(&mut self, saved: &SavedDocking) {
        if Arc::ptr_eq(&self.origin, &saved.origin) && self.run.is_some() {
            self.recall_or_lose(saved.memory.as_ref());
        } else {
            *self = Self::from_saved(saved);
        }
    }

    fn to_numbers(saved: &SavedDocking) -> Result<Vec<f64>, Failure> {
        let memory = saved.memory.as_ref().ok_or_else(lost)?;
        Ok(numbers::to_numbers(memory)?)
    }

    #[inline(never)]
    fn from_numbers(scenario: &Scenario, numbers: &[f64]) -> Result<SavedDocking, Failure> {
        let memory: Memory = numbers::from_numbers(numbers)?;
        let inputs = vec![0.0; PER_LEG * scenario.platform.leg_count() + 6 * WRENCHES];
        let mut unit = Self::new(scenario, &inputs, &inputs)?;
        if !unit.recall(&memory)? {
            return Err("they are of another docking".into());
        }
        Ok(SavedDocking {
            origin: unit.origin,
            memory: Some(memory),
        })
    }
}
