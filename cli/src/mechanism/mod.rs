//! `softdock mechanism`: mechanisms from text files.

mod analyses;
mod npz;
mod page;
mod simulate;
mod table;

use crate::failure::{self, BadInput};
use crate::input_file;
use crate::output;
use anyhow::{Context, Result};
use softdock_fmu::MechanismFiles;
use softdock_mechanism::read::Parameter;
use softdock_mechanism::{Description, MechanismError, describe, library};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// Arguments of `softdock mechanism`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Move the mechanism over time; writes mechanism.csv and summary.json
    Simulate(simulate::Arguments),
    /// Forces of drivers and joints over a prescribed motion; every degree of freedom must be driven
    Inverse(simulate::Arguments),
    /// Places, velocities and accelerations of all bodies over a prescribed motion, without forces; every
    /// degree of freedom must be driven
    Kinematics(simulate::Arguments),
    /// Equilibrium near the start
    Statics(analyses::Arguments),
    /// Frequencies and, with --json or --out, shapes about the equilibrium near the start
    Modes(analyses::Arguments),
    /// Linear model about the equilibrium near the start
    Linearize(analyses::Arguments),
    /// Read, build and bring to the start; says what was corrected
    Check(analyses::Arguments),
    /// List the mechanisms that come with the program
    List,
    /// Print the file of a mechanism, and with --set the values of its parameters
    Show(MechanismArgs),
    /// Print the table of all keys of mechanism files, as Markdown
    Keys,
    /// Print published computing times beside ours (two-link), or modes kept against results (l-release)
    Table(table::Arguments),
}

/// Which mechanism, and its parameters.
#[derive(Debug, Clone, clap::Args)]
pub struct MechanismArgs {
    /// Name of a mechanism that comes with the program, or a file
    #[arg(value_name = "NAME|FILE")]
    mechanism: String,
    /// Sets a parameter of the file or a key of its analysis: parameters.KEY=VALUE, analysis.step_s=1e-4
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl MechanismArgs {
    /// Reads the mechanism.
    pub fn read(&self) -> Result<Description> {
        read(&self.mechanism, &self.settings()?)
    }

    /// The keys that are set, with their values.
    fn settings(&self) -> Result<Vec<(String, String)>> {
        pairs(&self.set)
    }
}

/// Keys and values of arguments KEY=VALUE.
fn pairs(set: &[String]) -> Result<Vec<(String, String)>> {
    let mut settings = Vec::new();
    for argument in set {
        let Some((key, value)) = argument.split_once('=') else {
            let message = format!("--set {argument}: write KEY=VALUE, e.g. parameters.mass_kg=2");
            return Err(BadInput::new(message).into());
        };
        settings.push((key.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(settings)
}

/// Reads the mechanism of a file or name, with keys set.
pub fn read(name: &str, settings: &[(String, String)]) -> Result<Description> {
    let files = found(name)?;
    let find = |base: &str| (files.find)(base);
    Ok(describe(&files.name, &files.text, settings, &find)?)
}

/// The mechanism of a file or name with all files that it extends, and keys set: what an FMU of it needs.
pub fn files(name: &str, set: &[String]) -> Result<MechanismFiles> {
    let settings = pairs(set)?;
    let files = found(name)?;
    let extends = RefCell::new(BTreeMap::new());
    let find = |base: &str| {
        let found = (files.find)(base)?;
        extends.borrow_mut().insert(base.to_owned(), found.clone());
        Some(found)
    };
    describe(&files.name, &files.text, &settings, &find)?;
    let stem = Path::new(name).file_stem();
    Ok(MechanismFiles {
        name: stem.map_or_else(
            || name.to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        ),
        settings,
        text: files.text,
        extends: extends.into_inner(),
    })
}

/// Finds the path and text of what a mechanism extends, by the name under which it asks for it.
type Find = dyn Fn(&str) -> Option<(String, String)>;

/// The text of a mechanism, and how what it extends is found.
struct Found {
    name: String,
    text: String,
    find: Box<Find>,
}

fn found(name: &str) -> Result<Found> {
    let path = Path::new(name);
    if let Some(text) = library::text(name).filter(|_| !path.is_file()) {
        return Ok(Found {
            name: format!("mechanisms/{name}.toml"),
            text: text.to_owned(),
            find: Box::new(library::find),
        });
    }
    if !path.exists() && !name.contains(['/', '\\']) && !name.ends_with(".toml") {
        return Err(library::unknown(name).into());
    }
    let text = input_file::read_text(path)
        .map_err(|error| BadInput::new(format!("cannot read {name}: {error}")))?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let find = move |base: &str| {
        let mut beside = folder.join(base);
        if beside.extension().is_none() {
            beside.set_extension("toml");
        }
        let npz = beside.extension().is_some_and(|kind| kind == "npz");
        let text = if npz {
            let bytes = input_file::read_bytes(&beside).ok();
            bytes.and_then(|bytes| npz::json_of(&bytes).ok())
        } else {
            input_file::read_text(&beside).ok()
        };
        text.map(|text| (beside.display().to_string(), text))
            .or_else(|| library::find(base))
    };
    Ok(Found {
        name: name.to_owned(),
        text,
        find: Box::new(find),
    })
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let done = match &arguments.command {
        Command::Simulate(arguments) => simulate::run(arguments, simulate::Kind::Dynamics),
        Command::Inverse(arguments) => simulate::run(arguments, simulate::Kind::Inverse),
        Command::Kinematics(arguments) => simulate::run(arguments, simulate::Kind::Kinematics),
        Command::Statics(arguments) => analyses::statics(arguments),
        Command::Modes(arguments) => analyses::modes(arguments),
        Command::Linearize(arguments) => analyses::linearize(arguments),
        Command::Check(arguments) => analyses::check(arguments),
        Command::List => list(),
        Command::Show(arguments) => show(arguments),
        Command::Keys => {
            output::say(&softdock_mechanism::table::reference())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Table(arguments) => table::run(arguments),
    };
    match done {
        Err(error) if failed(&error) => failure::settle(Err(error)),
        done => done,
    }
}

/// True if the input was fine but the computation failed.
fn failed(error: &anyhow::Error) -> bool {
    let cause = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<MechanismError>());
    cause.is_some_and(|cause| !cause.is_input())
}

fn list() -> Result<ExitCode> {
    let mut text = String::new();
    for (name, _) in library::SHIPPED {
        let description = library::describe(name, &[])
            .with_context(|| format!("the mechanism {name} that comes with the program"))?;
        text.push_str(&format!("{name:24} {}\n", description.title));
    }
    output::say(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn show(arguments: &MechanismArgs) -> Result<ExitCode> {
    if arguments.set.is_empty() {
        output::say(&found(&arguments.mechanism)?.text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let description = arguments.read()?;
    let mut text = format!("{}\n", description.title);
    for part in &description.parameters {
        let value = match &part.value {
            Parameter::Number(number) => number.to_string(),
            Parameter::Text(text) => format!("\"{text}\""),
        };
        text.push_str(&format!("  {:28} {value:20} {}\n", part.key, part.meaning));
    }
    output::say(&text)?;
    Ok(ExitCode::SUCCESS)
}
