//! Terminals and icons of FMI 3.0: variables that belong together at a connection, and the place of
//! the icon.
//!
//! Variables whose names begin with the same word, as `tip.position` and `tip.force`, make a
//! terminal if inputs are among them: its members are its inputs and outputs, matched by name.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use crate::write::{Out, Tag, finish};
use crate::{Causality, Error, ModelDescription, ScalarVariable};

/// Half of the side of the square that an icon fills in its own coordinates.
const HALF: f64 = 100.0;

impl ModelDescription {
    /// The content of `terminalsAndIcons/terminalsAndIcons.xml`.
    pub fn terminals_xml(&self) -> Result<String, Error> {
        let mut out = Out {
            writer: Writer::new_with_indent(Vec::new(), b' ', 2),
        };
        out.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let root = Tag::new("fmiTerminalsAndIcons").with("fmiVersion", "3.0")?;
        out.nested(root, |out| {
            out.nested(Tag::new("GraphicalRepresentation"), |out| {
                let scaling = Tag::new("CoordinateSystem");
                out.empty(corners(scaling)?.with("suggestedScalingFactorTo_mm", &0.1)?)?;
                out.empty(corners(Tag::new("Icon"))?)
            })?;
            out.list("Terminals", &self.terminals(), Out::terminal)
        })?;
        finish(out)
    }

    fn terminals(&self) -> Vec<Terminal<'_>> {
        let mut terminals: Vec<Terminal<'_>> = Vec::new();
        for variable in &self.model_variables {
            let Some((name, member)) = member(variable) else {
                continue;
            };
            match terminals.iter_mut().find(|terminal| terminal.name == name) {
                Some(terminal) => terminal.members.push(member),
                None => terminals.push(Terminal {
                    name,
                    members: vec![member],
                    inputs: 0,
                }),
            }
            if variable.causality == Causality::Input
                && let Some(terminal) = terminals.iter_mut().find(|terminal| terminal.name == name)
            {
                terminal.inputs += 1;
            }
        }
        terminals.retain(|terminal| terminal.inputs > 0);
        terminals
    }
}

struct Terminal<'a> {
    name: &'a str,
    /// Names of variables within the terminal, arrays once.
    members: Vec<&'a str>,
    inputs: usize,
}

/// Terminal and member that an input or output belongs to; nothing for later elements of arrays.
fn member(variable: &ScalarVariable) -> Option<(&str, &str)> {
    if !matches!(variable.causality, Causality::Input | Causality::Output) {
        return None;
    }
    let name = match variable.name.split_once('[') {
        Some((array, "1]")) => array,
        Some(_) => return None,
        None => &variable.name,
    };
    name.split_once('.')
}

fn corners(tag: Tag) -> Result<Tag, Error> {
    tag.with("x1", &-HALF)?
        .with("y1", &-HALF)?
        .with("x2", &HALF)?
        .with("y2", &HALF)
}

impl Out {
    fn terminal(&mut self, terminal: &Terminal<'_>) -> Result<(), Error> {
        let tag = Tag::new("Terminal")
            .with("name", terminal.name)?
            .with("matchingRule", "bus")?;
        self.nested(tag, |out| {
            terminal.members.iter().try_for_each(|member| {
                let tag = Tag::new("TerminalMemberVariable")
                    .with("variableName", &format!("{}.{member}", terminal.name))?
                    .with("memberName", *member)?
                    .with("variableKind", "signal")?;
                out.empty(tag)
            })
        })
    }
}
