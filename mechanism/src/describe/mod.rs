//! From the tree of a file to its description.

mod bodies;
mod cables;
mod contact;
mod forces;
mod friction;
mod impacts;
mod joints;
mod matrix_bodies;
mod outputs;
mod reduced;
mod signals;

use crate::document::{Data, Document, Finder, Place, Table, Value};
use crate::error::{MechanismError, Result};
use crate::parts::{
    AnalysisPart, BeamPart, BodyPart, Description, Host, InitialPart, InputPart, JointPart,
    MassPart, NamedForce, ParameterPart, Point, Pose, Spot,
};
use crate::read::{Context, Entry, Parameter, near};
use crate::signal::History;
use crate::table::{PARAMETER, SECTIONS, Section, TOP};
use nalgebra::Vector3;

/// Reads the mechanism `text` of the file `name`; `settings` are pairs `parameters.KEY`, value.
pub fn describe(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    find: Finder<'_>,
) -> Result<Description> {
    let document = Document::parse(name, text, find)?;
    check_sections(&document)?;
    let (mut root, meanings) = (document.root.clone(), parameters(&document, settings)?);
    let (analysis_settings, rest) = split_settings(settings);
    apply_analysis(&mut root, &analysis_settings);
    refuse_settings(&rest)?;
    let mut context = Context {
        document: Document {
            files: document.files.clone(),
            root: Table::default(),
        },
        parameters: meanings
            .iter()
            .map(|part| (part.key.clone(), part.value.clone()))
            .collect(),
        dimension: 3,
    };
    derive(&root, &mut context)?;
    let top = Table {
        entries: (root.entries.iter())
            .filter(|(key, _)| TOP.row(key).is_some())
            .cloned()
            .collect(),
    };
    let place = Place { file: 0, line: 1 };
    let space = match Entry::new(&context, &TOP, &top, place)? {
        Some(entry) => entry.word("space")?,
        None => None,
    };
    let Some(space) = space else {
        return Err((context.document).error(
            place,
            "the file does not say whether it is in the plane or in space",
            "add space = \"plane\" or space = \"space\" at the top",
        ));
    };
    context.dimension = if space == "plane" { 2 } else { 3 };
    let mut assembler = Assembler {
        context: &context,
        find,
        root: &root,
        bodies: Vec::new(),
        beams: Vec::new(),
        reduced: Vec::new(),
        frames: Vec::new(),
        masses: Vec::new(),
        joints: Vec::new(),
        forces: Vec::new(),
        impacts: Vec::new(),
        frictions: Vec::new(),
        contacts: Vec::new(),
        stops: Vec::new(),
        cables: Vec::new(),
        surfaces: Vec::new(),
        signals: Vec::new(),
        inputs: Vec::new(),
        channels: Vec::new(),
        names: Vec::new(),
        rod_drivers: Vec::new(),
    };
    assembler.read_signals()?;
    assembler.read_bodies()?;
    assembler.read_beams()?;
    assembler.read_matrix_bodies()?;
    assembler.read_frames()?;
    assembler.read_masses()?;
    assembler.read_joints()?;
    assembler.read_drivers()?;
    assembler.read_frictions()?;
    assembler.read_reduced()?;
    assembler.read_forces()?;
    assembler.read_contacts()?;
    assembler.read_impacts()?;
    assembler.check_reduced()?;
    assembler.read_presence()?;
    let initial = assembler.initial()?;
    let analysis = assembler.analysis()?;
    let Some(entry) = Entry::new(&context, &TOP, &top, place)? else {
        return unreachable_entry(&context);
    };
    let outputs = assembler.outputs(&entry)?;
    let mut description = Description {
        file: document.files.first().cloned().unwrap_or_default(),
        title: entry.text("title")?.unwrap_or_default(),
        text: entry.text("text")?.unwrap_or_default(),
        source: entry.text("source")?.unwrap_or_default(),
        dimension: context.dimension,
        gravity: entry.vector("gravity_m_per_s2")?.unwrap_or_default(),
        parameters: meanings,
        bodies: assembler.bodies,
        beams: assembler.beams,
        reduced: assembler.reduced,
        masses: assembler.masses,
        joints: assembler.joints,
        forces: assembler.forces,
        impacts: assembler.impacts,
        frictions: assembler.frictions,
        contacts: assembler.contacts,
        stops: assembler.stops,
        cables: assembler.cables,
        surfaces: assembler.surfaces,
        channels: assembler.channels,
        inputs: assembler.inputs,
        outputs,
        initial,
        analysis,
    };
    for index in 0..description.reduced.len() {
        let result = crate::reduce::reduce(&description, &description.reduced[index])?;
        description.reduced[index].result = Some(std::sync::Arc::new(result));
    }
    Ok(description)
}

