//! The planar leg as a unit: torques and loads in, angles and forces out.

use super::LegError;
use super::config::{History, LegConfig, MotorMode, Solver};
use super::planar::{Channel, LinkDrive, PlanarLeg, wrap};
use super::pretension::{PlanarState, tendon_tension};
use super::simulate::Simulation;
use super::unit::{Cubic, Input, LegUnit, Origin, OutputGroup, Saved, UnitLeg};
use core::f64::consts::{PI, TAU};
use core::ops::Range;
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::model::{ForceId, Model, NodeId, PointOn};
use multibody::results::{self, stress};
use nalgebra::Vector2;

/// The planar leg as a unit.
pub type PlanarUnit = LegUnit<PlanarLeg, Se2, 3, 2>;
/// A saved planar unit.
pub type SavedPlanar = Saved<PlanarLeg, Se2, 3>;

/// Inputs of the planar unit, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum PlanarInput {
    /// Torque on the crank [N·m]; without effect on a crank that is locked or follows an angle.
    MotorTorque = 0,
    /// Target of the crank's angle, counted from the pre-tensioned q1 [rad]. In the mode `hold` it
    /// is what the controller aims for; in the mode `angle` the crank is there at the end of the
    /// step.
    MotorAngle = 1,
    /// Torque on the upper link about C [N·m].
    LoadTorque = 2,
    /// Force on the upper link's end B along x [N].
    LoadForceX = 3,
    /// Force on the upper link's end B along y [N].
    LoadForceY = 4,
}

/// Number of inputs of the planar unit.
pub const PLANAR_INPUTS: usize = 5;

/// Outputs of the planar unit, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum PlanarOutput {
    /// q1, q2, q3 [rad], three outputs.
    Angles = 0,
    /// Their rates [rad/s], three outputs.
    Rates = 3,
    /// Distance A to B [m].
    TendonLength = 6,
    /// Its rate [m/s].
    TendonRate = 7,
    /// Torque of motor or driver on the crank [N·m].
    MotorTorque = 8,
    /// Tendon tension [N].
    TendonTension = 9,
    /// Force on the leaf at A, tendon not counted [N], two outputs.
    ForceA = 10,
    /// Force on the leaf at B, tendon not counted [N], two outputs.
    ForceB = 12,
    /// Thrust of the leaf along AB, mean of both ends [N].
    Thrust = 14,
    /// Positions at a quarter, half and three quarters of the leaf [m], two outputs each.
    Stations = 15,
    /// Bending strain on the surface of the leaf's middle [-].
    BendingStrain = 21,
    /// Bending moment in the leaf's middle [N·m].
    BendingMoment = 22,
    /// Kinetic energy [J].
    Kinetic = 23,
    /// Strain energy of the leaf [J].
    Strain = 24,
    /// Energy stored in the tendon [J].
    Tendon = 25,
    /// Potential of gravity [J].
    Gravity = 26,
    /// Work done by inputs since the start [J].
    WorkIn = 27,
    /// Energy dissipated since the start [J].
    Dissipated = 28,
    /// What the ledger misses [J].
    Residual = 29,
    /// Largest axial strain [-].
    AxialStrain = 30,
    /// Largest strain on the leaf's surface [-].
    SurfaceStrain = 31,
    /// Largest violation of a joint [m].
    LoopGap = 32,
}

/// Number of outputs of the planar unit.
pub const PLANAR_OUTPUTS: usize = 33;

impl PlanarUnit {
    /// The leg at rest in the posture the configuration asks for, under inputs (see
    /// [`PlanarInput`]) that replace the histories of the configuration.
    pub fn new(config: &LegConfig, inputs: &[f64; PLANAR_INPUTS]) -> Result<Self, LegError> {
        Ok(*Self::boxed(config, inputs)?)
    }

    /// The same on the heap, for callers with a small stack: little lies under the search for the
    /// equilibrium.
    #[inline(never)]
    pub fn boxed(config: &LegConfig, inputs: &[f64; PLANAR_INPUTS]) -> Result<Box<Self>, LegError> {
        let config = under(config, inputs);
        let simulation = Simulation::new(&config)?;
        Ok(Self::at_rest(&config, simulation, inputs))
    }

