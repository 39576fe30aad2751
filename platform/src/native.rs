//! A leg of the monolithic scheme: condensed to its tip (and to a floating base) in every
//! iteration.

use crate::bodies::{BaseResponse, PortResponse};
use crate::body::BodyState;
use crate::stopwatch::{LegTimes, timed};
use leg_core::LegError;
use leg_core::config::MotorMode;
use leg_core::planar::LinkDrive;
use leg_core::spatial::{
    Foundation, SPATIAL_CHANNELS, SpatialChannel, SpatialLeg, SpatialState, TipDrive,
};
use multibody::dynamics;
use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use multibody::model::{Drive, InputId, Inputs, Signal, Signals};
use multibody::port::condensed::{self, Guess, Iteration, OpenStep};
use multibody::port::{Condensation, Port};
use multibody::results;
use multibody::results::energy::{Energies, energies};
use multibody::results::stress::Stress;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Vector3, Vector6};

/// A leg in equilibrium, from which dynamics starts.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The leg, crank and tip prescribed.
    pub leg: &'a SpatialLeg,
    /// Its equilibrium.
    pub state: &'a SpatialState,
    /// Rest length of its tendon [m].
    pub rest_length: Option<f64>,
    /// Crank angle [rad].
    pub motor: f64,
    /// Torque that holds the crank [N·m].
    pub holding_torque: f64,
}

/// A leg as part of the monolithic system.
#[derive(Debug, Clone)]
pub struct NativeLeg {
    leg: SpatialLeg,
    state: SpatialState,
    workspace: Workspace<Se3, 6>,
    port: Port,
    condensation: Condensation<6>,
    signals: Signals,
    tip_inputs: [InputId; 3],
    base_inputs: Option<[InputId; 6]>,
    /// The state before the last accepted step.
    before: SpatialState,
    balance_before: f64,
    /// What the leg holds, has lost and was given since the start: energy stored and dissipated
    /// less the work of its inputs [J]; not a number until it is asked for.
    balance: f64,
    /// False once the leg is broken: it stays where it was and carries nothing.
    attached: bool,
    /// Crank angle at the start [rad].
    start_angle: f64,
    open: Option<OpenStep>,
    /// Why the last linearisation failed.
    failure: Option<multibody::Error>,
    /// Time spent, once somebody asks for it.
    times: Option<LegTimes>,
}

/// Torque history of a motor [N·m] whose command is `command`, given the torque that holds the
/// equilibrium. A motor in mode `torque` is told the torque itself: told nothing, it lets go at
/// t = 0. One that holds its angle is told what to add to the torque of the equilibrium.
pub fn torque_history(mode: MotorMode, command: Signal, holding_torque: f64) -> Signal {
    match mode {
        MotorMode::Torque => command,
        MotorMode::Hold | MotorMode::Angle | MotorMode::Locked => command.shifted(holding_torque),
    }
}

/// Signals of a leg's channels as configured: [`torque_history`], and the target angle counted from
/// where the crank is.
pub fn motor_signals(leg: &SpatialLeg, start: &Start<'_>) -> (Signal, Signal) {
    let motor = &leg.config.motor;
    let torque = torque_history(motor.mode, motor.torque_nm.signal(), start.holding_torque);
    let angle = match motor.mode {
        MotorMode::Angle | MotorMode::Hold => motor.angle_rad.signal().shifted(start.motor),
        MotorMode::Torque | MotorMode::Locked => Signal::Constant(start.motor),
    };
    (torque, angle)
}

