//! `softdock batch merge`.

use super::results::Results;
use super::status;
use crate::output;
use anyhow::Result;
use softdock_study::Directory;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock batch merge`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders of one study, such as those of its shards
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Folder for all of it; must be empty or missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let parts = status::open(&arguments.directories)?;
    let found = softdock_study::merge(&parts, &arguments.out)?;
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
        output::say(&text.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
