//! Running a study: one run at a time on every core, each stored as it finishes.

mod dispatcher;
mod workers;

pub use workers::most_threads;

use crate::error::{Result, StudyError};
use crate::finish;
use crate::plan::Plan;
use crate::shard::Shard;
use crate::store::damage::Damage;
use crate::store::record::Row;
use crate::store::writer::Writer;
use crate::value::{FigureSpec, Value};
use dispatcher::Dispatcher;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Longest text of an error or figure that is stored [bytes].
const LONGEST_TEXT: usize = 16 * 1024;

/// Stack of a worker thread [bytes]: as much as a main thread has and more, since an overflow would
/// end the process and not only the run.
const STACK: usize = 16 << 20;

/// What a study runs. The same case must give the same outcome, bit by bit, on any thread and in any
/// order.
pub trait Job: Sync {
    /// Memory that a thread keeps from run to run. It must not influence the outcome.
    type Scratch;

    /// The summary figures of every run, in order.
    fn figures(&self) -> &[FigureSpec];

    /// Memory for a thread.
    fn scratch(&self) -> Self::Scratch;

    /// Runs a case. A panic makes the run a failed one and throws the scratch memory away.
    fn run(&self, case: &Case<'_>, scratch: &mut Self::Scratch) -> Outcome;
}

/// One run to do.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// Number of the run.
    pub run: u64,
    /// The plan it belongs to.
    pub plan: &'a Plan,
    /// Inputs, in the order of the plan's inputs.
    pub inputs: &'a [Value],
    /// Whether the series may be kept; if not, the run need not record one.
    pub wants_series: bool,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The figures in order, each of its kind or missing, or the reason why there are none.
    pub figures: std::result::Result<Vec<Option<Value>>, String>,
    /// The time series as CSV; stored if the policy keeps it.
    pub series: Option<Vec<u8>>,
}

impl Outcome {
    /// A run that gave figures.
    pub fn ok(figures: Vec<Option<Value>>) -> Self {
        Self {
            figures: Ok(figures),
            series: None,
        }
    }

    /// A run that failed, and why.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            figures: Err(reason.into()),
            series: None,
        }
    }

    /// The same with a time series.
    pub fn with_series(self, series: Vec<u8>) -> Self {
        Self {
            series: Some(series),
            ..self
        }
    }
}

/// How a study is run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'a> {
    /// Threads, at most [`most_threads`]; 0 takes one for each core. Those without a run are not
    /// started.
    pub threads: usize,
    /// The part of the study to run.
    pub shard: Shard,
    /// Whether finished runs that are there already are fine.
    pub resume: bool,
    /// Set from outside to stop: runs under way are finished and stored, no new ones start.
    pub cancel: Option<&'a AtomicBool>,
    /// Finished runs are forced to the disk at least so often, as runs finish. A killed process
    /// loses none of them in any case; a machine that loses power loses those after the last time,
    /// and they are done again.
    pub sync_interval: Duration,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            threads: 0,
            shard: Shard::WHOLE,
            resume: false,
            cancel: None,
            sync_interval: Duration::from_secs(1),
        }
    }
}

/// How far a shard is, told after each run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The run that finished.
    pub run: u64,
    /// Finished runs of the shard, those of earlier times included.
    pub finished: u64,
    /// Failed ones among them.
    pub failed: u64,
    /// Runs of the shard.
    pub total: u64,
    /// Runs finished since the start.
    pub finished_now: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// What running a study did.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Runs of the shard.
    pub total: u64,
    /// Runs that were finished before.
    pub finished_before: u64,
    /// Runs finished now.
    pub finished_now: u64,
    /// Failed runs of the shard, those of earlier times included.
    pub failed: u64,
    /// Whether it was stopped from outside before the end.
    pub cancelled: bool,
    /// Time it took; wall clock.
    pub elapsed: Duration,
    /// What could not be read of the journals at the start; runs lost there are done again, by this
    /// shard if they are its own.
    pub damage: Vec<Damage>,
    /// The table, written when every run of the study is finished in this directory.
    pub table: Option<PathBuf>,
}

