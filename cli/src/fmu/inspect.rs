//! `softdock fmu inspect`: what is in an FMU.

use crate::foreign::ArchiveArgs;
use crate::output::{self, OutputArgs};
use crate::summary::Summary;
use anyhow::Result;
use serde::Serialize;
use softdock_fmi::import::Contents;
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
    output: OutputArgs,
}

/// What `--json` prints and inspect.json holds.
#[derive(Debug, Serialize)]
struct Report {
    model: String,
    guid: String,
    description: Option<String>,
    version: Option<String>,
    tool: Option<String>,
    license: Option<String>,
    co_simulation: Option<String>,
    model_exchange: Option<String>,
    capabilities: Vec<&'static str>,
    default_start_s: Option<f64>,
    default_stop_s: Option<f64>,
    default_step_s: Option<f64>,
    default_tolerance: Option<f64>,
    log_categories: Vec<String>,
    files: Vec<File>,
    variables: Vec<Variable>,
    /// Rules of the standard that the description breaks.
    problems: Vec<String>,
    /// Why the archive would not be unpacked.
    refused: Option<String>,
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
    let contents = Contents::read_within(&arguments.file, &arguments.archive.limits())?;
    let report = report(contents);
    if let Some(folder) = &arguments.output.out {
        output::write_json(&folder.join("inspect.json"), &report)?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&summary(&report, arguments.variables).to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(contents: Contents) -> Report {
    let Contents {
        description,
        files,
        problem,
    } = contents;
    let experiment = description.default_experiment.unwrap_or_default();
    let identifier = |identifier: &String| identifier.clone();
    let co_simulation = description.co_simulation.as_ref();
    let model_exchange = description.model_exchange.as_ref();
    Report {
        co_simulation: co_simulation.map(|interface| identifier(&interface.model_identifier)),
        model_exchange: model_exchange.map(|interface| identifier(&interface.model_identifier)),
        capabilities: co_simulation.map_or_else(Vec::new, capabilities),
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
            .map(|one| variable(&description, one))
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

fn capabilities(interface: &CoSimulation) -> Vec<&'static str> {
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
    given.map(|(_, name)| name).collect()
}

fn variable(description: &ModelDescription, variable: &ScalarVariable) -> Variable {
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
        value_reference: variable.value_reference,
        causality: variable.causality.to_string(),
        variability: variable.effective_variability().to_string(),
        kind: variable.variable_type.name(),
        unit,
        start,
        description: variable.description.clone(),
    }
}

fn summary(report: &Report, all_variables: bool) -> Summary {
    let mut summary = Summary::new(format!("{} (FMI 2.0)", report.model));
    let mut line = |label: &str, value: &Option<String>| {
        if let Some(value) = value {
            summary.text(label, value.clone(), "");
        }
    };
    line("GUID", &Some(report.guid.clone()));
    line("version", &report.version);
    line("tool", &report.tool);
    line("licence", &report.license);
    line("co-simulation", &report.co_simulation);
    line("model exchange", &report.model_exchange);
    let time = |value: Option<f64>| value.map(|value| format!("{value} s"));
    line("default start", &time(report.default_start_s));
    line("default stop", &time(report.default_stop_s));
    line("default step", &time(report.default_step_s));
    let tolerance = report.default_tolerance.map(|value| value.to_string());
    line("default tolerance", &tolerance);
    for causality in [
        Causality::Parameter,
        Causality::CalculatedParameter,
        Causality::Input,
        Causality::Output,
        Causality::Local,
    ] {
        let name = causality.to_string();
        let variables = report.variables.iter();
        let count = variables.filter(|one| one.causality == name).count();
        summary.text(&format!("variables, {name}"), count.to_string(), "");
    }
    if let Some(text) = &report.description {
        summary.note(text.clone());
    }
    if !report.capabilities.is_empty() {
        summary.note(format!("can: {}", report.capabilities.join(", ")));
    }
    for file in &report.files {
        summary.note(format!("{:>10}  {}", file.bytes, file.name));
    }
    if all_variables {
        for one in &report.variables {
            let unit = one.unit.as_deref().unwrap_or(one.kind);
            let start = one.start.as_deref().unwrap_or("-");
            let text = one.description.as_deref().unwrap_or_default();
            let Variable {
                name, causality, ..
            } = one;
            summary.note(format!(
                "{name:<32} {causality:<20} {unit:<10} {start:<12} {text}"
            ));
        }
    }
    if let Some(why) = &report.refused {
        summary.note(format!("would not be unpacked: {why}"));
    }
    for problem in &report.problems {
        summary.note(format!("breaks the standard: {problem}"));
    }
    summary
}
