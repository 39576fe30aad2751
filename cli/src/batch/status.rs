//! `softdock batch status`.

use super::progress::duration;
use super::results::Results;
use crate::failure::SUSPECT;
use crate::output;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_study::{Damage, Directory, Status};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Exit status: 0, also while runs are missing; 3 when runs are missing and a file is damaged, so that
finished runs may be among them. `batch run --resume` computes them again.";

/// Arguments of `softdock batch status`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// Folders of one study, such as those of its shards
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directories = open(&arguments.directories)?;
    let status = softdock_study::status(&directories)?;
    let results = Results::read(&directories)?;
    if arguments.json {
        let mut value = machine(&directories, &status);
        value["results"] = results.json();
        output::say_json(&value)?;
    } else {
        let mut text = describe(&directories, &status);
        results.describe_counts(&mut text);
        output::tell(&text.to_string())?;
    }
    Ok(exit_status(&status))
}

/// Exit status of a command that looks at a study: damage that may have cost runs is not passed over.
pub fn exit_status(status: &Status) -> ExitCode {
    if status.has_lost_runs() {
        ExitCode::from(SUSPECT)
    } else {
        ExitCode::SUCCESS
    }
}

/// Opens the folders of a study.
pub fn open(paths: &[PathBuf]) -> Result<Vec<Directory>> {
    let open = |path: &PathBuf| Directory::open(path);
    Ok(paths.iter().map(open).collect::<Result<_, _>>()?)
}

/// What is there, for people.
pub fn describe(directories: &[Directory], status: &Status) -> Text {
    let name = directories
        .first()
        .map_or("", |directory| &directory.plan().study().name);
    let mut text = Text::new(format!("Study {name}"));
    let Status { runs, finished, .. } = status;
    text.text("finished", finished.to_string(), &format!("of {runs} runs"));
    text.text("failed", status.failed.to_string(), "");
    text.text("missing", status.missing_count().to_string(), "");
    if status.duplicates > 0 {
        text.text("there more than once", status.duplicates.to_string(), "");
    }
    if *finished > 0 {
        text.text("a run takes", significant(status.mean_run_s, 3), "s");
    }
    if status.recent_rate_per_s > 0.0 {
        let rate = significant(60.0 * status.recent_rate_per_s, 3);
        text.text("lately", rate, "runs per minute");
    }
    if status.missing_count() > 0 {
        text.note(format!("missing: {}", status.missing_text()));
        if status.recent_rate_per_s > 0.0 {
            let left = status.missing_count() as f64 / status.recent_rate_per_s;
            text.note(format!("at that rate {} are left", duration(left)));
        }
    }
    if status.damaged_bytes > 0 {
        text.text("damaged", status.damaged_bytes.to_string(), "bytes");
        text.note(damage(status));
    }
    text
}

/// Names every damaged part and what it cost; empty if there is none.
pub fn damage(status: &Status) -> String {
    let cost = match status.missing_count() {
        _ if status.damaged_bytes == 0 => return String::new(),
        0 => "no run is missing",
        _ => "`softdock batch run --resume` computes lost runs again",
    };
    format!("damaged files, {cost}:{}", status.damage_text())
}

/// What is there, for programs.
pub fn machine(directories: &[Directory], status: &Status) -> Json {
    let plan = directories.first().map(Directory::plan);
    json!({
        "study": plan.map(|plan| plan.study().name.clone()),
        "digest": plan.map(|plan| plan.digest().to_owned()),
        "runs": status.runs,
        "finished": status.finished,
        "failed": status.failed,
        "missing": status.missing_count(),
        "missing_ranges": status.missing,
        "duplicates": status.duplicates,
        "torn_bytes": status.torn_bytes,
        "damaged_bytes": status.damaged_bytes,
        "damage": status.damage.iter().map(damage_json).collect::<Vec<Json>>(),
        "mean_run_s": status.mean_run_s,
        "recent_runs_per_minute": 60.0 * status.recent_rate_per_s,
    })
}

/// A damaged part of a file, for programs.
pub fn damage_json(damage: &Damage) -> Json {
    json!({
        "file": damage.path,
        "offset": damage.offset,
        "bytes": damage.bytes,
        "zeros": damage.zeros,
        "lost_runs": damage.lost,
    })
}
