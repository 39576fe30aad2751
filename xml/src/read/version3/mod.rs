//! Reading a description of FMI 3.0 and flattening it.

mod flatten;

use super::cursor::{Cursor, Element, FromAttribute};
use super::{encoding, read_log_categories, read_source_files, read_unit};
use crate::version3::{Kind3, Version3};
use crate::{
    Causality, CoSimulation, DefaultExperiment, DependencyKind, EnumerationItem, Error,
    IntegerAttributes, ModelDescription, ModelExchange, RealAttributes, ScalarVariable, SimpleType,
    SimpleTypeKind, Variability, VariableType,
};
use flatten::flatten;

/// The versions that are read.
const MAJOR: &str = "3.";

/// Attributes of the interface that FMI 2.0 does not have.
const ABILITIES: [&str; 7] = [
    "providesAdjointDerivatives",
    "providesPerElementDependencies",
    "providesIntermediateUpdate",
    "mightReturnEarlyFromDoStep",
    "canReturnEarlyAfterIntermediateUpdate",
    "hasEventMode",
    "providesEvaluateDiscreteStates",
];

impl Version3 {
    /// Reads a `modelDescription.xml` of FMI 3.0, of any origin. The result is not validated.
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
        let version = root.required("fmiVersion")?.trim();
        if !version.starts_with(MAJOR) {
            return Err(Error::UnsupportedVersion {
                found: version.to_owned(),
            });
        }
        let read = read_root(&mut cursor, &root)?;
        cursor.finish(&root)?;
        Ok(read)
    }
}

/// The `fmiVersion` of a description of any version.
pub fn fmi_version(bytes: &[u8]) -> Result<String, Error> {
    let text = encoding::decode(bytes)?;
    let root = Cursor::new(&text).root()?;
    if root.name != "fmiModelDescription" {
        return Err(Error::WrongRoot {
            found: root.name,
            position: root.position,
        });
    }
    Ok(root.required("fmiVersion")?.trim().to_owned())
}

fn read_root(cursor: &mut Cursor<'_>, root: &Element) -> Result<Version3, Error> {
    let mut out = Version3 {
        description: ModelDescription {
            model_name: root.required("modelName")?.to_owned(),
            guid: root.required("instantiationToken")?.to_owned(),
            description: root.text("description"),
            author: root.text("author"),
            version: root.text("version"),
            copyright: root.text("copyright"),
            license: root.text("license"),
            generation_tool: root.text("generationTool"),
            generation_date_and_time: root.text("generationDateAndTime"),
            variable_naming_convention: root.value("variableNamingConvention")?.unwrap_or_default(),
            ..ModelDescription::default()
        },
        ..Version3::default()
    };
    let mut variables = Vec::new();
    let (mut has_interface, mut has_variables) = (false, false);
    let mut structure = None;
    cursor.children(root, |cursor, child| {
        let description = &mut out.description;
        match child.name.as_str() {
            "ModelExchange" => {
                has_interface = true;
                description.model_exchange = Some(read_model_exchange(cursor, child)?);
            }
            "CoSimulation" => {
                has_interface = true;
                for ability in ABILITIES {
                    if child.flag(ability)? {
                        out.abilities.push(ability);
                    }
                }
                description.co_simulation = Some(read_co_simulation(cursor, child)?);
            }
            "ScheduledExecution" => has_interface = true,
            "UnitDefinitions" => {
                cursor.list(child, "Unit", &mut description.unit_definitions, read_unit)?;
            }
            "TypeDefinitions" => cursor.children(child, |cursor, child| {
                description
                    .type_definitions
                    .extend(read_type(cursor, child)?);
                Ok(())
            })?,
            "LogCategories" => read_log_categories(cursor, child, description)?,
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
                cursor.children(child, |cursor, child| {
                    variables.extend(read_variable(cursor, child)?);
                    Ok(())
                })?;
            }
            "ModelStructure" => structure = Some(read_structure(cursor, child)?),
            _ => {}
        }
        Ok(())
    })?;
    for (present, element) in [
        (has_interface, "CoSimulation or ModelExchange"),
        (has_variables, "ModelVariables"),
        (structure.is_some(), "ModelStructure"),
    ] {
        if !present {
            return Err(root.lacks_element(element));
        }
    }
    flatten(&mut out, &variables, &structure.unwrap_or_default())?;
    Ok(out)
}

