//! Any mechanism file as a model: its parameters, its inputs and its outputs are those of the file.

use crate::clock::{Clock, check_count};
use crate::documentation;
use crate::table::Table;
use multibody::dynamics::grid::SLIVER;
use multibody::group::{Se2, Se3};
use serde::{Deserialize, Serialize};
use softdock_fmi::model::{
    Abilities, About, Failure, Input, Model, Packaged, PackagedModel, Parameters, StepsTaken, Unit,
};
use softdock_fmi::numbers;
use softdock_fmi::variables::{Access, InfluencesOutputs, Name, Role, UnitOf, Variable};
use softdock_leg_models::variables::unit_of_key;
use softdock_mechanism::parts::ParameterPart;
use softdock_mechanism::read::Parameter;
use softdock_mechanism::run::{Memory as RunMemory, Simulation};
use softdock_mechanism::space::Space;
use softdock_mechanism::{Description, describe, library};
use softdock_xml::DefaultExperiment;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The mechanism of the kind itself, which comes with the program.
const OWN: &str = "driven-arm";

/// The kind `Mechanism`.
pub static MECHANISM: PackagedModel = PackagedModel::new("Mechanism", || {
    let found = library::text(OWN).ok_or_else(|| Failure::from("it is not there"));
    let files = found.map(|text| MechanismFiles::new(OWN, text));
    match files.and_then(|files| MechanismModel::new(files, false)) {
        Ok(model) => Arc::new(model),
        Err(cause) => panic!("the mechanism {OWN} is refused: {cause}"),
    }
})
.with_settings(|text| {
    let files: MechanismFiles = toml::from_str(text)?;
    Ok(Arc::new(MechanismModel::new(files, true)?) as Arc<dyn Packaged>)
});

/// A mechanism file with all that it needs: what goes into the resources of an FMU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MechanismFiles {
    /// Name of the mechanism.
    pub name: String,
    /// Keys that are set, with their values: `parameters.KEY`, `analysis.KEY`.
    #[serde(default)]
    pub settings: Vec<(String, String)>,
    /// The text of the file.
    pub text: String,
    /// Files that it extends, by the names under which it asks for them: path and text.
    #[serde(default)]
    pub extends: BTreeMap<String, (String, String)>,
}

impl MechanismFiles {
    /// A file that needs no others but those of the program.
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            settings: Vec::new(),
            text: text.to_owned(),
            extends: BTreeMap::new(),
        }
    }

    /// Reads it, with more keys set.
    fn describe(&self, more: &[(String, String)]) -> Result<Description, Failure> {
        let find = |name: &str| {
            self.extends
                .get(name)
                .cloned()
                .or_else(|| library::find(name))
        };
        let settings: Vec<_> = self.settings.iter().chain(more).cloned().collect();
        Ok(describe(&self.name, &self.text, &settings, &find)?)
    }
}

/// Parameters of a mechanism.
#[derive(Debug, Clone)]
pub struct MechanismParameters {
    files: Arc<MechanismFiles>,
    keys: Arc<[String]>,
    values: Vec<f64>,
    starts: Arc<[f64]>,
}

impl Parameters for MechanismParameters {
    type Config = Arc<Description>;
    type Origin = ();

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<Arc<Description>>, Failure> {
        let values = self.keys.iter().zip(&self.values);
        // The shortest text that reads as the same number.
        let set: Vec<_> = values
            .map(|(key, value)| (key.clone(), format!("{value:?}")))
            .collect();
        Ok(Box::new(Arc::new(self.files.describe(&set)?)))
    }
}

/// The key of the step.
const STEP: &str = "analysis.step_s";

/// A mechanism that is packaged as an FMU.
pub struct MechanismModel {
    identifier: String,
    summary: String,
    documentation: String,
    experiment: DefaultExperiment,
    defaults: MechanismParameters,
    variables: Vec<Variable<MechanismParameters>>,
    groups: Vec<Range<usize>>,
    /// The files are not those of the kind.
    own: bool,
}

impl MechanismModel {
    /// The model of a mechanism file.
    pub fn with(files: MechanismFiles) -> Result<Self, Failure> {
        Self::new(files, true)
    }

