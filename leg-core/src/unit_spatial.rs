//! The spatial leg as a unit: the motion of its tip in, the force of its tip out.

use super::LegError;
use super::config::{MotorMode, Solver};
use super::planar::LinkDrive;
use super::spatial::{
    Foundation, SPATIAL_CHANNELS, SectionShape, SpatialChannel, SpatialLeg, SpatialLegConfig,
    SpatialPretensioned, SpatialState, TipDrive, pretension_spatial,
};
use super::strain::section_size;
use super::unit::{Cubic, Curves, Input, LegUnit, Origin, OutputGroup, Saved, UnitLeg};
use super::unit_planar::{crank_change, crank_curve, energies};
use core::ops::Range;
use multibody::assembly::hinge;
use multibody::dynamics;
use multibody::error::require;
use multibody::group::{Group, Se3};
use multibody::model::{ForceId, Model, NodeId, PointOn};
use multibody::results::{self, stress};
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path};
use multibody::workspace::Workspace;
use nalgebra::Vector3;

/// The spatial leg as a unit.
pub type SpatialUnit = LegUnit<SpatialLeg, Se3, 6, 3>;
/// A saved spatial unit.
pub type SavedSpatial = Saved<SpatialLeg, Se3, 6>;

/// Inputs of the spatial unit, in this order.
///
/// Position and velocity of the tip are those at the *end* of the step; the tip gets there on the
/// cubic from where it is. Where derivatives of a position are given, they make a polynomial from
/// the *start* of the step, whose end is where the tip goes; the velocity there is the
/// polynomial's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SpatialInput {
    /// Position of the tip at the end of the step [m], three inputs.
    TipPosition = 0,
    /// Velocity of the tip at the end of the step [m/s], three inputs.
    TipVelocity = 3,
    /// Torque on the crank [N·m]; without effect on a crank that is locked or follows an angle.
    MotorTorque = 6,
    /// Target of the crank's angle, counted from the pre-tensioned q1 [rad]; as in the plane.
    MotorAngle = 7,
    /// Pull of the tendon's winch, added to what the tendon has by itself [N].
    TendonForce = 8,
    /// Place of a base that moves at the end of the step, from where it was at the start: position
    /// [m], rotation vector [rad], six inputs. Without effect on a leg that stands on the ground.
    BasePlace = 9,
    /// Their rates at the end of the step [m/s, rad/s], six inputs.
    BaseRate = 15,
}

/// Number of inputs of the spatial unit.
pub const SPATIAL_INPUTS: usize = 21;
/// Coordinates of a base.
const BASE: usize = 6;

/// Outputs of the spatial unit, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SpatialOutput {
    /// Crank angle [rad].
    MotorAngle = 0,
    /// Its rate [rad/s].
    MotorRate = 1,
    /// Distance A to B [m].
    TendonLength = 2,
    /// Its rate [m/s].
    TendonRate = 3,
    /// Force of the leg on what holds its tip [N], three outputs.
    TipForce = 4,
    /// Torque of motor or driver on the crank [N·m].
    MotorTorque = 7,
    /// Tendon tension [N].
    TendonTension = 8,
    /// Middle of the leaf [m], three outputs.
    MidPoint = 9,
    /// Bending strain on the surface of the leaf's middle [-].
    BendingStrain = 12,
    /// Bending moment in the leaf's middle [N·m].
    BendingMoment = 13,
    /// Kinetic energy [J].
    Kinetic = 14,
    /// Strain energy of the leaf [J].
    Strain = 15,
    /// Energy stored in the tendon [J].
    Tendon = 16,
    /// Potential of gravity [J].
    Gravity = 17,
    /// Work done by inputs since the start [J].
    WorkIn = 18,
    /// Energy dissipated since the start [J].
    Dissipated = 19,
    /// What the ledger misses [J].
    Residual = 20,
    /// Largest axial strain [-].
    AxialStrain = 21,
    /// Largest strain on the leaf's surface [-].
    SurfaceStrain = 22,
    /// Largest violation of a joint [m].
    LoopGap = 23,
    /// Mean of the tip's force over the last step [N], three outputs; see [`super::series`].
    TipForceMean = 24,
    /// Its linear part [N], three outputs.
    TipForceLinear = 27,
    /// Its quadratic part [N], three outputs.
    TipForceQuadratic = 30,
    /// Its cubic part [N], three outputs.
    TipForceCubic = 33,
    /// Force of the leg on a base that moves [N], three outputs; zero on the ground.
    BaseForce = 36,
    /// Moment of the leg on it about its origin [N·m], three outputs.
    BaseMoment = 39,
}

