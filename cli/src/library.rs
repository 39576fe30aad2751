//! What the commands compute, for other programs: settings in, typed results out, nothing printed.
//!
//! The Python package stands on these functions, so that its results are those of the program bit for
//! bit, and its errors have the same texts.

pub use crate::dock::execute::{Circumstances, Ended, Finished, Legs};
pub use crate::dock::sweep::Point as SweepPoint;

use crate::batch::study::{self, Changes, Prepared};
use crate::dock::{self, execute, requirements, sweep, table};
use crate::failure::BadInput;
use crate::fmu::export;
use crate::legs::own_fmu;
use crate::settings::{Resolved, Settings, SettingsArgs};
use crate::{batch, failure, verify};
use anyhow::Result;
use softdock_docking::{DockingRun, Scenario};
use softdock_fmi::package::FmiVersion;
use softdock_fmu::ModelKind;
use softdock_mechanism::{Description, MechanismError};
use softdock_platform::PlatformConfig;
use softdock_platform::config::Coupling;
use softdock_study::{Directory, Progress, RunOptions, RunSummary, Shard};
use softdock_validation::Outcome;
use std::path::{Path, PathBuf};
use toml::Value;

/// Where settings come from.
#[derive(Debug, Clone, Copy, Default)]
pub enum Source<'a> {
    /// Nowhere: the defaults.
    #[default]
    Default,
    /// A file, or the name of one that comes with the program.
    Named(&'a Path),
    /// The text of a TOML file.
    Text(&'a str),
}

/// A key with its tables, such as `misalignment.pitch_deg`, and its value.
pub type Setting = (String, Value);

/// Checked settings.
#[derive(Debug, Clone)]
pub struct Chosen<C> {
    /// The configuration.
    pub config: C,
    /// All of it as a TOML file with a comment above each key.
    pub text: String,
    /// What it is called: the name or the file's, without its ending.
    pub name: String,
}

fn resolve<C: Settings>(source: Source<'_>, settings: &[Setting]) -> Result<Resolved<C>> {
    let argument = |(key, value): &Setting| format!("{key} = {value}");
    let more: Vec<(String, &str, Value)> = settings
        .iter()
        .map(|setting| (argument(setting), setting.0.as_str(), setting.1.clone()))
        .collect();
    let args = SettingsArgs::default();
    Ok(match source {
        Source::Default => Resolved::named(None, &args, &more)?,
        Source::Named(path) => Resolved::named(Some(path), &args, &more)?,
        Source::Text(text) => Resolved::with_text(C::kind_of_file(), text, &args, &more)?,
    })
}

fn name_of(source: Source<'_>) -> String {
    match source {
        Source::Named(path) => dock::shipped::name_of(Some(path)),
        Source::Default | Source::Text(_) => dock::shipped::name_of(None),
    }
}

/// A scenario with `settings` on top, and the requirements of a file (or name) beside its own. For
/// legs inside FMUs monolithic coupling becomes implicit.
pub fn scenario(
    source: Source<'_>,
    settings: &[Setting],
    more_requirements: Option<&Path>,
    legs: Legs,
) -> Result<Chosen<Scenario>> {
    let mut resolved: Resolved<Scenario> = resolve(source, settings)?;
    if legs == Legs::Fmu && resolved.config.platform.coupling == Coupling::Monolithic {
        resolved.config.platform.coupling = Coupling::Implicit;
    }
    if let Some(file) = more_requirements {
        let more = requirements::read(file)?;
        resolved.config.docking.requirement.extend(more);
    }
    resolved.check()?;
    Ok(Chosen {
        text: resolved.print()?,
        config: resolved.config,
        name: name_of(source),
    })
}

/// A platform with `settings` on top.
pub fn platform(source: Source<'_>, settings: &[Setting]) -> Result<Chosen<PlatformConfig>> {
    let resolved: Resolved<PlatformConfig> = resolve(source, settings)?;
    Ok(Chosen {
        text: resolved.print()?,
        config: resolved.config,
        name: name_of(source),
    })
}

/// Runs a docking to its end, or until `stop` says so.
pub fn dock(scenario: &Scenario, legs: Legs, stop: &dyn Fn() -> bool) -> Result<Finished> {
    let fmu = match legs {
        Legs::Native => None,
        Legs::Fmu => Some(own_fmu(ModelKind::LegSpatial)?),
    };
    execute::prepare(scenario, true, fmu.as_ref())?.run(None, stop)
}

/// A docking at its start, to be advanced by the caller, who may be the controller.
pub fn docking(scenario: &Scenario) -> Result<DockingRun> {
    Ok(execute::prepare_stepped(scenario)?.into_run())
}

/// Runs what is left of a docking that the caller has advanced.
pub fn finish(run: DockingRun, stop: &dyn Fn() -> bool) -> Result<Finished> {
    execute::Ready::under_way(run).run(None, stop)
}

/// True if other input would have avoided the error.
pub fn is_input(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    let mechanism = causes.find_map(|cause| cause.downcast_ref::<MechanismError>());
    mechanism.map_or_else(|| failure::is_input(error), MechanismError::is_input)
}

/// The time series of a run: the columns of `run.csv` with their values.
pub fn series(run: &DockingRun) -> (Vec<String>, Vec<Vec<f64>>) {
    table::columns(run)
}

/// The page of a run: `report.html`.
pub fn report(name: &str, text: &str, finished: &Finished) -> Result<String> {
    dock::report_html(name, text, finished)
}

/// Runs a scenario with one key at each of `values`, side by side; what came to its end before `stop`
/// said so, in the order of the values.
pub fn run_sweep(
    source: Source<'_>,
    settings: &[Setting],
    key: &str,
    values: &[f64],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<SweepPoint>> {
    let mut scenarios = Vec::with_capacity(values.len());
    for &value in values {
        let mut settings = settings.to_vec();
        settings.push((key.to_owned(), sweep::swept(key, value)));
        let mut chosen = scenario(source, &settings, None, Legs::Native)?;
        // One run per core is faster than one leg per core.
        chosen.config.platform.solver.threads = 1;
        scenarios.push(chosen.config);
    }
    let ends = [scenarios.first(), scenarios.last()].map(|scenario| {
        scenario.map_or(Ok(()), |one| execute::prepare(one, false, None).map(drop))
    });
    if let [Err(error), Err(_)] = ends {
        return Err(error);
    }
    Ok(sweep::run_all(&scenarios, values, None, stop))
}

/// How a study is run.
#[derive(Debug, Clone, Copy)]
pub struct StudyOptions<'a> {
    /// Number of runs, instead of the study's own.
    pub runs: Option<u64>,
    /// Keys of the base scenario, as `KEY=VALUE`.
    pub set: &'a [String],
    /// Folder for the results.
    pub out: &'a Path,
    /// Dockings at a time; 0 takes one per core.
    pub threads: usize,
    /// Whether finished runs that are there already are fine.
    pub resume: bool,
    /// Set from outside to stop.
    pub cancel: &'a std::sync::atomic::AtomicBool,
}

/// Runs a study (a file, a name, or the text of a file), or what is left of it.
pub fn run_study(
    source: Source<'_>,
    options: &StudyOptions<'_>,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<RunSummary> {
    let changes = Changes {
        runs: options.runs,
        set: options.set,
        design: None,
    };
    let Prepared { plan, job } = match source {
        Source::Default => return Err(BadInput::new("a study must be named or given").into()),
        Source::Named(path) => study::prepare(path, &changes, Shard::WHOLE)?,
        Source::Text(text) => {
            study::prepare_text(Path::new("study"), text, &changes, Shard::WHOLE)?
        }
    };
    if plan.study().fidelity == softdock_study::description::Fidelity::Screen {
        let message = "a screened study is run by the program: softdock batch run";
        return Err(BadInput::new(message).into());
    }
    let run_options = RunOptions {
        threads: options.threads,
        resume: options.resume,
        cancel: Some(options.cancel),
        ..RunOptions::default()
    };
    Ok(softdock_study::run(
        &plan,
        &job,
        options.out,
        &run_options,
        &progress,
    )?)
}

/// Writes the page of a study into its folder, and says where.
pub fn study_report(folder: &Path) -> Result<PathBuf> {
    batch::report::write(&Directory::open(folder)?)
}

/// Reads a mechanism: a file, a name, or the text of a file.
pub fn mechanism(source: Source<'_>, settings: &[(String, String)]) -> Result<Description> {
    match source {
        Source::Default => Err(BadInput::new("a mechanism must be named or given").into()),
        Source::Named(path) => crate::mechanism::read(&path.to_string_lossy(), settings),
        Source::Text(text) => Ok(softdock_mechanism::describe(
            "mechanism",
            text,
            settings,
            &softdock_mechanism::library::find,
        )?),
    }
}

/// Writes a model as an FMU of FMI 2.0 (or 3.0) into `folder`, and says where.
pub fn export_fmu(model: &str, version: u32, folder: &Path) -> Result<PathBuf> {
    let kind = ModelKind::from_name(model).ok_or_else(|| {
        let names = ModelKind::ALL.map(ModelKind::name).join(", ");
        BadInput::new(format!("there is no model {model} (there are {names})"))
    })?;
    let version = match version {
        2 => FmiVersion::Two,
        3 => FmiVersion::Three,
        other => {
            let message = format!("fmi = {other} is not allowed: it must be 2 or 3");
            return Err(BadInput::new(message).into());
        }
    };
    let model = kind.packaged().model();
    Ok(export::export((kind, &*model), version, &export::Library::OWN, folder)?.file)
}

/// Runs the validation cases whose name or source contains `filter`, all if there is none.
pub fn run_verify(filter: Option<&str>) -> Result<Vec<Outcome>> {
    verify::outcomes(filter)
}
