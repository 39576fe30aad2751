//! The models that every test of lifecycle, states, rollback, memory and hostile hosts runs over, in
//! one table: what such a test must know of a model.

use crate::support::Raw;
use softdock_fmi::abi::FMI2_OK;
use softdock_fmu::ModelKind;

/// What tests know of a model.
pub struct Tried {
    /// The model.
    pub kind: ModelKind,
    /// Integers that make it small, set before the start.
    pub small: &'static [(&'static str, i32)],
    /// A parameter of reals, its default and another value.
    pub parameter: (&'static str, f64, f64),
    /// An input that moves it, and by how much.
    pub input: (&'static str, f64),
    /// The parameter with the step of the solver.
    pub step: &'static str,
    /// Outputs that tell one motion from another.
    pub outputs: &'static [&'static str],
    /// An input with a value for which no step can be made.
    pub impossible: (&'static str, f64),
    /// Stack on which all calls of a life of it can be made [bytes].
    pub stack: usize,
    /// Reals that make a life of it deeper.
    pub deep: &'static [(&'static str, f64)],
}

/// Every model.
pub const MODELS: [Tried; ModelKind::ALL.len()] = [
    Tried {
        kind: ModelKind::LegPlanar,
        small: &[("solver.elements", 4)],
        parameter: ("crank.mass", 1.0, 2.0),
        input: ("motor.torque_command", 0.2),
        step: "solver.step",
        outputs: &[
            "tendon.tension",
            "motor.torque",
            "energy.residual",
            "tendon.rate",
        ],
        impossible: ("load.force[1]", 1e300),
        stack: 32 * 1024,
        deep: &[
            ("leaf.rayleigh_mass", 0.1),
            ("leaf.rayleigh_stiffness", 1e-5),
        ],
    },
    Tried {
        kind: ModelKind::LegSpatial,
        small: &[("solver.elements", 4)],
        parameter: ("crank.mass", 1.0, 2.0),
        input: ("motor.torque_command", 0.2),
        step: "solver.step",
        outputs: &[
            "tendon.tension",
            "motor.torque",
            "energy.residual",
            "tendon.rate",
        ],
        impossible: ("tip.position[1]", 1e300),
        stack: 32 * 1024,
        deep: &[
            ("leaf.rayleigh_mass", 0.1),
            ("leaf.rayleigh_stiffness", 1e-5),
        ],
    },
    Tried {
        kind: ModelKind::EndEffector,
        small: &[],
        parameter: ("end_effector.mass", 3.0, 4.0),
        input: ("effector.force[1]", 20.0),
        step: "solver.step",
        outputs: &[
            "effector.position[1]",
            "leg[3].tip.position[1]",
            "effector.velocity[1]",
            "leg[6].tip.velocity[1]",
        ],
        impossible: ("effector.force[1]", 1e300),
        stack: 32 * 1024,
        deep: &[],
    },
    Tried {
        kind: ModelKind::Platform,
        small: &[("solver.elements", 4)],
        parameter: ("end_effector.mass", 3.0, 4.0),
        input: ("effector.force[1]", 20.0),
        step: "solver.step",
        outputs: &[
            "tendon.tension[1]",
            "motor.torque[4]",
            "energy.residual",
            "effector.position[1]",
            "effector.attitude[2]",
            "effector.velocity[3]",
            "leg[3].force[2]",
            "margin.leaf_stress[5]",
        ],
        impossible: ("effector.force[1]", 1e300),
        stack: 256 * 1024,
        deep: &[
            ("leaf.rayleigh_mass", 0.1),
            ("leaf.rayleigh_stiffness", 1e-5),
        ],
    },
    Tried {
        kind: ModelKind::Docking,
        small: &[("solver.elements", 4)],
        parameter: ("end_effector.mass", 3.0, 4.0),
        input: ("effector.force[1]", 20.0),
        step: "solver.step",
        outputs: &[
            "tendon.tension[1]",
            "motor.torque[4]",
            "energy.residual",
            "effector.position[1]",
            "target.position[3]",
            "contact.gap",
            "leg[3].force[2]",
            "margin.leg_stroke",
        ],
        impossible: ("effector.force[1]", 1e300),
        stack: 256 * 1024,
        deep: &[
            ("leaf.rayleigh_mass", 0.1),
            ("leaf.rayleigh_stiffness", 1e-5),
        ],
    },
    Tried {
        kind: ModelKind::Mechanism,
        small: &[],
        parameter: ("parameters.payload_kg", 0.5, 0.7),
        input: ("shoulder_torque", 2.0),
        step: "analysis.step_s",
        outputs: &[
            "tip.x_m",
            "elbow.force_y_n",
            "energy.residual_j",
            "q1_rad",
            "q1_rate_rad_per_s",
        ],
        impossible: ("tip_force", 1e300),
        stack: 256 * 1024,
        deep: &[],
    },
];

/// What is known of a model.
pub fn tried(kind: ModelKind) -> &'static Tried {
    &MODELS[kind as usize]
}

impl Tried {
    /// Whether it offers derivatives of inputs and outputs: it claims all or none.
    pub fn derivatives(&self) -> bool {
        self.kind
            .packaged()
            .model()
            .about()
            .abilities
            .directional_derivatives
    }

    /// Makes an instance small, before its start.
    pub fn make_small(&self, raw: &Raw) {
        for (name, value) in self.small {
            assert_eq!(raw.set_integer(name, *value), FMI2_OK, "{name}");
        }
    }
}

#[test]
fn the_table_has_every_model_at_its_place() {
    for (tried, kind) in MODELS.iter().zip(ModelKind::ALL) {
        assert_eq!(tried.kind, kind);
        let abilities = kind.packaged().model().about().abilities;
        let claims = [
            abilities.input_derivatives,
            abilities.output_derivatives,
            abilities.directional_derivatives,
        ];
        assert!(claims == [true; 3] || claims == [false; 3], "{claims:?}");
    }
}
