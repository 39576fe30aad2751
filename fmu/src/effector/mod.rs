//! The end effector as a model: a rigid body that legs hold by its spherical joints.

mod motion;
mod unit;
mod variables;

pub use unit::EndEffectorUnit;
pub use variables::{EndEffectorParameters, EndEffectorSettings};

use crate::documentation;
use crate::platform::tightened;
use softdock_fmi::model::{Abilities, About, Failure, Model, Packaged, PackagedModel};
use softdock_fmi::variables::Variable;
use softdock_leg_models::COUPLED_STEP_S;
use softdock_platform::PlatformConfig;
use softdock_xml::DefaultExperiment;
use std::ops::Range;
use std::sync::Arc;

/// The kind `EndEffector`.
pub static END_EFFECTOR: PackagedModel = PackagedModel::new("EndEffector", || {
    match EndEffectorModel::new(&PlatformConfig::default(), None) {
        Ok(model) => Arc::new(model),
        Err(cause) => panic!("the end effector's own settings are refused: {cause}"),
    }
})
.with_settings(|text| {
    let settings: PlatformConfig = toml::from_str(text)?;
    Ok(Arc::new(EndEffectorModel::with(&settings)?) as Arc<dyn Packaged>)
});

/// The end effector of a platform, packaged as an FMU.
pub struct EndEffectorModel {
    defaults: EndEffectorParameters,
    variables: Vec<Variable<EndEffectorParameters>>,
    groups: Vec<Range<usize>>,
    /// Settings that are not those of the kind.
    settings: Option<PlatformConfig>,
}

impl EndEffectorModel {
    /// The end effector of a platform with these settings.
    pub fn with(settings: &PlatformConfig) -> Result<Self, Failure> {
        settings.validate()?;
        Self::new(settings, Some(settings.clone()))
    }

    /// The communication step at which legs and end effector can be coupled by any master [s].
    pub fn step_size(&self) -> f64 {
        COUPLED_STEP_S
    }

    fn new(config: &PlatformConfig, settings: Option<PlatformConfig>) -> Result<Self, Failure> {
        let defaults = EndEffectorParameters::new(config)?;
        let (variables, groups) = variables::table(defaults.tip_count());
        Ok(Self {
            defaults,
            variables,
            groups,
            settings,
        })
    }
}

impl Model for EndEffectorModel {
    type Parameters = EndEffectorParameters;
    type Unit = EndEffectorUnit;

    fn about(&self) -> About<'_> {
        About {
            name: END_EFFECTOR.name,
            summary: "End effector of a soft docking platform: a rigid body. Forces of the legs' tips and a wrench in; pose, twist and motion of the tips out, as LegSpatial takes them.",
            documentation: documentation::END_EFFECTOR,
            linked: documentation::LINKED,
            started: "the end effector is at rest in its nominal pose",
            experiment: DefaultExperiment {
                start_time: Some(0.0),
                stop_time: Some(1.5),
                tolerance: None,
                step_size: Some(COUPLED_STEP_S),
            },
            abilities: Abilities {
                input_derivatives: true,
                output_derivatives: true,
                directional_derivatives: true,
            },
        }
    }

    fn defaults(&self) -> EndEffectorParameters {
        self.defaults.clone()
    }

    fn variables(&self) -> &[Variable<EndEffectorParameters>] {
        &self.variables
    }

    fn groups(&self) -> Vec<Range<usize>> {
        self.groups.clone()
    }

    fn tighten(config: &mut EndEffectorSettings, tolerance: f64) {
        tightened(&mut config.solver, tolerance);
    }

    fn start(
        _parameters: &EndEffectorParameters,
        config: &EndEffectorSettings,
        inputs: &[f64],
    ) -> Result<EndEffectorUnit, Failure> {
        Ok(EndEffectorUnit::new(config, inputs))
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        softdock_leg_models::icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        let settings = self.settings.as_ref();
        settings.and_then(|settings| toml::to_string(settings).ok())
    }
}
