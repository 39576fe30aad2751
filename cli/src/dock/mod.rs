//! `softdock dock`: a target meets the platform, with a report to look at.

mod compare;
mod controller;
pub mod execute;
mod page;
pub mod requirements;
mod scene;
pub mod shipped;
mod summary;
pub mod sweep;
mod sweep_map;
pub mod table;

use crate::failure::{BadInput, STOPPED, settle, verdict_with};
use crate::foreign::ForeignCode;
use crate::kind;
use crate::legs::LegsArgs;
use crate::output::{self, OutputArgs};
use crate::run;
use crate::settings::{Resolved, SettingsArgs};
use crate::time_series::Format;
use anyhow::Result;
use controller::ControllerArgs;
use execute::{Ended, Finished};
use softdock_docking::Scenario;
use softdock_report::DockingReport;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toml::Value;

/// The files of a run.
const FILE_NAMES: [&str; 4] = ["run.csv", "report.html", "summary.json", "config.toml"];
/// The folders for results when none is named: of a docking, a sweep, a comparison.
const DEFAULT_FOLDERS: [&str; 3] = ["out/dock", "out/sweep", "out/compare"];

/// What the help says below the options.
const FILES: &str = "\
Without a scenario the default is run. Writes report.html (open it in any browser), run.csv,
summary.json and config.toml to the folder of --out; out/dock if there is none, out/sweep and
out/compare for those. Results of another kind in the folder are not replaced without --force. Ctrl-C
ends a run cleanly and keeps what was computed.

Scenarios that come with the program, by name:
  default             7.5 degrees of pitch at 0.05 m/s, target of 500 kg, base fixed
  aligned             no misalignment at all
  lateral-50mm        50 mm beside the axis, into a conical port
  idss-corner         everything at the limits of the International Docking System Standard
  gravity-bench       on the ground
  free-floating-pair  chaser of 500 kg and target of 1500 kg, both floating
  motors-locked       motors that do not turn
  motors-hold         motors that hold their angle with a PD controller
  motors-lqr          motors that hold the end effector's pose with a linear-quadratic regulator
  motors-impedance    motors under impedance control: the end effector gives way as asked for
  flexible-target     the default docking, the target with two elastic panels
  idss-ring           the platform enlarged to a mating plane of 1.2 m, vehicles of 10 t and 400 t

Examples:
  softdock dock
  softdock dock aligned --set closing_speed_m_s=0.1 --out fast
  softdock dock --print-config > mine.toml, edit it, softdock dock mine.toml
  softdock dock --compare motors-locked motors-hold motors-lqr
  softdock dock --legs fmu
  softdock dock --controller mine.fmu --controller-set gain=2
  softdock dock --requirements soft-capture-limits
  softdock dock --series parquet --series mat
  softdock dock --sweep misalignment.pitch_deg=0:10:0.5
  softdock dock --sweep misalignment.pitch_deg=0:10:2 --sweep closing_speed_m_s=0.02:0.1:0.02";

