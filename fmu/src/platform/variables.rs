//! Variables of `Platform`: parameters from the rows of settings, inputs and outputs for as many legs as
//! the settings have.

use crate::table::Table;
use leg_core::config::{Crank, History, Leaf, Motor, MotorMode, Solver, Tendon};
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{InfluencesOutputs, List, Name, UnitOf as U, Variable, one};
use softdock_leg_models::variables::{Choices, LegParameters, fmu, shared};
use softdock_platform::PlatformConfig;
use softdock_platform::config::{
    BaseConfig, Coupling, EndEffectorConfig, LegsConfig, NARROWER, SolverConfig,
};
use std::ops::Range;

/// Parameters of `Platform`.
#[derive(Debug, Clone)]
pub struct PlatformParameters {
    config: PlatformConfig,
    choices: Choices,
    /// Stands in for the solver of a leg: the platform has its own.
    solver: Solver,
    /// First values of the inputs.
    starts: Vec<f64>,
}

/// The value of a history that does not change.
fn constant(key: &str, history: &History) -> Result<f64, Failure> {
    match history {
        History::Constant(value) => Ok(*value),
        History::Shape(_) => Err(format!(
            "{key} is a history: in an FMU the host says what happens over time, through an input; \
             give a number"
        )
        .into()),
    }
}

impl PlatformParameters {
    /// The parameters of a platform with these settings.
    pub fn new(config: &PlatformConfig) -> Result<Self, Failure> {
        config.validate()?;
        let mut config = config.resolved();
        if config.coupling != Coupling::Monolithic {
            return Err(
                "coupling must be \"monolithic\": the platform is solved as a whole".into(),
            );
        }
        // A call of FMI starts no threads.
        config.solver.threads = 1;
        let solver = Solver {
            elements: config.legs.elements,
            ..Solver::default()
        };
        let PlatformConfig {
            leaf,
            tendon,
            motor,
            ..
        } = &config;
        let choices = Choices::of(leaf, tendon, motor, &solver, config.legs.side);
        let legs = config.leg_configs()?;
        let mut starts = Vec::new();
        for leg in &legs {
            starts.push(constant(Motor::torque_nm.key, &leg.motor.torque_nm)?);
        }
        for leg in &legs {
            starts.push(constant(Motor::angle_rad.key, &leg.motor.angle_rad)?);
        }
        let wrench = &config.wrench;
        for (key, history) in [
            ("wrench.force_x_n", &wrench.force_x_n),
            ("wrench.force_y_n", &wrench.force_y_n),
            ("wrench.force_z_n", &wrench.force_z_n),
            ("wrench.moment_x_nm", &wrench.moment_x_nm),
            ("wrench.moment_y_nm", &wrench.moment_y_nm),
            ("wrench.moment_z_nm", &wrench.moment_z_nm),
        ] {
            starts.push(constant(key, history)?);
        }
        Ok(Self {
            config,
            choices,
            solver,
            starts,
        })
    }

    /// First values of the inputs.
    pub fn starts(&self) -> &[f64] {
        &self.starts
    }

    /// The settings they stand for.
    fn config(&self) -> Result<PlatformConfig, Failure> {
        let mut config = self.config.clone();
        let mut solver = self.solver;
        let PlatformConfig {
            leaf,
            tendon,
            motor,
            ..
        } = &mut config;
        self.choices.apply(leaf, tendon, motor, &mut solver)?;
        config.legs.elements = solver.elements;
        config.legs.side = self.choices.side();
        config.validate()?;
        for leg in config.leg_configs()? {
            if leg.motor.mode == MotorMode::Angle {
                return Err(
                    "motor.mode = 2 (angle) is not offered: an input that is held over a step \
                     would make a prescribed angle jump; take 3 (hold)"
                        .into(),
                );
            }
        }
        Ok(config)
    }
}

impl Parameters for PlatformParameters {
    type Config = PlatformConfig;
    type Origin = ();

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<PlatformConfig>, Failure> {
        Ok(Box::new(self.config()?))
    }
}

impl LegParameters for PlatformParameters {
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
        &mut self.solver
    }

    fn choices(&mut self) -> &mut Choices {
        &mut self.choices
    }
}

/// The parameters.
const fn parameters() -> List<PlatformParameters> {
    let mut list = List::new();
    bodies(&mut list);
    shared::mechanics(&mut list, NARROWER);
    shared::motor_and_mesh(&mut list);
    list.boolean(
        "pretension.inward",
        "Bows the leaves inward, to the left of A to B",
        |p| &mut p.choices.inward,
    )
    .influences(InfluencesOutputs::AfterStart)
    .row(fmu(&Motor::hold_damping_nm_s_per_rad), |p| {
        one(&mut p.config.motor.hold_damping_nm_s_per_rad)
    })
    .row(fmu(&SolverConfig::step_s), |p| {
        one(&mut p.config.solver.step_s)
    })
    .row(fmu(&SolverConfig::spectral_radius), |p| {
        one(&mut p.config.solver.spectral_radius)
    })
    .row(fmu(&SolverConfig::newton_tolerance), |p| {
        one(&mut p.config.solver.newton_tolerance)
    });
    list
}

