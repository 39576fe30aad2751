//! Variables of `Platform`: parameters from the rows of settings, inputs and outputs for as many legs as
//! the settings have.

use crate::table::Table;
use leg_core::config::{Crank, History, Leaf, Motor, MotorMode, Solver, Tendon};
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{InfluencesOutputs, List, Name, UnitOf as U, Variable, one};
use softdock_leg_models::variables::{Choices, LegParameters, fmu, shared};
use softdock_platform::PlatformConfig;
use softdock_platform::config::{
    BaseConfig, Coupling, EndEffectorConfig, LegsConfig, NARROWER, SolverConfig, WrenchConfig,
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

/// The wrench that acts from the start, force first.
pub fn wrench_starts(wrench: &WrenchConfig) -> Result<[f64; 6], Failure> {
    let mut starts = [0.0; 6];
    for (start, (key, history)) in starts.iter_mut().zip(wrench.parts()) {
        *start = constant(key, history)?;
    }
    Ok(starts)
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
        // Winches pull where somebody says so.
        starts.extend(legs.iter().map(|_| 0.0));
        starts.extend(wrench_starts(&config.wrench)?);
        Ok(Self {
            config,
            choices,
            solver,
            starts,
        })
    }

    /// Number of legs.
    pub fn legs(&self) -> usize {
        self.config.leg_count()
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

/// Parameters with a platform among them.
pub trait HasPlatform: LegParameters {
    /// The platform.
    fn platform(&mut self) -> &mut PlatformConfig;
}

impl HasPlatform for PlatformParameters {
    fn platform(&mut self) -> &mut PlatformConfig {
        &mut self.config
    }
}

/// The parameters of a model that has a platform.
pub const fn platform_parameters<P: HasPlatform>(list: &mut List<P>) {
    bodies(list);
    shared::mechanics(list, NARROWER);
    shared::motor_and_mesh(list);
    list.boolean(
        "pretension.inward",
        "Bows the leaves inward, to the left of A to B",
        |p| &mut p.choices().inward,
    )
    .influences(InfluencesOutputs::AfterStart)
    .row(fmu(&Motor::hold_damping_nm_s_per_rad), |p| {
        one(&mut p.platform().motor.hold_damping_nm_s_per_rad)
    })
    .row(fmu(&SolverConfig::step_s), |p| {
        one(&mut p.platform().solver.step_s)
    })
    .row(fmu(&SolverConfig::spectral_radius), |p| {
        one(&mut p.platform().solver.spectral_radius)
    })
    .row(fmu(&SolverConfig::newton_tolerance), |p| {
        one(&mut p.platform().solver.newton_tolerance)
    });
}

const fn bodies<P: HasPlatform>(list: &mut List<P>) {
    list.rows(fmu(&PlatformConfig::gravity_m_s2), 3, |p| {
        &mut p.platform().gravity_m_s2
    })
    .rows(fmu(&EndEffectorConfig::position_m), 3, |p| {
        &mut p.platform().end_effector.position_m
    })
    .row(fmu(&EndEffectorConfig::mass_kg), |p| {
        one(&mut p.platform().end_effector.mass_kg)
    })
    .rows(fmu(&EndEffectorConfig::inertia_kg_m2), 3, |p| {
        &mut p.platform().end_effector.inertia_kg_m2
    })
    .boolean(
        EndEffectorConfig::feels_gravity.key,
        EndEffectorConfig::feels_gravity.meaning,
        |p| &mut p.platform().end_effector.feels_gravity,
    )
    .boolean(
        BaseConfig::free_floating.key,
        BaseConfig::free_floating.meaning,
        |p| &mut p.platform().base.free_floating,
    )
    .row(fmu(&BaseConfig::mass_kg), |p| {
        one(&mut p.platform().base.mass_kg)
    })
    .rows(fmu(&BaseConfig::centre_of_mass_m), 3, |p| {
        &mut p.platform().base.centre_of_mass_m
    })
    .rows(fmu(&BaseConfig::inertia_kg_m2), 3, |p| {
        &mut p.platform().base.inertia_kg_m2
    })
    .row(fmu(&LegsConfig::motor_radius_m), |p| {
        one(&mut p.platform().legs.motor_radius_m)
    })
    .row(fmu(&LegsConfig::sphere_radius_m), |p| {
        one(&mut p.platform().legs.sphere_radius_m)
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
    static PARAMETERS: List<PlatformParameters> = {
        let mut list = List::new();
        platform_parameters(&mut list);
        list
    };
    let legs = parameters.config.leg_count();
    let mut table = Table::new(PARAMETERS.variables(), false);
    let start = |p: &PlatformParameters, index: usize| p.starts[index];
    commands(&mut table, legs, start);
    table.group();
    table.body("effector", "the end effector's centre");
    table.body("base", "the base's origin; zero if the base is fixed");
    leg_outputs(&mut table, legs);
    table.group();
    for (name, text) in [
        ("energy.kinetic", "Kinetic energy"),
        ("energy.strain", "Strain energy of the leaves"),
        ("energy.tendon", "Energy stored in the tendons"),
        ("energy.gravity", "Potential of gravity"),
        ("energy.wrench_work", "Work of the wrench since the start"),
        (
            "energy.motor_work",
            "Work of motors and winches since the start",
        ),
        ("energy.dissipated", "Energy dissipated since the start"),
        (
            "energy.residual",
            "What the account of energy misses: the error of the integrator",
        ),
    ] {
        table.output(Name::of(name), U::Joule, text);
    }
    table.output(
        Name::of("sound"),
        U::One,
        "1 while nothing speaks against the result at the communication points, 0 once it is suspect",
    );
    table.group();
    let each = |table: &mut Table<_>, name, unit, text: &'static str| {
        table.outputs((name, legs), unit, text);
    };
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

/// Inputs of every leg: torque, angle, pull of the winch; those of the wrench on the end effector follow.
pub const PER_LEG: usize = 3;

/// Inputs of every model with a platform: motors, winches, and the wrench on the end effector.
pub fn commands<P: Parameters>(table: &mut Table<P>, legs: usize, start: fn(&P, usize) -> f64) {
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
        ("tendon.force_command", legs),
        U::Newton,
        "Pull of a winch in each leg, added to the tendon's own tension; together they are never negative; \
         refused of struts",
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
}

/// Outputs of every leg.
pub fn leg_outputs<P: Parameters>(table: &mut Table<P>, legs: usize) {
    let each = |table: &mut Table<P>, name, unit, text: &'static str| {
        table.outputs((name, legs), unit, text);
    };
    each(table, "motor.angle", U::Radian, "Angle of each crank");
    each(
        table,
        "motor.rate",
        U::RadianPerSecond,
        "Rate of each crank's angle",
    );
    each(
        table,
        "motor.torque",
        U::NewtonMetre,
        "Torque of each motor, or of what locks it",
    );
    each(
        table,
        "tendon.length",
        U::Metre,
        "Distance A to B of each leg",
    );
    each(
        table,
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
}