    /// A simulation at its start as a unit.
    #[inline(never)]
    fn at_rest(
        config: &LegConfig,
        simulation: Simulation,
        inputs: &[f64; PLANAR_INPUTS],
    ) -> Box<Self> {
        let Simulation {
            leg, state, start, ..
        } = simulation;
        let chord = chord_vector(&leg, &state);
        let [at_a, at_b] = leaf_forces(&leg, &state);
        let mut origin = Origin {
            q1: config.pretension.q1_rad,
            q3: config.pretension.q3_rad,
            held: [state.angle(leg.joints.o), state.angle(leg.joints.c)],
            chord: chord.norm(),
            tension: tendon_tension(&leg, &state),
            thrust: 0.5 * (at_a - at_b).dot(&chord) / chord.norm(),
            ..Origin::default()
        };
        if let Some(report) = &start {
            (origin.q1, origin.q3) = (report.q1_rad, report.q3_rad);
            origin.rest_length = report.rest_length_m;
            origin.thrust = report.thrust_n;
        } else if config.tendon.present {
            let natural = config.leaf.length_m;
            origin.rest_length = Some(config.tendon.rest_length_m.unwrap_or(natural));
        }
        let near = math::atan2(chord.y, chord.x);
        Box::new(Self::from_start(leg, origin, state, inputs, near))
    }
}

/// The configuration with inputs in place of its histories.
#[inline(never)]
fn under(config: &LegConfig, inputs: &[f64; PLANAR_INPUTS]) -> Box<LegConfig> {
    let mut config = Box::new(config.clone());
    let value = |input: PlanarInput| History::Constant(inputs[input as usize]);
    config.motor.torque_nm = value(PlanarInput::MotorTorque);
    config.load.torque_nm = value(PlanarInput::LoadTorque);
    config.load.force_x_n = value(PlanarInput::LoadForceX);
    config.load.force_y_n = value(PlanarInput::LoadForceY);
    config.motor.angle_rad = match config.motor.mode {
        MotorMode::Hold => value(PlanarInput::MotorAngle),
        // A crank that follows an angle gets there in the first step.
        _ => History::Constant(0.0),
    };
    config
}

impl UnitLeg<Se2, 3, 2> for PlanarLeg {
    type Config = LegConfig;
    const INPUTS: usize = PLANAR_INPUTS;

    fn outputs(group: OutputGroup) -> Range<usize> {
        use PlanarOutput as O;
        let range = |from: O, to: usize| from as usize..to;
        match group {
            OutputGroup::Motion => range(O::Angles, O::MotorTorque as usize),
            OutputGroup::Force => range(O::MotorTorque, O::Stations as usize),
            OutputGroup::Shape => range(O::Stations, O::Kinetic as usize),
            OutputGroup::Energy => range(O::Kinetic, O::AxialStrain as usize),
            OutputGroup::Diagnostic => range(O::AxialStrain, PLANAR_OUTPUTS),
            OutputGroup::Course | OutputGroup::Base => PLANAR_OUTPUTS..PLANAR_OUTPUTS,
        }
    }

    fn model(&self) -> &Model<Se2, 3, 2> {
        &self.model
    }

    fn solver(&self) -> &Solver {
        &self.config.solver
    }

    fn leaf(&self) -> ([NodeId; 2], f64) {
        ([self.node_a, self.node_b], self.config.leaf.length_m)
    }

    fn tendon(&self) -> Option<ForceId> {
        self.tendon
    }

    fn rebuild(config: &LegConfig, origin: &Origin) -> Result<Self, LegError> {
        let crank = LinkDrive::from(config.motor.mode);
        let link = if config.load.lock_q3 {
            LinkDrive::Prescribed
        } else {
            LinkDrive::Free
        };
        let mut near = config.clone();
        near.pretension.q3_rad = origin.q3;
        let leg = Self::new(&near, crank, link, origin.q1, origin.rest_length)?;
        Ok(Self {
            config: Box::new(config.clone()),
            ..leg
        })
    }

