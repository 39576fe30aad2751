//! `softdock batch report`: what a study says, on one page.

mod answers;
mod boundary_map;
pub mod compare;
mod data;
mod limits;
mod measure;
mod pictures;
mod statistics_json;
mod tables;

pub use data::axis_of_input;

use super::results::{FORCE, Results, level, percent, percents, quantile_words};
use super::status;
use crate::output;
use crate::settings::{Resolved, SettingsArgs};
use answers::Driver;
use anyhow::Result;
use data::Data;
use limits::Limit;
use measure::Measure;
use serde_json::{Value as Json, json};
use softdock_docking::{Outcome, Scenario};
use softdock_report::{BatchReport, Figure};
use softdock_study::{Directory, Plan, Status, Table, export_table};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
With --json every figure of the study is there: count, mean, extremes and quantiles with their
intervals; rank correlations and shares of the variance for the figures named. Exit status: 0, also
while runs are missing, which the report says; 3 when runs are missing and a file is damaged, so that
finished runs may be among them.";

/// Arguments of `softdock batch report`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Folder of a study; it need not be finished
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// A figure that the report is about (`softdock figures` lists them); repeatable, the first is
    /// the main one; without any the peak contact force
    #[arg(long = "figure", value_name = "FIGURE")]
    figures: Vec<String>,
    /// A limit whose probability is asked for, such as "peak_contact_force_n<=300"; repeatable, beside
    /// the requirements of the scenario
    #[arg(long = "limit", value_name = "LIMIT")]
    limits: Vec<Limit>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directory = Directory::open(&arguments.directory)?;
    let status = softdock_study::status(std::slice::from_ref(&directory))?;
    let asked = Asked {
        figures: arguments.figures.clone(),
        limits: arguments.limits.clone(),
        json: arguments.json,
    };
    let written = write_asked(&directory, &status, &asked)?;
    if arguments.json {
        let mut value = json!({
            "study": directory.plan().study().name,
            "version": directory.plan().version(),
            "digest": directory.plan().digest(),
            "runs": directory.plan().runs(),
            "results": written.results.json(),
            "missing": status.missing_count(),
            "damaged_bytes": status.damaged_bytes,
            "damage": status.damage.iter().map(status::damage_json).collect::<Vec<_>>(),
            "report": written.path,
        });
        if let (Some(value), Json::Object(more)) = (value.as_object_mut(), written.json) {
            value.extend(more);
        }
        output::say_json(&value)?;
    } else {
        for limit in &written.limits {
            output::tell(limit)?;
        }
        output::tell(&format!("report: {}", written.path.display()))?;
    }
    for warning in warnings(directory.plan(), &status) {
        eprintln!("softdock: {warning}");
    }
    Ok(status::exit_status(&status))
}

/// What a report is asked for beyond the usual.
#[derive(Debug, Default)]
struct Asked {
    figures: Vec<String>,
    limits: Vec<Limit>,
    /// Whether the statistics of every figure are wanted for programs.
    json: bool,
}

/// A report that was written.
struct Written {
    path: PathBuf,
    results: Results,
    json: Json,
    /// What the terminal says of every limit.
    limits: Vec<String>,
}

/// Writes the report of a study into its folder.
pub fn write(directory: &Directory) -> Result<PathBuf> {
    let status = softdock_study::status(std::slice::from_ref(directory))?;
    Ok(write_asked(directory, &status, &Asked::default())?.path)
}

