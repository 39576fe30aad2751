//! `softdock fmu export`: the leg as an FMU.

use crate::output::{self, OutputArgs};
use crate::summary::Summary;
use anyhow::Result;
use serde::Serialize;
use softdock_fmi::package::{TargetSystem, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock fmu export`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The model: LegPlanar or LegSpatial; both if left out
    #[arg(long, value_name = "MODEL", value_parser = ["LegPlanar", "LegSpatial"])]
    model: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Exported {
    model: &'static str,
    file: PathBuf,
    guid: String,
    platform: &'static str,
    bytes: usize,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let chosen = arguments.model.as_deref().map(ModelKind::from_name);
    let folder = arguments.output.out.clone().unwrap_or_default();
    let mut exported = Vec::new();
    for kind in ModelKind::ALL {
        if chosen.is_some_and(|chosen| chosen != Some(kind)) {
            continue;
        }
        let file = folder.join(format!("{}.fmu", kind.name()));
        let fmu = pack(kind.packaged(), LIBRARY, TargetSystem::HERE)?;
        output::write_atomic(&file, &fmu)?;
        exported.push(Exported {
            model: kind.name(),
            file,
            guid: kind.guid().unwrap_or_default().to_owned(),
            platform: TargetSystem::HERE.folder,
            bytes: fmu.len(),
        });
    }
    if arguments.output.json {
        output::say_json(&exported)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut summary = Summary::new("FMI 2.0 co-simulation");
    for one in &exported {
        summary.text(one.model, one.guid.clone(), "").note(format!(
            "wrote {} ({})",
            one.file.display(),
            one.platform
        ));
    }
    output::say(&summary.to_string())?;
    Ok(ExitCode::SUCCESS)
}