    fn curves(
        &self,
        origin: &Origin,
        inputs: &[Input],
        state: &PlanarState,
        length: f64,
        out: &mut [Cubic],
    ) {
        let taylor = |input: PlanarInput| inputs[input as usize].taylor();
        out.fill(Cubic::default());
        out[Channel::CrankTorque as usize] = taylor(PlanarInput::MotorTorque);
        out[Channel::LinkTorque as usize] = taylor(PlanarInput::LoadTorque);
        out[Channel::LoadX as usize] = taylor(PlanarInput::LoadForceX);
        out[Channel::LoadY as usize] = taylor(PlanarInput::LoadForceY);
        out[Channel::LinkAngle as usize] = Cubic::constant(origin.held[1]);
        let channel = Channel::CrankAngle as usize;
        let from = (state.inputs.value[channel], state.inputs.rate[channel]);
        let input = &inputs[PlanarInput::MotorAngle as usize];
        out[channel] = crank_curve(self.config.motor.mode, input, origin.held[0], from, length);
    }

    fn curve_changes(
        &self,
        _origin: &Origin,
        inputs: &[Input],
        input: usize,
        length: f64,
        out: &mut Vec<(usize, Cubic)>,
    ) {
        use PlanarInput as I;
        let constant = Cubic::constant(1.0);
        let plain = [
            (I::MotorTorque, Channel::CrankTorque),
            (I::LoadTorque, Channel::LinkTorque),
            (I::LoadForceX, Channel::LoadX),
            (I::LoadForceY, Channel::LoadY),
        ];
        let channels = plain.into_iter().filter(|(i, _)| *i as usize == input);
        out.extend(channels.map(|(_, channel)| (channel as usize, constant)));
        if input == I::MotorAngle as usize {
            let change = crank_change(self.config.motor.mode, &inputs[input], length);
            out.extend(change.map(|cubic| (Channel::CrankAngle as usize, cubic)));
        }
    }

    /// The angle of the chord. Between two steps it is followed by its nearest value; after long
    /// steps the joints, which are followed in every step of the solver, know the turn.
    fn counted_angle(&self, state: &PlanarState, near: f64) -> f64 {
        let chord = chord_vector(self, state);
        let angle = near + wrap(math::atan2(chord.y, chord.x) - near);
        let root = state.angle(self.joints.o) + state.angle(self.joints.a);
        let off = angle - root;
        if off.abs() > PI {
            angle - TAU * (off / TAU).round()
        } else {
            angle
        }
    }

    fn evaluate(
        &self,
        group: OutputGroup,
        state: &PlanarState,
        near: f64,
        out: &mut [f64],
    ) -> Result<(), LegError> {
        match group {
            OutputGroup::Motion => motion(self, state, near, out),
            OutputGroup::Force => forces(self, state, out),
            OutputGroup::Shape => shape(self, state, out)?,
            OutputGroup::Energy => energies(&self.model, state, out)?,
            OutputGroup::Diagnostic => diagnostics(self, state, out)?,
            OutputGroup::Course | OutputGroup::Base => {}
        }
        Ok(())
    }
}

/// Curve of the crank's target: held, aimed for, or followed.
pub(super) fn crank_curve(
    mode: MotorMode,
    input: &Input,
    q1: f64,
    from: (f64, f64),
    length: f64,
) -> Cubic {
    match mode {
        MotorMode::Torque | MotorMode::Locked => Cubic::constant(q1),
        MotorMode::Hold => input.taylor().shifted(q1),
        MotorMode::Angle => {
            let (value, rate, _) = input.taylor().sample(length);
            let end = value + q1;
            // Without a rate from outside the crank ends with its mean rate.
            let rate = if input.order() > 0 {
                rate
            } else {
                (end - from.0) / length
            };
            Cubic::hermite(from, (end, rate), length)
        }
    }
}

/// Change of [`crank_curve`] with the input's value.
pub(super) fn crank_change(mode: MotorMode, input: &Input, length: f64) -> Option<Cubic> {
    match mode {
        MotorMode::Torque | MotorMode::Locked => None,
        MotorMode::Hold => Some(Cubic::constant(1.0)),
        MotorMode::Angle => {
            let rate = if input.order() > 0 { 0.0 } else { 1.0 / length };
            Some(Cubic::hermite((0.0, 0.0), (1.0, rate), length))
        }
    }
}

