//! The description as a whole: identity, interfaces, experiment and structure.

use crate::keyword::{Causality, DependencyKind, Initial, NamingConvention};
use crate::unit::Unit;
use crate::variable::{RealAttributes, ScalarVariable, SimpleType, SimpleTypeKind, VariableType};
use crate::{Integer, IntegerAttributes, Real};

/// The `fmiVersion` of all 2.0.x revisions of the standard.
pub const FMI_VERSION: &str = "2.0";

/// The content of one `modelDescription.xml`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelDescription {
    /// Name of the model as its author knows it.
    pub model_name: String,
    /// Fingerprint that ties the XML to the binary.
    pub guid: String,
    /// One line on what the model is.
    pub description: Option<String>,
    /// Name and organisation of the author.
    pub author: Option<String>,
    /// Version of the model.
    pub version: Option<String>,
    /// Copyright notice.
    pub copyright: Option<String>,
    /// Licence of the model.
    pub license: Option<String>,
    /// The tool that wrote the XML.
    pub generation_tool: Option<String>,
    /// When it was written, as `YYYY-MM-DDThh:mm:ssZ`.
    pub generation_date_and_time: Option<String>,
    /// How the variable names are built.
    pub variable_naming_convention: NamingConvention,
    /// Number of event indicators; only model exchange has any.
    pub number_of_event_indicators: Option<u32>,
    /// The model-exchange interface, if there is one.
    pub model_exchange: Option<ModelExchange>,
    /// The co-simulation interface, if there is one.
    pub co_simulation: Option<CoSimulation>,
    /// The units that variables and types name.
    pub unit_definitions: Vec<Unit>,
    /// Types that variables may declare.
    pub type_definitions: Vec<SimpleType>,
    /// Categories in which the model logs.
    pub log_categories: Vec<LogCategory>,
    /// What to simulate when the user just presses *run*.
    pub default_experiment: Option<DefaultExperiment>,
    /// All variables; lists refer to them by position, counted from one.
    pub model_variables: Vec<ScalarVariable>,
    /// Which variables are unknown, and what they depend on.
    pub model_structure: ModelStructure,
}

impl ModelDescription {
    /// A co-simulation model without variables.
    pub fn new(model_name: impl Into<String>, co_simulation: CoSimulation) -> Self {
        Self {
            model_name: model_name.into(),
            co_simulation: Some(co_simulation),
            ..Self::default()
        }
    }

    /// The variable at a one-based index, as lists and `derivative` count.
    pub fn variable_at(&self, index: u32) -> Option<&ScalarVariable> {
        let position = usize::try_from(index).ok()?.checked_sub(1)?;
        self.model_variables.get(position)
    }

    /// The variable of this name, with its one-based index.
    pub fn variable(&self, name: &str) -> Option<(u32, &ScalarVariable)> {
        self.indexed_variables()
            .find(|(_, variable)| variable.name == name)
    }

    /// All variables with their one-based indices.
    pub fn indexed_variables(&self) -> impl Iterator<Item = (u32, &ScalarVariable)> {
        (1..).zip(&self.model_variables)
    }

    /// The indices that `Outputs` must list: exactly the outputs.
    pub fn required_outputs(&self) -> Vec<u32> {
        self.indexed_variables()
            .filter(|(_, variable)| variable.causality == Causality::Output)
            .map(|(index, _)| index)
            .collect()
    }