    fn new(files: MechanismFiles, own: bool) -> Result<Self, Failure> {
        let description = files.describe(&[])?;
        let analysis = &description.analysis;
        let (mut keys, mut values) = (vec![STEP.to_owned()], vec![analysis.step]);
        let mut first = vec![parameter(
            0,
            STEP,
            UnitOf::Second,
            [f64::MIN_POSITIVE, 1e3],
            "Step of the solver",
        )];
        for part in &description.parameters {
            if let Parameter::Number(value) = part.value {
                first.push(of_file(values.len(), part));
                keys.push(format!("parameters.{}", part.key));
                values.push(value);
            }
        }
        // Accelerations of the start feel the inputs.
        let mut table = Table::new(&first, true);
        for input in &description.inputs {
            let unit = unit_of_key(&format!("_{}", input.unit));
            let unit = match (unit, input.unit.as_str()) {
                (Some(unit), _) => unit,
                (None, "") => UnitOf::One,
                (None, unit) => {
                    return Err(
                        format!("the input {} has the unknown unit {unit}", input.name).into(),
                    );
                }
            };
            let text = or_else(&input.meaning, "Input of the mechanism, held over a step");
            table.input(name_of(&input.name), unit, text, |p, index| p.starts[index]);
        }
        table.group();
        for output in &description.outputs {
            let unit = unit_of_key(&output.name).unwrap_or(UnitOf::One);
            let text = format!("Output {} of the mechanism", output.name);
            table.output(name_of(&output.name), unit, text);
        }
        if description.outputs.is_empty() {
            return Err("the mechanism has no outputs".into());
        }
        let (variables, groups) = table.finish();
        let title = or_else(&description.title, &files.name);
        Ok(Self {
            identifier: if own {
                identifier(&files.name)
            } else {
                MECHANISM.name.to_owned()
            },
            summary: title.clone(),
            documentation: page(&title, &description.text),
            experiment: DefaultExperiment {
                start_time: Some(0.0),
                stop_time: Some(analysis.duration),
                tolerance: None,
                step_size: Some(analysis.output_step.max(analysis.step)),
            },
            defaults: MechanismParameters {
                keys: keys.into(),
                values,
                starts: description.inputs.iter().map(|input| input.value).collect(),
                files: Arc::new(files),
            },
            variables,
            groups,
            own,
        })
    }
}

fn or_else(text: &str, other: &str) -> String {
    if text.is_empty() { other } else { text }.to_owned()
}

fn page(title: &str, text: &str) -> String {
    let escape = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let (title, text) = (escape(title), escape(text));
    format!(
        "<h2>The mechanism</h2>\n<p>{title}</p>\n<p>{text}</p>\n{}",
        documentation::MECHANISM
    )
}

/// A parameter at a place of the list.
fn parameter(
    index: usize,
    name: &str,
    unit: UnitOf,
    limits: [f64; 2],
    description: &str,
) -> Variable<MechanismParameters> {
    Variable {
        name: name_of(name),
        description: description.to_owned().into(),
        unit,
        role: Role::Parameter(Access::Real {
            slot: |p| &mut p.values,
            index,
            limits,
        }),
        influences: InfluencesOutputs::AtStart,
    }
}

fn of_file(index: usize, part: &ParameterPart) -> Variable<MechanismParameters> {
    let unit = unit_of_key(&part.key).unwrap_or(UnitOf::One);
    let text = or_else(
        &part.meaning,
        &format!("Parameter {} of the file", part.key),
    );
    let name = format!("parameters.{}", part.key);
    parameter(index, &name, unit, part.range, &text)
}

/// A name as FMI has it: what is no identifier between the dots stands in quotes.
fn name_of(name: &str) -> Name {
    let plain = |part: &str| {
        let mut letters = part.chars();
        let first = letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let quoted = |part: &str| {
        if plain(part) {
            return part.to_owned();
        }
        // Letters that the standard does not have between quotes stand as their numbers.
        let kept =
            |c: char| c.is_ascii_alphanumeric() || "_!#$%&()*+,-./:;<>=?@[]^{}|~ ".contains(c);
        let letters = part.chars().map(|c| {
            if kept(c) {
                c.to_string()
            } else {
                format!("u{:04x}", u32::from(c))
            }
        });
        format!("'{}'", letters.collect::<String>())
    };
    // A formula is one part, whatever dots are in it.
    if name
        .chars()
        .all(|c| c.is_alphanumeric() || "_.-".contains(c))
    {
        let parts: Vec<String> = name.split('.').map(quoted).collect();
        Name::read(&parts.join("."))
    } else {
        Name::read(&quoted(name))
    }
}

/// A name of a library for a mechanism: letters, digits and underscores.
fn identifier(name: &str) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = stem.strip_suffix(".toml").unwrap_or(stem);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut out: String = stem.chars().map(letter).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "m_");
    }
    out
}

impl Model for MechanismModel {
    type Parameters = MechanismParameters;
    type Unit = MechanismUnit;