/// Number of outputs of the spatial unit.
pub const SPATIAL_OUTPUTS: usize = 42;

impl SpatialUnit {
    /// The leg at rest. It is pre-tensioned with its tip where the configuration
    /// says; if the inputs have the tip elsewhere, it is moved there slowly first. The tip's
    /// velocity counts from the first step on; for `tip_velocity_given` see [`Origin`].
    pub fn new(
        config: &SpatialLegConfig,
        tip_velocity_given: bool,
        inputs: &[f64; SPATIAL_INPUTS],
    ) -> Result<Self, LegError> {
        let ground = Foundation::Ground;
        Ok(*Self::boxed(config, ground, tip_velocity_given, inputs)?)
    }

    /// The same on a foundation of choice, and on the heap, for callers with a small stack: little lies
    /// under the search for the equilibrium. A base that moves starts at rest in the ground's frame.
    #[inline(never)]
    pub fn boxed(
        config: &SpatialLegConfig,
        foundation: Foundation,
        tip_velocity_given: bool,
        inputs: &[f64; SPATIAL_INPUTS],
    ) -> Result<Box<Self>, LegError> {
        if foundation == Foundation::Moving {
            let place = &inputs[SpatialInput::BasePlace as usize..][..BASE];
            for &away in place {
                let (owner, quantity) = ("base", "place at the start");
                let allowed = "zero: it starts at the origin, not turned";
                require(away == 0.0, owner, quantity, away, allowed)?;
            }
        }
        let mut bowed = pretension_spatial(config)?;
        let tip = [inputs[0], inputs[1], inputs[2]];
        if tip != config.tip_position_m {
            move_tip(&mut bowed, tip)?;
        }
        Self::at_rest(config, &bowed, (foundation, tip_velocity_given), inputs)
    }

    /// A leg in equilibrium as a unit.
    #[inline(never)]
    fn at_rest(
        config: &SpatialLegConfig,
        bowed: &SpatialPretensioned,
        (foundation, tip_velocity_given): (Foundation, bool),
        inputs: &[f64; SPATIAL_INPUTS],
    ) -> Result<Box<Self>, LegError> {
        let tip = [inputs[0], inputs[1], inputs[2]];
        let origin = Origin {
            q1: config.q1_rad,
            held: [config.q1_rad, 0.0],
            tip,
            tip_velocity_given,
            base_moves: foundation == Foundation::Moving,
            rest_length: bowed.rest_length_m,
            chord: bowed.chord_m,
            tension: bowed.tension_n,
            thrust: bowed.thrust_n,
            ..Origin::default()
        };
        let leg = SpatialLeg::rebuild(config, &origin)?;
        let mut state = State::new(&leg.model);
        // A base that moves adds its node in front of the others.
        let extra = state.poses.len() - bowed.state.poses.len();
        state.poses[extra..].copy_from_slice(&bowed.state.poses);
        state.angles[leg.motor_joint.index()] = bowed.state.angle(bowed.leg.motor_joint);
        hinge::update_angles(&leg.model, &mut state);
        let mut curves = [Cubic::default(); SPATIAL_CHANNELS];
        let torque = inputs[SpatialInput::MotorTorque as usize];
        curves[SpatialChannel::CrankTorque as usize] = Cubic::constant(torque);
        let angle = match config.motor.mode {
            MotorMode::Hold => inputs[SpatialInput::MotorAngle as usize] + origin.held[0],
            _ => origin.held[0],
        };
        curves[SpatialChannel::CrankAngle as usize] = Cubic::constant(angle);
        let pull = inputs[SpatialInput::TendonForce as usize];
        curves[SpatialChannel::TendonForce as usize] = Cubic::constant(pull);
        for (i, place) in tip.into_iter().enumerate() {
            curves[SpatialChannel::TipPosition as usize + i] = Cubic::constant(place);
        }
        let mut workspace = Box::new(Workspace::new(&leg.model));
        dynamics::initialize(&leg.model, &mut state, &mut workspace, &Curves(&curves))?;
        let unit = Self::from_start(leg, origin, state, inputs, 0.0);
        Ok(Box::new(unit))
    }
}

