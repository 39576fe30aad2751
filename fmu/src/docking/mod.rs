//! A docking as a model: platform, controller, target, contact and latch solved together.

mod margins;
mod unit;
mod variables;

pub use unit::DockingUnit;
pub use variables::DockingParameters;

use crate::documentation;
use crate::platform::tightened;
use softdock_docking::Scenario;
use softdock_fmi::model::{Abilities, About, Failure, Model, Packaged, PackagedModel};
use softdock_fmi::variables::Variable;
use softdock_xml::DefaultExperiment;
use std::ops::Range;
use std::sync::Arc;

/// The kind `Docking`.
pub static DOCKING: PackagedModel = PackagedModel::new("Docking", || {
    match DockingModel::new(&Scenario::default(), None) {
        Ok(model) => Arc::new(model),
        Err(cause) => panic!("the docking's own settings are refused: {cause}"),
    }
})
.with_settings(|text| {
    let settings: Scenario = toml::from_str(text)?;
    Ok(Arc::new(DockingModel::with(&settings)?) as Arc<dyn Packaged>)
});

/// A docking that is packaged as an FMU.
pub struct DockingModel {
    defaults: DockingParameters,
    variables: Vec<Variable<DockingParameters>>,
    groups: Vec<Range<usize>>,
    /// Settings that are not those of the kind.
    settings: Option<Scenario>,
}

impl DockingModel {
    /// A docking with these settings.
    pub fn with(settings: &Scenario) -> Result<Self, Failure> {
        Self::new(settings, Some(settings.clone()))
    }

    fn new(scenario: &Scenario, settings: Option<Scenario>) -> Result<Self, Failure> {
        let defaults = DockingParameters::new(scenario)?;
        let (variables, groups) = variables::table(&defaults);
        Ok(Self {
            defaults,
            variables,
            groups,
            settings,
        })
    }
}

impl Model for DockingModel {
    type Parameters = DockingParameters;
    type Unit = DockingUnit;

    fn about(&self) -> About<'_> {
        About {
            name: DOCKING.name,
            summary: "Docking of a target with a soft docking platform, controller, contact and latch inside. Wrenches in; motion, contact loads, outcome and margins out.",
            documentation: documentation::DOCKING,
            linked: documentation::LINKED,
            started: "the platform is at rest, the target approaches",
            experiment: DefaultExperiment {
                start_time: Some(0.0),
                stop_time: Some(self.defaults.duration_s()),
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

    fn defaults(&self) -> DockingParameters {
        self.defaults.clone()
    }

    fn variables(&self) -> &[Variable<DockingParameters>] {
        &self.variables
    }

    fn groups(&self) -> Vec<Range<usize>> {
        self.groups.clone()
    }

    fn tighten(scenario: &mut Scenario, tolerance: f64) {
        tightened(&mut scenario.platform.solver, tolerance);
    }

    fn start(
        parameters: &DockingParameters,
        scenario: &Scenario,
        inputs: &[f64],
    ) -> Result<DockingUnit, Failure> {
        DockingUnit::new(scenario, parameters.starts(), inputs)
    }

    fn icon(&self, x: f64, y: f64) -> [u8; 4] {
        softdock_leg_models::icon::pixel(x, y)
    }

    fn resource(&self) -> Option<String> {
        let settings = self.settings.as_ref();
        settings.and_then(|settings| toml::to_string(settings).ok())
    }
}