    fn about(&self) -> About<'_> {
        About {
            name: &self.identifier,
            summary: &self.summary,
            documentation: &self.documentation,
            linked: documentation::LINKED,
            started: "the mechanism is at its start",
            experiment: self.experiment,
            // Inputs are held over a step; derivatives are not computed.
            abilities: Abilities {
                input_derivatives: false,
                output_derivatives: false,
                directional_derivatives: false,
            },
        }
    }

    fn defaults(&self) -> MechanismParameters {
        self.defaults.clone()
    }

    fn variables(&self) -> &[Variable<MechanismParameters>] {
        &self.variables
    }

    fn groups(&self) -> Vec<Range<usize>> {
        self.groups.clone()
    }

    /// The step of the file serves a tolerance of 1e-3; errors go with its square.
    fn tighten(config: &mut Arc<Description>, tolerance: f64) {
        let analysis = &mut Arc::make_mut(config).analysis;
        let factor = (tolerance / 1e-3).sqrt().clamp(1e-3, 1.0);
        analysis.step *= factor;
        let newton = (1e-4 * tolerance).max(1e-12);
        analysis.tolerance = analysis.tolerance.min(newton);
        if let Some(error) = &mut analysis.error_tolerance {
            *error = error.min(1e-2 * tolerance);
        }
    }

    fn start(
        _: &MechanismParameters,
        config: &Arc<Description>,
        inputs: &[f64],
    ) -> Result<MechanismUnit, Failure> {
        MechanismUnit::new(config, inputs)
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        softdock_leg_models::icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        let files = &*self.defaults.files;
        self.own.then(|| toml::to_string(files).ok()).flatten()
    }
}

type Planar = Simulation<Se2, 3, 2>;
type Spatial = Simulation<Se3, 6, 3>;

/// A mechanism in the plane or in space.
enum Running {
    Plane(Box<Planar>),
    Space(Box<Spatial>),
}

/// What changes in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Motion {
    Plane(RunMemory<Se2, 3>),
    Space(RunMemory<Se3, 6>),
}

fn begin<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Arc<Description>,
    inputs: &[f64],
) -> Result<Box<Simulation<G, N, D>>, Failure> {
    // Inputs shape the start: its accelerations, and an equilibrium if the file asks for one.
    let mut described = Arc::clone(description);
    let changed = (description.inputs.iter().zip(inputs)).any(|(part, value)| part.value != *value);
    if changed {
        Arc::make_mut(&mut described).set_inputs(inputs);
    }
    Ok(Box::new(Simulation::shared(&described)?))
}

/// The same call for both.
macro_rules! either {
    ($running:expr, $simulation:ident => $body:expr) => {
        match $running {
            Running::Plane($simulation) => $body,
            Running::Space($simulation) => $body,
        }
    };
}

/// What changes in a unit.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Memory {
    motion: Motion,
    /// Inputs as set, and as they act.
    inputs: [Vec<f64>; 2],
    clock: Clock,
    last_step: f64,
}

/// A mechanism that a host steps, saves and restores.
pub struct MechanismUnit {
    description: Arc<Description>,
    running: Running,
    inputs: Vec<f64>,
    acting: Vec<f64>,
    clock: Clock,
    /// Length of the last step of the solver, but for events [s]; zero before the first.
    last_step: f64,
}

/// A saved state.
#[derive(Clone)]
pub struct SavedMechanism {
    description: Arc<Description>,
    memory: Memory,
}

/// A step shorter than this part of another one is far shorter: what such steps leave of velocities and
/// accelerations that the hidden constraints forbid is not what the other expects.
const DIFFERENT_STEP: f64 = 0.1;
impl MechanismUnit {
    #[inline(never)]
    fn new(description: &Arc<Description>, inputs: &[f64]) -> Result<Self, Failure> {
        let running = if description.dimension == 2 {
            Running::Plane(begin(description, inputs)?)
        } else {
            Running::Space(begin(description, inputs)?)
        };
        Ok(Self {
            description: Arc::clone(description),
            running,
            inputs: inputs.to_vec(),
            acting: inputs.to_vec(),
            clock: Clock::default(),
            last_step: 0.0,
        })
    }

    fn memory(&self) -> Memory {
        Memory {
            motion: match &self.running {
                Running::Plane(simulation) => Motion::Plane(simulation.memory()),
                Running::Space(simulation) => Motion::Space(simulation.memory()),
            },
            inputs: [self.inputs.clone(), self.acting.clone()],
            clock: self.clock,
            last_step: self.last_step,
        }
    }

    /// Goes on from a memory; false if it is that of another mechanism.
    fn recall(&mut self, memory: &Memory) -> bool {
        let [inputs, acting] = &memory.inputs;
        let fits = inputs.len() == self.inputs.len() && acting.len() == self.acting.len();
        let recalled = fits
            && match (&mut self.running, &memory.motion) {
                (Running::Plane(simulation), Motion::Plane(memory)) => simulation.recall(memory),
                (Running::Space(simulation), Motion::Space(memory)) => simulation.recall(memory),
                _ => Ok(false),
            }
            .unwrap_or(false);
        if recalled {
            self.inputs.copy_from_slice(inputs);
            self.acting.copy_from_slice(acting);
            self.clock = memory.clock;
            self.last_step = memory.last_step;
        }
        recalled
    }
}