/// The top of a file has no condition, so its entry is always there.
fn unreachable_entry<T>(context: &Context) -> Result<T> {
    let place = Place { file: 0, line: 1 };
    Err((context.document).error(
        place,
        "only_if stands outside a part",
        "move it into a part",
    ))
}

fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// Refuses keys and tables that no file has.
fn check_sections(document: &Document) -> Result<()> {
    for (key, value) in &document.root.entries {
        if TOP.row(key).is_some() || key == "parameters" || key == "derived" {
            continue;
        }
        let Some(section) = section(key) else {
            let names = || {
                let tables = SECTIONS.iter().map(|section| section.name);
                let top = TOP.rows.iter().map(|row| row.key);
                tables.chain(top).chain(["parameters", "derived"])
            };
            let remedy = match near(key, names()) {
                Some(known) => format!("did you mean {known}?"),
                None => format!("known: {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(document.error(value.place, format!("{key} is not known"), remedy));
        };
        let ok = match (&value.data, section.list) {
            (Data::Table(_), false) => true,
            (Data::List(list), true) => list.iter().all(|v| matches!(v.data, Data::Table(_))),
            _ => false,
        };
        if !ok {
            let brackets = if section.list {
                format!("[[{key}]]")
            } else {
                format!("[{key}]")
            };
            let problem = format!("{key} is written as {}", value.data.kind());
            return Err(document.error(value.place, problem, format!("write {brackets}")));
        }
    }
    Ok(())
}

type Settings = Vec<(String, String)>;

/// Settings of the analysis, and those that are neither parameters nor analysis.
fn split_settings(settings: &[(String, String)]) -> (Settings, Settings) {
    let others = settings
        .iter()
        .filter(|(key, _)| !key.starts_with("parameters."))
        .cloned();
    others.partition(|(key, _)| {
        key.strip_prefix("analysis.").is_some_and(|key| {
            section("analysis").is_some_and(|section| section.row(key).is_some())
        })
    })
}

fn refuse_settings(rest: &Settings) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some((key, value)) => {
            let rows = section("analysis").map_or(&[][..], |section| section.rows);
            let own = key.strip_prefix("analysis.").unwrap_or(key);
            let meant = near(own, rows.iter().map(|row| row.key))
                .map_or_else(String::new, |known| {
                    format!("did you mean analysis.{known}? else ")
                });
            Err(MechanismError::Setting {
                argument: format!("{key}={value}"),
                problem: format!("{key} cannot be set"),
                remedy: format!(
                    "{meant}name a parameter of the file (parameters.KEY; `softdock mechanism show` \
                     prints them) or a key of [analysis] (analysis.step_s)"
                ),
            })
        }
    }
}

