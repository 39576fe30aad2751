//! What a model must offer to be packaged as an FMU.
//!
//! A [`Model`] names itself, its parameters and its variables; its [`Unit`] is the thing that is
//! stepped, saved and restored. Neither knows of FMI, and the shell ([`crate::slave`]) knows of no
//! mechanics. [`Packaged`] is a model whose type is forgotten, [`PackagedModel`] a kind of model that a
//! library offers: with settings of its own, or with those in the resources of an FMU.

use crate::description::describe;
use crate::slave::{Slave, SlaveOf};
use crate::variables::{Role, Value, Variable};
use softdock_xml::{DefaultExperiment, Error, ModelDescription};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

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
pub trait Parameters: Clone + Send + Sync + 'static {
    /// What the unit is built from.
    type Config;
    /// What the unit knows of its start: calculated parameters are read from it.
    type Origin;

    /// The configuration they stand for, checked. On the heap: the way to a unit is deep, and a
    /// host's stack may be small.
    fn boxed_config(&self) -> Result<Box<Self::Config>, Failure>;
}

/// What a model without this ability answers.
fn not_offered() -> Failure {
    "the model does not offer it".into()
}

/// What is stepped, saved and restored. It is moved about: what is large in it belongs on the heap.
pub trait Unit: Send + 'static {
    /// What it is built from.
    type Config;
    /// What it knows of its start.
    type Origin;
    /// Its saved state.
    type Saved: Send + 'static;

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
    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure>;
    /// Their derivatives by time, if [`Abilities::output_derivatives`] says that it can.
    fn rates(&mut self, _group: usize, _out: &mut [f64]) -> Result<(), Failure> {
        Err(not_offered())
    }
    /// Derivative of an output by an input over the last step, if
    /// [`Abilities::directional_derivatives`] says that it can.
    fn derivative(&mut self, _output: usize, _input: usize) -> Result<f64, Failure> {
        Err(not_offered())
    }
    /// The regime it is in, in words; a change of it is worth a message.
    fn regime(&self) -> &'static str;
    /// Saves it.
    fn save(&self) -> Self::Saved;
    /// Saves it over an earlier state.
    fn save_into(&self, saved: &mut Self::Saved) {
        *saved = self.save();
    }
    /// Goes back, to a state of any unit of the same model.
    fn restore(&mut self, saved: &Self::Saved);
    /// A saved state as plain numbers.
    fn to_numbers(saved: &Self::Saved) -> Result<Vec<f64>, Failure>;
    /// Plain numbers as a saved state.
    fn from_numbers(config: &Self::Config, numbers: &[f64]) -> Result<Self::Saved, Failure>;
}

/// What a model can do besides steps and states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Inputs may change within a step, by their derivatives at its start.
    pub input_derivatives: bool,
    /// It tells derivatives of outputs by time.
    pub output_derivatives: bool,
    /// It tells derivatives of outputs by inputs over the last step.
    pub directional_derivatives: bool,
}

/// What a model says of itself.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its name, which is also the name of its FMU and of its binary.
    pub name: &'a str,
    /// What it is, in a sentence.
    pub summary: &'a str,
    /// What the documentation says of it, as HTML.
    pub documentation: &'a str,
    /// What else is linked into the library, and under which licences.
    pub linked: &'a str,
    /// What has happened when it has started.
    pub started: &'a str,
    /// What to simulate when somebody just presses *run*.
    pub experiment: DefaultExperiment,
    /// What it can do.
    pub abilities: Abilities,
}

/// A model: its names, its parameters, its variables and its unit.
pub trait Model: Send + Sync + Sized + 'static {
    /// Its parameters.
    type Parameters: Parameters<Config = <Self::Unit as Unit>::Config, Origin = <Self::Unit as Unit>::Origin>;
    /// What is stepped.
    type Unit: Unit;

    /// What it says of itself.
    fn about(&self) -> About<'_>;

    /// Its parameters until somebody sets others.
    fn defaults(&self) -> Self::Parameters;

    /// The table of its variables.
    fn variables(&self) -> &[Variable<Self::Parameters>];

    /// Where the outputs of each group are; each group is computed as a whole.
    fn groups(&self) -> Vec<Range<usize>>;

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
    fn icon(&self, x: f64, y: f64) -> [u8; 4];

    /// The settings from which the model can be made again, if they are not those of its kind: what
    /// goes into the resources of an FMU.
    fn resource(&self) -> Option<String> {
        None
    }
}

/// Number of inputs of a model.
pub(crate) fn input_count<M: Model>(model: &M) -> usize {
    let variables = model.variables().iter();
    variables
        .filter(|variable| matches!(variable.role, Role::Input { .. }))
        .count()
}

/// What the inputs of a model with these parameters are until somebody sets them: their positions and
/// values.
pub(crate) fn start_values<'a, M: Model>(
    model: &'a M,
    parameters: &'a M::Parameters,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    let variables = model.variables().iter();
    variables.filter_map(|variable| match variable.role {
        Role::Input { index, start } => Some((index, start(parameters, index))),
        _ => None,
    })
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

