//! `softdock batch report`: what a study says, on one page.

mod data;
mod pictures;
mod tables;

use super::results::{CONFIDENCE, FORCE, Results};
use super::status;
use crate::output;
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::significant;
use anyhow::Result;
use data::Data;
use serde_json::json;
use softdock_docking::{Outcome, Scenario, Summary};
use softdock_report::{BatchReport, Figure};
use softdock_study::statistics::{Interval, sensitivity_of};
use softdock_study::{Directory, Plan, Status, Table, export_table};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Exit status: 0, also while runs are missing, which the report says; 3 when runs are missing and a file
is damaged, so that finished runs may be among them.";

/// Arguments of `softdock batch report`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Folder of a study; it need not be finished
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directory = Directory::open(&arguments.directory)?;
    let path = write(&directory)?;
    let status = softdock_study::status(std::slice::from_ref(&directory))?;
    if arguments.json {
        let results = Results::read(core::slice::from_ref(&directory))?;
        output::say_json(&json!({
            "study": directory.plan().study().name,
            "runs": directory.plan().runs(),
            "results": results.json(),
            "missing": status.missing_count(),
            "damaged_bytes": status.damaged_bytes,
            "damage": status.damage.iter().map(status::damage_json).collect::<Vec<_>>(),
            "report": path,
        }))?;
    } else {
        output::say(&format!("report: {}", path.display()))?;
    }
    for warning in warnings(directory.plan(), &status) {
        eprintln!("softdock: {warning}");
    }
    Ok(status::exit_status(&status))
}

/// Writes the report of a study into its folder.
pub fn write(directory: &Directory) -> Result<PathBuf> {
    let path = directory.path().join("report.html");
    output::probe(&path)?;
    let (table, passing) = open_table(directory)?;
    let html = page(directory, &table).map(|report| report.html());
    drop(table);
    if let Some(passing) = passing {
        std::fs::remove_file(&passing).map_err(|cause| output::OutputError {
            path: passing,
            cause,
        })?;
    }
    output::write_atomic(&path, html??.as_bytes())?;
    Ok(path)
}

/// The table of the runs that are finished, and its file if it is only there for now.
fn open_table(directory: &Directory) -> Result<(Table, Option<PathBuf>)> {
    let path = directory.table_path();
    if path.exists() {
        let table = Table::open(&path)?;
        // A merge of some shards makes a table too; more runs may be there by now.
        if table.rows() == directory.plan().runs() {
            return Ok((table, None));
        }
    }
    let passing = directory.path().join("unfinished.parquet");
    export_table(directory, &passing)?;
    Ok((Table::open(&passing)?, Some(passing)))
}

fn page(directory: &Directory, table: &Table) -> Result<BatchReport> {
    let plan = directory.plan();
    let results = Results::read(core::slice::from_ref(directory))?;
    let data = Data::read(directory, table)?;
    let force = sensitivity_of(table, FORCE.key, &data.force, CONFIDENCE)?;
    let captured = sensitivity_of(table, Summary::outcome.key, &data.captured(), CONFIDENCE)?;
    let mut sensitivities = pictures::sensitivities(FORCE.label, &force, &data);
    let captures = results.count(Outcome::Captured);
    if captures > 0 && captures < results.met() {
        sensitivities.extend(pictures::sensitivities("capture", &captured, &data));
    }
    Ok(BatchReport {
        title: format!("Study: {}", plan.study().name),
        lead: lead(plan),
        warning: warning(directory, &results)?,
        figures: headlines(&results),
        sensitivities,
        distributions: pictures::distributions(&data)?,
        relations: pictures::relations(&force, &data),
        parallel: pictures::parallel(&data)?,
        tables: tables::all(&data, &results)?,
        config_text: config_text(plan)?,
    })
}

fn lead(plan: &Plan) -> String {
    let study = plan.study();
    let sampling = match study.sampling {
        softdock_study::description::Sampling::Grid => "every combination of a grid",
        softdock_study::description::Sampling::LatinHypercube => "a Latin hypercube",
        softdock_study::description::Sampling::Sobol => "a scrambled Sobol' sequence",
        softdock_study::description::Sampling::MonteCarlo => "independent random points",
        softdock_study::description::Sampling::Saltelli => "Saltelli's design",
    };
    format!(
        "{} dockings with {} varied inputs, sampled by {sampling} (seed {}). Probabilities are those \
         under the distributions of the study: where these weight the edges of an envelope, they are \
         not those in service.",
        plan.runs(),
        plan.inputs().len(),
        study.seed
    )
}

