//! The packaged models, in one list.

use crate::documentation;
use crate::icon;
use crate::leg::PackagedLeg;
use crate::variables::{PlanarParameters, SpatialParameters, planar, spatial};
use leg_core::planar::PlanarLeg;
use leg_core::spatial::SpatialLeg;
use leg_core::unit_planar::PLANAR_INPUTS;
use leg_core::unit_spatial::SPATIAL_INPUTS;
use leg_core::{LegConfig, PlanarUnit, SpatialLegConfig, SpatialUnit};
use multibody::group::{Se2, Se3};
use softdock_fmi::model::{Failure, Model, PackagedModel, list_parameters};
use softdock_fmi::variables::{List, Value as ParameterValue, Variable};
use softdock_xml::{DefaultExperiment, ModelDescription};

/// What to simulate when somebody just presses *run*: the motor lets go, the leg swings.
const EXPERIMENT: DefaultExperiment = DefaultExperiment {
    start_time: Some(0.0),
    stop_time: Some(3.0),
    tolerance: None,
    step_size: Some(1e-3),
};

const STARTED: &str = "the leg is pre-tensioned and at rest";

/// The planar leg.
#[derive(Debug)]
pub struct LegPlanar;

impl Model for LegPlanar {
    const NAME: &'static str = "LegPlanar";
    const SUMMARY: &'static str = "Planar leg of a soft docking platform: a crank, a leaf spring bowed by a tendon, an upper link. Motor torque and loads in; angles, forces and energies out.";
    const DOCUMENTATION: &'static str = documentation::PLANAR;
    const LINKED: &'static str = documentation::LINKED;
    const STARTED: &'static str = STARTED;
    const EXPERIMENT: DefaultExperiment = EXPERIMENT;
    type Parameters = PlanarParameters;
    type Unit = PackagedLeg<PlanarLeg, Se2, 3, 2>;

    fn packaged() -> &'static PackagedModel {
        static PACKAGED: PackagedModel = PackagedModel::of::<LegPlanar>();
        &PACKAGED
    }

    fn variables() -> &'static [Variable<PlanarParameters>] {
        static TABLE: List<PlanarParameters> = planar::table();
        TABLE.variables()
    }

    fn tighten(config: &mut LegConfig, tolerance: f64) {
        config.solver.tighten(tolerance);
    }

    fn start(
        _parameters: &PlanarParameters,
        config: &LegConfig,
        inputs: &[f64],
    ) -> Result<Self::Unit, Failure> {
        let mut values = [0.0; PLANAR_INPUTS];
        values.copy_from_slice(inputs);
        Ok(PackagedLeg(PlanarUnit::boxed(config, &values)?))
    }

    fn icon(x: f64, y: f64) -> [u8; 4] {
        icon::pixel(x, y)
    }
}

/// The spatial leg.
#[derive(Debug)]
pub struct LegSpatial;

impl Model for LegSpatial {
    const NAME: &'static str = "LegSpatial";
    const SUMMARY: &'static str = "Spatial leg of a soft docking platform: motor, crank, universal joint, a leaf spring bowed by a tendon, spherical tip. Motion of the tip in, force of the tip out.";
    const DOCUMENTATION: &'static str = documentation::SPATIAL;
    const LINKED: &'static str = documentation::LINKED;
    const STARTED: &'static str = STARTED;
    const EXPERIMENT: DefaultExperiment = EXPERIMENT;
    type Parameters = SpatialParameters;
    type Unit = PackagedLeg<SpatialLeg, Se3, 6, 3>;

    fn packaged() -> &'static PackagedModel {
        static PACKAGED: PackagedModel = PackagedModel::of::<LegSpatial>();
        &PACKAGED
    }

    fn variables() -> &'static [Variable<SpatialParameters>] {
        static TABLE: List<SpatialParameters> = spatial::table();
        TABLE.variables()
    }

    fn tighten(config: &mut SpatialLegConfig, tolerance: f64) {
        config.solver.tighten(tolerance);
    }

    fn start(
        parameters: &SpatialParameters,
        config: &SpatialLegConfig,
        inputs: &[f64],
    ) -> Result<Self::Unit, Failure> {
        let mut values = [0.0; SPATIAL_INPUTS];
        values.copy_from_slice(inputs);
        let given = parameters.tip_velocity_given();
        Ok(PackagedLeg(SpatialUnit::boxed(config, given, &values)?))
    }

    fn icon(x: f64, y: f64) -> [u8; 4] {
        icon::pixel(x, y)
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

    /// The model as the shell takes it.
    pub fn packaged(self) -> &'static PackagedModel {
        match self {
            Self::LegPlanar => LegPlanar::packaged(),
            Self::LegSpatial => LegSpatial::packaged(),
        }
    }

    /// The name of the model, of its FMU and of its binary.
    pub fn name(self) -> &'static str {
        self.packaged().name
    }

    /// The model of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The model description, with its GUID.
    pub fn description(self) -> Result<ModelDescription, softdock_xml::Error> {
        self.packaged().description()
    }

    /// The GUID that ties the description to the library: a digest of its content.
    pub fn guid(self) -> Option<&'static str> {
        self.packaged().guid()
    }
}
