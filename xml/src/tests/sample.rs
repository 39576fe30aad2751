//! Descriptions to test with.

use crate::*;

/// The least that is legal: one output that depends on nothing.
pub(crate) fn smallest() -> ModelDescription {
    let mut description = ModelDescription::new("Smallest", CoSimulation::new("Smallest"));
    description.model_variables = vec![ScalarVariable::new(
        "y",
        0,
        Causality::Output,
        Variability::Continuous,
    )];
    description.model_structure.outputs = vec![Unknown::independent(1)];
    description.model_structure.initial_unknowns = vec![Unknown::independent(1)];
    description
}

/// Indices of the variables of [`full`].
pub(crate) mod index {
    pub(crate) const TORQUE: u32 = 1;
    pub(crate) const ANGLE: u32 = 2;
    pub(crate) const RATE: u32 = 3;
    pub(crate) const TENSION: u32 = 4;
    pub(crate) const STIFFNESS: u32 = 5;
    pub(crate) const MASS: u32 = 6;
    pub(crate) const ELEMENTS: u32 = 7;
    pub(crate) const SLACK: u32 = 8;
    pub(crate) const LABEL: u32 = 9;
    pub(crate) const SCHEME: u32 = 10;
    pub(crate) const TENSION_ALIAS: u32 = 11;
    pub(crate) const GRAVITY: u32 = 12;
}

