//! The models that an instance can be of.

use crate::description::describe;
use crate::variables::{
    List, Parameters, PlanarParameters, Role, SpatialParameters, Value as ParameterValue, Variable,
    planar, spatial,
};
use leg_core::unit::{Input, LegUnit, Origin, OutputGroup, Saved, UnitLeg};
use leg_core::unit_planar::PLANAR_INPUTS;
use leg_core::unit_spatial::SPATIAL_INPUTS;
use leg_core::{LegConfig, LegError, PlanarUnit, SnapshotError, SpatialLegConfig, SpatialUnit};
use multibody::dynamics::Advance;
use multibody::group::Group;
use softdock_xml::ModelDescription;
use std::ops::Range;
use std::sync::OnceLock;

/// A leg that can be stepped, saved and restored, whichever group it lives on.
pub trait Unit: Send + 'static {
    /// Its configuration.
    type Config;
    /// Its saved state.
    type Saved: Send + 'static;
    /// Number of inputs.
    const INPUTS: usize;

    /// Number of outputs.
    fn output_count() -> usize;
    /// Where the outputs of a group are.
    fn range(group: OutputGroup) -> Range<usize>;
    /// A unit in a saved state.
    fn from_saved(saved: &Self::Saved) -> Self;
    /// Time since its start [s].
    fn time(&self) -> f64;
    /// What it started from.
    fn origin(&self) -> &Origin;
    /// The inputs.
    fn inputs(&self) -> &[Input];
    /// The inputs, to be set.
    fn inputs_mut(&mut self) -> &mut [Input];
    /// Moves on by `length` [s].
    fn advance_by(&mut self, length: f64) -> Result<Advance, LegError>;
    /// Computes the outputs of a group.
    fn evaluate(&self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError>;
    /// Their derivatives by time.
    fn rates(&mut self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError>;
    /// Derivative of an output by an input over the last step.
    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, LegError>;
    /// Whether the tendon hangs slack.
    fn slack(&self) -> bool;
    /// Saves it.
    fn save(&self) -> Self::Saved;
    /// Saves it over an earlier state.
    fn save_into(&self, saved: &mut Self::Saved);
    /// Goes back.
    fn restore(&mut self, saved: &Self::Saved);
    /// A saved state as plain numbers.
    fn to_numbers(saved: &Self::Saved) -> Vec<f64>;
    /// Plain numbers as a saved state.
    fn from_numbers(config: &Self::Config, numbers: &[f64]) -> Result<Self::Saved, SnapshotError>;
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> Unit
    for LegUnit<L, G, N, D>
{
    type Config = L::Config;
    type Saved = Saved<L, G, N>;
    const INPUTS: usize = L::INPUTS;

    fn output_count() -> usize {
        Self::output_count()
    }

    fn range(group: OutputGroup) -> Range<usize> {
        L::outputs(group)
    }

    fn from_saved(saved: &Self::Saved) -> Self {
        Self::from_saved(saved)
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn origin(&self) -> &Origin {
        self.origin()
    }

    fn inputs(&self) -> &[Input] {
        self.inputs()
    }

    fn inputs_mut(&mut self) -> &mut [Input] {
        self.inputs_mut()
    }

    fn advance_by(&mut self, length: f64) -> Result<Advance, LegError> {
        self.advance_by(length)
    }

    fn evaluate(&self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError> {
        self.evaluate(group, out)
    }

    fn rates(&mut self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError> {
        self.rates(group, out)
    }

    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, LegError> {
        self.derivative(output, input)
    }

    fn slack(&self) -> bool {
        self.slack()
    }

    fn save(&self) -> Self::Saved {
        self.save()
    }

    fn save_into(&self, saved: &mut Self::Saved) {
        self.save_into(saved);
    }

    fn restore(&mut self, saved: &Self::Saved) {
        self.restore(saved);
    }

    fn to_numbers(saved: &Self::Saved) -> Vec<f64> {
        saved.to_numbers()
    }

    fn from_numbers(config: &L::Config, numbers: &[f64]) -> Result<Self::Saved, SnapshotError> {
        Saved::from_numbers(config, numbers)
    }
}

/// A model: a unit, its parameters and its variables.
pub trait Model: Send + 'static {
    /// Its name, which is also the name of its binary.
    const KIND: ModelKind;
    /// Its parameters.
    type Parameters: Parameters<Config = <Self::Unit as Unit>::Config>;
    /// The leg.
    type Unit: Unit;

    /// The table of its variables.
    fn variables() -> &'static [Variable<Self::Parameters>];

    /// The leg at its start.
    fn start(
        parameters: &Self::Parameters,
        config: &<Self::Unit as Unit>::Config,
        inputs: &[f64],
    ) -> Result<Box<Self::Unit>, LegError>;
}

/// The planar leg.
#[derive(Debug)]
pub struct LegPlanar;

impl Model for LegPlanar {
    const KIND: ModelKind = ModelKind::LegPlanar;
    type Parameters = PlanarParameters;
    type Unit = PlanarUnit;

    fn variables() -> &'static [Variable<PlanarParameters>] {
        static TABLE: List<PlanarParameters> = planar::table();
        TABLE.variables()
    }

    fn start(
        _parameters: &PlanarParameters,
        config: &LegConfig,
        inputs: &[f64],
    ) -> Result<Box<PlanarUnit>, LegError> {
        let mut values = [0.0; PLANAR_INPUTS];
        values.copy_from_slice(inputs);
        PlanarUnit::boxed(config, &values)
    }
}

/// The spatial leg.
#[derive(Debug)]
pub struct LegSpatial;

impl Model for LegSpatial {
    const KIND: ModelKind = ModelKind::LegSpatial;
    type Parameters = SpatialParameters;
    type Unit = SpatialUnit;

    fn variables() -> &'static [Variable<SpatialParameters>] {
        static TABLE: List<SpatialParameters> = spatial::table();
        TABLE.variables()
    }

    fn start(
        parameters: &SpatialParameters,
        config: &SpatialLegConfig,
        inputs: &[f64],
    ) -> Result<Box<SpatialUnit>, LegError> {
        let mut values = [0.0; SPATIAL_INPUTS];
        values.copy_from_slice(inputs);
        SpatialUnit::boxed(config, parameters.tip_velocity_given(), &values)
    }
}

/// Names and values of all parameters of the `LegPlanar` with this configuration. Histories of
/// motor and load are inputs of it, and its working range is nothing that it knows.
pub fn planar_parameters(config: &LegConfig) -> Vec<(String, ParameterValue)> {
    list_parameters::<LegPlanar>(&config.into())
}

/// Names and values of all parameters of the `LegSpatial` with this configuration, whose tip has
/// the velocity that it is given. The motor's histories are inputs of it, and its working range is
/// nothing that it knows.
pub fn spatial_parameters(config: &SpatialLegConfig) -> Vec<(String, ParameterValue)> {
    list_parameters::<LegSpatial>(&config.into())
}

fn list_parameters<M: Model>(parameters: &M::Parameters) -> Vec<(String, ParameterValue)> {
    let value = |variable: &Variable<M::Parameters>| match &variable.role {
        Role::Parameter(access) => Some((variable.name.to_string(), access.get(parameters))),
        _ => None,
    };
    M::variables().iter().filter_map(value).collect()
}

/// Which model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// The planar leg: torques and loads in, angles and forces out.
    LegPlanar,
    /// The spatial leg: motion of the tip in, force of the tip out.
    LegSpatial,
}

impl ModelKind {
    /// All models.
    pub const ALL: [Self; 2] = [Self::LegPlanar, Self::LegSpatial];

    /// The name of the model, of its FMU and of its binary.
    pub fn name(self) -> &'static str {
        match self {
            Self::LegPlanar => "LegPlanar",
            Self::LegSpatial => "LegSpatial",
        }
    }

    /// The model of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it is, in a sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Self::LegPlanar => {
                "Planar leg of a soft docking platform: a crank, a leaf spring bowed by a tendon, \
                 an upper link. Motor torque and loads in; angles, forces and energies out."
            }
            Self::LegSpatial => {
                "Spatial leg of a soft docking platform: motor, crank, universal joint, a leaf \
                 spring bowed by a tendon, spherical tip. Motion of the tip in, force of the tip \
                 out."
            }
        }
    }

    /// The model description, with its GUID.
    pub fn description(self) -> Result<ModelDescription, softdock_xml::Error> {
        match self {
            Self::LegPlanar => describe::<LegPlanar>(),
            Self::LegSpatial => describe::<LegSpatial>(),
        }
    }

    /// The GUID that ties the description to the library: a digest of its content.
    pub fn guid(self) -> Option<&'static str> {
        // Kept in place: whatever a static holds on the heap stays behind when a host unloads the
        // library.
        static GUIDS: OnceLock<[Option<[u8; GUID_LENGTH]>; 2]> = OnceLock::new();
        let guids = GUIDS.get_or_init(|| {
            ModelKind::ALL.map(|kind| {
                let description = kind.description().ok()?;
                description.guid.as_bytes().try_into().ok()
            })
        });
        let guid = guids[self as usize].as_ref()?;
        str::from_utf8(guid).ok()
    }
}

/// Characters of a GUID in braces.
const GUID_LENGTH: usize = 38;
