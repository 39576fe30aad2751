//! The platform as something that a host steps, saves and restores.

use super::variables::{Group, PER_LEG};
use crate::clock::{Clock, check_count};
use leg_core::config::MotorMode;
use multibody::dynamics::grid::SLIVER;
use multibody::model::Signal;
use multibody::results::soundness::Watch;
use serde::{Deserialize, Serialize};
use softdock_fmi::model::{Failure, Input, StepsTaken, Unit};
use softdock_fmi::numbers;
use softdock_platform::PlatformConfig;
use softdock_platform::audit::{energy_account, note_leaves, note_motors};
use softdock_platform::config::Fidelity;
use softdock_platform::leg::PlatformLeg;
use softdock_platform::monolithic::{Platform, PlatformMemory};
use softdock_platform::motor_range::MotorRange;
use softdock_platform::native::{NativeLeg, torque_history};
use softdock_platform::reduced::ReducedLeg;
use softdock_platform::results::SLACK_TENSION;
use softdock_platform::sample::BodySample;
use softdock_platform::scheme::{Scheme, largest_gap};
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::strut::StrutLeg;
use softdock_platform::wrench::WrenchHistory;
use std::sync::Arc;

type MemoryOf<L> = PlatformMemory<<L as PlatformLeg>::State>;

/// A platform whose legs have one of the fidelities.
#[derive(Clone)]
enum Running {
    Full(Box<Platform<NativeLeg>>),
    Reduced(Box<Platform<ReducedLeg>>),
    Strut(Box<Platform<StrutLeg>>),
}

/// What changes in it.
#[derive(Clone, Serialize, Deserialize)]
enum Motion {
    Full(MemoryOf<NativeLeg>),
    Reduced(MemoryOf<ReducedLeg>),
    Strut(MemoryOf<StrutLeg>),
}

impl Running {
    fn scheme(&self) -> &dyn Scheme {
        match self {
            Self::Full(platform) => platform.as_ref(),
            Self::Reduced(platform) => platform.as_ref(),
            Self::Strut(platform) => platform.as_ref(),
        }
    }

    fn scheme_mut(&mut self) -> &mut dyn Scheme {
        match self {
            Self::Full(platform) => platform.as_mut(),
            Self::Reduced(platform) => platform.as_mut(),
            Self::Strut(platform) => platform.as_mut(),
        }
    }

    fn motion(&self) -> Motion {
        match self {
            Self::Full(platform) => Motion::Full(platform.memory()),
            Self::Reduced(platform) => Motion::Reduced(platform.memory()),
            Self::Strut(platform) => Motion::Strut(platform.memory()),
        }
    }

    /// False, and nothing changes, if the motion is that of another platform.
    fn recall(&mut self, motion: &Motion) -> bool {
        match (self, motion) {
            (Self::Full(platform), Motion::Full(memory)) => platform.recall(memory),
            (Self::Reduced(platform), Motion::Reduced(memory)) => platform.recall(memory),
            (Self::Strut(platform), Motion::Strut(memory)) => platform.recall(memory),
            _ => false,
        }
    }
}

/// What does not change in a run: the platform at its start, and what commands are counted from.
struct Origin {
    start: Running,
    modes: Vec<MotorMode>,
    held: Vec<f64>,
    ranges: Vec<MotorRange>,
    yield_strengths: Vec<f64>,
}

impl Origin {
    fn new(config: &PlatformConfig, wrench: WrenchHistory) -> Result<Self, Failure> {
        let mut equilibrium = StaticPlatform::nominal(config)?;
        let target = Target {
            pose: None,
            motors: Some(equilibrium.motors().to_vec()),
            force: nalgebra::Vector3::zeros(),
            moment: nalgebra::Vector3::zeros(),
        };
        equilibrium.follow(&target, &StaticSettings::default())?;
        let legs = config.leg_configs()?;
        Ok(Self {
            start: match config.legs.fidelity {
                Fidelity::Full => {
                    Running::Full(Box::new(Platform::at_rest_under(&equilibrium, wrench)?))
                }
                Fidelity::Reduced => {
                    Running::Reduced(Box::new(Platform::of_reduced(&equilibrium, wrench)?))
                }
                Fidelity::Strut => {
                    Running::Strut(Box::new(Platform::of_struts(&equilibrium, wrench)?))
                }
            },
            modes: equilibrium.motor_modes(),
            held: equilibrium.holding_torques(),
            ranges: MotorRange::of_legs(config)?,
            yield_strengths: legs.iter().map(|leg| leg.leaf.yield_strength_pa).collect(),
        })
    }
}

/// What changes in a unit.
#[derive(Clone, Serialize, Deserialize)]
struct Memory {
    motion: Motion,
    /// Inputs as set, and as they act.
    inputs: [Vec<f64>; 2],
    clock: Clock,
    watch: Watch,
}