fn read_model_exchange(cursor: &mut Cursor<'_>, me: &Element) -> Result<ModelExchange, Error> {
    Ok(ModelExchange {
        model_identifier: me.required("modelIdentifier")?.to_owned(),
        needs_execution_tool: me.flag("needsExecutionTool")?,
        completed_integrator_step_not_needed: !me.flag("needsCompletedIntegratorStep")?,
        can_be_instantiated_only_once_per_process: me
            .flag("canBeInstantiatedOnlyOncePerProcess")?,
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: me.flag("canGetAndSetFMUState")?,
        can_serialize_fmu_state: me.flag("canSerializeFMUState")?,
        provides_directional_derivative: me.flag("providesDirectionalDerivatives")?,
        source_files: read_source_files(cursor, me)?,
    })
}

fn read_co_simulation(cursor: &mut Cursor<'_>, cs: &Element) -> Result<CoSimulation, Error> {
    Ok(CoSimulation {
        model_identifier: cs.required("modelIdentifier")?.to_owned(),
        needs_execution_tool: cs.flag("needsExecutionTool")?,
        can_handle_variable_communication_step_size: cs
            .flag("canHandleVariableCommunicationStepSize")?,
        // This version has no derivatives of inputs.
        can_interpolate_inputs: false,
        max_output_derivative_order: cs.value("maxOutputDerivativeOrder")?.unwrap_or_default(),
        can_run_asynchronously: false,
        can_be_instantiated_only_once_per_process: cs
            .flag("canBeInstantiatedOnlyOncePerProcess")?,
        // Nor memory functions of the caller.
        can_not_use_memory_management_functions: false,
        can_get_and_set_fmu_state: cs.flag("canGetAndSetFMUState")?,
        can_serialize_fmu_state: cs.flag("canSerializeFMUState")?,
        provides_directional_derivative: cs.flag("providesDirectionalDerivatives")?,
        source_files: read_source_files(cursor, cs)?,
    })
}

/// A declared type; nothing for clocks.
fn read_type(cursor: &mut Cursor<'_>, element: &Element) -> Result<Option<SimpleType>, Error> {
    let Some(kind) = (element.name.strip_suffix("Type")).and_then(Kind3::from_name) else {
        return Ok(None);
    };
    let kind = match kind {
        Kind3::Float32 | Kind3::Float64 => SimpleTypeKind::Real(read_real_attributes(element)?),
        Kind3::Boolean => SimpleTypeKind::Boolean,
        Kind3::String | Kind3::Binary => SimpleTypeKind::String,
        Kind3::Enumeration => {
            let mut items = Vec::new();
            cursor.list(element, "Item", &mut items, |_, item| {
                Ok(EnumerationItem {
                    name: item.required("name")?.to_owned(),
                    value: item.required_value("value")?,
                    description: item.text("description"),
                })
            })?;
            SimpleTypeKind::Enumeration {
                quantity: element.text("quantity"),
                items,
            }
        }
        _ => SimpleTypeKind::Integer(read_integer_attributes(element)?),
    };
    Ok(Some(SimpleType {
        name: element.required("name")?.to_owned(),
        description: element.text("description"),
        kind,
    }))
}

fn read_real_attributes(element: &Element) -> Result<RealAttributes, Error> {
    super::variable::read_real_attributes(element)
}

/// An integer of any size; `None` beyond 32 bits.
struct Wide(Option<i32>);

impl FromAttribute for Wide {
    const EXPECTED: &'static str = "a whole number";
    fn from_attribute(text: &str) -> Option<Self> {
        let number: i128 = text.parse().ok()?;
        Some(Self(i32::try_from(number).ok()))
    }
}

/// Limits that no integer of 32 bits reaches are none for the numbers that are carried.
fn read_integer_attributes(element: &Element) -> Result<IntegerAttributes, Error> {
    let limit = |name| Ok::<_, Error>(element.value::<Wide>(name)?.and_then(|wide| wide.0));
    Ok(IntegerAttributes {
        quantity: element.text("quantity"),
        min: limit("min")?,
        max: limit("max")?,
    })
}

/// How long a dimension is.
enum Length {
    Fixed(usize),
    /// As long as the variable of this value reference says.
    Of(u32),
}

/// A variable as it stands in the XML.
struct Variable {
    kind: Kind3,
    /// All but type and value reference; its name is that of the array.
    head: ScalarVariable,
    structural: bool,
    attributes: Attributes,
    declared_type: Option<String>,
    starts: Option<Vec<Start>>,
    dimensions: Vec<Length>,
    /// Value reference of the state whose derivative it is.
    derivative: Option<u32>,
    reinit: bool,
    /// Names and descriptions of its aliases.
    aliases: Vec<(String, Option<String>)>,
}

enum Attributes {
    Real(RealAttributes),
    Integer(IntegerAttributes),
    None,
}

#[derive(Clone)]
enum Start {
    Real(f64),
    /// `None` beyond 32 bits.
    Integer(Option<i32>),
    Boolean(bool),
    Text(String),
}

