//! System structures of SSP 1.0 (System Structure and Parameterization), written: components, their
//! connectors and parameters, and what is connected with what.
//!
//! The standard has no place for the step of a master: it stands in the description and in an annotation
//! of the default experiment.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use crate::write::{Out, Tag, finish};
use crate::{Causality, Error, ScalarVariable, VariableType};

/// The file of a system structure in its archive.
pub const SSD_FILE: &str = "SystemStructure.ssd";

const NAMESPACES: [(&str, &str); 3] = [
    (
        "xmlns:ssd",
        "http://ssp-standard.org/SSP1/SystemStructureDescription",
    ),
    (
        "xmlns:ssc",
        "http://ssp-standard.org/SSP1/SystemStructureCommon",
    ),
    (
        "xmlns:ssv",
        "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    ),
];

/// A system of components.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemStructure {
    /// Its name.
    pub name: String,
    /// What it is, and how it is simulated.
    pub description: String,
    /// End of the default experiment [s].
    pub stop_time: f64,
    /// Largest communication step at which it is stable [s].
    pub step_size: f64,
    /// The components, in the order in which they are stepped.
    pub components: Vec<Component>,
    /// What is connected.
    pub connections: Vec<Connection>,
}

/// A component.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// Its name in the system.
    pub name: String,
    /// Its FMU in the archive.
    pub source: String,
    /// Variables that are connected, or looked at.
    pub connectors: Vec<Connector>,
    /// Parameters that it gets.
    pub parameters: Vec<(String, VariableType)>,
}

/// A variable of a component that the system sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connector {
    /// The variable.
    pub name: String,
    /// Input or output.
    pub causality: Causality,
}

/// A real variable of one component that follows that of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Component and variable that lead.
    pub from: (String, String),
    /// Component and variable that follow.
    pub to: (String, String),
}

impl Component {
    /// A component with the parameters that `variables` have as their start values.
    pub fn new(name: &str, source: &str, variables: &[ScalarVariable]) -> Self {
        let parameters = variables
            .iter()
            .filter(|variable| variable.causality == Causality::Parameter);
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            connectors: Vec::new(),
            parameters: parameters
                .map(|one| (one.name.clone(), one.variable_type.clone()))
                .collect(),
        }
    }

    /// The same with a connector more.
    pub fn connect(&mut self, name: &str, causality: Causality) {
        self.connectors.push(Connector {
            name: name.to_owned(),
            causality,
        });
    }
}

impl SystemStructure {
    /// Connects an output with an input, and makes connectors of both.
    pub fn connect(&mut self, (from, output): (usize, &str), (to, input): (usize, &str)) {
        let names = [from, to].map(|i| self.components.get(i).map(|one| one.name.clone()));
        let [Some(leads), Some(follows)] = names else {
            return;
        };
        self.components[from].connect(output, Causality::Output);
        self.components[to].connect(input, Causality::Input);
        self.connections.push(Connection {
            from: (leads, output.to_owned()),
            to: (follows, input.to_owned()),
        });
    }

    /// The system structure as XML, encoded in UTF-8: [`SSD_FILE`].
    pub fn to_xml(&self) -> Result<String, Error> {
        let mut out = Out {
            writer: Writer::new_with_indent(Vec::new(), b' ', 2),
        };
        out.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let mut root = Tag::new("ssd:SystemStructureDescription");
        for (prefix, address) in NAMESPACES {
            root = root.with(prefix, address)?;
        }
        let root = root.with("version", "1.0")?.with("name", &self.name)?;
        out.nested(root, |out| {
            let system = Tag::new("ssd:System")
                .with("name", &self.name)?
                .with("description", &self.description)?;
            out.nested(system, |out| {
                out.list("ssd:Elements", &self.components, Out::component)?;
                out.list("ssd:Connections", &self.connections, Out::connection)
            })?;
            out.experiment(self)
        })?;
        finish(out)
    }
}

