//! A program that runs studies of the Ishigami function, y = sin x1 + a sin² x2 + b x3⁴ sin x1: the
//! smallest program around the library, also used where the tests need a process of its own.
//!
//! ```text
//! ishigami run STUDY.toml --out DIR [--threads N] [--shard K/N] [--resume]
//! ishigami merge DIR… --out DIR
//! ishigami status DIR…
//! ishigami slurm STUDY.toml --shards N --out DIR --scripts FOLDER
//! ```
//!
//! The keys of its scenario are `x1`, `x2`, `x3`, and `pause_ms`, how long a run takes at least.

// Nothing mechanical: its bits need not be those of other processors.
#![allow(clippy::disallowed_methods)]

use softdock_study::slurm::{SlurmJob, scripts};
use softdock_study::{
    Case, Completeness, Directory, FigureSpec, Job, Kind, Outcome, Plan, Result, RunOptions, Study,
    StudyError, Value, Versions, merge, run, status,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const A: f64 = 7.0;
const B: f64 = 0.1;

struct Ishigami {
    figures: [FigureSpec; 2],
    pause: Duration,
}

impl Ishigami {
    fn new(pause: Duration) -> Self {
        let figures = [
            FigureSpec::new("y", Kind::Real),
            FigureSpec::new("y_is_positive", Kind::Bool),
        ];
        Self { figures, pause }
    }
}

impl Job for Ishigami {
    type Scratch = ();

    fn figures(&self) -> &[FigureSpec] {
        &self.figures
    }

    fn scratch(&self) {}

    fn run(&self, case: &Case<'_>, _: &mut ()) -> Outcome {
        std::thread::sleep(self.pause);
        let numbers: Vec<f64> = case.inputs.iter().filter_map(Value::number).collect();
        let [x1, x2, x3] = numbers[..] else {
            return Outcome::failed("the study must vary x1, x2 and x3");
        };
        let y = x1.sin() + A * x2.sin().powi(2) + B * x3.powi(4) * x1.sin();
        let series = format!("{x1} {x2} {x3} {y}\n").into_bytes();
        Outcome::ok(vec![Some(Value::Real(y)), Some(Value::Bool(y > 0.0))]).with_series(series)
    }
}

/// The command line, taken apart.
#[derive(Default)]
struct Arguments {
    names: Vec<PathBuf>,
    out: Option<PathBuf>,
    threads: usize,
    shard: Option<String>,
    resume: bool,
    shards: u64,
    scripts: Option<PathBuf>,
}

fn arguments(mut words: impl Iterator<Item = String>) -> Option<Arguments> {
    let mut found = Arguments::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => found.out = Some(words.next()?.into()),
            "--threads" => found.threads = words.next()?.parse().ok()?,
            "--shard" => found.shard = Some(words.next()?),
            "--resume" => found.resume = true,
            "--shards" => found.shards = words.next()?.parse().ok()?,
            "--scripts" => found.scripts = Some(words.next()?.into()),
            name => found.names.push(name.into()),
        }
    }
    Some(found)
}

fn start(study: &Path, out: &Path, given: &Arguments) -> Result<()> {
    let study = Study::load(study)?;
    let scenario = study.base.clone();
    let pause_ms = scenario
        .get("pause_ms")
        .and_then(toml::Value::as_integer)
        .unwrap_or(0);
    let job = Ishigami::new(Duration::from_millis(pause_ms.unsigned_abs()));
    let plan = Plan::new(study, scenario, job.figures(), env!("CARGO_PKG_VERSION"))?;
    let shard = given.shard.as_deref().unwrap_or("0/1").parse()?;
    let options = RunOptions {
        threads: given.threads,
        shard,
        resume: given.resume,
        ..RunOptions::default()
    };
    let summary = run(&plan, &job, out, &options, &|_| {})?;
    println!(
        "shard {shard}: {} runs before, {} now, {} failed",
        summary.finished_before, summary.finished_now, summary.failed
    );
    Ok(())
}

fn write_scripts(study: &Path, out: &Path, folder: &Path, shards: u64) -> Result<()> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |cause| StudyError::File {
            action: "use",
            path,
            cause,
        }
    };
    let absolute = |path: &Path| std::path::absolute(path).map_err(failed(path));
    let program = std::env::current_exe().map_err(failed(Path::new("the program")))?;
    let job = SlurmJob {
        name: Study::load(study)?.name,
        run_command: vec![text(&program), "run".into(), text(&absolute(study)?)],
        merge_command: vec![text(&program), "merge".into()],
        out: text(&absolute(out)?),
        shards,
        threads: 1,
        max_restarts: 10,
        time_limit: None,
        memory: None,
        merge_time_limit: None,
        merge_memory: None,
        partition: None,
        account: None,
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for script in scripts(&job)? {
        let path = folder.join(script.file);
        std::fs::write(&path, script.text).map_err(failed(&path))?;
    }
    Ok(())
}

fn open_all(names: &[PathBuf]) -> Result<Vec<Directory>> {
    names.iter().map(|name| Directory::open(name)).collect()
}

fn execute() -> Option<Result<()>> {
    let mut words = std::env::args().skip(1);
    let command = words.next()?;
    let given = arguments(words)?;
    let done: std::result::Result<(), StudyError> = match (command.as_str(), &given.out) {
        ("run", Some(out)) => start(given.names.first()?, out, &given),
        ("merge", Some(out)) => open_all(&given.names)
            .and_then(|directories| merge(&directories, out, Completeness::Whole, Versions::Same))
            .map(|found| println!("{found:?}")),
        ("status", None) => open_all(&given.names)
            .and_then(|directories| status(&directories))
            .map(|found| println!("{found:?}")),
        ("slurm", Some(out)) => write_scripts(
            given.names.first()?,
            out,
            given.scripts.as_deref()?,
            given.shards,
        ),
        _ => return None,
    };
    Some(done)
}

fn main() -> ExitCode {
    match execute() {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!(
                "ishigami run STUDY --out DIR … | merge DIR… --out DIR | status DIR… | slurm STUDY …"
            );
            ExitCode::from(2)
        }
    }
}