impl Unit for MechanismUnit {
    type Config = Arc<Description>;
    type Origin = ();
    type Saved = SavedMechanism;

    fn from_saved(saved: &SavedMechanism) -> Self {
        let [inputs, _] = &saved.memory.inputs;
        match Self::new(&saved.description, inputs) {
            Ok(mut unit) => {
                unit.recall(&saved.memory);
                unit
            }
            // The same mechanism has started before.
            Err(cause) => panic!("a mechanism does not start again: {cause}"),
        }
    }

    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn origin(&self) -> &() {
        &()
    }

    fn input(&self, index: usize) -> Input {
        Input {
            value: self.inputs[index],
            ..Input::default()
        }
    }

    fn set_input(&mut self, index: usize, input: Input) {
        self.inputs[index] = input.value;
    }

    #[inline(never)]
    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let clock = self.clock.after(length);
        let (now, step) = (
            either!(&self.running, simulation => simulation.state.time),
            self.description.analysis.step,
        );
        let steps = (clock.time() - now) / step;
        check_count(steps)?;
        if steps < SLIVER {
            // Rounding of the host's clock: the time moves alone.
            self.clock = clock;
            return Ok(StepsTaken::default());
        }
        let before = self.memory();
        let next = step.min(clock.time() - now);
        let [shorter, longer] = [(next, self.last_step), (self.last_step, next)]
            .map(|(short, long)| 0.0 < short && short < DIFFERENT_STEP * long);
        let (acting, inputs) = (&mut self.acting, &self.inputs);
        let done = either!(&mut self.running, simulation => {
            for (index, (old, new)) in acting.iter_mut().zip(inputs).enumerate() {
                if *old != *new {
                    simulation.set_input(index, *new);
                    *old = *new;
                }
            }
            let totals = simulation.totals;
            let ready = if shorter || longer {
                simulation.make_consistent(next)
            } else {
                Ok(())
            };
            let done = ready.and_then(|()| simulation.advance(clock.time()));
            simulation.forget_events();
            done.map(|()| {
                let after = simulation.totals;
                StepsTaken {
                    steps: after.steps - totals.steps,
                    rejected: after.rejected - totals.rejected,
                    iterations: after.iterations - totals.iterations,
                }
            })
        });
        match done {
            Ok(done) => {
                self.clock = clock;
                self.last_step = next;
                Ok(done)
            }
            Err(cause) => {
                self.recall(&before);
                Err(cause.into())
            }
        }
    }

    fn evaluate(&mut self, _: usize, out: &mut [f64]) -> Result<(), Failure> {
        let values = either!(&mut self.running, simulation => simulation.row());
        out.copy_from_slice(&values);
        Ok(())
    }

    fn regime(&self) -> &'static str {
        "the only one"
    }

    fn save(&self) -> SavedMechanism {
        SavedMechanism {
            description: Arc::clone(&self.description),
            memory: self.memory(),
        }
    }

    fn restore(&mut self, saved: &SavedMechanism) {
        let same = Arc::ptr_eq(&self.description, &saved.description);
        if !(same && self.recall(&saved.memory)) {
            *self = Self::from_saved(saved);
        }
    }

    fn to_numbers(saved: &SavedMechanism) -> Result<Vec<f64>, Failure> {
        Ok(numbers::to_numbers(&saved.memory)?)
    }

    #[inline(never)]
    fn from_numbers(config: &Arc<Description>, numbers: &[f64]) -> Result<SavedMechanism, Failure> {
        let memory: Memory = numbers::from_numbers(numbers)?;
        let starts: Vec<f64> = config.inputs.iter().map(|input| input.value).collect();
        let mut unit = Self::new(config, &starts)?;
        if !unit.recall(&memory) {
            return Err("they are of another mechanism".into());
        }
        Ok(SavedMechanism {
            description: unit.description,
            memory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_identifiers_are_legal() {
        let name = |text: &str| name_of(text).to_string();
        assert_eq!(name("arm.x_m"), "arm.x_m");
        assert_eq!(name("part-1.x_m"), "'part-1'.x_m");
        assert_eq!(name("1st"), "'1st'");
        assert_eq!(name("a.x_m + b.x_m"), "'a.x_m + b.x_m'");
        assert_eq!(name("ä"), "'u00e4'");
        assert_eq!(identifier("mechanisms/two-link.toml"), "two_link");
        assert_eq!(identifier("4bar"), "m_4bar");
    }
}
