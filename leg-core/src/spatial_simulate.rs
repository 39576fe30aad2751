//! Motion of the spatial leg from its equilibrium.

use super::LegError;
use super::config::MotorMode;
use super::planar::LinkDrive;
use super::simulate::{advance_driven, control, step_settings};
use super::spatial::{
    SPATIAL_CHANNELS, SpatialChannel, SpatialLeg, SpatialLegConfig, SpatialPretensioned,
    SpatialState, TipDrive, pretension_spatial,
};
use super::universal::UniversalAngles;
use multibody::assembly::hinge;
use multibody::dynamics::{self, Advance, Control, StepSettings};
use multibody::group::{Group, Se3};
use multibody::model::{Drive, PointOn, Signal, Signals};
use multibody::results::soundness::LeafStrain;
use multibody::results::{self, energy::Energies};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector3;

/// What a spatial leg shows at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialSample {
    /// Time [s].
    pub t: f64,
    /// Crank angle [rad].
    pub q1: f64,
    /// Its rate [rad/s].
    pub q1_dot: f64,
    /// Angles of the universal joint.
    pub universal: UniversalAngles,
    /// Tip position [m].
    pub tip_position: [f64; 3],
    /// Tip velocity [m/s].
    pub tip_velocity: [f64; 3],
    /// Force of the leg on what holds its tip [N].
    pub tip_force: [f64; 3],
    /// Distance A to B [m].
    pub tendon_length: f64,
    /// Its rate [m/s].
    pub tendon_rate: f64,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Torque of motor or driver on the crank [N·m].
    pub crank_torque: f64,
    /// Middle of the leaf [m].
    pub mid_point: [f64; 3],
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

/// A running simulation of a spatial leg.
#[derive(Debug, Clone)]
pub struct SpatialSimulation {
    /// The leg.
    pub leg: SpatialLeg,
    /// Its state.
    pub state: SpatialState,
    /// Signals on the input channels.
    pub signals: Signals,
    /// Rest length of the tendon [m].
    pub rest_length_m: Option<f64>,
    control: Control,
    settings: StepSettings,
    workspace: Workspace<Se3, 6>,
}

impl SpatialSimulation {
    /// The leg at rest in its pre-tensioned posture at t = 0; a free tip starts under the force
    /// that holds it there.
    pub fn new(config: &SpatialLegConfig, tip: TipDrive) -> Result<Self, LegError> {
        Self::from_equilibrium(pretension_spatial(config)?, tip)
    }

    /// The same from an equilibrium already found.
    pub fn from_equilibrium(bowed: SpatialPretensioned, tip: TipDrive) -> Result<Self, LegError> {
        let signals = resting_signals(&bowed, tip);
        Self::driven(bowed, tip, signals)
    }

    /// The same under signals of choice; [`resting_signals`] are what to start from.
    pub fn driven(
        bowed: SpatialPretensioned,
        tip: TipDrive,
        signals: Signals,
    ) -> Result<Self, LegError> {
        let config = bowed.leg.config.clone();
        config.motor.check_start()?;
        let place = Vector3::from(config.tip_position_m);
        let drive = LinkDrive::from(config.motor.mode);
        let rest = bowed.rest_length_m;
        let leg = SpatialLeg::new(&config, drive, tip, config.q1_rad, place, rest)?;
        let mut state = State::new(&leg.model);
        state.poses.copy_from_slice(&bowed.state.poses);
        state.angles[leg.motor_joint.index()] = bowed.state.angle(bowed.leg.motor_joint);
        hinge::update_angles(&leg.model, &mut state);
        let mut workspace = Workspace::new(&leg.model);
        dynamics::initialize(&leg.model, &mut state, &mut workspace, &signals)?;
        let (control, settings) = (control(&config.solver), step_settings(&config.solver));
        Ok(Self {
            leg,
            state,
            signals,
            rest_length_m: rest,
            control,
            settings,
            workspace,
        })
    }

    /// Goes back to the state of `other`, a simulation of the same leg, without allocating.
    pub fn restart_from(&mut self, other: &Self) {
        self.state.copy_from(&other.state);
        self.control = other.control;
    }

