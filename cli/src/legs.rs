//! What the legs of a platform run are: of this program, or inside FMUs.

use crate::failure::BadInput;
use crate::foreign::{ForeignArgs, ForeignCode};
use anyhow::Result;
use softdock_fmi::import::FmuArchive;
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use softdock_platform::config::Coupling;
use std::path::Path;
use toml::Value;

/// The choice of the legs.
#[derive(Debug, Clone, clap::Args)]
pub struct LegsArgs {
    /// What the legs are: `native`, `fmu` (this program's own LegSpatial.fmu, exported and loaded
    /// once per leg) or a file LegSpatial.fmu. FMUs cannot be taken apart: with them coupling =
    /// "monolithic" becomes "implicit", whose results are the same
    #[arg(long, value_name = "KIND", default_value = "native")]
    legs: String,
    #[command(flatten)]
    foreign: ForeignArgs,
}

impl LegsArgs {
    /// The FMU of the legs, if they are inside FMUs.
    pub fn archive(&self) -> Result<Option<FmuArchive>> {
        match self.legs.as_str() {
            "" | "native" => Ok(None),
            "fmu" => own_fmu(ModelKind::LegSpatial).map(Some),
            path => {
                let archive = self.foreign.open(Path::new(path)).map_err(|error| {
                    BadInput::new(format!(
                        "--legs {path}: {error:#} (write native, fmu, or the path of a LegSpatial.fmu)"
                    ))
                })?;
                Ok(Some(archive))
            }
        }
    }

    /// A key that follows from the choice, as (argument as written, key, value), if the settings
    /// have this coupling.
    pub fn implied(&self, coupling: Coupling) -> Vec<(String, &'static str, Value)> {
        if self.is_native() || coupling != Coupling::Monolithic {
            return Vec::new();
        }
        let implicit = Value::String("implicit".to_owned());
        vec![(format!("--legs {}", self.legs), "coupling", implicit)]
    }

    /// The foreign code inside the legs, if there is any. This program's own FMU is not foreign.
    pub fn foreign(&self) -> Option<ForeignCode> {
        let own = self.is_native() || self.legs == "fmu";
        (!own).then(|| self.foreign.code(Path::new(&self.legs)))
    }

    /// Limits of foreign FMUs.
    pub fn limits(&self) -> &ForeignArgs {
        &self.foreign
    }

    /// True if the legs are those of this program.
    pub fn is_native(&self) -> bool {
        matches!(self.legs.as_str(), "" | "native")
    }
}

/// The FMU of this program, unpacked and loaded.
pub fn own_fmu(kind: ModelKind) -> Result<FmuArchive> {
    let fmu = pack(
        kind.packaged(),
        FmiVersion::Two,
        LIBRARY,
        TargetSystem::HERE,
    )?;
    Ok(FmuArchive::from_bytes(
        &format!("{}.fmu", kind.name()),
        &fmu,
    )?)
}
