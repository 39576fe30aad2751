//! `softdock batch extend`: more runs for a study that has some.

use super::job::StudyJob;
use super::samples;
use super::start::{self, Execution};
use crate::failure::BadInput;
use crate::run;
use anyhow::Result;
use softdock_study::{Directory, Plan, Shard};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
The finished runs stay, and the new ones are those that the study would have had if it had been started
with so many: 24 runs extended to 200 give the table of 200 runs, byte for byte. Killed in between, the
same command goes on. A grid, a design from a file and a single Latin hypercube (block = 0) cannot be
extended. Shards in folders of their own are extended one by one, each with its --shard.";

/// Arguments of `softdock batch extend`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Folder of a study
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Number of runs that the study will have
    #[arg(long, value_name = "N")]
    runs: u64,
    /// Runs at a time; 0 takes one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Runs only shard K of N, K from 0
    #[arg(long, value_name = "K/N", default_value = "0/1")]
    shard: Shard,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    run::listen_for_stop();
    let mut directory = Directory::open(&arguments.directory)?;
    require_version(directory.plan())?;
    let job = StudyJob::of(directory.plan())?;
    // Checked before anything is changed.
    let plan = directory.plan().extended(arguments.runs)?;
    if let StudyJob::Docking(_) = job {
        samples::check(&plan, arguments.shard, &[])?;
    }
    directory.extend(arguments.runs)?;
    start::execute(
        &plan,
        &job,
        &Execution {
            out: &arguments.directory,
            threads: arguments.threads,
            shard: arguments.shard,
            resume: true,
            json: arguments.json,
        },
    )
}

/// Refuses a study of another version of the program: its runs may not be those of this one.
fn require_version(plan: &Plan) -> Result<()> {
    let own = super::study::VERSION;
    if plan.version() == own {
        return Ok(());
    }
    let message = format!(
        "the study was made by version {} and this is {own}: its runs would not go together; use \
         that version, or run a new study",
        plan.version()
    );
    Err(BadInput::new(message).into())
}