const fn bodies(list: &mut List<PlatformParameters>) {
    list.rows(fmu(&PlatformConfig::gravity_m_s2), 3, |p| {
        &mut p.config.gravity_m_s2
    })
    .rows(fmu(&EndEffectorConfig::position_m), 3, |p| {
        &mut p.config.end_effector.position_m
    })
    .row(fmu(&EndEffectorConfig::mass_kg), |p| {
        one(&mut p.config.end_effector.mass_kg)
    })
    .rows(fmu(&EndEffectorConfig::inertia_kg_m2), 3, |p| {
        &mut p.config.end_effector.inertia_kg_m2
    })
    .boolean(
        EndEffectorConfig::feels_gravity.key,
        EndEffectorConfig::feels_gravity.meaning,
        |p| &mut p.config.end_effector.feels_gravity,
    )
    .boolean(
        BaseConfig::free_floating.key,
        BaseConfig::free_floating.meaning,
        |p| &mut p.config.base.free_floating,
    )
    .row(fmu(&BaseConfig::mass_kg), |p| {
        one(&mut p.config.base.mass_kg)
    })
    .rows(fmu(&BaseConfig::centre_of_mass_m), 3, |p| {
        &mut p.config.base.centre_of_mass_m
    })
    .rows(fmu(&BaseConfig::inertia_kg_m2), 3, |p| {
        &mut p.config.base.inertia_kg_m2
    })
    .row(fmu(&LegsConfig::motor_radius_m), |p| {
        one(&mut p.config.legs.motor_radius_m)
    })
    .row(fmu(&LegsConfig::sphere_radius_m), |p| {
        one(&mut p.config.legs.sphere_radius_m)
    });
}

/// Groups of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Bodies, motors, tendons, forces.
    Motion,
    /// Energies.
    Energy,
    /// What is left until limits.
    Margin,
}

impl Group {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Motion, Self::Energy, Self::Margin];
}

/// The table of a platform with these parameters, and where the outputs of each group are.
pub fn table(
    parameters: &PlatformParameters,
) -> (Vec<Variable<PlatformParameters>>, Vec<Range<usize>>) {
    static PARAMETERS: List<PlatformParameters> = self::parameters();
    let legs = parameters.config.leg_count();
    let mut table = Table::new(PARAMETERS.variables(), false);
    let start = |p: &PlatformParameters, index: usize| p.starts[index];
    table.inputs(
        ("motor.torque_command", legs),
        U::NewtonMetre,
        "Torque on the crank of each leg; in mode 3 added to what holds it, without effect in mode 1",
        start,
    );
    table.inputs(
        ("motor.angle_command", legs),
        U::Radian,
        "Target of the crank's angle of each leg, counted from the start; in mode 3",
        start,
    );
    table.inputs(
        ("effector.force", 3),
        U::Newton,
        "Force on the end effector's centre, world axes",
        start,
    );
    table.inputs(
        ("effector.moment", 3),
        U::NewtonMetre,
        "Moment on the end effector, world axes",
        start,
    );
    table.group();
    body(&mut table, "effector", "the end effector's centre");
    body(
        &mut table,
        "base",
        "the base's origin; zero if the base is fixed",
    );
    let each = |table: &mut Table<_>, name, unit, text: &'static str| {
        table.outputs((name, legs), unit, text);
    };
    each(&mut table, "motor.angle", U::Radian, "Angle of each crank");
    each(
        &mut table,
        "motor.rate",
        U::RadianPerSecond,
        "Rate of each crank's angle",
    );
    each(
        &mut table,
        "motor.torque",
        U::NewtonMetre,
        "Torque of each motor, or of what locks it",
    );
    each(
        &mut table,
        "tendon.length",
        U::Metre,
        "Distance A to B of each leg",
    );
    each(
        &mut table,
        "tendon.tension",
        U::Newton,
        "Tension of each tendon, never negative",
    );
    for leg in 1..=legs {
        table.outputs(
            (&format!("leg[{leg}].force"), 3),
            U::Newton,
            format!("Force of leg {leg} on the end effector, world axes"),
        );
    }
    table.group();
    for (name, text) in [
        ("energy.kinetic", "Kinetic energy"),
        ("energy.strain", "Strain energy of the leaves"),
        ("energy.tendon", "Energy stored in the tendons"),
        ("energy.gravity", "Potential of gravity"),
        ("energy.wrench_work", "Work of the wrench since the start"),
        ("energy.motor_work", "Work of the motors since the start"),
        ("energy.dissipated", "Energy dissipated since the start"),
        (
            "energy.residual",
            "What the account of energy misses: the error of the integrator",
        ),
    ] {
        table.output(Name::of(name), U::Joule, text);
    }
    table.group();
    each(
        &mut table,
        "margin.motor_range",
        U::One,
        "Share of each motor's working range that is left, negative beyond its end",
    );
    each(
        &mut table,
        "margin.leaf_stress",
        U::One,
        "Share of the yield strength that each leaf's largest von Mises stress leaves; 1 for struts",
    );
    each(
        &mut table,
        "margin.tension",
        U::Newton,
        "Tension of each tendon above that at which it counts as slack",
    );
    table.output(
        Name::of("joints.largest_gap"),
        U::Metre,
        "Largest opening of a spherical joint",
    );
    table.finish()
}

fn body(table: &mut Table<PlatformParameters>, name: &str, what: &str) {
    for (part, unit, text) in [
        ("position", U::Metre, "Position of"),
        (
            "attitude",
            U::Radian,
            "Pitch (about x), yaw (about y) and roll (about z), R = Rz(roll) Ry(yaw) Rx(pitch), at",
        ),
        ("velocity", U::MetrePerSecond, "Velocity, world axes, of"),
        (
            "spin",
            U::RadianPerSecond,
            "Angular velocity, world axes, at",
        ),
    ] {
        let text = format!("{text} {what}");
        table.outputs((&format!("{name}.{part}"), 3), unit, text);
    }
}
