//! Variables of `LegSpatial`.

use super::{Choice, Choices, LegParameters, fmu, shared};
use leg_core::SpatialLegConfig;
use leg_core::config::{ConfigError, Crank, Leaf, Motor, Solver, Tendon};
use leg_core::spatial::{Base, CarriedMoment, Carrier, Foundation, SectionShape, UniversalJoint};
use leg_core::unit::{Origin, OutputGroup};
use leg_core::unit_spatial::{
    SPATIAL_INPUTS, SPATIAL_OUTPUTS, SpatialInput as I, SpatialOutput as O,
};
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{InfluencesOutputs, List, Name, UnitOf as U, one};

/// Parameters of `LegSpatial`.
#[derive(Debug, Clone, PartialEq)]
pub struct SpatialParameters {
    config: SpatialLegConfig,
    choices: Choices,
    carried_by_base: bool,
    upright_moment: bool,
    round: bool,
    radius: f64,
    motor_middle: Choice,
    stroke_middle: Choice,
    tip_velocity_given: bool,
    base_moves: bool,
}

/// Spectral radius of a leg that knows nothing of its master. In a master that holds forces over a step,
/// accelerations that alternate from step to step, as they do with a radius near one, are fed back and
/// grow; with zero they are gone after a step.
pub const COUPLED_SPECTRAL_RADIUS: f64 = 0.0;

impl Default for SpatialParameters {
    fn default() -> Self {
        Self {
            config: SpatialLegConfig {
                solver: Solver {
                    spectral_radius: COUPLED_SPECTRAL_RADIUS,
                    ..Solver::default()
                },
                ..SpatialLegConfig::default()
            },
            choices: Choices::default(),
            carried_by_base: false,
            upright_moment: false,
            round: false,
            radius: 2e-3,
            motor_middle: Choice::ready(0.0),
            stroke_middle: Choice::ready(0.41),
            tip_velocity_given: true,
            base_moves: false,
        }
    }
}

impl SpatialParameters {
    /// Whether the tip's velocity at the end of a step comes from outside.
    pub fn tip_velocity_given(&self) -> bool {
        self.tip_velocity_given
    }

    /// What it stands on.
    pub fn foundation(&self) -> Foundation {
        if self.base_moves {
            Foundation::Moving
        } else {
            Foundation::Ground
        }
    }
}

impl From<&SpatialLegConfig> for SpatialParameters {
    /// The parameters of a leg with this configuration; histories of its motor are inputs.
    fn from(config: &SpatialLegConfig) -> Self {
        let ready = Self::default();
        let SpatialLegConfig {
            leaf,
            tendon,
            motor,
            solver,
            ..
        } = config;
        let (round, radius) = match config.section {
            SectionShape::Leaf => (false, ready.radius),
            SectionShape::Rod { radius_m } => (true, radius_m),
        };
        Self {
            choices: Choices::of(leaf, tendon, motor, solver, config.side),
            carried_by_base: config.universal.carried_by == Carrier::Base,
            upright_moment: config.universal.carried_moment == CarriedMoment::Upright,
            round,
            radius,
            motor_middle: Choice::chosen(config.motor_middle_rad, ready.motor_middle),
            stroke_middle: Choice::chosen(config.stroke_middle_m, ready.stroke_middle),
            tip_velocity_given: ready.tip_velocity_given,
            base_moves: ready.base_moves,
            config: config.clone(),
        }
    }
}

impl Parameters for SpatialParameters {
    type Config = SpatialLegConfig;
    type Origin = Origin;

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<SpatialLegConfig>, Failure> {
        Ok(Box::new(self.config()?))
    }
}