/// Runs a study, or what is left of it, in a directory. `progress` is told after every run; it holds
/// up the other threads while it works.
pub fn run<J: Job>(
    plan: &Plan,
    job: &J,
    directory: &Path,
    options: &RunOptions<'_>,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<RunSummary> {
    if job.figures() != plan.figures() {
        let names = |figures: &[FigureSpec]| {
            figures
                .iter()
                .map(|f| format!("{} ({})", f.name, f.kind))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (offered, planned) = (names(job.figures()), names(plan.figures()));
        return Err(StudyError::FiguresChanged { offered, planned });
    }
    let total = plan.shard_size(options.shard);
    let threads = workers::count(options.threads, total)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()
        .map_err(|error| StudyError::Threads {
            threads,
            reason: error.to_string(),
        })?;
    let start = Instant::now();
    let writer = Writer::open(
        directory,
        plan,
        options.shard,
        options.resume,
        options.sync_interval,
    )?;
    let finished_before = writer.finished;
    let batch = Batch {
        plan,
        job,
        wants_series: writer.keeper().wants_series(),
        cancel: options.cancel,
        stop: AtomicBool::new(false),
        dispatcher: Mutex::new(Dispatcher::new(writer.directory().clone(), options.shard)?),
        sink: Mutex::new(Sink {
            writer,
            error: None,
            finished_before,
            start,
            progress,
        }),
        total,
    };
    pool.broadcast(|_| batch.work());
    let mut sink = batch
        .sink
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    // What is finished goes to the disk even if something went wrong.
    let synced = sink.writer.sync();
    match sink.error.take() {
        Some(error) => return Err(error),
        None => synced?,
    }
    let table = if finish::is_complete(sink.writer.directory())? {
        let directory = sink.writer.directory();
        finish::write_table(directory, &directory.table_path(), &options.shard.label())?;
        Some(directory.table_path())
    } else {
        None
    };
    Ok(RunSummary {
        total: batch.total,
        finished_before,
        finished_now: sink.writer.finished - finished_before,
        failed: sink.writer.failed,
        cancelled: sink.writer.finished < batch.total,
        elapsed: start.elapsed(),
        damage: sink.writer.damage,
        table,
    })
}

/// Runs one case again, for a closer look: nothing is stored.
pub fn run_one<J: Job>(plan: &Plan, job: &J, run: u64) -> Result<Outcome> {
    let inputs = plan.values(run)?;
    let case = Case {
        run,
        plan,
        inputs: &inputs,
        wants_series: true,
    };
    Ok(guarded(job, &case, &mut None))
}

/// What the threads share.
struct Batch<'a, J: Job> {
    plan: &'a Plan,
    job: &'a J,
    wants_series: bool,
    total: u64,
    cancel: Option<&'a AtomicBool>,
    /// Set when storing failed.
    stop: AtomicBool,
    dispatcher: Mutex<Dispatcher>,
    sink: Mutex<Sink<'a>>,
}

struct Sink<'a> {
    writer: Writer,
    error: Option<StudyError>,
    finished_before: u64,
    start: Instant,
    progress: &'a (dyn Fn(&Progress) + Sync),
}

impl<J: Job> Batch<'_, J> {
    /// What each thread does: take the next run, do it, store it.
    fn work(&self) {
        let mut scratch = None;
        while !self.stopped() {
            // Not inside the match: the lock would be held while the run is done.
            let next = lock(&self.dispatcher).next(self.plan);
            match next {
                Ok(None) => return,
                Ok(Some(run)) => self.run(run, &mut scratch),
                Err(error) => self.fail(error),
            }
        }
    }

    fn run(&self, run: u64, scratch: &mut Option<J::Scratch>) {
        let inputs = match self.plan.values(run) {
            Ok(inputs) => inputs,
            Err(error) => return self.fail(error),
        };
        let begin = Instant::now();
        let case = Case {
            run,
            plan: self.plan,
            inputs: &inputs,
            wants_series: self.wants_series,
        };
        let outcome = guarded(self.job, &case, scratch);
        let row = Row {
            run,
            inputs,
            outcome: checked(outcome.figures, self.plan.figures()),
            elapsed_s: begin.elapsed().as_secs_f64(),
            finished_unix_ms: unix_ms(),
        };
        self.store(&row, outcome.series.as_deref());
    }

    fn store(&self, row: &Row, series: Option<&[u8]>) {
        let mut sink = lock(&self.sink);
        if sink.error.is_some() {
            return;
        }
        if let Err(error) = sink.writer.store(row, series) {
            sink.error = Some(error);
            self.stop.store(true, Ordering::SeqCst);
            return;
        }
        (sink.progress)(&Progress {
            run: row.run,
            finished: sink.writer.finished,
            failed: sink.writer.failed,
            total: self.total,
            finished_now: sink.writer.finished - sink.finished_before,
            elapsed: sink.start.elapsed(),
        });
    }

    fn fail(&self, error: StudyError) {
        lock(&self.sink).error.get_or_insert(error);
        self.stop.store(true, Ordering::SeqCst);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
            || self
                .cancel
                .is_some_and(|cancel| cancel.load(Ordering::SeqCst))
    }
}

/// Runs a case; a panic becomes a failure.
fn guarded<J: Job>(job: &J, case: &Case<'_>, scratch: &mut Option<J::Scratch>) -> Outcome {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        job.run(case, scratch.get_or_insert_with(|| job.scratch()))
    }));
    attempt.unwrap_or_else(|payload| {
        // Whatever the panic left in it is not trusted.
        *scratch = None;
        Outcome::failed(format!("panic: {}", panic_message(payload.as_ref())))
    })
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

/// Makes sure that figures fit their specification and texts are of a bearable length.
fn checked(
    figures: std::result::Result<Vec<Option<Value>>, String>,
    specs: &[FigureSpec],
) -> std::result::Result<Vec<Option<Value>>, String> {
    let mut figures = figures.map_err(shortened)?;
    if figures.len() != specs.len() {
        let (found, expected) = (figures.len(), specs.len());
        return Err(format!(
            "the job gave {found} figures, the study has {expected}"
        ));
    }
    for (figure, spec) in figures.iter_mut().zip(specs) {
        let Some(value) = figure else { continue };
        if value.kind() != spec.kind {
            let (name, expected, found) = (&spec.name, spec.kind, value.kind());
            return Err(format!(
                "the job gave {name} as {found}, the study has it as {expected}"
            ));
        }
        if let Value::Text(text) = value {
            *text = shortened(std::mem::take(text));
        }
    }
    Ok(figures)
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let end = (0..=LONGEST_TEXT)
            .rev()
            .find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |time| {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    })
}

/// A thread that panicked inside the lock left nothing half-done that matters: journals check
/// themselves.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