impl NativeLeg {
    /// The leg at rest where its equilibrium is.
    pub fn new(start: &Start<'_>, foundation: Foundation) -> Result<Self, LegError> {
        let config = &start.leg.config;
        let tip = start.state.pose(start.leg.node_b).translation();
        let drive = LinkDrive::from(config.motor.mode);
        let prescribed = TipDrive::Prescribed;
        let (q1, rest) = (start.motor, start.rest_length);
        let leg = SpatialLeg::founded(config, foundation, drive, prescribed, q1, tip, rest)?;
        let input = |channel: SpatialChannel, offset: usize| {
            let index = channel as usize + offset;
            leg.model
                .input(index)
                .ok_or_else(|| multibody::Error::BadReference {
                    owner: format!("input {index} of a leg"),
                    problem: "the leg has no such input",
                })
        };
        let tip_input = |i| input(SpatialChannel::TipPosition, i);
        let tip_inputs = [tip_input(0)?, tip_input(1)?, tip_input(2)?];
        let base_inputs = match leg.base {
            Some(_) => {
                let base = |i| input(SpatialChannel::BasePose, i);
                Some([base(0)?, base(1)?, base(2)?, base(3)?, base(4)?, base(5)?])
            }
            None => None,
        };
        let port = Port::new(&leg.model, &tip_inputs, leg.base)?;
        let mut signals = vec![Signal::Constant(0.0); leg.model.input_count()];
        let (torque, angle) = motor_signals(&leg, start);
        signals[SpatialChannel::CrankTorque as usize] = torque;
        signals[SpatialChannel::CrankAngle as usize] = angle;
        for i in 0..3 {
            signals[SpatialChannel::TipPosition as usize + i] = Signal::Constant(tip[i]);
        }
        let mut state = State::new(&leg.model);
        // A moving base adds its node in front of the others.
        let extra = state.poses.len() - start.state.poses.len();
        state.poses[extra..].copy_from_slice(&start.state.poses);
        let turns = start.state.angle(start.leg.motor_joint);
        state.angles[leg.motor_joint.index()] = turns;
        let mut workspace = Workspace::new(&leg.model);
        let signals = Signals(signals);
        dynamics::initialize(&leg.model, &mut state, &mut workspace, &signals)?;
        Ok(Self {
            condensation: Condensation::new(&leg.model, &port),
            before: state.clone(),
            balance: f64::NAN,
            balance_before: f64::NAN,
            leg,
            state,
            workspace,
            port,
            signals,
            tip_inputs,
            base_inputs,
            attached: true,
            start_angle: start.motor,
            open: None,
            failure: None,
            times: None,
        })
    }

    /// Accelerations and reactions of the leg at rest whose ends are accelerated like this.
    pub fn start(
        &mut self,
        tip: &[[f64; 3]; 3],
        base: Option<&BodyState>,
    ) -> Result<(), multibody::Error> {
        let mut ends: Vec<(InputId, f64)> = Vec::with_capacity(9);
        ends.extend(self.tip_inputs.iter().zip(tip).map(|(&i, m)| (i, m[2])));
        if let (Some(inputs), Some(base)) = (self.base_inputs, base) {
            ends.extend(inputs.into_iter().zip(base.acceleration.iter().copied()));
        }
        let drive = Accelerated {
            signals: &self.signals,
            ends: &ends,
        };
        let Self {
            leg,
            state,
            workspace,
            ..
        } = self;
        dynamics::initialize(&leg.model, state, workspace, &drive)
    }

    /// The leg.
    pub fn leg(&self) -> &SpatialLeg {
        &self.leg
    }

    /// Its state.
    pub fn state(&self) -> &SpatialState {
        &self.state
    }

    /// Goes back (or on) to a state of this leg.
    pub fn set_state(&mut self, state: &SpatialState) {
        self.state.copy_from(state);
        self.balance = f64::NAN;
    }

    /// Goes back to where the last accepted step began.
    pub fn undo(&mut self) {
        if self.attached {
            self.state.copy_from(&self.before);
            self.balance = self.balance_before;
        }
    }

    /// Energy stored and dissipated less the work of the leg's inputs since the start [J].
    pub fn balance(&mut self) -> multibody::Result<f64> {
        if self.balance.is_nan() {
            let ledger = &self.state.ledger;
            self.balance = self.energies()?.mechanical() + ledger.dissipated - ledger.work_in;
        }
        Ok(self.balance)
    }

    /// Gives the motor another torque history [N·m] and target history [rad], both absolute.
    pub fn set_motor(&mut self, torque: Signal, angle: Signal) {
        self.signals.0[SpatialChannel::CrankTorque as usize] = torque;
        self.signals.0[SpatialChannel::CrankAngle as usize] = angle;
    }

    /// The motor's torque history [N·m] and target history [rad].
    pub fn motor(&self) -> (&Signal, &Signal) {
        (
            &self.signals.0[SpatialChannel::CrankTorque as usize],
            &self.signals.0[SpatialChannel::CrankAngle as usize],
        )
    }

    /// History of the pull that a winch adds to the tendon [N].
    pub fn tendon_force(&self) -> &Signal {
        &self.signals.0[SpatialChannel::TendonForce as usize]
    }

    /// Gives the tendon's winch another history [N].
    pub fn set_tendon_force(&mut self, pull: Signal) {
        self.signals.0[SpatialChannel::TendonForce as usize] = pull;
    }

    /// Crank angle at the start [rad].
    pub fn start_angle(&self) -> f64 {
        self.start_angle
    }

