//! Motion of the planar leg from its equilibrium or from the straight leaf.

use super::LegError;
use super::config::{LegConfig, MotorMode, Posture, Solver};
use super::planar::{CHANNELS, Channel, LinkDrive, PlanarLeg, wrap};
use super::pretension::{
    PlanarState, PretensionReport, Pretensioned, pretension_boxed, tendon_tension,
};
use multibody::dynamics::{self, Advance, Control, StepSettings, Stepping, advance_watched};
use multibody::error::Error;
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::model::{Drive, Inputs, Model, Signal, Signals};
use multibody::results::soundness::LeafStrain;
use multibody::results::{self, energy::Energies};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector2;

/// What a leg shows at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegSample {
    /// Time [s].
    pub t: f64,
    /// Crank angle, chord angle against the crank, upper link's angle [rad].
    pub q: [f64; 3],
    /// Their rates [rad/s].
    pub q_dot: [f64; 3],
    /// Distance A to B [m].
    pub tendon_length: f64,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Positions at a quarter, half and three quarters of the leaf [m].
    pub stations: [[f64; 2]; 3],
    /// Torque of motor or driver on the crank [N·m].
    pub crank_torque: f64,
    /// Energies [J].
    pub energies: Energies,
    /// Work done by inputs since the start [J].
    pub work_in: f64,
    /// Energy dissipated since the start [J].
    pub dissipated: f64,
    /// What the ledger misses [J].
    pub energy_residual: f64,
    /// Largest violation of a constraint [m].
    pub loop_gap: f64,
    /// Largest strains of the leaf.
    pub leaf_strain: LeafStrain,
}

/// A running simulation of a planar leg.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The leg.
    pub leg: PlanarLeg,
    /// Its state.
    pub state: PlanarState,
    /// The equilibrium it started from, unless it started straight.
    pub start: Option<PretensionReport>,
    /// Signals on the input channels.
    pub signals: Signals,
    control: Control,
    settings: StepSettings,
    workspace: Box<Workspace<Se2, 3>>,
    /// Angle of the chord, counted over full turns.
    chord_angle: f64,
}

impl Simulation {
    /// The leg at rest in the posture the configuration asks for, at t = 0.
    #[inline(never)]
    pub fn new(config: &LegConfig) -> Result<Self, LegError> {
        config.validate()?;
        config.motor.check_start()?;
        let mounted = mount(config)?;
        Self::at_rest(config, *mounted)
    }

    /// A mounted leg set at rest.
    #[inline(never)]
    fn at_rest(config: &LegConfig, mounted: Mounted) -> Result<Self, LegError> {
        let Mounted { leg, poses, start } = mounted;
        let mut state = State::new(&leg.model);
        if let Some(from) = poses {
            state.poses.copy_from_slice(&from.poses);
            for joint in [leg.joints.o, leg.joints.c] {
                state.angles[joint.index()] = from.angle(joint);
            }
        }
        multibody::assembly::hinge::update_angles(&leg.model, &mut state);
        let angles = [state.angle(leg.joints.o), state.angle(leg.joints.c)];
        let signals = signals(config, angles);
        let mut workspace = Box::new(Workspace::new(&leg.model));
        dynamics::initialize(&leg.model, &mut state, &mut workspace, &signals)?;
        let (control, settings) = (control(&config.solver), step_settings(&config.solver));
        let chord = chord_vector(&leg, &state);
        let chord_angle = math::atan2(chord.y, chord.x);
        Ok(Self {
            leg,
            state,
            start,
            signals,
            control,
            settings,
            workspace,
            chord_angle,
        })
    }

    /// Goes back to the state of `other`, a simulation of the same leg, without allocating.
    pub fn restart_from(&mut self, other: &Self) {
        self.state.copy_from(&other.state);
        self.control = other.control;
        self.chord_angle = other.chord_angle;
    }

    /// Gives one channel another history, from now on.
    pub fn set_signal(&mut self, channel: Channel, signal: Signal) {
        self.signals.0[channel as usize] = signal;
    }

    /// Prescribes the angles of crank and link over time [rad], where they are prescribed, and makes the
    /// accelerations at the start those of this motion.
    pub fn prescribe(&mut self, crank: Signal, link: Signal) -> Result<(), LegError> {
        self.set_signal(Channel::CrankAngle, crank);
        self.set_signal(Channel::LinkAngle, link);
        let Self {
            leg,
            state,
            signals,
            workspace,
            ..
        } = self;
        Ok(dynamics::initialize(&leg.model, state, workspace, signals)?)
    }

