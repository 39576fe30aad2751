//! What a model must offer to be packaged as an FMU.
//!
//! A [`Model`] names itself, its parameters and its variables; its [`Unit`] is the thing that is
//! stepped, saved and restored. Neither knows of FMI, and the shell ([`crate::slave`]) knows of no
//! mechanics. [`PackagedModel`] is a model whose type is forgotten.

use crate::description::describe;
use crate::slave::{Slave, SlaveOf};
use crate::variables::{Role, Value, Variable};
use softdock_xml::{DefaultExperiment, ModelDescription};
use std::ops::Range;
use std::sync::OnceLock;

/// Why a model failed; it says so in its own words.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Highest derivative of an input by time.
pub const INPUT_ORDER: usize = 3;

/// An input over a communication step: its value and derivatives at the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Input {
    /// Value.
    pub value: f64,
    /// Derivatives of order 1 to [`INPUT_ORDER`].
    pub derivatives: [f64; INPUT_ORDER],
    /// Highest order given; zero for an input that does not change.
    pub order: usize,
}

impl Input {
    /// Gives the derivative of this order, 1 to [`INPUT_ORDER`]; another order is ignored.
    pub fn set_derivative(&mut self, order: usize, value: f64) {
        if (1..=INPUT_ORDER).contains(&order) {
            self.derivatives[order - 1] = value;
            self.order = self.order.max(order);
        }
    }
}

/// What a communication step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepsTaken {
    /// Steps of the model's own solver.
    pub steps: usize,
    /// Steps that were refused and repeated smaller.
    pub rejected: usize,
    /// Iterations of its equation solver.
    pub iterations: usize,
}

/// The parameters of a model.
pub trait Parameters: Clone + Default + Send + Sync + 'static {
    /// What the unit is built from.
    type Config;
    /// What the unit knows of its start: calculated parameters are read from it.
    type Origin;

    /// The configuration they stand for, checked. On the heap: the way to a unit is deep, and a
    /// host's stack may be small.
    fn boxed_config(&self) -> Result<Box<Self::Config>, Failure>;
}

/// What is stepped, saved and restored. It is moved about: what is large in it belongs on the heap.
pub trait Unit: Send + 'static {
    /// What it is built from.
    type Config;
    /// What it knows of its start.
    type Origin;
    /// Its saved state.
    type Saved: Send + 'static;
    /// Number of inputs.
    const INPUTS: usize;
    /// Number of groups of outputs; each is computed as a whole.
    const GROUPS: usize;

    /// Number of outputs.
    fn output_count() -> usize;
    /// Where the outputs of a group are.
    fn range(group: usize) -> Range<usize>;
    /// A unit in a saved state.
    fn from_saved(saved: &Self::Saved) -> Self;
    /// Time since its start [s].
    fn time(&self) -> f64;
    /// What it started from.
    fn origin(&self) -> &Self::Origin;
    /// An input.
    fn input(&self, index: usize) -> Input;
    /// Sets an input.
    fn set_input(&mut self, index: usize, input: Input);
    /// Moves on by `length` [s]. On an error it is where it was.
    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure>;
    /// Computes the outputs of a group.
    fn evaluate(&self, group: usize, out: &mut [f64]) -> Result<(), Failure>;
    /// Their derivatives by time.
    fn rates(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure>;
    /// Derivative of an output by an input over the last step.
    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, Failure>;
    /// The regime it is in, in words; a change of it is worth a message.
    fn regime(&self) -> &'static str;
    /// Saves it.
    fn save(&self) -> Self::Saved;
    /// Saves it over an earlier state.
    fn save_into(&self, saved: &mut Self::Saved);
    /// Goes back.
    fn restore(&mut self, saved: &Self::Saved);
    /// A saved state as plain numbers.
    fn to_numbers(saved: &Self::Saved) -> Vec<f64>;
    /// Plain numbers as a saved state.
    fn from_numbers(config: &Self::Config, numbers: &[f64]) -> Result<Self::Saved, Failure>;
}