/// A platform that a host steps, saves and restores.
pub struct PlatformUnit {
    origin: Arc<Origin>,
    running: Running,
    inputs: Vec<f64>,
    acting: Vec<f64>,
    clock: Clock,
    watch: Watch,
}

/// A saved state.
#[derive(Clone)]
pub struct SavedPlatform {
    origin: Arc<Origin>,
    memory: Memory,
}

impl PlatformUnit {
    /// The platform at rest in its equilibrium. `starts` are the inputs that follow from the settings,
    /// `inputs` those that are set.
    #[inline(never)]
    pub fn new(config: &PlatformConfig, starts: &[f64], inputs: &[f64]) -> Result<Self, Failure> {
        // The wrench takes over at the start from the one that the equilibrium holds.
        let wrench = wrench_of(inputs, config.leg_count());
        let origin = Arc::new(Origin::new(config, wrench)?);
        let legs = PER_LEG * config.leg_count();
        let mut acting = inputs.to_vec();
        acting[..legs].copy_from_slice(&starts[..legs]);
        let mut out = Self {
            running: origin.start.clone(),
            origin,
            inputs: inputs.to_vec(),
            acting,
            clock: Clock::default(),
            watch: Watch::default(),
        };
        out.note()?;
        Ok(out)
    }

    /// Notes what may make the result suspect.
    fn note(&mut self) -> Result<(), Failure> {
        let platform = self.running.scheme_mut();
        energy_account(platform)?.note(platform.time(), &mut self.watch);
        note_leaves(platform, &mut self.watch)?;
        note_motors(platform, &self.origin.ranges, &mut self.watch);
        Ok(())
    }

    /// Moves on to `end` [s] and notes what may make the result suspect.
    fn go_to(&mut self, end: f64) -> Result<StepsTaken, Failure> {
        let done = self.running.scheme_mut().advance_to(end)?;
        self.watch.steps_at_floor(end, done.at_floor);
        self.note()?;
        Ok(StepsTaken {
            steps: done.steps,
            rejected: done.rejected,
            iterations: done.iterations,
        })
    }

    fn legs(&self) -> usize {
        self.origin.modes.len()
    }

    /// Lets inputs act that were set since the last step.
    fn apply_inputs(&mut self) -> Result<(), Failure> {
        let legs = self.legs();
        let (old, new) = (&self.acting, &self.inputs);
        let platform = self.running.scheme_mut();
        for leg in 0..legs {
            let changed = |at: usize| (old[at] != new[at]).then_some(Signal::Constant(new[at]));
            let (mode, held) = (self.origin.modes[leg], self.origin.held[leg]);
            let torque = changed(leg).map(|command| torque_history(mode, command, held));
            let angle = changed(legs + leg).filter(|_| mode == MotorMode::Hold);
            if torque.is_some() || angle.is_some() {
                platform.set_motor(leg, torque, angle);
            }
            if let Some(pull) = changed(2 * legs + leg)
                && !platform.set_tendon_force(leg, pull)
            {
                return Err(NO_WINCH.into());
            }
        }
        if old[PER_LEG * legs..] != new[PER_LEG * legs..] {
            platform.set_wrench(wrench_of(new, legs));
        }
        self.acting.copy_from_slice(&self.inputs);
        Ok(())
    }

    fn memory(&self) -> Memory {
        Memory {
            motion: self.running.motion(),
            inputs: [self.inputs.clone(), self.acting.clone()],
            clock: self.clock,
            watch: self.watch.clone(),
        }
    }

    /// Goes on from a memory; false if it is that of another platform.
    fn recall(&mut self, memory: &Memory) -> bool {
        let [inputs, acting] = &memory.inputs;
        let fits = inputs.len() == self.inputs.len() && acting.len() == self.acting.len();
        if !fits || !self.running.recall(&memory.motion) {
            return false;
        }
        self.inputs.copy_from_slice(inputs);
        self.acting.copy_from_slice(acting);
        self.clock = memory.clock;
        self.watch.copy_from(&memory.watch);
        true
    }

    #[inline(never)]
    fn evaluate_motion(&self, out: &mut [f64]) {
        let platform = self.running.scheme();
        let mut out = out.iter_mut();
        let mut put = |values: &[f64]| {
            for value in values {
                if let Some(place) = out.next() {
                    *place = *value;
                }
            }
        };
        let base = platform.world().bodies().base;
        let bodies = [
            Some(platform.effector()),
            base.map(|i| &platform.bodies()[i]),
        ];
        for state in bodies {
            let body = state.map(BodySample::new);
            put(&body.map_or([0.0; 3], |body| body.position));
            put(&body.map_or([0.0; 3], |body| body.attitude.list()));
            put(&body.map_or([0.0; 3], |body| body.velocity));
            put(&body.map_or([0.0; 3], |body| body.spin));
        }
        let views: Vec<_> = (0..self.legs()).map(|leg| platform.leg(leg)).collect();
        views.iter().for_each(|leg| put(&[leg.motor_angle]));
        views.iter().for_each(|leg| put(&[leg.motor_rate]));
        views.iter().for_each(|leg| put(&[leg.motor_torque]));
        views.iter().for_each(|leg| put(&[leg.tendon_length]));
        views.iter().for_each(|leg| put(&[leg.tendon_tension]));
        views.iter().for_each(|leg| put(leg.tip_force.as_slice()));
    }