impl SpatialParameters {
    /// The configuration they stand for, checked.
    fn config(&self) -> Result<SpatialLegConfig, ConfigError> {
        let mut config = self.config.clone();
        let SpatialLegConfig {
            leaf,
            tendon,
            motor,
            solver,
            ..
        } = &mut config;
        self.choices.apply(leaf, tendon, motor, solver)?;
        config.side = self.choices.side();
        config.motor_middle_rad = self.motor_middle.get();
        config.stroke_middle_m = self.stroke_middle.get();
        config.universal.carried_by = if self.carried_by_base {
            Carrier::Base
        } else {
            Carrier::Crank
        };
        config.universal.carried_moment = if self.upright_moment {
            CarriedMoment::Upright
        } else {
            CarriedMoment::Normal
        };
        config.section = if self.round {
            SectionShape::Rod {
                radius_m: self.radius,
            }
        } else {
            SectionShape::Leaf
        };
        config.validate()?;
        Ok(config)
    }
}

impl LegParameters for SpatialParameters {
    fn crank(&mut self) -> &mut Crank {
        &mut self.config.crank
    }

    fn leaf(&mut self) -> &mut Leaf {
        &mut self.config.leaf
    }

    fn tendon(&mut self) -> &mut Tendon {
        &mut self.config.tendon
    }

    fn motor(&mut self) -> &mut Motor {
        &mut self.config.motor
    }

    fn solver(&mut self) -> &mut Solver {
        &mut self.config.solver
    }

    fn choices(&mut self) -> &mut Choices {
        &mut self.choices
    }
}

/// The table of `LegSpatial`.
pub const fn table() -> List<SpatialParameters> {
    let mut list = List::new();
    placement(&mut list);
    shared::mechanics(&mut list, &[]);
    pretension(&mut list);
    shared::motor_and_solver(&mut list);
    shared::equilibrium(&mut list);
    inputs(&mut list);
    motion_and_forces(&mut list);
    shape(&mut list);
    shared::energies(
        &mut list,
        O::Kinetic as usize,
        O::AxialStrain as usize,
        SPATIAL_OUTPUTS,
    );
    course_of_force(&mut list);
    moving_base(&mut list);
    list
}

const fn placement(list: &mut List<SpatialParameters>) {
    list.rows(fmu(&SpatialLegConfig::gravity_m_s2), 3, |p| {
        &mut p.config.gravity_m_s2
    })
    .rows(fmu(&Base::motor_position_m), 3, |p| {
        &mut p.config.base.motor_position_m
    })
    .rows(fmu(&Base::crank_direction), 3, |p| {
        &mut p.config.base.crank_direction
    })
    .rows(fmu(&Base::motor_axis), 3, |p| &mut p.config.base.motor_axis)
    .boolean(
        "universal.carried_by_base",
        "The universal joint's first axis keeps its direction (parallelogram) instead of turning \
         with the crank",
        |p| &mut p.carried_by_base,
    )
    .boolean(
        "universal.upright_moment",
        "A universal joint carried by the base passes the leaf's torsion on as a moment about the \
         upright axis alone instead of about the normal of its axes",
        |p| &mut p.upright_moment,
    )
    .rows(fmu(&UniversalJoint::first_axis), 3, |p| {
        &mut p.config.universal.first_axis
    })
    .rows(fmu(&UniversalJoint::second_axis), 3, |p| {
        &mut p.config.universal.second_axis
    })
    .boolean(
        "universal.flipped",
        "Mounts the leaf turned by half a turn about its chord",
        |p| &mut p.config.universal.flipped,
    )
    .boolean(
        "section.round",
        "Takes a round rod of section.radius instead of the leaf's width and thickness",
        |p| &mut p.round,
    )
    .row(fmu(&SectionShape::RADIUS), |p| one(&mut p.radius));
}