    /// Force of the leg on the end effector, world axes [N].
    pub fn tip_force(&self) -> Vector3<f64> {
        if self.attached {
            self.leg.tip_force(&self.state)
        } else {
            Vector3::zeros()
        }
    }

    /// Power of a floating base on the leg [W].
    pub fn base_power(&self, base: &BodyState) -> f64 {
        let Some((_, joint)) = self.leg.base.filter(|_| self.attached) else {
            return 0.0;
        };
        // The joint sits at the base's origin and pushes the leg.
        let on_leg = results::reaction(&self.leg.model, &self.state, joint);
        let rotation = base.pose.rotation();
        let velocity = rotation * base.velocity.fixed_rows::<3>(0);
        let spin = rotation * base.velocity.fixed_rows::<3>(3);
        on_leg.force.dot(&velocity) + Vector3::from(on_leg.moment).dot(&spin)
    }

    /// Torque of motor or driver on the crank [N·m].
    pub fn motor_torque(&self) -> f64 {
        self.leg.crank_torque(&self.state)
    }

    /// Crank angle [rad].
    pub fn crank_angle(&self) -> f64 {
        self.state.angle(self.leg.motor_joint)
    }

    /// Rate of the crank angle [rad/s].
    pub fn crank_rate(&self) -> f64 {
        results::angle_rate(&self.leg.model, &self.state, self.leg.motor_joint)
    }

    /// Distance from A to B [m], which is the tendon's length.
    pub fn chord(&self) -> f64 {
        self.leg.chord(&self.state).norm()
    }

    /// Tendon tension [N]; zero without a tendon.
    pub fn tension(&self) -> f64 {
        self.leg.tendon_tension(&self.state)
    }

    /// Energies of the leg [J].
    pub fn energies(&self) -> multibody::Result<Energies> {
        energies(&self.leg.model, &self.state)
    }

    /// When in the step under way a stop of motor or tendon unit is met or left, as a fraction of it.
    pub fn stop_event(&mut self) -> Option<f64> {
        let step = self.open.filter(|_| self.attached)?;
        condensed::stop_event(&self.leg.model, &self.state, &mut self.workspace, &step)
    }

    /// True if a stop of motor or tendon unit is touched.
    pub fn touches_stop(&self) -> bool {
        self.attached && dynamics::stops::touched(&self.leg.model, &self.state)
    }

    /// Largest stress of the leaf.
    pub fn leaf_stress(&self) -> Result<Stress, LegError> {
        self.leg.leaf_stress(&self.state)
    }

    /// Breaks the leg, or makes it whole again: while it is broken, it carries nothing and stays where it
    /// is.
    pub fn set_attached(&mut self, attached: bool) {
        self.attached = attached;
        self.open = None;
    }

    /// True until the leg is broken.
    pub fn is_attached(&self) -> bool {
        self.attached
    }

    /// Starts a step that ends at `end` [s]; a history that jumps less than `slack` [s] before jumps at
    /// the end.
    pub fn begin(&mut self, integrator: &Integrator, guess: Guess, (end, slack): (f64, f64)) {
        if !self.attached {
            return;
        }
        let Self {
            leg,
            state,
            workspace,
            signals,
            ..
        } = self;
        let at = signals.next_jump(end - slack, end).unwrap_or(end);
        let inputs = InputsAt { signals, time: at };
        let open = condensed::begin(&leg.model, state, workspace, &inputs, integrator, guess);
        self.open = Some(open);
    }

    /// Sets the inputs that are the motion of the leg's ends.
    fn set_ends(
        &mut self,
        tip: &[[f64; 3]; 3],
        base: Option<&BodyState>,
    ) -> Result<(), multibody::Error> {
        let inputs = (&self.tip_inputs, self.base_inputs);
        set_ends(&mut self.workspace, inputs, tip, base)
    }

    /// Linearises the leg where it is, its ends moving like this, under inputs that have jumped at
    /// `time` [s] or less than `slack` [s] behind it; a failure is kept for [`Self::take_failure`].
    pub fn begin_jump(
        &mut self,
        integrator: &Integrator,
        tip: &[[f64; 3]; 3],
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        self.begin_standing(integrator, (tip, base), time_and_slack, |leg, open| {
            let (model, workspace) = (&leg.leg.model, &mut leg.workspace);
            condensed::assemble_jump(model, workspace, open)?;
            condensed::factor(model, workspace, (Iteration::Full, 1))
        });
    }