/// Moves the tip of a leg in equilibrium, every point of the way an equilibrium.
#[inline(never)]
fn move_tip(bowed: &mut SpatialPretensioned, tip: [f64; 3]) -> Result<(), LegError> {
    let from = bowed.state.inputs.value.clone();
    let mut to = from.clone();
    let first = SpatialChannel::TipPosition as usize;
    to[first..first + 3].copy_from_slice(&tip);
    let SpatialPretensioned { leg, state, .. } = bowed;
    let mut workspace = Box::new(Workspace::new(&leg.model));
    let settings = ContinuationSettings {
        largest_step: 0.1,
        ..Default::default()
    };
    let path = Path { from, to };
    statics::load_to(
        &leg.model,
        state,
        &mut workspace,
        &path,
        &settings,
        |_, _| {},
    )?;
    Ok(())
}

impl UnitLeg<Se3, 6, 3> for SpatialLeg {
    type Config = SpatialLegConfig;
    const INPUTS: usize = SPATIAL_INPUTS;

    fn outputs(group: OutputGroup) -> Range<usize> {
        use SpatialOutput as O;
        let range = |from: O, to: usize| from as usize..to;
        match group {
            OutputGroup::Motion => range(O::MotorAngle, O::TipForce as usize),
            OutputGroup::Force => range(O::TipForce, O::MidPoint as usize),
            OutputGroup::Shape => range(O::MidPoint, O::Kinetic as usize),
            OutputGroup::Energy => range(O::Kinetic, O::AxialStrain as usize),
            OutputGroup::Diagnostic => range(O::AxialStrain, O::TipForceMean as usize),
            OutputGroup::Course => range(O::TipForceMean, O::BaseForce as usize),
            OutputGroup::Base => range(O::BaseForce, SPATIAL_OUTPUTS),
        }
    }