fn apply_analysis(root: &mut Table, settings: &Settings) {
    for (key, value) in settings {
        let key = key.trim_start_matches("analysis.").to_owned();
        let data = value
            .parse()
            .map_or(Data::Text(value.clone()), Data::Number);
        let value = Value {
            place: Place::default(),
            data,
        };
        if root.get("analysis").is_none() {
            let table = Value {
                place: Place::default(),
                data: Data::Table(Table::default()),
            };
            root.entries.push(("analysis".into(), table));
        }
        if let Some(Data::Table(table)) = root.get_mut("analysis").map(|value| &mut value.data) {
            table.entries.retain(|(name, _)| *name != key);
            table.entries.push((key, value));
        }
    }
}

/// Parameters with the values of `settings`.
fn parameters(document: &Document, settings: &[(String, String)]) -> Result<Vec<ParameterPart>> {
    let mut out = Vec::new();
    let table = match document.root.get("parameters") {
        Some(Value {
            data: Data::Table(table),
            ..
        }) => table.entries.as_slice(),
        Some(value) => {
            let problem = format!("parameters is {}", value.data.kind());
            return Err(document.error(value.place, problem, "write [parameters]"));
        }
        None => &[],
    };
    for (key, value) in table {
        out.push(parameter(document, key, value, settings)?);
    }
    for (key, value) in settings {
        let Some(key) = key.strip_prefix("parameters.") else {
            continue;
        };
        if !out.iter().any(|part| part.key == key) {
            let names = || out.iter().map(|part| part.key.as_str());
            let remedy = match (near(key, names()), out.is_empty()) {
                (Some(known), _) => format!("did you mean parameters.{known}?"),
                (None, true) => "the file has no parameters".to_owned(),
                (None, false) => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(MechanismError::Setting {
                argument: format!("parameters.{key}={value}"),
                problem: format!("the file has no parameter {key}"),
                remedy,
            });
        }
    }
    Ok(out)
}

fn parameter(
    document: &Document,
    key: &str,
    value: &Value,
    settings: &[(String, String)],
) -> Result<ParameterPart> {
    let (plain, info) = match &value.data {
        Data::Table(table) => {
            if let Some((unknown, at)) =
                (table.entries.iter()).find(|(key, _)| PARAMETER.row(key).is_none())
            {
                let problem = format!("parameter {key} has no key {unknown}");
                let remedy = "known: value, min, max, one_of, meaning";
                return Err(document.error(at.place, problem, remedy));
            }
            let missing = || {
                let problem = format!("parameter {key} has no value");
                document.error(value.place, problem, "add value = …")
            };
            (table.get("value").ok_or_else(missing)?, Some(table))
        }
        _ => (value, None),
    };
    let of = |data: &Data| match data {
        Data::Number(number) => Some(Parameter::Number(*number)),
        Data::Switch(switch) => Some(Parameter::Number(f64::from(u8::from(*switch)))),
        Data::Text(text) => Some(Parameter::Text(text.clone())),
        _ => None,
    };
    let Some(default) = of(&plain.data) else {
        let problem = format!("parameter {key} is {}", plain.data.kind());
        return Err(document.error(plain.place, problem, "write a number or a text"));
    };
    let full = format!("parameters.{key}");
    let set = settings.iter().rev().find(|(name, _)| *name == full);
    let new = match (set, &default) {
        (None, _) => default.clone(),
        (Some((_, text)), Parameter::Text(_)) => {
            Parameter::Text(text.trim_matches(['"', '\'']).to_owned())
        }
        (Some((_, text)), Parameter::Number(_)) => {
            let number = match text.as_str() {
                "true" => Some(1.0),
                "false" => Some(0.0),
                text => text.parse().ok().filter(|number: &f64| number.is_finite()),
            };
            Parameter::Number(number.ok_or_else(|| MechanismError::Setting {
                argument: format!("{full}={text}"),
                problem: format!("{text} is not a number"),
                remedy: format!("write a finite number: --set {full}=1.5"),
            })?)
        }
    };
    check_parameter(document, key, plain, info, &new)?;
    let meaning = match info.and_then(|table| table.get("meaning")).map(|v| &v.data) {
        Some(Data::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let bound = |name: &str, other: f64| {
        let value = info.and_then(|table| table.get(name));
        match value.map(|value| &value.data) {
            Some(Data::Number(number)) => *number,
            _ => other,
        }
    };
    Ok(ParameterPart {
        key: key.to_owned(),
        value: new,
        range: [bound("min", f64::NEG_INFINITY), bound("max", f64::INFINITY)],
        meaning,
    })
}

fn check_parameter(
    document: &Document,
    key: &str,
    value: &Value,
    info: Option<&Table>,
    new: &Parameter,
) -> Result<()> {
    let Some(info) = info else { return Ok(()) };
    let limit = |name: &str| match info.get(name).map(|value| &value.data) {
        Some(Data::Number(number)) => Some(*number),
        _ => None,
    };
    match new {
        Parameter::Number(number) => {
            let (low, high) = (limit("min"), limit("max"));
            let ok =
                low.is_none_or(|low| *number >= low) && high.is_none_or(|high| *number <= high);
            if !ok {
                let ends = [
                    low.map(|x| format!(">= {x}")),
                    high.map(|x| format!("<= {x}")),
                ];
                let range = ends.into_iter().flatten().collect::<Vec<_>>().join(" and ");
                let problem = format!("parameter {key} = {number} is not allowed");
                return Err(document.error(value.place, problem, format!("it must be {range}")));
            }
        }
        Parameter::Text(text) => {
            let Some(Data::List(list)) = info.get("one_of").map(|value| &value.data) else {
                return Ok(());
            };
            let words: Vec<&str> = (list.iter())
                .filter_map(|value| match &value.data {
                    Data::Text(word) => Some(word.as_str()),
                    _ => None,
                })
                .collect();
            if !words.contains(&text.as_str()) {
                let problem = format!("parameter {key} = \"{text}\" is not known");
                let remedy = format!("it must be one of {}", words.join(", "));
                return Err(document.error(value.place, problem, remedy));
            }
        }
    }
    Ok(())
}

/// Adds the values of `[derived]`, each of which may use those before it.
fn derive(root: &Table, context: &mut Context) -> Result<()> {
    let Some(value) = root.get("derived") else {
        return Ok(());
    };
    let Data::Table(table) = &value.data else {
        let problem = format!("derived is {}", value.data.kind());
        return Err(context
            .document
            .error(value.place, problem, "write [derived]"));
    };
    for (key, value) in &table.entries {
        if context.parameters.iter().any(|(name, _)| name == key) {
            let problem = format!("derived {key} is a parameter already");
            return Err((context.document).error(value.place, problem, "choose another name"));
        }
        let number = context.number(key, value)?;
        context
            .parameters
            .push((key.clone(), Parameter::Number(number)));
    }
    Ok(())
}

/// Collects the parts of a file.
struct Assembler<'a> {
    context: &'a Context,
    root: &'a Table,
    find: Finder<'a>,
    bodies: Vec<BodyPart>,
    beams: Vec<BeamPart>,
    reduced: Vec<crate::parts::ReducedPart>,
    frames: Vec<(String, Spot)>,
    masses: Vec<MassPart>,
    joints: Vec<JointPart>,
    forces: Vec<NamedForce>,
    impacts: Vec<crate::parts::ImpactPart>,
    frictions: Vec<crate::parts::FrictionPart>,
    contacts: Vec<crate::parts::ContactPart>,
    stops: Vec<crate::parts::StopPart>,
    cables: Vec<crate::parts::CablePart>,
    surfaces: Vec<crate::parts::SurfacePart>,
    signals: Vec<(String, History)>,
    inputs: Vec<InputPart>,
    channels: Vec<(String, History)>,
    names: Vec<(String, Place)>,
    /// Drivers of the lengths of rods, and the rods.
    rod_drivers: Vec<(String, usize)>,
}

impl<'a> Assembler<'a> {
    /// The entries of a section whose conditions hold.
    fn entries(&self, name: &str) -> Result<Vec<Entry<'a>>> {
        let (Some(section), Some(value)) = (section(name), self.root.get(name)) else {
            return Ok(Vec::new());
        };
        let tables: Vec<(&'a Table, Place)> = match &value.data {
            Data::Table(table) => vec![(table, value.place)],
            Data::List(list) => (list.iter())
                .filter_map(|value| match &value.data {
                    Data::Table(table) => Some((table, value.place)),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let mut out = Vec::new();
        for (table, place) in tables {
            // The line of the heading is that of the first key below it.
            let first = table
                .entries
                .first()
                .map_or(place, |(_, value)| value.place);
            out.extend(Entry::new(self.context, section, table, first)?);
        }
        Ok(out)
    }

    /// The name of a part, which no other part may have.
    fn name(&mut self, entry: &Entry<'_>) -> Result<String> {
        let name = entry.required_text("name")?;
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name == "ground" || !name.chars().all(plain) {
            let remedy = "use letters, digits, _ and -; \"ground\" is the world";
            return Err(entry.error_at("name", format!("= \"{name}\" cannot be a name"), remedy));
        }
        if let Some((_, place)) = self.names.iter().find(|(known, _)| *known == name) {
            let problem = format!("= \"{name}\" is taken already, in line {}", place.line);
            return Err(entry.error_at("name", problem, "give each part a name of its own"));
        }
        self.names.push((name.clone(), entry.place));
        Ok(name)
    }

    /// The place that the text of `key` names.
    fn spot(&self, entry: &Entry<'_>, key: &str) -> Result<Spot> {
        let text = entry.required_text(key)?;
        self.spot_named(&text).ok_or_else(|| {
            let names = self.places();
            let remedy = match near(&text, names.iter().map(String::as_str)) {
                Some(known) => format!("did you mean \"{known}\"?"),
                None => format!("known places: {}", names.join(", ")),
            };
            entry.error_at(key, format!("= \"{text}\" is not there"), remedy)
        })
    }

    fn spot_named(&self, text: &str) -> Option<Spot> {
        let at = |host| Spot {
            host,
            pose: Pose::identity(),
        };
        if text == "ground" {
            return Some(at(Host::Ground));
        }
        if let Some(i) = self.bodies.iter().position(|body| body.name == text) {
            return Some(at(Host::Body(i)));
        }
        if let Some((_, spot)) = self.frames.iter().find(|(name, _)| name == text) {
            return Some(*spot);
        }
        let (beam, end) = text.split_once('.')?;
        for (number, part) in self.reduced.iter().enumerate() {
            let Some(body) = part.body.as_ref().filter(|_| part.name == beam) else {
                continue;
            };
            let interfaces = &body.matrices.interfaces;
            let place = interfaces.iter().position(|known| known.name == end)?;
            return Some(at(Host::Flexible(number, place)));
        }
        let i = self.beams.iter().position(|part| part.name == beam)?;
        match end {
            "start" => Some(at(Host::Beam(i, 0))),
            "end" => Some(at(Host::Beam(i, self.beams[i].elements))),
            _ => None,
        }
    }

    fn places(&self) -> Vec<String> {
        let mut out = vec!["ground".to_owned()];
        out.extend(self.bodies.iter().map(|body| body.name.clone()));
        for beam in &self.beams {
            out.push(format!("{}.start", beam.name));
            out.push(format!("{}.end", beam.name));
        }
        for part in &self.reduced {
            let interfaces = part.body.iter().flat_map(|body| &body.matrices.interfaces);
            out.extend(interfaces.map(|interface| format!("{}.{}", part.name, interface.name)));
        }
        out.extend(self.frames.iter().map(|(name, _)| name.clone()));
        out
    }

    /// World pose of a host at the start.
    fn host_pose(&self, host: Host) -> Pose {
        match host {
            Host::Ground => Pose::identity(),
            Host::Body(i) => self.bodies[i].pose,
            Host::Beam(i, node) => crate::build::beam_pose(&self.beams[i], node, true),
            Host::Flexible(part, station) => {
                let body = self.reduced[part].body.as_ref();
                let interface = body.and_then(|body| body.matrices.interfaces.get(station));
                let position = interface.map_or_else(Vector3::zeros, |interface| interface.place);
                let pose = body.map_or_else(Pose::identity, |body| body.pose);
                pose.compose(&Pose {
                    position,
                    ..Pose::identity()
                })
            }
        }
    }

    /// World pose of a spot at the start.
    fn world(&self, spot: &Spot) -> Pose {
        self.host_pose(spot.host).compose(&spot.pose)
    }

    /// The point of a spot that `key` names, with an offset of the key `point_key`.
    fn point(&self, entry: &Entry<'_>, key: &str, point_key: &str) -> Result<Point> {
        let spot = self.spot(entry, key)?;
        let offset = Vector3::from(entry.vector(point_key)?.unwrap_or_default());
        Ok(Point {
            host: spot.host,
            point: spot.pose.position + spot.pose.rotation * offset,
        })
    }

    /// The number of a joint that the key names.
    fn joint_of(&self, entry: &Entry<'_>) -> Result<usize> {
        let name = entry.required_text("joint")?;
        let found = (self.joints.iter()).position(|joint| joint.name == name && !joint.driver);
        found.ok_or_else(|| {
            let names = || self.joints.iter().map(|joint| joint.name.as_str());
            let remedy = match near(&name, names()) {
                Some(known) => format!("did you mean \"{known}\"?"),
                None => format!("known joints: {}", names().collect::<Vec<_>>().join(", ")),
            };
            entry.error_at("joint", format!("= \"{name}\" is not there"), remedy)
        })
    }

    fn initial(&self) -> Result<InitialPart> {
        let entries = self.entries("initial")?;
        let Some(entry) = entries.first() else {
            return Ok(InitialPart::default());
        };
        let mut held = Vec::new();
        for (name, place) in entry.texts("held")?.unwrap_or_default() {
            let spot = self.spot_named(&name).ok_or_else(|| {
                let problem = format!("held \"{name}\" is not there");
                (self.context.document).error(place, problem, "name a body or a beam end")
            })?;
            held.push(spot.host);
        }
        Ok(InitialPart {
            equilibrium: entry.switch("equilibrium")?.unwrap_or(false),
            velocity: (
                entry.vector("velocity_m_per_s")?.unwrap_or_default(),
                entry
                    .turn("angular_velocity_rad_per_s")?
                    .unwrap_or_default(),
                entry.vector("about_m")?.unwrap_or_default(),
            ),
            by_mass: entry.word("weight")?.is_some_and(|word| word == "mass"),
            held,
            impulsive: entry.switch("impulsive")?.unwrap_or(false),
            as_given: entry.switch("as_given")?.unwrap_or(false),
        })
    }

    fn analysis(&self) -> Result<AnalysisPart> {
        let entries = self.entries("analysis")?;
        let number = |key: &str, default: f64| match entries.first() {
            Some(entry) => Ok(entry.number(key)?.unwrap_or(default)),
            None => Ok(default),
        };
        let duration = number("duration_s", 1.0)?;
        let step = number("step_s", 1e-3)?;
        let error_tolerance = match entries.first() {
            Some(entry) => entry.number("error_tolerance")?,
            None => None,
        };
        Ok(AnalysisPart {
            duration,
            step,
            output_step: number("output_step_s", 0.01)?,
            spectral_radius: number("spectral_radius", 0.9)?,
            tolerance: number("tolerance", 1e-9)?,
            error_tolerance,
            modes: number("modes", 10.0)? as usize,
        })
    }
}