    /// The same before a step far shorter than the last one: velocities become consistent with those of
    /// the ends, accelerations with [`Self::jump`].
    pub fn begin_consistent(
        &mut self,
        integrator: &Integrator,
        tip: &[[f64; 3]; 3],
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        self.begin_standing(integrator, (tip, base), time_and_slack, |leg, open| {
            let (model, workspace) = (&leg.leg.model, &mut leg.workspace);
            condensed::assemble_consistent(model, &mut leg.state, workspace, open)
        });
    }

    /// Condenses what `assemble` assembles and factorises where the leg is.
    fn begin_standing(
        &mut self,
        integrator: &Integrator,
        (tip, base): (&[[f64; 3]; 3], Option<&BodyState>),
        (time, slack): (f64, f64),
        assemble: impl FnOnce(&mut Self, &OpenStep) -> Result<(), multibody::Error>,
    ) {
        if !self.attached {
            return;
        }
        let (model, state) = (&self.leg.model, &self.state);
        let workspace = &mut self.workspace;
        let signals = &self.signals;
        let at = signals.next_jump(time, time + slack).unwrap_or(time);
        let inputs = InputsAt { signals, time: at };
        let open = condensed::begin_jump(model, state, workspace, &inputs, integrator);
        self.open = Some(open);
        let done = self
            .set_ends(tip, base)
            .and_then(|()| assemble(self, &open));
        let Self {
            leg,
            workspace,
            port,
            condensation,
            ..
        } = self;
        if done.is_ok() {
            let model = &leg.model;
            condensed::condense(model, workspace, &open, port, condensation, Iteration::Full);
        }
        self.failure = done.err();
    }

    /// Lets accelerations and reactions jump, for these changes of the ends.
    pub fn jump(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>) {
        let Some(open) = self.open.take() else { return };
        let delta = changes(tip, base);
        let Self {
            leg,
            state,
            workspace,
            condensation,
            ..
        } = self;
        let delta = &delta[..condensation.force.len()];
        condensed::jump(&leg.model, state, workspace, &open, condensation, delta);
        self.balance = f64::NAN;
    }

    /// Linearises the leg's step for this motion of its ends; a failure is kept for [`Self::take_failure`].
    pub fn linearize(
        &mut self,
        tip: &[[f64; 3]; 3],
        base: Option<&BodyState>,
        iteration: (Iteration, usize),
    ) {
        let Some(open) = self.open else { return };
        self.failure = self.set_ends(tip, base).err();
        if self.failure.is_some() {
            return;
        }
        let Self {
            leg,
            state,
            workspace,
            port,
            condensation,
            times,
            ..
        } = self;
        let model = &leg.model;
        let done = timed(times.as_mut().map(|t| &mut t.assembly), || {
            condensed::assemble(model, state, workspace, &open, iteration.0)
        })
        .and_then(|()| {
            timed(times.as_mut().map(|t| &mut t.factorisation), || {
                condensed::factor(model, workspace, iteration)
            })
        });
        if done.is_ok() {
            timed(times.as_mut().map(|t| &mut t.condensation), || {
                condensed::condense(model, workspace, &open, port, condensation, iteration.0);
            });
        }
        self.failure = done.err();
    }

    /// Why the last linearisation failed, if it did.
    pub fn take_failure(&mut self) -> Option<multibody::Error> {
        self.failure.take()
    }

    /// The leg's answer to the motion of its ends; none if it is broken.
    pub fn response(&self) -> Option<PortResponse> {
        let Condensation {
            force,
            force_change,
            operator,
            ..
        } = &self.condensation;
        self.attached.then(|| PortResponse {
            force: Vector3::from_column_slice(&force[..3]),
            change: Vector3::from_column_slice(&force_change[..3]),
            by_position: operator.fixed_view::<3, 3>(0, 0).into(),
            by_velocity: Matrix3::zeros(),
            base: self.base_inputs.map(|_| BaseResponse {
                wrench: Vector6::from_column_slice(&force[3..9]),
                change: Vector6::from_column_slice(&force_change[3..9]),
                by_position: operator.fixed_view::<6, 3>(3, 0).into(),
                by_base: operator.fixed_view::<6, 6>(3, 3).into(),
                tip_by_base: operator.fixed_view::<3, 6>(0, 3).into(),
                rates: None,
            }),
        })
    }