    /// Advances to `time` [s].
    pub fn advance_to(&mut self, time: f64) -> Result<Advance, LegError> {
        let Self {
            leg,
            state,
            signals,
            control,
            settings,
            workspace,
            ..
        } = self;
        let parts = (state, &mut **workspace);
        advance_driven(
            &leg.model,
            parts,
            signals,
            time,
            control,
            settings,
            &mut |_| {},
        )
    }

    /// Advances to `time` [s]; `watch` sees the leg at the end of every step but the last.
    pub fn advance_watched(
        &mut self,
        time: f64,
        watch: &mut dyn FnMut(&LegSample),
    ) -> Result<Advance, LegError> {
        let Self {
            leg,
            state,
            signals,
            control,
            settings,
            workspace,
            chord_angle,
            ..
        } = self;
        let mut looked = Ok(());
        let mut look = |state: &PlanarState| {
            if state.time < time && looked.is_ok() {
                looked = sample_of(leg, state, chord_angle).map(|sample| watch(&sample));
            }
        };
        let parts = (state, &mut **workspace);
        let done = advance_driven(
            &leg.model, parts, signals, time, control, settings, &mut look,
        )?;
        looked.map(|()| done)
    }

    /// Advances to `time` [s] under a drive other than the simulation's own signals (a
    /// controller, a co-simulation master).
    pub fn advance_with(
        &mut self,
        drive: &(impl Drive + ?Sized),
        time: f64,
    ) -> Result<Advance, LegError> {
        let Self {
            leg,
            state,
            control,
            settings,
            workspace,
            ..
        } = self;
        let parts = (state, &mut **workspace);
        advance_driven(
            &leg.model,
            parts,
            drive,
            time,
            control,
            settings,
            &mut |_| {},
        )
    }

    /// The signals' values at `time` [s].
    pub fn inputs_at(&self, time: f64) -> Inputs {
        let mut inputs = Inputs::zeros(CHANNELS);
        self.signals.sample(time, &mut inputs);
        inputs
    }

    /// What the leg shows now.
    pub fn sample(&mut self) -> Result<LegSample, LegError> {
        sample_of(&self.leg, &self.state, &mut self.chord_angle)
    }
}

/// What a leg shows in `state`; `turned` is the angle of its chord, counted over full turns.
fn sample_of(
    leg: &PlanarLeg,
    state: &PlanarState,
    turned: &mut f64,
) -> Result<LegSample, LegError> {
    let model = &leg.model;
    let chord = chord_vector(leg, state);
    let length = chord.norm();
    let angle = math::atan2(chord.y, chord.x);
    *turned += wrap(angle - *turned);
    let point = |node| multibody::model::PointOn::node(node, Vector2::zeros());
    let velocity_a = results::point_velocity(model, state, &point(leg.node_a));
    let velocity_b = results::point_velocity(model, state, &point(leg.node_b));
    let relative = velocity_b - velocity_a;
    let chord_rate = (chord.x * relative.y - chord.y * relative.x) / (length * length);
    let (q1, q3) = (state.angle(leg.joints.o), state.angle(leg.joints.c));
    let rate = |joint| results::angle_rate(model, state, joint);
    let (q1_dot, q3_dot) = (rate(leg.joints.o), rate(leg.joints.c));
    let mut stations = [[0.0; 2]; 3];
    for (i, station) in stations.iter_mut().enumerate() {
        let s = 0.25 * (i + 1) as f64 * leg.config.leaf.length_m;
        *station = results::pose_at(model, state, leg.leaf, s)?
            .translation()
            .into();
    }
    let energies = results::energy::energies(model, state)?;
    let motor = leg
        .motor
        .and_then(|motor| results::torque(model, state, motor));
    let driver = leg
        .joints
        .crank_driver
        .map(|joint| results::reaction(model, state, joint).moment[2]);
    Ok(LegSample {
        t: state.time,
        q: [q1, *turned - q1, q3],
        q_dot: [q1_dot, chord_rate - q1_dot, q3_dot],
        tendon_length: length,
        tendon_tension: tendon_tension(leg, state),
        stations,
        crank_torque: motor.unwrap_or(0.0) + driver.unwrap_or(0.0),
        energies,
        work_in: state.ledger.work_in,
        dissipated: state.ledger.dissipated,
        energy_residual: state.ledger.residual(&energies),
        loop_gap: results::largest_gap(model, state),
        leaf_strain: leg.leaf_strain(state)?,
    })
}

