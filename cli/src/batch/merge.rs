//! `softdock batch merge`.

use super::results::Results;
use super::status;
use crate::output;
use anyhow::Result;
use softdock_study::{Completeness, Directory, StudyError, Versions};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Every run of the study must be there. Where runs are missing, or cannot be read because a file is
damaged, nothing is written, the runs are named and the exit status is 1; `batch run --resume` in the
folder they belong to computes them again. With --partial what is there is merged, and the missing
runs are named in the summary and in the metadata of the table (softdock.missing,
softdock.missing_runs). Runs of different versions of the program, commits included, are refused unless
--any-version is given; the table then names the versions (softdock.versions).";

/// Arguments of `softdock batch merge`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Folders of one study, such as those of its shards
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Folder for all of it; must be empty or missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Merges what is there although runs are missing
    #[arg(long)]
    partial: bool,
    /// Merges runs of different versions of the program
    #[arg(long)]
    any_version: bool,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let parts = status::open(&arguments.directories)?;
    let completeness = if arguments.partial {
        Completeness::Partial
    } else {
        Completeness::Whole
    };
    let versions = if arguments.any_version {
        Versions::Any
    } else {
        Versions::Same
    };
    let found =
        softdock_study::merge(&parts, &arguments.out, completeness, versions).map_err(advise)?;
    let merged = Directory::open(&arguments.out)?;
    let table = merged.table_path();
    let whole = [merged];
    let results = Results::read(&whole)?;
    if arguments.json {
        let mut value = status::machine(&whole, &found);
        value["results"] = results.json();
        value["table"] = table.display().to_string().into();
        output::say_json(&value)?;
    } else {
        let mut text = status::describe(&whole, &found);
        results.describe(&mut text);
        text.note(format!("table  {}", table.display()));
        output::tell(&text.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what can be done about missing runs.
fn advise(error: StudyError) -> anyhow::Error {
    let incomplete = matches!(error, StudyError::Incomplete { .. });
    let error = anyhow::Error::new(error);
    if incomplete {
        error.context(
            "nothing is merged: compute the missing runs with `softdock batch run --resume`, or take \
             what is there with --partial",
        )
    } else {
        error
    }
}