/// Names and values of all parameters of a model.
pub fn list_parameters<M: Model>(model: &M, parameters: &M::Parameters) -> Vec<(String, Value)> {
    let value = |variable: &Variable<M::Parameters>| match &variable.role {
        Role::Parameter(access) => Some((variable.name.to_string(), access.get(parameters))),
        _ => None,
    };
    model.variables().iter().filter_map(value).collect()
}

/// A model whose type is forgotten.
pub trait Packaged: Send + Sync {
    /// What it says of itself.
    fn about(&self) -> About<'_>;
    /// Draws a pixel of its icon; see [`Model::icon`].
    fn icon(&self, x: f64, y: f64) -> [u8; 4];
    /// The settings for the resources of an FMU; see [`Model::resource`].
    fn resource(&self) -> Option<String>;
    /// The model description, with its GUID.
    fn description(&self) -> Result<ModelDescription, Error>;
    /// Starts the model with its own start values, as a host does, and drops it: an error says why
    /// no host could start it.
    fn check_start(&self) -> Result<(), Failure>;
    /// A new instance of it.
    fn create(self: Arc<Self>) -> Box<dyn Slave>;
}

impl<M: Model> Packaged for M {
    fn about(&self) -> About<'_> {
        Model::about(self)
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        Model::icon(self, x, y)
    }

    fn resource(&self) -> Option<String> {
        Model::resource(self)
    }

    fn description(&self) -> Result<ModelDescription, Error> {
        describe(self)
    }

    fn check_start(&self) -> Result<(), Failure> {
        let parameters = self.defaults();
        let config = configure::<M>(&parameters, None)?;
        let mut inputs = vec![0.0; input_count(self)];
        for (index, value) in start_values(self, &parameters) {
            inputs[index] = value;
        }
        M::start(&parameters, &config, &inputs).map(drop)
    }

    fn create(self: Arc<Self>) -> Box<dyn Slave> {
        Box::new(SlaveOf::<M>::new(self))
    }
}

/// A model that was made of settings, or why it was not.
pub type Made = Result<Arc<dyn Packaged>, Failure>;

/// The GUID of FMI 2.0 that ties a description to the library: a digest of its content.
pub fn guid_of(model: &dyn Packaged) -> Option<String> {
    Some(model.description().ok()?.guid)
}

/// The instantiation token of FMI 3.0, a digest of that version's description.
pub fn token_of(model: &dyn Packaged) -> Option<String> {
    model.description().ok()?.content_token().ok()
}

/// Characters of a GUID in braces.
const GUID_LENGTH: usize = 38;

/// A kind of model that a library offers. GUID and token are those of the model with the settings of
/// its kind.
pub struct PackagedModel {
    /// The name of the kind.
    pub name: &'static str,
    make: fn() -> Arc<dyn Packaged>,
    read: Option<fn(&str) -> Made>,
    // Kept in place: whatever a static holds on the heap stays behind when a host unloads the
    // library.
    guid: OnceLock<Option<[u8; GUID_LENGTH]>>,
    token: OnceLock<Option<[u8; GUID_LENGTH]>>,
}

impl PackagedModel {
    /// The kind of this name, whose models `make` makes.
    pub const fn new(name: &'static str, make: fn() -> Arc<dyn Packaged>) -> Self {
        Self {
            name,
            make,
            read: None,
            guid: OnceLock::new(),
            token: OnceLock::new(),
        }
    }

    /// The same; `read` makes models with the settings of an FMU's resources.
    pub const fn with_settings(mut self, read: fn(&str) -> Made) -> Self {
        self.read = Some(read);
        self
    }

    /// The model with the settings of its kind.
    pub fn model(&self) -> Arc<dyn Packaged> {
        (self.make)()
    }

    /// The model with these settings; none if there are no others than those of its kind.
    pub fn with(&self, settings: &str) -> Option<Made> {
        Some(self.read?(settings))
    }

    /// The model description, with its GUID.
    pub fn description(&self) -> Result<ModelDescription, Error> {
        self.model().description()
    }

    /// The GUID that ties the description to the library: a digest of its content.
    pub fn guid(&self) -> Option<&str> {
        let digest = || guid_of(&*self.model())?.as_bytes().try_into().ok();
        let guid = self.guid.get_or_init(digest).as_ref()?;
        str::from_utf8(guid).ok()
    }

    /// The instantiation token of FMI 3.0, a digest of that version's description.
    pub fn token(&self) -> Option<&str> {
        let digest = || token_of(&*self.model())?.as_bytes().try_into().ok();
        let token = self.token.get_or_init(digest).as_ref()?;
        str::from_utf8(token).ok()
    }

    /// A new instance of the model with the settings of its kind.
    pub fn create(&self) -> Box<dyn Slave> {
        self.model().create()
    }
}
