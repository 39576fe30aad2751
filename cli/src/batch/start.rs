//! `softdock batch run`.

use super::job::StudyJob;
use super::progress::Bar;
use super::results::{Results, throughput};
use super::screen;
use super::status::damage_json;
use super::study::{self, Changes, Prepared};
use super::until::{self, Until};
use crate::failure::{BadInput, STOPPED};
use crate::kind;
use crate::output;
use crate::run;
use crate::summary::Summary as Text;
use anyhow::Result;
use serde_json::json;
use softdock_study::description::Fidelity;
use softdock_study::slurm::EXIT_UNFINISHED;
use softdock_study::{Directory, Plan, RunOptions, RunSummary, Shard};
use std::path::{Path, PathBuf};
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
    #[arg(long, value_name = "DIR", required_unless_present = "print_config")]
    out: Option<PathBuf>,
    /// Prints the whole study, every key of its base scenario included, and does nothing else
    #[arg(long)]
    print_config: bool,
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
    /// Runs until the probability of capture is known so well, such as "captured ± 0.02"; looks at it
    /// five times at most, and the interval holds with 95 % in spite of that
    #[arg(long, value_name = "GOAL", conflicts_with = "runs")]
    until: Option<Until>,
    /// Points of the inputs from a file instead of the study's own `[[vary]]`: a CSV table whose header
    /// names the keys, or a table as Dakota writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "until"])]
    design: Option<PathBuf>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let changes = Changes {
        runs: arguments.runs,
        set: &arguments.set,
        design: arguments.design.as_deref(),
    };
    let prepared = study::prepare(&arguments.study, &changes, arguments.shard)?;
    let Some(out) = arguments.out.as_deref().filter(|_| !arguments.print_config) else {
        output::say(&prepared.plan.text()?)?;
        return Ok(ExitCode::SUCCESS);
    };
    kind::protect_for(out, "a study")?;
    let how = Execution {
        out,
        threads: arguments.threads,
        shard: arguments.shard,
        resume: arguments.resume,
        json: arguments.json,
    };
    let Prepared { plan, job } = &prepared;
    match (arguments.until, plan.study().fidelity) {
        (Some(_), Fidelity::Screen) => {
            let message = "--until: a screened study has the runs that it names";
            Err(BadInput::new(message).into())
        }
        (Some(goal), Fidelity::Full) => until::execute(plan, job, &how, goal),
        (None, Fidelity::Screen) => screen::execute(&prepared, &how),
        (None, Fidelity::Full) => execute(plan, job, &how),
    }
}

/// How and where a study is run.
#[derive(Debug, Clone, Copy)]
pub struct Execution<'a> {
    /// Folder for the results.
    pub out: &'a Path,
    /// Runs at a time.
    pub threads: usize,
    /// The part to run.
    pub shard: Shard,
    /// Whether there may be finished runs.
    pub resume: bool,
    /// Whether the summary is for programs.
    pub json: bool,
}

/// Runs a study, or what is left of it, and says what came out.
pub fn execute(plan: &Plan, job: &StudyJob, how: &Execution<'_>) -> Result<ExitCode> {
    let done = run_only(plan, job, how)?;
    conclude(how, &done, None)
}

/// Runs a study, or what is left of it.
pub fn run_only(plan: &Plan, job: &StudyJob, how: &Execution<'_>) -> Result<RunSummary> {
    let options = RunOptions {
        threads: how.threads,
        shard: how.shard,
        resume: how.resume,
        cancel: Some(run::stop_flag()),
        ..RunOptions::default()
    };
    let bar = Bar::new();
    let done = softdock_study::run(plan, job, how.out, &options, &|now| bar.at(now));
    bar.finish();
    Ok(done?)
}

/// Says what came out; the exit status tells whether it was stopped. `until` is why a study ended that
/// stops by itself.
pub fn conclude(
    how: &Execution<'_>,
    done: &RunSummary,
    until: Option<serde_json::Value>,
) -> Result<ExitCode> {
    let directory = Directory::open(how.out)?;
    let results = Results::read(core::slice::from_ref(&directory))?;
    if how.json {
        say_json(how, &directory, done, &results, until)?;
    } else {
        say(how, &directory, done, &results)?;
    }
    Ok(match (done.cancelled, run::terminated()) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(EXIT_UNFINISHED),
        (true, false) => ExitCode::from(STOPPED),
    })
}

fn say(
    how: &Execution<'_>,
    directory: &Directory,
    done: &RunSummary,
    results: &Results,
) -> Result<()> {
    let plan = directory.plan();
    let mut text = Text::new(format!(
        "shard {}: {} runs before, {} now, {} failed; study {}",
        how.shard,
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
    Ok(output::tell(&text.to_string())?)
}

fn say_json(
    how: &Execution<'_>,
    directory: &Directory,
    done: &RunSummary,
    results: &Results,
    until: Option<serde_json::Value>,
) -> Result<()> {
    let seconds = done.elapsed.as_secs_f64();
    let plan = directory.plan();
    Ok(output::say_json(&json!({
        "study": plan.study().name,
        "digest": plan.digest(),
        "runs": plan.runs(),
        "shard": how.shard.to_string(),
        "shard_runs": done.total,
        "finished_before": done.finished_before,
        "finished_now": done.finished_now,
        "failed": done.failed,
        "stopped": done.cancelled,
        "damage_at_start": done.damage.iter().map(damage_json).collect::<Vec<_>>(),
        "until": until,
        "results": results.json(),
        "wall_s": seconds,
        "runs_per_minute": 60.0 * done.finished_now as f64 / seconds.max(1e-9),
        "table": done.table,
    }))?)
}
