//! `softdock fmu inspect`: what is in an FMU.

use crate::command::{self, ViewArgs};
use crate::foreign::ArchiveArgs;
use anyhow::Result;
use serde::Serialize;
use softdock_figures::{Figures, Views, figures};
use softdock_fmi::import::Contents;
use softdock_fmi::package::FmiVersion;
use softdock_report::Figure as Shown;
use softdock_xml::{Causality, CoSimulation, ModelDescription, ScalarVariable, VariableType};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock fmu inspect`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The FMU
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Lists all variables
    #[arg(long)]
    variables: bool,
    #[command(flatten)]
    archive: ArchiveArgs,
    #[command(flatten)]
    views: ViewArgs,
}

figures! {
    /// What is in an FMU.
    struct InspectResult;
    model: String as "Name of the model.";
    fmi_version: &'static str as "Version of the standard.";
    guid: String = "-", "GUID", "Identifier of the description";
    description: Option<String> as "What the description says of the model.";
    version: Option<String> = "-", "version", "Version of the model", optional();
    tool: Option<String> = "-", "tool", "Tool that made it", optional();
    license: Option<String> = "-", "licence", "Its licence", optional();
    co_simulation: Option<String> = "-", "co-simulation", "Identifier of this interface", optional();
    model_exchange: Option<String> = "-", "model exchange", "Identifier of this interface",
        optional();
    capabilities: Vec<&'static str> as "What its co-simulation can.";
    default_start_s: Option<f64> = "s", "default start", "Default start time", optional();
    default_stop_s: Option<f64> = "s", "default stop", "Default stop time", optional();
    default_step_s: Option<f64> = "s", "default step", "Default step", optional();
    default_tolerance: Option<f64> = "-", "default tolerance", "Default tolerance", exponent(1),
        optional();
    log_categories: Vec<String> as "Categories of its log.";
    files: Vec<File> as "Files of the archive.";
    variables: Vec<Variable> as "Its variables.";
    problems: Vec<String> as "Rules of the standard that the description breaks.";
    refused: Option<String> as "Why the archive would not be unpacked.";
    /// Whether the terminal lists all variables.
    #[serde(skip)]
    lists_variables: bool as "";
}

#[derive(Debug, Serialize)]
struct File {
    name: String,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Variable {
    name: String,
    value_reference: u32,
    causality: String,
    variability: String,
    #[serde(rename = "type")]
    kind: &'static str,
    unit: Option<String>,
    start: Option<String>,
    description: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || {
        let contents = Contents::read_within(&arguments.file, &arguments.archive.limits())?;
        Ok(result(contents, arguments.variables).into())
    })
}

fn result(contents: Contents, lists_variables: bool) -> InspectResult {
    let Contents {
        description,
        version,
        references,
        types,
        abilities,
        files,
        problem,
    } = contents;
    let own = references.into_iter().zip(types);
    let experiment = description.default_experiment.unwrap_or_default();
    let identifier = |identifier: &String| identifier.clone();
    let co_simulation = description.co_simulation.as_ref();
    let model_exchange = description.model_exchange.as_ref();
    InspectResult {
        lists_variables,
        co_simulation: co_simulation.map(|interface| identifier(&interface.model_identifier)),
        model_exchange: model_exchange.map(|interface| identifier(&interface.model_identifier)),
        fmi_version: match version {
            FmiVersion::Two => "2.0",
            FmiVersion::Three => "3.0",
        },
        capabilities: co_simulation.map_or_else(Vec::new, |interface| {
            let mut names = capabilities(interface, version);
            names.extend(abilities);
            names
        }),
        default_start_s: experiment.start_time,
        default_stop_s: experiment.stop_time,
        default_step_s: experiment.step_size,
        default_tolerance: experiment.tolerance,
        log_categories: description
            .log_categories
            .iter()
            .map(|category| category.name.clone())
            .collect(),
        files: files
            .into_iter()
            .map(|(name, bytes)| File { name, bytes })
            .collect(),
        variables: description
            .model_variables
            .iter()
            .zip(own)
            .map(|(one, own)| variable(&description, one, own))
            .collect(),
        problems: description
            .problems()
            .iter()
            .map(ToString::to_string)
            .collect(),
        refused: problem.map(|problem| problem.to_string()),
        model: description.model_name,
        guid: description.guid,
        description: description.description,
        version: description.version,
        tool: description.generation_tool,
        license: description.license,
    }
}

/// Capabilities by the names that the version of the standard has for them.
fn capabilities(interface: &CoSimulation, version: FmiVersion) -> Vec<&'static str> {
    let in_version = |name: &'static str| match (version, name) {
        (FmiVersion::Three, "canGetAndSetFMUstate") => "canGetAndSetFMUState",
        (FmiVersion::Three, "canSerializeFMUstate") => "canSerializeFMUState",
        (FmiVersion::Three, "providesDirectionalDerivative") => "providesDirectionalDerivatives",
        (_, name) => name,
    };
    let list = [
        (interface.needs_execution_tool, "needsExecutionTool"),
        (
            interface.can_handle_variable_communication_step_size,
            "canHandleVariableCommunicationStepSize",
        ),
        (interface.can_interpolate_inputs, "canInterpolateInputs"),
        (
            interface.max_output_derivative_order > 0,
            "maxOutputDerivativeOrder > 0",
        ),
        (interface.can_run_asynchronously, "canRunAsynchronuously"),
        (
            interface.can_be_instantiated_only_once_per_process,
            "canBeInstantiatedOnlyOncePerProcess",
        ),
        (
            interface.can_not_use_memory_management_functions,
            "canNotUseMemoryManagementFunctions",
        ),
        (interface.can_get_and_set_fmu_state, "canGetAndSetFMUstate"),
        (interface.can_serialize_fmu_state, "canSerializeFMUstate"),
        (
            interface.provides_directional_derivative,
            "providesDirectionalDerivative",
        ),
    ];
    let given = list.into_iter().filter(|(given, _)| *given);
    given.map(|(_, name)| in_version(name)).collect()
}

/// A variable with the value reference and the type that the FMU has for it.
fn variable(
    description: &ModelDescription,
    variable: &ScalarVariable,
    (value_reference, kind): (u32, &'static str),
) -> Variable {
    let (unit, start) = match &variable.variable_type {
        VariableType::Real(real) => (
            description.real_attributes(real).unit,
            real.start.map(|start| format!("{start}")),
        ),
        VariableType::Integer(integer) => (None, integer.start.map(|start| start.to_string())),
        VariableType::Boolean(boolean) => (None, boolean.start.map(|start| start.to_string())),
        VariableType::String(text) => (None, text.start.clone()),
        VariableType::Enumeration(choice) => (None, choice.start.map(|start| start.to_string())),
    };
    Variable {
        name: variable.name.clone(),
        value_reference,
        causality: variable.causality.to_string(),
        variability: variable.effective_variability().to_string(),
        kind,
        unit,
        start,
        description: variable.description.clone(),
    }
}

impl InspectResult {
    /// Every variable in a line.
    fn variable_lines(&self) -> impl Iterator<Item = String> {
        let listed = self.variables.iter().filter(|_| self.lists_variables);
        listed.map(|one| {
            let unit = one.unit.as_deref().unwrap_or(one.kind);
            let start = one.start.as_deref().unwrap_or("-");
            let text = one.description.as_deref().unwrap_or_default();
            let (name, causality) = (&one.name, &one.causality);
            format!("{name:<32} {causality:<20} {unit:<10} {start:<12} {text}")
        })
    }
}

impl Views for InspectResult {
    const FILE: &'static str = "inspect.json";

    fn title(&self) -> String {
        format!("{} (FMI {})", self.model, self.fmi_version)
    }

    fn rows(&self) -> Vec<Shown> {
        let causalities = [
            Causality::Parameter,
            Causality::CalculatedParameter,
            Causality::Input,
            Causality::Output,
            Causality::Local,
        ];
        let counts = causalities.into_iter().map(|causality| {
            let name = causality.to_string();
            let variables = self.variables.iter();
            let count = variables.filter(|one| one.causality == name).count();
            Shown::text(&format!("variables, {name}"), count.to_string(), "")
        });
        self.lines().into_iter().chain(counts).collect()
    }

    fn notes(&self) -> Vec<String> {
        let can = self.capabilities.join(", ");
        let can = (!can.is_empty()).then(|| format!("can: {can}"));
        let files = self.files.iter();
        let files = files.map(|file| format!("{:>10}  {}", file.bytes, file.name));
        let refused = self.refused.iter();
        let refused = refused.map(|why| format!("would not be unpacked: {why}"));
        let problems = self.problems.iter();
        let problems = problems.map(|problem| format!("breaks the standard: {problem}"));
        let first = self.description.iter().cloned().chain(can).chain(files);
        first
            .chain(self.variable_lines())
            .chain(refused)
            .chain(problems)
            .collect()
    }
}