    fn model(&self) -> &Model<Se3, 6, 3> {
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

    fn rebuild(config: &SpatialLegConfig, origin: &Origin) -> Result<Self, LegError> {
        let (drive, place) = (
            LinkDrive::from(config.motor.mode),
            Vector3::from(origin.tip),
        );
        let foundation = if origin.base_moves {
            Foundation::Moving
        } else {
            Foundation::Ground
        };
        Self::founded(
            config,
            foundation,
            drive,
            TipDrive::Prescribed,
            origin.q1,
            place,
            origin.rest_length,
        )
    }

    fn curves(
        &self,
        origin: &Origin,
        inputs: &[Input],
        state: &SpatialState,
        length: f64,
        out: &mut [Cubic],
    ) {
        out.fill(Cubic::default());
        let torque = &inputs[SpatialInput::MotorTorque as usize];
        out[SpatialChannel::CrankTorque as usize] = torque.taylor();
        let pull = &inputs[SpatialInput::TendonForce as usize];
        out[SpatialChannel::TendonForce as usize] = pull.taylor();
        let from = |channel: usize| (state.inputs.value[channel], state.inputs.rate[channel]);
        let channel = SpatialChannel::CrankAngle as usize;
        let input = &inputs[SpatialInput::MotorAngle as usize];
        out[channel] = crank_curve(
            self.config.motor.mode,
            input,
            origin.held[0],
            from(channel),
            length,
        );
        let mut lead = |channel: usize, place: usize, rate: usize| {
            let (place, given) = (&inputs[place], &inputs[rate]);
            let (end, mut rate, _) = place.taylor().sample(length);
            let from = from(channel);
            if place.order() == 0 {
                rate = if origin.tip_velocity_given {
                    given.taylor().sample(length).0
                } else {
                    (end - from.0) / length
                };
            }
            out[channel] = Cubic::hermite(from, (end, rate), length);
        };
        for axis in 0..3 {
            let [channel, place, rate] = [
                SpatialChannel::TipPosition as usize,
                SpatialInput::TipPosition as usize,
                SpatialInput::TipVelocity as usize,
            ];
            lead(channel + axis, place + axis, rate + axis);
        }
        for coordinate in (0..BASE).filter(|_| origin.base_moves) {
            let [channel, place, rate] = [
                SpatialChannel::BasePose as usize,
                SpatialInput::BasePlace as usize,
                SpatialInput::BaseRate as usize,
            ];
            lead(channel + coordinate, place + coordinate, rate + coordinate);
        }
    }

    fn curve_changes(
        &self,
        origin: &Origin,
        inputs: &[Input],
        input: usize,
        length: f64,
        out: &mut Vec<(usize, Cubic)>,
    ) {
        let tip = SpatialChannel::TipPosition as usize;
        let base = SpatialChannel::BasePose as usize;
        let rest = (0.0, 0.0);
        let by_place = || {
            let own_rate = inputs[input].order() > 0 || origin.tip_velocity_given;
            let rate = if own_rate { 0.0 } else { 1.0 / length };
            Cubic::hermite(rest, (1.0, rate), length)
        };
        let by_rate = |place: usize| {
            let counts = inputs[place].order() == 0 && origin.tip_velocity_given;
            counts.then(|| Cubic::hermite(rest, (0.0, 1.0), length))
        };
        match input {
            0..3 => out.push((tip + input, by_place())),
            3..6 => out.extend(by_rate(input - 3).map(|cubic| (tip + input - 3, cubic))),
            6 => out.push((SpatialChannel::CrankTorque as usize, Cubic::constant(1.0))),
            7 => {
                let change = crank_change(self.config.motor.mode, &inputs[input], length);
                out.extend(change.map(|cubic| (SpatialChannel::CrankAngle as usize, cubic)));
            }
            8 => out.push((SpatialChannel::TendonForce as usize, Cubic::constant(1.0))),
            9..15 if origin.base_moves => out.push((base + input - 9, by_place())),
            15..21 if origin.base_moves => {
                out.extend(by_rate(input - BASE).map(|cubic| (base + input - 15, cubic)));
            }
            _ => {}
        }
    }

    fn port_force(&self, state: &SpatialState) -> [f64; 3] {
        self.tip_force(state).into()
    }

    fn evaluate(
        &self,
        group: OutputGroup,
        state: &SpatialState,
        _near: f64,
        out: &mut [f64],
    ) -> Result<(), LegError> {
        match group {
            OutputGroup::Motion => motion(self, state, out),
            OutputGroup::Force => forces(self, state, out),
            OutputGroup::Shape => shape(self, state, out)?,
            OutputGroup::Energy => energies(&self.model, state, out)?,
            OutputGroup::Diagnostic => diagnostics(self, state, out)?,
            OutputGroup::Course => {}
            OutputGroup::Base => on_base(self, state, out),
        }
        Ok(())
    }
}

fn motion(leg: &SpatialLeg, state: &SpatialState, out: &mut [f64]) {
    let model = &leg.model;
    let chord = state.pose(leg.node_b).translation() - state.pose(leg.node_a).translation();
    let velocity =
        |node| results::point_velocity(model, state, &PointOn::node(node, Vector3::zeros()));
    let relative = velocity(leg.node_b) - velocity(leg.node_a);
    out.copy_from_slice(&[
        state.angle(leg.motor_joint),
        results::angle_rate(model, state, leg.motor_joint),
        chord.norm(),
        chord.dot(&relative) / chord.norm(),
    ]);
}

fn forces(leg: &SpatialLeg, state: &SpatialState, out: &mut [f64]) {
    let tip = leg.tip_force(state);
    out.copy_from_slice(&[
        tip.x,
        tip.y,
        tip.z,
        leg.crank_torque(state),
        leg.tendon_tension(state),
    ]);
}

/// What the leg does to a base that moves: force and moment about its origin, world axes.
fn on_base(leg: &SpatialLeg, state: &SpatialState, out: &mut [f64]) {
    let wrench = leg.base_wrench(state);
    out.copy_from_slice(wrench.as_slice());
}

fn shape(leg: &SpatialLeg, state: &SpatialState, out: &mut [f64]) -> Result<(), LegError> {
    let half = 0.5 * leg.config.leaf.length_m;
    let middle = results::pose_at(&leg.model, state, leg.leaf, half)?.translation();
    out[..3].copy_from_slice(middle.as_slice());
    let moment = stress::middle_wrench(&leg.model, state, leg.leaf)?[5];
    let (thickness, _, stiffness) = section_size(&leg.config);
    let curvature = match leg.config.section {
        SectionShape::Leaf => leg.config.leaf.elastic_curvature(moment),
        SectionShape::Rod { .. } => moment / stiffness,
    };
    out[3] = thickness * curvature;
    out[4] = moment;
    Ok(())
}

fn diagnostics(leg: &SpatialLeg, state: &SpatialState, out: &mut [f64]) -> Result<(), LegError> {
    let strain = leg.leaf_strain(state)?;
    let gap = results::largest_gap(&leg.model, state);
    out.copy_from_slice(&[strain.axial, strain.surface, gap]);
    Ok(())
}