impl Out {
    fn component(&mut self, component: &Component) -> Result<(), Error> {
        let tag = Tag::new("ssd:Component")
            .with("name", &component.name)?
            .with("type", "application/x-fmu-sharedlibrary")?
            .with("source", &component.source)?
            .with("implementation", "CoSimulation")?;
        self.nested(tag, |out| {
            out.list("ssd:Connectors", &component.connectors, |out, one| {
                let tag = Tag::new("ssd:Connector")
                    .with("name", &one.name)?
                    .with("kind", &one.causality)?;
                out.nested(tag, |out| out.empty(Tag::new("ssc:Real")))
            })?;
            if component.parameters.is_empty() {
                return Ok(());
            }
            out.nested(Tag::new("ssd:ParameterBindings"), |out| {
                out.nested(Tag::new("ssd:ParameterBinding"), |out| {
                    out.nested(Tag::new("ssd:ParameterValues"), |out| {
                        let set = Tag::new("ssv:ParameterSet")
                            .with("version", "1.0")?
                            .with("name", &component.name)?;
                        out.nested(set, |out| {
                            out.list("ssv:Parameters", &component.parameters, Out::parameter)
                        })
                    })
                })
            })
        })
    }

    fn parameter(&mut self, (name, kind): &(String, VariableType)) -> Result<(), Error> {
        let value = match kind {
            VariableType::Real(real) => Tag::new("ssv:Real").maybe("value", &real.start)?,
            VariableType::Integer(integer) => {
                Tag::new("ssv:Integer").maybe("value", &integer.start)?
            }
            VariableType::Boolean(boolean) => {
                Tag::new("ssv:Boolean").maybe("value", &boolean.start)?
            }
            VariableType::String(text) => Tag::new("ssv:String").maybe("value", &text.start)?,
            // A number is no name of an item, which SSP would want.
            VariableType::Enumeration(_) => return Ok(()),
        };
        let tag = Tag::new("ssv:Parameter").with("name", name)?;
        self.nested(tag, |out| out.empty(value))
    }

    fn connection(&mut self, connection: &Connection) -> Result<(), Error> {
        self.empty(
            Tag::new("ssd:Connection")
                .with("startElement", &connection.from.0)?
                .with("startConnector", &connection.from.1)?
                .with("endElement", &connection.to.0)?
                .with("endConnector", &connection.to.1)?,
        )
    }

    fn experiment(&mut self, system: &SystemStructure) -> Result<(), Error> {
        let tag = Tag::new("ssd:DefaultExperiment")
            .with("startTime", &0.0)?
            .with("stopTime", &system.stop_time)?;
        self.nested(tag, |out| {
            out.nested(Tag::new("ssd:Annotations"), |out| {
                let annotation = Tag::new("ssc:Annotation").with("type", "softdock.master")?;
                out.nested(annotation, |out| {
                    out.empty(Tag::new("master").with("stepSize", &system.step_size)?)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Real, Variability};

    #[test]
    fn a_system_is_written_with_its_connections_parameters_and_step() {
        let mass = ScalarVariable::new("mass", 0, Causality::Parameter, Variability::Fixed)
            .with_type(Real {
                start: Some(0.5),
                ..Real::default()
            });
        let mut system = SystemStructure {
            name: "pair".to_owned(),
            description: "two < three".to_owned(),
            stop_time: 1.5,
            step_size: 2e-4,
            components: vec![
                Component::new("a", "resources/a.fmu", &[mass]),
                Component::new("b", "resources/b.fmu", &[]),
            ],
            connections: Vec::new(),
        };
        system.connect((0, "x[1]"), (1, "u[1]"));
        system.connect((7, "x[1]"), (1, "u[1]"));
        let xml = system.to_xml().unwrap();
        for wanted in [
            "description=\"two &lt; three\"",
            "<ssd:Connector name=\"x[1]\" kind=\"output\">",
            "<ssd:Connector name=\"u[1]\" kind=\"input\">",
            "startElement=\"a\" startConnector=\"x[1]\" endElement=\"b\" endConnector=\"u[1]\"",
            "<ssv:Real value=\"0.5\"/>",
            "stepSize=\"0.0002\"",
        ] {
            assert!(xml.contains(wanted), "{wanted} in {xml}");
        }
        assert_eq!(system.connections.len(), 1);
    }
}