/// Arguments of `softdock dock`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(FILES))]
pub struct Arguments {
    /// Scenario: a TOML file, or the name of one that comes with the program
    #[arg(value_name = "SCENARIO")]
    scenario: Option<PathBuf>,
    /// Sets one key, e.g. --set misalignment.pitch_deg=5; repeatable, overrides the file
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Prints the resolved scenario with units and ranges, and does nothing else
    #[arg(long, conflicts_with = "compare")]
    print_config: bool,
    /// Runs several scenarios (files or names) and puts them side by side in one report
    #[arg(long, value_name = "SCENARIO", num_args = 2.., conflicts_with_all = ["scenario", "sweep"])]
    compare: Vec<PathBuf>,
    /// Varies one key, e.g. --sweep misalignment.pitch_deg=0:10:0.5 (from, to, step); given twice, two
    /// keys against each other, drawn as a map
    #[arg(long, value_name = "KEY=FROM:TO:STEP", allow_hyphen_values = true)]
    sweep: Vec<String>,
    /// Adds the requirements of a TOML file of `[[requirement]]` tables, or of a name that comes with
    /// the program (soft-capture-limits), to those of the scenario
    #[arg(long, value_name = "FILE")]
    requirements: Option<PathBuf>,
    /// Tells the numerical error of every figure: runs the docking once more with elements and steps of
    /// half the length, which takes some four times as long as the docking itself
    #[arg(long, conflicts_with_all = ["compare", "sweep"])]
    errors: bool,
    /// Writes no report.html
    #[arg(long)]
    no_report: bool,
    /// Writes the time series in this format, too; repeatable
    #[arg(long = "series", value_name = "FORMAT", conflicts_with_all = ["compare", "sweep"])]
    series: Vec<Format>,
    /// Replaces results of another kind in the folder
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    controller: ControllerArgs,
    #[command(flatten)]
    legs: LegsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Arguments {
    /// The foreign code inside its legs and its controller, if there is any.
    pub fn foreign(&self) -> Option<ForeignCode> {
        let controller = self.controller.file();
        match (self.legs.foreign(), controller) {
            (Some(legs), Some(file)) => Some(legs.or(file)),
            (None, Some(file)) => Some(self.legs.limits().code(file)),
            (legs, None) => legs,
        }
    }

    fn folder(&self) -> PathBuf {
        self.output.out.clone().unwrap_or_else(|| {
            let kind = match (self.sweep.is_empty(), self.compare.is_empty()) {
                (false, _) => 1,
                (true, true) => 0,
                (true, false) => 2,
            };
            DEFAULT_FOLDERS[kind].into()
        })
    }

    /// The scenario of a file or name with the keys of `--set`.
    fn resolve(&self, scenario: Option<&Path>) -> Result<Resolved<Scenario>> {
        let args = SettingsArgs {
            set: self.set.clone(),
            ..SettingsArgs::default()
        };
        self.resolve_with(scenario, &args, &[])
    }

    /// The same with `more` keys set, and those that follow from the choice of the legs.
    fn resolve_with(
        &self,
        scenario: Option<&Path>,
        args: &SettingsArgs,
        more: &[(String, &str, Value)],
    ) -> Result<Resolved<Scenario>> {
        let mut resolved = shipped::resolve(scenario, args, more)?;
        let mut implied = self.legs.implied(resolved.config.platform.coupling);
        implied.extend(self.controller.implied());
        if !implied.is_empty() {
            let more: Vec<_> = more.iter().cloned().chain(implied).collect();
            resolved = shipped::resolve(scenario, args, &more)?;
        }
        if let Some(file) = &self.requirements {
            let more = requirements::read(file)?;
            resolved.config.docking.requirement.extend(more);
            resolved.check()?;
        }
        Ok(resolved)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    settle(run_any(arguments))
}

fn run_any(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    if !arguments.compare.is_empty() {
        return compare::run(arguments);
    }
    let resolved = arguments.resolve(arguments.scenario.as_deref())?;
    if arguments.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    match arguments.sweep.as_slice() {
        [] => run_one(arguments, &resolved),
        [sweep] => sweep::run(arguments, &resolved, sweep),
        [x, y] => sweep_map::run(arguments, &resolved, [x, y]),
        more => {
            let count = more.len();
            let message =
                format!("--sweep is given {count} times; at most twice, or use `softdock batch`");
            Err(BadInput::new(message).into())
        }
    }
}

fn run_one(arguments: &Arguments, resolved: &Resolved<Scenario>) -> Result<ExitCode> {
    let folder = arguments.folder();
    let config_text = resolved.print()?;
    let name = shipped::name_of(arguments.scenario.as_deref());
    let fmu = arguments.legs.archive()?;
    let limits = arguments.legs.limits();
    let controller = arguments.controller.open(limits, &resolved.config)?;
    if arguments.errors && (fmu.is_some() || controller.is_some()) {
        let message = "--errors: legs and controllers inside FMUs cannot be refined; leave out --legs \
                       and --controller";
        return Err(BadInput::new(message).into());
    }
    if arguments.errors {
        // What cannot be refined is refused before anything runs.
        let refined = resolved.config.refined();
        refined
            .map_err(|error| BadInput::new(format!("--errors: the refined docking: {error}")))?;
    }
    let ready = execute::prepare_controlled(&resolved.config, true, fmu.as_ref(), controller)?;
    for name in FILE_NAMES {
        output::probe(&folder.join(name))?;
    }
    kind::check(&folder, "a docking", arguments.force)?;
    let stem = folder.join("run.csv");
    for format in &arguments.series {
        output::probe(&stem.with_extension(format.ending()))?;
    }
    output::remark(|| format!("the platform is at rest, the target in front of it ({name})"));
    let mut finished = ready.run(Some(&folder.join("run.csv")), &run::stop_requested)?;
    if arguments.errors {
        output::remark(|| "once more with elements and steps of half the length".to_owned());
        finished.find_errors(&run::stop_requested)?;
    }
    output::remark(|| finished.effort());
    write_figures(&folder, &config_text, &finished)?;
    write_series(&arguments.series, &stem, &finished)?;
    output::remove_stale(&folder, &["sweep.csv", "sweep.partial.csv"])?;
    if arguments.no_report {
        output::remove_stale(&folder, &["report.html"])?;
    } else {
        write_report(&folder, &name, &config_text, &finished)?;
    }
    if arguments.output.json {
        output::say_json(&finished.summary()?)?;
    } else {
        let mut text = summary::for_people(&name, &finished);
        text.note("");
        if let Some(table) = &finished.table {
            text.note(format!("time series  {}", table.display()));
        }
        if !arguments.no_report {
            text.note(format!(
                "report       {}",
                folder.join("report.html").display()
            ));
        }
        output::tell(&text.to_string())?;
    }
    end(finished)
}

/// Writes the time series in other formats, beside `run.csv`.
fn write_series(formats: &[Format], stem: &Path, finished: &Finished) -> Result<()> {
    if !formats.is_empty() {
        let (names, columns) = table::columns(&finished.run);
        for format in formats {
            format.write(stem, &names, &columns)?;
        }
    }
    Ok(())
}

/// How the program ends after a run.
fn end(finished: Finished) -> Result<ExitCode> {
    match finished.ended {
        Ended::Complete => Ok(verdict_with(
            &finished.figures.soundness,
            &finished.figures.requirements,
        )),
        Ended::Stopped => Ok(ExitCode::from(STOPPED)),
        Ended::Failed(error) => Err(anyhow::Error::from(error)
            .context("the run ended early; what was computed until then is kept")),
    }
}

/// Writes the report of a run.
pub fn write_report(
    folder: &Path,
    name: &str,
    config_text: &str,
    finished: &Finished,
) -> Result<()> {
    let page = report_html(name, config_text, finished)?;
    output::write_atomic(&folder.join("report.html"), page.as_bytes())?;
    Ok(())
}

/// The report of a run as a page.
pub fn report_html(name: &str, config_text: &str, finished: &Finished) -> Result<String> {
    let report = DockingReport {
        title: format!("Docking: {name}"),
        lead: page::lead(finished),
        runs: vec![page::run(name, finished, config_text)],
    };
    Ok(report.html()?)
}

/// Settings and summary of a run, beside its time series.
pub fn write_figures(folder: &Path, config_text: &str, finished: &Finished) -> Result<()> {
    output::write_atomic(&folder.join("config.toml"), stamped(config_text).as_bytes())?;
    output::write_json(&folder.join("summary.json"), &finished.summary()?)?;
    if !matches!(finished.ended, Ended::Complete) {
        // An earlier run's: the summary is not about it.
        output::remove_stale(folder, &["run.csv"])?;
    }
    Ok(())
}

/// The resolved configuration with the version that ran it.
fn stamped(config_text: &str) -> String {
    format!("# softdock {}\n{config_text}", env!("CARGO_PKG_VERSION"))
}
