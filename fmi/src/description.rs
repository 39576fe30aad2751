//! The model description, written from the table of variables.

use crate::logger::Category;
use crate::model::{About, Model, Parameters};
use crate::variables::{Access, InfluencesOutputs, Role, UNITS, UnitOf, Value, Variable};
use softdock_xml::{
    Boolean, Causality, CoSimulation, Error, Initial, Integer, IntegerAttributes, LogCategory,
    ModelDescription, ModelStructure, NamingConvention, Real, RealAttributes, ScalarVariable,
    Unknown, Variability, VariableType,
};

/// Highest order of output derivatives.
pub const OUTPUT_ORDER: i32 = 1;

/// The description of a model.
pub fn describe<M: Model>(model: &M) -> Result<ModelDescription, Error> {
    let about = model.about();
    let mut description = ModelDescription::new(about.name, capabilities(&about));
    description.description = Some(about.summary.to_owned());
    description.author = Some("The softdock developers".to_owned());
    description.version = Some(env!("CARGO_PKG_VERSION").to_owned());
    description.license = Some("MIT OR Apache-2.0".to_owned());
    description.generation_tool = Some(format!("softdock {}", env!("CARGO_PKG_VERSION")));
    description.variable_naming_convention = NamingConvention::Structured;
    description.log_categories = Category::ALL
        .into_iter()
        .map(|category| LogCategory {
            name: category.name().to_owned(),
            description: Some(category.description().to_owned()),
        })
        .collect();
    description.default_experiment = Some(about.experiment);
    let variables = model.variables();
    description.unit_definitions = UNITS
        .iter()
        .filter(|unit| variables.iter().any(|variable| variable.unit == **unit))
        .map(|unit| unit.definition())
        .collect();
    let defaults = model.defaults();
    description.model_variables = (0..)
        .zip(variables)
        .map(|(reference, variable)| scalar(reference, variable, &defaults))
        .collect();
    description.model_structure = structure(&description, variables);
    description.guid = description.content_guid()?;
    Ok(description)
}

fn capabilities(about: &About<'_>) -> CoSimulation {
    let abilities = about.abilities;
    CoSimulation {
        can_handle_variable_communication_step_size: true,
        can_interpolate_inputs: abilities.input_derivatives,
        max_output_derivative_order: if abilities.output_derivatives {
            OUTPUT_ORDER.unsigned_abs()
        } else {
            0
        },
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: abilities.directional_derivatives,
        ..CoSimulation::new(about.name)
    }
}

fn scalar<P: Parameters>(reference: u32, variable: &Variable<P>, defaults: &P) -> ScalarVariable {
    let (causality, variability, initial, kind) = match &variable.role {
        Role::Parameter(access) => (
            Causality::Parameter,
            Variability::Fixed,
            Some(Initial::Exact),
            parameter(access, variable.unit, defaults),
        ),
        Role::Calculated(_) => (
            Causality::CalculatedParameter,
            Variability::Fixed,
            Some(Initial::Calculated),
            real(variable.unit, None).into(),
        ),
        Role::Input { start, index } => (
            Causality::Input,
            Variability::Continuous,
            None,
            real(variable.unit, Some(start(defaults, *index))).into(),
        ),
        Role::Output { .. } => (
            Causality::Output,
            Variability::Continuous,
            Some(Initial::Calculated),
            real(variable.unit, None).into(),
        ),
        Role::Local { .. } => (
            Causality::Local,
            Variability::Continuous,
            Some(Initial::Calculated),
            real(variable.unit, None).into(),
        ),
    };
    let mut scalar =
        ScalarVariable::new(variable.name.to_string(), reference, causality, variability);
    scalar.description = Some(variable.description.to_string());
    scalar.initial = initial;
    scalar.with_type(kind)
}

fn real(unit: UnitOf, start: Option<f64>) -> Real {
    Real {
        attributes: RealAttributes {
            unit: Some(unit.name().to_owned()),
            ..RealAttributes::default()
        },
        start,
        ..Real::default()
    }
}

fn parameter<P: Clone>(access: &Access<P>, unit: UnitOf, defaults: &P) -> VariableType {
    match (access, access.get(defaults)) {
        (Access::Real { limits, .. }, Value::Real(start)) => {
            let mut real = real(unit, Some(start));
            let finite = |limit: f64| limit.is_finite().then_some(limit);
            [real.attributes.min, real.attributes.max] = limits.map(finite);
            real.into()
        }
        (Access::Integer { range, .. }, Value::Integer(start)) => {
            let [min, max] = range.map(Some);
            let attributes = IntegerAttributes {
                min,
                max,
                ..IntegerAttributes::default()
            };
            Integer {
                attributes,
                start: Some(start),
                ..Integer::default()
            }
            .into()
        }
        (_, value) => Boolean {
            start: Some(value == Value::Boolean(true)),
            ..Boolean::default()
        }
        .into(),
    }
}

/// At a communication point no output depends on the inputs set there: they count for the next
/// step. Before the first step, outputs depend on whatever shapes the equilibrium.
fn structure<P: Parameters>(
    description: &ModelDescription,
    variables: &[Variable<P>],
) -> ModelStructure {
    let outputs = description.required_outputs();
    let known = |variable: &Variable<P>| {
        variable.influences == InfluencesOutputs::AtStart
            && matches!(variable.role, Role::Parameter(_) | Role::Input { .. })
    };
    let knowns: Vec<u32> = (1..)
        .zip(variables)
        .filter(|(_, variable)| known(variable))
        .map(|(index, _)| index)
        .collect();
    let initial = description
        .required_initial_unknowns()
        .into_iter()
        .map(|index| Unknown::depending_on(index, knowns.clone()));
    ModelStructure {
        outputs: outputs.into_iter().map(Unknown::independent).collect(),
        initial_unknowns: initial.collect(),
        ..ModelStructure::default()
    }
}
