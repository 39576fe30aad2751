//! Reading: any order of elements, unknown elements and attributes skipped, everything wrong named
//! with its element, attribute and position.

mod cursor;
mod encoding;
mod variable;
mod version3;

pub use version3::fmi_version;

use crate::{
    BaseUnit, CoSimulation, DefaultExperiment, DisplayUnit, Error, FMI_VERSION, LogCategory,
    ModelDescription, ModelExchange, ModelStructure, Unit, Unknown,
};
use cursor::{Cursor, Element};

impl ModelDescription {
    /// Reads a `modelDescription.xml` of FMI 2.0, of any origin.
    ///
    /// Vendor annotations are skipped. The result is not validated.
    pub fn from_xml(bytes: &[u8]) -> Result<Self, Error> {
        let text = encoding::decode(bytes)?;
        let mut cursor = Cursor::new(&text);
        let root = cursor.root()?;
        if root.name != "fmiModelDescription" {
            return Err(Error::WrongRoot {
                found: root.name,
                position: root.position,
            });
        }
        let description = read_description(&mut cursor, &root)?;
        cursor.finish(&root)?;
        Ok(description)
    }
}

impl std::str::FromStr for ModelDescription {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_xml(text.as_bytes())
    }
}

fn read_description(cursor: &mut Cursor<'_>, root: &Element) -> Result<ModelDescription, Error> {
    // Revisions of the standard all say "2.0", but some exporters append the revision.
    let version = root.required("fmiVersion")?.trim();
    let revision = version.strip_prefix(FMI_VERSION);
    if !revision.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
        return Err(Error::UnsupportedVersion {
            found: version.to_owned(),
        });
    }
    let mut description = ModelDescription {
        model_name: root.required("modelName")?.to_owned(),
        guid: root.required("guid")?.to_owned(),
        description: root.text("description"),
        author: root.text("author"),
        version: root.text("version"),
        copyright: root.text("copyright"),
        license: root.text("license"),
        generation_tool: root.text("generationTool"),
        generation_date_and_time: root.text("generationDateAndTime"),
        variable_naming_convention: root.value("variableNamingConvention")?.unwrap_or_default(),
        number_of_event_indicators: root.value("numberOfEventIndicators")?,
        ..ModelDescription::default()
    };
    let (mut has_variables, mut has_structure) = (false, false);
    cursor.children(root, |cursor, child| {
        match child.name.as_str() {
            "ModelExchange" => {
                description.model_exchange = Some(read_model_exchange(cursor, child)?);
            }
            "CoSimulation" => description.co_simulation = Some(read_co_simulation(cursor, child)?),
            "UnitDefinitions" => {
                cursor.list(child, "Unit", &mut description.unit_definitions, read_unit)?;
            }
            "TypeDefinitions" => {
                let types = &mut description.type_definitions;
                cursor.list(child, "SimpleType", types, variable::read_simple_type)?;
            }
            "LogCategories" => read_log_categories(cursor, child, &mut description)?,
            "DefaultExperiment" => {
                description.default_experiment = Some(DefaultExperiment {
                    start_time: child.value("startTime")?,
                    stop_time: child.value("stopTime")?,
                    tolerance: child.value("tolerance")?,
                    step_size: child.value("stepSize")?,
                });
            }
            "ModelVariables" => {
                has_variables = true;
                let variables = &mut description.model_variables;
                cursor.list(child, "ScalarVariable", variables, variable::read_variable)?;
            }
            "ModelStructure" => {
                has_structure = true;
                read_structure(cursor, child, &mut description.model_structure)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    let has_interface = description.model_exchange.is_some() || description.co_simulation.is_some();
    for (present, element) in [
        (has_interface, "CoSimulation or ModelExchange"),
        (has_variables, "ModelVariables"),
        (has_structure, "ModelStructure"),
    ] {
        if !present {
            return Err(root.lacks_element(element));
        }
    }
    Ok(description)
}

fn read_log_categories(
    cursor: &mut Cursor<'_>,
    parent: &Element,
    description: &mut ModelDescription,
) -> Result<(), Error> {
    let categories = &mut description.log_categories;
    cursor.list(parent, "Category", categories, |_, category| {
        Ok(LogCategory {
            name: category.required("name")?.to_owned(),
            description: category.text("description"),
        })
    })
}

fn read_source_files(cursor: &mut Cursor<'_>, parent: &Element) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    cursor.children(parent, |cursor, child| {
        if child.name == "SourceFiles" {
            cursor.list(child, "File", &mut files, |_, file| {
                Ok(file.required("name")?.to_owned())
            })?;
        }
        Ok(())
    })?;
    Ok(files)
}

fn read_model_exchange(cursor: &mut Cursor<'_>, me: &Element) -> Result<ModelExchange, Error> {
    Ok(ModelExchange {
        model_identifier: me.required("modelIdentifier")?.to_owned(),
        needs_execution_tool: me.flag("needsExecutionTool")?,
        completed_integrator_step_not_needed: me.flag("completedIntegratorStepNotNeeded")?,
        can_be_instantiated_only_once_per_process: me
            .flag("canBeInstantiatedOnlyOncePerProcess")?,
        can_not_use_memory_management_functions: me.flag("canNotUseMemoryManagementFunctions")?,
        can_get_and_set_fmu_state: me.flag("canGetAndSetFMUstate")?,
        can_serialize_fmu_state: me.flag("canSerializeFMUstate")?,
        provides_directional_derivative: me.flag("providesDirectionalDerivative")?,
        source_files: read_source_files(cursor, me)?,
    })
}

fn read_co_simulation(cursor: &mut Cursor<'_>, cs: &Element) -> Result<CoSimulation, Error> {
    Ok(CoSimulation {
        model_identifier: cs.required("modelIdentifier")?.to_owned(),
        needs_execution_tool: cs.flag("needsExecutionTool")?,
        can_handle_variable_communication_step_size: cs
            .flag("canHandleVariableCommunicationStepSize")?,
        can_interpolate_inputs: cs.flag("canInterpolateInputs")?,
        max_output_derivative_order: cs.value("maxOutputDerivativeOrder")?.unwrap_or_default(),
        can_run_asynchronously: cs.flag("canRunAsynchronuously")?,
        can_be_instantiated_only_once_per_process: cs
            .flag("canBeInstantiatedOnlyOncePerProcess")?,
        can_not_use_memory_management_functions: cs.flag("canNotUseMemoryManagementFunctions")?,
        can_get_and_set_fmu_state: cs.flag("canGetAndSetFMUstate")?,
        can_serialize_fmu_state: cs.flag("canSerializeFMUstate")?,
        provides_directional_derivative: cs.flag("providesDirectionalDerivative")?,
        source_files: read_source_files(cursor, cs)?,
    })
}

fn read_unit(cursor: &mut Cursor<'_>, element: &Element) -> Result<Unit, Error> {
    let mut unit = Unit {
        name: element.required("name")?.to_owned(),
        ..Unit::default()
    };
    cursor.children(element, |_, child| {
        match child.name.as_str() {
            "BaseUnit" => {
                unit.base_unit = Some(BaseUnit {
                    kg: child.value("kg")?.unwrap_or(0),
                    m: child.value("m")?.unwrap_or(0),
                    s: child.value("s")?.unwrap_or(0),
                    a: child.value("A")?.unwrap_or(0),
                    k: child.value("K")?.unwrap_or(0),
                    mol: child.value("mol")?.unwrap_or(0),
                    cd: child.value("cd")?.unwrap_or(0),
                    rad: child.value("rad")?.unwrap_or(0),
                    factor: child.value("factor")?.unwrap_or(1.0),
                    offset: child.value("offset")?.unwrap_or(0.0),
                });
            }
            // FMI 3.0 has display units that are reciprocals; nothing here shows values in them.
            "DisplayUnit" if child.flag("inverse")? => {}
            "DisplayUnit" => unit.display_units.push(DisplayUnit {
                name: child.required("name")?.to_owned(),
                factor: child.value("factor")?.unwrap_or(1.0),
                offset: child.value("offset")?.unwrap_or(0.0),
            }),
            _ => {}
        }
        Ok(())
    })?;
    Ok(unit)
}

fn read_structure(
    cursor: &mut Cursor<'_>,
    element: &Element,
    structure: &mut ModelStructure,
) -> Result<(), Error> {
    cursor.children(element, |cursor, child| {
        let unknowns = match child.name.as_str() {
            "Outputs" => &mut structure.outputs,
            "Derivatives" => &mut structure.derivatives,
            "InitialUnknowns" => &mut structure.initial_unknowns,
            _ => return Ok(()),
        };
        cursor.list(child, "Unknown", unknowns, |_, unknown| {
            Ok(Unknown {
                index: unknown.required_value("index")?,
                dependencies: unknown.values("dependencies")?,
                dependencies_kind: unknown.values("dependenciesKind")?,
            })
        })
    })
}
