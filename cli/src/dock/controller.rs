//! `--controller FILE`: the motors under a controller inside an FMU.

use crate::failure::BadInput;
use crate::fmu::simulate::assignment::Assignment;
use crate::foreign::ForeignArgs;
use anyhow::Result;
use softdock_docking::control::packaged::PackagedController;
use softdock_docking::{Controller, Scenario};
use std::path::{Path, PathBuf};
use toml::Value;

/// The choice of the controller.
#[derive(Debug, Clone, clap::Args)]
pub struct ControllerArgs {
    /// Lets a co-simulation FMU (FMI 2.0 or 3.0) set the motors' torques, sampled with regulator.period_s: it
    /// has outputs `motor.torque_command[1]` to `motor.torque_command[6]`, and inputs named like the
    /// outputs of Platform.fmu (`effector.position[1]`, `motor.angle[1]`, ...), `sensor.force[1..3]`,
    /// `sensor.moment[1..3]` and latch.closed, as many of them as it wants. Means regulator.law =
    /// "external"
    #[arg(long, value_name = "FILE.fmu", conflicts_with_all = ["compare", "sweep"])]
    controller: Option<PathBuf>,
    /// Sets one parameter of that FMU, e.g. --controller-set gain=2; repeatable
    #[arg(
        long,
        value_name = "NAME=VALUE",
        allow_hyphen_values = true,
        requires = "controller"
    )]
    controller_set: Vec<String>,
}

impl ControllerArgs {
    /// The FMU, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.controller.as_deref()
    }

    /// A key that follows from the choice, as (argument as written, key, value).
    pub fn implied(&self) -> Option<(String, &'static str, Value)> {
        let file = self.file()?;
        let external = Value::String("external".to_owned());
        let argument = format!("--controller {}", file.display());
        Some((argument, "regulator.law", external))
    }

    /// Loads the controller for a scenario, if there is one.
    pub fn open(
        &self,
        limits: &ForeignArgs,
        scenario: &Scenario,
    ) -> Result<Option<Box<dyn Controller>>> {
        let Some(file) = self.file() else {
            return Ok(None);
        };
        let refuse = |error: &dyn core::fmt::Display| {
            BadInput::new(format!("--controller {}: {error}", file.display()))
        };
        let archive = limits.open(file).map_err(|error| refuse(&error))?;
        let assignments = (self.controller_set.iter())
            .map(|text| Assignment::parse(text, archive.description()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| refuse(&error))?;
        let controller = PackagedController::new(&archive, scenario, |instance| {
            assignments.iter().try_for_each(|one| one.apply(instance))
        });
        let controller = controller.map_err(|error| refuse(&error))?;
        Ok(Some(Box::new(controller)))
    }
}
