//! `softdock fmu merge`: one FMU for several platforms.

use crate::foreign::ArchiveArgs;
use crate::output::{self, OutputArgs};
use crate::summary::Summary;
use anyhow::Result;
use serde::Serialize;
use softdock_fmi::import::{Contents, file_name};
use softdock_fmi::package;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock fmu merge`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The FMUs: the same model, built on several platforms
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    archive: ArchiveArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Merged {
    model: String,
    file: PathBuf,
    binaries: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let limits = arguments.archive.limits();
    let fmu = package::merge_within(&arguments.files, &limits)?;
    let model = Contents::read(&arguments.files[0])?.description.model_name;
    let folder = arguments.output.out.clone().unwrap_or_default();
    let file = folder.join(format!("{}.fmu", file_name(&model)));
    output::write_atomic(&file, &fmu)?;
    let mut binaries: Vec<String> = Contents::read(&file)?
        .files
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("binaries/"))
        .collect();
    binaries.sort();
    let merged = Merged {
        model,
        file,
        binaries,
    };
    if arguments.output.json {
        output::say_json(&merged)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut summary = Summary::new(format!("{} for several platforms", merged.model));
    for binary in &merged.binaries {
        summary.note(binary.clone());
    }
    summary.note(format!("wrote {}", merged.file.display()));
    output::say(&summary.to_string())?;
    Ok(ExitCode::SUCCESS)
}
