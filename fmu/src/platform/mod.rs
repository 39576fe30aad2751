//! The whole platform as a model: legs, end effector and base solved together.

mod unit;
mod variables;

pub use unit::{NO_WINCH, PlatformUnit};
pub use variables::{
    HasPlatform, PER_LEG, PlatformParameters, commands, leg_outputs, platform_parameters,
    wrench_starts,
};

use crate::documentation;
use leg_core::config::Solver;
use softdock_fmi::model::{Abilities, About, Failure, Model, Packaged, PackagedModel};
use softdock_fmi::variables::Variable;
use softdock_platform::PlatformConfig;
use softdock_platform::config::SolverConfig;
use softdock_xml::DefaultExperiment;
use std::ops::Range;
use std::sync::Arc;

/// The kind `Platform`.
pub static PLATFORM: PackagedModel = PackagedModel::new("Platform", || {
    match PlatformModel::new(&PlatformConfig::default(), None) {
        Ok(model) => Arc::new(model),
        Err(cause) => panic!("the platform's own settings are refused: {cause}"),
    }
})
.with_settings(|text| {
    let settings: PlatformConfig = toml::from_str(text)?;
    Ok(Arc::new(PlatformModel::with(&settings)?) as Arc<dyn Packaged>)
});

/// Makes steps as accurate as a leg's for this tolerance.
pub fn tightened(solver: &mut SolverConfig, tolerance: f64) {
    let mut leg = Solver {
        step_s: solver.step_s,
        newton_tolerance: solver.newton_tolerance,
        ..Solver::default()
    };
    leg.tighten(tolerance);
    solver.step_s = leg.step_s;
    solver.newton_tolerance = leg.newton_tolerance;
}

/// A platform that is packaged as an FMU.
pub struct PlatformModel {
    defaults: PlatformParameters,
    variables: Vec<Variable<PlatformParameters>>,
    groups: Vec<Range<usize>>,
    /// Settings that are not those of the kind.
    settings: Option<PlatformConfig>,
}

impl PlatformModel {
    /// A platform with these settings.
    pub fn with(settings: &PlatformConfig) -> Result<Self, Failure> {
        Self::new(settings, Some(settings.clone()))
    }

    fn new(config: &PlatformConfig, settings: Option<PlatformConfig>) -> Result<Self, Failure> {
        let defaults = PlatformParameters::new(config)?;
        let (variables, groups) = variables::table(&defaults);
        Ok(Self {
            defaults,
            variables,
            groups,
            settings,
        })
    }
}

impl Model for PlatformModel {
    type Parameters = PlatformParameters;
    type Unit = PlatformUnit;

    fn about(&self) -> About<'_> {
        About {
            name: PLATFORM.name,
            summary: "Soft docking platform: an end effector on flexible legs, solved as a whole. Motor commands and a wrench in; pose, forces, tensions and margins out.",
            documentation: documentation::PLATFORM,
            linked: documentation::LINKED,
            started: "the platform is at rest in its equilibrium",
            experiment: DefaultExperiment {
                start_time: Some(0.0),
                stop_time: Some(2.0),
                tolerance: None,
                step_size: Some(1e-3),
            },
            // Inputs are held over a step; derivatives are not computed.
            abilities: Abilities {
                input_derivatives: false,
                output_derivatives: false,
                directional_derivatives: false,
            },
        }
    }

    fn defaults(&self) -> PlatformParameters {
        self.defaults.clone()
    }

    fn variables(&self) -> &[Variable<PlatformParameters>] {
        &self.variables
    }

    fn groups(&self) -> Vec<Range<usize>> {
        self.groups.clone()
    }

    fn tighten(config: &mut PlatformConfig, tolerance: f64) {
        tightened(&mut config.solver, tolerance);
    }

    fn start(
        parameters: &PlatformParameters,
        config: &PlatformConfig,
        inputs: &[f64],
    ) -> Result<PlatformUnit, Failure> {
        PlatformUnit::new(config, parameters.starts(), inputs)
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        softdock_leg_models::icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        let settings = self.settings.as_ref();
        settings.and_then(|settings| toml::to_string(settings).ok())
    }
}