    #[inline(never)]
    fn evaluate_energy(&mut self, out: &mut [f64]) -> Result<(), Failure> {
        let account = energy_account(self.running.scheme_mut())?;
        out.copy_from_slice(&[
            account.bodies_kinetic + account.legs_kinetic,
            account.strain,
            account.tendons,
            account.gravity,
            account.wrench_work,
            account.motor_work,
            account.dissipated,
            account.residual,
            f64::from(u8::from(!self.watch.soundness().is_suspect())),
        ]);
        Ok(())
    }

    #[inline(never)]
    fn evaluate_margin(&self, out: &mut [f64]) {
        let (platform, legs) = (self.running.scheme(), self.legs());
        for leg in 0..legs {
            let view = platform.leg(leg);
            out[leg] = 1.0 - self.origin.ranges[leg].used_at(view.motor_angle);
            let stress = platform
                .leaf_stress(leg)
                .map_or(0.0, |stress| stress.von_mises);
            out[legs + leg] = 1.0 - stress / self.origin.yield_strengths[leg];
            out[2 * legs + leg] = view.tendon_tension - SLACK_TENSION;
        }
        out[3 * legs] = largest_gap(platform);
    }
}

/// Why a pull is refused.
pub const NO_WINCH: &str = "tendon.force_command: these legs have no winches: they are struts, or without \
                            tendons (tendon.present)";

/// The wrench of these inputs.
fn wrench_of(inputs: &[f64], legs: usize) -> WrenchHistory {
    WrenchHistory(core::array::from_fn(|i| {
        Signal::Constant(inputs[PER_LEG * legs + i])
    }))
}

impl Unit for PlatformUnit {
    type Config = PlatformConfig;
    type Origin = ();
    type Saved = SavedPlatform;

    fn from_saved(saved: &SavedPlatform) -> Self {
        let inputs = saved.memory.inputs[0].len();
        let mut out = Self {
            running: saved.origin.start.clone(),
            origin: Arc::clone(&saved.origin),
            inputs: vec![0.0; inputs],
            acting: vec![0.0; inputs],
            clock: Clock::default(),
            watch: Watch::default(),
        };
        out.recall(&saved.memory);
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
        let step = self.running.scheme().config().solver.step_s;
        let steps = (clock.time() - self.running.scheme().time()) / step;
        check_count(steps)?;
        if steps < SLIVER {
            // Rounding of the host's clock: the time moves alone.
            self.clock = clock;
            return Ok(StepsTaken::default());
        }
        let before = self.memory();
        if let Err(cause) = self.apply_inputs() {
            self.recall(&before);
            return Err(cause);
        }
        match self.go_to(clock.time()) {
            Ok(done) => {
                self.clock = clock;
                Ok(done)
            }
            Err(cause) => {
                self.recall(&before);
                Err(cause)
            }
        }
    }

    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        match Group::ALL.get(group) {
            Some(Group::Motion) => self.evaluate_motion(out),
            Some(Group::Energy) => self.evaluate_energy(out)?,
            Some(Group::Margin) => self.evaluate_margin(out),
            None => {}
        }
        Ok(())
    }

    fn regime(&self) -> &'static str {
        let platform = self.running.scheme();
        let slack =
            |leg| platform.has_tendon(leg) && platform.leg(leg).tendon_tension < SLACK_TENSION;
        if (0..self.legs()).any(slack) {
            "a tendon is slack"
        } else {
            "no tendon is slack"
        }
    }

    fn save(&self) -> SavedPlatform {
        SavedPlatform {
            origin: Arc::clone(&self.origin),
            memory: self.memory(),
        }
    }

    fn restore(&mut self, saved: &SavedPlatform) {
        let same = Arc::ptr_eq(&self.origin, &saved.origin);
        if !(same && self.recall(&saved.memory)) {
            *self = Self::from_saved(saved);
        }
    }

    fn to_numbers(saved: &SavedPlatform) -> Result<Vec<f64>, Failure> {
        Ok(numbers::to_numbers(&saved.memory)?)
    }

    #[inline(never)]
    fn from_numbers(config: &PlatformConfig, numbers: &[f64]) -> Result<SavedPlatform, Failure> {
        let memory: Memory = numbers::from_numbers(numbers)?;
        let inputs = vec![0.0; PER_LEG * config.leg_count() + 6];
        let mut unit = Self::new(config, &inputs, &inputs)?;
        if !unit.recall(&memory) {
            return Err("they are of a platform with other legs".into());
        }
        Ok(SavedPlatform {
            origin: unit.origin,
            memory,
        })
    }
}