fn write_asked(directory: &Directory, status: &Status, asked: &Asked) -> Result<Written> {
    let path = directory.path().join("report.html");
    output::probe(&path)?;
    let results = Results::read(core::slice::from_ref(directory))?;
    let (table, passing) = open_table(directory)?;
    let made = page(directory, &table, &results, status, asked);
    drop(table);
    if let Some(passing) = passing {
        std::fs::remove_file(&passing).map_err(|cause| output::OutputError {
            path: passing,
            cause,
        })?;
    }
    let (report, json, limits) = made?;
    output::write_atomic(&path, report.html()?.as_bytes())?;
    Ok(Written {
        path,
        results,
        json,
        limits,
    })
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

fn page(
    directory: &Directory,
    table: &Table,
    results: &Results,
    status: &Status,
    asked: &Asked,
) -> Result<(BatchReport, Json, Vec<String>)> {
    let plan = directory.plan();
    let named = asked.figures.iter().map(|key| Measure::named(plan, key));
    let mut named = named.collect::<Result<Vec<Measure>, _>>()?;
    let data = Data::read(directory, table, named.first().cloned())?;
    if named.is_empty() {
        named.push(data.main.clone());
    }
    let drivers = Driver::all(&data, results, &named)?;
    let kept = limits::kept(&data, &asked.limits)?;
    let json = match asked.json {
        true => statistics_json::all(&data, &named, &drivers, &kept)?,
        false => Json::Null,
    };
    let relations = match drivers.first() {
        Some(main) => pictures::relations(&main.found, &data)?,
        None => Vec::new(),
    };
    let report = BatchReport {
        title: format!("Study: {}", plan.study().name),
        lead: lead(plan),
        warning: warning(plan, status, results),
        figures: headlines(&data, results)?,
        answers: answers::all(&data, results, &named, &drivers, &kept)?,
        distributions: pictures::distributions(&data, &named)?,
        relations,
        parallel: pictures::parallel(&data)?,
        tables: tables::all(&data, results)?,
        config_text: config_text(plan)?,
        ..BatchReport::default()
    };
    Ok((report, json, kept.iter().map(limits::Kept::line).collect()))
}

fn lead(plan: &Plan) -> String {
    use softdock_study::description::Sampling;
    let study = plan.study();
    let sampling = match study.sampling {
        Sampling::Grid => "every combination of a grid".to_owned(),
        Sampling::LatinHypercube => match study.block {
            Some(block) if block > 0 => format!("Latin hypercubes of {block} runs each"),
            _ => "a Latin hypercube".to_owned(),
        },
        Sampling::Sobol => match study.scrambles {
            Some(count) if count > 1 => format!("{count} scrambles of a Sobol' sequence"),
            _ => "a scrambled Sobol' sequence".to_owned(),
        },
        Sampling::MonteCarlo => "independent random points".to_owned(),
        Sampling::Saltelli => "Saltelli's design".to_owned(),
        Sampling::Morris => "a radial design for elementary effects (Morris)".to_owned(),
        Sampling::Design => "points from elsewhere".to_owned(),
    };
    let what = if study.formula.is_empty() {
        "dockings"
    } else {
        "values of formulas"
    };
    format!(
        "{} {what} with {} varied inputs, sampled by {sampling} (seed {}). Probabilities are those \
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

fn warning(plan: &Plan, status: &Status, results: &Results) -> Option<String> {
    let mut parts = warnings(plan, status);
    if plan.weight(0).is_some() {
        parts.push(
            "The points of this study carry weights (column weight of the table): they were drawn where \
             an event is frequent. The statistics of this page are those of the points, not of the \
             distributions of the inputs."
                .to_owned(),
        );
    }
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
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn headlines(data: &Data<'_>, results: &Results) -> Result<Vec<Figure>> {
    let mut out = Vec::new();
    if let Some(share) = results.capture_probability() {
        let interval = match results.capture.interval {
            Some(interval) => {
                let sure = results.capture.coverage.words();
                format!("{} % with {sure}95 %", percents(interval))
            }
            None => "nothing was drawn at random: no interval".to_owned(),
        };
        out.push(
            Figure::text("probability of capture", percent(share), "%")
                .noted(interval)
                .keyed("capture_probability", share),
        );
        if let Some(bounds) = results.capture.bounds {
            let label = format!(
                "whatever became of the {} undecided runs",
                results.undecided()
            );
            out.push(Figure::text(&label, percents(bounds), "%"));
        }
        let (captured, met) = (results.count(Outcome::Captured), results.met());
        out.push(Figure::text("captured", captured.to_string(), "").keyed("captured", captured));
        out.push(
            Figure::text("sound runs that met", met.to_string(), "").keyed("capture_trials", met),
        );
    }
    if let Some(main) = answers::shown(data, &data.main)? {
        let (label, unit) = (&data.main.label, &data.main.unit);
        for quantile in main.quantiles.iter().filter(|q| q.probability >= 0.5) {
            let name = match quantile.probability {
                0.5 => format!("median {label}"),
                p => format!("{} % of {label} below", level(p)),
            };
            let known = quantile_words(quantile, main.count);
            let known = known.trim_matches(['(', ')']);
            let sure = quantile.coverage.words();
            let known = match (quantile.low, quantile.high) {
                (Some(_), Some(_)) => format!("{known} {unit} with {sure}95 %"),
                _ => known.to_owned(),
            };
            out.push(Figure::number(&name, quantile.value, 3, unit).noted(known));
        }
        let mut largest = Figure::number(&format!("largest {label}"), main.max, 3, unit);
        if data.main.key == FORCE.key {
            largest = largest.keyed("largest_peak_contact_force_n", main.max);
        }
        out.push(largest);
    }
    out.push(Figure::text("runs", results.finished.to_string(), ""));
    out.push(
        Figure::text("suspect", results.suspect.to_string(), "").keyed("suspect", results.suspect),
    );
    out.push(
        Figure::text("failed", results.failed.to_string(), "").keyed("failed", results.failed),
    );
    Ok(out)
}

/// The study and, below, its base scenario with every key.
fn config_text(plan: &Plan) -> Result<String> {
    let study = toml::to_string(plan.study())?;
    if !plan.study().formula.is_empty() {
        let (version, digest) = (plan.version(), plan.digest());
        return Ok(format!("# softdock {version}, digest {digest}\n{study}"));
    }
    let base = toml::to_string(plan.scenario())?;
    let args = SettingsArgs::default();
    let base = Resolved::<Scenario>::with_text("the base scenario", &base, &args, &[])?.print()?;
    Ok(format!(
        "# softdock {}, digest {}\n{study}\n# The base scenario with every key.\n\n{base}",
        plan.version(),
        plan.digest()
    ))
}
