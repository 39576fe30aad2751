//! The one shape of commands: settings in, a computation, one typed result, its views out.
//!
//! ```text
//! FILE|NAME, --set  ->  configuration  ->  compute  ->  result: Views
//! result  ->  text or --json on standard output, files in --out DIR, a page with --plot, exit status
//! ```
//!
//! A command is a structure of arguments with [`CommandArgs`] flattened into it, and a function from
//! the configuration to a result ([`Views`]). Everything else is done here, the same for all.

use crate::failure::settle;
use crate::output::{self, CsvFile, OutputArgs, OutputError};
use crate::run::Ended;
use crate::settings::{Resolved, Settings, SettingsArgs};
use anyhow::Result;
use softdock_figures::{Columns, Table, Views};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toml::Value;

/// What becomes of a result: the options that all commands share.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ViewArgs {
    #[command(flatten)]
    pub output: OutputArgs,
    /// Writes a page with figures and charts; its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    pub plot: Option<PathBuf>,
}

/// The options that all commands with settings share; flattened into their arguments.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CommandArgs {
    /// Settings: a TOML file, or the name of one that comes with the program; the defaults if left
    /// out
    #[arg(value_name = "FILE|NAME", conflicts_with = "config")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingsArgs,
    #[command(flatten)]
    pub views: ViewArgs,
}

impl CommandArgs {
    /// The settings that the arguments describe; `more` are keys that other arguments of the command
    /// set, as (argument as written, key, value).
    pub fn resolve<C: Settings>(&self, more: &[(String, &str, Value)]) -> Result<Resolved<C>> {
        Ok(Resolved::named(self.file.as_deref(), &self.settings, more)?)
    }
}

impl ViewArgs {
    /// The folder of results: the current one if none is named.
    pub fn folder(&self) -> PathBuf {
        self.output.out.clone().unwrap_or_default()
    }

    /// Opens a table that is written row by row, in the folder of results.
    pub fn rows<S>(&self, file: &str, columns: &Columns<S>) -> Result<CsvFile, OutputError> {
        let header: Vec<&str> = columns.header().collect();
        CsvFile::create(&self.folder().join(file), &header)
    }

    /// Refuses places that cannot be written or hold results of value, before the work is done.
    fn probe(&self, file: &str) -> Result<()> {
        self.output.probe(file)?;
        Ok(self.plot.as_deref().map_or(Ok(()), output::probe)?)
    }
}

/// What a computation hands over.
#[derive(Debug)]
pub struct Computed<V> {
    /// The result.
    pub result: V,
    /// How the run ended.
    pub ended: Ended,
    /// Files that it has written while it ran, the one with its rows first.
    pub written: Vec<PathBuf>,
}

/// A computation that writes nothing and ends when it is done.
impl<V> From<V> for Computed<V> {
    fn from(result: V) -> Self {
        Self {
            result,
            ended: Ended::Complete,
            written: Vec::new(),
        }
    }
}

/// Runs a command: resolves its settings, computes, shows the result.
pub fn run<C: Settings, V: Views>(
    args: &CommandArgs,
    compute: impl FnOnce(&C) -> Result<Computed<V>>,
) -> Result<ExitCode> {
    settle(
        args.resolve(&[])
            .and_then(|resolved| run_resolved(args, &resolved, compute)),
    )
}

/// Runs a command whose settings are known.
pub fn run_resolved<C: Settings, V: Views>(
    args: &CommandArgs,
    resolved: &Resolved<C>,
    compute: impl FnOnce(&C) -> Result<Computed<V>>,
) -> Result<ExitCode> {
    if args.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    args.views.probe(V::FILE)?;
    let computed = compute(&resolved.config)?;
    settle(deliver(&args.views, Some(&resolved.print()?), computed))
}

/// Runs a command without settings: computes, shows the result.
pub fn show<V: Views>(
    args: &ViewArgs,
    compute: impl FnOnce() -> Result<Computed<V>>,
) -> Result<ExitCode> {
    settle(compute().and_then(|computed| deliver(args, None, computed)))
}

/// Writes and prints the views of a result and ends the command. `config` are the settings as text,
/// if there are any.
fn deliver<V: Views>(
    args: &ViewArgs,
    config: Option<&str>,
    computed: Computed<V>,
) -> Result<ExitCode> {
    let Computed {
        result,
        ended,
        mut written,
    } = computed;
    if let Some(out) = &args.output.out {
        output::write_json(&out.join(V::FILE), &result)?;
        for table in result.tables() {
            written.push(write_table(out, &table, true)?);
        }
        if let Some(config) = config {
            output::write_atomic(&out.join("config.toml"), config.as_bytes())?;
        }
    }
    if let Some(plot) = &args.plot {
        output::write_atomic(plot, result.page().html()?.as_bytes())?;
        written.push(plot.clone());
    }
    if args.output.json {
        output::say_json(&result)?;
    } else {
        let mut text = result.text();
        for path in &written {
            text.note(format!("wrote {}", path.display()));
        }
        output::tell(&text.to_string())?;
    }
    ended.status(written.first().map(PathBuf::as_path), &result.verdict())
}

/// Writes a table to its file in `folder`, under another name if it is not complete.
pub fn write_table(folder: &Path, table: &Table, complete: bool) -> Result<PathBuf, OutputError> {
    let header: Vec<&str> = table.header().collect();
    let mut csv = CsvFile::create(&folder.join(table.file), &header)?;
    (0..table.rows()).try_for_each(|row| csv.text_row(table.row(row)))?;
    if complete {
        csv.finish()
    } else {
        csv.keep_partial()
    }
}