    /// Completes the correction for these changes of the ends: size of the correction.
    pub fn correct(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>) -> f64 {
        let Some(open) = &self.open else { return 0.0 };
        let delta = changes(tip, base);
        let Self {
            leg,
            workspace,
            condensation,
            ..
        } = self;
        let count = condensation.force.len();
        condensed::correct(&leg.model, workspace, open, condensation, &delta[..count])
    }

    /// Makes the iterate the leg's state; with `audit` its balance is found at once. A failure is
    /// kept for [`Self::take_failure`].
    pub fn accept(&mut self, tip: &[[f64; 3]; 3], base: Option<&BodyState>, audit: bool) {
        let Some(open) = self.open.take() else { return };
        self.failure = self.set_ends(tip, base).err();
        self.before.copy_from(&self.state);
        self.balance_before = core::mem::replace(&mut self.balance, f64::NAN);
        let Self {
            leg,
            state,
            workspace,
            times,
            ..
        } = self;
        timed(times.as_mut().map(|t| &mut t.acceptance), || {
            condensed::accept(&leg.model, state, workspace, &open);
        });
        if audit && let Err(failure) = self.balance() {
            self.failure = Some(failure);
        }
    }

    /// Starts to measure the time spent, from zero.
    pub fn measure(&mut self) {
        self.times = Some(LegTimes::default());
    }

    /// Time spent since [`Self::measure`].
    pub fn times(&self) -> LegTimes {
        self.times.unwrap_or_default()
    }
}

/// The inputs of a leg at one time [s], whatever the clock of its own state says: that adds up steps
/// and rounds, and jumps must fall on the ends of steps.
struct InputsAt<'a> {
    signals: &'a Signals,
    time: f64,
}

impl Drive for InputsAt<'_> {
    fn sample(&self, _time: f64, inputs: &mut Inputs) {
        self.signals.sample(self.time, inputs);
    }

    fn sample_before(&self, _time: f64, inputs: &mut Inputs) {
        self.signals.sample_before(self.time, inputs);
    }
}

/// Changes of a port's inputs: those of the tip, then those of the base.
fn changes(tip: &Vector3<f64>, base: Option<&Vector6<f64>>) -> [f64; 9] {
    let mut out = [0.0; 9];
    out[..3].copy_from_slice(tip.as_slice());
    if let Some(twist) = base {
        out[3..].copy_from_slice(twist.as_slice());
    }
    out
}

/// Sets the inputs of tip and base that are the motion of a leg's ends.
fn set_ends(
    workspace: &mut Workspace<Se3, 6>,
    (tip_inputs, base_inputs): (&[InputId; 3], Option<[InputId; 6]>),
    tip: &[[f64; 3]; 3],
    base: Option<&BodyState>,
) -> Result<(), multibody::Error> {
    for (input, motion) in tip_inputs.iter().zip(tip) {
        condensed::set_input(workspace, *input, *motion);
    }
    if let (Some(inputs), Some(base)) = (base_inputs, base) {
        for (input, motion) in inputs.iter().zip(base_motion(base)?) {
            condensed::set_input(workspace, *input, motion);
        }
    }
    Ok(())
}

/// Signals with some accelerations given.
struct Accelerated<'a> {
    signals: &'a Signals,
    ends: &'a [(InputId, f64)],
}

impl Drive for Accelerated<'_> {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        self.signals.sample(time, inputs);
        for (input, acceleration) in self.ends {
            inputs.acceleration[input.index()] = *acceleration;
        }
    }
}

/// Number of channels without a moving base; the base's follow.
const _: () = assert!(SpatialChannel::BasePose as usize == SPATIAL_CHANNELS);

/// Position and rotation vector of the base with their rates; accelerations are not needed by
/// constraints at position level.
pub(crate) fn base_motion(base: &BodyState) -> Result<[[f64; 3]; 6], multibody::Error> {
    let rotation = base.pose.rotation();
    let position = base.pose.translation();
    let velocity = rotation * base.velocity.fixed_rows::<3>(0);
    let turn_only = Se3::from_parts(Vector3::zeros(), rotation);
    let turn = turn_only
        .log()
        .map_err(|_| multibody::Error::BadReference {
            owner: "base".to_owned(),
            problem: "it has turned by half a turn since the start, more than is supported",
        })?;
    let mut spin = base.velocity;
    spin.fixed_rows_mut::<3>(0).fill(0.0);
    let turn_rate = Se3::tangent_inverse(&turn) * spin;
    Ok(core::array::from_fn(|i| {
        if i < 3 {
            [position[i], velocity[i], 0.0]
        } else {
            [turn[i], turn_rate[i], 0.0]
        }
    }))
}
