//! Variables of `LegPlanar`.

use super::{Choice, Choices, LegParameters, fmu, shared};
use leg_core::LegConfig;
use leg_core::config::{
    ConfigError, Crank, Geometry, Leaf, Motor, Posture, Pretension, Solver, Tendon, UpperLink,
};
use leg_core::unit::{Origin, OutputGroup};
use leg_core::unit_planar::{PLANAR_OUTPUTS, PlanarInput as I, PlanarOutput as O};
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{List, Name, UnitOf as U, one};

/// Parameters of `LegPlanar`.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanarParameters {
    config: LegConfig,
    choices: Choices,
    straight: bool,
    chord: Choice,
    tension: Choice,
}

impl Default for PlanarParameters {
    fn default() -> Self {
        Self {
            config: LegConfig::default(),
            choices: Choices::default(),
            straight: false,
            chord: Choice::ready(0.407_922),
            tension: Choice::ready(58.0),
        }
    }
}

impl From<&LegConfig> for PlanarParameters {
    /// The parameters of a leg with this configuration; histories of motor and load are inputs.
    fn from(config: &LegConfig) -> Self {
        let ready = Self::default();
        let LegConfig {
            leaf,
            tendon,
            motor,
            solver,
            pretension,
            ..
        } = config;
        Self {
            choices: Choices::of(leaf, tendon, motor, solver, pretension.side),
            straight: pretension.posture == Posture::Straight,
            chord: Choice::chosen(pretension.chord_m, ready.chord),
            tension: Choice::chosen(pretension.tension_n, ready.tension),
            config: config.clone(),
        }
    }
}

impl Parameters for PlanarParameters {
    type Config = LegConfig;
    type Origin = Origin;

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<LegConfig>, Failure> {
        Ok(Box::new(self.config()?))
    }
}

impl PlanarParameters {
    /// The configuration they stand for, checked.
    fn config(&self) -> Result<LegConfig, ConfigError> {
        let mut config = self.config.clone();
        let LegConfig {
            leaf,
            tendon,
            motor,
            solver,
            ..
        } = &mut config;
        self.choices.apply(leaf, tendon, motor, solver)?;
        config.pretension.posture = if self.straight {
            Posture::Straight
        } else {
            Posture::Bowed
        };
        config.pretension.side = self.choices.side();
        config.pretension.chord_m = self.chord.get();
        config.pretension.tension_n = self.tension.get();
        config.validate()?;
        Ok(config)
    }
}

