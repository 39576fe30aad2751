//! Writing: elements in the order of the FMI 2.0 schema, attributes in the order of its tables,
//! two spaces of indentation, the same bytes for the same content.
//!
//! Attributes whose value is the schema's default are left out, except causality, which readers
//! of the XML look for.

mod tag;
mod version3;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, Event};

use crate::{
    BaseUnit, CoSimulation, DisplayUnit, Error, FMI_VERSION, ModelDescription, ModelExchange,
    ModelStructure, ScalarVariable, SimpleType, SimpleTypeKind, Unit, Unknown, VariableType,
};
pub(crate) use tag::Tag;

impl ModelDescription {
    /// The description as XML, encoded in UTF-8.
    ///
    /// Fails only on what XML cannot say: numbers that are not numbers and control characters.
    /// Whether the content makes sense is for [`ModelDescription::validate`].
    pub fn to_xml(&self) -> Result<String, Error> {
        let mut out = Out {
            writer: Writer::new_with_indent(Vec::new(), b' ', 2),
        };
        out.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        out.description(self)?;
        finish(out)
    }
}

/// The finished document.
pub(crate) fn finish(out: Out) -> Result<String, Error> {
    let mut bytes = out.writer.into_inner();
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(|error| Error::Write(std::io::Error::other(error)))
}

/// The document so far.
pub(crate) struct Out {
    pub(crate) writer: Writer<Vec<u8>>,
}

impl Out {
    pub(crate) fn event(&mut self, event: Event<'_>) -> Result<(), Error> {
        Ok(self.writer.write_event(event)?)
    }

    /// An element without content.
    pub(crate) fn empty(&mut self, tag: Tag) -> Result<(), Error> {
        self.event(Event::Empty(tag.start))
    }

    /// An element with content.
    pub(crate) fn nested(
        &mut self,
        tag: Tag,
        content: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.event(Event::Start(tag.start))?;
        content(self)?;
        self.event(Event::End(BytesEnd::new(tag.name)))
    }