/// Causality and whether it is that of a structural parameter, which FMI 2.0 does not have.
struct Role(Causality, bool);

impl FromAttribute for Role {
    const EXPECTED: &'static str = "parameter, structuralParameter, calculatedParameter, input, \
                                    output, local or independent";
    fn from_attribute(text: &str) -> Option<Self> {
        if text == "structuralParameter" {
            return Some(Self(Causality::Parameter, true));
        }
        Causality::from_attribute(text).map(|causality| Self(causality, false))
    }
}

fn read_variable(cursor: &mut Cursor<'_>, element: &Element) -> Result<Option<Variable>, Error> {
    let Some(kind) = Kind3::from_name(&element.name) else {
        return Ok(None);
    };
    let real = matches!(kind, Kind3::Float32 | Kind3::Float64);
    let Role(causality, structural) =
        (element.value("causality")?).unwrap_or(Role(Causality::Local, false));
    let fixed = matches!(
        causality,
        Causality::Parameter | Causality::CalculatedParameter
    );
    let default = match (fixed, real) {
        (true, _) => Variability::Fixed,
        (_, true) => Variability::Continuous,
        _ => Variability::Discrete,
    };
    let mut variable = Variable {
        kind,
        head: ScalarVariable {
            name: element.required("name")?.to_owned(),
            value_reference: element.required_value("valueReference")?,
            description: element.text("description"),
            causality,
            variability: Some(element.value("variability")?.unwrap_or(default)),
            initial: element.value("initial")?,
            can_handle_multiple_set_per_time_instant: element
                .value("canHandleMultipleSetPerTimeInstant")?,
            variable_type: VariableType::default(),
        },
        structural,
        attributes: match kind {
            _ if real => Attributes::Real(read_real_attributes(element)?),
            Kind3::Boolean | Kind3::String | Kind3::Binary => Attributes::None,
            _ => Attributes::Integer(read_integer_attributes(element)?),
        },
        declared_type: element.text("declaredType"),
        starts: read_starts(kind, element)?,
        dimensions: Vec::new(),
        derivative: element.value("derivative")?,
        reinit: element.flag("reinit")?,
        aliases: Vec::new(),
    };
    let mut texts = Vec::new();
    cursor.children(element, |_, child| {
        match child.name.as_str() {
            "Dimension" => variable.dimensions.push(match child.value("start")? {
                Some(Fixed(length)) => Length::Fixed(length),
                None => Length::Of(child.required_value("valueReference")?),
            }),
            "Start" => texts.push(Start::Text(child.required("value")?.to_owned())),
            "Alias" => {
                let name = child.required("name")?.to_owned();
                variable.aliases.push((name, child.text("description")));
            }
            _ => {}
        }
        Ok(())
    })?;
    if matches!(kind, Kind3::String | Kind3::Binary) && !texts.is_empty() {
        variable.starts = Some(texts);
    }
    Ok(Some(variable))
}

/// A length that is written as a number.
struct Fixed(usize);

impl FromAttribute for Fixed {
    const EXPECTED: &'static str = "a number of elements";
    fn from_attribute(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

/// Start values in an attribute, one for each element.
fn read_starts(kind: Kind3, element: &Element) -> Result<Option<Vec<Start>>, Error> {
    Ok(match kind {
        Kind3::Float32 | Kind3::Float64 => element
            .values("start")?
            .map(|list| list.into_iter().map(Start::Real).collect()),
        Kind3::Boolean => element
            .values("start")?
            .map(|list| list.into_iter().map(Start::Boolean).collect()),
        Kind3::String | Kind3::Binary => element.text("start").map(|text| vec![Start::Text(text)]),
        _ => element
            .values("start")?
            .map(|list| list.into_iter().map(|Wide(n)| Start::Integer(n)).collect()),
    })
}

/// An unknown by value references.
struct Unknown3 {
    variable: u32,
    dependencies: Option<Vec<u32>>,
    kinds: Option<Vec<DependencyKind>>,
}

/// Outputs, derivatives, initial unknowns.
type Structure = [Vec<Unknown3>; 3];

fn read_structure(cursor: &mut Cursor<'_>, element: &Element) -> Result<Structure, Error> {
    let mut out = Structure::default();
    cursor.children(element, |_, child| {
        let list = match child.name.as_str() {
            "Output" => &mut out[0],
            "ContinuousStateDerivative" => &mut out[1],
            "InitialUnknown" => &mut out[2],
            _ => return Ok(()),
        };
        list.push(Unknown3 {
            variable: child.required_value("valueReference")?,
            dependencies: child.values("dependencies")?,
            kinds: child.values("dependenciesKind")?,
        });
        Ok(())
    })?;
    Ok(out)
}
