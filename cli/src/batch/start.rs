//! `softdock batch run`.

use super::progress::Bar;
use super::results::{Results, throughput};
use super::status::damage_json;
use super::study::{self, Prepared};
use crate::failure::STOPPED;
use crate::output;
use crate::run;
use crate::summary::Summary as Text;
use anyhow::Result;
use serde_json::json;
use softdock_study::slurm::EXIT_UNFINISHED;
use softdock_study::{Directory, RunOptions, RunSummary, Shard};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Every finished run is on the disk at once: after Ctrl-C, kill -9 or a full disk the same command with
--resume does what is left and nothing twice. Runs lost because a file of the folder is damaged are
done again; the damaged file is kept beside as *.damaged-N. When all runs are there, results.parquet
has a row for each: inputs, figures, status, error. Suspect runs are in the table, marked, and left out
of every statistic. Exit status: 0 when all runs of the shard are done, failed and suspect ones
included; 130 after Ctrl-C; 75 after SIGTERM; 2 for a study that cannot be run.";

/// Arguments of `softdock batch run`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Study: a TOML file, or the name of one that comes with the program
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// Folder for the results; made if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Dockings at a time, at most four per core (32 on small machines); 0 takes one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Runs only shard K of N, K from 0; the shards may run anywhere, in any order
    #[arg(long, value_name = "K/N", default_value = "0/1")]
    shard: Shard,
    /// Goes on with what is in the folder; starts if there is nothing
    #[arg(long)]
    resume: bool,
    /// Number of runs, instead of the study's own
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// Sets one key of the base scenario, e.g. --set legs.elements=6; repeatable, overrides the study
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let Prepared { plan, job } = study::prepare(
        &arguments.study,
        arguments.runs,
        &arguments.set,
        arguments.shard,
    )?;
    let options = RunOptions {
        threads: arguments.threads,
        shard: arguments.shard,
        resume: arguments.resume,
        cancel: Some(run::stop_flag()),
        ..RunOptions::default()
    };
    let bar = Bar::new();
    let done = softdock_study::run(&plan, &job, &arguments.out, &options, &|now| bar.at(now));
    bar.finish();
    let done = done?;
    let directory = Directory::open(&arguments.out)?;
    let results = Results::read(core::slice::from_ref(&directory))?;
    if arguments.json {
        say_json(arguments, &directory, &done, &results)?;
    } else {
        say(arguments, &directory, &done, &results)?;
    }
    Ok(match (done.cancelled, run::terminated()) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(EXIT_UNFINISHED),
        (true, false) => ExitCode::from(STOPPED),
    })
}

fn say(
    arguments: &Arguments,
    directory: &Directory,
    done: &RunSummary,
    results: &Results,
) -> Result<()> {
    let plan = directory.plan();
    let mut text = Text::new(format!(
        "shard {}: {} runs before, {} now, {} failed; study {}",
        arguments.shard,
        done.finished_before,
        done.finished_now,
        done.failed,
        plan.study().name
    ));
    text.text(
        "finished",
        results.finished.to_string(),
        &format!("of {} runs", plan.runs()),
    );
    text.text("failed", results.failed.to_string(), "");
    results.describe(&mut text);
    for damage in &done.damage {
        text.note(format!("damaged when this began: {damage}"));
    }
    if done.finished_now > 0 {
        let seconds = done.elapsed.as_secs_f64();
        text.note(throughput(done.finished_now, seconds));
    }
    match (&done.table, done.cancelled) {
        (Some(table), _) => text.note(format!("table  {}", table.display())),
        (None, true) => text.note("stopped; the same command with --resume goes on"),
        (None, false) => text
            .note("this shard is done; `softdock batch merge` makes the table when all shards are"),
    };
    Ok(output::say(&text.to_string())?)
}

fn say_json(
    arguments: &Arguments,
    directory: &Directory,
    done: &RunSummary,
    results: &Results,
) -> Result<()> {
    let seconds = done.elapsed.as_secs_f64();
    let plan = directory.plan();
    Ok(output::say_json(&json!({
        "study": plan.study().name,
        "digest": plan.digest(),
        "runs": plan.runs(),
        "shard": arguments.shard.to_string(),
        "shard_runs": done.total,
        "finished_before": done.finished_before,
        "finished_now": done.finished_now,
        "failed": done.failed,
        "stopped": done.cancelled,
        "damage_at_start": done.damage.iter().map(damage_json).collect::<Vec<_>>(),
        "results": results.json(),
        "wall_s": seconds,
        "runs_per_minute": 60.0 * done.finished_now as f64 / seconds.max(1e-9),
        "table": done.table,
    }))?)
}
