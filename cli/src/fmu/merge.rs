//! `softdock fmu merge`: one FMU for several platforms.

use crate::command::{self, Computed, ViewArgs};
use crate::foreign::ArchiveArgs;
use crate::output;
use crate::run::Ended;
use anyhow::Result;
use softdock_figures::{Views, figures};
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
    views: ViewArgs,
}

figures! {
    /// The FMU made.
    struct MergeResult;
    model: String as "Name of the model.";
    file: PathBuf as "The FMU.";
    binaries: Vec<String> as "Its libraries.";
}

impl Views for MergeResult {
    const FILE: &'static str = "merge.json";

    fn title(&self) -> String {
        format!("{} for several platforms", self.model)
    }

    fn notes(&self) -> Vec<String> {
        self.binaries.clone()
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || {
        let fmu = package::merge_within(&arguments.files, &arguments.archive.limits())?;
        let model = Contents::read(&arguments.files[0])?.description.model_name;
        let file = arguments.views.folder();
        let file = file.join(format!("{}.fmu", file_name(&model)));
        output::write_atomic(&file, &fmu)?;
        let names = Contents::read(&file)?
            .files
            .into_iter()
            .map(|(name, _)| name);
        let mut binaries: Vec<String> =
            names.filter(|name| name.starts_with("binaries/")).collect();
        binaries.sort();
        Ok(Computed {
            written: vec![file.clone()],
            result: MergeResult {
                model,
                file,
                binaries,
            },
            ended: Ended::Complete,
        })
    })
}