fn chord_vector(leg: &PlanarLeg, state: &PlanarState) -> Vector2<f64> {
    state.pose(leg.node_b).translation() - state.pose(leg.node_a).translation()
}

fn motion(leg: &PlanarLeg, state: &PlanarState, near: f64, out: &mut [f64]) {
    let model = &leg.model;
    let chord = chord_vector(leg, state);
    let length = chord.norm();
    let point = |node| PointOn::node(node, Vector2::zeros());
    let velocity_a = results::point_velocity(model, state, &point(leg.node_a));
    let velocity_b = results::point_velocity(model, state, &point(leg.node_b));
    let relative = velocity_b - velocity_a;
    let chord_rate = (chord.x * relative.y - chord.y * relative.x) / (length * length);
    let (q1, q3) = (state.angle(leg.joints.o), state.angle(leg.joints.c));
    let rate = |joint| results::angle_rate(model, state, joint);
    let (q1_dot, q3_dot) = (rate(leg.joints.o), rate(leg.joints.c));
    out.copy_from_slice(&[
        q1,
        leg.counted_angle(state, near) - q1,
        q3,
        q1_dot,
        chord_rate - q1_dot,
        q3_dot,
        length,
        chord.dot(&relative) / length,
    ]);
}

/// Forces on the leaf at A and B without the tendon's share [N].
fn leaf_forces(leg: &PlanarLeg, state: &PlanarState) -> [Vector2<f64>; 2] {
    let model = &leg.model;
    let line = leg
        .tendon
        .and_then(|tendon| results::line(model, state, tendon));
    let pull = line.map_or(Vector2::zeros(), |line| {
        line.direction * line.response.tension
    });
    let at_a = results::reaction(model, state, leg.joints.a).force + pull;
    let at_b = -results::reaction(model, state, leg.joints.b).force - pull;
    [at_a, at_b]
}

fn forces(leg: &PlanarLeg, state: &PlanarState, out: &mut [f64]) {
    let model = &leg.model;
    let motor = leg
        .motor
        .and_then(|motor| results::torque(model, state, motor));
    let driver = leg
        .joints
        .crank_driver
        .map(|joint| results::reaction(model, state, joint).moment[2]);
    let [at_a, at_b] = leaf_forces(leg, state);
    let chord = chord_vector(leg, state);
    out.copy_from_slice(&[
        motor.unwrap_or(0.0) + driver.unwrap_or(0.0),
        tendon_tension(leg, state),
        at_a.x,
        at_a.y,
        at_b.x,
        at_b.y,
        0.5 * (at_a - at_b).dot(&chord) / chord.norm(),
    ]);
}

fn shape(leg: &PlanarLeg, state: &PlanarState, out: &mut [f64]) -> Result<(), LegError> {
    for i in 0..3 {
        let s = 0.25 * (i + 1) as f64 * leg.config.leaf.length_m;
        let place = results::pose_at(&leg.model, state, leg.leaf, s)?.translation();
        out[2 * i] = place.x;
        out[2 * i + 1] = place.y;
    }
    let moment = stress::middle_wrench(&leg.model, state, leg.leaf)?[2];
    let leaf = &leg.config.leaf;
    out[6] = 0.5 * leaf.thickness_m * leaf.elastic_curvature(moment);
    out[7] = moment;
    Ok(())
}

/// Energies and ledger of any leg, in the order of the outputs.
pub(super) fn energies<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &multibody::state::State<G, N>,
    out: &mut [f64],
) -> Result<(), LegError> {
    let energies = results::energy::energies(model, state)?;
    out.copy_from_slice(&[
        energies.kinetic,
        energies.strain,
        energies.springs,
        energies.gravity,
        state.ledger.work_in,
        state.ledger.dissipated,
        state.ledger.residual(&energies),
    ]);
    Ok(())
}

fn diagnostics(leg: &PlanarLeg, state: &PlanarState, out: &mut [f64]) -> Result<(), LegError> {
    let strain = leg.leaf_strain(state)?;
    let gap = results::largest_gap(&leg.model, state);
    out.copy_from_slice(&[strain.axial, strain.surface, gap]);
    Ok(())
}