    /// The indices that `InitialUnknowns` must list, ascending: outputs, exposed states and their
    /// derivatives unless their initial value is exact, and all calculated parameters.
    pub fn required_initial_unknowns(&self) -> Vec<u32> {
        let states_and_derivatives: std::collections::BTreeSet<u32> = self
            .model_structure
            .derivatives
            .iter()
            .flat_map(|unknown| [Some(unknown.index), self.state_of(unknown.index)])
            .flatten()
            .collect();
        self.indexed_variables()
            .filter(|(index, variable)| match variable.causality {
                Causality::CalculatedParameter => true,
                causality => {
                    (causality == Causality::Output || states_and_derivatives.contains(index))
                        && matches!(
                            variable.effective_initial(),
                            Some(Initial::Approx | Initial::Calculated)
                        )
                }
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// The index of the state whose derivative the variable at `index` is.
    pub fn state_of(&self, index: u32) -> Option<u32> {
        match &self.variable_at(index)?.variable_type {
            VariableType::Real(real) => real.derivative,
            _ => None,
        }
    }

    /// The declared type of this name.
    pub fn simple_type(&self, name: &str) -> Option<&SimpleType> {
        self.type_definitions
            .iter()
            .find(|simple_type| simple_type.name == name)
    }

    /// The attributes of a real, completed from its declared type.
    pub fn real_attributes(&self, real: &Real) -> RealAttributes {
        let declared = real
            .declared_type
            .as_deref()
            .and_then(|name| self.simple_type(name));
        match declared.map(|simple_type| &simple_type.kind) {
            Some(SimpleTypeKind::Real(defaults)) => real.attributes.or(defaults),
            _ => real.attributes.clone(),
        }
    }

    /// The attributes of an integer, completed from its declared type.
    pub fn integer_attributes(&self, integer: &Integer) -> IntegerAttributes {
        let declared = integer
            .declared_type
            .as_deref()
            .and_then(|name| self.simple_type(name));
        match declared.map(|simple_type| &simple_type.kind) {
            Some(SimpleTypeKind::Integer(defaults)) => integer.attributes.or(defaults),
            _ => integer.attributes.clone(),
        }
    }
}

/// The co-simulation interface and what it can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoSimulation {
    /// Name of the binary, and prefix of the functions of a static library.
    pub model_identifier: String,
    /// The FMU only talks to a tool that must be installed.
    pub needs_execution_tool: bool,
    /// The communication step may vary.
    pub can_handle_variable_communication_step_size: bool,
    /// Derivatives of inputs are accepted and used.
    pub can_interpolate_inputs: bool,
    /// Highest order of output derivatives.
    pub max_output_derivative_order: u32,
    /// A step may run while the caller goes on. (The schema misspells its name.)
    pub can_run_asynchronously: bool,
    /// Only one instance per process.
    pub can_be_instantiated_only_once_per_process: bool,
    /// The caller's memory functions are not used.
    pub can_not_use_memory_management_functions: bool,
    /// The state can be saved and restored.
    pub can_get_and_set_fmu_state: bool,
    /// A saved state can be turned into bytes.
    pub can_serialize_fmu_state: bool,
    /// Directional derivatives at communication points are available.
    pub provides_directional_derivative: bool,
    /// Source files, relative to `sources/`.
    pub source_files: Vec<String>,
}

impl CoSimulation {
    /// An interface that can do nothing optional.
    pub fn new(model_identifier: impl Into<String>) -> Self {
        Self {
            model_identifier: model_identifier.into(),
            ..Self::default()
        }
    }
}

/// The model-exchange interface and what it can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelExchange {
    /// Name of the binary, and prefix of the functions of a static library.
    pub model_identifier: String,
    /// The FMU only talks to a tool that must be installed.
    pub needs_execution_tool: bool,
    /// `fmi2CompletedIntegratorStep` need not be called.
    pub completed_integrator_step_not_needed: bool,
    /// Only one instance per process.
    pub can_be_instantiated_only_once_per_process: bool,
    /// The caller's memory functions are not used.
    pub can_not_use_memory_management_functions: bool,
    /// The state can be saved and restored.
    pub can_get_and_set_fmu_state: bool,
    /// A saved state can be turned into bytes.
    pub can_serialize_fmu_state: bool,
    /// Directional derivatives are available.
    pub provides_directional_derivative: bool,
    /// Source files, relative to `sources/`.
    pub source_files: Vec<String>,
}

/// A category in which the model logs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogCategory {
    /// The name used in calls, unique.
    pub name: String,
    /// What is logged there.
    pub description: Option<String>,
}

/// Defaults for the first simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DefaultExperiment {
    /// Start time [the unit of the independent variable, usually s].
    pub start_time: Option<f64>,
    /// Stop time [as start time].
    pub stop_time: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Preferred communication step [as start time].
    pub step_size: Option<f64>,
}

/// Which variables are unknown, and what they depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelStructure {
    /// All outputs.
    pub outputs: Vec<Unknown>,
    /// The derivatives of all exposed continuous states.
    pub derivatives: Vec<Unknown>,
    /// What initialisation computes; see [`ModelDescription::required_initial_unknowns`].
    pub initial_unknowns: Vec<Unknown>,
}

/// One unknown with its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unknown {
    /// One-based index of the variable.
    pub index: u32,
    /// One-based indices of the knowns, ascending. `None` says nothing, so that importers must
    /// assume a dependency on all; an empty list says that there is none.
    pub dependencies: Option<Vec<u32>>,
    /// How each of them enters, in the same order.
    pub dependencies_kind: Option<Vec<DependencyKind>>,
}

impl Unknown {
    /// An unknown that depends on no known: written as `dependencies=""`.
    pub fn independent(index: u32) -> Self {
        Self::depending_on(index, Vec::new())
    }

    /// An unknown that depends on these knowns in no particular way.
    pub fn depending_on(index: u32, dependencies: Vec<u32>) -> Self {
        Self {
            index,
            dependencies: Some(dependencies),
            dependencies_kind: None,
        }
    }
}
