//! `softdock batch slurm`: scripts for a cluster with Slurm or PBS.

use super::study;
use crate::failure::BadInput;
use crate::output;
use anyhow::Result;
use serde_json::json;
use softdock_study::description::Fidelity;
use softdock_study::slurm::{SlurmJob, quote, scripts};
use softdock_study::{Shard, pbs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Writes array.sh (one task per shard, put back into the queue when it is interrupted), merge.sh (waits
for all of them) and submit.sh, which submits both; with --pbs the same as array.pbs, merge.pbs and
submit-pbs.sh. Nothing is submitted. Study, results and this program must be found under the same paths
on every node. docs/cluster.md has recipes, also for machines without a scheduler.";

/// Arguments of `softdock batch slurm`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Study: a TOML file, or the name of one that comes with the program
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// Number of shards, each a task of the array
    #[arg(long, value_name = "N")]
    shards: u64,
    /// Folder for the results: parts, logs, merged
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Folder for the scripts; DIR/scripts if there is none
    #[arg(long, value_name = "FOLDER")]
    scripts: Option<PathBuf>,
    /// Number of runs, instead of the study's own
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// Dockings at a time, and cores, of a shard
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// How often an interrupted shard is started again
    #[arg(long, value_name = "N", default_value_t = 10)]
    restarts: u32,
    /// Time limit of a shard, such as 12:00:00
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// Memory of a shard, such as 2G
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Time limit of the merge
    #[arg(long, value_name = "TIME", default_value = "01:00:00")]
    merge_time: String,
    /// Memory of the merge, which needs that of some thousand runs, whatever their number
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    merge_memory: String,
    /// Writes scripts for PBS (OpenPBS, PBS Professional) instead
    #[arg(long)]
    pbs: bool,
    /// Partition; the queue of PBS
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// Account
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Sets one key of the base scenario, e.g. --set legs.elements=6; repeatable, overrides the study
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    // A study that cannot be run is better refused here than on 64 nodes.
    let changes = study::Changes {
        runs: arguments.runs,
        set: &arguments.set,
        design: None,
    };
    let plan = study::prepare(&arguments.study, &changes, Shard::WHOLE)?.plan;
    if plan.study().fidelity == Fidelity::Screen {
        let message = "a screened study cannot be run in shards";
        return Err(BadInput::new(message).into());
    }
    if arguments.shards > plan.runs() {
        let (shards, runs) = (arguments.shards, plan.runs());
        let message = format!("--shards {shards}: the study has {runs} runs, a shard needs one");
        return Err(BadInput::new(message).into());
    }
    let job = job(arguments, plan.study().name.clone())?;
    let folder = match &arguments.scripts {
        Some(folder) => folder.clone(),
        None => arguments.out.join("scripts"),
    };
    let mut files = Vec::new();
    let all = match arguments.pbs {
        true => pbs::scripts(&job)?,
        false => scripts(&job)?,
    };
    let submit = all[2].file;
    for script in all {
        let path = folder.join(script.file);
        output::write_atomic(&path, script.text.as_bytes())?;
        files.push(path);
    }
    if arguments.json {
        output::say_json(&json!({
            "study": plan.study().name,
            "runs": plan.runs(),
            "shards": arguments.shards,
            "scripts": files,
        }))?;
    } else {
        let script = folder.join(submit).display().to_string();
        // A path without blanks is easier to read as it is.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        let script = match script.chars().all(plain) {
            true => script,
            false => quote(&script),
        };
        output::tell(&format!(
            "{} runs in {} shards; submit them with\n  bash {script}",
            plan.runs(),
            arguments.shards,
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn job(arguments: &Arguments, name: String) -> Result<SlurmJob> {
    let program = std::env::current_exe()
        .map_err(|error| BadInput::new(format!("the program's own path is unknown: {error}")))?;
    let program = text(&program)?;
    let study = if study::is_shipped(&arguments.study) {
        text(&arguments.study)?
    } else {
        absolute(&arguments.study)?
    };
    let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let mut run_command = words(&[&program, "batch", "run", &study]);
    if let Some(runs) = arguments.runs {
        run_command.extend(["--runs".to_owned(), runs.to_string()]);
    }
    for argument in &arguments.set {
        run_command.extend(["--set".to_owned(), argument.clone()]);
    }
    Ok(SlurmJob {
        name,
        run_command,
        merge_command: words(&[&program, "batch", "merge"]),
        out: absolute(&arguments.out)?,
        shards: arguments.shards,
        threads: arguments.threads,
        max_restarts: arguments.restarts,
        time_limit: arguments.time.clone(),
        memory: arguments.memory.clone(),
        merge_time_limit: Some(arguments.merge_time.clone()),
        merge_memory: Some(arguments.merge_memory.clone()),
        partition: arguments.partition.clone(),
        account: arguments.account.clone(),
    })
}

fn absolute(path: &Path) -> Result<String> {
    let failed = |error| BadInput::new(format!("{}: {error}", path.display()));
    text(&std::path::absolute(path).map_err(failed)?)
}

/// A path as text; scripts can hold nothing else.
fn text(path: &Path) -> Result<String> {
    let refused = || BadInput::new(format!("{} is not valid UTF-8", path.display()));
    Ok(path.to_str().ok_or_else(refused)?.to_owned())
}
