//! A cheap job and directories that vanish.

use softdock_study::{
    Case, FigureSpec, Job, Kind, Outcome, Plan, RunOptions, RunSummary, Shard, Study, Value, run,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for one test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("softdock-study-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A job with figures of every kind. One run in seven fails, one in eleven panics, some figures are
/// missing, some are NaN or infinite.
pub struct Mixed(Vec<FigureSpec>);

impl Mixed {
    pub fn new() -> Self {
        Self(vec![
            FigureSpec::new("force_n", Kind::Real),
            FigureSpec::new("episodes", Kind::Integer),
            FigureSpec::new("captured", Kind::Bool),
            FigureSpec::new("verdict", Kind::Text),
        ])
    }
}

impl Job for Mixed {
    type Scratch = u64;

    fn figures(&self) -> &[FigureSpec] {
        &self.0
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn run(&self, case: &Case<'_>, used: &mut u64) -> Outcome {
        *used += 1;
        let series = format!("series of run {}", case.run).into_bytes();
        let x = case.inputs[0].number().unwrap();
        match case.run {
            run if run % 7 == 3 => {
                Outcome::failed(format!("diverged at {x} s")).with_series(series)
            }
            run if run % 11 == 5 => panic!("run {run} went wrong"),
            run => {
                let force = match run % 5 {
                    0 => f64::NAN,
                    1 => f64::NEG_INFINITY,
                    _ => x * 100.0,
                };
                Outcome::ok(vec![
                    Some(Value::Real(force)),
                    (run % 3 != 0).then_some(Value::Integer(run as i64 - 4)),
                    Some(Value::Bool(x > 0.0)),
                    (run % 2 == 0).then(|| Value::Text(format!("näher „{run}“"))),
                ])
                .with_series(series)
            }
        }
    }
}

pub const STUDY: &str = r#"
name = "mixed"
seed = 42
runs = 60
sampling = "latin_hypercube"

[[vary]]
key = "closing.speed_m_per_s"
distribution = "uniform"
min = -1
max = 1

[[vary]]
key = "law"
distribution = "choice"
values = ["hertz", "flores"]

[[vary]]
key = "count"
distribution = "choice"
values = [3, 4, 5]

[[vary]]
key = "latch"
distribution = "choice"
values = [true, false]
"#;

pub fn plan_of(text: &str, job: &impl Job) -> Plan {
    let study = Study::parse(text, "study.toml").unwrap();
    let scenario = study.base.clone();
    Plan::new(study, scenario, job.figures(), "0.0.0-test").unwrap()
}

pub fn mixed_plan(runs: u64) -> Plan {
    plan_of(
        &STUDY.replace("runs = 60", &format!("runs = {runs}")),
        &Mixed::new(),
    )
}

pub fn options(threads: usize, shard: &str) -> RunOptions<'static> {
    RunOptions {
        threads,
        shard: shard.parse::<Shard>().unwrap(),
        ..RunOptions::default()
    }
}

/// Runs a plan of the mixed job.
pub fn run_mixed(plan: &Plan, directory: &Path, options: &RunOptions<'_>) -> RunSummary {
    quietly(|| run(plan, &Mixed::new(), directory, options, &|_| {}).unwrap())
}

/// The table of an undisturbed run.
pub fn undisturbed(plan: &Plan) -> Vec<u8> {
    let folder = Folder::new("undisturbed");
    let summary = run_mixed(plan, &folder.join("out"), &options(1, "0/1"));
    std::fs::read(summary.table.unwrap()).unwrap()
}

/// Without the messages of the panics that belong to the job.
pub fn quietly<T>(work: impl FnOnce() -> T) -> T {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<String>();
            if !text.is_some_and(|text| text.ends_with("went wrong")) {
                usual(info);
            }
        }));
    });
    work()
}