/// A leg in its posture, not yet a simulation.
struct Mounted {
    leg: PlanarLeg,
    /// The poses of the bowed equilibrium, unless the leg is straight.
    poses: Option<PlanarState>,
    start: Option<PretensionReport>,
}

/// Brings the leg to the posture the configuration asks for. On the heap and not inlined: the
/// search for the equilibrium is deep, and nothing of the simulation is to lie under it.
#[inline(never)]
fn mount(config: &LegConfig) -> Result<Box<Mounted>, LegError> {
    let crank = LinkDrive::from(config.motor.mode);
    let link = if config.load.lock_q3 {
        LinkDrive::Prescribed
    } else {
        LinkDrive::Free
    };
    let mut near = Box::new(config.clone());
    let (leg, poses, start) = match config.pretension.posture {
        Posture::Bowed => {
            let Pretensioned { report, state, .. } = *pretension_boxed(config)?;
            near.pretension.q3_rad = report.q3_rad;
            let leg = PlanarLeg::new(&near, crank, link, report.q1_rad, report.rest_length_m)?;
            (leg, Some(state), Some(report))
        }
        Posture::Straight => {
            let q1 = config.pretension.q1_rad;
            let rest = config.tendon.rest_length_m.unwrap_or(config.leaf.length_m);
            let leg = PlanarLeg::new(&near, crank, link, q1, Some(rest))?;
            (leg, None, None)
        }
    };
    near.pretension.q3_rad = config.pretension.q3_rad;
    let leg = PlanarLeg {
        config: near,
        ..leg
    };
    Ok(Box::new(Mounted { leg, poses, start }))
}

/// Advances any model under its step control, which remembers an adapted step size.
/// `watch` sees the state at the end of every step.
pub(super) fn advance_driven<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    (state, workspace): (&mut State<G, N>, &mut Workspace<G, N>),
    drive: &(impl Drive + ?Sized),
    time: f64,
    control: &mut Control,
    settings: &StepSettings,
    watch: &mut dyn FnMut(&State<G, N>),
) -> Result<Advance, LegError> {
    let stepping = Stepping::new(control, settings);
    let done = advance_watched(model, state, workspace, drive, time, &stepping, watch);
    let done = done.map_err(stalled(state.time, control, settings))?;
    if let Control::Adaptive { first, .. } = control {
        *first = done.next_step;
    }
    Ok(done)
}

/// The error of a leg whose solver came no further than `time_s`.
pub(super) fn stalled(
    time_s: f64,
    control: &Control,
    settings: &StepSettings,
) -> impl FnOnce(Error) -> LegError + use<> {
    let step_s = match *control {
        Control::Fixed { step, .. } => step,
        Control::Adaptive { largest, .. } => largest,
    };
    let spectral_radius = settings.spectral_radius;
    move |cause| LegError::Stalled {
        time_s,
        step_s,
        spectral_radius,
        cause,
    }
}

/// Step settings of a leg.
pub(super) fn step_settings(solver: &Solver) -> StepSettings {
    StepSettings {
        spectral_radius: solver.spectral_radius,
        tolerance: solver.newton_tolerance,
        ..StepSettings::default()
    }
}

fn chord_vector(leg: &PlanarLeg, state: &PlanarState) -> Vector2<f64> {
    state.pose(leg.node_b).translation() - state.pose(leg.node_a).translation()
}

/// Step control of a leg.
pub(super) fn control(solver: &Solver) -> Control {
    let step = solver.step_s;
    if solver.adaptive {
        Control::Adaptive {
            first: 0.1 * step,
            tolerance: solver.error_tolerance,
            smallest: 1e-6 * step,
            largest: step,
        }
    } else {
        Control::fixed(step)
    }
}

/// Signals of all channels; target angles count from where the links start.
fn signals(config: &LegConfig, [q1, q3]: [f64; 2]) -> Signals {
    let mut list = vec![Signal::Constant(0.0); CHANNELS];
    let mut set = |channel: Channel, signal| list[channel as usize] = signal;
    set(Channel::CrankTorque, config.motor.torque_nm.signal());
    set(Channel::LinkTorque, config.load.torque_nm.signal());
    set(Channel::LoadX, config.load.force_x_n.signal());
    set(Channel::LoadY, config.load.force_y_n.signal());
    set(Channel::LinkAngle, Signal::Constant(q3));
    set(
        Channel::CrankAngle,
        match config.motor.mode {
            MotorMode::Angle | MotorMode::Hold => config.motor.angle_rad.signal().shifted(q1),
            MotorMode::Torque | MotorMode::Locked => Signal::Constant(q1),
        },
    );
    Signals(list)
}