    /// Gives one channel another history, from now on. Vector channels take an offset of 0 to 2.
    pub fn set_signal(&mut self, channel: SpatialChannel, offset: usize, signal: Signal) {
        self.signals.0[channel as usize + offset] = signal;
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
        let parts = (state, workspace);
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
        watch: &mut dyn FnMut(&SpatialSample),
    ) -> Result<Advance, LegError> {
        let Self {
            leg,
            state,
            signals,
            control,
            settings,
            workspace,
            ..
        } = self;
        let mut looked = Ok(());
        let mut look = |state: &SpatialState| {
            if state.time < time && looked.is_ok() {
                looked = leg.sample(state).map(|sample| watch(&sample));
            }
        };
        let parts = (state, workspace);
        let done = advance_driven(
            &leg.model, parts, signals, time, control, settings, &mut look,
        )?;
        looked.map(|()| done)
    }

    /// Advances to `time` [s] under another drive than the simulation's own signals.
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
        let parts = (state, workspace);
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

    /// What the leg shows now.
    pub fn sample(&self) -> Result<SpatialSample, LegError> {
        self.leg.sample(&self.state)
    }
}

impl SpatialLeg {
    /// Torque of motor or driver on the crank [N·m].
    pub fn crank_torque(&self, state: &SpatialState) -> f64 {
        let motor = results::torque(&self.model, state, self.motor).unwrap_or(0.0);
        let axis = state.pose(self.crank).rotation();
        let driver = self.crank_driver.map_or(0.0, |joint| {
            let moment = Vector3::from(results::reaction(&self.model, state, joint).moment);
            moment.dot(&axis.column(2))
        });
        motor + driver
    }

    /// Tendon tension [N]; zero without a tendon.
    pub fn tendon_tension(&self, state: &SpatialState) -> f64 {
        self.tendon
            .and_then(|tendon| results::line(&self.model, state, tendon))
            .map_or(0.0, |line| line.response.tension)
    }

    /// Vector from A to B [m].
    pub fn chord(&self, state: &SpatialState) -> Vector3<f64> {
        state.pose(self.node_b).translation() - state.pose(self.node_a).translation()
    }

    /// What the leg shows in `state`.
    pub fn sample(&self, state: &SpatialState) -> Result<SpatialSample, LegError> {
        let model = &self.model;
        let point = |node| PointOn::node(node, Vector3::zeros());
        let velocity = results::point_velocity(model, state, &point(self.node_b));
        let chord = self.chord(state);
        let relative = velocity - results::point_velocity(model, state, &point(self.node_a));
        let energies = results::energy::energies(model, state)?;
        let half = 0.5 * self.config.leaf.length_m;
        Ok(SpatialSample {
            t: state.time,
            q1: state.angle(self.motor_joint),
            q1_dot: results::angle_rate(model, state, self.motor_joint),
            universal: self.universal_angles(state),
            tip_position: state.pose(self.node_b).translation().into(),
            tip_velocity: velocity.into(),
            tip_force: self.tip_force(state).into(),
            tendon_length: chord.norm(),
            tendon_rate: chord.dot(&relative) / chord.norm(),
            tendon_tension: self.tendon_tension(state),
            crank_torque: self.crank_torque(state),
            mid_point: results::pose_at(model, state, self.leaf, half)?
                .translation()
                .into(),
            energies,
            work_in: state.ledger.work_in,
            dissipated: state.ledger.dissipated,
            energy_residual: state.ledger.residual(&energies),
            loop_gap: results::largest_gap(model, state),
            leaf_strain: self.leaf_strain(state)?,
        })
    }
}

/// Signals that ask for nothing but what the configuration says of the motor: a prescribed tip
/// stays where it is, a free one feels the force that held it there.
pub fn resting_signals(bowed: &SpatialPretensioned, tip: TipDrive) -> Signals {
    let config = &bowed.leg.config;
    let mut list = vec![Signal::Constant(0.0); SPATIAL_CHANNELS];
    let mut set = |channel: usize, signal| list[channel] = signal;
    set(
        SpatialChannel::CrankTorque as usize,
        config.motor.torque_nm.signal(),
    );
    let angle = match config.motor.mode {
        MotorMode::Angle | MotorMode::Hold => {
            config.motor.angle_rad.signal().shifted(config.q1_rad)
        }
        MotorMode::Torque | MotorMode::Locked => Signal::Constant(config.q1_rad),
    };
    set(SpatialChannel::CrankAngle as usize, angle);
    for (i, place) in config.tip_position_m.into_iter().enumerate() {
        let held = match tip {
            TipDrive::Prescribed => 0.0,
            TipDrive::Free => -bowed.tip_force_n[i],
        };
        let channels = [SpatialChannel::TipPosition, SpatialChannel::TipForce];
        for (channel, value) in channels.into_iter().zip([place, held]) {
            set(channel as usize + i, Signal::Constant(value));
        }
    }
    Signals(list)
}
