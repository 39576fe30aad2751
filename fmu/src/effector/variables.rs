//! Variables of `EndEffector`: parameters from the rows of the platform's settings, inputs and outputs
//! for as many legs as the settings have.

use crate::platform::wrench_starts;
use crate::table::Table;
use nalgebra::Vector3;
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{Access, InfluencesOutputs, List, Name, Role, UnitOf as U};
use softdock_fmi::variables::{Variable, one};
use softdock_leg_models::variables::fmu;
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::config::{EndEffectorConfig, SolverConfig, check_inertia};
use std::ops::Range;

/// What an end effector is built from.
#[derive(Debug, Clone)]
pub struct EndEffectorSettings {
    /// Gravity [m/s²].
    pub gravity_m_s2: [f64; 3],
    /// The body.
    pub body: EndEffectorConfig,
    /// Spherical joints in its frame [m].
    pub tips: Vec<Vector3<f64>>,
    /// Time stepping.
    pub solver: SolverConfig,
}

/// Parameters of `EndEffector`.
#[derive(Debug, Clone)]
pub struct EndEffectorParameters {
    gravity: [f64; 3],
    body: EndEffectorConfig,
    attitude: [f64; 3],
    /// Components of the joints' places, joint by joint [m].
    tips: Vec<f64>,
    solver: SolverConfig,
    /// First values of the wrench.
    wrench: [f64; 6],
}

impl EndEffectorParameters {
    /// The parameters of the end effector of a platform with these settings.
    pub fn new(config: &PlatformConfig) -> Result<Self, Failure> {
        let tips = config.sphere_positions();
        Ok(Self {
            gravity: config.gravity_m_s2,
            body: config.end_effector.clone(),
            attitude: config.end_effector.attitude_rad.list(),
            tips: tips.iter().flat_map(|tip| [tip.x, tip.y, tip.z]).collect(),
            solver: config.solver.clone(),
            wrench: wrench_starts(&config.wrench)?,
        })
    }

    /// How many legs hold the end effector.
    pub fn tip_count(&self) -> usize {
        self.tips.len() / 3
    }
}

impl Parameters for EndEffectorParameters {
    type Config = EndEffectorSettings;
    type Origin = ();

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<EndEffectorSettings>, Failure> {
        let mut body = self.body.clone();
        body.attitude_rad = Attitude::from(self.attitude);
        let lists = [
            (PlatformConfig::gravity_m_s2, &self.gravity[..]),
            (EndEffectorConfig::position_m, &body.position_m),
            (EndEffectorConfig::attitude_rad, &self.attitude),
            (EndEffectorConfig::mass_kg, &[body.mass_kg]),
            (EndEffectorConfig::inertia_kg_m2, &body.inertia_kg_m2),
            (SolverConfig::step_s, &[self.solver.step_s]),
            // Joints lie about as far from the centre as the centre from the base.
            (EndEffectorConfig::position_m, &self.tips),
        ];
        for (row, values) in lists {
            values.iter().try_for_each(|value| row.check(*value))?;
        }
        check_inertia(EndEffectorConfig::inertia_kg_m2.key, &body.inertia_kg_m2)?;
        Ok(Box::new(EndEffectorSettings {
            gravity_m_s2: self.gravity,
            body,
            tips: self
                .tips
                .chunks(3)
                .map(Vector3::from_column_slice)
                .collect(),
            solver: self.solver.clone(),
        }))
    }
}

/// The parameters that do not depend on the number of legs.
const fn parameters() -> List<EndEffectorParameters> {
    let mut list: List<EndEffectorParameters> = List::new();
    list.rows(fmu(&EndEffectorConfig::position_m), 3, |p| {
        &mut p.body.position_m
    })
    .rows(fmu(&EndEffectorConfig::attitude_rad), 3, |p| {
        &mut p.attitude
    })
    .influences(InfluencesOutputs::AfterStart)
    .rows(fmu(&PlatformConfig::gravity_m_s2), 3, |p| &mut p.gravity)
    .row(fmu(&EndEffectorConfig::mass_kg), |p| {
        one(&mut p.body.mass_kg)
    })
    .rows(fmu(&EndEffectorConfig::inertia_kg_m2), 3, |p| {
        &mut p.body.inertia_kg_m2
    })
    .boolean(
        EndEffectorConfig::feels_gravity.key,
        EndEffectorConfig::feels_gravity.meaning,
        |p| &mut p.body.feels_gravity,
    )
    .row(fmu(&SolverConfig::step_s), |p| one(&mut p.solver.step_s))
    .influences(InfluencesOutputs::AtStart);
    list
}

/// A component of a joint's place.
fn place(leg: usize, axis: usize) -> Variable<EndEffectorParameters> {
    let name = format!("leg[{}].tip.offset", leg + 1);
    let text = format!(
        "Spherical joint of leg {} in the end effector's frame",
        leg + 1
    );
    Variable {
        name: Name::read_numbered(&name, axis + 1),
        description: text.into(),
        unit: U::Metre,
        role: Role::Parameter(Access::Real {
            slot: |p| &mut p.tips,
            index: 3 * leg + axis,
            limits: EndEffectorConfig::position_m.limits(),
        }),
        influences: InfluencesOutputs::AtStart,
    }
}

/// The table of an end effector that so many legs hold, and where the outputs of each group are.
pub fn table(legs: usize) -> (Vec<Variable<EndEffectorParameters>>, Vec<Range<usize>>) {
    static PARAMETERS: List<EndEffectorParameters> = self::parameters();
    let mut first = PARAMETERS.variables().to_vec();
    let places = (0..legs).flat_map(|leg| (0..3).map(move |axis| place(leg, axis)));
    first.extend(places);
    let mut table = Table::new(&first, false);
    for leg in 1..=legs {
        for axis in 1..=3 {
            table.input(
                Name::read_numbered(&format!("leg[{leg}].tip.force"), axis),
                U::Newton,
                format!("Force of leg {leg} on the end effector, world axes"),
                |_, _| 0.0,
            );
        }
    }
    // The wrench comes behind the legs' forces.
    let start = |p: &EndEffectorParameters, index: usize| p.wrench[index - p.tips.len()];
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
    table.body("effector", "the end effector's centre");
    for leg in 1..=legs {
        table.outputs(
            (&format!("leg[{leg}].tip.position"), 3),
            U::Metre,
            format!("Spherical joint of leg {leg}"),
        );
        table.outputs(
            (&format!("leg[{leg}].tip.velocity"), 3),
            U::MetrePerSecond,
            format!("Velocity of the spherical joint of leg {leg}, world axes"),
        );
    }
    for leg in 1..=legs {
        table.outputs(
            (&format!("leg[{leg}].tip.displacement"), 3),
            U::Metre,
            format!("Way of the spherical joint of leg {leg} since the start, world axes"),
        );
    }
    table.finish()
}