const fn pretension(list: &mut List<SpatialParameters>) {
    list.real(
        "pretension.q1",
        U::Radian,
        SpatialLegConfig::q1_rad.limits(),
        "Crank angle of the equilibrium from which the simulation starts",
        |p| one(&mut p.config.q1_rad),
    )
    .reals(
        ("pretension.tip_position", 3),
        U::Metre,
        SpatialLegConfig::tip_position_m.limits(),
        "Tip B in that equilibrium, which determines the tendon's rest length",
        |p| &mut p.config.tip_position_m,
    )
    .boolean(
        "motor_middle_given",
        "Takes motor_middle instead of pretension.q1 for the middle of motor.range",
        |p| &mut p.motor_middle.given,
    )
    .row(fmu(&SpatialLegConfig::motor_middle_rad), |p| {
        one(&mut p.motor_middle.value)
    })
    .boolean(
        "stroke_middle_given",
        "Takes stroke_middle instead of the distance A to B of the equilibrium for the middle of \
         tendon.stroke",
        |p| &mut p.stroke_middle.given,
    )
    .row(fmu(&SpatialLegConfig::stroke_middle_m), |p| {
        one(&mut p.stroke_middle.value)
    })
    .boolean(
        "pretension.inward",
        "Bows the leaf inward, to the left of A to B",
        |p| &mut p.choices.inward,
    )
    .influences(InfluencesOutputs::AfterStart)
    .boolean(
        "tip.velocity_given",
        "The tip has the velocity tip.velocity at the end of a step, and a base that moves the rates \
         base.velocity and base.rotation_rate; false: the mean velocities of the step",
        |p| &mut p.tip_velocity_given,
    )
    .influences(InfluencesOutputs::AtStart);
}

const fn inputs(list: &mut List<SpatialParameters>) {
    let position = "Tip at the end of the step; until it is set, pretension.tip_position";
    let first = I::TipPosition as usize;
    let mut k = 0;
    while k < 3 {
        let name = Name::numbered("tip.position", k + 1);
        list.input(name, U::Metre, first + k, position, |p, index| {
            p.config.tip_position_m[index - I::TipPosition as usize]
        });
        k += 1;
    }
    let mut k = 0;
    while k < 3 {
        list.input(
            Name::numbered("tip.displacement", k + 1),
            U::Metre,
            SPATIAL_INPUTS + k,
            "Added to tip.position: for masters that begin with zeros on all connections, which leave \
             tip.position alone",
            |_, _| 0.0,
        );
        k += 1;
    }
    list.influences(InfluencesOutputs::AfterStart);
    let mut k = 0;
    while k < 3 {
        list.input(
            Name::numbered("tip.velocity", k + 1),
            U::MetrePerSecond,
            I::TipVelocity as usize + k,
            "Velocity of the tip at the end of the step, if tip.velocity_given",
            |_, _| 0.0,
        );
        k += 1;
    }
    list.influences(InfluencesOutputs::AtStart)
        .input(
            Name::of("motor.torque_command"),
            U::NewtonMetre,
            I::MotorTorque as usize,
            "Torque on the crank; without effect in the modes 1 and 2",
            |_, _| 0.0,
        )
        .input(
            Name::of("motor.angle_command"),
            U::Radian,
            I::MotorAngle as usize,
            "Target of the crank's angle, counted from pretension.q1; in the modes 2 and 3",
            |_, _| 0.0,
        )
        .input(
            Name::of("tendon.force_command"),
            U::Newton,
            I::TendonForce as usize,
            "Pull of a winch, added to the tendon's own tension; together they are never negative",
            |_, _| 0.0,
        );
}

const fn motion_and_forces(list: &mut List<SpatialParameters>) {
    let group = OutputGroup::Motion as usize;
    list.output(
        "motor.angle",
        U::Radian,
        O::MotorAngle as usize,
        group,
        "Angle of the crank",
    )
    .output(
        "motor.rate",
        U::RadianPerSecond,
        O::MotorRate as usize,
        group,
        "Rate of the crank's angle",
    )
    .output(
        "tendon.length",
        U::Metre,
        O::TendonLength as usize,
        group,
        "Distance A to B",
    )
    .output(
        "tendon.rate",
        U::MetrePerSecond,
        O::TendonRate as usize,
        group,
        "Rate of the distance A to B",
    );
    let group = OutputGroup::Force as usize;
    list.outputs(
        ("tip.force", 3),
        U::Newton,
        O::TipForce as usize,
        group,
        "Force of the leg on what holds its tip",
    )
    .output(
        "motor.torque",
        U::NewtonMetre,
        O::MotorTorque as usize,
        group,
        "Torque of the motor on the crank",
    )
    .output(
        "tendon.tension",
        U::Newton,
        O::TendonTension as usize,
        group,
        "Tension of the tendon, never negative",
    );
}