/// What is missing and what cannot be read, a sentence each.
fn warnings(plan: &Plan, status: &Status) -> Vec<String> {
    let missing = status.missing_count();
    let mut parts = Vec::new();
    if missing > 0 {
        let (runs, which) = (plan.runs(), status.missing_text());
        parts.push(format!("{missing} of {runs} runs are missing: {which}."));
    }
    if status.damaged_bytes > 0 {
        parts.push(format!("{}.", status::damage(status)));
    }
    parts
}

fn warning(directory: &Directory, results: &Results) -> Result<Option<String>> {
    let status = softdock_study::status(std::slice::from_ref(directory))?;
    let mut parts = warnings(directory.plan(), &status);
    if results.suspect > 0 {
        parts.push(format!(
            "Suspect: {} of {} runs, left out of every statistic and listed at the end.",
            results.suspect, results.finished
        ));
    }
    let never = results.count(Outcome::NeverTouched);
    if never > 0 {
        parts.push(format!(
            "Never touched: {never} of {} runs, which have no peak force and count neither as \
             captures nor as failures to capture.",
            results.finished
        ));
    }
    if results.failed > 0 {
        parts.push(format!(
            "{} runs failed; they are left out everywhere and listed at the end.",
            results.failed
        ));
    }
    Ok((!parts.is_empty()).then(|| parts.join(" ")))
}

fn headlines(results: &Results) -> Vec<Figure> {
    let percent = |share: f64| significant(100.0 * share, 3);
    let mut out = Vec::new();
    if let Some(share) = results.capture_probability() {
        let Interval { low, high } = results.capture_interval();
        out.push(
            Figure::text("probability of capture", percent(share), "%")
                .keyed("capture_probability", share),
        );
        let interval = format!("{} … {}", percent(low), percent(high));
        out.push(Figure::text("its 95 % interval", interval, "%"));
        let (captured, met) = (results.count(Outcome::Captured), results.met());
        out.push(
            Figure::text(
                "captured, of the sound runs that met",
                captured.to_string(),
                "",
            )
            .keyed("captured", captured),
        );
        out.push(
            Figure::text("sound runs that met", met.to_string(), "").keyed("capture_trials", met),
        );
    }
    if let Some(force) = &results.force {
        for (label, probability) in [
            ("median peak force", 0.5),
            ("95 % of the peaks below", 0.95),
        ] {
            let quantile = force.quantiles.iter().find(|(p, _)| *p == probability);
            if let Some((_, value)) = quantile {
                out.push(Figure::number(label, *value, 3, "N"));
            }
        }
        out.push(
            Figure::number("largest peak force", force.max, 3, "N")
                .keyed("largest_peak_contact_force_n", force.max),
        );
    }
    out.push(Figure::text("runs", results.finished.to_string(), ""));
    out.push(
        Figure::text("suspect", results.suspect.to_string(), "").keyed("suspect", results.suspect),
    );
    out.push(
        Figure::text("failed", results.failed.to_string(), "").keyed("failed", results.failed),
    );
    out
}

/// The study and, below, its base scenario with every key.
fn config_text(plan: &Plan) -> Result<String> {
    let study = toml::to_string(plan.study())?;
    let base = toml::to_string(plan.scenario())?;
    let args = SettingsArgs::default();
    let base = Resolved::<Scenario>::with_text("the base scenario", &base, &args, &[])?.print()?;
    Ok(format!(
        "# softdock {}, digest {}\n{study}\n# The base scenario with every key.\n\n{base}",
        plan.version(),
        plan.digest()
    ))
}

/// Where a file is from the page, if it is there.
fn beside(directory: &Directory, path: &Path) -> Option<String> {
    directory
        .path()
        .join(path)
        .exists()
        .then(|| path.to_string_lossy().into_owned())
}