/// A legal description in which everything occurs.
pub(crate) fn full() -> ModelDescription {
    ModelDescription {
        model_name: "Sample <& \"all\" of it>".to_owned(),
        guid: "{00000000-0000-0000-0000-000000000000}".to_owned(),
        description: Some("Größe & Lage, 'quoted'\nin two lines\tand a tab".to_owned()),
        author: Some("The softdock developers".to_owned()),
        version: Some("0.1.0".to_owned()),
        copyright: Some("© 2026".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        generation_tool: Some("softdock".to_owned()),
        generation_date_and_time: Some("2026-11-16T04:00:00Z".to_owned()),
        variable_naming_convention: NamingConvention::Structured,
        number_of_event_indicators: None,
        model_exchange: None,
        co_simulation: Some(all_capabilities()),
        unit_definitions: units(),
        type_definitions: types(),
        log_categories: vec![
            LogCategory {
                name: "logEvents".to_owned(),
                description: Some("slack & co".to_owned()),
            },
            LogCategory {
                name: "logSolver".to_owned(),
                description: None,
            },
        ],
        default_experiment: Some(DefaultExperiment {
            start_time: Some(0.0),
            stop_time: Some(2.5),
            tolerance: Some(1e-6),
            step_size: Some(1e-3),
        }),
        model_variables: variables(),
        model_structure: structure(),
    }
}

fn all_capabilities() -> CoSimulation {
    CoSimulation {
        model_identifier: "Sample".to_owned(),
        needs_execution_tool: true,
        can_handle_variable_communication_step_size: true,
        can_interpolate_inputs: true,
        max_output_derivative_order: 1,
        can_run_asynchronously: true,
        can_be_instantiated_only_once_per_process: true,
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: true,
        source_files: vec!["all.c".to_owned(), "solver/newton.c".to_owned()],
    }
}

fn units() -> Vec<Unit> {
    let mut radian = Unit::new(
        "rad",
        BaseUnit {
            rad: 1,
            ..BaseUnit::default()
        },
    );
    radian.display_units = vec![DisplayUnit::new("deg", 180.0 / std::f64::consts::PI)];
    let celsius = BaseUnit {
        k: 1,
        offset: 273.15,
        ..BaseUnit::default()
    };
    let everything = BaseUnit {
        kg: 1,
        m: 2,
        s: -3,
        a: 4,
        k: -5,
        mol: 6,
        cd: -7,
        rad: 8,
        factor: 1e-3,
        offset: -0.5,
    };
    vec![
        radian,
        Unit::new(
            "rad/s",
            BaseUnit {
                rad: 1,
                s: -1,
                ..BaseUnit::default()
            },
        ),
        Unit::new(
            "N.m",
            BaseUnit {
                kg: 1,
                m: 2,
                s: -2,
                ..BaseUnit::default()
            },
        ),
        Unit::new(
            "N",
            BaseUnit {
                kg: 1,
                m: 1,
                s: -2,
                ..BaseUnit::default()
            },
        ),
        Unit::new(
            "N/m",
            BaseUnit {
                kg: 1,
                s: -2,
                ..BaseUnit::default()
            },
        ),
        Unit::new(
            "kg",
            BaseUnit {
                kg: 1,
                ..BaseUnit::default()
            },
        ),
        Unit {
            name: "degC".to_owned(),
            base_unit: Some(celsius),
            display_units: vec![DisplayUnit {
                name: "degF".to_owned(),
                factor: 1.8,
                offset: 32.0,
            }],
        },
        Unit::new("strange", everything),
        Unit {
            name: "word".to_owned(),
            ..Unit::default()
        },
    ]
}

fn types() -> Vec<SimpleType> {
    let item = |name: &str, value, description: Option<&str>| EnumerationItem {
        name: name.to_owned(),
        value,
        description: description.map(str::to_owned),
    };
    vec![
        SimpleType {
            name: "Types.Stiffness".to_owned(),
            description: Some("never negative".to_owned()),
            kind: SimpleTypeKind::Real(RealAttributes {
                unit: Some("N/m".to_owned()),
                min: Some(0.0),
                max: Some(f64::INFINITY),
                ..RealAttributes::default()
            }),
        },
        SimpleType {
            name: "Types.Count".to_owned(),
            description: None,
            kind: SimpleTypeKind::Integer(IntegerAttributes {
                quantity: Some("Count".to_owned()),
                min: Some(1),
                max: None,
            }),
        },
        SimpleType {
            name: "Types.Flag".to_owned(),
            description: None,
            kind: SimpleTypeKind::Boolean,
        },
        SimpleType {
            name: "Types.Label".to_owned(),
            description: None,
            kind: SimpleTypeKind::String,
        },
        SimpleType {
            name: "Types.Scheme".to_owned(),
            description: None,
            kind: SimpleTypeKind::Enumeration {
                quantity: Some("Scheme".to_owned()),
                items: vec![
                    item("explicit", 1, None),
                    item("implicit", 2, Some("Newton")),
                ],
            },
        },
    ]
}

fn real(unit: &str) -> RealAttributes {
    RealAttributes {
        unit: Some(unit.to_owned()),
        ..RealAttributes::default()
    }
}

fn variables() -> Vec<ScalarVariable> {
    use Causality as C;
    use Variability as V;
    let mut variables = vec![
        ScalarVariable::new("motor.torque", 0, C::Input, V::Continuous).with_type(Real {
            attributes: real("N.m"),
            start: Some(0.0),
            ..Real::default()
        }),
        ScalarVariable::new("motor.angle", 1, C::Output, V::Continuous).with_type(Real {
            attributes: RealAttributes {
                quantity: Some("Angle".to_owned()),
                display_unit: Some("deg".to_owned()),
                relative_quantity: Some(true),
                min: Some(-0.1),
                max: Some(0.3),
                nominal: Some(1e-2),
                unbounded: Some(false),
                ..real("rad")
            },
            start: Some(0.1 + 0.2 - 0.1),
            ..Real::default()
        }),
        ScalarVariable::new("der(motor.angle)", 2, C::Local, V::Continuous).with_type(Real {
            attributes: real("rad/s"),
            derivative: Some(2),
            ..Real::default()
        }),
        ScalarVariable::new("tendon.tension", 3, C::Output, V::Continuous).with_type(Real {
            attributes: real("N"),
            ..Real::default()
        }),
        ScalarVariable::new("tendon.stiffness", 4, C::Parameter, V::Tunable).with_type(Real {
            declared_type: Some("Types.Stiffness".to_owned()),
            start: Some(2000.0),
            ..Real::default()
        }),
        ScalarVariable::new("leg.mass", 5, C::CalculatedParameter, V::Fixed).with_type(Real {
            attributes: real("kg"),
            ..Real::default()
        }),
        ScalarVariable::new("mesh.elements", 0, C::Parameter, V::Fixed).with_type(Integer {
            declared_type: Some("Types.Count".to_owned()),
            attributes: IntegerAttributes {
                max: Some(100),
                ..IntegerAttributes::default()
            },
            start: Some(10),
        }),
        ScalarVariable::new("tendon.slack", 0, C::Output, V::Discrete).with_type(Boolean {
            declared_type: Some("Types.Flag".to_owned()),
            start: None,
        }),
        ScalarVariable::new("leg.label[1,2]", 0, C::Parameter, V::Fixed).with_type(Text {
            declared_type: Some("Types.Label".to_owned()),
            start: Some("<a href=\"x\">&amp;</a>\r\n".to_owned()),
        }),
        ScalarVariable::new("solver.scheme", 1, C::Parameter, V::Fixed).with_type(Enumeration {
            declared_type: "Types.Scheme".to_owned(),
            attributes: IntegerAttributes {
                min: Some(1),
                max: Some(2),
                ..IntegerAttributes::default()
            },
            start: Some(2),
        }),
        ScalarVariable::new("tension", 3, C::Local, V::Continuous).with_type(Real {
            attributes: real("N"),
            ..Real::default()
        }),
        ScalarVariable::new("gravity", 7, C::Local, V::Constant).with_type(Real {
            start: Some(9.81),
            ..Real::default()
        }),
    ];
    variables[0].description = Some("Torque > 0 lifts the crank".to_owned());
    variables[1].initial = Some(Initial::Exact);
    variables[3].initial = Some(Initial::Calculated);
    variables
}

fn structure() -> ModelStructure {
    use index::*;
    ModelStructure {
        outputs: vec![
            Unknown::depending_on(ANGLE, vec![ANGLE]),
            Unknown {
                index: TENSION,
                dependencies: Some(vec![TORQUE, ANGLE]),
                dependencies_kind: Some(vec![DependencyKind::Fixed, DependencyKind::Dependent]),
            },
            Unknown {
                index: SLACK,
                ..Unknown::default()
            },
        ],
        derivatives: vec![Unknown::depending_on(RATE, vec![TORQUE])],
        initial_unknowns: vec![
            Unknown {
                index: RATE,
                ..Unknown::default()
            },
            Unknown::depending_on(TENSION, vec![ANGLE, STIFFNESS]),
            Unknown::independent(MASS),
            Unknown {
                index: SLACK,
                dependencies: Some(vec![STIFFNESS]),
                dependencies_kind: Some(vec![DependencyKind::Dependent]),
            },
        ],
    }
}