const fn shape(list: &mut List<SpatialParameters>) {
    let group = OutputGroup::Shape as usize;
    list.outputs(
        ("leaf.middle", 3),
        U::Metre,
        O::MidPoint as usize,
        group,
        "Place in the middle of the leaf",
    )
    .output(
        "leaf.bending_strain",
        U::One,
        O::BendingStrain as usize,
        group,
        "Bending strain on the surface of the leaf's middle",
    )
    .output(
        "leaf.bending_moment",
        U::NewtonMetre,
        O::BendingMoment as usize,
        group,
        "Bending moment in the leaf's middle",
    );
}

const fn course_of_force(list: &mut List<SpatialParameters>) {
    let parts = [
        (
            "tip.force_mean",
            O::TipForceMean,
            "Mean of tip.force over the last step: its impulse by the step's length",
        ),
        (
            "tip.force_linear",
            O::TipForceLinear,
            "Linear part of tip.force over the last step: times 2s - 1, s from 0 to 1",
        ),
        (
            "tip.force_quadratic",
            O::TipForceQuadratic,
            "Quadratic part of tip.force over the last step: times 6s^2 - 6s + 1",
        ),
        (
            "tip.force_cubic",
            O::TipForceCubic,
            "Cubic part of tip.force over the last step: times 20s^3 - 30s^2 + 12s - 1",
        ),
    ];
    let mut k = 0;
    while k < parts.len() {
        let (name, first, description) = parts[k];
        list.outputs(
            (name, 3),
            U::Newton,
            first as usize,
            OutputGroup::Course as usize,
            description,
        );
        k += 1;
    }
}

/// Behind all others, whose references stay: what a leg on a base that moves has besides.
const fn moving_base(list: &mut List<SpatialParameters>) {
    list.influences(InfluencesOutputs::AtStart).boolean(
        "base.moves",
        "The base moves as base.position and base.rotation say; false: it stands on the ground, and \
         base.force and base.moment are zero",
        |p| &mut p.base_moves,
    );
    let inputs = [
        (
            "base.position",
            U::Metre,
            I::BasePlace as usize,
            InfluencesOutputs::AfterStart,
            "Origin of the base at the end of the step, if base.moves; zero at the start",
        ),
        (
            "base.rotation",
            U::Radian,
            I::BasePlace as usize + 3,
            InfluencesOutputs::AfterStart,
            "Rotation vector of the base at the end of the step, if base.moves; zero at the start, shorter \
             than half a turn",
        ),
        (
            "base.velocity",
            U::MetrePerSecond,
            I::BaseRate as usize,
            InfluencesOutputs::AfterStart,
            "Rate of base.position at the end of the step, if tip.velocity_given",
        ),
        (
            "base.rotation_rate",
            U::RadianPerSecond,
            I::BaseRate as usize + 3,
            InfluencesOutputs::AfterStart,
            "Rate of base.rotation at the end of the step, if tip.velocity_given",
        ),
    ];
    let mut i = 0;
    while i < inputs.len() {
        let (name, unit, first, influences, description) = inputs[i];
        list.influences(influences);
        let mut k = 0;
        while k < 3 {
            let name = Name::numbered(name, k + 1);
            list.input(name, unit, first + k, description, |_, _| 0.0);
            k += 1;
        }
        i += 1;
    }
    let group = OutputGroup::Base as usize;
    list.influences(InfluencesOutputs::AtStart)
        .outputs(
            ("base.force", 3),
            U::Newton,
            O::BaseForce as usize,
            group,
            "Force of the leg on a base that moves",
        )
        .outputs(
            ("base.moment", 3),
            U::NewtonMetre,
            O::BaseMoment as usize,
            group,
            "Moment of the leg on a base that moves, about the base's origin",
        );
}
