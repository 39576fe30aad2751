//! `softdock fmu export`: the leg as an FMU.

use crate::command::{self, Computed, ViewArgs};
use crate::output;
use crate::run::Ended;
use anyhow::Result;
use serde::Serialize;
use softdock_figures::{Views, figures};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use softdock_report::Figure as Shown;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `softdock fmu export`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The model: LegPlanar or LegSpatial; both if left out
    #[arg(long, value_name = "MODEL", value_parser = ["LegPlanar", "LegSpatial"])]
    model: Option<String>,
    /// The version of the standard
    #[arg(long, value_name = "VERSION", value_parser = ["2", "3"], default_value = "2")]
    fmi: String,
    #[command(flatten)]
    views: ViewArgs,
}

/// An FMU that was written.
#[derive(Debug, Serialize)]
pub struct Exported {
    model: &'static str,
    /// The file.
    pub file: PathBuf,
    guid: String,
    platform: &'static str,
    bytes: usize,
}

figures! {
    /// The FMUs written.
    #[serde(transparent)]
    struct ExportResult;
    models: Vec<Exported> as "The FMUs.";
    /// Version of the standard.
    #[serde(skip)]
    version: String as "";
}

impl Views for ExportResult {
    const FILE: &'static str = "export.json";

    fn title(&self) -> String {
        format!("FMI {}.0 co-simulation", self.version)
    }

    fn rows(&self) -> Vec<Shown> {
        let row = |one: &Exported| Shown::text(one.model, one.guid.clone(), "");
        self.models.iter().map(row).collect()
    }
}

/// Writes the FMU of a model into `folder`.
pub fn export(kind: ModelKind, version: FmiVersion, folder: &Path) -> Result<Exported> {
    let file = folder.join(format!("{}.fmu", kind.name()));
    let fmu = pack(kind.packaged(), version, LIBRARY, TargetSystem::HERE)?;
    output::write_atomic(&file, &fmu)?;
    Ok(Exported {
        model: kind.name(),
        file,
        guid: match version {
            FmiVersion::Two => kind.guid(),
            FmiVersion::Three => kind.packaged().token(),
        }
        .unwrap_or_default()
        .to_owned(),
        platform: TargetSystem::HERE.folder(version),
        bytes: fmu.len(),
    })
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || {
        let chosen = arguments.model.as_deref().map(ModelKind::from_name);
        let folder = arguments.views.folder();
        let version = match arguments.fmi.as_str() {
            "3" => FmiVersion::Three,
            _ => FmiVersion::Two,
        };
        let kinds = ModelKind::ALL.into_iter();
        let kinds = kinds.filter(|kind| chosen.is_none_or(|chosen| chosen == Some(*kind)));
        let models = kinds
            .map(|kind| export(kind, version, &folder))
            .collect::<Result<Vec<_>>>()?;
        Ok(Computed {
            written: models.iter().map(|one| one.file.clone()).collect(),
            result: ExportResult {
                models,
                version: arguments.fmi.clone(),
            },
            ended: Ended::Complete,
        })
    })
}