impl LegParameters for PlanarParameters {
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

/// The table of `LegPlanar`.
pub const fn table() -> List<PlanarParameters> {
    let mut list = List::new();
    geometry(&mut list);
    shared::mechanics(&mut list, &[]);
    pretension(&mut list);
    shared::motor_and_solver(&mut list);
    shared::equilibrium(&mut list);
    list.calculated(
        "equilibrium.q1",
        U::Radian,
        "Crank angle of the pre-tensioned leg",
        |origin| origin.held[0],
    )
    .calculated(
        "equilibrium.q3",
        U::Radian,
        "Angle of the upper link of the pre-tensioned leg",
        |origin| origin.held[1],
    );
    inputs(&mut list);
    motion_and_forces(&mut list);
    shape(&mut list);
    shared::energies(
        &mut list,
        O::Kinetic as usize,
        O::AxialStrain as usize,
        PLANAR_OUTPUTS,
    );
    list
}

const fn geometry(list: &mut List<PlanarParameters>) {
    list.rows(fmu(&LegConfig::gravity_m_s2), 2, |p| {
        &mut p.config.gravity_m_s2
    })
    .rows(fmu(&Geometry::lower_pivot_m), 2, |p| {
        &mut p.config.geometry.lower_pivot_m
    })
    .rows(fmu(&Geometry::upper_pivot_m), 2, |p| {
        &mut p.config.geometry.upper_pivot_m
    })
    .row(fmu(&UpperLink::length_m), |p| {
        one(&mut p.config.link.length_m)
    })
    .row(fmu(&UpperLink::mass_kg), |p| {
        one(&mut p.config.link.mass_kg)
    })
    .boolean(
        "link.locked",
        "Keeps the upper link where the simulation starts",
        |p| &mut p.config.load.lock_q3,
    );
}

const fn pretension(list: &mut List<PlanarParameters>) {
    list.boolean(
        "pretension.straight",
        "Starts from the straight, unstressed leaf instead of the bowed equilibrium",
        |p| &mut p.straight,
    )
    .row(fmu(&Pretension::q1_rad), |p| {
        one(&mut p.config.pretension.q1_rad)
    })
    .row(fmu(&Pretension::q3_rad), |p| {
        one(&mut p.config.pretension.q3_rad)
    })
    .boolean(
        "pretension.hold_q1",
        "Holds the crank at pretension.q1 while the equilibrium is sought",
        |p| &mut p.config.pretension.hold_q1,
    )
    .boolean(
        "pretension.hold_q3",
        "Holds the upper link at pretension.q3 while the equilibrium is sought",
        |p| &mut p.config.pretension.hold_q3,
    )
    .boolean(
        "pretension.chord_given",
        "Seeks the equilibrium with the distance pretension.chord; needs hold_q3 = false",
        |p| &mut p.chord.given,
    )
    .row(fmu(&Pretension::chord_m), |p| one(&mut p.chord.value))
    .boolean(
        "pretension.tension_given",
        "Gives the tendon the tension pretension.tension instead of the leaf's thrust",
        |p| &mut p.tension.given,
    )
    .row(fmu(&Pretension::tension_n), |p| one(&mut p.tension.value))
    .boolean(
        "pretension.inward",
        "Bows the leaf inward, to the left of A to B",
        |p| &mut p.choices.inward,
    );
}

const fn inputs(list: &mut List<PlanarParameters>) {
    list.input(
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
        "Target of the crank's angle, counted from its start; in the modes 2 and 3",
        |_, _| 0.0,
    )
    .input(
        Name::of("load.torque"),
        U::NewtonMetre,
        I::LoadTorque as usize,
        "Torque on the upper link about C",
        |_, _| 0.0,
    )
    .input(
        Name::numbered("load.force", 1),
        U::Newton,
        I::LoadForceX as usize,
        "Force on the upper link's end B along x",
        |_, _| 0.0,
    )
    .input(
        Name::numbered("load.force", 2),
        U::Newton,
        I::LoadForceY as usize,
        "Force on the upper link's end B along y",
        |_, _| 0.0,
    );
}

const fn motion_and_forces(list: &mut List<PlanarParameters>) {
    let group = OutputGroup::Motion as usize;
    let angles = [
        ("q1", "Angle of the crank"),
        ("q2", "Angle of the chord AB against the crank"),
        ("q3", "Angle of the upper link"),
    ];
    let rates = [
        ("q1_rate", "Angle of the crank, its rate"),
        (
            "q2_rate",
            "Angle of the chord AB against the crank, its rate",
        ),
        ("q3_rate", "Angle of the upper link, its rate"),
    ];
    let mut k = 0;
    while k < angles.len() {
        let (name, description) = angles[k];
        list.output(name, U::Radian, O::Angles as usize + k, group, description);
        k += 1;
    }
    let mut k = 0;
    while k < rates.len() {
        let (name, description) = rates[k];
        let index = O::Rates as usize + k;
        list.output(name, U::RadianPerSecond, index, group, description);
        k += 1;
    }
    list.output(
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
    list.output(
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
    )
    .outputs(
        ("leaf.force_a", 2),
        U::Newton,
        O::ForceA as usize,
        group,
        "Force on the leaf at A, tendon not counted",
    )
    .outputs(
        ("leaf.force_b", 2),
        U::Newton,
        O::ForceB as usize,
        group,
        "Force on the leaf at B, tendon not counted",
    )
    .output(
        "leaf.thrust",
        U::Newton,
        O::Thrust as usize,
        group,
        "Thrust of the leaf along AB, mean of both ends",
    );
}

const fn shape(list: &mut List<PlanarParameters>) {
    let group = OutputGroup::Shape as usize;
    let stations = [
        ("leaf.quarter", "Place at a quarter of the leaf"),
        ("leaf.middle", "Place in the middle of the leaf"),
        ("leaf.three_quarters", "Place at three quarters of the leaf"),
    ];
    let mut k = 0;
    while k < stations.len() {
        let (name, description) = stations[k];
        let first = O::Stations as usize + 2 * k;
        list.outputs((name, 2), U::Metre, first, group, description);
        k += 1;
    }
    list.output(
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