/// A model: its names, its parameters, its variables and its unit.
pub trait Model: Send + 'static {
    /// Its name, which is also the name of its binary.
    const NAME: &'static str;
    /// What it is, in a sentence.
    const SUMMARY: &'static str;
    /// What the documentation says of it, as HTML.
    const DOCUMENTATION: &'static str;
    /// What else is linked into the library, and under which licences.
    const LINKED: &'static str;
    /// What has happened when it has started.
    const STARTED: &'static str;
    /// What to simulate when somebody just presses *run*.
    const EXPERIMENT: DefaultExperiment;
    /// Its parameters.
    type Parameters: Parameters<Config = <Self::Unit as Unit>::Config, Origin = <Self::Unit as Unit>::Origin>;
    /// What is stepped.
    type Unit: Unit;

    /// The model without its type. One static per model: it keeps the GUID.
    fn packaged() -> &'static PackagedModel;

    /// The table of its variables.
    fn variables() -> &'static [Variable<Self::Parameters>];

    /// Makes the unit as accurate as a host asks for that names a relative tolerance (> 0). Never looser
    /// than the parameters say, and never looser for a smaller tolerance.
    fn tighten(config: &mut <Self::Unit as Unit>::Config, tolerance: f64);

    /// The unit at its start.
    fn start(
        parameters: &Self::Parameters,
        config: &<Self::Unit as Unit>::Config,
        inputs: &[f64],
    ) -> Result<Self::Unit, Failure>;

    /// Red, green, blue and opacity of a pixel of its icon, `x` to the right and `y` down from the
    /// top left corner of a square of 128 pixels.
    fn icon(x: f64, y: f64) -> [u8; 4];
}

/// The configuration of a unit with these parameters in an experiment with this tolerance.
pub(crate) fn configure<M: Model>(
    parameters: &M::Parameters,
    tolerance: Option<f64>,
) -> Result<Box<<M::Unit as Unit>::Config>, Failure> {
    let mut config = parameters.boxed_config()?;
    if let Some(tolerance) = tolerance {
        M::tighten(&mut config, tolerance);
    }
    Ok(config)
}

/// Names and values of all parameters.
pub fn list_parameters<M: Model>(parameters: &M::Parameters) -> Vec<(String, Value)> {
    let value = |variable: &Variable<M::Parameters>| match &variable.role {
        Role::Parameter(access) => Some((variable.name.to_string(), access.get(parameters))),
        _ => None,
    };
    M::variables().iter().filter_map(value).collect()
}

/// Characters of a GUID in braces.
const GUID_LENGTH: usize = 38;

/// A model whose type is forgotten.
pub struct PackagedModel {
    /// The name of the model, of its FMU and of its binary.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// What the documentation says of it, as HTML.
    pub documentation: &'static str,
    /// What else is linked into the library, and under which licences.
    pub linked: &'static str,
    /// What has happened when it has started.
    pub started: &'static str,
    /// Draws a pixel of its icon; see [`Model::icon`].
    pub icon: fn(f64, f64) -> [u8; 4],
    describe: fn() -> Result<ModelDescription, softdock_xml::Error>,
    create: fn() -> Box<dyn Slave>,
    // Kept in place: whatever a static holds on the heap stays behind when a host unloads the
    // library.
    guid: OnceLock<Option<[u8; GUID_LENGTH]>>,
    token: OnceLock<Option<[u8; GUID_LENGTH]>>,
}

impl PackagedModel {
    /// The model `M`.
    pub const fn of<M: Model>() -> Self {
        Self {
            name: M::NAME,
            summary: M::SUMMARY,
            documentation: M::DOCUMENTATION,
            linked: M::LINKED,
            started: M::STARTED,
            icon: M::icon,
            describe: describe::<M>,
            create: || Box::new(SlaveOf::<M>::default()),
            guid: OnceLock::new(),
            token: OnceLock::new(),
        }
    }

    /// The model description, with its GUID.
    pub fn description(&self) -> Result<ModelDescription, softdock_xml::Error> {
        (self.describe)()
    }

    /// The GUID that ties the description to the library: a digest of its content.
    pub fn guid(&self) -> Option<&str> {
        let digest = || {
            let description = self.description().ok()?;
            description.guid.as_bytes().try_into().ok()
        };
        let guid = self.guid.get_or_init(digest).as_ref()?;
        str::from_utf8(guid).ok()
    }

    /// The instantiation token of FMI 3.0, a digest of that version's description.
    pub fn token(&self) -> Option<&str> {
        let digest = || {
            let token = self.description().ok()?.content_token().ok()?;
            token.as_bytes().try_into().ok()
        };
        let token = self.token.get_or_init(digest).as_ref()?;
        str::from_utf8(token).ok()
    }

    /// A new instance of it.
    pub fn create(&self) -> Box<dyn Slave> {
        (self.create)()
    }
}
