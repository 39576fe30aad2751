//! The legs as models.

use crate::displaced::DisplacedLeg;
use crate::documentation;
use crate::icon;
use crate::unit::{PackagedLeg, groups};
use crate::variables::{PlanarParameters, SpatialParameters, planar, spatial};
use leg_core::config::{History, Load, Motor};
use leg_core::planar::PlanarLeg;
use leg_core::spatial::SpatialLeg;
use leg_core::unit_planar::PLANAR_INPUTS;
use leg_core::{LegConfig, PlanarUnit, SpatialLegConfig, SpatialUnit};
use multibody::group::{Se2, Se3};
use softdock_fmi::model::{
    Abilities, About, Failure, Model, Packaged, PackagedModel, list_parameters,
};
use softdock_fmi::variables::{List, Value as ParameterValue, Variable};
use softdock_xml::DefaultExperiment;
use std::ops::Range;
use std::sync::Arc;

/// What to simulate when somebody just presses *run*: the motor lets go, the leg swings.
const EXPERIMENT: DefaultExperiment = DefaultExperiment {
    start_time: Some(0.0),
    stop_time: Some(3.0),
    tolerance: None,
    step_size: Some(1e-3),
};

/// The communication step at which legs and end effector can be coupled by any master [s].
pub const COUPLED_STEP_S: f64 = 2e-4;

const STARTED: &str = "the leg is pre-tensioned and at rest";

/// Legs can do everything.
const ABILITIES: Abilities = Abilities {
    input_derivatives: true,
    output_derivatives: true,
    directional_derivatives: true,
};

/// What is said of a setting that is an input.
fn is_input(key: &str) -> String {
    format!("{key} is set: in an FMU it is an input, which the host sets; leave it out")
}

/// Refuses what a motor does over time.
fn refuse_histories(motor: &Motor) -> Result<(), Failure> {
    for (key, history) in [
        (Motor::torque_nm.key, &motor.torque_nm),
        (Motor::angle_rad.key, &motor.angle_rad),
    ] {
        if *history != History::default() {
            return Err(is_input(key).into());
        }
    }
    Ok(())
}

/// The planar leg.
#[derive(Debug, Clone, Default)]
pub struct LegPlanar {
    /// Settings that are not those of the kind.
    settings: Option<LegConfig>,
}

/// The kind `LegPlanar`.
pub static LEG_PLANAR: PackagedModel =
    PackagedModel::new("LegPlanar", || Arc::new(LegPlanar::default())).with_settings(|text| {
        let settings: LegConfig = toml::from_str(text)?;
        Ok(Arc::new(LegPlanar::with(settings)?) as Arc<dyn Packaged>)
    });

impl LegPlanar {
    /// A leg with these settings.
    pub fn with(settings: LegConfig) -> Result<Self, Failure> {
        settings.validate()?;
        refuse_histories(&settings.motor)?;
        if settings.load != Load::default() {
            return Err(is_input("load").into());
        }
        Ok(Self {
            settings: Some(settings),
        })
    }
}

impl Model for LegPlanar {
    type Parameters = PlanarParameters;
    type Unit = PackagedLeg<PlanarLeg, Se2, 3, 2>;

    fn about(&self) -> About<'_> {
        About {
            name: LEG_PLANAR.name,
            summary: "Planar leg of a soft docking platform: a crank, a leaf spring bowed by a tendon, an upper link. Motor torque and loads in; angles, forces and energies out.",
            documentation: documentation::PLANAR,
            linked: documentation::LINKED,
            started: STARTED,
            experiment: EXPERIMENT,
            abilities: ABILITIES,
        }
    }

    fn defaults(&self) -> PlanarParameters {
        let settings = self.settings.as_ref();
        settings.map_or_else(PlanarParameters::default, PlanarParameters::from)
    }

    fn variables(&self) -> &[Variable<PlanarParameters>] {
        static TABLE: List<PlanarParameters> = planar::table();
        TABLE.variables()
    }

    fn groups(&self) -> Vec<Range<usize>> {
        groups::<PlanarLeg, Se2, 3, 2>()
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
        Ok(PackagedLeg::new(PlanarUnit::boxed(config, &values)?))
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        self.settings
            .as_ref()
            .and_then(|settings| toml::to_string(settings).ok())
    }
}

/// The spatial leg.
#[derive(Debug, Clone, Default)]
pub struct LegSpatial {
    /// Settings that are not those of the kind.
    settings: Option<SpatialLegConfig>,
}

/// The kind `LegSpatial`.
pub static LEG_SPATIAL: PackagedModel =
    PackagedModel::new("LegSpatial", || Arc::new(LegSpatial::default())).with_settings(|text| {
        let settings: SpatialLegConfig = toml::from_str(text)?;
        Ok(Arc::new(LegSpatial::with(settings)?) as Arc<dyn Packaged>)
    });

impl LegSpatial {
    /// A leg with these settings.
    pub fn with(settings: SpatialLegConfig) -> Result<Self, Failure> {
        settings.validate()?;
        refuse_histories(&settings.motor)?;
        Ok(Self {
            settings: Some(settings),
        })
    }
}

impl Model for LegSpatial {
    type Parameters = SpatialParameters;
    type Unit = DisplacedLeg;

    fn about(&self) -> About<'_> {
        About {
            name: LEG_SPATIAL.name,
            summary: "Spatial leg of a soft docking platform: motor, crank, universal joint, a leaf spring bowed by a tendon, spherical tip. Motion of the tip in, force of the tip out. In a master that holds forces over a step, couple by tip.force at the default step size or below.",
            documentation: documentation::SPATIAL,
            linked: documentation::LINKED,
            started: STARTED,
            experiment: DefaultExperiment {
                step_size: Some(COUPLED_STEP_S),
                ..EXPERIMENT
            },
            abilities: ABILITIES,
        }
    }

    fn defaults(&self) -> SpatialParameters {
        let settings = self.settings.as_ref();
        settings.map_or_else(SpatialParameters::default, SpatialParameters::from)
    }

    fn variables(&self) -> &[Variable<SpatialParameters>] {
        static TABLE: List<SpatialParameters> = spatial::table();
        TABLE.variables()
    }

    fn groups(&self) -> Vec<Range<usize>> {
        groups::<SpatialLeg, Se3, 6, 3>()
    }

    fn tighten(config: &mut SpatialLegConfig, tolerance: f64) {
        config.solver.tighten(tolerance);
    }

    fn start(
        parameters: &SpatialParameters,
        config: &SpatialLegConfig,
        inputs: &[f64],
    ) -> Result<Self::Unit, Failure> {
        let given = parameters.tip_velocity_given();
        DisplacedLeg::start(inputs, |inputs| {
            let leg = SpatialUnit::boxed(config, parameters.foundation(), given, inputs)?;
            Ok(PackagedLeg::new(leg))
        })
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        self.settings
            .as_ref()
            .and_then(|settings| toml::to_string(settings).ok())
    }
}

/// Names and values of all parameters of the `LegPlanar` with this configuration. Histories of
/// motor and load are inputs of it, and its working range is nothing that it knows.
pub fn planar_parameters(config: &LegConfig) -> Vec<(String, ParameterValue)> {
    list_parameters(&LegPlanar::default(), &config.into())
}

/// Names and values of all parameters of the `LegSpatial` with this configuration, whose tip has
/// the velocity that it is given. The motor's histories are inputs of it, and its working range is
/// nothing that it knows.
pub fn spatial_parameters(config: &SpatialLegConfig) -> Vec<(String, ParameterValue)> {
    list_parameters(&LegSpatial::default(), &config.into())
}