    /// An element around a list; left out when the list is empty, as the schema demands.
    pub(crate) fn list<T>(
        &mut self,
        name: &'static str,
        items: &[T],
        mut item: impl FnMut(&mut Self, &T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if items.is_empty() {
            return Ok(());
        }
        self.nested(Tag::new(name), |out| {
            items.iter().try_for_each(|entry| item(out, entry))
        })
    }

    fn description(&mut self, description: &ModelDescription) -> Result<(), Error> {
        let d = description;
        let tag = Tag::new("fmiModelDescription")
            .with("fmiVersion", FMI_VERSION)?
            .with("modelName", &d.model_name)?
            .with("guid", &d.guid)?
            .maybe("description", &d.description)?
            .maybe("author", &d.author)?
            .maybe("version", &d.version)?
            .maybe("copyright", &d.copyright)?
            .maybe("license", &d.license)?
            .maybe("generationTool", &d.generation_tool)?
            .maybe("generationDateAndTime", &d.generation_date_and_time)?
            .with("variableNamingConvention", &d.variable_naming_convention)?
            .maybe("numberOfEventIndicators", &d.number_of_event_indicators)?;
        self.nested(tag, |out| {
            d.model_exchange
                .iter()
                .try_for_each(|interface| out.model_exchange(interface))?;
            d.co_simulation
                .iter()
                .try_for_each(|interface| out.co_simulation(interface))?;
            out.list("UnitDefinitions", &d.unit_definitions, Self::unit)?;
            out.list("TypeDefinitions", &d.type_definitions, Self::simple_type)?;
            out.log_categories(d)?;
            out.default_experiment(d)?;
            out.nested(Tag::new("ModelVariables"), |out| {
                d.model_variables
                    .iter()
                    .try_for_each(|variable| out.variable(variable))
            })?;
            out.structure(&d.model_structure)
        })
    }

    fn log_categories(&mut self, description: &ModelDescription) -> Result<(), Error> {
        let categories = &description.log_categories;
        self.list("LogCategories", categories, |out, category| {
            let tag = Tag::new("Category").with("name", &category.name)?;
            out.empty(tag.maybe("description", &category.description)?)
        })
    }

    fn default_experiment(&mut self, description: &ModelDescription) -> Result<(), Error> {
        let Some(experiment) = &description.default_experiment else {
            return Ok(());
        };
        let tag = Tag::new("DefaultExperiment")
            .maybe("startTime", &experiment.start_time)?
            .maybe("stopTime", &experiment.stop_time)?
            .maybe("tolerance", &experiment.tolerance)?
            .maybe("stepSize", &experiment.step_size)?;
        self.empty(tag)
    }

    /// An interface element, with its source files if it has any.
    fn interface(&mut self, tag: Tag, source_files: &[String]) -> Result<(), Error> {
        if source_files.is_empty() {
            return self.empty(tag);
        }
        self.nested(tag, |out| {
            out.list("SourceFiles", source_files, |out, file| {
                out.empty(Tag::new("File").with("name", file)?)
            })
        })
    }

    fn model_exchange(&mut self, me: &ModelExchange) -> Result<(), Error> {
        let tag = Tag::new("ModelExchange")
            .with("modelIdentifier", &me.model_identifier)?
            .flag("needsExecutionTool", me.needs_execution_tool)?
            .flag(
                "completedIntegratorStepNotNeeded",
                me.completed_integrator_step_not_needed,
            )?
            .flag(
                "canBeInstantiatedOnlyOncePerProcess",
                me.can_be_instantiated_only_once_per_process,
            )?
            .flag(
                "canNotUseMemoryManagementFunctions",
                me.can_not_use_memory_management_functions,
            )?
            .flag("canGetAndSetFMUstate", me.can_get_and_set_fmu_state)?
            .flag("canSerializeFMUstate", me.can_serialize_fmu_state)?
            .flag(
                "providesDirectionalDerivative",
                me.provides_directional_derivative,
            )?;
        self.interface(tag, &me.source_files)
    }

    fn co_simulation(&mut self, cs: &CoSimulation) -> Result<(), Error> {
        let tag = Tag::new("CoSimulation")
            .with("modelIdentifier", &cs.model_identifier)?
            .flag("needsExecutionTool", cs.needs_execution_tool)?
            .flag(
                "canHandleVariableCommunicationStepSize",
                cs.can_handle_variable_communication_step_size,
            )?
            .flag("canInterpolateInputs", cs.can_interpolate_inputs)?
            .unless(
                0,
                "maxOutputDerivativeOrder",
                &cs.max_output_derivative_order,
            )?
            .flag("canRunAsynchronuously", cs.can_run_asynchronously)?
            .flag(
                "canBeInstantiatedOnlyOncePerProcess",
                cs.can_be_instantiated_only_once_per_process,
            )?
            .flag(
                "canNotUseMemoryManagementFunctions",
                cs.can_not_use_memory_management_functions,
            )?
            .flag("canGetAndSetFMUstate", cs.can_get_and_set_fmu_state)?
            .flag("canSerializeFMUstate", cs.can_serialize_fmu_state)?
            .flag(
                "providesDirectionalDerivative",
                cs.provides_directional_derivative,
            )?;
        self.interface(tag, &cs.source_files)
    }

    fn unit(&mut self, unit: &Unit) -> Result<(), Error> {
        let tag = Tag::new("Unit").with("name", &unit.name)?;
        if unit.base_unit.is_none() && unit.display_units.is_empty() {
            return self.empty(tag);
        }
        self.nested(tag, |out| {
            unit.base_unit
                .iter()
                .try_for_each(|base| out.base_unit(base))?;
            unit.display_units
                .iter()
                .try_for_each(|display| out.display_unit(display))
        })
    }

    fn base_unit(&mut self, base: &BaseUnit) -> Result<(), Error> {
        let tag = Tag::new("BaseUnit")
            .unless(0, "kg", &base.kg)?
            .unless(0, "m", &base.m)?
            .unless(0, "s", &base.s)?
            .unless(0, "A", &base.a)?
            .unless(0, "K", &base.k)?
            .unless(0, "mol", &base.mol)?
            .unless(0, "cd", &base.cd)?
            .unless(0, "rad", &base.rad)?
            .unless(1.0, "factor", &base.factor)?
            .unless(0.0, "offset", &base.offset)?;
        self.empty(tag)
    }

    fn display_unit(&mut self, display: &DisplayUnit) -> Result<(), Error> {
        let tag = Tag::new("DisplayUnit")
            .with("name", &display.name)?
            .unless(1.0, "factor", &display.factor)?
            .unless(0.0, "offset", &display.offset)?;
        self.empty(tag)
    }

    fn simple_type(&mut self, simple_type: &SimpleType) -> Result<(), Error> {
        let tag = Tag::new("SimpleType")
            .with("name", &simple_type.name)?
            .maybe("description", &simple_type.description)?;
        self.nested(tag, |out| {
            let tag = Tag::new(simple_type.kind.name());
            match &simple_type.kind {
                SimpleTypeKind::Real(attributes) => out.empty(tag.real(attributes)?),
                SimpleTypeKind::Integer(attributes) => out.empty(tag.integer(attributes)?),
                SimpleTypeKind::Boolean | SimpleTypeKind::String => out.empty(tag),
                SimpleTypeKind::Enumeration { quantity, items } => {
                    out.nested(tag.maybe("quantity", quantity)?, |out| {
                        items.iter().try_for_each(|item| {
                            let tag = Tag::new("Item")
                                .with("name", &item.name)?
                                .with("value", &item.value)?
                                .maybe("description", &item.description)?;
                            out.empty(tag)
                        })
                    })
                }
            }
        })
    }

    fn variable(&mut self, variable: &ScalarVariable) -> Result<(), Error> {
        let tag = Tag::new("ScalarVariable")
            .with("name", &variable.name)?
            .with("valueReference", &variable.value_reference)?
            .maybe("description", &variable.description)?
            .with("causality", &variable.causality)?
            .maybe("variability", &variable.variability)?
            .maybe("initial", &variable.initial)?
            .maybe(
                "canHandleMultipleSetPerTimeInstant",
                &variable.can_handle_multiple_set_per_time_instant,
            )?;
        let inner = Tag::new(variable.variable_type.name());
        let inner = match &variable.variable_type {
            VariableType::Real(real) => inner
                .maybe("declaredType", &real.declared_type)?
                .real(&real.attributes)?
                .maybe("start", &real.start)?
                .maybe("derivative", &real.derivative)?
                .flag("reinit", real.reinit),
            VariableType::Integer(integer) => inner
                .maybe("declaredType", &integer.declared_type)?
                .integer(&integer.attributes)?
                .maybe("start", &integer.start),
            VariableType::Boolean(boolean) => inner
                .maybe("declaredType", &boolean.declared_type)?
                .maybe("start", &boolean.start),
            VariableType::String(text) => inner
                .maybe("declaredType", &text.declared_type)?
                .maybe("start", &text.start),
            VariableType::Enumeration(enumeration) => inner
                .with("declaredType", &enumeration.declared_type)?
                .integer(&enumeration.attributes)?
                .maybe("start", &enumeration.start),
        }?;
        self.nested(tag, |out| out.empty(inner))
    }

    fn structure(&mut self, structure: &ModelStructure) -> Result<(), Error> {
        let lists = [
            ("Outputs", &structure.outputs),
            ("Derivatives", &structure.derivatives),
            ("InitialUnknowns", &structure.initial_unknowns),
        ];
        if lists.iter().all(|(_, unknowns)| unknowns.is_empty()) {
            return self.empty(Tag::new("ModelStructure"));
        }
        self.nested(Tag::new("ModelStructure"), |out| {
            lists
                .iter()
                .try_for_each(|(name, unknowns)| out.list(name, unknowns, Self::unknown))
        })
    }

    fn unknown(&mut self, unknown: &Unknown) -> Result<(), Error> {
        let tag = Tag::new("Unknown")
            .with("index", &unknown.index)?
            .maybe("dependencies", &unknown.dependencies)?
            .maybe("dependenciesKind", &unknown.dependencies_kind)?;
        self.empty(tag)
    }
}
