//! `softdock batch sample`: the points of a study, without running it.

use super::study::{self, Changes, Prepared};
use crate::output;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde_json::json;
use softdock_study::statistics::{Dependence, distribution};
use softdock_study::{Plan, Shard, Value};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Checks the study as `batch run` does, says what its inputs look like and runs nothing. The file of --csv
has a column for each key and a row for each run; `batch run --design FILE` takes it back.";

/// Arguments of `softdock batch sample`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Study: a TOML file, or the name of one that comes with the program
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// Number of runs, instead of the study's own
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// Sets one key of the base scenario; repeatable, overrides the study
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Writes the points to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let changes = Changes {
        runs: arguments.runs,
        set: &arguments.set,
        design: None,
    };
    let Prepared { plan, .. } = study::prepare(&arguments.study, &changes, Shard::WHOLE)?;
    if let Some(path) = &arguments.csv {
        output::write_atomic(path, csv(&plan)?.as_bytes())?;
    }
    let title = format!("Study {}: {} runs", plan.study().name, plan.runs());
    let mut text = Text::new(title);
    let mut inputs = Vec::new();
    for (index, input) in plan.inputs().iter().enumerate() {
        let values = column(&plan, index)?;
        let all = Dependence::independent(values.len());
        let Some(found) = distribution(&values, &all, &[0.05, 0.5, 0.95], 0.95) else {
            text.text(&input.name, input.kind.to_string(), "");
            inputs.push(json!({ "key": input.name, "kind": input.kind }));
            continue;
        };
        let value = format!(
            "{} … {}",
            significant(found.min, 4),
            significant(found.max, 4)
        );
        let mean = format!(
            "mean {}, deviation {}",
            significant(found.mean, 4),
            significant(found.std_dev, 4)
        );
        text.text(&input.name, value, &mean);
        inputs.push(json!({
            "key": input.name,
            "kind": input.kind,
            "min": found.min,
            "max": found.max,
            "mean": found.mean,
            "std_dev": found.std_dev,
        }));
    }
    if arguments.json {
        output::say_json(&json!({
            "study": plan.study().name,
            "runs": plan.runs(),
            "sampling": plan.study().sampling.to_string(),
            "inputs": inputs,
            "csv": arguments.csv,
        }))?;
    } else {
        output::tell(&text.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Most runs that are looked at for the summary.
const MOST: u64 = 100_000;

fn column(plan: &Plan, index: usize) -> Result<Vec<f64>> {
    (0..plan.runs().min(MOST))
        .map(|run| Ok(plan.values(run)?[index].number().unwrap_or(f64::NAN)))
        .collect()
}

fn csv(plan: &Plan) -> Result<String> {
    let names: Vec<&str> = plan
        .inputs()
        .iter()
        .map(|input| input.name.as_str())
        .collect();
    let mut text = names.join(",") + "\n";
    for run in 0..plan.runs() {
        let values = plan.values(run)?;
        let cells: Vec<String> = values.iter().map(Value::to_string).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    Ok(text)
}
